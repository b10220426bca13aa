package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Codes of coded tools, beside those of package script.
const (
	// codeDiverged: a tool that is carried on asks for something else than it has done before.
	codeDiverged = "SCRIPT_DIVERGED"
	// codeAnswerLost: a request was sent, and nobody has its answer any more.
	codeAnswerLost = "SCRIPT_ANSWER_LOST"
)

// mostChain is how many bytes of a chain a tool gets that asks for no less.
const mostChain = 2 << 20

// nameConsole is the step that holds what a tool wrote to its console.
const nameConsole = "console"

// runScript runs a coded tool in the sandbox.
func (c *call) runScript(ctx context.Context, found *engine.Callable) outcome {
	coded, _ := found.Checked.Coded()
	if c.worker.Scripts == nil {
		return failed(&task.Failure{Code: check.CodeUnavailable, Message: fmt.Sprintf("This program runs no coded tools, and %q is one.", found.Name)})
	}
	j, err := c.newJournal(found)
	if err != nil {
		return failed(c.worker.storeFailure(err))
	}
	if c.unwinds { // a coded tool has nothing of its own that takes back what it did
		return outcome{abandoned: j.unended(), cancelled: true, Result: task.Result{Failure: aborted()}}
	}
	h := &scriptHost{journal: j, whole: ctx}
	if h.past, err = h.remembered(); err != nil {
		return failed(c.worker.storeFailure(err))
	}
	result, err := c.worker.Scripts.Run(ctx, script.Call{
		Tool: coded, Arguments: c.arguments, ToolID: found.Name, TaskID: c.task.ID.String(), RunID: c.id,
		Host: h, Seed: c.executionID(), Now: h.now,
	})
	if waits(err) == nil { // else it writes the same again
		h.console(result.Log)
	}
	c.mu.Lock()
	c.flows[c.seq] = flow.Result{Trace: h.trace, Calls: h.calls}
	c.mu.Unlock()
	out := h.outcome(result, err)
	if out.question == nil && out.unknown == "" {
		out.steps, out.last = h.small, h.last
	} else if kept := h.flush(); kept != nil {
		return failed(c.worker.storeFailure(kept))
	}
	out.abandoned = j.unended()
	return out
}

// outcome makes an outcome of what a coded tool came to.
func (h *scriptHost) outcome(result script.Result, err error) outcome {
	var suspended *flow.SuspendError
	var coded *tool.Error
	switch {
	case errors.As(err, &suspended):
		return outcome{unknown: suspended.Message}
	case errors.As(err, &coded):
		return failed(&task.Failure{Code: coded.Code, Message: coded.Message, Details: detailsOf(coded)})
	case err != nil && h.whole.Err() != nil:
		return failed(&task.Failure{Code: task.CodeAborted, Message: "The call was stopped."})
	case err != nil:
		return fitting(h.found, task.Result{}, err)
	case result.Subtasks == nil:
		return fitting(h.found, task.Result{Value: result.Value}, nil)
	}
	chains, faults := task.ReadDrafts(result.Subtasks)
	if len(faults) > 0 {
		return failed(faults.Failure())
	}
	return outcome{Result: task.Result{Chains: chains}}
}

// detailsOf are what a tool said of its error beside code and message; nil for nothing.
func detailsOf(err *tool.Error) any {
	var thrown *script.Thrown
	if !errors.As(err.Cause, &thrown) {
		return nil
	}
	return thrown.Details
}

// scriptHost carries out the methods of the context of one execution of a coded tool. Each is kept as
// a step under the call. What was kept by an earlier execution is given again where it is asked for
// again, so that no request is sent twice.
type scriptHost struct {
	*journal
	// whole is the context of the call: it is over with it, and not where the tool stops a request.
	whole context.Context //nolint:containedctx // that of Do is another

	// steps holds one while steps are looked at or kept: methods are carried out side by side.
	steps sync.Mutex
	// past are the steps of earlier executions that have not been asked for again.
	past []*pastStep
	// small are steps that only looked at something, which are kept with the next that is kept.
	small []smallStep
	// at is the time that the tool has seen last, as long as all that it does was done before: fresh
	// tells that it has begun something new.
	at    time.Time
	fresh bool
	// asks counts what the person was asked for, and named the steps that were given a name.
	asks, named int
	// trace and calls are what was done in this execution, for whoever follows it.
	trace []flow.Event
	calls []flow.CallRecord
}

// pastStep is a step of an earlier execution.
type pastStep struct {
	step, method string
	input        any
	// over: its end is known, and the time at which it was kept.
	over   bool
	record flow.Record
	at     time.Time
}

// smallStep is a step that has not been kept yet.
type smallStep struct {
	step   string
	record flow.Record
}

