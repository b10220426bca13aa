package task_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/task"
	"toolsmith/tool"
)

// plan is what a drawn call comes to, whenever it is carried out.
type plan struct {
	name  string
	runOn tool.RunOn
	// steps that it goes through itself before its result.
	steps int
	fails bool
	// chains that it returns; nil for a plain value or a failure.
	chains [][]link
	// entry is what the entry node comes to that sees the value or the failure; nil for no
	// entry node.
	entry *plan
}

// link is a drawn task in a chain; plan is nil where it is no call.
type link struct {
	draft task.Draft
	plan  *plan
}

// planner draws plans, and gives every call a name of its own.
type planner struct {
	t     *rapid.T
	entry bool
	calls int
}

func (d *planner) chance(percent int, label string) bool {
	return rapid.IntRange(1, 100).Draw(d.t, label) <= percent
}

func (d *planner) chains(fuel, most int) [][]link {
	list := make([][]link, rapid.IntRange(1, most).Draw(d.t, "chains"))
	for i := range list {
		list[i] = d.chain(fuel)
	}
	return list
}

func (d *planner) chain(fuel int) []link {
	var list []link
	n := rapid.IntRange(1, 4).Draw(d.t, "tasks")
	for i := range n {
		if fuel > 0 && d.calls < 40 && d.chance(70, "call") {
			p := d.call(fuel - 1)
			list = append(list, link{task.CallOf(task.Call{Name: p.name, RunOn: p.runOn}), p})
			continue
		}
		word := rapid.SampledFrom([]string{"m", "s", "v", "e", "ret"}).Draw(d.t, "type")
		if word == "ret" {
			if i < n-1 {
				continue
			}
			return append(list, link{draft: draft(word)})
		}
		list = append(list, link{draft: draft(fmt.Sprintf("%s:%d", word, i))})
	}
	if len(list) == 0 {
		list = append(list, link{draft: draft("m:alone")})
	}
	return list
}

func (d *planner) call(fuel int) *plan {
	d.calls++
	p := &plan{name: fmt.Sprintf("c%d", d.calls)}
	if d.chance(30, "settled") {
		p.runOn = tool.RunOnSettled
	}
	d.result(p, fuel)
	return p
}

// result draws what a call comes to. Without fuel it makes no more calls.
func (d *planner) result(p *plan, fuel int) {
	if d.chance(20, "steps") {
		p.steps = rapid.IntRange(1, 3).Draw(d.t, "steps")
	}
	if d.entry && fuel <= 0 || d.chance(35, "subtasks") {
		p.chains = d.chains(fuel, 3)
		return
	}
	p.fails = d.chance(50, "fails")
	if d.entry {
		p.entry = &plan{name: "entry"}
		d.result(p.entry, fuel-1)
		if d.chance(50, "returns") && p.entry.chains != nil { // else it seldom would
			for i, chain := range p.entry.chains {
				if chain[len(chain)-1].draft.Type != tool.TypeReturn {
					p.entry.chains[i] = append(chain, link{draft: draft("ret")})
				}
			}
		}
	}
}

// links are the branches that the result of a call makes.
func (p *plan) links(entry string) [][]link {
	if p.chains != nil {
		return p.chains
	}
	drafts := p.result().Drafts(entry)[0]
	chain := []link{{draft: drafts[0]}}
	if entry != "" {
		chain = append(chain, link{drafts[1], p.entry})
	}
	return [][]link{chain}
}

func (p *plan) result() task.Result {
	if p.fails {
		return task.Result{Failure: &task.Failure{Code: "X", Message: p.name}}
	}
	r := task.Result{Value: p.name}
	if p.chains != nil {
		r = task.Result{Chains: draftsOf(p.chains)}
	}
	return r
}

func draftsOf(list [][]link) [][]task.Draft {
	out := make([][]task.Draft, len(list))
	for i, chain := range list {
		for _, l := range chain {
			out[i] = append(out[i], l.draft)
		}
	}
	return out
}

// drawn is a run that was drawn: the entry node and the caller's chains.
type drawn struct {
	entry string
	top   [][]link
}

func drawRun(t *rapid.T) drawn {
	d := planner{t: t, entry: rapid.Bool().Draw(t, "entry")}
	r := drawn{top: d.chains(3, 3)}
	if d.entry {
		r.entry = "entry"
	}
	return r
}

// judge says what becomes of a run by the rules of docs/state-machine.md, one chain after
// the other, as a person would who reads them. It knows nothing of events.
type judge struct {
	entry  string
	states map[string]string // by the place of a task
}

