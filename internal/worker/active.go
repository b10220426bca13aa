package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/secret"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// active is a run that this worker carries out.
//
// What happens in it is committed first and then put into the graph in memory, so that
// nothing follows from what could still be lost. The store numbers the tasks; a commit that
// comes back before one that has lower numbers waits for it in late.
type active struct {
	worker *Worker
	// What the run is called, whose it is, who asked for it and its limits never change.
	id, owner, caller string
	limits            task.Limits
	// ctx is that of all its calls; its cause says why it ended.
	ctx    context.Context
	cancel context.CancelCauseFunc
	// forget ends what the end of the worker would do to ctx.
	forget func() bool
	// keep is the context of what has to be kept whatever becomes of the run.
	keep context.Context
	// deadline stops the run at the end of its time.
	deadline *time.Timer

	mu       sync.Mutex
	run      task.Run
	graph    *task.Graph
	contents *cache
	tools    map[string]*engine.Callable
	late     map[int]change
	// open is how many calls are not over; writing how many commits are under way.
	open, writing int
	// queued is how many calls were given out and are not begun.
	queued int
	// begun are the calls that are being carried out, and timers those that wait for a time.
	begun  map[int]bool
	timers map[int]*time.Timer
	// asking are calls that wait for an answer, and asked those that were ever asked about.
	asking, asked map[int]bool
	// secrets are those that calls of the run have used; nil where there are none at all.
	secrets *secret.Use
	// seen is what the calls that were allowed may have read.
	seen consent.History
	// woken: the run waited, and that it goes on has not been kept yet.
	woken bool
	// unwinding are flows that stood still when the run was stopped: they are gone through
	// once more, as far as they had come, to take back what they did.
	unwinding map[int]bool
	// stopCause is why the run was stopped before its end; nil if it was not.
	stopCause *task.Failure
	// stopped: what had not begun has been cancelled in the graph, and what is added is too.
	stopped bool
	// ended are calls that were cancelled so in the graph, and are not kept as that yet.
	ended []int
	// lost: something that was done could not be undone.
	lost bool
	// began is when calls were first begun.
	began map[int]time.Time
	// errors counts the calls that failed, and attempts those of calls that wait.
	errors   int
	attempts map[int]int
	// equal counts failures of one kind that followed each other.
	equal equalFailures
	// flows are the results of flows, by their calls, for those who wait in this process.
	flows map[int]flow.Result
	// broken is why the run cannot be kept any more by this worker; nil while it can.
	broken error
	// changed is closed, and made anew, whenever something has changed.
	changed chan struct{}
	// audience is told of what happens in this run, beside those who are told of all.
	audience audience
}

// change is what one commit did to the graph.
type change struct {
	tasks []task.Task
	moves []move
	// settles is the run as it was kept, where this ended it; nil otherwise.
	settles *task.Run
	// then is done before anything follows from the change; nil for nothing.
	then func()
	// stops: nothing begins any more once the change has been made.
	stops bool
}

type move struct {
	seq int
	to  task.State
}

// Event is something that happened in a run, told after it was kept (a flow's events are
// told as they happen).
type Event struct {
	RunID string
	// Caller says who asked for the run.
	Caller string
	// Task that became something; nil for what happened to the run.
	Task *task.Task
	// State that the task is in now.
	State task.State
	// Progress of a call that tells it; nil for others.
	Progress *Progress
	// Question that has to be answered before the task begins; nil for others.
	Question *consent.Question
	// Flow is an event of the flow that the task calls; nil for others.
	Flow *flow.Event
	// Status of the run now.
	Status task.RunStatus
}

// Progress is how far a call says that it is: Done of Total, in units of its own.
type Progress struct {
	Done, Total float64
	Note        string
}

// activate makes a run one that is carried out. It is stopped when the context of whoever
// asked for it ends; that of the worker is for one that nobody waits for.
func (w *Worker) activate(asked context.Context, run task.Run, graph *task.Graph, observe func(Event)) *active {
	ctx, cancel := context.WithCancelCause(asked)
	forget := context.AfterFunc(w.base, func() { cancel(errClosed) })
	a := &active{
		worker: w, id: run.ID, caller: run.Caller, owner: run.Owner, limits: run.Limits, ctx: ctx, cancel: cancel, forget: forget, keep: context.WithoutCancel(w.base), run: run, graph: graph, contents: newCache(),
		tools: map[string]*engine.Callable{}, late: map[int]change{}, begun: map[int]bool{}, timers: map[int]*time.Timer{}, asking: map[int]bool{}, asked: map[int]bool{},
		flows: map[int]flow.Result{}, attempts: map[int]int{}, began: map[int]time.Time{}, unwinding: map[int]bool{}, changed: make(chan struct{}),
	}
	a.audience.join(observe)
	if w.Vault != nil {
		a.secrets = w.Vault.NewUse()
	}
	a.open = len(graph.Unfinished(task.Queued, task.Waiting, task.Running, task.Unknown))
	return a
}

