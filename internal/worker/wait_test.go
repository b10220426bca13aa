package worker_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// TestWhyAWaitEnds.
func TestWhyAWaitEnds(t *testing.T) {
	stuck := tool.Chain{call("gate", 1)}
	for name, c := range map[string]struct {
		chain  []tool.Chain
		o      worker.WaitOptions
		cancel bool
		reason worker.Reason
		match  tool.ContentType
		status task.RunStatus
	}{
		"the end":               {[]tool.Chain{{call("same", 1)}}, worker.WaitOptions{}, false, worker.ReasonSettled, "", task.RunSucceeded},
		"a failed end":          {[]tool.Chain{{call("fails", 1)}}, worker.WaitOptions{}, false, worker.ReasonSettled, "", task.RunFailed},
		"a type":                {[]tool.Chain{{call("same", 1)}, stuck}, worker.WaitOptions{Until: worker.UntilType(tool.TypeReturn, tool.TypeToolResult)}, false, worker.ReasonMatched, tool.TypeToolResult, task.RunRunning},
		"one of the chains":     {[]tool.Chain{{tool.Message(tool.RoleUser, "hi")}, stuck}, worker.WaitOptions{Until: worker.UntilType(tool.TypeMessage)}, false, worker.ReasonMatched, tool.TypeMessage, task.RunRunning},
		"an error":              {[]tool.Chain{{call("fails", 1)}, stuck}, worker.WaitOptions{ErrorEnds: true, Until: worker.UntilType(tool.TypeReturn)}, false, worker.ReasonError, tool.TypeError, task.RunRunning},
		"an error that may be":  {[]tool.Chain{{call("fails", 1), reducer("same", 1)}}, worker.WaitOptions{}, false, worker.ReasonSettled, "", task.RunSucceeded},
		"no match":              {[]tool.Chain{{call("same", 1)}}, worker.WaitOptions{Until: worker.UntilType(tool.TypeReturn)}, false, worker.ReasonSettled, "", task.RunSucceeded},
		"the time":              {[]tool.Chain{stuck}, worker.WaitOptions{Timeout: 5 * time.Second}, false, worker.ReasonTimeout, "", task.RunRunning},
		"a cancel":              {[]tool.Chain{stuck}, worker.WaitOptions{Timeout: patience}, true, worker.ReasonAborted, "", task.RunCancelled},
		"a cancel, as an error": {[]tool.Chain{stuck}, worker.WaitOptions{Timeout: patience, ErrorEnds: true}, true, worker.ReasonError, tool.TypeError, task.RunRunning},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				p := h.process(t, same, fails, newGate("gate").Tool)
				id := p.begin(t, engine.Request{Chains: chains(t, c.chain...)})
				if c.cancel {
					time.AfterFunc(time.Second, func() { p.stop(t, id) })
				}
				began := time.Now()
				got, err := p.Wait(t.Context(), id, c.o)
				if err != nil || got.Reason != c.reason || got.Run.ID != id {
					t.Errorf("it ends for %q: %v", got.Reason, err)
				}
				if c.reason == worker.ReasonTimeout && time.Since(began) != c.o.Timeout {
					t.Errorf("it took %s", time.Since(began))
				}
				if got.Run.Status != c.status && !(c.reason == worker.ReasonError && c.cancel) {
					t.Errorf("the run is %s; want %s", got.Run.Status, c.status)
				}
				switch {
				case (got.Match == nil) != (c.match == ""):
					t.Errorf("the match is %+v", got.Match)
				case got.Match != nil && (got.Match.Task.Type != c.match || got.Match.Task.Seq != len(got.Tasks)-1):
					t.Errorf("of %d tasks matches %+v", len(got.Tasks), got.Match)
				}
				for seq, e := range got.Tasks {
					if e.Task.Seq != seq {
						t.Errorf("the task %d has the number %d", seq, e.Task.Seq)
					}
				}
			})
		})
	}
}

// TestAWaitMayStopTheRest of the run.
func TestAWaitMayStopTheRest(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, same, newGate("gate").Tool)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("same", 1)}, tool.Chain{call("gate", 1)})})
		got, err := p.Wait(t.Context(), id, worker.WaitOptions{Until: worker.UntilType(tool.TypeToolResult), StopRest: true})
		if err != nil || got.Reason != worker.ReasonMatched {
			t.Errorf("it ends for %q: %v", got.Reason, err)
		}
		wantRun(t, p.finish(t, id), task.RunCancelled, task.CodeAborted)
	})
}

// TestAWaitThatNobodyWaitsFor leaves the run alone.
func TestAWaitThatNobodyWaitsFor(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		p := h.process(t, g.Tool)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("gate", 1)})})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := p.Wait(ctx, id, worker.WaitOptions{Timeout: patience}); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		close(g.open)
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
	})
}

