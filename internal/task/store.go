package task

import (
	"context"
	"errors"
	"time"
)

// Errors of a Store.
var (
	// ErrExists: a run or a task with the id is there already.
	ErrExists = errors.New("it exists already")
	// ErrNotOwner: the run belongs to another worker by now.
	ErrNotOwner = errors.New("the run belongs to another worker")
)

// Store keeps runs and their tasks, within one transaction.
type Store interface {
	Runs
	Graphs
}

// Runs keeps what is known of each run.
type Runs interface {
	// AddRun keeps a new run. A second run of one caller under one key (other than "") is
	// ErrExists.
	AddRun(ctx context.Context, run Run) error
	// PutRun replaces what may change of a run: status, failure, times, counts. It never lowers
	// Tasks and never clears CancelledAt, which others may have written. SettledAt and a settled
	// status go together. The run must belong to run.Owner; if not, it is ErrNotOwner.
	PutRun(ctx context.Context, run Run) error
	// Run by its id; ok is false if there is none.
	Run(ctx context.Context, id string) (run Run, ok bool, err error)
	// RunByKey finds the run that a caller's idempotency key has made.
	RunByKey(ctx context.Context, caller, key string) (run Run, ok bool, err error)
	// ListRuns gives the runs that a filter lets through, newest first.
	ListRuns(ctx context.Context, filter Filter) ([]Run, error)
	// TakeRuns makes the runs that are not settled and belong to one worker those of another,
	// and gives their ids, oldest first.
	TakeRuns(ctx context.Context, from, to string) ([]string, error)
	// Owners lists the workers that runs belong to which are not settled, each once.
	Owners(ctx context.Context) ([]string, error)
	// AskCancel notes that a run is to be stopped; only the first time counts, and for a run
	// that is not there it does nothing. It needs not be the caller's run.
	AskCancel(ctx context.Context, id string, at time.Time) error
}

// Filter picks runs.
type Filter struct {
	// Unsettled lets only those through that are not settled.
	Unsettled bool
	// Owner lets only those of one worker through; "" lets all.
	Owner string
	// Caller lets only those through that somebody has begun; "" lets all.
	Caller string
	// Prefix of the id; "" lets all through.
	Prefix string
	// Before lets only those through whose id is below it; "" lets all.
	Before string
	// Limit is how many; 0 is no limit.
	Limit int
}

// Graphs keeps the tasks of runs.
type Graphs interface {
	// Reserve counts further tasks of a run, which may be 0, and gives the number that the
	// first of them has. The run must belong to owner, else it is ErrNotOwner; so every
	// transaction of a worker that changes tasks or executions of a run begins with it.
	Reserve(ctx context.Context, runID, owner string, count int) (first int, err error)
	// Append adds tasks that were reserved, with their contents, and puts executions, new ones
	// and, in the place of those that are there, those of other tasks of the run. A content that
	// is there already is left as it is. A task whose id is there already, in any run, is
	// ErrExists.
	Append(ctx context.Context, runID string, batch Batch) error
	// PutExecution replaces an execution.
	PutExecution(ctx context.Context, runID string, execution Execution) error
	// Graph gives all tasks and executions of a run, in the order of their numbers.
	Graph(ctx context.Context, runID string) ([]Task, []Execution, error)
	// Contents gives those contents of the ids that the run has. It may give others' too, where
	// they are kept together.
	Contents(ctx context.Context, runID string, ids []ID) ([]Content, error)
	// Find gives a task by its id and the time that it is made with, and its run; ok is false if
	// there is none.
	Find(ctx context.Context, createdAt int64, id ID) (found Task, runID string, ok bool, err error)
}

// Batch is what is added to a run at once.
type Batch struct {
	Contents   []Content
	Tasks      []Task
	Executions []Execution
}
