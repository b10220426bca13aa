package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/schema"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// call is one execution of a tool under way.
type call struct {
	*active
	seq  int
	task task.Task
	// data is what the task says, and arguments what it is really called with.
	data      task.Call
	arguments any
	began     time.Time
	attempts  int
	// unwinds: it is a flow that is only gone through to take back what it did.
	unwinds bool
	// stepped: steps of it are kept, though perhaps not in the graph yet.
	stepped bool
	// over: its end is being kept, or has been.
	over bool
	// granted names what allowed it.
	granted string
}

// outcome is what a call came to.
type outcome struct {
	task.Result
	// cancelled: it was stopped before its end.
	cancelled bool
	// lost: what it did could not all be undone.
	lost bool
	// wakeAt is when it wants to be called again; nil for never.
	wakeAt *time.Time
	// question that has to be answered before it begins; nil for none.
	question *consent.Question
	// unknown is why nobody knows whether a step of it happened; "" if that is known.
	unknown string
	// steps only looked at something, and are kept with the outcome, behind the step last; none for the
	// first.
	steps []smallStep
	last  task.ID
	// abandoned are steps of it that were sent out and stopped before their end.
	abandoned []int
	// effect is carried out in the transaction that keeps the outcome, and gives its value, so
	// that it happens exactly once; nil for none.
	effect func(tx store.Tx) (any, error)
}

func failed(f *task.Failure) outcome { return outcome{Result: task.Result{Failure: f}} }

// work carries out one call that is ready.
func (a *active) work(seq int) {
	c, ok := a.begin(seq)
	if !ok {
		return
	}
	if err := c.finish(c.carryOut()); err != nil {
		a.fallBack(err)
	}
}

// begin takes a call up, unless the run has been stopped or given up.
func (a *active) begin(seq int) (*call, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queued--
	if a.unwinding[seq] {
		delete(a.unwinding, seq) // it may stand in the queue twice
		return &call{active: a, seq: seq, task: *a.graph.Task(seq), began: a.worker.Clock.Now(), attempts: a.attempts[seq], unwinds: true}, true
	}
	if a.stopCause != nil || a.broken != nil || a.begun[seq] || a.graph.State(seq).Final() {
		return nil, false
	}
	if err := a.graph.Move(seq, task.Running); err != nil {
		a.fall(err)
		return nil, false
	}
	a.begun[seq] = true
	if a.run.Status == task.RunWaiting || a.run.Status == task.RunUnknown {
		a.run.Status, a.woken = task.RunRunning, true
	}
	c := &call{active: a, seq: seq, task: *a.graph.Task(seq), began: a.worker.Clock.Now(), attempts: a.attempts[seq] + 1}
	if first, again := a.began[seq]; again {
		c.began = first
	}
	a.began[seq] = c.began
	return c, true
}

// carryOut runs the tool of a call, whatever kind it is.
func (c *call) carryOut() (out outcome) {
	data, err := c.read(c.task.Content)
	if err != nil {
		return failed(c.worker.storeFailure(err))
	}
	if c.data, err = task.ReadCall(data); err != nil {
		return failed(&task.Failure{Code: task.CodeResultInvalid, Message: err.Error()})
	}
	found, err := c.tool(c.data.Name)
	switch tool.Code(err) {
	case store.CodeUnavailable, store.CodeBusy:
		return failed(c.worker.storeFailure(err))
	}
	if err != nil {
		return failed(&task.Failure{Code: codeOf(err), Message: messageOf(err)})
	}
	if failure := c.fill(found); failure != nil {
		return failed(failure)
	}
	if !c.unwinds { // what takes back was allowed with what it takes back
		if out, admitted := c.admitted(found); !admitted {
			return out
		}
	}
	within := c.ctx
	if c.unwinds {
		within = c.keep // that of the run is over
	}
	ctx, cancel := context.WithTimeout(within, c.limits.CallTime)
	defer cancel()
	c.tell(Event{RunID: c.id, Task: &c.task, State: task.Running, Status: task.RunRunning})
	long := time.AfterFunc(c.worker.ShowAfter, c.show)
	defer long.Stop()
	switch found.Kind {
	case engine.KindFlow:
		out = c.runFlow(ctx, found)
	case engine.KindNative:
		out = c.runNative(ctx, found)
	case engine.KindScript:
		out = c.runScript(ctx, found)
	case engine.KindClient:
		out = c.runClient(ctx, found)
	default:
		out = c.runCapability(ctx, found)
	}
	return c.interrupted(ctx, c.scrubbed(out))
}

