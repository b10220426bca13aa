package worker_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"toolsmith/internal/capability"
	"toolsmith/internal/engine"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// TestARunKeepsItsVersion while the tool is replaced, rolled back, turned off or removed
// under it: a run goes on as it was begun.
func TestARunKeepsItsVersion(t *testing.T) {
	t.Parallel()
	version := func(n string) []byte {
		return []byte(strings.Replace(manifest(`{"id": "make", "type": "capability", "capability": "notes.create", "input": {"title": "Version `+n+`", "content": "x"}, "target": "$.made", "next": "again"},
			{"id": "again", "type": "capability", "capability": "notes.list", "input": {}, "target": "$.found", "next": "end"},
			{"id": "end", "type": "return", "value": [`+n+`, {"$ref": "$.runtime.version"}, {"$ref": "$.found.0.title"}]}`), `"version": 1`, `"version": `+n, 1))
	}
	for name, disturb := range map[string]func(context.Context, *engine.Engine) error{
		"replaced": func(ctx context.Context, e *engine.Engine) error {
			_, err := installed(ctx, e, version("3"))
			return err
		},
		"rolled back": func(ctx context.Context, e *engine.Engine) error {
			_, _, err := e.Rollback(ctx, "made-up", 0)
			return err
		},
		"turned off": func(ctx context.Context, e *engine.Engine) error {
			_, _, err := e.Disable(ctx, "made-up")
			return err
		},
		// It cannot be taken away from under a run.
		"removed": func(ctx context.Context, e *engine.Engine) error {
			if _, err := e.Remove(ctx, "made-up"); tool.Code(err) != engine.CodeToolInUse {
				return fmt.Errorf("removing it gives %w", err)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, ctx := newDesk(t), t.Context()
			e := engine.New(engine.Options{Store: d.store, Catalogue: capability.Builtin(), Now: d.clock.Now, NewID: d.clock.newID, Who: "ada"})
			for _, n := range []string{"1", "2"} {
				if _, err := installed(ctx, e, version(n)); err != nil {
					t.Fatal(err)
				}
			}
			if _, _, err := e.Enable(ctx, "made-up"); err != nil {
				t.Fatal(err)
			}
			pinned, err := e.Pin(ctx, "dynamic:made-up")
			if err != nil {
				t.Fatal(err)
			}

			out := runWith(t, d.Worker, worker.Job{Tool: pinned, Input: map[string]any{}, Installed: true, Steps: func(ev flow.Event) {
				if ev.Step == "make" {
					if err := disturb(ctx, e); err != nil {
						t.Error(err)
					}
				}
			}})

			if got := value.JSON(out.Output); got != `[2,2,"Version 2"]` {
				t.Errorf("output is %s (%v)", got, out.Failure)
			}
			if name == "removed" {
				if _, err := e.Remove(ctx, "made-up"); err != nil {
					t.Errorf("after the run: %v", err)
				}
			}
			// What comes next is the tool as it is now: off, or gone.
			if _, err := e.Pin(ctx, "made-up"); tool.Code(err) == "" {
				t.Errorf("it can still be called: %v", err)
			}
		})
	}
}

// TestTwoProcesses share one file: the state of a tool knows of both.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var desks []*desk
	for range 2 {
		s, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		desks = append(desks, newDeskOver(t, s))
	}
	desks[1].clock.ids = 1000 // ids of another process are others
	nodes, state := remembers(1)
	c := checked(t, nodes, state)

	out := runWith(t, desks[0].Worker, worker.Job{Tool: c, Input: map[string]any{}, Steps: func(e flow.Event) {
		if e.Step == "make" {
			wantStatus(t, desks[1].run(t, c).Result, flow.Succeeded, "")
		}
	}})

	wantStatus(t, out.Result, flow.Failed, flow.CodeStateConflict)
	if got := desks[1].records(t); len(got) != 1 {
		t.Errorf("records: %q", got)
	}
	wantStatus(t, desks[0].run(t, c).Result, flow.Succeeded, "")
	if got := desks[1].state(t, "file:made-up", 1); got != `{"runs":["run",["run"]]}` {
		t.Errorf("the state is %s", got)
	}
}
