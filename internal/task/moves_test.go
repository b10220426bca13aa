package task_test

import (
	"slices"
	"strings"
	"testing"

	"toolsmith/internal/task"
	"toolsmith/tool"
)

func (p *play) expect(t *testing.T, ready, states string) {
	t.Helper()
	if got := p.labels(p.g.Ready()); got != ready {
		t.Errorf("ready is %q, want %q", got, ready)
	}
	if got := p.states(); got != states {
		t.Errorf("it is %q, want %q", got, states)
	}
}

func TestEmptyGraph(t *testing.T) {
	t.Parallel()
	g := task.NewGraph()
	if !g.Settled() || g.Outcome() != task.Good || g.Len() != 0 || len(g.Ready())+len(g.Skipped())+len(g.Stop()) != 0 {
		t.Error("an empty graph is not settled")
	}
	if len(g.Families(-1)) != 0 {
		t.Error("it has chains")
	}
}

// TestNextWaitsForBranches looks between the moves: a call that is done is not settled, and
// neither is one that waits, or of which nobody knows.
func TestNextWaitsForBranches(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a b"))
	p.expect(t, "a", "a:queued b:queued")
	p.expect(t, "", "a:queued b:queued") // it is given once
	p.move(0, task.Running)
	p.move(0, task.Waiting)
	p.expect(t, "", "a:waiting b:queued")
	p.move(0, task.Running)
	p.move(0, task.Unknown)
	p.expect(t, "", "a:unknown b:queued")
	p.move(0, task.Queued)
	p.move(0, task.Running)
	p.under(0, chains("p | q"))
	p.expect(t, "", "a:running b:queued p:queued q:queued") // branches begin when the call has ended
	p.move(0, task.Done)
	p.expect(t, "p q", "a:done b:queued p:queued q:queued")
	p.end(p.seq("q"), result("m:x"))
	p.expect(t, "", "a:done b:queued p:queued q:done")
	if p.g.Settled() || p.g.Outcome() != task.Open || p.g.OutcomeOf(0) != task.Open || p.g.OutcomeOf(1) != task.Open || p.g.OutcomeOf(p.seq("q")) != task.Good {
		t.Error("it is settled before its end")
	}
	p.end(p.seq("p"), result("m:x"))
	p.expect(t, "b", "a:done b:queued p:done q:done")
	p.end(1, result("m:x"))
	p.expect(t, "", "a:done b:done p:done q:done")
	if !p.g.Settled() || p.g.Outcome() != task.Good || p.g.OutcomeOf(0) != task.Good {
		t.Error("it is not settled in the end")
	}
}

func TestSkippedIsGivenOnce(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a b c | d"))
	p.end(0, result("!X"))
	if got := p.labels(p.g.Skipped()); got != "b c" {
		t.Errorf("skipped are %q", got)
	}
	p.end(3, result("m:x"))
	if got := p.labels(p.g.Skipped()); got != "" {
		t.Errorf("skipped again are %q", got)
	}
	p.move(1, task.Skipped) // which it is
}

func TestChainsAddedLater(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a"))
	p.end(0, result("m:x"))
	p.g.Ready()
	p.add(p.placer.Place(task.Under{Branches: 1}, chains("b c | m:y")))
	p.expect(t, "b", "a:done b:queued c:queued")
	if p.g.Settled() {
		t.Error("a run that goes on is settled")
	}
	p.end(p.seq("b"), result("!X"))
	if !p.g.Settled() || p.g.Outcome() != task.Bad || p.result() != `["x",null,"y"]` {
		t.Errorf("%s %s", outcome(p.g.Outcome()), p.result())
	}
}

// steps adds a call's own steps as its first branch, as a flow does while it runs.
func (p *play) steps(call int, names ...string) []int {
	var chain []task.Draft
	for _, name := range names {
		chain = append(chain, task.CallOf(task.Call{Name: name, Step: name}))
	}
	from := p.g.Len()
	p.under(call, [][]task.Draft{chain})
	seqs := make([]int, len(names))
	for i := range seqs {
		seqs[i] = from + i
	}
	return seqs
}

// step adds one more to a call's own steps, with what it came to.
func (p *play) step(call int, name string, came ...task.Draft) int {
	p.tb.Helper()
	var last task.ID
	if steps := p.g.Families(call); len(steps) > 0 {
		last = p.g.Task(steps[0][len(steps[0])-1]).ID
	}
	batch := p.placer.Step(p.g.Task(call), last, task.Call{Name: name, Step: name}, came...)
	p.add(batch)
	return batch.Tasks[0].Seq
}

