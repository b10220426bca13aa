package local_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/local"
)

func TestANewRecordIsFilledIn(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()

	made := []any{
		must(d.CreateNote(ctx, local.NewNote{Title: "  Shopping\n", Content: "milk\n"}))(t),
		must(d.CreateTask(ctx, local.NewTask{Title: "Call Ada"}))(t),
		must(d.CreateMemory(ctx, local.NewMemory{Title: "Tea", Content: "No sugar.", Kind: " taste "}))(t),
	}

	want := []any{
		local.Note{ID: id(1), Title: "Shopping", Content: "milk\n",
			CreatedAt: second(0), UpdatedAt: second(0), Revision: 1},
		local.Task{ID: id(2), Title: "Call Ada", Status: local.Todo, Priority: local.Normal,
			CreatedAt: second(1), UpdatedAt: second(1), Revision: 1},
		local.Memory{ID: id(3), Title: "Tea", Content: "No sugar.", Kind: "taste",
			CreatedAt: second(2), UpdatedAt: second(2), Revision: 1},
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
	kept := []any{must(d.Note(ctx, id(1)))(t), must(d.Task(ctx, id(2)))(t), must(d.Memory(ctx, id(3)))(t)}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

func TestAnEditChangesOnlyWhatItNames(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	must(d.CreateNote(ctx, local.NewNote{Title: "Shopping", Content: "milk"}))(t)
	must(d.CreateTask(ctx, local.NewTask{Title: "Call Ada", Description: "about tea", DueAt: ptr(second(60))}))(t)
	must(d.CreateMemory(ctx, local.NewMemory{Title: "Tea", Content: "No sugar.", Kind: "taste"}))(t)

	changed := []any{
		must(d.UpdateNote(ctx, id(1), local.NoteEdit{Content: ptr("bread")}))(t),
		must(d.UpdateTask(ctx, id(2), local.TaskEdit{Status: ptr(local.Doing), Priority: ptr(local.High)}))(t),
		must(d.UpdateTask(ctx, id(2), local.TaskEdit{DueAt: &time.Time{}}))(t),
		must(d.UpdateMemory(ctx, id(3), local.MemoryEdit{Title: ptr("Coffee")}))(t),
	}

	due := second(60)
	want := []any{
		local.Note{ID: id(1), Title: "Shopping", Content: "bread",
			CreatedAt: second(0), UpdatedAt: second(3), Revision: 2},
		local.Task{ID: id(2), Title: "Call Ada", Description: "about tea", Status: local.Doing,
			Priority: local.High, DueAt: &due, CreatedAt: second(1), UpdatedAt: second(4), Revision: 2},
		local.Task{ID: id(2), Title: "Call Ada", Description: "about tea", Status: local.Doing,
			Priority: local.High, CreatedAt: second(1), UpdatedAt: second(5), Revision: 3},
		local.Memory{ID: id(3), Title: "Coffee", Content: "No sugar.", Kind: "taste",
			CreatedAt: second(2), UpdatedAt: second(6), Revision: 2},
	}
	if diff := cmp.Diff(want, changed); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
}

func TestADueTimeIsKeptInUTC(t *testing.T) {
	t.Parallel()
	d := newDesk()
	tokyo := time.FixedZone("", 9*60*60)
	due := time.Date(2026, 12, 1, 8, 30, 0, 123_456_789, tokyo)

	task := must(d.CreateTask(t.Context(), local.NewTask{Title: "x", DueAt: &due}))(t)

	if want := time.Date(2026, 11, 30, 23, 30, 0, 123_000_000, time.UTC); *task.DueAt != want {
		t.Errorf("due %v; want %v", task.DueAt, want)
	}
}

func TestBadValuesAreRefusedAndChangeNothing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", local.MaxTitle+1)
	wide := strings.Repeat("x", local.MaxText+1)
	broken := "half a pair: \xed\xa0\x80"
	far := time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
	book := func(d desk) []any { // what is there, to see that nothing of it changes
		return []any{
			must(d.Notes(t.Context(), local.List{}))(t),
			must(d.Tasks(t.Context(), local.List{}))(t),
			must(d.Memories(t.Context(), local.List{WithArchived: true}))(t),
		}
	}
	for name, test := range map[string]struct {
		field string
		do    func(d desk) error
	}{
		"empty title":          {"$.title", createNote(" \t\n", "")},
		"long title":           {"$.title", createNote(long, "")},
		"title not Unicode":    {"$.title", createNote(broken, "")},
		"title with NUL":       {"$.title", createNote("a\x00b", "")},
		"long content":         {"$.content", createNote("x", wide)},
		"content not Unicode":  {"$.content", createNote("x", broken)},
		"content with NUL":     {"$.content", createNote("x", "\x00")},
		"long description":     {"$.description", createTask(local.NewTask{Title: "x", Description: wide})},
		"unknown status":       {"$.status", createTask(local.NewTask{Title: "x", Status: "later"})},
		"unknown priority":     {"$.priority", createTask(local.NewTask{Title: "x", Priority: "Urgent"})},
		"far due time":         {"$.dueAt", createTask(local.NewTask{Title: "x", DueAt: &far})},
		"task without title":   {"$.title", createTask(local.NewTask{})},
		"long kind":            {"$.kind", createMemory(local.NewMemory{Title: "x", Kind: long})},
		"long memory":          {"$.content", createMemory(local.NewMemory{Title: "x", Content: wide})},
		"memory without title": {"$.title", createMemory(local.NewMemory{})},
		"note to an empty title": {"$.title", func(d desk) error {
			_, err := d.UpdateNote(t.Context(), id(1), local.NoteEdit{Title: ptr("")})
			return err
		}},
		"note edit of nothing": {"$", func(d desk) error {
			_, err := d.UpdateNote(t.Context(), id(1), local.NoteEdit{Revision: 1})
			return err
		}},
		"task edit of nothing": {"$", func(d desk) error {
			_, err := d.UpdateTask(t.Context(), id(2), local.TaskEdit{})
			return err
		}},
		"task to an unknown status": {"$.status", func(d desk) error {
			_, err := d.UpdateTask(t.Context(), id(2), local.TaskEdit{Status: ptr(local.Status(""))})
			return err
		}},
		"memory edit of nothing": {"$", func(d desk) error {
			_, err := d.UpdateMemory(t.Context(), id(3), local.MemoryEdit{})
			return err
		}},
		"undo of an unknown kind": {"$.kind", func(d desk) error {
			_, err := d.Undo(t.Context(), "page", id(1))
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			must(d.CreateNote(t.Context(), local.NewNote{Title: "a note"}))(t)
			must(d.CreateTask(t.Context(), local.NewTask{Title: "a task"}))(t)
			must(d.CreateMemory(t.Context(), local.NewMemory{Title: "a memory"}))(t)
			before := book(d)

			wantCode(t, test.do(d), local.CodeInvalid, test.field)

			if diff := cmp.Diff(before, book(d)); diff != "" {
				t.Errorf("changed (-before +after):\n%s", diff)
			}
		})
	}
}

func createNote(title, content string) func(desk) error {
	return func(d desk) error {
		_, err := d.CreateNote(background(), local.NewNote{Title: title, Content: content})
		return err
	}
}

func createTask(fresh local.NewTask) func(desk) error {
	return func(d desk) error {
		_, err := d.CreateTask(background(), fresh)
		return err
	}
}

func createMemory(fresh local.NewMemory) func(desk) error {
	return func(d desk) error {
		_, err := d.CreateMemory(background(), fresh)
		return err
	}
}

func TestTheLargestValuesAreAllowed(t *testing.T) {
	t.Parallel()
	d := newDesk()
	title := strings.Repeat("語", local.MaxTitle)
	content := strings.Repeat("x", local.MaxText)

	note := must(d.CreateNote(t.Context(), local.NewNote{Title: " " + title + " ", Content: content}))(t)

	if note.Title != title || note.Content != content {
		t.Error("the largest title and content were not kept as they are")
	}
}

func TestAnUnknownRecordIsNotFound(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	must(d.CreateNote(ctx, local.NewNote{Title: "x"}))(t) // ids are those of one kind only
	unknown := id(1)
	for name, do := range map[string]func() error{
		"task":           func() error { _, err := d.Task(ctx, unknown); return err },
		"find task":      func() error { _, err := d.FindTask(ctx, unknown); return err },
		"update task":    func() error { _, err := d.UpdateTask(ctx, unknown, local.TaskEdit{Title: ptr("y")}); return err },
		"delete task":    func() error { _, err := d.DeleteTask(ctx, unknown, 0); return err },
		"restore task":   func() error { _, err := d.RestoreTask(ctx, unknown, 0); return err },
		"undo":           func() error { _, err := d.Undo(ctx, local.KindTask, unknown); return err },
		"memory":         func() error { _, err := d.Memory(ctx, unknown); return err },
		"find memory":    func() error { _, err := d.FindMemory(ctx, unknown); return err },
		"archive memory": func() error { _, err := d.ArchiveMemory(ctx, unknown, 0); return err },
		"delete memory":  func() error { _, err := d.DeleteMemory(ctx, unknown, 0); return err },
		"note":           func() error { _, err := d.Note(ctx, strings.Repeat("x", 500)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			err := wantCode(t, do(), local.CodeNotFound, "$.id")
			if len(err.Message) > 120 {
				t.Errorf("the message repeats all of a long id: %s", err.Message)
			}
		})
	}
}

func TestARecordThatChangedSinceIsLeftAlone(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	must(d.CreateNote(ctx, local.NewNote{Title: "a"}))(t)
	must(d.CreateTask(ctx, local.NewTask{Title: "b"}))(t)
	must(d.CreateMemory(ctx, local.NewMemory{Title: "c"}))(t)
	note := must(d.UpdateNote(ctx, id(1), local.NoteEdit{Title: ptr("a2"), Revision: 1}))(t)
	task := must(d.UpdateTask(ctx, id(2), local.TaskEdit{Title: ptr("b2"), Revision: 1}))(t)
	memory := must(d.UpdateMemory(ctx, id(3), local.MemoryEdit{Title: ptr("c2"), Revision: 1}))(t)

	for name, do := range map[string]func() error{
		"update note": func() error {
			_, err := d.UpdateNote(ctx, id(1), local.NoteEdit{Title: ptr("x"), Revision: 1})
			return err
		},
		"delete note":  func() error { _, err := d.DeleteNote(ctx, id(1), 1); return err },
		"restore note": func() error { _, err := d.RestoreNote(ctx, id(1), 1); return err },
		"update task": func() error {
			_, err := d.UpdateTask(ctx, id(2), local.TaskEdit{Title: ptr("x"), Revision: 3})
			return err
		},
		"delete task":  func() error { _, err := d.DeleteTask(ctx, id(2), 1); return err },
		"restore task": func() error { _, err := d.RestoreTask(ctx, id(2), 1); return err },
		"update memory": func() error {
			_, err := d.UpdateMemory(ctx, id(3), local.MemoryEdit{Title: ptr("x"), Revision: 1})
			return err
		},
		"archive memory": func() error { _, err := d.ArchiveMemory(ctx, id(3), 1); return err },
		"delete memory":  func() error { _, err := d.DeleteMemory(ctx, id(3), 1); return err },
	} {
		t.Run(name, func(t *testing.T) {
			wantCode(t, do(), local.CodeChanged, "$.revision")
		})
	}

	kept := []any{must(d.Note(ctx, id(1)))(t), must(d.Task(ctx, id(2)))(t), must(d.Memory(ctx, id(3)))(t)}
	if diff := cmp.Diff([]any{note, task, memory}, kept); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
}

func TestARecordIsFoundByTheBeginningOfItsID(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	for range 7 {
		must(d.CreateNote(ctx, local.NewNote{Title: "note"}))(t)
	}
	must(d.CreateTask(ctx, local.NewTask{Title: "the only task"}))(t)

	if task := must(d.FindTask(ctx, " 01jd "))(t); task.Title != "the only task" {
		t.Errorf("found %q", task.Title)
	}
	if note := must(d.FindNote(ctx, strings.ToLower(id(3))))(t); note.ID != id(3) {
		t.Errorf("found %s by the id %s", note.ID, id(3))
	}

	ambiguous := wantCode(t, findNote(d, "01JD"), local.CodeAmbiguous, "$.id")
	if !strings.Contains(ambiguous.Message, id(7)+` "note"`) || strings.Contains(ambiguous.Message, id(2)) {
		t.Errorf("not the five newest candidates:\n%s", ambiguous.Message)
	}
	wantCode(t, findNote(d, "01J"), local.CodeInvalid, "$.id")
	wantCode(t, findNote(d, "01J%"), local.CodeInvalid, "$.id")
	wantCode(t, findNote(d, id(1)+"0"), local.CodeInvalid, "$.id")
	wantCode(t, findNote(d, "01JE"), local.CodeNotFound, "$.id")
	_, err := d.Undo(ctx, local.KindNote, "01jd")
	wantCode(t, err, local.CodeAmbiguous, "$.id")
	_, err = d.Undo(ctx, local.KindNote, "1")
	wantCode(t, err, local.CodeInvalid, "$.id")
}

func findNote(d desk, prefix string) error {
	_, err := d.FindNote(background(), prefix)
	return err
}
