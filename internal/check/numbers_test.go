package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
)

// TestNumberBounds holds every bounded number to its bounds, however it is written.
func TestNumberBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		place, code, path string
		text              string // with HERE
		good, bad         []string
	}{
		{
			place: "transitions", code: check.CodeTransitionBounds, path: "$.flow.maxTransitions",
			text: strings.Replace(string(draft{}.text()), `"maxTransitions": 64`, `"maxTransitions": HERE`, 1),
			good: []string{"1", "256", "1.0", "2.56e2", "1e2", "100E-1"},
			bad:  []string{"0", "257", "-1", "-0", "1.5", "255.5", "2.57e2", "1e3", "9007199254740993", "1e300", "1e-5"},
		},
		{
			place: "attempts", code: check.CodeRetryBounds, path: "$.flow.nodes[0].retry.maxAttempts",
			text: string(flow(calls("one", "notes.list", `{}`, `"retry": {"maxAttempts": HERE, "backoffMs": 0}`, "done"), returns("1"))),
			good: []string{"1", "3", "2.0", "3e0", "0.2e1"},
			bad:  []string{"0", "4", "-1", "-0", "1.5", "3.0001", "1e1", "100"},
		},
		{
			place: "attempts in a loop", code: check.CodeRetryBounds, path: "$.flow.nodes[0].body[0].retry.maxAttempts",
			text: string(flow(repeats("loop", `[]`, "item", "done", inner(calls("x", "notes.list", `{}`, `"retry": {"maxAttempts": 77}`, "y"))), returns("1"))),
			good: []string{"1", "3"}, bad: []string{"0", "4"},
		},
		{
			place: "backoff", code: check.CodeRetryBackoff, path: "$.flow.nodes[0].retry.backoffMs",
			text: string(flow(calls("one", "notes.list", `{}`, `"retry": {"maxAttempts": 2, "backoffMs": HERE}`, "done"), returns("1"))),
			good: []string{"0", "5000", "-0", "0.0", "5e3", "250"},
			bad:  []string{"-1", "5001", "0.5", "5000.5", "1e4", "60000"},
		},
		{
			place: "items", code: check.CodeForeachBounds, path: "$.flow.nodes[0].maxItems",
			text: strings.Replace(string(flow(repeats("loop", `[]`, "item", "done"), returns("1"))), `"maxItems": 10`, `"maxItems": HERE`, 1),
			good: []string{"1", "100", "2.5e1", "1e2"},
			bad:  []string{"0", "101", "-1", "1.5", "1e3", "99.9"},
		},
		{
			place: "version", code: check.CodeVersion, path: "$.version",
			text: strings.Replace(strings.Replace(string(draft{}.text()), `"version": 2`, `"version": HERE`, 1), `"parentVersion": 1`, `"parentVersion": null`, 1),
			good: []string{"1", "2", "1.0", "1e3", "9007199254740991"},
			bad:  []string{"0", "-1", "1.5", "9007199254740992", "1e16", "0.1"},
		},
	} {
		t.Run(c.place, func(t *testing.T) {
			t.Parallel()
			text := func(number string) []byte {
				return []byte(strings.Replace(strings.Replace(c.text, "HERE", number, 1), "77", number, 1))
			}
			for _, number := range c.good {
				if list := check.Run(text(number), builtin).Diagnostics; len(list) > 0 {
					t.Errorf("%s: %v", number, list)
				}
			}
			for _, number := range c.bad {
				list := check.Run(text(number), builtin).Diagnostics
				if diff := cmp.Diff([]string{c.code + " " + c.path}, brief(list)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", number, diff)
					continue
				}
				if !strings.Contains(list[0].Message, " "+number+".") {
					t.Errorf("%s is not named: %s", number, list[0].Message)
				}
			}
		})
	}
}

