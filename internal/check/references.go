package check

import (
	"fmt"
	"slices"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// visit is what one step, of the flow or of a loop's body, reads and writes.
type visit struct {
	step *manifest.Step
	// writes are where its target leads to; of a loop, its variables of item and index.
	writes [2]place
	// its references are uses[usesFrom:usesTo].
	usesFrom, usesTo int
}

// place is where a step writes.
type place struct {
	node     *value.Node // that names it; nil where nothing is written, or must not be
	variable int32       // its number
	// whole: all of the variable is written, and not something in it.
	whole bool
	// position: something in it is, which would be a position if it were a list.
	position bool
}

// use is one reference in a step.
type use struct {
	at   *value.Node
	path value.Path
	// late: it is resolved when the step has written its own target.
	late bool
}

// runtimeFields are what $.runtime holds.
var runtimeFields = []string{"executionId", "toolId", "version", "now"}

// set is a set of variables, by their number.
type set []uint64

func (s set) has(i int32) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s set) add(i int32)      { s[i/64] |= 1 << (i % 64) }
func (s set) drop(i int32)     { s[i/64] &^= 1 << (i % 64) }

func (s set) union(o set) {
	for i := range s {
		s[i] |= o[i]
	}
}

func (s set) intersect(o set) {
	for i := range s {
		s[i] &= o[i]
	}
}

// facts are what is known of variables at one place of the flow.
type facts struct {
	// written: may have been written before.
	written set
	// lists: certainly hold a list.
	lists set
}

// dataflow follows the variables of a flow along its steps.
type dataflow struct {
	*checker
	before []facts // of each step; written is nil while nothing has led there
	// room is where all facts live: each step gets its share once.
	room set
}

// copy gives facts a place of their own.
func (d *dataflow) copy(f facts, words int) facts {
	own := facts{d.room[:words:words], d.room[words : 2*words : 2*words]}
	d.room = d.room[2*words:]
	copy(own.written, f.written)
	copy(own.lists, f.lists)
	return own
}

// references looks for references that nothing can have filled, for positions of lists
// that would be written, and for results that are never produced. It says nothing about
// a flow whose steps do not hang together: that is reported, and guesses would only
// bury it.
func (c *checker) references() {
	g := c.graph
	if !g.sound || g.torn || g.order == nil {
		return
	}
	d := &dataflow{checker: c}
	d.run()
	d.results()
}

func (d *dataflow) run() {
	g := d.graph
	words := len(d.variables)/64 + 1
	d.before = make([]facts, len(g.steps))
	d.room = make(set, 2*words*len(g.steps))
	d.before[g.order[0]] = d.copy(facts{}, words)
	for _, i := range g.order {
		after := d.step(d.visitsOf(i), d.before[i])
		for _, e := range g.out[i] {
			if e.to < 0 {
				continue
			}
			next := &d.before[e.to]
			if next.written == nil {
				*next = d.copy(after, words)
				continue
			}
			next.written.union(after.written)
			next.lists.intersect(after.lists)
		}
	}
}

// visitsOf gives the visit of step i of the flow, and those of its body.
func (d *dataflow) visitsOf(i int) []visit {
	return d.visits[d.visitsFrom[i]:d.visitsFrom[i+1]]
}

// step checks what a step and its body read and write, and gives what is known after it.
func (d *dataflow) step(visits []visit, known facts) facts {
	s, body := &visits[0], visits[1:]
	if s.step.Type != manifest.StepForeach {
		d.visit(s, known)
		return known
	}
	d.reads(s, known.written, false)
	before := slices.Clone(known.lists)
	d.write(s, s.writes[0], known)
	d.write(s, s.writes[1], known)
	// A later round sees what an earlier one wrote, so the whole body counts as written
	// before each of its steps, and none of its targets as certainly a list.
	for i := range body {
		if target := body[i].writes[0]; target.node != nil {
			known.written.add(target.variable)
			known.lists.drop(target.variable)
		}
	}
	for i := range body {
		d.visit(&body[i], known)
	}
	known.lists.intersect(before) // there may be no item at all
	return known
}

// visit follows one step that is no loop.
func (d *dataflow) visit(v *visit, known facts) {
	d.reads(v, known.written, false)
	d.write(v, v.writes[0], known)
	d.reads(v, known.written, true)
}

func (d *dataflow) write(v *visit, at place, known facts) {
	if at.node == nil {
		return
	}
	if at.position && known.lists.has(at.variable) {
		path, _ := value.ParsePath(at.node.Text)
		d.fault(CodeTargetUnsafe, at.node, fmt.Sprintf(
			"%q holds a list here, and a position of a list cannot be written. Build the whole list anew.", path[0]))
		return
	}
	known.written.add(at.variable)
	known.lists.drop(at.variable)
	if s := v.step; at.whole && s.Type == manifest.StepSet && s.Value != nil && s.Value.Kind == value.Array {
		known.lists.add(at.variable)
	}
}

