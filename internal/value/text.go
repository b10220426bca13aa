package value

import (
	"encoding/hex"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape decodes the escapes of a JSON string whose grammar is known to be right. A
// surrogate without its other half becomes three bytes (WTF-8) instead of being lost.
func unescape(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			unit := hex4(s[i+1:])
			i += 4
			if utf16.IsSurrogate(rune(unit)) && strings.HasPrefix(s[i+1:], `\u`) {
				if pair := utf16.DecodeRune(rune(unit), rune(hex4(s[i+3:]))); pair != utf8.RuneError {
					b.WriteRune(pair)
					i += 6
					continue
				}
			}
			writeUnit(&b, unit)
		default: // " \ /
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func hex4(s string) uint16 {
	var raw [2]byte
	if len(s) < 4 {
		return 0
	}
	if _, err := hex.Decode(raw[:], []byte(s[:4])); err != nil {
		return 0
	}
	return uint16(raw[0])<<8 | uint16(raw[1])
}

// writeUnit appends a UTF-16 unit, also a lone surrogate.
func writeUnit(b *strings.Builder, unit uint16) {
	if !utf16.IsSurrogate(rune(unit)) {
		b.WriteRune(rune(unit))
		return
	}
	b.WriteByte(0xE0 | byte(unit>>12))
	b.WriteByte(0x80 | byte(unit>>6)&0x3F)
	b.WriteByte(0x80 | byte(unit)&0x3F)
}

// surrogateAt reads a lone surrogate at the start of s, if one is there.
func surrogateAt(s string) (uint16, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return uint16(s[0]&0x0F)<<12 | uint16(s[1]&0x3F)<<6 | uint16(s[2]&0x3F), true
}

// UTF16Len is the length of a text in UTF-16 units, by which JavaScript and many
// clients count.
func UTF16Len(s string) int {
	n := 0
	for i := 0; i < len(s); n++ {
		if _, ok := surrogateAt(s[i:]); ok {
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r > 0xFFFF {
			n++
		}
		i += size
	}
	return n
}

// ContainsText reports whether a text contains another. A lone surrogate is also found
// as one half of a character.
func ContainsText(s, part string) bool {
	if strings.Contains(s, part) {
		return true
	}
	if utf8.ValidString(part) {
		return false
	}
	return strings.Contains(halves(s), halves(part))
}

// halves writes every character beyond U+FFFF as its two surrogates, three bytes each, so
// that one half is found by its bytes.
func halves(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/2)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r > 0xFFFF {
			high, low := utf16.EncodeRune(r)
			writeUnit(&b, uint16(high))
			writeUnit(&b, uint16(low))
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// TextLen is the length of a text in characters (code points); a lone surrogate counts
// as one.
func TextLen(s string) int {
	n := 0
	for i := 0; i < len(s); n++ {
		if _, ok := surrogateAt(s[i:]); ok {
			i += 3
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return n
}
