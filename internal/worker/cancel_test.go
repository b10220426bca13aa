package worker_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/engine"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

const (
	// makes is a step that makes a task and takes it back if the run fails, and leads to "send".
	makes = `{"id": "make", "type": "capability", "capability": "tasks.create", "input": {"title": "Buy milk"}, "target": "$.made",
		"compensation": {"capability": "tasks.delete", "input": {"id": {"$ref": "$.made.id"}}}, "next": "send"}, `
	// sends is a step that reaches outside, and the end.
	sends = `{"id": "send", "type": "capability", "capability": "lab.send", "input": {"to": "Ada"}, "target": "$.sent", "next": "end"},
		{"id": "end", "type": "return", "value": {"$ref": "$.sent"}}`
)

// wantListed fails unless the details of a failure name something that was done.
func wantListed(t testing.TB, f *task.Failure, what string) {
	t.Helper()
	if f == nil || !strings.Contains(value.JSON(f.Details), what) {
		t.Errorf("what was done (%s) is not listed: %v, details %s", what, f, value.JSON(detailsOf(f)))
	}
}

func detailsOf(f *task.Failure) any {
	if f == nil {
		return nil
	}
	return f.Details
}

func (p *process) stop(t testing.TB, id string) {
	t.Helper()
	if _, err := p.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

// TestCancelWhatRunsAndWhatIsQueued: the one is told, the other never begins.
func TestCancelWhatRunsAndWhatIsQueued(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		var seen diary
		p := h.processWith(t, worker.Options{Parallel: 1}, g.Tool, seen.tool("note"))
		var ends diary
		run, err := p.Begin(t.Context(), engine.Request{Chains: chains(t,
			tool.Chain{call("gate", 1), call("note", 1)}, tool.Chain{call("note", 2), call("note", 3)}, tool.Chain{reducer("note", 4)},
		)}, func(e worker.Event) {
			if e.Task == nil {
				ends.add("%s", e.Status)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		<-g.begun
		p.stop(t, run.ID)
		over := p.finish(t, run.ID)

		wantRun(t, over, task.RunCancelled, task.CodeAborted)
		if got := seen.all(); len(got) != 0 {
			t.Errorf("after the end of the run were called: %q", got)
		}
		if got := ends.all(); len(got) != 1 {
			t.Errorf("the end was told as %q", got)
		}
		p.wantTree(t, run.ID, `
			- gate cancelled (ABORTED)
			    - error ABORTED
			  note cancelled (ABORTED)
			    - error ABORTED
			- note cancelled (ABORTED)
			  note cancelled (ABORTED)
			- note cancelled (ABORTED)`)
		if _, err := p.Cancel(t.Context(), run.ID); tool.Code(err) != engine.CodeRunSettled {
			t.Errorf("cancelling it again gives %v", err)
		}
	})
}

// TestCancelWhileACallWaits for a time: it is not called again when that comes.
func TestCancelWhileACallWaits(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		tries := 0
		later := native("later", func(*tool.Context, any) (any, error) {
			tries++
			return nil, tool.Again(time.Now().Add(10 * time.Second))
		})
		p := h.process(t, later, same)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("later", 1), call("same", 2)})})
		<-time.After(time.Second)
		if run := p.view(t, id).Run; run.Status != task.RunWaiting {
			t.Errorf("while it waits it is kept as %s", run.Status)
		}
		p.stop(t, id)
		wantRun(t, p.finish(t, id), task.RunCancelled, task.CodeAborted)
		<-time.After(time.Minute)
		if tries != 1 {
			t.Errorf("it was called %d times", tries)
		}
		p.wantTree(t, id, `
			- later cancelled (ABORTED)
			    - error ABORTED
			  same cancelled (ABORTED)`)
	})
}

// TestCancelInABackoff: the flow does not try again, takes back what it did, and says so.
func TestCancelInABackoff(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		host := newOutside(true)
		host.during = func(context.Context, capability.Call) error { return errors.New("busy") }
		p := h.processWith(t, worker.Options{Capabilities: host})
		r := fileRunWith(t, host.catalogue, makes+strings.Replace(sends, `"input"`, `"retry": {"maxAttempts": 3, "backoffMs": 5000}, "input"`, 1), map[string]any{})
		id := p.begin(t, r)
		<-time.After(time.Second)
		began := time.Now()
		p.stop(t, id)
		run := p.finish(t, id)
		wantRun(t, run, task.RunCancelled, task.CodeAborted)
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %s to stop", took)
		}
		if got := host.all(); len(got) != 1 {
			t.Errorf("sent: %q", got)
		}
		if got := h.records(t); len(got) != 0 {
			t.Errorf("left: %q", got)
		}
		wantListed(t, errorOf(t, p.view(t, id), 0), "Buy milk")
	})
}

const loop = `{"id": "each", "type": "foreach", "source": {"$ref": "$.input.items"}, "itemVar": "$.item", "indexVar": "$.i", "maxItems": 9, "body": [
	{"type": "capability", "capability": "tasks.create", "input": {"title": {"$ref": "$.item"}}, "target": "$.made",
	 "compensation": {"capability": "tasks.delete", "input": {"id": {"$ref": "$.made.id"}}}}], "next": "end"}, ` + end

