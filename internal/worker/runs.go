package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// Begin keeps a new run and begins to carry it out; or it finds the one that the request's
// key has made before, and takes that up if its process is gone. observe is told of what happens in it;
// nil for nobody. It must not block.
func (w *Worker) Begin(ctx context.Context, r engine.Request, observe func(Event)) (task.Run, error) {
	run, a, err := w.begin(ctx, w.base, r, observe)
	if err != nil || a != nil || run.Status.Settled() {
		return run, err
	}
	taken, err := w.Resume(ctx, run.ID, observe)
	switch tool.Code(err) {
	case CodeRunBusy, engine.CodeRunSettled:
		return run, nil
	}
	return taken, err
}

// begin is Begin, and gives the run as it is carried out; nil where it was there already.
// The run is stopped when asked ends.
func (w *Worker) begin(ctx, asked context.Context, r engine.Request, observe func(Event)) (task.Run, *active, error) {
	if err := w.Start(ctx); err != nil {
		return task.Run{}, nil, err
	}
	r.Owner = w.lease.ID()
	started, err := w.Engine.Call(ctx, r)
	if err != nil || started.Attached {
		return started.Run, nil, err
	}
	graph := task.NewGraph()
	if err := graph.Add(started.Batch.Tasks); err != nil {
		return task.Run{}, nil, fmt.Errorf("begin run %s: %w", started.Run.ID, err)
	}
	for _, e := range started.Batch.Executions {
		if err := graph.Move(e.Seq, e.State); err != nil { // recorded steps are over already
			return task.Run{}, nil, fmt.Errorf("begin run %s: %w", started.Run.ID, err)
		}
	}
	a := w.activate(asked, started.Run, graph, observe)
	w.take(a)
	return started.Run, a, nil
}

// take begins to carry out a run.
func (w *Worker) take(a *active) {
	a.mu.Lock()
	a.limitTime()
	w.mu.Lock()
	w.active[a.id] = a
	w.mu.Unlock()
	a.follow()
}

// Resume takes up a run that was left before its end: by this worker, or by one whose
// process is gone. One that this worker carries out already goes on, and observe is told of it
// from now on.
func (w *Worker) Resume(ctx context.Context, id string, observe func(Event)) (task.Run, error) {
	if err := w.Start(ctx); err != nil {
		return task.Run{}, err
	}
	select {
	case w.taking <- struct{}{}:
		defer func() { <-w.taking }()
	case <-ctx.Done():
		return task.Run{}, fmt.Errorf("take up run %s: %w", id, ctx.Err())
	}
	view, err := w.Engine.View(ctx, id)
	if err != nil {
		return task.Run{}, err
	}
	run := view.Run
	if run.Status.Settled() {
		return run, &tool.Error{Code: engine.CodeRunSettled, Message: fmt.Sprintf("Run %s is over already: %s.", run.ID, run.Status)}
	}
	if run.CancelledAt == nil {
		if err := w.Engine.Running(ctx); err != nil {
			return run, err
		}
	}
	w.mu.Lock()
	active, mine := w.active[run.ID]
	w.mu.Unlock()
	if mine {
		active.audience.join(observe)
		active.goOn()
		return run, nil
	}
	if err := w.claim(ctx, run); err != nil {
		return run, err
	}
	// What it was read as may be older than what its last owner wrote.
	if view, err = w.Engine.View(ctx, run.ID); err != nil {
		return run, err
	}
	run = view.Run
	run.Status = task.RunRunning
	a := w.activate(w.base, run, view.Graph, observe)
	a.woken = view.Run.Status != task.RunRunning
	for seq, e := range view.Executions {
		a.attempts[seq] = e.Attempts
		if e.StartedAt != nil {
			a.began[seq] = *e.StartedAt
		}
		a.lost = a.lost || e.Why == string(task.RunRecoveryRequired)
		if e.State == task.Failed && view.Graph.Task(seq).Step == "" {
			a.errors++
		}
	}
	for _, seq := range view.Graph.Unfinished(task.Unknown) {
		if err := view.Graph.Wake(seq); err != nil { // it may have been answered
			return run, fmt.Errorf("take up run %s: %w", run.ID, err)
		}
	}
	if err := a.recall(view); err != nil {
		return run, err
	}
	w.take(a)
	for seq, e := range view.Executions {
		switch {
		case e.State != task.Waiting:
		case asksFor(e): // it may have been answered while nobody carried the run out
			a.lookAgain(seq)
		case e.WakeAt != nil:
			a.wakeAt(seq, *e.WakeAt)
		}
	}
	if view.Run.CancelledAt != nil {
		a.stop(aborted())
	}
	return view.Run, nil
}

