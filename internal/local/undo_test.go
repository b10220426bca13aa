package local_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/local"
)

func TestUndoTakesBackOneChangeAfterTheOther(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	first := must(d.CreateNote(ctx, local.NewNote{Title: "first"}))(t)
	changed := must(d.UpdateNote(ctx, id(1), local.NoteEdit{Title: ptr("second")}))(t)
	must(d.UpdateNote(ctx, id(1), local.NoteEdit{Title: ptr("third")}))(t)

	steps := []local.Undoing{}
	for _, want := range []local.Note{changed, first} {
		steps = append(steps, must(d.Undo(ctx, local.KindNote, "01jd"))(t))
		if diff := cmp.Diff(want, must(d.Note(ctx, id(1)))(t)); diff != "" {
			t.Errorf("after undo (-want +got):\n%s", diff)
		}
	}
	steps = append(steps, must(d.Undo(ctx, local.KindNote, id(1)))(t))
	_, err := d.Note(ctx, id(1))
	wantCode(t, err, local.CodeNotFound, "$.id")
	steps = append(steps, must(d.Undo(ctx, local.KindNote, id(1)))(t))
	if diff := cmp.Diff(first, must(d.Note(ctx, id(1)))(t)); diff != "" {
		t.Errorf("brought back (-want +got):\n%s", diff)
	}

	want := []local.Undoing{
		{Kind: local.KindNote, ID: id(1), Title: "second", Action: local.Updated, At: second(2)},
		{Kind: local.KindNote, ID: id(1), Title: "first", Action: local.Updated, At: second(1)},
		{Kind: local.KindNote, ID: id(1), Title: "first", Action: local.Created, At: second(0), Gone: true},
		{Kind: local.KindNote, ID: id(1), Title: "first", Action: local.Undone, At: second(5)},
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestADeletedRecordComesBackAsItWas(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	note := must(d.CreateNote(ctx, local.NewNote{Title: "a", Content: "b"}))(t)
	task := must(d.CreateTask(ctx, local.NewTask{Title: "c", DueAt: ptr(second(9)), Priority: local.High}))(t)
	memory := must(d.CreateMemory(ctx, local.NewMemory{Title: "d", Kind: "e"}))(t)

	gone := must(d.DeleteNote(ctx, id(1), 1))(t)
	must(d.DeleteTask(ctx, id(2), 0))(t)
	must(d.DeleteMemory(ctx, id(3), 0))(t)
	if want := must(d.Notes(ctx, local.List{}))(t); len(want.Records) != 0 || want.Total != 0 {
		t.Errorf("a deleted note is listed: %v", want)
	}
	if gone.Title != "a" || gone.Revision != 2 {
		t.Errorf("deleting gave %+v; want the note with the revision of its deletion", gone)
	}

	_, err := d.RestoreNote(ctx, id(1), 1)
	wantCode(t, err, local.CodeChanged, "$.revision")
	restored := []any{
		must(d.RestoreNote(ctx, id(1), gone.Revision))(t),
		must(d.RestoreTask(ctx, id(2), 0))(t),
	}
	must(d.Undo(ctx, local.KindMemory, id(3)))(t)
	restored = append(restored, must(d.Memory(ctx, id(3)))(t))
	if diff := cmp.Diff([]any{note, task, memory}, restored); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if told := must(d.Undo(ctx, local.KindTask, id(2)))(t); !told.Gone || told.Action != local.Created {
		t.Errorf("the next undo took back %+v; want the creation", told)
	}
}

func TestRestoreNeverTakesBackACreation(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	must(d.CreateTask(ctx, local.NewTask{Title: "x"}))(t)

	_, err := d.RestoreTask(ctx, id(1), 1)

	wantCode(t, err, local.CodeNotFound, "$.id")
	must(d.Task(ctx, id(1)))(t)
}

// A run that undoes its own changes, newest first, names the revisions that they gave.
func TestARunCanTakeBackItsChangesNewestFirst(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	before := must(d.CreateTask(ctx, local.NewTask{Title: "x"}))(t)
	doing := must(d.UpdateTask(ctx, id(1), local.TaskEdit{Status: ptr(local.Doing)}))(t)
	same := must(d.UpdateTask(ctx, id(1), local.TaskEdit{Status: ptr(local.Doing)}))(t)

	must(d.RestoreTask(ctx, id(1), same.Revision))(t)
	restored := must(d.RestoreTask(ctx, id(1), doing.Revision))(t)

	if diff := cmp.Diff(before, restored); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if next := must(d.UpdateTask(ctx, id(1), local.TaskEdit{Title: ptr("y")}))(t); next.Revision != 6 {
		t.Errorf("the next change has revision %d; a number was given twice", next.Revision)
	}
	_, err := d.RestoreTask(ctx, id(1), doing.Revision)
	wantCode(t, err, local.CodeChanged, "$.revision")
}

// Whatever is done to a note, as many undos bring back every state that it had.
func TestUndoWalksThroughAllStates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d, ctx := newDesk(), background()
		states := []local.Note{must(d.CreateNote(ctx, local.NewNote{Title: "0"}))(t)}
		used := map[int64]bool{1: true}
		last := func() local.Note { return states[len(states)-1] }
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"update", "delete and undo", "undo", "stale"}).Draw(t, "step") {
			case "update":
				title := rapid.StringMatching(`[a-c]{1,3}`).Draw(t, "title")
				note := must(d.UpdateNote(ctx, id(1), local.NoteEdit{Title: &title, Revision: last().Revision}))(t)
				if used[note.Revision] {
					t.Fatalf("revision %d was given twice", note.Revision)
				}
				used[note.Revision] = true
				states = append(states, note)
			case "delete and undo":
				gone := must(d.DeleteNote(ctx, id(1), last().Revision))(t)
				used[gone.Revision] = true
				must(d.Undo(ctx, local.KindNote, id(1)))(t)
			case "undo":
				if len(states) > 1 {
					must(d.Undo(ctx, local.KindNote, id(1)))(t)
					states = states[:len(states)-1]
				}
			case "stale":
				_, err := d.RestoreNote(ctx, id(1), last().Revision+1)
				wantCode(t, err, local.CodeChanged, "$.revision")
			}
			if diff := cmp.Diff(last(), must(d.Note(ctx, id(1)))(t)); diff != "" {
				t.Fatalf("the note (-want +got):\n%s", diff)
			}
		}
	})
}

func TestAHistoryThatWasNotKept(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	note := must(d.CreateNote(ctx, local.NewNote{Title: "x"}))(t)
	note.Revision = 7 // as if it had been brought here without what was done to it
	if err := d.shelf.Notes().Put(ctx, note); err != nil {
		t.Fatal(err)
	}
	_, err := d.RestoreNote(ctx, id(1), 0)
	wantCode(t, err, local.CodeNotFound, "$.id")

	if err := d.shelf.History().Append(ctx, local.Entry{
		Kind: local.KindNote, ID: id(1), Revision: 7, Action: local.Updated, Before: []byte("{"),
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.RestoreNote(ctx, id(1), 0); err == nil {
		t.Error("a damaged history was taken for a record")
	}
}
