package manifest

import (
	"fmt"
	"slices"

	"toolsmith/internal/value"
)

// Fields of each kind of step, without "id", "type" and "next", which every step of a
// flow has beside them ("next" not in those that branch or end).
var (
	setFields        = []field{{"target", true, `where the value goes, such as "$.found"`}, {"value", true, ""}}
	capabilityFields = []field{
		{"capability", true, `such as "notes.list"`}, {"input", true, "{} where it needs none"},
		{"target", false, ""}, {"retry", false, ""}, {"compensation", false, ""},
	}
	llmFields = []field{
		{"op", true, "classify, extract, summarize, generate or rank"}, {"input", true, ""},
		{"target", true, "where the answer goes"}, {"requirements", false, ""}, {"outputSchema", false, ""},
	}
	ifFields = []field{
		{"condition", true, `{"left": …, "op": "exists"}`},
		{"then", true, "the id of the next step where it holds"}, {"else", true, "the id of the next step where it does not"},
	}
	foreachFields = []field{
		{"source", true, `the list, such as {"$ref": "$.found"}`}, {"itemVar", true, "the variable that holds each item"},
		{"indexVar", false, ""}, {"maxItems", true, "1 to 100"}, {"body", true, "the steps for each item"},
	}
	returnFields       = []field{{"value", true, "what the tool returns"}}
	failFields         = []field{{"code", true, ""}, {"message", true, ""}}
	retryFields        = []field{{"maxAttempts", true, "1 to 3 tries in all"}, {"backoffMs", false, ""}}
	compensationFields = []field{{"capability", true, "what undoes the step"}, {"input", true, ""}}
	conditionFields    = []field{{"left", true, ""}, {"op", true, "eq, neq, truthy, exists, contains, gt, gte, lt or lte"}, {"right", false, ""}}
)

// Operators of a condition.
var operators = []string{"eq", "neq", "truthy", "exists", "contains", "gt", "gte", "lt", "lte"}

// Operations of a model step.
var operations = []string{"classify", "extract", "summarize", "generate", "rank"}

// shape is what a step of one type may have: as a node of the flow, and in a loop's body.
type shape struct {
	step   StepType
	what   string // names the step in messages
	fields []field
	inBody struct {
		what   string
		fields []field // nil where the type cannot stand in a body
	}
}

// stepShapes are so few that looking at one after the other is the fastest way to one.
var stepShapes = []*shape{
	newShape(StepSet, "a", setFields, true, true),
	newShape(StepCapability, "a", capabilityFields, true, true),
	newShape(StepLLM, "an", llmFields, true, true),
	newShape(StepIf, "an", ifFields, false, false),
	newShape(StepForeach, "a", foreachFields, true, false),
	newShape(StepReturn, "a", returnFields, false, false),
	newShape(StepFail, "a", failFields, false, false),
}

// newShape describes the steps of a type. next: they say what comes next; inBody: they may
// stand in the body of a loop.
func newShape(step StepType, article string, own []field, next, inBody bool) *shape {
	s := &shape{step: step, what: fmt.Sprintf("%s %q step", article, step)}
	s.fields = append([]field{{"id", true, ""}, {"type", true, ""}}, own...)
	if next {
		s.fields = append(s.fields, field{"next", true, "the id of the next step"})
	}
	if inBody {
		s.inBody.what = s.what + " of a loop's body (which has no id and no next)"
		s.inBody.fields = append([]field{{"type", true, ""}}, own...)
	}
	return s
}

// shapeOf finds what steps of a type may have; nil where there is no such type.
func shapeOf(name string) *shape {
	for _, s := range stepShapes {
		if string(s.step) == name {
			return s
		}
	}
	return nil
}

// anyStepFields are the fields of a step whose type is missing: none that any type has is
// unknown, and only the type is required.
func anyStepFields() []field {
	all := []field{{"type", true, "set, capability, llm, if, foreach, return or fail"}}
	for _, shape := range stepShapes {
		for _, f := range shape.fields {
			if !slices.ContainsFunc(all, func(known field) bool { return known.name == f.name }) {
				all = append(all, field{f.name, false, ""})
			}
		}
	}
	return all
}

func (d *decoder) flow(n *value.Node) *Flow {
	if !d.object(n, `"flow"`, flowFields) {
		return nil
	}
	f := &Flow{
		Node:           n,
		Entry:          d.text(n.Get("entry")),
		MaxTransitions: d.number(n.Get("maxTransitions")),
	}
	if nodes := n.Get("nodes"); d.isList(nodes) {
		f.NodesNode = nodes
		f.Steps = d.steps(nodes, false)
	}
	return f
}

