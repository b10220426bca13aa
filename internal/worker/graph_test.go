package worker_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// TestAChainIsCarriedOutInItsOrder: one task after the other, each seeing what the one before
// came to.
func TestAChainIsCarriedOutInItsOrder(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var seen diary
		p := h.process(t, seen.tool("note"), same)
		id := p.begin(t, engine.Request{Title: "Three", Caller: "ada", Chains: chains(t, tool.Chain{
			tool.Message(tool.RoleUser, "hello"), call("note", tool.Previous("")),
			call("same", map[string]any{"list": []any{1, "two"}}), call("note", tool.Previous("list.1")),
			tool.Structured(map[string]any{"n": 7}), call("note", []any{tool.Previous("n"), "x"}), tool.Return(nil),
		})})
		run := p.finish(t, id)

		wantRun(t, run, task.RunSucceeded, "")
		if diff := cmp.Diff([]string{"note hello", "note two", "note [7 x]"}, seen.all()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		p.wantTree(t, id, `
			- message "hello"
			  note done
			    - toolresult "hello"
			  same done
			    - toolresult {"list":[1,"two"]}
			  note done
			    - toolresult "two"
			  structured {"n":7}
			  note done
			    - toolresult [7,"x"]
			  return null`)
		if got := p.result(t, id); got != `[7,"x"]` {
			t.Errorf("the run came to %s", got)
		}
		if run.Title != "Three" || run.Caller != "ada" || run.Tasks != 11 || run.Errors != 0 {
			t.Errorf("the run is %+v", run)
		}
	})
}

// TestChainsRunSideBySide: each of two calls waits until the other has begun.
func TestChainsRunSideBySide(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var both sync.WaitGroup
		both.Add(2)
		meet := native("meet", func(_ *tool.Context, v any) (any, error) {
			both.Done()
			both.Wait()
			return v, nil
		})
		p := h.process(t, meet, same)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("meet", 1), call("same", "a")}, tool.Chain{call("meet", 2)})})
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
		if got := p.result(t, id); got != `["a",2]` {
			t.Errorf("the run came to %s", got)
		}
	})
}

// TestSubtasksAndTheirReducer: what a tool returns runs side by side, and what follows it in
// its chain sees all of it, in order, with null for what failed.
func TestSubtasksAndTheirReducer(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		split := native("split", func(ctx *tool.Context, _ any) (any, error) {
			return ctx.Subtasks(
				tool.Chain{call("same", "first"), tool.Return(nil)},
				tool.Chain{call("same", 1), call("fails", "second"), call("same", "never")},
				tool.Chain{call("same", "third"), call("same", map[string]any{"was": tool.Previous("")})},
			), nil
		})
		p := h.process(t, split, same, fails)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("split", nil), reducer("same", tool.Previous("")), call("same", "after")})})

		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
		p.wantTree(t, id, `
			- split done
			    - same done
			        - toolresult "first"
			      return null
			    - same done
			        - toolresult 1
			      fails failed
			        - error NO
			      same skipped
			    - same done
			        - toolresult "third"
			      same done
			        - toolresult {"was":"third"}
			  same done
			    - toolresult ["first",null,{"was":"third"}]
			  same done
			    - toolresult "after"`)
	})
}

// TestAFailureSkipsTheRestOfItsChain, except for what asked to see it, and stops no other.
func TestAFailureSkipsTheRestOfItsChain(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, same, fails)
		id := p.begin(t, engine.Request{Chains: chains(t,
			tool.Chain{call("fails", "one"), call("same", 1), call("same", 2)},
			tool.Chain{call("same", 3), call("same", 4)},
			tool.Chain{call("fails", "two"), call("same", 5), reducer("same", 6), call("same", 7)},
			tool.Chain{call("fails", "three"), reducer("fails", "four"), call("same", 8)},
		)})
		run := p.finish(t, id)

		wantRun(t, run, task.RunFailed, "NO")
		if run.Failure.Message != "one." || run.Errors != 4 {
			t.Errorf("%d errors, of which %v is shown", run.Errors, run.Failure)
		}
		p.wantTree(t, id, `
			- fails failed
			    - error NO
			  same skipped
			  same skipped
			- same done
			    - toolresult 3
			  same done
			    - toolresult 4
			- fails failed
			    - error NO
			  same skipped
			  same done
			    - toolresult 6
			  same done
			    - toolresult 7
			- fails failed
			    - error NO
			  fails failed
			    - error NO
			  same skipped`)
	})
}

