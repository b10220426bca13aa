package local

import "time"

// Kind says which of the three sorts of record is meant.
type Kind string

// The kinds of record.
const (
	KindNote   Kind = "note"
	KindTask   Kind = "task"
	KindMemory Kind = "memory"
)

// Status is how far a task is.
type Status string

// The statuses of a task; Todo is the default.
const (
	Todo  Status = "todo"
	Doing Status = "doing"
	Done  Status = "done"
)

// Statuses lists them, from the first to the last.
func Statuses() []Status { return []Status{Todo, Doing, Done} }

// Priority is how much a task matters.
type Priority string

// The priorities of a task; Normal is the default.
const (
	Low    Priority = "low"
	Normal Priority = "normal"
	High   Priority = "high"
)

// Priorities lists them, lowest first.
func Priorities() []Priority { return []Priority{Low, Normal, High} }

// The bounds of what a record may hold.
const (
	// IDLength is how many characters an id has.
	IDLength = 26
	// MaxTitle is the longest title in characters (code points), after trimming.
	MaxTitle = 200
	// MaxText is the longest content or description in bytes of UTF-8.
	MaxText = 32 * 1024
	// MaxKind is the longest kind of a memory in characters.
	MaxKind = 40
	// MaxQuery is the longest text to look for in characters.
	MaxQuery = 1024
	// DefaultLimit is how many records a list has when no limit is given.
	DefaultLimit = 100
	// MaxLimit is the most records that one list may have.
	MaxLimit = 500
	// MinPrefix is the fewest characters by which a record can be looked up.
	MinPrefix = 4
)

// Note is a text that the person keeps.
type Note struct {
	// ID is a ULID in upper case; ids sort by the time of creation.
	ID      string `json:"id"`
	Title   string `json:"title"`
	Content string `json:"content"`
	// CreatedAt and UpdatedAt are in UTC, to the millisecond.
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	// Revision is 1 for a new record, and higher after every change. Taking a change
	// back brings the earlier revision back too; no number is ever given twice.
	Revision int64 `json:"revision"`
}

// Task is something to do. It is not a task of the graph.
type Task struct {
	// ID, CreatedAt, UpdatedAt and Revision are as in Note.
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Status      Status   `json:"status"`
	Priority    Priority `json:"priority"`
	// DueAt is in UTC; nil when the task is not due at any time.
	DueAt     *time.Time `json:"dueAt,omitempty"`
	CreatedAt time.Time  `json:"createdAt"`
	UpdatedAt time.Time  `json:"updatedAt"`
	Revision  int64      `json:"revision"`
}

// Memory is something worth remembering over many conversations.
type Memory struct {
	// ID, CreatedAt, UpdatedAt and Revision are as in Note.
	ID      string `json:"id"`
	Title   string `json:"title"`
	Content string `json:"content"`
	// Kind is a word of the person's or the tool's own choice; may be empty.
	Kind string `json:"kind"`
	// Archived memories are kept, and are not found by a search.
	Archived  bool      `json:"archived"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	Revision  int64     `json:"revision"`
}
