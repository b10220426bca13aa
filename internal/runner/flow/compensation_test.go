package flow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// makeStep is a step that makes a record and says how it is taken back.
func makeStep(id, next string) string {
	return fmt.Sprintf(`{"id": %[1]q, "type": "capability", "capability": "lab.make", "input": {"title": %[1]q}, "target": "$.%[1]s",
		"compensation": {"capability": "lab.unmake", "input": {"id": {"$ref": "$.%[1]s.id"}}}, "next": %[2]q}, `, id, next)
}

const (
	stop      = `{"id": "stop", "type": "fail", "code": "STOP", "message": "On purpose."}`
	threeMade = "one two tri stop"
)

// made gives steps that make records, one after the other, and a last one that fails.
func made(names string) string {
	var nodes strings.Builder
	list := strings.Fields(names)
	for i, name := range list[:len(list)-1] {
		nodes.WriteString(makeStep(name, list[i+1]))
	}
	return nodes.String() + stop
}

func TestCompensationsRunNewestFirst(t *testing.T) {
	t.Parallel()
	h := &host{}

	r := run(t, spec{nodes: made(threeMade)}, flow.Options{Host: h, ExecutionID: "run-1"})

	wantStatus(t, r, flow.Failed, "STOP")
	want := []string{
		"one lab.make", "two lab.make", "tri lab.make",
		"tri!undo lab.unmake", "two!undo lab.unmake", "one!undo lab.unmake",
	}
	if diff := cmp.Diff(want, h.steps()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	wantTrace := []string{
		"one capability #1", "two capability #1", "tri capability #1", "stop fail STOP",
		"tri!undo compensation #1", "two!undo compensation #1", "one!undo compensation #1",
	}
	if diff := cmp.Diff(wantTrace, traceLines(r.Trace)); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
	for _, made := range r.Created {
		if !made.Undone || !made.HasID || made.Kind != "item" {
			t.Errorf("%+v is not marked as taken back", made)
		}
	}
	if len(r.Created) != 3 || len(r.Calls) != 6 {
		t.Errorf("%d created and %d calls; want 3 and 6", len(r.Created), len(r.Calls))
	}
	if last := h.calls[5]; value.JSON(last.Input) != `{"id":"id-one"}` || last.Key != "run-1/one!undo" {
		t.Errorf("the last compensation got %s under the key %s", value.JSON(last.Input), last.Key)
	}
}

// TestCompensationInputIsResolvedAtOnce writes to everything that the input reads after
// the step, and shortens the list from which it takes an item.
func TestCompensationInputIsResolvedAtOnce(t *testing.T) {
	t.Parallel()
	h := &host{}
	nodes := `{"id": "before", "type": "set", "target": "$.why", "value": {"list": ["first"], "who": "ada"}, "next": "make"},
		{"id": "make", "type": "capability", "capability": "lab.make", "input": {"title": "x"}, "target": "$.made",
		 "compensation": {"capability": "lab.unmake", "input": {"id": {"$ref": "$.made.id"}, "why": {"$ref": "$.why"}, "first": {"$ref": "$.why.list.0"}}}, "next": "after"},
		{"id": "after", "type": "set", "target": "$.made.id", "value": "another", "next": "again"},
		{"id": "again", "type": "set", "target": "$.why.list", "value": [], "next": "gone"},
		{"id": "gone", "type": "set", "target": "$.why.who", "value": "bob", "next": "stop"}, ` + stop

	r := run(t, spec{nodes: nodes}, flow.Options{Host: h})

	wantStatus(t, r, flow.Failed, "STOP")
	want := `{"first":"first","id":"id-make","why":{"list":["first"],"who":"ada"}}`
	if got := value.JSON(h.calls[1].Input); got != want {
		t.Errorf("the compensation got %s; want %s", got, want)
	}
}

func TestNoCompensationWithoutNeed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		nodes  string
		host   *host
		status flow.Status
		code   string
	}{
		"of a run that succeeds": {makeStep("one", "end") + returnNull, &host{}, flow.Succeeded, ""},
		"of a step that failed": {makeStep("one", "stop") + stop, &host{answer: failing(&flow.CallError{Permanent: true}, "one")},
			flow.Failed, flow.CodeCapabilityFailed},
		"of a step that was refused": {strings.Replace(makeStep("one", "stop"), `{"title": "one"}`, `{"title": 1}`, 1) + stop, &host{},
			flow.Failed, flow.CodeInputInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := run(t, spec{nodes: c.nodes}, flow.Options{Host: c.host})

			wantStatus(t, r, c.status, c.code)
			for _, call := range c.host.calls {
				if strings.HasSuffix(call.Step, "!undo") {
					t.Errorf("%s was called", call.Step)
				}
			}
		})
	}
}