// remembered reads the steps of earlier executions, in their order.
func (h *scriptHost) remembered() ([]*pastStep, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*pastStep
	for _, seq := range h.graph.Steps(h.seq) {
		t := h.graph.Task(seq)
		data, err := h.read(t.Content)
		if err != nil {
			return nil, err
		}
		said, err := task.ReadCall(data)
		if err != nil {
			return nil, fmt.Errorf("read step %s: %w", t.Step, err)
		}
		past := &pastStep{step: t.Step, method: t.Name, input: said.Arguments, at: time.UnixMilli(t.CreatedAt)}
		past.record, past.over = h.recorded[t.Step]
		if families := h.graph.Families(seq); len(families) > 0 {
			past.at = time.UnixMilli(h.graph.Task(families[0][0]).CreatedAt)
		}
		list = append(list, past)
	}
	return list, nil
}

// now is the clock of the tool: that of the earlier execution as long as nothing new is done.
func (h *scriptHost) now() time.Time {
	h.steps.Lock()
	defer h.steps.Unlock()
	switch {
	case h.fresh || len(h.past) == 0:
		return h.worker.Clock.Now()
	case h.at.IsZero():
		return h.began
	}
	return h.at
}

// Do carries out one method.
func (h *scriptHost) Do(ctx context.Context, _ int, method string, arguments map[string]any) (any, error) {
	switch method {
	case script.MethodProgress:
		note, _ := arguments["note"].(string)
		h.progress(number(arguments["done"]), number(arguments["total"]), note)
		return nil, nil
	case script.MethodFetch:
		return h.fetch(ctx, arguments)
	case script.MethodInteraction, script.MethodPopup:
		return h.askPerson(ctx, method, arguments)
	case script.MethodSecret, script.MethodSetSecret:
		return h.secretMethod(ctx, method, arguments)
	case script.MethodCaller:
		h.note(method, map[string]any{}, h.run.Caller)
		if h.run.Caller == "" {
			return nil, tool.Errorf(tool.CodeContextUnavailable, "getCallingToolId is not available here: nobody is named as the caller.")
		}
		return h.run.Caller, nil
	case script.MethodChain:
		return h.chainMethod(arguments)
	}
	return nil, tool.Errorf(tool.CodeContextUnavailable, "%s is not available here.", method)
}

// take finds a step of an earlier execution that did the same, and counts it as asked for again.
func (h *scriptHost) take(method string, input any) *pastStep {
	for i, past := range h.past {
		if past.method == method && value.Equal(past.input, arguments(input)) {
			h.past = slices.Delete(h.past, i, i+1)
			if past.at.After(h.at) {
				h.at = past.at
			}
			return past
		}
	}
	return nil
}

// name names a new step after its method: "fetch[2]" is the third step of the call, the first
// being 0. The caller holds steps.
func (h *scriptHost) name(method string) string {
	h.fresh = true
	for {
		name := fmt.Sprintf("%s[%d]", method, h.named)
		h.named++
		_, over := h.recorded[name]
		_, under := h.sent[name]
		if !over && !under {
			return name
		}
	}
}

// note keeps a step that only looked at something, unless an earlier execution has kept it.
func (h *scriptHost) note(method string, input, result any) {
	h.steps.Lock()
	defer h.steps.Unlock()
	if h.take(method, input) == nil {
		one := smallStep{h.name(method), flow.Record{Name: method, Input: input, Attempts: 1, Result: result}}
		h.small = append(h.small, one)
		h.show(one.step, one.record)
	}
}

// show tells whoever follows the run of a step. The caller holds steps.
func (h *scriptHost) show(step string, r flow.Record) {
	e := flow.Event{Step: step, Kind: "context", OK: r.Failure == nil, Attempt: 1, Capability: r.Name, Failure: r.Failure, Count: -1}
	h.trace = append(h.trace, e)
	h.calls = append(h.calls, flow.CallRecord{Step: step, Capability: r.Name, Input: r.Input, Attempt: 1})
	h.tell(Event{RunID: h.id, Task: &h.task, State: task.Running, Flow: &e, Status: task.RunRunning})
}

// flush keeps what has not been kept yet.
func (h *scriptHost) flush() error {
	h.steps.Lock()
	defer h.steps.Unlock()
	return h.flushed()
}

// flushed is flush for whoever holds steps.
func (h *scriptHost) flushed() error {
	for len(h.small) > 0 {
		one := h.small[0]
		if err := h.Record(one.step, one.record); err != nil {
			return err
		}
		h.small = h.small[1:]
	}
	return nil
}

// keepOver keeps a step that is over. The caller holds steps.
func (h *scriptHost) keepOver(step string, r flow.Record) error {
	if err := h.flushed(); err != nil {
		return err
	}
	return h.Record(step, r)
}

