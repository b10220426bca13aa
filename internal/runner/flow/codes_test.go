package flow_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/check"
	"toolsmith/internal/model"
	"toolsmith/internal/runner/flow"
	"toolsmith/tool"
)

// codeCase is a run that fails with a code of its own.
type codeCase struct {
	code string
	// status is failed where it is not given.
	status flow.Status
	spec
	text    string // of the input; {} where empty
	options flow.Options
	// with makes the context of the run; nil takes the test's.
	with func(context.Context) context.Context
	// says is a part of the message.
	says string
}

const (
	returnNull = `{"id": "end", "type": "return", "value": null}`
	callAny    = `{"id": "call", "type": "capability", "capability": "lab.any", "input": {}, "target": "$.x", "next": "end"}, `
	askModel   = `{"id": "ask", "type": "llm", "op": "extract", "input": "a text of some length", "target": "$.x",
		"outputSchema": {"type": "object"}, "requirements": %s, "next": "end"}, `
)

func asks(requirements string) string {
	return strings.Replace(askModel, "%s", requirements, 1) + returnNull
}

func loopOver(source string) string {
	return `{"id": "each", "type": "foreach", "source": ` + source + `, "itemVar": "$.item", "maxItems": 2,
		"body": [{"type": "set", "target": "$.last", "value": {"$ref": "$.item"}}], "next": "end"}, ` + returnNull
}

