package manifest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// TestChoices: a field of a few words takes these words, and suggests the nearest.
func TestChoices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path    string
		choices []string
		typo    string
		meant   string
	}{
		{"schema", []string{"talos.local-tool.v1"}, "talos.local-tool.v2", ""},
		{"execution", []string{"declarative-flow"}, "declarative-flows", ""},
		{"installScope", []string{"device"}, "Device", ""},
		{"network.mode", []string{"forbidden", "allowlist"}, "allow-list", "allowlist"},
		{"credentialRequirements[0].kind", []string{"api_profile", "oauth_profile", "oauth_or_api_profile"}, "api-profile", "api_profile"},
		{"modelDefaults.privacy", []string{"local-only", "local-preferred", "remote-allowed"}, "localonly", "local-only"},
		{"modelDefaults.reasoning", []string{"off", "low", "medium", "high"}, "Medium", "medium"},
		{"flow.nodes[1].requirements.reasoning", []string{"off", "low", "medium", "high"}, "hgih", "high"},
		{"triggers[0].type", []string{"manual", "app-resume", "task-changed"}, "app_resume", "app-resume"},
		{"ui.kind", []string{"summary"}, "summery", ""},
		{"flow.nodes[1].op", []string{"classify", "extract", "summarize", "generate", "rank"}, "summarise", "summarize"},
		{"flow.nodes[3].condition.op", []string{"eq", "neq", "truthy", "exists", "contains", "gt", "gte", "lt", "lte"}, "contain", "contains"},
		{"inputSchema.properties.list.items.type", []string{"object", "array", "string", "number", "integer", "boolean", "null"}, "strnig", "string"},
	} {
		for _, choice := range c.choices {
			if _, list := parse(changed(t, c.path, choice, true)); len(list) > 0 {
				t.Errorf("%s as %q: %s", c.path, choice, show(list))
			}
		}
		_, list := parse(changed(t, c.path, c.typo, true))
		if len(list) != 1 || errorsAt(list, c.path) != 1 || !strings.Contains(list[0].Message, value.JSON(c.typo)) {
			t.Errorf("%s as %q: %s", c.path, c.typo, show(list))
			continue
		}
		for _, choice := range c.choices {
			if !strings.Contains(list[0].Message, value.JSON(choice)) {
				t.Errorf("%s as %q: %s is not named: %s", c.path, c.typo, choice, list[0].Message)
			}
		}
		if c.meant != "" && !strings.HasSuffix(list[0].Message, " Did you mean \""+c.meant+"\"?") {
			t.Errorf("%s as %q: %s", c.path, c.typo, list[0].Message)
		}
		for _, wrong := range []string{"", " " + c.choices[0], c.choices[0] + "\x00", strings.ToUpper(c.choices[0])} {
			if _, list := parse(changed(t, c.path, wrong, true)); errorsAt(list, c.path) != 1 {
				t.Errorf("%s as %q: %s", c.path, wrong, show(list))
			}
		}
	}
}

// TestIntegers: whole numbers within bounds, however they are written.
func TestIntegers(t *testing.T) {
	t.Parallel()
	const most = "9007199254740991"
	for _, c := range []struct {
		path      string
		good, bad string
	}{
		{"modelDefaults.minContext", "0 1 1.0 1e3 -0 " + most, "-1 0.5 9007199254740992 1e17"},
		{"modelDefaults.maxInputTokens", "0 4000 " + most, "-1 1.5 1e16"},
		{"modelDefaults.maxOutputTokens", "0 4000 " + most, "-1 1.5 1e16"},
		{"state.schemaVersion", "1 2 1.0 " + most, "0 -1 1.5 9007199254740992"},
		{"state.maxBytes", "1 262144 2.62144e5", "0 262145 -1 1.5 1e6"},
		{"triggers[1].schedule.hour", "0 23 7.0", "-1 24 7.5"},
		{"triggers[1].schedule.minute", "0 59", "-1 60 0.1"},
		{"triggers[2].schedule.minutes", "1 1440 2147483647", "0 2147483648 -5 1.5"},
		{"parentVersion", "1 2 2.0 1e0", "0 -1 1.5 3 4 2.5 9007199254740992"},
	} {
		for number := range strings.FieldsSeq(c.good) {
			if _, list := parse(changed(t, c.path, json.Number(number), true)); len(list) > 0 {
				t.Errorf("%s as %s: %s", c.path, number, show(list))
			}
		}
		for number := range strings.FieldsSeq(c.bad) {
			_, list := parse(changed(t, c.path, json.Number(number), true))
			if len(list) != 1 || errorsAt(list, c.path) != 1 || !strings.HasSuffix(list[0].Message, "this is "+number+".") {
				t.Errorf("%s as %s: %s", c.path, number, show(list))
			}
		}
	}
	// Where the version is no number there is nothing to compare a parent with.
	doc := wholeValue(t)
	change(t, doc, "version", "three", true)
	change(t, doc, "parentVersion", value.Int(9), true)
	if _, list := parse(value.JSON(doc)); len(list) != 1 || errorsAt(list, "version") != 1 {
		t.Error(show(list))
	}
}

