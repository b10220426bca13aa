package schema_test

import (
	"testing"

	"toolsmith/internal/value"
)

func TestFill(t *testing.T) {
	t.Parallel()
	const flat = `{"properties":{"a":{"default":1},"b":{"default":null},"c":{},"d":{"default":{"x":[1]}}}}`
	const deep = `{"properties":{
		"opts":{"properties":{"size":{"default":3},"more":{"properties":{"on":{"default":true}}}}},
		"rows":{"items":{"properties":{"n":{"default":0},"cells":{"items":{"items":{"properties":{"v":{"default":"x"}}}}}}}},
		"kind":{"default":{},"properties":{"name":{"default":"plain"}}},
		"list":{"default":[{},{"n":1}],"items":{"properties":{"n":{"default":2}}}}}}`
	tests := []struct{ name, schema, v, want string }{
		{"absent fields", flat, `{}`, `{"a":1,"b":null,"d":{"x":[1]}}`},
		{"given fields stay", flat, `{"a":2,"b":3,"c":4,"d":5,"e":6}`, `{"a":2,"b":3,"c":4,"d":5,"e":6}`},
		{"a given null stays", flat, `{"a":null,"d":null}`, `{"a":null,"b":null,"d":null}`},
		{"an empty text stays", flat, `{"a":""}`, `{"a":"","b":null,"d":{"x":[1]}}`},
		{"objects inside", deep, `{"opts":{"more":{}},"kind":{"name":1},"list":[]}`, `{"kind":{"name":1},"list":[],"opts":{"more":{"on":true},"size":3}}`},
		{"objects that are absent are not made", deep, `{"opts":{},"kind":1,"list":1}`, `{"kind":1,"list":1,"opts":{"size":3}}`},
		{"items of lists", deep, `{"rows":[{},{"n":5},[],null],"kind":0,"list":0}`, `{"kind":0,"list":0,"rows":[{"n":0},{"n":5},[],null]}`},
		{"lists in lists", deep, `{"rows":[{"n":1,"cells":[[{},{"v":1}],[]]}],"kind":0,"list":0}`, `{"kind":0,"list":0,"rows":[{"cells":[[{"v":"x"},{"v":1}],[]],"n":1}]}`},
		{"fields of what is there by default", deep, `{}`, `{"kind":{"name":"plain"},"list":[{"n":2},{"n":1}]}`},
		{"the exact text of a number", `{"properties":{"a":{"default":1.0}}}`, `{}`, `{"a":1.0}`},
		{"a list at the top", `{"items":{"properties":{"a":{"default":1}}}}`, `[{},{"a":2}]`, `[{"a":1},{"a":2}]`},
		{"not an object", flat, `[{}]`, `[{}]`},
		{"a text", flat, `"x"`, `"x"`},
		{"null", `{"default":1}`, `null`, `null`},
		{"properties that any value fits", `{"properties":{"a":true,"b":{"default":1}}}`, `{"a":{}}`, `{"a":{},"b":1}`},
		{"no properties", `{"type":"object"}`, `{"a":{}}`, `{"a":{}}`},
		{"any value", `true`, `{"a":{}}`, `{"a":{}}`},
	}
	for _, test := range tests {
		s := compile(t, test.schema)
		v := decode(t, test.v)
		got := s.Fill(v)
		if text := value.JSON(got); text != test.want {
			t.Errorf("%s: %s, want %s", test.name, text, test.want)
		}
		if again := value.JSON(s.Fill(got)); again != test.want {
			t.Errorf("%s: filling in a second time gives %s", test.name, again)
		}
		if now := value.JSON(v); now != value.JSON(decode(t, test.v)) {
			t.Errorf("%s: the value it began with is now %s", test.name, now)
		}
		if raw := value.JSON(s.Raw()); raw != value.JSON(decode(t, test.schema)) {
			t.Errorf("%s: the schema is now %s", test.name, raw)
		}
	}
}

// TestFillThenValidate sees that the order in which a run uses them works out: a required
// field may come from its default.
func TestFillThenValidate(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","required":["n"],"properties":{"n":{"type":"integer","default":3}},"additionalProperties":false}`)
	v := decode(t, `{}`)
	if list := s.Validate(v); len(list) != 1 || list[0].String() != "$.n: is required." {
		t.Errorf("before: %v", list)
	}
	if list := s.Validate(s.Fill(v)); len(list) > 0 {
		t.Errorf("after: %v", list)
	}
}
