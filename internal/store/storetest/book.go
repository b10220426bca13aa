package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"toolsmith/internal/local"
	"toolsmith/internal/local/localtest"
	"toolsmith/internal/store"
)

// bookWorksAlike does the same things at random in the store and over a shelf in memory
// that is simple enough to be trusted; both must always tell the same.
func bookWorksAlike(t *testing.T, s store.Store) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(drawStep), 1, 30).Draw(t, "steps")
		trusted := newBook(localtest.NewShelf())
		// A trial leaves the store as empty as it was.
		err := s.Trial(ctx, func(tx store.Tx) error {
			book := newBook(tx.Local())
			for i, step := range steps {
				if diff := difference(step.do(ctx, trusted), step.do(ctx, book)); diff != "" {
					return fmt.Errorf("step %d, %+v (-want +got):\n%s", i, step, diff)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// newBook gives a book whose ids and times go up by one with each use.
func newBook(shelf local.Shelf) *local.Book {
	minutes, made := 0, 0
	return local.NewBook(shelf,
		func() time.Time { minutes++; return dawn.Add(time.Duration(minutes) * time.Minute) },
		func() string { made++; return id(made) })
}

// step is one thing done to a book.
type step struct {
	Verb     string
	Record   int // names a record by its number, which there may be or not
	Title    string
	Text     string
	Status   local.Status
	Revision int64
	Limit    int
}

func drawStep(t *rapid.T) step {
	text := rapid.Custom(func(t *rapid.T) string {
		words := []string{"tea", "TEA", "Straße", "STRASSE", "東京へ", "ärger", "x"}
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 3).Draw(t, "words"), " ")
	})
	return step{
		Verb: rapid.SampledFrom([]string{
			"create note", "update note", "delete note", "restore note", "find note", "list notes",
			"create task", "update task", "list tasks",
			"create memory", "update memory", "archive memory", "delete memory", "list memories", "search",
			"undo note", "undo task", "undo memory",
		}).Draw(t, "verb"),
		Record:   rapid.IntRange(1, 6).Draw(t, "record"),
		Title:    text.Draw(t, "title"),
		Text:     text.Draw(t, "text"),
		Status:   rapid.SampledFrom([]local.Status{"", local.Todo, local.Done}).Draw(t, "status"),
		Revision: rapid.SampledFrom([]int64{0, 0, 0, 1, 2, 3}).Draw(t, "revision"),
		Limit:    rapid.SampledFrom([]int{0, 1, 2}).Draw(t, "limit"),
	}
}

// do gives what the verb gave and its error, if any, in a form that can be compared.
func (s step) do(ctx context.Context, book *local.Book) (told []any) {
	tell := func(value any, err error) []any { return []any{value, fmt.Sprint(err)} }
	one := id(s.Record)
	list := local.List{Query: s.Text, Status: s.Status, Limit: s.Limit, WithArchived: s.Revision == 0}
	switch s.Verb {
	case "create note":
		return tell(book.CreateNote(ctx, local.NewNote{Title: s.Title, Content: s.Text}))
	case "update note":
		return tell(book.UpdateNote(ctx, one, local.NoteEdit{Title: &s.Title, Revision: s.Revision}))
	case "delete note":
		return tell(book.DeleteNote(ctx, one, s.Revision))
	case "restore note":
		return tell(book.RestoreNote(ctx, one, s.Revision))
	case "find note":
		return tell(book.FindNote(ctx, one[:25]))
	case "list notes":
		return tell(book.Notes(ctx, list))
	case "create task":
		due := dawn.AddDate(0, 0, s.Record)
		return tell(book.CreateTask(ctx, local.NewTask{Title: s.Title, Description: s.Text, Status: s.Status, DueAt: &due}))
	case "update task":
		return tell(book.UpdateTask(ctx, one, local.TaskEdit{Description: &s.Text, DueAt: &time.Time{}, Revision: s.Revision}))
	case "list tasks":
		list.Cursor = one
		return tell(book.Tasks(ctx, list))
	case "create memory":
		return tell(book.CreateMemory(ctx, local.NewMemory{Title: s.Title, Content: s.Text}))
	case "update memory":
		return tell(book.UpdateMemory(ctx, one, local.MemoryEdit{Content: &s.Text, Revision: s.Revision}))
	case "archive memory":
		return tell(book.ArchiveMemory(ctx, one, s.Revision))
	case "delete memory":
		return tell(book.DeleteMemory(ctx, one, s.Revision))
	case "list memories":
		return tell(book.Memories(ctx, list))
	case "search":
		// Drivers may weigh words differently, but must find the same memories.
		page, err := book.SearchMemories(ctx, s.Text, 0)
		found := numbers(page.Records, memoryID)
		slices.Sort(found)
		return tell(found, err)
	case "undo note":
		return tell(book.Undo(ctx, local.KindNote, one))
	case "undo task":
		return tell(book.Undo(ctx, local.KindTask, one))
	default:
		return tell(book.Undo(ctx, local.KindMemory, one))
	}
}
