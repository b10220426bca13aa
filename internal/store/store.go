package store

import (
	"context"
	"errors"
	"time"

	"toolsmith/internal/audit"
	"toolsmith/internal/consent"
	"toolsmith/internal/local"
	"toolsmith/internal/registry"
	"toolsmith/internal/task"
)

// ErrConflict says that a state has another revision than the one expected.
var ErrConflict = errors.New("the state has been changed by another run")

// ErrExists says that what was to be added is there already.
var ErrExists = errors.New("it exists already")

// ErrGone says that the owner of a lease has ended.
var ErrGone = errors.New("the owner of the lease is gone")

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
// the same store, nor wait for anybody who does: it would wait for itself.
//
// Writes and trials are carried out in the order in which they were asked for, and writes
// that wait at the same time may share one commit. So each function sees what was written
// by all that were asked for before it and did not fail, and what it writes is never kept
// without that. Whatever fails leaves the others of its group as they are.
type Store interface {
	// Read runs fn over one unchanging state of the store. Writing in it fails.
	Read(ctx context.Context, fn func(Tx) error) error
	// Write runs fn and commits what it wrote, or nothing if it fails. When Write
	// returns nil, what was written survives a crash of the machine. If ctx ends before
	// its turn has come, fn is not run; if it ends while fn runs, nothing is committed.
	Write(ctx context.Context, fn func(Tx) error) error
	// Trial runs fn as Write does, and always rolls back.
	Trial(ctx context.Context, fn func(Tx) error) error
	// Lease makes the caller known as a worker on this store until it closes the lease, or
	// its process dies. Close it before the store.
	Lease(ctx context.Context) (Lease, error)
	AuditFiles
	// Close waits for the transactions under way, with those that are queued, and ends the
	// store; whatever is asked of it later fails. Closing it again does nothing.
	Close() error
}

// AuditFiles keeps the head of the audit a second time, apart from the database. It is
// brought up to date soon after a commit that has added a line, and at the latest by Close; so
// after a crash it may be older, but what it has is a point that the chain has passed through.
type AuditFiles interface {
	// AuditFile reads it. The zero value is that of a store that keeps none.
	AuditFile() audit.File
	// KeepAuditFile brings it up to date at once. What the chain has not passed through, and
	// what is gone though it was there, it leaves as it is for somebody to look at, unless
	// anew is set.
	KeepAuditFile(ctx context.Context, anew bool) error
}

// MaxMessage is how long a message of a lease may be, in bytes.
const MaxMessage = 4 << 10

// Lease is how a worker is known to all that use the same store, in this process and in
// others. It may be used from many goroutines at once.
type Lease interface {
	// ID names the lease. No other one ever has the same.
	ID() string
	// Alive reports whether the lease of an owner is held; for one's own it is. It ends with
	// Close, and with its process, however that ends. What never was an id of a lease is not
	// alive.
	Alive(owner string) (bool, error)
	// Notify gives a message to an owner, which may be the lease itself: one line of at most
	// MaxMessage bytes. Once it returns nil, the message is among those of the other. It
	// waits while the other has too many, up to 10 seconds; after an error the message may
	// arrive all the same. If the owner is not alive, it is ErrGone.
	Notify(owner, message string) error
	// Messages gives what others notified. It is closed by Close.
	Messages() <-chan string
	// Close ends the lease; messages that nobody took are lost. Closing it again does nothing.
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
	// Graph keeps runs as graphs of tasks.
	Graph() task.Store
	// Secrets keeps sealed secrets.
	Secrets() Secrets
	// Tokens keeps the tokens of programs.
	Tokens() Tokens
	// Consent keeps what people have set, allowed and answered.
	Consent() consent.Store
}

// RunMemory is what runs of a tool leave for later runs of it.
type RunMemory interface {
	States
	Breakers
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
