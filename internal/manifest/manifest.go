package manifest

import (
	"encoding/json"

	"toolsmith/internal/value"
)

// Constants of the format.
const (
	// Schema is the only value of the field "schema".
	Schema = "talos.local-tool.v1"
	// Execution is the only value of the field "execution".
	Execution = "declarative-flow"
	// InstallScope is the only value of the field "installScope".
	InstallScope = "device"
	// MaxSize is the largest text of a manifest in bytes.
	MaxSize = 64 << 10
)

// Field is a value of a manifest with its place. Node is nil where the field is absent
// or its structure is wrong; Value is then the zero value.
type Field[T any] struct {
	Value T
	Node  *value.Node
}

// Ok reports whether the field is there and structurally right.
func (f Field[T]) Ok() bool { return f.Node != nil }

// Text is a text of a manifest with its place, which is where it is kept: Node is nil where
// the field is absent or its structure is wrong. Most of a manifest is texts, so that they
// are one word long shows in how fast it is read.
type Text struct{ Node *value.Node }

// Ok reports whether the field is there and structurally right.
func (t Text) Ok() bool { return t.Node != nil }

// Value of the text; "" where there is none.
func (t Text) Value() string {
	if t.Node == nil {
		return ""
	}
	return t.Node.Text
}

// Number is a number of a manifest with its place, as Text is a text.
type Number struct{ Node *value.Node }

// Ok reports whether the field is there and structurally right.
func (n Number) Ok() bool { return n.Node != nil }

// Value of the number, as it is written; "" where there is none.
func (n Number) Value() json.Number {
	if n.Node == nil {
		return ""
	}
	return json.Number(n.Node.Text)
}

// Manifest is a tool as its text describes it. Fields whose structure is wrong are left
// out and have been reported.
type Manifest struct {
	Root          *value.Node
	Schema        Text
	ID            Text
	Version       Number
	Title         Text
	Description   Text
	CreatedAt     Text
	ParentVersion Number // absent when null
	Network       *Network
	Credentials   []*Credential
	ModelDefaults *Requirements
	InputSchema   *value.Node
	OutputSchema  *value.Node
	State         *State
	Triggers      []*Trigger
	UI            *UI
	Flow          *Flow
}

// Network says whether the tool may leave the machine, and to which hosts.
type Network struct {
	Node    *value.Node
	Mode    Text // "forbidden" or "allowlist"
	Domains []Text
	// DomainsNode is the list itself; nil if its structure is wrong.
	DomainsNode *value.Node
}

// Credential is a key or an account that the tool needs.
type Credential struct {
	Node          *value.Node
	ID            Text
	Kind          Text
	Purpose       Text
	OutboundScope []Text
}

// Requirements say what a model step needs of a model.
type Requirements struct {
	Node             *value.Node
	StructuredOutput Field[bool]
	MinContext       Field[int64] // tokens
	Privacy          Text
	Reasoning        Text
	MaxInputTokens   Field[int64]
	MaxOutputTokens  Field[int64]
	FallbackAllowed  Field[bool]
}

// State is the data that the tool keeps between runs.
type State struct {
	Node          *value.Node
	SchemaVersion Field[int64]
	MaxBytes      Field[int64]
	// Fields is an object of schemas.
	Fields *value.Node
}

// Trigger says when the tool would run by itself.
type Trigger struct {
	Node     *value.Node
	ID       Text
	Type     Text
	Enabled  Field[bool]
	Schedule *Schedule
}

// Schedule of a trigger: daily at Hour:Minute, or every Minutes.
type Schedule struct {
	Node    *value.Node
	Kind    Text
	Hour    Field[int64]
	Minute  Field[int64]
	Minutes Field[int64]
}

// UI is the summary card of a result.
type UI struct {
	Node       *value.Node
	Title      Text
	PrimaryRef Text
	DetailRefs []Text
}

// Flow is the steps of the tool.
type Flow struct {
	Node           *value.Node
	Entry          Text
	MaxTransitions Number
	// NodesNode is the list of steps; nil if its structure is wrong.
	NodesNode *value.Node
	Steps     []*Step
}

// StepType is the kind of a step.
type StepType string

// The kinds of steps.
const (
	StepSet        StepType = "set"
	StepCapability StepType = "capability"
	StepLLM        StepType = "llm"
	StepIf         StepType = "if"
	StepForeach    StepType = "foreach"
	StepReturn     StepType = "return"
	StepFail       StepType = "fail"
)

// Step is one node of a flow, or one step of a loop's body. Which fields are used
// depends on its type.
type Step struct {
	Node *value.Node
	// Type is "" where the type is missing or unknown.
	Type StepType

	ID           Text
	Next         Text
	Target       Text
	Value        *value.Node // set, return
	Capability   Text
	Input        *value.Node // capability, llm
	Retry        *Retry
	Compensation *Compensation
	Op           Text
	Requirements *Requirements
	OutputSchema *value.Node
	Condition    *Condition
	Then         Text
	Else         Text
	Source       *value.Node
	ItemVar      Text
	IndexVar     Text
	MaxItems     Number
	// BodyNode is the list of a loop's steps; nil if its structure is wrong.
	BodyNode *value.Node
	Body     []*Step
	Code     Text
	Message  Text
}

// Retry says how often a capability step is tried.
type Retry struct {
	Node        *value.Node
	MaxAttempts Number
	BackoffMs   Number
}

// Compensation names the capability that undoes a step.
type Compensation struct {
	Node       *value.Node
	Capability Text
	Input      *value.Node
}

// Condition of an if step.
type Condition struct {
	Node  *value.Node
	Left  *value.Node
	Op    Text
	Right *value.Node // nil where absent
}

// Does says in a word what the step does: its capability, or its type where it calls none.
func (s *Step) Does() string {
	if s.Type == StepCapability {
		return s.Capability.Value()
	}
	return string(s.Type)
}

// Edges calls f with each field of the step that names another step.
func (s *Step) Edges(f func(name string, to Text)) {
	switch s.Type {
	case StepIf:
		f("then", s.Then)
		f("else", s.Else)
	case StepReturn, StepFail, "":
	default:
		f("next", s.Next)
	}
}

// Expressions calls f with each value of the step in which references are resolved. late
// is true for the input of a compensation, which is resolved when the step has succeeded
// and its target has been written.
func (s *Step) Expressions(f func(n *value.Node, late bool)) {
	visit := func(n *value.Node, late bool) {
		if n != nil {
			f(n, late)
		}
	}
	visit(s.Value, false)
	visit(s.Input, false)
	visit(s.Source, false)
	if s.Condition != nil {
		visit(s.Condition.Left, false)
		visit(s.Condition.Right, false)
	}
	if s.Compensation != nil {
		visit(s.Compensation.Input, true)
	}
}

// Structured reports whether structured output is asked for; nil asks for nothing.
func (r *Requirements) Structured() bool { return r != nil && r.StructuredOutput.Value }

// IsRef reports whether a value is a reference: {"$ref": "a path"} and nothing else.
func IsRef(n *value.Node) bool {
	return n.Kind == value.Object && n.Len() == 1 && n.First().Name == "$ref" && n.First().Kind == value.String
}
