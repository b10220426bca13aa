package worker_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	builtins "toolsmith/internal/runner/native"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// writer is a tool that needs the power to write, and notes that it was called.
func writer(d *diary, name string, risk tool.Risk) *tool.Tool {
	return tool.MustNew(tool.Spec{Name: name, Description: "For a test.", Powers: []tool.Power{tool.Write}, Risk: risk}, func(_ *tool.Context, in in) (any, error) {
		d.add("%s %v", name, in.V)
		return in.V, nil
	})
}

// open lists the questions that can be answered.
func (p *process) open(t testing.TB) []consent.Question {
	t.Helper()
	synctest.Wait()
	list, err := p.Engine.Questions(t.Context(), true, 0)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// decide answers a question that can be answered.
func (p *process) decide(t testing.TB, id string, answer consent.Answer) consent.Question {
	t.Helper()
	q, left, err := p.Decide(t.Context(), id, answer)
	if err != nil || left {
		t.Fatalf("the answer to %s: left %v, %v", id, left, err)
	}
	return q
}

// mapped asks for a run that calls a tool once for each of some items.
func mapped(t testing.TB, name string, items int) engine.Request {
	t.Helper()
	list := make([]any, items)
	for i := range list {
		list[i] = i
	}
	return engine.Request{Chains: chains(t, tool.Chain{tool.Call("map", map[string]any{"tool": name, "items": list, "as": "v"})})}
}

func builtinTools(t testing.TB) []*tool.Tool {
	t.Helper()
	list, err := builtins.Builtin(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestManyCallsAreAskedAboutOnce where they are alike and do not risk much.
func TestManyCallsAreAskedAboutOnce(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		h.askAll(t)
		var ran diary
		p := h.process(t, append(builtinTools(t), writer(&ran, "save", tool.R2))...)
		id := p.begin(t, mapped(t, "save", 40))
		list := p.open(t)
		if len(list) != 1 || list[0].Count != 40 || len(list[0].Samples) != 3 || list[0].By != "map" {
			t.Fatalf("asked %+v", list)
		}
		if run := p.view(t, id).Run; run.Status != task.RunWaiting || len(ran.all()) != 0 {
			t.Errorf("the run is %s, and %q have run", run.Status, ran.all())
		}
		p.decide(t, list[0].ID, consent.Answer{Allow: true, Count: 40})
		wantRun(t, p.settle(t, id), task.RunSucceeded, "")
		if n := len(ran.all()); n != 40 {
			t.Errorf("%d have run", n)
		}
		for seq, e := range p.view(t, id).Executions {
			if seq > 0 && e.Granted != "answer "+list[0].ID {
				t.Errorf("call %d was granted by %q", seq, e.Granted)
			}
		}
	})
}

// TestRiskyCallsAreAskedAboutOneByOne: a yes is for one of them, and the others wait. One that
// counts for more leaves no question open behind it.
func TestRiskyCallsAreAskedAboutOneByOne(t *testing.T) {
	for scope, want := range map[consent.Scope]int{consent.Once: 1, consent.InRun: 5, consent.Always: 5} {
		t.Run(string(scope), func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				h.askAll(t)
				var ran diary
				p := h.process(t, append(builtinTools(t), writer(&ran, "save", tool.R3))...)
				id := p.begin(t, mapped(t, "save", 5))
				list := p.open(t)
				if len(list) != 5 || list[0].Count != 1 {
					t.Fatalf("asked %+v", list)
				}
				p.decide(t, list[2].ID, consent.Answer{Allow: true, For: scope})
				rest := p.open(t)
				if n := len(ran.all()); n != want || len(rest) != 5-want {
					t.Errorf("%d have run and %d questions are open", n, len(rest))
				}
				for _, q := range rest {
					p.decide(t, q.ID, consent.Answer{Allow: true})
				}
				wantRun(t, p.settle(t, id), task.RunSucceeded, "")
				for _, q := range p.questions(t) {
					if q.State == consent.Open {
						t.Errorf("%s is open", q.ID)
					}
				}
			})
		})
	}
}

