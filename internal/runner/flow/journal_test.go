package flow_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/model"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// world is what outlives a process: the journal, what was called, what was asked, and
// what was saved. Its answers depend on the step and the try alone, as those of a host do
// that knows a call by its key.
type world struct {
	notebook
	host
	asked []string
	saved []string
	// answer of the model to a question.
	model func(r model.Request) (any, error)
	// crashAfter is how many records are kept before the process ends; negative for never.
	crashAfter int
}

// crash is the end of a process, in the middle of a run.
type crash struct{}

func newWorld(answer func(context.Context, flow.Call) (flow.Answer, error)) *world {
	return &world{notebook: *newNotebook(), host: host{answer: answer}, crashAfter: -1}
}

// Record keeps a record, and may end the process after that.
func (w *world) Record(step string, r flow.Record) error {
	err := w.notebook.Record(step, r)
	if len(w.order) == w.crashAfter {
		w.crashAfter = -1
		panic(crash{})
	}
	return err
}

func (w *world) Facts() model.Facts { return model.Facts{Name: "near", Local: true} }

func (w *world) Ask(_ context.Context, r model.Request) (any, error) {
	w.asked = append(w.asked, fmt.Sprintf("%s %s %v", r.Op, r.Data, r.Repair != nil))
	if w.model == nil {
		return r.Data, nil
	}
	return w.model(r)
}

func (w *world) options() flow.Options {
	return flow.Options{
		Host: w, Model: w, Journal: w, Clock: &clock{}, ExecutionID: "run-1", Started: dawn,
		Save: func(_ context.Context, s map[string]any) *flow.Failure {
			w.saved = append(w.saved, value.JSON(s))
			return nil
		},
	}
}

// run runs a program to its end, or to the end of the process.
func (w *world) run(ctx context.Context, p *flow.Program, input any) (r flow.Result, crashed bool) {
	defer func() {
		if end := recover(); end != nil {
			if _, wanted := end.(crash); !wanted {
				panic(end)
			}
			crashed = true
		}
	}()
	return p.Run(ctx, input, w.options()), false
}

// known is what has to be the same of a run, however often it was taken up again.
type known struct {
	Status            flow.Status
	Failure           string
	Output, Variables string
	State             string
	Created           []flow.Created
	Steps             []string
	Calls, Asked      []string
	Saved             []string
}

func (w *world) known(r flow.Result) known {
	k := known{
		Status: r.Status, Output: value.JSON(r.Output), Variables: value.JSON(r.Variables), State: value.JSON(r.State),
		Created: r.Created, Calls: calledSteps(w.host.calls), Asked: w.asked, Saved: w.saved,
	}
	if r.Failure != nil {
		k.Failure = r.Failure.Error()
	}
	// A replayed step has one event where there were several tries, so the last one counts.
	for i, e := range r.Trace {
		if i+1 < len(r.Trace) && r.Trace[i+1].Step == e.Step && e.Attempt > 0 && r.Trace[i+1].Attempt > e.Attempt {
			continue
		}
		e.Note = strings.TrimSuffix(strings.TrimSuffix(e.Note, "from the journal"), ", ")
		k.Steps = append(k.Steps, traceLines([]flow.Event{e})...)
	}
	return k
}

// cutEverywhere runs a program once as it is, and once for each of its records with the
// process ending after that record. All of them have to come to the same.
func cutEverywhere(ctx context.Context, t rapid.TB, p *flow.Program, input any, newWorld func() *world) {
	t.Helper()
	whole := newWorld()
	r, _ := whole.run(ctx, p, input)
	want := whole.known(r)
	for cut := 1; cut <= len(whole.order); cut++ {
		w := newWorld()
		w.crashAfter = cut
		if _, crashed := w.run(ctx, p, input); !crashed {
			t.Fatalf("the run has no record %d", cut)
		}
		r, _ := w.run(ctx, p, input)
		if diff := cmp.Diff(want, w.known(r)); diff != "" {
			t.Fatalf("cut after %s (-whole +cut):\n%s", whole.order[cut-1], diff)
		}
		if !slices.Equal(whole.order, w.order) {
			t.Fatalf("cut after %s, the journal has %q; whole it has %q", whole.order[cut-1], w.order, whole.order)
		}
	}
}

