package flow_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"

	"pgregory.net/rapid"

	"toolsmith/internal/model"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// gen draws the parts of a random tool. Everything that it makes passes the check.
type gen struct{ t *rapid.T }

func (g gen) oneOf(label string, choices ...string) string {
	return rapid.SampledFrom(choices).Draw(g.t, label)
}

// chance is true in one of n cases.
func (g gen) chance(label string, n int) bool {
	return rapid.IntRange(0, n-1).Draw(g.t, label) == n-1 // small numbers are drawn more often
}

// ref is a reference to something that may be there.
func (g gen) ref() string {
	return `{"$ref": "` + g.oneOf("ref", "$.input", "$.input.list", "$.input.x", "$.a", "$.a.b", "$.a.b.c", "$.b", "$.b.0", "$.b.length",
		"$.host", "$.host.id", "$.host.0", "$.item", "$.i", "$.state", "$.state.n", "$.state.any", "$.runtime.now",
		"$.runtime.executionId", "$", "$.nowhere") + `"}`
}

// value is a JSON value with references in it.
func (g gen) value(depth int) string {
	kind := rapid.IntRange(0, 11).Draw(g.t, "kind")
	if depth == 0 {
		kind %= 8
	}
	switch kind {
	case 0, 1, 2, 3:
		return g.ref()
	case 4:
		return g.oneOf("number", "0", "-0", "1", "1.0", "2e1", "9007199254740993", "-0.5", "7")
	case 5:
		return g.oneOf("text", `""`, `"a"`, `"ab"`, `"{{x}}"`, `"\ud800"`, `"ö"`)
	case 6:
		return g.oneOf("word", "null", "true", "false")
	case 7:
		return g.oneOf("empty", "{}", "[]")
	case 8, 9:
		return "[" + strings.Join(g.values(depth), ", ") + "]"
	default:
		var members []string
		for i, v := range g.values(depth) {
			members = append(members, fmt.Sprintf(`"%c": %s`, 'a'+i, v))
		}
		return "{" + strings.Join(members, ", ") + "}"
	}
}

func (g gen) values(depth int) []string {
	list := make([]string, rapid.IntRange(0, 3).Draw(g.t, "values"))
	for i := range list {
		list[i] = g.value(depth - 1)
	}
	return list
}

// target is a place to write to. A position of a list is only asked of a variable of which
// the check cannot know what it holds.
func (g gen) target() string {
	return g.oneOf("target", "$.a", "$.a.b", "a.b.c", "$.b", "$.b.d", "$.state.any", "$.host.0", "$.state.n")
}

// step gives the fields of a step that may stand in a loop's body too.
func (g gen) step() string {
	switch g.oneOf("type", "capability", "capability", "set", "llm") {
	case "set":
		return fmt.Sprintf(`"type": "set", "target": %q, "value": %s`, strings.Replace(g.target(), "$.host.0", "$.a.d", 1), g.value(2))
	case "llm":
		more := g.oneOf("answer", "", `, "outputSchema": {"type": "string", "maxLength": 30}`, `, "outputSchema": {"type": "object"}`) +
			g.oneOf("needs", "", "", "", "", `, "requirements": {"maxInputTokens": 40, "maxOutputTokens": 30}`, `, "requirements": {"minContext": 90}`)
		return fmt.Sprintf(`"type": "llm", "op": "extract", "input": %s, "target": %q%s`, g.value(2), g.target(), more)
	}
	capability := g.oneOf("capability", "lab.list", "lab.make", "lab.make", "lab.change", "lab.send", "lab.any")
	input := g.value(2)
	switch {
	case g.chance("any input", 8):
	case capability == "lab.change", capability == "lab.send":
		input = g.value(1)
	case capability == "lab.list":
		input = `{"query": "a"}`
	case capability == "lab.make":
		input = `{"title": "x", "with": ` + g.value(1) + `}`
	}
	text := fmt.Sprintf(`"type": "capability", "capability": %q, "input": %s`, capability, input)
	if !g.chance("no target", 4) {
		text += fmt.Sprintf(`, "target": %q`, g.oneOf("answer to", "$.host", "$.host", g.target()))
	}
	if g.chance("retry", 2) {
		text += fmt.Sprintf(`, "retry": {"maxAttempts": %d, "backoffMs": 10}`, rapid.IntRange(1, 3).Draw(g.t, "attempts"))
	}
	undo := map[string]string{"lab.make": "lab.unmake", "lab.change": "lab.unchange"}[capability]
	if undo != "" && !g.chance("no compensation", 4) {
		text += fmt.Sprintf(`, "compensation": {"capability": %q, "input": {"id": %s}}`, undo, g.value(1))
	}
	return text
}

