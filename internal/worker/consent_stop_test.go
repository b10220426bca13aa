package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// TestASettingIsHeardByTheNextStep of a flow that runs already, and of a call that is tried
// again.
func TestASettingIsHeardByTheNextStep(t *testing.T) {
	const twoSteps = `
		{"id": "one", "type": "capability", "capability": "notes.create", "input": {"title": "one", "content": "x"}, "target": "$.one",
		 "compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.one.id"}}}, "next": "two"},
		{"id": "two", "type": "capability", "capability": "notes.create", "input": {"title": "two", "content": "x"}, "target": "$.two", "next": "end"},
		{"id": "end", "type": "return", "value": 1}`
	for kind, name := range map[string]string{consent.KindPower: "write", consent.KindTool: "dynamic:made-up"} {
		t.Run(kind, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				p := h.process(t)
				run, err := p.Begin(t.Context(), fileRun(t, twoSteps, map[string]any{}), func(e worker.Event) {
					if e.Flow != nil && e.Flow.Step == "one" {
						h.permit(t, kind, name, consent.Deny)
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				ended := p.settle(t, run.ID)
				wantRun(t, ended, task.RunFailed, consent.CodeDenied)
				if !strings.Contains(ended.Failure.Message, "denied in the settings") {
					t.Errorf("says %q", ended.Failure.Message)
				}
				if got := h.records(t); len(got) != 0 { // the first was taken back
					t.Errorf("left: %q", got)
				}
			})
		})
	}
}

// TestASettingSettlesWhatIsAsked when the call looks again: one that is allowed by now runs, one
// that is denied does not, and no question stays open for it.
func TestASettingSettlesWhatIsAsked(t *testing.T) {
	for permission, want := range map[consent.Permission][]string{consent.Allow: {"save a", "save b"}, consent.Deny: {}} {
		t.Run(string(permission), func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				h.askAll(t)
				var ran diary
				p := h.process(t, writer(&ran, "save", tool.R2), writer(&ran, "other", tool.R2))
				id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("save", "a")}, tool.Chain{call("save", "b")}, tool.Chain{call("other", "c")})})
				list := p.open(t)
				if len(list) != 2 {
					t.Fatalf("asked %+v", list)
				}
				h.permit(t, consent.KindPower, "write", permission)
				for _, q := range list {
					if q.Tool == "other" {
						p.decide(t, q.ID, consent.Answer{})
					}
				}
				p.settle(t, id)
				if diff := cmp.Diff(sorted(want), sorted(ran.all())); diff != "" {
					t.Errorf("run (-want +got):\n%s", diff)
				}
				for _, q := range p.questions(t) {
					if q.Tool == "save" && (q.State != consent.Closed || q.Count != 1) {
						t.Errorf("the question is %s about %d calls", q.State, q.Count)
					}
				}
			})
		})
	}
}

// TestAStopEndsEverything: what runs is told, what waits is closed, nothing begins, nothing is
// taken up; and after a start things go on.
func TestAStopEndsEverything(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		h.askAll(t)
		var ran diary
		g := newGate("pause")
		p, q := h.process(t, writer(&ran, "save", tool.R2), g.Tool), h.process(t, writer(&ran, "save", tool.R2), newGate("pause").Tool)
		save := engine.Request{Chains: chains(t, tool.Chain{call("save", 1)})}
		waiting, running := p.begin(t, save), p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("pause", 1), call("save", 2)})})
		left := q.begin(t, save)
		<-g.begun
		questions := p.open(t)
		if len(questions) != 2 {
			t.Fatalf("asked %+v", questions)
		}
		q.die(t)
		other := h.process(t, writer(&ran, "save", tool.R2))

		if told, already, err := other.Stop(t.Context()); told != 3 || already || err != nil {
			t.Fatalf("told %d, already %v, %v", told, already, err)
		}
		for _, id := range []string{waiting, running} {
			wantRun(t, p.settle(t, id), task.RunCancelled, engine.CodeStopped)
		}
		for _, one := range questions {
			if _, _, err := p.Decide(t.Context(), one.ID, consent.Answer{Allow: true}); tool.Code(err) != consent.CodeClosed {
				t.Errorf("an answer gives %v", err)
			}
		}
		if _, err := p.Begin(t.Context(), save, nil); tool.Code(err) != engine.CodeStopped || !strings.Contains(err.Error(), "toolsmith start") {
			t.Errorf("a new run gives %v", err)
		}
		if _, already, err := p.Stop(t.Context()); !already || err != nil {
			t.Errorf("a second stop: already %v, %v", already, err)
		}

		if _, err := p.Engine.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		// One that was left behind ends too: it was told to.
		if _, err := p.Resume(t.Context(), left, nil); err != nil {
			t.Fatal(err)
		}
		if run := p.settle(t, left); run.Status != task.RunCancelled {
			t.Errorf("the run that was left is %s", run.Status)
		}
		id := p.begin(t, save)
		p.decide(t, p.open(t)[0].ID, consent.Answer{Allow: true})
		wantRun(t, p.settle(t, id), task.RunSucceeded, "")
		if got := fmt.Sprint(ran.all()); got != "[save 1]" {
			t.Errorf("run: %s", got)
		}
	})
}

