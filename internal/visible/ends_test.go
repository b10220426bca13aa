package visible_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"toolsmith/internal/visible"
)

func TestEnds(t *testing.T) {
	t.Parallel()
	const surrogate = "\xed\xa0\xbd"
	tests := []struct {
		text        string
		head, tail  int
		first, last string
		cut         bool
	}{
		{"", 2, 2, "", "", false},
		{"abcd", 2, 2, "abcd", "", false},
		{"abcde", 2, 2, "ab", "de", true},
		{"abcde", 0, 2, "", "de", true},
		{"abcde", 2, 0, "ab", "", true},
		{"a", 0, 0, "", "", true},
		{"größer", 3, 2, "grö", "er", true},
		{"😀😀😀😀", 1, 2, "😀", "😀😀", true},
		{strings.Repeat(surrogate, 4), 1, 1, surrogate, surrogate, true},
		{strings.Repeat(surrogate, 2), 1, 1, strings.Repeat(surrogate, 2), "", false},
		{"\xff\xff\xff\xff", 1, 1, "\xff", "\xff", true},
		{"ab\xbd", 1, 1, "a", "\xbd", true},
	}
	for _, test := range tests {
		first, last, cut := visible.Ends(test.text, test.head, test.tail)
		if first != test.first || last != test.last || cut != test.cut {
			t.Errorf("Ends(%q, %d, %d) is %q, %q, %v, want %q, %q, %v", test.text, test.head, test.tail, first, last, cut, test.first, test.last, test.cut)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		head, tail := rapid.IntRange(0, 9).Draw(t, "head"), rapid.IntRange(0, 9).Draw(t, "tail")
		first, last, cut := visible.Ends(text, head, tail)
		switch {
		case cut != (utf8.RuneCountInString(text) > head+tail):
			t.Fatalf("cut is %v", cut)
		case !cut && first+last != text:
			t.Fatalf("%q became %q and %q", text, first, last)
		case cut && (!strings.HasPrefix(text, first) || !strings.HasSuffix(text, last)):
			t.Fatalf("%q and %q are no ends of %q", first, last, text)
		case cut && (utf8.RuneCountInString(first) != head || utf8.RuneCountInString(last) != tail):
			t.Fatalf("%q and %q have not %d and %d characters", first, last, head, tail)
		}
	})
}