// goOn looks again at what stands still until somebody has answered.
func (a *active) goOn() {
	a.mu.Lock()
	for _, seq := range a.graph.Unfinished(task.Unknown) {
		if a.begun[seq] || a.stopCause != nil || a.broken != nil {
			continue
		}
		if err := a.graph.Wake(seq); err != nil {
			a.fall(err)
		}
		a.run.Status, a.woken = task.RunRunning, true
	}
	a.follow()
}

// CodeRunBusy is the code for a run that another process carries out.
const CodeRunBusy = "RUN_BUSY"

// claim makes a run that of this worker, unless its owner is alive.
func (w *Worker) claim(ctx context.Context, run task.Run) error {
	own := w.lease.ID()
	if run.Owner == own {
		return nil
	}
	alive, err := w.lease.Alive(run.Owner)
	if err != nil {
		return fmt.Errorf("look for the owner of run %s: %w", run.ID, err)
	}
	if alive {
		return &tool.Error{Code: CodeRunBusy, Message: fmt.Sprintf("Another process is carrying out run %s. Follow it with: toolsmith tree %s --follow", run.ID, run.ID)}
	}
	return w.Store.Write(ctx, func(tx store.Tx) error {
		_, err := tx.Graph().TakeRuns(ctx, run.Owner, own)
		return err
	})
}

// ResumeAll takes up every run that was left before its end, and gives their ids.
func (w *Worker) ResumeAll(ctx context.Context, observe func(Event)) ([]string, error) {
	list, err := w.Engine.Runs(ctx, task.Filter{Unsettled: true})
	if err != nil {
		return nil, err
	}
	var ids []string
	var errs []error
	for _, run := range list {
		_, err := w.Resume(ctx, run.ID, observe)
		switch tool.Code(err) {
		case "":
			if err == nil {
				ids = append(ids, run.ID)
				continue
			}
		case CodeRunBusy, engine.CodeRunSettled:
			continue
		}
		errs = append(errs, err)
	}
	return ids, errors.Join(errs...)
}

func aborted() *task.Failure {
	return &task.Failure{Code: task.CodeAborted, Message: "The run was cancelled."}
}

// Cancel stops a run: at once where this worker carries it out, else through the process
// that does, or by taking it up where that is gone.
func (w *Worker) Cancel(ctx context.Context, id string) (task.Run, error) {
	run, err := w.Engine.Cancel(ctx, id)
	if err != nil {
		return run, err
	}
	w.mu.Lock()
	a, mine := w.active[run.ID]
	w.mu.Unlock()
	if mine {
		a.stop(aborted())
		return run, nil
	}
	if err := w.Start(ctx); err != nil {
		return run, err
	}
	if run.Owner != w.lease.ID() { // which has given the run up, or it would be active
		if err := w.lease.Notify(run.Owner, cancelMessage+run.ID); err == nil {
			return run, nil
		}
	}
	_, err = w.Resume(ctx, run.ID, nil)
	if tool.Code(err) == engine.CodeRunSettled { // a call of it has seen by itself that it is cancelled
		return w.Engine.Run(ctx, run.ID)
	}
	return run, err
}

// What one process tells another that carries a run out.
const (
	cancelMessage = "cancel "
	answerMessage = "answer "
	stopMessage   = "stop "
)

// hear does what another process asks for.
func (w *Worker) hear(message string) {
	verb, id, _ := strings.Cut(message, " ")
	w.mu.Lock()
	a, mine := w.active[id]
	w.mu.Unlock()
	if !mine {
		return
	}
	switch verb + " " {
	case cancelMessage:
		a.stop(aborted())
	case stopMessage:
		a.stop(stopped())
	case answerMessage:
		a.answered()
	}
}