// TestCapabilitiesAsTools: a change is made with the task that tells of it, and one that is
// refused leaves nothing.
func TestCapabilitiesAsTools(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, same)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{
			tool.Call("notes.create", map[string]any{"title": "List", "content": "milk"}),
			tool.Call("notes.update", map[string]any{"id": tool.Previous("id"), "content": "milk and bread"}),
			tool.Call("notes.list", map[string]any{"query": "bread"}),
			call("same", tool.Previous("0.content")),
			tool.Call("tasks.create", map[string]any{"title": "Shop"}),
			tool.Call("tasks.setStatus", map[string]any{"id": "NONE", "status": "done"}),
		})})
		run := p.finish(t, id)
		wantRun(t, run, task.RunFailed, "FORGE_CAPABILITY_FAILED")
		if want := `There is no task with the id "NONE".`; run.Failure.Message != want {
			t.Errorf("says %q; want %q", run.Failure.Message, want)
		}
		if diff := cmp.Diff([]string{"task Shop (todo)", "note List: milk and bread (2)"}, h.records(t)); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	})
}

// TestACapabilityThatTheStoreRefuses says nothing of the store but the id of a line in the log.
func TestACapabilityThatTheStoreRefuses(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		for name, arguments := range map[string]map[string]any{"notes.list": {}, "notes.create": {"title": "x", "content": "y"}} {
			p := h.process(t)
			p.store.set(errFull, nil, nil)
			run := p.run(t, engine.Request{Chains: chains(t, tool.Chain{tool.Call(name, arguments)})})
			wantRun(t, run, task.RunFailed, "FORGE_CAPABILITY_FAILED")
			if logID.FindString(run.Failure.Message) == "" || strings.Contains(run.Failure.Message, "/home/ada") {
				t.Errorf("says %q", run.Failure.Message)
			}
		}
		if got := h.records(t); len(got) != 0 {
			t.Errorf("left: %q", got)
		}
	})
}

// TestAToolThatCannotBeLookedUp: the store fails when the tool of a call is to be read. What
// it says may name folders of this machine.
func TestAToolThatCannotBeLookedUp(t *testing.T) {
	for name, begin := range map[string]tool.Chain{
		"when it is called":   {call("breaks", nil), tool.Call("dynamic:made-up", map[string]any{})},
		"when it is returned": {call("breaks", nil), call("returns", nil)},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				var p *process
				breaks := native("breaks", func(*tool.Context, any) (any, error) {
					p.store.setRegistry(errFull)
					return nil, nil
				})
				returns := native("returns", func(ctx *tool.Context, _ any) (any, error) {
					return ctx.Subtasks(tool.Chain{tool.Call("dynamic:made-up", map[string]any{})}), nil
				})
				p = h.process(t, breaks, returns)
				install(t, p.Engine, checked(t, end))
				run := p.run(t, engine.Request{Chains: chains(t, begin)})
				wantRun(t, run, task.RunFailed, "STORE_UNAVAILABLE")
				for _, canary := range []string{"/home/ada", "secret.db", "disk is full"} {
					if strings.Contains(run.Failure.Message, canary) || strings.Contains(fmt.Sprint(run.Failure.Details), canary) {
						t.Errorf("says %q %v", run.Failure.Message, run.Failure.Details)
					}
				}
			})
		})
	}
}

// TestWhatANativeToolIsTold of the run that it is called in.
func TestWhatANativeToolIsTold(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		look := native("look", func(ctx *tool.Context, _ any) (any, error) {
			caller, err := ctx.Caller()
			if err != nil {
				return nil, err
			}
			lineage, err := ctx.Chain()
			if err != nil {
				return nil, err
			}
			var seen []string
			for _, e := range lineage {
				seen = append(seen, string(e.Type)+" "+string(e.Data))
			}
			if err := ctx.Progress(1, 2, "half"); err != nil {
				return nil, err
			}
			began, _ := ctx.Began()
			return map[string]any{"caller": caller, "tool": ctx.ToolID(), "seen": seen, "began": time.Since(began).String()}, nil
		})
		p := h.process(t, same, look)
		var progress []worker.Progress
		run, err := p.Begin(t.Context(), engine.Request{Caller: "ada", Chains: chains(t,
			tool.Chain{tool.Message(tool.RoleUser, "hi"), call("same", 1), call("look", nil)},
			tool.Chain{call("same", "unseen")},
		)}, func(e worker.Event) {
			if e.Progress != nil {
				progress = append(progress, *e.Progress)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		wantRun(t, p.finish(t, run.ID), task.RunSucceeded, "")
		want := `[{"began":"0s","caller":"ada","seen":["message \"hi\"","tool {\"arguments\":{\"v\":1},\"name\":\"same\"}","toolresult 1","tool {\"arguments\":{},\"name\":\"look\"}"],"tool":"look"},"unseen"]`
		if got := p.result(t, run.ID); got != want {
			t.Errorf("it saw %s\nwant %s", got, want)
		}
		if diff := cmp.Diff([]worker.Progress{{Done: 1, Total: 2, Note: "half"}}, progress); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
	})
}

// TestNoMoreAtOnceThanAllowed.
func TestNoMoreAtOnceThanAllowed(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var mu sync.Mutex
		now, most := 0, 0
		busy := native("busy", func(ctx *tool.Context, v any) (any, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			select {
			case <-time.After(time.Second): // until all stand still
			case <-ctx.Done():
			}
			mu.Lock()
			now--
			mu.Unlock()
			return v, nil
		})
		p := h.processWith(t, worker.Options{Parallel: 3}, busy)
		var list []tool.Chain
		for i := range 8 {
			list = append(list, tool.Chain{call("busy", i)})
		}
		id := p.begin(t, engine.Request{Chains: chains(t, list...)})
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
		if most != 3 {
			t.Errorf("%d calls were carried out at once", most)
		}
		if got := p.result(t, id); got != "[0,1,2,3,4,5,6,7]" {
			t.Errorf("the run came to %s", got)
		}
	})
}

