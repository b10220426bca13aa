package flow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// reads is a flow that returns one value.
func reads(v string) string { return `{"id": "end", "type": "return", "value": ` + v + `}` }

func TestReading(t *testing.T) {
	t.Parallel()
	input := `{"list": ["a", {"b": [10, 20]}], "obj": {"0": "zero", "length": "long", "-1": "minus"}, "text": "abc", "n": 1.50, "nil": null,
		"long": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}`
	for path, want := range map[string]string{
		"$.input.list.0":         `"a"`,
		"input.list.0":           `"a"`, // the "$." may be left out
		"$.input.list.1.b.1":     `20`,
		"$.input.list.length":    `2`,
		"$.input.list.1.b":       `[10,20]`,
		"$.input.long.10":        `10`,
		"$.input.n":              `1.50`, // numbers keep their text
		"$.input.obj.0":          `"zero"`,
		"$.input.obj.length":     `"long"`,
		"$.input.obj.-1":         `"minus"`,
		"$.input.nil":            `null`,
		"$..input..text.":        `"abc"`, // empty segments are passed over
		"$.input.list.2":         ``,
		"$.input.list.-1":        ``,
		"$.input.list.00":        ``,
		"$.input.list.01":        ``,
		"$.input.long.1e1":       ``,
		"$.input.list.999999999": ``,
		"$.input.list.a":         ``,
		"$.input.list.length.x":  ``,
		"$.input.text.length":    ``,
		"$.input.text.0":         ``,
		"$.input.nil.x":          ``,
		"$.input.n.x":            ``,
		"$.input.toString":       ``,
		"$.input.hasOwnProperty": ``,
		"$.nowhere":              ``,
		"$.nowhere.x":            ``,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			// Absent is left out of an object, and null in a list or as the whole value.
			ref := fmt.Sprintf(`{"$ref": %q}`, path)
			inObject, inList, whole := `{"v":`+want+`}`, `[`+want+`]`, want
			if want == "" {
				inObject, inList, whole = `{}`, `[null]`, `null`
			}
			for v, want := range map[string]string{`{"v": ` + ref + `}`: inObject, `[` + ref + `]`: inList, ref: whole} {
				wantOutput(t, program(t, spec{nodes: reads(v)}).Run(t.Context(), decode(t, input), flow.Options{}), want)
			}
		})
	}
}

func TestAllVariables(t *testing.T) {
	t.Parallel()
	nodes := `{"id": "set", "type": "set", "target": "$.x", "value": 1, "next": "end"}, ` + reads(`{"$ref": "$"}`)
	r := run(t, spec{nodes: nodes}, flow.Options{ExecutionID: "run-1", Started: dawn})
	wantOutput(t, r, `{"input":{},"runtime":{"executionId":"run-1"},"state":{},"x":1}`)
}

func TestRuntimeFields(t *testing.T) {
	t.Parallel()
	zoned := time.Date(2026, 11, 27, 9, 30, 0, 120_000_000, time.FixedZone("", 3*60*60))
	nodes := reads(`[{"$ref": "$.runtime.executionId"}, {"$ref": "$.runtime.toolId"}, {"$ref": "$.runtime.version"}, {"$ref": "$.runtime.now"},
		{"$ref": "$.runtime.other"}, {"$ref": "$.runtime.now.x"}, {"$ref": "$.runtime.version.x"}, {"$ref": "$.runtime"}]`)
	r := run(t, spec{nodes: nodes}, flow.Options{ExecutionID: "run-1", Started: zoned})
	wantOutput(t, r, `["run-1","made-up",7,"2026-11-27T06:30:00.120Z",null,null,null,{"executionId":"run-1"}]`)
}

