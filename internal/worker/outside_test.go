package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// TestACapabilityThatWasSentAlone, and of which nobody knows whether it happened, waits for a
// person, or is sent again where that is the same.
func TestACapabilityThatWasSentAlone(t *testing.T) {
	const sent = `{"to":"Ada"} R/send`
	for name, c := range map[string]struct {
		idempotent   bool
		answer       worker.Answer
		status       task.RunStatus
		code, result string
		sent         []string
	}{
		"it happened":            {false, worker.AnswerDone, task.RunSucceeded, "", "null", nil},
		"it did not happen":      {false, worker.AnswerNotDone, task.RunSucceeded, "", `"sent"`, []string{sent}},
		"it is to be taken back": {false, worker.AnswerCompensate, task.RunFailed, "STEP_UNKNOWN", "", nil},
		"it may be repeated":     {true, "", task.RunSucceeded, "", `"sent"`, []string{sent}},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				before, after := newOutside(c.idempotent), newOutside(c.idempotent)
				p := h.processWith(t, worker.Options{Capabilities: before})
				before.during = func(context.Context, capability.Call) error {
					p.store.kill()
					return nil
				}
				chain := chains(t, tool.Chain{tool.Call("lab.send", map[string]any{"to": "Ada"})})
				id := p.begin(t, engine.Request{ID: "R", Chains: chain})
				synctest.Wait()
				p.die(t)
				if diff := cmp.Diff([]string{sent}, before.all()); diff != "" {
					t.Fatalf("sent at first (-want +got):\n%s", diff)
				}

				q := h.processWith(t, worker.Options{Capabilities: after})
				if _, err := q.Resume(t.Context(), id, nil); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if c.answer != "" {
					view := q.view(t, id)
					if view.Run.Status != task.RunUnknown || !strings.Contains(view.Executions[0].Why, "toolsmith resume R --step send --answer") {
						t.Fatalf("the run is %s, %q:\n%s", view.Run.Status, view.Executions[0].Why, q.tree(t, id))
					}
					if err := q.Answer(t.Context(), id, "", c.answer); err != nil {
						t.Fatal(err)
					}
					if _, err := q.Resume(t.Context(), id, nil); err != nil {
						t.Fatal(err)
					}
				}
				wantRun(t, q.finish(t, id), c.status, c.code)
				if got := q.result(t, id); got != c.result {
					t.Errorf("the run came to %s; want %s\n%s", got, c.result, q.tree(t, id))
				}
				if diff := cmp.Diff(c.sent, after.all()); diff != "" && len(c.sent)+len(after.all()) > 0 {
					t.Errorf("sent again (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestACapabilityThatFailsAlone fails its call, and is not sent again.
func TestACapabilityThatFailsAlone(t *testing.T) {
	for _, idempotent := range []bool{true, false} {
		t.Run(fmt.Sprintf("idempotent %v", idempotent), func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				host := newOutside(idempotent)
				host.during = func(context.Context, capability.Call) error {
					return &capability.Error{Capability: "lab.send", Code: "OUTBOUND_TIMEOUT", Public: "It took too long.", Cause: errors.New("i/o timeout")}
				}
				p := h.processWith(t, worker.Options{Capabilities: host})
				run := p.run(t, engine.Request{Chains: chains(t, tool.Chain{tool.Call("lab.send", map[string]any{"to": "Ada"})})})
				wantRun(t, run, task.RunFailed, "OUTBOUND_TIMEOUT")
				if n := len(host.all()); n != 1 {
					t.Errorf("it was sent %d times", n)
				}
			})
		})
	}
}
