package task

import (
	"fmt"

	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Contents reads the data of a content as a JSON value.
type Contents func(id ID) (any, error)

// Came gives what the task before a call in its chain came to: what stands for "$previous"
// in its arguments. has is false where it came to nothing, or where there is none.
func (g *Graph) Came(seq int, read Contents) (v any, has bool, err error) {
	n := g.nodes[seq]
	if n.at == 0 {
		return nil, false, nil
	}
	return n.chain.value(n.at-1, read)
}

// Value gives what a task came to: the data of a message, a structured or a plain result;
// of a call, that of its branch, or a list of those of its branches in their order.
func (g *Graph) Value(seq int, read Contents) (v any, has bool, err error) {
	return g.nodes[seq].value(read)
}

// Result gives what the run came to: as a call with the run's chains for branches.
func (g *Graph) Result(read Contents) (v any, has bool, err error) {
	return together(g.top.chains, read)
}

func (n *node) value(read Contents) (v any, has bool, err error) {
	switch n.task.Type {
	case tool.TypeMessage, tool.TypeStructured, tool.TypeToolResult:
		v, err = read(n.task.Content)
		return v, err == nil, err
	case tool.TypeTool:
		if n.state != Done && n.outcome() != Good {
			return nil, false, nil
		}
		return together(n.results(), read)
	default:
		return nil, false, nil
	}
}

// together gives the value of one chain, or the list of the values of several, null for
// those that came to none.
func together(chains []*chain, read Contents) (v any, has bool, err error) {
	if len(chains) == 1 {
		return chains[0].result(read)
	}
	list := make([]any, len(chains))
	for i, c := range chains {
		if list[i], _, err = c.result(read); err != nil {
			return nil, false, err
		}
	}
	return list, len(list) > 0, nil
}

// result gives what a whole chain came to: nothing, unless it ended well.
func (c *chain) result(read Contents) (v any, has bool, err error) {
	if c.next < len(c.tasks) || c.outcome != Good {
		return nil, false, nil
	}
	return c.value(len(c.tasks)-1, read)
}

// value gives that of the last task up to a position that came to one. A call that came to
// nothing hides what is before it.
func (c *chain) value(last int, read Contents) (v any, has bool, err error) {
	for i := last; i >= 0; i-- {
		n := c.tasks[i]
		if v, has, err = n.value(read); has || err != nil || n.task.Calls() {
			return v, has, err
		}
	}
	return nil, false, nil
}

// Entry is a task as a projection shows it.
type Entry struct {
	Task Task
	// State of a call; "" otherwise.
	State State
	// Data of its content.
	Data any
}

// Shown gives the entry as a tool sees it.
func (e Entry) Shown() tool.Entry {
	return tool.Entry{
		ID: e.Task.ID.String(), Role: e.Task.Role, Type: e.Task.Type, Data: value.AppendJSON(nil, e.Data),
		Name: e.Task.Name, Branch: e.Task.Branch, Depth: e.Task.Depth,
	}
}

// Projection says what of a run is shown to a task.
type Projection struct {
	// Flattened shows the whole run in the order of its tasks. Otherwise it is the lineage:
	// from the root down to the task, each earlier task of its own chain and of those of the
	// calls above it, with what each settled branch of them came to.
	Flattened bool
	// Tasks and Bytes bound it; 0 is no bound. What is over is left out at the beginning.
	Tasks, Bytes int
}

// Project gives what is shown to a task, itself at the end.
func (g *Graph) Project(seq int, p Projection, read Contents) ([]Entry, error) {
	var shown []*node
	if p.Flattened {
		shown = append(shown, g.nodes...)
	} else {
		shown = g.nodes[seq].lineage(nil)
	}
	var list []Entry
	bytes := 0
	for i := len(shown) - 1; i >= 0; i-- {
		n := shown[i]
		data, err := read(n.task.Content)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", n.task.ID, err)
		}
		bytes += value.Size(data)
		if p.Tasks > 0 && len(list) == p.Tasks || p.Bytes > 0 && bytes > p.Bytes {
			break
		}
		list = append(list, Entry{Task: n.task, State: n.state, Data: data})
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list, nil
}

// lineage lists the tasks above and before one, and itself.
func (n *node) lineage(list []*node) []*node {
	if above := n.chain.parent; above != nil {
		list = above.lineage(list)
	}
	for _, earlier := range n.chain.tasks[:n.at] {
		list = append(list, earlier)
		list = earlier.visible(list)
	}
	return append(list, n)
}

// visible lists what can be seen of a settled call: the task at which each of its branches
// came to its value, or to its error.
func (n *node) visible(list []*node) []*node {
	if !n.task.Calls() || !n.state.Final() {
		return list
	}
	for _, c := range n.results() {
		for i := len(c.tasks) - 1; i >= 0; i-- {
			last := c.tasks[i]
			if last.task.Type == tool.TypeReturn || last.state == Skipped || last.state == Cancelled {
				continue
			}
			if last.task.Calls() {
				before := len(list)
				if list = last.visible(list); len(list) == before {
					continue
				}
				break
			}
			list = append(list, last)
			break
		}
	}
	return list
}

// Families gives the chains of a run as numbers, for those who draw it: those at the top
// for -1, else those under a call.
func (g *Graph) Families(seq int) [][]int {
	within := &g.top
	if seq >= 0 {
		within = &g.nodes[seq].under
	}
	out := make([][]int, len(within.chains))
	for i, c := range within.chains {
		for _, n := range c.tasks {
			out[i] = append(out[i], n.task.Seq)
		}
	}
	return out
}

// ChainOf gives the chain that a task stands in, as numbers, and where in it.
func (g *Graph) ChainOf(seq int) (chain []int, at int) {
	n := g.nodes[seq]
	for _, one := range n.chain.tasks {
		chain = append(chain, one.task.Seq)
	}
	return chain, n.at
}

// Steps gives the numbers of the steps that are kept of a call, in their order; nil for one
// that has none, because it is no flow or has not got that far.
func (g *Graph) Steps(seq int) []int {
	chains := g.nodes[seq].under.chains
	if len(chains) == 0 || chains[0].tasks[0].task.Step == "" {
		return nil
	}
	return g.Families(seq)[0]
}