// show keeps that the call is running, for those who look at the run meanwhile.
func (c *call) show() {
	_ = c.worker.Store.Write(c.keep, func(tx store.Tx) error { // it is for looking at only
		if _, err := tx.Graph().Reserve(c.keep, c.id, c.owner, 0); err != nil {
			return err
		}
		c.mu.Lock()
		over := c.over || c.broken != nil
		c.mu.Unlock()
		if over {
			return nil
		}
		return tx.Graph().PutExecution(c.keep, c.id, task.Execution{
			Seq: c.seq, State: task.Running, Attempts: c.attempts, StartedAt: &c.began, Worker: c.owner, Granted: c.granted,
		})
	})
}

// fill makes the arguments that the tool is called with.
func (c *call) fill(found *engine.Callable) *task.Failure {
	c.arguments = c.data.Arguments
	if task.UsesPrevious(c.arguments) {
		c.mu.Lock()
		previous, has, err := c.graph.Came(c.seq, c.read)
		c.mu.Unlock()
		if err != nil {
			return c.worker.storeFailure(err)
		}
		var failure *task.Failure
		if !has && c.data.RunOn == tool.RunOnSettled {
			c.arguments, has = task.FillNull(c.arguments), true
		}
		if c.arguments, failure = task.Fill(c.arguments, previous, has); failure != nil {
			return failure
		}
	}
	c.arguments = found.Effective(c.arguments)
	if size := value.Size(c.arguments); size > c.limits.Arguments {
		return &task.Failure{Code: task.CodeArgumentsLarge, Message: fmt.Sprintf(
			"The arguments have %d bytes; at most %d are allowed.", size, c.limits.Arguments)}
	}
	if found.Kind == engine.KindFlow {
		return nil // it measures its input itself, with codes of its own
	}
	if violations := found.Parameters.Validate(c.arguments); len(violations) > 0 {
		return &task.Failure{Code: task.CodeArgumentsInvalid, Message: "The arguments do not fit. " + schema.Join(violations), Details: listed(violations)}
	}
	return nil
}

func listed(violations []schema.Violation) any {
	list := make([]any, len(violations))
	for i, v := range violations {
		list[i] = map[string]any{"path": v.Path, "message": v.Message}
	}
	return map[string]any{"violations": list}
}

// interrupted makes of an outcome what it is when the call was stopped before its end.
func (c *call) interrupted(ctx context.Context, out outcome) outcome {
	if c.ctx.Err() != nil && c.worker.base.Err() == nil {
		c.stop(aborted()) // whoever asked for the run has gone
	}
	c.mu.Lock()
	why, leaving := c.stopCause, c.leaves()
	c.mu.Unlock()
	switch {
	case out.unknown != "" && why == nil && !leaving:
	case why != nil && (out.unknown != "" || out.Failure != nil || out.Chains != nil || out.wakeAt != nil || out.question != nil || out.effect != nil): // else it has done what it was to do
		told := &task.Failure{Code: why.Code, Message: why.Message}
		if out.Failure != nil {
			told.Details = out.Failure.Details // what the call had done until then
		}
		out.Result, out.cancelled, out.unknown = task.Result{Failure: told}, true, ""
	case leaving:
		out.cancelled = true
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && out.Failure != nil:
		out.Failure = &task.Failure{
			Code: task.CodeCallTime, Message: fmt.Sprintf("The call took longer than %s.", c.limits.CallTime), Details: out.Failure.Details,
		}
	}
	return out
}

