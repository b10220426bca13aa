package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/coded"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// caller of all that a soak calls, by the name that tools get to see.
const soakCaller = "soak"

// codedTool makes a coded tool of the body of its function, with args and context.
func codedTool(body string) coded.Tool {
	const declaration = `{"description":"Made for a test.","name":"t","parameters":{"type":"object"}}`
	text := fmt.Sprintf(`(() => { const { createTool, message, returns } = globalThis.__toolsmith
createTool({ name: 't', description: 'Made for a test.', parameters: { type: 'object' }, async function(args, context) {
%s
} }) })()`, body)
	return coded.Tool{Name: "t", File: "t.js", Line: 1, Column: 1, Source: []byte(text), Script: []byte(text), Declaration: json.RawMessage(declaration)}
}

// soakRunner calls tools on runners of one engine, without anything around them.
type soakRunner struct {
	engine *quickjs.Engine
	script *script.Runner
	// strict gives attacks less time, so that there are more of them. What is honest has the usual:
	// on a busy machine a tool stands still in the midst of its time.
	strict *script.Runner
}

// attackCPU is for how long an attack may compute.
const attackCPU = 100 * time.Millisecond

func newSoakRunner(t testing.TB) *soakRunner {
	t.Helper()
	e := quickjs.New(quickjs.Options{})
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	return &soakRunner{e, script.New(script.Options{Engine: e}), script.New(script.Options{Engine: e, Limits: script.Limits{CPU: attackCPU}})}
}

func (r *soakRunner) call(ctx context.Context, j job) (any, error) {
	runner := r.script
	if j.want == "" {
		runner = r.strict
	}
	result, err := runner.Run(ctx, script.Call{Tool: codedTool(j.body), Arguments: map[string]any{}, ToolID: "t", Host: soakHost{}})
	return result.Value, err
}

// soakHost knows who called, and nothing else.
type soakHost struct{}

func (soakHost) Do(_ context.Context, _ int, method string, _ map[string]any) (any, error) {
	if method == "getCallingToolId" {
		return soakCaller, nil
	}
	return nil, tool.Errorf(tool.CodeContextUnavailable, "%s is not available here.", method)
}

// usage tells what the process has, after what nobody needs was given back.
func (r *soakRunner) usage() usage {
	debug.FreeOSMemory()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	sandboxes := r.engine.Usage()
	u := usage{open: sandboxes.Open, memories: sandboxes.Memories, goroutines: runtime.NumGoroutine(), heap: int64(stats.HeapAlloc)}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil { // elsewhere the heap has to do
		var total, pages int64
		if _, err := fmt.Sscan(string(text), &total, &pages); err == nil {
			u.resident = pages * int64(os.Getpagesize())
		}
	}
	return u
}

// soakHouse calls tools as runs of workers, over a store in a file; strict is for attacks.
type soakHouse struct {
	worker, strict *worker.Worker
	catalogue      *tool.Catalogue
}

func newSoakHouse(t testing.TB, r *soakRunner) *soakHouse {
	t.Helper()
	s, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &soakHouse{catalogue: capability.Builtin()}
	box, err := engine.NewToolbox(h.catalogue)
	if err != nil {
		t.Fatal(err)
	}
	newID := local.NewIDs(time.Now)
	e := engine.New(engine.Options{Store: s, Catalogue: h.catalogue, Toolbox: box, NewID: newID, Who: "somebody"})
	h.worker = worker.New(worker.Options{Store: s, Engine: e, Scripts: r.script, NewID: newID})
	h.strict = worker.New(worker.Options{Store: s, Engine: e, Scripts: r.strict, NewID: newID})
	t.Cleanup(func() {
		_ = h.worker.Close(context.Background())
		_ = h.strict.Close(context.Background())
		s.Close()
	})
	return h
}

func (h *soakHouse) call(ctx context.Context, j job) (any, error) {
	c, err := h.checked(j.body)
	if err != nil {
		return nil, err
	}
	w := h.worker
	if j.want == "" {
		w = h.strict
	}
	return runOf(ctx, w, c)
}

// checked makes a tool of the body of its function.
func (h *soakHouse) checked(body string) (*check.Checked, error) {
	result := check.Coded(codedTool(body), h.catalogue)
	if !result.OK() {
		return nil, fmt.Errorf("the tool is no tool: %v", result.Diagnostics)
	}
	return result.Tool, nil
}

// runOf runs a tool and gives what it came to. An error of the run has its code.
func runOf(ctx context.Context, w *worker.Worker, c *check.Checked) (any, error) {
	out, err := w.Run(ctx, worker.Job{Tool: c, Input: map[string]any{}, Caller: soakCaller})
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	if out.Status != flow.Succeeded {
		if out.Failure == nil {
			return nil, fmt.Errorf("the run is %s without a reason", out.Status)
		}
		return nil, &tool.Error{Code: out.Failure.Code, Message: out.Failure.Message}
	}
	return out.Output, nil
}
