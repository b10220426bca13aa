package flow_test

import (
	"strings"
	"testing"

	"toolsmith/internal/manifest"
	"toolsmith/internal/runner/flow"
)

// absent is a side that leads nowhere; omitted leaves "right" out.
const (
	absent  = `{"$ref": "$.nowhere"}`
	omitted = ""
)

// conditionCase is one condition, with the operators for which it holds.
type conditionCase struct {
	left, right string
	// holds lists every operator that is true; all others have to be false.
	holds string
}

// conditionCases is the table of forge.md, by kinds of sides.
func conditionCases() []conditionCase {
	return []conditionCase{
		// Absent and null.
		{absent, absent, "eq"},
		{absent, omitted, "eq"},
		{absent, `null`, "neq"},
		{`null`, absent, "neq"},
		{`null`, omitted, "neq"},
		{`null`, `null`, "eq"},
		{`null`, `0`, "neq"},
		{`null`, `""`, "neq"},
		{absent, `0`, "neq"},
		{`0`, absent, "neq exists"},
		{`"null"`, `null`, "neq exists truthy"},
		// Truth values.
		{`true`, `true`, "eq exists truthy"},
		{`false`, `false`, "eq exists"},
		{`true`, `false`, "neq exists truthy"},
		{`false`, `0`, "neq exists"},
		{`true`, `1`, "neq exists truthy"},
		{`true`, `"true"`, "neq exists truthy"},
		// Numbers go by value, exactly.
		{`1`, `1.0`, "eq exists truthy gte lte"},
		{`1e0`, `1`, "eq exists truthy gte lte"},
		{`100`, `1E2`, "eq exists truthy gte lte"},
		{`0`, `-0`, "eq exists gte lte"},
		{`-0.0`, `0e5`, "eq exists gte lte"},
		{`9007199254740993`, `9007199254740992`, "neq exists truthy gt gte"},
		{`0.1`, `0.10000000000000000001`, "neq exists truthy lt lte"},
		{`2`, `10`, "neq exists truthy lt lte"},
		{`-2`, `-10`, "neq exists truthy gt gte"},
		{`1`, `"1"`, "neq exists truthy"},
		{`1e-7`, `0`, "neq exists truthy gt gte"},
		// Texts go by code point, not by UTF-16 unit and not by a language's rules.
		{`"a"`, `"a"`, "eq exists truthy contains gte lte"},
		{`""`, `""`, "eq exists contains gte lte"},
		{`"a"`, `""`, "neq exists truthy contains gt gte"},
		{`"B"`, `"a"`, "neq exists truthy lt lte"},
		{`"10"`, `"9"`, "neq exists truthy lt lte"},
		{`"ab"`, `"a"`, "neq exists truthy contains gt gte"},
		{`"\uFF61"`, `"\uD83D\uDE00"`, "neq exists truthy lt lte"},
		{`"ö"`, `"z"`, "neq exists truthy gt gte"},
		{`"\u00e9"`, `"e\u0301"`, "neq exists truthy gt gte"},
		{`"0"`, `"0"`, "eq exists truthy contains gte lte"},
		{`"false"`, `false`, "neq exists truthy contains"},
		// A text contains the JSON text of a number or a truth value, and nothing else.
		{`"a1b"`, `1`, "neq exists truthy contains"},
		{`"a1b"`, `1.0`, "neq exists truthy contains"},
		{`"it is true"`, `true`, "neq exists truthy contains"},
		{`"null"`, `null`, "neq exists truthy"},
		{`"[]"`, `[]`, "neq exists truthy"},
		{`"{}"`, `{}`, "neq exists truthy"},
		{`"Ada"`, `"ada"`, "neq exists truthy lt lte"},
		{`"x"`, absent, "neq exists truthy"},
		// Lists.
		{`[]`, `[]`, "eq exists truthy"},
		{`[]`, `null`, "neq exists truthy"},
		{`[1, 2]`, `[1.0, 2]`, "eq exists truthy"},
		{`[1, 2]`, `[2, 1]`, "neq exists truthy"},
		{`[1, 2]`, `2.0`, "neq exists truthy contains"},
		{`[1, 2]`, `"2"`, "neq exists truthy"},
		{`[[1], {"a": null}]`, `[1.0]`, "neq exists truthy contains"},
		{`[[1], {"a": null}]`, `{"a": null}`, "neq exists truthy contains"},
		{`[null]`, `null`, "neq exists truthy contains"},
		{`[null]`, absent, "neq exists truthy"},
		{`["abc"]`, `"b"`, "neq exists truthy"},
		{`[1, 2]`, `[1]`, "neq exists truthy"},
		// Objects.
		{`{}`, `{}`, "eq exists truthy"},
		{`{"a": 1, "b": [2]}`, `{"b": [2.0], "a": 1e0}`, "eq exists truthy"},
		{`{"a": 1}`, `{"a": null}`, "neq exists truthy"},
		{`{"a": null}`, `{}`, "neq exists truthy"},
		{`{"a": null}`, `"a"`, "neq exists truthy contains"},
		{`{"a": "b"}`, `"b"`, "neq exists truthy"},
		{`{"1": 0}`, `1`, "neq exists truthy"},
		{`{"": 0}`, `""`, "neq exists truthy contains"},
		// Names with which other languages reach behind an object are plain data.
		{`{}`, `"__proto__"`, "neq exists truthy"},
		{`{}`, `"toString"`, "neq exists truthy"},
		{`{"__proto__": 1}`, `"__proto__"`, "neq exists truthy contains"},
		// Other pairs are not in any order.
		{`1`, `null`, "neq exists truthy"},
		{`[2]`, `[1]`, "neq exists truthy"},
		{`{"a": 2}`, `{"a": 1}`, "neq exists truthy"},
		{`true`, `null`, "neq exists truthy"},
		{`5`, `5`, "eq exists truthy gte lte"},
		{`1`, `11`, "neq exists truthy lt lte"},
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	for _, c := range conditionCases() {
		for _, op := range manifest.Operators() {
			t.Run(c.left+" "+op+" "+c.right, func(t *testing.T) {
				t.Parallel()
				right := ""
				if c.right != omitted {
					right = `, "right": ` + c.right
				}
				nodes := `{"id": "ask", "type": "if", "condition": {"left": ` + c.left + `, "op": "` + op + `"` + right + `}, "then": "yes", "else": "nay"},
					{"id": "yes", "type": "return", "value": true}, {"id": "nay", "type": "return", "value": false}`

				r := run(t, spec{nodes: nodes}, flow.Options{})

				want, note := "false", "ask if (else)"
				if strings.Contains(" "+c.holds+" ", " "+op+" ") {
					want, note = "true", "ask if (then)"
				}
				wantOutput(t, r, want)
				if got := traceLines(r.Trace)[0]; got != note {
					t.Errorf("the trace says %q; want %q", got, note)
				}
			})
		}
	}
}

// TestConditionsReadVariables has both sides from paths, absent where a list ends.
func TestConditionsReadVariables(t *testing.T) {
	t.Parallel()
	input := decode(t, `{"list": ["a", null], "n": 9007199254740993}`)
	for _, c := range []struct {
		condition string
		want      string
	}{
		{`{"left": {"$ref": "$.input.list.1"}, "op": "eq", "right": {"$ref": "$.input.list.2"}}`, "false"},
		{`{"left": {"$ref": "$.input.list.2"}, "op": "eq", "right": {"$ref": "$.input.list.3"}}`, "true"},
		{`{"left": {"$ref": "$.input.list.1"}, "op": "exists"}`, "false"},
		{`{"left": {"$ref": "$.input.list.0"}, "op": "exists"}`, "true"},
		{`{"left": {"$ref": "$.input.list.length"}, "op": "eq", "right": 2}`, "true"},
		{`{"left": {"$ref": "$.input.n"}, "op": "gt", "right": 9007199254740992}`, "true"},
		{`{"left": [{"$ref": "$.nowhere"}], "op": "contains", "right": null}`, "true"},
		{`{"left": {"a": {"$ref": "$.nowhere"}}, "op": "eq", "right": {}}`, "true"},
	} {
		nodes := `{"id": "ask", "type": "if", "condition": ` + c.condition + `, "then": "yes", "else": "nay"},
			{"id": "yes", "type": "return", "value": true}, {"id": "nay", "type": "return", "value": false}`
		r := program(t, spec{nodes: nodes}).Run(t.Context(), input, flow.Options{})
		if t.Run(c.condition, func(t *testing.T) { wantOutput(t, r, c.want) }); t.Failed() {
			t.Log(r.Failure)
		}
	}
}
