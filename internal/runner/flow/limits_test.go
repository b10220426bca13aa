package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"toolsmith/internal/runner/flow"
)

// nested is a text inside lists, depth of them.
func nested(depth int) any {
	var v any = "x"
	for range depth {
		v = []any{v}
	}
	return v
}

// TestAtTheLimits has what is just allowed, and one more: bytes count as compact JSON.
func TestAtTheLimits(t *testing.T) {
	t.Parallel()
	text := func(size int) string { return strings.Repeat("x", size-len(`""`)) }
	then := func(step string) string { return strings.Replace(callAny, `"next": "end"`, `"next": "then"`, 1) + step }
	back := then(`{"id": "then", "type": "return", "value": {"$ref": "$.x"}}`)
	// Four times the answer and a filling: [a,a,a,a,"…"].
	const answer = 262_100
	four := func(size int) string {
		filling := text(size - 4*answer - len("[,,,,]"))
		return then(`{"id": "then", "type": "set", "target": "$.y", "value": [{"$ref": "$.x"}, {"$ref": "$.x"}, {"$ref": "$.x"}, {"$ref": "$.x"}, "` + filling + `"], "next": "end"}, ` + returnNull)
	}
	wrap := then(`{"id": "then", "type": "set", "target": "$.y", "value": [{"$ref": "$.x"}], "next": "end"}, ` + returnNull)
	hand := func(size int) string {
		return `{"id": "call", "type": "capability", "capability": "lab.list", "input": {"query": "` + text(size-len(`{"query":}`)) + `"}, "next": "end"}, ` + returnNull
	}
	for name, c := range map[string]struct {
		spec
		answer any
		code   string
	}{
		"the result of a capability":  {spec{nodes: then(strings.Replace(returnNull, "end", "then", 1))}, text(flow.MaxResult), ""},
		"one byte more of it":         {spec{nodes: then(strings.Replace(returnNull, "end", "then", 1))}, text(flow.MaxResult + 1), flow.CodeResultTooLarge},
		"the output":                  {spec{nodes: back, output: `{"type": "string"}`}, text(flow.MaxOutput), ""},
		"one byte more in the output": {spec{nodes: then(`{"id": "then", "type": "return", "value": [{"$ref": "$.x"}]}`)}, text(flow.MaxOutput - 1), flow.CodeOutputTooLarge},
		"the input of a capability":   {spec{nodes: hand(256)}, nil, ""},
		"one byte more for it":        {spec{nodes: hand(257)}, nil, flow.CodeInputTooLarge},
		"a variable":                  {spec{nodes: four(flow.MaxVariable)}, text(answer), ""},
		"one byte more in it":         {spec{nodes: four(flow.MaxVariable + 1)}, text(answer), flow.CodeTargetInvalid},
		"the depth of a variable":     {spec{nodes: wrap}, nested(63), ""},
		"one list deeper":             {spec{nodes: wrap}, nested(64), flow.CodeTargetInvalid},
		"the depth of a state":        {spec{nodes: strings.Replace(callAny, "$.x", "$.state.any", 1) + returnNull, state: counts}, nested(63), ""},
		"one object deeper":           {spec{nodes: strings.Replace(callAny, "$.x", "$.state.any", 1) + returnNull, state: counts}, nested(64), flow.CodeStateInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := run(t, c.spec, flow.Options{Host: gives(c.answer)})

			if c.code == "" {
				wantStatus(t, r, flow.Succeeded, "")
			} else {
				wantStatus(t, r, flow.Failed, c.code)
			}
		})
	}
}

// TestWhatIsTooLargeAndUnfit is told to be what was looked at first: the form of a result,
// as long as it can be looked at, the size of an input.
func TestWhatIsTooLargeAndUnfit(t *testing.T) {
	t.Parallel()
	p := program(t, spec{nodes: reads(`{"$ref": "$.input"}`), input: `{"type": "object"}`})
	wantStatus(t, p.Run(t.Context(), strings.Repeat("x", flow.MaxInput), flow.Options{}), flow.Failed, flow.CodeInputTooLarge)
	for times, code := range map[int]string{2: flow.CodeOutputInvalid, 5: flow.CodeOutputTooLarge} {
		many := strings.TrimSuffix(strings.Repeat(`{"$ref": "$.x"}, `, times), ", ")
		nodes := callAny + fmt.Sprintf(`{"id": "end", "type": "return", "value": [%s]}`, many)
		r := run(t, spec{nodes: nodes, output: `{"type": "object"}`}, flow.Options{Host: gives(strings.Repeat("x", flow.MaxResult-2))})
		wantStatus(t, r, flow.Failed, code)
	}
}
