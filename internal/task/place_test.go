package task_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

func TestPlace(t *testing.T) {
	t.Parallel()
	p := task.Placer{Seq: 7, Now: 50}
	top := p.Place(task.Under{}, chains("m:hi a~ | b"))
	hi, a, b := top.Tasks[0], top.Tasks[1], top.Tasks[2]
	below := p.Place(task.Under{Parent: &a, Branches: 2}, [][]task.Draft{
		{task.CallOf(task.Call{Name: "c", Step: "each[3].0"}), draft("v:x")}, {draft("ret")},
	})
	c, x, ret := below.Tasks[0], below.Tasks[1], below.Tasks[2]
	bare := func(t task.Task) task.Task { t.ID, t.Content = task.ID{}, task.ID{}; return t }
	for i, want := range []task.Task{
		{Role: tool.RoleAssistant, Type: tool.TypeMessage, Seq: 7, CreatedAt: 50},
		{Role: tool.RoleTool, Type: tool.TypeTool, Seq: 8, CreatedAt: 50, Prior: hi.ID, Name: "a", RunOn: tool.RunOnSettled},
		{Role: tool.RoleTool, Type: tool.TypeTool, Seq: 9, CreatedAt: 50, Branch: 1, Name: "b"},
		{Role: tool.RoleTool, Type: tool.TypeTool, Seq: 10, CreatedAt: 50, Parent: a.ID, Branch: 2, Depth: 1, Name: "c", Step: "each[3].0"},
		{Role: tool.RoleTool, Type: tool.TypeToolResult, Seq: 11, CreatedAt: 50, Parent: a.ID, Prior: c.ID, Branch: 2, Depth: 1},
		{Role: tool.RoleSystem, Type: tool.TypeReturn, Seq: 12, CreatedAt: 50, Parent: a.ID, Branch: 3, Depth: 1},
	} {
		if diff := cmp.Diff(want, bare([]task.Task{hi, a, b, c, x, ret}[i])); diff != "" {
			t.Errorf("task %d:\n%s", i, diff)
		}
	}
	deeper := p.Place(task.Under{Parent: &c}, chains("m:deep")).Tasks[0]
	if deeper.Depth != 2 || deeper.Seq != 13 || p.Seq != 14 {
		t.Errorf("%+v, then %d", deeper, p.Seq)
	}
	all := top
	all.Add(below)
	want := []task.Execution{{Seq: 8, State: task.Queued}, {Seq: 9, State: task.Queued}, {Seq: 10, State: task.Queued}}
	if diff := cmp.Diff(want, all.Executions); diff != "" || len(all.Tasks) != 6 || len(all.Contents) != 6 {
		t.Errorf("%d tasks, %d contents, executions:\n%s", len(all.Tasks), len(all.Contents), diff)
	}
}

func TestPlaceKeepsAContentOnce(t *testing.T) {
	t.Parallel()
	p := task.Placer{}
	batch := p.Place(task.Under{}, chains("m:x m:y m:x | m:x"))
	if len(batch.Contents) != 2 || string(batch.Contents[0].JSON) != `"x"` || batch.Contents[1].Type != tool.TypeMessage {
		t.Errorf("%v", batch.Contents)
	}
	if batch.Tasks[0].Content != batch.Contents[0].ID || batch.Tasks[3].Content != batch.Contents[0].ID {
		t.Error("equal contents have several ids")
	}
	if empty := p.Place(task.Under{}, nil); len(empty.Tasks)+len(empty.Contents)+len(empty.Executions) != 0 {
		t.Errorf("nothing was placed as %v", empty)
	}
}

// TestEqualPlaces: what would have one id is made a millisecond apart.
func TestEqualPlaces(t *testing.T) {
	t.Parallel()
	p := task.Placer{Now: 50}
	top := p.Place(task.Under{}, chains("a b | a b | a b | c")).Tasks
	for i, want := range []int64{50, 50, 51, 50, 52, 50, 50} { // the b's differ by what is before them
		if top[i].CreatedAt != want {
			t.Errorf("task %d is made at %d, want %d", i, top[i].CreatedAt, want)
		}
	}
	under := p.Place(task.Under{Parent: &top[0]}, chains("a | a")).Tasks
	if under[0].CreatedAt != 50 || under[1].CreatedAt != 51 {
		t.Errorf("made at %d and %d", under[0].CreatedAt, under[1].CreatedAt)
	}
	again := p.Place(task.Under{Branches: 4}, chains("a")).Tasks // the caller adds the same once more
	if again[0].CreatedAt != 53 {
		t.Errorf("made at %d", again[0].CreatedAt)
	}
	seen := map[task.ID]bool{}
	for _, one := range append(append(top, under...), again...) {
		if seen[one.ID] {
			t.Errorf("two tasks have the id %s", one.ID)
		}
		seen[one.ID] = true
	}
}

