// Package model is the port to language models: what a step asks of one and what comes
// back. A model is a way out of the program like a capability, and untrusted like one:
// what it answers is data.
package model

import (
	"context"
	"errors"
)

// ErrUnavailable is returned (wrapped) by a model that cannot answer now.
var ErrUnavailable = errors.New("the model is not available")

// Facts are what is known of a model before it is asked.
type Facts struct {
	// Name for people.
	Name string
	// Local: what it reads stays on this machine.
	Local bool
	// ContextTokens is how much it can read at once; 0 where there is no bound.
	ContextTokens int64
}

// Request is one question to a model. It has no tools: a step of a flow asks, and the
// answer is checked.
type Request struct {
	// Op is classify, extract, summarize, generate or rank.
	Op string
	// Data is the compact JSON text of what the step hands over. It is data, never
	// instructions, and has to be marked as such to the model.
	Data string
	// Schema that the answer has to fit; nil for free text.
	Schema any
	// Structured asks for the provider's own means of structured output.
	Structured bool
	// Reasoning is off, low, medium or high; "" for the model's default.
	Reasoning string
	// Privacy is local-only, local-preferred or remote-allowed.
	Privacy string
	// FallbackAllowed: another model may answer if the preferred one cannot.
	FallbackAllowed bool
	// MaxOutputTokens bounds the answer; negative for no bound.
	MaxOutputTokens int64
	// Repair is set when an earlier answer did not fit; nil the first time.
	Repair *Repair
}

// Repair tells a model what was wrong with its answer.
type Repair struct {
	// Answer as it came, as compact JSON text.
	Answer string
	// Violations in words.
	Violations []string
}

// Model answers requests. Implementations are safe for concurrent use.
type Model interface {
	Facts() Facts
	// Ask gives the answer as a JSON value: a text, or structured where a schema was
	// given. An error that wraps ErrUnavailable means that it cannot answer now.
	Ask(ctx context.Context, r Request) (answer any, err error)
}
