package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/runner/flow"
)

// retried is a step that may be tried again, and the end of the flow.
func retried(attempts, backoffMs int) string {
	return fmt.Sprintf(`{"id": "call", "type": "capability", "capability": "lab.any", "input": {}, "target": "$.x",
		"retry": {"maxAttempts": %d, "backoffMs": %d}, "next": "end"}, {"id": "end", "type": "return", "value": {"$ref": "$.x"}}`, attempts, backoffMs)
}

// failsFirst fails the first n tries of each step.
func failsFirst(n int, with error) *host {
	return &host{answer: func(_ context.Context, c flow.Call) (flow.Answer, error) {
		if c.Attempt <= n {
			return flow.Answer{}, with
		}
		return flow.Answer{Value: fmt.Sprint("at last ", c.Attempt)}, nil
	}}
}

func TestRetry(t *testing.T) {
	t.Parallel()
	may, never := &flow.CallError{Message: "Try again."}, &flow.CallError{Message: "Never.", Permanent: true}
	ms := func(list ...int) (waits []time.Duration) {
		for _, n := range list {
			waits = append(waits, time.Duration(n)*time.Millisecond)
		}
		return waits
	}
	for name, c := range map[string]struct {
		nodes  string
		host   *host
		calls  int
		waits  []time.Duration
		status flow.Status
	}{
		"at once":                       {retried(3, 5000), failsFirst(0, nil), 1, nil, flow.Succeeded},
		"at the second try":             {retried(3, 250), failsFirst(1, may), 2, ms(250), flow.Succeeded},
		"at the last try":               {retried(3, 5000), failsFirst(2, may), 3, ms(5000, 5000), flow.Succeeded},
		"never, and no wait at the end": {retried(3, 5000), failsFirst(3, may), 3, ms(5000, 5000), flow.Failed},
		"without a wait":                {retried(3, 0), failsFirst(2, may), 3, ms(0, 0), flow.Succeeded},
		"one try is no retry":           {retried(1, 5000), failsFirst(1, may), 1, nil, flow.Failed},
		"no backoff given":              {strings.Replace(retried(2, 9), `, "backoffMs": 9`, "", 1), failsFirst(1, may), 2, ms(0), flow.Succeeded},
		"no retry given":                {strings.Replace(retried(2, 9), `"retry": {"maxAttempts": 2, "backoffMs": 9},`, "", 1), failsFirst(1, may), 1, nil, flow.Failed},
		"a failure for good":            {retried(3, 5000), failsFirst(3, never), 1, nil, flow.Failed},
		"an unknown error may pass":     {retried(2, 10), failsFirst(1, errStore), 2, ms(10), flow.Succeeded},
		"wrapped, it is still for good": {retried(3, 5000), failsFirst(3, fmt.Errorf("call: %w", never)), 1, nil, flow.Failed},
		"whole numbers in other forms": {strings.Replace(retried(2, 9), `"maxAttempts": 2, "backoffMs": 9`, `"maxAttempts": 2.0, "backoffMs": 1e2`, 1),
			failsFirst(1, may), 2, ms(100), flow.Succeeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := &clock{}

			r := run(t, spec{nodes: c.nodes}, flow.Options{Host: c.host, Clock: clock, ExecutionID: "run-1"})

			if r.Status != c.status || len(c.host.calls) != c.calls {
				t.Errorf("%s (%v) after %d calls; want %s after %d", r.Status, r.Failure, len(c.host.calls), c.status, c.calls)
			}
			if diff := cmp.Diff(c.waits, clock.waits); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
			for i, call := range c.host.calls {
				if call.Attempt != i+1 || call.Key != "run-1/call" {
					t.Errorf("try %d has the number %d and the key %q", i+1, call.Attempt, call.Key)
				}
			}
			if len(r.Calls) != c.calls || r.Trace[c.calls-1].Attempt != c.calls {
				t.Errorf("%d calls in the result, trace %q", len(r.Calls), traceLines(r.Trace))
			}
		})
	}
}