// finish keeps what a call came to.
func (c *call) finish(out outcome) error {
	c.mu.Lock()
	c.over = true
	leaving := c.leaves()
	c.mu.Unlock()
	switch {
	case leaving:
		return nil
	case out.unknown != "":
		return c.park(task.Unknown, out.unknown, nil)
	case out.question != nil:
		return c.parkAsked(out.question)
	case out.wakeAt != nil:
		return c.park(task.Waiting, "until "+value.Time(*out.wakeAt), out.wakeAt)
	}
	if out.Failure == nil {
		if failure := c.admit(&out); failure != nil {
			out.Result = task.Result{Failure: failure}
		}
	}
	return c.keepOutcome(out)
}

// admit holds a result to the bounds of the run, and to what can be carried out.
func (c *call) admit(out *outcome) *task.Failure {
	if out.Chains == nil {
		return c.tooLarge(out.Value)
	}
	c.mu.Lock()
	used := c.graph.Len()
	c.mu.Unlock()
	if failure := c.limits.Measure(out.Chains, used, c.task.Depth+1); failure != nil {
		return failure
	}
	by, err := c.active.tool(c.task.Name)
	if err != nil {
		by = nil // a port that is closed, which declares nothing
	}
	faults, err := c.worker.Engine.Prepare(c.keep, c.run, out.Chains, by)
	if err != nil {
		return c.worker.storeFailure(err)
	}
	if len(faults) > 0 {
		return faults.Failure()
	}
	return nil
}

// tooLarge gives the failure of a plain value that is larger than allowed; nil for none.
func (c *call) tooLarge(v any) *task.Failure {
	size := value.Size(v)
	if size <= c.limits.Result {
		return nil
	}
	return &task.Failure{Code: task.CodeResultLarge, Message: fmt.Sprintf("The result has %d bytes; at most %d are allowed.", size, c.limits.Result)}
}

// entry is the tool that sees the outcome; "" for none. What the entry node itself came to
// is seen by nobody again, or it would never end.
func (c *call) entry(out outcome) string {
	if out.cancelled || c.task.Name == c.run.Entry {
		return ""
	}
	return c.run.Entry
}

// keepOutcome keeps what a call came to, with all that follows from it.
func (c *call) keepOutcome(out outcome) error {
	now := c.worker.Clock.Now()
	err := c.retrying(now, func(at int64) error { return c.keepAt(out, now, at) })
	var effect *effectError
	if errors.As(err, &effect) { // nothing of it was kept
		return c.keepOutcome(failed(c.effectFailure(effect)))
	}
	return err
}

// kept does what has to be done once an outcome is kept, before anything follows from it.
func (c *call) kept(out outcome) {
	stop := c.tally(out)
	c.tell(Event{RunID: c.id, Task: &c.task, State: out.state(), Status: task.RunRunning})
	if stop != nil {
		c.stop(stop)
	}
}

// effectError is an effect that failed, so that the transaction that it was part of was
// rolled back.
type effectError struct{ error }

func (e *effectError) Unwrap() error { return e.error }

