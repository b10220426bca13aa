package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolsmith/internal/check"
	"toolsmith/internal/nearest"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Codes of this package.
const (
	// CodeRunNotFound: there is no such run.
	CodeRunNotFound = "RUN_NOT_FOUND"
	// CodeRunAmbiguous: several runs begin with what was given.
	CodeRunAmbiguous = "RUN_AMBIGUOUS"
	// CodeRunSettled: the run is over.
	CodeRunSettled = "RUN_SETTLED"
	// CodeKeyReused: the idempotency key has been used for something else.
	CodeKeyReused = "RUN_KEY_REUSED"
	// CodeToolInUse: runs under way need the tool.
	CodeToolInUse = "TOOL_IN_USE"
)

// Request asks for a run.
type Request struct {
	// Chains that run side by side, each one task after the other.
	Chains [][]task.Draft
	// Title is the display name; "" is the name of the first tool that is called.
	Title string
	// Caller says who asks.
	Caller string
	// Key makes a second request with it attach to the run of the first; "" for none.
	Key string
	// Entry is the tool that sees plain results and errors; "" for none.
	Entry string
	// Limits of the run; what is 0 has its default.
	Limits task.Limits
	// Files are tools that the run brings along, by their names.
	Files []*check.Checked
	// Owner is the lease of the worker whose run it will be.
	Owner string
	// ID of the run; "" makes one.
	ID string

	// from is the task of an earlier run that is run again, pin the line of the audit at which
	// that run saw the registry, and steps what is recorded of its flow.
	from  task.ID
	pin   int64
	steps []step
}

// Started is a run as it was kept.
type Started struct {
	Run task.Run
	// Batch is what was added; empty where Attached.
	Batch task.Batch
	// Attached: the key had made this run before, and nothing was added.
	Attached bool
}

// Call keeps a new run, which its owner then carries out. The error of chains that are at
// fault is a *tool.Error whose cause is all task.Faults; nothing is kept then.
func (e *Engine) Call(ctx context.Context, r Request) (started Started, err error) {
	run := task.Run{
		From: r.from, ID: r.ID, Title: r.Title, Caller: r.Caller, Key: r.Key, Digest: digest(r), Entry: r.Entry, Limits: r.Limits.WithDefaults(),
		Owner: r.Owner, Status: task.RunRunning, CreatedAt: e.o.Now(), Files: map[string][]byte{},
	}
	for _, c := range r.Files {
		if _, has := e.o.Toolbox.Find(c.Name()); has {
			return Started{}, &tool.Error{Code: registry.CodeNameTaken, Field: "$.name", Message: fmt.Sprintf(
				"There is a tool %q that is part of the program or supplied to it. Choose another name.", c.Name())}
		}
		run.Files[c.Name()] = c.Text()
	}
	if run.ID == "" {
		run.ID = e.o.NewID()
	}
	if run.Title == "" {
		run.Title = titleOf(r.Chains)
	}
	err = e.o.Store.Write(ctx, func(tx store.Tx) error {
		started, err = e.begin(ctx, tx, run, r)
		return err
	})
	return started, err
}

