package local

import (
	"time"
)

// Book is the person's records as they are seen within one transaction of a store.
// A verb that fails may have written a part: the transaction must then be rolled back.
//
// Errors that a caller can do something about are *tool.Error with the code NOT_FOUND,
// AMBIGUOUS_ID, CHANGED_SINCE or INVALID; all others come from the store.
type Book struct {
	shelf Shelf
	now   func() time.Time
	newID func() string
}

// NewBook makes a book over a shelf. now gives the time that changes are marked with,
// newID the ids of new records (see NewIDs).
func NewBook(shelf Shelf, now func() time.Time, newID func() string) *Book {
	return &Book{shelf: shelf, now: now, newID: newID}
}

// List says which records to list.
type List struct {
	// Query is a text that the title or the content (of a task: description) must
	// contain, in whatever case; empty for any.
	Query string
	// Status that a task must have; empty for any. Of no meaning for other kinds.
	Status Status
	// WithArchived lists archived memories too. Of no meaning for other kinds.
	WithArchived bool
	// Limit is the most records to give, 1 to MaxLimit; 0 is DefaultLimit.
	Limit int
	// Cursor is the id of the last record already seen: the list goes on below it.
	// Empty begins with the newest.
	Cursor string
}

// Page is what a list or a search gives: the newest first, or the best first.
type Page[T any] struct {
	Records []T
	// Cut: there are more below the last record.
	Cut bool
	// Total is the number of all matches, whatever the limit and cursor.
	Total int
}
