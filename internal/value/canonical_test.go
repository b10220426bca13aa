package value_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"toolsmith/internal/value"
)

func canonical(v any) string { return string(value.AppendCanonical(nil, v)) }

func TestCanonical(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// The examples of RFC 8785, sections 3.2.2 and 3.2.3.
		`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`:                                          `{"literals":[null,true,false],"numbers":[333333333.33333329,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		`{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}`: "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
		// Where the RFC would round.
		`[9007199254740993, 1.0, -0, 1e2]`: `[9007199254740993,1,0,100]`,
		`"\ud83d"`:                         `"\ud83d"`,
	} {
		v, err := value.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := canonical(v); got != want {
			t.Errorf("%s\n is %s\nwant %s", text, got, want)
		}
	}
}

func TestCanonicalLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyValue.Draw(t, "a"), anyValue.Draw(t, "b")
		text := canonical(a)
		back, err := value.Decode([]byte(text))
		if err != nil || !value.Equal(a, back) || canonical(back) != text {
			t.Fatalf("%s comes back as %s, %v", text, canonical(back), err)
		}
		if value.Equal(a, b) != (canonical(a) == canonical(b)) {
			t.Fatalf("%s and %s", canonical(a), canonical(b))
		}
	})
}

// TestCanonicalOrder holds the order of names against that of their UTF-16 units.
func TestCanonicalOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"", "\ue000", "\uffff", "\U00010000", "\U0010ffff", "\ud7ff", "a\uffff", "a\U00010000", "a",
		})), 2, 6, rapid.ID[string]).Draw(t, "names")
		object := map[string]any{}
		for _, name := range list {
			object[name] = json.Number("1")
		}
		slices.SortFunc(list, func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) })
		var want []string
		for _, name := range list {
			want = append(want, value.JSON(name)+":1")
		}
		if got := canonical(object); got != "{"+strings.Join(want, ",")+"}" {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}