func TestStepsOfAFlow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result, value, states string
		outcome               task.Outcome
	}{
		"a plain value":    {"=x", `"x"`, "flow:done after:done s:done t:done", task.Good},
		"subtasks":         {"p | m:y", `["p","y"]`, "flow:done after:done s:done t:done p:done", task.Good},
		"a failure":        {"!X", "-", "flow:failed after:skipped s:done t:done", task.Bad},
		"no result at all": {"", "-", "flow:done after:done s:done t:done", task.Good},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := begin(t, "", chains("flow after"))
			p.expect(t, "flow", "flow:queued after:queued")
			p.move(0, task.Running)
			for _, name := range []string{"s", "t"} {
				seq := p.step(0, name, task.ValueOf("of "+name))
				p.expect(t, "", p.states())
				p.move(seq, task.Done)
			}
			p.expect(t, "", "flow:running after:queued s:done t:done")
			if c.result == "" {
				p.move(0, task.Done)
			} else {
				p.end(0, result(c.result))
			}
			p.waves(map[string]string{"p": "=p"})
			if got := p.states(); got != c.states {
				t.Errorf("%s, want %s", got, c.states)
			}
			if got := came(p.g.Value(0, p.read)); got != c.value {
				t.Errorf("it came to %s, want %s", got, c.value)
			}
			if !p.g.Settled() || p.g.Outcome() != c.outcome {
				t.Errorf("it is %s", outcome(p.g.Outcome()))
			}
		})
	}
}

// TestStepsThatFailed: a flow that went on after a step had failed has succeeded.
func TestStepsThatFailed(t *testing.T) {
	t.Parallel()
	p := begin(t, "entry", chains("flow b"))
	p.move(0, task.Running)
	seqs := p.steps(0, "s", "t", "u")
	p.move(seqs[0], task.Failed)
	p.move(seqs[1], task.Done)
	p.move(seqs[2], task.Unknown)
	p.under(0, result("=x").Drafts("entry"))
	p.move(0, task.Done)
	p.g.Ready()
	p.end(p.seq("entry"), result("m:seen"))
	p.expect(t, "", "flow:done b:queued s:failed t:done u:unknown entry:done") // a person has to say about u
	p.move(seqs[2], task.Cancelled)
	p.expect(t, "b", "flow:done b:queued s:failed t:done u:cancelled entry:done")
	if got := came(p.g.Came(1, p.read)); got != `"seen"` {
		t.Errorf("%s came before b", got)
	}
	// An entry node that came to no branch at all has not returned.
	p = begin(t, "entry", chains("a"))
	p.end(0, result("!X"))
	p.move(p.seq("entry"), task.Done)
	if p.g.Outcome() != task.Bad {
		t.Errorf("a failure is %s after an entry node without a result", outcome(p.g.Outcome()))
	}
	// An entry node can be a flow as well, and its steps are no return.
	p = begin(t, "entry", chains("a"))
	p.end(0, result("!X"))
	entry := p.seq("entry")
	p.move(entry, task.Running)
	p.move(p.step(entry, "s"), task.Done)
	p.end(entry, result("m:instead ret"))
	if p.g.Outcome() != task.Good || p.result() != `"instead"` {
		t.Errorf("%s %s", outcome(p.g.Outcome()), p.result())
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a b | c d~ m:x | e | f | g h"))
	p.end(p.seq("g"), result("!X"))
	p.end(p.seq("f"), result("p q | r"))
	p.move(p.seq("a"), task.Running)
	p.move(p.seq("c"), task.Waiting)
	p.move(p.seq("p"), task.Unknown)
	got := p.labels(p.g.Stop())
	if want := "b c d e q r"; got != want {
		t.Errorf("it stopped %q, want %q", got, want)
	}
	p.expect(t, "", "a:running b:cancelled c:cancelled d:cancelled e:cancelled f:done g:failed h:skipped p:unknown q:cancelled r:cancelled")
	if p.g.Settled() || len(p.g.Stop()) > 0 {
		t.Error("it is settled while a call runs, or stopped twice")
	}
	p.under(p.seq("a"), chains("s t | m:y"))
	p.move(p.seq("a"), task.Done) // its branches do not begin either
	p.move(p.seq("p"), task.Done) // a person has said so
	p.expect(t, "", "a:done b:cancelled c:cancelled d:cancelled e:cancelled f:done g:failed h:skipped "+
		"p:done q:cancelled r:cancelled s:cancelled t:cancelled")
	p.add(p.placer.Place(task.Under{Branches: 5}, chains("u m:z | e:ABORTED")))
	if p.expect(t, "", p.states()); p.g.State(p.seq("u")) != task.Cancelled {
		t.Error("a chain that was added later has begun")
	}
	if !p.g.Settled() || p.g.Outcome() != task.Bad || p.result() != "[null,null,null,null,null,null,null]" {
		t.Errorf("%s %s", outcome(p.g.Outcome()), p.result())
	}
}

func TestStopOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		chains string
		play   func(p *play)
		want   task.Outcome
	}{
		"before anything":         {"a b", func(*play) {}, task.Void},
		"after everything":        {"m:x", func(*play) {}, task.Good},
		"after a success":         {"a b", func(p *play) { p.end(0, result("m:x")) }, task.Void},
		"after a failure":         {"a | b", func(p *play) { p.end(0, result("!X")) }, task.Bad},
		"before what runs ends":   {"a", func(p *play) { p.move(0, task.Running) }, task.Open},
		"with branches under way": {"a b", func(p *play) { p.end(0, result("p | m:x")) }, task.Void},
	} {
		p := begin(t, "", chains(c.chains))
		if c.play(p); len(p.g.Stop()) > 0 && len(p.g.Ready()) > 0 {
			t.Errorf("%s: something is still ready", name)
		}
		if got := p.g.Outcome(); got != c.want {
			t.Errorf("%s: %s, want %s", name, outcome(got), outcome(c.want))
		}
	}
}

