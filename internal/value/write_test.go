package value_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/value"
)

func TestAppendJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		v         any
		want      string
		indented  string
		plainSize int
	}{
		{"null", nil, "null", "null", 4},
		{"true", true, "true", "true", 4},
		{"false", false, "false", "false", 5},
		{"text", "a\x1b\"ü\x7f", "\"a\\u001b\\\"ü\x7f\"", "\"a\\u001b\\\"ü\x7f\"", 14},
		{"number", json.Number("1.0"), "1.0", "1.0", 1},
		{"minus zero", json.Number("-0"), "-0", "-0", 1},
		{"large number", json.Number("100000000000000000000000"), "100000000000000000000000", "100000000000000000000000", 5},
		{"empty list", []any{}, "[]", "[]", 2},
		{"empty object", map[string]any{}, "{}", "{}", 2},
		{"list", []any{nil, []any{}, "x"}, `[null,[],"x"]`, "[\n  null,\n  [],\n  \"x\"\n]", 13},
		{
			"names sorted by bytes",
			map[string]any{"b": value.Int(1), "a": map[string]any{"z": []any{true}, "é": nil}, "B": value.Int(2), "": value.Int(3)},
			`{"":3,"B":2,"a":{"z":[true],"é":null},"b":1}`,
			"{\n  \"\": 3,\n  \"B\": 2,\n  \"a\": {\n    \"z\": [\n      true\n    ],\n    \"é\": null\n  },\n  \"b\": 1\n}",
			45,
		},
		{"no JSON value", struct{}{}, "null", "null", 4},
		{"lone surrogates", []any{high, low}, `["\ud83d","\ude00"]`, "[\n  \"\\ud83d\",\n  \"\\ude00\"\n]", 19},
		{"bytes that are no text", "\xff", "\"\uFFFD\"", "\"\uFFFD\"", 5},
	}
	for _, test := range tests {
		if got := value.JSON(test.v); got != test.want {
			t.Errorf("%s: JSON is %s, want %s", test.name, got, test.want)
		}
		if got := string(value.AppendJSON([]byte("x="), test.v)); got != "x="+test.want {
			t.Errorf("%s: AppendJSON gives %s", test.name, got)
		}
		if got := value.IndentedJSON(test.v); got != test.indented {
			t.Errorf("%s: IndentedJSON is %s, want %s", test.name, got, test.indented)
		}
		if got := value.Size(test.v); got != test.plainSize {
			t.Errorf("%s: Size is %d, want %d", test.name, got, test.plainSize)
		}
	}
}

// TestWriteLaws sees that what is written is JSON, reads back as the same value, and does
// so in one way only.
func TestWriteLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue.Draw(t, "v")
		text := value.AppendJSON(nil, v)
		if !jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
			// Doubled names are for Parse to find: to jsontext all lone surrogates are the same.
			t.Fatalf("no JSON: %s", text)
		}
		root, problems := value.Parse(text)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", text, problems)
		}
		back := root.Value()
		if diff := cmp.Diff(v, back); diff != "" {
			t.Errorf("%s reads back otherwise (-was +is):\n%s", text, diff)
		}
		if !value.Equal(v, back) || !value.Equal(back, v) {
			t.Errorf("%s is not equal to what was written", text)
		}
		if again := value.AppendJSON(nil, back); !bytes.Equal(again, text) {
			t.Errorf("%s is written as %s the second time", text, again)
		}
		checkSorted(t, root)
		indented, problems := value.Parse([]byte(value.IndentedJSON(v)))
		if len(problems) > 0 || !value.Equal(v, indented.Value()) {
			t.Errorf("%s reads back otherwise: %v", value.IndentedJSON(v), problems)
		}
	})
}

func checkSorted(t *rapid.T, n *value.Node) {
	if n.Kind == value.Object && !slices.IsSortedFunc(slices.Collect(n.Kids()), func(a, b *value.Node) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) }) {
		t.Errorf("the names at %s are not sorted", n.Path())
	}
	for kid := range n.Kids() {
		checkSorted(t, kid)
	}
}

func TestSizeLaw(t *testing.T) {
	t.Parallel()
	plainValue := values(plainNumbers, 3)
	rapid.Check(t, func(t *rapid.T) {
		v := plainValue.Draw(t, "v")
		if text := value.JSON(v); value.Size(v) != len(text) {
			t.Errorf("Size of %s is %d, want %d", text, value.Size(v), len(text))
		}
		raw := string(rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "raw"))
		if text := value.JSON(raw); value.Size(raw) != len(text) {
			t.Errorf("Size of %q is %d, want %d", raw, value.Size(raw), len(text))
		}
	})
}

func TestSortedNames(t *testing.T) {
	t.Parallel()
	object := map[string]any{"b": nil, "B": nil, "": nil, "é": nil, "a": nil}
	want := []string{"", "B", "a", "b", "é"}
	if diff := cmp.Diff(want, value.SortedNames(object)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if got := value.SortedNames(nil); len(got) != 0 {
		t.Errorf("no object has the names %v", got)
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	// Values of one line are equal, and unlike all others.
	lines := [][]any{
		{nil},
		{true}, {false},
		{""}, {"a"}, {"A"}, {high}, {"\uFFFD"},
		{json.Number("0"), json.Number("-0"), json.Number("0.0")},
		{json.Number("1"), json.Number("1.0"), json.Number("1e0")},
		{json.Number("9007199254740993"), json.Number("9007199254740993.0")}, {json.Number("9007199254740992")},
		{[]any{}, []any(nil)}, {[]any{nil}}, {[]any{json.Number("1"), json.Number("2")}, []any{json.Number("1.0"), json.Number("2e0")}},
		{[]any{json.Number("2"), json.Number("1")}},
		{map[string]any{}}, {map[string]any{"a": nil}}, {map[string]any{"b": nil}},
		{map[string]any{"a": json.Number("1"), "b": []any{true}}, map[string]any{"b": []any{true}, "a": json.Number("1.0")}},
		{map[string]any{"a": json.Number("1"), "b": []any{false}}},
	}
	for i, line := range lines {
		for j, other := range lines {
			for _, a := range line {
				for _, b := range other {
					if got := value.Equal(a, b); got != (i == j) {
						t.Errorf("Equal(%s, %s) is %v", value.JSON(a), value.JSON(b), got)
					}
				}
			}
		}
	}
	if value.Equal(1, 1) {
		t.Error("an int of Go is no JSON value, and equals nothing")
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for want, v := range map[value.Kind]any{
		value.Null: nil, value.Bool: false, value.Number: json.Number("1"),
		value.String: "", value.Array: []any{}, value.Object: map[string]any(nil),
	} {
		if got := value.KindOf(v); got != want {
			t.Errorf("the kind of %#v is %v, want %v", v, got, want)
		}
	}
}

// copied makes a deep copy of a value, to see later whether it has been changed.
func copied(v any) any {
	switch v := v.(type) {
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = copied(list[i])
		}
		return list
	case map[string]any:
		object := maps.Clone(v)
		for name := range object {
			object[name] = copied(object[name])
		}
		return object
	}
	return v
}