func TestWriting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ steps, reads, want string }{
		"a new variable":                  {`$.x = 1`, `$.x`, `1`},
		"without the dollar":              {`x = 1`, `$.x`, `1`},
		"through nothing":                 {`$.a.b.c = 1`, `$.a`, `{"b":{"c":1}}`},
		"beside what is there":            {`$.a = {"b": 1}; $.a.c = 2`, `$.a`, `{"b":1,"c":2}`},
		"through a text":                  {`$.a = "text"; $.a.b = 1`, `$.a`, `{"b":1}`},
		"through null":                    {`$.a = {"b": null}; $.a.b.c = 1`, `$.a`, `{"b":{"c":1}}`},
		"through a list, by name":         {`$.a = [1, 2]; $.a.b = 1`, `$.a`, `{"b":1}`},
		"a number as a name":              {`$.a = {}; $.a.0 = 1`, `$.a`, `{"0":1}`},
		"a number where nothing is":       {`$.a.0 = 1`, `$.a`, `{"0":1}`},
		"an index with a zero is a name":  {`$.a = [1]; $.a.01 = 2`, `$.a`, `{"01":2}`},
		"length of a list":                {`$.a = [1]; $.a.length = 2`, `$.a`, `{"length":2}`},
		"nothing takes a variable away":   {`$.a = 1; $.a = {"$ref": "$.none"}`, `$.a`, `null`},
		"nothing takes a field away":      {`$.a = {"b": 1, "c": 2}; $.a.b = {"$ref": "$.none"}`, `$.a`, `{"c":2}`},
		"nothing below nothing":           {`$.a.b.c = {"$ref": "$.none"}`, `$.a`, `{"b":{}}`},
		"itself into itself":              {`$.a = {"b": 1}; $.a.a = {"$ref": "$.a"}`, `$.a`, `{"a":{"b":1},"b":1}`},
		"a value that was read before":    {`$.a = {"b": 1}; $.c = {"$ref": "$.a"}; $.a.b = 2`, `$.c`, `{"b":1}`},
		"odd names":                       {`$.toString.valueOf = 1`, `$.toString`, `{"valueOf":1}`},
		"long numbers keep their text":    {`$.a = 9007199254740993`, `$.a`, `9007199254740993`},
		"other forms of numbers too":      {`$.a = 1.10e+2`, `$.a`, `1.10e+2`},
		"minus zero":                      {`$.a = -0`, `$.a`, `-0`},
		"the state of a tool without one": {`$.state = 7; $.state.n = 1`, `$.state`, `{"n":1}`},
		"sixteen segments":                {`$.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p = 1`, `$.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p`, `1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, spec{nodes: setSteps(c.steps) + reads(fmt.Sprintf(`{"$ref": %q}`, c.reads))}, flow.Options{})
			wantOutput(t, r, c.want)
		})
	}
}

// setSteps makes set steps of "target = value; target = value".
func setSteps(text string) string {
	var nodes strings.Builder
	list := strings.Split(text, "; ")
	for i, one := range list {
		target, v, _ := strings.Cut(one, " = ")
		next := fmt.Sprintf("set-%d", i+1)
		if i == len(list)-1 {
			next = "end"
		}
		fmt.Fprintf(&nodes, `{"id": "set-%d", "type": "set", "target": %q, "value": %s, "next": %q}, `, i, target, v, next)
	}
	return nodes.String()
}

// TestAPositionOfAListCannotBeWritten, where the check could not see it: the list comes
// from the input. A path that leads on behind the position is refused too.
func TestAPositionOfAListCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"$.a.0", "$.a.5", "$.a.0.x", "$.b.list.0", "$.b.list.0.x.y"} {
		for _, v := range []string{`1`, `{"$ref": "$.none"}`} {
			t.Run(target+" = "+v, func(t *testing.T) {
				t.Parallel()
				nodes := setSteps(`$.a = {"$ref": "$.input.list"}; $.b.list = {"$ref": "$.input.list"}; `+target+" = "+v) + reads(`null`)

				r := program(t, spec{nodes: nodes}).Run(t.Context(), decode(t, `{"list": [1, {"x": 1}]}`), flow.Options{})

				wantStatus(t, r, flow.Failed, flow.CodeTargetInvalid)
				if want := target + " cannot be written: a position of a list cannot be written."; r.Failure.Message != want {
					t.Errorf("says %q; want %q", r.Failure.Message, want)
				}
				if got := value.JSON(r.Variables["a"]); got != `[1,{"x":1}]` {
					t.Errorf("the list is now %s", got)
				}
			})
		}
	}
}

// TestTextsStayAsTheyAre has what other systems would replace: one look, no second one.
func TestTextsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{{secrets.k}}`, `${steps.a}`, `{{{{`, `}}`, `$.x`, `$ref`, `{\"$ref\": \"$.x\"}`, `{{x}} ${x} #{x} <%= x %>`, `\\${x}`, `$`, `\u0000\u202e`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			// As a literal, from the input, as a name, and from what the host gives.
			nodes := setSteps(`$.x = "wrong"; $.lit = "`+text+`"`) + strings.Replace(callAny, `"input": {}, "target": "$.x"`, `"input": {"a": {"$ref": "$.input.v"}}, "target": "$.host"`, 1) +
				reads(`[{"$ref": "$.lit"}, {"$ref": "$.input.v"}, {"`+text+`!": {"$ref": "$.host"}}]`)
			nodes = strings.Replace(nodes, `"next": "end"`, `"next": "call"`, 1)
			want := value.JSON(decode(t, `"`+text+`"`))
			h := gives(decode(t, `"`+text+`"`))

			r := program(t, spec{nodes: nodes}).Run(t.Context(), decode(t, `{"v": "`+text+`"}`), flow.Options{Host: h})

			wantOutput(t, r, `[`+want+`,`+want+`,{`+strings.TrimSuffix(want, `"`)+`!":`+want+`}]`)
			if got := value.JSON(h.calls[0].Input); got != `{"a":`+want+`}` {
				t.Errorf("the host got %s", got)
			}
		})
	}
}