// node is one step of a flow; next gives the id of any step behind it.
func (g gen) node(next func() string) string {
	switch g.oneOf("node", "foreach", "plain", "plain", "plain", "plain", "plain", "if", "if", "foreach", "foreach", "end") {
	case "if":
		right := ""
		if !g.chance("no right", 4) {
			right = `, "right": ` + g.value(1)
		}
		return fmt.Sprintf(`"type": "if", "condition": {"left": %s, "op": %q%s}, "then": %q, "else": %q`, g.value(1),
			g.oneOf("op", "neq", "eq", "truthy", "exists", "contains", "gt", "gte", "lt", "lte"), right, next(), next())
	case "foreach":
		body := make([]string, rapid.SampledFrom([]int{2, 1, 3, 0}).Draw(g.t, "body"))
		for i := range body {
			body[i] = "{" + g.step() + "}"
		}
		source := g.oneOf("source", `[1, "b", {"c": null}]`, `{"$ref": "$.input.list"}`, `["a", {"$ref": "$.host"}]`, "[]")
		if g.chance("any source", 6) {
			source = g.value(2)
		}
		return fmt.Sprintf(`"type": "foreach", "source": %s, "itemVar": %q, "indexVar": %q, "maxItems": %d, "body": [%s], "next": %q`, source,
			g.oneOf("item", "$.item", "$.a.item", "$.host.0"), g.oneOf("index", "$.i", "", "$.item"), rapid.SampledFrom([]int{4, 5, 3, 2}).Draw(g.t, "most"),
			strings.Join(body, ", "), next())
	case "end":
		return g.end()
	}
	return fmt.Sprintf(`%s, "next": %q`, g.step(), next())
}

func (g gen) end() string {
	if g.chance("fail", 3) {
		return `"type": "fail", "code": "STOP", "message": "On purpose."`
	}
	return `"type": "return", "value": ` + g.value(2)
}

// tool is a whole tool.
func (g gen) tool() spec {
	count := rapid.SampledFrom([]int{7, 1, 2, 3, 4, 5, 6, 8, 9}).Draw(g.t, "steps")
	var nodes []string
	for i := range count {
		// Mostly the step that follows, so that flows are long.
		next := func() string {
			if g.chance("jump", 4) {
				return fmt.Sprintf("step-%d", rapid.IntRange(i+1, count).Draw(g.t, "next"))
			}
			return fmt.Sprintf("step-%d", i+1)
		}
		nodes = append(nodes, fmt.Sprintf(`{"id": "step-%d", %s}`, i, g.node(next)))
	}
	nodes = append(nodes, fmt.Sprintf(`{"id": "step-%d", %s}`, count, g.end()))
	return spec{
		nodes:       strings.Join(nodes, ",\n"),
		transitions: rapid.IntRange(5, 20).Draw(g.t, "transitions"),
		input:       g.oneOf("input schema", "", `{"type": "object", "properties": {"x": {"default": 7}}}`),
		output:      g.oneOf("output schema", "", "", "", `{"type": "object"}`),
		state:       g.oneOf("state", "", counts),
	}
}

// input is what a random tool is given.
func (g gen) input() any {
	list := []any{value.Int(1), "b", map[string]any{"c": nil}, []any{}}
	in := map[string]any{"list": list[:rapid.IntRange(0, 4).Draw(g.t, "items")]}
	if g.chance("x", 2) {
		in["x"] = rapid.SampledFrom(list).Draw(g.t, "x")
	}
	return in
}

// fate decides what a host or a model does, by a seed and what it is asked: the same
// question has the same answer in every run.
type fate uint32

func (f fate) of(question string, n int) int {
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %s", f, question)
	return int(h.Sum32() % uint32(n))
}

// answer of a host whose calls fail now and then, for a while or for good.
func (f fate) answer(_ context.Context, c flow.Call) (flow.Answer, error) {
	switch f.of(fmt.Sprint(c.Step, c.Attempt), 30) {
	case 0:
		return flow.Answer{}, errStore
	case 1:
		return flow.Answer{}, &flow.CallError{Message: "Later."}
	case 2:
		return flow.Answer{}, &flow.CallError{Message: "Never.", Permanent: true}
	case 3:
		return flow.Answer{Value: nil}, nil
	case 4:
		return flow.Answer{Value: []any{c.Step, c.Input, value.Int(c.Attempt)}, Note: "cut: 3 of 9"}, nil
	case 5:
		if f.of(c.Step, 4) == 0 {
			return flow.Answer{Value: strings.Repeat("x", flow.MaxResult)}, nil
		}
	case 6:
		return flow.Answer{Value: c.Input}, nil
	}
	return madeRecord(c), nil
}

// reply of a model that errs now and then.
func (f fate) reply(r model.Request) (any, error) {
	switch f.of(fmt.Sprint(r.Data, r.Repair != nil), 24) {
	case 0:
		return nil, errStore
	case 1:
		return strings.Repeat("long ", 40), nil
	case 2:
		return map[string]any{"said": r.Data}, nil
	case 3:
		return value.Int(len(r.Data)), nil
	}
	if r.Schema != nil && r.Schema.(map[string]any)["type"] == "object" {
		return map[string]any{}, nil
	}
	return "an answer", nil
}