// family judges chains side by side.
func (j *judge) family(place string, list [][]link) (all task.Outcome, v any, has bool) {
	all = task.Good
	values := make(array, len(list))
	for i, chain := range list {
		outcome, one, hasOne := j.chain(fmt.Sprintf("%s/%d", place, i), chain)
		if outcome == task.Bad {
			all = task.Bad
		}
		if values[i] = one; len(list) == 1 {
			return all, one, hasOne
		}
	}
	return all, values, true
}

func (j *judge) chain(place string, chain []link) (outcome task.Outcome, v any, has bool) {
	outcome = task.Good
	for i, l := range chain {
		at := fmt.Sprintf("%s.%d", place, i)
		switch {
		case l.plan == nil:
			j.states[at] = string(l.draft.Type)
			if l.draft.Type != tool.TypeError && l.draft.Type != tool.TypeReturn {
				v, has = l.draft.Data, true
			}
		case outcome == task.Bad && l.plan.runOn != tool.RunOnSettled:
			j.states[at] = l.plan.name + " skipped"
			v, has = nil, false
		default:
			outcome, v, has = j.call(at, l.plan)
		}
	}
	if outcome == task.Bad {
		return outcome, nil, false
	}
	return outcome, v, has
}

func (j *judge) call(at string, p *plan) (outcome task.Outcome, v any, has bool) {
	j.states[at] = p.name + " done"
	outcome, v, has = j.family(at, p.links(j.entry))
	if p.fails {
		j.states[at] = p.name + " failed"
		if p.entry == nil || outcome == task.Bad || !p.entry.endsInReturn(j.entry) {
			return task.Bad, nil, false
		}
	}
	// One branch that is bad leaves a call without a value; where there are several, those
	// that are good keep theirs, but only a good chain around it has a value.
	return outcome, v, has
}

// endsInReturn reports whether all that a call comes to ends in a return.
func (p *plan) endsInReturn(entry string) bool {
	for _, chain := range p.links(entry) {
		last := chain[len(chain)-1]
		if last.draft.Type != tool.TypeReturn && (last.plan == nil || !last.plan.endsInReturn(entry)) {
			return false
		}
	}
	return true
}

// seen is what can be seen of a run: what its tasks have become by their places, how it
// ended and what it came to.
type seen struct {
	States  map[string]string
	Outcome task.Outcome
	Value   string
}

// diff says how other is different; "" if it is not.
func (s seen) diff(other seen) string {
	if s.Outcome == other.Outcome && s.Value == other.Value && maps.Equal(s.States, other.States) {
		return "" // which is most often so, and cmp takes its time
	}
	return cmp.Diff(s, other)
}

// judged is what a run should come to.
func (r drawn) judged() seen {
	j := judge{entry: r.entry, states: map[string]string{}}
	outcome, v, has := j.family("", r.top)
	return seen{States: j.states, Outcome: outcome, Value: came(v, has, nil)}
}

// look gives what a graph shows.
func (p *play) look() seen {
	s := seen{States: map[string]string{}, Outcome: p.g.Outcome(), Value: p.result()}
	p.lookBelow(s.States, "", -1)
	return s
}

func (p *play) lookBelow(states map[string]string, place string, seq int) {
	for i, chain := range p.results(seq) {
		for k, one := range chain {
			at, t := fmt.Sprintf("%s/%d.%d", place, i, k), p.g.Task(one)
			if !t.Calls() {
				states[at] = string(t.Type)
				continue
			}
			states[at] = t.Name + " " + string(p.g.State(one))
			p.lookBelow(states, at, one)
		}
	}
}

// results are the chains under a call, its own steps left out.
func (p *play) results(seq int) [][]int {
	list := p.g.Families(seq)
	if len(list) > 0 && p.g.Task(list[0][0]).Step != "" {
		return list[1:]
	}
	return list
}

// settled says by the rules whether a task is settled, whatever the graph says.
func (p *play) settled(seq int) bool {
	t := p.g.Task(seq)
	if !t.Prior.None() {
		prior, ok := p.g.Seq(t.Prior)
		if !ok || !p.settled(prior) {
			return false
		}
	}
	if !t.Calls() {
		return true
	}
	if !p.g.State(seq).Final() {
		return false
	}
	for _, chain := range p.g.Families(seq) {
		if !p.settled(chain[len(chain)-1]) {
			return false
		}
	}
	return true
}

// troupe carries out a drawn run in some order.
type troupe struct {
	*play
	run   drawn
	plans map[int]*plan
	// ready were given out and not begun, running begun, waiting began and wait.
	ready, running, waiting []int
	given                   map[int]bool
	// steps that were added to a call, which are there when it runs again.
	stepped map[int]bool
}

func (r drawn) begin(tb rapid.TB) *troupe {
	a := &troupe{
		play: begin(tb, r.entry, draftsOf(r.top)), run: r, plans: map[int]*plan{}, given: map[int]bool{}, stepped: map[int]bool{},
	}
	a.learn(-1, r.top)
	a.take()
	return a
}

