package worker

import (
	"context"
	"fmt"

	"toolsmith/internal/engine"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store"
	"toolsmith/tool"
)

// Write is something that a dry run would have written.
type Write struct {
	Step       string
	Capability string
	Input      any
	Result     any
}

// Value gives a write as a JSON value.
func (w Write) Value() map[string]any {
	return map[string]any{"step": w.Step, "capability": w.Capability, "input": w.Input, "result": w.Result}
}

// Dry is a dry run that is over.
type Dry struct {
	flow.Result
	// Writes that were held back, in the order in which they were made.
	Writes []Write
	// Subtasks are the chains that a coded tool returned, as JSON; nil where it returned a plain value,
	// which is the output then.
	Subtasks []any
	// Logs are the lines that a coded tool wrote to its console, each with its level: "warn: …".
	Logs []string
}

// Try runs a tool without writing anything. With a script, the script answers. Without
// one, the run reads the real data and sees what it would have written itself: it works
// in a transaction that is rolled back at its end. Waits do not pass.
func (w *Worker) Try(ctx context.Context, job Job, script *flow.Script) (Dry, error) {
	if _, inCode := job.Tool.Coded(); inCode {
		return w.tryScript(ctx, job, script)
	}
	program, err := flow.Compile(job.Tool)
	if err != nil {
		return Dry{}, fmt.Errorf("prepare run: %w", err)
	}
	if script != nil {
		options := script.Options()
		return dry(ctx, program, job, options), nil
	}
	_, state, err := w.keptState(ctx, job.Tool, engine.MemoryKey(job.Tool, job.Installed))
	if err != nil {
		return Dry{}, err
	}
	var out Dry
	// The transaction outlives a run that is cancelled: what the run did is taken back in it.
	err = w.Store.Trial(context.WithoutCancel(ctx), func(tx store.Tx) error {
		now := w.Clock.Now()
		out = dry(ctx, program, job, flow.Options{
			Host: &heldHost{worker: w, tx: tx}, Model: w.Model, Clock: flow.NewDryClock(now),
			ExecutionID: flow.DryExecutionID, Started: now, State: state,
		})
		return nil
	})
	if err != nil {
		return Dry{}, fmt.Errorf("dry run: %w", err)
	}
	return out, nil
}

func dry(ctx context.Context, program *flow.Program, job Job, o flow.Options) Dry {
	recorder := &recorder{host: o.Host, catalogue: job.Tool.Catalogue()}
	o.Host, o.Observe = recorder, job.Steps
	result := program.Run(ctx, job.Input, o)
	return Dry{Result: result, Writes: recorder.writes}
}

// heldHost carries calls out within one transaction that is going to be rolled back.
type heldHost struct {
	worker *Worker
	tx     store.Tx
}

// Call carries out one call.
func (h *heldHost) Call(ctx context.Context, c flow.Call) (flow.Answer, error) {
	return h.worker.call(ctx, c, func(_ context.Context, fn func(store.Tx) error) error { return fn(h.tx) })
}

// recorder notes the writes that pass through it.
type recorder struct {
	host      flow.Host
	catalogue *tool.Catalogue
	writes    []Write
}

// Call passes a call on.
func (r *recorder) Call(ctx context.Context, c flow.Call) (flow.Answer, error) {
	answer, err := r.host.Call(ctx, c)
	if described, ok := r.catalogue.Get(c.Capability); err == nil && ok && described.Power != tool.Read {
		r.writes = append(r.writes, Write{Step: c.Step, Capability: c.Capability, Input: c.Input, Result: answer.Value})
	}
	return answer, err
}
