package value

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// AppendCanonical appends the canonical JSON text of a value (RFC 8785): equal values have
// the same text. It differs from the RFC where that would lose something: a number that a
// 64-bit float cannot hold keeps its exact value, and half of a surrogate pair is escaped.
func AppendCanonical(b []byte, v any) []byte {
	switch v := v.(type) {
	case json.Number:
		return append(b, PlainNumber(v)...)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendCanonical(b, item)
		}
		return append(b, ']')
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.SortFunc(names, compareUTF16)
		b = append(b, '{')
		for i, name := range names {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, name)
			b = append(b, ':')
			b = AppendCanonical(b, v[name])
		}
		return append(b, '}')
	}
	return AppendJSON(b, v)
}

// compareUTF16 orders texts by their UTF-16 units, as RFC 8785 has it. Bytes give the same
// order, but for characters above U+FFFF: their units are below U+E000.
func compareUTF16(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		return len(a) - len(b)
	}
	for i > 0 && !utf8.RuneStart(a[i]) {
		i--
	}
	const fourBytes = 0xF0
	if x, y := a[i] >= fourBytes, b[i] >= fourBytes; x != y && a[i] >= 0xEE && b[i] >= 0xEE {
		if x {
			return -1
		}
		return 1
	}
	return strings.Compare(a, b)
}