// begin keeps a run in one transaction, or finds the one that its key has made.
func (e *Engine) begin(ctx context.Context, tx store.Tx, run task.Run, r Request) (Started, error) {
	chains := r.Chains
	if run.Key != "" {
		known, ok, err := tx.Graph().RunByKey(ctx, run.Caller, run.Key)
		if err != nil {
			return Started{}, fmt.Errorf("find the run of a key: %w", err)
		}
		if ok && known.Digest != run.Digest {
			return Started{}, &tool.Error{Code: CodeKeyReused, Message: fmt.Sprintf(
				"The idempotency key %q was used for run %s, which asked for something else.", run.Key, known.ID)}
		}
		if ok {
			return Started{Run: known, Attached: true}, nil
		}
	}
	err := e.running(ctx, tx)
	if err != nil {
		return Started{}, err
	}
	if run.Pin, err = r.pinned(ctx, tx); err != nil {
		return Started{}, err
	}
	faults, err := e.prepare(ctx, tx, run, chains, nil)
	if err != nil {
		return Started{}, err
	}
	if len(faults) > 0 {
		return Started{}, faultError(faults)
	}
	if run.Entry != "" && !run.Limits.MayCall(run.Entry) {
		err := e.unknown(run, run.Entry)
		err.Field = "entry"
		return Started{}, err
	}
	if failure := run.Limits.Measure(chains, 0, 0); failure != nil {
		return Started{}, &tool.Error{Code: failure.Code, Message: failure.Message}
	}
	placer := &task.Placer{}
	if placer.Now, err = free(ctx, tx, run.CreatedAt.UnixMilli(), chains); err != nil {
		return Started{}, err
	}
	batch := placer.Place(task.Under{}, chains)
	r.record(placer, &batch)
	if err := tx.Graph().AddRun(ctx, run); err != nil {
		return Started{}, fmt.Errorf("keep the run: %w", err)
	}
	if _, err := tx.Graph().Reserve(ctx, run.ID, run.Owner, len(batch.Tasks)); err != nil {
		return Started{}, fmt.Errorf("keep the tasks: %w", err)
	}
	if err := tx.Graph().Append(ctx, run.ID, batch); err != nil {
		return Started{}, fmt.Errorf("keep the tasks: %w", err)
	}
	run.Tasks = len(batch.Tasks)
	return Started{Run: run, Batch: batch}, nil
}

// free gives the first time from now on at which the chains of a run have no task with an id
// that is there already: those of another run that began with the same in the same millisecond.
func free(ctx context.Context, tx store.Tx, now int64, chains [][]task.Draft) (int64, error) {
	heads := make([][]task.Draft, len(chains))
	for i, chain := range chains {
		heads[i] = chain[:1]
	}
search:
	for at := range task.Later(now) {
		placer := &task.Placer{Now: at}
		for _, head := range placer.Place(task.Under{}, heads).Tasks {
			_, _, taken, err := tx.Graph().Find(ctx, head.CreatedAt, head.ID)
			if err != nil {
				return 0, fmt.Errorf("look for equal tasks: %w", err)
			}
			if taken {
				continue search
			}
		}
		return at, nil
	}
	return now, nil
}

func titleOf(chains [][]task.Draft) string {
	for _, chain := range chains {
		for _, d := range chain {
			if d.Type == tool.TypeTool {
				return d.Call.Name
			}
		}
	}
	return "chain"
}

// digest tells two requests apart that come under one key.
func digest(r Request) string {
	chains := make([]any, 0, len(r.Chains))
	for _, chain := range r.Chains {
		list := make([]any, 0, len(chain))
		for _, d := range chain {
			list = append(list, []any{string(d.Role), string(d.Type), d.Data})
		}
		chains = append(chains, list)
	}
	files := []any{}
	for _, c := range r.Files {
		files = append(files, c.Digest())
	}
	return task.NewContent(tool.TypeStructured, map[string]any{"chains": chains, "files": files, "entry": r.Entry}).ID.String()
}

func faultError(faults task.Faults) error {
	return &tool.Error{Code: faults[0].Code, Field: faults[0].Place, Message: faults[0].Message + moreFaults(faults), Cause: faults}
}

func moreFaults(faults task.Faults) string {
	var b strings.Builder
	for _, f := range faults[1:] {
		fmt.Fprintf(&b, " %s: %s", f.Place, f.Message)
	}
	return b.String()
}

// Prepare finds what is wrong with chains that are to be added to a run: tools that are not
// there, arguments that do not fit.
func (e *Engine) Prepare(ctx context.Context, run task.Run, chains [][]task.Draft, by *Callable) (faults task.Faults, err error) {
	if !anyCall(chains) {
		return nil, nil
	}
	if faults = UndeclaredCalls(chains, by); len(faults) > 0 {
		return faults, nil
	}
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		var declared []string
		if by != nil {
			declared = by.Calls()
		}
		faults, err = e.prepare(ctx, tx, run, chains, declared)
		return err
	})
	return faults, err
}

