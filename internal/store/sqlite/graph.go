package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolsmith/internal/store/sqlite/dbsqlc"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// graph keeps the tasks of runs.
type graph struct{ taskRuns }

// rowsAtOnce is how many rows one statement adds or reads at most.
const rowsAtOnce = 200

// bulk is a statement for any number of rows, which sqlc cannot write.
type bulk struct {
	before  string
	columns int
	after   string
}

// text of the statement for a number of rows.
func (b bulk) text(rows int) string {
	row := ",(?" + strings.Repeat(",?", b.columns-1) + ")"
	return named + b.before + strings.Repeat(row, rows)[1:] + b.after
}

// largeContent is from how many bytes on a content is kept once for all runs, and not with each
// run that has it: finding out whether it is there costs more than the room that small ones take.
const largeContent = 4 << 10

func addContents() bulk {
	return bulk{"AddContents\nINSERT INTO run_contents (run, id, type, data) VALUES ", 4, " ON CONFLICT (run, id) DO NOTHING"}
}

func addLargeContents() bulk {
	return bulk{"AddLargeContents\nINSERT INTO contents (id, type, data) VALUES ", 3, " ON CONFLICT (id) DO NOTHING"}
}

func addTasks() bulk {
	return bulk{`AddTasks
INSERT INTO run_tasks (run, seq, id, content, prior, parent, created_at, role, type, branch, depth, name, run_on, step)
VALUES `, 14, ""}
}

func putExecutions() bulk {
	return bulk{`PutExecutions
INSERT INTO run_executions (run, seq, state, why, attempts, wake_at, started_at, finished_at, worker, arguments, granted)
VALUES `, 11, `
ON CONFLICT (run, seq) DO UPDATE SET
    state = excluded.state, why = excluded.why, attempts = excluded.attempts, wake_at = excluded.wake_at,
    started_at = excluded.started_at, finished_at = excluded.finished_at, worker = excluded.worker,
    arguments = excluded.arguments, granted = excluded.granted`}
}

// runNumber is the number of the run that a transaction has to do with; most have with one
// only.
type runNumber struct {
	id  string
	num int64
}

func (g graph) Reserve(ctx context.Context, runID, owner string, count int) (int, error) {
	var num, tasks int64
	var err error
	if count == 0 {
		var row dbsqlc.OwnedRunRow
		row, err = g.query.OwnedRun(ctx, runID, owner)
		num, tasks = row.Num, row.Tasks
	} else {
		var row dbsqlc.ReserveTasksRow
		row, err = g.query.ReserveTasks(ctx, int64(count), runID, owner)
		num, tasks = row.Num, row.Tasks
	}
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("add to run %s: %w", runID, task.ErrNotOwner)
	}
	if err != nil {
		return 0, g.fail("reserve tasks", err)
	}
	*g.run = runNumber{runID, num}
	return int(tasks) - count, nil
}

// number gives the number of a run, without a statement if it was reserved for before.
func (g graph) number(ctx context.Context, runID string) (int64, error) {
	if g.run.num != 0 && g.run.id == runID {
		return g.run.num, nil
	}
	num, err := g.query.RunNumber(ctx, runID)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("there is no run %s", runID)
	}
	if err != nil {
		return 0, g.fail("read the run", err)
	}
	*g.run = runNumber{runID, num}
	return num, nil
}

func (g graph) Append(ctx context.Context, runID string, batch task.Batch) error {
	num, err := g.number(ctx, runID)
	if err != nil {
		return err
	}
	if err := g.addContents(ctx, num, batch.Contents); err != nil {
		return g.fail("add the contents", err)
	}
	if err := addRows(ctx, g.tx, addTasks(), batch.Tasks, taskValues(num)); err != nil {
		return g.added("add the tasks", err)
	}
	return g.putExecutions(ctx, num, batch.Executions)
}

func (g graph) PutExecution(ctx context.Context, runID string, execution task.Execution) error {
	num, err := g.number(ctx, runID)
	if err != nil {
		return err
	}
	return g.putExecutions(ctx, num, []task.Execution{execution})
}

func (g graph) putExecutions(ctx context.Context, num int64, executions []task.Execution) error {
	err := addRows(ctx, g.tx, putExecutions(), executions, executionValues(num))
	return g.fail("write the executions", err)
}

func (g graph) addContents(ctx context.Context, num int64, contents []task.Content) error {
	isLarge := func(c task.Content) bool { return len(c.JSON) >= largeContent }
	if slices.ContainsFunc(contents, isLarge) {
		var small, large []task.Content
		for _, c := range contents {
			if isLarge(c) {
				large = append(large, c)
			} else {
				small = append(small, c)
			}
		}
		if err := addRows(ctx, g.tx, addLargeContents(), large, largeValues); err != nil {
			return err
		}
		contents = small
	}
	return addRows(ctx, g.tx, addContents(), contents, contentValues(num))
}

func contentValues(run int64) func([]any, *task.Content) []any {
	return func(to []any, c *task.Content) []any { return largeValues(append(to, run), c) }
}

