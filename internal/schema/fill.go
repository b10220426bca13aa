package schema

import "toolsmith/internal/value"

// maxFilled bounds how much Fill adds, in bytes: a list of many empty objects must not
// become a thousand times as large.
const maxFilled = 1 << 20

// Fill gives a value like v in which fields that are absent have the defaults of the
// schema, also fields of what is there by default. v itself is not changed. A value to
// which more than 1 MiB would be added is given back as it is.
func (s *Schema) Fill(v any) any {
	if s == nil {
		return v
	}
	f := filler{left: maxFilled}
	filled := f.fill(s.raw, v)
	if f.left < 0 {
		return v
	}
	return filled
}

// filler counts down how much may still be added.
type filler struct{ left int }

func (f *filler) fill(raw, v any) any {
	at, ok := raw.(map[string]any)
	if !ok || f.left < 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		return f.object(at, v)
	case []any:
		items, ok := at["items"]
		if !ok {
			return v
		}
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = f.fill(items, item)
		}
		return list
	}
	return v
}

func (f *filler) object(at, v map[string]any) any {
	properties, ok := at["properties"].(map[string]any)
	if !ok {
		return v
	}
	object := make(map[string]any, len(v))
	for name, item := range v {
		object[name] = f.fill(properties[name], item)
	}
	for name, property := range properties {
		p, _ := property.(map[string]any)
		byDefault, ok := p["default"]
		if _, given := v[name]; given || !ok || f.left < 0 {
			continue
		}
		f.left -= len(name) + value.Size(byDefault)
		object[name] = f.fill(p, byDefault)
	}
	return object
}
