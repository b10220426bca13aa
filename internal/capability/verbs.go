package capability

import (
	"context"

	"toolsmith/internal/local"
)

// verbs says how each capability of Builtin is carried out. Each reads its whole input
// and asks for what is wrong with it before it touches the book.
func verbs() map[string]verb {
	return map[string]verb{
		"tasks.list":      listTasks,
		"tasks.create":    createTask,
		"tasks.setStatus": setTaskStatus,
		"tasks.delete":    byRevision((*local.Book).DeleteTask, TaskValue),
		"tasks.restore":   byRevision((*local.Book).RestoreTask, TaskValue),
		"notes.list":      listNotes,
		"notes.create":    createNote,
		"notes.update":    updateNote,
		"notes.delete":    byRevision((*local.Book).DeleteNote, NoteValue),
		"notes.restore":   byRevision((*local.Book).RestoreNote, NoteValue),
		"memory.search":   searchMemories,
		"memory.create":   createMemory,
		"memory.archive":  byRevision((*local.Book).ArchiveMemory, MemoryValue),
	}
}

func listTasks(ctx context.Context, book *local.Book, in *input) (Result, error) {
	list := in.list()
	list.Status = local.Status(in.optionalWord("status"))
	if err := in.problem(); err != nil {
		return Result{}, err
	}
	page, err := book.Tasks(ctx, list)
	return listResult(page, TaskValue), err
}

func createTask(ctx context.Context, book *local.Book, in *input) (Result, error) {
	fresh := local.NewTask{
		Title:       in.text("title"),
		Description: in.optionalText("description"),
		Status:      local.Status(in.optionalWord("status")),
		Priority:    local.Priority(in.optionalWord("priority")),
		DueAt:       in.optionalTime("dueAt"),
	}
	if err := in.problem(); err != nil {
		return Result{}, err
	}
	made, err := book.CreateTask(ctx, fresh)
	return Result{Value: TaskValue(made)}, err
}

func setTaskStatus(ctx context.Context, book *local.Book, in *input) (Result, error) {
	id, status := in.text("id"), local.Status(in.text("status"))
	if err := in.problem(); err != nil {
		return Result{}, err
	}
	changed, err := book.UpdateTask(ctx, id, local.TaskEdit{Status: &status})
	return Result{Value: TaskValue(changed)}, err
}

func listNotes(ctx context.Context, book *local.Book, in *input) (Result, error) {
	list := in.list()
	if err := in.problem(); err != nil {
		return Result{}, err
	}
	page, err := book.Notes(ctx, list)
	return listResult(page, NoteValue), err
}

func createNote(ctx context.Context, book *local.Book, in *input) (Result, error) {
	fresh := local.NewNote{Title: in.text("title"), Content: in.content("content")}
	if err := in.problem(); err != nil {
		return Result{}, err
	}
	made, err := book.CreateNote(ctx, fresh)
	return Result{Value: NoteValue(made)}, err
}

func updateNote(ctx context.Context, book *local.Book, in *input) (Result, error) {
	id := in.text("id")
	var edit local.NoteEdit
	if in.has("title") {
		title := in.text("title")
		edit.Title = &title
	}
	if in.has("content") {
		content := in.content("content")
		edit.Content = &content
	}
	if err := in.problem(); err != nil {
		return Result{}, err
	}
	changed, err := book.UpdateNote(ctx, id, edit)
	return Result{Value: NoteValue(changed)}, err
}

func searchMemories(ctx context.Context, book *local.Book, in *input) (Result, error) {
	query, limit := in.text("query"), in.limit()
	if err := in.problem(); err != nil {
		return Result{}, err
	}
	page, err := book.SearchMemories(ctx, query, limit)
	return listResult(page, MemoryValue), err
}

func createMemory(ctx context.Context, book *local.Book, in *input) (Result, error) {
	fresh := local.NewMemory{
		Title:   in.text("title"),
		Content: in.content("content"),
		Kind:    in.optionalText("kind"),
	}
	if err := in.problem(); err != nil {
		return Result{}, err
	}
	made, err := book.CreateMemory(ctx, fresh)
	return Result{Value: MemoryValue(made)}, err
}

// byRevision carries out a verb that takes an id and the revision expected, if any.
func byRevision[T any](do func(*local.Book, context.Context, string, int64) (T, error), valueOf func(T) map[string]any) verb {
	return func(ctx context.Context, book *local.Book, in *input) (Result, error) {
		id, revision := in.text("id"), in.optionalInteger("revision")
		if err := in.problem(); err != nil {
			return Result{}, err
		}
		record, err := do(book, ctx, id, revision)
		return Result{Value: valueOf(record)}, err
	}
}
