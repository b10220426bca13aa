package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/origin"
	"toolsmith/internal/schema"
	"toolsmith/tool"
)

// Kind says how a tool runs.
type Kind string

// The kinds of tools.
const (
	KindFlow       Kind = "flow"       // a forged tool: a flow of steps
	KindScript     Kind = "script"     // a coded tool: TypeScript or JavaScript in the sandbox
	KindNative     Kind = "native"     // written in Go, part of the program
	KindCapability Kind = "capability" // a capability of this host as a tool of its own
	KindClient     Kind = "client"     // supplied by a program outside, through a port
)

// Callable is a tool as a run sees it. It never changes.
type Callable struct {
	// Name under which it is called.
	Name string
	// Title for people; the name where it has no other.
	Title string
	Kind  Kind
	// Parameters and Result are nil where anything goes.
	Parameters, Result *schema.Schema
	// Checked of a flow or a script, Native of a native tool, Capability of one, Client of one of a port; the
	// others are zero.
	Checked    *check.Checked
	Native     *tool.Tool
	Capability tool.Capability
	Client     *ClientTool
	// spec is what Native says of itself: asking it anew makes a copy each time. Not to be changed.
	spec tool.Spec
	// Version is a hash over all that the tool is: a yes to it holds for no other.
	Version string
	// Memory is the key under which a flow's state and breakers are kept.
	Memory string
	// Namespace is where its secrets are kept; "" for a tool that has none, such as one that a
	// run brought as a file.
	Namespace string
}

// MemoryKey is the key for state and breakers of an installed tool, or of one that a run
// brought as a file: what a file does must not touch what an installed tool of the same id
// remembers.
func MemoryKey(c *check.Checked, installed bool) string {
	if installed {
		return c.ID()
	}
	return "file:" + c.ID()
}

// Brought gives a checked tool, installed or from a file, as what can be called.
func Brought(c *check.Checked, installed bool) (*Callable, error) {
	call := &Callable{Name: c.Name(), Title: c.Title(), Kind: KindFlow, Checked: c, Version: c.Digest(), Memory: MemoryKey(c, installed)}
	input, output, err := c.Schemas()
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what cannot be used
	}
	call.Parameters = input
	if _, inCode := c.Coded(); inCode { // a flow holds its result against its schema itself
		call.Kind, call.Result = KindScript, output
	}
	return call, nil
}

// Toolbox holds what can be called beside the installed tools: the capabilities of this
// host, tools that are part of the program, and those of ports. It may be used from many
// goroutines at once.
type Toolbox struct {
	mu     sync.RWMutex
	byName map[string]*Callable
	// closed are the tools of closed ports, the one that was closed first at the beginning.
	closed []string
	// revision counts the changes; changed is closed, and made anew, at each.
	revision uint64
	changed  chan struct{}
}

// NewToolbox makes a toolbox with every capability of a catalogue in it.
func NewToolbox(catalogue *tool.Catalogue) (*Toolbox, error) {
	t := &Toolbox{byName: map[string]*Callable{}, changed: make(chan struct{})}
	for _, c := range catalogue.All() {
		call := &Callable{Name: c.Name, Title: c.Name, Kind: KindCapability, Capability: c, Version: versionOf(KindCapability, c)}
		if err := call.compile(c.Input, c.Result); err != nil {
			return nil, err
		}
		t.byName[c.Name] = call
	}
	return t, nil
}

func (c *Callable) compile(parameters, result []byte) (err error) {
	for _, part := range []struct {
		text []byte
		into **schema.Schema
	}{{parameters, &c.Parameters}, {result, &c.Result}} {
		if len(part.text) == 0 {
			continue
		}
		if *part.into, err = schema.CompileJSON(part.text); err != nil {
			return fmt.Errorf("tool %s: %w", c.Name, err)
		}
	}
	return nil
}

// compiled prepares the schema of a tool of a port.
func compiled(field string, raw any) (*schema.Schema, error) {
	s, err := schema.Compile(raw)
	if err != nil {
		return nil, &tool.Error{Code: CodeToolInvalid, Field: "$.tool." + field, Message: fmt.Sprintf("is no JSON Schema that can be used: %s.", err)}
	}
	return s, nil
}

// CodeToolExists is the code for a name that another tool has already.
const CodeToolExists = "TOOL_EXISTS"

// CodeToolInvalid is the code for a tool that asks for what cannot be had.
const CodeToolInvalid = "TOOL_INVALID"

// nativePrefix begins the namespaces of tools that are part of the program.
const nativePrefix = "go:"

// Register adds a tool that is part of the program. The error has CodeToolExists where its
// name is taken, and CodeToolInvalid where a host that it declares is none.
func (t *Toolbox) Register(native *tool.Tool) error {
	spec := native.Spec()
	for _, host := range spec.Hosts {
		if _, err := origin.Listed(host); err != nil {
			return &tool.Error{Code: CodeToolInvalid, Field: "hosts", Message: fmt.Sprintf("%s: the host %q cannot be reached: %s.", native.Name(), host, err)}
		}
	}
	call := &Callable{
		Name: native.Name(), Title: spec.Title, Kind: KindNative, Native: native, spec: spec,
		Version: versionOf(KindNative, spec, native.Parameters(), native.Result()), Namespace: nativePrefix + native.Name(),
	}
	if call.Title == "" {
		call.Title = call.Name
	}
	if err := call.compile(native.Parameters(), native.Result()); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, has := t.byName[call.Name]; has || strings.HasPrefix(call.Name, check.NamePrefix) {
		return taken(call.Name, call.Name)
	}
	t.byName[call.Name] = call
	t.change()
	return nil
}