// limitTime has the run stopped at the end of its time, which may be over. The caller holds mu.
func (a *active) limitTime() {
	left := a.run.CreatedAt.Add(a.limits.Time).Sub(a.worker.Clock.Now())
	a.deadline = time.AfterFunc(left, func() {
		a.stop(&task.Failure{Code: task.CodeRunTime, Message: fmt.Sprintf("The run took longer than %s.", a.limits.Time)})
	})
}

// CodeClosed is the code for what a worker is asked for that is closed.
const CodeClosed = "WORKER_CLOSED"

// errClosed is why the context of a run ends whose worker is closed.
var errClosed = errors.New("the worker has been closed")

// read gives the data of a content.
func (a *active) read(id task.ID) (any, error) {
	if v, ok := a.contents.get(id); ok {
		return v, nil
	}
	var found []task.Content
	err := a.worker.Store.Read(a.keep, func(tx store.Tx) (err error) {
		found, err = tx.Graph().Contents(a.keep, a.run.ID, []task.ID{id})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read a content: %w", err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("content %s is not there", id)
	}
	v, err := found[0].Value()
	if err == nil {
		a.contents.put(id, v, len(found[0].JSON))
	}
	return v, err
}

// tool gives a tool by its name, as the run sees it.
func (a *active) tool(name string) (*engine.Callable, error) {
	a.mu.Lock()
	known, ok := a.tools[name]
	run := a.run
	a.mu.Unlock()
	if ok {
		return known, nil
	}
	found, err := a.worker.Engine.Find(a.keep, run, name)
	if err != nil {
		return nil, err
	}
	if found.Kind == engine.KindClient {
		return found, nil // its program may change it, and a call that comes later is asked about anew
	}
	a.mu.Lock()
	a.tools[name] = found
	a.mu.Unlock()
	return found, nil
}

// commit keeps something of the run in one transaction and then puts it into the graph. fn
// is given the number that the first of count new tasks has, and gives what to put in; it
// may be called again for the same commit.
func (a *active) commit(count int, fn func(tx store.Tx, first int) (change, error)) error {
	a.mu.Lock()
	if a.broken != nil {
		defer a.mu.Unlock()
		return a.broken
	}
	a.writing++
	run := a.run
	a.mu.Unlock()
	var done change
	var first int
	err := a.worker.Store.Write(a.keep, func(tx store.Tx) (err error) {
		if first, err = tx.Graph().Reserve(a.keep, run.ID, run.Owner, count); err != nil {
			return err
		}
		done, err = fn(tx, first)
		return err
	})
	a.mu.Lock()
	if err != nil {
		a.writing--
		a.mu.Unlock()
		return err
	}
	if count == 0 {
		a.apply(done) // another commit may be late under the same number
	} else {
		a.late[first] = done
	}
	for {
		next, ok := a.late[a.graph.Len()]
		if !ok {
			break
		}
		delete(a.late, a.graph.Len())
		a.apply(next)
	}
	if done.settles != nil {
		a.run = *done.settles
	}
	if done.then != nil {
		a.mu.Unlock()
		done.then()
		a.mu.Lock()
	}
	a.writing--
	a.follow()
	if done.settles != nil {
		a.settled(*done.settles)
	}
	return nil
}

// apply puts a change into the graph. The caller holds mu.
func (a *active) apply(c change) {
	err := a.graph.Add(c.tasks)
	for _, t := range c.tasks {
		if t.Calls() {
			a.open++
		}
	}
	for _, m := range c.moves {
		if err == nil && m.to.Final() && !a.graph.State(m.seq).Final() {
			a.open--
		}
		err = errors.Join(err, a.graph.Move(m.seq, m.to))
		if m.to == task.Waiting || m.to == task.Unknown {
			delete(a.begun, m.seq)
		}
	}
	if c.stops || a.stopped {
		a.stopped = true
		for _, seq := range append(a.doubtful(), a.graph.Unfinished(task.Unknown)...) {
			if !a.begun[seq] {
				err = errors.Join(err, a.graph.Move(seq, task.Cancelled))
				a.ended = append(a.ended, seq)
			}
		}
		a.ended = append(a.ended, a.graph.Stop()...)
		for _, t := range c.tasks { // the first of a chain is cancelled as soon as it is there
			if t.Calls() && t.Step == "" && a.graph.State(t.Seq) == task.Cancelled && !slices.Contains(a.ended, t.Seq) {
				a.ended = append(a.ended, t.Seq)
			}
		}
	}
	if err != nil {
		a.fall(fmt.Errorf("the graph of run %s is not what was kept: %w", a.id, err))
	}
}

// follow does what a change of the graph has led to. The caller holds mu, which is free
// when it returns.
func (a *active) follow() {
	ready, skipped := a.graph.Ready(), a.graph.Skipped()
	ended := a.ended
	a.ended = nil
	a.open -= len(skipped) + len(ended)
	a.queued += len(ready)
	stands := a.stands()
	if len(skipped)+len(ended) > 0 || stands == a.run.Status {
		stands = ""
	}
	settled := a.graph.Settled() && a.writing == 0 && len(a.late) == 0 && !a.run.Status.Settled()
	a.alert()
	a.mu.Unlock()
	for _, seq := range ready {
		a.worker.enqueue(a, seq)
	}
	if len(skipped) > 0 {
		a.keepEnded(skipped, task.Skipped, "a task before it failed")
		return
	}
	if len(ended) > 0 {
		a.keepEnded(ended, task.Cancelled, a.stopCause.Code)
		return
	}
	switch {
	case settled:
		a.settle()
	case stands != "":
		a.keepStanding(stands)
	}
}

// stands gives the status of a run in which nothing happens before a time has come or
// somebody has answered; "" for one in which something does. The caller holds mu.
func (a *active) stands() task.RunStatus {
	switch {
	case a.queued+len(a.begun)+a.writing+len(a.late) > 0 || a.stopCause != nil || a.broken != nil || a.run.Status.Settled():
		return ""
	case len(a.graph.Unfinished(task.Waiting)) > 0:
		return task.RunWaiting
	case len(a.graph.Unfinished(task.Unknown)) > 0:
		return task.RunUnknown
	}
	return ""
}

// keepStanding keeps that a run stands still, unless it goes on already or is over: whoever
// answers does not wait for this.
func (a *active) keepStanding(status task.RunStatus) {
	then := func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		switch {
		case a.run.Status.Settled():
		case a.queued+len(a.begun) > 0: // it goes on already
			a.woken = true
		default:
			a.run.Status = status
		}
	}
	err := a.commit(0, func(tx store.Tx, _ int) (change, error) {
		a.mu.Lock()
		run := a.run
		moves := run.Status.Settled() || a.stopCause != nil || a.queued+len(a.begun) > 0 || a.graph.Settled()
		a.mu.Unlock()
		if moves {
			return change{}, nil
		}
		run.Status = status
		return change{then: then}, tx.Graph().PutRun(a.keep, run)
	})
	if err != nil {
		a.fallBack(err)
	}
}

