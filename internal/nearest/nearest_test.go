package nearest_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"toolsmith/internal/nearest"
)

func TestTo(t *testing.T) {
	t.Parallel()
	fields := []string{"title", "description", "network", "inputSchema", "outputSchema", "flow", "id", "version"}
	tests := []struct {
		name, word string
		known      []string
		want       string
	}{
		{"the word itself", "title", fields, "title"},
		{"a letter missing", "tile", fields, "title"},
		{"a letter too many", "titlee", fields, "title"},
		{"another letter", "tatle", fields, "title"},
		{"neighbours swapped", "tilte", fields, "title"},
		{"two swaps of neighbours", "vesrino", fields, "version"},
		{"several at a third of the letters", "desciptoon", fields, "description"},
		{"letter case", "InputSchema", fields, "inputSchema"},
		{"letter case is no difference", "INPUTSCHEMAS", fields, "inputSchema"},
		{"too many letters differ", "teitxle", []string{"tattoo"}, ""},
		{"one letter of two", "ip", fields, "id"},
		{"one letter", "x", []string{"y"}, ""},
		{"one letter in another case", "x", []string{"X"}, "X"},
		{"an escape in what is known", "titel", []string{"title\x1b"}, ""},
		{"one letter from two", "x", []string{"ab"}, ""},
		{"two of five letters", "flaaw", []string{"flow"}, ""},
		{"two of six letters", "flaaws", []string{"flaw"}, "flaw"},
		{"three of eight letters", "abcdefgh", []string{"abcdexyz"}, ""},
		{"three of nine letters", "abcdefghi", []string{"abcdefxyz"}, "abcdefxyz"},
		{"nothing like it", "zebra", fields, ""},
		{"empty word", "", []string{"", "a"}, ""},
		{"nothing known", "title", nil, ""},
		{"empty known word", "ab", []string{""}, ""},
		{"the first of equally close", "cat", []string{"bat", "hat"}, "bat"},
		{"the closer one though later", "cats", []string{"cuts", "cat's", "Cats"}, "Cats"},
		{"moved letters are no swap", "abcd", []string{"cdab"}, ""},
		{"a third of the letters, not of the bytes", "ключик", []string{"клювог"}, ""},
		{"beyond ASCII", "grösse", []string{"Größe", "GRÖSE"}, "GRÖSE"},
		{"an s written as ſ", "param\u017f", []string{"params"}, "params"},
		{"a K written as the Kelvin sign", "\u212aey", []string{"key"}, "key"},
		{"64 letters", strings.Repeat("a", 64), []string{strings.Repeat("a", 63)}, strings.Repeat("a", 63)},
		{"65 letters", strings.Repeat("a", 65), []string{strings.Repeat("a", 64)}, ""},
		{"64 letters of two bytes", strings.Repeat("ж", 64), []string{strings.Repeat("ж", 63)}, strings.Repeat("ж", 63)},
		{"a known word of a megabyte", "title", []string{strings.Repeat("title", 200_000), "titel"}, "titel"},
	}
	for _, test := range tests {
		if got := nearest.To(test.word, test.known); got != test.want {
			t.Errorf("%s: To(%.70q) is %.70q, want %q", test.name, test.word, got, test.want)
		}
	}
}

// TestToDistance compares which words are near with the definition of the distance, for
// all pairs of short words.
func TestToDistance(t *testing.T) {
	t.Parallel()
	var words []string
	for n := 1; n <= 4; n++ {
		words = append(words, wordsOf("abc", n)...)
	}
	for _, word := range words {
		limit := max(1, utf8.RuneCountInString(word)/3)
		if len(word) == 1 {
			limit = 0
		}
		for _, known := range words {
			near := nearest.To(word, []string{known}) == known
			if want := distance(word, known) <= limit; near != want {
				t.Fatalf("%s near %s: %v; their distance is %d", word, known, near, distance(word, known))
			}
		}
	}
}

func wordsOf(letters string, n int) []string {
	if n == 0 {
		return []string{""}
	}
	var words []string
	for _, rest := range wordsOf(letters, n-1) {
		for _, letter := range letters {
			words = append(words, string(letter)+rest)
		}
	}
	return words
}

// distance is the definition of the restricted Damerau-Levenshtein distance, as recursion.
func distance(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	x, y := len(a)-1, len(b)-1
	if a[x] == b[y] {
		return distance(a[:x], b[:y])
	}
	d := 1 + min(distance(a[:x], b), distance(a, b[:y]), distance(a[:x], b[:y]))
	if x > 0 && y > 0 && a[x] == b[y-1] && a[x-1] == b[y] {
		d = min(d, 1+distance(a[:x-1], b[:y-1]))
	}
	return d
}

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	many := strings.Fields("a1 b2 c3 d4 e5 f6 g7 h8 i9 j0 k1 l2 m3")
	tests := []struct {
		name, word string
		known      []string
		want       string
	}{
		{"near", "titel", []string{"id", "title"}, ` Did you mean "title"?`},
		{"near among many", "M3", many, ` Did you mean "m3"?`},
		{"none near, few known", "zebra", []string{"id", "title"}, " Known here: id, title."},
		{"none near, one known", "zebra", []string{"id"}, " Known here: id."},
		{"none near, twelve known", "zebra", many[:12], " Known here: a1, b2, c3, d4, e5, f6, g7, h8, i9, j0, k1, l2."},
		{"none near, thirteen known", "zebra", many, ""},
		{"nothing known", "zebra", nil, ""},
		{"empty word", "", []string{"id"}, " Known here: id."},
	}
	for _, test := range tests {
		if got := nearest.DidYouMean(test.word, test.known); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