// keepAt keeps an outcome in one commit. Its tasks count as made at a millisecond.
func (c *call) keepAt(out outcome, now time.Time, at int64) error {
	execution := task.Execution{
		Seq: c.seq, State: out.state(), Why: out.why(), Attempts: c.attempts, StartedAt: &c.began, FinishedAt: &now, Worker: c.owner,
		Granted: c.granted,
	}
	branches := c.branches()
	if len(out.steps) > 0 {
		branches = max(1, branches)
	}
	return c.commit(2*len(out.steps)+out.count(c.entry(out)), func(tx store.Tx, first int) (change, error) {
		result := out.Result
		if out.effect != nil {
			v, err := out.effect(tx)
			if err != nil {
				return change{}, &effectError{err}
			}
			if failure := c.tooLarge(v); failure != nil {
				return change{}, &effectError{failure}
			}
			result = task.Result{Value: v}
		}
		chains := result.Drafts(c.entry(out))
		placer := task.Placer{Seq: first, Now: at}
		batch, done := c.placeSteps(&placer, out, now)
		results := placer.Place(task.Under{Parent: &c.task, Branches: branches}, chains)
		c.remember(results, chains)
		batch.Add(results)
		kept := execution
		if !value.Equal(c.arguments, c.data.Arguments) && c.arguments != nil {
			content := task.NewContent(tool.TypeStructured, c.arguments)
			batch.Contents = append(batch.Contents, content)
			kept.Arguments = content.ID
		}
		done.tasks, done.then = batch.Tasks, func() { c.kept(out) }
		for _, step := range out.abandoned {
			batch.Executions = append(batch.Executions, abandoned(step, now))
			done.moves = append(done.moves, move{step, task.Cancelled})
		}
		batch.Executions = append(batch.Executions, kept)
		if err := tx.Graph().Append(c.keep, c.id, batch); err != nil {
			return change{}, err
		}
		done.moves = append(done.moves, move{c.seq, kept.State})
		var err error
		if done.settles, err = c.ending(done, out.lost); err != nil {
			return done, err
		}
		if run, differs := c.differs(done.settles); differs {
			err = tx.Graph().PutRun(c.keep, run)
			done.then = func() {
				c.mu.Lock()
				c.woken = false
				c.mu.Unlock()
				c.kept(out)
			}
		}
		return done, err
	})
}

// placeSteps places the steps that are kept with an outcome.
func (c *call) placeSteps(placer *task.Placer, out outcome, now time.Time) (batch task.Batch, done change) {
	last := out.last
	for _, step := range out.steps {
		one := placer.Step(&c.task, last, task.Call{Name: step.record.Name, Arguments: arguments(step.record.Input), Step: step.step}, task.ValueOf(step.record.Result))
		last = one.Tasks[0].ID
		one.Executions[0] = task.Execution{Seq: one.Tasks[0].Seq, State: task.Done, Attempts: 1, StartedAt: &now, FinishedAt: &now, Worker: c.owner}
		batch.Add(one)
		done.moves = append(done.moves, move{one.Tasks[0].Seq, task.Done})
	}
	return batch, done
}

// state of the execution that has an outcome.
func (o outcome) state() task.State {
	switch {
	case o.cancelled:
		return task.Cancelled
	case o.Failure != nil:
		return task.Failed
	}
	return task.Done
}

func (o outcome) why() string {
	switch {
	case o.lost:
		return string(task.RunRecoveryRequired)
	case o.cancelled && o.Failure != nil:
		return o.Failure.Code
	}
	return ""
}

// count is how many tasks an outcome makes.
func (o outcome) count(entry string) int {
	count := 0
	for _, chain := range o.Drafts(entry) {
		count += len(chain)
	}
	return count
}

// branches is how many branches stand under the call already.
func (c *call) branches() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.graph.Branches(c.seq); n > 0 || !c.stepped {
		return n
	}
	return 1
}

// retrying keeps something again, as made a millisecond later, as long as a task is there
// already that would have the same id.
func (c *call) retrying(now time.Time, keep func(at int64) error) (err error) {
	for at := range task.Later(now.UnixMilli()) {
		if err = keep(at); !errors.Is(err, task.ErrExists) {
			break
		}
	}
	return err
}

// remember puts contents that were just made into the cache, so that nobody reads them back.
func (c *call) remember(batch task.Batch, chains [][]task.Draft) {
	at := 0
	sizes := map[task.ID]int{}
	for _, content := range batch.Contents {
		sizes[content.ID] = len(content.JSON)
	}
	for _, chain := range chains {
		for _, d := range chain {
			id := batch.Tasks[at].Content
			c.contents.put(id, d.Data, sizes[id])
			at++
		}
	}
}

