package engine_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/registry"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// chains reads chains as a program writes them.
func chains(t *testing.T, text string) [][]task.Draft {
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

// calls is a chain that calls tools without arguments.
func calls(names ...string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = `{"content": {"type": "tool", "data": {"name": "` + name + `", "arguments": {}}}}`
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// begin keeps a run.
func (h *house) begin(t *testing.T, r engine.Request) engine.Started {
	t.Helper()
	started, err := h.Call(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return started
}

func TestACallIsKept(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	started := h.begin(t, engine.Request{Chains: chains(t, "["+calls("lab.list", "lab.make")+","+calls("lab.list")+"]"), Caller: "cli", Owner: "me"})

	view, err := h.View(ctx, started.Run.ID[:6])
	if err != nil {
		t.Fatal(err)
	}
	if view.Run.Title != "lab.list" || view.Run.Status != task.RunRunning || view.Run.Owner != "me" || view.Run.Tasks != 3 || !reflect.DeepEqual(view.Run.Limits, (task.Limits{}).WithDefaults()) {
		t.Errorf("the run is %+v", view.Run)
	}
	if view.Graph.Len() != 3 || len(view.Executions) != 3 || view.Executions[1].State != task.Queued {
		t.Errorf("%d tasks, executions %v", view.Graph.Len(), view.Executions)
	}
	data, err := view.Content(view.Graph.Task(1).Content)
	if err != nil || value.JSON(data) != `{"arguments":{},"name":"lab.make"}` {
		t.Errorf("the second is %s, %v", value.JSON(data), err)
	}
	if _, err := view.Content(task.ID{1}); err == nil {
		t.Error("a content that is not there was read")
	}
	// The same again, in the same millisecond, is another run with other tasks.
	again := h.begin(t, engine.Request{Chains: chains(t, calls("lab.list", "lab.make")), Owner: "me"})
	if again.Run.ID == started.Run.ID || again.Batch.Tasks[0].ID == started.Batch.Tasks[0].ID {
		t.Error("two runs share a task")
	}
	list, err := h.Runs(ctx, task.Filter{Unsettled: true})
	if err != nil || len(list) != 2 || list[0].ID != again.Run.ID {
		t.Errorf("runs %v, %v", list, err)
	}
}

// TestCallsAtFault are refused with every fault at its place, and nothing is kept.
func TestCallsAtFault(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.Engine = h.as("ada", tool.NewCatalogue(append(lab.All(), tool.Capability{
		Name: "lab.strict", Power: tool.Read, Risk: tool.R1,
		Input: []byte(`{"type": "object", "properties": {"q": {"type": "string"}}, "additionalProperties": false}`),
	})...))
	h.installed(t, text("made-up", 1, call("lab.list")))
	for name, c := range map[string]struct {
		chains string
		limits task.Limits
		code   string
		says   []string
	}{
		"unknown tools": {"[" + calls("lab.lost", "lab.list") + "," + calls("dynamic:nobody") + "]", task.Limits{}, task.CodeToolUnknown,
			[]string{`[0][0].content.data.name: There is no tool "lab.lost". Did you mean "lab.list"?`, `[1][0].content.data.name: No tool "dynamic:nobody"`}},
		"a tool that is off": {calls("dynamic:made-up"), task.Limits{}, registry.CodeOff, []string{"toolsmith enable dynamic:made-up"}},
		"arguments that do not fit": {`{"content": {"type": "tool", "data": {"name": "lab.strict", "arguments": {"q": 1, "z": 2}}}}`, task.Limits{}, task.CodeArgumentsInvalid,
			[]string{"[0][0].content.data.arguments.q"}},
		"arguments that are large": {`{"content": {"type": "tool", "data": {"name": "lab.list", "arguments": {"q": "` + strings.Repeat("x", 100) + `"}}}}`,
			task.Limits{Arguments: 50}, task.CodeArgumentsLarge, []string{"at most 50"}},
		"many tasks": {calls("lab.list", "lab.list", "lab.list"), task.Limits{Tasks: 2}, task.CodeRunTasks, []string{"at most 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Call(ctx, engine.Request{Chains: chains(t, c.chains), Limits: c.limits, Owner: "me"})
			if tool.Code(err) != c.code {
				t.Fatalf("the error is %v; want %s", err, c.code)
			}
			for _, want := range c.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("says %q; want %q", err, want)
				}
			}
			if list, err := h.Runs(ctx, task.Filter{}); err != nil || len(list) > 0 {
				t.Errorf("kept %v, %v", list, err)
			}
		})
	}
}

// TestAKey attaches to the run that it has made, and to no other.
func TestAKey(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	request := engine.Request{Chains: chains(t, calls("lab.list")), Caller: "cli", Key: "once", Owner: "me"}
	first := h.begin(t, request)
	if again := h.begin(t, request); !again.Attached || again.Run.ID != first.Run.ID || len(again.Batch.Tasks) > 0 {
		t.Errorf("again: %+v", again)
	}
	other := request
	other.Chains = chains(t, calls("lab.make"))
	_, err := h.Call(ctx, other)
	wantCode(t, err, engine.CodeKeyReused, "once", first.Run.ID)
	other = request
	other.Entry = "lab.list"
	_, err = h.Call(ctx, other)
	wantCode(t, err, engine.CodeKeyReused)
	elsewhere := request
	elsewhere.Caller = "go"
	if own := h.begin(t, elsewhere); own.Attached {
		t.Error("another caller's key was taken for it")
	}
}

// TestARunSeesToolsAsTheyWere when it began, whatever becomes of them.
func TestARunSeesToolsAsTheyWere(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	enable := func(version int) {
		t.Helper()
		if _, err := installed(ctx, h, []byte(text("made-up", version, call("lab.list")))); err != nil {
			t.Fatal(err)
		}
		if _, _, err := h.Enable(ctx, "made-up"); err != nil {
			t.Fatal(err)
		}
	}
	enable(1)
	one := h.begin(t, engine.Request{Chains: chains(t, calls("dynamic:made-up")), Owner: "me"}).Run
	seen := func(run task.Run) int64 {
		t.Helper()
		found, err := h.Find(ctx, run, "dynamic:made-up")
		if err != nil {
			t.Fatal(err)
		}
		return found.Checked.Version()
	}
	enable(2)
	two := h.begin(t, engine.Request{Chains: chains(t, calls("dynamic:made-up")), Owner: "me"}).Run
	if _, _, err := h.Rollback(ctx, "made-up", 1); err != nil {
		t.Fatal(err)
	}
	if a, b := seen(one), seen(two); a != 1 || b != 2 {
		t.Errorf("the runs see versions %d and %d", a, b)
	}
	_, err := h.Call(ctx, engine.Request{Chains: chains(t, calls("dynamic:made-up")), Owner: "me"})
	wantCode(t, err, registry.CodeOff)
	_, err = h.Remove(ctx, "made-up")
	wantCode(t, err, engine.CodeToolInUse, "toolsmith resume", "dynamic:made-up")
}

// TestAToolFromAFile goes with its run, and needs no registry.
func TestAToolFromAFile(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	c := check.Run([]byte(text("made-up", 7, call("lab.list"))), lab).Tool
	run := h.begin(t, engine.Request{Chains: chains(t, calls("dynamic:made-up")), Files: []*check.Checked{c}, Owner: "me"}).Run
	kept, err := h.Run(ctx, run.ID)
	if err != nil || string(kept.Files["dynamic:made-up"]) != string(c.Text()) {
		t.Errorf("kept %v, %v", kept.Files, err)
	}
	found, err := h.Find(ctx, kept, "dynamic:made-up")
	if err != nil || found.Checked.Version() != 7 || found.Memory != "file:made-up" || found.Kind != engine.KindFlow {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestRunsByTheBeginningOfTheirIDs(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	for _, id := range []string{"01AAAAAA", "01AAAABB", "01CCCCCC"} {
		h.begin(t, engine.Request{Chains: chains(t, calls("lab.list")), ID: id, Owner: "me"})
	}
	if run, err := h.Run(ctx, "01cc"); err != nil || run.ID != "01CCCCCC" {
		t.Errorf("found %s, %v", run.ID, err)
	}
	_, err := h.Run(ctx, "01AAAA")
	wantCode(t, err, engine.CodeRunAmbiguous, "01AAAA")
	for _, id := range []string{"01C", "01D0", ""} {
		_, err = h.Run(ctx, id)
		wantCode(t, err, engine.CodeRunNotFound, "toolsmith runs")
	}
	_, err = h.View(ctx, "01D0")
	wantCode(t, err, engine.CodeRunNotFound)
	_, err = h.Cancel(ctx, "01D0")
	wantCode(t, err, engine.CodeRunNotFound)
	run, err := h.Cancel(ctx, "01CC")
	if kept, _ := h.Run(ctx, "01CC"); err != nil || run.ID != "01CCCCCC" || kept.CancelledAt == nil {
		t.Errorf("cancelled %+v, %v", kept, err)
	}
}

func TestMarksOfTools(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.Engine = h.as("ada", tool.NewCatalogue(append(lab.All(), tool.Capability{Name: "lab.undoable", Power: tool.Write, Risk: tool.R2, Undo: "lab.make"})...))
	h.installed(t, text("made-up", 1, call("lab.make")))
	if _, _, err := h.Enable(ctx, "made-up"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]tool.Marks{
		"lab.list":        {Powers: []tool.Power{tool.Read}, Risk: tool.R1, Reversibility: tool.ReadOnly},
		"lab.make":        {Powers: []tool.Power{tool.Write}, Risk: tool.R2, Reversibility: tool.Irreversible},
		"lab.undoable":    {Powers: []tool.Power{tool.Write}, Risk: tool.R2, Reversibility: tool.Compensable},
		"dynamic:made-up": {Powers: []tool.Power{tool.Write}, Risk: tool.R2, Reversibility: tool.Irreversible},
	} {
		call, err := h.Callable(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := call.Marks(); got.Risk != want.Risk || got.Reversibility != want.Reversibility || got.PowerNames() != want.PowerNames() {
			t.Errorf("%s: %+v; want %+v", name, got, want)
		}
	}
	_, err := h.Callable(ctx, "lab.lost")
	wantCode(t, err, task.CodeToolUnknown)
}

func TestTheToolbox(t *testing.T) {
	t.Parallel()
	box, err := engine.NewToolbox(lab)
	if err != nil {
		t.Fatal(err)
	}
	type nothing struct{}
	native := tool.MustNew(tool.Spec{Name: "greet", Title: "Greet", Description: "Greets.", Powers: []tool.Power{tool.Outbound}},
		func(*tool.Context, nothing) (string, error) { return "hello", nil })
	if err := box.Register(native); err != nil {
		t.Fatal(err)
	}
	wantCode(t, box.Register(native), engine.CodeToolExists, "greet")
	found, ok := box.Find("greet")
	if !ok || found.Title != "Greet" || found.Kind != engine.KindNative || !found.Marks().CanTransmit || found.Marks().Risk != tool.R4 {
		t.Errorf("found %+v", found)
	}
	if _, ok := box.Find("lost"); ok || len(box.Names()) != len(lab.Names())+1 {
		t.Errorf("names %q", box.Names())
	}
	broken := tool.NewCatalogue(tool.Capability{Name: "bad.schema", Input: []byte(`{"type": 1}`)})
	if _, err := engine.NewToolbox(broken); err == nil || !strings.Contains(err.Error(), "bad.schema") {
		t.Errorf("a broken schema gives %v", err)
	}
}

// TestAStoreThatFailsIsNobodysFault: what it says is no fault of the chains.
func TestAStoreThatFailsIsNobodysFault(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.installed(t, text("made-up", 1, call("lab.list")))
	if _, _, err := h.Enable(ctx, "made-up"); err != nil {
		t.Fatal(err)
	}
	h.store.set("Versions")
	_, err := h.Call(ctx, engine.Request{Chains: chains(t, calls("dynamic:made-up")), Owner: "me"})
	var faults task.Faults
	if err == nil || errors.As(err, &faults) {
		t.Errorf("the error is %v", err)
	}
	_, err = h.Prepare(ctx, task.Run{Pin: 99}, chains(t, calls("dynamic:made-up")), nil)
	if err == nil {
		t.Error("nothing was wrong")
	}
	if faults, err := h.Prepare(context.Background(), task.Run{}, chains(t, `{"content": {"type": "message", "data": "x"}}`), nil); err != nil || faults != nil {
		t.Errorf("chains that call nothing: %v, %v", faults, err)
	}
}
