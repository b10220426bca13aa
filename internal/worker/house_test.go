package worker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// inHouse runs a test over a store that several processes share, in a time of its own: it
// passes when all stand still, so that what hangs ends at once, and nothing is slept for.
func inHouse(t *testing.T, test func(t *testing.T, h *house)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(t, &house{newDesk(t)}) })
}

// house is a store with processes that use it.
type house struct{ *desk }

// process is a worker with all that it has of its own, as a process of its own would.
type process struct {
	*worker.Worker
	// store is the shared one, as this process reaches it.
	store *flaky
}

// process starts one that has tools of its own.
func (h *house) process(t testing.TB, tools ...*tool.Tool) *process {
	t.Helper()
	return h.processWith(t, worker.Options{}, tools...)
}

func (h *house) processWith(t testing.TB, o worker.Options, tools ...*tool.Tool) *process {
	t.Helper()
	catalogue := capability.Builtin()
	if o.Capabilities != nil {
		catalogue = o.Capabilities.Catalogue()
	}
	box, err := engine.NewToolbox(catalogue)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range tools {
		if err := box.Register(one); err != nil {
			t.Fatal(err)
		}
	}
	p := &process{store: &flaky{Store: h.desk.store.Store}}
	o.Store, o.NewID, o.Log = p.store, h.clock.newID, slog.New(slog.NewTextHandler(h.log, nil))
	o.Engine = engine.New(engine.Options{Store: p.store, Catalogue: catalogue, Toolbox: box, NewID: h.clock.newID, Who: "ada"})
	p.Worker = worker.New(o)
	h.workers = append(h.workers, p.Worker)
	return p
}

// errDead is what a process gets of a store when it has died.
var errDead = errors.New("the process is dead")

// die ends a process where it stands: nothing that it does from here on is kept, and its
// lease is free.
func (p *process) die(t testing.TB) {
	t.Helper()
	p.store.kill()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Close(ctx); err != nil {
		t.Fatal(err)
	}
}

// patience is for how long, in the time of the test, a test waits for what has to happen.
const patience = time.Minute

