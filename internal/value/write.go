package value

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// AppendJSON appends the compact JSON text of a value: names sorted by their bytes,
// numbers with their own text, lone surrogates as escapes. A value of a Go type that is
// no JSON value is a defect of the caller and is written as null.
func AppendJSON(b []byte, v any) []byte { return appendValue(b, v, "", "") }

// JSON gives the compact JSON text of a value, as AppendJSON.
func JSON(v any) string { return string(AppendJSON(nil, v)) }

// IndentedJSON gives JSON text for people: two spaces a level, no newline at the end.
func IndentedJSON(v any) string { return string(appendValue(nil, v, "\n", "  ")) }

func appendValue(b []byte, v any, newline, indent string) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case string:
		return appendString(b, v)
	case json.Number:
		return append(b, v...)
	case []any:
		if len(v) == 0 {
			return append(b, "[]"...)
		}
		inner := deeper(newline, indent)
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, inner...)
			b = appendValue(b, item, inner, indent)
		}
		b = append(b, newline...)
		return append(b, ']')
	case map[string]any:
		if len(v) == 0 {
			return append(b, "{}"...)
		}
		inner := deeper(newline, indent)
		b = append(b, '{')
		for i, name := range SortedNames(v) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, inner...)
			b = appendString(b, name)
			b = append(b, ':')
			if indent != "" {
				b = append(b, ' ')
			}
			b = appendValue(b, v[name], inner, indent)
		}
		b = append(b, newline...)
		return append(b, '}')
	default:
		return append(b, "null"...)
	}
}

func deeper(newline, indent string) string {
	if newline == "" {
		return ""
	}
	return newline + indent
}

// SortedNames lists the names of an object, sorted by their bytes.
func SortedNames(object map[string]any) []string {
	return slices.Sorted(maps.Keys(object))
}

const hexDigits = "0123456789abcdef"

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			_, size := utf8.DecodeRuneInString(s[i:])
			if size > 1 {
				i += size
				continue
			}
			b = append(b, s[start:i]...)
			if unit, ok := surrogateAt(s[i:]); ok {
				b = append(b, '\\', 'u', hexDigits[unit>>12], hexDigits[unit>>8&15], hexDigits[unit>>4&15], hexDigits[unit&15])
				i += 3
			} else {
				b = append(b, "\uFFFD"...)
				i++
			}
			start = i
			continue
		}
		b = append(b, s[start:i]...)
		b = appendEscaped(b, c)
		i++
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func appendEscaped(b []byte, c byte) []byte {
	if i := strings.IndexByte("\"\\\b\f\n\r\t", c); i >= 0 {
		return append(b, '\\', "\"\\bfnrt"[i])
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// Size is the number of bytes of the compact JSON text of a value, with numbers in their
// plain form: 1.0 counts as 1. Limits on inputs and results are measured by it.
func Size(v any) int {
	switch v := v.(type) {
	case bool:
		if v {
			return 4
		}
		return 5
	case string:
		return stringSize(v)
	case json.Number:
		return len(PlainNumber(v))
	case []any:
		n := 2 + max(0, len(v)-1)
		for _, item := range v {
			n += Size(item)
		}
		return n
	case map[string]any:
		n := 2 + max(0, len(v)-1)
		for name, item := range v {
			n += stringSize(name) + 1 + Size(item)
		}
		return n
	default:
		return 4
	}
}

func stringSize(s string) int {
	n := 2 + len(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			_, size := utf8.DecodeRuneInString(s[i:])
			if size > 1 {
				i += size - 1
			} else if _, ok := surrogateAt(s[i:]); ok {
				n, i = n+3, i+2 // six characters for three bytes
			} else {
				n += 2 // U+FFFD for one byte
			}
		case c < ' ':
			if strings.IndexByte("\b\f\n\r\t", c) >= 0 {
				n++
			} else {
				n += 5
			}
		case c == '"' || c == '\\':
			n++
		}
	}
	return n
}
