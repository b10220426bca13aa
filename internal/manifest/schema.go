package manifest

import (
	"fmt"
	"slices"

	"toolsmith/internal/nearest"
	"toolsmith/internal/value"
)

// schemaKeywords is the subset of JSON Schema (draft 2020-12) that a manifest may use.
var schemaKeywords = []string{
	"type", "properties", "required", "items", "enum", "additionalProperties",
	"minLength", "maxLength", "minimum", "maximum",
	"title", "description", "default", "examples",
}

// SchemaTypes are the values of the keyword "type".
var schemaTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// inputSchema reads the schema of a tool's parameters. The tool's own title and
// description stand at the top of the manifest, so the top of this schema has none: a
// second one could say something else to the model than to the person.
func (d *decoder) inputSchema(n *value.Node) *value.Node {
	if d.schema(n) == nil {
		return nil
	}
	for _, name := range []string{"title", "description"} {
		if kid := n.Get(name); kid != nil {
			d.AtName(LevelError, CodeStructure, kid, fmt.Sprintf(
				"The top of \"inputSchema\" has no %q: the tool's own %q says it. Properties may have one.", name, name))
		}
	}
	return n
}

// schema checks the structure of a schema and gives it back if it is an object.
func (d *decoder) schema(n *value.Node) *value.Node {
	if n == nil {
		return nil
	}
	if n.Kind != value.Object {
		d.wrongKind(n, value.Object, "a schema")
		return nil
	}
	for kid := range n.Kids() {
		d.keyword(kid)
	}
	return n
}

func (d *decoder) keyword(n *value.Node) {
	switch n.Name {
	case "type":
		if n.Kind == value.Array {
			d.At(LevelError, CodeStructure, n, `"type" is one type here, not a list of types.`)
			return
		}
		d.oneOf(n, schemaTypes...)
	case "properties":
		d.schemas(n)
	case "required":
		d.texts(n)
	case "items":
		if n.Kind == value.Array {
			d.At(LevelError, CodeStructure, n, `"items" is one schema here, for every item; a list of schemas is not supported.`)
			return
		}
		d.schema(n)
	case "enum", "examples":
		d.isList(n)
	case "additionalProperties":
		d.boolean(n)
	case "minLength", "maxLength", "minimum", "maximum":
		d.number(n)
	case "title", "description":
		d.text(n)
	case "default":
	default:
		d.AtName(LevelError, CodeStructure, n, fmt.Sprintf(
			"The schema keyword %s is not supported.%s", Quote(n.Name), keywordHint(n.Name)))
	}
}

func keywordHint(name string) string {
	switch {
	case slices.Contains([]string{"anyOf", "oneOf", "allOf", "not", "if"}, name):
		return " Describe one shape; where a value has several, leave \"type\" out and say so in \"description\"."
	case slices.Contains([]string{"pattern", "format"}, name):
		return " Say it in \"description\", and bound the text by \"maxLength\" or \"enum\"."
	case slices.Contains([]string{"$ref", "$defs", "definitions", "$schema", "$id"}, name):
		return " A manifest's schema stands by itself: write the part out where it is used."
	case name == "const":
		return ` Write {"enum": [value]}.`
	}
	if near := nearest.To(name, schemaKeywords); near != "" {
		return fmt.Sprintf(" Did you mean %q?", near)
	}
	return ""
}

// schemas checks an object whose members are schemas.
func (d *decoder) schemas(n *value.Node) bool {
	if n.Kind != value.Object {
		d.wrongKind(n, value.Object, "")
		return false
	}
	for kid := range n.Kids() {
		d.schema(kid)
	}
	return true
}
