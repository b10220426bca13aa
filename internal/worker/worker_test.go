package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/model"
	"toolsmith/internal/registry"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

const (
	end  = `{"id": "end", "type": "return", "value": null}`
	stop = `{"id": "stop", "type": "fail", "code": "STOP", "message": "On purpose."}`
)

// everything has each of the five writes, with its true compensation.
const everything = `
	{"id": "task", "type": "capability", "capability": "tasks.create", "input": {"title": "Buy milk"}, "target": "$.task",
	 "compensation": {"capability": "tasks.delete", "input": {"id": {"$ref": "$.task.id"}, "revision": {"$ref": "$.task.revision"}}}, "next": "tasks"},
	{"id": "tasks", "type": "capability", "capability": "tasks.list", "input": {"query": "call"}, "target": "$.found", "next": "set-status"},
	{"id": "set-status", "type": "capability", "capability": "tasks.setStatus", "input": {"id": {"$ref": "$.found.0.id"}, "status": "done"}, "target": "$.changed",
	 "compensation": {"capability": "tasks.restore", "input": {"id": {"$ref": "$.changed.id"}, "revision": {"$ref": "$.changed.revision"}}}, "next": "note"},
	{"id": "note", "type": "capability", "capability": "notes.create", "input": {"title": "Summary", "content": {"$ref": "$.task.title"}}, "target": "$.note",
	 "compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.note.id"}}}, "next": "notes"},
	{"id": "notes", "type": "capability", "capability": "notes.list", "input": {"query": "flour"}, "target": "$.found", "next": "update"},
	{"id": "update", "type": "capability", "capability": "notes.update", "input": {"id": {"$ref": "$.found.0.id"}, "content": "flour and milk"}, "target": "$.changed",
	 "compensation": {"capability": "notes.restore", "input": {"id": {"$ref": "$.changed.id"}, "revision": {"$ref": "$.changed.revision"}}}, "next": "memory"},
	{"id": "memory", "type": "capability", "capability": "memory.create", "input": {"title": "Milk", "content": "is bought", "kind": "fact"}, "target": "$.memory",
	 "compensation": {"capability": "memory.archive", "input": {"id": {"$ref": "$.memory.id"}}}, "next": "search"},
	{"id": "search", "type": "capability", "capability": "memory.search", "input": {"query": "bought"}, "target": "$.found", "next": "ask"},
	{"id": "ask", "type": "if", "condition": {"left": {"$ref": "$.input.fail"}, "op": "exists"}, "then": "stop", "else": "end"},
	{"id": "stop", "type": "fail", "code": "STOP", "message": "On purpose."},
	{"id": "end", "type": "return", "value": [{"$ref": "$.found.0.title"}, {"$ref": "$.runtime.executionId"}, {"$ref": "$.runtime.now"}]}`

// furnished is a desk with a task and a note on it.
func furnished(t testing.TB) *desk {
	t.Helper()
	return furnish(t, newDesk(t))
}

func furnish(t testing.TB, d *desk) *desk {
	t.Helper()
	d.change(t, func(ctx context.Context, book *local.Book) error {
		_, err := book.CreateTask(ctx, local.NewTask{Title: "Call Ada"})
		_, err2 := book.CreateNote(ctx, local.NewNote{Title: "Recipe", Content: "flour"})
		return errors.Join(err, err2)
	})
	return d
}

var asFurnished = []string{"task Call Ada (todo)", "note Recipe: flour (1)"}