// TestWhatIsRefusedIsNotRetried has failures that no further try would pass.
func TestWhatIsRefusedIsNotRetried(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		input, code string
		breaker     flow.Breaker
	}{
		"input too large": {`{"query": "` + strings.Repeat("x", 300) + `"}`, flow.CodeInputTooLarge, nil},
		"input unfit":     {`{"query": 1}`, flow.CodeInputInvalid, nil},
		"breaker open":    {`{}`, flow.CodeCircuitOpen, &gate{shut: errors.New("shut")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock, h := &clock{}, &host{}
			nodes := strings.Replace(retried(3, 5000), `lab.any", "input": {}`, `lab.list", "input": `+c.input, 1)

			r := run(t, spec{nodes: nodes}, flow.Options{Host: h, Clock: clock, Breaker: c.breaker})

			wantStatus(t, r, flow.Failed, c.code)
			if len(h.calls) != 0 || len(clock.waits) != 0 || len(r.Calls) != 0 {
				t.Errorf("called %d times, waited %v", len(h.calls), clock.waits)
			}
			if diff := cmp.Diff([]string{"call capability " + c.code}, traceLines(r.Trace)); diff != "" {
				t.Errorf("trace (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAResultTooLargeIsNotRetried: the call itself has succeeded, and has had its effect.
func TestAResultTooLargeIsNotRetried(t *testing.T) {
	t.Parallel()
	h := gives(strings.Repeat("x", flow.MaxResult))

	r := run(t, spec{nodes: retried(3, 0)}, flow.Options{Host: h})

	wantStatus(t, r, flow.Failed, flow.CodeResultTooLarge)
	if len(h.calls) != 1 {
		t.Errorf("called %d times", len(h.calls))
	}
}

func TestAbortDuringTheWait(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	clock := &clock{onSleep: cancel}
	h, journal, breaker := failsFirst(3, errStore), newNotebook(), &gate{}

	r := program(t, spec{nodes: retried(3, 5000)}).Run(ctx, map[string]any{}, flow.Options{Host: h, Clock: clock, Journal: journal, Breaker: breaker})

	wantStatus(t, r, flow.Cancelled, flow.CodeAborted)
	if len(h.calls) != 1 || len(clock.waits) != 1 {
		t.Errorf("%d calls and %d waits; want one of each", len(h.calls), len(clock.waits))
	}
	if len(journal.order) != 0 || !slices.Equal(breaker.reports, []string{"lab.any withdrawn"}) {
		t.Errorf("the step has no outcome; the journal has %q, and the breaker was told %q", journal.order, breaker.reports)
	}
}

// TestTheRealClock waits for real, in time that passes at once.
func TestTheRealClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := run(t, spec{nodes: retried(3, 5000)}, flow.Options{Host: failsFirst(2, errStore)})
		wantOutput(t, r, `"at last 3"`)
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("waited %s; want 10s", took)
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		r = program(t, spec{nodes: retried(3, 5000)}).Run(ctx, map[string]any{}, flow.Options{Host: failsFirst(2, errStore)})
		wantStatus(t, r, flow.Failed, flow.CodeDeadline)
		if took := time.Since(began); took != time.Second {
			t.Errorf("ended after %s; want 1s", took)
		}
	})
	if now := (flow.SystemClock{}).Now(); time.Since(now) > time.Hour {
		t.Errorf("the real clock says %s", now)
	}
}

// TestAbortBetweenSteps cancels a run in each place where it looks, and counts the calls
// that are made after that: none, since the call under way is over.
func TestAbortBetweenSteps(t *testing.T) {
	t.Parallel()
	nodes := `{"id": "one", "type": "capability", "capability": "lab.any", "input": {}, "next": "each"},
		{"id": "each", "type": "foreach", "source": ["a", "b", "c"], "itemVar": "$.item", "maxItems": 9, "body": [
			{"type": "capability", "capability": "lab.any", "input": {}},
			{"type": "set", "target": "$.x", "value": 1},
			{"type": "capability", "capability": "lab.any", "input": {}}], "next": "two"},
		{"id": "two", "type": "capability", "capability": "lab.any", "input": {}, "next": "end"}, ` + returnNull
	places := []string{"one", "each[0].0", "each[0].1", "each[0].2", "each[1].0", "each[2].1", "each[2].2", "each", "two"}
	for _, place := range places {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			h := &host{}
			callsThen := -1
			observe := func(e flow.Event) {
				if e.Step == place {
					callsThen = len(h.calls)
					cancel()
				}
			}

			r := program(t, spec{nodes: nodes}).Run(ctx, map[string]any{}, flow.Options{Host: h, Observe: observe})

			wantStatus(t, r, flow.Cancelled, flow.CodeAborted)
			if callsThen != len(h.calls) {
				t.Errorf("%d calls were made after the abort: %q", len(h.calls)-callsThen, h.steps())
			}
			// A loop whose last step is over may still note its own end.
			if last := r.Trace[len(r.Trace)-1]; last.Step != place && last.Step != "each" {
				t.Errorf("%s was done after the abort", last.Step)
			}
		})
	}
}

