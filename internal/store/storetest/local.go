package storetest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/local"
	"toolsmith/internal/store"
)

func localTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"notes are kept as they are":       notesAreKept,
		"tasks are kept as they are":       tasksAreKept,
		"memories are kept as they are":    memoriesAreKept,
		"lists are filtered and in order":  listsAreFiltered,
		"records are found by a prefix":    recordsAreFoundByPrefix,
		"the history keeps every revision": historyIsKept,
		"a book works as over any shelf":   bookWorksAlike,
	}
}

// id is an id that sorts by n.
func id(n int) string { return fmt.Sprintf("01JD%022d", n) }

// odd is a text that a careless store would not give back as it was.
const odd = "é e\u0301 \u202e ß İ 🧶 東京 'q' \"q\" \\ % _ \r\n\t\u0001 \ufffd"

func note(n int, title, content string) local.Note {
	return local.Note{ID: id(n), Title: title, Content: content, CreatedAt: dawn, UpdatedAt: noon, Revision: int64(n)}
}

func localTask(n int, status local.Status, title string) local.Task {
	return local.Task{ID: id(n), Title: title, Description: "about " + title, Status: status,
		Priority: local.Normal, CreatedAt: dawn, UpdatedAt: noon, Revision: int64(n)}
}

func memory(n int, title, content string) local.Memory {
	return local.Memory{ID: id(n), Title: title, Content: content, CreatedAt: dawn, UpdatedAt: noon, Revision: 1}
}

// keeps checks that records are given back as they were put, replaced and removed.
func keeps[T any](t *testing.T, s store.Store, of func(store.Tx) local.Records[T], first, changed T) {
	t.Helper()
	get := func(ctx context.Context, tx store.Tx) (T, error) {
		found, ok, err := of(tx).Get(ctx, id(1))
		if !ok && err == nil {
			err = fmt.Errorf("the record is missing")
		}
		return found, err
	}
	for _, want := range []T{first, changed} {
		write(t, s, func(ctx context.Context, tx store.Tx) error { return of(tx).Put(ctx, want) })
		if diff := difference(want, read(t, s, get)); diff != "" {
			t.Errorf("kept (-want +got):\n%s", diff)
		}
	}
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		if err := of(tx).Remove(ctx, id(2)); err != nil {
			return err
		}
		return of(tx).Remove(ctx, id(1))
	})
	if !read(t, s, func(ctx context.Context, tx store.Tx) (bool, error) { return missing(of(tx).Get(ctx, id(1))) }) {
		t.Error("a removed record is still there")
	}
}

func notesAreKept(t *testing.T, s store.Store) {
	keeps(t, s, func(tx store.Tx) local.Records[local.Note] { return tx.Local().Notes() },
		note(1, odd, strings.Repeat(odd, 500)), note(1, "", ""))
}

func tasksAreKept(t *testing.T, s store.Store) {
	first, changed := localTask(1, local.Doing, odd), localTask(1, local.Done, "")
	due := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	first.DueAt = &due
	keeps(t, s, func(tx store.Tx) local.Records[local.Task] { return tx.Local().Tasks() }, first, changed)
}

func memoriesAreKept(t *testing.T, s store.Store) {
	first, changed := memory(1, odd, odd), memory(1, "", "")
	first.Kind, changed.Archived = odd, true
	keeps(t, s, func(tx store.Tx) local.Records[local.Memory] { return tx.Local().Memories() }, first, changed)
}

// numbers names records by the numbers that their ids were made from.
func numbers[T any](records []T, idOf func(T) string) []int {
	all := []int{}
	for _, one := range records {
		n, err := strconv.Atoi(strings.TrimPrefix(idOf(one), "01JD"))
		if err != nil {
			n = -1 // no test makes such an id
		}
		all = append(all, n)
	}
	return all
}

func noteID(n local.Note) string     { return n.ID }
func taskID(t local.Task) string     { return t.ID }
func memoryID(m local.Memory) string { return m.ID }

func listsAreFiltered(t *testing.T, s store.Store) {
	archived := memory(2, "Ärger", "")
	archived.Archived = true
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		for _, one := range []local.Note{note(3, "c", "Straße"), note(1, "a", "x"), note(2, "STRASSE", "")} {
			if err := tx.Local().Notes().Put(ctx, one); err != nil {
				return err
			}
		}
		for _, one := range []local.Task{localTask(1, local.Done, "one"), localTask(2, local.Todo, "two"), localTask(3, local.Done, "three")} {
			if err := tx.Local().Tasks().Put(ctx, one); err != nil {
				return err
			}
		}
		for _, one := range []local.Memory{memory(1, "ärger", ""), archived, memory(3, "x", "")} {
			if err := tx.Local().Memories().Put(ctx, one); err != nil {
				return err
			}
		}
		return nil
	})
	notes := func(tx store.Tx) local.Records[local.Note] { return tx.Local().Notes() }
	tasks := func(tx store.Tx) local.Records[local.Task] { return tx.Local().Tasks() }
	memories := func(tx store.Tx) local.Records[local.Memory] { return tx.Local().Memories() }

	lists(t, s, notes, noteID, local.Filter{}, 3, 2, 1)
	lists(t, s, notes, noteID, local.Filter{Contains: local.Fold("STRASSE")}, 3, 2)
	lists(t, s, notes, noteID, local.Filter{Contains: "%"})
	lists(t, s, tasks, taskID, local.Filter{}, 3, 2, 1)
	lists(t, s, tasks, taskID, local.Filter{Status: local.Done}, 3, 1)
	lists(t, s, tasks, taskID, local.Filter{Contains: "about t"}, 3, 2)
	lists(t, s, tasks, taskID, local.Filter{Status: local.Done, Contains: "t t"}, 3)
	lists(t, s, memories, memoryID, local.Filter{}, 3, 2, 1)
	lists(t, s, memories, memoryID, local.Filter{Active: true}, 3, 1)
	lists(t, s, memories, memoryID, local.Filter{Contains: local.Fold("ÄRGER")}, 2, 1)
	lists(t, s, memories, memoryID, local.Filter{Active: true, Contains: local.Fold("ÄRGER")}, 1)
}