func TestARunChangesTheLocalData(t *testing.T) {
	t.Parallel()
	d := furnished(t)

	out := d.run(t, checked(t, everything))

	wantStatus(t, out.Result, flow.Succeeded, "")
	if got, want := value.JSON(out.Output), fmt.Sprintf(`["Milk",%q,"2026-11-27T06:30:00.000Z"]`, out.Run.ID); got != want {
		t.Errorf("output is %s; want %s", got, want)
	}
	want := []string{
		"task Buy milk (todo)", "task Call Ada (done)", "note Summary: Buy milk (1)", "note Recipe: flour and milk (2)", "memory Milk",
	}
	if diff := cmp.Diff(want, d.records(t)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	var created []string
	for _, c := range out.Created {
		created = append(created, fmt.Sprint(c.Kind, " ", c.Title, " ", c.HasID, " ", c.Undone))
	}
	if diff := cmp.Diff([]string{"task Buy milk true false", "note Summary true false", "memory Milk true false"}, created); diff != "" {
		t.Errorf("created (-want +got):\n%s", diff)
	}
}

// TestCompensationsReallyTakeBack ends the same run with a failure: all is as it was, the
// revisions of what was changed included.
func TestCompensationsReallyTakeBack(t *testing.T) {
	t.Parallel()
	d := furnished(t)

	out := runWith(t, d.Worker, worker.Job{Tool: checked(t, everything), Input: map[string]any{"fail": true}})

	wantStatus(t, out.Result, flow.Failed, "STOP")
	if diff := cmp.Diff(asFurnished, d.records(t)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	for _, c := range out.Created {
		if !c.Undone {
			t.Errorf("%s %q is not marked as taken back", c.Kind, c.Title)
		}
	}
	if len(out.Created) != 3 {
		t.Errorf("%d created", len(out.Created))
	}
}

// TestACancelledRunTakesBack lets the run be cancelled after each of its events in turn.
func TestACancelledRunTakesBack(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"task", "tasks", "set-status", "note", "notes", "update", "memory", "search", "ask"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			d := furnished(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()

			out, err := d.Run(ctx, worker.Job{Tool: checked(t, everything), Input: map[string]any{}, Steps: func(e flow.Event) {
				if e.Step == at {
					cancel()
				}
			}})

			if err != nil {
				t.Fatal(err)
			}
			wantStatus(t, out.Result, flow.Cancelled, flow.CodeAborted)
			if diff := cmp.Diff(asFurnished, d.records(t)); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

// TestACompensationThatIsTooLate does not overwrite what a person changed in between.
func TestACompensationThatIsTooLate(t *testing.T) {
	t.Parallel()
	d := furnished(t)

	out := runWith(t, d.Worker, worker.Job{
		Tool: checked(t, everything), Input: map[string]any{"fail": true},
		Steps: func(e flow.Event) {
			if e.Step == "search" {
				d.change(t, func(ctx context.Context, book *local.Book) error {
					found, err := book.Notes(ctx, local.List{Query: "flour"})
					if err != nil {
						return err
					}
					_, err = book.UpdateNote(ctx, found.Records[0].ID, local.NoteEdit{Content: ptr("mine")})
					return err
				})
			}
		},
	})

	wantStatus(t, out.Result, flow.RecoveryRequired, "STOP")
	if diff := cmp.Diff([]string{"task Call Ada (todo)", "note Recipe: mine (3)"}, d.records(t)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func ptr[T any](v T) *T { return &v }

// TestWhatACapabilityRefuses is said in full, and is no matter for the log.
func TestWhatACapabilityRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := checked(t, `{"id": "call", "type": "capability", "capability": "tasks.setStatus", "input": {"id": "NONE", "status": "done"}, "retry": {"maxAttempts": 3}, "next": "end"}, `+end)

	out := d.run(t, c)

	wantStatus(t, out.Result, flow.Failed, flow.CodeCapabilityFailed)
	if want := `"tasks.setStatus" failed: There is no task with the id "NONE".`; out.Failure.Message != want {
		t.Errorf("says %q; want %q", out.Failure.Message, want)
	}
	if len(out.Calls) != 1 {
		t.Errorf("tried %d times", len(out.Calls))
	}
	if got := d.log.lines(); got[0] != "" {
		t.Errorf("the log has %q", got)
	}
}

// TestACapabilityOfAnotherHost is in the catalogue that the tool was checked against, and is
// not with this host: a run does not begin, and a dry run says it at the step.
func TestACapabilityOfAnotherHost(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	elsewhere := tool.NewCatalogue(tool.Capability{Name: "lab.any", Power: tool.Read, Risk: tool.R1})
	job := worker.Job{
		Tool:  checkedWith(t, elsewhere, `{"id": "call", "type": "capability", "capability": "lab.any", "input": {}, "retry": {"maxAttempts": 3}, "next": "end"}, `+end),
		Input: map[string]any{},
	}

	_, err := d.Run(t.Context(), job)
	if tool.Code(err) != registry.CodeBroken || !strings.Contains(err.Error(), `There is no capability "lab.any"`) {
		t.Errorf("Run gives %v", err)
	}
	if runs, err := d.Engine.Runs(t.Context(), task.Filter{}); err != nil || len(runs) != 0 {
		t.Errorf("kept %v, %v", runs, err)
	}

	out := d.try(t, job, nil)
	wantStatus(t, out.Result, flow.Failed, flow.CodeCapabilityUnavailable)
	if len(out.Calls) != 1 || !strings.Contains(out.Failure.Message, "no such capability") {
		t.Errorf("tried %d times: %v", len(out.Calls), out.Failure)
	}
}

// TestAListThatIsCut says so in the trace.
func TestAListThatIsCut(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.change(t, func(ctx context.Context, book *local.Book) error {
		for i := range 5 {
			if _, err := book.CreateNote(ctx, local.NewNote{Title: fmt.Sprint("Note ", i), Content: "x"}); err != nil {
				return err
			}
		}
		return nil
	})
	out := d.run(t, checked(t, `{"id": "list", "type": "capability", "capability": "notes.list", "input": {"limit": 3}, "next": "end"}, `+end))
	if e := out.Trace[0]; e.Note != "cut: 3 of 5" || e.Count != 3 {
		t.Errorf("the trace says %q and counts %d", e.Note, e.Count)
	}
}

// remembers counts its runs in its state, and makes a task in each.
func remembers(schemaVersion int) (nodes, state string) {
	return `{"id": "any", "type": "if", "condition": {"left": {"$ref": "$.state.runs"}, "op": "exists"}, "then": "more", "else": "one"},
		{"id": "one", "type": "set", "target": "$.state.runs", "value": ["run"], "next": "make"},
		{"id": "more", "type": "set", "target": "$.state.runs", "value": ["run", {"$ref": "$.state.runs"}], "next": "make"},
		{"id": "make", "type": "capability", "capability": "tasks.create", "input": {"title": "A task"}, "target": "$.made",
		 "compensation": {"capability": "tasks.delete", "input": {"id": {"$ref": "$.made.id"}}}, "next": "ask"},
		{"id": "ask", "type": "if", "condition": {"left": {"$ref": "$.input.fail"}, "op": "exists"}, "then": "stop", "else": "end"}, ` + stop + `,
		{"id": "end", "type": "return", "value": {"$ref": "$.state.runs"}}`,
		fmt.Sprintf(`"state": {"schemaVersion": %d, "maxBytes": 1000, "fields": {"runs": {"type": "array"}}}`, schemaVersion)
}

func TestStateIsKeptBetweenRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	nodes, one := remembers(1)
	_, two := remembers(2)
	first, second := checked(t, nodes, one), checked(t, nodes, two)
	d.install(t, first)
	for i, c := range []struct {
		tool      *check.Checked
		installed bool
		input     map[string]any
		want      string
	}{
		{first, true, nil, `["run"]`},
		{first, true, nil, `["run",["run"]]`},
		// Another shape of the state begins anew, and so does a tool run from its file.
		{second, false, nil, `["run"]`},
		{first, false, nil, `["run"]`},
		// A run that fails leaves nothing, and the first shape is found again.
		{first, true, map[string]any{"fail": true}, `null`},
		{first, true, nil, `["run",["run",["run"]]]`},
	} {
		input := c.input
		if input == nil {
			input = map[string]any{}
		}
		// Each run is one of a worker of its own, as those of the command line are.
		out := runWith(t, d.another(nil), worker.Job{Tool: c.tool, Input: input, Installed: c.installed})
		if got := value.JSON(out.Output); got != c.want {
			t.Errorf("run %d gives %s (%v); want %s", i, got, out.Failure, c.want)
		}
	}
	for key, want := range map[string]string{"made-up": `{"runs":["run",["run",["run"]]]}`, "file:made-up": `{"runs":["run"]}`} {
		if got := d.state(t, key, 1); got != want {
			t.Errorf("the state under %s is %s; want %s", key, got, want)
		}
	}
	if got := d.state(t, "file:made-up", 2); got != `{"runs":["run"]}` {
		t.Errorf("the state of the second shape is %s", got)
	}
}

// TestTwoRunsAtOnce lets a second run begin and end while the first is under way: the one
// that settles last fails, and takes back what it did.
func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", `["run"]`} {
		t.Run("kept before: "+before, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			nodes, state := remembers(1)
			c := checked(t, nodes, state)
			want := `["run"]`
			if before != "" {
				d.run(t, c)
				want = `["run",["run"]]`
			}
			var inner worker.Outcome

			out := runWith(t, d.Worker, worker.Job{Tool: c, Input: map[string]any{}, Steps: func(e flow.Event) {
				if e.Step == "make" {
					inner = d.run(t, c)
				}
			}})

			wantStatus(t, inner.Result, flow.Succeeded, "")
			wantStatus(t, out.Result, flow.Failed, flow.CodeStateConflict)
			if !strings.Contains(out.Failure.Message, "Run it again") {
				t.Errorf("says %q", out.Failure.Message)
			}
			if len(out.Created) != 1 || !out.Created[0].Undone || out.State != nil {
				t.Errorf("created %+v, state %v", out.Created, out.State)
			}
			tasks := 1
			if before != "" {
				tasks = 2
			}
			if got := d.records(t); len(got) != tasks {
				t.Errorf("records: %q; want %d", got, tasks)
			}
			if got := d.state(t, "file:made-up", 1); got != `{"runs":`+want+`}` {
				t.Errorf("the state is %s", got)
			}
			again := d.run(t, c)
			wantStatus(t, again.Result, flow.Succeeded, "")
		})
	}
}

// TestManyRunsAtOnce runs one tool from several workers: each run either counts and leaves
// its task, or fails with a conflict and leaves nothing.
func TestManyRunsAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	nodes, state := remembers(1)
	c := checked(t, nodes, state)
	const runs = 8
	outcomes := make(chan worker.Outcome)
	for range runs {
		w := d.another(nil)
		go func() {
			out, err := w.Run(t.Context(), worker.Job{Tool: c, Input: map[string]any{}})
			if err != nil {
				t.Error(err)
			}
			outcomes <- out
		}()
	}
	counted := 0
	for range runs {
		out := <-outcomes
		if out.Status == flow.Succeeded {
			counted++
			continue
		}
		wantStatus(t, out.Result, flow.Failed, flow.CodeStateConflict)
	}
	if got := d.records(t); counted == 0 || len(got) != counted {
		t.Errorf("%d runs succeeded, and there are %d tasks", counted, len(got))
	}
	if got := strings.Count(d.state(t, "file:made-up", 1), `"run"`); got != counted {
		t.Errorf("%d runs succeeded, and the state counts %d", counted, got)
	}
}

