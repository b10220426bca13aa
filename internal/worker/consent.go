package worker

import (
	"context"
	"errors"
	"strings"
	"time"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// askedWhy begins why a call waits that was asked about; the id of the question follows.
const askedWhy = "for your answer to "

// asksFor reports whether an execution waits for an answer.
func asksFor(e task.Execution) bool {
	return e.State == task.Waiting && strings.HasPrefix(e.Why, askedWhy)
}

// admitted asks the engine whether the call may begin; where it may not, or not yet, it gives
// what the call comes to.
func (c *call) admitted(found *engine.Callable) (outcome, bool) {
	c.mu.Lock()
	before, asked := c.seen, c.asked[c.seq]
	by := c.calledBy()
	c.mu.Unlock()
	admission, err := c.worker.Engine.Admit(c.keep, engine.Asking{
		Run: c.run, Seq: c.seq, Call: found, Arguments: c.arguments, Before: before, By: by, Asked: asked,
	})
	switch {
	case err != nil:
		return failed(c.worker.storeFailure(err)), false
	case admission.Failure != nil && (admission.Failure.Code == engine.CodeStopped || admission.Failure.Code == task.CodeAborted):
		why := stopped()
		if admission.Failure.Code == task.CodeAborted {
			why = aborted()
		}
		c.stop(why)       // heard here before whoever stopped it, or everything, has told it
		if c.hasSteps() { // it had begun, and takes back what it did
			return outcome{}, true
		}
		out := failed(admission.Failure)
		out.cancelled = true
		return out, false
	case admission.Failure != nil:
		return failed(admission.Failure), false
	case admission.Question != nil:
		return outcome{question: admission.Question}, false
	}
	c.granted, c.arguments = admission.Granted, admission.Arguments
	c.mu.Lock()
	c.seen = c.seen.With(found.Name, found.Marks())
	c.mu.Unlock()
	return outcome{}, true
}

// hasSteps reports whether steps of the call are kept: it is a flow that had begun before.
func (c *call) hasSteps() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.graph.Steps(c.seq) != nil
}

// calledBy names the tool whose result made the call; "" for the run itself. The caller holds
// mu.
func (c *call) calledBy() string {
	if c.task.Parent.None() {
		return ""
	}
	if seq, ok := c.graph.Seq(c.task.Parent); ok {
		return c.graph.Task(seq).Name
	}
	return ""
}

// parkAsked keeps that a call waits for an answer, which counts as no try of it: it has not begun,
// or it begins anew with what its tool has asked for.
func (c *call) parkAsked(q *consent.Question) error {
	attempts := c.attempts - 1
	until := q.ExpiresAt
	parked := task.Execution{Seq: c.seq, State: task.Waiting, Why: askedWhy + q.ID, Attempts: attempts, WakeAt: &until, Worker: c.owner}
	c.mu.Lock()
	c.asked[c.seq], c.asking[c.seq] = true, true
	if q.Form != nil { // it has begun, and may have read what the run did not have before
		parked.StartedAt, parked.Granted = &c.began, c.granted
	} else {
		delete(c.active.began, c.seq)
	}
	c.mu.Unlock()
	then := func() {
		c.mu.Lock()
		c.active.attempts[c.seq] = attempts
		if c.stopCause == nil && c.broken == nil { // before anybody can answer, so that it does not outlive the wait
			c.timers[c.seq] = time.AfterFunc(until.Sub(c.worker.Clock.Now()), func() { c.lookAgain(c.seq) })
		}
		c.mu.Unlock()
		c.tell(Event{RunID: c.id, Task: &c.task, State: task.Waiting, Question: q, Status: task.RunWaiting})
	}
	err := c.commit(0, func(tx store.Tx, _ int) (change, error) {
		return change{moves: []move{{c.seq, task.Waiting}}, then: then}, tx.Graph().PutExecution(c.keep, c.id, parked)
	})
	if err != nil {
		return err
	}
	// It may have been answered before it was kept that it waits.
	if now, err := c.worker.Engine.Question(c.keep, q.ID); err == nil && now.State != consent.Open {
		c.answered()
	}
	return nil
}

// answered has the calls that wait for an answer look again.
func (a *active) answered() {
	a.mu.Lock()
	var waiting []int
	for seq := range a.asking {
		if a.graph.State(seq) == task.Waiting {
			waiting = append(waiting, seq)
		}
	}
	a.mu.Unlock()
	for _, seq := range waiting {
		a.lookAgain(seq)
	}
}