func largeValues(to []any, c *task.Content) []any {
	return append(to, c.ID[:], string(c.Type), notNull(c.JSON))
}

func taskValues(run int64) func([]any, *task.Task) []any {
	return func(to []any, t *task.Task) []any {
		return append(to, run, t.Seq, t.ID[:], t.Content[:], idOrNull(t.Prior), idOrNull(t.Parent), t.CreatedAt,
			string(t.Role), string(t.Type), t.Branch, t.Depth, t.Name, string(t.RunOn), t.Step)
	}
}

func executionValues(run int64) func([]any, *task.Execution) []any {
	return func(to []any, e *task.Execution) []any {
		return append(to, run, e.Seq, string(e.State), e.Why, e.Attempts,
			microsOrNull(e.WakeAt), microsOrNull(e.StartedAt), microsOrNull(e.FinishedAt),
			e.Worker, idOrNull(e.Arguments), e.Granted)
	}
}

// addRows adds one row for each item, with as few statements as there can be.
func addRows[T any](ctx context.Context, t tx, to bulk, items []T, values func([]any, *T) []any) error {
	for some := range slices.Chunk(items, rowsAtOnce) {
		args := make([]any, 0, len(some)*to.columns)
		for i := range some {
			args = values(args, &some[i])
		}
		if _, err := t.db.ExecContext(ctx, to.text(len(some)), args...); err != nil {
			return err
		}
	}
	return nil
}

func (g graph) Graph(ctx context.Context, runID string) ([]task.Task, []task.Execution, error) {
	tasks, err := g.query.RunTasks(ctx, runID)
	if err != nil {
		return nil, nil, g.fail("read the tasks of the run", err)
	}
	executions, err := g.query.RunExecutions(ctx, runID)
	if err != nil {
		return nil, nil, g.fail("read the executions of the run", err)
	}
	return mapAll(tasks, runTaskOf), mapAll(executions, executionOf), nil
}

func (g graph) Contents(ctx context.Context, runID string, ids []task.ID) ([]task.Content, error) {
	missing := map[task.ID]bool{}
	for _, id := range ids {
		missing[id] = true
	}
	var found []task.Content
	keep := func(id []byte, kind string, data []byte) {
		content := task.Content{ID: idOf(id), Type: tool.ContentType(kind), JSON: data}
		delete(missing, content.ID)
		found = append(found, content)
	}
	for some := range slices.Chunk(inOrder(missing), rowsAtOnce) {
		rows, err := g.query.RunContents(ctx, runID, mapAll(some, idOrNull))
		if err != nil {
			return nil, g.fail("read the contents", err)
		}
		for _, row := range rows {
			keep(row.ID, row.Type, row.Data)
		}
	}
	for some := range slices.Chunk(inOrder(missing), rowsAtOnce) {
		rows, err := g.query.LargeContents(ctx, mapAll(some, idOrNull))
		if err != nil {
			return nil, g.fail("read the contents", err)
		}
		for _, row := range rows {
			keep(row.ID, row.Type, row.Data)
		}
	}
	return found, nil
}

// inOrder gives ids in the order in which an index has them.
func inOrder(ids map[task.ID]bool) []task.ID {
	return slices.SortedFunc(maps.Keys(ids), func(a, b task.ID) int { return bytes.Compare(a[:], b[:]) })
}

func (g graph) Find(ctx context.Context, createdAt int64, id task.ID) (task.Task, string, bool, error) {
	row, err := g.query.RunTask(ctx, createdAt, id[:])
	ok, err := g.found("find the task", err)
	if !ok {
		return task.Task{}, "", false, err
	}
	return runTaskOf(row.RunTask), row.RunID, true, nil
}

func runTaskOf(row dbsqlc.RunTask) task.Task {
	return task.Task{
		ID:        idOf(row.ID),
		Content:   idOf(row.Content),
		Prior:     idOf(row.Prior),
		Parent:    idOf(row.Parent),
		CreatedAt: row.CreatedAt,
		Role:      tool.Role(row.Role),
		Type:      tool.ContentType(row.Type),
		Seq:       int(row.Seq),
		Branch:    int(row.Branch),
		Depth:     int(row.Depth),
		Name:      row.Name,
		RunOn:     tool.RunOn(row.RunOn),
		Step:      row.Step,
	}
}

func executionOf(row dbsqlc.RunExecution) task.Execution {
	return task.Execution{
		Seq:        int(row.Seq),
		State:      task.State(row.State),
		Why:        row.Why,
		Attempts:   int(row.Attempts),
		WakeAt:     fromMicrosOrNull(row.WakeAt),
		StartedAt:  fromMicrosOrNull(row.StartedAt),
		FinishedAt: fromMicrosOrNull(row.FinishedAt),
		Worker:     row.Worker,
		Arguments:  idOf(row.Arguments),
		Granted:    row.Granted,
	}
}

// idOrNull gives the bytes of an id; nil, which is NULL, for none.
func idOrNull(id task.ID) []byte {
	if id.None() {
		return nil
	}
	return id[:]
}

func idOf(raw []byte) (id task.ID) {
	copy(id[:], raw)
	return id
}