// TestAlwaysReachesOtherRuns that wait for an answer about the same tool.
func TestAlwaysReachesOtherRuns(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		h.askAll(t)
		var ran diary
		p, q := h.process(t, writer(&ran, "save", tool.R2)), h.process(t, writer(&ran, "save", tool.R2))
		one := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("save", 1)})})
		other := q.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("save", 2)})})
		list := p.open(t)
		if len(list) != 2 {
			t.Fatalf("asked %+v", list)
		}
		mine := slices.IndexFunc(list, func(q consent.Question) bool { return q.Run == one })
		p.decide(t, list[mine].ID, consent.Answer{Allow: true, For: consent.Always})
		wantRun(t, p.finish(t, one), task.RunSucceeded, "")
		wantRun(t, q.finish(t, other), task.RunSucceeded, "")
		if left := p.open(t); len(left) != 0 {
			t.Errorf("open: %+v", left)
		}
		if got := q.view(t, other).Executions[0].Granted; !strings.HasPrefix(got, "grant ") {
			t.Errorf("granted by %q", got)
		}
	})
}

// TestAnAnswerAtOnceLeavesNothingBehind: what would have ended the wait does not end the run
// when its time comes.
func TestAnAnswerAtOnceLeavesNothingBehind(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		h.askAll(t)
		var ran diary
		later := native("later", func(ctx *tool.Context, v any) (any, error) {
			began, _ := ctx.Began()
			if until := began.Add(30 * time.Minute); time.Now().Before(until) {
				return nil, tool.Again(until)
			}
			return v, nil
		})
		p := h.process(t, writer(&ran, "save", tool.R2), later)
		run, err := p.Begin(t.Context(), engine.Request{Chains: chains(t, tool.Chain{call("save", 1), call("later", 2)})}, func(e worker.Event) {
			if e.Question != nil { // before the worker goes on
				p.decide(t, e.Question.ID, consent.Answer{Allow: true})
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		wantRun(t, p.settle(t, run.ID), task.RunSucceeded, "")
	})
}

// TestANoIsSeen by who looks at failures: with its reason, or that nobody answered in time.
func TestANoIsSeen(t *testing.T) {
	for code, answer := range map[string]*consent.Answer{consent.CodeDenied: {Reason: "use the test account"}, consent.CodeTimeout: nil} {
		for _, seenBy := range []string{"reducer", "entry"} {
			t.Run(code+" by "+seenBy, func(t *testing.T) {
				inHouse(t, func(t *testing.T, h *house) {
					h.askAll(t)
					var ran diary
					var seen diary
					look := native("look", func(ctx *tool.Context, _ any) (any, error) {
						entries, err := ctx.Chain()
						for _, one := range entries {
							if one.Type == tool.TypeError {
								seen.add("%s", one.Data)
							}
						}
						return ctx.Subtasks(tool.Chain{tool.Return(nil)}), err
					})
					p := h.process(t, writer(&ran, "save", tool.R2), look)
					r := engine.Request{Chains: chains(t, tool.Chain{call("save", 1), reducer("look", nil)})}
					if seenBy == "entry" {
						r = engine.Request{Entry: "look", Chains: chains(t, tool.Chain{call("save", 1)})}
					}
					began := time.Now()
					run, err := p.Begin(t.Context(), r, p.answering(t, answer))
					if err != nil {
						t.Fatal(err)
					}
					wantRun(t, p.settle(t, run.ID), task.RunSucceeded, "")
					got := strings.Join(seen.all(), "\n")
					if !strings.Contains(got, code) || answer != nil && !strings.Contains(got, "ada said no") || answer != nil && !strings.Contains(got, answer.Reason) {
						t.Errorf("it sees %q", got)
					}
					if took := time.Since(began); answer == nil && took != consent.DefaultWait || len(ran.all()) > 0 {
						t.Errorf("after %s, and %q have run", took, ran.all())
					}
				})
			})
		}
	}
}

// TestChangedArgumentsCanBeToldApart: what was proposed, what was allowed, and what was carried
// out is kept, also of a call that comes back later.
func TestChangedArgumentsCanBeToldApart(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		h.askAll(t)
		var ran diary
		twice := tool.MustNew(tool.Spec{Name: "save", Description: "For a test.", Powers: []tool.Power{tool.Write}}, func(ctx *tool.Context, in in) (any, error) {
			ran.add("%v", in.V)
			if began, _ := ctx.Began(); time.Since(began) < time.Second {
				return nil, tool.Again(began.Add(time.Second))
			}
			return in.V, nil
		})
		p := h.process(t, twice)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("save", "a")})})
		list := p.open(t)
		if _, _, err := p.Decide(t.Context(), list[0].ID, consent.Answer{Allow: true, Edited: true, Arguments: map[string]any{"w": "b"}}); tool.Code(err) != task.CodeArgumentsInvalid {
			t.Errorf("arguments that do not fit give %v", err)
		}
		p.decide(t, list[0].ID, consent.Answer{Allow: true, Edited: true, Arguments: map[string]any{"v": "b"}})
		wantRun(t, p.settle(t, id), task.RunSucceeded, "")

		view := p.view(t, id)
		proposed, err := view.Content(view.Graph.Task(0).Content)
		if err != nil {
			t.Fatal(err)
		}
		executed, err := view.Content(view.Executions[0].Arguments)
		if err != nil {
			t.Fatal(err)
		}
		q, err := p.Engine.Question(t.Context(), list[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{value.JSON(proposed), value.JSON(q.Samples[0]), value.JSON(q.Answer.Arguments), value.JSON(executed), fmt.Sprint(ran.all())}
		want := []string{`{"arguments":{"v":"a"},"name":"save"}`, `{"v":"a"}`, `{"v":"b"}`, `{"v":"b"}`, `[b b]`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("proposed, asked, allowed, executed (-want +got):\n%s", diff)
		}
	})
}

