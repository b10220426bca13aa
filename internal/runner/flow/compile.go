package flow

import (
	"encoding/json"
	"fmt"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
	"toolsmith/internal/schema"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Program is a tool made ready to run: references parsed, schemas compiled, steps linked.
// It never changes and may run any number of times at once.
type Program struct {
	tool           *check.Checked
	maxTransitions int
	entry          *step
	input, output  *schema.Schema
	state          *schema.Schema // nil where the tool declares none
	maxStateBytes  int
}

// Tool gives the manifest that was compiled.
func (p *Program) Tool() *check.Checked { return p.tool }

// KeepsState reports whether the tool declares a state.
func (p *Program) KeepsState() bool { return p.state != nil }

// step is a step ready to run.
type step struct {
	kind   manifest.StepType
	path   string // of a step of the flow; in a body, its position
	target value.Path

	value      expr // set, return
	capability tool.Capability
	known      bool // the host has the capability
	input      expr // capability, llm
	inputForm  *schema.Schema
	attempts   int
	backoffMs  int64
	undo       *undo

	op           string
	requirements requirements
	answer       *schema.Schema

	left, right expr // right is nil where absent
	operator    string

	source   expr
	itemVar  value.Path
	indexVar value.Path
	maxItems int
	body     []*step

	code, message string

	next, otherwise *step
}

// undo is a compensation ready to run.
type undo struct {
	capability tool.Capability
	input      expr
	inputForm  *schema.Schema
}

// requirements of a model step, its own over the manifest's defaults.
type requirements struct {
	structured      bool
	minContext      int64
	privacy         string
	reasoning       string
	maxInputTokens  int64 // -1 for no bound
	maxOutputTokens int64 // -1 for no bound
	fallback        bool
}

// Compile prepares a checked tool.
func Compile(c *check.Checked) (*Program, error) {
	m := c.Manifest()
	b := &builder{tool: c, forms: map[string]*schema.Schema{}}
	p := &Program{tool: c, maxTransitions: int(integer(m.Flow.MaxTransitions.Value()))}
	p.input = b.schema(m.InputSchema)
	p.output = b.schema(m.OutputSchema)
	if m.State != nil {
		p.maxStateBytes = int(m.State.MaxBytes.Value)
		p.state = b.compile(map[string]any{
			"type": "object", "properties": m.State.Fields.Value(), "additionalProperties": false,
		})
	}
	steps := make(map[string]*step, len(m.Flow.Steps))
	for _, s := range m.Flow.Steps {
		steps[s.ID.Value()] = b.step(s, s.ID.Value())
	}
	for _, s := range m.Flow.Steps {
		from := steps[s.ID.Value()]
		if s.Type == manifest.StepIf {
			from.next, from.otherwise = steps[s.Then.Value()], steps[s.Else.Value()]
		} else {
			from.next = steps[s.Next.Value()]
		}
	}
	p.entry = steps[m.Flow.Entry.Value()]
	if b.err != nil {
		return nil, fmt.Errorf("compile %s: %w", c.Name(), b.err)
	}
	return p, nil
}

// builder compiles the parts of one tool and keeps the first error.
type builder struct {
	tool  *check.Checked
	forms map[string]*schema.Schema // of capabilities, by name
	err   error
}

func (b *builder) compile(raw any) *schema.Schema {
	s, err := schema.Compile(raw)
	if err != nil && b.err == nil {
		b.err = err
	}
	return s
}

func (b *builder) schema(n *value.Node) *schema.Schema {
	if n == nil {
		return nil
	}
	return b.compile(n.Value())
}

// form gives the schema of a capability's input.
func (b *builder) form(c tool.Capability) *schema.Schema {
	if s, ok := b.forms[c.Name]; ok {
		return s
	}
	var compiled *schema.Schema
	if len(c.Input) > 0 {
		var err error
		if compiled, err = schema.CompileJSON(c.Input); err != nil && b.err == nil {
			b.err = err
		}
	}
	b.forms[c.Name] = compiled
	return compiled
}

func (b *builder) path(f manifest.Text) value.Path {
	if !f.Ok() {
		return nil
	}
	path, err := value.ParsePath(f.Value())
	if err != nil && b.err == nil {
		b.err = err // the check has let it pass: a defect
	}
	return path
}

func (b *builder) step(s *manifest.Step, path string) *step {
	out := &step{
		kind: s.Type, path: path, target: b.path(s.Target),
		op: s.Op.Value(), code: s.Code.Value(), message: s.Message.Value(),
	}
	switch s.Type {
	case manifest.StepSet, manifest.StepReturn:
		out.value = b.expr(s.Value)
	case manifest.StepCapability:
		b.capability(out, s)
	case manifest.StepLLM:
		out.input = b.expr(s.Input)
		out.requirements = merge(s.Requirements, b.tool.Manifest().ModelDefaults)
		out.answer = b.schema(s.OutputSchema)
	case manifest.StepIf:
		out.left, out.operator = b.expr(s.Condition.Left), s.Condition.Op.Value()
		if s.Condition.Right != nil {
			out.right = b.expr(s.Condition.Right)
		}
	case manifest.StepFail:
	case manifest.StepForeach:
		out.source = b.expr(s.Source)
		out.itemVar, out.indexVar = b.path(s.ItemVar), b.path(s.IndexVar)
		out.maxItems = int(integer(s.MaxItems.Value()))
		for i, inner := range s.Body {
			out.body = append(out.body, b.step(inner, string(value.Int(i))))
		}
	}
	return out
}

func (b *builder) capability(out *step, s *manifest.Step) {
	out.capability, out.known = b.tool.Catalogue().Get(s.Capability.Value())
	out.input = b.expr(s.Input)
	out.inputForm = b.form(out.capability)
	out.attempts = 1
	if r := s.Retry; r != nil {
		out.attempts = int(integer(r.MaxAttempts.Value()))
		out.backoffMs = integer(r.BackoffMs.Value())
	}
	if comp := s.Compensation; comp != nil {
		capability, _ := b.tool.Catalogue().Get(comp.Capability.Value())
		out.undo = &undo{capability: capability, input: b.expr(comp.Input), inputForm: b.form(capability)}
	}
}

func integer(n json.Number) int64 {
	i, _ := value.Integer(n)
	return i
}

func merge(own, defaults *manifest.Requirements) requirements {
	r := requirements{privacy: check.PrivacyByDefault, maxInputTokens: -1, maxOutputTokens: -1}
	for _, from := range []*manifest.Requirements{defaults, own} {
		if from == nil {
			continue
		}
		take(&r.structured, from.StructuredOutput)
		take(&r.minContext, from.MinContext)
		takeText(&r.privacy, from.Privacy)
		takeText(&r.reasoning, from.Reasoning)
		take(&r.maxInputTokens, from.MaxInputTokens)
		take(&r.maxOutputTokens, from.MaxOutputTokens)
		take(&r.fallback, from.FallbackAllowed)
	}
	return r
}

func take[T any](to *T, f manifest.Field[T]) {
	if f.Ok() {
		*to = f.Value
	}
}

func takeText(to *string, t manifest.Text) {
	if t.Ok() {
		*to = t.Value()
	}
}
