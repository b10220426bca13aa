package visible

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Screen makes a text safe to write to a terminal or a file as it stands: line breaks and
// tabs stay, everything else that is hidden appears by its code point. own are control
// sequences that the program itself writes, such as those of its colours; they pass.
func Screen(s string, own ...string) string {
	if !strings.Contains(s, "\x1b") || len(own) == 0 {
		return screen(s)
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for s != "" {
		at := strings.IndexByte(s, '\x1b')
		if at < 0 {
			at = len(s)
		}
		b.WriteString(screen(s[:at]))
		s = s[at:]
		if s == "" {
			break
		}
		length := 1
		for _, sequence := range own {
			if sequence != "" && strings.HasPrefix(s, sequence) {
				length = len(sequence)
				break
			}
		}
		if length == 1 {
			b.WriteString(screen(s[:1]))
		} else {
			b.WriteString(s[:length])
		}
		s = s[length:]
	}
	return b.String()
}

func screen(s string) string {
	if shownAsIs(s) {
		return s
	}
	return escape(s, func(r rune) (string, bool) {
		switch r {
		case '\n':
			return "\n", true
		case '\t':
			return "\t", true
		}
		return "", false
	})
}

func shownAsIs(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7F {
			return false
		}
	}
	return true
}

// JSON takes a JSON text and writes each hidden character in it as an escape: \u202e. It is
// the same value as before, and can be looked at without harm.
func JSON(text string) string {
	hidden := func(r rune) bool { return r >= 0x7F && Hidden(r) }
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	for _, r := range text {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}

// Unseen gives the first character of s that Line would show by its code, and its index in
// characters from 0. Line breaks and tabs are none of them.
func Unseen(s string) (r rune, index int, ok bool) {
	before := rune(0)
	for at := 0; at < len(s); index++ {
		r, size := decode(s[at:])
		broken := r == utf8.RuneError && size == 1
		at += size
		if broken || r != '\n' && r != '\t' && Hidden(r) && !joinsEmoji(before, r, s[at:]) {
			return r, index, true
		}
		before = r
	}
	return 0, 0, false
}