// lookAgain has a call that waits for an answer look whether it is there. Several may say so at
// once: who answered, whoever kept that it waits, and the end of the time. The first counts.
func (a *active) lookAgain(seq int) {
	a.mu.Lock()
	if a.stopCause != nil || a.broken != nil || !a.asking[seq] || a.graph.State(seq) != task.Waiting {
		a.mu.Unlock()
		return
	}
	if timer := a.timers[seq]; timer != nil {
		timer.Stop()
	}
	delete(a.timers, seq)
	delete(a.asking, seq)
	if err := a.graph.Wake(seq); err != nil {
		a.fall(err)
	}
	a.follow()
}

// recall works out what a run that is taken up has read and was asked about.
func (a *active) recall(view *engine.View) error {
	for seq, e := range view.Executions {
		t := view.Graph.Task(seq)
		if asksFor(e) {
			a.asking[seq] = true
		}
		a.asked[seq] = !e.State.Final() // whether or not it was, it is looked for
		if t.Step != "" || e.StartedAt == nil {
			continue
		}
		found, err := a.tool(t.Name)
		if _, known := engine.FaultCode(err); err != nil && !known {
			return err
		}
		if err != nil { // nobody knows what it was
			a.seen = consent.History{Private: t.Name, Untrusted: t.Name}
			continue
		}
		a.seen = a.seen.With(t.Name, found.Marks())
	}
	return nil
}

// stopped is why a run ends when everything is stopped.
func stopped() *task.Failure {
	return &task.Failure{Code: engine.CodeStopped, Message: "Everything was stopped."}
}

// Decide answers a question and has the calls that it is about go on: at once where this
// worker carries the run out, else through the process that does. left is true where nobody
// carries it out, so that it goes on when it is resumed.
func (w *Worker) Decide(ctx context.Context, id string, answer consent.Answer) (q consent.Question, left bool, err error) {
	if q, err = w.Engine.Decide(ctx, id, answer); err != nil {
		return q, false, err
	}
	if left, err = w.tellOwner(ctx, q.Run, answerMessage, (*active).answered); err != nil || q.Answer.For != consent.Always {
		return q, left, err
	}
	return q, left, w.tellOthers(ctx, q)
}

// tellOthers has the calls of other runs look again that may be allowed by what was now
// allowed for always.
func (w *Worker) tellOthers(ctx context.Context, q consent.Question) error {
	list, err := w.Engine.Questions(ctx, true, 0)
	if err != nil {
		return err
	}
	told := map[string]bool{q.Run: true}
	var errs []error
	for _, other := range list {
		if other.Tool != q.Tool || other.Version != q.Version || told[other.Run] {
			continue
		}
		told[other.Run] = true
		_, err := w.tellOwner(ctx, other.Run, answerMessage, (*active).answered)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// tellOwner has a run hear something, wherever it is carried out. left is true where nobody
// carries it out.
func (w *Worker) tellOwner(ctx context.Context, id, message string, here func(*active)) (left bool, err error) {
	w.mu.Lock()
	a, mine := w.active[id]
	w.mu.Unlock()
	if mine {
		here(a)
		return false, nil
	}
	run, err := w.Engine.Run(ctx, id)
	if err != nil {
		return false, err
	}
	if err := w.Start(ctx); err != nil {
		return false, err
	}
	if run.Owner == w.lease.ID() {
		return true, nil
	}
	err = w.lease.Notify(run.Owner, message+id)
	if errors.Is(err, store.ErrGone) {
		return true, nil
	}
	return false, err
}

// SecretGiven has the calls go on that wait for a secret of a tool that is kept by now.
func (w *Worker) SecretGiven(ctx context.Context, name, secret string) error {
	answered, err := w.Engine.SecretGiven(ctx, name, secret)
	if err != nil {
		return err
	}
	for _, q := range answered {
		if _, err := w.tellOwner(ctx, q.Run, answerMessage, (*active).answered); err != nil {
			return err
		}
	}
	return nil
}

// Stop stops everything: nothing begins any more, here and in other processes, and runs that
// are not over are told to end. It gives how many they are.
func (w *Worker) Stop(ctx context.Context) (told int, already bool, err error) {
	runs, already, err := w.Engine.Stop(ctx)
	if err != nil {
		return 0, false, err
	}
	var errs []error
	for _, run := range runs {
		_, err := w.tellOwner(ctx, run.ID, stopMessage, func(a *active) { a.stop(stopped()) })
		if tool.Code(err) != engine.CodeRunNotFound {
			errs = append(errs, err)
		}
	}
	return len(runs), already, errors.Join(errs...)
}

// permitted asks the gate again for a step of a flow: what a person has set meanwhile counts.
func (j *journal) permitted(ctx context.Context, power tool.Power) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), gateTime)
	defer cancel()
	err := j.worker.Engine.Permitted(ctx, j.found, power)
	if tool.Code(err) == engine.CodeStopped {
		j.stop(stopped())
	}
	return err
}

// gateTime is how long the gate may take for a step.
const gateTime = 10 * time.Second