// TestEqualCalls: runs that begin with the same call at the same time, and equal branches,
// do not take each other for themselves.
func TestEqualCalls(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, same)
		request := engine.Request{Chains: chains(t, tool.Chain{call("same", 1)}, tool.Chain{call("same", 1)}, tool.Chain{call("same", 1)})}
		var ids []string
		for range 5 {
			ids = append(ids, p.begin(t, request))
		}
		seen := map[task.ID]bool{}
		for _, id := range ids {
			wantRun(t, p.finish(t, id), task.RunSucceeded, "")
			view := p.view(t, id)
			for seq := range view.Graph.Len() {
				seen[view.Graph.Task(seq).ID] = true
			}
		}
		if len(seen) != 5*6 {
			t.Errorf("%d ids; want 30", len(seen))
		}
	})
}

// TestCommitsThatComeBackInAnotherOrder than that in which they were made: nothing of them is
// lost. A is kept first and heard of last; in between, B begins to wait at the same number at
// which C has its result.
func TestCommitsThatComeBackInAnotherOrder(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		aKept, bKept, cBack, bBack := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
		after := func(name string, wait <-chan struct{}, again bool) *tool.Tool {
			tries := 0
			return native(name, func(ctx *tool.Context, _ any) (any, error) {
				<-wait
				if tries++; again && tries == 1 {
					return nil, tool.Again(time.Now().Add(time.Second))
				}
				return name, nil
			})
		}
		open := make(chan struct{})
		close(open)
		p := h.process(t, after("a", open, false), after("b", aKept, true), after("c", bKept, false))
		p.store.count(func(number int, write func() error) error {
			err := write()
			switch number {
			case 2: // a
				close(aKept)
				<-bBack
			case 3: // b, which waits
				close(bKept)
				<-cBack
				defer close(bBack)
			case 4: // c
				defer close(cBack)
			}
			return err
		})
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("a", nil)}, tool.Chain{call("b", nil)}, tool.Chain{call("c", nil)})})
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
		if got := p.result(t, id); got != `["a","b","c"]` {
			t.Errorf("the run came to %s", got)
		}
	})
}

// TestAnEndOfARunIsToldOnce, after all of its calls.
func TestAnEndOfARunIsToldOnce(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, same, fails)
		var told diary
		run, err := p.Begin(t.Context(), engine.Request{Chains: chains(t, tool.Chain{call("same", 1), call("fails", 2), call("same", 3)})}, func(e worker.Event) {
			if e.Task == nil {
				told.add("run %s", e.Status)
				return
			}
			told.add("%s %s", e.Task.Name, e.State)
		})
		if err != nil {
			t.Fatal(err)
		}
		p.finish(t, run.ID)
		p.Close(t.Context())
		want := []string{"same running", "same done", "fails running", "fails failed", "run failed"}
		if diff := cmp.Diff(want, told.all()); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// TestAForgedToolInAChain is one call of many: its steps stand under it, and its value is what
// it returns.
func TestAForgedToolInAChain(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, same)
		install(t, p.Engine, checked(t, `{"id": "make", "type": "capability", "capability": "tasks.create", "input": {"title": {"$ref": "$.input.title"}}, "target": "$.made", "next": "end"},
			{"id": "end", "type": "return", "value": [{"$ref": "$.made.title"}, {"$ref": "$.runtime.executionId"}]}`))
		id := p.begin(t, engine.Request{ID: "R", Chains: chains(t, tool.Chain{
			tool.Message(tool.RoleUser, "Buy milk"), tool.Call("dynamic:made-up", map[string]any{"title": tool.Previous("")}), call("same", tool.Previous("")),
		})})
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
		if got := p.result(t, id); got != `["Buy milk","R.1"]` {
			t.Errorf("the run came to %s", got)
		}
		view := p.view(t, id)
		if step := view.Graph.Task(3); step.Step != "make" || step.Name != "tasks.create" || step.Depth != 1 || view.Graph.State(3) != task.Done {
			t.Errorf("the step is %+v", step)
		}
		if diff := cmp.Diff([]string{"task Buy milk (todo)"}, h.records(t)); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	})
}
