package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"toolsmith/internal/manifest"
	"toolsmith/internal/model"
	"toolsmith/internal/schema"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Options are what a run needs of its surroundings.
type Options struct {
	// Host calls capabilities; required for tools that have capability steps.
	Host Host
	// Model answers model steps; nil means that there is none.
	Model model.Model
	// Journal of the run; nil remembers nothing.
	Journal Journal
	// Clock; nil is the real one.
	Clock Clock
	// Breaker; nil lets every call through.
	Breaker Breaker
	// ExecutionID of the run, seen as $.runtime.executionId.
	ExecutionID string
	// Started is when the run began, seen as $.runtime.now. It stays the same when the run
	// is taken up again.
	Started time.Time
	// State as the last successful run left it; nil for none.
	State map[string]any
	// Save keeps the state of a run that is about to succeed; nil keeps none. A failure of
	// it is the run's failure.
	Save func(ctx context.Context, state map[string]any) *Failure
	// SkipInputForms measures inputs of capabilities without checking their schema.
	SkipInputForms bool
	// Observe is told of every event as it happens; may be nil. It must not block.
	Observe func(Event)
}

// Run runs a program once. It never fails itself: whatever happens is in the result.
func (p *Program) Run(ctx context.Context, input any, o Options) Result {
	if o.Clock == nil {
		o.Clock = SystemClock{}
	}
	r := &run{program: p, Options: o}
	if failure := r.begin(input); failure != nil {
		r.fail(ctx, failure)
		return r.result
	}
	output, failure := r.steps(ctx)
	if failure == nil {
		failure = r.settle(ctx)
	}
	if failure != nil {
		r.fail(ctx, failure)
		return r.result
	}
	r.result.Status, r.result.Output = Succeeded, output
	return r.result
}

// run is one run under way.
type run struct {
	Options
	program *Program
	result  Result
	vars    map[string]any
	undos   []pendingUndo
	// lasting: something irreversible was done.
	lasting bool
	// suspended is why the run cannot go on before a person has said something; nil if it can.
	suspended *SuspendError
}

// pendingUndo is a compensation that runs if the run fails.
type pendingUndo struct {
	step  string
	undo  *undo
	input any
	// created is the index of the record that it takes back, -1 for none.
	created int
}

// Accepts reports why an input would be refused; nil where it would not.
func (p *Program) Accepts(input any) *Failure {
	_, failure := p.accept(input)
	return failure
}

// accept measures an input, fills in defaults and checks it.
func (p *Program) accept(input any) (any, *Failure) {
	if size := measure(input); size.bytes > MaxInput {
		return nil, &Failure{CodeInputTooLarge, fmt.Sprintf("The input has %s; at most %d are allowed.", size, MaxInput)}
	}
	input = p.input.Fill(input)
	if violations := p.input.Validate(input); len(violations) > 0 {
		return nil, invalid(CodeInputInvalid, "The input does not fit.", violations)
	}
	return input, nil
}

func (r *run) begin(input any) *Failure {
	input, failure := r.program.accept(input)
	if failure != nil {
		return failure
	}
	state := r.State
	if state == nil {
		state = map[string]any{}
	}
	r.vars = map[string]any{
		"input": input, "state": state,
		"runtime": map[string]any{"executionId": r.ExecutionID},
	}
	r.result.Variables = r.vars
	return nil
}

func invalid(code, summary string, violations []schema.Violation) *Failure {
	return &Failure{code, summary + " " + schema.Join(violations)}
}

// settle checks the state and has it saved.
func (r *run) settle(ctx context.Context) *Failure {
	if !r.program.KeepsState() {
		return nil
	}
	state := r.vars["state"]
	size := measure(state)
	if size.deep() {
		return &Failure{CodeStateInvalid, fmt.Sprintf("The state is nested deeper than %d, so it could not be read back.", value.MaxDepth)}
	}
	if violations := size.violations(r.program.state, state); len(violations) > 0 {
		return invalid(CodeStateInvalid, "The state does not fit the fields that the tool declares.", violations)
	}
	if size.bytes > r.program.maxStateBytes {
		return &Failure{CodeStateTooLarge, fmt.Sprintf("The state has %s; the tool declares at most %d.", size, r.program.maxStateBytes)}
	}
	object, _ := state.(map[string]any) // the schema accepts nothing else
	if r.Save != nil {
		if failure := r.Save(ctx, object); failure != nil {
			return cmp.Or(interrupted(ctx), failure)
		}
	}
	r.result.State = object
	return nil
}

