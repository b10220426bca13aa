package check

import (
	"fmt"
	"slices"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// step checks one step, of the flow or of a loop's body.
func (c *checker) step(s *manifest.Step, reachable bool) {
	v := visit{step: s, usesFrom: len(c.uses)}
	switch s.Type { //nolint:exhaustive // the others are checked by their expressions and edges
	case manifest.StepSet:
		v.writes[0] = c.target(s, false)
	case manifest.StepCapability:
		c.capabilityStep(s, reachable)
		v.writes[0] = c.target(s, true)
	case manifest.StepLLM:
		c.llmStep(s)
		v.writes[0] = c.target(s, false)
	case manifest.StepForeach:
		c.foreachStep(s)
		v.writes = [2]place{c.variable(s.ItemVar, false), c.variable(s.IndexVar, true)}
	}
	s.Expressions(c.refs)
	v.usesTo = len(c.uses)
	c.visits = append(c.visits, v)
}

func (c *checker) capabilityStep(s *manifest.Step, reachable bool) {
	c.retry(s.Retry)
	var capability tool.Capability
	known := false
	if s.Capability.Ok() {
		capability, known = c.catalogue.Get(s.Capability.Value())
		if !known {
			c.fault(CodeCapabilityUnknown, s.Capability.Node, fmt.Sprintf("There is no capability %s.%s",
				manifest.Quote(s.Capability.Value()), c.Guess(s.Capability.Value(), c.catalogue.Names)))
		}
	}
	if known {
		if capability.NeedsNetwork() {
			c.outbound(s.Capability.Node, s.Input, capability, reachable)
		}
		c.capabilityInput(s.Input, capability)
	}
	c.compensation(s.Compensation, capability, known, reachable)
}

func (c *checker) retry(r *manifest.Retry) {
	if r == nil {
		return
	}
	if r.MaxAttempts.Ok() && !within(r.MaxAttempts, 1, MaxAttempts) {
		c.fault(CodeRetryBounds, r.MaxAttempts.Node, fmt.Sprintf(
			"A step may be tried 1 to %d times; this says %s.", MaxAttempts, r.MaxAttempts.Value()))
	}
	if r.BackoffMs.Ok() && !within(r.BackoffMs, 0, MaxBackoffMs) {
		c.fault(CodeRetryBackoff, r.BackoffMs.Node, fmt.Sprintf(
			"The wait between two tries is 0 to %d milliseconds; this says %s.", MaxBackoffMs, r.BackoffMs.Value()))
	}
}

// compensation checks what is said to undo a step.
func (c *checker) compensation(comp *manifest.Compensation, capability tool.Capability, known, reachable bool) {
	if comp == nil || !comp.Capability.Ok() {
		return
	}
	undo, undoKnown := c.catalogue.Get(comp.Capability.Value())
	if !undoKnown {
		c.fault(CodeCompensationUnknown, comp.Capability.Node, fmt.Sprintf("There is no capability %s to undo with.%s",
			manifest.Quote(comp.Capability.Value()), c.Guess(comp.Capability.Value(), c.catalogue.Names)))
	}
	if !known {
		return
	}
	switch {
	case capability.Irreversible:
		c.fault(CodeInvalidCompensation, comp.Node, fmt.Sprintf(
			"What %q does cannot be undone, so it has no compensation. Take it out.", capability.Name))
	case !undoKnown:
	case capability.Undo == "" || capability.Undo != undo.Name:
		c.fault(CodeCompensationMismatch, comp.Capability.Node, fmt.Sprintf(
			"%q does not undo %q. %s", undo.Name, capability.Name, whatUndoes(capability)))
	default:
		c.capabilityInput(comp.Input, undo)
		if undo.NeedsNetwork() {
			c.outbound(comp.Capability.Node, comp.Input, undo, reachable)
		}
	}
}

func whatUndoes(capability tool.Capability) string {
	if capability.Undo != "" {
		return fmt.Sprintf("%q does.", capability.Undo)
	}
	if capability.Power == tool.Read {
		return "It only reads, so there is nothing to undo: take the compensation out."
	}
	return "Nothing does: take the compensation out."
}

// capabilityInput warns of an input that the capability is seen to refuse: fields that
// it does not have, and required ones that are missing. Values are judged when it runs.
func (c *checker) capabilityInput(input *value.Node, capability tool.Capability) {
	if input == nil || manifest.IsRef(input) {
		return
	}
	fields := c.catalogue.InputFields(capability.Name)
	if input.Kind != value.Object {
		c.warn(CodeCapabilityInput, input, fmt.Sprintf("The input of %q has to be an object; this is %s.", capability.Name, input.Kind))
		return
	}
	for kid := range input.Kids() {
		if !fields.Closed || slices.Contains(fields.Names, kid.Name) {
			continue
		}
		c.AtName(manifest.LevelWarning, CodeCapabilityInput, kid, fmt.Sprintf(
			"%q has no input field %s.%s", capability.Name, manifest.Quote(kid.Name), c.Guess(kid.Name, func() []string { return fields.Names })))
	}
	for _, name := range fields.Required {
		if input.Get(name) == nil {
			c.warn(CodeCapabilityInput, input, fmt.Sprintf("%q needs the input field %q.", capability.Name, name))
		}
	}
}

func (c *checker) llmStep(s *manifest.Step) {
	if s.OutputSchema != nil || s.Node.Get("outputSchema") != nil {
		return
	}
	wanted := c.m.ModelDefaults.Structured()
	at := s.Node
	if own := s.Requirements; own != nil && own.StructuredOutput.Ok() {
		wanted, at = own.StructuredOutput.Value, own.StructuredOutput.Node
	}
	if wanted {
		c.fault(CodeLLMMissingSchema, at,
			`Structured output needs an "outputSchema" in this step, so that the answer can be checked.`)
	}
}

func (c *checker) foreachStep(s *manifest.Step) {
	if s.MaxItems.Ok() && !within(s.MaxItems, 1, MaxLoopItems) {
		c.fault(CodeForeachBounds, s.MaxItems.Node, fmt.Sprintf(
			"A loop takes 1 to %d items; this says %s.", MaxLoopItems, s.MaxItems.Value()))
	}
	if s.BodyNode != nil && len(s.Body) > MaxBodySteps {
		c.fault(CodeInlineBounds, s.BodyNode, fmt.Sprintf(
			"The body of a loop has at most %d steps; this has %d.", MaxBodySteps, len(s.Body)))
	}
}

// target checks where a step writes. For a capability an empty target means none.
func (c *checker) target(s *manifest.Step, optional bool) place {
	written, reason := c.place(s.Target, optional)
	if reason != "" {
		c.fault(CodeTargetUnsafe, s.Target.Node, fmt.Sprintf("%s is no place to write to: %s.", manifest.Quote(s.Target.Value()), reason))
	}
	return written
}

func (c *checker) variable(f manifest.Text, optional bool) place {
	if f.Ok() && f.Value() == "" && !optional {
		c.fault(CodeVarUnsafe, f.Node, `A loop needs a name for each item, such as "note"; this is empty.`)
		return place{}
	}
	written, reason := c.place(f, optional)
	if reason != "" {
		c.fault(CodeVarUnsafe, f.Node, fmt.Sprintf("%s is no name for a variable: %s.", manifest.Quote(f.Value()), reason))
	}
	return written
}

// place reads a path that is written to, and gives its variable a number; reason says why it
// must not be written, "" if it may.
func (c *checker) place(f manifest.Text, optional bool) (_ place, reason string) {
	if !f.Ok() || f.Value() == "" && optional {
		return place{}, ""
	}
	before := c.segments
	path, err := c.path(f.Value())
	c.segments = before
	switch {
	case err != nil:
		return place{}, err.Error()
	case len(path) == 0:
		return place{}, "it names no variable"
	case path[0] == "input", path[0] == "runtime":
		return place{}, fmt.Sprintf("%q can only be read", path[0])
	}
	number, known := c.variables[path[0]]
	if !known {
		number = int32(len(c.variables)) //nolint:gosec // a text of 64 KiB has fewer
		c.variables[path[0]] = number
	}
	written := place{node: f.Node, variable: number, whole: len(path) == 1}
	if !written.whole {
		_, written.position = value.Index(path[1])
	}
	return written, ""
}

// refs collects the references in a value, and reports those that are no safe paths.
func (c *checker) refs(n *value.Node, late bool) {
	if !manifest.IsRef(n) {
		for kid := range n.Kids() {
			c.refs(kid, late)
		}
		return
	}
	at := n.First()
	path, err := c.path(at.Text)
	if err != nil {
		c.fault(CodeRefUnsafe, at, fmt.Sprintf("%s is no safe path: %s.", manifest.Quote(at.Text), err))
		return
	}
	c.uses = append(c.uses, use{at: at, path: path, late: late})
}
