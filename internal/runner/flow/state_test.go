package flow_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// counts declares a state with one whole number and anything else under "any".
const counts = `{"schemaVersion": 1, "maxBytes": 200, "fields": {"n": {"type": "integer"}, "any": {}}}`

func TestState(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 50) + `{"$ref": "$.half"}` + strings.Repeat("]", 50)
	half := `$.half = ` + strings.Repeat("[", 14) + strings.Repeat("]", 14)
	for name, c := range map[string]struct {
		state        map[string]any
		declared     string
		nodes        string
		code         string
		saved, reads string
	}{
		"starts empty":                 {nil, counts, reads(`{"$ref": "$.state"}`), "", `{}`, `{}`},
		"starts as it was left":        {map[string]any{"n": value.Int(7)}, counts, reads(`{"$ref": "$.state.n"}`), "", `{"n":7}`, `7`},
		"is changed":                   {map[string]any{"n": value.Int(7)}, counts, setSteps(`$.state.n = 8`) + reads(`{"$ref": "$.state.n"}`), "", `{"n":8}`, `8`},
		"is replaced":                  {map[string]any{"n": value.Int(7)}, counts, setSteps(`$.state = {"any": []}`) + reads(`null`), "", `{"any":[]}`, `null`},
		"a field is taken away":        {map[string]any{"n": value.Int(7)}, counts, setSteps(`$.state.n = {"$ref": "$.none"}`) + reads(`null`), "", `{}`, `null`},
		"keeps the text of a number":   {nil, counts, setSteps(`$.state.n = 9007199254740993`) + reads(`null`), "", `{"n":9007199254740993}`, `null`},
		"without being declared":       {nil, "", setSteps(`$.state.n = 8`) + reads(`{"$ref": "$.state"}`), "", `null`, `{"n":8}`},
		"a field of another type":      {nil, counts, setSteps(`$.state.n = "8"`) + reads(`null`), flow.CodeStateInvalid, `null`, `null`},
		"a field that is not declared": {nil, counts, setSteps(`$.state.m = 8`) + reads(`null`), flow.CodeStateInvalid, `null`, `null`},
		"no object any more":           {nil, counts, setSteps(`$.state = 8`) + reads(`null`), flow.CodeStateInvalid, `null`, `null`},
		"nothing any more":             {nil, counts, setSteps(`$.state = {"$ref": "$.none"}`) + reads(`null`), flow.CodeStateInvalid, `null`, `null`},
		"as large as it may be":        {nil, counts, setSteps(`$.state.any = "`+strings.Repeat("x", 190)+`"`) + reads(`null`), "", `{"any":"` + strings.Repeat("x", 190) + `"}`, `null`},
		"one byte larger":              {nil, counts, setSteps(`$.state.any = "`+strings.Repeat("x", 191)+`"`) + reads(`null`), flow.CodeStateTooLarge, `null`, `null`},
		"the run fails":                {nil, counts, setSteps(`$.state.n = 8`) + strings.Replace(stop, "stop", "end", 1), "STOP", `null`, `null`},
		"the result does not fit":      {nil, counts, setSteps(`$.state.n = 8`) + reads(`[]`), flow.CodeOutputInvalid, `null`, `null`},
		// What is read back may be nested 64 deep, and a host may answer with more.
		"nested too deep by a host": {nil, counts, strings.Replace(callAny, "$.x", "$.state.any.a.b.c", 1) + reads(`null`), flow.CodeStateInvalid, `null`, `null`},
		"nested too deep by itself": {nil, counts, setSteps(half+`; $.state.any = `+deep) + reads(`null`), flow.CodeTargetInvalid, `null`, `null`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var saved any
			save := func(_ context.Context, s map[string]any) *flow.Failure {
				saved = s
				return nil
			}

			r := run(t, spec{nodes: c.nodes, state: c.declared, output: `{"enum": [null, 7, 8, {}, {"n": 8}]}`},
				flow.Options{State: c.state, Save: save, Host: gives(nested(64))})

			if c.code == "" {
				wantOutput(t, r, c.reads)
			} else {
				wantStatus(t, r, flow.Failed, c.code)
			}
			if got := value.JSON(saved); got != c.saved {
				t.Errorf("saved %s; want %s", got, c.saved)
			}
			if diff := cmp.Diff(saved, state(r)); diff != "" {
				t.Errorf("saved, state of the result (-want +got):\n%s", diff)
			}
		})
	}
}

// state gives the state of a result, nil for none.
func state(r flow.Result) any {
	if r.State == nil {
		return nil
	}
	return r.State
}

// TestAStateThatCannotBeSaved takes back what the run did.
func TestAStateThatCannotBeSaved(t *testing.T) {
	t.Parallel()
	h := &host{}
	saves := 0
	save := func(context.Context, map[string]any) *flow.Failure {
		saves++
		return &flow.Failure{Code: flow.CodeStateConflict, Message: "Another run was first."}
	}

	r := run(t, spec{nodes: makeStep("one", "end") + returnNull, state: counts}, flow.Options{Host: h, Save: save})

	wantStatus(t, r, flow.Failed, flow.CodeStateConflict)
	if r.State != nil {
		t.Errorf("a run that failed leaves the state %v", r.State)
	}
	if diff := cmp.Diff([]string{"one lab.make", "one!undo lab.unmake"}, h.steps()); diff != "" || saves != 1 {
		t.Errorf("saved %d times; calls (-want +got):\n%s", saves, diff)
	}
}

// TestAbortWhileTheStateIsSaved is an abort, and no fault of the state.
func TestAbortWhileTheStateIsSaved(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	save := func(ctx context.Context, _ map[string]any) *flow.Failure {
		cancel()
		return &flow.Failure{Code: flow.CodeStateInvalid, Message: fmt.Sprint(ctx.Err())}
	}

	r := program(t, spec{nodes: returnNull, state: counts}).Run(ctx, map[string]any{}, flow.Options{Save: save})

	wantStatus(t, r, flow.Cancelled, flow.CodeAborted)
}

// TestAStateWithoutASaver is left in the result, as a dry run wants it.
func TestAStateWithoutASaver(t *testing.T) {
	t.Parallel()
	p := program(t, spec{nodes: setSteps(`$.state.n = 1`) + reads(`null`), state: counts})
	r := p.Run(t.Context(), map[string]any{}, flow.Options{})
	wantOutput(t, r, `null`)
	if got := value.JSON(r.State); got != `{"n":1}` || !p.KeepsState() {
		t.Errorf("the state is %s", got)
	}
}
