package schema_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/schema"
)

// TestNoLoading sees that a schema which refers to another document is refused, and that
// nobody went to look for it.
func TestNoLoading(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	file := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(file, []byte(`{"type":"null"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	remote := "http://" + listener.Addr().String() + "/other.json"
	local := "file://" + filepath.ToSlash(file)
	const outside = "a schema must not refer to another document"
	for _, text := range []string{
		`{"$ref":"` + remote + `"}`,
		`{"$ref":"` + remote + `#/$defs/a"}`,
		`{"properties":{"a":{"items":{"$ref":"` + remote + `"}}}}`,
		`{"$dynamicRef":"` + remote + `"}`,
		`{"$schema":"` + remote + `"}`,
		`{"$id":"` + remote + `","$ref":"next.json"}`,
		`{"$ref":"` + local + `"}`,
		`{"$id":"` + local + `","items":{"$ref":"other2.json"}}`,
		`{"$ref":"file:///etc/passwd"}`,
		`{"$ref":"http://169.254.169.254/x"}`,
		`{"$ref":"//` + listener.Addr().String() + `/x"}`,
		`{"$ref":"urn:other"}`,
		`{"$ref":"other.json"}`,
		`{"properties":{"a":{"$ref":"../schema.json#/$defs/a"}}}`,
	} {
		s, err := schema.CompileJSON([]byte(text))
		if err == nil || !strings.Contains(err.Error(), outside) {
			t.Errorf("%s: error is %v", text, err)
		}
		if s != nil {
			t.Errorf("%s: there is a schema besides the error", text)
		}
	}

	// Connections are accepted in the order in which they come: ours has to be the first.
	own, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	first, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if got, want := first.RemoteAddr().String(), own.LocalAddr().String(); got != want {
		t.Errorf("%s came to load a schema", got)
	}
}

// TestRefs has references inside of a document.
func TestRefs(t *testing.T) {
	t.Parallel()
	const tree = `{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#"}}}}`
	const defs = `{"$defs":{"row":{"properties":{"n":{"minimum":3}},"required":["n"]}},"items":{"$ref":"#/$defs/row"}}`
	tests := []struct {
		name, schema, text string
		want               []string
	}{
		{"definition", defs, `[{"n":3},{"n":1},{}]`, []string{"$[1].n: has to be at least 3; this is 1.", "$[2].n: is required."}},
		{"recursion that fits", tree, `{"name":"a","kids":[{"name":"b","kids":[{"name":"c"}]}]}`, nil},
		{"recursion", tree, `{"name":"a","kids":[{"name":"b","kids":[{"name":1},{}]},2]}`, []string{
			"$.kids[0].kids[0].name: has to be a text; this is a number.",
			"$.kids[0].kids[1].name: is required.",
			"$.kids[1]: has to be an object; this is a number.",
		}},
		{"deep recursion", `{"items":{"$ref":"#"},"type":"array"}`, strings.Repeat("[", 63) + "1" + strings.Repeat("]", 63), []string{
			"$" + strings.Repeat("[0]", 63) + ": has to be a list; this is a number.",
		}},
		{"several faults behind one reference", `{"$defs":{"d":{"minimum":3,"maximum":1}},"properties":{"a":{"$ref":"#/$defs/d"}}}`, `{"a":2}`, []string{
			"$.a: has to be at least 3; this is 2.", "$.a: has to be at most 1; this is 2.",
		}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, violations(t, test.schema, test.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestRefCycles sees that a reference that leads only to itself refuses every value, and
// does not run for ever.
func TestRefCycles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"$ref":"#"}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		`{"allOf":[{"$ref":"#"}]}`,
	} {
		s := compile(t, text)
		for _, v := range []string{`null`, `{"a":[1]}`} {
			list := s.Validate(decode(t, v))
			if len(list) == 0 {
				t.Errorf("%s accepts %s", text, v)
			}
			for _, violation := range list {
				if violation.Path != "$" || !strings.Contains(violation.Message, "causing reference cycle") {
					t.Errorf("%s of %s: %s", text, v, violation)
				}
			}
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"no JSON", `{"type":}`, "read schema: line 1, column 9: "},
		{"a doubled keyword", `{"type":"null","type":"null"}`, `read schema: line 1, column 16: This field is given twice.`},
		{"no schema", `"null"`, "compile schema: "},
		{"a list", `[]`, "compile schema: "},
		{"an unknown type", `{"type":"txt"}`, "compile schema: "},
		{"a wrong bound", `{"minLength":"1"}`, "compile schema: "},
		{"a wrong bound deep inside", `{"properties":{"a":{"items":{"maxLength":true}}}}`, "compile schema: "},
		{"choices that are no list", `{"enum":{"a":1}}`, "compile schema: "},
		{"a wrong list of names", `{"required":"a"}`, "compile schema: "},
		{"names that are no texts", `{"required":["a",1,1]}`, "compile schema: "},
		{"properties that are none", `{"properties":[]}`, "compile schema: "},
		{"a property that is none", `{"properties":{"a":1}}`, "compile schema: "},
		{"a reference to nothing", `{"$ref":"#/$defs/a"}`, "compile schema: "},
		{"a broken reference", `{"$ref":"%zz"}`, "compile schema: "},
		{"a broken pattern", `{"pattern":"("}`, "compile schema: "},
		{"a broken id", `{"$id":":"}`, "compile schema: "},
	}
	for _, test := range tests {
		s, err := schema.CompileJSON([]byte(test.text))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: error is %v, want %s…", test.name, err, test.want)
		}
		if s != nil {
			t.Errorf("%s: there is a schema besides the error", test.name)
		}
	}
}

func TestCompileBooleans(t *testing.T) {
	t.Parallel()
	if list := violations(t, `true`, `{"a":1}`); len(list) > 0 {
		t.Errorf("true refuses: %v", list)
	}
	if diff := cmp.Diff([]string{"$: is not allowed here."}, violations(t, `false`, `{"a":1}`)); diff != "" {
		t.Errorf("false (-want +got):\n%s", diff)
	}
	if s, err := schema.CompileJSON([]byte(`null`)); s != nil || err != nil {
		t.Errorf("null gives %v, %v", s, err)
	}
}
