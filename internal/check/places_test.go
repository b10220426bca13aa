package check_test

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// misplaced says what is wrong with the place of a diagnostic, "" if its line and column
// are where its path leads in the text.
func misplaced(text []byte, d manifest.Diagnostic) string {
	if line, column := lineAndColumn(text, d.Offset); line != d.Line || column != d.Column {
		return fmt.Sprintf("%s at %d:%d; byte %d is at %d:%d", d.Path, d.Line, d.Column, d.Offset, line, column)
	}
	root, _ := value.Parse(text)
	if root == nil || len(text) > manifest.MaxSize {
		if d.Path != "$" {
			return fmt.Sprintf("%s in a text that could not be read", d.Path)
		}
		return ""
	}
	places := map[string][]int{}
	objects := map[string]int{}
	findPlaces(root, "$", places, objects)
	if slices.Contains(places[d.Path], d.Offset) {
		return ""
	}
	if places[d.Path] == nil {
		// A name of the path may have been written over.
		for path, offsets := range places {
			if slices.Contains(offsets, d.Offset) && form(path) == form(d.Path) {
				return ""
			}
		}
		// A field that is missing is reported where the object that lacks it begins.
		for path, offset := range objects {
			if offset == d.Offset && oneBelow(path, d.Path) {
				return ""
			}
		}
	}
	return fmt.Sprintf("%s %s is reported at byte %d; it is at %v", d.Code, d.Path, d.Offset, places[d.Path])
}

// form is what is left of a path when its letters and digits are written over.
func form(path string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return 'x'
		}
		if r >= 0x80 && unicode.In(r, unicode.L, unicode.M, unicode.N) {
			return '·'
		}
		return r
	}, path)
}

// hiddenText stands in place of what is a secret by its name.
const hiddenText = "(hidden)"

// lineAndColumn counts lines and characters one by one.
func lineAndColumn(text []byte, offset int) (line, column int) {
	line, column = 1, 1
	for i := 0; i < offset; {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column
}

// findPlaces notes for each path the bytes at which something of it is reported: where
// the value begins, where its name does, and for an object where the names in it do (a
// name that is a secret is reported under the object that holds it).
func findPlaces(n *value.Node, path string, places map[string][]int, objects map[string]int) {
	places[path] = append(places[path], int(n.Offset))
	if n.Kind == value.Object {
		objects[path] = int(n.Offset)
	}
	i := 0
	for kid := range n.Kids() {
		at := fmt.Sprintf("%s[%d]", path, i)
		i++
		if n.Kind == value.Object {
			at = value.MemberPath(path, kid.Name)
			places[at] = append(places[at], int(kid.NameOffset))
			places[path] = append(places[path], int(kid.NameOffset))
		}
		findPlaces(kid, at, places, objects)
	}
}

func oneBelow(parent, path string) bool {
	rest, ok := strings.CutPrefix(form(path), form(parent))
	return ok && (strings.HasPrefix(rest, ".") && !strings.ContainsAny(rest[1:], ".[") || strings.HasPrefix(rest, `["`))
}

// disorder gives the first two diagnostics that are not in the order of the text, or
// are the same.
func disorder(list []manifest.Diagnostic) string {
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		if a.Offset > b.Offset || a == b {
			return show([]manifest.Diagnostic{a, b})
		}
	}
	return ""
}

// unreadable says which message or path is no UTF-8 text, or no text at all.
func unreadable(list []manifest.Diagnostic) string {
	for _, d := range list {
		if d.Message == "" || !utf8.ValidString(d.Message) || !utf8.ValidString(d.Path) || strings.ContainsAny(d.Message, "\x00\x1b") {
			return fmt.Sprintf("%q %q", d.Path, d.Message)
		}
	}
	return ""
}
