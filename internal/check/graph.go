package check

import (
	"fmt"
	"slices"
	"strings"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// graph is the steps of a flow with what leads where.
type graph struct {
	steps []*manifest.Step
	byID  map[string]int
	// out is what leads out of each step: none, one or two edges.
	out [][]edge
	// sound: the edges of every step are structurally right, so that what cannot be
	// reached is known for certain.
	sound bool
	// torn: an edge leads nowhere, so that what stands behind it is not known.
	torn bool
	// reachable steps from the entry.
	reachable []bool
	// order is a topological order of the reachable steps; nil where there are cycles.
	order []int
}

// edge is a field of a step that leads to another one.
type edge struct {
	node *value.Node // names the step it leads to
	to   int         // -1 where it leads nowhere
}

// link follows the edges of every step.
func (g *graph) link() {
	g.out = make([][]edge, len(g.steps))
	room := make([]edge, 0, 2*len(g.steps)) // never grows: a step has at most two
	for i, s := range g.steps {
		from := len(room)
		s.Edges(func(_ string, field manifest.Text) {
			if !field.Ok() {
				return
			}
			to, ok := g.byID[field.Value()]
			if !ok {
				to = -1
			}
			room = append(room, edge{field.Node, to})
		})
		g.out[i] = room[from:len(room):len(room)]
	}
}

// flow checks the steps and how they hang together.
func (c *checker) flow() {
	f := c.m.Flow
	c.graph = &graph{byID: map[string]int{}}
	if f == nil {
		return
	}
	if most := f.MaxTransitions; most.Ok() && !within(most, 1, MaxTransitions) {
		c.fault(CodeTransitionBounds, most.Node, fmt.Sprintf(
			"A run may enter 1 to %d steps; this says %s.", MaxTransitions, most.Value()))
	}
	if f.NodesNode == nil {
		return
	}
	if len(f.Steps) == 0 {
		c.fault(CodeNodeBounds, f.NodesNode, "The flow has no steps.")
		return
	}
	if len(f.Steps) > MaxNodes {
		c.fault(CodeNodeBounds, f.NodesNode, fmt.Sprintf("A flow has at most %d steps; this has %d.", MaxNodes, len(f.Steps)))
	}
	c.ids(f)
	c.graph.link()
	c.edges()
	c.reach(f)
	c.visitAll(f)
}

// visitAll checks each step, and keeps what it reads and writes.
func (c *checker) visitAll(f *manifest.Flow) {
	all := len(f.Steps)
	for _, s := range f.Steps {
		all += len(s.Body)
	}
	c.visits, c.visitsFrom = make([]visit, 0, all), make([]int, 0, len(f.Steps)+1)
	c.uses, c.segments = make([]use, 0, 2*all), make(value.Path, 0, 3*all)
	c.variables = map[string]int32{}
	for i, s := range f.Steps {
		c.visitsFrom = append(c.visitsFrom, len(c.visits))
		c.step(s, c.graph.reachable[i])
		for _, inner := range s.Body {
			c.step(inner, c.graph.reachable[i])
		}
	}
	c.visitsFrom = append(c.visitsFrom, len(c.visits))
}

// within reports whether a number is whole and between two bounds.
func within(f manifest.Number, lowest, highest int64) bool {
	n, ok := value.Integer(f.Value())
	return ok && n >= lowest && n <= highest
}

func (c *checker) ids(f *manifest.Flow) {
	g := c.graph
	g.steps, g.sound = f.Steps, true
	g.byID = make(map[string]int, len(f.Steps))
	for i, s := range f.Steps {
		if s.Type == "" {
			g.sound = false
		}
		s.Edges(func(_ string, to manifest.Text) {
			if !to.Ok() {
				g.sound = false
			}
		})
		if !s.ID.Ok() {
			g.sound = false
			continue
		}
		if !manifest.ValidID(s.ID.Value()) {
			c.fault(CodeNodeID, s.ID.Node, fmt.Sprintf(
				"The id of a step has %s; this is %s.", manifest.IDRule, manifest.Quote(s.ID.Value())))
		}
		if _, taken := g.byID[s.ID.Value()]; taken {
			c.fault(CodeNodeDuplicate, s.ID.Node, fmt.Sprintf("Another step has the id %s already.", manifest.Quote(s.ID.Value())))
		}
		g.byID[s.ID.Value()] = i
	}
}

func (c *checker) stepIDs() []string {
	var list []string
	for _, s := range c.graph.steps {
		if s.ID.Ok() {
			list = append(list, s.ID.Value())
		}
	}
	return list
}

func (c *checker) edges() {
	for _, out := range c.graph.out {
		for _, e := range out {
			if e.to < 0 {
				c.graph.torn = true
				c.fault(CodeEdgeMissing, e.node, fmt.Sprintf(
					"%s leads nowhere.%s", manifest.Quote(e.node.Text), c.Guess(e.node.Text, c.stepIDs)))
			}
		}
	}
}

// reach finds out which steps can be reached, and where the flow comes back to itself.
func (c *checker) reach(f *manifest.Flow) {
	g := c.graph
	g.reachable = make([]bool, len(g.steps))
	entry := -1
	if f.Entry.Ok() {
		at, ok := g.byID[f.Entry.Value()]
		if ok {
			entry = at
		} else {
			c.fault(CodeEntryMissing, f.Entry.Node, fmt.Sprintf(
				"There is no step %s to begin with.%s", manifest.Quote(f.Entry.Value()), c.Guess(f.Entry.Value(), c.stepIDs)))
		}
	} else {
		g.sound = false
	}
	if entry >= 0 {
		c.walk(entry)
	}
	if !g.sound {
		return
	}
	for i, s := range g.steps {
		// Of steps that share an id (which is reported) the last one stands for all.
		if !g.reachable[i] && !g.reachable[g.byID[s.ID.Value()]] {
			c.warn(CodeUnreachableNode, s.Node, fmt.Sprintf("Nothing leads to the step %s.", manifest.Quote(s.ID.Value())))
		}
	}
}

// walk goes depth first from the entry, once over every edge, without recursion: a
// manifest must not decide how deep our stack is.
func (c *checker) walk(entry int) {
	const (
		unseen = iota
		open
		done
	)
	g := c.graph
	state := make([]int8, len(g.steps))
	type frame struct{ step, next int }
	stack := append(make([]frame, 0, len(g.steps)), frame{step: entry})
	g.order = make([]int, 0, len(g.steps))
	state[entry] = open
	g.reachable[entry] = true
	cyclic := false
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		list := g.out[top.step]
		if top.next == len(list) {
			state[top.step] = done
			g.order = append(g.order, top.step)
			stack = stack[:len(stack)-1]
			continue
		}
		e := list[top.next]
		top.next++
		if e.to < 0 {
			continue
		}
		switch state[e.to] {
		case unseen:
			state[e.to] = open
			g.reachable[e.to] = true
			stack = append(stack, frame{step: e.to})
		case open:
			if twin := list[0]; top.next == 2 && twin.to == e.to {
				continue // both branches close the same cycle
			}
			cyclic = true
			var names []string
			for i := len(stack) - 1; i >= 0; i-- {
				names = append(names, g.steps[stack[i].step].ID.Value())
				if stack[i].step == e.to {
					break
				}
			}
			c.cycle(e, names)
		}
	}
	if cyclic {
		g.order = nil
		return
	}
	slices.Reverse(g.order)
}

// shownID writes an id into a message: as it is, or quoted where it is none.
func shownID(id string) string {
	if manifest.ValidID(id) {
		return id
	}
	return manifest.Quote(id)
}

// cycle reports one cycle; names lists its steps from the last to the first.
func (c *checker) cycle(e edge, names []string) {
	const most = 12
	var path []string
	for i := len(names) - 1; i >= 0; i-- {
		path = append(path, shownID(names[i]))
	}
	if len(path) > most {
		path = append(append(path[:most/2:most/2], "…"), path[len(path)-most/2:]...)
	}
	path = append(path, shownID(e.node.Text))
	c.fault(CodeCycle, e.node, fmt.Sprintf(
		"The flow comes back to itself: %s. Use a foreach step to repeat something.", strings.Join(path, " → ")))
}
