package flow_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/conformance"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// greedy copies what it gets into variables that grow, compares everything with everything
// and hands it on.
const greedy = `{"id": "list", "type": "capability", "capability": "notes.list", "input": {"query": {"$ref": "$.input.item"}}, "target": "$.a", "next": "each"},
	{"id": "each", "type": "foreach", "source": {"$ref": "$.a"}, "itemVar": "$.a.item", "indexVar": "$.i.n", "maxItems": 100, "body": [
		{"type": "set", "target": "$.a.b", "value": [{"$ref": "$.a"}, {"$ref": "$.input"}, {"$ref": "$.a"}]},
		{"type": "set", "target": "$.state.last", "value": {"$ref": "$.a.item"}},
		{"type": "capability", "capability": "tasks.create", "input": {"$ref": "$.a.item"}, "target": "$.a.c.d", "retry": {"maxAttempts": 3, "backoffMs": 5000},
		 "compensation": {"capability": "tasks.delete", "input": {"id": {"$ref": "$.a.c.d.id"}}}}], "next": "ask"},
	{"id": "ask", "type": "llm", "op": "rank", "input": {"$ref": "$"}, "target": "$.a.c", "outputSchema": {"type": "object", "additionalProperties": false}, "next": "if1"},
	{"id": "if1", "type": "if", "condition": {"left": {"$ref": "$.a"}, "op": "contains", "right": {"$ref": "$.input"}}, "then": "end", "else": "if2"},
	{"id": "if2", "type": "if", "condition": {"left": {"$ref": "$.a"}, "op": "lte", "right": {"$ref": "$.a.c"}}, "then": "end", "else": "end"},
	{"id": "end", "type": "return", "value": [{"$ref": "$.a"}, {"$ref": "$.state"}, {"$ref": "$.runtime.version"}]}`

// fuzzPrograms are the tools that are run: those of the templates of the conformance
// cases, and two that do what tools should not.
func fuzzPrograms(f *testing.F, cases []conformance.Case) []*flow.Program {
	f.Helper()
	builtin := capability.Builtin()
	texts := []string{
		spec{nodes: greedy, state: `{"schemaVersion": 1, "maxBytes": 4000, "fields": {"last": {}}}`}.text(),
		spec{nodes: greedy, transitions: 3, output: `{"type": "array", "items": {"type": "object"}}`}.text(),
	}
	seen := map[string]bool{}
	for _, c := range cases {
		text := string(c.Text("manifest"))
		if strings.Contains(c.Root.Get("name").Text, "/template/") && !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	var programs []*flow.Program
	for _, text := range texts {
		checked := check.Run([]byte(text), builtin)
		if !checked.OK() {
			f.Fatalf("%v\n%s", checked.Diagnostics, text)
		}
		p, err := flow.Compile(checked.Tool)
		if err != nil {
			f.Fatal(err)
		}
		programs = append(programs, p)
	}
	return programs
}

// FuzzRun runs fixed tools with any script and any input: whatever comes, a run ends soon,
// within its bounds, and in the same way a second time.
func FuzzRun(f *testing.F) {
	file, err := os.ReadFile("../../../testdata/conformance/try.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	cases := conformance.Cases(f, file)
	programs := fuzzPrograms(f, cases)
	for i, c := range cases {
		f.Add(uint8(i), c.Text("script"), c.Text("input"))
	}
	f.Add(uint8(0), []byte(`{"capabilities": {"notes.list": [{"result": [{"title": "a"}, {"title": "b"}, [[]]]}]}, "llm": [{"result": 1}, {"result": {}}]}`), []byte(`{"item": "x"}`))
	f.Fuzz(func(t *testing.T, which uint8, scriptText, inputText []byte) {
		input, err := value.Decode(inputText)
		if err != nil || len(scriptText) > 1<<20 {
			return
		}
		p := programs[int(which)%len(programs)]
		var first string
		for range 2 {
			script, err := flow.ParseScript(scriptText)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "line ") && !strings.HasPrefix(err.Error(), "$") {
					t.Errorf("the error names no place: %v", err)
				}
				return
			}
			r := runBounded(t, p, script, input)
			if said := value.JSON(r.Value()); first == "" {
				first = said
			} else if diff := cmp.Diff(first, said); diff != "" {
				t.Errorf("run twice (-first +second):\n%s", diff)
			}
		}
	})
}

func runBounded(t *testing.T, p *flow.Program, script *flow.Script, input any) flow.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	o := script.Options()
	o.Started = dawn

	r := p.Run(ctx, input, o)

	switch {
	case ctx.Err() != nil:
		t.Error("a run took more than a minute")
	case (r.Status == flow.Succeeded) != (r.Failure == nil), r.Status == flow.Cancelled:
		t.Errorf("ended as %s with %v", r.Status, r.Failure)
	case len(r.Trace) > flow.MaxTrace, value.Size(r.Output) > flow.MaxOutput:
		t.Errorf("%d events, %d bytes of output", len(r.Trace), value.Size(r.Output))
	}
	if r.Failure != nil && r.Failure.Message == "" {
		t.Errorf("%s says nothing", r.Failure.Code)
	}
	if !r.TraceTruncated {
		compensations(t, p, r)
	}
	return r
}
