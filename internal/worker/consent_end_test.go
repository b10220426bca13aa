package worker_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// TestTheEndOfARunClosesItsQuestions, whatever ended it.
func TestTheEndOfARunClosesItsQuestions(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *process, string) error{
		"its time": func(*testing.T, *process, string) error { return nil },
		"a cancel": func(t *testing.T, p *process, id string) error {
			_, err := p.Cancel(t.Context(), id)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				h.askAll(t)
				var ran diary
				p := h.process(t, writer(&ran, "save", tool.R2))
				id := p.begin(t, engine.Request{Limits: task.Limits{Time: time.Minute}, Chains: chains(t, tool.Chain{call("save", 1)})})
				q := p.open(t)[0]
				if err := end(t, p, id); err != nil {
					t.Fatal(err)
				}
				p.settle(t, id)
				if left := p.open(t); len(left) > 0 {
					t.Errorf("open: %+v", left)
				}
				now, err := p.Engine.Question(t.Context(), q.ID)
				if err != nil || now.State != consent.Closed {
					t.Errorf("it is %s, %v", now.State, err)
				}
				if list := p.questions(t); len(list) != 1 || list[0].State != consent.Closed {
					t.Errorf("listed: %+v", list)
				}
				if _, _, err := p.Decide(t.Context(), q.ID, consent.Answer{Allow: true}); tool.Code(err) != consent.CodeClosed || len(ran.all()) > 0 {
					t.Errorf("an answer gives %v, and %q have run", err, ran.all())
				}
			})
		})
	}
}

// TestTheFirstAnswerCounts: of many that come at once, from two processes, one is taken, and
// the call comes to what it says.
func TestTheFirstAnswerCounts(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		h.askAll(t)
		var ran diary
		p, q := h.process(t, writer(&ran, "save", tool.R3)), h.process(t, writer(&ran, "save", tool.R3))
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("save", 1)})})
		asked := p.open(t)[0].ID
		var mu sync.Mutex
		var taken []bool
		var all sync.WaitGroup
		for i := range 20 {
			who, allow := []*process{p, q}[i%2], i%4 < 2
			all.Go(func() {
				_, _, err := who.Decide(context.Background(), asked, consent.Answer{Allow: allow})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					taken = append(taken, allow)
				case tool.Code(err) != consent.CodeAnswered && tool.Code(err) != consent.CodeClosed:
					t.Errorf("an answer gives %v", err)
				}
			})
		}
		all.Wait()
		run := p.settle(t, id)
		if len(taken) != 1 || taken[0] != (len(ran.all()) == 1) || taken[0] != (run.Status == task.RunSucceeded) {
			t.Errorf("taken %v; the run %s, and %q have run", taken, run.Status, ran.all())
		}
	})
}

// TestTheStoreFailsAroundAQuestion: an answer that cannot be kept is none, and a call that
// cannot be decided about does not run.
func TestTheStoreFailsAroundAQuestion(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		h.askAll(t)
		var ran diary
		p, other := h.process(t, writer(&ran, "save", tool.R2)), h.process(t, writer(&ran, "save", tool.R2))
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("save", 1)})})
		asked := p.open(t)[0].ID
		other.store.set(nil, nil, errFull)
		if _, _, err := other.Decide(t.Context(), asked, consent.Answer{Allow: true}); err == nil {
			t.Error("an answer that is not kept counts")
		}
		synctest.Wait()
		if list := p.open(t); len(list) != 1 || len(ran.all()) > 0 {
			t.Fatalf("open: %+v, and %q have run", list, ran.all())
		}
		other.store.set(nil, nil, nil)
		other.decide(t, asked, consent.Answer{Allow: true})
		wantRun(t, p.settle(t, id), task.RunSucceeded, "")
		if got := fmt.Sprint(ran.all()); got != "[save 1]" {
			t.Errorf("run: %s", got)
		}
	})
}

// TestADeathAroundAQuestion: the process dies before or after each commit of a run that asks.
// Whoever takes it up finds one question, and what it is about runs once it is answered.
func TestADeathAroundAQuestion(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{false, true} {
		for at, over := 1, false; !over; at++ {
			synctest.Test(t, func(t *testing.T) { over = dieAsking(t, &house{newDesk(t)}, at, kept) })
			if t.Failed() {
				t.Fatalf("dead at commit %d, kept %v", at, kept)
			}
			if over && at < 4 {
				t.Errorf("there were only %d commits", at-1)
			}
		}
	}
}

// dieAsking tells whether the run waited for its answer before it could die.
func dieAsking(t *testing.T, h *house, at int, kept bool) (over bool) {
	h.askAll(t)
	var ran diary
	p := h.process(t, writer(&ran, "save", tool.R2))
	p.dieAt(at, kept)
	_, err := p.Begin(t.Context(), engine.Request{ID: "R", Chains: chains(t, tool.Chain{call("save", 1), call("save", 2)})}, nil)
	synctest.Wait()
	over = p.store.died() == nil
	p.die(t)
	if err != nil && !kept {
		return false
	}
	last := h.process(t, writer(&ran, "save", tool.R2))
	if _, err := last.Resume(t.Context(), "R", nil); err != nil {
		t.Fatal(errors.Join(err, errDead))
	}
	for call := range 2 {
		list := last.open(t)
		if len(list) != 1 || list[0].Count != 1 || len(ran.all()) != call {
			t.Fatalf("asked %+v, and %q have run", list, ran.all())
		}
		last.decide(t, list[0].ID, consent.Answer{Allow: true})
	}
	wantRun(t, last.settle(t, "R"), task.RunSucceeded, "")
	if got := fmt.Sprint(ran.all()); got != "[save 1 save 2]" || len(last.questions(t)) != 2 {
		t.Errorf("run: %s, %d questions", got, len(last.questions(t)))
	}
	return over
}
