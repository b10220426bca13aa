package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/local"
	"toolsmith/internal/value"
)

// timestamp is a time that is written to the millisecond, as the capabilities write it.
type timestamp time.Time

// MarshalJSON writes it.
func (t timestamp) MarshalJSON() ([]byte, error) {
	return []byte(`"` + value.Time(time.Time(t)) + `"`), nil
}

// Schema describes it.
func (timestamp) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// nullable is a field that can be left out, be null, or have a value.
type nullable[T any] struct {
	Given bool
	Value *T // nil for null
}

// UnmarshalJSON notes that it was given.
func (n *nullable[T]) UnmarshalJSON(text []byte) error {
	n.Given = true
	if bytes.Equal(text, []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(text, &n.Value); err != nil {
		return fmt.Errorf("read a field: %w", err)
	}
	return nil
}

// Schema is that of the value, or null.
func (nullable[T]) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[T]())
	s.Nullable = true
	return &s
}

// noteShown is a note.
type noteShown struct {
	ID        string    `json:"id" doc:"Its id."`
	Title     string    `json:"title" doc:"Its title."`
	Content   string    `json:"content" doc:"Its text."`
	CreatedAt timestamp `json:"createdAt" doc:"When it was made."`
	UpdatedAt timestamp `json:"updatedAt" doc:"When it was last changed."`
	Revision  int64     `json:"revision" doc:"1 for a new one, and higher after every change."`
}