// TestTimes: RFC 3339 with a zone.
func TestTimes(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"2026-11-27T16:00:00Z": true, "2026-11-27T16:00:00.123456789Z": true, "2026-11-27T16:00:00+05:30": true, "2024-02-29T00:00:00-12:00": true,
		"": false, "now": false, "2026-11-27": false, "2026-11-27T16:00:00": false, "2026-11-27 16:00:00Z": false, "2026-11-27T16:00Z": false,
		"2026-13-27T16:00:00Z": false, "2026-02-29T16:00:00Z": false, "2026-11-27T25:00:00Z": false, "2026-11-27T16:00:00+0100": false,
		"27.11.2026": false, "1764259200": false, "2026-11-27T16:00:00Z ": false,
	} {
		_, list := parse(changed(t, "createdAt", text, true))
		if (len(list) == 0) != ok || !ok && errorsAt(list, "createdAt") != 1 {
			t.Errorf("%q: %s", text, show(list))
		}
	}
}

// TestSchemaKeywords: what is no keyword of the subset is named, with what to do instead.
func TestSchemaKeywords(t *testing.T) {
	t.Parallel()
	for keyword, hint := range map[string]string{
		"anyOf": "Describe one shape", "oneOf": "Describe one shape", "allOf": "Describe one shape", "not": "Describe one shape", "if": "Describe one shape",
		"pattern": `Say it in "description"`, "format": `Say it in "description"`,
		"$ref": "stands by itself", "$defs": "stands by itself", "definitions": "stands by itself", "$schema": "stands by itself", "$id": "stands by itself",
		"const": `Write {"enum": [value]}.`, "Type": `Did you mean "type"?`, "minlength": `Did you mean "minLength"?`, "maxmum": `Did you mean "maximum"?`,
		"multipleOf": "is not supported.", "exclusiveMinimum": "is not supported.", "prefixItems": "is not supported.", "patternProperties": "is not supported.", "x-y": "is not supported.",
	} {
		for _, path := range []string{"inputSchema", "outputSchema", "inputSchema.properties.list.items", "inputSchema.properties.text", "state.fields.seen", "flow.nodes[1].outputSchema"} {
			_, list := parse(changed(t, path+"."+keyword, []any{}, true))
			want := "$." + path + "." + keyword
			if len(list) != 1 || list[0].Path != want || !strings.Contains(list[0].Message, hint) || !strings.HasPrefix(list[0].Message, "The schema keyword") {
				t.Errorf("%s: got %swant %s", want, show(list), hint)
			}
		}
	}
	// An address in a schema is a text like any other: nothing is fetched, it is refused.
	for _, target := range []string{"http://169.254.169.254/x", "file:///etc/passwd", "#/$defs/a", "#"} {
		_, list := parse(changed(t, "inputSchema.$ref", target, true))
		if len(list) != 1 || errorsAt(list, "inputSchema.$ref") != 1 {
			t.Errorf("%s: %s", target, show(list))
		}
	}
	// The top of the input schema says nothing of its own of the tool; others may.
	for _, name := range []string{"title", "description"} {
		if _, list := parse(changed(t, "inputSchema."+name, "x", true)); len(list) != 1 || errorsAt(list, "inputSchema."+name) != 1 {
			t.Errorf("%s: %s", name, show(list))
		}
		if _, list := parse(changed(t, "outputSchema."+name, "x", true)); len(list) > 0 {
			t.Errorf("%s: %s", name, show(list))
		}
	}
}

