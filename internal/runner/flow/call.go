package flow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"toolsmith/internal/model"
	"toolsmith/internal/schema"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// compensation is the kind of a call that takes back what a step did.
const compensation = "compensation"

// call is one use of a capability, with all its tries.
type call struct {
	path       string
	kind       string
	capability tool.Capability
	known      bool
	form       *schema.Schema
	input      any
	attempts   int
	backoffMs  int64
}

// capability runs a capability step.
func (r *run) capability(ctx context.Context, at *step, path string) *Failure {
	input, _ := at.input.eval(r)
	answer, failure, done := r.call(ctx, call{
		path: path, kind: string(at.kind), capability: at.capability, known: at.known, form: at.inputForm,
		input: input, attempts: at.attempts, backoffMs: at.backoffMs,
	})
	if !done {
		return failure
	}
	// What was done counts as done from here on, whatever becomes of its result or of the
	// record of it.
	created := -1
	if record, ok := createdBy(at.capability, answer.Value); ok {
		created = len(r.result.Created)
		r.result.Created = append(r.result.Created, record)
	}
	r.lasting = r.lasting || at.capability.Irreversible
	target := r.put(at.target, answer.Value, true)
	if at.undo != nil {
		input, _ := at.undo.input.eval(r)
		r.undos = append(r.undos, pendingUndo{step: path, undo: at.undo, input: input, created: created})
	}
	size := measure(answer.Value)
	switch {
	case failure != nil:
		return r.event(at, path, failure)
	case target != nil:
		return r.event(at, path, target)
	case size.bytes > MaxResult:
		return r.event(at, path, &Failure{CodeResultTooLarge, fmt.Sprintf(
			"%q gave back %s; at most %d are allowed.", at.capability.Name, size, MaxResult)})
	}
	return nil
}

// call asks the journal, then the host, and notes every try in the trace. done tells that
// the capability did its work, also where the run cannot go on after it.
func (r *run) call(ctx context.Context, c call) (answer Answer, failure *Failure, done bool) {
	if r.Journal != nil {
		if record, ok := r.Journal.Recorded(c.path); ok {
			answer, failure = r.replay(c, record)
			return answer, failure, failure == nil
		}
	}
	answer, attempt, failure, abandoned := r.try(ctx, c)
	done = failure == nil
	if abandoned || r.Journal == nil {
		return answer, failure, done // an abandoned step is tried again when the run goes on
	}
	record := Record{
		Name: c.capability.Name, Input: c.input, Attempts: attempt, Result: answer.Value, Note: answer.Note, Failure: failure,
	}
	if err := r.Journal.Record(c.path, record); err != nil {
		failure = &Failure{CodeJournalFailed, "What this step did could not be recorded, so the run cannot go on."}
	}
	return answer, failure, done
}

// replay takes a recorded outcome instead of calling.
func (r *run) replay(c call, record Record) (Answer, *Failure) {
	note := "from the journal"
	if record.Note != "" {
		note = record.Note + ", " + note
	}
	r.note(c.event(record.Attempts, Answer{Value: record.Result, Note: note}, record.Failure))
	return Answer{Value: record.Result, Note: record.Note}, record.Failure
}

func (c call) event(attempt int, answer Answer, failure *Failure) Event {
	e := Event{
		Step: c.path, Kind: c.kind, OK: failure == nil, Attempt: attempt,
		Capability: c.capability.Name, Failure: failure, Note: answer.Note, Count: -1,
	}
	switch v := answer.Value.(type) {
	case []any:
		e.Count = len(v)
	case map[string]any:
		e.Title, _ = v["title"].(string)
	}
	return e
}