// TestCancelInALoop: at most one more round begins, and all rounds are taken back.
func TestCancelInALoop(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t)
		made := 0
		run, err := p.Begin(t.Context(), fileRun(t, loop, map[string]any{"items": []any{"a", "b", "c", "d", "e"}}), func(e worker.Event) {
			if e.Flow == nil || e.Flow.Kind != "capability" {
				return
			}
			if made++; made == 2 {
				p.stop(t, e.RunID)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		over := p.finish(t, run.ID)
		wantRun(t, over, task.RunCancelled, task.CodeAborted)
		if made > 3 {
			t.Errorf("%d rounds were begun", made)
		}
		if got := h.records(t); len(got) != 0 {
			t.Errorf("left: %q", got)
		}
		failure := errorOf(t, p.view(t, run.ID), 0)
		wantListed(t, failure, `\"a\"`)
		wantListed(t, failure, `\"b\"`)
	})
}

// TestCancelWhatCannotAllBeTakenBack needs a person.
func TestCancelWhatCannotAllBeTakenBack(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		host := newOutside(true)
		var p *process
		host.during = func(ctx context.Context, _ capability.Call) error {
			p.store.set(errDisk, nil, nil)
			<-ctx.Done()
			return ctx.Err()
		}
		p = h.processWith(t, worker.Options{Capabilities: host})
		id := p.begin(t, fileRunWith(t, host.catalogue, makes+sends, map[string]any{}))
		<-time.After(time.Second)
		p.stop(t, id)
		run := p.finish(t, id)
		wantRun(t, run, task.RunRecoveryRequired, task.CodeAborted)
		wantListed(t, errorOf(t, p.view(t, id), 0), "Buy milk")
		if diff := cmp.Diff([]string{"task Buy milk (todo)"}, h.records(t)); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	})
}

// TestCancelWhenAllIsDone: a flow that had come to its end before it heard of it has either
// succeeded, or takes back what it did. It does not say that it was stopped and leave all as
// it is.
func TestCancelWhenAllIsDone(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t)
		nodes := strings.Replace(makes, `"send"}`, `"end"}`, 1) + end
		run, err := p.Begin(t.Context(), fileRun(t, nodes, map[string]any{}), func(e worker.Event) {
			if e.Flow != nil && e.Flow.Step == "end" {
				p.stop(t, e.RunID)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		over := p.finish(t, run.ID)
		left := h.records(t)
		switch {
		case over.Status == task.RunSucceeded && len(left) == 1:
		case p.view(t, run.ID).Graph.State(0) == task.Done && len(left) == 1:
		case over.Status == task.RunCancelled && len(left) == 0:
		default:
			t.Errorf("the run is %s, and there is %q\n%s", over.Status, left, p.tree(t, run.ID))
		}
	})
}

// TestCancelWhileAResultIsKept: what the result would begin is not begun, and not left queued.
func TestCancelWhileAResultIsKept(t *testing.T) {
	for name, again := range map[string]bool{"subtasks": false, "a wait": true} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				var seen diary
				gives := native("gives", func(ctx *tool.Context, _ any) (any, error) {
					if again {
						return nil, tool.Again(time.Now().Add(time.Second))
					}
					return ctx.Subtasks(tool.Chain{call("note", 1), call("note", 2)}, tool.Chain{reducer("note", 3)}), nil
				})
				p := h.process(t, gives, seen.tool("note"))
				var id string
				p.store.count(func(number int, write func() error) error {
					if number == 2 { // the result
						p.stop(t, id)
					}
					return write()
				})
				id = "R"
				p.begin(t, engine.Request{ID: id, Chains: chains(t, tool.Chain{call("gives", nil), call("note", 4)})})
				run := p.finish(t, id)
				wantRun(t, run, task.RunCancelled, task.CodeAborted)
				if got := seen.all(); len(got) != 0 {
					t.Errorf("called: %q", got)
				}
				<-time.After(time.Minute)
				p.wantTidy(t, id)
			})
		})
	}
}

// TestCancelAfterAResultIsKept, before what follows from it has begun.
func TestCancelAfterAResultIsKept(t *testing.T) {
	for name, again := range map[string]bool{"subtasks": false, "a wait": true} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				var seen diary
				gives := native("gives", func(ctx *tool.Context, _ any) (any, error) {
					if again {
						return nil, tool.Again(time.Now().Add(time.Second))
					}
					return ctx.Subtasks(tool.Chain{call("note", 1), call("note", 2)}, tool.Chain{reducer("note", 3)}), nil
				})
				p := h.process(t, gives, seen.tool("note"))
				p.store.count(func(number int, write func() error) error {
					err := write()
					if number == 2 { // the result
						p.stop(t, "R")
					}
					return err
				})
				p.begin(t, engine.Request{ID: "R", Chains: chains(t, tool.Chain{call("gives", nil), call("note", 4)})})
				wantRun(t, p.finish(t, "R"), task.RunCancelled, task.CodeAborted)
				if got := seen.all(); len(got) != 0 {
					t.Errorf("called: %q", got)
				}
				<-time.After(time.Minute)
				p.wantTidy(t, "R")
			})
		})
	}
}