// TestAbortDuringACall lets the call end as it likes; nothing is called after it.
func TestAbortDuringACall(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]error{"that succeeds": nil, "that fails": errStore, "that fails for good": &flow.CallError{Permanent: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			breaker, journal := &gate{}, newNotebook()
			h := &host{answer: func(context.Context, flow.Call) (flow.Answer, error) {
				cancel()
				return flow.Answer{Value: "done"}, answer
			}}

			r := program(t, spec{nodes: retried(3, 0)}).Run(ctx, map[string]any{}, flow.Options{Host: h, Breaker: breaker, Journal: journal})

			wantStatus(t, r, flow.Cancelled, flow.CodeAborted)
			if len(h.calls) != 1 {
				t.Errorf("called %d times", len(h.calls))
			}
			// A success has been done and is remembered; a failure may come from the abort itself.
			wantReports, wantJournal := []string{"lab.any ok"}, []string{"call"}
			if answer != nil {
				wantReports, wantJournal = []string{"lab.any withdrawn"}, nil
			}
			if !slices.Equal(breaker.reports, wantReports) || !slices.Equal(journal.order, wantJournal) {
				t.Errorf("the breaker was told %q, the journal has %q; want %q and %q", breaker.reports, journal.order, wantReports, wantJournal)
			}
		})
	}
}

// TestBreaker says what a breaker is asked and told.
func TestBreaker(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		nodes          string
		host           *host
		shut           error
		asked, reports []string
	}{
		"success":                 {retried(1, 0), failsFirst(0, nil), nil, []string{"lab.any"}, []string{"lab.any ok"}},
		"success after a failure": {retried(2, 0), failsFirst(1, errStore), nil, []string{"lab.any"}, []string{"lab.any ok"}},
		"all tries failed":        {retried(2, 0), failsFirst(2, errStore), nil, []string{"lab.any"}, []string{"lab.any failed"}},
		"failed for good":         {retried(2, 0), failsFirst(2, &flow.CallError{Permanent: true}), nil, []string{"lab.any"}, []string{"lab.any withdrawn"}},
		"open":                    {retried(2, 0), failsFirst(0, nil), errors.New("shut"), []string{"lab.any"}, nil},
		// What takes back is not held up, whatever is known of its capability.
		"compensation": {made("one stop"), &host{answer: failing(errStore, "one!undo")}, nil, []string{"lab.make"}, []string{"lab.make ok"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			breaker := &gate{shut: c.shut}

			r := run(t, spec{nodes: c.nodes}, flow.Options{Host: c.host, Breaker: breaker, Clock: &clock{}})

			if diff := cmp.Diff([][]string{c.asked, c.reports}, [][]string{breaker.asked, breaker.reports}); diff != "" {
				t.Errorf("asked, told (-want +got):\n%s", diff)
			}
			if c.shut != nil && len(c.host.calls) > 0 {
				t.Error("called although the breaker is open")
			}
			if len(r.Trace) == 0 {
				t.Error("the trace is empty")
			}
		})
	}
}

// TestTransitions has flows at and over the bound; what a loop does inside is free.
func TestTransitions(t *testing.T) {
	t.Parallel()
	sets := func(n int) string {
		var nodes strings.Builder
		for i := range n {
			next := fmt.Sprintf("set-%d", i+1)
			if i == n-1 {
				next = "end"
			}
			fmt.Fprintf(&nodes, `{"id": "set-%d", "type": "set", "target": "$.x", "value": %d, "next": %q}, `, i, i, next)
		}
		return nodes.String() + `{"id": "end", "type": "return", "value": {"$ref": "$.x"}}`
	}
	items := "[" + strings.Repeat("0,", 99) + "0]"
	loop := `{"id": "each", "type": "foreach", "source": ` + items + `, "itemVar": "$.item", "indexVar": "$.x", "maxItems": 100, "body": [
		{"type": "set", "target": "$.y", "value": 1}], "next": "end"}, {"id": "end", "type": "return", "value": {"$ref": "$.x"}}`
	for name, c := range map[string]struct {
		nodes string
		bound int
		code  string
	}{
		"at the bound":       {sets(4), 5, ""},
		"one over":           {sets(5), 5, flow.CodeTransitionLimit},
		"a loop counts once": {loop, 2, ""},
		"but it counts":      {loop, 1, flow.CodeTransitionLimit},
		"many":               {sets(63), 64, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := run(t, spec{nodes: c.nodes, transitions: c.bound}, flow.Options{})

			want := flow.Failed
			if c.code == "" {
				want = flow.Succeeded
			}
			wantStatus(t, r, want, c.code)
			if last := traceLines(r.Trace)[len(r.Trace)-1]; last != strings.TrimSpace("end return "+c.code) {
				t.Errorf("the last event is %q", last)
			}
		})
	}
}