// TestCardReferences: a card shows what a path leads to.
func TestCardReferences(t *testing.T) {
	t.Parallel()
	for ref, ok := range map[string]bool{
		"$.output": true, "output.a.0": true, "$": true, "": true, "$.a-b_c.7": true,
		"$.a b": false, "$.a[0]": false, "$.__proto__": false, "$.a." + strings.Repeat("x", 65): false, "$." + strings.Repeat("a.", 16) + "b": false, "é": false,
	} {
		for _, path := range []string{"ui.primaryRef", "ui.detailRefs[0]", "ui.detailRefs[1]"} {
			_, list := parse(changed(t, path, ref, true))
			if (len(list) == 0) != ok || !ok && errorsAt(list, path) != 1 {
				t.Errorf("%s as %q: %s", path, ref, show(list))
			}
		}
	}
}

// TestBodies: a step in a loop's body is of three kinds, and leads nowhere.
func TestBodies(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"if", "foreach", "return", "fail"} {
		m, list := parse(changed(t, "flow.nodes[2].body[0].type", kind, true))
		if len(list) != 1 || errorsAt(list, "flow.nodes[2].body[0].type") != 1 || !strings.Contains(list[0].Message, "cannot stand in a loop's body") {
			t.Errorf("%s: %s", kind, show(list))
		}
		if m.Flow.Steps[2].Body[0].Type != "" {
			t.Errorf("%s is kept", kind)
		}
	}
	for _, name := range []string{"id", "next"} {
		_, list := parse(changed(t, "flow.nodes[2].body[0]."+name, "abc", true))
		if len(list) != 1 || errorsAt(list, "flow.nodes[2].body[0]."+name) != 1 || !strings.Contains(list[0].Message, "has no id and no next") {
			t.Errorf("%s: %s", name, show(list))
		}
	}
}

// TestTriggerIDs: the id of a trigger is a word like those of tools.
func TestTriggerIDs(t *testing.T) {
	t.Parallel()
	for id, ok := range map[string]bool{"abc": true, "a.b-c_1": true, "": false, "ab": false, "Day": false, "-ab": false} {
		_, list := parse(changed(t, "triggers[0].id", id, true))
		if (len(list) == 0) != ok || !ok && errorsAt(list, "triggers[0].id") != 1 {
			t.Errorf("%q: %s", id, show(list))
		}
	}
}

// TestSchedules: a schedule belongs to a trigger of its kind.
func TestSchedules(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"manual", "app-resume", "task-changed"} {
		_, list := parse(changed(t, "triggers[1].type", kind, true))
		if len(list) != 1 || errorsAt(list, "triggers[1].schedule") != 1 || !strings.Contains(list[0].Message, value.JSON(kind)) {
			t.Errorf("%s: %s", kind, show(list))
		}
	}
	// Of a trigger whose kind is not known nothing is guessed.
	if _, list := parse(changed(t, "triggers[1].type", "sometimes", true)); len(list) != 1 || errorsAt(list, "triggers[1].type") != 1 {
		t.Error(show(list))
	}
}

