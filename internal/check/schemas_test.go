package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
)

// TestContradictions: a schema that no value fits is a warning, wherever it stands; one
// whose structure is wrong is only that.
func TestContradictions(t *testing.T) {
	t.Parallel()
	const warning = "warning FORGE_SCHEMA_CONTRADICTION "
	for _, c := range []struct {
		schema string
		want   []string // what follows the path of the schema
	}{
		{`{}`, nil},
		{`{"minimum": 1, "maximum": 1}`, nil},
		{`{"minimum": 1.0, "maximum": 1e0}`, nil},
		{`{"minimum": -5, "maximum": 5}`, nil},
		{`{"minimum": 5}`, nil},
		{`{"maximum": -5}`, nil},
		{`{"minimum": 9007199254740993, "maximum": 9007199254740992}`, []string{warning + ".minimum"}},
		{`{"minimum": 0.1, "maximum": -0.1}`, []string{warning + ".minimum"}},
		{`{"minimum": 1e3, "maximum": 999}`, []string{warning + ".minimum"}},
		{`{"minimum": "7", "maximum": 3}`, []string{"FORGE_MANIFEST_STRUCTURE .minimum"}},
		{`{"minimum": 7, "maximum": "3"}`, []string{"FORGE_MANIFEST_STRUCTURE .maximum"}},
		{`{"minLength": 3, "maxLength": 3}`, nil},
		{`{"minLength": 4, "maxLength": 3}`, []string{warning + ".minLength"}},
		{`{"minLength": -4}`, nil},
		{`{"maxLength": 0}`, nil},
		{`{"maxLength": -0}`, nil},
		{`{"maxLength": -1}`, []string{warning + ".maxLength"}},
		{`{"minLength": 5, "maxLength": -1}`, []string{warning + ".maxLength"}},
		{`{"maxLength": "-1"}`, []string{"FORGE_MANIFEST_STRUCTURE .maxLength"}},
		{`{"enum": [1]}`, nil},
		{`{"enum": [null]}`, nil},
		{`{"enum": []}`, []string{warning + ".enum"}},
		{`{"enum": {}}`, []string{"FORGE_MANIFEST_STRUCTURE .enum"}},
		{`{"required": ["a"]}`, nil}, // nothing is said of the properties
		{`{"required": ["a"], "properties": {"a": {}}}`, nil},
		{`{"required": ["a", "b", "c"], "properties": {"b": {}}}`, []string{warning + ".required[0]", warning + ".required[2]"}},
		{`{"required": ["A"], "properties": {"a": {}}}`, []string{warning + ".required[0]"}},
		{`{"required": [1], "properties": {}}`, []string{"FORGE_MANIFEST_STRUCTURE .required[0]"}},
		{`{"type": "string", "default": "a"}`, nil},
		{`{"type": "string", "default": 1}`, []string{warning + ".default"}},
		{`{"type": "string", "default": null}`, []string{warning + ".default"}},
		{`{"type": "integer", "default": 1.0}`, nil},
		{`{"type": "integer", "default": 1.5}`, []string{warning + ".default"}},
		{`{"enum": ["a", "b"], "default": "c"}`, []string{warning + ".default"}},
		{`{"maximum": 3, "default": 4}`, []string{warning + ".default"}},
		{`{"maxLength": 2, "default": "é🗒"}`, nil},
		{`{"default": {"anything": []}}`, nil},
		{`{"type": "sting", "default": 1}`, []string{"FORGE_MANIFEST_STRUCTURE .type"}},
		{`{"properties": 7, "default": {}}`, []string{"FORGE_MANIFEST_STRUCTURE .properties"}},
		{
			`{"properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false, "default": {"b": 1}}`,
			[]string{warning + ".default", warning + ".default"},
		},
		{`{"items": {"minimum": 2, "maximum": 1}}`, []string{warning + ".items.minimum"}},
		{`{"properties": {"a": {"items": {"properties": {"b": {"enum": []}}}}}}`, []string{warning + ".properties.a.items.properties.b.enum"}},
		{`{"properties": {"a": 7, "b": {"enum": []}}}`, []string{"FORGE_MANIFEST_STRUCTURE .properties.a", warning + ".properties.b.enum"}},
		// What only looks like a schema is a value.
		{`{"enum": [{"minimum": 2, "maximum": 1}], "examples": [{"enum": []}]}`, nil},
	} {
		model := `{"id": "one", "type": "llm", "op": "extract", "input": 1, "target": "$.a", "outputSchema": %s, "next": "done"}`
		for path, text := range map[string][]byte{
			"$.inputSchema":                        draft{more: `"inputSchema": ` + c.schema}.text(),
			"$.outputSchema":                       draft{more: `"outputSchema": ` + c.schema}.text(),
			"$.state.fields.x":                     draft{more: `"state": {"schemaVersion": 1, "maxBytes": 1, "fields": {"x": ` + c.schema + `}}`}.text(),
			"$.flow.nodes[0].outputSchema":         flow(fmt.Sprintf(model, c.schema), returns("1")),
			"$.flow.nodes[0].body[0].outputSchema": flow(repeats("loop", `[]`, "item", "done", inner(fmt.Sprintf(model, c.schema))), returns("1")),
		} {
			want := []string{}
			for _, w := range c.want {
				want = append(want, strings.Replace(w, " .", " "+path+".", 1))
			}
			if diff := cmp.Diff(want, brief(check.Run(text, builtin).Diagnostics)); diff != "" {
				t.Errorf("%s as %s (-want +got):\n%s", c.schema, path, diff)
			}
		}
	}
}