// learn notes the plans of the calls under another.
func (a *troupe) learn(seq int, list [][]link) {
	for i, chain := range a.results(seq) {
		for k, one := range chain {
			if p := list[i][k].plan; p != nil {
				a.plans[one] = p
			}
		}
	}
}

// take asks what has become ready, and holds it to the rules.
func (a *troupe) take() {
	a.tb.Helper()
	for _, seq := range a.g.Ready() {
		t := a.g.Task(seq)
		if a.given[seq] {
			a.tb.Fatalf("%s is ready twice", t.Name)
		}
		a.given[seq] = true
		if prior, ok := a.g.Seq(t.Prior); ok && !a.settled(prior) {
			a.tb.Fatalf("%s is ready before what comes before it is settled", t.Name)
		}
		if parent, ok := a.g.Seq(t.Parent); ok && !a.g.State(parent).Final() {
			a.tb.Fatalf("%s is ready before its parent has ended", t.Name)
		}
		if a.g.State(seq) != task.Queued {
			a.tb.Fatalf("%s is ready, and %s", t.Name, a.g.State(seq))
		}
		a.ready = append(a.ready, seq)
	}
	for _, seq := range a.g.Skipped() {
		if a.given[seq] || a.g.State(seq) != task.Skipped || a.g.Task(seq).RunOn == tool.RunOnSettled {
			a.tb.Fatalf("%s is skipped", a.g.Task(seq).Name)
		}
	}
}

// pull takes one out of a list.
func pull(t *rapid.T, list *[]int) int {
	i := rapid.IntRange(0, len(*list)-1).Draw(t, "which")
	seq := (*list)[i]
	*list = slices.Delete(slices.Clone(*list), i, i+1)
	return seq
}

// start begins a call, with its own steps.
func (a *troupe) start(seq int) {
	a.move(seq, task.Running)
	a.running = append(a.running, seq)
	if p := a.plans[seq]; p.steps > 0 && !a.stepped[seq] {
		a.stepped[seq] = true
		var names []string
		for i := range p.steps {
			names = append(names, fmt.Sprintf("s%d", i))
		}
		for i, step := range a.steps(seq, names...) {
			a.move(step, []task.State{task.Done, task.Failed}[i%2])
		}
	}
}

// finish ends a call with what its plan says.
func (a *troupe) finish(seq int) {
	a.tb.Helper()
	p := a.plans[seq]
	a.end(seq, p.result())
	a.learn(seq, p.links(a.entry))
}

// act does one thing that a worker might do; false if there is nothing to do.
func (a *troupe) act(t *rapid.T) bool {
	a.tb = t
	begun := len(a.running) + len(a.waiting)
	switch {
	case len(a.ready)+begun == 0:
		return false
	case len(a.ready) > 0 && (begun == 0 || rapid.Bool().Draw(t, "begin")):
		a.start(pull(t, &a.ready))
	case len(a.waiting) > 0 && (len(a.running) == 0 || rapid.Bool().Draw(t, "wake")):
		seq := pull(t, &a.waiting)
		if rapid.Bool().Draw(t, "queue") {
			a.move(seq, task.Queued) // it is not given out once more: whoever wakes it has it
		}
		a.start(seq)
	case rapid.IntRange(0, 4).Draw(t, "wait") == 0:
		seq := pull(t, &a.running)
		a.move(seq, rapid.SampledFrom([]task.State{task.Waiting, task.Unknown}).Draw(t, "how"))
		a.waiting = append(a.waiting, seq)
	default:
		a.finish(pull(t, &a.running))
	}
	a.take()
	return true
}

// crash loses the graph and reads it again from what was kept.
func (a *troupe) crash(t *rapid.T) {
	executions := a.executions()
	for i, e := range executions {
		if e.State == task.Skipped && rapid.Bool().Draw(t, "unnoticed") {
			executions[i].State = task.Queued
		}
	}
	g, err := task.Load(a.tasks, executions)
	if err != nil {
		t.Fatal(err)
	}
	ready := slices.Sorted(slices.Values(append(slices.Clone(a.ready), a.running...)))
	if got := slices.Sorted(slices.Values(g.Ready())); !slices.Equal(got, ready) {
		t.Fatalf("ready after it was kept is %v, want %v", got, ready)
	}
	want := a.look()
	for at, state := range want.States {
		want.States[at] = strings.Replace(state, " running", " queued", 1)
	}
	g.Skipped()
	a.g, a.ready, a.running = g, ready, nil
	if diff := want.diff(a.look()); diff != "" {
		t.Fatalf("as it was kept it is different:\n%s", diff)
	}
}
