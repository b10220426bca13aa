package compile

import (
	"strings"
	"testing"

	"toolsmith/internal/runner/script"
)

func TestPlaceOf(t *testing.T) {
	t.Parallel()
	const source = "\uFEFFcreateTool({ name: 'a' })\r\n  createTool<X> ({ \"name\":`b` })\nname: 'a', name: \"a.c\", name: 'abc'"
	for _, c := range []struct {
		names        string
		which        int
		line, column int
	}{
		{"a b", 0, 1, 14}, {"a b", 1, 2, 21}, {"a a", 1, 3, 1}, {"a a a", 2, 1, 1}, {"x y", 0, 1, 1}, {"x y", 1, 2, 3}, {"x y z", 2, 1, 1}, {"a.c", 0, 3, 12}, {"", 0, 1, 1},
	} {
		var declared []script.Declared
		for name := range strings.SplitSeq(c.names, " ") {
			declared = append(declared, script.Declared{Name: name})
		}
		if line, column := (text{"a.ts", []byte(source)}).placeOf(declared, c.which); line != c.line || column != c.column {
			t.Errorf("tool %d of %q is at %d:%d, want %d:%d", c.which, c.names, line, column, c.line, c.column)
		}
	}
}

// Whatever a message says, there is a place, and nothing is said twice.
func FuzzPlaced(f *testing.F) {
	f.Add("Bad.\n    at f (a.ts:1:3)\n    at a.ts:2:1\nCaused by: worse", []byte("'😀é'\u2028x"))
	f.Add("Bad.\n    at a.ts:99999999999999999999:1\n    at a.ts:9223372036854775807:9223372036854775807", []byte(nil))
	f.Fuzz(func(t *testing.T, message string, source []byte) {
		rest, line, column := text{"a.ts", source}.placed(message)
		if line < 1 || column < 1 || len(rest) > len(message) || strings.Contains(rest, "\n") {
			t.Errorf("%q is %q at %d:%d", message, rest, line, column)
		}
	})
}
