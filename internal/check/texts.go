package check

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
)

// texts holds every text of a manifest that people get to see, beside title and
// description, to what they can be: readable. Names and texts in schemas are looked at with
// the schemas.
func (c *checker) texts() {
	if ui := c.m.UI; ui != nil {
		c.readable(manifest.CodeStructure, "The title of the card", ui.Title)
	}
	for _, credential := range c.m.Credentials {
		c.readable(manifest.CodeStructure, "The purpose of a credential", credential.Purpose)
	}
	if c.m.Flow != nil {
		for _, s := range c.m.Flow.Steps {
			c.readable(manifest.CodeStructure, "The code", s.Code)
			c.readable(manifest.CodeStructure, "The message", s.Message)
		}
	}
}

// schemaTexts looks at the names and annotations of a schema, which clients show.
func (c *checker) schemaTexts(n *value.Node) {
	for _, name := range []string{"title", "description"} {
		if text := n.Get(name); text != nil && text.Kind == value.String {
			c.readable(manifest.CodeStructure, "The "+name+" of a schema", manifest.Text{Node: text})
		}
	}
	c.fieldNames(n.Get("properties"))
}

// fieldNames looks at the names of fields.
func (c *checker) fieldNames(fields *value.Node) {
	if fields == nil || fields.Kind != value.Object {
		return
	}
	for kid := range fields.Kids() {
		if !ascii(kid.Name) {
			c.seen("The name of a field", kid.Name, func(level manifest.Level, message string) {
				c.AtName(level, manifest.CodeStructure, kid, message)
			})
		}
	}
}

// readable looks for characters in a text that a person would not see.
func (c *checker) readable(code, what string, f manifest.Text) {
	if f.Ok() && !ascii(f.Value()) {
		c.seen(what, f.Value(), func(level manifest.Level, message string) { c.At(level, code, f.Node, message) })
	}
}

// ascii reports whether a text has nothing in it but what every keyboard writes.
func ascii(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7F {
			return false
		}
	}
	return true
}

// seen reports characters that are not seen, and words of which one letter may be taken for
// another. What is not seen makes a text read as something else, so it is a fault. It only
// warns where nothing else is in the text, for the format allows a title that is not blank,
// and where a language needs the character between two of its letters.
func (c *checker) seen(what, text string, report func(level manifest.Level, message string)) {
	r, at, level := unseen(text)
	switch {
	case r == 0 && level == "":
	case visible.Deceptive(r):
		report(manifest.LevelError, fmt.Sprintf("%s holds U+%04X (character %d), which makes it read as something else. Take it out.", what, r, at+1))
		return
	case level == manifest.LevelError:
		report(level, fmt.Sprintf("%s holds U+%04X (character %d), which is not seen. Take it out.", what, r, at+1))
	default:
		report(level, fmt.Sprintf("%s holds U+%04X (character %d), which is not seen. It is shown by its code.", what, r, at+1))
	}
	if word, scripts, ok := visible.MixedScripts(text); ok {
		report(manifest.LevelWarning, fmt.Sprintf(
			"The word %s mixes %s letters, which may be taken for each other.", manifest.Quote(word), strings.Join(scripts, " and ")))
	}
}

// unseen finds the character that is worst to leave in a text: one that deceives, else the
// first that is not seen and has no use there, else the first that is not seen. level is ""
// where there is none.
func unseen(text string) (worst rune, at int, level manifest.Level) {
	if r, index, ok := visible.Find(text, visible.Deceptive); ok {
		return r, index, manifest.LevelError
	}
	alone := strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || visible.Hidden(r) }) == ""
	for rest, index := text, 0; ; {
		r, ahead, ok := visible.Unseen(rest)
		if !ok {
			return worst, at, level
		}
		before, after := around(rest, ahead)
		switch {
		case r == '\r' && strings.HasPrefix(after, "\n"):
		case !alone && !joins(before, r, after):
			return r, index + ahead, manifest.LevelError
		case level == "":
			worst, at, level = r, index+ahead, manifest.LevelWarning
		}
		rest, index = after, index+ahead+1
	}
}

// around gives the character before the one at an index in characters, and the text behind it.
func around(s string, index int) (before rune, after string) {
	for range index {
		r, size := utf8.DecodeRuneInString(s)
		before, s = r, s[size:]
	}
	_, size := utf8.DecodeRuneInString(s)
	return before, s[size:]
}

// joining are the scripts in which words are written with joiners, which are not seen.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
	unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// joins reports whether a character is a joiner between two letters of a script that needs it.
func joins(before, r rune, after string) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = 0x200C, 0x200D
	next, _ := utf8.DecodeRuneInString(after)
	for _, script := range joining {
		if unicode.Is(script, before) && unicode.Is(script, next) {
			return r == zeroWidthNonJoiner || r == zeroWidthJoiner
		}
	}
	return false
}

// foreign says which letter of a name is none of the alphabet that names are written in,
// with a leading space; "" where there is none.
func foreign(name string) string {
	r, at, ok := visible.Find(name, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) })
	if !ok {
		return ""
	}
	for script, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return fmt.Sprintf(" Its character %d, U+%04X, is a letter of the script %s.", at+1, r, strings.ReplaceAll(script, "_", " "))
		}
	}
	return ""
}
