package worker_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/model"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// busyFlow changes all kinds of local data, in a loop too, and counts its runs in its state.
const busyFlow = `
	{"id": "make", "type": "capability", "capability": "tasks.create", "input": {"title": "Buy milk"}, "target": "$.made",
	 "compensation": {"capability": "tasks.delete", "input": {"id": {"$ref": "$.made.id"}}}, "next": "list"},
	{"id": "list", "type": "capability", "capability": "tasks.list", "input": {}, "target": "$.found", "next": "each"},
	{"id": "each", "type": "foreach", "source": ["a", "b"], "itemVar": "$.item", "indexVar": "$.i", "maxItems": 9, "body": [
		{"type": "capability", "capability": "notes.create", "input": {"title": {"$ref": "$.item"}, "content": "x"}, "target": "$.note",
		 "compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.note.id"}}}}], "next": "done"},
	{"id": "done", "type": "capability", "capability": "tasks.setStatus", "input": {"id": {"$ref": "$.made.id"}, "status": "done"}, "next": "count"},
	{"id": "count", "type": "set", "target": "$.state.runs", "value": [{"$ref": "$.state.runs"}, "run"], "next": "end"},
	{"id": "end", "type": "return", "value": {"$ref": "$.found.length"}}`

const busyState = `"state": {"schemaVersion": 1, "maxBytes": 1000, "fields": {"runs": {"type": "array"}}}`

// TestACrashAtAnyCommit: the process dies before or after each commit of a run in turn, and
// once more when another has taken it up. Every change happens exactly once, and the run comes
// to the same end.
func TestACrashAtAnyCommit(t *testing.T) {
	t.Parallel()
	for _, again := range []int{0, 2} { // at which commit of the second process, 0 for none
		for _, kept := range []bool{false, true} {
			t.Run(fmt.Sprintf("kept %v, again at %d", kept, again), func(t *testing.T) {
				t.Parallel()
				for at := 1; ; at++ {
					over := false
					synctest.Test(t, func(t *testing.T) {
						over = crashAt(t, &house{newDesk(t)}, at, kept, again)
					})
					if over || t.Failed() {
						if !t.Failed() && at < 10 {
							t.Errorf("there were only %d commits", at-1)
						}
						return
					}
				}
			})
		}
	}
}

// dieAt makes a process die at a commit: when it is made, or before it is.
func (p *process) dieAt(at int, kept bool) {
	p.store.count(func(number int, write func() error) error {
		if number != at {
			return write()
		}
		if kept {
			if err := write(); err != nil {
				return err
			}
		}
		p.store.kill()
		return errDead
	})
}

// crashAt tells whether the run was over before it could crash.
func crashAt(t *testing.T, h *house, at int, kept bool, again int) (over bool) {
	var calls diary
	p := h.process(t, calls.tool("first"), calls.tool("last"))
	p.dieAt(at, kept)
	r := fileRun(t, busyFlow, map[string]any{}, busyState)
	made := r.Chains[0][0]
	r.Chains = chains(t, tool.Chain{
		call("first", 1), tool.Call(made.Call.Name, map[string]any{}), call("last", tool.Previous("")), tool.Call("tasks.create", map[string]any{"title": "After"}),
	})
	r.ID = "R"
	_, err := p.Begin(t.Context(), r, nil)
	synctest.Wait()
	over = p.store.died() == nil
	p.die(t)
	last := h.process(t, calls.tool("first"), calls.tool("last"))
	if err != nil && !kept && at == 1 {
		if runs, err := last.Engine.Runs(t.Context(), task.Filter{}); len(runs) != 0 || err != nil {
			t.Errorf("kept %v, %v", runs, err)
		}
		return false
	}
	if again > 0 {
		last.dieAt(again, !kept)
		_, _ = last.ResumeAll(t.Context(), nil)
		synctest.Wait()
		last.die(t)
		last = h.process(t, calls.tool("first"), calls.tool("last"))
	}
	if _, err := last.ResumeAll(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	run := last.finish(t, "R")

	where := fmt.Sprintf("dead at commit %d", at)
	if run.Status != task.RunSucceeded {
		t.Errorf("%s: the run is %s: %v", where, run.Status, run.Failure)
	}
	want := []string{"task After (todo)", "task Buy milk (done)", "note b: x (1)", "note a: x (1)"}
	got := h.records(t)
	if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
		t.Errorf("%s: records (-want +got):\n%s\n%s", where, diff, last.tree(t, "R"))
	}
	if got := h.state(t, "file:made-up", 1); got != `{"runs":[null,"run"]}` {
		t.Errorf("%s: the state is %s", where, got)
	}
	count := map[string]int{}
	for _, c := range calls.all() {
		count[c]++
	}
	if len(count) != 2 || count["first 1"]+count["last 1"] > 4 { // at most once more for each crash
		t.Errorf("%s: the native tools were called as %q", where, calls.all())
	}
	return over
}