// TestWhatIsNoReference has objects that look like one: they are data, and references
// inside what a reference reads are data too.
func TestWhatIsNoReference(t *testing.T) {
	t.Parallel()
	for v, want := range map[string]string{
		`{"$ref": "$.input.x", "more": 1}`:                   `{"$ref":"$.input.x","more":1}`,
		`{"$ref": 7}`:                                        `{"$ref":7}`,
		`{"$ref": ["$.input.x"]}`:                            `{"$ref":["$.input.x"]}`,
		`{"$Ref": "$.input.x"}`:                              `{"$Ref":"$.input.x"}`,
		`{"$ref": {"$ref": "$.input.x"}}`:                    `{"$ref":"x"}`,
		`{"a": {"$ref": "$.input.ref"}}`:                     `{"a":{"$ref":"$.input.x"}}`,
		`[{"$ref": "$.input.ref"}, {"$ref": "$.input.x"}]`:   `[{"$ref":"$.input.x"},"x"]`,
		`{"__proto__": {"x": 1}, "constructor": {"y": [1]}}`: `{"__proto__":{"x":1},"constructor":{"y":[1]}}`,
	} {
		t.Run(v, func(t *testing.T) {
			t.Parallel()
			r := program(t, spec{nodes: reads(v)}).Run(t.Context(), decode(t, `{"x": "x", "ref": {"$ref": "$.input.x"}}`), flow.Options{})
			wantOutput(t, r, want)
		})
	}
}

// TestDefaultsOfTheInput are filled in, and only where a field is absent.
func TestDefaultsOfTheInput(t *testing.T) {
	t.Parallel()
	p := program(t, spec{nodes: reads(`{"$ref": "$.input"}`), input: `{"type": "object", "properties": {
		"n": {"type": "integer", "default": 7}, "deep": {"type": "object", "properties": {"s": {"type": "string", "default": "s"}}},
		"rows": {"type": "array", "items": {"type": "object", "properties": {"q": {"type": "integer", "default": 1}}}}}}`})
	for input, want := range map[string]string{
		`{}`:                       `{"n":7}`,
		`{"n": 1}`:                 `{"n":1}`,
		`{"deep": {}}`:             `{"deep":{"s":"s"},"n":7}`,
		`{"rows": [{}, {"q": 2}]}`: `{"n":7,"rows":[{"q":1},{"q":2}]}`,
		`{"deep": {"s": ""}}`:      `{"deep":{"s":""},"n":7}`,
	} {
		wantOutput(t, p.Run(t.Context(), decode(t, input), flow.Options{}), want)
	}
	// All violations are listed, each with its place.
	r := p.Run(t.Context(), decode(t, `{"n": null, "deep": 1, "rows": [{"q": "x"}]}`), flow.Options{})
	wantStatus(t, r, flow.Failed, flow.CodeInputInvalid)
	for _, place := range []string{"$.n:", "$.deep:", "$.rows[0].q:"} {
		if !strings.Contains(r.Failure.Message, place) {
			t.Errorf("%q does not name %s", r.Failure.Message, place)
		}
	}
}

// TestAccepts says what a run would say, without one.
func TestAccepts(t *testing.T) {
	t.Parallel()
	p := program(t, spec{nodes: returnNull, input: `{"type": "object", "required": ["n"]}`})
	for input, code := range map[string]string{
		`{"n": 1}`: "", `{}`: flow.CodeInputInvalid, `null`: flow.CodeInputInvalid,
		`"` + strings.Repeat("x", flow.MaxInput) + `"`: flow.CodeInputTooLarge,
	} {
		failure := p.Accepts(decode(t, input))
		r := p.Run(t.Context(), decode(t, input), flow.Options{})
		switch {
		case code == "" && (failure != nil || r.Failure != nil):
			t.Errorf("%s is refused: %v, %v", input, failure, r.Failure)
		case code != "" && (failure == nil || r.Failure == nil || failure.Code != code || *failure != *r.Failure):
			t.Errorf("%.20s: Accepts says %v, a run %v; want %s", input, failure, r.Failure, code)
		}
	}
	if p.Tool().ID() != "made-up" || p.KeepsState() {
		t.Errorf("the program is of %s", p.Tool().ID())
	}
}