// lists checks what fits a filter: all of it, its number, the first of it, and what is
// below the first.
func lists[T any](t *testing.T, s store.Store, of func(store.Tx) local.Records[T], idOf func(T) string, fits local.Filter, want ...int) {
	t.Helper()
	list := func(before string, limit int) []int {
		return numbers(read(t, s, func(ctx context.Context, tx store.Tx) ([]T, error) {
			return of(tx).List(ctx, fits, before, limit)
		}), idOf)
	}
	got := map[string][]int{"all": list("", 100), "none": list("", 0)}
	expect := map[string][]int{"all": append([]int{}, want...), "none": {}}
	if len(want) > 0 {
		got["first"], expect["first"] = list("", 1), want[:1]
		got["below"], expect["below"] = list(id(want[0]), 100), append([]int{}, want[1:]...)
	}
	if diff := difference(expect, got); diff != "" {
		t.Errorf("%+v (-want +got):\n%s", fits, diff)
	}
	count := read(t, s, func(ctx context.Context, tx store.Tx) (int, error) { return of(tx).Count(ctx, fits) })
	if count != len(want) {
		t.Errorf("%+v: %d are counted; want %d", fits, count, len(want))
	}
}

func recordsAreFoundByPrefix(t *testing.T, s store.Store) {
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		for _, n := range []int{1, 20, 21, 3} {
			if err := tx.Local().Notes().Put(ctx, note(n, "x", "")); err != nil {
				return err
			}
			if err := tx.Local().Tasks().Put(ctx, localTask(n, local.Todo, "x")); err != nil {
				return err
			}
			if err := tx.Local().Memories().Put(ctx, memory(n, "x", "")); err != nil {
				return err
			}
		}
		return nil
	})
	for _, test := range []struct {
		prefix string
		limit  int
		want   []int
	}{
		{"01JD", 10, []int{21, 20, 3, 1}}, {"01JD", 2, []int{21, 20}}, {id(21)[:25], 10, []int{21, 20}},
		{id(3), 10, []int{3}}, {"01JE", 10, []int{}}, {"01jd", 10, []int{}}, {"%", 10, []int{}},
	} {
		found := read(t, s, func(ctx context.Context, tx store.Tx) (found [3][]int, err error) {
			shelf := tx.Local()
			notes, err := shelf.Notes().WithPrefix(ctx, test.prefix, test.limit)
			if err != nil {
				return found, err
			}
			tasks, err := shelf.Tasks().WithPrefix(ctx, test.prefix, test.limit)
			if err != nil {
				return found, err
			}
			memories, err := shelf.Memories().WithPrefix(ctx, test.prefix, test.limit)
			return [3][]int{numbers(notes, noteID), numbers(tasks, taskID), numbers(memories, memoryID)}, err
		})
		if diff := difference([3][]int{test.want, test.want, test.want}, found); diff != "" {
			t.Errorf("%q, at most %d (-want +got):\n%s", test.prefix, test.limit, diff)
		}
	}
}

func historyIsKept(t *testing.T, s store.Store) {
	entry := func(kind local.Kind, n int, revision int64, before string) local.Entry {
		made := local.Entry{Kind: kind, ID: id(n), Revision: revision, Action: local.Updated, At: noon}
		if before != "" {
			made.Before = []byte(before)
		}
		return made
	}
	entries := []local.Entry{
		entry(local.KindNote, 1, 1, ""), entry(local.KindNote, 1, 10, `{"a":1}`), entry(local.KindNote, 1, 2, "\xff\x00"),
		entry(local.KindTask, 1, 3, ""), entry(local.KindNote, 2, 1, ""),
	}
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		for _, one := range entries {
			if err := tx.Local().History().Append(ctx, one); err != nil {
				return err
			}
		}
		return nil
	})
	refused(t, s, store.ErrExists, func(ctx context.Context, tx store.Tx) error {
		return tx.Local().History().Append(ctx, entries[1])
	})

	got := read(t, s, func(ctx context.Context, tx store.Tx) (found []local.Entry, err error) {
		for _, want := range entries {
			one, _, err := tx.Local().History().Entry(ctx, want.Kind, want.ID, want.Revision)
			if err != nil {
				return nil, err
			}
			found = append(found, one)
		}
		latest, _, err := tx.Local().History().Latest(ctx, local.KindNote, id(1))
		return append(found, latest), err
	})
	if diff := difference(append(entries, entries[1]), got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if !read(t, s, func(ctx context.Context, tx store.Tx) (bool, error) {
		return missing(tx.Local().History().Entry(ctx, local.KindNote, id(1), 3))
	}) || !read(t, s, func(ctx context.Context, tx store.Tx) (bool, error) {
		return missing(tx.Local().History().Latest(ctx, local.KindMemory, id(1)))
	}) {
		t.Error("an entry that nobody made is there")
	}
	ids := read(t, s, func(ctx context.Context, tx store.Tx) ([]string, error) {
		return tx.Local().History().IDs(ctx, local.KindNote, "01JD", 5)
	})
	if diff := difference([]string{id(2), id(1)}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}
