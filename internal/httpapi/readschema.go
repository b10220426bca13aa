package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"toolsmith/internal/value"
)

// resolved is a schema in the place of what refers to it, with what all of several say of it.
func (r *reader) resolved(schema any) map[string]any {
	object, _ := schema.(map[string]any)
	for range mostOfLevels {
		to, ok := object["$ref"].(string)
		if !ok {
			break
		}
		object = r.find(to)
	}
	list, _ := object["allOf"].([]any)
	if len(list) == 0 {
		return object
	}
	out := maps.Clone(object)
	delete(out, "allOf")
	properties, required := maps.Clone(objectIn(out, "properties")), slices.Clone(anyList(out["required"]))
	if properties == nil {
		properties = map[string]any{}
	}
	for _, one := range list {
		part, _ := one.(map[string]any)
		if to, ok := part["$ref"].(string); ok {
			part = r.find(to)
		}
		for keyword, v := range part {
			if _, has := out[keyword]; !has && keyword != "properties" && keyword != "required" {
				out[keyword] = v
			}
		}
		maps.Copy(properties, objectIn(part, "properties"))
		required = append(required, anyList(part["required"])...)
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func anyList(v any) []any {
	list, _ := v.([]any)
	return list
}

// find gives the schema that is referred to.
func (r *reader) find(to string) map[string]any {
	name, ok := strings.CutPrefix(to, schemasAt)
	if !ok {
		return nil
	}
	parts := strings.Split(name, "/")
	at := r.schemas[parts[0]]
	for _, part := range parts[1:] {
		switch v := at.(type) {
		case map[string]any:
			at = v[unescaped(part)]
		default:
			return nil
		}
	}
	object, _ := at.(map[string]any)
	return object
}

// schema shows a schema; level is how deep it is in others, since a schema may mean itself.
func (r *reader) schema(schema any, level int) shownSchema {
	object := r.resolved(schema)
	out := shownSchema{Type: r.typeOf(object, 0), Limits: limitsOf(object), Meaning: block(textIn(object, "description"))}
	if !r.spend() || level >= mostOfLevels {
		return out
	}
	inner := object
	for range mostOfLevels { // what a list has in it
		items, ok := inner["items"]
		if !ok {
			break
		}
		inner = r.resolved(items)
	}
	properties := objectIn(inner, "properties")
	names := slices.Sorted(maps.Keys(properties))
	slices.SortStableFunc(names, func(a, b string) int { return bools(isRequired(inner, b)) - bools(isRequired(inner, a)) })
	for i, name := range names {
		if i == mostOfFields || r.left <= 0 {
			out.More = len(names) - i
			break
		}
		out.Fields = append(out.Fields, r.field(name, properties[name], isRequired(inner, name), level+1))
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		for i, one := range anyList(inner[keyword]) {
			if i == mostOfFields || r.left <= 0 {
				break
			}
			if shown := r.schema(one, level+1); len(shown.Fields) > 0 || len(shown.Choices) > 0 {
				shown.Name = r.nameOf(one)
				out.Choices = append(out.Choices, &shown)
			}
		}
	}
	return out
}

// nameOf is what one of several choices is known by: what its type always is, or the name under
// which the document has it.
func (r *reader) nameOf(schema any) string {
	properties := objectIn(r.resolved(schema), "properties")
	if always := textIn(objectIn(properties, "type"), "const"); always != "" {
		return line(always)
	}
	object, _ := schema.(map[string]any)
	name := strings.TrimPrefix(textIn(object, "$ref"), schemasAt)
	return line(name[strings.LastIndex(name, ".")+1:])
}

func (r *reader) field(name string, schema any, required bool, level int) shownField {
	shown := r.schema(schema, level)
	out := shownField{Name: line(name), Type: shown.Type, Limits: shown.Limits, Meaning: shown.Meaning, Required: required}
	if own, ok := schema.(map[string]any); ok && textIn(own, "description") != "" {
		out.Meaning = block(textIn(own, "description"))
	}
	if len(shown.Fields) > 0 || len(shown.Choices) > 0 {
		shown.Meaning = ""
		out.Inner = &shown
	}
	return out
}

func typesOf(object map[string]any) (types []string) {
	switch v := object["type"].(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			types = append(types, fmt.Sprint(one))
		}
	}
	return types
}

// typeOf says in words what a value has to be.
func (r *reader) typeOf(object map[string]any, level int) string {
	if r.words--; r.words < 0 {
		return "anything"
	}
	types := typesOf(object)
	if list := anyList(object["enum"]); len(types) == 0 && len(list) > 0 {
		return "one of several values"
	}
	if _, ok := object["const"]; ok && len(types) == 0 {
		return "one value"
	}
	if either := append(anyList(object["anyOf"]), anyList(object["oneOf"])...); len(types) == 0 && level < mostOfLevels {
		for _, one := range either {
			if word := r.typeOf(r.resolved(one), level+1); !slices.Contains(types, word) {
				types = append(types, word)
			}
		}
		return line(orAny(strings.Join(types, " or ")))
	}
	for i, one := range types {
		if one == "array" && level < mostOfLevels {
			types[i] = "list"
			if items, ok := object["items"]; ok {
				types[i] += " of " + r.typeOf(r.resolved(items), level+1)
			}
		}
	}
	return line(orAny(strings.Join(types, " or ")))
}

func orAny(s string) string {
	if s == "" {
		return "anything"
	}
	return s
}

// limitsOf says which values of its type are allowed.
func limitsOf(object map[string]any) string {
	var out []string
	add := func(keyword, words string) {
		if v, ok := object[keyword]; ok {
			out = append(out, words+textOf(v))
		}
	}
	if list := anyList(object["enum"]); len(list) > 0 {
		words := make([]string, 0, len(list))
		for _, one := range list {
			words = append(words, textOf(one))
		}
		out = append(out, "one of "+strings.Join(words, ", "))
	}
	add("const", "always ")
	if slices.Contains(typesOf(object), "string") { // what it says of numbers is for generators
		add("format", "format ")
	}
	add("minimum", "at least ")
	add("exclusiveMinimum", "more than ")
	add("maximum", "at most ")
	add("exclusiveMaximum", "less than ")
	add("multipleOf", "a multiple of ")
	between := func(least, most, what string) {
		from, hasLeast := object[least]
		to, hasMost := object[most]
		switch {
		case hasLeast && hasMost && textOf(from) != "0":
			out = append(out, textOf(from)+" to "+textOf(to)+" "+what)
		case hasMost:
			out = append(out, "at most "+textOf(to)+" "+what)
		case hasLeast && textOf(from) != "0":
			out = append(out, "at least "+textOf(from)+" "+what)
		}
	}
	between("minLength", "maxLength", "characters")
	between("minItems", "maxItems", "items")
	add("pattern", "matches ")
	add("default", "by default ")
	const most = 400
	text := strings.Join(out, "; ")
	if utf8.RuneCountInString(text) > most {
		return cutWord(text, most)
	}
	return text
}

// textOf writes a value as people do: a text without quotes.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return line(v)
	case json.Number:
		return string(v)
	}
	return line(string(value.AppendJSON(nil, v)))
}
