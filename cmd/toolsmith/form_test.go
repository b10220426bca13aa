package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/consent"
	"toolsmith/internal/schema"
	"toolsmith/internal/value"
)

func decodedJSON(t testing.TB, text string) any {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestFieldsOfASchema: what is needed comes first, as the schema lists it.
func TestFieldsOfASchema(t *testing.T) {
	t.Parallel()
	many := make(map[string]any)
	for i := range mostFields + 1 {
		many[strings.Repeat("f", i+1)] = map[string]any{}
	}
	for name, c := range map[string]struct {
		schema any
		want   string
	}{
		"needed first":    {`{"required": ["z", "b", "z", "gone"], "properties": {"a": {}, "b": {}, "z": {}}}`, "z! b! a"},
		"an object":       {`{"type": "object", "properties": {"a": true}}`, "a"},
		"or none":         {`{"type": ["object", "null"], "properties": {"a": {}}}`, "a"},
		"a list":          {`{"type": "array", "properties": {"a": {}}}`, "!"},
		"no fields":       {`{"type": "object"}`, "!"},
		"anything":        {`{}`, "!"},
		"too many fields": {map[string]any{"properties": many}, "!"},
		"odd keywords":    {`{"required": "a", "properties": [], "type": {}}`, "!"},
	} {
		raw := c.schema
		if text, isText := raw.(string); isText {
			raw = decodedJSON(t, text)
		}
		var names []string
		for _, f := range fieldsOf(raw) {
			if f.needed {
				f.name += "!"
			}
			names = append(names, f.name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestWhatIsTyped is read as the field wants it, or said to be no answer.
func TestWhatIsTyped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field  string
		needed bool
		typed  string
		want   string // as JSON; "" for nothing, "!" for no answer
		says   string // what the field asks for
	}{
		{`{"type": "string"}`, true, " a b ", `" a b "`, "a text"},
		{`{"type": "string"}`, true, "", "!", "a text"},
		{`{"type": "string"}`, true, `""`, `""`, "a text"},
		{`{"type": "string"}`, false, "", "", "a text, may be left out"},
		{`{"type": "string", "default": "x\n"}`, true, "", "", `a text, else "x\n"`},
		{`{"type": ["string", "null"]}`, true, "", "null", "a text"},
		{`{"type": "integer"}`, true, "3", "3", "a whole number"},
		{`{"type": "integer"}`, true, "three", "!", "a whole number"},
		{`{"type": "integer"}`, true, `"3"`, "!", "a whole number"},
		{`{"type": "number"}`, true, "-2.50", "-2.50", "a number"},
		{`{"type": "number"}`, true, "1e400", "!", "a number"},
		{`{"type": "boolean"}`, true, "Yes", "true", "yes or no"},
		{`{"type": "boolean"}`, true, "n", "false", "yes or no"},
		{`{"type": "boolean"}`, true, "perhaps", "!", "yes or no"},
		{`{"type": "array"}`, true, `["a"]`, `["a"]`, "a list, as JSON"},
		{`{"type": "array"}`, true, `a`, "!", "a list, as JSON"},
		{`{"type": "object"}`, true, `{"a": 1}`, `{"a":1}`, "an object, as JSON"},
		{`{}`, true, `null`, "null", "any value, as JSON"},
		{`{"type": ["string", "number"]}`, true, `"a"`, `"a"`, "any value, as JSON"},
		{`{"enum": ["b", "a", 3]}`, true, "1", `"b"`, "one of these"},
		{`{"enum": ["b", "a", 3]}`, true, "a", `"a"`, "one of these"},
		{`{"enum": ["b", "a", 3]}`, true, "3", `3`, "one of these"},
		{`{"enum": ["b", "a", 3]}`, true, "4", "!", "one of these"},
		{`{"enum": ["b", "a", 3]}`, true, "0", "!", "one of these"},
		{`{"enum": []}`, true, "1", "!", "one of these"},
		{`{"const": "only"}`, true, "1", `"only"`, "one of these"},
	} {
		of, _ := decodedJSON(t, c.field).(map[string]any)
		f := fieldOf("x", of)
		f.needed = c.needed
		v, given, problem := f.read(c.typed)
		got := value.JSON(v)
		switch {
		case problem != "":
			got = "!"
		case !given:
			got = ""
		}
		if got != c.want || !strings.HasPrefix(f.says(), c.says) {
			t.Errorf("%s, typed %q: %s (%s), want %s; it says %s", c.field, c.typed, got, problem, c.want, f.says())
		}
	}
}

// typing types lines, and then ends.
func typing(lines ...string) typist {
	return func() (string, bool, bool) {
		if len(lines) == 0 {
			return "", true, true
		}
		line := lines[0]
		lines = lines[1:]
		return line, false, true
	}
}

// TestFillingIn asks until all fits, field by field and together.
func TestFillingIn(t *testing.T) {
	t.Parallel()
	const cake = `{"type": "object", "required": ["count"], "properties": {"count": {"type": "integer", "maximum": 12}, "note": {"type": "string", "default": "none", "maxLength": 5}, "tags": {"type": "array", "items": {"type": "string"}}}}`
	for name, c := range map[string]struct {
		schema string
		lines  []string
		want   string // "" for no answer
		tells  []string
	}{
		"all at once":        {cake, []string{"3", "so", `["a"]`}, `{"count":3,"note":"so","tags":["a"]}`, nil},
		"defaults":           {cake, []string{"3", "", ""}, `{"count":3}`, []string{`note: a text, else "none"`}},
		"a field again":      {cake, []string{"13", "", "12", "too long", "ok", `[1]`, ""}, `{"count":12,"note":"ok"}`, []string{"$.count: has to be at most 12; this is 13.", "It is needed.", "$.note: has to be at most 5 characters long", "$.tags[0]: has to be a text"}},
		"all of it again":    {`{"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "not": {"properties": {"a": {"const": 1}, "b": {"const": 1}}}}`, []string{"1", "1", "1", "2"}, `{"a":1,"b":2}`, []string{"does not fit yet"}},
		"a number alone":     {`{"type": "number", "maximum": 5}`, []string{"7", "4.50"}, `4.50`, []string{"$: has to be at most 5; this is 7."}},
		"a default alone":    {`{"type": "number", "default": 5}`, []string{""}, `5`, nil},
		"the end":            {cake, []string{"3"}, "", nil},
		"nothing at all":     {cake, nil, "", nil},
		"what nobody can do": {`{"type": "object", "properties": {"a": false}}`, []string{"1", "", "1"}, `{}`, []string{"$.a: is not allowed here."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			v, said, ok, err := fillIn(&out, decodedJSON(t, c.schema), typing(c.lines...))
			if err != nil || !ok || said != (c.want != "") || said && value.JSON(v) != c.want {
				t.Errorf("%s, said %v, %v, %v; want %s\n%s", value.JSON(v), said, ok, err, c.want, &out)
			}
			for _, want := range c.tells {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it does not tell %q:\n%s", want, &out)
				}
			}
		})
	}
	settled := func() (string, bool, bool) { return "", false, false }
	if _, said, ok, err := fillIn(&bytes.Buffer{}, decodedJSON(t, cake), settled); said || ok || err != nil {
		t.Errorf("settled elsewhere: %v, %v, %v", said, ok, err)
	}
	if _, _, _, err := fillIn(&bytes.Buffer{}, decodedJSON(t, `{"type": 7}`), typing()); err == nil {
		t.Error("a schema that is none gives no error")
	}
}

// TestHowAnAnswerBegins: a yes or a no to a form without fields, or that there is more to ask.
func TestHowAnAnswerBegins(t *testing.T) {
	t.Parallel()
	form, sure, page := consent.Form{Title: "T", Schema: map[string]any{}}, consent.Form{Title: "T"}, consent.Form{URL: "https://example.org"}
	no, yes := consent.Answer{}, consent.Answer{Allow: true}
	is := func(v bool) consent.Answer { return consent.Answer{Allow: true, HasValue: true, Value: v} }
	for name, c := range map[string]struct {
		form       consent.Form
		text       string
		ended      bool
		want       consent.Answer
		more, told bool
	}{
		"fields": {form, "", false, yes, true, true}, "fields, yes": {form, "y", false, yes, true, true}, "fields, no": {form, "n", false, no, false, true},
		"fields, the end": {form, "", true, no, false, true}, "fields, else": {form, "d", false, no, false, false},
		"sure": {sure, "yes", false, is(true), false, true}, "not sure": {sure, "n", false, is(false), false, true}, "sure, neither": {sure, "d", false, no, false, true},
		"sure, nothing": {sure, "", false, no, false, false}, "sure, the end": {sure, "", true, no, false, true},
		"page": {page, "", false, yes, false, true}, "page, no": {page, "no", false, no, false, true}, "page, the end": {page, "", true, no, false, true}, "page, else": {page, "x", false, no, false, false},
	} {
		got, more, told := begun(c.form, c.text, c.ended)
		if more != c.more || told != c.told || told && cmp.Diff(c.want, got) != "" {
			t.Errorf("%s: %+v, more %v, told %v", name, got, more, told)
		}
	}
}

// FuzzFillIn: whatever the schema and whatever is typed, what comes out fits, and nothing that is
// hidden reaches the terminal.
func FuzzFillIn(f *testing.F) {
	f.Add(`{"type":"object","required":["a"],"properties":{"a":{"type":"integer"},"b\u202e":{"enum":["x\u001b","y"],"description":"\u001b[2K"}}}`, "1\n2")
	f.Add(`{"type":"array","items":{"type":"string"}}`, "[1]\n[\"a\"]")
	f.Add(`{"type":["string","null"],"default":"\u200b"}`, "")
	f.Fuzz(func(t *testing.T, text, lines string) {
		raw, err := value.Decode([]byte(text))
		if _, isObject := raw.(map[string]any); err != nil || !isObject || schema.Extent(raw, 1000) > 1000 {
			t.Skip()
		}
		fields, err := schema.Compile(raw)
		if err != nil {
			t.Skip()
		}
		var out bytes.Buffer
		v, said, _, err := fillIn(&out, raw, typing(strings.Split(lines, "\n")...))
		if err != nil {
			t.Fatal(err)
		}
		if violations := fields.Validate(fields.Fill(v)); said && len(violations) > 0 {
			t.Errorf("%s comes out: %v", value.JSON(v), violations)
		}
		if shown := out.String(); strings.ContainsAny(shown, "\x1b\u202e\u200b\r\x00") {
			t.Errorf("shown is %q", shown)
		}
		if _, err := json.Marshal(formCard(&consent.Form{Title: "T", Schema: raw})); err != nil {
			t.Error(err)
		}
	})
}
