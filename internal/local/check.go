package local

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"toolsmith/tool"
)

// The codes of the errors that a Book gives.
const (
	// CodeNotFound: there is no such record, or no earlier state of it.
	CodeNotFound = "NOT_FOUND"
	// CodeAmbiguous: more than one id begins with what was given.
	CodeAmbiguous = "AMBIGUOUS_ID"
	// CodeChanged: the record no longer has the revision that was expected.
	CodeChanged = "CHANGED_SINCE"
	// CodeInvalid: a value is not allowed; Field names it.
	CodeInvalid = "INVALID"
)

func invalid(field, format string, args ...any) error {
	return &tool.Error{Code: CodeInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Fold gives the form of a text in which two texts that differ only in case, or in how
// their accents are composed, are equal.
func Fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	// Folding can take a composed character apart, so it is composed again after it.
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(text)))
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// checkUnicode refuses what not every store can keep or show: bytes that are not
// UTF-8, and U+0000.
func checkUnicode(field, text string) error {
	if !utf8.ValidString(text) {
		return invalid(field, "This text is not valid Unicode.")
	}
	if strings.ContainsRune(text, 0) {
		return invalid(field, "This text has the character U+0000, which cannot be kept.")
	}
	return nil
}

// checkLine trims a short text and refuses one that has more than most characters.
func checkLine(field string, text *string, most int) error {
	if err := checkUnicode(field, *text); err != nil {
		return err
	}
	*text = strings.TrimSpace(*text)
	if n := utf8.RuneCountInString(*text); n > most {
		return invalid(field, "At most %d characters are allowed; this has %d.", most, n)
	}
	return nil
}

func checkTitle(title *string) error {
	if err := checkLine("$.title", title, MaxTitle); err != nil {
		return err
	}
	if *title == "" {
		return invalid("$.title", "A title of 1 to %d characters is needed; this is empty.", MaxTitle)
	}
	return nil
}

func checkText(field, text string) error {
	if err := checkUnicode(field, text); err != nil {
		return err
	}
	if len(text) > MaxText {
		return invalid(field, "At most %d bytes are allowed; this has %d.", MaxText, len(text))
	}
	return nil
}

// checkOneOf refuses a value that is not among the allowed ones.
func checkOneOf[T ~string](field string, value T, allowed ...T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	names := make([]string, len(allowed))
	for i, one := range allowed {
		names[i] = string(one)
	}
	return invalid(field, "%q is not one of %s.", brief(string(value)), strings.Join(names, ", "))
}

func checkStatus(field string, status Status) error {
	return checkOneOf(field, status, Statuses()...)
}

// checkDue brings a due time into the form that is kept; the zero time means none.
func checkDue(due **time.Time) error {
	if *due == nil {
		return nil
	}
	if (*due).IsZero() {
		*due = nil
		return nil
	}
	kept := stamp(**due)
	if year := kept.Year(); year < 1 || year > 9999 {
		return invalid("$.dueAt", "The year %d is not between 1 and 9999.", year)
	}
	*due = &kept
	return nil
}

// stamp brings a time into the form that is kept.
func stamp(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }

// brief cuts a value that is shown in an error, since it may be anything.
func brief(value string) string {
	const most = 40
	runes := []rune(strings.ToValidUTF8(value, "\uFFFD"))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most]) + "…"
}
