package value

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Path is the segments of a reference or a target, such as input, item, title. An empty
// path is everything.
type Path []string

// Bounds of a path.
const (
	MaxSegments      = 16
	MaxSegmentLength = 64
)

// unsafeSegments are names with which other languages reach behind an object.
var unsafeSegments = []string{
	"__proto__", "constructor", "prototype",
	"__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
}

// segmentByte reports whether a segment may hold a byte.
func segmentByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// ParsePath reads a path: "$.a.b.0", or without the leading "$.". Empty segments are
// passed over; "$" and "" are everything. The error says what is wrong in words.
func ParsePath(text string) (Path, error) {
	path, err := AppendPath(make(Path, 0, min(MaxSegments, 1+strings.Count(text, "."))), text)
	if err != nil {
		return nil, err
	}
	return path, nil
}

// AppendPath is ParsePath into room that the caller has: it appends the segments to path,
// and gives path back as it was if there is an error.
func AppendPath(path Path, text string) (Path, error) {
	rest := text
	if rest == "$" {
		rest = ""
	} else {
		rest = strings.TrimPrefix(rest, "$.")
	}
	if len(rest) > MaxSegments*(MaxSegmentLength+1)*2 {
		return path, fmt.Errorf("a path has at most %d segments of at most %d characters", MaxSegments, MaxSegmentLength)
	}
	longer := path
	for rest != "" {
		segment := rest
		if dot := strings.IndexByte(rest, '.'); dot >= 0 {
			segment, rest = rest[:dot], rest[dot+1:]
		} else {
			rest = ""
		}
		if segment == "" {
			continue
		}
		if err := checkSegment(segment); err != nil {
			return path, err
		}
		longer = append(longer, segment)
	}
	if count := len(longer) - len(path); count > MaxSegments {
		return path, fmt.Errorf("a path has at most %d segments; this has %d", MaxSegments, count)
	}
	return longer, nil
}

func checkSegment(segment string) error {
	if len(segment) > MaxSegmentLength {
		return fmt.Errorf("a segment of a path has at most %d characters", MaxSegmentLength)
	}
	for i := 0; i < len(segment); i++ {
		if !segmentByte(segment[i]) {
			return errSegment
		}
	}
	if (segment[0] == '_' || segment[0] == 'c' || segment[0] == 'p') && slices.Contains(unsafeSegments, segment) {
		return fmt.Errorf("the name %q is not allowed in a path", segment)
	}
	return nil
}

var errSegment = errors.New(`a segment is made of letters, digits, "_" and "-", with a dot between segments: "$.found.0.title"`)

// String writes a path with its leading "$".
func (p Path) String() string {
	if len(p) == 0 {
		return "$"
	}
	return "$." + strings.Join(p, ".")
}

// Index reads a segment as a position in a list: digits without a leading zero.
func Index(segment string) (int, bool) {
	if segment == "" || len(segment) > 9 || (segment[0] == '0' && segment != "0") {
		return 0, false
	}
	for i := 0; i < len(segment); i++ {
		if segment[i] < '0' || segment[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(segment)
	return n, err == nil
}

// Get reads what a path leads to from a value; ok is false where nothing is there. A
// number picks from a list, and "length" is how many items a list has.
func Get(v any, path Path) (got any, ok bool) {
	for _, segment := range path {
		switch at := v.(type) {
		case map[string]any:
			v, ok = at[segment]
			if !ok {
				return nil, false
			}
		case []any:
			if segment == "length" {
				v = Int(len(at))
				continue
			}
			i, isIndex := Index(segment)
			if !isIndex || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// ErrIntoList is returned by With for a path that writes a position of a list.
var ErrIntoList = errors.New("a position of a list cannot be written")

// With gives a value like v in which a path leads to leaf, or (present false) to nothing.
// v itself is not changed. What stands in the way and is no object is replaced by one.
// The path must not be empty.
func With(v any, path Path, leaf any, present bool) (any, error) {
	segment := path[0]
	if _, isList := v.([]any); isList {
		if _, isIndex := Index(segment); isIndex {
			return nil, ErrIntoList
		}
	}
	old, _ := v.(map[string]any)
	next := make(map[string]any, len(old)+1)
	for name, item := range old {
		next[name] = item
	}
	if len(path) == 1 {
		if present {
			next[segment] = leaf
		} else {
			delete(next, segment)
		}
		return next, nil
	}
	inner, err := With(old[segment], path[1:], leaf, present)
	if err != nil {
		return nil, err
	}
	next[segment] = inner
	return next, nil
}
