package task_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/task"
	"toolsmith/tool"
)

// holdEnd checks what is true of every graph: it is settled just when no call is left, and
// all its tasks are.
func (a *troupe) holdEnd() {
	a.tb.Helper()
	left := a.g.Unfinished(task.Queued, task.Running, task.Waiting, task.Unknown)
	if a.g.Settled() != (len(left) == 0) || (a.g.Outcome() == task.Open) == a.g.Settled() {
		a.tb.Fatalf("settled is %v, and %d calls are left: %s", a.g.Settled(), len(left), a.states())
	}
	for seq := range a.g.Len() {
		if a.g.Settled() && !a.settled(seq) {
			a.tb.Fatalf("the run is settled, task %d is not", seq)
		}
	}
}

// TestAnyOrderComesToTheSame: in whatever order the calls of a run come to their ends, each
// of its tasks comes to the same, and that is what the rules say. On the way no call
// becomes ready too early or twice.
func TestAnyOrderComesToTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		want := run.judged()
		var first *troupe
		for _, order := range []string{"one", "other"} {
			a := run.begin(t)
			for a.act(t) {
				a.holdEnd()
			}
			a.holdEnd()
			if !a.g.Settled() {
				t.Fatalf("nothing is ready, and it is not settled: %s", a.states())
			}
			if diff := want.diff(a.look()); diff != "" {
				t.Fatalf("in %s order it came to something else (-rules +graph):\n%s", order, diff)
			}
			if first == nil {
				first = a
				continue
			}
			if diff := cmp.Diff(first.ids(), a.ids()); diff != "" {
				t.Fatalf("the ids depend on the order:\n%s", diff)
			}
		}
	})
}

// ids lists the ids of all tasks, sorted: their numbers depend on the order, they do not.
func (p *play) ids() []string {
	var list []string
	for seq := range p.g.Len() {
		list = append(list, p.g.Task(seq).ID.String())
	}
	slices.Sort(list)
	return list
}

// TestKeptAtAnyMoment: a graph that is read again at any moments has the same calls ready,
// and comes to the same.
func TestKeptAtAnyMoment(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		a := run.begin(t)
		for a.act(t) {
			if rapid.IntRange(0, 2).Draw(t, "crash") == 0 {
				a.crash(t)
			}
			a.holdEnd()
		}
		if diff := run.judged().diff(a.look()); diff != "" {
			t.Fatalf("it came to something else (-rules +graph):\n%s", diff)
		}
		a.crash(t)
	})
}

// TestNothingRunsAfterAFailure looks at each chain of a run in the end: after a call that
// came to no good, those that run on success are skipped until a reducer has succeeded.
func TestNothingRunsAfterAFailure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawRun(t).begin(t)
		for a.act(t) {
		}
		for _, chain := range a.allChains() {
			bad := false
			for _, seq := range chain {
				one := a.g.Task(seq)
				if !one.Calls() {
					continue
				}
				if skipped := a.g.State(seq) == task.Skipped; skipped != (bad && one.RunOn != tool.RunOnSettled) {
					t.Fatalf("%s is %s", one.Name, a.g.State(seq))
				} else if !skipped {
					bad = a.bad(seq)
				}
			}
		}
	})
}

// allChains lists every chain but those of steps.
func (p *play) allChains() [][]int {
	list := p.g.Families(-1)
	for seq := range p.g.Len() {
		list = append(list, p.results(seq)...)
	}
	return list
}

// bad says by the rules whether a settled call counts as failed.
func (a *troupe) bad(seq int) bool {
	p := a.plans[seq]
	for _, chain := range a.results(seq) {
		bad := false
		for _, one := range chain {
			if a.g.Task(one).Calls() && a.g.State(one) != task.Skipped {
				bad = a.bad(one)
			}
		}
		if bad {
			return true
		}
	}
	return p.fails && (p.entry == nil || !p.entry.endsInReturn(a.entry))
}

// TestStopAtAnyMoment: once a run is stopped nothing begins any more, and when what runs
// has ended everything has.
func TestStopAtAnyMoment(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawRun(t).begin(t)
		for range rapid.IntRange(0, 30).Draw(t, "acts") {
			if !a.act(t) {
				break
			}
		}
		before := a.look()
		settled := a.g.Settled()
		waiting := a.g.Unfinished(task.Queued, task.Waiting)
		if got := a.g.Stop(); !slices.Equal(got, waiting) {
			t.Fatalf("it stopped %v, want %v", got, waiting)
		}
		if diff := before.diff(a.look()); diff != "" && settled {
			t.Fatalf("stopping what was settled has changed it:\n%s", diff)
		}
		a.ready, a.waiting = nil, nil // but for those of which nobody knows
		a.waiting = append(a.waiting, a.g.Unfinished(task.Unknown)...)
		a.holdEnd()
		for len(a.running)+len(a.waiting) > 0 {
			if len(a.running) > 0 {
				a.finish(pull(t, &a.running))
			} else {
				a.finish(pull(t, &a.waiting)) // a person says what became of it
			}
			if a.take(); len(a.ready) > 0 {
				t.Fatalf("%v begin after the run was stopped", a.ready)
			}
			a.holdEnd()
			a.holdStopped(t)
		}
		if !a.g.Settled() {
			t.Fatalf("nothing runs, and it is not settled: %s", a.states())
		}
	})
}

// holdStopped checks that a stopped graph is the same after it was kept, stopped again.
func (a *troupe) holdStopped(t *rapid.T) {
	again := a.load()
	again.g.Ready()
	for _, seq := range a.g.Unfinished(task.Running) {
		if err := again.g.Move(seq, task.Running); err != nil {
			t.Fatal(err)
		}
	}
	if more := again.g.Stop(); len(more) > 0 {
		t.Fatalf("after it was kept, %v are left to be stopped", more)
	}
	if diff := a.look().diff(again.look()); diff != "" {
		t.Fatalf("as it was kept it is different:\n%s", diff)
	}
}

// TestBranchesKeepTheirOrder: the values of branches stand in the order of the branches,
// whichever of them ends first.
func TestBranchesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "branches")
		order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(t, "order")
		failed := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, n-1, rapid.ID[int]).Draw(t, "failed")
		var branches, want []string
		for i := range n {
			branches = append(branches, fmt.Sprintf("b%d", i))
			if slices.Contains(failed, i) {
				want = append(want, "null")
			} else {
				want = append(want, fmt.Sprintf("%q", branches[i]))
			}
		}
		top := rapid.Bool().Draw(t, "top")
		var p *play
		if top {
			p = begin(t, "", chains(strings.Join(branches, " | ")))
		} else {
			p = begin(t, "", chains("a r~"))
			p.end(0, result(strings.Join(branches, " | ")))
		}
		for _, i := range order {
			if i >= n {
				continue
			}
			seq := p.seq(branches[i])
			if slices.Contains(failed, i) {
				p.end(seq, result("!X"))
			} else {
				p.end(seq, result("="+branches[i]))
			}
		}
		got := p.result()
		if !top {
			got = came(p.g.Came(p.seq("r"), p.read))
		}
		if got != "["+strings.Join(want, ",")+"]" {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}
