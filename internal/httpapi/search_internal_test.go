package httpapi

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestExcerpts are short, on one line, and have what was looked for in them.
func TestExcerpts(t *testing.T) {
	t.Parallel()
	filler := rapid.StringOfN(rapid.RuneFrom([]rune("abc é ßİ\n\tж界")), 0, 400, -1)
	rapid.Check(t, func(t *rapid.T) {
		word := "qz" + rapid.StringMatching(`[a-z]{8}`).Draw(t, "word")
		text := filler.Draw(t, "before") + " " + word + " " + filler.Draw(t, "after")
		s := seek(strings.ToUpper(word))
		excerpt := s.excerpt(text)
		if n := utf8.RuneCountInString(excerpt); n > mostExcerpt+2 || strings.ContainsAny(excerpt, "\n\t") || !strings.Contains(excerpt, word) {
			t.Fatalf("%d characters: %q", n, excerpt)
		}
		if s.worth(text, "title") != worthText || s.worth("", text) < worthTitle {
			t.Fatalf("it is worth %d as a text, and %d as a title", s.worth(text, "title"), s.worth("", text))
		}
	})
}

// TestWorth ranks where what is looked for stands.
func TestWorth(t *testing.T) {
	t.Parallel()
	s := seek(" Oolong  TEA ")
	for i, c := range []struct{ text, title string }{
		{"tea", "pot"}, {"oolong", "Tea"}, {"an oolong tea", "pot"}, {"", "tea or oolong"}, {"", "blackoolong tea"}, {"", "An oolong teapot"}, {"", "oolong tea"},
	} {
		if got := s.worth(c.text, c.title); got != i {
			t.Errorf("%q with the title %q is worth %d, want %d", c.text, c.title, got, i)
		}
	}
	if got := s.worth("", "none", "Oolong tea"); got != worthWhole {
		t.Errorf("by its second title it is worth %d", got)
	}
}