// TestAWaitForWhatIsOver, or is nowhere, or elsewhere.
func TestAWaitForWhatIsOver(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		p, q := h.process(t, same, g.Tool), h.process(t)
		over := p.run(t, engine.Request{Chains: chains(t, tool.Chain{call("same", 1)})}).ID
		busy := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{tool.Message(tool.RoleUser, "hi"), call("gate", 1)})})
		<-g.begun
		for _, by := range []*process{p, q} {
			got, err := by.Wait(t.Context(), over, worker.WaitOptions{})
			if err != nil || got.Reason != worker.ReasonSettled || len(got.Tasks) != 2 || got.Run.Status != task.RunSucceeded {
				t.Errorf("%+v, %v", got, err)
			}
			got, err = by.Wait(t.Context(), over, worker.WaitOptions{Until: worker.UntilType(tool.TypeToolResult)})
			if err != nil || got.Reason != worker.ReasonMatched || got.Match == nil {
				t.Errorf("%+v, %v", got, err)
			}
			got, err = by.Wait(t.Context(), busy, worker.WaitOptions{Until: worker.UntilType(tool.TypeMessage)})
			if err != nil || got.Reason != worker.ReasonMatched {
				t.Errorf("%+v, %v", got, err)
			}
		}
		if _, err := q.Wait(t.Context(), busy, worker.WaitOptions{}); tool.Code(err) != worker.CodeRunBusy {
			t.Errorf("elsewhere: %v", err)
		}
		if _, err := q.Wait(t.Context(), "NONE", worker.WaitOptions{}); tool.Code(err) != engine.CodeRunNotFound {
			t.Errorf("nowhere: %v", err)
		}
		close(g.open)
		p.finish(t, busy)
	})
}

// TestAWaitEndsWithItsWorker: a run that is left is not waited for any more.
func TestAWaitEndsWithItsWorker(t *testing.T) {
	for name, one := range map[string]tool.Task{"while a call runs": call("gate", 1), "while a call waits": call("later", 1)} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				later := native("later", func(*tool.Context, any) (any, error) { return nil, tool.Again(time.Now().Add(10 * time.Minute)) })
				p := h.process(t, newGate("gate").Tool, later)
				id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{one})})
				time.AfterFunc(time.Second, func() {
					ctx, cancel := context.WithTimeout(context.Background(), time.Second)
					defer cancel()
					if err := p.Close(ctx); err != nil {
						t.Error(err)
					}
				})
				got, err := p.Wait(t.Context(), id, worker.WaitOptions{Timeout: patience})
				if err == nil {
					t.Errorf("it ends for %q", got.Reason)
				}
			})
		})
	}
}

// TestClosing lets what is under way end in its time, and begins nothing more.
func TestClosing(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		var seen diary
		p := h.process(t, g.Tool, seen.tool("note"))
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("gate", 1), call("note", 2)})})
		<-g.begun
		time.AfterFunc(time.Second, func() { close(g.open) })
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for range 2 {
			if err := p.Close(ctx); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %s to close", took)
		}
		if _, err := p.Begin(t.Context(), engine.Request{Chains: chains(t, tool.Chain{call("note", 3)})}, nil); err == nil {
			t.Error("a closed worker begins a run")
		}
		q := h.process(t, g.Tool, seen.tool("note"))
		q.wantTree(t, id, `
			- gate done
			    - toolresult 1
			  note queued`)
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		if got := seen.all(); len(got) != 1 {
			t.Errorf("called: %q", got)
		}
	})
}

// TestAnIdleWorkerCloses at once: one that was never started, one whose runs are over, and
// one whose run waits.
func TestAnIdleWorkerCloses(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		later := native("later", func(*tool.Context, any) (any, error) { return nil, tool.Again(time.Now().Add(10 * time.Minute)) })
		unused, used, waits := h.process(t), h.process(t, same), h.process(t, later)
		used.run(t, engine.Request{Chains: chains(t, tool.Chain{call("same", 1)})})
		waits.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("later", 1)})})
		<-time.After(time.Second)
		began := time.Now()
		for _, p := range []*process{unused, used, waits} {
			if err := p.Close(t.Context()); err != nil {
				t.Error(err)
			}
			if err := p.Start(t.Context()); err == nil {
				t.Error("a closed worker starts")
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %s", took)
		}
	})
}

// TestALongCallIsShown while it runs, and not any more when it is over, however the two
// writes fall.
func TestALongCallIsShown(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		p := h.process(t, g.Tool)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("gate", 1)})})
		<-g.begun
		if got := p.view(t, id).Graph; got.State(0) != task.Queued {
			t.Errorf("at first it is %s", got.State(0))
		}
		<-time.After(time.Second)
		e := p.view(t, id).Executions[0]
		if e.State != task.Running || e.StartedAt == nil || e.Attempts != 1 {
			t.Errorf("then it is %+v", e)
		}
		close(g.open)
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
	})
}

// TestALateShowOfACall comes when the call is over and kept: it changes nothing.
func TestALateShowOfACall(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		p := h.process(t, g.Tool)
		shown, kept := make(chan struct{}), make(chan struct{})
		p.store.count(func(number int, write func() error) error {
			switch number {
			case 2: // that the call is running
				close(g.open)
				<-kept
				defer close(shown)
			case 3: // its result
				err := write()
				close(kept)
				<-shown
				return err
			}
			return write()
		})
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("gate", 1)})})
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
	})
}

// TestAToolThatDoesNotEnd, although it was told to, keeps nobody from closing. What it comes to
// later is not kept, and another process takes the run up.
func TestAToolThatDoesNotEnd(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		release := make(chan struct{})
		deaf := native("deaf", func(*tool.Context, any) (any, error) {
			<-release
			return "late", nil
		})
		p := h.process(t, deaf)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("deaf", nil)})})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Close(ctx); err == nil || !strings.Contains(err.Error(), "1 calls go on") {
			t.Errorf("closing gives %v", err)
		}
		close(release)
		synctest.Wait()
		q := h.process(t, native("deaf", func(*tool.Context, any) (any, error) { return "in time", nil }))
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		q.wantTree(t, id, `
			- deaf done
			    - toolresult "in time"`)
	})
}
