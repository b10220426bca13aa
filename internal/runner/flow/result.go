package flow

import "toolsmith/internal/value"

// Status says how a run ended.
type Status string

// The ways in which a run ends.
const (
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
	// RecoveryRequired: a compensation failed, or the run failed after something
	// irreversible had been done that nothing undoes. A person has to look.
	RecoveryRequired Status = "recovery_required"
	Cancelled        Status = "cancelled"
	// Suspended: it is not over; nobody knows whether one of its steps happened.
	Suspended Status = "suspended"
)

// Codes of failed runs. A "fail" step brings a code of its own.
const (
	CodeInputInvalid          = "FORGE_INPUT_INVALID"
	CodeInputTooLarge         = "FORGE_INPUT_TOO_LARGE"
	CodeTransitionLimit       = "FORGE_TRANSITION_LIMIT"
	CodeResultTooLarge        = "FORGE_RESULT_TOO_LARGE"
	CodeCapabilityFailed      = "FORGE_CAPABILITY_FAILED"
	CodeCapabilityUnavailable = "FORGE_CAPABILITY_UNAVAILABLE"
	CodeCircuitOpen           = "FORGE_CIRCUIT_OPEN"
	CodeTargetInvalid         = "FORGE_TARGET_INVALID"
	CodeModelUnavailable      = "FORGE_MODEL_UNAVAILABLE"
	CodeLocalModelRequired    = "FORGE_LOCAL_MODEL_REQUIRED"
	CodeModelContext          = "FORGE_MODEL_CONTEXT_INSUFFICIENT"
	CodeInputTokens           = "FORGE_INPUT_TOKENS_EXCEEDED"
	CodeOutputTokens          = "FORGE_OUTPUT_TOKENS_EXCEEDED"
	CodeLLMOutputInvalid      = "FORGE_LLM_OUTPUT_INVALID"
	CodeForeachSource         = "FORGE_FOREACH_SOURCE"
	CodeForeachLimit          = "FORGE_FOREACH_LIMIT"
	CodeOutputInvalid         = "FORGE_OUTPUT_INVALID"
	CodeOutputTooLarge        = "FORGE_OUTPUT_TOO_LARGE"
	CodeAborted               = "FORGE_ABORTED"
	CodeDeadline              = "FORGE_DEADLINE"
	CodeStateInvalid          = "FORGE_STATE_INVALID"
	CodeStateTooLarge         = "FORGE_STATE_TOO_LARGE"
	CodeStateConflict         = "FORGE_STATE_CONFLICT"
	CodeJournalFailed         = "FORGE_JOURNAL_FAILED"
	CodeStepUnknown           = "FORGE_STEP_UNKNOWN"
)

// Limits of a run, in bytes of compact JSON.
const (
	MaxInput  = 64 << 10
	MaxResult = 256 << 10
	MaxOutput = 256 << 10
	// MaxVariable bounds what a "set" step leaves in a variable: a loop that puts a variable
	// into itself twice a round would else make a value that no one could measure any more.
	MaxVariable = 1 << 20
	// MaxTrace is how many events a trace keeps.
	MaxTrace = 4096
)

// Failure is why a run, or a step of it, did not succeed.
type Failure struct {
	Code    string
	Message string
}

// Error gives "CODE: message".
func (f *Failure) Error() string { return f.Code + ": " + f.Message }

// Event is one line of a trace.
type Event struct {
	// Step is the path of the step.
	Step string
	// Kind is the step's type, or "compensation".
	Kind string
	OK   bool
	// Attempt counts the tries of a capability from 1; 0 for other steps.
	Attempt    int
	Capability string
	Failure    *Failure
	// Note tells more: the branch that was taken, "cut: 100 of 240", "from the journal".
	Note string
	// Title of the record that a capability gave back, where it has one.
	Title string
	// Count of items in a list that a capability gave back; -1 for no list.
	Count int
}

// CallRecord is one try of a capability as it was made.
type CallRecord struct {
	Step       string
	Capability string
	Input      any
	Attempt    int
}

// Created is a record that a run made.
type Created struct {
	Capability string
	Kind       string
	// ID is "" where the capability gave none; HasID tells it from an empty one.
	ID    string
	HasID bool
	Title string
	// Undone: a compensation took it back.
	Undone bool
}

// Result is everything that is known of a run that is over.
type Result struct {
	Status Status
	// Output of a run that succeeded; nil otherwise.
	Output  any
	Failure *Failure
	Trace   []Event
	// TraceTruncated: there were more than MaxTrace events.
	TraceTruncated bool
	Created        []Created
	Calls          []CallRecord
	// Variables as the run left them, for the card.
	Variables map[string]any
	// State to be saved; only of a run that succeeded, of a tool that declares one.
	State map[string]any
}

// Value gives the result as a JSON value in the shape that the command line prints.
func (r Result) Value() map[string]any {
	out := map[string]any{
		"status": string(r.Status), "output": r.Output, "error": nil,
		"trace": list(r.Trace, Event.value), "created": list(r.Created, Created.value), "calls": list(r.Calls, CallRecord.value),
	}
	if r.Failure != nil {
		out["error"] = r.Failure.value()
	}
	if r.TraceTruncated {
		out["traceTruncated"] = true
	}
	return out
}

func list[T any](items []T, f func(T) map[string]any) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = f(item)
	}
	return out
}

func (f *Failure) value() map[string]any {
	return map[string]any{"code": f.Code, "message": f.Message}
}

func (e Event) value() map[string]any {
	out := map[string]any{"step": e.Step, "kind": e.Kind, "ok": e.OK}
	if e.Attempt > 0 {
		out["attempt"] = value.Int(e.Attempt)
	}
	if e.Capability != "" {
		out["capability"] = e.Capability
	}
	if e.Failure != nil {
		out["error"] = e.Failure.value()
	}
	if e.Note != "" {
		out["note"] = e.Note
	}
	return out
}

func (c CallRecord) value() map[string]any {
	return map[string]any{"step": c.Step, "capability": c.Capability, "input": c.Input, "attempt": value.Int(c.Attempt)}
}

func (c Created) value() map[string]any {
	out := map[string]any{"capability": c.Capability, "kind": c.Kind, "title": c.Title}
	if c.HasID {
		out["id"] = c.ID
	}
	if c.Undone {
		out["undone"] = true
	}
	return out
}
