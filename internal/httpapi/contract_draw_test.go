package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"toolsmith/internal/value"
)

// described is the document of a server as somebody sees it.
type described struct {
	root       map[string]any
	operations []endpoint
}

// endpoint is one operation of it.
type endpoint struct {
	method, path, id string
	object           map[string]any
}

func describedBy(text []byte) (*described, error) {
	v, err := value.Decode(text)
	if err != nil {
		return nil, err
	}
	root, _ := v.(map[string]any)
	d := &described{root: root}
	paths := in(root, "paths")
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := in(paths, path)
		for _, method := range []string{"get", "put", "post", "delete", "patch"} {
			if object := in(item, method); object != nil {
				d.operations = append(d.operations, endpoint{strings.ToUpper(method), path, fmt.Sprint(object["operationId"]), object})
			}
		}
	}
	return d, nil
}

// in goes into objects by names; nil where there is none.
func in(v any, names ...string) map[string]any {
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	object, _ := v.(map[string]any)
	return object
}

func listIn(object map[string]any, name string) []any {
	list, _ := object[name].([]any)
	return list
}

// body is the schema of the body of an operation; nil where it has none.
func (o endpoint) body() (schema any, ok bool) {
	media := in(o.object, "requestBody", "content", "application/json")
	return media["schema"], media != nil
}

// parameters of an operation.
func (o endpoint) parameters() (list []map[string]any) {
	for _, one := range listIn(o.object, "parameters") {
		p, _ := one.(map[string]any)
		list = append(list, p)
	}
	return list
}

// resolve follows what a schema refers to, and puts together what all of several say.
func (d *described) resolve(schema any) map[string]any {
	object, _ := schema.(map[string]any)
	for to, ok := object["$ref"].(string); ok; to, ok = object["$ref"].(string) {
		parts := strings.Split(strings.TrimPrefix(to, "#/"), "/")
		for i, part := range parts {
			plain, _ := url.PathUnescape(part)
			parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(plain)
		}
		object = in(d.root, parts...)
	}
	if list := listIn(object, "allOf"); len(list) > 0 {
		all := maps.Clone(object)
		delete(all, "allOf")
		for _, one := range list {
			for keyword, v := range d.resolve(one) {
				if keyword == "properties" && all[keyword] != nil {
					both := maps.Clone(in(all, keyword))
					maps.Copy(both, v.(map[string]any))
					v = both
				}
				all[keyword] = v
			}
		}
		return all
	}
	return object
}

const deepest = 4

func number(v any, otherwise int) int {
	if n, ok := v.(json.Number); ok {
		if i, ok := value.Integer(n); ok {
			return int(i)
		}
	}
	return otherwise
}

// odd are texts that trouble what reads them.
func odd() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"", " ", "\x00", "a\x00b", "\u202eabc", "\u200b", "\U000E0041", "İ", "\ufeff", "\u2028", "😀", "é", "../..", "%2e%2e", "{{secrets.k}}", "$previous",
		"'; drop table tasks; --", "<script>", "9007199254740993", "-1", "null", "__proto__", "constructor", strings.Repeat("x", 201), strings.Repeat("ä", 5000),
	})
}

// drawValue draws what fits a schema, as far as it is understood here.
func (d *described) drawValue(t *rapid.T, schema any, level int) any {
	object := d.resolve(schema)
	if list := listIn(object, "enum"); len(list) > 0 {
		return rapid.SampledFrom(list).Draw(t, "enum")
	}
	if v, ok := object["const"]; ok {
		return v
	}
	if either := append(slices.Clone(listIn(object, "anyOf")), listIn(object, "oneOf")...); len(either) > 0 {
		one := maps.Clone(d.resolve(rapid.SampledFrom(either).Draw(t, "either")))
		if one["type"] == nil && object["type"] != nil {
			one["type"] = object["type"]
		}
		return d.drawValue(t, one, level)
	}
	kind, _ := object["type"].(string)
	if list := listIn(object, "type"); len(list) > 0 {
		kind, _ = rapid.SampledFrom(list).Draw(t, "type").(string)
	}
	if kind == "" && object["properties"] != nil {
		kind = "object"
	}
	if kind == "" {
		kind = rapid.SampledFrom([]string{"string", "integer", "boolean", "null", "array", "object"}).Draw(t, "any")
	}
	switch kind {
	case "string":
		return drawText(t, object)
	case "integer", "number":
		least := number(object["minimum"], -5)
		return value.Int(rapid.IntRange(least, min(number(object["maximum"], least+20), least+20)).Draw(t, "number"))
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case "array":
		least := number(object["minItems"], 0)
		list := make([]any, rapid.IntRange(least, max(least, min(3, number(object["maxItems"], 3)))).Draw(t, "items"))
		for i := range list {
			if level < deepest {
				list[i] = d.drawValue(t, object["items"], level+1)
			}
		}
		return list
	case "object":
		return d.drawObject(t, object, level)
	}
	return nil
}

