package check

import (
	"encoding/json"
	"fmt"
	"strings"

	"toolsmith/internal/manifest"
	"toolsmith/internal/schema"
	"toolsmith/internal/value"
)

// schemas warns of schemas that contradict themselves. They may be installed, since a
// value that fits none of them is refused when the tool runs.
func (c *checker) schemas() {
	c.eachSchema(func(n *value.Node) { c.contradictions(n) })
	if c.m.State != nil {
		c.fieldNames(c.m.State.Fields)
	}
}

// eachSchema calls f with every schema of the manifest, at its top.
func (c *checker) eachSchema(f func(n *value.Node)) {
	visit := func(n *value.Node) {
		if n != nil && n.Kind == value.Object {
			f(n)
		}
	}
	visit(c.m.InputSchema)
	visit(c.m.OutputSchema)
	if s := c.m.State; s != nil && s.Fields != nil {
		for kid := range s.Fields.Kids() {
			visit(kid)
		}
	}
	if c.m.Flow == nil {
		return
	}
	for _, s := range c.m.Flow.Steps {
		visit(s.OutputSchema)
		for _, inner := range s.Body {
			visit(inner.OutputSchema)
		}
	}
}

func (c *checker) contradictions(n *value.Node) {
	if n.Kind != value.Object {
		return
	}
	c.schemaTexts(n)
	properties := n.Get("properties")
	if required := n.Get("required"); required != nil && properties != nil {
		for name := range required.Kids() {
			if name.Kind == value.String && properties.Get(name.Text) == nil {
				c.warn(CodeSchemaContradiction, name, fmt.Sprintf("%s is required, yet it is no property.", manifest.Quote(name.Text)))
			}
		}
	}
	c.bounds(n, "minimum", "maximum")
	c.bounds(n, "minLength", "maxLength")
	if enum := n.Get("enum"); enum != nil && enum.Kind == value.Array && enum.Len() == 0 {
		c.warn(CodeSchemaContradiction, enum, `"enum" is empty, so no value fits.`)
	}
	c.defaultFits(n)
	if properties != nil {
		for kid := range properties.Kids() {
			c.contradictions(kid)
		}
	}
	if items := n.Get("items"); items != nil {
		c.contradictions(items)
	}
}

func (c *checker) bounds(n *value.Node, least, most string) {
	low, high := n.Get(least), n.Get(most)
	if high != nil && most == "maxLength" && high.Kind == value.Number && value.CompareNumbers(json.Number(high.Text), "0") < 0 {
		c.warn(CodeSchemaContradiction, high, fmt.Sprintf("%q is negative, so no text fits.", most))
		return
	}
	if low == nil || high == nil || low.Kind != value.Number || high.Kind != value.Number {
		return
	}
	if value.CompareNumbers(json.Number(low.Text), json.Number(high.Text)) > 0 {
		c.warn(CodeSchemaContradiction, low, fmt.Sprintf("%q (%s) is above %q (%s), so no value fits.", least, low.Text, most, high.Text))
	}
}

// defaultFits checks that a default fits its own schema.
func (c *checker) defaultFits(n *value.Node) {
	byDefault := n.Get("default")
	if byDefault == nil {
		return
	}
	// Schemas in schemas are compiled again and again; one that is that deep goes unchecked.
	const most = 64 << 10
	if c.compiled += int(n.End - n.Offset); c.compiled > most {
		return
	}
	compiled, err := schema.Compile(n.Value())
	if err != nil {
		return // its structure is wrong, which has been reported
	}
	for _, v := range compiled.Validate(byDefault.Value()) {
		c.warn(CodeSchemaContradiction, byDefault, "The default does not fit its own schema: "+strings.TrimPrefix(v.Path+" ", "$ ")+v.Message)
	}
}

// triggers warns of triggers that can never start the tool, or cannot be told apart.
func (c *checker) triggers() {
	seen := map[string]bool{}
	for _, t := range c.m.Triggers {
		if t.Type.Value() == "schedule" && t.Schedule == nil && t.Node.Get("schedule") == nil {
			c.warn(CodeTrigger, t.Node, `This trigger has no "schedule", so it never starts the tool.`)
		}
		if t.ID.Ok() && seen[t.ID.Value()] {
			c.warn(CodeTrigger, t.ID.Node, fmt.Sprintf("Two triggers have the id %s.", manifest.Quote(t.ID.Value())))
		}
		seen[t.ID.Value()] = true
	}
}
