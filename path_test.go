package toolsmith_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"toolsmith/internal/capability"
	"toolsmith/internal/card"
	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/manifest"
	"toolsmith/internal/registry"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// TestPath follows one tool the whole way, from its text to the card of its result. Read
// it to see how the packages hang together.
func TestPath(t *testing.T) {
	t.Parallel()
	ctx := t.Context()

	// Text comes in, and becomes a typed manifest with places.
	text, err := os.ReadFile("examples/friday-review.talostool")
	if err != nil {
		t.Fatal(err)
	}
	if m, found := manifest.Parse(text); m == nil || found.Len() > 0 {
		t.Fatalf("the text has problems: %v", found.Sorted())
	}

	// The check judges it, and is the only maker of a Checked.
	result := check.Run(text, capability.Builtin())
	if !result.OK() {
		t.Fatalf("the check found: %v", result.Diagnostics)
	}
	if risk := result.Tool.Marks().Risk; risk != tool.R2 {
		t.Errorf("the risk is %s, and reading tasks and writing a note is R2", risk)
	}

	// The registry keeps it, off.
	store, err := sqlite.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	newID := local.NewIDs(time.Now)
	box, err := engine.NewToolbox(capability.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Store: store, Catalogue: capability.Builtin(), Toolbox: box, NewID: newID, Who: "somebody"})
	if _, err := installed(ctx, e, text); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Pin(ctx, "friday-review"); !errors.Is(err, &tool.Error{Code: registry.CodeOff}) {
		t.Fatalf("a tool that nobody has turned on gives %v, want TOOL_OFF", err)
	}
	if _, _, err := e.Enable(ctx, "dynamic:friday-review"); err != nil {
		t.Fatal(err)
	}

	// The engine keeps a run of it as a graph of tasks, the worker carries them out through the
	// capabilities. A person is asked first.
	pinned, err := e.Pin(ctx, "friday-review")
	if err != nil {
		t.Fatal(err)
	}
	w := worker.New(worker.Options{Store: store, Engine: e, NewID: newID})
	defer w.Close(ctx)
	asked := make(chan consent.Question, 1)
	answered := make(chan error)
	go func() {
		_, _, err := w.Decide(ctx, (<-asked).ID, consent.Answer{Allow: true})
		answered <- err
	}()
	outcome, err := w.Run(ctx, worker.Job{
		Tool: pinned, Input: map[string]any{}, Installed: true, Observe: func(e worker.Event) {
			if e.Question != nil {
				asked <- *e.Question
			}
		},
	})
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	if err != nil || outcome.Status != flow.Succeeded {
		t.Fatalf("the run ended %q: %v, %v", outcome.Status, outcome.Failure, err)
	}
	if len(outcome.Created) != 1 || outcome.Created[0].Kind != "note" {
		t.Errorf("the run made %v, want one note", outcome.Created)
	}

	// The run and its tasks can be looked at, now and later.
	view, err := e.View(ctx, outcome.Run.ID)
	if err != nil || view.Run.Status != task.RunSucceeded || view.Graph.Task(0).Name != "dynamic:friday-review" {
		t.Errorf("the run is kept as %+v, %v", view, err)
	}

	// And a card shows what came of it.
	ui := pinned.Manifest().UI
	shown := card.For(ui.Title.Value(), "", []string{"$.output.finished"}, map[string]any{"output": outcome.Output})
	if shown.Title != "Review written" || len(shown.Details) != 1 || shown.Details[0].Text != "0" {
		t.Errorf("the card is %+v", shown)
	}
}

// installed installs a manifest.
func installed(ctx context.Context, e *engine.Engine, text []byte) (registry.Installed, error) {
	tools, _, err := e.Checked(ctx, "", text)
	if err != nil {
		return registry.Installed{}, err
	}
	done, err := e.Install(ctx, tools...)
	if err != nil {
		return registry.Installed{}, err
	}
	return done[0], nil
}