// TestAFailedCompensationDoesNotStopTheOthers has the compensation in the middle fail.
func TestAFailedCompensationDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	h := &host{answer: failing(&flow.CallError{Message: "Nobody is in."}, "two!undo")}

	r := run(t, spec{nodes: made(threeMade)}, flow.Options{Host: h})

	wantStatus(t, r, flow.RecoveryRequired, "STOP")
	want := []string{
		"tri!undo compensation #1", "two!undo compensation #1 FORGE_CAPABILITY_FAILED", "one!undo compensation #1",
	}
	if diff := cmp.Diff(want, traceLines(r.Trace)[4:]); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
	var undone []bool
	for _, c := range r.Created {
		undone = append(undone, c.Undone)
	}
	if diff := cmp.Diff([]bool{true, false, true}, undone); diff != "" {
		t.Errorf("taken back (-want +got):\n%s", diff)
	}
}

// TestACompensationIsTriedOnce has failures that a step would be tried again for.
func TestACompensationIsTriedOnce(t *testing.T) {
	t.Parallel()
	clock := &clock{}
	h := &host{answer: failing(errStore, "one!undo")}
	nodes := strings.Replace(makeStep("one", "stop"), `"next"`, `"retry": {"maxAttempts": 3, "backoffMs": 5}, "next"`, 1) + stop

	r := run(t, spec{nodes: nodes}, flow.Options{Host: h, Clock: clock})

	wantStatus(t, r, flow.RecoveryRequired, "STOP")
	if diff := cmp.Diff([]string{"one lab.make", "one!undo lab.unmake"}, h.steps()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if len(clock.waits) != 0 {
		t.Errorf("waited %v", clock.waits)
	}
}

// TestACompensationWithABadInput cannot be called, and is no reason to stop.
func TestACompensationWithABadInput(t *testing.T) {
	t.Parallel()
	h := &host{}
	nodes := makeStep("one", "two") + strings.Replace(makeStep("two", "stop"), "$.two.id", "$.two.none", 1) + stop

	r := run(t, spec{nodes: nodes}, flow.Options{Host: h})

	wantStatus(t, r, flow.RecoveryRequired, "STOP")
	if diff := cmp.Diff([]string{"one lab.make", "two lab.make", "one!undo lab.unmake"}, h.steps()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	want := []string{"two!undo compensation FORGE_INPUT_INVALID", "one!undo compensation #1"}
	if diff := cmp.Diff(want, traceLines(r.Trace)[3:]); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
}

// TestCompensationsRunWhenTheRunIsOver cancels a run, or lets its time pass, while its
// second step is under way: that step still counts.
func TestCompensationsRunWhenTheRunIsOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status flow.Status
		code   string
		begin  func(context.Context) (context.Context, context.CancelFunc)
	}{
		{"aborted", flow.Cancelled, flow.CodeAborted, context.WithCancel},
		{"deadline", flow.Failed, flow.CodeDeadline, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Minute)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := c.begin(t.Context())
				defer cancel()
				h := &host{}
				h.answer = func(callCtx context.Context, call flow.Call) (flow.Answer, error) {
					if call.Step == "two" {
						if c.status == flow.Cancelled {
							cancel()
						}
						<-callCtx.Done()
					} else if strings.HasSuffix(call.Step, "!undo") && callCtx.Err() != nil {
						t.Errorf("%s is called with a context that is over", call.Step)
					}
					return madeRecord(call), nil
				}

				r := program(t, spec{nodes: made(threeMade)}).Run(ctx, map[string]any{}, flow.Options{Host: h})

				wantStatus(t, r, c.status, c.code)
				want := []string{"one lab.make", "two lab.make", "two!undo lab.unmake", "one!undo lab.unmake"}
				if diff := cmp.Diff(want, h.steps()); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
				if len(r.Created) != 2 || !r.Created[0].Undone || !r.Created[1].Undone {
					t.Errorf("created: %+v", r.Created)
				}
			})
		})
	}
}