// keepEnded keeps what calls that never began have become, and goes on then.
func (a *active) keepEnded(ended []int, state task.State, why string) {
	now := a.worker.Clock.Now()
	err := a.commit(0, func(tx store.Tx, _ int) (change, error) {
		for _, seq := range ended {
			if err := tx.Graph().PutExecution(a.keep, a.id, task.Execution{Seq: seq, State: state, Why: why, FinishedAt: &now}); err != nil {
				return change{}, err
			}
		}
		return change{}, nil
	})
	if err != nil {
		a.fallBack(err)
	}
}

// settle keeps that the run is over.
func (a *active) settle() {
	a.mu.Lock()
	if a.run.Status.Settled() || a.broken != nil {
		a.mu.Unlock()
		return
	}
	run := a.outcome(a.graph)
	a.mu.Unlock()
	err := a.worker.Store.Write(a.keep, func(tx store.Tx) error { return tx.Graph().PutRun(a.keep, run) })
	if err != nil {
		a.fallBack(err)
		return
	}
	a.settled(run)
}

// settled ends the work on a run that was kept as over.
func (a *active) settled(run task.Run) {
	a.mu.Lock()
	a.run = run
	a.alert()
	a.mu.Unlock()
	a.end()
	a.tell(Event{RunID: run.ID, Status: run.Status})
}

