package flow

import (
	"fmt"

	"toolsmith/internal/schema"
	"toolsmith/internal/value"
)

// extent is how large a value is. It is counted up to a little above MaxVariable only:
// references share what they read, so a value that takes little memory may have a text
// that is longer than anyone could wait for.
type extent struct{ bytes, depth int }

// measure gives the extent of a value, in bytes of compact JSON.
func measure(v any) extent {
	var e extent
	e.add(v, 0)
	return e
}

func (e *extent) add(v any, depth int) {
	if e.bytes > MaxVariable {
		return
	}
	switch v := v.(type) {
	case []any:
		e.open(len(v), depth)
		for _, item := range v {
			e.add(item, depth+1)
		}
	case map[string]any:
		e.open(len(v), depth)
		for name, item := range v {
			e.bytes += value.Size(name) + len(":")
			e.add(item, depth+1)
		}
	default:
		e.bytes += value.Size(v)
	}
}

// open counts the brackets and commas of a list or an object.
func (e *extent) open(items, depth int) {
	e.bytes += len("[]") + max(0, items-1)
	e.depth = max(e.depth, depth+1)
}

// deep reports whether a value is nested deeper than a text may be that is read back.
func (e extent) deep() bool { return e.depth > value.MaxDepth }

// String gives the size in words: "312 bytes".
func (e extent) String() string {
	if e.bytes > MaxVariable {
		return fmt.Sprintf("more than %d bytes", MaxVariable)
	}
	return fmt.Sprintf("%d bytes", e.bytes)
}

// violations checks a value of this extent against a schema, unless that could take for
// ever: what is that large is refused for its size.
func (e extent) violations(s *schema.Schema, v any) []schema.Violation {
	if e.bytes > MaxVariable {
		return nil
	}
	return s.Validate(v)
}