// Until says what a wait is for, beside the end of the run: a task that matches.
type Until func(task.Entry) bool

// UntilType waits for a task whose content is of one of some types.
func UntilType(types ...tool.ContentType) Until {
	return func(e task.Entry) bool {
		for _, t := range types {
			if e.Task.Type == t {
				return true
			}
		}
		return false
	}
}

// WaitOptions say how long and for what a run is waited for.
type WaitOptions struct {
	// Until matches the task that ends the wait; nil waits for the end of the run.
	Until Until
	// Timeout; 0 is none.
	Timeout time.Duration
	// ErrorEnds: an error task ends the wait.
	ErrorEnds bool
	// StopRest: once a task has matched, what is left of the run is cancelled.
	StopRest bool
}

// Reason is why a wait ended.
type Reason string

// The reasons.
const (
	ReasonMatched Reason = "matched"
	ReasonSettled Reason = "settled"
	ReasonError   Reason = "error"
	ReasonAborted Reason = "aborted" // the run was cancelled
	ReasonTimeout Reason = "timeout"
	// ReasonUnknown: nobody knows whether a step happened, and the run waits for an answer.
	ReasonUnknown Reason = "unknown"
)

// Waited is what came of a wait.
type Waited struct {
	Reason Reason
	Run    task.Run
	// Match is the task that ended the wait; nil where none did.
	Match *task.Entry
	// Tasks that were seen, in the order of their numbers.
	Tasks []task.Entry
	// Value that a settled run came to; HasValue is false where it came to none.
	Value    any
	HasValue bool
}

// Wait waits for something to happen in a run that this worker carries out, or that is over.
// An end of ctx is its error; the run goes on.
func (w *Worker) Wait(ctx context.Context, id string, o WaitOptions) (Waited, error) {
	w.mu.Lock()
	a, ok := w.active[id]
	w.mu.Unlock()
	if !ok {
		return w.look(ctx, id, o)
	}
	return a.wait(ctx, o)
}

// wait waits for something to happen in the run.
func (a *active) wait(ctx context.Context, o WaitOptions) (Waited, error) {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout, errTimeout)
		defer cancel()
	}
	id := a.id
	var out Waited
	for {
		a.mu.Lock()
		changed := a.changed
		match, err := a.see(&out, o)
		out.Run = a.run
		broken, idle := a.broken, len(a.begun) == 0
		a.mu.Unlock()
		switch {
		case err != nil:
			return out, err
		case match:
			if o.StopRest && out.Reason == ReasonMatched {
				a.stop(aborted())
			}
			return out, nil
		case broken != nil:
			return out, fmt.Errorf("run %s cannot be kept, so it stands still. It goes on with: toolsmith resume %s. The cause: %w", id, id, broken)
		case out.Run.Status.Settled():
			return out, a.cameTo(&out)
		case out.Run.Status == task.RunUnknown && idle:
			out.Reason = ReasonUnknown
			return out, nil
		}
		select {
		case <-changed:
		case <-a.worker.base.Done():
			return out, &tool.Error{Code: CodeClosed, Message: fmt.Sprintf("The program that carries out run %s is ending. The run goes on with: toolsmith resume %s", id, id), Cause: errClosed}
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), errTimeout) {
				out.Reason = ReasonTimeout
				return out, nil
			}
			return out, fmt.Errorf("wait for run %s: %w", id, ctx.Err())
		}
	}
}

var errTimeout = errors.New("the time for the wait is over")

