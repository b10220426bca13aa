package task_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// shown writes a projection to a task: calls by their labels with their states, the rest by
// its data.
func (p *play) shown(seq int, projection task.Projection) string {
	p.tb.Helper()
	list, err := p.g.Project(seq, projection, p.read)
	if err != nil {
		p.tb.Fatalf("%v", err)
	}
	var words []string
	for _, e := range list {
		switch e.Task.Type {
		case tool.TypeTool:
			words = append(words, p.label(e.Task.Seq)+":"+string(e.State))
		case tool.TypeError:
			words = append(words, "!"+e.Data.(object)["code"].(string))
		case tool.TypeReturn:
			words = append(words, "ret")
		default:
			words = append(words, e.Data.(string))
		}
	}
	return strings.Join(words, " ")
}

func TestLineage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, entry, chains string
		results             map[string]string
		want                string
	}{
		{"the task alone", "", "x", nil, "x:done"},
		{"its own chain up to it, and not the others", "", "m:hi s:data x m:later | m:other", nil, "hi data x:done"},
		{"a call and what it came to", "", "a x", map[string]string{"a": "=one"}, "a:done one x:done"},
		{"of each branch where it came to something", "", "a x", map[string]string{"a": "m:p m:q | m:r ret | s:s"}, "a:done q r s x:done"},
		{"a return is hidden", "", "a x", map[string]string{"a": "ret"}, "a:done x:done"},
		{"a failure shows its error", "", "a b x~", map[string]string{"a": "!X"}, "a:failed !X b:skipped x:done"},
		{"through calls below calls", "", "a x", map[string]string{"a": "m:before p ret", "p": "q", "q": "m:deep ret"}, "a:done deep x:done"},
		{"a failure below", "", "a x~", map[string]string{"a": "p q", "p": "!X"}, "a:done !X x:done"},
		{"a call that shows nothing lets what is before it be seen", "", "a x", map[string]string{"a": "m:before p", "p": "ret"}, "a:done before x:done"},
		{"the entry node's word covers the plain result", "entry", "a x", map[string]string{"a": "=raw", "entry": "m:cooked ret"}, "a:done cooked x:done"},
		{"an entry node that recovered", "entry", "a x", map[string]string{"a": "!X", "entry": "m:instead ret"}, "a:failed instead x:done"},
		{"an entry node that did not", "entry", "a x~", map[string]string{"a": "!X", "entry": "m:pity"}, "a:failed pity x:done"},
		{"an entry node without a word", "entry", "a x~", map[string]string{"a": "!X", "entry": "ret"}, "a:failed !X x:done"},
		{"chains above it", "", "m:hi b a m:no", map[string]string{"a": "m:under c x m:no | m:other", "c": "m:seen"}, "hi b:done b a:done under c:done seen x:done"},
		{"what its own parent came to elsewhere is not before it", "", "a", map[string]string{"a": "m:other | x"}, "a:done x:done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := begin(t, c.entry, chains(c.chains))
			if c.results == nil {
				c.results = map[string]string{}
			}
			c.results["x"] = "m:end ret"
			p.waves(c.results)
			if got := p.shown(p.seq("x"), task.Projection{}); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if got := p.load().shown(p.seq("x"), task.Projection{}); got != c.want {
				t.Errorf("after it was kept: %s, want %s", got, c.want)
			}
		})
	}
}

func TestLineageWhileItRuns(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a x"))
	a := p.seq("a")
	p.move(a, task.Running)
	p.move(p.step(a, "s", task.ValueOf("of s")), task.Done)
	second := p.step(a, "t")
	if got, want := p.shown(second, task.Projection{}), "a:running s:done of s t:queued"; got != want {
		t.Errorf("a step sees %s, want %s", got, want)
	}
	p.move(second, task.Done)
	if got, want := p.shown(1, task.Projection{}), "a:running x:queued"; got != want {
		t.Errorf("before a has ended: %s, want %s", got, want)
	}
	p.end(a, result("=one"))
	if got, want := p.shown(1, task.Projection{}), "a:done one x:queued"; got != want { // steps are not its result
		t.Errorf("then: %s, want %s", got, want)
	}
	p.g.Stop()
	if got, want := p.shown(1, task.Projection{}), "a:done one x:cancelled"; got != want {
		t.Errorf("once it was stopped: %s, want %s", got, want)
	}
}

