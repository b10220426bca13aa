package toolsmith

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/adrg/xdg"

	"toolsmith/internal/capability"
	"toolsmith/internal/compile"
	"toolsmith/internal/compile/bundle"
	"toolsmith/internal/engine"
	"toolsmith/internal/httpapi"
	"toolsmith/internal/local"
	"toolsmith/internal/logs"
	"toolsmith/internal/port"
	"toolsmith/internal/runner/native"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/secret"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// Options say how a runtime is opened. The zero value is a runtime over the data folder of
// the person who runs the program.
type Options struct {
	// Data is the folder where everything is kept; it is made if it is not there. Default: the
	// platform's data folder, "toolsmith" in it.
	Data string
	// InMemory keeps nothing on disk; for tests. Data has no meaning then.
	InMemory bool
	// Parallel is how many calls are carried out at once. Default: 64.
	Parallel int
	// Caller names the program in runs and in the audit. Default: "go".
	Caller string
	// Ask is called for each question that a run of this program has to ask before a call, or that a
	// tool asks while it runs, and again where Answer.Count is for fewer calls than the question
	// is about by then. An error leaves the question open. It may take its time, until ctx ends,
	// and is called from many goroutines at once. Default: questions stay open for Answer, or for whoever says
	// toolsmith allow or toolsmith deny over the same data folder.
	Ask func(ctx context.Context, q Question) (Answer, error)
	// AnswerTime is how long an answer is waited for; then it counts as a no. Default: 10
	// minutes.
	AnswerTime time.Duration
	// CloseTime is how long Close waits for calls under way. Default: 10 seconds.
	CloseTime time.Duration
	// Bundler is the command of a toolsmith program, such as "/usr/local/bin/toolsmith", with arguments
	// before its own where it needs some. It is begun to translate tools in TypeScript or JavaScript
	// that are checked or installed over HTTP; what is installed runs without it. Where it cannot be
	// begun, the error has the code SCRIPT_UNAVAILABLE. Default: toolsmith, as PATH finds it then.
	Bundler []string
	// Log takes the private causes of failures. Default: they are dropped.
	Log *slog.Logger
}

// Runtime is an open Toolsmith. It may be used from many goroutines at once.
type Runtime struct {
	options Options
	log     *slog.Logger
	newID   func() string
	store   *sqlite.Store
	toolbox *engine.Toolbox
	engine  *engine.Engine
	worker  *worker.Worker
	vault   *secret.Vault
	ports   *port.Hub
	// sandbox is where tools in code run.
	sandbox *quickjs.Engine
	asking  asking
	// server is what listens, while it does.
	server atomic.Pointer[httpapi.Server]
	// open ends when the runtime is closed.
	open  context.Context
	close context.CancelFunc
}

// Open opens a runtime. Close it when the program ends.
func Open(ctx context.Context, o Options) (*Runtime, error) {
	if o.Caller == "" {
		o.Caller = "go"
	}
	if o.CloseTime == 0 {
		const usual = 10 * time.Second
		o.CloseTime = usual
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Data == "" {
		o.Data = filepath.Join(xdg.DataHome, "toolsmith")
	}
	var s *sqlite.Store
	var err error
	if o.InMemory {
		s, err = sqlite.OpenMemory(ctx)
	} else {
		s, err = sqlite.Open(ctx, o.Data)
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // it has its code and says which folder it is about
	}
	r, err := over(s, o)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return r, nil
}

// over makes a runtime over a store.
func over(s *sqlite.Store, o Options) (*Runtime, error) {
	catalogue := capability.Builtin()
	box, err := engine.NewToolbox(catalogue)
	if err != nil {
		return nil, fmt.Errorf("open toolsmith: %w", err)
	}
	r := &Runtime{options: o, store: s, toolbox: box, asking: asking{known: map[string]bool{}}}
	r.open, r.close = context.WithCancel(context.Background())
	builtin, err := native.Builtin(time.Now)
	if err != nil {
		return nil, fmt.Errorf("open toolsmith: %w", err)
	}
	if err := r.Register(builtin...); err != nil {
		return nil, err
	}
	newID := local.NewIDs(time.Now)
	scripts := r.scripts()
	r.engine = engine.New(engine.Options{
		Store: s, Catalogue: catalogue, Toolbox: box, NewID: newID, Who: who(), From: o.Caller, Wait: o.AnswerTime, Checker: o.sources(scripts, catalogue),
	})
	keys := secret.InMemory()
	if !o.InMemory {
		keys = secret.InFolder(o.Data, secret.RingFor(os.Getenv("TOOLSMITH_KEYRING")))
	}
	r.vault = secret.New(secret.Options{Store: s, Keys: keys, Who: who(), Audit: r.engine.AuditSecrets})
	log := slog.New(logs.Handler(o.Log.Handler(), r.vault.Scrubber))
	r.ports = port.NewHub(port.Options{Tools: r.engine, Version: httpVersion, Log: log, Call: func(ctx context.Context, c port.CallRequest) (port.CallResult, error) {
		s := r.server.Load()
		if s == nil { // it has just ended
			return port.CallResult{}, &tool.Error{Code: worker.CodeClosed, Message: "The program does not listen any more."}
		}
		return s.CallOfPort(ctx, c) //nolint:wrapcheck // it has its code
	}})
	r.worker = worker.New(worker.Options{Store: s, Engine: r.engine, Vault: r.vault, Ports: r.ports, Scripts: scripts, NewID: newID, Log: log, Parallel: o.Parallel})
	r.newID, r.log = newID, log
	return r, nil
}

// scripts makes what runs tools in code. It takes nothing before the first of them.
func (r *Runtime) scripts() *script.Runner {
	cache := ""
	if !r.options.InMemory {
		cache = sqlite.CacheFolder(r.options.Data)
	}
	r.sandbox = quickjs.New(quickjs.Options{CacheDir: cache})
	o := script.Options{Engine: r.sandbox}
	if os.Getenv("TOOLSMITH_SCRIPT_TRACE") == "1" {
		o.Trace = func(line string) { r.log.Info("script", "did", line) }
	}
	return script.New(o)
}

// sources makes what checks files.
func (o Options) sources(scripts *script.Runner, catalogue *tool.Catalogue) *compile.Checker {
	command := append([]string{}, o.Bundler...)
	if len(command) == 0 {
		command = []string{"toolsmith"}
	}
	if path, err := filepath.Abs(command[0]); err == nil && filepath.Base(command[0]) != command[0] {
		command[0] = path // it is begun in another folder
	}
	bundler := bundle.New(bundle.Options{Command: append(command, bundle.ChildArgument)})
	return compile.NewChecker(compile.New(compile.Options{Bundle: bundler, Load: scripts.Load}), catalogue)
}

func who() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "somebody"
}