// Find gives a tool by its name.
func (t *Toolbox) Find(name string) (*Callable, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	call, ok := t.byName[name]
	return call, ok
}

// Names lists what can be called now, sorted: tools of closed ports are not among them.
func (t *Toolbox) Names() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	names := make([]string, 0, len(t.byName))
	for name, call := range t.byName {
		if !call.Closed() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// versionOf hashes what a tool says of itself and its schemas. The code of a tool that is part
// of the program is told apart by the version that its author gave it.
func versionOf(kind Kind, parts ...any) string {
	hash := sha256.New()
	encoder := json.NewEncoder(hash)
	for _, part := range append([]any{kind}, parts...) {
		if raw, ok := part.([]byte); ok {
			part = string(raw)
		}
		if err := encoder.Encode(part); err != nil {
			return "" // no grant holds for it
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Marks of a tool: what it may do.
func (c *Callable) Marks() tool.Marks {
	marks := c.marks()
	if marks.Powers == nil { // lists are lists where they are written as JSON, also those without anything
		marks.Powers = []tool.Power{}
	}
	if marks.Capabilities == nil {
		marks.Capabilities = []string{}
	}
	return marks
}

func (c *Callable) marks() tool.Marks {
	switch c.Kind {
	case KindFlow, KindScript:
		return c.Checked.Marks()
	case KindNative:
		marks := tool.Marks{Powers: c.spec.Powers, Risk: c.spec.Risk, Reversibility: tool.ReadOnly}
		if !c.spec.ReadOnly {
			marks.Reversibility = tool.Irreversible
		}
		marks.CanTransmit = marks.Has(tool.Outbound)
		return marks
	case KindClient:
		return clientMarks()
	default:
		return ofCapability(c.Capability)
	}
}

// Description of a tool by its author.
func (c *Callable) Description() string {
	switch c.Kind {
	case KindFlow, KindScript:
		return c.Checked.Description()
	case KindNative:
		return c.spec.Description
	case KindClient:
		return c.Client.Declaration.Description
	default:
		return c.Capability.Summary
	}
}

// Hosts that a call of the tool may reach. A capability that is called by itself reaches the
// host in its arguments, which is what a person allows, and no other.
func (c *Callable) Hosts(arguments any) []string {
	switch c.Kind {
	case KindFlow, KindScript:
		return c.Checked.Hosts()
	case KindNative:
		return c.spec.Hosts
	case KindClient:
		return nil // what it reaches by itself is not known here
	case KindCapability:
	}
	object, _ := arguments.(map[string]any)
	text, _ := object[c.Capability.URLField].(string)
	if _, at, err := origin.ParseURL(text); c.Capability.URLField != "" && err == nil {
		return []string{at.String()}
	}
	return c.Capability.Hosts
}

// Secrets that a tool may use, by their names: keys and accounts.
func (c *Callable) Secrets() []string {
	switch c.Kind {
	case KindFlow, KindScript:
		return c.Checked.Credentials()
	case KindNative:
		return c.spec.Secrets
	default:
		return nil
	}
}

// Calls are the tools that it declares to call by its subtasks.
func (c *Callable) Calls() []string {
	if c.Checked != nil {
		return c.Checked.Calls()
	}
	return c.spec.Calls
}

// MayCall reports whether its subtasks may call a tool: a script may call what it declares, and
// itself; others whatever there is.
func (c *Callable) MayCall(name string) bool {
	return c.Kind != KindScript || name == c.Name || slices.Contains(c.Checked.Calls(), name)
}

// Release is the version that the author of a tool counts; 0 where there is none.
func (c *Callable) Release() int64 {
	if c.Checked != nil {
		return c.Checked.Version()
	}
	return 0
}

// Source says where a tool is from, for people.
func (c *Callable) Source() string {
	switch {
	case c.Checked != nil && c.Memory == MemoryKey(c.Checked, true):
		return "installed"
	case c.Checked != nil:
		return "from file"
	case c.Kind == KindClient:
		return consent.FromPort + c.Client.Port
	default:
		return consent.BuiltIn
	}
}

func ofCapability(c tool.Capability) tool.Marks {
	marks := tool.Marks{
		Powers: []tool.Power{c.Power}, Risk: c.Risk, Reversibility: tool.ReadOnly, Capabilities: []string{c.Name},
		ReadsPrivate: c.Private, ReadsUntrusted: c.Untrusted, CanTransmit: c.NeedsNetwork(),
	}
	switch {
	case c.Power == tool.Read, c.Power == tool.Outbound && c.Idempotent: // as for a step of a flow
	case c.Undo != "":
		marks.Reversibility = tool.Compensable
	default:
		marks.Reversibility = tool.Irreversible
	}
	return marks
}
