package bundle

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	maxProblems = 1000 // of one kind in an answer
	maxMessage  = 1000 // bytes of a message
)

// reader puts the messages of the translator into our words.
type reader struct {
	source []byte // as the author wrote it
}

// problems gives the messages in order of place, those without one last.
func (r reader) problems(messages []api.Message) []Problem {
	messages = slices.DeleteFunc(slices.Clone(messages), isNoise)
	slices.SortStableFunc(messages, compare)
	messages = slices.CompactFunc(messages, func(a, b api.Message) bool { return compare(a, b) == 0 })
	more := len(messages) - maxProblems
	if more > 0 {
		messages = messages[:maxProblems-1]
	}
	var columns columns
	var list []Problem
	for _, m := range messages {
		p := said(m)
		if m.Location != nil {
			p.Line, p.Column = columns.of(m.Location)
			p.Text = excerpt(m.Location.LineText, m.Location.Column)
			if p.Text == lastComment {
				p.Line, p.Column = Position(r.source, len(r.source))
				p.Text = ""
			}
		}
		list = append(list, p)
	}
	if more > 0 {
		list = append(list, Problem{Code: CodeSyntax, Message: fmt.Sprintf("There are %d more of these.", more+1)})
	}
	return list
}

// isNoise finds what only says, again and without a place, that nothing can be read here.
func isNoise(m api.Message) bool {
	return m.Location == nil && strings.HasPrefix(m.Text, "Cannot read directory ")
}

// compare orders messages by place, then by what they say.
func compare(a, b api.Message) int {
	switch {
	case a.Location == nil && b.Location == nil:
		return cmp.Compare(a.Text, b.Text)
	case a.Location == nil:
		return 1
	case b.Location == nil:
		return -1
	}
	return cmp.Or(cmp.Compare(a.Location.Line, b.Location.Line), cmp.Compare(a.Location.Column, b.Location.Column), cmp.Compare(a.Text, b.Text))
}

// columns counts characters in places that come in order, so that a line of half a megabyte
// with thousands of problems is read once.
type columns struct {
	line, bytes, characters int
}

func (c *columns) of(l *api.Location) (line, column int) {
	if l.Line != c.line || l.Column < c.bytes {
		*c = columns{line: l.Line}
	}
	to := min(l.Column, len(l.LineText))
	if to > c.bytes {
		c.characters += utf8.RuneCountInString(l.LineText[c.bytes:to])
		c.bytes = to
	}
	return l.Line, c.characters + 1
}

var (
	noMatch     = regexp.MustCompile(`^No matching export in "` + shimName + `" for import "(.*)"$`)
	isUndefined = regexp.MustCompile(`^Import "(.*)" will always be undefined because there is no matching export in "` + shimName + `"$`)
)

const imported = " A tool imports at its top, and only from Toolsmith: " + howToImport + "."

const noRequire = "require cannot be used." + imported

// said gives the code and the message of a problem.
func said(m api.Message) Problem {
	text := m.Text
	if found := foundBy(text, noMatch, isUndefined); found != "" {
		if found == "default" {
			return Problem{Code: CodeImport, Message: fmt.Sprintf("%q has no default export. Write: %s.", moduleName, howToImport)}
		}
		return Problem{Code: CodeImport, Message: fmt.Sprintf("%q has nothing called %q. It has %s.", moduleName, cut(found, 200), strings.Join(exports[:], ", "))}
	}
	switch {
	case m.PluginName != "":
		return Problem{Code: CodeImport, Message: cut(text, maxMessage)}
	case m.ID == "empty-import-meta":
		return Problem{Code: CodeImport, Message: "import.meta cannot be used: a tool has no address and no files beside it."}
	case m.ID == "unsupported-dynamic-import", strings.HasPrefix(text, "Could not resolve import("), strings.HasPrefix(text, "The glob pattern import("):
		return Problem{Code: CodeImport, Message: "import() cannot be used." + imported}
	case m.ID == "unsupported-require-call", m.ID == "indirect-require", strings.HasPrefix(text, "Could not resolve require("), strings.HasPrefix(text, "The glob pattern require("):
		return Problem{Code: CodeImport, Message: noRequire}
	case strings.HasPrefix(text, "Deferred imports"), strings.HasPrefix(text, "Source phase imports"):
		return Problem{Code: CodeImport, Message: "import defer and import source cannot be used." + imported}
	case strings.HasPrefix(text, "Top-level await"):
		return Problem{Code: CodeSyntax, Message: "await stands outside a function. A file is only read to see which tools it declares; put the await into the function of a tool."}
	case strings.HasPrefix(text, "The JSX syntax extension"):
		return Problem{Code: CodeSyntax, Message: noMarkup}
	case strings.HasPrefix(text, "Parameter decorators"):
		return Problem{Code: CodeSyntax, Message: "A decorator stands before a parameter, which only the decorators of old allow. Put it before a class or a member."}
	case strings.HasPrefix(text, "panic: "):
		return *limited("The file cannot be translated: the translator broke on it. Write it simpler.")
	}
	text = cut(text, maxMessage/2)
	notes := m.Notes
	if strings.HasPrefix(text, "Cannot assign to import ") {
		notes = nil // they speak of a file that exports
	}
	for _, n := range notes {
		text = sentence(text) + " " + strings.TrimSuffix(cut(n.Text, maxMessage/4), ":")
		if n.Location != nil && n.Location.LineText != lastComment {
			text += fmt.Sprintf(" (line %d)", n.Location.Line)
		}
	}
	return Problem{Code: CodeSyntax, Message: cut(sentence(text), maxMessage)}
}

// requireStub is in a script that uses require in a way that was not reported.
const requireStub = "\n  var __require = /* @__PURE__ */ ((x"

var requireUsed = regexp.MustCompile(`\brequire\s*(\?\.|[.\[])`)

// requires gives the problem of such a script; its place is where it is likely to be.
func (r reader) requires() Problem {
	p := Problem{Code: CodeImport, Message: noRequire}
	if at := requireUsed.FindIndex(r.source); at != nil {
		p.Line, p.Column = Position(r.source, at[0])
	}
	return p
}

// foundBy gives what the first of the patterns that fits a text has in it.
func foundBy(text string, patterns ...*regexp.Regexp) string {
	for _, p := range patterns {
		if found := p.FindStringSubmatch(text); found != nil {
			return found[1]
		}
	}
	return ""
}

// sentence ends a text with a full stop.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
