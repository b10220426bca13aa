package task

import (
	"fmt"

	"toolsmith/tool"
)

// Graph is the tasks of one run with what has become of them so far. It is changed by
// three moves only: Add puts chains in, Move notes what became of a call, and Stop ends
// what has not begun. After each of them Ready and Skipped give what that has led to.
//
// In whatever order the calls of a run come to their ends, the graph comes to the same.
type Graph struct {
	nodes []*node // by Seq
	byID  map[ID]*node
	top   family
	// ready and skipped are calls that have become so and were not asked for yet.
	ready, skipped []int
	// stopped: nothing begins any more.
	stopped bool
	// halted: nothing becomes ready or is skipped, until Stop.
	halted bool
}

// node is a task with its relations.
type node struct {
	task  Task
	chain *chain
	at    int // in its chain
	state State
	// under are the branches that the call's result made.
	under family
}

// family is chains side by side, under a call or at the top.
type family struct {
	chains []*chain
	open   int // how many are not settled
}

// chain is tasks one after the other.
type chain struct {
	parent *node // nil at the top
	tasks  []*node
	// next is the first task that is not settled.
	next int
	// outcome so far; that of the whole chain once it is settled.
	outcome Outcome
	// offered: the task at next has been given out as ready.
	offered bool
}

// Outcome is what a call or a chain has come to.
type Outcome int8

// The outcomes.
const (
	// Open: not settled.
	Open Outcome = iota
	// Good: it ended well, or what failed in it was handled.
	Good
	// Bad: something in it failed and nothing handled it.
	Bad
	// Void: it was skipped, or the run was stopped before it.
	Void
)

// NewGraph makes an empty graph.
func NewGraph() *Graph { return &Graph{byID: map[ID]*node{}} }

// Load makes the graph of a run that was kept. What is ready and was not begun is given by
// Ready; calls that were running count as not begun.
func Load(tasks []Task, executions []Execution) (*Graph, error) {
	g := NewGraph()
	if err := g.insert(tasks); err != nil {
		return nil, err
	}
	for _, e := range executions {
		if e.Seq < 0 || e.Seq >= len(g.nodes) || !g.nodes[e.Seq].task.Calls() {
			return nil, fmt.Errorf("the execution %d is of no call", e.Seq)
		}
		state := e.State
		if state == Running && g.nodes[e.Seq].task.Step == "" {
			state = Queued // of a step nobody knows whether it happened
		}
		g.nodes[e.Seq].state = state
	}
	for _, c := range g.allChains() {
		g.advance(c)
	}
	return g, nil
}

// Clone gives a graph of its own with the same tasks and states.
func (g *Graph) Clone() (*Graph, error) {
	tasks := make([]Task, len(g.nodes))
	var executions []Execution
	for i, n := range g.nodes {
		if tasks[i] = n.task; n.task.Calls() {
			executions = append(executions, Execution{Seq: i, State: n.state})
		}
	}
	twin, err := Load(tasks, executions)
	if err != nil {
		return nil, err
	}
	for i, n := range g.nodes {
		twin.nodes[i].state = n.state // Load takes up what was running
	}
	twin.stopped, twin.halted = g.stopped, g.halted
	return twin, nil
}

// allChains lists the chains, those furthest down first, so that a chain is looked at when
// all below it have been.
func (g *Graph) allChains() []*chain {
	var list []*chain
	for i := len(g.nodes) - 1; i >= 0; i-- {
		list = append(list, g.nodes[i].under.chains...)
	}
	return append(list, g.top.chains...)
}

// Add puts the tasks of a batch in: chains at the top, or under calls that are there.
func (g *Graph) Add(tasks []Task) error {
	from := len(g.nodes)
	if err := g.insert(tasks); err != nil {
		return err
	}
	for _, n := range g.nodes[from:] {
		if n.at == 0 && n.chain.parent == nil {
			g.advance(n.chain)
		}
	}
	return nil
}

// insert puts tasks in their places without looking at what that leads to.
func (g *Graph) insert(tasks []Task) error {
	for _, t := range tasks {
		if t.Seq != len(g.nodes) {
			return fmt.Errorf("task %s has the number %d; the next is %d", t.ID, t.Seq, len(g.nodes))
		}
		n := &node{task: t}
		if t.Calls() {
			n.state = Queued
		}
		if err := g.place(n); err != nil {
			return err
		}
		g.nodes = append(g.nodes, n)
		g.byID[t.ID] = n
	}
	return nil
}

