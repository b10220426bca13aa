package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// collect is a loop that puts each item with its index into $.got, under the names 0, 1, 2
// of the outer object being impossible: it nests what it had before.
func collect(source, itemVar, indexVar, reads string, maxItems int) string {
	return fmt.Sprintf(`{"id": "each", "type": "foreach", "source": %s, "itemVar": %q, "indexVar": %q, "maxItems": %d, "body": [
		{"type": "set", "target": "$.got", "value": {"before": {"$ref": "$.got"}, "now": %s}}], "next": "end"},
		{"id": "end", "type": "return", "value": {"$ref": "$.got"}}`, source, itemVar, indexVar, maxItems, reads)
}

func TestLoop(t *testing.T) {
	t.Parallel()
	const item, both = `{"$ref": "$.item"}`, `[{"$ref": "$.i"}, {"$ref": "$.item"}]`
	for name, c := range map[string]struct {
		nodes, input, want string
	}{
		"no item at all":     {collect(`[]`, "$.item", "", item, 1), `{}`, `null`},
		"items in order":     {collect(`["a", "b"]`, "$.item", "$.i", both, 2), `{}`, `{"before":{"now":[0,"a"]},"now":[1,"b"]}`},
		"source from a path": {collect(`{"$ref": "$.input.list"}`, "item", "i", both, 9), `{"list": [null, {"x": 1.0}]}`, `{"before":{"now":[0,null]},"now":[1,{"x":1.0}]}`},
		"source of a list that is read in part": {collect(`[{"$ref": "$.input.none"}, {"$ref": "$.input.list.1"}]`, "$.item", "$.i", both, 9),
			`{"list": [1, 2]}`, `{"before":{"now":[0,null]},"now":[1,2]}`},
		"variables as paths": {collect(`["a", "b"]`, "$.loop.item", "$.loop.at.i", `{"$ref": "$.loop"}`, 2), `{}`,
			`{"before":{"now":{"at":{"i":0},"item":"a"}},"now":{"at":{"i":1},"item":"b"}}`},
		"one variable for both holds the index": {collect(`["a", "b"]`, "$.item", "$.item", item, 2), `{}`, `{"before":{"now":0},"now":1}`},
		"the item inside the index replaces it": {collect(`["a"]`, "$.i.item", "$.i", `{"$ref": "$.i"}`, 1), `{}`, `{"now":0}`},
		"a hundred":                             {collect("["+strings.Repeat("7,", 99)+"7]", "$.item", "$.got", `1`, 100), `{}`, `{"before":99,"now":1}`},
		"a variable of the loop stays": {`{"id": "each", "type": "foreach", "source": ["a", "b"], "itemVar": "$.item", "indexVar": "$.i", "maxItems": 2, "body": [], "next": "end"},
			{"id": "end", "type": "return", "value": ` + both + `}`, `{}`, `[1,"b"]`},
		"a nested loop over what an outer one left": {`{"id": "one", "type": "foreach", "source": [[1, 2], [3]], "itemVar": "$.row", "maxItems": 2, "body": [], "next": "two"},
			{"id": "two", "type": "foreach", "source": {"$ref": "$.row"}, "itemVar": "$.cell", "maxItems": 1, "body": [], "next": "end"},
			{"id": "end", "type": "return", "value": {"$ref": "$.cell"}}`, `{}`, `3`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantOutput(t, program(t, spec{nodes: c.nodes}).Run(t.Context(), decode(t, c.input), flow.Options{}), c.want)
		})
	}
}

func TestLoopSourceKinds(t *testing.T) {
	t.Parallel()
	for source, kind := range map[string]string{
		`null`: "null", `true`: "true or false", `7`: "a number", `"abc"`: "a text", `{"length": 3, "0": "a"}`: "an object",
		`{"$ref": "$.nowhere"}`: "null", `{"$ref": "$.input"}`: "an object", `{"$ref": "$.runtime.toolId"}`: "a text",
	} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			h := &host{}

			r := run(t, spec{nodes: loopOver(source)}, flow.Options{Host: h})

			wantStatus(t, r, flow.Failed, flow.CodeForeachSource)
			if want := `The loop "each" needs a list; this is ` + kind + "."; r.Failure.Message != want {
				t.Errorf("says %q; want %q", r.Failure.Message, want)
			}
			if diff := cmp.Diff([]string{"each foreach FORGE_FOREACH_SOURCE"}, traceLines(r.Trace)); diff != "" {
				t.Errorf("trace (-want +got):\n%s", diff)
			}
		})
	}
}

// TestALoopOverTooMany does nothing at all, instead of as much as is allowed.
func TestALoopOverTooMany(t *testing.T) {
	t.Parallel()
	h := &host{}
	nodes := `{"id": "each", "type": "foreach", "source": [1, 2, 3], "itemVar": "$.item", "maxItems": 2, "body": [
		{"type": "capability", "capability": "lab.any", "input": {}}], "next": "end"}, ` + returnNull

	r := run(t, spec{nodes: nodes}, flow.Options{Host: h})

	wantStatus(t, r, flow.Failed, flow.CodeForeachLimit)
	if len(h.calls) != 0 {
		t.Errorf("called %q", h.steps())
	}
}

