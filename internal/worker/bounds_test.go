package worker_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// TestBoundsThatKeepARunFromBeginning.
func TestBoundsThatKeepARunFromBeginning(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, same)
		two := chains(t, tool.Chain{call("same", 1), call("same", strings.Repeat("x", 100))})
		for name, c := range map[string]struct {
			limits task.Limits
			code   string
		}{
			"tasks":        {task.Limits{Tasks: 1}, task.CodeRunTasks},
			"result tasks": {task.Limits{ResultTasks: 1}, task.CodeResultTasks},
			"arguments":    {task.Limits{Arguments: 100}, task.CodeArgumentsLarge},
		} {
			if _, err := p.Begin(t.Context(), engine.Request{Chains: two, Limits: c.limits}, nil); tool.Code(err) != c.code {
				t.Errorf("%s: the error is %v", name, err)
			}
		}
		if runs, err := p.Engine.Runs(t.Context(), task.Filter{}); err != nil || len(runs) != 0 {
			t.Errorf("kept %v, %v", runs, err)
		}
		run := p.run(t, engine.Request{Chains: two, Limits: task.Limits{Tasks: 4, ResultTasks: 2, Arguments: 110, Depth: 1}})
		wantRun(t, run, task.RunSucceeded, "")
	})
}

// TestBoundsOfResults: the call fails with the code of the bound, nothing of its result is
// added, and what asked to see failures goes on.
func TestBoundsOfResults(t *testing.T) {
	many := native("many", func(ctx *tool.Context, _ any) (any, error) {
		return ctx.Subtasks(tool.Chain{call("same", 1), call("same", 2)}, tool.Chain{call("same", 3)}), nil
	})
	long := native("long", func(*tool.Context, any) (any, error) { return strings.Repeat("x", 99), nil })
	for name, c := range map[string]struct {
		chain  tool.Chain
		limits task.Limits
		code   string // "" where it is just within the bound
	}{
		"tasks of the run, met":         {tool.Chain{call("many", nil)}, task.Limits{Tasks: 7}, ""},
		"tasks of the run":              {tool.Chain{call("many", nil)}, task.Limits{Tasks: 3}, task.CodeRunTasks},
		"tasks of a result, met":        {tool.Chain{call("many", nil)}, task.Limits{ResultTasks: 3}, ""},
		"tasks of a result":             {tool.Chain{call("many", nil)}, task.Limits{ResultTasks: 2}, task.CodeResultTasks},
		"the size of a result, met":     {tool.Chain{call("long", nil)}, task.Limits{Result: 101}, ""},
		"the size of a result":          {tool.Chain{call("long", nil)}, task.Limits{Result: 100}, task.CodeResultLarge},
		"the arguments, met":            {tool.Chain{tool.Structured(strings.Repeat("x", 92)), call("same", tool.Previous(""))}, task.Limits{Arguments: 100}, ""},
		"the arguments":                 {tool.Chain{tool.Structured(strings.Repeat("x", 93)), call("same", tool.Previous(""))}, task.Limits{Arguments: 100}, task.CodeArgumentsLarge},
		"what a change gives back, met": {tool.Chain{tool.Call("notes.create", map[string]any{"title": "x", "content": "y"})}, task.Limits{Result: 1000}, ""},
		"what a change gives back":      {tool.Chain{tool.Call("notes.create", map[string]any{"title": "x", "content": "y"})}, task.Limits{Result: 10}, task.CodeResultLarge},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				var seen diary
				p := h.process(t, many, long, same, seen.tool("reduce"))
				id := p.begin(t, engine.Request{Limits: c.limits, Chains: chains(t, c.chain)})
				run := p.finish(t, id)
				if c.code == "" {
					wantRun(t, run, task.RunSucceeded, "")
					return
				}
				wantRun(t, run, task.RunFailed, c.code)
				if got := p.tree(t, id); strings.Count(got, "\n") != len(c.chain)+1 || !strings.HasSuffix(got, "error "+c.code+"\n") {
					t.Errorf("tasks:\n%s", got)
				}
				if got := h.records(t); len(got) != 0 {
					t.Errorf("left: %q", got)
				}
				id = p.begin(t, engine.Request{Limits: c.limits, Chains: chains(t, append(append(tool.Chain{}, c.chain...), reducer("reduce", 1)))})
				wantRun(t, p.finish(t, id), task.RunSucceeded, "")
				if len(seen.all()) != 1 {
					t.Errorf("the reducer ran %d times", len(seen.all()))
				}
			})
		})
	}
}

