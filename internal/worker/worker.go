package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/local"
	"toolsmith/internal/model"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Options are what a worker needs.
type Options struct {
	// Store holds the local data, states and breakers; required.
	Store store.Store
	// Model answers model steps; nil means that there is none.
	Model model.Model
	// Clock; nil is the real one.
	Clock flow.Clock
	// NewID makes ids of runs, records and log lines; required.
	NewID func() string
	// Log takes the private causes of failures; nil drops them.
	Log *slog.Logger
}

// Worker runs tools over a store. It may be used from many goroutines at once.
type Worker struct {
	Options
	capabilities *capability.Host
}

// New makes a worker.
func New(o Options) *Worker {
	if o.Clock == nil {
		o.Clock = flow.SystemClock{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Worker{Options: o, capabilities: capability.NewHost()}
}

// Job is one run to be made.
type Job struct {
	Tool  *check.Checked
	Input any
	// Memory is the key under which state and breakers of the tool are kept.
	Memory string
	// RunID; "" makes one.
	RunID string
	// Observe is told of every event as it happens; may be nil.
	Observe func(flow.Event)
}

// Outcome is a run that is over.
type Outcome struct {
	flow.Result
	RunID   string
	Elapsed time.Duration
}

// Run runs a tool for real. The error is for what keeps a run from beginning; whatever
// happens in the run is in the outcome.
func (w *Worker) Run(ctx context.Context, job Job) (Outcome, error) {
	program, err := flow.Compile(job.Tool)
	if err != nil {
		return Outcome{}, fmt.Errorf("prepare run: %w", err)
	}
	if job.RunID == "" {
		job.RunID = w.NewID()
	}
	keeper := &keeper{worker: w, job: job}
	state, err := keeper.load(ctx)
	if err != nil {
		return Outcome{}, err
	}
	started := w.Clock.Now()
	result := program.Run(ctx, job.Input, flow.Options{
		Host: &realHost{worker: w}, Model: w.Model, Clock: w.Clock,
		Breaker:     &breaker{store: w.Store, key: job.Memory, now: w.Clock.Now, trials: map[string]time.Time{}},
		ExecutionID: job.RunID, Started: started, State: state, Save: keeper.save, Observe: job.Observe,
	})
	return Outcome{Result: result, RunID: job.RunID, Elapsed: w.Clock.Now().Sub(started)}, nil
}

// book opens the local data of a transaction.
func (w *Worker) book(tx store.Tx) *local.Book {
	return local.NewBook(tx.Local(), w.Clock.Now, w.NewID)
}

// callError words a failed call for people, and logs what is not for them.
func (w *Worker) callError(c flow.Call, err error) error {
	out := &flow.CallError{Message: "The local data could not be reached.", Cause: err}
	private := err
	var known *capability.Error
	if errors.As(err, &known) {
		out.Message, out.Permanent, private = known.Public, known.Permanent, known.Cause
		if known.Code == capability.CodeUnknown {
			out.Code = flow.CodeCapabilityUnavailable
		}
	}
	// What is wrong with an input is said in full. What a store says is for the log alone,
	// its coded errors included: they name the folders of this machine.
	if private != nil && !out.Permanent {
		id := w.NewID()
		w.Log.Error("capability failed", "id", id, "capability", c.Capability, "step", c.Step, "cause", chain(private))
		out.Message += fmt.Sprintf(" (log id %s)", id)
	}
	return out
}

// chain writes an error with the causes that its own text leaves out.
func chain(err error) string {
	text := err.Error()
	var coded *tool.Error
	if errors.As(err, &coded) && coded.Cause != nil {
		text += ": " + chain(coded.Cause)
	}
	return text
}

// realHost carries calls out, each in a transaction of its own.
type realHost struct{ worker *Worker }

// Call carries out one call.
func (h *realHost) Call(ctx context.Context, c flow.Call) (flow.Answer, error) {
	return h.worker.call(ctx, c, func(ctx context.Context, fn func(store.Tx) error) error {
		if described, ok := h.worker.capabilities.Catalogue().Get(c.Capability); ok && described.Power == tool.Read {
			return h.worker.Store.Read(ctx, fn)
		}
		return h.worker.Store.Write(ctx, fn)
	})
}

// call carries out one call in the transaction that run opens.
func (w *Worker) call(ctx context.Context, c flow.Call, run func(context.Context, func(store.Tx) error) error) (flow.Answer, error) {
	var result capability.Result
	err := run(ctx, func(tx store.Tx) error {
		var err error
		result, err = w.capabilities.Call(ctx, w.book(tx), capability.Call{Name: c.Capability, Input: c.Input})
		return err
	})
	if err != nil {
		return flow.Answer{}, w.callError(c, err)
	}
	answer := flow.Answer{Value: result.Value}
	if result.Cut != nil {
		answer.Note = fmt.Sprintf("cut: %d of %d", result.Cut.Shown, result.Cut.Total)
	}
	return answer, nil
}

// keeper loads and saves the state of a tool around one run.
type keeper struct {
	worker   *Worker
	job      Job
	revision int64
}

func (k *keeper) load(ctx context.Context) (map[string]any, error) {
	declared := k.job.Tool.Manifest().State
	if declared == nil {
		return nil, nil
	}
	var kept store.State
	err := k.worker.Store.Read(ctx, func(tx store.Tx) error {
		var err error
		kept, _, err = tx.Runs().State(ctx, k.job.Memory, declared.SchemaVersion.Value)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read state: %w", err)
	}
	k.revision = kept.Revision
	if kept.Revision == 0 {
		return nil, nil
	}
	v, err := value.Decode(kept.Data)
	if err != nil {
		return nil, fmt.Errorf("read the kept state of %s: %w", k.job.Tool.Name(), err)
	}
	state, isObject := v.(map[string]any)
	if !isObject {
		return nil, fmt.Errorf("the kept state of %s is %s, and no object", k.job.Tool.Name(), value.KindOf(v))
	}
	return state, nil
}

func (k *keeper) save(ctx context.Context, state map[string]any) *flow.Failure {
	version := k.job.Tool.Manifest().State.SchemaVersion.Value
	err := k.worker.Store.Write(ctx, func(tx store.Tx) error {
		return tx.Runs().PutState(ctx, k.job.Memory, version, value.AppendJSON(nil, state), k.revision)
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrConflict):
		return &flow.Failure{Code: flow.CodeStateConflict, Message: "Another run of this tool has saved its state in the meantime. Run it again."}
	}
	failed := k.worker.callError(flow.Call{Step: "state", Capability: "state"}, err)
	return &flow.Failure{Code: flow.CodeStateInvalid, Message: "The state could not be saved. " + failed.Error()}
}
