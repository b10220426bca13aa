package store

import (
	"context"
	"errors"
	"time"

	"toolsmith/internal/local"
	"toolsmith/internal/registry"
)

// ErrConflict says that a state has another revision than the one expected.
var ErrConflict = errors.New("the state has been changed by another run")

// ErrExists says that what was to be added is there already.
var ErrExists = errors.New("it exists already")

// Codes of the *tool.Error that a store gives.
const (
	// CodeNewer: the store was written by a newer version of Toolsmith.
	CodeNewer = "STORE_NEWER"
	// CodeUnavailable: the store cannot be opened, read or written (disk full, read-only
	// folder, no folder, damaged file).
	CodeUnavailable = "STORE_UNAVAILABLE"
	// CodeBusy: another process held the store for too long. It may pass.
	CodeBusy = "STORE_BUSY"
)

// Store gives transactions. It may be used from many goroutines at once.
//
// The function given to Read, Write or Trial may run on another goroutine, and Write may
// run it again when its transaction could not be committed: it must have no effect but
// through the Tx, which ends with it. An error of the function is returned as it is; a
// panic of it rolls back and goes on. No such function may call Write, Trial or Close of
// the same store, since it would wait for itself.
type Store interface {
	// Read runs fn over one unchanging state of the store. Writing in it fails.
	Read(ctx context.Context, fn func(Tx) error) error
	// Write runs fn and commits what it wrote, or nothing if it fails. When Write
	// returns nil, what was written survives a crash of the machine.
	Write(ctx context.Context, fn func(Tx) error) error
	// Trial runs fn as Write does, and always rolls back.
	Trial(ctx context.Context, fn func(Tx) error) error
	// Close waits for the transactions under way and ends the store; whatever is asked of
	// it later fails. Closing it again does nothing.
	Close() error
}

// Tx is one transaction. After an error of anything reached through it, it must be
// rolled back.
type Tx interface {
	// Registry keeps the installed tools and the audit.
	Registry() registry.Store
	// Local keeps the person's notes, tasks and memories.
	Local() local.Shelf
	// Runs keeps what runs of a tool leave for later runs.
	Runs() RunMemory
}

// RunMemory is what runs of a tool leave for later runs of it.
type RunMemory interface {
	States
	Breakers
	Approvals
}

// State is what a tool keeps between its runs.
type State struct {
	// Data is a JSON object.
	Data []byte
	// Revision is 1 after the first PutState and one more after each further one.
	Revision int64
}

// States keeps the state of each tool, for each version of its schema.
type States interface {
	// State of a tool; ok is false where it has none under this schema version.
	State(ctx context.Context, toolID string, schemaVersion int64) (state State, ok bool, err error)
	// PutState replaces the state if it still has the expected revision (0: there is
	// none yet), and fails with ErrConflict if not.
	PutState(ctx context.Context, toolID string, schemaVersion int64, data []byte, expectedRevision int64) error
	// DropState forgets the state of a tool under every schema version.
	DropState(ctx context.Context, toolID string) error
}

// Breaker is what a circuit breaker knows about one capability of one tool.
type Breaker struct {
	// Failures that still count, oldest first.
	Failures []time.Time
	// OpenedAt is when the breaker opened; nil while it is closed.
	OpenedAt *time.Time
}

// Breakers keeps the circuit breakers of the tools.
type Breakers interface {
	// Breaker of a capability of a tool; the zero value where nothing is kept.
	Breaker(ctx context.Context, toolID, capability string) (Breaker, error)
	// PutBreaker inserts or replaces it.
	PutBreaker(ctx context.Context, toolID, capability string, breaker Breaker) error
	// DropBreakers forgets all breakers of a tool.
	DropBreakers(ctx context.Context, toolID string) error
}

// Approvals keeps a person's yes to exactly one content, named by its digest.
type Approvals interface {
	// Approved reports whether a person said yes to the digest.
	Approved(ctx context.Context, digest string) (bool, error)
	// Approve keeps a yes. The first one for a digest counts; a further one changes nothing.
	Approve(ctx context.Context, digest, toolID, who string, at time.Time) error
}
