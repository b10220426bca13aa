package bundle

import (
	"bytes"
	"unicode/utf8"
)

// byteOrderMark may stand in front of a source, and counts as nothing.
const byteOrderMark = "\uFEFF"

// Position finds line and column of a byte offset, from 1, in the lines of the language.
func Position(source []byte, offset int) (line, column int) {
	if bytes.HasPrefix(source, []byte(byteOrderMark)) {
		source = source[len(byteOrderMark):]
		offset = max(0, offset-len(byteOrderMark))
	}
	line, start := 1, 0
	for at := 0; at < offset; {
		r, size := utf8.DecodeRune(source[at:])
		at += size
		switch r {
		case '\r':
			if at < len(source) && source[at] == '\n' {
				continue // the two are one end
			}
			line, start = line+1, at
		case '\n', '\u2028', '\u2029':
			line, start = line+1, at
		}
	}
	return line, utf8.RuneCount(source[start:offset]) + 1
}

// maxExcerpt is how many bytes of a line are shown around a place.
const maxExcerpt = 160

// excerpt gives the part of a line around a byte column.
func excerpt(line string, column int) string {
	if len(line) <= maxExcerpt {
		return line
	}
	column = max(0, min(column, len(line)))
	begin := max(0, column-maxExcerpt/2)
	end := min(len(line), begin+maxExcerpt)
	begin = max(0, end-maxExcerpt)
	begin, end = runeStart(line, begin), runeStart(line, end)
	text := line[begin:end]
	if begin > 0 {
		text = "…" + text
	}
	if end < len(line) {
		text += "…"
	}
	return text
}

// cut shortens a text to a number of bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:runeStart(text, most)] + "…"
}

// runeStart goes back from an offset to where the character there begins.
func runeStart(text string, at int) int {
	for back := range min(at+1, utf8.UTFMax) {
		if at == len(text) || utf8.RuneStart(text[at-back]) {
			return at - back
		}
	}
	return at
}