// TestAnAnswerInAnotherProcess has the run go on at once, wherever it is carried out; where
// nobody does, it goes on when it is taken up.
func TestAnAnswerInAnotherProcess(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		h.askAll(t)
		var ran diary
		p, q := h.process(t, writer(&ran, "save", tool.R2)), h.process(t, writer(&ran, "save", tool.R2))
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("save", 1), call("save", 2)})})
		began := time.Now()
		q.decide(t, p.open(t)[0].ID, consent.Answer{Allow: true})
		second := p.open(t)
		if took := time.Since(began); len(ran.all()) != 1 || len(second) != 1 || took != 0 {
			t.Fatalf("after %s %q have run; open: %+v", took, ran.all(), second)
		}
		p.die(t)
		_, left, err := q.Decide(t.Context(), second[0].ID, consent.Answer{Allow: true})
		if err != nil || !left || len(ran.all()) != 1 {
			t.Fatalf("left %v, %v, %q have run", left, err, ran.all())
		}
		if _, _, err := q.Decide(t.Context(), second[0].ID, consent.Answer{}); tool.Code(err) != consent.CodeAnswered {
			t.Errorf("a second answer gives %v", err)
		}
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		if len(ran.all()) != 2 {
			t.Errorf("%q have run", ran.all())
		}
	})
}

// TestAnAnswerThroughTheFiles: two workers on the files of one folder.
func TestAnAnswerThroughTheFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var ran diary
	var workers []*process
	for range 2 {
		s, err := sqlite.Open(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		h := &house{&desk{store: &flaky{Store: s}, clock: &clock{now: dawn, ids: 1000 * len(workers)}, log: &logbook{}}}
		p := h.process(t, writer(&ran, "save", tool.R2))
		t.Cleanup(func() {
			_ = p.Close(context.Background())
			_ = s.Close()
		})
		workers = append(workers, p)
	}
	asked := make(chan string, 2)
	observe := func(e worker.Event) {
		if e.Question != nil {
			asked <- e.Question.ID
		}
	}
	begin := func() string {
		run, err := workers[0].Begin(t.Context(), engine.Request{Chains: chains(t, tool.Chain{call("save", 1)})}, observe)
		if err != nil {
			t.Fatal(err)
		}
		return run.ID
	}
	id := begin()
	workers[1].decide(t, <-asked, consent.Answer{Allow: true})
	wantRun(t, workers[0].settle(t, id), task.RunSucceeded, "")

	// A stop in one ends the run of the other.
	id = begin()
	<-asked
	if told, already, err := workers[1].Stop(t.Context()); told != 1 || already || err != nil {
		t.Fatalf("told %d, already %v, %v", told, already, err)
	}
	wantRun(t, workers[0].settle(t, id), task.RunCancelled, engine.CodeStopped)
	if len(ran.all()) != 1 {
		t.Errorf("%q have run", ran.all())
	}
}