// TestOneCallCancelled: what comes after a call that was cancelled is skipped, and a
// reducer that succeeds makes its chain good, as after a failure.
func TestOneCallCancelled(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a b | c d r~ e"))
	p.expect(t, "a c", "a:queued b:queued c:queued d:queued r:queued e:queued")
	p.move(p.seq("a"), task.Cancelled)
	p.move(p.seq("c"), task.Cancelled)
	p.expect(t, "r", "a:cancelled b:skipped c:cancelled d:skipped r:queued e:queued")
	p.end(p.seq("r"), result("m:mended"))
	p.expect(t, "e", "a:cancelled b:skipped c:cancelled d:skipped r:done e:queued")
	p.end(p.seq("e"), result("m:x"))
	if p.g.Outcome() != task.Void || p.result() != `[null,"x"]` {
		t.Errorf("%s %s", outcome(p.g.Outcome()), p.result())
	}
}

func TestWrongMoves(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a m:x"))
	p.end(0, result("m:y"))
	before := p.states()
	for _, c := range []struct {
		seq  int
		to   task.State
		want string
	}{
		{-1, task.Done, "the task -1 is no call"},
		{99, task.Done, "the task 99 is no call"},
		{1, task.Done, "the task 1 is no call"},
		{0, task.Failed, "is done already, and cannot become failed"},
		{0, task.Queued, "is done already, and cannot become queued"},
		{0, task.Running, "is done already, and cannot become running"},
	} {
		if err := p.g.Move(c.seq, c.to); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d to %s: %v, want %s", c.seq, c.to, err, c.want)
		}
	}
	if err := p.g.Move(0, task.Done); err != nil {
		t.Errorf("to the state that it has: %v", err)
	}
	if p.expect(t, "a", before); !p.g.Settled() {
		t.Error("it is not settled any more")
	}
}

func TestWrongAdditions(t *testing.T) {
	t.Parallel()
	place := func(seq int, under task.Under, notation string) []task.Task {
		p := task.Placer{Now: 7, Seq: seq}
		return p.Place(under, chains(notation)).Tasks
	}
	top := place(0, task.Under{}, "a m:x | b c | m:settled")
	a, x, b, settled := top[0], top[1], top[2], top[4]
	follow := func(prior task.Task) []task.Task {
		list := place(5, task.Under{}, "m:late")
		list[0].Prior = prior.ID
		return list
	}
	for name, c := range map[string]struct {
		tasks []task.Task
		want  string
	}{
		"a number is left out":         {place(6, task.Under{Branches: 3}, "d"), "has the number 6; the next is 5"},
		"a number is there already":    {place(4, task.Under{Branches: 3}, "d"), "has the number 4; the next is 5"},
		"a branch is left out":         {place(5, task.Under{Branches: 4}, "d"), "is of branch 4; the next is 3"},
		"a branch is there already":    {place(5, task.Under{}, "d"), "is of branch 0; the next is 3"},
		"a branch below is left out":   {place(5, task.Under{Parent: &a, Branches: 1}, "d"), "is of branch 1; the next is 0"},
		"the parent is no call":        {place(5, task.Under{Parent: &x}, "d"), "which is no call here"},
		"the parent is not there":      {place(5, task.Under{Parent: &task.Task{ID: task.ID{1}}}, "d"), "which is no call here"},
		"the parent is over":           {place(5, task.Under{Parent: &b}, "d"), "which is done already: branches come first"},
		"it follows what is not there": {follow(task.Task{ID: task.ID{1}}), "which is not here"},
		"it follows the middle":        {follow(b), "does not follow the last task of its chain"},
		"its chain is settled":         {follow(settled), "follows a chain that is settled already"},
	} {
		g := task.NewGraph()
		if err := g.Add(top); err != nil {
			t.Fatal(err)
		}
		if err := g.Move(b.Seq, task.Done); err != nil {
			t.Fatal(err)
		}
		if err := g.Add(c.tasks); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if _, err := task.Load(append(slices.Clone(top), c.tasks...), nil); (err == nil) != (name == "the parent is over" || name == "its chain is settled") {
			t.Errorf("%s, kept so: %v", name, err)
		}
	}
}

func TestLoadOfWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a m:x"))
	for _, seq := range []int{-1, 1, 2} {
		if g, err := task.Load(p.tasks, []task.Execution{{Seq: seq, State: task.Done}}); err == nil || g != nil {
			t.Errorf("an execution of task %d is taken", seq)
		}
	}
	if g, err := task.Load(nil, nil); err != nil || !g.Settled() {
		t.Errorf("a run without tasks: %v", err)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a b | c d | e f | g"))
	p.end(p.seq("a"), result("p | q r"))
	p.end(p.seq("p"), result("m:x"))
	p.end(p.seq("c"), result("!X"))
	p.move(p.seq("q"), task.Running)
	p.move(p.seq("e"), task.Waiting)
	p.move(p.seq("g"), task.Unknown)
	again := p.load()
	again.expect(t, "q", "a:done b:queued c:failed d:skipped e:waiting f:queued g:unknown p:done q:queued r:queued")
	// A flow that ran begins again; of a step that ran nobody knows whether it happened.
	flow := begin(t, "", chains("flow"))
	flow.move(0, task.Running)
	seqs := flow.steps(0, "s", "t")
	flow.move(seqs[0], task.Done)
	flow.move(seqs[1], task.Running)
	flow.load().expect(t, "flow", "flow:queued s:done t:running")
	// A store that has not noted yet who was skipped.
	executions := p.executions()
	for i := range executions {
		if executions[i].State == task.Skipped {
			executions[i].State = task.Queued
		}
	}
	g, err := task.Load(p.tasks, executions)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.labels(g.Skipped()); got != "d" {
		t.Errorf("skipped are %q", got)
	}
	// A run that was stopped has to be stopped again.
	again.g.Stop()
	again.expect(t, "", "a:done b:cancelled c:failed d:skipped e:cancelled f:cancelled g:unknown p:done q:cancelled r:cancelled")
}

func TestLookingAround(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a m:x | b~"))
	p.end(0, result("p | q r"))
	if p.g.Len() != 6 || p.g.Branches(0) != 2 || p.g.Branches(2) != 0 || p.g.State(1) != "" || p.g.State(2) != task.Queued {
		t.Error(p.states())
	}
	if one := p.g.Task(2); one.Name != "b" || one.RunOn != tool.RunOnSettled || !one.Calls() || p.g.Task(1).Calls() {
		t.Errorf("%+v", one)
	}
	for i := range p.g.Len() {
		if seq, ok := p.g.Seq(p.g.Task(i).ID); !ok || seq != i {
			t.Errorf("task %d is found as %d", i, seq)
		}
	}
	if _, ok := p.g.Seq(task.ID{1}); ok {
		t.Error("a task is found that is not there")
	}
	families := [][][]int{p.g.Families(-1), p.g.Families(0), p.g.Families(2)}
	if !slices.EqualFunc(families[0], [][]int{{0, 1}, {2}}, slices.Equal) || !slices.EqualFunc(families[1], [][]int{{3}, {4, 5}}, slices.Equal) || len(families[2]) != 0 {
		t.Errorf("%v", families)
	}
	for seq, want := range map[int]struct {
		chain []int
		at    int
	}{1: {[]int{0, 1}, 1}, 2: {[]int{2}, 0}, 4: {[]int{4, 5}, 0}} {
		if chain, at := p.g.ChainOf(seq); !slices.Equal(chain, want.chain) || at != want.at {
			t.Errorf("task %d stands at %d of %v", seq, at, chain)
		}
	}
	p.move(3, task.Running)
	if got := p.g.Unfinished(task.Running, task.Queued); !slices.Equal(got, []int{2, 3, 4, 5}) {
		t.Errorf("%v", got)
	}
	if got := p.g.Unfinished(task.Waiting); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
