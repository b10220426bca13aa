package worker_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// unknown leaves a run of which nobody knows whether its message was sent, taken up by a
// further process: which is what it gives, with what is sent from there.
func unknown(t *testing.T, h *house, idempotent bool) (q *process, id string, before, after *outside) {
	t.Helper()
	before, after = newOutside(idempotent), newOutside(idempotent)
	p := h.processWith(t, worker.Options{Capabilities: before})
	before.during = func(context.Context, capability.Call) error {
		p.store.kill()
		return nil
	}
	r := fileRunWith(t, before.catalogue, makes+sends, map[string]any{})
	r.ID = "R"
	id = p.begin(t, r)
	synctest.Wait()
	p.die(t)
	q = h.processWith(t, worker.Options{Capabilities: after})
	if _, err := q.Resume(t.Context(), id, nil); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return q, id, before, after
}

// TestAnUnknownStep waits for a person, whose answer is what the run goes on with.
func TestAnUnknownStep(t *testing.T) {
	for _, where := range []string{"the same process", "another process"} {
		for answer, c := range map[worker.Answer]struct {
			status       task.RunStatus
			code, result string
			sent         []string
			records      []string
		}{
			worker.AnswerDone:       {task.RunSucceeded, "", "null", nil, []string{"task Buy milk (todo)"}},
			worker.AnswerNotDone:    {task.RunSucceeded, "", `"sent"`, []string{`{"to":"Ada"} R/send`}, []string{"task Buy milk (todo)"}},
			worker.AnswerCompensate: {task.RunFailed, "STEP_UNKNOWN", "", nil, []string{}},
		} {
			t.Run(where+", "+string(answer), func(t *testing.T) {
				inHouse(t, func(t *testing.T, h *house) {
					q, id, before, after := unknown(t, h, false)
					if diff := cmp.Diff([]string{`{"to":"Ada"} R/send`}, before.all()); diff != "" {
						t.Errorf("sent at first (-want +got):\n%s", diff)
					}
					if got := after.all(); len(got) != 0 {
						t.Errorf("sent again, unasked: %q", got)
					}
					if waited, err := q.Wait(t.Context(), id, worker.WaitOptions{Timeout: patience}); err != nil || waited.Reason != worker.ReasonUnknown {
						t.Errorf("the wait ends for %q: %v", waited.Reason, err)
					}
					view := q.view(t, id)
					if view.Run.Status != task.RunUnknown || view.Graph.State(0) != task.Unknown {
						t.Errorf("the run is kept as %s:\n%s", view.Run.Status, q.tree(t, id))
					}
					if why := view.Executions[0].Why; !strings.Contains(why, "toolsmith resume R --step send --answer") {
						t.Errorf("says %q", why)
					}
					if where == "another process" {
						if err := q.Close(t.Context()); err != nil {
							t.Fatal(err)
						}
						after = newOutside(false)
						q = h.processWith(t, worker.Options{Capabilities: after})
					}
					if err := q.Answer(t.Context(), id, "send", answer); err != nil {
						t.Fatal(err)
					}
					if _, err := q.Resume(t.Context(), id, nil); err != nil {
						t.Fatal(err)
					}
					wantRun(t, q.finish(t, id), c.status, c.code)
					if got := q.result(t, id); got != c.result {
						t.Errorf("the run came to %s; want %s\n%s", got, c.result, q.tree(t, id))
					}
					if diff := cmp.Diff(c.sent, after.all()); diff != "" && len(c.sent)+len(after.all()) > 0 {
						t.Errorf("sent (-want +got):\n%s", diff)
					}
					if diff := cmp.Diff(c.records, h.records(t)); diff != "" {
						t.Errorf("records (-want +got):\n%s", diff)
					}
					for _, e := range q.view(t, id).Executions {
						if e.Granted != "" && e.Granted != "settings" && e.Granted != "answer: "+string(answer) {
							t.Errorf("the answer is kept as %q", e.Granted)
						}
					}
				})
			})
		}
	}
}

// TestAnUnknownStepThatMayBeRepeated is, under the same key, and nobody is asked.
func TestAnUnknownStepThatMayBeRepeated(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		q, id, before, after := unknown(t, h, true)
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		if diff := cmp.Diff(before.all(), after.all()); diff != "" || len(after.all()) != 1 {
			t.Errorf("sent (-before +after):\n%s", diff)
		}
	})
}

// TestAnUnknownStepThatIsCancelled: the run ends, what was done is taken back, and the step
// says that nobody knows.
func TestAnUnknownStepThatIsCancelled(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		q, id, _, after := unknown(t, h, false)
		q.stop(t, id)
		wantRun(t, q.finish(t, id), task.RunCancelled, task.CodeAborted)
		if got := after.all(); len(got) != 0 {
			t.Errorf("sent: %q", got)
		}
		if got := h.records(t); len(got) != 0 {
			t.Errorf("left: %q\n%s", got, q.tree(t, id))
		}
	})
}

// TestAnswersThatAreRefused.
func TestAnswersThatAreRefused(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		q, id, _, _ := unknown(t, h, false)
		other := h.process(t)
		for name, c := range map[string]struct {
			by       *process
			id, step string
			answer   worker.Answer
			code     string
		}{
			"no such answer":     {q, id, "", "perhaps", worker.CodeAnswerInvalid},
			"no such run":        {q, "NONE", "", worker.AnswerDone, engine.CodeRunNotFound},
			"no such step":       {q, id, "make", worker.AnswerDone, worker.CodeNothingUnknown},
			"of another process": {other, id, "", worker.AnswerDone, worker.CodeRunBusy},
		} {
			if err := c.by.Answer(t.Context(), c.id, c.step, c.answer); tool.Code(err) != c.code {
				t.Errorf("%s: the error is %v", name, err)
			}
		}
		if err := q.Answer(t.Context(), id, "", worker.AnswerDone); err != nil {
			t.Fatal(err)
		}
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		if err := q.Answer(t.Context(), id, "", worker.AnswerDone); tool.Code(err) == "" {
			t.Errorf("a second answer: %v", err)
		}
	})
}

// TestCancelWhileAStepBecomesUnknown ends the run all the same.
func TestCancelWhileAStepBecomesUnknown(t *testing.T) {
	for _, kept := range []bool{false, true} {
		t.Run(fmt.Sprintf("kept %v", kept), func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				host := newOutside(false)
				p := h.processWith(t, worker.Options{Capabilities: host})
				host.during = func(context.Context, capability.Call) error {
					p.store.kill()
					return nil
				}
				r := fileRunWith(t, host.catalogue, sends, map[string]any{})
				r.ID = "R"
				p.begin(t, r)
				synctest.Wait()
				p.die(t)
				q := h.processWith(t, worker.Options{Capabilities: host})
				q.store.count(func(number int, write func() error) error {
					if number == 2 && !kept { // the first takes the run
						_, _ = q.Cancel(context.Background(), "R")
					}
					err := write()
					if number == 2 && kept {
						_, _ = q.Cancel(context.Background(), "R")
					}
					return err
				})
				if _, err := q.Resume(t.Context(), "R", nil); err != nil {
					t.Fatal(err)
				}
				<-time.After(time.Second)
				wantRun(t, q.finish(t, "R"), task.RunCancelled, task.CodeAborted)
				if got := host.all(); len(got) != 1 {
					t.Errorf("sent %q", got)
				}
			})
		})
	}
}
