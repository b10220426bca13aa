package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
)

// undefined is a warning that nothing can have filled what is read.
func undefined(path, variable, hint string) string {
	return fmt.Sprintf("warning FORGE_REF_UNDEFINED %s: Nothing before this step can have written %q.%s", path, variable, hint)
}

const known = " Known here: input, runtime, state."

// TestDataflow follows variables along the steps of a flow.
func TestDataflow(t *testing.T) {
	t.Parallel()
	branch := func(id, then, otherwise string) string { return tests(id, ref("input.go"), then, otherwise) }
	loop := func(body ...string) string { return repeats("loop", ref("input.list"), "item", "done", body...) }
	step := func(target, value string) string { return inner(sets("x", target, value, "y")) }
	for _, c := range []struct {
		name  string
		more  string
		steps []string
		want  []string
	}{
		{name: "written before", steps: []string{sets("one", "$.a", "1", "done"), returns(ref("$.a"))}},
		{name: "without the dollar", steps: []string{sets("one", "a", "1", "done"), returns(ref("a"))}},
		{name: "a part of what was written", steps: []string{sets("one", "$.a", "1", "done"), returns(ref("$.a.b.0.c"))}},
		{name: "another part of what was written", steps: []string{sets("one", "$.a.b", "1", "done"), returns(ref("$.a.c"))}},
		{name: "everything", steps: []string{returns(`[{"$ref": "$"}, {"$ref": ""}]`)}},
		{name: "two references are data", steps: []string{returns(`{"$ref": "$.a", "b": 1}`)}},
		{name: "a reference that is no text is data", steps: []string{returns(`{"$ref": 1}`)}},
		{
			name: "never written", steps: []string{sets("one", "$.found", "1", "done"), returns(`{"a": [` + ref("$.fuond") + `]}`)},
			want: []string{undefined("$.flow.nodes[1].value.a[0].$ref", "fuond", ` Did you mean "found"?`)},
		},
		{
			name: "written by itself only", steps: []string{sets("one", "$.a", ref("$.a"), "done"), returns("1")},
			want: []string{undefined("$.flow.nodes[0].value.$ref", "a", known)},
		},
		{
			name: "written later only", steps: []string{sets("one", "$.b", ref("$.a"), "two"), sets("two", "$.a", "1", "done"), returns("1")},
			want: []string{undefined("$.flow.nodes[0].value.$ref", "a", known)},
		},
		{
			name:  "written on one branch of two",
			steps: []string{branch("one", "two", "done"), sets("two", "$.a", "1", "done"), returns(ref("$.a"))},
		},
		{
			name:  "written on the other branch",
			steps: []string{branch("one", "two", "six"), sets("two", "$.a", "1", "done"), sets("six", "$.b", ref("$.a"), "done"), returns(ref("$.b"))},
			want:  []string{undefined("$.flow.nodes[2].value.$ref", "a", known)},
		},
		{
			name: "written before the branches", steps: []string{
				sets("one", "$.a", "1", "two"), branch("two", "six", "ten"), sets("six", "$.b", ref("$.a"), "done"), sets("ten", "$.b", ref("$.a"), "done"), returns(ref("$.b")),
			},
		},
		{
			name: "written by a step that is never reached", steps: []string{returns(ref("$.a")), sets("one", "$.a", "1", "done")},
			want: []string{
				undefined("$.flow.nodes[0].value.$ref", "a", known),
				`warning FORGE_UNREACHABLE_NODE $.flow.nodes[1]: Nothing leads to the step "one".`,
			},
		},
		{
			name: "read by a step that is never reached", steps: []string{returns("1"), sets("one", "$.b", ref("$.a"), "done")},
			want: []string{`warning FORGE_UNREACHABLE_NODE $.flow.nodes[1]: Nothing leads to the step "one".`},
		},
		{name: "written by a capability", steps: []string{calls("one", "notes.list", `{}`, `"target": "$.a"`, "done"), returns(ref("$.a"))}},
		{
			name: "a capability without a target writes nothing", steps: []string{calls("one", "notes.list", `{}`, `"target": ""`, "done"), returns(ref("$.one"))},
			want: []string{undefined("$.flow.nodes[1].value.$ref", "one", known)},
		},
		{
			name: "written by a model", steps: []string{
				`{"id": "one", "type": "llm", "op": "generate", "input": {"$ref": "$.b"}, "target": "$.a", "next": "done"}`, returns(ref("$.a")),
			},
			want: []string{undefined("$.flow.nodes[0].input.$ref", "b", known)},
		},
		{
			name: "both sides of a condition", steps: []string{
				`{"id": "one", "type": "if", "condition": {"left": {"$ref": "$.a"}, "op": "eq", "right": [{"$ref": "$.b"}]}, "then": "done", "else": "done"}`, returns("1"),
			},
			want: []string{
				undefined("$.flow.nodes[0].condition.left.$ref", "a", known), undefined("$.flow.nodes[0].condition.right[0].$ref", "b", known),
			},
		},
		// compensations
		{
			name: "a compensation reads what its own step wrote",
			steps: []string{
				calls("one", "notes.create", `{"title": "a", "content": "b"}`, `"target": "$.note", "compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.note.id"}}}`, "done"),
				returns("1"),
			},
		},
		{
			name: "an input reads what its own step will write",
			steps: []string{
				calls("one", "notes.create", `{"title": {"$ref": "$.note.title"}, "content": "b"}`, `"target": "$.note"`, "done"), returns("1"),
			},
			want: []string{undefined("$.flow.nodes[0].input.title.$ref", "note", known)},
		},
		{
			name: "a compensation reads what is written later",
			steps: []string{
				calls("one", "notes.create", `{"title": "a", "content": "b"}`, `"compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.late"}}}`, "two"),
				sets("two", "$.late", "1", "done"), returns("1"),
			},
			want: []string{undefined("$.flow.nodes[0].compensation.input.id.$ref", "late", known)},
		},
		// loops
		{name: "an item in its loop", steps: []string{loop(step("$.a", ref("$.item.title"))), returns(ref("$.a"))}},
		{name: "an item after its loop", steps: []string{loop(), returns(ref("$.item"))}},
		{
			name: "an item before its loop", steps: []string{repeats("loop", ref("$.item.list"), "item", "done"), returns("1")},
			want: []string{undefined("$.flow.nodes[0].source.$ref", "item", known)},
		},
		{
			name: "the number of an item", steps: []string{
				`{"id": "loop", "type": "foreach", "source": [], "itemVar": "item", "indexVar": "$.at", "maxItems": 1, "body": [{"type": "set", "target": "a", "value": {"$ref": "at"}}], "next": "done"}`,
				returns(ref("at")),
			},
		},
		{
			name: "an empty name for the number", steps: []string{
				`{"id": "loop", "type": "foreach", "source": [], "itemVar": "item", "indexVar": "", "maxItems": 1, "body": [{"type": "set", "target": "a", "value": {"$ref": "number"}}], "next": "done"}`,
				returns("1"),
			},
			want: []string{undefined("$.flow.nodes[0].body[0].value.$ref", "number", " Known here: a, input, item, runtime, state.")},
		},
		{
			name:  "an earlier round may have written it",
			steps: []string{loop(step("$.a", ref("$.b")), step("$.b", ref("$.item"))), returns(ref("$.a"))},
		},
		{
			name: "nothing in the body writes it", steps: []string{loop(step("$.a", ref("$.total"))), returns("1")},
			want: []string{undefined("$.flow.nodes[0].body[0].value.$ref", "total", " Known here: a, input, item, runtime, state.")},
		},
		{
			name: "a compensation in a loop", steps: []string{
				loop(inner(calls("x", "notes.create", `{"title": "a", "content": "b"}`, `"target": "$.note", "compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.note.id"}}}`, "y"))),
				returns("1"),
			},
		},
		{
			name: "a compensation in a loop reads what nothing writes", steps: []string{
				loop(inner(calls("x", "notes.create", `{"title": "a", "content": "b"}`, `"target": "$.note", "compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.number"}}}`, "y"))),
				returns("1"),
			},
			want: []string{undefined("$.flow.nodes[0].body[0].compensation.input.id.$ref", "number", " Known here: input, item, note, runtime, state.")},
		},
		// input
		{name: "input without a schema", steps: []string{returns(ref("$.input.anything"))}},
		{name: "all of the input", more: `"inputSchema": {"properties": {"a": {}}, "additionalProperties": false}`, steps: []string{returns(ref("$.input"))}},
		{name: "a property of the input", more: `"inputSchema": {"properties": {"a": {}}, "additionalProperties": false}`, steps: []string{returns(ref("$.input.a.b"))}},
		{name: "no property, and the schema is open", more: `"inputSchema": {"properties": {"a": {}}}`, steps: []string{returns(ref("$.input.b"))}},
		{name: "no property, and the schema is open by its own word", more: `"inputSchema": {"properties": {"a": {}}, "additionalProperties": true}`, steps: []string{returns(ref("$.input.b"))}},
		{
			name: "no property, and the schema is closed", more: `"inputSchema": {"properties": {"query": {}}, "additionalProperties": false}`,
			steps: []string{returns(ref("$.input.qurey"))},
			want:  []string{`warning FORGE_REF_UNDEFINED $.flow.nodes[0].value.$ref: The input schema has no property "qurey". Did you mean "query"?`},
		},
		{
			name: "in letter case, properties differ", more: `"inputSchema": {"properties": {"query": {}}, "additionalProperties": false}`,
			steps: []string{returns(ref("$.input.Query"))},
			want:  []string{`warning FORGE_REF_UNDEFINED $.flow.nodes[0].value.$ref: The input schema has no property "Query". Did you mean "query"?`},
		},
		// runtime
		{
			name: "what runtime holds", steps: []string{
				returns(`[{"$ref": "$.runtime"}, {"$ref": "$.runtime.executionId"}, {"$ref": "$.runtime.toolId"}, {"$ref": "$.runtime.version"}, {"$ref": "$.runtime.now"}]`),
			},
		},
		{
			name: "what runtime does not hold", steps: []string{returns(ref("$.runtime.Now"))},
			want: []string{`warning FORGE_REF_UNDEFINED $.flow.nodes[0].value.$ref: "runtime" has no "Now". Did you mean "now"?`},
		},
		// state
		{name: "all of the state", steps: []string{returns(ref("$.state"))}},
		{
			name: "state that is not declared and never written", steps: []string{returns(ref("$.state.last"))},
			want: []string{`warning FORGE_REF_UNDEFINED $.flow.nodes[0].value.$ref: Nothing before this step writes to "state", and without a declared "state" it is empty at the start of every run.`},
		},
		{name: "state that is not declared, and written before", steps: []string{sets("one", "$.state.last", "1", "done"), returns(ref("$.state.last"))}},
		{
			name: "state that is not declared, and written later", steps: []string{sets("one", "$.a", ref("$.state.last"), "two"), sets("two", "$.state.last", "1", "done"), returns(ref("$.a"))},
			want: []string{`warning FORGE_REF_UNDEFINED $.flow.nodes[0].value.$ref: Nothing before this step writes to "state", and without a declared "state" it is empty at the start of every run.`},
		},
		{name: "state that is declared", more: `"state": {"schemaVersion": 1, "maxBytes": 9, "fields": {"last": {}}}`, steps: []string{returns(ref("$.state.last.x"))}},
		{
			name: "state with other fields", more: `"state": {"schemaVersion": 1, "maxBytes": 9, "fields": {"last": {}}}`, steps: []string{returns(ref("$.state.lst"))},
			want: []string{`warning FORGE_REF_UNDEFINED $.flow.nodes[0].value.$ref: The state declares no field "lst". Did you mean "last"?`},
		},
		// results
		{
			name: "a flow that only fails", steps: []string{`{"id": "one", "type": "fail", "code": "A", "message": "b"}`},
			want: []string{`warning FORGE_REF_UNDEFINED $.flow.nodes: No "return" step can be reached, so a run never succeeds.`},
		},
		{
			name: "a result that is never reached", steps: []string{`{"id": "one", "type": "fail", "code": "A", "message": "b"}`, returns("1")},
			want: []string{
				`warning FORGE_REF_UNDEFINED $.flow.nodes: No "return" step can be reached, so a run never succeeds.`,
				`warning FORGE_UNREACHABLE_NODE $.flow.nodes[1]: Nothing leads to the step "done".`,
			},
		},
		{name: "one result of two ways", steps: []string{branch("one", "done", "bad"), returns("1"), `{"id": "bad", "type": "fail", "code": "A", "message": "b"}`}},
		// Nothing is guessed of a flow whose steps do not hang together.
		{
			name: "beside a cycle", steps: []string{branch("one", "one", "done"), returns(ref("$.a"))},
			want: []string{"error FORGE_CYCLE $.flow.nodes[0].then: The flow comes back to itself: one → one. Use a foreach step to repeat something."},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.want == nil {
				c.want = []string{}
			}
			if diff := cmp.Diff(c.want, seen(draft{more: c.more, steps: c.steps}.text())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestManyVariables follows more variables than fit one word of bits.
func TestManyVariables(t *testing.T) {
	t.Parallel()
	var steps, reads []string
	for i := range 10 {
		var body []string
		for j := range 16 {
			name := fmt.Sprintf("v%03d", 16*i+j)
			body = append(body, inner(sets("x", name, `["a"]`, "y")))
			reads = append(reads, ref(name))
		}
		steps = append(steps, repeats(fmt.Sprintf("n%02d", i), `[]`, "item", fmt.Sprintf("n%02d", i+1), body...))
	}
	// A list that is replaced may be written to, one that is not may not.
	steps = append(steps,
		sets("n10", "v100", `[1]`, "n11"), sets("n11", "v100", `{}`, "n12"), sets("n12", "v100.0", "1", "n13"),
		sets("n13", "v101", `[1]`, "n14"), sets("n14", "v101.0", "1", "done"))
	const unsafe = `error FORGE_TARGET_UNSAFE $.flow.nodes[14].target: "v101" holds a list here, and a position of a list cannot be written. Build the whole list anew.`
	for _, c := range []struct {
		result string
		want   []string
	}{
		{"[" + strings.Join(reads, ", ") + "]", []string{unsafe}},
		{ref("total"), []string{unsafe, `warning FORGE_REF_UNDEFINED $.flow.nodes[15].value.$ref: Nothing before this step can have written "total".`}},
	} {
		if diff := cmp.Diff(c.want, seen(flow(append(slices.Clone(steps), returns(c.result))...))); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// TestListPositions: a position of a list cannot be written. It is an error where a list
// is certainly there, and left to the run where it is not.
func TestListPositions(t *testing.T) {
	t.Parallel()
	list, one := `["a"]`, "1"
	branch := func(then, otherwise string) string { return tests("test", ref("input.go"), then, otherwise) }
	step := func(target, value string) string { return inner(sets("x", target, value, "y")) }
	for _, c := range []struct {
		name  string
		steps []string
		want  []string // paths
	}{
		{"a position", []string{sets("one", "$.a", list, "two"), sets("two", "$.a.0", one, "done"), returns("1")}, []string{"nodes[1].target"}},
		{"a position of nothing", []string{sets("one", "$.a", `[]`, "two"), sets("two", "$.a.7", one, "done"), returns("1")}, []string{"nodes[1].target"}},
		{"below a position", []string{sets("one", "$.a", list, "two"), sets("two", "$.a.0.b", one, "done"), returns("1")}, []string{"nodes[1].target"}},
		{"by a capability", []string{sets("one", "$.a", list, "two"), calls("two", "notes.list", `{}`, `"target": "$.a.0"`, "done"), returns("1")}, []string{"nodes[1].target"}},
		{"by the item of a loop", []string{sets("one", "$.a", list, "loop"), repeats("loop", list, "a.0", "done"), returns("1")}, []string{"nodes[1].itemVar"}},
		{"a name", []string{sets("one", "$.a", list, "two"), sets("two", "$.a.b", one, "done"), returns("1")}, nil},
		{"a number that is no position", []string{sets("one", "$.a", list, "two"), sets("two", "$.a.007", one, "done"), returns("1")}, nil},
		{"the whole list anew", []string{sets("one", "$.a", list, "two"), sets("two", "$.a", list, "done"), returns("1")}, nil},
		{"a position of an object", []string{sets("one", "$.a", `{"0": 1}`, "two"), sets("two", "$.a.0", one, "done"), returns("1")}, nil},
		{"a position of what is not there", []string{sets("one", "$.a.0", one, "done"), returns("1")}, nil},
		{"a list that was replaced", []string{sets("one", "$.a", list, "two"), sets("two", "$.a", `{}`, "six"), sets("six", "$.a.0", one, "done"), returns("1")}, nil},
		{"a list that a name has replaced", []string{sets("one", "$.a", list, "two"), sets("two", "$.a.b", one, "six"), sets("six", "$.a.0", one, "done"), returns("1")}, nil},
		{"what a capability gives is not known", []string{calls("one", "notes.list", `{}`, `"target": "$.a"`, "two"), sets("two", "$.a.0", one, "done"), returns("1")}, nil},
		{"what a reference gives is not known", []string{sets("one", "$.a", ref("$.input.list"), "two"), sets("two", "$.a.0", one, "done"), returns("1")}, nil},
		{"a list on one way of two", []string{branch("one", "two"), sets("one", "$.a", list, "two"), sets("two", "$.a.0", one, "done"), returns("1")}, nil},
		{
			"lists on both ways", []string{branch("one", "six"), sets("one", "$.a", list, "two"), sets("six", "$.a", `[1]`, "two"), sets("two", "$.a.0", one, "done"), returns("1")},
			[]string{"nodes[3].target"},
		},
		{
			"a list and an object", []string{branch("one", "six"), sets("one", "$.a", list, "two"), sets("six", "$.a", `{}`, "two"), sets("two", "$.a.0", one, "done"), returns("1")}, nil,
		},
		{"never reached", []string{returns("1"), sets("one", "$.a", list, "two"), sets("two", "$.a.0", one, "done")}, nil},
		{
			"in a body, after the list there", []string{repeats("loop", list, "item", "done", step("a", list), step("a.0", one)), returns("1")},
			[]string{"nodes[0].body[1].target"},
		},
		{"in a body, before the list there", []string{repeats("loop", list, "item", "done", step("a.0", one), step("a", list)), returns("1")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := []string{}
			for _, path := range c.want {
				want = append(want, "FORGE_TARGET_UNSAFE $.flow."+path)
			}
			if diff := cmp.Diff(want, faults(flow(c.steps...), builtin)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestCards: what a card shows is there, or there is a warning.
func TestCards(t *testing.T) {
	t.Parallel()
	steps := []string{sets("one", "$.a.b", "1", "done"), returns(`{"count": 1, "list": [1]}`)}
	missing := func(name string) string {
		return fmt.Sprintf("No step writes %q, so the card cannot show it.", name)
	}
	noResult := func(name string) string {
		return fmt.Sprintf("No result of the tool has %q, so the card cannot show it.", name)
	}
	for _, c := range []struct {
		ref   string
		steps []string
		want  string
	}{
		{ref: "$.output"}, {ref: "$.output.count"}, {ref: "output.list.0"}, {ref: "$.a"}, {ref: "$.a.c"}, {ref: "$.input.x"}, {ref: "$.runtime.now"},
		{ref: "$.state.x"}, {ref: "$"},
		{ref: "$.output.cuont", want: noResult("cuont")},
		{ref: "$.b", want: missing("b")},
		{ref: "$.output.anything", steps: []string{returns(ref("$.input"))}},
		{ref: "$.output.length", steps: []string{returns(`[1]`)}},
		{ref: "$.output.x", steps: []string{returns(`"text"`)}, want: noResult("x")},
		{ref: "$.output.x", steps: []string{tests("one", "1", "done", "two"), returns(`{"y": 1}`), `{"id": "two", "type": "return", "value": {"x": 1}}`}},
		{ref: "$.a", steps: []string{returns("1"), sets("one", "$.a", "1", "done")}, want: missing("a")},
	} {
		for field, path := range map[string]string{`"primaryRef": %s`: "$.ui.primaryRef", `"detailRefs": ["$.output", %s]`: "$.ui.detailRefs[1]"} {
			d := draft{more: `"ui": {"kind": "summary", "title": "Found", ` + fmt.Sprintf(field, quote(c.ref)) + `}`, steps: steps}
			if c.steps != nil {
				d.steps = c.steps
			}
			got := []string{}
			for _, one := range check.Run(d.text(), builtin).Diagnostics {
				if one.Code != check.CodeUnreachableNode {
					got = append(got, one.Path+": "+one.Message)
				}
			}
			want := []string{}
			if c.want != "" {
				want = append(want, path+": "+c.want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.ref, diff)
			}
		}
	}
}
