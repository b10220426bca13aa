package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/model"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Steps that a flow does not have itself, in its journal.
const (
	stepLoad = "!state" // what the state was when the run began
	stepSave = "!save"  // that it was saved
)

// Names of the calls that such steps and those of models stand as.
const (
	nameLoad = "state.read"
	nameSave = "state.write"
)

// journal keeps the steps of a flow as calls under the call of the flow, and carries them
// out: a change of the local data in the transaction that keeps the step, so that it has
// happened exactly once, whenever the process dies.
type journal struct {
	*call
	// found is the tool that the flow is.
	found *engine.Callable
	// recorded are the steps that are over.
	recorded map[string]flow.Record
	// sent are steps that were begun and whose end has not been kept, by their calls.
	sent map[string]task.Task
	// doubtful are those of them that an earlier process sent.
	doubtful map[string]bool
	// last is the newest step; none for none yet.
	last task.ID
	// giveUp ends the going on of a flow that is unwound; nil for one that is not.
	giveUp context.CancelFunc
}

// newJournal is the journal of a call, with the steps of it that are kept.
func (c *call) newJournal(found *engine.Callable) (*journal, error) {
	j := &journal{call: c, found: found, recorded: map[string]flow.Record{}, sent: map[string]task.Task{}, doubtful: map[string]bool{}}
	return j, j.load()
}

// runFlow runs a forged tool.
func (c *call) runFlow(ctx context.Context, found *engine.Callable) outcome {
	program, err := c.worker.program(found.Checked)
	if err != nil {
		return failed(&task.Failure{Code: task.CodeToolFailed, Message: err.Error()})
	}
	j, err := c.newJournal(found)
	if err != nil {
		return failed(c.worker.storeFailure(err))
	}
	keeper := &keeper{journal: j, tool: found}
	state, err := keeper.load(ctx)
	if err != nil {
		return failed(c.worker.storeFailure(err))
	}
	asked := c.worker.Model
	if c.unwinds {
		ctx, j.giveUp = context.WithCancel(ctx)
		defer j.giveUp()
		asked = unwindingModel{j}
	}
	result := program.Run(ctx, c.arguments, flow.Options{
		Host: j, Model: asked, Journal: j, Clock: c.worker.Clock,
		Breaker:     newBreaker(c.worker, found.Memory),
		ExecutionID: c.executionID(), Started: c.started(), State: state, Save: keeper.save,
		Observe: func(e flow.Event) {
			c.tell(Event{RunID: c.id, Task: &c.task, State: task.Running, Flow: &e, Status: task.RunRunning})
		},
	})
	if result.Status != flow.Suspended {
		c.mu.Lock()
		c.flows[c.seq] = result
		c.mu.Unlock()
	}
	switch result.Status {
	case flow.Succeeded:
		return outcome{Result: task.Result{Value: result.Output}}
	case flow.Suspended:
		return outcome{unknown: result.Failure.Message, abandoned: j.unended()}
	default:
		return j.failed(result)
	}
}

// failed makes the outcome of a flow that did not succeed.
func (j *journal) failed(result flow.Result) outcome {
	return outcome{
		abandoned: j.unended(),
		Result:    task.Result{Failure: &task.Failure{Code: result.Failure.Code, Message: result.Failure.Message, Details: details(result)}},
		cancelled: result.Status == flow.Cancelled, lost: result.Status == flow.RecoveryRequired,
	}
}

// unended lists the steps that were sent and whose end has not been kept.
func (j *journal) unended() []int {
	var list []int
	for _, step := range j.sent {
		list = append(list, step.Seq)
	}
	return list
}

// details tell of a failed flow what a person has to know: what it left behind.
func details(r flow.Result) any {
	var left, undone []any
	for _, c := range r.Created {
		text := fmt.Sprintf("%s %s %q", c.Kind, c.ID, c.Title)
		if c.Undone {
			undone = append(undone, text)
		} else {
			left = append(left, text)
		}
	}
	if len(left)+len(undone) == 0 && r.Status == flow.Failed {
		return nil
	}
	return map[string]any{"status": string(r.Status), "undone": undone, "left": left}
}

// executionID names one run of a flow: that of the whole run where the flow is what was
// called, and else with the number of its call.
func (c *call) executionID() string {
	if c.seq == 0 {
		return c.id
	}
	return fmt.Sprintf("%s.%d", c.id, c.seq)
}