// CodeCallUndeclared is the code for a tool that is called by one that has not declared to.
const CodeCallUndeclared = "CALL_NOT_DECLARED"

// UndeclaredCalls finds calls that whoever made the chains may not make; by is nil for a caller from outside.
func UndeclaredCalls(chains [][]task.Draft, by *Callable) (faults task.Faults) {
	if by == nil {
		return nil
	}
	for i, chain := range chains {
		for j, d := range chain {
			if d.Type == tool.TypeTool && !by.MayCall(d.Call.Name) {
				faults = append(faults, task.Fault{Code: CodeCallUndeclared, Place: fmt.Sprintf("[%d][%d].content.data.name", i, j), Message: fmt.Sprintf(
					"%q does not declare that it calls %q. Its author adds the name to the list calls of createTool.", by.Name, d.Call.Name)})
			}
		}
	}
	return faults
}

func anyCall(chains [][]task.Draft) bool {
	for _, chain := range chains {
		for _, d := range chain {
			if d.Type == tool.TypeTool {
				return true
			}
		}
	}
	return false
}

// prepare is Prepare; declared are tools that whoever made the chains declares to call.
func (e *Engine) prepare(ctx context.Context, tx store.Tx, run task.Run, chains [][]task.Draft, declared []string) (faults task.Faults, err error) {
	for i, chain := range chains {
		for j, d := range chain {
			if d.Type != tool.TypeTool {
				continue
			}
			place := fmt.Sprintf("[%d][%d].content.data", i, j)
			if !run.Limits.MayCall(d.Call.Name) && !slices.Contains(declared, d.Call.Name) {
				hidden := e.unknown(run, d.Call.Name) // it is not even looked for
				faults = append(faults, task.Fault{Code: hidden.Code, Place: place + ".name", Message: hidden.Message})
				continue
			}
			call, err := e.find(ctx, tx, run, d.Call.Name)
			code, known := FaultCode(err)
			if err != nil && !known {
				return nil, err
			}
			if err != nil {
				faults = append(faults, task.Fault{Code: code, Place: place + ".name", Message: messageOf(err)})
				continue
			}
			faults = append(faults, argumentFaults(place+".arguments", call, d.Call.Arguments, run.Limits)...)
		}
	}
	return faults, nil
}

// argumentFaults holds the arguments of a call to its tool's schema. Where they stand for
// something that is not known yet, that has to wait until the call begins.
func argumentFaults(place string, call *Callable, arguments any, limits task.Limits) (faults task.Faults) {
	if size := value.Size(arguments); size > limits.Arguments {
		return task.Faults{{Code: task.CodeArgumentsLarge, Place: place, Message: fmt.Sprintf(
			"The arguments have %d bytes; at most %d are allowed.", size, limits.Arguments)}}
	}
	if task.UsesPrevious(arguments) {
		return nil
	}
	for _, v := range call.Parameters.Validate(call.Effective(arguments)) {
		faults = append(faults, task.Fault{Code: task.CodeArgumentsInvalid, Place: place + strings.TrimPrefix(v.Path, "$"), Message: v.Message})
	}
	return faults
}

// Effective gives the arguments with the defaults of the schema filled in.
func (c *Callable) Effective(arguments any) any {
	if arguments == nil {
		arguments = map[string]any{}
	}
	return c.Parameters.Fill(arguments)
}

// FaultCode is the code of an error that is the fault of whoever called the tool; known is
// false for what has gone wrong here, such as in the store.
func FaultCode(err error) (code string, known bool) {
	var invalid *InvalidError
	if errors.As(err, &invalid) {
		return registry.CodeBroken, true
	}
	switch code = tool.Code(err); code {
	case "", store.CodeUnavailable, store.CodeBusy, store.CodeNewer:
		return "", false
	}
	return code, true
}