func sorted(list []string) map[string]int {
	count := map[string]int{}
	for _, one := range list {
		count[one]++
	}
	return count
}

// TestWhatWasBegunRunsAgain, and what was over does not.
func TestWhatWasBegunRunsAgain(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var seen diary
		g := newGate("gate")
		p := h.process(t, seen.tool("note"), g.Tool)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("note", 1), call("gate", tool.Previous("")), call("note", tool.Previous(""))})})
		<-g.begun
		p.die(t)

		again := newGate("gate")
		close(again.open)
		q := h.process(t, seen.tool("note"), again.Tool)
		ids, err := q.ResumeAll(t.Context(), nil)
		if diff := cmp.Diff([]string{id}, ids); diff != "" || err != nil {
			t.Fatalf("%v; taken up (-want +got):\n%s", err, diff)
		}
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		if diff := cmp.Diff([]string{"note 1", "note 1"}, seen.all()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	})
}

// TestAWaitOutlivesItsProcess: the call is made again at its time, and not before.
func TestAWaitOutlivesItsProcess(t *testing.T) {
	for name, away := range map[string]time.Duration{"before its time": time.Second, "after its time": time.Minute} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				start := time.Now()
				later := native("later", func(ctx *tool.Context, _ any) (any, error) {
					began, _ := ctx.Began()
					if until := began.Add(10 * time.Second); time.Now().Before(until) {
						return nil, tool.Again(until)
					}
					return began.Sub(start).String(), nil
				})
				p := h.process(t, later)
				id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("later", nil)})})
				<-time.After(3 * time.Second)
				p.die(t)
				<-time.After(away)
				q := h.process(t, later)
				if _, err := q.Resume(t.Context(), id, nil); err != nil {
					t.Fatal(err)
				}
				wantRun(t, q.finish(t, id), task.RunSucceeded, "")
				if took, want := time.Since(start), max(10*time.Second, 3*time.Second+away); took != want {
					t.Errorf("it took %s; want %s", took, want)
				}
				if got := q.result(t, id); got != `"0s"` {
					t.Errorf("the call was first begun after %s", got)
				}
				if e := q.view(t, id).Executions[0]; e.Attempts != 2 {
					t.Errorf("it is kept with %d attempts", e.Attempts)
				}
			})
		})
	}
}

// TestARunThatWaitsKeepsItsVersion, over the end of its process too, while another is enabled.
func TestARunThatWaitsKeepsItsVersion(t *testing.T) {
	for name, dies := range map[string]bool{"in one process": false, "over two": true} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				version := func(n string) string {
					return strings.Replace(manifest(`{"id": "end", "type": "return", "value": [`+n+`, {"$ref": "$.runtime.version"}]}`), `"version": 1`, `"version": `+n, 1)
				}
				later := native("later", func(ctx *tool.Context, _ any) (any, error) {
					if began, _ := ctx.Began(); time.Since(began) < 10*time.Second {
						return nil, tool.Again(began.Add(10 * time.Second))
					}
					return nil, nil
				})
				p := h.process(t, later)
				install(t, p.Engine, checkedText(t, capability.Builtin(), version("1")))
				request := engine.Request{Chains: chains(t, tool.Chain{call("later", nil), tool.Call("dynamic:made-up", map[string]any{})})}
				id := p.begin(t, request)
				<-time.After(time.Second)
				install(t, p.Engine, checkedText(t, capability.Builtin(), version("2")))
				if dies {
					p.die(t)
					p = h.process(t, later)
					if _, err := p.Resume(t.Context(), id, nil); err != nil {
						t.Fatal(err)
					}
				}
				newer := p.begin(t, request)
				for id, want := range map[string]string{id: "[1,1]", newer: "[2,2]"} {
					wantRun(t, p.finish(t, id), task.RunSucceeded, "")
					if got := p.result(t, id); got != want {
						t.Errorf("the run came to %s; want %s", got, want)
					}
				}
			})
		})
	}
}

// asks is a model that counts what it is asked.
type asks struct {
	echo
	diary
}

func (a *asks) Ask(ctx context.Context, r model.Request) (any, error) {
	a.add("%s", r.Data)
	return a.echo.Ask(ctx, r)
}

