package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/local"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
)

func (d *desk) try(t testing.TB, job worker.Job, script *flow.Script) worker.Dry {
	t.Helper()
	out, err := d.Try(t.Context(), job, script)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestADryRunLeavesNoTrace: it sees the real data and what it would have written itself,
// and afterwards all is as it was.
func TestADryRunLeavesNoTrace(t *testing.T) {
	t.Parallel()
	d := furnished(t)
	c := checked(t, `{"id": "make", "type": "capability", "capability": "tasks.create", "input": {"title": "Buy milk"}, "target": "$.made", "next": "done"},
		{"id": "done", "type": "capability", "capability": "tasks.setStatus", "input": {"id": {"$ref": "$.made.id"}, "status": "done"}, "next": "list"},
		{"id": "list", "type": "capability", "capability": "tasks.list", "input": {}, "target": "$.tasks", "next": "note"},
		{"id": "note", "type": "capability", "capability": "memory.create", "input": {"title": "Milk", "content": "is bought"}, "next": "search"},
		{"id": "search", "type": "capability", "capability": "memory.search", "input": {"query": "bought"}, "target": "$.memories", "next": "keep"},
		{"id": "keep", "type": "set", "target": "$.state.n", "value": 7, "next": "end"},
		{"id": "end", "type": "return", "value": [{"$ref": "$.tasks.length"}, {"$ref": "$.tasks.0.title"}, {"$ref": "$.tasks.0.status"}, {"$ref": "$.tasks.1.title"}, {"$ref": "$.memories.0.title"}, {"$ref": "$.runtime.executionId"}]}`,
		`"state": {"schemaVersion": 1, "maxBytes": 100, "fields": {"n": {"type": "integer"}}}`)
	events := 0

	out := d.try(t, worker.Job{Tool: c, Input: map[string]any{}, Steps: func(flow.Event) { events++ }}, nil)

	wantStatus(t, out.Result, flow.Succeeded, "")
	if got := value.JSON(out.Output); got != `[2,"Buy milk","done","Call Ada","Milk","exec-0001"]` {
		t.Errorf("output is %s", got)
	}
	var writes []string
	for _, w := range out.Writes {
		record := w.Result.(map[string]any)
		writes = append(writes, fmt.Sprintf("%s %s %s", w.Step, w.Capability, record["title"]))
	}
	want := []string{"make tasks.create Buy milk", "done tasks.setStatus Buy milk", "note memory.create Milk"}
	if diff := cmp.Diff(want, writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if got := value.JSON(out.Writes[0].Value()["input"]); got != `{"title":"Buy milk"}` || len(out.Writes[0].Value()) != 4 {
		t.Errorf("the first write is %s", value.JSON(out.Writes[0].Value()))
	}
	if diff := cmp.Diff(asFurnished, d.records(t)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if got := d.state(t, "file:made-up", 1); got != "" || value.JSON(out.State) != `{"n":7}` {
		t.Errorf("kept the state %s; the run had %s", got, value.JSON(out.State))
	}
	if events != len(out.Trace) || len(out.Created) != 2 {
		t.Errorf("observed %d of %d events; %d created", events, len(out.Trace), len(out.Created))
	}
}

// TestADryRunReadsTheState that real runs left.
func TestADryRunReadsTheState(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	nodes, state := remembers(1)
	c := checked(t, nodes, state)
	d.run(t, c)
	for range 2 {
		out := d.try(t, worker.Job{Tool: c, Input: map[string]any{}}, nil)
		if got := value.JSON(out.Output); got != `["run",["run"]]` {
			t.Errorf("output is %s", got)
		}
	}
}

// TestADryRunTakesBack what it did, when it fails and when it is cancelled, as a real run
// would.
func TestADryRunTakesBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		input  map[string]any
		cancel bool
		status flow.Status
		code   string
	}{
		"failed":    {map[string]any{"fail": true}, false, flow.Failed, "STOP"},
		"cancelled": {map[string]any{}, true, flow.Cancelled, flow.CodeAborted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := furnished(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()

			out, err := d.Try(ctx, worker.Job{Tool: checked(t, everything), Input: c.input, Steps: func(e flow.Event) {
				if e.Step == "search" && c.cancel {
					cancel()
				}
			}}, nil)

			if err != nil {
				t.Fatal(err)
			}
			wantStatus(t, out.Result, c.status, c.code)
			var undone []string
			for _, w := range out.Writes {
				if step, ok := strings.CutSuffix(w.Step, "!undo"); ok {
					undone = append(undone, step)
				}
			}
			if diff := cmp.Diff([]string{"memory", "update", "note", "set-status", "task"}, undone); diff != "" {
				t.Errorf("taken back (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(asFurnished, d.records(t)); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

// TestADryRunDoesNotTouchBreakers: it neither counts nor is held up.
func TestADryRunDoesNotTouchBreakers(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	job := worker.Job{Tool: s.tool, Input: map[string]any{}}
	s.store.set(errDisk, nil, nil)
	for range 4 {
		wantStatus(t, s.try(t, job, nil).Result, flow.Failed, flow.CodeCapabilityFailed)
	}
	s.want(true, "failed failed failed open")
	s.store.set(nil, nil, nil)
	wantStatus(t, s.try(t, job, nil).Result, flow.Succeeded, "")
	s.want(false, "open")
}

// TestAScriptedRun reads and writes no data at all.
func TestAScriptedRun(t *testing.T) {
	t.Parallel()
	d := furnished(t)
	d.store.set(errDisk, errDisk, errDisk)
	script, err := flow.ParseScript([]byte(`{"capabilities": {"tasks.list": [{"result": [{"id": "T", "title": "Call"}]}], "tasks.setStatus": [{"error": "No.", "permanent": true}],
		"tasks.create": [{"result": {"id": "N", "title": "New", "revision": 1}}]}}`))
	if err != nil {
		t.Fatal(err)
	}

	out := d.try(t, worker.Job{Tool: checked(t, everything), Input: map[string]any{}}, script)

	wantStatus(t, out.Result, flow.Failed, flow.CodeCapabilityFailed)
	want := []worker.Write{
		{Step: "task", Capability: "tasks.create", Input: map[string]any{"title": "Buy milk"}, Result: map[string]any{"id": "N", "title": "New", "revision": value.Int(1)}},
		{Step: "task!undo", Capability: "tasks.delete", Input: map[string]any{"id": "N", "revision": value.Int(1)}},
	}
	if diff := cmp.Diff(want, out.Writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

// TestADryRunWhoseTransactionFails has no result.
func TestADryRunWhoseTransactionFails(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	w := worker.New(worker.Options{Store: noTrial{d.store}, NewID: d.clock.newID})
	_, err := w.Try(t.Context(), worker.Job{Tool: checked(t, end), Input: map[string]any{}}, nil)
	if !errors.Is(err, errDisk) || !strings.HasPrefix(err.Error(), "dry run: ") {
		t.Errorf("the error is %v", err)
	}
}

type noTrial struct{ store.Store }

func (noTrial) Trial(context.Context, func(store.Tx) error) error { return errDisk }

// TestADryRunWaitsForNothing: the time that it would have waited passes on its own clock.
func TestADryRunWaitsForNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.store.set(errDisk, nil, nil)
	c := checked(t, `{"id": "call", "type": "capability", "capability": "notes.list", "input": {}, "retry": {"maxAttempts": 3, "backoffMs": 5000}, "next": "end"}, `+end)
	out := d.try(t, worker.Job{Tool: c, Input: map[string]any{}}, nil)
	if len(out.Calls) != 3 || !d.clock.Now().Equal(dawn) {
		t.Errorf("%d calls; the clock says %s", len(out.Calls), d.clock.Now())
	}
	d.store.set(nil, nil, nil)
	d.change(t, func(ctx context.Context, book *local.Book) error {
		list, err := book.Notes(ctx, local.List{})
		if len(list.Records) != 0 {
			t.Error("there are notes")
		}
		return err
	})
}
