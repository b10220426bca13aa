package check

import "strings"

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

// BareName is the name of a tool as its author writes it, for the id that it has in the registry.
func BareName(id string) string { return strings.TrimPrefix(id, CodedPrefix) }