// TestLineageBesideWhatWasStopped: a branch that was stopped in its middle shows how far it
// came.
func TestLineageBesideWhatWasStopped(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a x~"))
	p.end(0, result("m:said q | r m:after"))
	p.move(p.seq("q"), task.Cancelled)
	p.move(p.seq("r"), task.Cancelled)
	if got, want := p.shown(1, task.Projection{}), "a:done said after x:queued"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFlattened: the whole run in the order of the numbers of its tasks, whichever of them
// asks.
func TestFlattened(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("m:hi a x | m:other"))
	p.waves(map[string]string{"a": "m:p ret | m:q", "x": "!X"})
	want := "hi a:done x:failed other p ret q !X"
	for seq := range p.g.Len() {
		if got := p.shown(seq, task.Projection{Flattened: true}); got != want {
			t.Errorf("task %d sees %s, want %s", seq, got, want)
		}
	}
	list, err := p.g.Project(0, task.Projection{Flattened: true}, p.read)
	if err != nil || len(list) != p.g.Len() {
		t.Fatalf("%d of %d tasks, %v", len(list), p.g.Len(), err)
	}
	for i, e := range list {
		if e.Task.ID != p.g.Task(i).ID || e.State != p.g.State(i) {
			t.Errorf("%d is %+v", i, e)
		}
	}
}

func TestProjectionBounds(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("m:first m:second a x"))
	p.waves(map[string]string{"a": "=value"})
	x := p.seq("x")
	own := value.Size(decode(`{"name": "x", "arguments": {}}`))
	for _, c := range []struct {
		projection task.Projection
		want       string
	}{
		{task.Projection{}, "first second a:done value x:done"},
		{task.Projection{Tasks: 9, Bytes: 1000}, "first second a:done value x:done"},
		{task.Projection{Tasks: 5}, "first second a:done value x:done"},
		{task.Projection{Tasks: 3}, "a:done value x:done"},
		{task.Projection{Tasks: 1}, "x:done"},
		{task.Projection{Bytes: own}, "x:done"},
		{task.Projection{Bytes: own + 6}, "x:done"},
		{task.Projection{Bytes: own + 7}, "value x:done"},
		{task.Projection{Bytes: 2*own + 7}, "a:done value x:done"},
		{task.Projection{Bytes: 2*own + 7, Tasks: 2}, "value x:done"},
		{task.Projection{Bytes: own - 1}, ""},
		{task.Projection{Flattened: true, Tasks: 2}, "value x"},
		{task.Projection{Flattened: true, Bytes: 3}, "x"},
	} {
		if got := p.shown(x, c.projection); got != c.want {
			t.Errorf("%+v shows %q, want %q", c.projection, got, c.want)
		}
	}
}

// TestProjectionLaws: what is shown with bounds is the end of what is shown without, within
// the bounds; a lineage ends in the task, and what it shows to a call that runs is settled
// or stands above it.
func TestProjectionLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawRun(t).begin(t)
		for range rapid.IntRange(0, 40).Draw(t, "acts") {
			if !a.act(t) {
				break
			}
		}
		seq := rapid.IntRange(0, a.g.Len()-1).Draw(t, "task")
		p := task.Projection{
			Flattened: rapid.Bool().Draw(t, "flattened"), Tasks: rapid.IntRange(0, 10).Draw(t, "tasks"), Bytes: rapid.IntRange(0, 200).Draw(t, "bytes"),
		}
		all, err := a.g.Project(seq, task.Projection{Flattened: p.Flattened}, a.read)
		if err != nil {
			t.Fatal(err)
		}
		list, err := a.g.Project(seq, p, a.read)
		if err != nil {
			t.Fatal(err)
		}
		bytes := 0
		for i, e := range list {
			if from := all[len(all)-len(list)+i]; from.Task.ID != e.Task.ID {
				t.Fatalf("%d is task %d, want %d", i, e.Task.Seq, from.Task.Seq)
			}
			bytes += value.Size(e.Data)
		}
		if p.Tasks > 0 && len(list) > p.Tasks || p.Bytes > 0 && bytes > p.Bytes {
			t.Fatalf("%+v shows %d tasks with %d bytes", p, len(list), bytes)
		}
		if p.Flattened {
			return
		}
		if all[len(all)-1].Task.Seq != seq {
			t.Fatalf("a lineage ends in task %d, want %d", all[len(all)-1].Task.Seq, seq)
		}
		for _, e := range all[:len(all)-1] {
			if a.g.State(seq) == task.Running && !a.settled(e.Task.Seq) && !a.isAbove(e.Task.Seq, seq) {
				t.Fatalf("task %d is shown, and neither settled nor above: %s", e.Task.Seq, a.states())
			}
		}
	})
}

// isAbove reports whether a task stands under a call, however deep.
func (p *play) isAbove(call, seq int) bool {
	for {
		parent, ok := p.g.Seq(p.g.Task(seq).Parent)
		if !ok {
			return false
		}
		if parent == call {
			return true
		}
		seq = parent
	}
}