func TestAnAbortWithAFailedCompensation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	h := &host{}
	h.answer = func(_ context.Context, c flow.Call) (flow.Answer, error) {
		cancel()
		if c.Step == "one!undo" {
			return flow.Answer{}, errStore
		}
		return madeRecord(c), nil
	}

	r := program(t, spec{nodes: made("one stop")}).Run(ctx, map[string]any{}, flow.Options{Host: h})

	wantStatus(t, r, flow.RecoveryRequired, flow.CodeAborted)
}

// TestACompensationThatHangs is given up, so that a run always ends.
func TestACompensationThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		h.answer = func(ctx context.Context, c flow.Call) (flow.Answer, error) {
			if c.Step != "one!undo" {
				return madeRecord(c), nil
			}
			<-ctx.Done()
			return flow.Answer{}, ctx.Err()
		}
		began := time.Now()

		r := run(t, spec{nodes: made("one stop")}, flow.Options{Host: h})

		wantStatus(t, r, flow.RecoveryRequired, "STOP")
		if took := time.Since(began); took != 2*time.Minute {
			t.Errorf("gave up after %s", took)
		}
	})
}

// TestWhatCannotBeUndone has a step whose effect nothing takes back before a failure.
func TestWhatCannotBeUndone(t *testing.T) {
	t.Parallel()
	send := `{"id": "send", "type": "capability", "capability": "lab.send", "input": {}, "next": %q}, `
	for name, c := range map[string]struct {
		nodes  string
		answer func(context.Context, flow.Call) (flow.Answer, error)
		status flow.Status
		code   string
	}{
		"then a failure":         {fmt.Sprintf(send, "stop") + stop, nil, flow.RecoveryRequired, "STOP"},
		"then success":           {fmt.Sprintf(send, "end") + returnNull, nil, flow.Succeeded, ""},
		"and it failed itself":   {fmt.Sprintf(send, "stop") + stop, failing(errStore, "send"), flow.Failed, flow.CodeCapabilityFailed},
		"with others taken back": {makeStep("one", "send") + fmt.Sprintf(send, "stop") + stop, nil, flow.RecoveryRequired, "STOP"},
		// A reversible write of which the tool says nothing is the author's choice.
		"a write without compensation": {`{"id": "make", "type": "capability", "capability": "lab.make", "input": {"title": "x"}, "next": "stop"}, ` + stop,
			nil, flow.Failed, "STOP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &host{answer: c.answer}

			r := run(t, spec{nodes: c.nodes}, flow.Options{Host: h})

			wantStatus(t, r, c.status, c.code)
			if name == "with others taken back" && !r.Created[0].Undone {
				t.Error("what could be taken back was not")
			}
		})
	}
}