// TestWhatWasReadIsNotReadAgain: what a flow has seen before the end of its process it sees
// again after it, be it read or asked of a model.
func TestWhatWasReadIsNotReadAgain(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		host := newOutside(true)
		nodes := `{"id": "list", "type": "capability", "capability": "tasks.list", "input": {}, "target": "$.found", "next": "ask"},
			{"id": "ask", "type": "llm", "op": "extract", "input": {"$ref": "$.found.length"}, "target": "$.said", "next": "send"},
			{"id": "send", "type": "capability", "capability": "lab.send", "input": {"to": "Ada"}, "target": "$.sent", "next": "end"},
			{"id": "end", "type": "return", "value": [{"$ref": "$.found.length"}, {"$ref": "$.said"}, {"$ref": "$.runtime.now"}]}`
		m := &asks{}
		p := h.processWith(t, worker.Options{Capabilities: host, Model: m})
		host.during = func(context.Context, capability.Call) error {
			p.store.kill()
			return nil
		}
		id := p.begin(t, fileRunWith(t, host.catalogue, nodes, map[string]any{}))
		synctest.Wait()
		p.die(t)
		h.change(t, func(ctx context.Context, book *local.Book) error {
			_, err := book.CreateTask(ctx, local.NewTask{Title: "New"})
			return err
		})
		<-time.After(time.Minute)
		host.during = nil
		q := h.processWith(t, worker.Options{Capabilities: host, Model: m})
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		if got := q.result(t, id); got != `[0,"0","2000-01-01T00:00:00.000Z"]` {
			t.Errorf("the run came to %s", got)
		}
		if got := m.all(); len(got) != 1 {
			t.Errorf("the model was asked %q", got)
		}
	})
}

// TestTheStateThatARunBeganWith is the one that it goes on with; where another run has saved
// one meanwhile, it fails and takes back what it did.
func TestTheStateThatARunBeganWith(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t)
		p.dieAt(3, true) // begun, its state read, and its task made
		nodes, state := remembers(1)
		r := fileRun(t, nodes, map[string]any{}, state)
		id := p.begin(t, r)
		synctest.Wait()
		p.die(t)
		q := h.process(t)
		wantRun(t, q.run(t, r), task.RunSucceeded, "")
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		run := q.finish(t, id)
		wantRun(t, run, task.RunFailed, "FORGE_STATE_CONFLICT")
		wantListed(t, run.Failure, "A task")
		if got := h.records(t); len(got) != 1 {
			t.Errorf("records: %q", got)
		}
		if got := h.state(t, "file:made-up", 1); got != `{"runs":["run"]}` {
			t.Errorf("the state is %s", got)
		}
	})
}

// TestTheKeyOfARequest attaches to the run that it made, and never repeats an effect.
func TestTheKeyOfARequest(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p, q := h.process(t), h.process(t)
		request := func(title string) engine.Request {
			return engine.Request{Caller: "ada", Key: "k", Chains: chains(t, tool.Chain{tool.Call("tasks.create", map[string]any{"title": title})})}
		}
		id := p.begin(t, request("One"))
		if got := p.begin(t, request("One")); got != id {
			t.Errorf("under way it made %s", got)
		}
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
		for _, by := range []*process{p, q} {
			if got := by.begin(t, request("One")); got != id {
				t.Errorf("afterwards it made %s", got)
			}
			wantRun(t, by.finish(t, id), task.RunSucceeded, "")
		}
		if _, err := q.Begin(t.Context(), request("Two"), nil); tool.Code(err) != engine.CodeKeyReused {
			t.Errorf("something else under the key gives %v", err)
		}
		other := request("Other")
		other.Caller = "bob"
		if got := q.begin(t, other); got == id {
			t.Error("another caller was attached")
		} else {
			q.finish(t, got)
		}
		if diff := cmp.Diff(sorted([]string{"task One (todo)", "task Other (todo)"}), sorted(h.records(t))); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	})
}

// TestTheKeyOfRequestsAtOnce makes one run of them.
func TestTheKeyOfRequestsAtOnce(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		request := engine.Request{Caller: "ada", Key: "k", Chains: chains(t, tool.Chain{tool.Call("tasks.create", map[string]any{"title": "One"})})}
		var ids diary
		var all sync.WaitGroup
		for range 4 {
			p := h.process(t)
			for range 3 {
				all.Go(func() {
					run, err := p.Begin(t.Context(), request, nil)
					if err != nil {
						t.Error(err)
					}
					ids.add("%s", run.ID)
				})
			}
		}
		all.Wait()
		synctest.Wait()
		if got := sorted(ids.all()); len(got) != 1 {
			t.Errorf("made %v", got)
		}
		if got := h.records(t); len(got) != 1 {
			t.Errorf("records: %q", got)
		}
	})
}

