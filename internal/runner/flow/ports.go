package flow

import (
	"context"
	"fmt"
	"time"
)

// Call is one try of a capability.
type Call struct {
	// Step is the path of the step: "collect", "each[3].0", "collect!undo".
	Step string
	// Capability by name.
	Capability string
	// Input is resolved and fits the capability's schema and limit.
	Input any
	// Attempt counts from 1.
	Attempt int
	// Key is the same for every try of the step, also after a restart: run id and step.
	Key string
}

// Answer is what a capability gave back.
type Answer struct {
	Value any
	// Note is shown in the trace, such as "cut: 100 of 240"; may be empty.
	Note string
}

// Host calls capabilities. An error that is a *CallError says how to go on; any other
// counts as one that may pass, and its text is not shown.
type Host interface {
	Call(ctx context.Context, c Call) (Answer, error)
}

// CallError is a failed call.
type CallError struct {
	// Message for people and models. It never holds the text of a store or library.
	Message string
	// Permanent: another try would fail in the same way.
	Permanent bool
	// Code replaces FORGE_CAPABILITY_FAILED where it is set.
	Code string
	// Cause is for logs only; may be nil.
	Cause error
}

// Error gives the message.
func (e *CallError) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *CallError) Unwrap() error { return e.Cause }

// SuspendError is returned by a Host for a step of which nobody knows whether it happened.
// The run stops there as it is, without compensations, to be taken up again when a person
// has said what is true.
type SuspendError struct {
	// Message for people.
	Message string
}

// Error gives the message.
func (e *SuspendError) Error() string { return e.Message }

// Record is what a journal keeps of a capability or model step that is over.
type Record struct {
	// Name of the capability; "llm." and the operation for a model step.
	Name string
	// Input as the step was called with.
	Input any
	// Attempts made; 1 for a model step.
	Attempts int
	// Result if the step succeeded.
	Result any
	// Note of the answer.
	Note string
	// Failure if it did not.
	Failure *Failure
}

// Journal remembers which steps of a run are over.
type Journal interface {
	// Recorded gives what is known of a step; ok is false for one that has not ended.
	Recorded(step string) (r Record, ok bool)
	// Record keeps the outcome of a step. A host that recorded the step together with its
	// effect makes the second recording do nothing.
	Record(step string, r Record) error
}

// Clock tells and passes time.
type Clock interface {
	Now() time.Time
	// Sleep waits, or returns the context's error if that ends first.
	Sleep(ctx context.Context, d time.Duration) error
}

// Breaker keeps a capability that keeps failing from being called.
type Breaker interface {
	// Allow returns an error while calls are not let through; its text says until when.
	Allow(ctx context.Context, capability string) error
	// Report tells how a call that was let through ended, with all its tries.
	Report(ctx context.Context, capability string, ok bool)
	// Withdraw takes back a call that was let through and ended without telling anything
	// about the capability: its input was bad, or the run was cancelled.
	Withdraw(ctx context.Context, capability string)
}

// SystemClock is the real clock.
type SystemClock struct{}

// Now gives the current time.
func (SystemClock) Now() time.Time { return time.Now() }

// Sleep waits for d or the end of ctx.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait: %w", ctx.Err())
	}
}
