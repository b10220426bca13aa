package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"toolsmith/internal/store/sqlite/dbsqlc"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// taskRuns keeps what is known of each run.
type taskRuns struct{ tx }

// added explains an error of a statement that adds something; nil stays nil.
func (r taskRuns) added(doing string, err error) error {
	if isTaken(err) {
		return fmt.Errorf("%s: %w: %w", doing, task.ErrExists, err)
	}
	return r.fail(doing, err)
}

func (r taskRuns) AddRun(ctx context.Context, run task.Run) error {
	limits, err := json.Marshal(limitsOf(run.Limits))
	if err != nil {
		return fmt.Errorf("add the run: %w", err)
	}
	failure := failureRow(run.Failure)
	num, err := r.query.AddRun(ctx, dbsqlc.AddRunParams{
		ID:             run.ID,
		Title:          run.Title,
		Caller:         run.Caller,
		CallKey:        run.Key,
		Digest:         run.Digest,
		Entry:          run.Entry,
		Pin:            run.Pin,
		Files:          int64(len(run.Files)),
		Limits:         string(limits),
		Owner:          run.Owner,
		Status:         string(run.Status),
		FailureCode:    failure.code,
		FailureMessage: failure.message,
		FailureDetails: failure.details,
		CreatedAt:      micros(run.CreatedAt),
		SettledAt:      microsOrNull(run.SettledAt),
		CancelledAt:    microsOrNull(run.CancelledAt),
		Tasks:          int64(run.Tasks),
		Errors:         int64(run.Errors),
		FromTask:       idOrNull(run.From),
	})
	if err != nil {
		return r.added("add the run", err)
	}
	*r.run = runNumber{run.ID, num}
	for _, name := range slices.Sorted(maps.Keys(run.Files)) {
		digest := sha256.Sum256(run.Files[name])
		if err := r.query.PutFile(ctx, digest[:], notNull(run.Files[name])); err != nil {
			return r.fail("add a file of the run", err)
		}
		if err := r.query.AddRunFile(ctx, num, name, digest[:]); err != nil {
			return r.fail("add a file of the run", err)
		}
	}
	return nil
}

func (r taskRuns) PutRun(ctx context.Context, run task.Run) error {
	failure := failureRow(run.Failure)
	written, err := r.query.PutRun(ctx, dbsqlc.PutRunParams{
		Status:         string(run.Status),
		FailureCode:    failure.code,
		FailureMessage: failure.message,
		FailureDetails: failure.details,
		SettledAt:      microsOrNull(run.SettledAt),
		CancelledAt:    microsOrNull(run.CancelledAt),
		Tasks:          int64(run.Tasks),
		Errors:         int64(run.Errors),
		ID:             run.ID,
		Owner:          run.Owner,
	})
	if err == nil && written == 0 {
		return fmt.Errorf("write the run %s: %w", run.ID, task.ErrNotOwner)
	}
	return r.fail("write the run", err)
}

func (r taskRuns) Run(ctx context.Context, id string) (task.Run, bool, error) {
	row, err := r.query.Run(ctx, id)
	return r.one(ctx, row, err)
}

func (r taskRuns) RunByKey(ctx context.Context, caller, key string) (task.Run, bool, error) {
	row, err := r.query.RunByKey(ctx, caller, key)
	return r.one(ctx, row, err)
}

func (r taskRuns) one(ctx context.Context, row dbsqlc.Run, err error) (task.Run, bool, error) {
	ok, err := r.found("read the run", err)
	if !ok {
		return task.Run{}, false, err
	}
	run, err := r.read(ctx, row)
	return run, err == nil, err
}