func TestSorted(t *testing.T) {
	t.Parallel()
	text := "{\"é\": 1,\n \"b\": [true]}"
	root, problems := value.Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	_, found := manifest.Parse([]byte(text))
	before := found.Len()
	if before == 0 {
		t.Fatal("nothing was found")
	}
	list := root.Get("b")
	found.At(manifest.LevelWarning, "B_CODE", list.First(), "second")
	found.At(manifest.LevelWarning, "A_CODE", list.First(), "first")
	found.At(manifest.LevelWarning, "B_CODE", list.First(), "second")
	found.At(manifest.LevelError, "B_CODE", list.First(), "another")
	found.At(manifest.LevelError, "C_CODE", root.First(), "early")
	if found.Len() != before+5 {
		t.Errorf("%d, want %d", found.Len(), before+5)
	}
	var got []manifest.Diagnostic
	for _, d := range found.Sorted() {
		if d.Code != manifest.CodeStructure {
			got = append(got, d)
		}
	}
	want := []manifest.Diagnostic{
		{Level: manifest.LevelError, Code: "C_CODE", Path: `$["é"]`, Message: "early", Line: 1, Column: 7, Offset: 7},
		{Level: manifest.LevelWarning, Code: "A_CODE", Path: "$.b[0]", Message: "first", Line: 2, Column: 8, Offset: 17},
		{Level: manifest.LevelError, Code: "B_CODE", Path: "$.b[0]", Message: "another", Line: 2, Column: 8, Offset: 17},
		{Level: manifest.LevelWarning, Code: "B_CODE", Path: "$.b[0]", Message: "second", Line: 2, Column: 8, Offset: 17},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(found.Sorted(), found.Sorted()); diff != "" {
		t.Errorf("a second time:\n%s", diff)
	}
}

func TestHasErrors(t *testing.T) {
	t.Parallel()
	warning, fault := manifest.Diagnostic{Level: manifest.LevelWarning}, manifest.Diagnostic{Level: manifest.LevelError}
	for _, c := range []struct {
		list []manifest.Diagnostic
		want bool
	}{
		{nil, false}, {[]manifest.Diagnostic{warning}, false}, {[]manifest.Diagnostic{fault}, true}, {[]manifest.Diagnostic{warning, fault, warning}, true},
	} {
		if got := manifest.HasErrors(c.list); got != c.want {
			t.Errorf("%v: %v", c.list, got)
		}
	}
}

// TestQuote: a text in a message is quoted, and never long.
func TestQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": `""`, "a": `"a"`, `a"b\`: `"a\"b\\"`, "a\nb\x1b": `"a\nb\u001b"`, "é": `"é"`,
		strings.Repeat("a", 80): `"` + strings.Repeat("a", 80) + `"`, strings.Repeat("a", 81): `"` + strings.Repeat("a", 80) + `…"`,
		strings.Repeat("a", 79) + "éé": `"` + strings.Repeat("a", 79) + `…"`,
	} {
		if got := manifest.Quote(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		got := manifest.Quote(rapid.String().Draw(t, "text"))
		back, err := value.Decode([]byte(got))
		text, isText := back.(string)
		if err != nil || !isText || len(text) > 80+len("…") {
			t.Errorf("%s: %v", got, err)
		}
	})
}

func TestValidID(t *testing.T) {
	t.Parallel()
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a-z0-9][a-z0-9._-]{2,63}`).Draw(t, "id")
		if !manifest.ValidID(id) {
			t.Errorf("%q is refused", id)
		}
		at := rapid.IntRange(0, len(id)-1).Draw(t, "at")
		other := rapid.SampledFrom([]string{"A", " ", "é", "/", "\x00", "+", "$", ":", "~", "\u200b"}).Draw(t, "other")
		for _, bad := range []string{id[:at] + other + id[at:], "-" + id, "." + id, "_" + id, id[:2], id + strings.Repeat("a", 65-len(id))} {
			if manifest.ValidID(bad) {
				t.Errorf("%q is accepted", bad)
			}
		}
		if len(id) < 64 && !manifest.ValidID(letters[:1]+id) {
			t.Errorf("a%s is refused", id)
		}
	})
}

// TestGuesses: suggestions are made for the first problems only, and the problems are
// all there.
func TestGuesses(t *testing.T) {
	t.Parallel()
	doc := wholeValue(t)
	steps := []any{}
	for range 150 {
		steps = append(steps, map[string]any{"id": "abc", "type": "retrun"})
	}
	change(t, doc, "flow.nodes", steps, true)
	_, list := parse(value.JSON(doc))
	guessed := 0
	for _, d := range list {
		if strings.Contains(d.Message, `Did you mean "return"?`) {
			guessed++
		}
	}
	if len(list) != 150 || guessed == 0 || guessed == len(list) {
		t.Errorf("%d problems, %d suggestions", len(list), guessed)
	}
}
