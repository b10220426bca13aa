package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"toolsmith/internal/capability"
	"toolsmith/internal/local"
)

func (a *app) dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "data", Short: "Look at and change your notes, tasks and memory",
		Long: `Data is what your tools work with: your notes, your tasks (to-dos) and what your
assistants remember, all of it kept in the data folder. Every change can be taken
back with undo, a deletion too.

An id may be shortened to its beginning, 4 characters or more, as long as only one
record begins so.`,
		Example: `  toolsmith data notes                            list your notes
  toolsmith data tasks add "Buy milk" --due 2026-11-27
  toolsmith data memory search coffee`,
		Args: noSuchVerb,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.json {
				return usage("say which data: notes, tasks or memory. See: %s --help", cmd.CommandPath())
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.notesCommand(), a.tasksCommand(), a.memoryCommand())
	return cmd
}

// noSuchVerb is for commands that only have commands below them.
func noSuchVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := " See: " + cmd.CommandPath() + " --help"
	if near := nearCommand(cmd, args[0]); near != "" {
		hint = " Did you mean: " + cmd.CommandPath() + " " + near
	}
	return usage("%s has no command %q.%s", cmd.CommandPath(), args[0], hint)
}

func (a *app) notesCommand() *cobra.Command {
	return records[local.Note]{
		app: a, kind: local.KindNote, word: "notes", also: []string{"note"}, many: "notes",
		about: "Your notes", text: "content", textual: true,
		adds: `  toolsmith data notes add "Shopping" "Milk, bread"
  toolsmith data notes add "Meeting" --content @minutes.md
  date | toolsmith data notes add "Now" -`,
		edits: `  toolsmith data notes edit 01KB9Z6TQ6 --title "Shopping list"
  toolsmith data notes edit 01KB9Z6TQ6 --content @shopping.md`,
		list: (*local.Book).Notes, search: (*local.Book).Notes, find: (*local.Book).FindNote, remove: (*local.Book).DeleteNote,
		create: func(b *local.Book, ctx context.Context, f form) (local.Note, error) {
			return b.CreateNote(ctx, local.NewNote{Title: given(f.title), Content: given(f.text)})
		},
		update: func(b *local.Book, ctx context.Context, id string, f form) (local.Note, error) {
			return b.UpdateNote(ctx, id, local.NoteEdit{Title: f.title, Content: f.text})
		},
		record: func(n local.Note) record {
			return record{
				id: n.ID, title: n.Title, text: n.Content, createdAt: n.CreatedAt, updatedAt: n.UpdatedAt, revision: n.Revision,
				value: capability.NoteValue(n),
			}
		},
	}.command()
}

func (a *app) tasksCommand() *cobra.Command {
	r := records[local.Task]{
		app: a, kind: local.KindTask, word: "tasks", also: []string{"task", "todos"}, many: "tasks",
		about: "Your tasks (to-dos)", text: "description",
		adds: `  toolsmith data tasks add "Buy milk"
  toolsmith data tasks add "Write report" --due "2026-11-27 17:00" --priority high
  toolsmith data tasks add "Plan trip" --description @trip.md`,
		edits: `  toolsmith data tasks edit 01KB9Z6TQ6 --status doing --due 2026-12-04
  toolsmith data tasks edit 01KB9Z6TQ6 --due none`,
		flags: taskFlags,
		list:  (*local.Book).Tasks, search: (*local.Book).Tasks, find: (*local.Book).FindTask, remove: (*local.Book).DeleteTask,
		create: func(b *local.Book, ctx context.Context, f form) (local.Task, error) {
			return b.CreateTask(ctx, local.NewTask{
				Title: given(f.title), Description: given(f.text), Status: given(f.status), Priority: given(f.priority), DueAt: f.due,
			})
		},
		update: func(b *local.Book, ctx context.Context, id string, f form) (local.Task, error) {
			return b.UpdateTask(ctx, id, local.TaskEdit{
				Title: f.title, Description: f.text, Status: f.status, Priority: f.priority, DueAt: f.due,
			})
		},
		record: a.taskRecord,
	}
	cmd := r.command()
	for _, status := range taskStatuses() {
		cmd.AddCommand(r.changeCommand(status, "Mark a task as "+status, "", setStatus(local.Status(status)),
			func(one record) string { return "Now " + r.name(one.title) + " is " + status + "." }))
	}
	return cmd
}