func codeCases() []codeCase {
	long := strings.Repeat("x", flow.MaxInput)
	huge := strings.Repeat("x", flow.MaxResult)
	keepsState := `{"schemaVersion": 1, "maxBytes": 16, "fields": {"n": {"type": "integer"}}}`
	setState := func(v string) string {
		return `{"id": "set", "type": "set", "target": "$.state.n", "value": ` + v + `, "next": "end"}, ` + returnNull
	}
	local := model.Facts{Name: "small", Local: true, ContextTokens: 100}
	return []codeCase{
		{code: flow.CodeInputInvalid, says: "$.n", text: `{"n": "1"}`,
			spec: spec{nodes: returnNull, input: `{"type": "object", "properties": {"n": {"type": "integer"}}}`}},
		{code: flow.CodeInputTooLarge, says: "65538 bytes; at most 65536", text: `"` + long + `"`, spec: spec{nodes: returnNull}},
		{code: flow.CodeTransitionLimit, says: "more than 1 steps",
			spec: spec{transitions: 1, nodes: `{"id": "set", "type": "set", "target": "$.x", "value": 1, "next": "end"}, ` + returnNull}},
		{code: flow.CodeResultTooLarge, says: `"lab.any" gave back 262146 bytes; at most 262144`,
			spec: spec{nodes: callAny + returnNull}, options: flow.Options{Host: gives(huge)}},
		{code: flow.CodeCapabilityFailed, says: `"lab.any" failed: The lab is shut.`, spec: spec{nodes: callAny + returnNull},
			options: flow.Options{Host: &host{answer: failing(&flow.CallError{Message: "The lab is shut.", Cause: errStore}, "call")}}},
		{code: flow.CodeCapabilityUnavailable, says: `no capability "lab.any"`, spec: spec{nodes: callAny + returnNull}},
		{code: flow.CodeCircuitOpen, says: "left alone", spec: spec{nodes: callAny + returnNull},
			options: flow.Options{Host: &host{}, Breaker: &gate{shut: errors.New("left alone until noon")}}},
		{code: flow.CodeTargetInvalid, says: "$.x.0 cannot be written",
			spec:    spec{nodes: callAny + `{"id": "end", "type": "set", "target": "$.x.0", "value": 1, "next": "out"}, {"id": "out", "type": "return", "value": null}`},
			options: flow.Options{Host: gives([]any{"a"})}},
		{code: flow.CodeModelUnavailable, says: "No model is configured", spec: spec{nodes: asks(`{}`)}},
		{code: flow.CodeLocalModelRequired, says: `"far" is not`, spec: spec{nodes: asks(`{"privacy": "local-only"}`)},
			options: flow.Options{Model: &mind{facts: model.Facts{Name: "far"}}}},
		{code: flow.CodeModelContext, says: `"small" reads 100`, spec: spec{nodes: asks(`{"minContext": 101}`)},
			options: flow.Options{Model: &mind{facts: local}}},
		{code: flow.CodeInputTokens, says: "about 6 tokens; it allows 5", spec: spec{nodes: asks(`{"maxInputTokens": 5}`)},
			options: flow.Options{Model: &mind{facts: local}}},
		{code: flow.CodeOutputTokens, says: "about 3 tokens; the step allows 2", spec: spec{nodes: asks(`{"maxOutputTokens": 2}`)},
			options: flow.Options{Model: &mind{facts: local, answers: []any{map[string]any{"a": "bc"}}}}},
		{code: flow.CodeLLMOutputInvalid, says: "has to be an object; this is a text", spec: spec{nodes: asks(`{}`)},
			options: flow.Options{Model: &mind{facts: local, answers: []any{"no object"}}}},
		{code: flow.CodeForeachSource, says: "this is an object", spec: spec{nodes: loopOver(`{"$ref": "$.input"}`)}},
		{code: flow.CodeForeachLimit, says: "at most 2 items; there are 3", spec: spec{nodes: loopOver(`[1, 2, 3]`)}},
		{code: flow.CodeOutputInvalid, says: "has to be a text", spec: spec{nodes: returnNull, output: `{"type": "string"}`}},
		{code: flow.CodeOutputTooLarge, says: "has 400007 bytes; at most 262144", spec: spec{
			nodes: callAny + `{"id": "end", "type": "return", "value": [{"$ref": "$.x"}, {"$ref": "$.x"}]}`},
			options: flow.Options{Host: gives(huge[:200_000])}},
		{code: flow.CodeAborted, status: flow.Cancelled, says: "cancelled", spec: spec{nodes: returnNull}, with: func(ctx context.Context) context.Context {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx
		}},
		{code: flow.CodeDeadline, says: "longer than it was allowed to", spec: spec{nodes: returnNull}, with: func(ctx context.Context) context.Context {
			ctx, cancel := context.WithDeadline(ctx, time.Unix(0, 0))
			cancel()
			return ctx
		}},
		{code: flow.CodeStateInvalid, says: "$.n: has to be a whole number", spec: spec{nodes: setState(`"1"`), state: keepsState}},
		{code: flow.CodeStateTooLarge, says: "at most 16", spec: spec{nodes: setState(`123456789012`), state: keepsState}},
		{code: flow.CodeStateConflict, says: "in the meantime", spec: spec{nodes: setState(`1`), state: keepsState},
			options: flow.Options{Save: func(context.Context, map[string]any) *flow.Failure {
				return &flow.Failure{Code: flow.CodeStateConflict, Message: "in the meantime"}
			}}},
		{code: flow.CodeJournalFailed, says: "could not be recorded", spec: spec{nodes: callAny + returnNull},
			options: flow.Options{Host: &host{}, Journal: &notebook{onRecord: func(string, flow.Record) error { return errStore }}}},
		{code: "OUT_OF_TEA", says: "Buy some.", spec: spec{nodes: `{"id": "stop", "type": "fail", "code": "OUT_OF_TEA", "message": "Buy some."}`}},
		// A step's own code that looks like an abort is none.
		{code: flow.CodeAborted, status: flow.Failed, says: "by hand",
			spec: spec{nodes: `{"id": "stop", "type": "fail", "code": "FORGE_ABORTED", "message": "by hand"}`}},
		// A capability may bring a code of its own.
		{code: "FORGE_CAPABILITY_UNAVAILABLE", says: `"lab.any" failed.`, spec: spec{nodes: callAny + returnNull},
			options: flow.Options{Host: &host{answer: failing(&flow.CallError{Code: flow.CodeCapabilityUnavailable}, "call")}}},
		// An error of another type than *flow.CallError is never shown.
		{code: flow.CodeCapabilityFailed, says: `"lab.any" failed.`, spec: spec{nodes: callAny + returnNull},
			options: flow.Options{Host: &host{answer: failing(errStore, "call")}}},
		// Inputs of capabilities have the codes that a run's input has.
		{code: flow.CodeInputInvalid, says: `The input of "lab.list" does not fit. $.query: has to be a text`,
			spec:    spec{nodes: strings.Replace(callAny, `lab.any", "input": {}`, `lab.list", "input": {"query": 1}`, 1) + returnNull},
			options: flow.Options{Host: &host{}}},
		{code: flow.CodeInputTooLarge, says: `The input of "lab.list" has 312 bytes; at most 256 are allowed`,
			spec:    spec{nodes: strings.Replace(callAny, `lab.any", "input": {}`, `lab.list", "input": {"query": "`+long[:300]+`"}`, 1) + returnNull},
			options: flow.Options{Host: &host{}}},
		// A capability that is in the catalogue of the check, and not with the host.
		{code: flow.CodeCapabilityUnavailable, says: "This host has none.", spec: spec{nodes: callAny + returnNull},
			options: flow.Options{Host: &host{answer: failing(&flow.CallError{Code: flow.CodeCapabilityUnavailable, Message: "This host has none.", Permanent: true}, "call")}}},
	}
}

