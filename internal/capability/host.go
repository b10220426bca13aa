package capability

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolsmith/internal/capability/web"
	"toolsmith/internal/local"
	"toolsmith/tool"
)

// MaxResult is the most bytes that the compact JSON of one result may have.
const MaxResult = 256 * 1024

// Call is one call of a capability.
type Call struct {
	// Name of the capability, such as "notes.create".
	Name string
	// Input is a JSON value (nil, bool, string, json.Number, []any, map[string]any).
	// It should have been measured and checked against the capability's schema; what
	// does not fit is refused here too, but with the first problem only.
	Input any
	// Key is the same for every try of one step of one run; for capabilities that reach
	// outside.
	Key string
	// Reach is what a capability that reaches outside may reach; nil for nothing, as in a dry
	// run: the call is refused then.
	Reach *Reach
}

// Result is what a call gave.
type Result struct {
	// Value is a JSON value of the same Go types as an input; it is the caller's own.
	Value any
	// Cut is set when a list does not show all matches.
	Cut *Cut
}

// Cut says how much of a list is shown.
type Cut struct {
	// Shown records, out of Total matches.
	Shown, Total int
}

// Host carries out calls. It never changes once it is made, so it may be shared.
type Host struct {
	catalogue *tool.Catalogue
	verbs     map[string]verb
	senders   map[string]sender
	web       *web.Client
}

// verb carries out one capability over a book.
type verb func(ctx context.Context, book *local.Book, in *input) (Result, error)

// NewHost makes a host for the capabilities of Builtin, with a client of its own.
func NewHost() *Host { return NewHostWith(web.New(web.Options{})) }

// NewHostWith makes a host for the capabilities of Builtin that reaches outside through a
// client.
func NewHostWith(client *web.Client) *Host {
	return &Host{catalogue: Builtin(), verbs: verbs(), senders: senders(), web: client}
}

// Catalogue lists the capabilities of this host.
func (h *Host) Catalogue() *tool.Catalogue { return h.catalogue }

// Call carries out one call over the book, within the transaction that the book
// belongs to; after an error that transaction must be rolled back. A call that reaches
// outside needs no book, and takes as long as the network does: no transaction should be
// open meanwhile. Every error is an *Error, except that of a context that has ended.
func (h *Host) Call(ctx context.Context, book *local.Book, call Call) (Result, error) {
	if send, ok := h.senders[call.Name]; ok {
		result, err := send(ctx, h.web, call, readInput(call.Input))
		if err != nil {
			return Result{}, outboundFailure(call.Name, err)
		}
		return result, nil
	}
	do, ok := h.verbs[call.Name]
	if !ok {
		return Result{}, &Error{
			Capability: call.Name, Permanent: true, Code: CodeUnknown,
			Public: "This host has no such capability.",
		}
	}
	result, err := do(ctx, book, readInput(call.Input))
	if err != nil {
		return Result{}, failure(call.Name, err)
	}
	return result, nil
}

// The codes of an Error beyond those of packages local and web.
const (
	// CodeUnknown: the host has no capability of that name.
	CodeUnknown = "FORGE_CAPABILITY_UNAVAILABLE"
	// CodeUnavailable: the local data could not be read or written just now.
	CodeUnavailable = "DATA_UNAVAILABLE"
)

// Error is a failed call.
type Error struct {
	// Capability that was called.
	Capability string
	// Permanent: the same call would fail again (unknown id, bad value). Otherwise the
	// failure may pass (database busy, input or output).
	Permanent bool
	// Code is CodeUnknown, CodeUnavailable or one of the codes of package local or web.
	Code string
	// Field is the path of the value at fault ("$.title"); empty where there is none.
	Field string
	// Public says to people and models what is wrong and what to do. It never has the
	// store's own text.
	Public string
	// Cause is for logs, never for people or models; may be nil.
	Cause error
}

// Error gives the public text.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Capability, e.Public) }

// Outbound reports whether it was the way out that failed, or was refused: the code says why,
// and is for whoever called.
func (e *Error) Outbound() bool {
	return strings.HasPrefix(e.Code, "OUTBOUND_") || strings.HasPrefix(e.Code, "SECRET_")
}

// Unwrap gives the private cause.
func (e *Error) Unwrap() error { return e.Cause }

// failure makes an Error of what a verb gave. Only what package local says of an input
// is meant to be seen; everything else comes from the store.
func failure(name string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", name, err)
	}
	var coded *tool.Error
	if errors.As(err, &coded) {
		switch coded.Code {
		case local.CodeNotFound, local.CodeAmbiguous, local.CodeChanged, local.CodeInvalid:
			return &Error{
				Capability: name, Permanent: true, Code: coded.Code, Field: coded.Field,
				Public: coded.Message, Cause: err,
			}
		}
	}
	return &Error{
		Capability: name, Code: CodeUnavailable,
		Public: "The local data cannot be read or written just now.", Cause: err,
	}
}