// TestCountBounds holds lists to how long they may be.
func TestCountBounds(t *testing.T) {
	t.Parallel()
	step := inner(sets("x", "a", "1", "y"))
	body := func(n int) []byte {
		steps := make([]string, n)
		for i := range steps {
			steps[i] = step
		}
		return flow(repeats("loop", `[]`, "item", "done", steps...), returns("1"))
	}
	nodes := func(n int) []byte { return flow(append(chain(n-1, "done"), returns("1"))...) }
	for _, c := range []struct {
		name string
		text []byte
		want []string
	}{
		{"64 steps", nodes(64), []string{}},
		{"65 steps", nodes(65), []string{"FORGE_NODE_BOUNDS $.flow.nodes"}},
		{"no body", body(0), []string{}},
		{"16 steps in a body", body(16), []string{}},
		{"17 steps in a body", body(17), []string{"FORGE_INLINE_BOUNDS $.flow.nodes[0].body"}},
	} {
		if diff := cmp.Diff(c.want, brief(check.Run(c.text, builtin).Diagnostics)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestCapabilityInputs warns of inputs that are seen to be refused, and of no others.
func TestCapabilityInputs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		capability, input string
		want              []string
	}{
		{"notes.list", `{}`, nil},
		{"notes.list", `{"query": 7, "limit": "x"}`, nil}, // values are judged when it runs
		{"notes.list", `{"$ref": "$.input"}`, nil},
		{"notes.create", `{"title": {"$ref": "$.input.a"}, "content": []}`, nil},
		{"notes.create", `{}`, []string{".input: \"notes.create\" needs the input field \"title\".", ".input: \"notes.create\" needs the input field \"content\"."}},
		{"notes.create", `{"Title": "a", "content": "b"}`, []string{
			`.input.Title: "notes.create" has no input field "Title". Did you mean "title"?`, `.input: "notes.create" needs the input field "title".`,
		}},
		{"notes.list", `{"$ref": "$.input", "query": "x"}`, []string{`.input.$ref: "notes.list" has no input field "$ref". Known here: cursor, limit, query.`}},
		{"notes.list", `[]`, []string{`.input: The input of "notes.list" has to be an object; this is a list.`}},
		{"notes.list", `null`, []string{`.input: The input of "notes.list" has to be an object; this is null.`}},
		{"notes.list", `"x"`, []string{`.input: The input of "notes.list" has to be an object; this is a text.`}},
		{"weather.note", `{"anything": 1}`, nil}, // it says nothing of its fields
		{"web.get", `{"url": {"$ref": "$.input.a"}, "other": 1}`, nil},
	} {
		text := draft{network: anyHost, steps: []string{calls("one", c.capability, c.input, "", "done"), returns("1")}}.text()
		r := check.Run(text, allCapabilities)
		got := map[string]bool{}
		for _, d := range r.Diagnostics {
			if d.Code != check.CodeCapabilityInput {
				t.Errorf("%s %s: %v", c.capability, c.input, d)
			}
			got[strings.TrimPrefix(d.Path, "$.flow.nodes[0]")+": "+d.Message] = true
		}
		want := map[string]bool{}
		for _, w := range c.want {
			want[w] = true
		}
		if diff := cmp.Diff(want, got); diff != "" || !r.OK() {
			t.Errorf("%s %s: ok %v (-want +got):\n%s", c.capability, c.input, r.OK(), diff)
		}
	}
}

// TestModelSchemas asks for a schema where structured output is asked for, and only there.
func TestModelSchemas(t *testing.T) {
	t.Parallel()
	const at = "FORGE_LLM_STRUCTURED_OUTPUT_MISSING_SCHEMA $.flow.nodes[0]"
	for _, c := range []struct {
		defaults, requirements, schema string
		want                           []string
	}{
		{"", "", "", nil},
		{"", `{"structuredOutput": false}`, "", nil},
		{"", `{"structuredOutput": true}`, "", []string{at + ".requirements.structuredOutput"}},
		{"", `{"structuredOutput": true}`, `{}`, nil},
		{"", `{"structuredOutput": true}`, `"text"`, []string{"FORGE_MANIFEST_STRUCTURE $.flow.nodes[0].outputSchema"}},
		{"", `{"structuredOutput": "yes"}`, "", []string{"FORGE_MANIFEST_STRUCTURE $.flow.nodes[0].requirements.structuredOutput"}},
		{`{"structuredOutput": true}`, "", "", []string{at}},
		{`{"structuredOutput": true}`, `{"reasoning": "low"}`, "", []string{at}},
		{`{"structuredOutput": true}`, `{"structuredOutput": false}`, "", nil},
		{`{"structuredOutput": true}`, "", `{"type": "string"}`, nil},
		{`{"structuredOutput": false}`, `{"structuredOutput": true}`, "", []string{at + ".requirements.structuredOutput"}},
	} {
		step := `{"id": "one", "type": "llm", "op": "extract", "input": 1, "target": "$.a", "next": "done"`
		if c.requirements != "" {
			step += `, "requirements": ` + c.requirements
		}
		if c.schema != "" {
			step += `, "outputSchema": ` + c.schema
		}
		d := draft{steps: []string{step + "}", returns("1")}}
		if c.defaults != "" {
			d.more = `"modelDefaults": ` + c.defaults
		}
		if c.want == nil {
			c.want = []string{}
		}
		name := fmt.Sprintf("%s, %s, %s", c.defaults, c.requirements, c.schema)
		if diff := cmp.Diff(c.want, brief(check.Run(d.text(), builtin).Diagnostics)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
