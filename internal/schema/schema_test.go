package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/schema"
	"toolsmith/internal/value"
)

// compile prepares a schema that a test wrote.
func compile(t *testing.T, text string) *schema.Schema {
	t.Helper()
	s, err := schema.CompileJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// decode reads a value that a test wrote.
func decode(t *testing.T, text string) any {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// violations validates and gives "path: message" for each violation.
func violations(t *testing.T, schemaText, text string) []string {
	t.Helper()
	var list []string
	for _, v := range compile(t, schemaText).Validate(decode(t, text)) {
		list = append(list, v.String())
	}
	return list
}

// TestKeywords has every keyword that a manifest may use, with its words.
func TestKeywords(t *testing.T) {
	t.Parallel()
	const halfEmoji = `"\ud83d"`
	tests := []struct {
		name, schema string
		good         []string
		bad, want    string
	}{
		{"object", `{"type":"object"}`, []string{`{}`, `{"a":1}`}, `[]`, "$: has to be an object; this is a list."},
		{"list", `{"type":"array"}`, []string{`[]`, `[1]`}, `"a"`, "$: has to be a list; this is a text."},
		{"text", `{"type":"string"}`, []string{`""`, `"a"`}, `1`, "$: has to be a text; this is a number."},
		{"number", `{"type":"number"}`, []string{`0`, `-1.5`, `1e300`}, `true`, "$: has to be a number; this is true or false."},
		{"whole number", `{"type":"integer"}`, []string{`0`, `-0`, `1.0`, `1e0`, `12345678901234567890`, `1e300`}, `1.5`, "$: has to be a whole number; this is a number."},
		{"true or false", `{"type":"boolean"}`, []string{`true`, `false`}, `null`, "$: has to be true or false; this is null."},
		{"null", `{"type":"null"}`, []string{`null`}, `{}`, "$: has to be null; this is an object."},
		{"one of two types", `{"type":["string","null"]}`, []string{`"a"`, `null`}, `1`, "$: has to be null or a text; this is a number."},

		{"enum", `{"enum":["low",1,null]}`, []string{`"low"`, `1`, `1.0`, `1e0`, `null`}, `"Low"`, `$: has to be one of "low", 1, null.`},
		{"enum of one", `{"enum":["a"]}`, []string{`"a"`}, `"b"`, `$: has to be "a".`},
		{"enum of lists and objects", `{"enum":[[1],{"a":2}]}`, []string{`[1.0]`, `{"a":2e0}`}, `[2]`, `$: has to be one of [1], {"a":2}.`},
		{"enum of none", `{"enum":[]}`, nil, `1`, `$: has to be one of no values at all: the schema's "enum" is empty.`},
		{"enum of twelve", `{"enum":[0,1,2,3,4,5,6,7,8,9,10,11]}`, []string{`11`}, `12`, "$: has to be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11."},
		{"enum of fourteen", `{"enum":[0,1,2,3,4,5,6,7,8,9,10,11,12,13]}`, []string{`13`}, `14`, "$: has to be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more."},
		{"enum of large numbers", `{"enum":[9007199254740993]}`, []string{`9007199254740993`, `9007199254740993.0`}, `9007199254740992`, "$: has to be 9007199254740993."},
		{"enum of half an emoji", `{"enum":[` + halfEmoji + `]}`, []string{halfEmoji}, `"\ufffd"`, `$: has to be "\ud83d".`},
		{"enum of other kinds", `{"enum":["1","null","[]"]}`, []string{`"1"`}, `1`, `$: has to be one of "1", "null", "[]".`},
		{"enum beside other keywords", `{"enum":["a"],"maxLength":0}`, nil, `""`, `$: has to be "a".`},
		{"const", `{"const":{"a":1}}`, []string{`{"a":1.0}`}, `{"a":2}`, `$: has to be {"a":1}.`},

		{"minLength", `{"minLength":2}`, []string{`"ab"`, `"😀😀"`, `1`, `[]`}, `"😀"`, "$: has to be at least 2 characters long; this is 1."},
		{"minLength of one", `{"minLength":1}`, []string{`"a"`, `" "`}, `""`, "$: has to be at least 1 character long; this is 0."},
		{"maxLength", `{"maxLength":2}`, []string{`""`, `"😀😀"`, `"é\u0000"`, `123`}, `"abc"`, "$: has to be at most 2 characters long; this is 3."},
		{"maxLength of one", `{"maxLength":1}`, []string{`"😀"`, halfEmoji, `"\udfff"`}, `"ab"`, "$: has to be at most 1 character long; this is 2."},
		{"minLength of half emoji", `{"minLength":3}`, []string{`"a\ud83db"`, `"\ud83d\ud83d\ud83d"`}, halfEmoji, "$: has to be at least 3 characters long; this is 1."},
		{"minimum", `{"minimum":2}`, []string{`2`, `2.0`, `3`, `"1"`}, `1.99`, "$: has to be at least 2; this is 1.99."},
		{"maximum", `{"maximum":-1.50}`, []string{`-1.5`, `-2`}, `-1`, "$: has to be at most -1.5; this is -1."},
		{"exact bounds", `{"maximum":9007199254740992}`, []string{`9007199254740992`}, `9007199254740993`, "$: has to be at most 9007199254740992; this is 9007199254740993."},
		{"small bounds", `{"minimum":1e-20}`, []string{`1e-20`}, `1.5e-21`, "$: has to be at least 1e-20; this is 1.5e-21."},
		{"large bounds", `{"maximum":1e300}`, []string{`1e300`}, `1.5e300`, "$: has to be at most 1e+300; this is 1.5e+300."},
		{"fine bounds", `{"maximum":0.1}`, []string{`0.1`, `0.10`}, `0.10000000000000000001`, "$: has to be at most 0.1; this is 0.10000000000000000001."},

		{"required", `{"required":["a","b c"]}`, []string{`{"a":null,"b c":0}`, `[]`}, `{"a":1}`, `$["b c"]: is required.`},
		{"properties", `{"properties":{"a":{"type":"string"}}}`, []string{`{}`, `{"a":"x"}`, `{"b":1}`, `1`}, `{"a":1}`, "$.a: has to be a text; this is a number."},
		{"additionalProperties", `{"properties":{"a":{}},"additionalProperties":false}`, []string{`{}`, `{"a":[]}`}, `{"zebra":1}`, "$.zebra: is no field that is known here. Known here: a."},
		{"additionalProperties alone", `{"additionalProperties":false}`, []string{`{}`}, `{"a":1}`, "$.a: is no field that is known here."},
		{"additionalProperties of a kind", `{"additionalProperties":{"type":"null"}}`, []string{`{"a":null}`}, `{"a":1}`, "$.a: has to be null; this is a number."},
		{"additionalProperties true", `{"additionalProperties":true}`, []string{`{"a":null}`}, "", ""},
		{"items", `{"items":{"type":"integer"}}`, []string{`[]`, `[1,2]`, `{"0":"x"}`}, `[1,"x"]`, "$[1]: has to be a whole number; this is a text."},
		{"no schema for a field", `{"properties":{"a":false}}`, []string{`{}`}, `{"a":1}`, "$.a: is not allowed here."},
		{"any schema for a field", `{"properties":{"a":true}}`, []string{`{"a":1}`}, "", ""},
		{"annotations", `{"title":"T","description":"D","default":5,"examples":[1]}`, []string{`"x"`, `5`}, "", ""},
		{"another keyword", `{"pattern":"^a"}`, []string{`"abc"`}, `"b"`, `$: does not fit: 'b' does not match pattern '^a'.`},
		{"allOf", `{"allOf":[{"type":"object"},{"required":["a"]}]}`, []string{`{"a":1}`}, `{}`, "$.a: is required."},
		{"anyOf", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, []string{`"a"`}, `1`, "$: does not fit: 'anyOf' failed."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, text := range test.good {
				if list := violations(t, test.schema, text); len(list) > 0 {
					t.Errorf("%s is refused: %v", text, list)
				}
			}
			if test.bad == "" {
				return
			}
			if diff := cmp.Diff([]string{test.want}, violations(t, test.schema, test.bad)); diff != "" {
				t.Errorf("violations of %s (-want +got):\n%s", test.bad, diff)
			}
		})
	}
}

// TestOddBounds has bounds of lengths that the draft does not allow, and means by them
// what they say.
func TestOddBounds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		schema    string
		good      []string
		bad, want string
	}{
		{`{"minLength":1.5}`, []string{`"ab"`}, `"a"`, "$: has to be at least 2 characters long; this is 1."},
		{`{"minLength":1.0}`, []string{`"a"`}, `""`, "$: has to be at least 1 character long; this is 0."},
		{`{"minLength":2e0}`, []string{`"ab"`}, `"a"`, "$: has to be at least 2 characters long; this is 1."},
		{`{"minLength":-3}`, []string{`""`}, "", ""},
		{`{"minLength":-0.5}`, []string{`""`}, "", ""},
		{`{"minLength":1e300}`, nil, `"a"`, "$: has to be at least 2147483647 characters long; this is 1."},
		{`{"minLength":-1e300}`, []string{`""`}, "", ""},
		{`{"maxLength":1.5}`, []string{`"a"`}, `"ab"`, "$: has to be at most 1 character long; this is 2."},
		{`{"maxLength":0.5}`, []string{`""`}, `"a"`, "$: has to be at most 0 characters long; this is 1."},
		{`{"maxLength":0}`, []string{`""`}, `"a"`, "$: has to be at most 0 characters long; this is 1."},
		{`{"maxLength":-0}`, []string{`""`}, `"a"`, "$: has to be at most 0 characters long; this is 1."},
		{`{"maxLength":1e300}`, []string{`"a"`}, "", ""},
		{`{"maxLength":-1}`, []string{`1`, `null`}, `""`, "$: has to be at least 1 character long; this is 0."},
		{`{"maxLength":-1}`, nil, `"a"`, "$: has to be at most 0 characters long; this is 1."},
		{`{"maxLength":-0.5,"minLength":3}`, nil, `""`, "$: has to be at least 3 characters long; this is 0."},
		{`{"maxLength":-1e300,"minLength":0.5}`, nil, `""`, "$: has to be at least 1 character long; this is 0."},
		{`{"minLength":3,"maxLength":1}`, nil, `"abcd"`, "$: has to be at most 1 character long; this is 4."},
		{`{"minLength":2.5,"enum":["a"]}`, nil, `"a"`, "$: has to be at least 3 characters long; this is 1."},

		// Wherever a schema may stand.
		{`{"properties":{"a":{"minLength":1.5}}}`, []string{`{"a":"ab"}`}, `{"a":"a"}`, "$.a: has to be at least 2 characters long; this is 1."},
		{`{"items":{"maxLength":-1}}`, []string{`[1]`}, `[""]`, "$[0]: has to be at least 1 character long; this is 0."},
		{`{"allOf":[{"minLength":1.5}]}`, nil, `"a"`, "$: has to be at least 2 characters long; this is 1."},
		{`{"additionalProperties":{"minLength":1.5}}`, nil, `{"x":"a"}`, "$.x: has to be at least 2 characters long; this is 1."},
		{`{"$defs":{"d":{"minLength":1.5}},"$ref":"#/$defs/d"}`, nil, `"a"`, "$: has to be at least 2 characters long; this is 1."},
		// Names of properties are no keywords, whatever they are called.
		{`{"properties":{"default":{"minLength":1.5}}}`, nil, `{"default":"a"}`, "$.default: has to be at least 2 characters long; this is 1."},
		{`{"properties":{"enum":{"minLength":1.5},"const":{"maxLength":-1},"examples":{"minLength":-1}}}`, nil, `{"enum":"a"}`, "$.enum: has to be at least 2 characters long; this is 1."},
		{`{"properties":{"minLength":{"type":"number"},"maxLength":{"minimum":3},"properties":{"minLength":1.5}}}`, []string{`{"minLength":1.5,"maxLength":9}`}, `{"maxLength":1}`, "$.maxLength: has to be at least 3; this is 1."},
		// Data is not a schema.
		{`{"enum":[{"minLength":1.5}]}`, []string{`{"minLength":1.5}`}, `{"minLength":2}`, `$: has to be {"minLength":1.5}.`},
		{`{"const":{"maxLength":-1}}`, []string{`{"maxLength":-1}`}, `{"maxLength":0}`, `$: has to be {"maxLength":-1}.`},
		// Names that are listed twice are listed once.
		{`{"required":["a","a"]}`, []string{`{"a":1}`}, `{}`, "$.a: is required."},
		{`{"properties":{"required":{"enum":["a","a"]}}}`, []string{`{"required":"a"}`}, `{"required":"b"}`, `$.required: has to be one of "a", "a".`},
	}
	for _, test := range tests {
		for _, text := range test.good {
			if list := violations(t, test.schema, text); len(list) > 0 {
				t.Errorf("%s: %s is refused: %v", test.schema, text, list)
			}
		}
		if test.bad == "" {
			continue
		}
		if diff := cmp.Diff([]string{test.want}, violations(t, test.schema, test.bad)); diff != "" {
			t.Errorf("%s: violations of %s (-want +got):\n%s", test.schema, test.bad, diff)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	const numbersInside = `{"additionalProperties":{"additionalProperties":{"type":"number"},"items":{"additionalProperties":{"type":"number"},"items":{"type":"number"}}}}`
	tests := []struct{ name, schema, text, want string }{
		{"a name like a number", numbersInside, `{"0":{"1":"x"}}`, "$.0.1"},
		{"a position", numbersInside, `{"0":["x",["y"]]}`, "$.0[1][0]"},
		{"a name like a number in a list", numbersInside, `{"7":[{"007":"x"}]}`, "$.7[0].007"},
		{"a name that is no word", numbersInside, `{"a b":{"c\"d":"x"}}`, `$["a b"]["c\"d"]`},
		{"an empty name", numbersInside, `{"":[{"":"x"}]}`, `$[""][0][""]`},
		{"a name with a slash and a tilde", numbersInside, `{"a/b":{"~":"x"}}`, `$["a/b"]["~"]`},
		{"an escape in a name", numbersInside, `{"a":{"\u001b]8;;":"x"}}`, `$.a["\u001b]8;;"]`},
		{"names of objects of JavaScript", numbersInside, `{"__proto__":{"constructor":"x"}}`, "$.__proto__.constructor"},
		{"a missing name like a number", `{"required":["0"]}`, `{}`, "$.0"},
		{"an unknown name like a number", `{"additionalProperties":false}`, `{"0":1}`, "$.0"},
		{"an item of a long list", `{"items":{"type":"null"}}`, "[" + strings.Repeat("null,", 1234) + "1]", "$[1234]"},
	}
	for _, test := range tests {
		list := compile(t, test.schema).Validate(decode(t, test.text))
		if len(list) != 1 || list[0].Path != test.want {
			t.Errorf("%s: %v, want one at %s", test.name, list, test.want)
		}
	}
}

// TestAllListed sees that every violation is told, ordered by path, the same each time.
func TestAllListed(t *testing.T) {
	t.Parallel()
	const text = `{"type":"object","additionalProperties":false,"required":["id","title"],"properties":{
		"id":{"type":"string"},"title":{"type":"string"},"kind":{"enum":["a","b"]},"count":{"minimum":10,"type":"integer"},
		"rows":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string","minLength":2}}}}}}`
	rows := make([]string, 12)
	for i := range rows {
		rows[i] = `{"name":"ok"}`
	}
	rows[2], rows[10], rows[11] = `{"name":"x"}`, `{}`, `3`
	bad := `{"titel":1,"Kind":2,"kind":"c","count":1,"rows":[` + strings.Join(rows, ",") + `]}`
	want := []string{
		`$.Kind: is no field that is known here. Did you mean "kind"?`,
		"$.count: has to be at least 10; this is 1.",
		"$.id: is required.",
		`$.kind: has to be one of "a", "b".`,
		"$.rows[2].name: has to be at least 2 characters long; this is 1.",
		"$.rows[10].name: is required.",
		"$.rows[11]: has to be an object; this is a number.",
		`$.titel: is no field that is known here. Did you mean "title"?`,
		"$.title: is required.",
	}
	for range 20 { // the order must not be that of a map
		if diff := cmp.Diff(want, violations(t, text, bad)); diff != "" {
			t.Fatalf("violations (-want +got):\n%s", diff)
		}
	}
}

func TestSeveralAtOnePath(t *testing.T) {
	t.Parallel()
	got := violations(t, `{"minimum":10,"maximum":-10,"allOf":[{"minimum":10},{"minimum":5}]}`, "0")
	want := []string{
		"$: has to be at least 10; this is 0.",
		"$: has to be at least 5; this is 0.",
		"$: has to be at most -10; this is 0.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	const text = `{"properties":{"title":{},"rows":{"items":{"properties":{"price":{},"list":{"items":{"items":{"properties":{"deep":{}},"additionalProperties":false}}}},"additionalProperties":false}},
		"inner":{"properties":{"0":{"properties":{"zero":{}},"additionalProperties":false}}}},"additionalProperties":false}`
	tests := []struct{ text, want string }{
		{`{"titel":1}`, `$.titel: is no field that is known here. Did you mean "title"?`},
		{`{"Title":1}`, `$.Title: is no field that is known here. Did you mean "title"?`},
		{`{"rows":[{},{"prize":1}]}`, `$.rows[1].prize: is no field that is known here. Did you mean "price"?`},
		{`{"rows":[{"list":[[],[{"depe":1}]]}]}`, `$.rows[0].list[1][0].depe: is no field that is known here. Did you mean "deep"?`},
		{`{"inner":{"0":{"zeor":1}}}`, `$.inner.0.zeor: is no field that is known here. Did you mean "zero"?`},
		{`{"zebra":1}`, "$.zebra: is no field that is known here. Known here: inner, rows, title."},
		{`{"\ud83d":1}`, `$["\ud83d"]: is no field that is known here. Known here: inner, rows, title.`},
	}
	for _, test := range tests {
		if diff := cmp.Diff([]string{test.want}, violations(t, text, test.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestNoSchema(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile(nil)
	if err != nil || s != nil {
		t.Fatalf("schema %v, error %v", s, err)
	}
	if list := s.Validate("anything"); list != nil {
		t.Errorf("no schema has violations: %v", list)
	}
	if got := s.Fill("anything"); got != "anything" {
		t.Errorf("no schema fills in %v", got)
	}
	if raw := s.Raw(); raw != nil {
		t.Errorf("no schema is made from %v", raw)
	}
}

func TestRaw(t *testing.T) {
	t.Parallel()
	const text = `{"minLength":1.5,"required":["a","a"]}`
	raw := decode(t, text)
	s, err := schema.Compile(raw)
	if err != nil {
		t.Fatal(err)
	}
	if got := value.JSON(s.Raw()); got != text {
		t.Errorf("Raw is %s, want %s", got, text)
	}
	if got := value.JSON(raw); got != text {
		t.Errorf("compiling made %s of %s", got, text)
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	list := []schema.Violation{{Path: "$.a", Message: "is required."}, {Path: "$[0]", Message: "has to be null; this is a text."}}
	if got, want := schema.Join(list), "$.a: is required. $[0]: has to be null; this is a text."; got != want {
		t.Errorf("Join is %q, want %q", got, want)
	}
	if got := schema.Join(nil); got != "" {
		t.Errorf("Join of none is %q", got)
	}
}

// TestNotJSON sees that a Go value that is no JSON value is refused, and does not pass.
func TestNotJSON(t *testing.T) {
	t.Parallel()
	list := compile(t, `{"properties":{"a":{"title":"A"}}}`).Validate(map[string]any{"a": struct{}{}})
	if len(list) != 1 || list[0].Path != "$.a" || !strings.HasPrefix(list[0].Message, "does not fit: ") {
		t.Errorf("violations: %v", list)
	}
}
