package local

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"toolsmith/tool"
)

// maxCandidates is how many records an error about an ambiguous id names.
const maxCandidates = 5

// isIDText reports whether a text is in the letters of an id, and not longer than one.
func isIDText(text string) bool {
	return len(text) <= IDLength && strings.Trim(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func cleanPrefix(prefix string) (string, error) {
	clean := strings.ToUpper(strings.TrimSpace(prefix))
	if utf8.RuneCountInString(clean) < MinPrefix {
		return "", invalid("$.id", "Give at least %d characters of the id; %q is too short.", MinPrefix, brief(prefix))
	}
	if !isIDText(clean) {
		return "", invalid("$.id", "%q is not the beginning of an id.", brief(prefix))
	}
	return clean, nil
}

func cleanLimit(limit int) (int, error) {
	if limit == 0 {
		return DefaultLimit, nil
	}
	if limit < 0 || limit > MaxLimit {
		return 0, invalid("$.limit", "A limit is 1 to %d; this is %d.", MaxLimit, limit)
	}
	return limit, nil
}

// cleanQuery gives the folded text to look for.
func cleanQuery(query string) (string, error) {
	if err := checkLine("$.query", &query, MaxQuery); err != nil {
		return "", err
	}
	return Fold(query), nil
}

func ambiguous(kind Kind, prefix string, candidates []string) error {
	more := ""
	if len(candidates) > maxCandidates {
		candidates, more = candidates[:maxCandidates], "\nand more"
	}
	return &tool.Error{Code: CodeAmbiguous, Field: "$.id", Message: fmt.Sprintf(
		"More than one %s has an id that begins with %q:\n%s%s",
		kind, prefix, strings.Join(candidates, "\n"), more)}
}