// gate is a breaker that keeps what it was told.
type gate struct {
	shut    error
	asked   []string
	reports []string
}

func (g *gate) Allow(_ context.Context, capability string) error {
	g.asked = append(g.asked, capability)
	return g.shut
}

// TestEveryCode has each code of result.go once, with the status and a part of the words.
func TestEveryCode(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range codeCases() {
		seen[c.code] = true
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			ctx, status, input := t.Context(), c.status, any(map[string]any{})
			if c.with != nil {
				ctx = c.with(ctx)
			}
			if status == "" {
				status = flow.Failed
			}
			if c.text != "" {
				input = decode(t, c.text)
			}

			r := program(t, c.spec).Run(ctx, input, c.options)

			wantStatus(t, r, status, c.code)
			if r.Failure == nil || !strings.Contains(r.Failure.Message, c.says) {
				t.Errorf("the failure is %v; it should say %q", r.Failure, c.says)
			}
			if r.Output != nil {
				t.Errorf("a run that failed has the output %v", r.Output)
			}
		})
	}
	for _, code := range []string{
		flow.CodeInputInvalid, flow.CodeInputTooLarge, flow.CodeTransitionLimit, flow.CodeResultTooLarge,
		flow.CodeCapabilityFailed, flow.CodeCapabilityUnavailable, flow.CodeCircuitOpen, flow.CodeTargetInvalid,
		flow.CodeModelUnavailable, flow.CodeLocalModelRequired, flow.CodeModelContext, flow.CodeInputTokens,
		flow.CodeOutputTokens, flow.CodeLLMOutputInvalid, flow.CodeForeachSource, flow.CodeForeachLimit,
		flow.CodeOutputInvalid, flow.CodeOutputTooLarge, flow.CodeAborted, flow.CodeDeadline, flow.CodeStateInvalid,
		flow.CodeStateTooLarge, flow.CodeStateConflict, flow.CodeJournalFailed,
	} {
		if !seen[code] {
			t.Errorf("no case has the code %s", code)
		}
	}
}

func (g *gate) Report(_ context.Context, capability string, ok bool) {
	word := " failed"
	if ok {
		word = " ok"
	}
	g.reports = append(g.reports, capability+word)
}

func (g *gate) Withdraw(_ context.Context, capability string) {
	g.reports = append(g.reports, capability+" withdrawn")
}

// TestWhatCannotBeCompiled is a schema of a host that is none: the error names the tool.
func TestWhatCannotBeCompiled(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{"no JSON": `{"type": `, "no schema": `{"type": 7}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := tool.NewCatalogue(
				tool.Capability{Name: "lab.any", Power: tool.Read, Risk: tool.R1, Input: []byte(schema)},
				tool.Capability{Name: "lab.two", Power: tool.Read, Risk: tool.R1, Input: []byte(`{"type": "also none"}`)},
			)
			second := strings.Replace(callAny, `"call", "type": "capability", "capability": "lab.any"`, `"two", "type": "capability", "capability": "lab.two"`, 1)
			s := spec{nodes: strings.Replace(callAny, `"next": "end"`, `"next": "two"`, 1) + second + returnNull}
			checked := check.Run([]byte(s.text()), broken)
			if !checked.OK() {
				t.Fatal(checked.Diagnostics)
			}

			p, err := flow.Compile(checked.Tool)

			if p != nil || err == nil || !strings.HasPrefix(err.Error(), "compile dynamic:made-up: ") || strings.Contains(err.Error(), "also none") {
				t.Errorf("the error is %v; it should be of the first schema", err)
			}
		})
	}
}