// TestAnEffectCountsWhateverFollows has steps whose call succeeds, and which fail all the
// same: what they did is listed and taken back.
func TestAnEffectCountsWhateverFollows(t *testing.T) {
	t.Parallel()
	big := map[string]any{"id": "id-one", "title": "Big", "rest": strings.Repeat("x", flow.MaxResult)}
	unwritable := strings.NewReplacer(`"target": "$.one"`, `"target": "$.list.0"`, `{"$ref": "$.one.id"}`, `"by hand"`).Replace(makeStep("one", "stop"))
	for name, c := range map[string]struct {
		spec
		options flow.Options
		status  flow.Status
		code    string
	}{
		"its result is too large": {spec{nodes: makeStep("one", "stop") + stop},
			flow.Options{Host: gives(big)}, flow.Failed, flow.CodeResultTooLarge},
		"its target cannot be written": {spec{nodes: `{"id": "list", "type": "set", "target": "$.list", "value": {"$ref": "$.input.items"}, "next": "one"}, ` +
			unwritable + stop, input: `{"type": "object", "properties": {"items": {"default": [1]}}}`},
			flow.Options{Host: &host{}}, flow.Failed, flow.CodeTargetInvalid},
		"it cannot be recorded": {spec{nodes: makeStep("one", "stop") + stop},
			flow.Options{Host: &host{}, Journal: &notebook{records: map[string]flow.Record{}, onRecord: failOn("one")}}, flow.Failed, flow.CodeJournalFailed},
		"nothing can be recorded": {spec{nodes: makeStep("one", "stop") + stop},
			flow.Options{Host: &host{}, Journal: &notebook{records: map[string]flow.Record{}, onRecord: failOn("one", "one!undo")}},
			flow.RecoveryRequired, flow.CodeJournalFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := run(t, c.spec, c.options)

			wantStatus(t, r, c.status, c.code)
			if len(r.Created) != 1 || !r.Created[0].Undone {
				t.Errorf("created: %+v; want one record that was taken back", r.Created)
			}
			if lines := traceLines(r.Trace); !strings.HasPrefix(lines[len(lines)-1], "one!undo compensation #1") {
				t.Errorf("trace: %q", lines)
			}
		})
	}
}

// failOn is a journal that cannot keep some steps.
func failOn(steps ...string) func(string, flow.Record) error {
	return func(step string, _ flow.Record) error {
		for _, s := range steps {
			if s == step {
				return errors.New("the journal is full")
			}
		}
		return nil
	}
}

// TestAnIrreversibleStepThatCannotBeRecorded has been done, so a person has to look.
func TestAnIrreversibleStepThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	nodes := `{"id": "send", "type": "capability", "capability": "lab.send", "input": {}, "next": "end"}, ` + returnNull
	journal := newNotebook()
	journal.onRecord = failOn("send")

	r := run(t, spec{nodes: nodes}, flow.Options{Host: &host{}, Journal: journal})

	wantStatus(t, r, flow.RecoveryRequired, flow.CodeJournalFailed)
}

// TestCompensationsOfALoop takes the items back in reverse order, each with its own input.
func TestCompensationsOfALoop(t *testing.T) {
	t.Parallel()
	h := &host{}
	nodes := `{"id": "each", "type": "foreach", "source": ["a", "b"], "itemVar": "$.item", "maxItems": 9, "body": [
		{"type": "capability", "capability": "lab.change", "input": {"to": {"$ref": "$.item"}}, "target": "$.was",
		 "compensation": {"capability": "lab.unchange", "input": {"item": {"$ref": "$.item"}, "was": {"$ref": "$.was.id"}}}}], "next": "stop"}, ` + stop

	r := run(t, spec{nodes: nodes}, flow.Options{Host: h})

	wantStatus(t, r, flow.Failed, "STOP")
	var got []string
	for _, c := range h.calls[2:] {
		got = append(got, c.Step+" "+value.JSON(c.Input))
	}
	want := []string{
		`each[1].0!undo {"item":"b","was":"id-each[1].0"}`,
		`each[0].0!undo {"item":"a","was":"id-each[0].0"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("compensations (-want +got):\n%s", diff)
	}
	if len(r.Created) != 0 {
		t.Errorf("a change is no new record: %+v", r.Created)
	}
}