func (d *described) drawObject(t *rapid.T, object map[string]any, level int) any {
	out := map[string]any{}
	properties, required := in(object, "properties"), listIn(object, "required")
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || level < deepest && rapid.IntRange(0, 2).Draw(t, name) == 0 {
			out[name] = d.drawValue(t, properties[name], level+1)
		}
	}
	if more, ok := object["additionalProperties"].(map[string]any); ok && level < deepest && rapid.Bool().Draw(t, "more") {
		out["more"] = d.drawValue(t, more, level+1)
	}
	return out
}

func drawText(t *rapid.T, object map[string]any) string {
	if pattern, ok := object["pattern"].(string); ok {
		return rapid.StringMatching(pattern).Draw(t, "matching")
	}
	if object["format"] == "date-time" {
		return rapid.SampledFrom([]string{"2026-11-30T16:00:00Z", "2036-01-01T00:00:00+01:00"}).Draw(t, "time")
	}
	least := number(object["minLength"], 0)
	return rapid.StringOfN(rapid.OneOf(rapid.RuneFrom([]rune("abc é😀")), rapid.Rune()), least, max(least, min(12, number(object["maxLength"], 12))), -1).Draw(t, "text")
}

// drawBody draws the text of a body: mostly one that fits, else one that does not, or is none.
func (d *described) drawBody(t *rapid.T, schema any) string {
	v := d.drawValue(t, schema, 0)
	switch rapid.IntRange(0, 16).Draw(t, "body") {
	case 0:
		v = without(t, v)
	case 1:
		v = replaced(t, v, rapid.SampledFrom([]any{nil, true, value.Int(7), json.Number("1.5"), "text", []any{}, map[string]any{}, json.Number("1e300"), json.Number("9007199254740993")}).Draw(t, "instead"))
	case 2:
		v = replaced(t, v, odd().Draw(t, "odd"))
	case 3:
		if object, ok := v.(map[string]any); ok {
			object[rapid.OneOf(odd(), rapid.Just("unknown")).Draw(t, "name")] = true
		}
	case 4:
		return rapid.SampledFrom([]string{"", " ", "null", "[]", "\"x\"", "1", "{", "}", "nope", "\xff\xfe", "{}{}", "\ufeff{}", "{'a':1}", "[1,]", "NaN", `{"a":1e999}`, `{"a\u0000b":1}`, `{"x":"\ud800"}`}).Draw(t, "text")
	case 5:
		text := string(value.AppendJSON(nil, v))
		if name := firstName(v); name != "" {
			return "{" + string(value.AppendJSON(nil, name)) + ":1," + text[1:]
		}
		return text
	case 6:
		deep := rapid.SampledFrom([]int{100, 10_001}).Draw(t, "deep")
		return strings.Repeat("[", deep) + strings.Repeat("]", deep)
	case 7:
		v = replaced(t, v, strings.Repeat("x", rapid.SampledFrom([]int{70_000, 1 << 20}).Draw(t, "huge")))
	}
	return string(value.AppendJSON(nil, v))
}

func firstName(v any) string {
	object, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		return name
	}
	return ""
}

// without leaves a field out, and replaced puts something else in the place of a value.
func without(t *rapid.T, v any) any {
	object, ok := v.(map[string]any)
	if !ok || len(object) == 0 {
		return nil
	}
	delete(object, rapid.SampledFrom(slices.Sorted(maps.Keys(object))).Draw(t, "left out"))
	return object
}