// TestResultsAndStepsCountAsTasks: a run that has more of them than it may begins nothing any
// more, and its flow takes back what it did.
func TestResultsAndStepsCountAsTasks(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.processWith(t, worker.Options{Parallel: 1}, same)
		id := p.begin(t, engine.Request{Limits: task.Limits{Tasks: 4}, Chains: chains(t, tool.Chain{call("same", 1), call("same", 2), call("same", 3)})})
		run := p.finish(t, id)
		wantRun(t, run, task.RunFailed, task.CodeRunTasks)
		p.wantTree(t, id, `
			- same done
			    - toolresult 1
			  same done
			    - toolresult 2
			  same cancelled (RUN_TASKS_EXCEEDED)
			    - error RUN_TASKS_EXCEEDED`)
		request := fileRun(t, everything, map[string]any{})
		request.Limits.Tasks = 6
		before := h.records(t)
		run = p.finish(t, p.begin(t, request))
		wantRun(t, run, task.RunFailed, task.CodeRunTasks)
		if diff := cmp.Diff(before, h.records(t)); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	})
}

// TestTheDepthOfARun: a tool that calls itself for ever.
func TestTheDepthOfARun(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		deeper := native("deeper", func(ctx *tool.Context, _ any) (any, error) { return ctx.Subtasks(tool.Chain{call("deeper", nil)}), nil })
		p := h.process(t, deeper)
		id := p.begin(t, engine.Request{Limits: task.Limits{Depth: 2}, Chains: chains(t, tool.Chain{call("deeper", nil)})})
		wantRun(t, p.finish(t, id), task.RunFailed, task.CodeRunDepth)
		p.wantTree(t, id, `
			- deeper done
			    - deeper done
			        - deeper failed
			            - error RUN_DEPTH_EXCEEDED`)
	})
}

// TestTooManyErrors stop the run with what has not begun.
func TestTooManyErrors(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.processWith(t, worker.Options{Parallel: 1}, fails)
		var list []tool.Chain
		for i := range 6 {
			list = append(list, tool.Chain{call("fails", i)})
		}
		id := p.begin(t, engine.Request{Limits: task.Limits{Errors: 3}, Chains: chains(t, list...)})
		run := p.finish(t, id)
		wantRun(t, run, task.RunFailed, task.CodeRunErrors)
		if run.Errors != 3 {
			t.Errorf("%d errors are counted", run.Errors)
		}
		p.wantTree(t, id, `
			- fails failed
			    - error NO
			- fails failed
			    - error NO
			- fails failed
			    - error NO
			- fails cancelled (RUN_ERRORS_EXCEEDED)
			    - error RUN_ERRORS_EXCEEDED
			- fails cancelled (RUN_ERRORS_EXCEEDED)
			- fails cancelled (RUN_ERRORS_EXCEEDED)`)
	})
}

// TestTheLastErrorStopsBeforeAnythingElseBegins: the bound does not depend on how fast the
// next call is.
func TestTheLastErrorStopsBeforeAnythingElseBegins(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		entry := native("entry", func(ctx *tool.Context, _ any) (any, error) { return ctx.Subtasks(tool.Chain{tool.Return(nil)}), nil })
		p := h.process(t, fails, entry)
		run, err := p.Begin(t.Context(), engine.Request{
			Entry: "entry", Limits: task.Limits{Errors: 1}, Chains: chains(t, tool.Chain{call("fails", 1)}),
		}, func(e worker.Event) {
			if e.State == task.Failed {
				<-time.After(time.Second) // whatever has begun has ended by then
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		wantRun(t, p.finish(t, run.ID), task.RunFailed, task.CodeRunErrors)
	})
}

// TestTheTimeOfARun ends it, whatever it is doing.
func TestTheTimeOfARun(t *testing.T) {
	for name, one := range map[string]tool.Chain{
		"while a call runs":  {call("gate", 1), call("same", 2)},
		"while a call waits": {call("later", 1), call("same", 2)},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				later := native("later", func(*tool.Context, any) (any, error) { return nil, tool.Again(time.Now().Add(20 * time.Second)) })
				p := h.process(t, newGate("gate").Tool, later, same)
				began := time.Now()
				id := p.begin(t, engine.Request{Limits: task.Limits{Time: 10 * time.Second}, Chains: chains(t, one)})
				run := p.finish(t, id)
				wantRun(t, run, task.RunFailed, task.CodeRunTime)
				if took := time.Since(began); took != 10*time.Second {
					t.Errorf("it took %s", took)
				}
				if got := p.tree(t, id); strings.Count(got, "error RUN_TIME_EXCEEDED") == 0 || strings.Count(got, "cancelled (RUN_TIME_EXCEEDED)") != 2 {
					t.Errorf("tasks:\n%s", got)
				}
			})
		})
	}
}