// TestCancelFromAnotherProcess reaches the one that carries the run out.
func TestCancelFromAnotherProcess(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		p, q := h.process(t, g.Tool), h.process(t, g.Tool)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("gate", 1)})})
		<-g.begun
		q.stop(t, id)
		wantRun(t, p.finish(t, id), task.RunCancelled, task.CodeAborted)
	})
}

// TestCancelWhatWasLeft by a process that is gone: what it had done is taken back.
func TestCancelWhatWasLeft(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		first := newOutside(true)
		first.during = func(ctx context.Context, _ capability.Call) error {
			<-ctx.Done()
			return ctx.Err()
		}
		p := h.processWith(t, worker.Options{Capabilities: first})
		id := p.begin(t, fileRunWith(t, first.catalogue, makes+sends, map[string]any{}))
		<-time.After(time.Second)
		p.die(t)
		second := newOutside(true)
		q := h.processWith(t, worker.Options{Capabilities: second})
		q.stop(t, id)
		wantRun(t, q.finish(t, id), task.RunCancelled, task.CodeAborted)
		if got := second.all(); len(got) != 0 {
			t.Errorf("sent: %q", got)
		}
		if got := h.records(t); len(got) != 0 {
			t.Errorf("left, and not taken back: %q\n%s", got, q.tree(t, id))
		}
	})
}

// TestCancelWhatWasGivenUp by this very process, because it could not be kept.
func TestCancelWhatWasGivenUp(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, same)
		p.store.count(func(number int, write func() error) error {
			if number == 2 {
				return errFull
			}
			return write()
		})
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("same", 1), call("same", 2)})})
		<-time.After(time.Second)
		if _, err := p.Wait(t.Context(), id, worker.WaitOptions{Timeout: patience}); err == nil {
			t.Errorf("a run that is not carried out can be waited for")
		}
		p.stop(t, id)
		<-time.After(time.Second)
		wantRun(t, p.finish(t, id), task.RunCancelled, task.CodeAborted)
	})
}

// TestCancelByTheContextOfRun ends runs that are queued, running and in between.
func TestCancelByTheContextOfRun(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		p := h.processWith(t, worker.Options{Parallel: 1}, g.Tool)
		blocking := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("gate", 1)})})
		<-g.begun
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		out, err := p.Run(ctx, worker.Job{Tool: checked(t, end), Input: map[string]any{}})
		if err != nil {
			t.Fatal(err)
		}
		wantRun(t, out.Run, task.RunCancelled, task.CodeAborted)
		if out.Status != flow.Cancelled {
			t.Errorf("the flow is %s", out.Status)
		}
		p.wantTidy(t, out.Run.ID)
		close(g.open)
		wantRun(t, p.finish(t, blocking), task.RunSucceeded, "")
	})
}

// TestCancelAtAnyMoment: however the end of the caller's context falls, the run comes to one
// end, and nothing is left of one that was cancelled.
func TestCancelAtAnyMoment(t *testing.T) {
	t.Parallel()
	for i := range 24 {
		d := newDesk(t)
		ctx, cancel := context.WithCancel(t.Context())
		c := checked(t, strings.Replace(makes, `"send"}`, `"end"}`, 1)+end)
		steps := 0
		at := i % 3
		out, err := d.Run(ctx, worker.Job{Tool: c, Input: map[string]any{}, Steps: func(flow.Event) {
			if steps++; steps > at {
				go cancel()
			}
		}})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		left := len(d.records(t))
		if out.Run.Status == task.RunCancelled && left != 0 || out.Run.Status == task.RunSucceeded && left != 1 {
			t.Fatalf("round %d: the run is %s, and %d records are left (%v)", i, out.Run.Status, left, out.Failure)
		}
		d.close()
	}
}

// TestClosingIsNoCancelling: a flow that is under way when its worker is closed is left as it
// is. Nothing is taken back, and another worker goes on with it.
func TestClosingIsNoCancelling(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		first := newOutside(true)
		first.during = func(ctx context.Context, _ capability.Call) error {
			<-ctx.Done()
			return ctx.Err()
		}
		p := h.processWith(t, worker.Options{Capabilities: first})
		id := p.begin(t, fileRunWith(t, first.catalogue, makes+sends, map[string]any{}))
		<-time.After(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Close(ctx); err != nil {
			t.Fatal(err)
		}
		want := []string{"task Buy milk (todo)"}
		if diff := cmp.Diff(want, h.records(t)); diff != "" {
			t.Errorf("after closing, records (-want +got):\n%s", diff)
		}
		second := newOutside(true)
		q := h.processWith(t, worker.Options{Capabilities: second})
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		if diff := cmp.Diff(want, h.records(t)); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	})
}