func replaced(t *rapid.T, v, by any) any {
	object, ok := v.(map[string]any)
	if !ok || len(object) == 0 {
		return by
	}
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(object))).Draw(t, "replaced")
	object[name] = by
	return object
}

// drawn is a request.
type drawn struct {
	operation endpoint
	// path with its query.
	path, body string
	kind       string // of the body
	headers    [][2]string
	hasBody    bool
	// unclean: the path is one that is led to another.
	unclean bool
}

// drawRequest draws a request for an operation. known gives what a parameter of a path may be.
func (d *described) drawRequest(t *rapid.T, o endpoint, known func(path, name string) []string, valid bool) drawn {
	r := drawn{operation: o, path: o.path}
	query := url.Values{}
	for _, p := range o.parameters() {
		name := fmt.Sprint(p["name"])
		switch p["in"] {
		case "path":
			text := d.drawInPath(t, p, known(o.path, name), valid)
			r.unclean = r.unclean || text == "" || slices.ContainsFunc(strings.Split(text, "/"), func(s string) bool { return s == "" || s == "." || s == ".." })
			r.path = strings.Replace(r.path, "{"+name+"}", url.PathEscape(text), 1)
		case "query":
			if name == "wait" { // nothing but the end of a call is waited for, and that not here
				query.Set(name, "0")
				if !valid && rapid.IntRange(0, 9).Draw(t, "bad wait") == 0 {
					query.Set(name, rapid.SampledFrom([]string{"00", "-1", "301", "x", "1.5", "99999999999999999999"}).Draw(t, name))
				}
			} else if rapid.IntRange(0, 3).Draw(t, name) == 0 {
				query.Set(name, fmt.Sprint(d.drawValue(t, p["schema"], 0)))
				if !valid && rapid.Bool().Draw(t, "odd query") {
					query[name] = []string{odd().Draw(t, "odd"), "1"}[:rapid.IntRange(1, 2).Draw(t, "times")]
				}
			}
		case "header":
			if text := drawText(t, d.resolve(p["schema"])); rapid.IntRange(0, 3).Draw(t, name) == 0 {
				if !valid {
					text = rapid.OneOf(rapid.Just(text), odd()).Draw(t, "odd header")
				}
				text = strings.Map(func(r rune) rune { return map[bool]rune{true: r, false: '?'}[r >= ' ' && r != 0x7f] }, text)
				r.headers = append(r.headers, [2]string{name, text})
			}
		}
	}
	if !valid && rapid.IntRange(0, 19).Draw(t, "unknown query") == 0 {
		query.Set("colour", "red")
	}
	if schema, ok := o.body(); ok {
		r.hasBody, r.kind = true, "application/json"
		if !valid && rapid.IntRange(0, 15).Draw(t, "kind") == 0 {
			r.kind = rapid.SampledFrom([]string{"text/plain", "application/x-www-form-urlencoded", "application/problem+json", "application/json; charset=latin1", "json", ""}).Draw(t, "of")
		}
		if valid {
			r.body = string(value.AppendJSON(nil, d.drawValue(t, schema, 0)))
		} else {
			r.body = d.drawBody(t, schema)
		}
	}
	if text := query.Encode(); text != "" {
		r.path += "?" + text
	}
	return r
}

func (d *described) drawInPath(t *rapid.T, p map[string]any, known []string, valid bool) string {
	schema := d.resolve(p["schema"])
	switch {
	case schema["enum"] != nil && (valid || rapid.IntRange(0, 4).Draw(t, "enum") > 0):
		return fmt.Sprint(d.drawValue(t, schema, 0))
	case len(known) > 0 && (valid || rapid.IntRange(0, 3).Draw(t, "known") > 0):
		return rapid.SampledFrom(known).Draw(t, "id")
	case valid:
		return drawText(t, map[string]any{"minLength": value.Int(1)})
	}
	return rapid.OneOf(odd(), rapid.String(), rapid.SampledFrom([]string{"0", "01", "a/b", ".", ".."})).Draw(t, "path")
}

// example draws a request outside of a check.
func (d *described) example(o endpoint, known func(path, name string) []string, valid bool, seed int) drawn {
	return rapid.Custom(func(t *rapid.T) drawn {
		rapid.Bool().Draw(t, "something") // else there is nothing to draw for some
		return d.drawRequest(t, o, known, valid)
	}).Example(seed)
}
