package httpapi

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"toolsmith/internal/value"
)

// schemasAt is where the schemas of the document are.
const schemasAt = "#/components/schemas/"

// schemaOf is a schema that stands by itself, as a part of the document: its definitions become
// components of the document under names of their own, and what refers to them does so there.
// name has no dot in it, nor have the names that the rest of the document gives, so that no two
// schemas meet in one place.
func schemaOf(schemas map[string]any, name string, text json.RawMessage) any {
	v, err := value.Decode(text)
	if err != nil {
		return map[string]any{}
	}
	schema, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for _, own := range []string{"$schema", "$id"} { // the document has its own
		delete(schema, own)
	}
	m := &mover{name: name, homes: map[string]string{}}
	definitions := m.takeOut(schema)
	m.move(schema)
	for _, one := range definitions {
		m.move(one)
	}
	if m.stuck { // it cannot be a part of anything; everybody may look at it under /v1/tools
		return map[string]any{}
	}
	for place, one := range definitions {
		schemas[m.homes[place]] = one
	}
	if m.whole { // it means itself
		schemas[name] = schema
		return map[string]any{"$ref": schemasAt + name}
	}
	return schema
}

// mover has what refers to parts of a schema refer to the components that they become.
type mover struct {
	// name of the component that the schema as a whole becomes, if it is referred to.
	name string
	// homes are the components of the definitions, by their places, such as "$defs/item".
	homes map[string]string
	// whole: the schema as a whole is referred to.
	whole bool
	// stuck: something in it is found by another way than its place.
	stuck bool
}

// takeOut takes the definitions out of a schema, by their places.
func (m *mover) takeOut(schema map[string]any) map[string]any {
	definitions, taken := map[string]any{}, map[string]bool{}
	for _, keyword := range []string{"$defs", "definitions"} {
		group, ok := schema[keyword].(map[string]any)
		if !ok {
			continue
		}
		for name, wire := range wireNames("", slices.Collect(maps.Keys(group)), func(wire string) bool { return taken[wire] }) {
			place := keyword + "/" + name
			definitions[place], m.homes[place], taken[wire] = group[name], m.name+"."+wire, true
		}
		delete(schema, keyword)
	}
	return definitions
}

// move rewrites what a schema refers to.
func (m *mover) move(schema any) {
	object, ok := schema.(map[string]any)
	if !ok {
		return
	}
	for _, keyword := range []string{"$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"} {
		if _, has := object[keyword]; has {
			m.stuck = true
		}
	}
	if to, ok := object["$ref"].(string); ok {
		object["$ref"] = m.moved(to)
	}
	eachPart(object, func(part any) any {
		m.move(part)
		return part
	})
}

// moved is where something is in the document that is at a place in the schema.
func (m *mover) moved(to string) string {
	place, local := strings.CutPrefix(to, "#")
	if local && place == "" {
		m.whole = true
		return schemasAt + m.name
	}
	if !local || place[0] != '/' {
		m.stuck = true
		return to
	}
	parts := strings.SplitN(place[1:], "/", 3)
	if len(parts) > 1 {
		if home, ok := m.homes[parts[0]+"/"+unescaped(parts[1])]; ok {
			return strings.Join(append([]string{schemasAt + home}, parts[2:]...), "/")
		}
	}
	m.whole = true
	return schemasAt + m.name + place
}

// unescaped reads one part of a JSON pointer in an address.
func unescaped(part string) string {
	if plain, err := url.PathUnescape(part); err == nil {
		part = plain
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
}

// eachPart puts what do makes of each schema in a schema into its place. What only looks like a
// schema, such as an example or a value that is allowed, is left alone.
func eachPart(schema map[string]any, do func(any) any) {
	for keyword, v := range schema {
		switch keyword {
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema":
			schema[keyword] = do(v)
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			group, _ := v.(map[string]any)
			for name, one := range group {
				group[name] = do(one)
			}
		case "allOf", "anyOf", "oneOf", "prefixItems":
			list, _ := v.([]any)
			for i, one := range list {
				list[i] = do(one)
			}
		}
	}
}