// try calls a capability until it succeeds, fails for good, or has been tried often
// enough. abandoned means that the run was interrupted before the step had an outcome.
func (r *run) try(ctx context.Context, c call) (answer Answer, attempt int, failure *Failure, abandoned bool) {
	if failure := r.admit(ctx, c); failure != nil {
		r.note(c.event(0, Answer{}, failure))
		return Answer{}, 0, failure, false
	}
	for attempt = 1; ; attempt++ {
		r.result.Calls = append(r.result.Calls, CallRecord{Step: c.path, Capability: c.capability.Name, Input: c.input, Attempt: attempt})
		var permanent bool
		answer, failure, permanent = r.once(ctx, c, attempt)
		if r.suspended != nil {
			r.report(ctx, c, false, true)
			return Answer{}, attempt, failure, true
		}
		r.note(c.event(attempt, answer, failure))
		over := interrupted(ctx)
		if failure == nil || permanent || attempt >= c.attempts || over != nil {
			abandoned = failure != nil && over != nil
			r.report(ctx, c, failure == nil, permanent || abandoned)
			if abandoned {
				return Answer{}, attempt, over, true
			}
			return answer, attempt, failure, false
		}
		if err := r.Clock.Sleep(ctx, time.Duration(c.backoffMs)*time.Millisecond); err != nil {
			r.report(ctx, c, false, true)
			return Answer{}, attempt, interrupted(ctx), true
		}
	}
}

// guarded reports whether a call passes the breaker. A compensation does not: it is made
// once, whatever is known of its capability.
func (r *run) guarded(c call) bool { return r.Breaker != nil && c.kind != compensation }

// report tells the breaker how a call ended. open is for one that says nothing about the
// capability: its input was bad, or the run was over before its time.
func (r *run) report(ctx context.Context, c call, ok, open bool) {
	switch {
	case !r.guarded(c):
	case open && !ok:
		r.Breaker.Withdraw(ctx, c.capability.Name)
	default:
		r.Breaker.Report(ctx, c.capability.Name, ok)
	}
}

// admit checks what can be known before calling.
func (r *run) admit(ctx context.Context, c call) *Failure {
	name := c.capability.Name
	if !c.known || r.Host == nil {
		return &Failure{CodeCapabilityUnavailable, fmt.Sprintf("This host has no capability %q.", name)}
	}
	most := c.capability.MaxInput
	if most == 0 {
		most = MaxVariable
	}
	if size := measure(c.input); size.bytes > most {
		return &Failure{CodeInputTooLarge, fmt.Sprintf("The input of %q has %s; at most %d are allowed.", name, size, most)}
	}
	if !r.SkipInputForms {
		if violations := c.form.Validate(c.input); len(violations) > 0 {
			return invalid(CodeInputInvalid, fmt.Sprintf("The input of %q does not fit.", name), violations)
		}
	}
	if r.guarded(c) {
		if err := r.Breaker.Allow(ctx, name); err != nil {
			return &Failure{CodeCircuitOpen, err.Error()}
		}
	}
	return nil
}

// once calls a capability one time.
func (r *run) once(ctx context.Context, c call, attempt int) (Answer, *Failure, bool) {
	answer, err := r.Host.Call(ctx, Call{
		Step: c.path, Capability: c.capability.Name, Input: c.input, Attempt: attempt,
		Key: r.ExecutionID + "/" + c.path,
	})
	if err == nil {
		return answer, nil, false
	}
	failure := &Failure{CodeCapabilityFailed, fmt.Sprintf("%q failed.", c.capability.Name)}
	if errors.As(err, &r.suspended) {
		return Answer{}, failure, true
	}
	var known *CallError
	if !errors.As(err, &known) {
		return Answer{}, failure, false
	}
	if known.Message != "" {
		failure.Message = fmt.Sprintf("%q failed: %s", c.capability.Name, known.Message)
	}
	if known.Code != "" {
		failure.Code = known.Code
	}
	return Answer{}, failure, known.Permanent
}

