package engine

import (
	"context"
	"fmt"
	"strings"

	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// CodeRunUnsettled is the code for a run that is not over, where it has to be.
const CodeRunUnsettled = "RUN_UNSETTLED"

// Again is a plan to run a part of a settled run once more, as a new run that uses what was
// recorded before that part.
type Again struct {
	Request Request
	// Reused are the steps of a flow whose recorded results are used.
	Reused int
	// Effects are the changes that the first run made in that part, and that are going to be
	// made again, as far as the new run goes the same way.
	Effects []Effect
	// Began are the tools whose calls were allowed in that part of the first run.
	Began map[string]bool
}

// Effect is a change that a call made.
type Effect struct {
	// Name of the tool or capability, and Step of a flow that it was; "" for none.
	Name, Step string
	Arguments  any
}

// Again plans to run a settled run once more: all of it (from ""), from a task on (by its
// id, or a beginning of it), or from a step of a flow on (by its path).
func (e *Engine) Again(ctx context.Context, id, from string) (*Again, error) {
	view, err := e.View(ctx, id)
	if err != nil {
		return nil, err
	}
	if !view.Run.Status.Settled() {
		return nil, &tool.Error{Code: CodeRunUnsettled, Message: fmt.Sprintf(
			"Run %s is not over: it is %s. Take it up with: toolsmith resume %s", view.Run.ID, view.Run.Status, view.Run.ID)}
	}
	p := &planner{engine: e, view: view, again: &Again{Began: map[string]bool{}, Request: Request{
		Title: view.Run.Title, Caller: view.Run.Caller, Entry: view.Run.Entry, Limits: view.Run.Limits, pin: view.Run.Pin,
	}}}
	if err := p.files(); err != nil {
		return nil, err
	}
	if from == "" {
		return p.again, p.whole()
	}
	seq, err := view.Find(from)
	if err != nil {
		return nil, err
	}
	p.again.Request.from = view.Graph.Task(seq).ID
	if view.Graph.Task(seq).Step != "" {
		return p.again, p.fromStep(seq)
	}
	return p.again, p.fromTask(seq)
}

// planner plans one run.
type planner struct {
	engine *Engine
	view   *View
	again  *Again
}

// files takes along what the first run had brought.
func (p *planner) files() error {
	for _, text := range p.view.Run.Files {
		result := p.engine.checks.kept(text)
		if !result.OK() {
			return &InvalidError{result.Diagnostics}
		}
		p.again.Request.Files = append(p.again.Request.Files, result.Tool)
	}
	return nil
}

// whole plans all chains of the caller anew.
func (p *planner) whole() error {
	for _, chain := range p.view.Graph.Families(-1) {
		if err := p.chain(chain); err != nil {
			return err
		}
	}
	return nil
}

// fromTask plans a task and what follows it in its chain.
func (p *planner) fromTask(seq int) error {
	rest, at := p.rest(seq)
	if err := p.chain(rest); err != nil {
		return err
	}
	first := &p.again.Request.Chains[0][0]
	if at == 0 || first.Type != tool.TypeTool || !task.UsesPrevious(first.Call.Arguments) {
		return nil
	}
	// What the first call uses of the task before it was recorded.
	previous, has, err := p.view.Graph.Came(seq, p.view.Content)
	if err != nil {
		return err
	}
	filled, failure := task.Fill(first.Call.Arguments, previous, has)
	if failure != nil {
		return &tool.Error{Code: failure.Code, Message: failure.Message}
	}
	first.Call.Arguments = filled
	*first = task.CallOf(first.Call)
	return nil
}

// fromStep plans the call of a flow and what follows it, with the steps before one recorded.
func (p *planner) fromStep(seq int) error {
	flow, _ := p.view.Graph.Seq(p.view.Graph.Task(seq).Parent)
	if err := p.fromTask(flow); err != nil {
		return err
	}
	p.again.Effects = nil
	for _, step := range p.view.Graph.Steps(flow) {
		if step >= seq {
			p.effects(step)
			continue
		}
		recorded, err := p.recorded(step)
		if err != nil {
			return err
		}
		p.again.Request.steps = append(p.again.Request.steps, recorded)
		p.again.Reused++
	}
	rest, _ := p.rest(flow)
	for _, later := range rest[1:] {
		p.effects(later)
	}
	return nil
}

// step is a step of a flow that was recorded.
type step struct {
	call  task.Call
	came  task.Draft
	state task.State
	tries int
}

func (p *planner) recorded(seq int) (step, error) {
	data, err := p.view.Content(p.view.Graph.Task(seq).Content)
	if err != nil {
		return step{}, err
	}
	call, err := task.ReadCall(data)
	if err != nil {
		return step{}, err
	}
	families := p.view.Graph.Families(seq)
	if len(families) == 0 {
		return step{}, fmt.Errorf("what step %s came to is not there", call.Step)
	}
	came := p.view.Graph.Task(families[0][0])
	result, err := p.view.Content(came.Content)
	if err != nil {
		return step{}, err
	}
	kept := p.view.Executions[seq]
	return step{call, task.Draft{Role: came.Role, Type: came.Type, Data: result}, kept.State, kept.Attempts}, nil
}

// rest gives a task and those behind it in its chain, and where in it the task stands.
func (p *planner) rest(seq int) (rest []int, at int) {
	chain, at := p.view.Graph.ChainOf(seq)
	return chain[at:], at
}

// chain plans tasks one after the other, as they were written.
func (p *planner) chain(list []int) error {
	var drafts []task.Draft
	for _, seq := range list {
		t := p.view.Graph.Task(seq)
		data, err := p.view.Content(t.Content)
		if err != nil {
			return err
		}
		d := task.Draft{Role: t.Role, Type: t.Type, Data: data}
		if t.Calls() {
			if d.Call, err = task.ReadCall(data); err != nil {
				return err
			}
		}
		drafts = append(drafts, d)
		p.effects(seq)
	}
	p.again.Request.Chains = append(p.again.Request.Chains, drafts)
	return nil
}

// effects lists what a call, and those below it, changed.
func (p *planner) effects(seq int) {
	t := p.view.Graph.Task(seq)
	if p.view.Executions[seq].Granted != "" {
		p.again.Began[t.Name] = true
	}
	if t.Calls() && p.view.Graph.State(seq) == task.Done && p.changes(t.Name) {
		arguments := any(nil)
		if data, err := p.view.Content(t.Content); err == nil {
			call, _ := task.ReadCall(data)
			arguments = call.Arguments
		}
		p.again.Effects = append(p.again.Effects, Effect{t.Name, t.Step, arguments})
	}
	for _, chain := range p.view.Graph.Families(seq) {
		for _, below := range chain {
			p.effects(below)
		}
	}
}

// changes reports whether a tool changes something by itself. What a flow changes are its steps.
func (p *planner) changes(name string) bool {
	call, ok := p.engine.o.Toolbox.Find(name)
	return ok && call.Marks().Reversibility != tool.ReadOnly
}

// Find gives the number of the task that a text means: its id, a beginning of it that no other
// task has, or the path of a step of a flow.
func (v *View) Find(text string) (seq int, err error) {
	var found []int
	for seq := range v.Graph.Len() {
		t := v.Graph.Task(seq)
		if t.Step != "" && t.Step == text || len(text) >= shortestID && strings.HasPrefix(t.ID.String(), text) {
			found = append(found, seq)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, &tool.Error{Code: CodeTaskNotFound, Message: fmt.Sprintf(
			"Run %s has no step and no task %s. See them with: toolsmith tree %s --json", v.Run.ID, value.JSON(text), v.Run.ID)}
	}
	return 0, &tool.Error{Code: CodeTaskAmbiguous, Message: fmt.Sprintf(
		"%d tasks of run %s are meant by %s. Give the id of one.", len(found), v.Run.ID, value.JSON(text))}
}

// Codes for tasks.
const (
	// CodeTaskNotFound is the code for a task that is not there.
	CodeTaskNotFound = "TASK_NOT_FOUND"
	// CodeTaskAmbiguous is the code for several tasks that are meant by one text.
	CodeTaskAmbiguous = "TASK_AMBIGUOUS"
)

// record puts the steps that are known already under the first call of a run.
func (r Request) record(placer *task.Placer, batch *task.Batch) {
	var before task.ID
	flow := batch.Tasks[0]
	for _, one := range r.steps {
		made := placer.Step(&flow, before, one.call, one.came)
		made.Executions[0].State, made.Executions[0].Attempts = one.state, one.tries
		before = made.Tasks[0].ID
		batch.Add(made)
	}
}

// pinned is the line of the audit up to which a new run sees the registry: the newest, or
// that of the run that it runs again.
func (r Request) pinned(ctx context.Context, tx store.Tx) (int64, error) {
	if r.pin != 0 || !r.from.None() {
		return r.pin, nil
	}
	lines, err := tx.Registry().AuditLines(ctx, "", 1)
	if err != nil {
		return 0, fmt.Errorf("pin the run: %w", err)
	}
	if len(lines) == 0 {
		return 0, nil
	}
	return lines[0].Seq, nil
}
