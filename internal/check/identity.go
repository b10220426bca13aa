package check

import (
	"fmt"
	"strings"
	"unicode"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// identity checks id, version, title and description.
func (c *checker) identity() {
	if id := c.m.ID; id.Ok() {
		switch {
		case !manifest.ValidID(id.Value()):
			c.fault(CodeID, id.Node, fmt.Sprintf("The id of a tool has %s; this is %s.%s", manifest.IDRule, manifest.Quote(id.Value()), foreign(id.Value())))
		case reservedName(id.Value()):
			c.fault(CodeID, id.Node, fmt.Sprintf("The id %s is a device name on Windows, so the tool could not be saved as a file there. Choose another.", manifest.Quote(id.Value())))
		}
	}
	if version := c.m.Version; version.Ok() {
		if n, ok := value.Integer(version.Value()); !ok || n < 1 || n > maxVersion {
			c.fault(CodeVersion, version.Node, fmt.Sprintf(
				"A version is a whole number from 1 to %d; this is %s.", int64(maxVersion), version.Value()))
		}
	}
	c.name(CodeTitle, "title", c.m.Title, maxTitle)
	c.name(CodeDescription, "description", c.m.Description, maxDescription)
}

// name checks a text that people and models read to know the tool.
func (c *checker) name(code, what string, f manifest.Text, most int) {
	if !f.Ok() {
		return
	}
	length := value.TextLen(f.Value())
	switch {
	case blank(f.Value()):
		c.fault(code, f.Node, fmt.Sprintf("The %s is empty. It needs 1 to %d characters.", what, most))
	case length > most:
		c.fault(code, f.Node, fmt.Sprintf("The %s has at most %d characters; this has %d.", what, most, length))
	default:
		if units := value.UTF16Len(f.Value()); units > most {
			c.warn(code, f.Node, fmt.Sprintf(
				"The %s has %d characters, but programs that count UTF-16 units see %d and may cut it at %d.", what, length, units, most))
		}
	}
	c.readable(code, "The "+what, f)
}

// blank reports whether a text has nothing but white space, by ECMAScript's idea of it,
// which the format comes from: Unicode's spaces without U+0085, and U+FEFF.
func blank(s string) bool {
	return strings.TrimFunc(s, func(r rune) bool {
		return r == 0xFEFF || unicode.IsSpace(r) && r != 0x85
	}) == ""
}

// reservedName reports whether an id, as the name of a file, would name a device on
// Windows, with or without an extension.
func reservedName(id string) bool {
	base, _, _ := strings.Cut(id, ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	if len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")) {
		return base[3] >= '1' && base[3] <= '9'
	}
	return false
}
