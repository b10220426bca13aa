package worker_test

import (
	"testing"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// TestHowOftenARunWrites counts the transactions of whole runs: each costs a commit. The first
// of them keeps the run; the last one the result of its last call, and with it its end.
func TestHowOftenARunWrites(t *testing.T) {
	const list = `{"id": "list", "type": "capability", "capability": "tasks.list", "input": {"limit": 1}, "target": "$.found", "next": "end"}, `
	const create = `{"id": "make", "type": "capability", "capability": "tasks.create", "input": {"title": "x"}, "target": "$.made", "next": "end"}, `
	stateful := `"state": {"schemaVersion": 1, "maxBytes": 100, "fields": {"n": {}}}`
	for name, c := range map[string]struct {
		request func(t testing.TB) engine.Request
		want    int
	}{
		"no call":          {func(t testing.TB) engine.Request { return fileRun(t, end, map[string]any{}) }, 2},
		"one read":         {func(t testing.TB) engine.Request { return fileRun(t, list+end, map[string]any{}) }, 3},
		"one local change": {func(t testing.TB) engine.Request { return fileRun(t, create+end, map[string]any{}) }, 3},
		"a state":          {func(t testing.TB) engine.Request { return fileRun(t, end, map[string]any{}, stateful) }, 4},
		"one capability as a tool": {func(t testing.TB) engine.Request {
			return engine.Request{Chains: chains(t, tool.Chain{tool.Call("tasks.create", map[string]any{"title": "x"})})}
		}, 2},
		"three native calls": {func(t testing.TB) engine.Request {
			return engine.Request{Chains: chains(t, tool.Chain{call("same", 1), call("same", 2), call("same", 3)})}
		}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				p := h.process(t, same)
				wantRun(t, p.run(t, c.request(t)), task.RunSucceeded, "")
				p.store.mu.Lock()
				defer p.store.mu.Unlock()
				if p.store.writes != c.want {
					t.Errorf("%d transactions wrote; want %d", p.store.writes, c.want)
				}
			})
		})
	}
}
