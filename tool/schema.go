package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// schema writes the shape as a JSON Schema, with the keywords in an order that reads well.
func (s *shape) schema() json.RawMessage {
	if s == nil {
		return nil
	}
	return s.appendSchema(nil)
}

func (s *shape) appendSchema(b []byte) []byte {
	b = append(b, '{')
	first := true
	keyword := func(name string) {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(appendJSON(b, name), ':')
	}
	if t := s.kind.schemaType(); t != "" {
		keyword("type")
		b = appendJSON(b, t)
	}
	for _, one := range []struct{ name, text string }{{"description", s.describe()}, {"format", s.format}} {
		if one.text != "" {
			keyword(one.name)
			b = appendJSON(b, one.text)
		}
	}
	if s.enum != nil {
		keyword("enum")
		b = appendJSON(b, s.enum)
	}
	if s.byDefault != nil {
		keyword("default")
		b = append(b, s.byDefault...)
	}
	for _, one := range []struct {
		name  string
		bound json.Number
	}{{"minimum", s.least}, {"maximum", s.most}} {
		if one.bound != "" {
			keyword(one.name)
			b = append(b, one.bound...)
		}
	}
	for _, one := range []struct {
		name  string
		bound *int
	}{{"minLength", s.minLength}, {"maxLength", s.maxLength}, {"minItems", s.minItems}, {"maxItems", s.maxItems}} {
		if one.bound != nil {
			keyword(one.name)
			b = strconv.AppendInt(b, int64(*one.bound), 10)
		}
	}
	switch {
	case s.kind == listKind:
		keyword("items")
		b = s.items.appendSchema(b)
	case s.kind == mapKind && s.items.kind != anyKind:
		keyword("additionalProperties")
		b = s.items.appendSchema(b)
	case s.kind == objectKind:
		keyword("properties")
		b = s.appendProperties(b)
		if required := s.requiredNames(); len(required) > 0 {
			keyword("required")
			b = appendJSON(b, required)
		}
		keyword("additionalProperties")
		b = append(b, "false"...)
	}
	return append(b, '}')
}

func (s *shape) appendProperties(b []byte) []byte {
	b = append(b, '{')
	for i, f := range s.fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSON(b, f.name), ':')
		b = f.shape.appendSchema(b)
	}
	return append(b, '}')
}

func (s *shape) requiredNames() []string {
	var names []string
	for _, f := range s.fields {
		if f.required {
			names = append(names, f.name)
		}
	}
	return names
}

// describe is the description. That a text is base64 is said there, for there are models
// that refuse the whole tool for the keyword that would say it.
func (s *shape) describe() string {
	switch {
	case !s.bytes:
		return s.description
	case s.description == "":
		return "Bytes, in base64."
	}
	return s.description + " (base64)"
}

// appendJSON writes what is known to be writable.
func appendJSON(b []byte, v any) []byte {
	buffer := bytes.NewBuffer(b)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // texts, numbers and lists and objects of them
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// fits holds a JSON value against the shape. It serves the defaults and choices in tags;
// arguments are checked by the host, with the schema.
func (s *shape) fits(v any) error {
	switch s.kind {
	case textKind:
		return s.fitsText(v)
	case boolKind:
		if _, ok := v.(bool); !ok {
			return fmt.Errorf("%s is not true or false", appendJSON(nil, v))
		}
	case integerKind, numberKind:
		return s.fitsNumber(v)
	case listKind:
		return s.fitsList(v)
	case mapKind, objectKind:
		return s.fitsObject(v)
	default: // any
	}
	return nil
}

func (s *shape) fitsText(v any) error {
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("%s is no text", appendJSON(nil, v))
	}
	n := utf8.RuneCountInString(text)
	switch {
	case s.minLength != nil && n < *s.minLength:
		return fmt.Errorf("%q is shorter than minLength, %d", text, *s.minLength)
	case s.maxLength != nil && n > *s.maxLength:
		return fmt.Errorf("%q is longer than maxLength, %d", text, *s.maxLength)
	}
	return s.fitsEnum(v)
}

func (s *shape) fitsNumber(v any) error {
	n, _ := v.(json.Number)
	r, ok := rational(n)
	switch {
	case !ok:
		return fmt.Errorf("%s is no number", appendJSON(nil, v))
	case s.kind == integerKind && !r.IsInt():
		return fmt.Errorf("%s is no whole number", n)
	case compareNumbers(s.least, n) > 0:
		return fmt.Errorf("%s is below the minimum, %s", n, s.least)
	case compareNumbers(n, s.most) > 0:
		return fmt.Errorf("%s is above the maximum, %s", n, s.most)
	}
	return s.fitsEnum(v)
}

func (s *shape) fitsEnum(v any) error {
	if s.enum != nil && !isChoice(s.enum, v) {
		return fmt.Errorf("%s is none of the choices", appendJSON(nil, v))
	}
	return nil
}

// isChoice looks for a text or a number, numbers by their value.
func isChoice(list []any, v any) bool {
	n, isNumber := v.(json.Number)
	return slices.ContainsFunc(list, func(choice any) bool {
		if !isNumber {
			return choice == v
		}
		other, ok := choice.(json.Number)
		return ok && compareNumbers(other, n) == 0
	})
}

func (s *shape) fitsList(v any) error {
	list, ok := v.([]any)
	switch {
	case !ok:
		return fmt.Errorf("%s is no list", appendJSON(nil, v))
	case s.minItems != nil && len(list) < *s.minItems:
		return fmt.Errorf("it has fewer items than minItems, %d", *s.minItems)
	case s.maxItems != nil && len(list) > *s.maxItems:
		return fmt.Errorf("it has more items than maxItems, %d", *s.maxItems)
	}
	for i, item := range list {
		if err := s.items.fits(item); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	return nil
}

func (s *shape) fitsObject(v any) error {
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is no object", appendJSON(nil, v))
	}
	var missing []string
	for _, f := range s.fields {
		if _, ok := object[f.name]; f.required && !ok {
			missing = append(missing, f.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("it lacks %s", strings.Join(missing, ", "))
	}
	for name, item := range object {
		inner := s.member(name)
		if inner == nil {
			return fmt.Errorf("there is no field %q", name)
		}
		if err := inner.fits(item); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