// ask runs a model step.
func (r *run) ask(ctx context.Context, at *step, path string) *Failure {
	if r.Journal != nil {
		if record, ok := r.Journal.Recorded(path); ok {
			failure := record.Failure
			if failure == nil {
				failure = r.put(at.target, record.Result, true)
			}
			return r.event(at, path, failure)
		}
	}
	input, _ := at.input.eval(r)
	if size := measure(input); size.bytes > MaxVariable {
		return r.event(at, path, &Failure{CodeInputTooLarge, fmt.Sprintf(
			"What the step hands over has %s; at most %d are allowed.", size, MaxVariable)})
	}
	answer, failure := r.question(ctx, at, value.JSON(input))
	if over := interrupted(ctx); failure != nil && over != nil {
		return r.event(at, path, over)
	}
	if r.Journal != nil {
		if err := r.Journal.Record(path, Record{Name: "llm." + at.op, Input: input, Attempts: 1, Result: answer, Failure: failure}); err != nil {
			failure = &Failure{CodeJournalFailed, "The model's answer could not be recorded, so the run cannot go on."}
		}
	}
	if failure == nil {
		failure = r.put(at.target, answer, true)
	}
	return r.event(at, path, failure)
}

// question asks a model, once more if its answer does not fit.
func (r *run) question(ctx context.Context, at *step, data string) (any, *Failure) {
	if failure := r.suited(at, data); failure != nil {
		return nil, failure
	}
	request := model.Request{
		Op: at.op, Data: data, Schema: at.answer.Raw(), Structured: at.requirements.structured,
		Reasoning: at.requirements.reasoning, Privacy: at.requirements.privacy,
		FallbackAllowed: at.requirements.fallback, MaxOutputTokens: at.requirements.maxOutputTokens,
	}
	for {
		answer, err := r.Model.Ask(ctx, request)
		if err != nil {
			message := "The model did not answer."
			var known *CallError
			if errors.As(err, &known) && known.Message != "" {
				message = "The model did not answer: " + known.Message
			}
			return nil, &Failure{CodeModelUnavailable, message}
		}
		if bound := at.requirements.maxOutputTokens; bound >= 0 && tokens(value.JSON(answer)) > bound {
			return nil, &Failure{CodeOutputTokens, fmt.Sprintf(
				"The answer has about %d tokens; the step allows %d.", tokens(value.JSON(answer)), bound)}
		}
		violations := at.answer.Validate(answer)
		if len(violations) == 0 {
			return answer, nil
		}
		if request.Repair != nil {
			return nil, invalid(CodeLLMOutputInvalid, "The model's answer does not fit the output schema, not even when asked again.", violations)
		}
		request.Repair = &model.Repair{Answer: value.JSON(answer)}
		for _, v := range violations {
			request.Repair.Violations = append(request.Repair.Violations, v.String())
		}
	}
}

// suited checks that the model may and can answer.
func (r *run) suited(at *step, data string) *Failure {
	if r.Model == nil {
		return &Failure{CodeModelUnavailable, "No model is configured, so a model step cannot run."}
	}
	facts, need := r.Model.Facts(), at.requirements
	if need.privacy == "local-only" && !facts.Local {
		return &Failure{CodeLocalModelRequired, fmt.Sprintf("This step may only be answered on this machine, and %q is not.", facts.Name)}
	}
	if facts.ContextTokens > 0 && need.minContext > facts.ContextTokens {
		return &Failure{CodeModelContext, fmt.Sprintf(
			"This step needs a model that reads %d tokens at once; %q reads %d.", need.minContext, facts.Name, facts.ContextTokens)}
	}
	count := tokens(data)
	if need.maxInputTokens >= 0 && count > need.maxInputTokens {
		return &Failure{CodeInputTokens, fmt.Sprintf("What the step hands over has about %d tokens; it allows %d.", count, need.maxInputTokens)}
	}
	if facts.ContextTokens > 0 && count > facts.ContextTokens {
		return &Failure{CodeModelContext, fmt.Sprintf(
			"What the step hands over has about %d tokens; %q reads %d at once.", count, facts.Name, facts.ContextTokens)}
	}
	return nil
}

// tokens estimates how many tokens a JSON text has: four characters each, rounded up. It
// is the same for every model, so that a bound means the same wherever a tool runs.
func tokens(json string) int64 {
	return int64((value.UTF16Len(json) + 3) / 4)
}