func messageOf(err error) string {
	var coded *tool.Error
	if errors.As(err, &coded) {
		return coded.Message
	}
	return err.Error()
}

// Find gives a tool as a run sees it: as it was when the run began.
func (e *Engine) Find(ctx context.Context, run task.Run, name string) (call *Callable, err error) {
	if call, ok := e.o.Toolbox.Find(name); ok {
		return call, nil
	}
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		call, err = e.find(ctx, tx, run, name)
		return err
	})
	return call, err
}

func (e *Engine) find(ctx context.Context, tx store.Tx, run task.Run, name string) (*Callable, error) {
	if call, ok := e.o.Toolbox.Find(name); ok {
		return call, nil
	}
	if text, ok := run.Files[name]; ok {
		result := e.checks.kept(text)
		if !result.OK() {
			return nil, &InvalidError{result.Diagnostics}
		}
		return Brought(result.Tool, false)
	}
	id, isForged := strings.CutPrefix(name, check.NamePrefix)
	if !isForged {
		id = check.CodedPrefix + name
	}
	r := e.registry(ctx, tx)
	c, err := r.At(ctx, id, run.Pin)
	if !isForged && tool.Code(err) == registry.CodeNotFound {
		return nil, e.unknown(run, name)
	}
	if err != nil {
		return nil, err
	}
	call, err := Brought(c, true)
	if err != nil {
		return nil, err
	}
	call.Namespace, err = r.Namespace(ctx, id, run.Pin)
	return call, err
}

// unknown is the error for a tool that a run knows nothing of.
func (e *Engine) unknown(run task.Run, name string) *tool.Error {
	if run.Limits.Tools == nil {
		return unknownTool(name, e.o.Toolbox.Names())
	}
	return unknownTool(name, slices.DeleteFunc(slices.Clone(run.Limits.Tools), func(other string) bool { return other == name }))
}

// Unknown is the error for a tool that is not there, or that somebody is not to know of who may
// call others: one is told as the other. With others nil, all that can be called may be meant.
func (e *Engine) Unknown(name string, others []string) error {
	return e.unknown(task.Run{Limits: task.Limits{Tools: others}}, name)
}

func unknownTool(name string, known []string) *tool.Error {
	return &tool.Error{Code: task.CodeToolUnknown, Message: fmt.Sprintf(
		"There is no tool %q.%s See all with: toolsmith tools, toolsmith capabilities", name, didYouMean(name, known))}
}

func didYouMean(name string, known []string) string {
	if near := nearest.To(name, known); near != "" {
		return fmt.Sprintf(" Did you mean %q?", near)
	}
	return ""
}

// Cancel asks a run to stop. The worker whose run it is has to be told.
func (e *Engine) Cancel(ctx context.Context, id string) (run task.Run, err error) {
	err = e.o.Store.Write(ctx, func(tx store.Tx) error {
		if run, err = findRun(ctx, tx, id); err != nil {
			return err
		}
		if run.Status.Settled() {
			return &tool.Error{Code: CodeRunSettled, Message: fmt.Sprintf("Run %s is over already: %s.", run.ID, run.Status)}
		}
		if err := tx.Graph().AskCancel(ctx, run.ID, e.o.Now()); err != nil {
			return fmt.Errorf("ask run %s to stop: %w", run.ID, err)
		}
		if err := tx.Consent().CloseQuestions(ctx, run.ID); err != nil {
			return fmt.Errorf("close the questions of run %s: %w", run.ID, err)
		}
		return nil
	})
	return run, err
}

// Run gives one run by its id, or by a beginning of it that no other run has.
func (e *Engine) Run(ctx context.Context, id string) (run task.Run, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		run, err = findRun(ctx, tx, id)
		return err
	})
	return run, err
}

// shortestID is how much of an id has to be given.
const shortestID = 4