func (d *dataflow) reads(v *visit, written set, late bool) {
	for _, u := range d.uses[v.usesFrom:v.usesTo] {
		if u.late == late && len(u.path) > 0 {
			d.read(u, written)
		}
	}
}

func (d *dataflow) read(u use, written set) {
	switch root := u.path[0]; root {
	case "input":
		d.readInput(u)
	case "runtime":
		if len(u.path) > 1 && !slices.Contains(runtimeFields, u.path[1]) {
			d.warn(CodeRefUndefined, u.at, fmt.Sprintf(
				"\"runtime\" has no %q.%s", u.path[1], d.Guess(u.path[1], func() []string { return runtimeFields })))
		}
	case "state":
		d.readState(u, written)
	default:
		if i, known := d.variables[root]; !known || !written.has(i) {
			d.warn(CodeRefUndefined, u.at, fmt.Sprintf(
				"Nothing before this step can have written %q.%s", root, d.Guess(root, func() []string { return d.names(written) })))
		}
	}
}

// names lists what can be read at a place, for suggestions.
func (d *dataflow) names(written set) []string {
	list := []string{"input", "runtime", "state"}
	for name, i := range d.variables {
		if written.has(i) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (d *dataflow) readInput(u use) {
	in := d.m.InputSchema
	if in == nil || len(u.path) < 2 {
		return
	}
	properties, closed := in.Get("properties"), in.Get("additionalProperties")
	if closed == nil || closed.Text != "false" || properties != nil && properties.Get(u.path[1]) != nil {
		return
	}
	d.warn(CodeRefUndefined, u.at, fmt.Sprintf(
		"The input schema has no property %q.%s", u.path[1], d.Guess(u.path[1], func() []string { return memberNames(properties) })))
}

func (d *dataflow) readState(u use, written set) {
	if len(u.path) < 2 {
		return
	}
	if s := d.m.State; s != nil {
		if s.Fields != nil && s.Fields.Get(u.path[1]) == nil {
			d.warn(CodeRefUndefined, u.at, fmt.Sprintf(
				"The state declares no field %q.%s", u.path[1], d.Guess(u.path[1], func() []string { return memberNames(s.Fields) })))
		}
		return
	}
	if i, known := d.variables["state"]; !known || !written.has(i) {
		d.warn(CodeRefUndefined, u.at,
			`Nothing before this step writes to "state", and without a declared "state" it is empty at the start of every run.`)
	}
}

func memberNames(n *value.Node) []string {
	if n == nil {
		return nil
	}
	list := make([]string, 0, n.Len())
	for kid := range n.Kids() {
		list = append(list, kid.Name)
	}
	return list
}

// results looks for a result, or a value on the card, that is never produced.
func (d *dataflow) results() {
	returns := false
	for _, i := range d.graph.order {
		returns = returns || d.graph.steps[i].Type == manifest.StepReturn
	}
	if !returns {
		d.warn(CodeRefUndefined, d.m.Flow.NodesNode, `No "return" step can be reached, so a run never succeeds.`)
	}
	if d.m.UI == nil {
		return
	}
	for _, f := range append([]manifest.Text{d.m.UI.PrimaryRef}, d.m.UI.DetailRefs...) {
		path, err := value.ParsePath(f.Value())
		if !f.Ok() || err != nil || len(path) == 0 {
			continue
		}
		switch path[0] {
		case "input", "runtime", "state":
		case "output":
			d.cardOutput(f, path)
		default:
			if !d.writes(path[0]) {
				d.warn(CodeRefUndefined, f.Node, fmt.Sprintf("No step writes %q, so the card cannot show it.", path[0]))
			}
		}
	}
}

// writes reports whether a step that can be reached writes a variable.
func (d *dataflow) writes(name string) bool {
	number, known := d.variables[name]
	return known && slices.ContainsFunc(d.graph.order, func(i int) bool {
		return slices.ContainsFunc(d.visitsOf(i), func(v visit) bool {
			return slices.ContainsFunc(v.writes[:], func(at place) bool { return at.node != nil && at.variable == number })
		})
	})
}

// cardOutput looks whether the result can have what the card shows of it.
func (d *dataflow) cardOutput(f manifest.Text, path value.Path) {
	if len(path) < 2 {
		return
	}
	for _, i := range d.graph.order {
		s := d.graph.steps[i]
		if s.Type != manifest.StepReturn || s.Value == nil {
			continue
		}
		if manifest.IsRef(s.Value) || s.Value.Kind == value.Object && s.Value.Get(path[1]) != nil || s.Value.Kind == value.Array {
			return
		}
	}
	d.warn(CodeRefUndefined, f.Node, fmt.Sprintf("No result of the tool has %q, so the card cannot show it.", path[1]))
}