// Register adds tools that are written in Go. A name that is taken is an error with the code
// TOOL_EXISTS, and those after it are not added. Register before the runs that call them are
// taken up again (see Serve).
func (r *Runtime) Register(tools ...*tool.Tool) error {
	for _, t := range tools {
		if err := r.toolbox.Register(t); err != nil {
			return err //nolint:wrapcheck // it has its code and names the tool
		}
	}
	return nil
}

// Serve takes up the runs that were left before their ends, and carries out what is asked
// for until ctx ends. It is for programs that stay; one that only calls Run needs no Serve.
func (r *Runtime) Serve(ctx context.Context) error {
	if _, err := r.worker.ResumeAll(ctx, r.observe); err != nil {
		return fmt.Errorf("take up runs: %w", err)
	}
	<-ctx.Done()
	return nil
}

// Close waits for the calls under way, up to Options.CloseTime, leaves the rest to be taken
// up again, and lets go of the store. Closing it again does nothing.
func (r *Runtime) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), r.options.CloseTime)
	defer cancel()
	r.close()
	err := r.worker.Close(ctx)
	r.asking.wait(ctx)
	if err := errors.Join(err, r.sandbox.Close(ctx), r.store.Close()); err != nil {
		return fmt.Errorf("close toolsmith: %w", err)
	}
	return nil
}

// RunOptions say how a run is made and waited for. The zero value waits for its end.
type RunOptions struct {
	// Title is the display name. Default: the name of the first tool that is called.
	Title string
	// Key is an idempotency key: a second run with it, of the same chains, attaches to the
	// first one. Default: none.
	Key string
	// Entry is the tool that sees plain results and errors. Default: none.
	Entry string
	// Until ends the wait at the first task that it matches. Default: the end of the run.
	Until func(Task) bool
	// Timeout of the wait, not of the run. Default: none.
	Timeout time.Duration
	// ErrorEnds ends the wait at the first task that is an error.
	ErrorEnds bool
	// StopRest cancels what is left of the run once a task has matched.
	StopRest bool
	// Limits of the run.
	Limits Limits
}

// Limits bound a run. What is 0 has its default.
type Limits struct {
	// Tasks in all. Default: 10,000.
	Tasks int
	// Depth of calls below calls. Default: 64.
	Depth int
	// ResultTasks is how many tasks one result may have. Default: 1,000.
	ResultTasks int
	// Errors is after how many failed calls the run stops. Default: 25.
	Errors int
	// Time from its beginning to its end. Default: 1 hour.
	Time time.Duration
	// CallTime is how long one call may take. Default: 10 minutes.
	CallTime time.Duration
	// Arguments of one call, in bytes of JSON. Default: 64 KiB.
	Arguments int
	// Result of one call, in bytes of JSON. Default: 256 KiB.
	Result int
	// Tools that tasks may call, by their names; another one is TOOL_UNKNOWN. A tool in Go may
	// call those that its Spec.Calls declares as well. Default: all.
	Tools []string
}

// UntilType matches tasks whose content is of one of some types.
func UntilType(types ...tool.ContentType) func(Task) bool {
	return func(t Task) bool {
		for _, one := range types {
			if t.Type == one {
				return true
			}
		}
		return false
	}
}

