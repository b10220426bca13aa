// Package localtest has a shelf in memory, for tests of what works over package local.
package localtest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolsmith/internal/local"
)

// Shelf is a local.Shelf in memory. It has no transactions, and serves one goroutine.
type Shelf struct {
	// Fail is asked before each operation, by a name such as "task.Put" or
	// "history.Append"; the error that it gives is that of the operation. May be nil.
	Fail func(operation string) error

	notes    map[string]local.Note
	tasks    map[string]local.Task
	memories map[string]local.Memory
	history  []local.Entry
}

// NewShelf makes an empty shelf.
func NewShelf() *Shelf {
	return &Shelf{
		notes:    map[string]local.Note{},
		tasks:    map[string]local.Task{},
		memories: map[string]local.Memory{},
	}
}

func (s *Shelf) fail(operation string) error {
	if s.Fail == nil {
		return nil
	}
	return s.Fail(operation)
}

// Notes gives the notes.
func (s *Shelf) Notes() local.Records[local.Note] {
	return records[local.Note]{s, local.KindNote, s.notes, func(n local.Note) row {
		return row{id: n.ID, title: n.Title, text: n.Content}
	}}
}

// Tasks gives the tasks.
func (s *Shelf) Tasks() local.Records[local.Task] {
	return records[local.Task]{s, local.KindTask, s.tasks, func(t local.Task) row {
		return row{id: t.ID, title: t.Title, text: t.Description, status: t.Status}
	}}
}

// Memories gives the memories.
func (s *Shelf) Memories() local.Records[local.Memory] {
	return records[local.Memory]{s, local.KindMemory, s.memories, memoryRow}
}

func memoryRow(m local.Memory) row {
	return row{id: m.ID, title: m.Title, text: m.Content, archived: m.Archived}
}

// MemoryWords finds memories by their words.
func (s *Shelf) MemoryWords() local.Words { return words{s} }

// History gives the history.
func (s *Shelf) History() local.History { return history{s} }

// row is what records are found by.
type row struct {
	id, title, text string
	status          local.Status
	archived        bool
}

func (r row) fits(f local.Filter) bool {
	return (f.Status == "" || f.Status == r.status) && (!f.Active || !r.archived) &&
		(strings.Contains(local.Fold(r.title), f.Contains) || strings.Contains(local.Fold(r.text), f.Contains))
}

type records[T any] struct {
	shelf *Shelf
	kind  local.Kind
	kept  map[string]T
	row   func(T) row
}

func (r records[T]) Get(_ context.Context, id string) (T, bool, error) {
	one, ok := r.kept[id]
	return one, ok, r.shelf.fail(string(r.kind) + ".Get")
}

func (r records[T]) Put(_ context.Context, one T) error {
	if err := r.shelf.fail(string(r.kind) + ".Put"); err != nil {
		return err
	}
	r.kept[r.row(one).id] = one
	return nil
}

func (r records[T]) Remove(_ context.Context, id string) error {
	if err := r.shelf.fail(string(r.kind) + ".Remove"); err != nil {
		return err
	}
	delete(r.kept, id)
	return nil
}

// newest gives the records that fit, highest id first.
func (r records[T]) newest(fits func(row) bool) []T {
	var found []T
	for _, one := range r.kept {
		if fits(r.row(one)) {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b T) int { return cmp.Compare(r.row(b).id, r.row(a).id) })
	return found
}

func (r records[T]) List(_ context.Context, f local.Filter, before string, limit int) ([]T, error) {
	found := r.newest(func(one row) bool { return one.fits(f) && (before == "" || one.id < before) })
	return found[:min(limit, len(found))], r.shelf.fail(string(r.kind) + ".List")
}

func (r records[T]) Count(_ context.Context, f local.Filter) (int, error) {
	return len(r.newest(func(one row) bool { return one.fits(f) })), r.shelf.fail(string(r.kind) + ".Count")
}

func (r records[T]) WithPrefix(_ context.Context, prefix string, limit int) ([]T, error) {
	found := r.newest(func(one row) bool { return strings.HasPrefix(one.id, prefix) })
	return found[:min(limit, len(found))], r.shelf.fail(string(r.kind) + ".WithPrefix")
}

type words struct{ shelf *Shelf }

// Search ranks by how many of the words a memory has.
func (w words) Search(_ context.Context, asked []string, every bool, limit int) ([]local.Memory, int, error) {
	score := func(m local.Memory) (matches int) {
		text := " " + strings.Join(strings.Fields(local.Fold(m.Title+" "+m.Content)), " ") + " "
		for _, word := range asked {
			if strings.Contains(text, " "+word+" ") {
				matches++
			}
		}
		return matches
	}
	var found []local.Memory
	for _, m := range w.shelf.memories {
		if n := score(m); !m.Archived && n > 0 && (!every || n == len(asked)) {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b local.Memory) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(b.ID, a.ID))
	})
	return found[:min(limit, len(found))], len(found), w.shelf.fail("words.Search")
}

type history struct{ shelf *Shelf }

func (h history) Append(ctx context.Context, entry local.Entry) error {
	if err := h.shelf.fail("history.Append"); err != nil {
		return err
	}
	if _, ok := h.find(entry.Kind, entry.ID, entry.Revision); ok {
		return fmt.Errorf("%s %s has a revision %d already", entry.Kind, entry.ID, entry.Revision)
	}
	h.shelf.history = append(h.shelf.history, entry)
	return nil
}

func (h history) find(kind local.Kind, id string, revision int64) (local.Entry, bool) {
	at := slices.IndexFunc(h.shelf.history, func(e local.Entry) bool {
		return e.Kind == kind && e.ID == id && e.Revision == revision
	})
	if at < 0 {
		return local.Entry{}, false
	}
	return h.shelf.history[at], true
}

func (h history) Entry(_ context.Context, kind local.Kind, id string, revision int64) (local.Entry, bool, error) {
	entry, ok := h.find(kind, id, revision)
	return entry, ok, h.shelf.fail("history.Entry")
}

func (h history) Latest(_ context.Context, kind local.Kind, id string) (latest local.Entry, ok bool, err error) {
	for _, entry := range h.shelf.history {
		if entry.Kind == kind && entry.ID == id && entry.Revision > latest.Revision {
			latest, ok = entry, true
		}
	}
	return latest, ok, h.shelf.fail("history.Latest")
}

func (h history) IDs(_ context.Context, kind local.Kind, prefix string, limit int) ([]string, error) {
	found := map[string]bool{}
	for _, entry := range h.shelf.history {
		if entry.Kind == kind && strings.HasPrefix(entry.ID, prefix) {
			found[entry.ID] = true
		}
	}
	ids := slices.Sorted(maps.Keys(found))
	slices.Reverse(ids)
	return ids[:min(limit, len(ids))], h.shelf.fail("history.IDs")
}
