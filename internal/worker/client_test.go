package worker_test

import (
	"context"
	"strings"
	"testing"

	"toolsmith/internal/engine"
	"toolsmith/internal/port"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// ports carries calls of tools of ports out as a test says.
type ports func(ctx context.Context, r port.Request) (port.Answer, error)

func (p ports) Call(ctx context.Context, r port.Request) (port.Answer, error) { return p(ctx, r) }

// supply registers a tool of a port called "editor".
func (p *process) supply(t testing.TB, name, result string) port.Client {
	t.Helper()
	d := port.Declaration{Name: name, Description: "Of a port.", Parameters: map[string]any{"type": "object"}}
	if result != "" {
		d.Result = map[string]any{"type": result}
	}
	c := port.Client{Holder: "p1", Port: "editor", Version: d.Digest("editor"), Declaration: d}
	if err := p.Engine.RegisterClient(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestToolsOfPorts(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		notes := &diary{}
		serve := func(ctx context.Context, r port.Request) (port.Answer, error) {
			notes.add("%s %s %s %v", r.Tool, value.JSON(r.Arguments), r.Caller, r.RunID != "" && r.TaskID != "")
			switch r.Tool {
			case "number":
				return port.Answer{Value: value.Int(1)}, nil
			case "chain":
				chain, err := r.Context(ctx, 0, "chain", nil)
				if err != nil {
					t.Errorf("chain: %v", err)
				}
				r.Progress(1, 2, "half")
				return port.Answer{Value: value.Int(len(chain.([]any)))}, nil
			case "more":
				return port.Answer{Subtasks: []any{[]any{map[string]any{"content": map[string]any{"type": "tool", "data": map[string]any{"name": "same", "arguments": map[string]any{"v": "x"}}}}}}}, nil
			case "lost":
				return port.Answer{Subtasks: []any{[]any{map[string]any{"content": map[string]any{"type": "tool", "data": map[string]any{"name": "nobody"}}}}}}, nil
			}
			return port.Answer{}, &port.Fault{Code: "NO_FILE", Message: "There is none.", Details: map[string]any{"n": value.Int(1)}}
		}
		p := h.processWith(t, worker.Options{Ports: ports(serve)}, same)
		for _, name := range []string{"number", "chain", "more", "lost", "file"} {
			p.supply(t, name, "integer")
		}
		p.supply(t, "number", "string") // a declaration in place of the one before

		for name, want := range map[string]struct{ result, code string }{
			"chain":  {"1", ""},
			"more":   {`"x"`, ""},
			"lost":   {"", task.CodeToolUnknown},
			"file":   {"", "NO_FILE"},
			"number": {"", task.CodeResultInvalid},
		} {
			id := p.begin(t, engine.Request{Caller: "cli", Chains: chains(t, tool.Chain{tool.Call(name, map[string]any{"a": "b"})})})
			run := p.finish(t, id)
			got := ""
			if run.Failure != nil {
				got = errorOf(t, p.view(t, id), 0).Code
			}
			if got != want.code || p.result(t, id) != want.result {
				t.Errorf("%s came to %q, %q", name, p.result(t, id), got)
			}
		}
		for _, line := range notes.all() {
			if !strings.HasSuffix(line, `{"a":"b"} cli true`) {
				t.Errorf("called with %s", line)
			}
		}
		if len(notes.all()) != 5 {
			t.Errorf("called: %q", notes.all())
		}
	})
}

// TestAToolOfAPortThatChanges during a run is called as it is by then.
func TestAToolOfAPortThatChanges(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var versions []string
		gate := newGate("gate")
		p := h.processWith(t, worker.Options{Ports: ports(func(_ context.Context, r port.Request) (port.Answer, error) {
			versions = append(versions, r.Version)
			return port.Answer{Value: "done"}, nil
		})}, gate.Tool)
		first := p.supply(t, "open", "")
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{tool.Call("open", nil), call("gate", nil), tool.Call("open", nil)})})
		<-gate.begun
		second := p.supply(t, "open", "string")
		close(gate.open)
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
		if len(versions) != 2 || versions[0] != first.Version || versions[1] != second.Version || versions[0] == versions[1] {
			t.Errorf("called were %q", versions)
		}
	})
}

func TestWithoutPorts(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t)
		p.supply(t, "open", "")
		p.Engine.UnregisterClient("p1", "open")
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{tool.Call("open", nil)})})
		p.finish(t, id)
		if f := errorOf(t, p.view(t, id), 0); f == nil || f.Code != port.CodeClosed {
			t.Errorf("the failure is %v", f)
		}
	})
}

// TestACallOfAPortThatIsCancelled tells the host, and is kept as cancelled.
func TestACallOfAPortThatIsCancelled(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		begun := make(chan struct{})
		p := h.processWith(t, worker.Options{Ports: ports(func(ctx context.Context, _ port.Request) (port.Answer, error) {
			close(begun)
			<-ctx.Done()
			return port.Answer{}, ctx.Err()
		})})
		p.supply(t, "open", "")
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{tool.Call("open", nil)})})
		<-begun
		if _, err := p.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		wantRun(t, p.finish(t, id), task.RunCancelled, task.CodeAborted)
	})
}
