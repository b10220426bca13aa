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
	"toolsmith/internal/model"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// atEveryCommit has something happen at each commit of a run in turn, until there is none
// left; moment gives false then.
func atEveryCommit(t *testing.T, moment func(t *testing.T, h *house, at int, kept bool) bool) {
	t.Parallel()
	for _, kept := range []bool{false, true} {
		t.Run(fmt.Sprintf("kept %v", kept), func(t *testing.T) {
			t.Parallel()
			for at, more := 2, true; more && !t.Failed(); at++ {
				synctest.Test(t, func(t *testing.T) { more = moment(t, &house{newDesk(t)}, at, kept) })
				if !more && at < 6 {
					t.Errorf("there were only %d commits", at-1)
				}
			}
		})
	}
}

// busyRequest is a chain with a forged tool between others.
func busyRequest(t testing.TB) engine.Request {
	t.Helper()
	r := fileRun(t, busyFlow, map[string]any{}, busyState)
	r.ID = "R"
	r.Chains = chains(t,
		tool.Chain{call("same", 1), tool.Call(r.Chains[0][0].Call.Name, map[string]any{}), call("spread", nil)},
		tool.Chain{call("same", 2), reducer("same", tool.Previous(""))},
	)
	return r
}

// spread gives branches with calls in them.
var spread = native("spread", func(ctx *tool.Context, _ any) (any, error) {
	return ctx.Subtasks(tool.Chain{call("same", "a"), call("same", "b")}, tool.Chain{call("same", "c")}), nil
})

// wantAllOrNothing fails unless the forged tool of a busy request has either done all or left
// nothing, as its call says.
func (h *house) wantAllOrNothing(t testing.TB, p *process, where string) {
	t.Helper()
	view := p.view(t, "R")
	flow := -1
	for seq := range view.Graph.Len() {
		if one := view.Graph.Task(seq); strings.HasPrefix(one.Name, "dynamic:") {
			flow = seq
		}
	}
	want, state := map[string]int{}, ""
	if view.Graph.State(flow) == task.Done {
		want, state = sorted([]string{"task Buy milk (done)", "note a: x (1)", "note b: x (1)"}), `{"runs":[null,"run"]}`
	}
	if diff := cmp.Diff(want, sorted(h.records(t))); diff != "" {
		t.Errorf("%s: the flow is %s; records (-want +got):\n%s\n%s", where, view.Graph.State(flow), diff, p.tree(t, "R"))
	}
	if got := h.state(t, "file:made-up", 1); got != state {
		t.Errorf("%s: the flow is %s, and the state %q", where, view.Graph.State(flow), got)
	}
}

// TestACancelAtAnyCommit leaves all of a tool's work or nothing of it, and no call that is not
// over.
func TestACancelAtAnyCommit(t *testing.T) {
	atEveryCommit(t, func(t *testing.T, h *house, at int, kept bool) bool {
		p := h.process(t, same, spread)
		reached := false
		p.store.count(func(number int, write func() error) error {
			if number == at && !kept {
				reached = true
				_, _ = p.Cancel(context.Background(), "R")
			}
			err := write()
			if number == at && kept {
				reached = true
				_, _ = p.Cancel(context.Background(), "R")
			}
			return err
		})
		p.begin(t, busyRequest(t))
		run := p.finish(t, "R")
		switch {
		case run.Status == task.RunSucceeded:
		case run.Status == task.RunCancelled && run.Failure != nil && run.Failure.Code == task.CodeAborted:
		default:
			t.Errorf("cancelled at %d it ended as %s %v", at, run.Status, run.Failure)
		}
		h.wantAllOrNothing(t, p, fmt.Sprintf("cancelled at commit %d", at))
		return reached
	})
}