// steps reads a list of steps, of a flow or of a loop's body.
func (d *decoder) steps(n *value.Node, inBody bool) []*Step {
	list := make([]*Step, 0, n.Len())
	for item := range n.Kids() {
		if len(d.spare) == 0 {
			d.spare = make([]Step, max(n.Len()-len(list), 8))
		}
		s := &d.spare[0]
		d.spare = d.spare[1:]
		list = append(list, s)
		d.step(s, item, inBody)
	}
	return list
}

// step fills a step. One whose type is wrong keeps its id, so that others may lead to it.
func (d *decoder) step(s *Step, n *value.Node, inBody bool) {
	s.Node = n
	if n.Kind != value.Object {
		d.wrongKind(n, value.Object, "a step")
		return
	}
	shape := d.stepType(n, inBody)
	if !inBody {
		s.ID = d.text(n.Get("id"))
	}
	switch {
	case shape == nil:
		return
	case inBody:
		d.object(n, shape.inBody.what, shape.inBody.fields)
	default:
		d.object(n, shape.what, shape.fields)
		s.Next = d.text(n.Get("next"))
	}
	s.Type = shape.step
	d.stepFields(s, n)
}

// stepType finds out what kind of step n is; nil where it is none that may stand there,
// which is reported.
func (d *decoder) stepType(n *value.Node, inBody bool) *shape {
	typeNode := n.Get("type")
	if typeNode == nil {
		d.object(n, "a step", anyStepFields())
		return nil
	}
	text := d.text(typeNode)
	if !text.Ok() {
		return nil
	}
	shape := shapeOf(text.Value())
	switch {
	case shape == nil:
		d.At(LevelError, CodeStructure, typeNode, fmt.Sprintf("There is no kind of step %s.%s",
			Quote(text.Value()), d.Guess(text.Value(), stepTypes)))
		return nil
	case inBody && shape.inBody.fields == nil:
		d.At(LevelError, CodeStructure, typeNode, fmt.Sprintf(
			"A %q step cannot stand in a loop's body; \"set\", \"capability\" and \"llm\" can.", text.Value()))
		return nil
	}
	return shape
}

func stepTypes() []string {
	all := make([]string, len(stepShapes))
	for i, s := range stepShapes {
		all[i] = string(s.step)
	}
	return all
}

func (d *decoder) stepFields(s *Step, n *value.Node) {
	switch s.Type {
	case StepSet:
		s.Target = d.text(n.Get("target"))
		s.Value = n.Get("value")
	case StepCapability:
		s.Capability = d.text(n.Get("capability"))
		s.Input = n.Get("input")
		s.Target = d.text(n.Get("target"))
		s.Retry = d.retry(n.Get("retry"))
		s.Compensation = d.compensation(n.Get("compensation"))
	case StepLLM:
		s.Op = d.oneOf(n.Get("op"), operations...)
		s.Input = n.Get("input")
		s.Target = d.text(n.Get("target"))
		s.Requirements = d.requirements(n.Get("requirements"))
		s.OutputSchema = d.schema(n.Get("outputSchema"))
	case StepIf:
		s.Condition = d.condition(n.Get("condition"))
		s.Then = d.text(n.Get("then"))
		s.Else = d.text(n.Get("else"))
	case StepForeach:
		d.foreach(s, n)
	case StepReturn:
		s.Value = n.Get("value")
	case StepFail:
		s.Code = d.text(n.Get("code"))
		s.Message = d.text(n.Get("message"))
	}
}

func (d *decoder) foreach(s *Step, n *value.Node) {
	s.Source = n.Get("source")
	s.ItemVar = d.text(n.Get("itemVar"))
	s.IndexVar = d.text(n.Get("indexVar"))
	s.MaxItems = d.number(n.Get("maxItems"))
	if body := n.Get("body"); d.isList(body) {
		s.BodyNode = body
		s.Body = d.steps(body, true)
	}
}

func (d *decoder) retry(n *value.Node) *Retry {
	if !d.object(n, `"retry"`, retryFields) {
		return nil
	}
	return &Retry{Node: n, MaxAttempts: d.number(n.Get("maxAttempts")), BackoffMs: d.number(n.Get("backoffMs"))}
}

func (d *decoder) compensation(n *value.Node) *Compensation {
	if !d.object(n, `"compensation"`, compensationFields) {
		return nil
	}
	return &Compensation{Node: n, Capability: d.text(n.Get("capability")), Input: n.Get("input")}
}

func (d *decoder) condition(n *value.Node) *Condition {
	if !d.object(n, `"condition"`, conditionFields) {
		return nil
	}
	return &Condition{Node: n, Left: n.Get("left"), Op: d.oneOf(n.Get("op"), operators...), Right: n.Get("right")}
}

// Operators lists the comparisons of a condition.
func Operators() []string { return slices.Clone(operators) }