// TestTheTimeOfARunThatWasLeft counts from its beginning, also where it is over when the run
// is taken up.
func TestTheTimeOfARunThatWasLeft(t *testing.T) {
	for name, left := range map[string]time.Duration{"still some": 4 * time.Second, "over": time.Minute} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				first := newGate("gate")
				p := h.process(t, first.Tool, same)
				id := p.begin(t, engine.Request{Limits: task.Limits{Time: 10 * time.Second}, Chains: chains(t, tool.Chain{call("gate", 1), call("same", 2)})})
				<-first.begun
				p.die(t)
				began := time.Now()
				<-time.After(left)
				q := h.process(t, newGate("gate").Tool, same)
				if _, err := q.Resume(t.Context(), id, nil); err != nil {
					t.Fatal(err)
				}
				wantRun(t, q.finish(t, id), task.RunFailed, task.CodeRunTime)
				if took := time.Since(began); took != max(left, 10*time.Second) {
					t.Errorf("it ended after %s", took)
				}
				if _, err := q.Resume(t.Context(), id, nil); tool.Code(err) != engine.CodeRunSettled {
					t.Errorf("taking it up again gives %v", err)
				}
			})
		})
	}
}

// TestTheTimeOfACall is the failure of that call alone.
func TestTheTimeOfACall(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, newGate("gate").Tool, same)
		began := time.Now()
		id := p.begin(t, engine.Request{Limits: task.Limits{CallTime: 5 * time.Second}, Chains: chains(t, tool.Chain{call("gate", 1), reducer("same", 2)})})
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("it took %s", took)
		}
		p.wantTree(t, id, `
			- gate failed
			    - error CALL_TIME_EXCEEDED
			  same done
			    - toolresult 2`)
	})
}

// TestTheTimeOfAFlow ends it as a failure: what it did is taken back, and listed.
func TestTheTimeOfAFlow(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		host := newOutside(true)
		host.during = func(ctx context.Context, _ capability.Call) error {
			<-ctx.Done()
			return ctx.Err()
		}
		p := h.processWith(t, worker.Options{Capabilities: host})
		r := fileRunWith(t, host.catalogue, makes+sends, map[string]any{})
		r.Limits.CallTime = 5 * time.Second
		id := p.begin(t, r)
		run := p.finish(t, id)
		wantRun(t, run, task.RunFailed, task.CodeCallTime)
		wantListed(t, run.Failure, "Buy milk")
		if got := h.records(t); len(got) != 0 {
			t.Errorf("left: %q", got)
		}
	})
}

// TestNoProgress: the same call that fails in the same way three times in a row is not made
// a fourth time.
func TestNoProgress(t *testing.T) {
	for name, c := range map[string]struct {
		chain  tool.Chain
		status task.RunStatus
		code   string
		calls  []string
	}{
		"three equal":            {tool.Chain{call("no", 1), reducer("no", 1), reducer("no", 1), reducer("no", 1), reducer("yes", 2)}, task.RunFailed, task.CodeRunNoProgress, []string{"no 1", "no 1", "no 1"}},
		"two equal":              {tool.Chain{call("no", 1), reducer("no", 1), reducer("yes", 2)}, task.RunSucceeded, "", []string{"no 1", "no 1", "yes 2"}},
		"other arguments":        {tool.Chain{call("no", 1), reducer("no", 1), reducer("no", 2), reducer("no", 1), reducer("yes", 2)}, task.RunSucceeded, "", []string{"no 1", "no 1", "no 2", "no 1", "yes 2"}},
		"a success between them": {tool.Chain{call("no", 1), reducer("no", 1), reducer("yes", 2), call("no", 1), reducer("yes", 3)}, task.RunSucceeded, "", []string{"no 1", "no 1", "yes 2", "no 1", "yes 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				var seen diary
				no := native("no", func(_ *tool.Context, v any) (any, error) {
					seen.add("no %v", v)
					return nil, tool.Errorf("NO", "No.")
				})
				p := h.process(t, no, seen.tool("yes"))
				id := p.begin(t, engine.Request{Chains: chains(t, c.chain)})
				wantRun(t, p.finish(t, id), c.status, c.code)
				if diff := cmp.Diff(c.calls, seen.all()); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestAnEntryNodeThatNeverGivesUp makes no progress.
func TestAnEntryNodeThatNeverGivesUp(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		entry := native("entry", func(ctx *tool.Context, _ any) (any, error) { return ctx.Subtasks(tool.Chain{call("fails", 1)}), nil })
		p := h.process(t, fails, entry)
		id := p.begin(t, engine.Request{Entry: "entry", Chains: chains(t, tool.Chain{call("fails", 1)})})
		wantRun(t, p.finish(t, id), task.RunFailed, task.CodeRunNoProgress)
		if got := strings.Count(p.tree(t, id), "fails failed"); got != 3 {
			t.Errorf("it failed %d times", got)
		}
	})
}
