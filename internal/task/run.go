package task

import (
	"slices"
	"time"
)

// RunStatus says how it stands with a run.
type RunStatus string

// The statuses of a run. Running, Waiting and Unknown are of a run that is not settled.
const (
	RunRunning   RunStatus = "running"
	RunWaiting   RunStatus = "waiting" // for a time or an answer
	RunSucceeded RunStatus = "succeeded"
	RunFailed    RunStatus = "failed"
	// RunRecoveryRequired: it failed, and what was done could not all be undone.
	RunRecoveryRequired RunStatus = "recovery_required"
	// RunUnknown: of a call nobody knows whether it happened, until a person says so.
	RunUnknown   RunStatus = "unknown"
	RunCancelled RunStatus = "cancelled"
)

// Settled reports whether nothing of the run is left to happen.
func (s RunStatus) Settled() bool {
	switch s {
	case RunSucceeded, RunFailed, RunRecoveryRequired, RunCancelled:
		return true
	default:
		return false
	}
}

// Run is one run: chains that were asked for together, and all that came of them.
type Run struct {
	// ID is a ULID, so that runs sort by the time at which they began.
	ID string
	// Title is the display name: that of the tool called, or what the caller gave.
	Title string
	// Caller says who asked for it: "cli", "go", a token's name.
	Caller string
	// Key is the caller's idempotency key; "" for none.
	Key string
	// Digest of what was asked for under the key.
	Digest string
	// Entry is the tool that sees plain results and errors; "" for none.
	Entry string
	// Pin is the line of the audit up to which the registry is seen by the run, so that what
	// is enabled, rolled back or replaced later changes nothing for it.
	Pin int64
	// Files are manifests that the run was given, by the name under which they are called.
	Files map[string][]byte
	// Limits of the run.
	Limits Limits
	// Owner is the lease of the worker whose run it is.
	Owner string

	Status RunStatus
	// Failure of a run that failed or was cancelled; nil otherwise.
	Failure   *Failure
	CreatedAt time.Time
	// SettledAt is nil while it is not settled.
	SettledAt *time.Time
	// CancelledAt is when it was asked to stop; nil for never.
	CancelledAt *time.Time
	// Tasks and Errors count what the run has so far.
	Tasks, Errors int
	// From is the task of an earlier run that this one runs again; none otherwise.
	From ID
}

// Limits bound a run. A field that is 0 stands for its default.
type Limits struct {
	// Tasks in all; 10,000.
	Tasks int
	// Depth of calls below calls; 64.
	Depth int
	// ResultTasks is how many tasks one result may have; 1,000.
	ResultTasks int
	// Errors is after how many failed calls the run stops; 25.
	Errors int
	// Time from its beginning to its end; 1 hour.
	Time time.Duration
	// CallTime is how long one call may take; 10 minutes.
	CallTime time.Duration
	// Arguments of one call, in bytes of JSON; 64 KiB.
	Arguments int
	// Result of one call, in bytes of JSON; 256 KiB.
	Result int
	// Tools that tasks may call; nil is all. A tool in Go may call those that it declares as well:
	// they are a part of it.
	Tools []string
}

// MayCall reports whether a task may call a tool by its name.
func (l Limits) MayCall(name string) bool { return l.Tools == nil || slices.Contains(l.Tools, name) }

// Default limits of a run.
const (
	DefaultTasks       = 10_000
	DefaultDepth       = 64
	DefaultResultTasks = 1_000
	DefaultErrors      = 25
	DefaultTime        = time.Hour
	DefaultCallTime    = 10 * time.Minute
	DefaultArguments   = 64 << 10
	DefaultResult      = 256 << 10
)

// WithDefaults fills in what is not set.
func (l Limits) WithDefaults() Limits {
	fillIn(&l.Tasks, DefaultTasks)
	fillIn(&l.Depth, DefaultDepth)
	fillIn(&l.ResultTasks, DefaultResultTasks)
	fillIn(&l.Errors, DefaultErrors)
	fillIn(&l.Time, DefaultTime)
	fillIn(&l.CallTime, DefaultCallTime)
	fillIn(&l.Arguments, DefaultArguments)
	fillIn(&l.Result, DefaultResult)
	return l
}

func fillIn[T int | time.Duration](field *T, byDefault T) {
	if *field == 0 {
		*field = byDefault
	}
}

// State of the execution of a call.
type State string

// The states of an execution. Done, Failed, Cancelled and Skipped are final.
const (
	Queued    State = "queued"    // not begun
	Waiting   State = "waiting"   // for a time or an answer
	Running   State = "running"   // begun
	Done      State = "done"      // it gave a result
	Failed    State = "failed"    // it gave an error
	Unknown   State = "unknown"   // nobody knows whether it happened
	Cancelled State = "cancelled" // stopped, or never begun because the run was
	Skipped   State = "skipped"   // not run, because a task before it failed
)

// Final reports whether an execution in the state is over.
func (s State) Final() bool {
	switch s {
	case Done, Failed, Cancelled, Skipped:
		return true
	default:
		return false
	}
}

// Execution is what changes of a call.
type Execution struct {
	// Task by its number in the run.
	Seq   int
	State State
	// Why it waits, or was cancelled or skipped; "" otherwise.
	Why string
	// Attempts that were begun.
	Attempts int
	// WakeAt is until when it waits; nil for something else than a time.
	WakeAt *time.Time
	// StartedAt and FinishedAt; nil for not yet.
	StartedAt, FinishedAt *time.Time
	// Worker that carried it out, by its lease.
	Worker string
	// Arguments as they were executed, where they differ from those of the task.
	Arguments ID
	// Granted names the grant or the answer that allowed it; "" for none needed.
	Granted string
}

// Codes of failures that the graph itself gives.
const (
	CodeResultInvalid    = "RESULT_INVALID"
	CodeToolUnknown      = "TOOL_UNKNOWN"
	CodeArgumentsInvalid = "ARGUMENTS_INVALID"
	CodeArgumentsLarge   = "ARGUMENTS_TOO_LARGE"
	CodePreviousMissing  = "PREVIOUS_MISSING"
	CodeResultLarge      = "RESULT_TOO_LARGE"
	CodeResultTasks      = "RESULT_TASKS_EXCEEDED"
	CodeRunTasks         = "RUN_TASKS_EXCEEDED"
	CodeRunDepth         = "RUN_DEPTH_EXCEEDED"
	CodeRunErrors        = "RUN_ERRORS_EXCEEDED"
	CodeRunTime          = "RUN_TIME_EXCEEDED"
	CodeRunNoProgress    = "RUN_NO_PROGRESS"
	CodeCallTime         = "CALL_TIME_EXCEEDED"
	CodeAborted          = "ABORTED"
	CodeToolFailed       = "TOOL_FAILED"
)
