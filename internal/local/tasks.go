package local

import (
	"cmp"
	"context"
	"time"
)

// NewTask is what a task is made from.
type NewTask struct {
	Title, Description string
	// Status defaults to Todo, Priority to Normal.
	Status   Status
	Priority Priority
	// DueAt is when it is due, to the millisecond; nil or the zero time for none.
	DueAt *time.Time
}

// TaskEdit says what to change in a task; nil leaves a field as it is.
type TaskEdit struct {
	Title, Description *string
	Status             *Status
	Priority           *Priority
	// DueAt sets the due time; the zero time takes it away.
	DueAt *time.Time
	// Revision that the task must still have; 0 for any.
	Revision int64
}

func (t *Task) head() head {
	return head{&t.ID, &t.Title, &t.CreatedAt, &t.UpdatedAt, &t.Revision}
}

func (t *Task) check() error {
	if err := checkTitle(&t.Title); err != nil {
		return err
	}
	if err := checkText("$.description", t.Description); err != nil {
		return err
	}
	if err := checkStatus("$.status", t.Status); err != nil {
		return err
	}
	if err := checkOneOf("$.priority", t.Priority, Priorities()...); err != nil {
		return err
	}
	return checkDue(&t.DueAt)
}

func (b *Book) tasks() drawer[Task, *Task] {
	return drawer[Task, *Task]{b, KindTask, b.shelf.Tasks()}
}

// CreateTask makes a task.
func (b *Book) CreateTask(ctx context.Context, fresh NewTask) (Task, error) {
	return b.tasks().create(ctx, Task{
		Title:       fresh.Title,
		Description: fresh.Description,
		Status:      cmp.Or(fresh.Status, Todo),
		Priority:    cmp.Or(fresh.Priority, Normal),
		DueAt:       fresh.DueAt,
	})
}

// Task gives the task with exactly this id.
func (b *Book) Task(ctx context.Context, id string) (Task, error) { return b.tasks().get(ctx, id) }

// FindTask gives the one task whose id begins with prefix, which has at least MinPrefix
// characters in whatever case.
func (b *Book) FindTask(ctx context.Context, prefix string) (Task, error) {
	return b.tasks().find(ctx, prefix)
}

// Tasks lists tasks, newest first.
func (b *Book) Tasks(ctx context.Context, list List) (Page[Task], error) {
	if list.Status != "" {
		if err := checkStatus("$.status", list.Status); err != nil {
			return Page[Task]{}, err
		}
	}
	return b.tasks().list(ctx, list, Filter{Status: list.Status})
}

// UpdateTask changes a task; the edit must name at least one field.
func (b *Book) UpdateTask(ctx context.Context, id string, edit TaskEdit) (Task, error) {
	if edit == (TaskEdit{Revision: edit.Revision}) {
		return Task{}, invalid("$", "Give at least one field to change.")
	}
	return b.tasks().change(ctx, id, edit.Revision, Updated, func(t *Task) {
		set(&t.Title, edit.Title)
		set(&t.Description, edit.Description)
		set(&t.Status, edit.Status)
		set(&t.Priority, edit.Priority)
		if edit.DueAt != nil {
			t.DueAt = edit.DueAt
		}
	})
}

// DeleteTask deletes a task that still has the revision (0: any). It gives the task as
// it was, with the revision that RestoreTask may be given to bring it back.
func (b *Book) DeleteTask(ctx context.Context, id string, revision int64) (Task, error) {
	return b.tasks().remove(ctx, id, revision)
}

// RestoreTask takes back the last change of a task, or its deletion. A revision other
// than 0 must be the one that the change to take back gave.
func (b *Book) RestoreTask(ctx context.Context, id string, revision int64) (Task, error) {
	return b.tasks().restore(ctx, id, revision)
}