// cameTo fills in how a settled run ended, and what it came to.
func (a *active) cameTo(out *Waited) (err error) {
	out.Reason = ReasonSettled
	if out.Run.Status == task.RunCancelled {
		out.Reason = ReasonAborted
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if out.Value, out.HasValue, err = a.graph.Result(a.read); err != nil {
		return fmt.Errorf("read what run %s came to: %w", out.Run.ID, err)
	}
	return nil
}

// see adds the tasks that were not seen yet, and reports whether one ends the wait. The
// caller holds mu.
func (a *active) see(out *Waited, o WaitOptions) (bool, error) {
	for seq := len(out.Tasks); seq < a.graph.Len(); seq++ {
		t := a.graph.Task(seq)
		data, err := a.read(t.Content)
		if err != nil {
			return false, err
		}
		entry := task.Entry{Task: *t, State: a.graph.State(seq), Data: data}
		out.Tasks = append(out.Tasks, entry)
		if o.Until != nil && o.Until(entry) {
			out.Reason, out.Match = ReasonMatched, &entry
			return true, nil
		}
		if o.ErrorEnds && t.Type == tool.TypeError {
			out.Reason, out.Match = ReasonError, &entry
			return true, nil
		}
	}
	return false, nil
}

// look gives what is kept of a run that this worker does not carry out.
func (w *Worker) look(ctx context.Context, id string, o WaitOptions) (Waited, error) {
	view, err := w.Engine.View(ctx, id)
	if err != nil {
		return Waited{}, err
	}
	a := &active{worker: w, keep: ctx, run: view.Run, graph: view.Graph, contents: newCache()}
	out := Waited{Run: view.Run}
	if match, err := a.see(&out, o); err != nil || match {
		return out, err
	}
	switch {
	case out.Run.Status.Settled():
		return out, a.cameTo(&out)
	case out.Run.Status == task.RunUnknown:
		out.Reason = ReasonUnknown
		return out, nil
	}
	return out, &tool.Error{Code: CodeRunBusy, Message: fmt.Sprintf("Run %s is not carried out here. Take it up with: toolsmith resume %s", id, id)}
}

// Job is one call of a forged or coded tool as a run of its own.
type Job struct {
	Tool  *check.Checked
	Input any
	// Files are the other tools of the file that Tool is from, which it may call.
	Files []*check.Checked
	// Installed tells a tool of the registry from one that is run from its file.
	Installed bool
	// Caller says who asks.
	Caller string
	// RunID; "" makes one.
	RunID string
	// Steps is told of each step of the flow as it happens, and Observe of all that happens in
	// the run; nil for nobody. They must not block.
	Steps   func(flow.Event)
	Observe func(Event)
}

// observe hands on what the job wants to be told.
func (j Job) observe(e Event) {
	if e.Flow != nil && j.Steps != nil {
		j.Steps(*e.Flow)
	}
	if j.Observe != nil {
		j.Observe(e)
	}
}

// Outcome is a run of a forged tool that is over.
type Outcome struct {
	flow.Result
	Run     task.Run
	Elapsed time.Duration
}

// Run runs a forged tool and waits for its end. When ctx ends the run is cancelled, and its
// end is waited for. The error is for what keeps a run from beginning or from being kept.
func (w *Worker) Run(ctx context.Context, job Job) (Outcome, error) {
	request := engine.Request{
		ID: job.RunID, Caller: job.Caller, Title: job.Tool.Title(),
		Chains: [][]task.Draft{{task.CallOf(task.Call{Name: job.Tool.Name(), Arguments: job.Input})}},
	}
	if !job.Installed {
		request.Files = append([]*check.Checked{job.Tool}, job.Files...)
	}
	_, a, err := w.begin(ctx, ctx, request, job.observe)
	if err != nil {
		return Outcome{}, err
	}
	waited, err := a.wait(ctx, WaitOptions{})
	if err != nil && ctx.Err() != nil {
		a.stop(aborted())
		waited, err = a.wait(context.WithoutCancel(ctx), WaitOptions{})
	}
	if err != nil {
		return Outcome{}, err
	}
	a.mu.Lock()
	out := Outcome{Run: waited.Run, Result: a.flows[0]}
	a.mu.Unlock()
	if out.Result.Status == "" { // a coded tool, or a flow that was never begun
		out.Result = flow.Result{Status: flow.Status(waited.Run.Status), Output: waited.Value, Trace: out.Result.Trace, Calls: out.Result.Calls}
		if f := waited.Run.Failure; f != nil {
			out.Result.Failure = &flow.Failure{Code: f.Code, Message: f.Message}
		}
	}
	if waited.Run.SettledAt != nil {
		out.Elapsed = waited.Run.SettledAt.Sub(waited.Run.CreatedAt)
	}
	return out, nil
}
