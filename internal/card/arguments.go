package card

import (
	"strconv"
	"strings"

	"toolsmith/internal/value"
	"toolsmith/internal/visible"
)

// How much of a call the short view shows: of a value its first and last characters, and
// fewer of each where there are many fields; of the fields of a call the first and the last.
const (
	headChars, tailChars         = 240, 120
	manyFields                   = 8
	fewHeadChars, fewTailChars   = 80, 60
	headFields, tailFields       = 24, 8
	nameHeadChars, nameTailChars = 40, 20
	// maxBreaks is how many line breaks a text may have to be shown line by line when it is
	// short; with more they are shown as signs.
	maxBreaks = 10
)

// call is how the arguments of one call are shown.
type call struct {
	fields []field
	// left is how many fields are left out behind the first at of them.
	left, at int
	// cut: something of the arguments is left out.
	cut bool
}

// field is one field of the arguments, everything in it made visible.
type field struct {
	name string
	// text of the value, or the first part of it if it was cut; last is then its last part.
	text, last string
	// words: the value is a text, and not the JSON text of something else.
	words bool
	cut   bool
	bytes int
	lines int
}

// callOf takes the arguments of a call apart.
func callOf(arguments any, view View) call {
	object, ok := arguments.(map[string]any)
	if !ok {
		f := fieldOf("", arguments, view, headChars, tailChars)
		f.name = ""
		return call{fields: []field{f}, cut: f.cut}
	}
	names := value.SortedNames(object)
	head, tail := headChars, tailChars
	if len(names) > manyFields {
		head, tail = fewHeadChars, fewTailChars
	}
	var c call
	if left := len(names) - headFields - tailFields; view == Short && left > 1 {
		c.left, c.at, c.cut = left, headFields, true
		names = append(names[:headFields:headFields], names[len(names)-tailFields:]...)
	}
	for _, name := range names {
		f := fieldOf(name, object[name], view, head, tail)
		c.fields, c.cut = append(c.fields, f), c.cut || f.cut
	}
	return c
}

func fieldOf(name string, v any, view View, head, tail int) field {
	text, words := v.(string)
	switch {
	case words:
	case view == Expanded:
		text = value.IndentedJSON(v)
	default:
		text = value.JSON(v)
	}
	f := field{name: fieldName(name), words: words, bytes: len(text), lines: strings.Count(text, "\n") + 1}
	if view == Expanded {
		f.text = visible.Block(text)
		return f
	}
	if first, last, cut := visible.Ends(name, nameHeadChars, nameTailChars); cut {
		f.name, f.cut = fieldName(first+"…"+last), true
	}
	first, last, cut := visible.Ends(text, head, tail)
	f.text = part(first)
	if cut {
		f.last, f.cut = part(last), true
	}
	return f
}

// fieldName shows the name of a field, in quotes where it would pass for a name with a value.
func fieldName(name string) string {
	if name == "" || strings.TrimSpace(name) != name || strings.Contains(name, "  ") || strings.ContainsAny(name, "\"\n\t") {
		return quoted(name)
	}
	return visible.Line(name)
}

// part shows a part of a text, line by line where it has few.
func part(text string) string {
	if strings.Count(text, "\n") > maxBreaks {
		return visible.Line(strings.ReplaceAll(text, "\r\n", "\n"))
	}
	return visible.Block(text)
}

// size says how large a value is that is not shown as a whole.
func (f field) size() string {
	size := thousands(f.bytes) + " bytes"
	if f.lines > 1 {
		size += ", " + thousands(f.lines) + " lines"
	}
	return size
}

// inline gives the value on one line, a text in quotes; ok is false where it has several or
// was cut.
func (f field) inline() (text string, ok bool) {
	if f.last != "" || strings.Contains(f.text, "\n") {
		return "", false
	}
	if f.words {
		return `"` + f.text + `"`, true
	}
	return f.text, true
}

func (c call) value() map[string]any {
	fields := make([]any, len(c.fields))
	for i, f := range c.fields {
		one := map[string]any{"name": f.name, "text": f.text, "isText": f.words, "bytes": value.Int(f.bytes), "lines": value.Int(f.lines), "cut": f.cut}
		if f.last != "" {
			one["last"] = f.last
		}
		fields[i] = one
	}
	return map[string]any{"fields": fields, "fieldsLeftOut": value.Int(c.left), "fieldsLeftOutAt": value.Int(c.at), "cut": c.cut}
}

// thousands writes a number with commas: 204,800.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
