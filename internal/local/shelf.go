package local

import (
	"context"
	"time"
)

// Shelf is where the records are kept, within one transaction. After an error the
// transaction must be rolled back. Times are kept to the microsecond, in UTC.
type Shelf interface {
	Notes() Records[Note]
	Tasks() Records[Task]
	Memories() Records[Memory]
	// MemoryWords finds memories by the words in them.
	MemoryWords() Words
	History() History
}

// Records keeps the records of one kind. A missing record is reported by ok, not by
// an error.
type Records[T any] interface {
	Get(ctx context.Context, id string) (record T, ok bool, err error)
	// Put inserts the record, or replaces the one with its id.
	Put(ctx context.Context, record T) error
	// Remove forgets a record; one that is not there is no error.
	Remove(ctx context.Context, id string) error
	// List gives the records that fit, highest id first, at most limit of them, and of
	// those only the ones with an id below before (when it is not empty).
	List(ctx context.Context, fits Filter, before string, limit int) ([]T, error)
	// Count says how many records fit.
	Count(ctx context.Context, fits Filter) (int, error)
	// WithPrefix gives the records whose id begins with prefix, highest id first, at
	// most limit of them.
	WithPrefix(ctx context.Context, prefix string, limit int) ([]T, error)
}

// Filter says which records fit; the zero value fits all.
type Filter struct {
	// Status that a task must have; empty for any. Of no meaning for other kinds.
	Status Status
	// Active leaves archived memories out. Of no meaning for other kinds.
	Active bool
	// Contains is a text as Fold gives it, which the folded title or the folded
	// content (of a task: description) must contain; empty for any.
	Contains string
}

// Words finds active memories by whole words.
type Words interface {
	// Search gives the memories with every one of the words, or with at least one of
	// them; best first, among equals the highest id first, at most limit of them; and
	// how many there are in all. The words are as Fold gives them, letters, digits and
	// marks only; without any word nothing is found.
	Search(ctx context.Context, words []string, every bool, limit int) (found []Memory, total int, err error)
}

// History keeps what was done to each record, and the state before it. Nothing is
// ever taken out of it.
type History interface {
	// Append adds an entry; a second one for the same kind, id and revision is an error.
	Append(ctx context.Context, entry Entry) error
	// Entry finds the entry of one revision of a record.
	Entry(ctx context.Context, kind Kind, id string, revision int64) (entry Entry, ok bool, err error)
	// Latest finds the entry of the highest revision of a record.
	Latest(ctx context.Context, kind Kind, id string) (entry Entry, ok bool, err error)
	// IDs gives the ids beginning with prefix that have a history, highest first, at
	// most limit of them; those of records that are gone are among them.
	IDs(ctx context.Context, kind Kind, prefix string, limit int) ([]string, error)
}

// Action is what was done to a record.
type Action string

// The actions that a history knows.
const (
	Created  Action = "create"
	Updated  Action = "update"
	Archived Action = "archive"
	Deleted  Action = "delete"
	Undone   Action = "undo"
)

// Entry is one change of one record.
type Entry struct {
	Kind Kind
	ID   string
	// Revision that the change made; for a deletion or an undo the number used up by it.
	Revision int64
	Action   Action
	At       time.Time
	// Before is the record as JSON as it was before the change; nil when there was none.
	Before []byte
}