func (g *Graph) place(n *node) error {
	if !n.task.Prior.None() {
		prior, ok := g.byID[n.task.Prior]
		if !ok {
			return fmt.Errorf("task %s follows %s, which is not here", n.task.ID, n.task.Prior)
		}
		n.chain, n.at = prior.chain, prior.at+1
		if n.at != len(n.chain.tasks) {
			return fmt.Errorf("task %s does not follow the last task of its chain", n.task.ID)
		}
		if n.chain.next == n.at {
			return fmt.Errorf("task %s follows a chain that is settled already", n.task.ID)
		}
		n.chain.tasks = append(n.chain.tasks, n)
		return nil
	}
	within, c := &g.top, &chain{outcome: Good}
	if !n.task.Parent.None() {
		parent, ok := g.byID[n.task.Parent]
		if !ok || !parent.task.Calls() {
			return fmt.Errorf("task %s stands under %s, which is no call here", n.task.ID, n.task.Parent)
		}
		if parent.state.Final() {
			return fmt.Errorf("task %s stands under %s, which is %s already: branches come first", n.task.ID, n.task.Parent, parent.state)
		}
		within, c.parent = &parent.under, parent
	}
	if n.task.Branch != len(within.chains) {
		return fmt.Errorf("task %s is of branch %d; the next is %d", n.task.ID, n.task.Branch, len(within.chains))
	}
	n.chain, c.tasks = c, []*node{n}
	within.chains = append(within.chains, c)
	within.open++
	return nil
}

// Move notes what became of a call. Its branches have to be added first. A final state
// stays.
func (g *Graph) Move(seq int, to State) error {
	if seq < 0 || seq >= len(g.nodes) || !g.nodes[seq].task.Calls() {
		return fmt.Errorf("the task %d is no call", seq)
	}
	n := g.nodes[seq]
	if n.state == to {
		return nil
	}
	if n.state.Final() {
		return fmt.Errorf("task %s is %s already, and cannot become %s", n.task.ID, n.state, to)
	}
	n.state = to
	if !to.Final() {
		return nil
	}
	for _, c := range n.under.chains {
		g.advance(c)
	}
	g.advance(n.chain)
	return nil
}

// Halt lets nothing become ready or be skipped any more, so that what is to be stopped stays
// what it is while that is kept. Stop comes after it.
func (g *Graph) Halt() {
	g.halted = true
	g.ready = nil
}

// Wake makes a call ready that waits, or stands still until somebody has answered.
func (g *Graph) Wake(seq int) error {
	n := g.nodes[seq]
	if n.state != Waiting && n.state != Unknown {
		return fmt.Errorf("task %s is %s, and does not wait", n.task.ID, n.state)
	}
	n.state, n.chain.offered = Queued, false
	g.advance(n.chain)
	return nil
}

// Stop lets nothing begin any more, and gives the calls that had not begun: they count as
// cancelled from here on. Calls that are running come to their own ends.
func (g *Graph) Stop() []int {
	g.stopped, g.halted = true, false
	g.ready = nil
	var list []int
	for _, n := range g.nodes {
		if n.task.Calls() && (n.state == Queued || n.state == Waiting) {
			n.state = Cancelled
			list = append(list, n.task.Seq)
		}
	}
	for _, c := range g.allChains() {
		g.advance(c)
	}
	return list
}

// advance goes along a chain as far as its tasks are settled, and tells the call above when
// it has come to the end.
func (g *Graph) advance(c *chain) {
	for c != nil && c.next < len(c.tasks) {
		if p := c.parent; p != nil && !p.state.Final() {
			return // its branches begin when the call has ended
		}
		n := c.tasks[c.next]
		if !g.settle(n) {
			return
		}
		c.next++
		c.offered = false
		if c.next < len(c.tasks) {
			continue
		}
		if c.parent == nil {
			g.top.open--
			return
		}
		if c.parent.under.open--; c.parent.under.open > 0 {
			return
		}
		c = c.parent.chain // whose turn it may be now
	}
}