// TestAStopRefusesToTakeUp a run that was not told to end, as long as it lasts.
func TestAStopRefusesToTakeUp(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var ran diary
		open := newGate("pause")
		close(open.open)
		p, q := h.process(t, ran.tool("note"), newGate("pause").Tool), h.process(t, ran.tool("note"), open.Tool)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("pause", 1), call("note", 2)})})
		p.die(t)
		set := func(stop *consent.Stop) {
			if err := q.store.Write(t.Context(), func(tx store.Tx) error { return tx.Consent().SetStopped(t.Context(), stop) }); err != nil {
				t.Fatal(err)
			}
		}
		set(&consent.Stop{Who: "ada"})
		if _, err := q.Resume(t.Context(), id, nil); tool.Code(err) != engine.CodeStopped {
			t.Errorf("taking it up gives %v", err)
		}
		set(nil)
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		if got := fmt.Sprint(ran.all()); got != "[note 2]" {
			t.Errorf("run: %s", got)
		}
	})
}

// TestAStopIsHeardAtTheGate: a call or a step that looks there before anybody has told the run
// ends the run as one that was stopped.
func TestAStopIsHeardAtTheGate(t *testing.T) {
	const steps = `
		{"id": "one", "type": "capability", "capability": "notes.create", "input": {"title": "one", "content": "x"}, "target": "$.one",
		 "compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.one.id"}}}, "next": "two"},
		{"id": "two", "type": "capability", "capability": "notes.create", "input": {"title": "two", "content": "x"}, "target": "$.two", "next": "end"},
		{"id": "end", "type": "return", "value": 1}`
	for name, request := range map[string]func(*testing.T) engine.Request{
		"a step": func(t *testing.T) engine.Request { t.Helper(); return fileRun(t, steps, map[string]any{}) },
		"a call": func(t *testing.T) engine.Request {
			t.Helper()
			return engine.Request{Chains: chains(t, tool.Chain{call("same", 1), call("same", 2), reducer("same", 3)})}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				p := h.process(t, same)
				stop := func() {
					if _, _, err := p.Engine.Stop(t.Context()); err != nil { // tells nobody
						t.Error(err)
					}
				}
				run, err := p.Begin(t.Context(), request(t), func(e worker.Event) {
					if e.Flow != nil && e.Flow.Step == "one" || e.Flow == nil && e.State == task.Done && e.Task.Seq == 0 {
						stop()
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				wantRun(t, p.settle(t, run.ID), task.RunCancelled, engine.CodeStopped)
				if got := h.records(t); len(got) != 0 {
					t.Errorf("left: %q", got)
				}
			})
		})
	}
}

// TestWhatCouldLeakIsAsked although a grant would allow it: the run has read what is private and
// what others have written, and the call can send it out. That also counts in a process that
// takes the run up.
func TestWhatCouldLeakIsAsked(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		t.Run(fmt.Sprintf("resumed %v", resumed), func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				var sent diary
				g := newGate("pause")
				send := tool.MustNew(tool.Spec{Name: "send", Description: "For a test.", Powers: []tool.Power{tool.Outbound}, Risk: tool.R3}, func(_ *tool.Context, in in) (any, error) {
					sent.add("%v", in.V)
					return nil, nil
				})
				p := h.process(t, send, g.Tool)
				alone := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("send", "alone")})})
				wantRun(t, p.finish(t, alone), task.RunSucceeded, "")

				id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{tool.Call("notes.list", map[string]any{}), call("pause", 1), call("send", "notes")})})
				<-g.begun
				if resumed {
					p.die(t)
					g = newGate("pause")
					p = h.process(t, send, g.Tool)
					if _, err := p.Resume(t.Context(), id, nil); err != nil {
						t.Fatal(err)
					}
				}
				close(g.open)
				list := p.open(t)
				if len(list) != 1 || list[0].Reason != consent.Leak || list[0].MayRemember() {
					t.Fatalf("asked %+v", list)
				}
				if diff := cmp.Diff([]string{"notes.list", "send"}, list[0].Path); diff != "" {
					t.Errorf("path (-want +got):\n%s", diff)
				}
				if _, _, err := p.Decide(t.Context(), list[0].ID, consent.Answer{Allow: true, For: consent.Always}); tool.Code(err) != consent.CodeAnswerInvalid {
					t.Errorf("always gives %v", err)
				}
				p.decide(t, list[0].ID, consent.Answer{Reason: "no"})
				wantRun(t, p.settle(t, id), task.RunFailed, consent.CodeDenied)
				if got := fmt.Sprint(sent.all()); got != "[alone]" {
					t.Errorf("sent: %s", got)
				}
			})
		})
	}
}
