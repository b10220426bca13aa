package scrub

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// MinLength is the least length of a secret that is taken out, in bytes. What is shorter
// stands in too many texts by chance, which would become unreadable.
const MinLength = 8

// pattern is a text that stands for a secret.
type pattern struct {
	secret int // its index
	// wraps: it is also looked for where a program has broken it into lines.
	wraps bool
}

// sources are the texts that give a secret away: its value, and what follows the name of a
// scheme in it, as in "Bearer …".
func sources(value string) []string {
	list := []string{value}
	trimmed := strings.TrimSpace(value)
	if scheme, rest, ok := strings.Cut(trimmed, " "); ok {
		switch strings.ToLower(scheme) {
		case "bearer", "basic", "token", "apikey":
			trimmed = strings.TrimSpace(rest)
		}
	}
	if trimmed != value && len(trimmed) >= MinLength {
		list = append(list, trimmed)
	}
	return list
}

// forms calls add with each text that stands for a source. What is escaped in part or in
// several ways is not among them: views undo that.
func forms(source string, add func(text string, wraps bool)) {
	add(source, false)
	if strings.Contains(source, " ") {
		add(strings.ReplaceAll(source, " ", "+"), false) // as in a form
	}
	digits := hex.EncodeToString([]byte(source))
	add(digits, true)
	add(strings.ToUpper(digits), true)
	for before := range 3 {
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			within(encoding, before, source, add)
		}
	}
}

// within adds what a source looks like in the base64 of something longer, where so many bytes
// (modulo 3) stand before it. Characters that depend on the bytes beside it are left out.
func within(encoding *base64.Encoding, before int, source string, add func(text string, wraps bool)) {
	const perByte, perDigit = 8, 6
	text := encoding.EncodeToString(append(make([]byte, before), source...))
	first := (before*perByte + perDigit - 1) / perDigit
	certain := (before + len(source)) * perByte / perDigit
	add(text[first:certain], true)
	if certain < len(text) { // at the end of what is encoded, one more is certain
		add(text[first:], true)
		add(text[first:]+strings.Repeat("=", 3-(before+len(source))%3), true)
	}
}