// load reads the steps that are kept.
func (j *journal) load() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, seq := range j.graph.Steps(j.seq) {
		t := j.graph.Task(seq)
		j.last, j.stepped = t.ID, true
		state := j.graph.State(seq)
		if !state.Final() {
			j.sent[t.Step] = *t
			j.doubtful[t.Step] = state != task.Queued // which says that it did not happen
			continue
		}
		record, err := j.recordOf(seq)
		if err != nil {
			return err
		}
		j.recorded[t.Step] = record
	}
	return nil
}

// recordOf reads what is kept of a step. The caller holds mu.
func (j *journal) recordOf(seq int) (flow.Record, error) {
	record := flow.Record{Attempts: max(1, j.active.attempts[seq])}
	families := j.graph.Families(seq)
	if len(families) == 0 {
		return record, nil
	}
	t := j.graph.Task(families[0][0])
	data, err := j.read(t.Content)
	if err != nil {
		return record, err
	}
	if t.Type == tool.TypeError {
		f := task.ReadFailure(data)
		record.Failure = &flow.Failure{Code: f.Code, Message: f.Message}
		return record, nil
	}
	record.Result = data
	return record, nil
}

// Recorded gives a step that is over.
func (j *journal) Recorded(step string) (flow.Record, bool) {
	record, ok := j.recorded[step]
	return record, ok
}

// Record keeps a step that is over, unless it was kept with its effect.
func (j *journal) Record(step string, r flow.Record) error {
	if _, kept := j.recorded[step]; kept {
		return nil
	}
	if sent, ok := j.sent[step]; ok {
		return j.close(sent, r)
	}
	return j.keepStep(step, r, nil)
}

// keepStep keeps a step in one commit. effect (nil for none) is carried out in it and gives
// the step's result.
func (j *journal) keepStep(step string, r flow.Record, effect func(tx store.Tx) (any, error)) error {
	now := j.worker.Clock.Now()
	err := j.retrying(now, func(at int64) error {
		var kept flow.Record
		var last task.ID
		err := j.commit(2, func(tx store.Tx, first int) (change, error) {
			kept = r
			if effect != nil {
				v, err := effect(tx)
				if err != nil {
					return change{}, &effectError{err}
				}
				kept.Result = v
			}
			outcome := task.ValueOf(kept.Result)
			state := task.Done
			if kept.Failure != nil {
				outcome, state = task.ErrorOf(&task.Failure{Code: kept.Failure.Code, Message: kept.Failure.Message}), task.Failed
			}
			placer := task.Placer{Seq: first, Now: at}
			batch := placer.Step(&j.task, j.last, task.Call{Name: kept.Name, Arguments: arguments(kept.Input), Step: step}, outcome)
			batch.Executions[0] = task.Execution{
				Seq: first, State: state, Attempts: kept.Attempts, StartedAt: &now, FinishedAt: &now, Worker: j.owner,
			}
			last = batch.Tasks[0].ID
			return change{tasks: batch.Tasks, moves: []move{{first, state}}}, tx.Graph().Append(j.keep, j.id, batch)
		})
		if err == nil {
			j.recorded[step], j.last, j.stepped = kept, last, true
		}
		return err
	})
	if err != nil {
		return err
	}
	j.mu.Lock()
	full := j.full()
	j.mu.Unlock()
	if full != nil {
		j.stop(full)
	}
	return nil
}

// arguments are those of a call: an object, whatever a step was given.
func arguments(input any) any {
	if _, ok := input.(map[string]any); ok || input == nil {
		return input
	}
	return map[string]any{"input": input}
}

// undoSuffix ends the path of a step that takes back what another did.
const undoSuffix = "!undo"

// turn is where a flow that is unwound has come to the end of what it did: from here on it
// only takes back.
func (j *journal) turn() error {
	j.giveUp()
	return errors.New("the run was stopped here")
}

// unwindingModel is not asked: a flow that is unwound turns instead.
type unwindingModel struct{ *journal }

// Facts of a model that may be asked everything, so that nothing else stops the flow before.
func (m unwindingModel) Facts() model.Facts { return model.Facts{Name: "none", Local: true} }

