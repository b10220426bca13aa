package value_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"toolsmith/internal/value"
)

// The halves of 😀 as texts of their own.
const (
	high = "\xed\xa0\xbd" // \ud83d
	low  = "\xed\xb8\x80" // \ude00
)

// parseText reads one JSON string.
func parseText(t *testing.T, text string) string {
	t.Helper()
	root, problems := value.Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	return root.Text
}

func TestUnescape(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want, written string }{
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", `"\"\\/\b\f\n\r\t"`},
		{`"\u0000\u001b\u007f"`, "\x00\x1b\x7f", "\"\\u0000\\u001b\x7f\""},
		{`"\u00e9\u00E9é"`, "ééé", `"ééé"`},
		{`"\u2028\u2029\ufeff"`, "\u2028\u2029\ufeff", "\"\u2028\u2029\ufeff\""},
		{`"\ud83d\ude00😀"`, "😀😀", `"😀😀"`},
		{`"\uD83D\uDE00"`, "😀", `"😀"`},
		{`"\udbff\udfff"`, "\U0010FFFF", "\"\U0010FFFF\""},
		{`"\uffff\ufffd"`, "\uffff\ufffd", "\"\uffff\ufffd\""},
		{`"\ud83d"`, high, `"\ud83d"`},
		{`"\uDE00"`, low, `"\ude00"`},
		{`"\ude00\ud83d"`, low + high, `"\ude00\ud83d"`},
		{`"\ud83dx"`, high + "x", `"\ud83dx"`},
		{`"\ud83d\n"`, high + "\n", `"\ud83d\n"`},
		{`"\ud83d\u0041"`, high + "A", `"\ud83dA"`},
		{`"\ud83d\ud83d\ude00"`, high + "😀", `"\ud83d😀"`},
		{`"\ud800\udbff\udc00"`, "\xed\xa0\x80\U0010FC00", `"\ud800` + "\U0010FC00" + `"`},
		{`"\udfff"`, "\xed\xbf\xbf", `"\udfff"`},
		{`"\ud83d😀"`, high + "😀", `"\ud83d😀"`},
		{`"<&>"`, "<&>", `"<&>"`},
	}
	for _, test := range tests {
		got := parseText(t, test.text)
		if got != test.want {
			t.Errorf("%s is read as %q, want %q", test.text, got, test.want)
		}
		if written := value.JSON(got); written != test.written {
			t.Errorf("%s is written back as %s, want %s", test.text, written, test.written)
		}
		if again := parseText(t, value.JSON(got)); again != got {
			t.Errorf("%s is %q the second time", test.text, again)
		}
	}
}

// TestInvalidBytes has what becomes of bytes that are not UTF-8.
func TestInvalidBytes(t *testing.T) {
	t.Parallel()
	root, problems := value.Parse([]byte("\"a\xff\\u0062\xed\xa0\xbd\""))
	if root == nil || len(problems) != 1 {
		t.Fatalf("tree %v, problems %v", root, problems)
	}
	if root.Text != "a\uFFFDb\uFFFD" {
		t.Errorf("read as %q", root.Text)
	}
	// A text that did not come out of JSON.
	if got := value.JSON("a\xffb\xed\xa0"); got != "\"a\uFFFDb\uFFFD\uFFFD\"" {
		t.Errorf("written as %q", got)
	}
}

func TestLengths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text         string
		length, half int
	}{
		{"", 0, 0}, {"abc", 3, 3}, {"é\u2028", 2, 2}, {"😀", 1, 2}, {"a😀b", 3, 4}, {high, 1, 1}, {low + high, 2, 2},
		{high + "x" + low, 3, 3}, {"e\u0301", 2, 2}, {"👩\u200d🚀", 3, 5}, {"\x00", 1, 1}, {"\xff", 1, 1},
	}
	for _, test := range tests {
		if got := value.TextLen(test.text); got != test.length {
			t.Errorf("TextLen(%q) is %d, want %d", test.text, got, test.length)
		}
		if got := value.UTF16Len(test.text); got != test.half {
			t.Errorf("UTF16Len(%q) is %d, want %d", test.text, got, test.half)
		}
	}
}

func TestContainsText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, part string
		want       bool
	}{
		{"lemon", "", true}, {"", "", true}, {"lemon", "em", true}, {"lemon", "me", false}, {"lemon", "Lem", false},
		{"", "x", false}, {"é", "e", false}, {"a😀b", "😀", true}, {"a😀b", "a😀", true},
		{"a😀b", high, true}, {"a😀b", low, true}, {"a😀b", "a" + high, true}, {"a😀b", low + "b", true},
		{"a😀b", high + "b", false}, {"a😀b", low + high, false}, {"😀😀", low + high, true}, {"😀😀", high + "😀", false},
		{"a" + high + "b", high + "b", true}, {"a" + high + "b", low, false}, {high, "😀", false},
		{"a😀b", "\xed\xa0\xbe", false}, {"abc", high, false}, {"", high, false},
		// U+D7FF and U+E000 stand beside the surrogates.
		{"\ud7ff\ue000", high, false},
	}
	for _, test := range tests {
		if got := value.ContainsText(test.text, test.part); got != test.want {
			t.Errorf("ContainsText(%q, %q) is %v", test.text, test.part, got)
		}
	}
}

// TestContainsTextLong sees that a search for half a character is quick where texts repeat
// themselves; comparing at every place would take minutes.
func TestContainsTextLong(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	text := strings.Repeat("a", size)
	if part := strings.Repeat("a", size/2) + high; value.ContainsText(text, part) {
		t.Error("found what is not there")
	}
	if part := strings.Repeat("a", size/2) + high; !value.ContainsText(text+"😀", part) {
		t.Error("did not find what is there")
	}
}

// units takes a text apart as JavaScript does.
func units(text string) []uint16 {
	var list []uint16
	for i := 0; i < len(text); {
		if strings.HasPrefix(text[i:], "\xed") && text[i+1] >= 0xA0 {
			list = append(list, 0xD000|uint16(text[i+1]&0x3F)<<6|uint16(text[i+2]&0x3F))
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		list = utf16.AppendRune(list, r)
		i += size
	}
	return list
}

func TestTextLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		all := units(text)
		if got := value.UTF16Len(text); got != len(all) {
			t.Errorf("UTF16Len(%q) is %d, want %d", text, got, len(all))
		}
		if got, want := value.TextLen(text), len(utf16.Decode(all)); got != want {
			t.Errorf("TextLen(%q) is %d, want %d", text, got, want)
		}
		from := rapid.IntRange(0, len(all)).Draw(t, "from")
		to := rapid.IntRange(from, len(all)).Draw(t, "to")
		for _, part := range []string{textOfUnits(all[from:to]), texts.Draw(t, "part")} {
			if got, want := value.ContainsText(text, part), containsUnits(all, units(part)); got != want {
				t.Errorf("ContainsText(%q, %q) is %v", text, part, got)
			}
		}
	})
}

func containsUnits(all, part []uint16) bool {
	for i := 0; i+len(part) <= len(all); i++ {
		if slices.Equal(all[i:i+len(part)], part) {
			return true
		}
	}
	return false
}
