package compile

import (
	"cmp"
	"path"
	"regexp"
	"strconv"
	"strings"

	"toolsmith/internal/compile/bundle"
	"toolsmith/internal/manifest"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/value"
)

// text is a file in which places are looked for.
type text struct {
	file   string
	source []byte
}

// byPlace orders diagnostics by place; those without one are last.
func byPlace(a, b manifest.Diagnostic) int {
	switch {
	case a.Line == 0 && b.Line == 0:
		return 0
	case a.Line == 0:
		return 1
	case b.Line == 0:
		return -1
	}
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// frame matches a line of a message that says where something was thrown: its file, line, and
// column in UTF-16 units.
var frame = regexp.MustCompile(`^\s+at (?:.* \()?(.*):(\d+):(\d+)\)?$`)

// placed takes the places off a message, and puts the rest of it into one line. The first that is in the file is the place; without
// one, that is the beginning of the file.
func (t text) placed(message string) (rest string, line, column int) {
	var lines []string
	for one := range strings.SplitSeq(message, "\n") {
		match := frame.FindStringSubmatch(one)
		if match == nil {
			lines = append(lines, one)
			continue
		}
		l, errLine := strconv.Atoi(match[2])
		c, errColumn := strconv.Atoi(match[3])
		if line == 0 && errLine == nil && errColumn == nil && match[1] == path.Base(t.file) {
			line, column = l, t.characters(l, c)
		}
	}
	return strings.Join(lines, " "), max(1, line), max(1, column)
}

// lineEnd is what ends a line of the language.
var lineEnd = regexp.MustCompile(`\r\n|[\n\r\x{2028}\x{2029}]`)

// characters turns a column in UTF-16 units into one in characters; both are from 1.
func (t text) characters(line, units int) int {
	lines := lineEnd.Split(strings.TrimPrefix(string(t.source), "\uFEFF"), line+1)
	if line > len(lines) {
		return units
	}
	column := 1
	for _, r := range lines[line-1] {
		if units -= value.UTF16Len(string(r)); units < 1 {
			break
		}
		column++
	}
	return column
}

// maxName is how long a name is that is looked for and shown, in bytes.
const maxName = 200

// cut shortens a text to a number of bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// call matches what declares a tool.
var call = regexp.MustCompile(`\bcreateTool\s*[(<]`)

// placeOf is where a tool of a file is likely to be declared: where its name is given, or where
// createTool is called, or else the beginning of the file.
func (t text) placeOf(declared []script.Declared, which int) (line, column int) {
	name := declared[which].Name
	before := 0 // tools of the same name that come first
	for _, d := range declared[:which] {
		if d.Name == name {
			before++
		}
	}
	if name != "" && len(name) <= maxName { // what is longer was made by the code
		quoted := regexp.QuoteMeta(name)
		given := regexp.MustCompile(`\bname['"]?\s*:\s*(?:'` + quoted + `'|"` + quoted + `"|` + "`" + quoted + "`)")
		if all := given.FindAllIndex(t.source, before+1); len(all) > before {
			return bundle.Position(t.source, all[before][0])
		}
	}
	if all := call.FindAllIndex(t.source, -1); len(all) == len(declared) {
		return bundle.Position(t.source, all[which][0])
	}
	return 1, 1
}