// journey has every kind of step, and ends at the step that its input names.
const journey = `{"id": "list", "type": "capability", "capability": "lab.list", "input": {}, "target": "$.list", "retry": {"maxAttempts": 3, "backoffMs": 10}, "next": "ask"},
	{"id": "ask", "type": "llm", "op": "rank", "input": {"$ref": "$.list"}, "target": "$.ranked", "next": "any"},
	{"id": "any", "type": "if", "condition": {"left": {"$ref": "$.list.length"}, "op": "gt", "right": 1}, "then": "each", "else": "end"},
	{"id": "each", "type": "foreach", "source": {"$ref": "$.list"}, "itemVar": "$.item", "indexVar": "$.i", "maxItems": 9, "body": [
		{"type": "capability", "capability": "lab.make", "input": {"title": {"$ref": "$.item"}}, "target": "$.made", "retry": {"maxAttempts": 2},
		 "compensation": {"capability": "lab.unmake", "input": {"id": {"$ref": "$.made.id"}}}},
		{"type": "llm", "op": "classify", "input": {"$ref": "$.made"}, "target": "$.kind"},
		{"type": "set", "target": "$.state.n", "value": {"$ref": "$.i"}}], "next": "last"},
	{"id": "last", "type": "capability", "capability": "lab.change", "input": {"to": {"$ref": "$.kind"}}, "target": "$.last", "next": "how"},
	{"id": "how", "type": "if", "condition": {"left": {"$ref": "$.input.fail"}, "op": "truthy"}, "then": "stop", "else": "end"},
	{"id": "stop", "type": "fail", "code": "STOP", "message": "As asked."},
	{"id": "end", "type": "return", "value": {"last": {"$ref": "$.last"}, "kind": {"$ref": "$.kind"}, "ranked": {"$ref": "$.ranked"}}}`

// journeyHost answers like a host on which some steps fail as often as a test says; a
// negative number is a failure for good.
func journeyHost(failures map[string]int) func(context.Context, flow.Call) (flow.Answer, error) {
	return func(_ context.Context, c flow.Call) (flow.Answer, error) {
		switch n := failures[c.Step]; {
		case n < 0:
			return flow.Answer{}, &flow.CallError{Message: "Never.", Permanent: true}
		case c.Attempt <= n:
			return flow.Answer{}, errStore
		case c.Step == "list":
			return flow.Answer{Value: []any{"a", "b", "c"}, Note: "cut: 3 of 9"}, nil
		}
		return madeRecord(c), nil
	}
}

// TestTakenUpAgainAfterEachStep ends the process after each record in turn: the result is
// the same, and nothing is done twice.
func TestTakenUpAgainAfterEachStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		input    string
		failures map[string]int
		model    func(model.Request) (any, error)
		status   flow.Status
		records  int
	}{
		"success":               {`{}`, nil, nil, flow.Succeeded, 9},
		"success after retries": {`{}`, map[string]int{"list": 2, "each[1].0": 1}, nil, flow.Succeeded, 9},
		"a failure at the end":  {`{"fail": true}`, nil, nil, flow.Failed, 12},
		"a failure inside":      {`{}`, map[string]int{"each[2].0": 2}, nil, flow.Failed, 9},
		"a failure for good":    {`{}`, map[string]int{"last": -1}, nil, flow.Failed, 12},
		"a failed compensation": {`{"fail": true}`, map[string]int{"each[1].0!undo": 1}, nil, flow.RecoveryRequired, 12},
		"no answer": {`{}`, nil, func(r model.Request) (any, error) {
			if r.Op == "classify" && strings.Contains(r.Data, "each[1]") {
				return nil, &flow.CallError{Message: "Asleep."}
			}
			return r.Op, nil
		}, flow.Failed, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := program(t, spec{nodes: journey, state: counts})
			start := func() *world {
				w := newWorld(journeyHost(c.failures))
				w.model = c.model
				return w
			}
			whole := start()
			r, _ := whole.run(t.Context(), p, decode(t, c.input))
			if r.Status != c.status || len(whole.order) != c.records {
				t.Errorf("%s (%v) with %d records: %q; want %s with %d", r.Status, r.Failure, len(whole.order), whole.order, c.status, c.records)
			}
			cutEverywhere(t.Context(), t, p, decode(t, c.input), start)
		})
	}
}

// TestStepPaths are what a journal keeps, so they must never change.
func TestStepPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(journeyHost(nil))
	if r, _ := w.run(t.Context(), program(t, spec{nodes: journey, state: counts}), decode(t, `{"fail": true}`)); r.Status != flow.Failed {
		t.Fatal(r.Failure)
	}
	want := []string{
		"list", "ask", "each[0].0", "each[0].1", "each[1].0", "each[1].1", "each[2].0", "each[2].1", "last",
		"each[2].0!undo", "each[1].0!undo", "each[0].0!undo",
	}
	if diff := cmp.Diff(want, w.order); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}

// TestASuspendedRun stays as it is: nothing is recorded of the step, nothing taken back and
// nothing called after it; taken up again, it goes on from there.
func TestASuspendedRun(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"list", "each[1].0", "last", "each[1].0!undo"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			p := program(t, spec{nodes: journey, state: counts})
			input := map[string]any{}
			if strings.HasSuffix(at, "!undo") {
				input["fail"] = true
			}
			inner := journeyHost(nil)
			w := newWorld(inner)
			doubtful := true
			var after []string
			host := hostFunc(func(ctx context.Context, c flow.Call) (flow.Answer, error) {
				if c.Step == at && doubtful {
					return flow.Answer{}, fmt.Errorf("send: %w", &flow.SuspendError{Message: "Nobody knows."})
				}
				after = append(after, c.Step)
				return w.Call(ctx, c)
			})
			options := flow.Options{Host: host, Model: w, Journal: w, Clock: &clock{}, ExecutionID: "run-1", Started: dawn}

			r := p.Run(t.Context(), input, options)

			wantStatus(t, r, flow.Suspended, flow.CodeStepUnknown)
			if r.Failure == nil || r.Failure.Message != "Nobody knows." || slices.Contains(w.order, at) || len(after) != 0 && strings.HasSuffix(after[len(after)-1], "!undo") && !strings.HasSuffix(at, "!undo") {
				t.Errorf("%v; recorded %q, called %q", r.Failure, w.order, after)
			}
			recorded := slices.Clone(w.order)
			doubtful, after = false, nil
			r = p.Run(t.Context(), input, options)
			if want := flow.Succeeded; !strings.HasSuffix(at, "!undo") && r.Status != want || slices.ContainsFunc(after, func(step string) bool { return slices.Contains(recorded, step) }) {
				t.Errorf("taken up again: %s (%v), called %q after %q", r.Status, r.Failure, after, recorded)
			}
		})
	}
}