type noteList struct {
	Notes []noteShown `json:"notes" nullable:"false" doc:"The notes, the newest first."`
	Total int         `json:"total" doc:"How many match, on all pages."`
	Next  string      `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

type noteNew struct {
	Title   string `json:"title" minLength:"1" maxLength:"200" doc:"The title."`
	Content string `json:"content,omitempty" doc:"The text, at most 32 KiB."`
}

type noteEdit struct {
	Title    *string `json:"title,omitempty" minLength:"1" maxLength:"200" doc:"The new title."`
	Content  *string `json:"content,omitempty" doc:"The new text."`
	Revision int64   `json:"revision,omitempty" minimum:"1" doc:"The revision that it must still have; any by default."`
}

type noteUndone struct {
	Note   *noteShown `json:"note,omitempty" doc:"The note as it is now; not there where it is gone."`
	Undone undoing    `json:"undone" doc:"What was taken back."`
}

type noteQuery struct {
	Page
	Query string `query:"query" maxLength:"1024" doc:"Only those whose title or text has this in it, in whatever case."`
}

// listOf is the part of a list that a page asks for. Its cursor is the id of the last record
// before it.
func listOf(p Page, query string) local.List {
	return local.List{Query: query, Limit: p.Limit, Cursor: p.Cursor}
}

func dataNotes() dataKind[local.Note, noteShown, noteQuery, noteList, noteNew, noteEdit, noteUndone] {
	return dataKind[local.Note, noteShown, noteQuery, noteList, noteNew, noteEdit, noteUndone]{
		kind: local.KindNote, word: "notes", name: "Notes", many: "notes",
		list: func(ctx context.Context, b *local.Book, in *noteQuery) (local.Page[local.Note], error) {
			return b.Notes(ctx, listOf(in.Page, in.Query))
		},
		show: func(n local.Note) noteShown {
			return noteShown{n.ID, n.Title, n.Content, timestamp(n.CreatedAt), timestamp(n.UpdatedAt), n.Revision}
		},
		pack: func(records []noteShown, total int, next string) noteList { return noteList{records, total, next} },
		next: func(_ *noteQuery, last local.Note) string { return last.ID },
		find: (*local.Book).FindNote, id: func(n local.Note) string { return n.ID }, remove: (*local.Book).DeleteNote,
		create: func(ctx context.Context, b *local.Book, in noteNew) (local.Note, error) {
			return b.CreateNote(ctx, local.NewNote{Title: in.Title, Content: in.Content})
		},
		update: func(ctx context.Context, b *local.Book, id string, in noteEdit) (local.Note, error) {
			return b.UpdateNote(ctx, id, local.NoteEdit{Title: in.Title, Content: in.Content, Revision: in.Revision})
		},
		undone: func(record *noteShown, u undoing) noteUndone { return noteUndone{record, u} },
	}
}

// todoShown is a task to do. It is not a task of a run.
type todoShown struct {
	ID          string     `json:"id" doc:"Its id."`
	Title       string     `json:"title" doc:"Its title."`
	Description string     `json:"description" doc:"More of it."`
	Status      string     `json:"status" enum:"todo,doing,done" doc:"How far it is."`
	Priority    string     `json:"priority" enum:"low,normal,high" doc:"How much it matters."`
	DueAt       *timestamp `json:"dueAt,omitempty" doc:"When it is due; not there where it is not due at any time."`
	CreatedAt   timestamp  `json:"createdAt" doc:"When it was made."`
	UpdatedAt   timestamp  `json:"updatedAt" doc:"When it was last changed."`
	Revision    int64      `json:"revision" doc:"1 for a new one, and higher after every change."`
}

type todoList struct {
	Tasks []todoShown `json:"tasks" nullable:"false" doc:"The tasks, the newest first."`
	Total int         `json:"total" doc:"How many match, on all pages."`
	Next  string      `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

type todoNew struct {
	Title       string     `json:"title" minLength:"1" maxLength:"200" doc:"The title."`
	Description string     `json:"description,omitempty" doc:"More of it, at most 32 KiB."`
	Status      string     `json:"status,omitempty" enum:"todo,doing,done" doc:"How far it is; todo by default."`
	Priority    string     `json:"priority,omitempty" enum:"low,normal,high" doc:"How much it matters; normal by default."`
	DueAt       *time.Time `json:"dueAt,omitempty" doc:"When it is due; at no time by default."`
}

type todoEdit struct {
	Title       *string             `json:"title,omitempty" minLength:"1" maxLength:"200" doc:"The new title."`
	Description *string             `json:"description,omitempty" doc:"The new description."`
	Status      *string             `json:"status,omitempty" enum:"todo,doing,done" doc:"How far it is now."`
	Priority    *string             `json:"priority,omitempty" enum:"low,normal,high" doc:"How much it matters now."`
	DueAt       nullable[time.Time] `json:"dueAt,omitempty" doc:"When it is due now; null for at no time."`
	Revision    int64               `json:"revision,omitempty" minimum:"1" doc:"The revision that it must still have; any by default."`
}

type todoUndone struct {
	Task   *todoShown `json:"task,omitempty" doc:"The task as it is now; not there where it is gone."`
	Undone undoing    `json:"undone" doc:"What was taken back."`
}

type todoQuery struct {
	Page
	Query  string `query:"query" maxLength:"1024" doc:"Only those whose title or description has this in it, in whatever case."`
	Status string `query:"status" enum:"todo,doing,done" doc:"Only those that are so far."`
}

func dataTasks() dataKind[local.Task, todoShown, todoQuery, todoList, todoNew, todoEdit, todoUndone] {
	return dataKind[local.Task, todoShown, todoQuery, todoList, todoNew, todoEdit, todoUndone]{
		kind: local.KindTask, word: "tasks", name: "Tasks", many: "tasks (to-dos)",
		list: func(ctx context.Context, b *local.Book, in *todoQuery) (local.Page[local.Task], error) {
			list := listOf(in.Page, in.Query)
			list.Status = local.Status(in.Status)
			return b.Tasks(ctx, list)
		},
		show: func(t local.Task) todoShown {
			return todoShown{
				t.ID, t.Title, t.Description, string(t.Status), string(t.Priority), (*timestamp)(t.DueAt),
				timestamp(t.CreatedAt), timestamp(t.UpdatedAt), t.Revision,
			}
		},
		pack: func(records []todoShown, total int, next string) todoList { return todoList{records, total, next} },
		next: func(_ *todoQuery, last local.Task) string { return last.ID },
		find: (*local.Book).FindTask, id: func(t local.Task) string { return t.ID }, remove: (*local.Book).DeleteTask,
		create: func(ctx context.Context, b *local.Book, in todoNew) (local.Task, error) {
			return b.CreateTask(ctx, local.NewTask{
				Title: in.Title, Description: in.Description, Status: local.Status(in.Status), Priority: local.Priority(in.Priority), DueAt: in.DueAt,
			})
		},
		update: func(ctx context.Context, b *local.Book, id string, in todoEdit) (local.Task, error) {
			edit := local.TaskEdit{
				Title: in.Title, Description: in.Description, Status: (*local.Status)(in.Status), Priority: (*local.Priority)(in.Priority), Revision: in.Revision,
			}
			if edit.DueAt = in.DueAt.Value; in.DueAt.Given && edit.DueAt == nil {
				edit.DueAt = &time.Time{} // takes it away
			}
			return b.UpdateTask(ctx, id, edit)
		},
		undone: func(record *todoShown, u undoing) todoUndone { return todoUndone{record, u} },
	}
}

// memoryShown is something that is remembered.
type memoryShown struct {
	ID        string    `json:"id" doc:"Its id."`
	Title     string    `json:"title" doc:"Its title."`
	Content   string    `json:"content" doc:"What is remembered."`
	Kind      string    `json:"kind" doc:"A word to sort by; may be empty."`
	Archived  bool      `json:"archived" doc:"Whether it is put away: kept, and found by no search."`
	CreatedAt timestamp `json:"createdAt" doc:"When it was made."`
	UpdatedAt timestamp `json:"updatedAt" doc:"When it was last changed."`
	Revision  int64     `json:"revision" doc:"1 for a new one, and higher after every change."`
}

type memoryList struct {
	Memory []memoryShown `json:"memory" nullable:"false" doc:"The memories: the newest first, or the best match first in a search."`
	Total  int           `json:"total" doc:"How many match, on all pages."`
	Next   string        `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last, and none in a search."`
}

type memoryNew struct {
	Title   string `json:"title" minLength:"1" maxLength:"200" doc:"The title."`
	Content string `json:"content" doc:"What is to be remembered, at most 32 KiB."`
	Kind    string `json:"kind,omitempty" doc:"A word to sort by, at most 40 characters."`
}

type memoryEdit struct {
	Title    *string `json:"title,omitempty" minLength:"1" maxLength:"200" doc:"The new title."`
	Content  *string `json:"content,omitempty" doc:"What is to be remembered now."`
	Kind     *string `json:"kind,omitempty" doc:"The new word to sort by."`
	Archived *bool   `json:"archived,omitempty" doc:"Puts it away, or takes it out again."`
	Revision int64   `json:"revision,omitempty" minimum:"1" doc:"The revision that it must still have; any by default."`
}

type memoryUndone struct {
	Memory *memoryShown `json:"memory,omitempty" doc:"The memory as it is now; not there where it is gone."`
	Undone undoing      `json:"undone" doc:"What was taken back."`
}

type memoryQuery struct {
	Page
	Query    string `query:"query" maxLength:"1024" doc:"Only those whose title or text has this in it, in whatever case."`
	Search   string `query:"search" maxLength:"1024" doc:"Those that have all of these words, or, where there are none, any of them: the best match first. Archived ones are not found, and it goes with limit alone."`
	Archived bool   `query:"archived" doc:"Archived ones too."`
}

func dataMemory() dataKind[local.Memory, memoryShown, memoryQuery, memoryList, memoryNew, memoryEdit, memoryUndone] {
	return dataKind[local.Memory, memoryShown, memoryQuery, memoryList, memoryNew, memoryEdit, memoryUndone]{
		kind: local.KindMemory, word: "memory", name: "Memory", many: "memories",
		about: "With search they come with the best match first.",
		list: func(ctx context.Context, b *local.Book, in *memoryQuery) (local.Page[local.Memory], error) {
			if in.Search != "" {
				if in.Query != "" || in.Cursor != "" || in.Archived {
					return local.Page[local.Memory]{}, errSearchAlone()
				}
				return b.SearchMemories(ctx, in.Search, in.Limit)
			}
			list := listOf(in.Page, in.Query)
			list.WithArchived = in.Archived
			return b.Memories(ctx, list)
		},
		show: func(m local.Memory) memoryShown {
			return memoryShown{m.ID, m.Title, m.Content, m.Kind, m.Archived, timestamp(m.CreatedAt), timestamp(m.UpdatedAt), m.Revision}
		},
		pack: func(records []memoryShown, total int, next string) memoryList {
			return memoryList{records, total, next}
		},
		next: func(in *memoryQuery, last local.Memory) string {
			if in.Search != "" {
				return "" // there is no going on below a record
			}
			return last.ID
		},
		find: (*local.Book).FindMemory, id: func(m local.Memory) string { return m.ID }, remove: (*local.Book).DeleteMemory,
		create: func(ctx context.Context, b *local.Book, in memoryNew) (local.Memory, error) {
			return b.CreateMemory(ctx, local.NewMemory{Title: in.Title, Content: in.Content, Kind: in.Kind})
		},
		update: func(ctx context.Context, b *local.Book, id string, in memoryEdit) (local.Memory, error) {
			return b.UpdateMemory(ctx, id, local.MemoryEdit{Title: in.Title, Content: in.Content, Kind: in.Kind, Archived: in.Archived, Revision: in.Revision})
		},
		undone: func(record *memoryShown, u undoing) memoryUndone { return memoryUndone{record, u} },
	}
}
