package manifest

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"toolsmith/internal/nearest"
	"toolsmith/internal/value"
)

// Level says whether a diagnostic stops an install.
type Level string

// The levels.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
)

// Codes of what this package reports.
const (
	CodeStructure = "FORGE_MANIFEST_STRUCTURE"
	CodeTooLarge  = "FORGE_MANIFEST_TOO_LARGE"
)

// Diagnostic is one thing that a check has to say about a manifest.
type Diagnostic struct {
	Level Level `json:"level"`
	// Code is stable and never reused; docs/codes.md lists all.
	Code string `json:"code"`
	// Path of the narrowest field concerned: "$.flow.nodes[2].retry.maxAttempts".
	Path string `json:"path"`
	// Message says what is wrong and what would be right.
	Message string `json:"message"`
	// Line and Column of the place in the text, from 1; columns count characters.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Offset of the place in bytes.
	Offset int `json:"-"`
}

// Diagnostics collects what is found in one text.
type Diagnostics struct {
	source []byte
	list   []finding
}

// finding is a diagnostic whose path has not been written yet: it is written last, so that
// it shows no name that is hidden later.
type finding struct {
	Diagnostic
	node   *value.Node // nil for the whole text
	member string      // of the node; "" for the node itself
}

// At reports something about a node.
func (d *Diagnostics) At(level Level, code string, n *value.Node, message string) {
	d.add(level, code, n, "", int(n.Offset), message)
}

// AtName reports something about the name of a member.
func (d *Diagnostics) AtName(level Level, code string, member *value.Node, message string) {
	d.add(level, code, member, "", int(member.NameOffset), message)
}

// AtOffset reports something at a byte offset in an object or list.
func (d *Diagnostics) AtOffset(level Level, code string, within *value.Node, offset int32, message string) {
	d.add(level, code, within, "", int(offset), message)
}

// Missing reports that an object lacks a member.
func (d *Diagnostics) Missing(code string, n *value.Node, member, message string) {
	d.add(LevelError, code, n, member, int(n.Offset), message)
}

func (d *Diagnostics) add(level Level, code string, n *value.Node, member string, offset int, message string) {
	d.list = append(d.list, finding{Diagnostic{Level: level, Code: code, Message: message, Offset: offset}, n, member})
}

func (f finding) path() string {
	switch {
	case f.node == nil:
		return "$"
	case f.member != "":
		return value.MemberPath(f.node.Path(), f.member)
	}
	return f.node.Path()
}

// maxGuesses is for how many of the first problems of a text suggestions are looked for. A
// text with more has other worries, and guessing for all would take long.
const maxGuesses = 100

// Guess words the known word that was probably meant; "" where none is near.
func (d *Diagnostics) Guess(word string, known func() []string) string {
	if len(d.list) >= maxGuesses {
		return ""
	}
	return nearest.DidYouMean(word, known())
}

// Len is how many have been reported.
func (d *Diagnostics) Len() int { return len(d.list) }

// Sorted gives everything reported in the order of the text (at one place by code, then
// by path), each once, with paths, lines and columns filled in.
func (d *Diagnostics) Sorted() []Diagnostic {
	if len(d.list) == 0 {
		return nil
	}
	list := make([]Diagnostic, len(d.list))
	for i, f := range d.list {
		list[i] = f.Diagnostic
		list[i].Path = f.path()
	}
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	list = slices.CompactFunc(list, func(a, b Diagnostic) bool {
		return a.Offset == b.Offset && a.Code == b.Code && a.Path == b.Path && a.Message == b.Message
	})
	place(list, d.source)
	return list
}

// place finds line and column of each diagnostic, in one pass over the text.
func place(list []Diagnostic, source []byte) {
	line, start, at := 1, 0, 0 // start is where the line begins, at how far the text is read
	counted, column := 0, 1    // columns are counted up to counted, which is in this line
	for i := range list {
		offset := max(0, min(list[i].Offset, len(source)))
		for ; at < offset; at++ {
			if source[at] == '\n' {
				line, start = line+1, at+1
			}
		}
		if counted < start {
			counted, column = start, 1
		}
		column += utf8.RuneCount(source[counted:offset])
		counted = offset
		list[i].Line, list[i].Column = line, column
	}
}

// Errors picks the diagnostics that stop an install.
func Errors(list []Diagnostic) []Diagnostic {
	var errs []Diagnostic
	for _, d := range list {
		if d.Level == LevelError {
			errs = append(errs, d)
		}
	}
	return errs
}

// HasErrors reports whether any of the diagnostics stops an install.
func HasErrors(list []Diagnostic) bool {
	return slices.ContainsFunc(list, func(d Diagnostic) bool { return d.Level == LevelError })
}
