// Package nearest finds the known word that somebody probably meant.
package nearest

import (
	"strings"
	"unicode/utf8"
)

// To gives the known word closest to word, "" if none is close: at most a third of its
// letters (and at least one) may differ, counting a swap of neighbours as one. Letter
// case is no difference. Of equally close words the first wins.
func To(word string, known []string) string {
	letters := utf8.RuneCountInString(word)
	if letters == 0 || letters > 64 {
		return ""
	}
	best, bestDistance := "", max(1, letters/3)+1
	lower := strings.ToLower(word)
	for _, candidate := range known {
		if d := distance(lower, strings.ToLower(candidate), bestDistance); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance is the restricted Damerau-Levenshtein distance; anything at or above limit
// may be reported as limit.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if diff := len(x) - len(y); diff >= limit || -diff >= limit {
		return limit
	}
	before := make([]int, len(y)+1)
	last := make([]int, len(y)+1)
	row := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}

// DidYouMean words the nearest known word as a sentence with a leading space, or lists
// the known words where they are few and none is near; "" otherwise.
func DidYouMean(word string, known []string) string {
	if near := To(word, known); near != "" {
		return ` Did you mean "` + near + `"?`
	}
	if len(known) == 0 || len(known) > 12 {
		return ""
	}
	return ` Known here: ` + strings.Join(known, ", ") + `.`
}
