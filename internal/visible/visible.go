// Package visible makes text safe to show: what a terminal or a reader would not see, or
// would be deceived by, is shown by its code point.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes a text safe to show on one line: line breaks, tabs, terminal escapes,
// bidirectional controls, zero-width and tag characters and lone surrogates appear as
// ⟨U+001B⟩, a line break as ⏎ and a tab as a space.
func Line(s string) string {
	if plain(s) {
		return s
	}
	return escape(s, func(r rune) (string, bool) {
		switch r {
		case '\n':
			return "⏎", true
		case '\t':
			return " ", true
		}
		return "", false
	})
}

// Block makes a text safe to show on several lines: as Line, but line breaks stay and
// tabs become four spaces. A carriage return before a line break is dropped.
func Block(s string) string {
	if plain(s) {
		return s
	}
	return escape(strings.ReplaceAll(s, "\r\n", "\n"), func(r rune) (string, bool) {
		switch r {
		case '\n':
			return "\n", true
		case '\t':
			return "    ", true
		}
		return "", false
	})
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7F {
			return false
		}
	}
	return true
}

func escape(s string, special func(rune) (string, bool)) string {
	var b strings.Builder
	b.Grow(len(s) + 16)
	before := rune(0) // the character before, if it was let pass
	for len(s) > 0 {
		r, size := decode(s)
		broken := r == utf8.RuneError && size == 1
		s = s[size:]
		if shown, ok := special(r); ok {
			b.WriteString(shown)
		} else if broken || Hidden(r) && !joinsEmoji(before, r, s) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			r = 0
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// decode reads the first character of a text that is not empty; a lone surrogate in its
// three-byte form is one.
func decode(s string) (r rune, size int) {
	r, size = utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2]&0xC0 == 0x80 {
		return rune(s[0]&0x0F)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, size
}

// joinsEmoji lets the joiner and the variation selector pass where emoji need them: the
// selector after a character that has two forms, the joiner between two emoji. Anywhere
// else they would not be seen.
func joinsEmoji(before, r rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	switch r {
	case 0xFE0F:
		return pictograph(before) || next == 0x20E3 && strings.ContainsRune("#*0123456789", before)
	case 0x200D:
		return (pictograph(before) || before == 0xFE0F) && pictograph(next)
	}
	return false
}

// pictograph reports whether a character is in the blocks of which emoji are made.
func pictograph(r rune) bool {
	switch {
	case r >= 0x2190 && r < 0x2800, r >= 0x2900 && r < 0x2C00, r >= 0x1F000 && r < 0x1FB00:
		return true
	}
	return strings.ContainsRune("©®‼⁉™ℹ〰〽㊗㊙", r)
}

// unseen are the tables of characters that are not seen, beside controls.
var unseen = []*unicode.RangeTable{
	unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp,
	unicode.Noncharacter_Code_Point, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

// Hidden reports whether a character is not seen, or changes how others are seen:
// controls, format characters (zero width, bidirectional, tags), line separators,
// variation selectors, and the fillers that look like nothing.
func Hidden(r rune) bool {
	switch {
	case r < ' ', r >= 0x7F && r < 0xA0:
		return true
	case r < 0xA0:
		return false
	}
	const emptyBraille = 0x2800
	return r == emptyBraille || unicode.In(r, unseen...)
}

// Deceptive reports whether a character can make a name read as another one: it turns
// the direction of text around, or is a tag that only machines read.
func Deceptive(r rune) bool {
	switch {
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x061C, r >= 0xE0000 && r <= 0xE007F:
		return true
	}
	return false
}

// Find gives the first character of s for which is holds, and its index in characters
// from 0.
func Find(s string, is func(rune) bool) (r rune, index int, ok bool) {
	for i := 0; i < len(s); index++ {
		r, size := decode(s[i:])
		if is(r) {
			return r, index, true
		}
		i += size
	}
	return 0, 0, false
}

// confusable are the scripts whose letters pass for those of another.
var confusable = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latin", unicode.Latin}, {"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek},
	{"Armenian", unicode.Armenian}, {"Cherokee", unicode.Cherokee},
}

// MixedScripts looks for a word that mixes letters of scripts that look alike, such as a
// Cyrillic а in a Latin word. It gives the word and the names of the scripts.
func MixedScripts(s string) (word string, scripts []string, ok bool) {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		var found []string
		for _, script := range confusable {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(script.table, r) }) {
				found = append(found, script.name)
			}
		}
		if len(found) > 1 {
			return word, found, true
		}
	}
	return "", nil, false
}

// Cut shortens a text to at most most characters, the last of them then an ellipsis. It
// does not cut through a lone surrogate.
func Cut(s string, most int) string {
	end := 0 // of the characters that stay if the text is too long
	for at, count := 0, 1; at < len(s); count++ {
		if count > most {
			if most <= 0 {
				return ""
			}
			return strings.TrimRight(s[:end], " ") + "…"
		}
		end = at
		_, size := decode(s[at:])
		at += size
	}
	return s
}

// Ends cuts a text of more than head and tail characters in its middle: it gives its first
// head and its last tail characters. cut is false for a text that is short enough, which
// first then is as a whole. It does not cut through a lone surrogate.
func Ends(s string, head, tail int) (first, last string, cut bool) {
	begin := 0
	for range head {
		if begin == len(s) {
			return s, "", false
		}
		_, size := decode(s[begin:])
		begin += size
	}
	end := len(s)
	for range tail {
		if end <= begin {
			return s, "", false
		}
		end -= lastSize(s[:end])
	}
	if end <= begin {
		return s, "", false
	}
	return s[:begin], s[end:], true
}

// lastSize is how many bytes the last character of a text takes; a lone surrogate is one.
func lastSize(s string) int {
	r, size := utf8.DecodeLastRuneInString(s)
	if r == utf8.RuneError && size == 1 && len(s) >= 3 {
		if _, whole := decode(s[len(s)-3:]); whole == 3 {
			return 3
		}
	}
	return size
}