func (a *app) taskRecord(t local.Task) record {
	due := ""
	if t.DueAt != nil {
		due = showDue(t.DueAt.In(a.zone))
	}
	return record{
		id: t.ID, title: t.Title, text: t.Description, createdAt: t.CreatedAt, updatedAt: t.UpdatedAt, revision: t.Revision,
		value: capability.TaskValue(t),
		own:   []ownField{{"status", string(t.Status)}, {"priority", string(t.Priority)}, {"due", due}},
	}
}

// setStatus gives the change to a status: the one that is made every day. A task that
// has it already is left as it is, since a change to the same would be one more to take
// back.
func setStatus(status local.Status) changeVerb[local.Task] {
	return func(b *local.Book, ctx context.Context, id string, revision int64) (local.Task, error) {
		current, err := b.Task(ctx, id)
		if err != nil || current.Status == status {
			return current, err
		}
		return b.UpdateTask(ctx, id, local.TaskEdit{Status: &status, Revision: revision})
	}
}

func (a *app) memoryCommand() *cobra.Command {
	r := records[local.Memory]{
		app: a, kind: local.KindMemory, word: "memory", also: []string{"memories"}, many: "memories",
		about: "What your assistants remember", text: "content", textual: true, needsText: true, ranked: true,
		adds: `  toolsmith data memory add "Coffee" "Takes it black" --kind preference
  toolsmith data memory add "House rules" --content @rules.md`,
		edits: `  toolsmith data memory edit 01KB9Z6TQ6 --content "Takes it with milk"
  toolsmith data memory edit 01KB9Z6TQ6 --kind fact`,
		flags: memoryFlags,
		list:  (*local.Book).Memories, find: (*local.Book).FindMemory, remove: (*local.Book).DeleteMemory,
		search: func(b *local.Book, ctx context.Context, list local.List) (local.Page[local.Memory], error) {
			return b.SearchMemories(ctx, list.Query, list.Limit)
		},
		create: func(b *local.Book, ctx context.Context, f form) (local.Memory, error) {
			return b.CreateMemory(ctx, local.NewMemory{Title: given(f.title), Content: given(f.text), Kind: given(f.kind)})
		},
		update: func(b *local.Book, ctx context.Context, id string, f form) (local.Memory, error) {
			return b.UpdateMemory(ctx, id, local.MemoryEdit{Title: f.title, Content: f.text, Kind: f.kind})
		},
		record: memoryRecord,
	}
	cmd := r.command()
	cmd.AddCommand(r.changeCommand("archive", "Put a memory away", `Archive puts a memory away: it is kept, but no search finds it, and lists leave it
out unless they are asked with --archived. Take it back with undo.`,
		(*local.Book).ArchiveMemory,
		func(one record) string { return "Archived " + r.name(one.title) + "." + r.undoHint(one.id) }))
	return cmd
}

func memoryRecord(m local.Memory) record {
	archived := ""
	if m.Archived {
		archived = "yes"
	}
	return record{
		id: m.ID, title: m.Title, text: m.Content, createdAt: m.CreatedAt, updatedAt: m.UpdatedAt, revision: m.Revision,
		value: capability.MemoryValue(m),
		own:   []ownField{{"kind", m.Kind}, {"archived", archived}},
	}
}

// given gives what was given, or the zero value.
func given[V any](v *V) V {
	if v == nil {
		return *new(V)
	}
	return *v
}

// record is what is shown of a record of any kind.
type record struct {
	id, title, text string
	// handle is the beginning of the id that is shown to a person, and enough for the commands.
	handle               string
	createdAt, updatedAt time.Time
	revision             int64
	// value is the record as the capabilities give it, for JSON.
	value map[string]any
	// own are the fields that only this kind has.
	own []ownField
}

// ownField is a field that not every kind has.
type ownField struct {
	label string
	shown string // empty where there is nothing to see
}