// wantUnreadable fails unless a call failed because of the store, and said no more of it than
// under which id the log has the cause.
func (d *desk) wantUnreadable(t testing.TB, out worker.Outcome, cause string) {
	t.Helper()
	wantStatus(t, out.Result, flow.Failed, store.CodeUnavailable)
	if out.Run.Status != task.RunFailed || out.Failure == nil {
		t.Fatalf("the run is %s: %v", out.Run.Status, out.Run.Failure)
	}
	named := logID.FindStringSubmatch(out.Failure.Message)
	if named == nil || strings.Contains(out.Failure.Message, cause) {
		t.Fatalf("says %q", out.Failure.Message)
	}
	for _, line := range d.log.lines() {
		if strings.Contains(line, "id="+named[1]) && strings.Contains(line, cause) {
			return
		}
	}
	t.Errorf("the log lacks %q under %s: %q", cause, named[1], d.log.lines())
}

// TestAStateThatCannotBeRead makes the call fail before it has done anything; what is wrong
// with the state stands in the log.
func TestAStateThatCannotBeRead(t *testing.T) {
	t.Parallel()
	nodes, state := remembers(1)
	for data, want := range map[string]string{
		`{"runs": [}`: "read the kept state of dynamic:made-up: line 1, column 11",
		`[]`:          "the kept state of dynamic:made-up is a list, and no object",
	} {
		d := newDesk(t)
		err := d.store.Write(t.Context(), func(tx store.Tx) error {
			return tx.Runs().PutState(t.Context(), "file:made-up", 1, []byte(data), 0)
		})
		if err != nil {
			t.Fatal(err)
		}
		job := worker.Job{Tool: checked(t, nodes, state), Input: map[string]any{}}
		d.wantUnreadable(t, runWith(t, d.Worker, job), want)
		if _, err := d.Try(t.Context(), job, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: Try gives %v; want %q", data, err, want)
		}
		if got := d.records(t); len(got) != 0 {
			t.Errorf("the run did something: %q", got)
		}
		if got := d.state(t, "file:made-up", 1); got != data {
			t.Errorf("the state is %s", got)
		}
	}
}