// steps goes from step to step until one ends the run.
func (r *run) steps(ctx context.Context) (output any, failure *Failure) {
	transitions := 0
	for at := r.program.entry; ; {
		if failure := interrupted(ctx); failure != nil {
			return nil, failure
		}
		if transitions++; transitions > r.program.maxTransitions {
			return nil, r.event(at, at.path, &Failure{CodeTransitionLimit, fmt.Sprintf(
				"The run entered more than %d steps, the bound that the tool sets itself.", r.program.maxTransitions)})
		}
		switch at.kind {
		case manifest.StepReturn:
			return r.finish(at)
		case manifest.StepFail:
			return nil, r.event(at, at.path, &Failure{at.code, at.message})
		case manifest.StepIf:
			at = r.branch(at)
			continue
		case manifest.StepForeach:
			failure = r.loop(ctx, at)
		default:
			failure = r.simple(ctx, at, at.path)
		}
		if failure != nil {
			return nil, failure
		}
		at = at.next
	}
}

// interrupted tells why a context is over.
func interrupted(ctx context.Context) *Failure {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return &Failure{CodeDeadline, "The run took longer than it was allowed to."}
	default:
		return &Failure{CodeAborted, "The run was cancelled."}
	}
}

// simple runs a step that may stand in a flow as well as in a loop's body.
func (r *run) simple(ctx context.Context, at *step, path string) *Failure {
	switch at.kind {
	case manifest.StepSet:
		return r.event(at, path, r.set(at))
	case manifest.StepCapability:
		return r.capability(ctx, at, path)
	default: // llm; the check knows no other
		return r.ask(ctx, at, path)
	}
}

// set writes a variable, and takes it away again if it has become too large.
func (r *run) set(at *step) *Failure {
	v, present := at.value.eval(r)
	if failure := r.put(at.target, v, present); failure != nil {
		return failure
	}
	name := at.target[0]
	size := measure(r.vars[name])
	if size.bytes <= MaxVariable && !size.deep() {
		return nil
	}
	delete(r.vars, name)
	return &Failure{CodeTargetInvalid, fmt.Sprintf(
		"%s cannot be written: a variable has at most %d bytes and is nested at most %d deep.", at.target, MaxVariable, value.MaxDepth)}
}

func (r *run) branch(at *step) *step {
	left, hasLeft := at.left.eval(r)
	var right any
	hasRight := false
	if at.right != nil {
		right, hasRight = at.right.eval(r)
	}
	next, note := at.otherwise, "else"
	if holds(at.operator, left, hasLeft, right, hasRight) {
		next, note = at.next, "then"
	}
	r.note(Event{Step: at.path, Kind: string(at.kind), OK: true, Note: note, Count: -1})
	return next
}

func (r *run) loop(ctx context.Context, at *step) *Failure {
	source, _ := at.source.eval(r)
	items, isList := source.([]any)
	if !isList {
		return r.event(at, at.path, &Failure{CodeForeachSource, fmt.Sprintf(
			"The loop %q needs a list; this is %s.", at.path, value.KindOf(source))})
	}
	if len(items) > at.maxItems {
		return r.event(at, at.path, &Failure{CodeForeachLimit, fmt.Sprintf(
			"The loop %q takes at most %d items; there are %d.", at.path, at.maxItems, len(items))})
	}
	for i, item := range items {
		if failure := r.item(ctx, at, i, item); failure != nil {
			return failure
		}
	}
	return r.event(at, at.path, nil)
}

// item runs the body of a loop for one item.
func (r *run) item(ctx context.Context, at *step, i int, item any) *Failure {
	if failure := interrupted(ctx); failure != nil {
		return failure
	}
	if failure := r.put(at.itemVar, item, true); failure != nil {
		return r.event(at, at.path, failure)
	}
	if failure := r.put(at.indexVar, value.Int(i), true); failure != nil {
		return r.event(at, at.path, failure)
	}
	prefix := at.path + "[" + strconv.Itoa(i) + "]."
	for _, inner := range at.body {
		if failure := interrupted(ctx); failure != nil {
			return failure
		}
		if failure := r.simple(ctx, inner, prefix+inner.path); failure != nil {
			return failure
		}
	}
	return nil
}

