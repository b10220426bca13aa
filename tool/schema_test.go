package tool_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolsmith/tool"
)

func spec(name string) tool.Spec { return tool.Spec{Name: name, Description: "Does something."} }

// take makes a tool of a type of arguments alone.
func take[In any]() (*tool.Tool, error) {
	return tool.New(spec("t"), func(*tool.Context, In) (any, error) { return nil, nil })
}

// give makes a tool of a type of result alone.
func give[Out any]() (*tool.Tool, error) {
	return tool.New(spec("t"), func(*tool.Context, struct{}) (out Out, err error) { return out, nil })
}

func object(properties string, required ...string) string {
	text := `{"type":"object","properties":{` + properties + `}`
	if len(required) > 0 {
		text += `,"required":["` + strings.Join(required, `","`) + `"]`
	}
	return text + `,"additionalProperties":false}`
}

type place struct {
	Street string `json:"street" jsonschema:"with the number"`
	Zip    string `json:"zip,omitempty" minLength:"4" maxLength:"10"`
}

type stamped struct {
	ID    int64  `json:"id"`
	Title string `json:"title" jsonschema:"hidden by the outer one"`
}

// Outer has an embedded struct and an embedded pointer.
type outer struct {
	stamped
	*Paging
	Title string `json:"title"`
}

// Paging is exported, since encoding/json cannot fill an embedded pointer that is not.
type Paging struct {
	Limit  int    `json:"limit" default:"10" minimum:"1" maximum:"50"`
	Cursor string `json:"cursor"`
}

