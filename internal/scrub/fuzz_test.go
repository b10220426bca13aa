package scrub

import (
	"strings"
	"testing"
)

// FuzzText looks for a secret that comes through, and for pieces that make a difference.
func FuzzText(f *testing.F) {
	f.Add("abcdefgh", "x abcdefgh", 3)
	f.Add(`a\u0041%41&amp;`, `a\\u0041%2541&amp;amp;`, 1)
	f.Add("aaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaa", 2)
	f.Add("Bearer abcdefgh", "YWJjZGVmZ2g=\nYWJjZGVmZ2g", 5)
	f.Fuzz(func(t *testing.T, secret, text string, size int) {
		s := New([]Secret{{"k", secret}})
		if s == nil {
			return
		}
		whole := s.Text(text)
		if strings.Contains(whole, secret) && !strings.ContainsAny(secret, "[]…") {
			t.Errorf("%q came through %q: %q", secret, text, whole)
		}
		if got := stream(t, s, text, 1+(size&0xFF)); got != whole {
			t.Errorf("in pieces %q became %q; as a whole %q", text, got, whole)
		}
		if !strings.Contains(whole, "[") && whole != text {
			t.Errorf("%q became %q", text, whole)
		}
	})
}