// settle reports whether the task that is next in its chain is settled, and notes what it
// means for the chain. A call that is not over becomes ready, or is skipped.
func (g *Graph) settle(n *node) bool {
	c := n.chain
	if !n.task.Calls() {
		return true
	}
	if n.state == Queued && !c.offered {
		switch {
		case g.halted:
		case g.stopped:
			n.state = Cancelled
		case c.outcome != Good && n.task.RunOn != tool.RunOnSettled:
			n.state = Skipped
			g.skipped = append(g.skipped, n.task.Seq)
		default:
			c.offered = true
			g.ready = append(g.ready, n.task.Seq)
		}
	}
	if !n.state.Final() || n.under.open > 0 {
		return false
	}
	switch outcome := n.outcome(); {
	case outcome == Void && c.outcome == Bad: // a task that was skipped after a failure changes nothing
	default:
		c.outcome = outcome
	}
	return true
}

// outcome of a call whose branches are all settled.
func (n *node) outcome() Outcome {
	switch n.state {
	case Done:
		return worst(n.results())
	case Failed:
		if chains := n.results(); len(chains) == 1 && chains[0].recovers() {
			return Good
		}
		return Bad
	default:
		return Void
	}
}

// worst outcome of chains; Good if there are none.
func worst(chains []*chain) Outcome {
	worst := Good
	for _, c := range chains {
		if c.outcome == Bad || c.outcome == Void && worst == Good {
			worst = c.outcome
		}
	}
	return worst
}

// results are the branches that a call's result made: all but the steps that it went
// through itself, which are told by its own result.
func (n *node) results() []*chain {
	if len(n.under.chains) > 0 && n.under.chains[0].tasks[0].task.Step != "" {
		return n.under.chains[1:]
	}
	return n.under.chains
}

// recovers reports whether the branch of a failure was handled: the entry node that follows
// the error ended it with a "return".
func (c *chain) recovers() bool {
	last := c.tasks[len(c.tasks)-1]
	return c.outcome == Good && last.task.Calls() && last.returns()
}

// returns reports whether every branch under a call ends in a "return", its own or that of
// the call at its end. A call that failed and was recovered counts: its branch ends in one.
func (n *node) returns() bool {
	chains := n.results()
	if n.state != Done && n.state != Failed || len(chains) == 0 {
		return false
	}
	for _, c := range chains {
		last := c.tasks[len(c.tasks)-1]
		if last.task.Type != tool.TypeReturn && !(last.task.Calls() && last.returns()) {
			return false
		}
	}
	return true
}

// Ready gives the calls that have become ready to run since it was last asked, by their
// numbers, in the order in which they became so.
func (g *Graph) Ready() []int {
	list := g.ready
	g.ready = nil
	return list
}

// Skipped gives the calls that have been skipped since it was last asked, by their numbers.
func (g *Graph) Skipped() []int {
	list := g.skipped
	g.skipped = nil
	return list
}

// Settled reports whether everything has come to its end.
func (g *Graph) Settled() bool { return g.top.open == 0 }

// Outcome of the whole run: the worst of its chains, Open while it is not settled.
func (g *Graph) Outcome() Outcome {
	if !g.Settled() {
		return Open
	}
	return worst(g.top.chains)
}

// OutcomeOf a call by its number: Open while it is not settled.
func (g *Graph) OutcomeOf(seq int) Outcome {
	n := g.nodes[seq]
	if !n.state.Final() || n.under.open > 0 {
		return Open
	}
	return n.outcome()
}

// Len is how many tasks there are.
func (g *Graph) Len() int { return len(g.nodes) }

// Task gives a task by its number.
func (g *Graph) Task(seq int) *Task { return &g.nodes[seq].task }

// State of a call by its number; "" for a task that is no call.
func (g *Graph) State(seq int) State { return g.nodes[seq].state }

// Seq gives the number of a task.
func (g *Graph) Seq(id ID) (int, bool) {
	n, ok := g.byID[id]
	if !ok {
		return 0, false
	}
	return n.task.Seq, true
}

// Branches is how many chains stand under a call.
func (g *Graph) Branches(seq int) int { return len(g.nodes[seq].under.chains) }

// Unfinished lists the calls that are in one of some states, by their numbers.
func (g *Graph) Unfinished(states ...State) []int {
	var list []int
	for _, n := range g.nodes {
		for _, s := range states {
			if n.task.Calls() && n.state == s {
				list = append(list, n.task.Seq)
			}
		}
	}
	return list
}