// TestInputAtItsLimit is the largest input that is taken, and one byte more. Numbers
// count in their plain form.
func TestInputAtItsLimit(t *testing.T) {
	t.Parallel()
	p := program(t, spec{nodes: returnNull})
	for _, c := range []struct {
		size int
		want flow.Status
	}{{flow.MaxInput, flow.Succeeded}, {flow.MaxInput + 1, flow.Failed}} {
		text := strings.Repeat("x", c.size-len(`{"n":1,"t":""}`))
		r := p.Run(t.Context(), decode(t, `{"n": 1.000, "t": "`+text+`"}`), flow.Options{})
		if r.Status != c.want {
			t.Errorf("%d bytes: %s, %v", c.size, r.Status, r.Failure)
		}
	}
}

// TestAVariableThatGrows doubles a variable in a loop, and nests another: neither may keep
// a run from ending, or leave what could not be read back.
func TestAVariableThatGrows(t *testing.T) {
	t.Parallel()
	items := "[" + strings.Repeat("0,", 99) + "0]"
	for name, c := range map[string]struct{ first, grow string }{
		"twice itself":       {`$.a = ["x"]`, `"target": "$.a", "value": [{"$ref": "$.a"}, {"$ref": "$.a"}]`},
		"twice, as members":  {`$.a = {"x": "y"}`, `"target": "$.a", "value": {"one": {"$ref": "$.a"}, "two": {"$ref": "$.a"}}`},
		"deeper and deeper":  {`$.a = ["x"]`, `"target": "$.a", "value": [{"$ref": "$.a"}]`},
		"by its own members": {`$.a = {"x": "y"}`, `"target": "$.a.b", "value": {"$ref": "$.a"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := strings.Replace(setSteps(c.first), `"next": "end"`, `"next": "each"`, 1) +
				`{"id": "each", "type": "foreach", "source": ` + items + `, "itemVar": "$.i", "maxItems": 100, "body": [{"type": "set", ` + c.grow + `}], "next": "end"}, ` +
				reads(`{"$ref": "$.a"}`)

			r := run(t, spec{nodes: nodes, output: `{"type": "array"}`}, flow.Options{})

			wantStatus(t, r, flow.Failed, flow.CodeTargetInvalid)
			if !strings.Contains(r.Failure.Message, "at most 1048576 bytes and is nested at most 64 deep") {
				t.Errorf("says %q", r.Failure.Message)
			}
			if _, there := r.Variables["a"]; there {
				t.Error("what is too large to be looked at is still there")
			}
		})
	}
}

// TestWhatASmallTextCanMake reads one large variable many times: every place that measures
// a value stops when it is too large.
func TestWhatASmallTextCanMake(t *testing.T) {
	t.Parallel()
	many := `[` + strings.Repeat(`{"$ref": "a"}, `, 999) + `{"$ref": "a"}]`
	large := `{"id": "call", "type": "capability", "capability": "lab.any", "input": {}, "target": "$.a", "next": "next"}, `
	for name, c := range map[string]struct{ nodes, code string }{
		"a result":             {`{"id": "next", "type": "return", "value": ` + many + `}`, flow.CodeOutputTooLarge},
		"an input":             {`{"id": "next", "type": "capability", "capability": "lab.change", "input": ` + many + `, "next": "end"}, ` + returnNull, flow.CodeInputTooLarge},
		"one without a limit":  {`{"id": "next", "type": "capability", "capability": "lab.any", "input": ` + many + `, "next": "end"}, ` + returnNull, flow.CodeInputTooLarge},
		"a question":           {`{"id": "next", "type": "llm", "op": "rank", "input": ` + many + `, "target": "$.x", "next": "end"}, ` + returnNull, flow.CodeInputTooLarge},
		"a variable":           {`{"id": "next", "type": "set", "target": "$.b", "value": ` + many + `, "next": "end"}, ` + returnNull, flow.CodeTargetInvalid},
		"a state, by an input": {`{"id": "next", "type": "set", "target": "$.state.n", "value": ` + many + `, "next": "end"}, ` + returnNull, flow.CodeTargetInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := gives(strings.Repeat("x", flow.MaxResult-2))

			r := run(t, spec{nodes: large + c.nodes, output: `{"type": "array", "items": {"type": "string", "maxLength": 3}}`},
				flow.Options{Host: h, Model: &mind{answers: []any{"an answer"}}})

			wantStatus(t, r, flow.Failed, c.code)
			if len(h.calls) != 1 || !strings.Contains(r.Failure.Message, "1048576 bytes") {
				t.Errorf("%d calls; %s", len(h.calls), r.Failure)
			}
		})
	}
}
