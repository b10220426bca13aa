package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
)

// seen is what a check says of how steps hang together, as "level code path: message".
func seen(text []byte) []string {
	got := []string{}
	for _, d := range check.Run(text, builtin).Diagnostics {
		got = append(got, fmt.Sprintf("%s %s %s: %s", d.Level, d.Code, d.Path, d.Message))
	}
	return got
}

func TestGraphs(t *testing.T) {
	t.Parallel()
	set := func(id, next string) string { return sets(id, "a", "1", next) }
	branch := func(id, then, otherwise string) string { return tests(id, "1", then, otherwise) }
	cycle := func(path, names string) string {
		return "error FORGE_CYCLE " + path + ": The flow comes back to itself: " + names + ". Use a foreach step to repeat something."
	}
	lost := func(i int, id string) string {
		return fmt.Sprintf(`warning FORGE_UNREACHABLE_NODE $.flow.nodes[%d]: Nothing leads to the step %q.`, i, id)
	}
	nowhere := func(path, id, hint string) string {
		return fmt.Sprintf("error FORGE_EDGE_MISSING %s: %q leads nowhere.%s", path, id, hint)
	}
	double := func(i int, id string) string {
		return fmt.Sprintf("error FORGE_NODE_DUPLICATE $.flow.nodes[%d].id: Another step has the id %q already.", i, id)
	}
	end := returns("1")
	for _, c := range []struct {
		name  string
		entry string
		steps []string
		want  []string
	}{
		{name: "one step", steps: []string{end}},
		{name: "two branches that meet", steps: []string{branch("one", "two", "six"), set("two", "done"), set("six", "done"), end}},
		{name: "both branches to one step", steps: []string{branch("one", "done", "done"), end}},
		{name: "steps written backwards", entry: "one", steps: []string{end, set("two", "done"), set("one", "two")}},
		{name: "itself", steps: []string{branch("one", "one", "done"), end}, want: []string{cycle("$.flow.nodes[0].then", "one → one")}},
		{name: "itself by the other branch", steps: []string{branch("one", "done", "one"), end}, want: []string{cycle("$.flow.nodes[0].else", "one → one")}},
		{
			name: "both branches close one cycle", steps: []string{set("one", "two"), branch("two", "one", "one")},
			want: []string{cycle("$.flow.nodes[1].then", "one → two → one")},
		},
		{
			name: "a cycle after the entry", steps: []string{set("one", "two"), branch("two", "six", "done"), set("six", "two"), end},
			want: []string{cycle("$.flow.nodes[2].next", "two → six → two")},
		},
		{
			name: "a cycle in a cycle", steps: []string{set("one", "two"), branch("two", "six", "done"), branch("six", "two", "one"), end},
			want: []string{cycle("$.flow.nodes[2].then", "two → six → two"), cycle("$.flow.nodes[2].else", "one → two → six → one")},
		},
		{
			name:  "two cycles beside each other",
			steps: []string{branch("one", "two", "six"), branch("two", "two", "done"), branch("six", "six", "done"), end},
			want:  []string{cycle("$.flow.nodes[1].then", "two → two"), cycle("$.flow.nodes[2].then", "six → six")},
		},
		{
			name: "a way forward to a step that was left is no cycle", steps: []string{branch("one", "two", "six"), set("two", "six"), set("six", "done"), end},
		},
		{
			name: "a long cycle is named by its ends", entry: "n00",
			steps: append(chain(14, "n00"), end),
			want: []string{
				cycle("$.flow.nodes[13].next", "n00 → n01 → n02 → n03 → n04 → n05 → … → n08 → n09 → n10 → n11 → n12 → n13 → n00"),
				lost(14, "done"),
			},
		},
		{
			name: "a cycle of twelve is named in full", entry: "n00", steps: chain(12, "n00"),
			want: []string{cycle("$.flow.nodes[11].next", "n00 → n01 → n02 → n03 → n04 → n05 → n06 → n07 → n08 → n09 → n10 → n11 → n00")},
		},
		{name: "never reached", steps: []string{end, set("two", "done")}, want: []string{lost(1, "two")}},
		{name: "never reached, and leads to itself", steps: []string{end, set("two", "two")}, want: []string{lost(1, "two")}},
		{
			name: "never reached, two that lead to each other", steps: []string{end, set("two", "six"), set("six", "two")},
			want: []string{lost(1, "two"), lost(2, "six")},
		},
		{
			name: "edges to nowhere", steps: []string{branch("one", "doone", "nothing-like-it"), end},
			want: []string{
				nowhere("$.flow.nodes[0].then", "doone", ` Did you mean "done"?`),
				nowhere("$.flow.nodes[0].else", "nothing-like-it", " Known here: one, done."), lost(1, "done"),
			},
		},
		{
			name: "an edge to nowhere from a step that is never reached", steps: []string{end, set("two", "dnoe")},
			want: []string{lost(1, "two"), nowhere("$.flow.nodes[1].next", "dnoe", ` Did you mean "done"?`)},
		},
		{
			name: "an empty edge", steps: []string{set("one", ""), end},
			want: []string{
				nowhere("$.flow.nodes[0].next", "", " Known here: one, done."), lost(1, "done"),
			},
		},
		{
			name: "one id three times", steps: []string{set("one", "two"), set("two", "done"), set("two", "done"), set("two", "done"), end},
			want: []string{double(2, "two"), double(3, "two")},
		},
		{
			name: "the id of the entry twice", steps: []string{end, end},
			want: []string{double(1, "done")},
		},
		{
			name: "no such entry", entry: "noe", steps: []string{set("one", "done"), end},
			want: []string{`error FORGE_ENTRY_MISSING $.flow.entry: There is no step "noe" to begin with. Did you mean "one"?`, lost(0, "one"), lost(1, "done")},
		},
		{
			name: "entry in other letter case", entry: "Done", steps: []string{end},
			want: []string{`error FORGE_ENTRY_MISSING $.flow.entry: There is no step "Done" to begin with. Did you mean "done"?`, lost(0, "done")},
		},
		{
			// Nothing is said of what can be reached where steps are not what they should be.
			name: "a step of an unknown kind can be led to", steps: []string{set("one", "two"), `{"id": "two", "type": "jump"}`, set("six", "one")},
			want: []string{
				"error FORGE_MANIFEST_STRUCTURE $.flow.nodes[1].type: There is no kind of step \"jump\". " +
					"Known here: set, capability, llm, if, foreach, return, fail.",
			},
		},
		{
			name: "an edge that is no text", steps: []string{strings.Replace(set("one", "done"), `"next": "done"`, `"next": 7`, 1), end},
			want: []string{`error FORGE_MANIFEST_STRUCTURE $.flow.nodes[0].next: "next" has to be a text; this is a number.`},
		},
		{
			name: "an edge that is missing", steps: []string{strings.Replace(set("one", "done"), `, "next": "done"`, ``, 1), end},
			want: []string{
				`error FORGE_MANIFEST_STRUCTURE $.flow.nodes[0].next: Required field "next" is missing in a "set" step: the id of the next step.`,
			},
		},
		{
			name: "an id that is missing", entry: "one", steps: []string{set("one", "one"), strings.Replace(end, `"id": "done", `, ``, 1)},
			want: []string{
				cycle("$.flow.nodes[0].next", "one → one"),
				`error FORGE_MANIFEST_STRUCTURE $.flow.nodes[1].id: Required field "id" is missing in a "return" step.`,
			},
		},
		{
			name: "cycles are seen beside a wrong structure", steps: []string{branch("one", "one", "two"), `{"id": "two", "type": 7}`},
			want: []string{
				cycle("$.flow.nodes[0].then", "one → one"),
				`error FORGE_MANIFEST_STRUCTURE $.flow.nodes[1].type: "type" has to be a text; this is a number.`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := seen(draft{entry: c.entry, steps: c.steps}.text())
			if c.want == nil {
				c.want = []string{}
			}
			// A flow without a result is another matter.
			got = slices.DeleteFunc(got, func(s string) bool { return strings.Contains(s, "FORGE_REF_UNDEFINED") })
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestNoListOfSteps: where the steps are no list nothing is said of how many there are.
func TestNoListOfSteps(t *testing.T) {
	t.Parallel()
	for _, other := range []string{`{}`, `"steps"`, `7`, `null`} {
		nodes, _, _ := strings.Cut(string(draft{}.text()), `"nodes": [`)
		if diff := cmp.Diff([]string{"FORGE_MANIFEST_STRUCTURE $.flow.nodes"}, brief(check.Run([]byte(nodes+`"nodes": `+other+`}}`), builtin).Diagnostics)); diff != "" {
			t.Errorf("nodes %s (-want +got):\n%s", other, diff)
		}
		body := flow(strings.Replace(repeats("loop", `[]`, "item", "done"), `"body": []`, `"body": `+other, 1), returns("1"))
		if diff := cmp.Diff([]string{"FORGE_MANIFEST_STRUCTURE $.flow.nodes[0].body"}, brief(check.Run(body, builtin).Diagnostics)); diff != "" {
			t.Errorf("body %s (-want +got):\n%s", other, diff)
		}
	}
}

// chain is n steps n00, n01, … of which the last leads to last.
func chain(n int, last string) []string {
	steps := make([]string, n)
	for i := range steps {
		next := fmt.Sprintf("n%02d", i+1)
		if i == n-1 {
			next = last
		}
		steps[i] = sets(fmt.Sprintf("n%02d", i), "a", "1", next)
	}
	return steps
}

// web is n steps, each of which leads to the next two: about 1.6^n ways through.
func web(n int) []string {
	var steps []string
	for i := range n {
		steps = append(steps, tests(fmt.Sprintf("n%02d", i), "1", fmt.Sprintf("n%02d", min(i+1, n)), fmt.Sprintf("n%02d", min(i+2, n))))
	}
	return append(steps, fmt.Sprintf(`{"id": "n%02d", "type": "return", "value": 1}`, n))
}

// TestManyWays: a flow is walked once over each edge, so that ten thousand million ways
// through it are no matter.
func TestManyWays(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string][]string{"web": web(63), "chain": append(chain(63, "done"), returns("1"))} {
		if r := check.Run(flow(steps...), builtin); !r.OK() || len(r.Diagnostics) > 0 {
			t.Errorf("%s: %v", name, r.Diagnostics)
		}
	}
	// Beyond the bound of steps the walk is the same.
	for name, steps := range map[string][]string{"web": web(400), "chain": append(chain(500, "done"), returns("1"))} {
		if diff := cmp.Diff([]string{"FORGE_NODE_BOUNDS $.flow.nodes"}, brief(check.Run(flow(steps...), builtin).Diagnostics)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// BenchmarkGraph shows that the time grows with the number of steps and not with that of
// the ways through them.
func BenchmarkGraph(b *testing.B) {
	for _, n := range []int{16, 32, 64, 128, 256} {
		for name, steps := range map[string][]string{"web": web(n), "chain": append(chain(n, "done"), returns("1"))} {
			text := flow(steps...)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					check.Run(text, builtin)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/step")
			})
		}
	}
}

// TestRandomGraphs holds what is said of random flows against a slower way to find out.
func TestRandomGraphs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "steps")
		leads := make([][]int, n) // n is nowhere
		steps := make([]string, n)
		id := func(i int) string { return fmt.Sprintf("n%02d", i) }
		for i := range n {
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				steps[i] = fmt.Sprintf(`{"id": %q, "type": "return", "value": 1}`, id(i))
			case 1, 2:
				leads[i] = []int{rapid.IntRange(0, n).Draw(t, "next")}
				steps[i] = sets(id(i), "a", "1", id(leads[i][0]))
			default:
				leads[i] = []int{rapid.IntRange(0, n).Draw(t, "then"), rapid.IntRange(0, n).Draw(t, "else")}
				steps[i] = tests(id(i), "1", id(leads[i][0]), id(leads[i][1]))
			}
		}
		list := check.Run(flow(steps...), builtin).Diagnostics
		if problem := disorder(list); problem != "" {
			t.Error(problem)
		}
		reached := reach(leads, 0)
		var missing, unreached, wantMissing, wantUnreached []string
		for i, to := range leads {
			for k, j := range to {
				if j == n {
					name := []string{"next", "then", "else"}[len(to)-1+k]
					wantMissing = append(wantMissing, fmt.Sprintf("$.flow.nodes[%d].%s", i, name))
				}
			}
			if !reached[i] {
				wantUnreached = append(wantUnreached, fmt.Sprintf("$.flow.nodes[%d]", i))
			}
		}
		closing := map[string]bool{}
		for _, d := range list {
			switch d.Code {
			case check.CodeEdgeMissing:
				missing = append(missing, d.Path)
			case check.CodeUnreachableNode:
				unreached = append(unreached, d.Path)
			case check.CodeCycle:
				closing[d.Path] = true
				namesCycle(t, leads, d)
			}
		}
		if diff := cmp.Diff(wantMissing, missing); diff != "" {
			t.Errorf("edges to nowhere (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(wantUnreached, unreached); diff != "" {
			t.Errorf("not reached (-want +got):\n%s", diff)
		}
		// A flow has cycles if and only if some are reported, and without the edges that
		// are reported it has none.
		if got, want := len(closing) > 0, cyclic(leads, reached, nil); got != want {
			t.Errorf("cycles reported: %v, there are some: %v", got, want)
		}
		if cyclic(leads, reached, closing) {
			t.Errorf("there is a cycle that is not reported")
		}
	})
}

