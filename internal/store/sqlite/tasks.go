package sqlite

import (
	"context"

	"toolsmith/internal/local"
	"toolsmith/internal/store/sqlite/dbsqlc"
)

// tasks keeps tasks.
type tasks struct{ tx }

func (t tasks) Get(ctx context.Context, id string) (local.Task, bool, error) {
	row, err := t.query.Task(ctx, id)
	ok, err := t.found("read the task", err)
	if !ok {
		return local.Task{}, false, err
	}
	return taskOf(dbsqlc.ListTasksRow(row)), true, nil
}

func taskOf(row dbsqlc.ListTasksRow) local.Task {
	return local.Task{
		ID:          row.ID,
		Title:       row.Title,
		Description: row.Description,
		Status:      local.Status(row.Status),
		Priority:    local.Priority(row.Priority),
		DueAt:       fromMicrosOrNull(row.DueAt),
		CreatedAt:   fromMicros(row.CreatedAt),
		UpdatedAt:   fromMicros(row.UpdatedAt),
		Revision:    row.Revision,
	}
}

func (t tasks) Put(ctx context.Context, task local.Task) error {
	return t.fail("write the task", t.query.PutTask(ctx, dbsqlc.PutTaskParams{
		ID:                task.ID,
		Title:             task.Title,
		Description:       task.Description,
		Status:            string(task.Status),
		Priority:          string(task.Priority),
		DueAt:             microsOrNull(task.DueAt),
		CreatedAt:         micros(task.CreatedAt),
		UpdatedAt:         micros(task.UpdatedAt),
		Revision:          task.Revision,
		TitleFolded:       local.Fold(task.Title),
		DescriptionFolded: local.Fold(task.Description),
	}))
}

func (t tasks) Remove(ctx context.Context, id string) error {
	return t.fail("remove the task", t.query.RemoveTask(ctx, id))
}

func (t tasks) List(ctx context.Context, fits local.Filter, before string, limit int) ([]local.Task, error) {
	if fits.Status == "" {
		return t.list(ctx, "", below(before), fits.Contains, limit)
	}
	rows, err := t.query.ListTasksWithStatus(ctx, string(fits.Status), below(before), fits.Contains, int64(limit))
	return mapAll(rows, func(row dbsqlc.ListTasksWithStatusRow) local.Task {
		return taskOf(dbsqlc.ListTasksRow(row))
	}), t.fail("list the tasks", err)
}

func (t tasks) WithPrefix(ctx context.Context, prefix string, limit int) ([]local.Task, error) {
	return t.list(ctx, prefix, prefix+afterIDs, "", limit)
}

func (t tasks) list(ctx context.Context, low, high, contains string, limit int) ([]local.Task, error) {
	rows, err := t.query.ListTasks(ctx, low, high, contains, int64(limit))
	return mapAll(rows, taskOf), t.fail("list the tasks", err)
}

func (t tasks) Count(ctx context.Context, fits local.Filter) (count int, err error) {
	var all int64
	status, contains := string(fits.Status), fits.Contains
	switch {
	case status == "" && contains == "":
		all, err = t.query.CountTasks(ctx)
	case status == "":
		all, err = t.query.CountTasksContaining(ctx, contains)
	case contains == "":
		all, err = t.query.CountTasksWithStatus(ctx, status)
	default:
		all, err = t.query.CountTasksWithStatusContaining(ctx, status, contains)
	}
	return int(all), t.fail("count the tasks", err)
}