// begin begins a run that has to begin.
func (p *process) begin(t testing.TB, r engine.Request) string {
	t.Helper()
	run, err := p.Begin(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run.ID
}

// finish waits for the end of a run.
func (p *process) finish(t testing.TB, id string) task.Run {
	t.Helper()
	waited, err := p.Wait(t.Context(), id, worker.WaitOptions{Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	if waited.Reason == worker.ReasonTimeout {
		t.Fatalf("the run does not end:\n%s", p.tree(t, id))
	}
	p.wantTidy(t, id)
	return waited.Run
}

// run begins a run and waits for its end.
func (p *process) run(t testing.TB, r engine.Request) task.Run {
	t.Helper()
	return p.finish(t, p.begin(t, r))
}

// wantTidy fails unless all is over that is kept of a run that is over.
func (p *process) wantTidy(t testing.TB, id string) {
	t.Helper()
	view := p.view(t, id)
	if !view.Run.Status.Settled() || view.Run.SettledAt == nil {
		t.Errorf("it is kept as %s", view.Run.Status)
	}
	if !view.Graph.Settled() {
		t.Errorf("what is kept is not settled:\n%s", p.tree(t, id))
	}
	for seq, e := range view.Executions {
		if !e.State.Final() {
			t.Errorf("the call %d is kept as %s in a run that is over:\n%s", seq, e.State, p.tree(t, id))
		}
	}
	if view.Run.Tasks != view.Graph.Len() {
		t.Errorf("the run counts %d tasks, and there are %d", view.Run.Tasks, view.Graph.Len())
	}
}

func (p *process) view(t testing.TB, id string) *engine.View {
	t.Helper()
	view, err := p.Engine.View(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return view
}

// tree draws what is kept of a run: a line for each task, a "-" where a chain begins, and
// what is under a call further in.
func (p *process) tree(t testing.TB, id string) string {
	t.Helper()
	view := p.view(t, id)
	var b strings.Builder
	var draw func(seq int, indent string)
	draw = func(seq int, indent string) {
		for _, chain := range view.Graph.Families(seq) {
			for i, at := range chain {
				mark := "  "
				if i == 0 {
					mark = "- "
				}
				b.WriteString(indent + mark + line(t, view, at) + "\n")
				draw(at, indent+"    ")
			}
		}
	}
	draw(-1, "")
	return b.String()
}

// line shows one task.
func line(t testing.TB, view *engine.View, seq int) string {
	t.Helper()
	one := view.Graph.Task(seq)
	data, err := view.Content(one.Content)
	if err != nil {
		t.Fatal(err)
	}
	switch one.Type {
	case tool.TypeTool:
		name := one.Name
		if one.Step != "" {
			name = one.Step + " = " + name
		}
		text := name + " " + string(view.Graph.State(seq))
		if e := view.Executions[seq]; e.State == task.Cancelled {
			text += " (" + e.Why + ")"
		}
		return text
	case tool.TypeError:
		return "error " + task.ReadFailure(data).Code
	default:
		return string(one.Type) + " " + value.JSON(data)
	}
}

// wantTree compares what is kept of a run with a drawing, whose indent does not count.
func (p *process) wantTree(t testing.TB, id, want string) {
	t.Helper()
	lines := strings.Split(strings.Trim(want, "\n\t"), "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	if diff := cmp.Diff(lines, strings.Split(strings.TrimSuffix(p.tree(t, id), "\n"), "\n")); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
}

// result is what a run came to, as JSON; "" for nothing.
func (p *process) result(t testing.TB, id string) string {
	t.Helper()
	view := p.view(t, id)
	v, has, err := view.Graph.Result(view.Content)
	if err != nil {
		t.Fatal(err)
	}
	if !has {
		return ""
	}
	return value.JSON(v)
}

// wantRun fails unless a run ended as it should; code is "" for no failure.
func wantRun(t testing.TB, run task.Run, status task.RunStatus, code string) {
	t.Helper()
	got := ""
	if run.Failure != nil {
		got = run.Failure.Code
	}
	if run.Status != status || got != code {
		t.Errorf("the run ended as %s %s (%v); want %s %s", run.Status, got, run.Failure, status, code)
	}
}

// chains are those of a request, which must be right.
func chains(t testing.TB, list ...tool.Chain) [][]task.Draft {
	t.Helper()
	drafts, faults := task.Drafts(list)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return drafts
}

// written are chains written as JSON.
func written(t testing.TB, text string) [][]task.Draft {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	drafts, faults := task.ReadDrafts(v)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return drafts
}

// in are the arguments of the tools of these tests: anything.
type in struct {
	V any `json:"v,omitempty"`
}

// native makes a tool for a test.
func native(name string, fn func(ctx *tool.Context, v any) (any, error)) *tool.Tool {
	return tool.MustNew(tool.Spec{Name: name, Description: "For a test."}, func(ctx *tool.Context, in in) (any, error) {
		return fn(ctx, in.V)
	})
}

// call is a task that calls such a tool.
func call(name string, v any) tool.Task { return tool.Call(name, in{v}) }

// reducer is one that runs whatever became of what is before it.
func reducer(name string, v any) tool.Task { return tool.Reducer(name, in{v}) }

var (
	// same gives back what it is called with.
	same = native("same", func(_ *tool.Context, v any) (any, error) { return v, nil })
	// fails fails with what it is called with as its message.
	fails = native("fails", func(_ *tool.Context, v any) (any, error) {
		return nil, tool.Errorf("NO", "%v.", v)
	})
)

// gate is a tool that begins, and ends when it is let or its call is stopped.
type gate struct {
	*tool.Tool
	begun chan string
	open  chan struct{}
}

func newGate(name string) *gate {
	g := &gate{begun: make(chan string, 100), open: make(chan struct{})}
	g.Tool = native(name, func(ctx *tool.Context, v any) (any, error) {
		g.begun <- fmt.Sprint(v)
		select {
		case <-g.open:
			return v, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	return g
}

// diary notes what happens, from many goroutines.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) add(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *diary) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string{}, d.lines...)
}

// tool is one that notes that it was called.
func (d *diary) tool(name string) *tool.Tool {
	return native(name, func(_ *tool.Context, v any) (any, error) {
		d.add("%s %v", name, v)
		return v, nil
	})
}

// fileRun asks for a run of a tool from a file.
func fileRun(t testing.TB, nodes string, input map[string]any, extra ...string) engine.Request {
	t.Helper()
	return fileRunWith(t, capability.Builtin(), nodes, input, extra...)
}

func fileRunWith(t testing.TB, catalogue *tool.Catalogue, nodes string, input map[string]any, extra ...string) engine.Request {
	t.Helper()
	text := strings.Replace(manifest(nodes, extra...), `"mode": "forbidden", "domains": []`, `"mode": "allowlist", "domains": ["mail.example"]`, 1)
	c := checkedText(t, catalogue, text)
	return engine.Request{Files: []*check.Checked{c}, Chains: [][]task.Draft{{task.CallOf(task.Call{Name: c.Name(), Arguments: input})}}}
}

// outside is a host whose capability "lab.send" reaches outside. The others are the usual ones.
type outside struct {
	capability.Host
	catalogue *tool.Catalogue
	diary
	// during is what happens while a call is under way; nil for nothing. Its error is that of
	// the call.
	during func(ctx context.Context, call capability.Call) error
}

func newOutside(idempotent bool) *outside {
	all := append(slices.Clone(capability.Builtin().All()), tool.Capability{
		Name: "lab.send", Power: tool.Outbound, Risk: tool.R2, Idempotent: idempotent,
	})
	return &outside{Host: *capability.NewHost(), catalogue: tool.NewCatalogue(all...)}
}

func (o *outside) Catalogue() *tool.Catalogue { return o.catalogue }

// Call notes what is sent, under which key.
func (o *outside) Call(ctx context.Context, book *local.Book, call capability.Call) (capability.Result, error) {
	if call.Name != "lab.send" {
		return o.Host.Call(ctx, book, call)
	}
	o.add("%s %s", value.JSON(call.Input), call.Key)
	if o.during != nil {
		if err := o.during(ctx, call); err != nil {
			return capability.Result{}, err
		}
	}
	return capability.Result{Value: "sent"}, nil
}

// errorOf gives the failure of a call as it is kept; nil for none.
func errorOf(t testing.TB, view *engine.View, seq int) *task.Failure {
	t.Helper()
	families := view.Graph.Families(seq)
	for i := len(families) - 1; i >= 0; i-- {
		if one := view.Graph.Task(families[i][0]); one.Type == tool.TypeError {
			data, err := view.Content(one.Content)
			if err != nil {
				t.Fatal(err)
			}
			return task.ReadFailure(data)
		}
	}
	return nil
}