// namesCycle checks that the steps named in a message follow each other and close.
func namesCycle(t *rapid.T, leads [][]int, d manifest.Diagnostic) {
	_, rest, _ := strings.Cut(d.Message, "itself: ")
	names, _, _ := strings.Cut(rest, ". Use")
	path := strings.Split(names, " → ")
	if len(path) < 2 || path[0] != path[len(path)-1] {
		t.Fatalf("%s is no cycle", names)
	}
	var from, to, at int
	for i := range len(path) - 1 {
		if _, err := fmt.Sscanf(path[i]+" "+path[i+1], "n%d n%d", &from, &to); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(leads[from], to) {
			t.Errorf("%s: %s does not lead to %s", names, path[i], path[i+1])
		}
	}
	if _, err := fmt.Sscanf(d.Path, "$.flow.nodes[%d]", &at); err != nil || at != from {
		t.Errorf("%s is reported at %s", names, d.Path)
	}
}

func reach(leads [][]int, from int) []bool {
	reached := make([]bool, len(leads))
	var visit func(i int)
	visit = func(i int) {
		if i == len(leads) || reached[i] {
			return
		}
		reached[i] = true
		for _, j := range leads[i] {
			visit(j)
		}
	}
	visit(from)
	return reached
}

// cyclic reports whether the steps that are reached lead in a circle, without some edges
// ("$.flow.nodes[2].then"): steps to which nothing leads any more are taken out until
// none is left, or none can be.
func cyclic(leads [][]int, reached []bool, without map[string]bool) bool {
	incoming := make([]int, len(leads))
	each := func(i int, f func(j int)) {
		for k, j := range leads[i] {
			edge := fmt.Sprintf("$.flow.nodes[%d].%s", i, []string{"next", "then", "else"}[len(leads[i])-1+k])
			twin := k == 1 && leads[i][0] == j && without[strings.Replace(edge, "else", "then", 1)]
			if j < len(leads) && !without[edge] && !twin {
				f(j)
			}
		}
	}
	left := 0
	for i := range leads {
		if reached[i] {
			left++
			each(i, func(j int) { incoming[j]++ })
		}
	}
	for gone := true; gone; {
		gone = false
		for i := range leads {
			if reached[i] && incoming[i] == 0 {
				incoming[i] = -1
				left--
				gone = true
				each(i, func(j int) { incoming[j]-- })
			}
		}
	}
	return left > 0
}