func TestParameters(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func() (*tool.Tool, error)
		want string
	}{
		{"nothing", take[struct{}], object(``)},
		{"names", take[struct {
			Plain   string
			Renamed string `json:"other"`
			Kept    string `json:",omitempty"`
			Zero    string `json:"zero,omitzero"`
			Hidden  string `json:"-" enum:"also,its,tags"`
			private string
			Foreign string `yaml:"x" json:"foreign" validate:"required"`
		}], object(`"Plain":{"type":"string"},"other":{"type":"string"},"Kept":{"type":"string"},"zero":{"type":"string"},`+
			`"foreign":{"type":"string"}`, "Plain", "other", "foreign")},
		{"kinds", take[struct {
			Bool   bool            `json:"bool"`
			Int    int             `json:"int"`
			Int64  int64           `json:"int64"`
			Int8   int8            `json:"int8"`
			Int32  int32           `json:"int32"`
			Uint   uint            `json:"uint"`
			Uint16 uint16          `json:"uint16"`
			Uint32 uint32          `json:"uint32"`
			Float  float64         `json:"float"`
			Number json.Number     `json:"number"`
			Any    any             `json:"any"`
			Raw    json.RawMessage `json:"raw"`
			Bytes  []byte          `json:"bytes"`
			Time   time.Time       `json:"time"`
			Risk   tool.Risk       `json:"risk"`
			Power  tool.Power      `json:"power"`
		}], object(`"bool":{"type":"boolean"},"int":{"type":"integer"},"int64":{"type":"integer"},`+
			`"int8":{"type":"integer","minimum":-128,"maximum":127},"int32":{"type":"integer","minimum":-2147483648,"maximum":2147483647},`+
			`"uint":{"type":"integer","minimum":0},"uint16":{"type":"integer","minimum":0,"maximum":65535},"uint32":{"type":"integer","minimum":0,"maximum":4294967295},`+
			`"float":{"type":"number"},"number":{"type":"number"},"any":{},"raw":{},"bytes":{"type":"string","description":"Bytes, in base64."},`+
			`"time":{"type":"string","format":"date-time"},"risk":{"type":"string"},"power":{"type":"string"}`,
			"bool", "int", "int64", "int8", "int32", "uint", "uint16", "uint32", "float", "number", "any", "raw", "bytes", "time", "risk", "power")},
		{"pointers", take[struct {
			Text  *string  `json:"text" jsonschema:"may be left out"`
			Place *place   `json:"place"`
			Deep  **int    `json:"deep" minimum:"3"`
			List  []*place `json:"list"`
		}], object(`"text":{"type":"string","description":"may be left out"},"place":`+placeSchema+`,"deep":{"type":"integer","minimum":3},"list":{"type":"array","items":`+placeSchema+`}`, "list")},
		{"lists and maps", take[struct {
			List   []string         `json:"list"`
			Lists  [][]int          `json:"lists" minItems:"1" minimum:"0"`
			Three  [3]bool          `json:"three"`
			Map    map[string]place `json:"map"`
			Open   map[string]any   `json:"open"`
			Nested []map[string]int `json:"nested,omitempty" maxItems:"2"`
		}], object(`"list":{"type":"array","items":{"type":"string"}},"lists":{"type":"array","minItems":1,"items":{"type":"array","items":{"type":"integer","minimum":0}}},`+
			`"three":{"type":"array","minItems":3,"maxItems":3,"items":{"type":"boolean"}},"map":{"type":"object","additionalProperties":`+placeSchema+`},`+
			`"open":{"type":"object"},"nested":{"type":"array","maxItems":2,"items":{"type":"object","additionalProperties":{"type":"integer"}}}`,
			"list", "lists", "three", "map", "open")},
		{"tags", take[struct {
			Style  string      `json:"style" jsonschema:"how to write" enum:"short, long" default:"short"`
			Max    int         `json:"max" default:"20" minimum:"1" maximum:"100"`
			Share  json.Number `json:"share" minimum:"0" maximum:"1.5e0" default:"0.10"`
			Even   int         `json:"even" enum:"2,4,6"`
			Words  []string    `json:"words" enum:"a,b" default:"[\"a\",\"b\"]" minItems:"1" maxItems:"3"`
			Name   string      `json:"name" minLength:"1" maxLength:"40"`
			Big    int64       `json:"big" default:"9007199254740993"`
			Loud   bool        `json:"loud" default:"true"`
			Empty  string      `json:"empty" default:""`
			Place  place       `json:"place" default:"{\"street\":\"Mühlweg <1>\"}"`
			Pic    []byte      `json:"pic" jsonschema:"a picture" default:"aGk="`
			When   time.Time   `json:"when" default:"2026-11-05T10:00:00Z"`
			Risk   tool.Risk   `json:"risk" enum:"R1,R2" default:"R1"`
			Pairs  [][2]int    `json:"pairs" default:"[[1,2]]"`
			Labels any         `json:"labels" default:"{\"x\":[1.50]}"`
			Small  int8        `json:"small" minimum:"-5"`
		}], object(`"style":{"type":"string","description":"how to write","enum":["short","long"],"default":"short"},`+
			`"max":{"type":"integer","default":20,"minimum":1,"maximum":100},"share":{"type":"number","default":0.10,"minimum":0,"maximum":1.5e0},`+
			`"even":{"type":"integer","enum":[2,4,6]},"words":{"type":"array","default":["a","b"],"minItems":1,"maxItems":3,"items":{"type":"string","enum":["a","b"]}},`+
			`"name":{"type":"string","minLength":1,"maxLength":40},"big":{"type":"integer","default":9007199254740993},"loud":{"type":"boolean","default":true},`+
			`"empty":{"type":"string","default":""},"place":`+strings.Replace(placeSchema, `{"type":"object"`, `{"type":"object","default":{"street":"Mühlweg <1>"}`, 1)+`,`+
			`"pic":{"type":"string","description":"a picture (base64)","default":"aGk="},"when":{"type":"string","format":"date-time","default":"2026-11-05T10:00:00Z"},`+
			`"risk":{"type":"string","enum":["R1","R2"],"default":"R1"},"pairs":{"type":"array","default":[[1,2]],"items":{"type":"array","minItems":2,"maxItems":2,"items":{"type":"integer"}}},`+
			`"labels":{"default":{"x":[1.50]}},"small":{"type":"integer","minimum":-5,"maximum":127}`,
			"even", "name", "small")},
		{"embedded", take[outer], object(`"id":{"type":"integer"},"title":{"type":"string"},`+
			`"limit":{"type":"integer","default":10,"minimum":1,"maximum":50},"cursor":{"type":"string"}`, "id", "title")},
		{"embedded under a name", take[struct {
			place  `json:"at"`
			Paging `json:"paging,omitempty"`
		}], object(`"at":`+placeSchema+`,"paging":`+object(`"limit":{"type":"integer","default":10,"minimum":1,"maximum":50},"cursor":{"type":"string"}`, "cursor"), "at")},
		{"a map", take[map[string]any], `{"type":"object"}`},
		{"a map of texts", take[map[string]string], `{"type":"object","additionalProperties":{"type":"string"}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			made, err := test.make()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(made.Parameters())); diff != "" {
				t.Errorf("schema (-want +got):\n%s", diff)
			}
			lint(t, made.Parameters())
			if got := made.Result(); got != nil {
				t.Errorf("a result that is any has the schema %s", got)
			}
			made.Parameters()[0] = 'x'
			if made.Parameters()[0] != '{' {
				t.Error("the schema can be changed from outside")
			}
		})
	}
}

var placeSchema = object(`"street":{"type":"string","description":"with the number"},"zip":{"type":"string","minLength":4,"maxLength":10}`, "street")

// lint holds a schema to draft 2020-12 and to what all models accept.
func lint(t *testing.T, text []byte) {
	t.Helper()
	var raw any
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("test:///schema", raw); err != nil {
		t.Fatal(err)
	}
	if _, err := compiler.Compile("test:///schema"); err != nil {
		t.Errorf("the schema is none of draft 2020-12: %v", err)
	}
	lintOne(t, raw)
}

func lintOne(t *testing.T, raw any) {
	t.Helper()
	schema, ok := raw.(map[string]any)
	if !ok {
		t.Fatalf("%v is no object", raw)
	}
	keywords := []string{
		"type", "description", "format", "enum", "default", "minimum", "maximum", "minLength", "maxLength",
		"minItems", "maxItems", "items", "properties", "required", "additionalProperties",
	}
	for keyword, v := range schema {
		switch {
		case !slices.Contains(keywords, keyword):
			t.Errorf("there is the keyword %s", keyword)
		case keyword == "type":
			if _, ok := v.(string); !ok {
				t.Errorf("there is the type %v", v)
			}
		case keyword == "items", keyword == "additionalProperties" && v != false:
			lintOne(t, v)
		case keyword == "properties":
			for _, property := range v.(map[string]any) {
				lintOne(t, property)
			}
		}
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func() (*tool.Tool, error)
		want string
	}{
		{"struct", give[place], placeSchema},
		{"pointer", give[*place], placeSchema},
		{"names that are none of arguments", give[struct {
			Kind string `json:"@type"`
		}], object(`"@type":{"type":"string"}`, "@type")},
		{"list", give[[]place], `{"type":"array","items":` + placeSchema + `}`},
		{"map", give[map[string]int], `{"type":"object","additionalProperties":{"type":"integer"}}`},
		{"text", give[string], `{"type":"string"}`},
		{"number", give[float64], `{"type":"number"}`},
		{"truth", give[bool], `{"type":"boolean"}`},
		{"any", give[any], ``},
		{"raw", give[json.RawMessage], ``},
		{"subtasks", give[tool.Subtasks], ``},
	}
	for _, test := range tests {
		made, err := test.make()
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := string(made.Result()); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
		if test.want == "" && made.Result() != nil {
			t.Errorf("%s: no schema is %q", test.name, made.Result())
		}
	}
}

type level1 struct {
	A string `json:"a"`
	B string `json:"b"`
	E int    // hidden by the one beside it that has a tag
	level2
}

type level2 struct {
	A string `json:"a"`
	C string
	D string `json:"d"`
	E string
}

type beside struct {
	E string `json:"E"`
	F string
}

type tangled struct {
	beside
	level1
	*Deep
	B int `json:"b"`
	Level
}

// Level is embedded and no struct, so it is a field.
type Level int

// Deep holds itself by way of an embedded pointer, which is no recursion of fields.
type Deep struct {
	*Deep
	G string
	H struct {
		A int `json:"a"`
	} `json:"h"`
}

// The fields of a schema are those that encoding/json writes.
func TestFieldsAreThoseOfEncodingJSON(t *testing.T) {
	t.Parallel()
	written, err := json.Marshal(tangled{Deep: &Deep{}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := take[tangled]()
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	var schema struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(written, &fields); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(made.Parameters(), &schema); err != nil {
		t.Fatal(err)
	}
	want, got := slices.Sorted(maps.Keys(fields)), slices.Sorted(maps.Keys(schema.Properties))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-json +schema):\n%s", diff)
	}
	if schema.Properties["b"].Type != "integer" {
		t.Errorf("the field b is that of another struct: %s", made.Parameters())
	}
}

// What is above 2^53 stays exact from the tag to the function.
func TestTypesStayWhatTheyAre(t *testing.T) {
	t.Parallel()
	type in struct {
		A int64       `json:"a"`
		B uint64      `json:"b"`
		C json.Number `json:"c"`
		D any         `json:"d"`
		E float32     `json:"e"`
		F int         `json:"f"`
	}
	var got in
	made := tool.MustNew(spec("t"), func(_ *tool.Context, in in) (any, error) {
		got = in
		return in, nil
	})
	output, err := made.Invoke(nil, json.RawMessage(`{"a":9007199254740993,"b":18446744073709551615,"c":1.10,"d":[12345678901234567890.5],"e":0.5,"f":2e1}`))
	if err != nil {
		t.Fatal(err)
	}
	want := in{A: 9007199254740993, B: 18446744073709551615, C: "1.10", D: []any{json.Number("12345678901234567890.5")}, E: 0.5, F: 20}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if text := `{"a":9007199254740993,"b":18446744073709551615,"c":1.10,"d":[12345678901234567890.5],"e":0.5,"f":20}`; string(output.Value) != text {
		t.Errorf("written as %s", output.Value)
	}
}

type placePointer *place

type loop *loop

// A pointer may have a name of its own.
func TestNamedPointers(t *testing.T) {
	t.Parallel()
	made, err := take[struct {
		At placePointer `json:"at,omitempty" default:"{\"street\":\"x\"}"`
	}]()
	if want := object(`"at":` + strings.Replace(placeSchema, `{"type":"object"`, `{"type":"object","default":{"street":"x"}`, 1)); err != nil || string(made.Parameters()) != want {
		t.Errorf("the schema is %s, error %v, want %s", made.Parameters(), err, want)
	}
	if _, err := take[struct{ L loop }](); err == nil || !strings.Contains(err.Error(), "field L: tool_test.loop holds itself") {
		t.Errorf("error %v", err)
	}
}
