package httpapi

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"pgregory.net/rapid"

	"toolsmith/internal/engine"
	"toolsmith/internal/port"
	"toolsmith/internal/schema"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// node is a schema that means itself, and tree one with definitions that mean each other, whose
// names are hard to tell apart. Both have what not every program understands.
const (
	node = `{"type": "object", "properties": {"label": {"type": ["string", "null"], "maxLength": 5}, "left": {"$ref": "#"}, "any": true}, "required": ["label"], "additionalProperties": false}`
	tree = `{"type": "object", "properties": {"root": {"$ref": "#/$defs/a.b"}, "same": {"$ref": "#/properties/root"}, "size": {"$ref": "#/$defs/a%7E1b/properties/size"},
		"$ref": {"type": "string", "enum": ["#/$defs/a.b"]}},
		"$defs": {"a.b": {"type": "array", "maxItems": 2, "items": {"$ref": "#/$defs/a_b"}}, "a_b": {"type": ["object"], "properties": {"leaves": {"$ref": "#/$defs/a.b"}, "left": {"$ref": "#/definitions/a_b"}}},
			"a/b": {"properties": {"size": {"type": ["integer", "boolean"], "minimum": 3, "anyOf": [{"maximum": 9}, {"type": "boolean"}]}}}},
		"definitions": {"a_b": false}}`
)

func clientTool(name, title, description string, parameters, result any) *engine.Callable {
	return &engine.Callable{Name: name, Title: title, Kind: engine.KindClient, Version: name, Client: &engine.ClientTool{Client: port.Client{
		Declaration: port.Declaration{Name: name, Description: description, Parameters: parameters, Result: result},
	}}}
}

func decoded(t interface{ Fatal(...any) }, text string) any {
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// drawTools draws tools whose names and schemas get in each other's way.
func drawTools(t *rapid.T) []*engine.Callable {
	name := rapid.OneOf(
		rapid.StringOfN(rapid.RuneFrom([]rune("ab._-:/{ é")), 1, 4, -1), rapid.StringMatching(`[a-z.]{50,90}`),
		rapid.SampledFrom([]string{"a.parameters", "a-parameters", "a.result", "getRun", "Tool", strings.Repeat("x", 200), strings.Repeat("x", 199) + "."}),
	)
	text := rapid.OneOf(rapid.String(), rapid.StringN(600, 900, -1), rapid.Just(strings.Repeat("word ", 300)))
	of := rapid.SampledFrom([]string{node, tree, `{"type": "object", "properties": {"type": {"const": {"$ref": "#/info"}, "description": "` + strings.Repeat("long ", 200) + `"}}}`,
		`{"$anchor": "here", "properties": {"x": {"$ref": "#here"}}}`, `{"$id": "https://example.com/x", "type": "object"}`, `true`})
	names := rapid.SliceOfNDistinct(name, 0, 45, rapid.ID).Draw(t, "names")
	tools := make([]*engine.Callable, len(names))
	for i, name := range names {
		tools[i] = clientTool(name, text.Draw(t, "title"), text.Draw(t, "description"), decoded(t, of.Draw(t, "parameters")), decoded(t, of.Draw(t, "result")))
		if rapid.Bool().Draw(t, "capability") {
			tools[i] = &engine.Callable{Name: name, Kind: engine.KindCapability, Capability: tool.Capability{Power: tool.Read, Risk: tool.R1}}
		}
	}
	slices.SortFunc(tools, func(a, b *engine.Callable) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

// validates holds a document to the schema of OpenAPI 3.1.
func validates(t interface{ Errorf(string, ...any) }, text []byte) {
	document, err := libopenapi.NewDocument(text)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	v, errs := validator.NewValidator(document)
	if len(errs) > 0 {
		t.Errorf("%v", errs)
		return
	}
	if ok, found := v.ValidateDocument(); !ok {
		for _, f := range found {
			t.Errorf("%s %s %+v", f.Message, f.Reason, f.SchemaValidationErrors)
		}
	}
}

// refersWell reports what is referred to and is not there.
func refersWell(t interface{ Errorf(string, ...any) }, document map[string]any) {
	var look func(v any, data bool)
	look = func(v any, data bool) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				look(one, data)
			}
		case map[string]any:
			for name, one := range v {
				look(one, data || name == "const" || name == "enum")
			}
			to, ok := v["$ref"].(string)
			if !ok || data {
				return
			}
			var at any = document
			for _, part := range strings.Split(to, "/")[1:] {
				object, _ := at.(map[string]any)
				at = object[unescaped(part)]
			}
			if at == nil || !strings.HasPrefix(to, "#/components/") {
				t.Errorf("there is nothing at %s", to)
			}
		}
	}
	look(document, false)
}