func (r *run) finish(at *step) (any, *Failure) {
	v, _ := at.value.eval(r)
	size := measure(v)
	if violations := size.violations(r.program.output, v); len(violations) > 0 {
		return nil, r.event(at, at.path, invalid(CodeOutputInvalid, "The result does not fit the output schema.", violations))
	}
	if size.bytes > MaxOutput {
		return nil, r.event(at, at.path, &Failure{CodeOutputTooLarge, fmt.Sprintf(
			"The result has %s; at most %d are allowed.", size, MaxOutput)})
	}
	return v, r.event(at, at.path, nil)
}

// get reads a variable. What $.runtime holds beside the execution id is given when it is
// asked for by name, so that "all variables" does not change from run to run.
func (r *run) get(path value.Path) (any, bool) {
	if len(path) == 2 && path[0] == "runtime" {
		switch path[1] {
		case "toolId":
			return r.program.tool.ID(), true
		case "version":
			return value.Int64(r.program.tool.Version()), true
		case "now":
			return value.Time(r.Started), true
		}
	}
	if len(path) == 0 {
		return maps.Clone(r.vars), true
	}
	v, ok := r.vars[path[0]]
	if !ok || len(path) == 1 {
		return v, ok
	}
	return value.Get(v, path[1:])
}

// put writes a variable. An empty path writes nothing.
func (r *run) put(path value.Path, v any, present bool) *Failure {
	switch {
	case len(path) == 0:
	case len(path) == 1 && present:
		r.vars[path[0]] = v
	case len(path) == 1:
		delete(r.vars, path[0])
	default:
		next, err := value.With(r.vars[path[0]], path[1:], v, present)
		if err != nil {
			return &Failure{CodeTargetInvalid, fmt.Sprintf("%s cannot be written: %s.", path, err)}
		}
		r.vars[path[0]] = next
	}
	return nil
}

// event notes the end of a step, and gives its failure back.
func (r *run) event(at *step, path string, failure *Failure) *Failure {
	r.note(Event{Step: path, Kind: string(at.kind), OK: failure == nil, Failure: failure, Count: -1})
	return failure
}

func (r *run) note(e Event) {
	if r.Observe != nil {
		r.Observe(e)
	}
	if len(r.result.Trace) >= MaxTrace {
		r.result.TraceTruncated = true
		return
	}
	r.result.Trace = append(r.result.Trace, e)
}

// fail ends a run that did not succeed: what was done is undone, newest first, also when
// the run was cancelled.
func (r *run) fail(ctx context.Context, failure *Failure) {
	r.result.Failure = failure
	r.result.Status = Failed
	if r.suspended != nil {
		r.suspend()
		return
	}
	// A "fail" step may bring the code FORGE_ABORTED of its own: only the context knows.
	if failure.Code == CodeAborted && ctx.Err() != nil {
		r.result.Status = Cancelled
	}
	if !r.undoAll(context.WithoutCancel(ctx)) || r.lasting {
		r.result.Status = RecoveryRequired
	}
	if r.suspended != nil {
		r.suspend()
	}
}

// suspend leaves the run where it is.
func (r *run) suspend() {
	r.result.Status = Suspended
	r.result.Failure = &Failure{CodeStepUnknown, r.suspended.Message}
}

// undoAll runs the compensations, and reports whether all succeeded.
func (r *run) undoAll(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, undoTime)
	defer cancel()
	all := true
	for i := len(r.undos) - 1; i >= 0 && r.suspended == nil; i-- {
		u := r.undos[i]
		path := u.step + "!undo"
		_, failure, done := r.call(ctx, call{
			path: path, kind: compensation, capability: u.undo.capability, known: true,
			form: u.undo.inputForm, input: u.input, attempts: 1,
		})
		all = all && failure == nil
		if done && u.created >= 0 {
			r.result.Created[u.created].Undone = true
		}
	}
	r.undos = nil
	return all
}

// undoTime bounds all compensations of a run together: they run even when the run's own
// time is over, and must not hang for ever.
const undoTime = 2 * time.Minute

// createdBy gives the record that a capability made, if its result shows one: an object
// with a title.
func createdBy(c tool.Capability, result any) (Created, bool) {
	record, isObject := result.(map[string]any)
	title, hasTitle := record["title"].(string)
	if !c.Creates || !isObject || !hasTitle {
		return Created{}, false
	}
	id, hasID := record["id"].(string)
	return Created{Capability: c.Name, Kind: c.Kind, ID: id, HasID: hasID, Title: title}, true
}