// TestALoopThatChangesItsSource goes on over the list as it was.
func TestALoopThatChangesItsSource(t *testing.T) {
	t.Parallel()
	nodes := `{"id": "list", "type": "set", "target": "$.list", "value": ["a", "b", "c"], "next": "each"},
		{"id": "each", "type": "foreach", "source": {"$ref": "$.list"}, "itemVar": "$.item", "indexVar": "$.i", "maxItems": 3, "body": [
			{"type": "set", "target": "$.list", "value": []},
			{"type": "set", "target": "$.seen", "value": [{"$ref": "$.item"}, {"$ref": "$.seen"}]}], "next": "end"},
		{"id": "end", "type": "return", "value": {"seen": {"$ref": "$.seen"}, "left": {"$ref": "$.list"}}}`
	wantOutput(t, run(t, spec{nodes: nodes}, flow.Options{}), `{"left":[],"seen":["c",["b",["a",null]]]}`)
}

// TestALoopWhoseVariableCannotBeWritten fails at the loop.
func TestALoopWhoseVariableCannotBeWritten(t *testing.T) {
	t.Parallel()
	for name, vars := range map[string][2]string{"item": {"$.list.0", "$.i"}, "index": {"$.item", "$.list.0"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := fmt.Sprintf(`{"id": "list", "type": "set", "target": "$.list", "value": {"$ref": "$.input.list"}, "next": "each"},
				{"id": "each", "type": "foreach", "source": {"$ref": "$.list"}, "itemVar": %q, "indexVar": %q, "maxItems": 3, "body": [], "next": "end"}, `+returnNull, vars[0], vars[1])

			r := program(t, spec{nodes: nodes}).Run(t.Context(), decode(t, `{"list": [1]}`), flow.Options{})

			wantStatus(t, r, flow.Failed, flow.CodeTargetInvalid)
			if diff := cmp.Diff([]string{"list set", "each foreach FORGE_TARGET_INVALID"}, traceLines(r.Trace)); diff != "" {
				t.Errorf("trace (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNothingIsAliased writes into values that other variables, the input, a literal, an
// answer of the host and the state were read from.
func TestNothingIsAliased(t *testing.T) {
	t.Parallel()
	answer := map[string]any{"deep": map[string]any{"a": "host"}}
	state := map[string]any{"deep": map[string]any{"a": "state"}}
	input := decode(t, `{"deep": {"a": "input"}, "rows": [{"n": {"x": 1}}, {"n": {"x": 2}}]}`)
	var nodes strings.Builder
	nodes.WriteString(`{"id": "call", "type": "capability", "capability": "lab.any", "input": {}, "target": "$.host", "next": "lit"},
		{"id": "lit", "type": "set", "target": "$.literal", "value": {"deep": {"a": "literal"}}, "next": "in1"}`)
	for i, from := range []string{"$.input.deep", "$.host.deep", "$.literal.deep", "$.state.deep"} {
		next := fmt.Sprintf("in%d", i+2)
		if i == 3 {
			next = "each"
		}
		fmt.Fprintf(&nodes, `, {"id": "in%[1]d", "type": "set", "target": "$.v%[1]d", "value": {"$ref": %[2]q}, "next": "wr%[1]d"},
			{"id": "wr%[1]d", "type": "set", "target": "$.v%[1]d.a", "value": "written", "next": %[3]q}`, i+1, from, next)
	}
	nodes.WriteString(`, {"id": "each", "type": "foreach", "source": {"$ref": "$.input.rows"}, "itemVar": "$.row", "maxItems": 2, "body": [
			{"type": "set", "target": "$.row.n.x", "value": "written"}, {"type": "set", "target": "$.state.deep.b", "value": 1}], "next": "end"},
		{"id": "end", "type": "return", "value": [{"$ref": "$.input"}, {"$ref": "$.host"}, {"$ref": "$.literal"}, {"$ref": "$.v1"}, {"$ref": "$.row"}]}`)
	p := program(t, spec{nodes: nodes.String()})
	for range 2 { // a literal that was changed would show in the second run
		r := p.Run(t.Context(), input, flow.Options{Host: gives(answer), State: state})
		wantOutput(t, r, `[{"deep":{"a":"input"},"rows":[{"n":{"x":1}},{"n":{"x":2}}]},{"deep":{"a":"host"}},{"deep":{"a":"literal"}},{"a":"written"},{"n":{"x":"written"}}]`)
		if got := value.JSON(r.Variables["state"]); got != `{"deep":{"a":"state","b":1}}` {
			t.Errorf("the state in the run is %s", got)
		}
	}
	if got := value.JSON([]any{answer, state}); got != `[{"deep":{"a":"host"}},{"deep":{"a":"state"}}]` {
		t.Errorf("what the host and the store gave was changed to %s", got)
	}
}

// TestManyRunsAtOnce runs one program from many goroutines: it must not change.
func TestManyRunsAtOnce(t *testing.T) {
	t.Parallel()
	p := program(t, spec{nodes: makeStep("one", "each") +
		`{"id": "each", "type": "foreach", "source": {"$ref": "$.input.list"}, "itemVar": "$.item", "maxItems": 9, "body": [
			{"type": "set", "target": "$.got", "value": [{"$ref": "$.item"}, {"$ref": "$.got"}]}], "next": "end"},
		{"id": "end", "type": "return", "value": {"$ref": "$.got"}}`,
		input: `{"type": "object", "properties": {"list": {"type": "array", "default": [1, 2]}}}`})
	results := make(chan string)
	for i := range 16 {
		go func() {
			input := map[string]any{}
			if i%2 == 1 {
				input["list"] = []any{value.Int(i)}
			}
			results <- value.JSON(p.Run(t.Context(), input, flow.Options{Host: &host{}}).Output)
		}()
	}
	got := map[string]int{}
	for range 16 {
		got[<-results]++
	}
	want := map[string]int{"[2,[1,null]]": 8}
	for i := 1; i < 16; i += 2 {
		want[fmt.Sprintf("[%d,null]", i)] = 1
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
}