// TestTheProfileForActions keeps to what the actions of a GPT take, whatever tools there are, and
// so does the whole document keep to OpenAPI.
func TestTheProfileForActions(t *testing.T) {
	t.Parallel()
	a := New(Options{Worker: worker.New(worker.Options{}), Guard: &Guard{}})
	t.Cleanup(a.Close)
	id := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	drawn := 0
	rapid.Check(t, func(t *rapid.T) {
		tools := drawTools(t)
		drawn++
		who := Who{Name: "ada", Person: true}
		whole, err := a.make(&engine.Offer{Tools: tools}, who)
		if err != nil {
			t.Fatal(err)
		}
		view, err := a.actions(whole, who, "http://127.0.0.1:7420")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []*made{whole, view} {
			if drawn%30 == 1 { // it takes long
				validates(t, m.text)
			}
			refersWell(t, m.document)
			ids := map[string]bool{}
			eachOperation(objectIn(m.document, "paths"), func(path, method string, operation map[string]any) {
				own := textIn(operation, "operationId")
				if ids[own] || !id.MatchString(own) {
					t.Errorf("%s %s has the id %q, which another has or which is none", method, path, own)
				}
				ids[own] = true
			})
			if m == whole {
				continue
			}
			fit := min(len(tools), 28)
			if len(ids) != fit+2 || fmt.Sprint(m.document["x-left-out"]) != fmt.Sprint(len(tools)-fit) {
				t.Errorf("of %d tools there are %d operations, and %v are left out", len(tools), len(ids), m.document["x-left-out"])
			}
		}
		eachOperation(objectIn(view.document, "paths"), func(path, _ string, operation map[string]any) {
			for _, name := range []string{"summary", "description"} {
				if n := utf8.RuneCountInString(textIn(operation, name)); n > 300 {
					t.Errorf("the %s of %s has %d characters", name, path, n)
				}
			}
		})
		limited(t, view.document, "")
		if view.revision == whole.revision || view.document["x-streams"] != nil {
			t.Errorf("the view is %.200s", view.text)
		}
	})
}

// limited looks for what an action does not take, anywhere.
func limited(t *rapid.T, v any, at string) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			limited(t, one, at)
		}
	case map[string]any:
		for name, one := range v {
			if list, ok := one.([]any); ok && name == "type" {
				t.Errorf("%s.type is %v", at, list)
			}
			if text, ok := one.(string); ok && name == "description" && utf8.RuneCountInString(text) > 700 {
				t.Errorf("%s.description has %d characters", at, utf8.RuneCountInString(text))
			}
			limited(t, one, at+"."+name)
		}
	}
}

// TestSchemasInTheDocument let the same values pass as where they come from, in both documents.
func TestSchemasInTheDocument(t *testing.T) {
	t.Parallel()
	a := New(Options{Worker: worker.New(worker.Options{}), Guard: &Guard{}})
	t.Cleanup(a.Close)
	who := Who{Name: "ada", Person: true}
	for name, c := range map[string]struct {
		schema   string
		yes, no  []string
		mustHave []string
	}{
		"means itself": {node, []string{`{"label": null}`, `{"label": "a", "left": {"label": "b", "left": {"label": null, "any": [1]}}}`},
			[]string{`{"left": {"label": "b"}}`, `{"label": "toolong"}`, `{"label": "a", "left": {"label": "b", "left": {"label": "toolong"}}}`, `{"label": "a", "left": {"label": 1}}`}, []string{`"maxLength":5`}},
		"means its parts": {tree, []string{`{"root": [{"leaves": [{}, {}]}], "size": 5}`, `{"size": true, "same": [], "$ref": "#/$defs/a.b"}`},
			[]string{`{"root": [{}, {}, {}]}`, `{"root": [{"leaves": [{"leaves": [1]}]}]}`, `{"root": [{"left": 1}]}`, `{"same": 1}`, `{"size": 2}`, `{"size": 10}`, `{"size": "x"}`, `{"$ref": "#/x"}`},
			[]string{`"minimum":3`, `"maxItems":2`, `"#/$defs/a.b"`}},
		"found by a name": {`{"$anchor": "here", "properties": {"x": {"$ref": "#here"}}}`, []string{`{"x": {}}`}, nil, nil},
		"nothing":         {`false`, nil, []string{`{}`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			offer := &engine.Offer{Tools: []*engine.Callable{clientTool("a", "", "", decoded(t, c.schema), nil), clientTool("a.parameters", "", "", decoded(t, node), nil)}}
			whole, err := a.make(offer, who)
			if err != nil {
				t.Fatal(err)
			}
			view, err := a.actions(whole, who, "http://127.0.0.1:7420")
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []*made{whole, view} {
				operation := objectIn(objectIn(objectIn(m.document, "paths"), "/v1/tools/a/call"), "post")
				own := objectIn(objectIn(objectIn(operation, "requestBody"), "content"), "application/json")["schema"]
				compiled, err := schema.Compile(map[string]any{"allOf": []any{own}, "components": m.document["components"]})
				if err != nil {
					t.Fatalf("%s: %v", value.AppendJSON(nil, own), err)
				}
				for want, list := range map[bool][]string{true: c.yes, false: c.no} {
					for _, text := range list {
						if found := compiled.Validate(decoded(t, text)); (len(found) == 0) != want {
							t.Errorf("%s: %v, want it to pass: %v", text, found, want)
						}
					}
				}
				for _, part := range c.mustHave {
					if !strings.Contains(string(m.text), part) {
						t.Errorf("%s is lost", part)
					}
				}
			}
		})
	}
}

