package local_test

import (
	"errors"
	"testing"
	"time"

	"toolsmith/internal/local"
	"toolsmith/internal/local/localtest"
	"toolsmith/tool"
)

// Every operation of the shelf that a verb needs may fail; the verb then fails with that
// error, and gives it no code of its own.
func TestAnErrorOfTheShelfIsPassedOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("the shelf broke")
	for name, test := range map[string]struct {
		operations []string
		do         func(d desk) error
	}{
		"create": {[]string{"history.Append", "note.Put"}, createNote("x", "")},
		"get":    {[]string{"note.Get"}, func(d desk) error { _, err := d.Note(background(), id(1)); return err }},
		"find":   {[]string{"note.WithPrefix"}, func(d desk) error { return findNote(d, "01JD") }},
		"list": {[]string{"note.List", "note.Count"}, func(d desk) error {
			_, err := d.Notes(background(), local.List{Limit: 1})
			return err
		}},
		"update": {[]string{"note.Get", "history.Latest", "history.Append", "note.Put"}, func(d desk) error {
			_, err := d.UpdateNote(background(), id(1), local.NoteEdit{Title: ptr("y")})
			return err
		}},
		"delete": {[]string{"note.Get", "history.Latest", "history.Append", "note.Remove"}, func(d desk) error {
			_, err := d.DeleteNote(background(), id(1), 0)
			return err
		}},
		"restore": {[]string{"note.Get", "history.Latest", "history.Entry", "history.Append", "note.Put"}, func(d desk) error {
			_, err := d.RestoreNote(background(), id(1), 0)
			return err
		}},
		"undo of a creation": {[]string{"history.IDs", "history.Latest", "history.Append", "note.Remove"}, func(d desk) error {
			_, err := d.Undo(background(), local.KindNote, id(2))
			return err
		}},
		"archive": {[]string{"memory.Get", "history.Latest", "history.Append", "memory.Put"}, func(d desk) error {
			_, err := d.ArchiveMemory(background(), id(3), 0)
			return err
		}},
		"search": {[]string{"words.Search", "memory.List"}, func(d desk) error {
			_, err := d.SearchMemories(background(), "nothing like that", 0)
			return err
		}},
	} {
		for _, operation := range test.operations {
			t.Run(name+"/"+operation, func(t *testing.T) {
				t.Parallel()
				d, ctx := newDesk(), t.Context()
				must(d.CreateNote(ctx, local.NewNote{Title: "x"}))(t)
				must(d.CreateNote(ctx, local.NewNote{Title: "x"}))(t)
				must(d.CreateMemory(ctx, local.NewMemory{Title: "x"}))(t)
				must(d.UpdateNote(ctx, id(1), local.NoteEdit{Title: ptr("y")}))(t)
				d.shelf.Fail = func(now string) error {
					if now == operation {
						return broken
					}
					return nil
				}
				if err := test.do(d); !errors.Is(err, broken) || tool.Code(err) != "" {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}

// JSON has no year above 9999, so what such a record was cannot be kept.
func TestAClockThatHistoryCannotKeep(t *testing.T) {
	t.Parallel()
	shelf := localtest.NewShelf()
	book := local.NewBook(shelf, func() time.Time { return dawn.AddDate(9000, 0, 0) }, func() string { return id(1) })
	must(book.CreateNote(t.Context(), local.NewNote{Title: "x"}))(t)
	if _, err := book.DeleteNote(t.Context(), id(1), 0); err == nil {
		t.Error("the note was deleted and cannot be brought back")
	}
	must(book.Note(t.Context(), id(1)))(t)
}