// tally counts what failed, and gives the reason to stop the run where that is too much.
func (c *call) tally(out outcome) *task.Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.begun, c.seq)
	c.lost = c.lost || out.lost
	if out.Failure == nil {
		if c.task.Name != c.run.Entry { // to look at a failure is no progress yet
			c.equal = equalFailures{}
		}
		return c.full()
	}
	if out.cancelled {
		return nil
	}
	c.errors++
	switch full := c.full(); {
	case full != nil:
		return full
	case c.equal.add(c.task.Name, c.arguments, out.Failure):
		return &task.Failure{Code: task.CodeRunNoProgress, Message: fmt.Sprintf(
			"%q failed %d times in a row with the same arguments and the same error, so the run was stopped.", c.task.Name, mostEqual)}
	case c.errors >= c.limits.Errors:
		return &task.Failure{Code: task.CodeRunErrors, Message: fmt.Sprintf(
			"%d calls of the run have failed, which is as many as are allowed.", c.errors)}
	}
	return nil
}

// full is why a run is stopped that has more tasks than it may: results and steps are kept
// whatever their number, and what comes after them is not begun. The caller holds mu.
func (a *active) full() *task.Failure {
	if a.graph.Len() <= a.limits.Tasks {
		return nil
	}
	return &task.Failure{Code: task.CodeRunTasks, Message: fmt.Sprintf(
		"The run has %d tasks; at most %d are allowed, so it was stopped.", a.graph.Len(), a.limits.Tasks)}
}

// park keeps that a call waits: for a time, or for an answer.
func (c *call) park(state task.State, why string, until *time.Time) error {
	then := func() {
		c.mu.Lock()
		c.active.attempts[c.seq] = c.attempts
		c.mu.Unlock()
		c.tell(Event{RunID: c.id, Task: &c.task, State: state, Status: task.RunWaiting})
	}
	err := c.commit(0, func(tx store.Tx, _ int) (change, error) {
		return change{moves: []move{{c.seq, state}}, then: then}, tx.Graph().PutExecution(c.keep, c.id, task.Execution{
			Seq: c.seq, State: state, Why: why, Attempts: c.attempts, StartedAt: &c.began, WakeAt: until, Worker: c.owner, Granted: c.granted,
		})
	})
	if err != nil {
		return err
	}
	if until != nil {
		c.wakeAt(c.seq, *until)
	}
	return nil
}

// wake has a call that waits run again.
func (a *active) wake(seq int) {
	a.mu.Lock()
	if a.stopCause != nil || a.broken != nil {
		a.mu.Unlock()
		return
	}
	if timer := a.timers[seq]; timer != nil {
		timer.Stop() // something else may have woken it
	}
	delete(a.timers, seq)
	delete(a.asking, seq)
	if err := a.graph.Wake(seq); err != nil {
		a.fall(err)
	}
	a.follow()
}

// wakeAt has a call that waits run again at a time.
func (a *active) wakeAt(seq int, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopCause != nil || a.broken != nil {
		return
	}
	a.timers[seq] = time.AfterFunc(at.Sub(a.worker.Clock.Now()), func() { a.wake(seq) })
}

// storeFailure words an error of the store: what it says is for the log alone, since it may
// name the folders of this machine.
func (w *Worker) storeFailure(err error) *task.Failure {
	id := w.NewID()
	w.Log.Error("store failed", "id", id, "cause", chain(err))
	return &task.Failure{Code: store.CodeUnavailable, Message: fmt.Sprintf("What the call needs could not be read or written (log id %s).", id)}
}

func codeOf(err error) string {
	if code := tool.Code(err); code != "" {
		return code
	}
	return task.CodeToolFailed
}

func messageOf(err error) string {
	var coded *tool.Error
	if errors.As(err, &coded) {
		return coded.Message
	}
	return err.Error()
}
