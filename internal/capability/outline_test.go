package capability

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"toolsmith/internal/local"
)

func TestOutline(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ value, want string }{
		"null":          {`null`, "none"},
		"number":        {`12.50`, "12.50"},
		"large number":  {`9007199254740993`, "9007199254740993"},
		"boolean":       {`false`, "false"},
		"empty list":    {`[]`, "none"},
		"empty object":  {`{}`, "none"},
		"list":          {`["a", 1, null, "", []]`, "- a\n- 1\n- none\n- none\n- none"},
		"lists in list": {`[["a", "b"], [["c"]]]`, "- - a\n  - b\n- - - c"},
		"object":        {`{"b": 1, "a": "x", "c": null}`, "a: x\nb: 1\nc: none"},
		"sections": {`{"open": [], "finished": [{"title": "Pay rent", "status": "done"}], "week": 48}`,
			"finished\n- Pay rent (done)\n\nopen: none\nweek: 48"},
		"sections only": {`{"b": ["x"], "a": ["y"]}`, "a\n- y\n\nb\n- x"},
		"objects in objects": {`{"a": {"b": {"c": 1, "d": ["x"]}, "e": 2}}`,
			"a\n  b:\n    c: 1\n    d:\n      - x\n  e: 2"},
		"objects in a list":  {`[{"x": 1, "y": 2}, {"x": {"z": 3}}]`, "- x: 1\n  y: 2\n- x:\n    z: 3"},
		"lines":              {`{"a": "one\r\ntwo\n", "b": ["one\n\ntwo"]}`, "a\none\ntwo\n\nb\n- one\n\n  two"},
		"lines in an object": {`[{"a": "one\ntwo"}]`, "- a:\n    one\n    two"},
		"a task": {`{"id": "1", "title": "Pay", "description": "rent", "status": "todo", "priority": "high", "dueAt": "2026-12-01T08:00:00Z", "revision": 1}`,
			"Pay (todo, high, due 2026-12-01)"},
		"records": {`[{"title": "a\nb", "status": ""}, {"title": "c", "dueAt": "soon", "priority": "low"}, {"id": "1", "title": "d", "content": "text"}]`,
			"- a b\n- c (low, due soon)\n- d"},
		"a field that records do not have": {`[{"title": "a", "price": 3}]`, "- price: 3\n  title: a"},
		"a status that is no text":         {`[{"title": "b", "status": ["a"]}]`, "- status:\n    - a\n  title: b"},
		"a title with sections":            {`{"title": "Review", "open": ["x"]}`, "open\n- x\n\ntitle: Review"},
		"no text for a title":              {`[{"title": 5}, {"title": " "}]`, "- title: 5\n- title: none"},
		"odd keys":                         {`{"": 1, "a\nb": 2, "c: d": 3}`, "\"\": 1\na b: 2\nc: d: 3"},
		"record under a key":               {`{"task": {"title": "x", "status": "doing"}}`, "task: x (doing)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := outline(decode(t, test.value), local.MaxText); got != test.want {
				t.Errorf("%s\n got:\n%s\nwant:\n%s", test.value, got, test.want)
			}
		})
	}
}

func TestALongOutlineIsCutAtALine(t *testing.T) {
	t.Parallel()
	value := decode(t, `["`+strings.Repeat("x", 30)+`", "second", "third"]`)
	for most, want := range map[int]string{
		1000: "- " + strings.Repeat("x", 30) + "\n- second\n- third",
		80:   "- " + strings.Repeat("x", 30) + "\n" + cutMark,
		60:   cutMark,
	} {
		if got := outline(value, most); got != want {
			t.Errorf("in %d bytes:\n%s\nwant:\n%s", most, got, want)
		}
	}
}

func TestADeepValueIsWrittenAsJSONInTheEnd(t *testing.T) {
	t.Parallel()
	deep := decode(t, strings.Repeat("[", maxDepth+3)+`"<x>"`+strings.Repeat("]", maxDepth+3))
	if got, want := outline(deep, local.MaxText), strings.Repeat("- ", maxDepth)+`[[["<x>"]]]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	strange := []any{any(json.Number("no number"))}
	for range maxDepth {
		strange = []any{strange}
	}
	if got, want := outline(strange, local.MaxText), strings.Repeat("- ", maxDepth)+"…"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := outline([]any{3.5}, local.MaxText); got != "" {
		t.Errorf("what is no JSON value was written as %q", got)
	}
}

// Whatever the value, its outline is bounded, always the same, and has every text of it
// that is not part of a record.
func TestAnOutlineOfAnyValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := drawValue(t, 5)
		most := rapid.IntRange(len(cutMark)+1, 300).Draw(t, "most")
		short, whole := outline(value, most), outline(value, 1<<20)
		if len(short) > most || !utf8.ValidString(short) {
			t.Fatalf("%d bytes; at most %d are allowed:\n%s", len(short), most, short)
		}
		if again := outline(value, 1<<20); again != whole {
			t.Fatalf("not the same twice:\n%s\n%s", whole, again)
		}
		if short != whole && !strings.HasSuffix(short, cutMark) {
			t.Fatalf("it does not say that it was cut:\n%s", short)
		}
		for _, text := range texts(value) {
			if !strings.Contains(whole, text) {
				t.Fatalf("%q got lost:\n%s", text, whole)
			}
		}
	})
}

// drawValue draws a value in which every text is different from all others.
func drawValue(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 5).Draw(t, "kind")
	if depth == 0 {
		kind %= 4
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return json.Number(fmt.Sprint(rapid.Int().Draw(t, "number")))
	case 3:
		return rapid.StringMatching(`[a-zé東]{1,8}`).Draw(t, "text")
	case 4:
		list := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	default:
		object := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "fields") {
			object[rapid.StringMatching(`[a-z]{0,3}|title|status`).Draw(t, "key")] = drawValue(t, depth-1)
		}
		return object
	}
}

// texts gives all texts in a value.
func texts(value any) (all []string) {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		for _, item := range value {
			all = append(all, texts(item)...)
		}
	case map[string]any:
		for _, item := range value {
			all = append(all, texts(item)...)
		}
	}
	return all
}

func decode(t *testing.T, text string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}