func (r taskRuns) ListRuns(ctx context.Context, filter task.Filter) ([]task.Run, error) {
	low, high, most := filter.Prefix, filter.Prefix+afterIDs, int64(filter.Limit)
	if filter.Before != "" {
		high = min(high, filter.Before)
	}
	if most == 0 {
		most = -1 // no limit, to SQLite
	}
	var rows []dbsqlc.Run
	var err error
	switch {
	case !filter.Unsettled:
		rows, err = r.query.ListRuns(ctx, dbsqlc.ListRunsParams{Low: low, High: high, Owner: filter.Owner, Caller: filter.Caller, Most: most})
	case filter.Owner == "":
		rows, err = r.query.ListUnsettledRuns(ctx, low, high, filter.Caller, most)
	default:
		rows, err = r.query.ListUnsettledRunsOf(ctx, dbsqlc.ListUnsettledRunsOfParams{Owner: filter.Owner, Low: low, High: high, Caller: filter.Caller, Most: most})
	}
	if err != nil {
		return nil, r.fail("list the runs", err)
	}
	found := make([]task.Run, len(rows))
	for i, row := range rows {
		if found[i], err = r.read(ctx, row); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (r taskRuns) TakeRuns(ctx context.Context, from, to string) ([]string, error) {
	ids, err := r.query.TakeRuns(ctx, to, from)
	slices.Sort(ids) // SQLite gives them in no order
	return ids, r.fail("take the runs", err)
}

func (r taskRuns) Owners(ctx context.Context) ([]string, error) {
	owners, err := r.query.RunOwners(ctx)
	return owners, r.fail("list the owners of runs", err)
}

func (r taskRuns) AskCancel(ctx context.Context, id string, at time.Time) error {
	return r.fail("ask the run to stop", r.query.AskCancel(ctx, sql.NullInt64{Int64: micros(at), Valid: true}, id))
}

// read makes a run of its row, and reads the files that it was given.
func (r taskRuns) read(ctx context.Context, row dbsqlc.Run) (task.Run, error) {
	var kept limits
	if err := json.Unmarshal([]byte(row.Limits), &kept); err != nil {
		return task.Run{}, fmt.Errorf("read the limits of run %s: %w", row.ID, err)
	}
	failure, err := failureOf(row)
	if err != nil {
		return task.Run{}, fmt.Errorf("read the failure of run %s: %w", row.ID, err)
	}
	run := task.Run{
		ID:          row.ID,
		Title:       row.Title,
		Caller:      row.Caller,
		Key:         row.CallKey,
		Digest:      row.Digest,
		Entry:       row.Entry,
		Pin:         row.Pin,
		Limits:      kept.limits(),
		Owner:       row.Owner,
		Status:      task.RunStatus(row.Status),
		Failure:     failure,
		CreatedAt:   fromMicros(row.CreatedAt),
		SettledAt:   fromMicrosOrNull(row.SettledAt),
		CancelledAt: fromMicrosOrNull(row.CancelledAt),
		Tasks:       int(row.Tasks),
		Errors:      int(row.Errors),
		From:        idOf(row.FromTask),
	}
	if row.Files == 0 {
		return run, nil
	}
	files, err := r.query.RunFiles(ctx, row.Num)
	if err != nil {
		return task.Run{}, r.fail("read the files of the run", err)
	}
	run.Files = make(map[string][]byte, len(files))
	for _, file := range files {
		run.Files[file.Name] = file.Data
	}
	return run, nil
}

// limits are those of a run as they are kept; its names must stay as they are.
type limits struct {
	Tasks       int           `json:"tasks"`
	Depth       int           `json:"depth"`
	ResultTasks int           `json:"resultTasks"`
	Errors      int           `json:"errors"`
	Time        time.Duration `json:"timeNS"`
	CallTime    time.Duration `json:"callTimeNS"`
	Arguments   int           `json:"arguments"`
	Result      int           `json:"result"`
}

func limitsOf(l task.Limits) limits {
	return limits{
		Tasks: l.Tasks, Depth: l.Depth, ResultTasks: l.ResultTasks, Errors: l.Errors,
		Time: l.Time, CallTime: l.CallTime, Arguments: l.Arguments, Result: l.Result,
	}
}

func (l limits) limits() task.Limits {
	return task.Limits{
		Tasks: l.Tasks, Depth: l.Depth, ResultTasks: l.ResultTasks, Errors: l.Errors,
		Time: l.Time, CallTime: l.CallTime, Arguments: l.Arguments, Result: l.Result,
	}
}

// failure is that of a run as it is kept.
type failure struct {
	code, message sql.NullString
	details       []byte
}

func failureRow(f *task.Failure) failure {
	if f == nil {
		return failure{}
	}
	row := failure{
		code:    sql.NullString{String: f.Code, Valid: true},
		message: sql.NullString{String: f.Message, Valid: true},
	}
	if f.Details != nil {
		row.details = task.NewContent(tool.TypeError, f.Details).JSON
	}
	return row
}

func failureOf(row dbsqlc.Run) (*task.Failure, error) {
	if !row.FailureCode.Valid {
		return nil, nil
	}
	f := &task.Failure{Code: row.FailureCode.String, Message: row.FailureMessage.String}
	if row.FailureDetails == nil {
		return f, nil
	}
	details, err := task.Content{JSON: row.FailureDetails}.Value()
	f.Details = details
	return f, err
}
