package visible

import "strings"

// Alike reports whether one name may be taken for the other: they differ in nothing but
// letter case, in which separators stand between words, or in characters that look the same
// in many fonts: 0 and o, 1 and l or i, rn and m, vv and w. It is for the names of programs,
// which are plain ASCII; what is not is compared as it is.
//
// Left out on purpose are l and i, and cl and d. Both pairs are well told apart in small
// letters, and words of one kind would take each other's place: mail and mall, clock and dock.
func Alike(a, b string) bool {
	x, y := skeleton(a), skeleton(b)
	if len(x) != len(y) {
		return false
	}
	for i := range len(x) {
		if x[i] != y[i] && !isOne(x[i], y[i]) && !isOne(y[i], x[i]) {
			return false
		}
	}
	return true
}

// isOne reports whether a stands for b as a digit does for a letter.
func isOne(a, b byte) bool { return a == '1' && (b == 'l' || b == 'i') }

// skeleton writes a name so that what looks alike is alike, but for 1, which looks like two
// letters that do not look like each other.
func skeleton(name string) string {
	folded := make([]byte, 0, len(name))
	for i := range len(name) {
		c := name[i]
		switch {
		case c == 'I':
			c = 'l'
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c == '0':
			c = 'o'
		case strings.IndexByte("-_.:/ ", c) >= 0:
			c = '_'
			if len(folded) > 0 && folded[len(folded)-1] == '_' {
				continue
			}
		}
		folded = append(folded, c)
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(folded), "rn", "m"), "vv", "w")
}
