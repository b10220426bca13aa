package bundle

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPosition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before       string
		line, column int
	}{
		{"", 1, 1}, {"a", 1, 2}, {"é😀", 1, 3}, {"\n", 2, 1}, {"a\r\nb", 2, 2}, {"a\rb", 2, 2}, {"\r\r\n\n\r", 5, 1},
		{"\u2028é\u2029", 3, 1}, {"\uFEFF", 1, 1}, {"\uFEFFa", 1, 2}, {"\uFEFF\n\uFEFF", 2, 2}, {"a\xFF\xFE", 1, 4},
	} {
		if line, column := Position([]byte(c.before+"xyz"), len(c.before)); line != c.line || column != c.column {
			t.Errorf("after %q: %d:%d, want %d:%d", c.before, line, column, c.line, c.column)
		}
	}
}

func FuzzPlace(f *testing.F) {
	f.Add("a\r\né\u2028b", 5)
	f.Add("\uFEFF\n", 1)
	f.Add(strings.Repeat("é", 200), 201)
	f.Fuzz(func(t *testing.T, text string, at int) {
		offset := max(0, min(at, len(text)))
		line, column := Position([]byte(text), offset)
		if line < 1 || column < 1 || line+column > offset+2 {
			t.Errorf("offset %d is %d:%d", offset, line, column)
		}
		shown := excerpt(text, at)
		inner := strings.TrimSuffix(strings.TrimPrefix(shown, "…"), "…")
		if len(shown) > len("……")+maxExcerpt+2*utf8.UTFMax || !strings.Contains(text, inner) {
			t.Errorf("%q of %q", shown, text)
		}
		if utf8.ValidString(text) && (!utf8.ValidString(shown) || !utf8.ValidString(cut(text, offset))) {
			t.Errorf("a character is cut in two: %q, %q", shown, cut(text, offset))
		}
	})
}
