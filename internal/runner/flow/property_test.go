package flow_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// draw is one random tool, and what is going to happen to it.
type draw struct {
	program *flow.Program
	tool    spec
	input   any
	fate    fate
	// abortAt is the number of the call during which, or of the event after which, the run
	// is cancelled; 0 for never.
	abortAt    int
	duringCall bool
}

func drawRun(t *rapid.T, abort bool) draw {
	g := gen{t}
	d := draw{tool: g.tool(), input: g.input(), fate: fate(rapid.Uint32().Draw(t, "fate"))}
	d.program = program(t, d.tool)
	if abort && rapid.Bool().Draw(t, "abort") {
		d.abortAt = rapid.IntRange(1, 12).Draw(t, "abort at")
		d.duringCall = rapid.Bool().Draw(t, "during a call")
	}
	return d
}

func (d draw) world() *world {
	w := newWorld(d.fate.answer)
	w.model = d.fate.reply
	return w
}

// run runs the tool once. callsAfter counts what was called and asked after the abort,
// without what takes back.
func (d draw) run(t *rapid.T) (r flow.Result, w *world, callsAfter int) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w = d.world()
	events := 0
	w.host.answer = func(callCtx context.Context, c flow.Call) (flow.Answer, error) {
		if ctx.Err() != nil && !strings.HasSuffix(c.Step, "!undo") {
			callsAfter++
		}
		if d.duringCall && len(w.host.calls) == d.abortAt {
			cancel()
		}
		return d.fate.answer(callCtx, c)
	}
	o := w.options()
	o.Observe = func(flow.Event) {
		if events++; !d.duringCall && events == d.abortAt {
			cancel()
		}
	}
	return d.program.Run(ctx, d.input, o), w, callsAfter
}

// TestRandomFlows runs random tools: each ends in one of the four ways, with a result that
// does not contradict itself, and does the same when it is run again.
func TestRandomFlows(t *testing.T) {
	t.Parallel()
	statuses := map[flow.Status]int{}
	rapid.Check(t, func(t *rapid.T) {
		d := drawRun(t, true)

		r, w, callsAfter := d.run(t)
		again, w2, _ := d.run(t)

		statuses[r.Status]++
		if callsAfter > 1 {
			t.Errorf("%d calls after the abort", callsAfter)
		}
		if diff := cmp.Diff(value.JSON(r.Value())+value.JSON(r.Variables), value.JSON(again.Value())+value.JSON(again.Variables)); diff != "" {
			t.Errorf("run twice (-first +second):\n%s", diff)
		}
		if !slices.Equal(w.steps(), w2.steps()) || !slices.Equal(w.asked, w2.asked) || !slices.Equal(w.saved, w2.saved) {
			t.Error("the second run called, asked or saved something else")
		}
		contradictions(t, d, r, w)
		if t.Failed() {
			t.Logf("%s\n%s", d.tool.text(), value.IndentedJSON(r.Value()))
		}
	})
	if statuses[flow.Succeeded] == 0 || statuses[flow.Failed] == 0 {
		t.Errorf("the random tools prove little: %v", statuses)
	}
}

// contradictions looks for what must hold of every result.
func contradictions(t *rapid.T, d draw, r flow.Result, w *world) {
	switch r.Status {
	case flow.Succeeded:
		if r.Failure != nil || len(w.saved) > 1 {
			t.Errorf("succeeded with the failure %v, saved %q", r.Failure, w.saved)
		}
	case flow.Failed, flow.Cancelled, flow.RecoveryRequired:
		if r.Failure == nil || r.Failure.Code == "" || r.Output != nil || r.State != nil || len(w.saved) > 0 {
			t.Errorf("%s with the failure %v, the output %v, the state %v and saved %q", r.Status, r.Failure, r.Output, r.State, w.saved)
		}
	default:
		t.Errorf("the status is %q", r.Status)
	}
	if r.Status == flow.Cancelled && (d.abortAt == 0 || r.Failure.Code != flow.CodeAborted) {
		t.Errorf("cancelled by itself: %v", r.Failure)
	}
	compensations(t, d.program, r)
	for _, line := range traceLines(r.Trace) {
		if strings.Contains(line, "contradict") {
			t.Error(line)
		}
	}
	if len(r.Calls) != len(w.host.calls) {
		t.Errorf("%d calls were made and %d are listed", len(w.host.calls), len(r.Calls))
	}
	for i, c := range w.host.calls {
		if described, ok := lab.Get(c.Capability); !ok || described.MaxInput > 0 && value.Size(c.Input) > described.MaxInput {
			t.Errorf("%s was called with %d bytes", c.Capability, value.Size(c.Input))
		}
		if value.JSON(c.Input) != value.JSON(r.Calls[i].Input) {
			t.Errorf("call %d is listed with another input", i)
		}
	}
	if size := value.Size(r.Output); size > flow.MaxOutput {
		t.Errorf("the output has %d bytes", size)
	}
}

// compensations have to be those of the steps that succeeded, newest first, each once,
// and decide together with what cannot be undone whether a person has to look.
func compensations(t rapid.TB, p *flow.Program, r flow.Result) {
	want, undone := []string{}, []string{}
	recovery := false
	for _, e := range r.Trace {
		step, isUndo := strings.CutSuffix(e.Step, "!undo")
		switch {
		case isUndo != (e.Kind == "compensation"):
			t.Errorf("%s is a %s", e.Step, e.Kind)
		case isUndo:
			undone = append(undone, step)
			recovery = recovery || !e.OK
		case e.Kind == "capability" && e.OK:
			recovery = recovery || e.Capability == "lab.send"
			if compensated(p, step) {
				want = append(want, step)
			}
		}
	}
	if r.Status == flow.Succeeded {
		want, recovery = nil, false
	}
	slices.Reverse(want)
	if !slices.Equal(want, undone) {
		t.Errorf("took back %q; want %q", undone, want)
	}
	if recovery != (r.Status == flow.RecoveryRequired) {
		t.Errorf("the status is %s, and something that stays was done: %v", r.Status, recovery)
	}
}

// compensated reports whether the step at a path, such as "step-3[1].0", has a
// compensation.
func compensated(p *flow.Program, path string) bool {
	id, inner, inBody := strings.Cut(path, "[")
	for _, s := range p.Tool().Manifest().Flow.Steps {
		if s.ID.Value() != id {
			continue
		}
		if inBody {
			_, at, _ := strings.Cut(inner, "].")
			i, _ := value.Index(at)
			s = s.Body[i]
		}
		return s.Compensation != nil
	}
	return false
}

// TestRandomFlowsTakenUpAgain ends the process of random runs after each of their records.
func TestRandomFlowsTakenUpAgain(t *testing.T) {
	t.Parallel()
	records := 0
	rapid.Check(t, func(t *rapid.T) {
		d := drawRun(t, false)
		w := d.world()
		if _, crashed := w.run(t.Context(), d.program, d.input); crashed {
			t.Fatal("crashed by itself")
		}
		records += len(w.order)
		cutEverywhere(t.Context(), t, d.program, d.input, d.world)
		if t.Failed() {
			t.Log(d.tool.text())
		}
	})
	if records == 0 {
		t.Error("no run recorded anything")
	}
}