// TestOneCommitThatFails: the call that it belonged to fails and takes back what it did, or the
// run stands still and can be taken up again.
func TestOneCommitThatFails(t *testing.T) {
	atEveryCommit(t, func(t *testing.T, h *house, at int, kept bool) bool {
		if kept {
			at *= 2 // every second one, and the next too
		}
		p := h.process(t, same, spread)
		reached := false
		p.store.count(func(number int, write func() error) error {
			if number == at || kept && number == at+1 {
				reached = true
				return errFull
			}
			return write()
		})
		p.begin(t, busyRequest(t))
		waited, err := p.Wait(t.Context(), "R", worker.WaitOptions{Timeout: patience})
		if err != nil {
			synctest.Wait()
			p.store.count(nil)
			if _, err := p.Resume(t.Context(), "R", nil); err != nil && tool.Code(err) != engine.CodeRunSettled {
				t.Fatalf("failed at commit %d: %v", at, err)
			}
		} else if waited.Reason == worker.ReasonTimeout {
			t.Fatalf("failed at commit %d, it does not end:\n%s", at, p.tree(t, "R"))
		}
		run := p.finish(t, "R")
		if run.Status != task.RunSucceeded && run.Status != task.RunFailed && run.Status != task.RunRecoveryRequired {
			t.Errorf("failed at commit %d it ended as %s %v", at, run.Status, run.Failure)
		}
		if run.Status != task.RunRecoveryRequired {
			h.wantAllOrNothing(t, p, fmt.Sprintf("failed at commit %d", at))
		}
		return reached
	})
}

// TestACrashWhileSending at any commit: what reaches outside is never done twice, unless it may
// be or a person has said so.
func TestACrashWhileSending(t *testing.T) {
	for _, idempotent := range []bool{false, true} {
		t.Run(fmt.Sprintf("idempotent %v", idempotent), func(t *testing.T) {
			t.Parallel()
			for _, kept := range []bool{false, true} {
				for at, more := 2, true; more && !t.Failed(); at++ {
					synctest.Test(t, func(t *testing.T) { more = crashWhileSending(t, &house{newDesk(t)}, at, kept, idempotent) })
				}
			}
		})
	}
}

func crashWhileSending(t *testing.T, h *house, at int, kept, idempotent bool) (more bool) {
	host := newOutside(idempotent)
	p := h.processWith(t, worker.Options{Capabilities: host})
	p.dieAt(at, kept)
	r := fileRunWith(t, host.catalogue, makes+sends, map[string]any{})
	r.ID = "R"
	p.begin(t, r)
	synctest.Wait()
	more = p.store.died() != nil
	p.die(t)
	q := h.processWith(t, worker.Options{Capabilities: host})
	if _, err := q.ResumeAll(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	waited, err := q.Wait(t.Context(), "R", worker.WaitOptions{Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	sent := host.all()
	for _, one := range sent {
		if one != `{"to":"Ada"} R/send` {
			t.Errorf("dead at %d: sent %q", at, one)
		}
	}
	switch {
	case waited.Reason == worker.ReasonUnknown && !idempotent && len(sent) <= 1:
	case waited.Run.Status == task.RunSucceeded && len(sent) == 1:
	case waited.Run.Status == task.RunSucceeded && len(sent) == 2 && idempotent:
	default:
		t.Errorf("dead at %d: the run is %s (%s), and %d messages were sent\n%s", at, waited.Run.Status, waited.Reason, len(sent), q.tree(t, "R"))
	}
	if diff := cmp.Diff([]string{"task Buy milk (todo)"}, h.records(t)); diff != "" {
		t.Errorf("dead at %d: records (-want +got):\n%s", at, diff)
	}
	return more
}

// TestWhatARunWaitsFor is kept of it: it is waiting when all that is left waits, and running
// when anything runs.
func TestWhatARunWaitsFor(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		later := native("later", func(ctx *tool.Context, _ any) (any, error) {
			if began, _ := ctx.Began(); time.Since(began) < 10*time.Second {
				return nil, tool.Again(began.Add(10 * time.Second))
			}
			return nil, nil
		})
		p := h.process(t, g.Tool, later, newGate("last").Tool)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("gate", 1)}, tool.Chain{call("later", nil), call("last", nil)})})
		for _, moment := range []struct {
			until time.Duration
			do    func()
			want  task.RunStatus
		}{
			{time.Second, func() {}, task.RunRunning},
			{2 * time.Second, func() { close(g.open) }, task.RunWaiting},
			{11 * time.Second, func() {}, task.RunRunning},
		} {
			moment.do()
			<-time.After(time.Until(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(moment.until)))
			if got := p.view(t, id).Run.Status; got != moment.want {
				t.Errorf("after %s the run is kept as %s; want %s", moment.until, got, moment.want)
			}
		}
		p.stop(t, id)
		p.finish(t, id)
	})
}