func findRun(ctx context.Context, tx store.Tx, id string) (task.Run, error) {
	run, ok, err := tx.Graph().Run(ctx, id)
	if err != nil || ok {
		return run, err
	}
	if len(id) >= shortestID {
		list, err := tx.Graph().ListRuns(ctx, task.Filter{Prefix: strings.ToUpper(id), Limit: 2})
		if err != nil {
			return task.Run{}, fmt.Errorf("find run %s: %w", id, err)
		}
		switch len(list) {
		case 1:
			return list[0], nil
		case 2:
			return task.Run{}, &tool.Error{Code: CodeRunAmbiguous, Message: fmt.Sprintf("Several runs begin with %q. Give more of the id.", id)}
		}
	}
	return task.Run{}, &tool.Error{Code: CodeRunNotFound, Message: fmt.Sprintf("There is no run %q. See all with: toolsmith runs", id)}
}

// Runs lists runs, newest first.
func (e *Engine) Runs(ctx context.Context, filter task.Filter) (list []task.Run, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		list, err = tx.Graph().ListRuns(ctx, filter)
		return err
	})
	return list, err
}

// View is everything that is kept of one run.
type View struct {
	Run        task.Run
	Graph      *task.Graph
	Executions map[int]task.Execution
	contents   map[task.ID]any
}

// Content reads the data of a content of the run.
func (v *View) Content(id task.ID) (any, error) {
	data, ok := v.contents[id]
	if !ok {
		return nil, fmt.Errorf("content %s is not there", id)
	}
	return data, nil
}

// View gives everything that is kept of one run, as it is at one moment.
func (e *Engine) View(ctx context.Context, id string) (view *View, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		run, err := findRun(ctx, tx, id)
		if err != nil {
			return err
		}
		tasks, executions, err := tx.Graph().Graph(ctx, run.ID)
		if err != nil {
			return fmt.Errorf("read run %s: %w", run.ID, err)
		}
		view = &View{Run: run, Executions: map[int]task.Execution{}, contents: map[task.ID]any{}}
		ids := make([]task.ID, 0, len(tasks))
		for _, t := range tasks {
			ids = append(ids, t.Content)
		}
		for _, e := range executions {
			view.Executions[e.Seq] = e
			if !e.Arguments.None() {
				ids = append(ids, e.Arguments)
			}
		}
		contents, err := tx.Graph().Contents(ctx, run.ID, ids)
		if err != nil {
			return fmt.Errorf("read the contents of run %s: %w", run.ID, err)
		}
		for _, c := range contents {
			if view.contents[c.ID], err = c.Value(); err != nil {
				return err
			}
		}
		view.Graph, err = task.Load(tasks, executions)
		return err
	})
	return view, err
}

// Callable gives a tool as it could be called now.
func (e *Engine) Callable(ctx context.Context, name string) (call *Callable, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		lines, err := tx.Registry().AuditLines(ctx, "", 1)
		if err != nil {
			return fmt.Errorf("look for %s: %w", name, err)
		}
		var now task.Run
		if len(lines) > 0 {
			now.Pin = lines[0].Seq
		}
		call, err = e.find(ctx, tx, now, name)
		return err
	})
	return call, err
}

// inUse refuses to take a tool away that a run under way has yet to call.
func inUse(ctx context.Context, tx store.Tx, name string) error {
	runs, err := tx.Graph().ListRuns(ctx, task.Filter{Unsettled: true})
	if err != nil {
		return fmt.Errorf("look for runs of %s: %w", name, err)
	}
	for _, run := range runs {
		tasks, executions, err := tx.Graph().Graph(ctx, run.ID)
		if err != nil {
			return fmt.Errorf("look for runs of %s: %w", name, err)
		}
		for _, e := range executions {
			if !e.State.Final() && tasks[e.Seq].Name == name {
				return &tool.Error{Code: CodeToolInUse, Message: fmt.Sprintf(
					"Run %s is not over and needs %s. Let it end (toolsmith resume %s), or stop it (toolsmith cancel %s).", run.ID, name, run.ID, run.ID)}
			}
		}
	}
	return nil
}