// TestStep: the steps of a flow stand one after the other under its call, equal ones too,
// each with what it came to below it.
func TestStep(t *testing.T) {
	t.Parallel()
	p := task.Placer{Now: 50}
	flow := p.Place(task.Under{}, chains("flow")).Tasks[0]
	seen := map[task.ID]bool{flow.ID: true}
	var before task.ID
	for i := range 3 {
		batch := p.Step(&flow, before, task.Call{Name: "notes.add", Step: "save"}, draft("v:kept"))
		step, came := batch.Tasks[0], batch.Tasks[1]
		if step.Parent != flow.ID || step.Prior != before || step.Branch != 0 || step.Depth != 1 || step.Seq != 1+2*i || step.Step != "save" {
			t.Errorf("step %d is %+v", i, step)
		}
		if came.Parent != step.ID || !came.Prior.None() || came.Depth != 2 || came.Seq != step.Seq+1 {
			t.Errorf("step %d came to %+v", i, came)
		}
		if len(batch.Executions) != 1 || batch.Executions[0].Seq != step.Seq || seen[step.ID] || seen[came.ID] {
			t.Errorf("step %d: %+v", i, batch)
		}
		seen[step.ID], seen[came.ID], before = true, true, step.ID
	}
	two, one := task.Placer{Now: 50}, task.Placer{Now: 50}
	chain := two.Place(task.Under{Parent: &flow}, [][]task.Draft{{
		task.CallOf(task.Call{Name: "a", Step: "x"}), task.CallOf(task.Call{Name: "b", Step: "y"}),
	}}).Tasks
	first := one.Step(&flow, task.ID{}, task.Call{Name: "a", Step: "x"}).Tasks[0]
	second := one.Step(&flow, first.ID, task.Call{Name: "b", Step: "y"}).Tasks[0]
	if first.ID != chain[0].ID || second.ID != chain[1].ID {
		t.Error("steps that are placed one by one have other ids than a chain of them")
	}
	if batch := p.Step(&flow, before, task.Call{Name: "notes.add", Step: "save"}); len(batch.Tasks) != 1 || p.Seq != 8 {
		t.Errorf("a step that came to nothing yet: %+v", batch)
	}
}

func TestPlaceLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "m:x", "v:x", "a~"})
		p, again := task.Placer{Now: 5}, task.Placer{Now: 5}
		seen := map[task.ID]bool{}
		var calls []task.Task
		for range rapid.IntRange(1, 4).Draw(t, "batches") {
			var list [][]task.Draft
			for range rapid.IntRange(1, 4).Draw(t, "chains") {
				var chain []task.Draft
				for _, w := range rapid.SliceOfN(word, 1, 3).Draw(t, "chain") {
					chain = append(chain, draft(w))
				}
				list = append(list, chain)
			}
			under := task.Under{}
			if len(calls) > 0 && rapid.Bool().Draw(t, "below") {
				under.Parent = &calls[rapid.IntRange(0, len(calls)-1).Draw(t, "parent")]
			}
			batch := p.Place(under, list)
			if diff := cmp.Diff(batch, again.Place(under, list)); diff != "" {
				t.Fatalf("placed again it is different:\n%s", diff)
			}
			for _, one := range batch.Tasks {
				if seen[one.ID] || one.ID.None() {
					t.Fatalf("the id %s is there twice", one.ID)
				}
				if seen[one.ID] = true; one.CreatedAt < 5 {
					t.Fatalf("made at %d", one.CreatedAt)
				}
				if one.Calls() {
					calls = append(calls, one)
				}
			}
		}
	})
}