// console keeps what the tool wrote to its console as a step.
func (h *scriptHost) console(lines []script.LogLine) {
	if len(lines) == 0 {
		return
	}
	s := h.scrubber()
	list := make([]any, len(lines))
	for i, line := range lines {
		list[i] = map[string]any{"level": line.Level, "line": s.Text(line.Line)}
	}
	h.note(nameConsole, map[string]any{}, list)
}

// chainMethod gives what of the run the tool may see.
func (h *scriptHost) chainMethod(arguments map[string]any) (any, error) {
	projection, err := task.ReadProjection(arguments, mostChain, task.Projection{Bytes: mostChain})
	if err != nil {
		return nil, err //nolint:wrapcheck // it has its code
	}
	entries, err := h.chain(projection)
	if err != nil {
		return nil, h.worker.storeFailure(err)
	}
	list := task.ShownAsJSON(entries)
	h.note(script.MethodChain, arguments, map[string]any{"tasks": value.Int(len(list))})
	return list, nil
}

// secretMethod reads or keeps a secret. Its value stands in no step.
func (h *scriptHost) secretMethod(ctx context.Context, method string, arguments map[string]any) (any, error) {
	name, _ := arguments["name"].(string)
	if h.secrets == nil || h.found.Namespace == "" {
		return nil, tool.Errorf(tool.CodeContextUnavailable, "%s is not available here: a tool that is run from its file has no secrets. Install it, and set them with: toolsmith secrets set %s %s", method, h.found.Name, name)
	}
	noted := map[string]any{"name": name}
	if method == script.MethodSetSecret {
		text, isText := arguments["value"].(string)
		if !isText {
			return nil, tool.Errorf(tool.CodeArgumentsInvalid, "The value of a secret is a text.")
		}
		if err := h.setSecret(h.found)(ctx, name, text); err != nil {
			return nil, err
		}
		h.note(method, noted, nil)
		return nil, nil
	}
	text, err := h.secret(h.found)(ctx, name)
	ask, _ := arguments["askNew"].(bool)
	if ask && tool.Code(err) == tool.CodeSecretMissing {
		err = h.askSecret(h.found)(ctx, name)
		if waits(err) != nil {
			return nil, &script.Suspend{Err: err}
		}
	}
	if err != nil {
		return nil, err
	}
	h.note(method, noted, nil)
	return text, nil
}

// askPerson puts a form, or the address of a page, before the person.
func (h *scriptHost) askPerson(ctx context.Context, method string, arguments map[string]any) (any, error) {
	form := consent.Form{Schema: arguments["schema"]}
	form.Title, _ = arguments["title"].(string)
	form.Text, _ = arguments["text"].(string)
	if method == script.MethodPopup {
		address, _ := arguments["url"].(string)
		form = consent.Form{URL: address}
		if err := tool.CheckPage(address); err != nil {
			return nil, err //nolint:wrapcheck // it has its code
		}
	}
	input, _ := h.scrubber().Value(arguments).(map[string]any)
	h.steps.Lock()
	key := fmt.Sprintf("ask[%d]", h.asks)
	h.asks++
	past := h.take(method, input)
	h.steps.Unlock()
	if past != nil && past.over {
		return past.given()
	}
	answer, err := h.ask(h.found, key)(ctx, form)
	if waits(err) != nil {
		return nil, &script.Suspend{Err: err}
	}
	if err := h.end(ctx, "", flow.Record{Name: method, Input: input, Attempts: 1}, answer, err); err != nil {
		return nil, err
	}
	return answer, err
}

// given is what a step came to in an earlier execution.
func (p *pastStep) given() (any, error) {
	if f := p.record.Failure; f != nil {
		return nil, &tool.Error{Code: f.Code, Message: f.Message}
	}
	return p.record.Result, nil
}

// end keeps what a step came to: under its name, or, for "", under a new one. What broke off with the
// call itself is not kept, so that the next execution does it.
func (h *scriptHost) end(ctx context.Context, step string, r flow.Record, result any, failed error) error {
	if h.whole.Err() != nil && failed != nil {
		return h.whole.Err()
	}
	if failed != nil {
		f := &flow.Failure{Code: codeOf(failed), Message: messageOf(failed)}
		if ctx.Err() != nil {
			f = &flow.Failure{Code: task.CodeAborted, Message: "The tool stopped it before its end."}
		}
		f.Message = h.scrubber().Text(f.Message)
		r.Failure = f
	} else {
		r.Result = result
	}
	h.steps.Lock()
	defer h.steps.Unlock()
	if step == "" {
		step = h.name(r.Name)
	}
	if err := h.keepOver(step, r); err != nil {
		return h.worker.storeFailure(err)
	}
	h.show(step, r)
	return nil
}

// number reads a number of JSON; 0 where it is none.
func number(v any) float64 {
	n, _ := v.(json.Number)
	f, err := n.Float64()
	if err != nil {
		return 0
	}
	return f
}
