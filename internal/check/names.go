package check

import (
	"fmt"
	"strings"

	"toolsmith/internal/visible"
)

// NamePrefix stands before the id of a forged tool in the name under which it is called.
const NamePrefix = "dynamic:"

// CodedPrefix stands before the name of a coded tool in its id in the registry. It tells the two
// kinds apart wherever an id stands: the id of a manifest holds no ":".
const CodedPrefix = "code:"

// ToolName is the name under which the tool with an id is called: "dynamic:<id>" for a forged
// tool, and its own name for a coded one.
func ToolName(id string) string {
	if name, ok := strings.CutPrefix(id, CodedPrefix); ok {
		return name
	}
	return NamePrefix + id
}

// CodeNameTaken is the code for a name that could be taken for that of another tool.
const CodeNameTaken = "FORGE_NAME_TAKEN"

// NameKey folds an id so that two ids that some program would write alike have one key:
// "read-file", "read_file" and "read.file", whether they are manifests or coded tools.
func NameKey(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, BareName(id))
}

// ReadsAlike says why two ids, or names, are taken for each other; "" where they are not.
func ReadsAlike(id, other string) string {
	switch key := NameKey(id); {
	case key == NameKey(other):
		return fmt.Sprintf("some programs write both as %q", key)
	case visible.Alike(BareName(id), BareName(other)):
		return "the two are easily taken for each other"
	}
	return ""
}

// BareName is the name of a tool as its author writes it, for the id that it has in the registry.
func BareName(id string) string { return strings.TrimPrefix(id, CodedPrefix) }