// hostFunc is a host of one function.
type hostFunc func(ctx context.Context, c flow.Call) (flow.Answer, error)

func (f hostFunc) Call(ctx context.Context, c flow.Call) (flow.Answer, error) { return f(ctx, c) }

// TestWhatIsRecorded keeps the number of tries, the result, its note and the failure.
func TestWhatIsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(journeyHost(map[string]int{"list": 1, "each[1].0": 2}))
	w.run(t.Context(), program(t, spec{nodes: journey, state: counts}), map[string]any{})
	want := map[string]flow.Record{
		"list":           {Name: "lab.list", Input: map[string]any{}, Attempts: 2, Result: []any{"a", "b", "c"}, Note: "cut: 3 of 9"},
		"ask":            {Name: "llm.rank", Input: []any{"a", "b", "c"}, Attempts: 1, Result: `["a","b","c"]`},
		"each[0].0":      {Name: "lab.make", Input: map[string]any{"title": "a"}, Attempts: 1, Result: map[string]any{"id": "id-each[0].0", "title": "Made by each[0].0"}},
		"each[0].1":      {Name: "llm.classify", Input: map[string]any{"id": "id-each[0].0", "title": "Made by each[0].0"}, Attempts: 1, Result: `{"id":"id-each[0].0","title":"Made by each[0].0"}`},
		"each[1].0":      {Name: "lab.make", Input: map[string]any{"title": "b"}, Attempts: 2, Failure: &flow.Failure{Code: flow.CodeCapabilityFailed, Message: `"lab.make" failed.`}},
		"each[0].0!undo": {Name: "lab.unmake", Input: map[string]any{"id": "id-each[0].0"}, Attempts: 1, Result: map[string]any{"id": "id-each[0].0!undo", "title": "Made by each[0].0!undo"}},
	}
	if diff := cmp.Diff(want, w.records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// TestReplayedEvents say where they come from, and count the tries that were made.
func TestReplayedEvents(t *testing.T) {
	t.Parallel()
	p := program(t, spec{nodes: retried(3, 0)})
	failed := &flow.Failure{Code: flow.CodeCapabilityFailed, Message: `"lab.any" failed.`}
	for name, c := range map[string]struct {
		record flow.Record
		trace  []string
		status flow.Status
	}{
		"a result":         {flow.Record{Attempts: 2, Result: []any{"a"}, Note: "cut: 1 of 2"}, []string{"call capability #2 (cut: 1 of 2, from the journal)", "end return"}, flow.Succeeded},
		"a failure":        {flow.Record{Attempts: 3, Failure: failed}, []string{"call capability #3 FORGE_CAPABILITY_FAILED (from the journal)"}, flow.Failed},
		"one never called": {flow.Record{Failure: &flow.Failure{Code: flow.CodeCircuitOpen}}, []string{"call capability FORGE_CIRCUIT_OPEN (from the journal)"}, flow.Failed},
		"one too large":    {flow.Record{Attempts: 1, Result: strings.Repeat("x", flow.MaxResult)}, []string{"call capability #1 (from the journal)", "call capability FORGE_RESULT_TOO_LARGE"}, flow.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &host{}

			r := p.Run(t.Context(), map[string]any{}, flow.Options{Host: h, Journal: &notebook{records: map[string]flow.Record{"call": c.record}}})

			if diff := cmp.Diff(c.trace, traceLines(r.Trace)); diff != "" || r.Status != c.status {
				t.Errorf("%s; trace (-want +got):\n%s", r.Status, diff)
			}
			if len(h.calls) != 0 || len(r.Calls) != 0 {
				t.Errorf("called %d times", len(h.calls))
			}
			if c.status == flow.Succeeded && r.Trace[0].Count != 1 {
				t.Errorf("the event counts %d items", r.Trace[0].Count)
			}
		})
	}
}

// TestAnIrreversibleStepFromTheJournal still counts as done.
func TestAnIrreversibleStepFromTheJournal(t *testing.T) {
	t.Parallel()
	nodes := `{"id": "send", "type": "capability", "capability": "lab.send", "input": {}, "next": "stop"}, ` + stop
	r := run(t, spec{nodes: nodes}, flow.Options{Host: &host{}, Journal: &notebook{records: map[string]flow.Record{"send": {Attempts: 1}}}})
	wantStatus(t, r, flow.RecoveryRequired, "STOP")
}
