package worker_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// TestWatch is told of all runs with those who asked for them, until it ends; and who resumes a
// run that is carried out already is told of it from then on.
func TestWatch(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		gate := newGate("gate")
		p := h.process(t, same, gate.Tool)
		var callers, late diary
		stop := p.Watch(func(e worker.Event) {
			if e.Task == nil && e.Status.Settled() {
				callers.add("%s", e.Caller)
			}
		})
		for _, caller := range []string{"cli", "http:editor"} {
			id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("same", 1)}), Caller: caller})
			wantRun(t, p.settle(t, id), task.RunSucceeded, "")
		}
		synctest.Wait()
		stop()
		stop()
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("gate", 1)}), Caller: "port"})
		<-gate.begun
		if _, err := p.Resume(t.Context(), id, func(e worker.Event) { late.add("%s", e.Status) }); err != nil {
			t.Fatal(err)
		}
		close(gate.open)
		wantRun(t, p.settle(t, id), task.RunSucceeded, "")
		synctest.Wait()
		if got, want := callers.all(), []string{"cli", "http:editor"}; !slices.Equal(got, want) {
			t.Errorf("it is told of the runs of %q, want %q", got, want)
		}
		if got := late.all(); len(got) == 0 || got[len(got)-1] != string(task.RunSucceeded) {
			t.Errorf("who resumes it is told %q", got)
		}
	})
}