// end lets go of a run.
func (a *active) end() {
	a.deadline.Stop()
	a.mu.Lock()
	for _, timer := range a.timers {
		timer.Stop()
	}
	a.mu.Unlock()
	a.forget()
	a.cancel(nil)
	a.worker.drop(a)
}

// ending gives the run as it is over once a change has happened, if it is over then: so
// that the last call of a run and its end are kept at once. The caller does not hold mu.
func (a *active) ending(c change, lost bool) (*task.Run, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open != 1 || a.writing != 1 || len(a.late) > 0 || a.stopCause != nil || a.run.Status.Settled() {
		return nil, nil
	}
	for _, t := range c.tasks {
		if t.Calls() {
			return nil, nil
		}
	}
	after, err := a.graph.Clone()
	if err != nil {
		return nil, err
	}
	if err := after.Add(c.tasks); err != nil {
		return nil, err
	}
	for _, m := range c.moves {
		if err := after.Move(m.seq, m.to); err != nil {
			return nil, err
		}
	}
	if !after.Settled() {
		return nil, nil
	}
	run := a.outcome(after)
	if lost {
		run.Status = task.RunRecoveryRequired
	}
	return &run, nil
}

// outcome gives the run as it is when all of it is settled. The caller holds mu.
func (a *active) outcome(graph *task.Graph) task.Run {
	run, now := a.run, a.worker.Clock.Now()
	run.SettledAt = &now
	run.Tasks = graph.Len()
	failed := slices.DeleteFunc(graph.Unfinished(task.Failed), func(seq int) bool { return graph.Task(seq).Step != "" })
	run.Errors = len(failed)
	switch graph.Outcome() {
	case task.Good:
		run.Status = task.RunSucceeded
		return run
	case task.Void:
		run.Status = task.RunCancelled
	default:
		run.Status = task.RunFailed
	}
	run.Failure = a.stopCause
	if run.Failure == nil && len(failed) > 0 {
		run.Failure = a.failureOf(graph, failed)
	}
	if a.stopCause != nil && a.stopCause.Code != task.CodeAborted && a.stopCause.Code != engine.CodeStopped {
		run.Status = task.RunFailed
	}
	if a.lost {
		run.Status = task.RunRecoveryRequired
	}
	return run
}

// failureOf gives the error of the first call that failed and was not recovered.
func (a *active) failureOf(graph *task.Graph, failed []int) *task.Failure {
	for _, seq := range failed {
		if graph.OutcomeOf(seq) == task.Good {
			continue
		}
		families := graph.Families(seq)
		for _, chain := range slices.Backward(families) {
			if graph.Task(chain[0]).Type != tool.TypeError {
				continue
			}
			if data, err := a.read(graph.Task(chain[0]).Content); err == nil {
				return task.ReadFailure(data)
			}
		}
	}
	return nil
}

// fallBack gives a run up that cannot be kept: it stays as it was kept last, and can be
// taken up again.
func (a *active) fallBack(err error) {
	a.mu.Lock()
	a.fall(err)
	a.mu.Unlock()
	a.end()
}

// fall notes why the run cannot be kept. The caller holds mu.
func (a *active) fall(err error) {
	if a.broken == nil {
		a.broken = err
		a.worker.Log.Error("run given up", "run", a.id, "cause", chain(err))
		a.alert()
	}
}

// leaves reports whether the run is left as it is, to be taken up again: its worker is going
// down, or cannot keep it. The caller holds mu.
func (a *active) leaves() bool {
	return a.broken != nil || a.stopCause == nil && a.worker.base.Err() != nil
}

// alert wakes those who wait for something to happen. The caller holds mu.
func (a *active) alert() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// differs gives the run as it is to be kept, and whether it is kept otherwise: because it
// has ended, or goes on after a wait.
func (a *active) differs(ended *task.Run) (task.Run, bool) {
	if ended != nil {
		return *ended, true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.run, a.woken
}

func (a *active) tell(e Event) {
	e.Caller = a.caller
	a.audience.tell(e)
	a.worker.watchers.tell(e)
}

// equalFailures counts failures that are the same: of one tool, with the same arguments and
// the same error.
type equalFailures struct {
	last  string
	count int
}

// most is how many equal failures in a row stop a run.
const mostEqual = 3

// add counts a failure, and reports whether it is one too many.
func (e *equalFailures) add(name string, arguments any, f *task.Failure) bool {
	this := name + "\x00" + value.JSON(arguments) + "\x00" + f.Code + "\x00" + f.Message
	if this != e.last {
		e.last, e.count = this, 0
	}
	e.count++
	return e.count >= mostEqual
}