func TestWireNames(t *testing.T) {
	t.Parallel()
	none := func(string) bool { return false }
	long := strings.Repeat("n", 70)
	got := wireNames("call_", []string{"a.b", "a_b", "a:b", "c.d", long}, none)
	if got["a_b"] != "call_a_b" || got["c.d"] != "call_c_d" || got["a.b"] == got["a:b"] || !strings.HasPrefix(got["a.b"], "call_a_b_") || len(got["a.b"]) != len("call_a_b_")+8 {
		t.Errorf("%v", got)
	}
	if len(got[long]) != 64 || !strings.HasPrefix(got[long], "call_nnn") {
		t.Errorf("%q", got[long])
	}
	if again := wireNames("call_", []string{long, "c.d", "a:b", "a_b", "a.b"}, none); fmt.Sprint(again) != fmt.Sprint(got) {
		t.Errorf("in another order %v, not %v", again, got)
	}
	// Somebody has a name that ends in the hash of another.
	thief := strings.TrimPrefix(got["a.b"], "call_")
	if got := wireNames("call_", []string{"a.b", "a_b", thief}, none); got[thief] != "call_"+thief || got["a.b"] == got[thief] {
		t.Errorf("%v", got)
	}
	if got := wireNames("", []string{"getRun"}, func(id string) bool { return id == "getRun" }); got["getRun"] == "getRun" {
		t.Errorf("%v", got)
	}
}

func TestCutWord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		most       int
	}{
		{"short", "short", 5}, {"one two three", "one two…", 10}, {"one two three", "one two…", 8}, {"one, two three", "one…", 7},
		{"abcdefgh", "abcd…", 5}, {"a bcdefghijkl", "a bcdefghi…", 11}, {"", "", 5},
	} {
		if got := cutWord(c.text, c.most); got != c.want {
			t.Errorf("%q cut to %d gives %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

// TestWhichToolsAreConsequential and which come first.
func TestWhichToolsAreConsequential(t *testing.T) {
	t.Parallel()
	look := tool.Marks{Powers: []tool.Power{tool.Read}, Risk: tool.R2, Reversibility: tool.ReadOnly}
	risky, sends, writes := look, look, look
	risky.Risk, sends.Powers, writes.Reversibility = tool.R3, []tool.Power{tool.Outbound}, tool.Compensable
	for name, c := range map[string]struct {
		marks tool.Marks
		want  bool
	}{"a look": {look, false}, "a risky look": {risky, true}, "it sends": {sends, true}, "it writes": {writes, true}} {
		if got := consequential(c.marks); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !slices.IsSorted([]int{rankOf(engine.KindFlow), rankOf(engine.KindClient), rankOf(engine.KindNative), rankOf(engine.KindCapability)}) {
		t.Error("what the person has turned on does not come first")
	}
}

// TestTheAddressInTheProfile is that under which the server is reached.
func TestTheAddressInTheProfile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host    string
		proxied bool
		hosts   []string
		want    string
	}{
		{"127.0.0.1:7420", false, nil, "http://127.0.0.1:7420"},
		{"localhost:7420", false, []string{"tools.example.com"}, "http://localhost:7420"},
		{"127.0.0.1:7420", true, []string{"tools.example.com"}, "https://tools.example.com"},
		{"Tools.Example.com", true, []string{"other.example.com", "tools.example.com"}, "https://Tools.Example.com"},
		{"tools.example.com:8443", true, []string{"tools.example.com"}, "https://tools.example.com:8443"},
		{"localhost", true, nil, "https://localhost"},
	} {
		a := &API{o: Options{Proxied: c.proxied, Guard: &Guard{Hosts: c.hosts}}}
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.Host = c.host
		if got := a.addressOf(r); got != c.want {
			t.Errorf("%+v gives %s", c, got)
		}
	}
}
