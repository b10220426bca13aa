package tool

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Capability describes a function of the host that a step may call. It is a
// description only: the function itself is with the host.
type Capability struct {
	// Name as a manifest writes it, such as "notes.create".
	Name string
	// Summary says in one sentence what it does.
	Summary string
	// Power that calling it needs.
	Power Power
	// Risk of calling it.
	Risk Risk
	// MaxInput is the largest input in bytes of compact JSON.
	MaxInput int
	// Private: what it returns is the person's own data.
	Private bool
	// Untrusted: what it returns may have been written by others.
	Untrusted bool
	// Kind of the record it works on ("note", "task", "memory"); empty for none.
	Kind string
	// Creates: a call makes a new record, which a run then lists as created.
	Creates bool
	// Undo names the capability that takes back what this one did; empty for none.
	Undo string
	// Irreversible: it changes something that no capability takes back.
	Irreversible bool
	// Idempotent: calling it again with the same input changes nothing more.
	Idempotent bool
	// Hosts that it always reaches.
	Hosts []string
	// URLField names the field of the input that holds the address it reaches; empty for none.
	URLField string
	// Input and Result are JSON Schemas (draft 2020-12).
	Input, Result json.RawMessage
}

// NeedsNetwork reports whether a call leaves this machine.
func (c Capability) NeedsNetwork() bool { return c.Power == Outbound }

// Catalogue is a set of capabilities, each under its own name. It never changes once
// it is made, so it may be shared.
type Catalogue struct {
	list   []Capability // sorted by name
	byName map[string]int
	fields []InputFields // of each capability in list
}

// InputFields is what the input schema of a capability says of the fields of its input,
// read once so that a check need not read the schema again for every step.
type InputFields struct {
	// Names of all fields, sorted.
	Names []string
	// Required fields, in the order of the schema.
	Required []string
	// Closed: no other fields are accepted.
	Closed bool
}

// NewCatalogue makes a catalogue. Where two capabilities have one name the later wins.
func NewCatalogue(capabilities ...Capability) *Catalogue {
	c := &Catalogue{byName: make(map[string]int, len(capabilities))}
	for _, one := range capabilities {
		if at, ok := c.byName[one.Name]; ok {
			c.list[at] = one
			continue
		}
		c.byName[one.Name] = len(c.list)
		c.list = append(c.list, one)
	}
	slices.SortFunc(c.list, func(a, b Capability) int { return strings.Compare(a.Name, b.Name) })
	c.fields = make([]InputFields, len(c.list))
	for i, one := range c.list {
		c.byName[one.Name] = i
		c.fields[i] = inputFields(one.Input)
	}
	return c
}

func inputFields(schema json.RawMessage) InputFields {
	// Not a struct: its fields would take keywords in other letters, such as "Required".
	var keywords, properties map[string]json.RawMessage
	var fields InputFields
	if json.Unmarshal(schema, &keywords) != nil {
		return InputFields{} // no schema, or none of an object: nothing is known of the fields
	}
	for keyword, into := range map[string]any{"properties": &properties, "required": &fields.Required} {
		if raw, ok := keywords[keyword]; ok && json.Unmarshal(raw, into) != nil {
			return InputFields{}
		}
	}
	fields.Names = slices.Sorted(maps.Keys(properties))
	fields.Closed = string(keywords["additionalProperties"]) == "false"
	return fields
}

// InputFields gives the fields of a capability's input; nothing for an unknown name.
func (c *Catalogue) InputFields(name string) InputFields {
	at, ok := c.byName[name]
	if !ok {
		return InputFields{}
	}
	return c.fields[at]
}

// Get finds a capability by its exact name.
func (c *Catalogue) Get(name string) (Capability, bool) {
	at, ok := c.byName[name]
	if !ok {
		return Capability{}, false
	}
	return c.list[at], true
}

// All lists the capabilities, sorted by name. The caller must not change the list.
func (c *Catalogue) All() []Capability { return c.list }

// Names lists the names, sorted.
func (c *Catalogue) Names() []string {
	names := make([]string, len(c.list))
	for i, one := range c.list {
		names[i] = one.Name
	}
	return names
}