// Task is a task of a run as it is shown.
type Task struct {
	// ID of the task; Prior is the one before it in its chain and Parent the call whose result
	// made the chain, "" for none.
	ID, Prior, Parent string
	Role              tool.Role
	Type              tool.ContentType
	// Data of its content as JSON.
	Data json.RawMessage
	// Name of the tool and State of the call, such as "done"; "" where it is no call.
	Name, State string
}

// Result is what came of a run, or of waiting for it.
type Result struct {
	// RunID names the run.
	RunID string
	// Status: running, waiting, succeeded, failed, recovery_required, unknown or cancelled.
	Status string
	// Reason why the wait ended: matched, settled, error, aborted, timeout or unknown.
	Reason string
	// Match is the task that ended the wait; nil where none did.
	Match *Task
	// Tasks that were seen, in the order in which they were added.
	Tasks []Task
	// Value that the run came to, as JSON: that of its chain, or a list of those of its
	// branches in their order, null for one that failed. nil where it came to none.
	Value json.RawMessage
	// Err is why a settled run did not succeed; nil where it did.
	Err *tool.Error
}

// Decode reads the value of a run into a variable.
func (r *Result) Decode(into any) error {
	if r.Value == nil {
		return errors.New("the run came to no value")
	}
	if err := json.Unmarshal(r.Value, into); err != nil {
		return fmt.Errorf("decode the value of run %s: %w", r.RunID, err)
	}
	return nil
}

// Run runs chains side by side, each one task after the other, and waits. The error is for
// what keeps a run from being made, kept or waited for; what happens in the run is in the
// result. When ctx ends the run goes on: cancel it with Cancel, or attach to it again.
func (r *Runtime) Run(ctx context.Context, chains []tool.Chain, o RunOptions) (*Result, error) {
	id, err := r.Begin(ctx, chains, o)
	if err != nil {
		return nil, err
	}
	return r.Attach(ctx, id, o)
}

// Call runs one tool by its name and waits for the end. arguments are anything that
// encoding/json can write as an object; nil is {}.
func (r *Runtime) Call(ctx context.Context, name string, arguments any) (*Result, error) {
	return r.Run(ctx, []tool.Chain{{tool.Call(name, arguments)}}, RunOptions{})
}

// Begin begins a run and gives its id, without waiting for it.
func (r *Runtime) Begin(ctx context.Context, chains []tool.Chain, o RunOptions) (id string, err error) {
	drafts, faults := task.Drafts(chains)
	if len(faults) > 0 {
		return "", &tool.Error{Code: faults[0].Code, Field: faults[0].Place, Message: faults.Error(), Cause: faults}
	}
	run, err := r.worker.Begin(ctx, engine.Request{
		Chains: drafts, Title: o.Title, Caller: r.options.Caller, Key: o.Key, Entry: o.Entry, Limits: task.Limits(o.Limits),
	}, r.observe)
	return run.ID, err //nolint:wrapcheck // it has its code
}

// Attach waits for a run that was begun, by this program or before it. Of the options it
// takes those about waiting. It may be done as often as wanted, and repeats nothing.
func (r *Runtime) Attach(ctx context.Context, id string, o RunOptions) (*Result, error) {
	options := worker.WaitOptions{Timeout: o.Timeout, ErrorEnds: o.ErrorEnds, StopRest: o.StopRest}
	if o.Until != nil {
		options.Until = func(e task.Entry) bool { return o.Until(shown(e)) }
	}
	waited, err := r.worker.Wait(ctx, id, options)
	if err != nil {
		return nil, err //nolint:wrapcheck // it has its code
	}
	out := &Result{RunID: waited.Run.ID, Status: string(waited.Run.Status), Reason: string(waited.Reason)}
	for _, e := range waited.Tasks {
		out.Tasks = append(out.Tasks, shown(e))
	}
	if waited.Match != nil {
		match := shown(*waited.Match)
		out.Match = &match
	}
	if !waited.Run.Status.Settled() {
		return out, nil
	}
	if f := waited.Run.Failure; f != nil {
		out.Err = &tool.Error{Code: f.Code, Message: f.Message}
	}
	if waited.HasValue {
		out.Value = value.AppendJSON(nil, waited.Value)
	}
	return out, nil
}

func shown(e task.Entry) Task {
	return Task{
		ID: e.Task.ID.String(), Prior: e.Task.Prior.String(), Parent: e.Task.Parent.String(),
		Role: e.Task.Role, Type: e.Task.Type, Data: value.AppendJSON(nil, e.Data), Name: e.Task.Name, State: string(e.State),
	}
}

// Cancel stops a run: what has not begun does not begin any more, and what is running is
// told. It does not wait for the end.
func (r *Runtime) Cancel(ctx context.Context, id string) error {
	_, err := r.worker.Cancel(ctx, id)
	return err //nolint:wrapcheck // it has its code
}
