package scrub

import (
	"io"
	"strings"
	"testing"
)

// TestWhatIsHeldBackIsBounded, whatever comes: it is as much as a secret takes in its longest
// way of writing, and not more as the text goes on.
func TestWhatIsHeldBackIsBounded(t *testing.T) {
	t.Parallel()
	s := New([]Secret{{"a", "aaaaaaaa"}, {"b", `%25\\&amp;`}, {"c", "\\\\\\\\\\\\\\\\"}, {"d", "%%%%%%%%%%"}, {"e", canary}})
	for _, bit := range []string{
		"a", "%25", "%2525", "%", `\`, `\\`, `\u005c`, `\\u005c`, "&", "&amp;", "&amp;amp;", "&#x25;", "\r", "\n", "\r\n", "YWFh", "YWFh\n", "61", "61\r\n",
		"%61", `\u0061`, `%5cu0061`, "&#97;", `%25\\&amp;`, "+", "=", canary, "\xff",
	} {
		text := strings.Repeat(bit, (64<<10)/len(bit))
		for _, size := range []int{37, 4096} {
			var out strings.Builder
			w := &writer{scrubber: s, to: &out}
			most := 0
			for rest := text; len(rest) > 0; rest = rest[min(size, len(rest)):] {
				if _, err := io.WriteString(w, rest[:min(size, len(rest))]); err != nil {
					t.Fatal(err)
				}
				most = max(most, len(w.held))
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if bound := 1 << 10; most > bound {
				t.Errorf("of %q in pieces of %d, %d bytes are held back", bit, size, most)
			}
			if got := s.Text(text); got != out.String() {
				t.Errorf("%q in pieces of %d becomes something else than as a whole", bit, size)
			}
		}
	}
}