// Ask turns.
func (m unwindingModel) Ask(context.Context, model.Request) (any, error) { return nil, m.turn() }

// Call carries out one try of a capability.
func (j *journal) Call(ctx context.Context, c flow.Call) (flow.Answer, error) {
	j.mu.Lock()
	leaving := j.leaves()
	j.mu.Unlock()
	if leaving { // nothing is begun any more, nor taken back: the flow is left as it is
		return flow.Answer{}, &flow.SuspendError{Message: errClosed.Error()}
	}
	if j.giveUp != nil && !strings.HasSuffix(c.Step, undoSuffix) {
		return flow.Answer{}, j.turn()
	}
	described, ok := j.worker.capabilities.Catalogue().Get(c.Capability)
	if ok && !strings.HasSuffix(c.Step, undoSuffix) {
		if err := j.permitted(ctx, described.Power); err != nil {
			return flow.Answer{}, j.refusal(c, err)
		}
	}
	if !ok || described.Power == tool.Read {
		return j.worker.call(ctx, c, j.worker.Store.Read)
	}
	if described.Power == tool.Outbound {
		return j.send(ctx, c, described)
	}
	var answer flow.Answer
	err := j.keepStep(c.Step, flow.Record{Name: c.Capability, Input: c.Input, Attempts: c.Attempt}, func(tx store.Tx) (any, error) {
		result, err := j.worker.capabilities.Call(ctx, j.worker.book(tx), capability.Call{Name: c.Capability, Input: c.Input})
		answer = answerOf(result)
		return result.Value, err
	})
	var effect *effectError
	switch {
	case errors.As(err, &effect):
		return flow.Answer{}, j.worker.callError(c, effect.error)
	case err != nil:
		return flow.Answer{}, j.worker.callError(c, err)
	}
	return answer, nil
}

// refusal words why a step may not happen.
func (j *journal) refusal(c flow.Call, err error) error {
	var refused *tool.Error
	if errors.As(err, &refused) && (refused.Code == consent.CodeDenied || refused.Code == engine.CodeStopped) {
		return &flow.CallError{Code: refused.Code, Message: refused.Message, Permanent: true}
	}
	return j.worker.callError(c, err)
}

// keeper loads and saves the state of a tool around one run of it, as steps of the journal:
// a run that is taken up again sees the state that it began with.
type keeper struct {
	*journal
	tool     *engine.Callable
	revision int64
}

func (k *keeper) load(ctx context.Context) (map[string]any, error) {
	declared := k.tool.Checked.Manifest().State
	if declared == nil {
		return nil, nil
	}
	if record, ok := k.recorded[stepLoad]; ok {
		object, _ := record.Result.(map[string]any)
		number, _ := object["revision"].(json.Number)
		revision, _ := value.Integer(number)
		state, _ := object["state"].(map[string]any)
		k.revision = revision
		return state, nil
	}
	var state map[string]any
	var err error
	if k.revision, state, err = k.worker.keptState(ctx, k.tool.Checked, k.tool.Memory); err != nil {
		return nil, err
	}
	seen := map[string]any{"revision": value.Int64(k.revision), "state": nil}
	if state != nil {
		seen["state"] = state
	}
	return state, k.keepStep(stepLoad, flow.Record{Name: nameLoad, Attempts: 1, Result: seen}, nil)
}

// keptState reads what a tool remembers under a key; nil and revision 0 for nothing.
func (w *Worker) keptState(ctx context.Context, c *check.Checked, key string) (revision int64, state map[string]any, err error) {
	declared := c.Manifest().State
	if declared == nil {
		return 0, nil, nil
	}
	var kept store.State
	err = w.Store.Read(ctx, func(tx store.Tx) (err error) {
		kept, _, err = tx.Runs().State(ctx, key, declared.SchemaVersion.Value)
		return err
	})
	if err != nil {
		return 0, nil, fmt.Errorf("read state: %w", err)
	}
	if kept.Revision == 0 {
		return 0, nil, nil
	}
	v, err := value.Decode(kept.Data)
	if err != nil {
		return 0, nil, fmt.Errorf("read the kept state of %s: %w", c.Name(), err)
	}
	state, isObject := v.(map[string]any)
	if !isObject {
		return 0, nil, fmt.Errorf("the kept state of %s is %s, and no object", c.Name(), value.KindOf(v))
	}
	return kept.Revision, state, nil
}