// TestAStoreThatCannotBeRead makes a tool with a state fail, and keeps a dry run from
// beginning.
func TestAStoreThatCannotBeRead(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	nodes, state := remembers(1)
	job := worker.Job{Tool: checked(t, nodes, state), Input: map[string]any{}}
	d.store.set(nil, errFull, nil)
	d.wantUnreadable(t, runWith(t, d.Worker, job), "/home/ada/secret.db")
	if _, err := d.Try(t.Context(), job, nil); !errors.Is(err, errFull) {
		t.Errorf("Try gives %v", err)
	}
}

// TestAToolThatCannotBePrepared has a capability whose schema is none.
func TestAToolThatCannotBePrepared(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	broken := tool.NewCatalogue(tool.Capability{Name: "lab.any", Power: tool.Read, Risk: tool.R1, Input: []byte(`{"type": 7}`)})
	job := worker.Job{Tool: checkedWith(t, broken, `{"id": "call", "type": "capability", "capability": "lab.any", "input": {}, "next": "end"}, `+end)}
	if _, err := d.Run(t.Context(), job); tool.Code(err) != registry.CodeBroken {
		t.Errorf("Run gives %v", err)
	}
	_, tryErr := d.Try(t.Context(), job, nil)
	_, casesErr := d.RunCases(t.Context(), job.Tool, []worker.Case{{Name: "one"}})
	for _, err := range []error{tryErr, casesErr} {
		if err == nil || !strings.Contains(err.Error(), "prepare run: compile dynamic:made-up") {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestIDsAndTimes are the caller's, or made by the worker.
func TestIDsAndTimes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := checked(t, `{"id": "call", "type": "capability", "capability": "notes.list", "input": {}, "retry": {"maxAttempts": 3, "backoffMs": 5000}, "next": "end"},
		{"id": "end", "type": "return", "value": {"$ref": "$.runtime.executionId"}}`)
	d.store.set(errDisk, nil, nil)
	out := d.run(t, c)
	if out.Elapsed != 10*time.Second || !strings.HasPrefix(out.Run.ID, "ID") {
		t.Errorf("run %q took %s; want 10s", out.Run.ID, out.Elapsed)
	}
	d.store.set(nil, nil, nil)
	out = runWith(t, d.Worker, worker.Job{Tool: c, Input: map[string]any{}, RunID: "run-7"})
	if out.Run.ID != "run-7" || out.Output != "run-7" || out.Elapsed != 0 {
		t.Errorf("the run is %q, its output %v, and it took %s", out.Run.ID, out.Output, out.Elapsed)
	}
	for installed, want := range map[bool]string{true: "made-up", false: "file:made-up"} {
		if got := engine.MemoryKey(c, installed); got != want {
			t.Errorf("the key is %q; want %q", got, want)
		}
	}
}

// echo is a model that says what it is asked.
type echo struct{}

func (echo) Facts() model.Facts { return model.Facts{Name: "echo", Local: true} }

func (echo) Ask(_ context.Context, r model.Request) (any, error) { return r.Data, nil }

// TestTheDefaults are the real clock, no model, and a log that goes nowhere.
func TestTheDefaults(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	box, err := engine.NewToolbox(capability.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	over := engine.New(engine.Options{Store: d.store, Catalogue: capability.Builtin(), Toolbox: box, NewID: d.clock.newID})
	w := worker.New(worker.Options{Store: d.store, Engine: over, NewID: d.clock.newID})
	defer w.Close(t.Context())
	c := checked(t, `{"id": "ask", "type": "llm", "op": "extract", "input": "x", "target": "$.x", "next": "end"},
		{"id": "end", "type": "return", "value": [{"$ref": "$.x"}, {"$ref": "$.runtime.now"}]}`)
	job := worker.Job{Tool: c, Input: map[string]any{}}
	wantStatus(t, runWith(t, w, job).Result, flow.Failed, flow.CodeModelUnavailable)

	w = worker.New(worker.Options{Store: d.store, Engine: over, NewID: d.clock.newID, Model: echo{}})
	defer w.Close(t.Context())
	out := runWith(t, w, job)
	wantStatus(t, out.Result, flow.Succeeded, "")
	answer, now := out.Output.([]any)[0], out.Output.([]any)[1].(string)
	at, err := time.Parse(time.RFC3339, now)
	if err != nil || time.Since(at) > time.Hour || answer != `"x"` {
		t.Errorf("the model said %v at %s", answer, now)
	}
	d.store.set(errDisk, nil, nil)
	out = runWith(t, w, worker.Job{Tool: checked(t, `{"id": "call", "type": "capability", "capability": "notes.list", "input": {}, "next": "end"}, `+end), Input: map[string]any{}})
	wantStatus(t, out.Result, flow.Failed, flow.CodeCapabilityFailed)
}