// TestWhatIsNotTakenUp: a run of a process that lives, one that is over, and one's own.
func TestWhatIsNotTakenUp(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		p, q := h.process(t, g.Tool, same), h.process(t, g.Tool, same)
		over := p.run(t, engine.Request{Chains: chains(t, tool.Chain{call("same", 1)})}).ID
		busy := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("gate", 1)})})
		<-g.begun
		for id, code := range map[string]string{busy: worker.CodeRunBusy, over: engine.CodeRunSettled, "NONE": engine.CodeRunNotFound} {
			if _, err := q.Resume(t.Context(), id, nil); tool.Code(err) != code {
				t.Errorf("%s: the error is %v; want %s", id, err, code)
			}
		}
		if ids, err := q.ResumeAll(t.Context(), nil); len(ids) != 0 || err != nil {
			t.Errorf("taken up: %v, %v", ids, err)
		}
		if _, err := p.Resume(t.Context(), busy, nil); err != nil {
			t.Errorf("the run of this process: %v", err)
		}
		close(g.open)
		wantRun(t, p.finish(t, busy), task.RunSucceeded, "")
		if len(g.begun) != 0 {
			t.Error("the call was made twice")
		}
	})
}

// TestTakenUpTwiceAtOnce by two requests in one process: it is carried out once.
func TestTakenUpTwiceAtOnce(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		p := h.process(t, g.Tool)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("gate", 1), tool.Call("tasks.create", map[string]any{"title": "One"})})})
		<-g.begun
		p.die(t)

		var seen diary
		q := h.process(t, seen.tool("gate"))
		q.store.countReads(func(number int, read func() error) error {
			err := read()
			if number > 4 {
				return err
			}
			// Each looks at the run twice: nobody goes on before the other has come as far, or
			// waits for this one, as it should.
			<-time.After(time.Second)
			return err
		})
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, err := q.Resume(t.Context(), id, nil); err != nil && tool.Code(err) != engine.CodeRunSettled {
					t.Error(err)
				}
			})
		}
		both.Wait()
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		synctest.Wait()
		if got := seen.all(); len(got) != 1 {
			t.Errorf("called: %q", got)
		}
		if got := h.records(t); len(got) != 1 {
			t.Errorf("records: %q", got)
		}
	})
}

// TestAnEarlierOwnerKeepsNothing: a process that has lost its lease, and does not know it yet,
// cannot write into the run any more.
func TestAnEarlierOwnerKeepsNothing(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		p := h.process(t, g.Tool)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("gate", "old"), tool.Call("tasks.create", map[string]any{"title": "One"})})})
		<-g.begun
		held, release := make(chan struct{}), make(chan struct{})
		p.store.count(func(_ int, write func() error) error {
			close(held)
			<-release
			return write()
		})
		close(g.open) // its result is about to be kept
		<-held
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			_ = p.Close(ctx) // the lease ends, though something is still under way
		}()
		synctest.Wait()

		q := h.process(t, same, native("gate", func(*tool.Context, any) (any, error) { return "new", nil }))
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		before := q.tree(t, id)
		close(release)
		<-closed
		if got := q.tree(t, id); got != before || !strings.Contains(got, `toolresult "new"`) {
			t.Errorf("before:\n%safterwards:\n%s", before, got)
		}
		if got := h.records(t); len(got) != 1 {
			t.Errorf("records: %q", got)
		}
	})
}

// TestErrorsOfStepsDoNotCount: only calls that failed are errors of a run, whether it was
// taken up or not.
func TestErrorsOfStepsDoNotCount(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		g := newGate("gate")
		p := h.process(t, g.Tool, same)
		install(t, p.Engine, calls(t, "tasks.setStatus", `{"id": "NONE", "status": "done"}`))
		chain := tool.Chain{tool.Call("dynamic:made-up", map[string]any{}), reducer("gate", 1), tool.Call("dynamic:made-up", map[string]any{}), reducer("same", 2)}
		id := p.begin(t, engine.Request{Limits: task.Limits{Errors: 3}, Chains: chains(t, chain)})
		<-g.begun
		p.die(t)
		again := newGate("gate")
		close(again.open)
		q := h.process(t, again.Tool, same)
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		run := q.finish(t, id)
		wantRun(t, run, task.RunSucceeded, "")
		if run.Errors != 2 {
			t.Errorf("%d errors are counted\n%s", run.Errors, q.tree(t, id))
		}
	})
}