func (k *keeper) save(_ context.Context, state map[string]any) *flow.Failure {
	if _, saved := k.recorded[stepSave]; saved {
		return nil
	}
	if k.giveUp != nil {
		return &flow.Failure{Code: flow.CodeAborted, Message: k.turn().Error()}
	}
	version := k.tool.Checked.Manifest().State.SchemaVersion.Value
	err := k.keepStep(stepSave, flow.Record{Name: nameSave, Input: state, Attempts: 1}, func(tx store.Tx) (any, error) {
		return nil, tx.Runs().PutState(k.keep, k.tool.Memory, version, value.AppendJSON(nil, state), k.revision)
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

// send carries out one try of a capability that reaches outside. That it was begun is kept
// first: if the process dies before its end is kept, nobody knows whether it happened.
func (j *journal) send(ctx context.Context, c flow.Call, described tool.Capability) (flow.Answer, error) {
	if j.doubtful[c.Step] && !described.Idempotent {
		return flow.Answer{}, &flow.SuspendError{Message: doubt(c.Capability, c.Step, j.id)}
	}
	if _, begun := j.sent[c.Step]; !begun {
		if err := j.open(c); err != nil {
			return flow.Answer{}, j.worker.callError(c, err)
		}
	}
	delete(j.doubtful, c.Step)
	return j.deliver(ctx, c)
}

// deliver carries a call out that reaches outside. What comes back shows no secret that went
// out with it.
func (j *journal) deliver(ctx context.Context, c flow.Call) (flow.Answer, error) {
	reach, err := j.reach(ctx, j.found)
	if err != nil {
		return flow.Answer{}, j.worker.callError(c, err)
	}
	result, err := j.worker.capabilities.Call(ctx, nil, capability.Call{Name: c.Capability, Input: c.Input, Key: c.Key, Reach: reach})
	if err != nil {
		said := j.worker.callError(c, err)
		said.Message = j.scrubber().Text(said.Message)
		return flow.Answer{}, said
	}
	result.Value = j.scrubber().Value(result.Value)
	return answerOf(result), nil
}

// open keeps that a step is about to be sent.
func (j *journal) open(c flow.Call) error {
	now := j.worker.Clock.Now()
	return j.retrying(now, func(at int64) error {
		var last task.Task
		err := j.commit(1, func(tx store.Tx, first int) (change, error) {
			placer := task.Placer{Seq: first, Now: at}
			batch := placer.Step(&j.task, j.last, task.Call{Name: c.Capability, Arguments: arguments(c.Input), Step: c.Step})
			batch.Executions[0] = task.Execution{Seq: first, State: task.Running, Attempts: c.Attempt, StartedAt: &now, Worker: j.owner}
			last = batch.Tasks[0]
			return change{tasks: batch.Tasks, moves: []move{{first, task.Running}}}, tx.Graph().Append(j.keep, j.id, batch)
		})
		if err == nil {
			j.last, j.sent[c.Step], j.stepped = last.ID, last, true
		}
		return err
	})
}

// close keeps what a step that was sent came to.
func (j *journal) close(sent task.Task, r flow.Record) error {
	now := j.worker.Clock.Now()
	state, came := task.Done, task.ValueOf(r.Result)
	if r.Failure != nil {
		state, came = task.Failed, task.ErrorOf(&task.Failure{Code: r.Failure.Code, Message: r.Failure.Message})
	}
	err := j.retrying(now, func(at int64) error {
		return j.commit(1, func(tx store.Tx, first int) (change, error) {
			placer := task.Placer{Seq: first, Now: at}
			batch := placer.Place(task.Under{Parent: &sent}, [][]task.Draft{{came}})
			if err := tx.Graph().Append(j.keep, j.id, batch); err != nil {
				return change{}, err
			}
			return change{tasks: batch.Tasks, moves: []move{{sent.Seq, state}}}, tx.Graph().PutExecution(j.keep, j.id, task.Execution{
				Seq: sent.Seq, State: state, Attempts: r.Attempts, FinishedAt: &now, Worker: j.owner,
			})
		})
	})
	if err == nil {
		delete(j.sent, sent.Step)
		j.recorded[sent.Step] = r
	}
	return err
}