func TestResultDrafts(t *testing.T) {
	t.Parallel()
	failure := &task.Failure{Code: "X", Message: "No."}
	const entryCall = `tool tool {"arguments":{},"name":"entry"} → entry null `
	for _, c := range []struct {
		name, entry string
		result      task.Result
		want        string
	}{
		{"a plain value", "", task.Result{Value: object{"a": true}}, `tool toolresult {"a":true}`},
		{"nothing at all", "", task.Result{}, `tool toolresult null`},
		{"a plain value for an entry node", "entry", task.Result{Value: "x"}, `tool toolresult "x"` + "\n" + entryCall},
		{"a failure", "", task.Result{Failure: failure}, `tool error {"code":"X","message":"No."}`},
		{"a failure for an entry node", "entry", task.Result{Failure: failure}, `tool error {"code":"X","message":"No."}` + "\n" + entryCall},
		{"a failure before all else", "", task.Result{Failure: failure, Chains: chains("m:x"), Value: 1}, `tool error {"code":"X","message":"No."}`},
		{"subtasks, exactly these", "entry", task.Result{Chains: chains("m:x | m:y"), Value: 1}, `assistant message "x"` + "\n" + `|assistant message "y"`},
	} {
		if got := show(c.result.Drafts(c.entry)); got != c.want+"\n" {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	l := task.Limits{Tasks: 10, Depth: 3, ResultTasks: 4}
	for _, c := range []struct {
		name, chains string
		used, depth  int
		code         string
	}{
		{"all bounds met", "a b | c d", 6, 3, ""},
		{"a result too large", "a b | c d e", 0, 0, task.CodeResultTasks},
		{"a run too large", "a b | c", 8, 0, task.CodeRunTasks},
		{"too deep", "a", 0, 4, task.CodeRunDepth},
		{"the result first", "a b c d e", 9, 9, task.CodeResultTasks},
		{"then the run", "a b", 9, 9, task.CodeRunTasks},
	} {
		failure := l.Measure(chains(c.chains), c.used, c.depth)
		if (failure == nil) != (c.code == "") || failure != nil && failure.Code != c.code {
			t.Errorf("%s: %v", c.name, failure)
		}
	}
	if f := l.Measure(chains("a b c"), 9, 0); f.Message != "The run would have 12 tasks; at most 10 are allowed." {
		t.Error(f.Message)
	}
}

func TestLimitsWithDefaults(t *testing.T) {
	t.Parallel()
	want := task.Limits{
		Tasks: 10_000, Depth: 64, ResultTasks: 1_000, Errors: 25, Time: time.Hour, CallTime: 10 * time.Minute,
		Arguments: 65_536, Result: 262_144,
	}
	if diff := cmp.Diff(want, task.Limits{}.WithDefaults()); diff != "" {
		t.Error(diff)
	}
	own := task.Limits{Tasks: 1, Depth: 2, ResultTasks: 3, Errors: 4, Time: 5, CallTime: 6, Arguments: 7, Result: 8}
	if diff := cmp.Diff(own, own.WithDefaults()); diff != "" {
		t.Error(diff)
	}
	want.Errors = 1
	if diff := cmp.Diff(want, task.Limits{Errors: 1}.WithDefaults()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsFinal(t *testing.T) {
	t.Parallel()
	for s, want := range map[task.State]bool{
		task.Queued: false, task.Waiting: false, task.Running: false, task.Unknown: false, "": false,
		task.Done: true, task.Failed: true, task.Cancelled: true, task.Skipped: true,
	} {
		if s.Final() != want {
			t.Errorf("%s is final: %v", s, !want)
		}
	}
	for s, want := range map[task.RunStatus]bool{
		task.RunRunning: false, task.RunWaiting: false, task.RunUnknown: false, "": false,
		task.RunSucceeded: true, task.RunFailed: true, task.RunRecoveryRequired: true, task.RunCancelled: true,
	} {
		if s.Settled() != want {
			t.Errorf("%s is settled: %v", s, !want)
		}
	}
}

func TestChainNotation(t *testing.T) {
	t.Parallel()
	// The tables of these tests say what they seem to say.
	got := value.JSON(write(chains("a~ | e:X")))
	want := `[[{"content":{"data":{"arguments":{},"name":"a","runOn":"settled"},"type":"tool"},"role":"tool"}],` +
		`[{"content":{"data":{"code":"X","message":"It failed."},"type":"error"},"role":"tool"}]]`
	if got != want {
		t.Error(got)
	}
}