// TestAnUnknownStepBesideOthers stops none of them, and can be answered while they run.
func TestAnUnknownStepBesideOthers(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		before, after := newOutside(false), newOutside(false)
		p := h.processWith(t, worker.Options{Capabilities: before}, newGate("gate").Tool)
		before.during = func(context.Context, capability.Call) error {
			p.store.kill()
			return nil
		}
		r := fileRunWith(t, before.catalogue, makes+sends, map[string]any{})
		r.ID = "R"
		r.Chains = append(r.Chains, chains(t, tool.Chain{call("gate", 1), call("gate", 2)})...)
		p.begin(t, r)
		synctest.Wait()
		p.die(t)
		g := newGate("gate")
		q := h.processWith(t, worker.Options{Capabilities: after}, g.Tool)
		if _, err := q.Resume(t.Context(), "R", nil); err != nil {
			t.Fatal(err)
		}
		<-g.begun
		synctest.Wait()
		if got := q.view(t, "R").Run.Status; got != task.RunRunning {
			t.Errorf("while another call runs the run is kept as %s", got)
		}
		if err := q.Answer(t.Context(), "R", "", worker.AnswerNotDone); err != nil {
			t.Fatal(err)
		}
		if _, err := q.Resume(t.Context(), "R", nil); err != nil {
			t.Fatal(err)
		}
		close(g.open)
		wantRun(t, q.finish(t, "R"), task.RunSucceeded, "")
		if got := q.result(t, "R"); got != `["sent",2]` {
			t.Errorf("the run came to %s", got)
		}
		if got := after.all(); len(got) != 1 {
			t.Errorf("sent %q", got)
		}
	})
}

// TestStepsThatAreHeardOfLate: a flow goes on while its steps cannot be put into the graph yet,
// because a call beside it has lower numbers and is heard of later.
func TestStepsThatAreHeardOfLate(t *testing.T) {
	const ask = `{"id": "ask", "type": "llm", "op": "extract", "input": "x", "target": "$.said", "next": "%s"}, `
	for name, c := range map[string]struct {
		nodes string
		last  int // the number of the commit that keeps the flow's result
	}{
		"a step of its own": {fmt.Sprintf(ask, "end") + end, 4},
		"a message":         {fmt.Sprintf(ask, "send") + sends, 6},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				kept, over := make(chan struct{}), make(chan struct{})
				host := newOutside(false)
				p := h.processWith(t, worker.Options{Capabilities: host, Model: waitingModel{kept: kept}}, same)
				p.store.count(func(number int, write func() error) error {
					err := write()
					switch number {
					case 2: // the call beside the flow
						close(kept)
						<-over
					case c.last:
						close(over)
					}
					return err
				})
				r := fileRunWith(t, host.catalogue, c.nodes, map[string]any{})
				r.ID = "R"
				r.Chains = append(chains(t, tool.Chain{call("same", 1)}), r.Chains...)
				p.begin(t, r)
				wantRun(t, p.finish(t, "R"), task.RunSucceeded, "")
			})
		})
	}
}

// waitingModel answers when something has been kept.
type waitingModel struct {
	echo
	kept <-chan struct{}
}

func (m waitingModel) Ask(ctx context.Context, r model.Request) (any, error) {
	<-m.kept
	return m.echo.Ask(ctx, r)
}
