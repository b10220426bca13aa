// Package nearest finds the known word that somebody probably meant.
package nearest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds that keep a guess cheap, and fit to be shown.
const (
	maxLetters = 64
	maxKnown   = 300
)

// To gives the known word closest to word, "" if none is close: at most a third of its
// letters (of two letters one, of one letter none) may differ, counting a swap of neighbours as one. Letter case is no difference.
// Of equally close words the first wins. Words of more than 64 letters or with control
// characters are no suggestions, and of many words only the first 300 are looked at.
func To(word string, known []string) string {
	letters := utf8.RuneCountInString(word)
	if letters == 0 || letters > maxLetters {
		return ""
	}
	most := max(1, letters/3)
	if letters == 1 {
		most = 0 // another letter is no misspelling
	}
	best, bestDistance := "", most+1
	lower := strings.ToLower(word)
	for _, candidate := range known[:min(len(known), maxKnown)] {
		if !showable(candidate) {
			continue
		}
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

func showable(word string) bool {
	return len(word) <= 4*maxLetters && utf8.RuneCountInString(word) <= maxLetters && !strings.ContainsFunc(word, unicode.IsControl)
}

// DidYouMean words the nearest known word as a sentence with a leading space, or lists
// the known words where they are few and none is near; "" otherwise.
func DidYouMean(word string, known []string) string {
	if near := To(word, known); near != "" {
		return ` Did you mean "` + near + `"?`
	}
	const few = 12
	var list []string
	for _, candidate := range known {
		if len(list) > few {
			return ""
		}
		if showable(candidate) && !slices.Contains(list, candidate) {
			list = append(list, candidate)
		}
	}
	if len(list) == 0 || len(list) > few {
		return ""
	}
	return ` Known here: ` + strings.Join(list, ", ") + `.`
}
