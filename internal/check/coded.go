package check

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolsmith/internal/coded"
	"toolsmith/internal/manifest"
	"toolsmith/internal/nearest"
	"toolsmith/internal/origin"
	"toolsmith/internal/schema"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// CodeDeclaration is the code for what a coded tool declares that lacks a field, or has one that cannot be used.
const CodeDeclaration = "DECLARATION_INVALID"

// CodeUnavailable is the code for a machine on which code cannot be checked, since nothing translates it.
const CodeUnavailable = "SCRIPT_UNAVAILABLE"

// The bounds of a declaration, in bytes of JSON and in characters.
const (
	maxDeclaration     = 256 << 10
	maxSchema          = 64 << 10
	maxLongDescription = 20_000
)

// declared is a coded tool with what it declares, read.
type declared struct {
	tool               coded.Tool
	title, description string
	// parameters and result are JSON Schemas, as they are written and ready to be used; result is nil
	// for none.
	parameters, result    any
	arguments, returned   *schema.Schema
	hosts, secrets, calls []string
	// number is the version that the registry has counted; 0 for none.
	number int64
}

// Kept checks a text as it is kept: that of a manifest, or of a coded tool. What comes from outside
// is for Run and Coded: of a coded tool it would have to be believed that its script is made of its
// source.
func Kept(text []byte, catalogue *tool.Catalogue) Result {
	if !coded.Is(text) {
		return Run(text, catalogue)
	}
	t, err := coded.Parse(text)
	if err != nil {
		return Result{Diagnostics: []manifest.Diagnostic{{
			Level: manifest.LevelError, Code: CodeDeclaration, Path: "$", Message: fmt.Sprintf("What is kept of the tool cannot be read: %s.", err), Line: 1, Column: 1,
		}}}
	}
	return ofCoded(t, text, catalogue)
}

// Coded checks a coded tool by what it declares. Every diagnostic stands at the place of the
// declaration in the source.
func Coded(t coded.Tool, catalogue *tool.Catalogue) Result { return ofCoded(t, nil, catalogue) }

// ofCoded is Coded for a tool that is kept as a text; nil for one that is not kept yet.
func ofCoded(t coded.Tool, text []byte, catalogue *tool.Catalogue) Result {
	c := &checker{Diagnostics: &manifest.Diagnostics{}, catalogue: catalogue}
	d := &declared{tool: t}
	root, problems := value.Parse(t.Declaration)
	switch {
	case len(problems) > 0 || root == nil || root.Kind != value.Object:
		return atDeclaration(Result{Diagnostics: []manifest.Diagnostic{{
			Level: manifest.LevelError, Code: CodeDeclaration, Path: "$", Message: "What the tool declares is no JSON object.",
		}}}, t)
	case len(t.Declaration) > maxDeclaration:
		return atDeclaration(Result{Diagnostics: []manifest.Diagnostic{{
			Level: manifest.LevelError, Code: CodeDeclaration, Path: "$", Message: fmt.Sprintf(
				"What the tool declares has %d bytes as JSON; at most %d are allowed.", len(t.Declaration), maxDeclaration),
		}}}, t)
	}
	secrets := hideSecrets(root, c.Diagnostics, asDeclaration)
	c.declaration(root, d)
	result := atDeclaration(Result{Diagnostics: secrets.without(c.Sorted())}, t)
	if !manifest.HasErrors(result.Diagnostics) {
		if text == nil {
			text = t.Text()
		}
		result.Tool = &Checked{coded: d, text: text, marks: c.codedMarks(d), catalogue: catalogue}
	}
	return result
}

// atDeclaration places diagnostics where the tool is declared.
func atDeclaration(r Result, t coded.Tool) Result {
	for i := range r.Diagnostics {
		r.Diagnostics[i].Line, r.Diagnostics[i].Column = max(1, t.Line), max(1, t.Column)
	}
	return r
}

// Source looks for secrets in the source of coded tools. A key in it would be seen by everybody who
// gets the file.
func Source(source []byte) []manifest.Diagnostic {
	var found []manifest.Diagnostic
	text := string(source)
	for _, shape := range shapes {
		if !slices.ContainsFunc(shape.marks, func(m string) bool { return strings.Contains(text, m) }) {
			continue
		}
		for _, at := range shape.pattern.FindAllStringIndex(text, -1) {
			if prose(text, text[at[0]:at[1]]) {
				continue
			}
			line, column := value.Position(source, at[0])
			found = append(found, manifest.Diagnostic{
				Level: manifest.LevelError, Code: CodeSecretFound, Path: "$", Line: line, Column: column, Offset: at[0],
				Message: fmt.Sprintf("This looks like a secret (%s). Name keys in \"secrets\" and read them with getSecret, never in the source; if it is real, have it replaced where it was issued.", shape.rule),
			})
		}
	}
	slices.SortStableFunc(found, func(a, b manifest.Diagnostic) int { return a.Offset - b.Offset })
	return found
}

// fields of a declaration, in the order in which missing ones are reported.
var declarationFields = []struct{ name, example string }{
	{"name", "the name under which the tool is called"},
	{"description", "what can be seen of what the tool does, for people and for models"},
	{"parameters", `the JSON Schema of the arguments, such as {type: "object", properties: {}}`},
	{"title", ""}, {"longDescription", ""}, {"version", ""}, {"result", ""}, {"renderOptions", ""}, {"network", ""}, {"secrets", ""}, {"calls", ""},
}

// mustDeclare is how many of declarationFields have to be there.
const mustDeclare = 3

var (
	codedName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	codedVersion = regexp.MustCompile(`^[A-Za-z0-9._+-]{1,64}$`)
)

// nameRule words codedName.
const nameRule = `1 to 64 letters, digits, ".", "_" and "-", beginning with a letter or digit`

// declaration reads a declaration into d, and reports what is wrong with it.
func (c *checker) declaration(root *value.Node, d *declared) {
	known := make([]string, len(declarationFields))
	for i, f := range declarationFields {
		known[i] = f.name
	}
	for kid := range root.Kids() {
		if !slices.Contains(known, kid.Name) {
			c.AtName(manifest.LevelError, CodeDeclaration, kid, fmt.Sprintf("createTool knows no field %s.%s", manifest.Quote(kid.Name), c.Guess(kid.Name, func() []string { return known })))
		}
	}
	for _, f := range declarationFields[:mustDeclare] {
		if root.Get(f.name) == nil {
			c.Missing(CodeDeclaration, root, f.name, fmt.Sprintf("Required field %q is missing: %s.", f.name, f.example))
		}
	}
	c.codedTexts(root, d)
	d.parameters, d.arguments = c.codedSchema(root.Get("parameters"))
	d.result, d.returned = c.codedSchema(root.Get("result"))
	if n := root.Get("parameters"); n != nil && n.Kind == value.Object {
		if kind := n.Get("type"); kind == nil || kind.Kind != value.String || kind.Text != "object" {
			c.fault(CodeDeclaration, n, `"parameters" needs type: "object", since arguments are an object.`)
		}
	}
	if n := root.Get("renderOptions"); n != nil && n.Kind != value.Object {
		c.fault(CodeDeclaration, n, fmt.Sprintf(`"renderOptions" has to be an object; this is %s.`, n.Kind))
	}
	for _, host := range c.list(root.Get("network")) {
		c.host(host)
		if listed, err := origin.Listed(host.Value()); err == nil {
			d.hosts = append(d.hosts, listed.String())
		}
	}
	for _, name := range c.list(root.Get("secrets")) {
		if !codedName.MatchString(name.Value()) {
			c.fault(CodeDeclaration, name.Node, fmt.Sprintf("The name of a secret has %s; this is %s.", nameRule, manifest.Quote(name.Value())))
		}
		d.secrets = append(d.secrets, name.Value())
	}
	for _, name := range c.list(root.Get("calls")) {
		c.calledName(name)
		if name.Value() != d.tool.Name { // it may always call itself
			d.calls = append(d.calls, name.Value())
		}
	}
	slices.Sort(d.calls)
}

// codedTexts checks the texts of a declaration.
func (c *checker) codedTexts(root *value.Node, d *declared) {
	if name := c.word(root.Get("name")); name.Ok() {
		switch {
		case !codedName.MatchString(name.Value()):
			c.fault(CodeDeclaration, name.Node, fmt.Sprintf("The name of a tool has %s; this is %s.%s", nameRule, manifest.Quote(name.Value()), foreign(name.Value())))
		case reservedName(strings.ToLower(name.Value())):
			c.fault(CodeDeclaration, name.Node, fmt.Sprintf("The name %s is that of a device on Windows. Choose another.", manifest.Quote(name.Value())))
		}
	}
	d.title = d.tool.Name
	if title := c.word(root.Get("title")); title.Ok() {
		c.name(CodeTitle, "title", title, maxTitle)
		d.title = title.Value()
	}
	description := c.word(root.Get("description"))
	c.name(CodeDescription, "description", description, maxDescription)
	if description.Ok() {
		d.description = description.Value()
	}
	c.name(CodeDescription, "longDescription", c.word(root.Get("longDescription")), maxLongDescription)
	if version := c.word(root.Get("version")); version.Ok() && !codedVersion.MatchString(version.Value()) {
		c.fault(CodeDeclaration, version.Node, fmt.Sprintf(`A version has 1 to 64 letters, digits, ".", "_", "+" and "-"; this is %s.`, manifest.Quote(version.Value())))
	}
}

// word reads a field that is a text.
func (c *checker) word(n *value.Node) manifest.Text {
	if n == nil {
		return manifest.Text{}
	}
	if n.Kind != value.String {
		c.fault(CodeDeclaration, n, fmt.Sprintf("%s has to be a text; this is %s.", manifest.Quote(n.Name), n.Kind))
		return manifest.Text{}
	}
	return manifest.Text{Node: n}
}

// list reads a field that is a list of different texts.
func (c *checker) list(n *value.Node) (texts []manifest.Text) {
	if n == nil {
		return nil
	}
	if n.Kind != value.Array {
		c.fault(CodeDeclaration, n, fmt.Sprintf("%s has to be a list of texts; this is %s.", manifest.Quote(n.Name), n.Kind))
		return nil
	}
	seen := map[string]bool{}
	for item := range n.Kids() {
		switch {
		case item.Kind != value.String:
			c.fault(CodeDeclaration, item, fmt.Sprintf("%s has to be a list of texts; this is %s.", manifest.Quote(n.Name), item.Kind))
			continue
		case seen[item.Text]:
			c.fault(CodeDeclaration, item, fmt.Sprintf("%s is there twice.", manifest.Quote(item.Text)))
			continue
		}
		seen[item.Text] = true
		texts = append(texts, manifest.Text{Node: item})
	}
	return texts
}

// calledName checks the name of a tool that may be called.
func (c *checker) calledName(name manifest.Text) {
	text := name.Value()
	if text == "" || len(text) > 200 || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7F }) {
		c.fault(CodeDeclaration, name.Node, fmt.Sprintf("%s is no name of a tool.", manifest.Quote(text)))
		return
	}
	if _, known := c.catalogue.Get(text); !known && strings.Contains(text, ".") {
		if near := nearest.To(text, c.catalogue.Names()); near != "" {
			c.warn(CodeCapabilityUnknown, name.Node, fmt.Sprintf("There is no capability %s, though there may be such a tool. Did you mean %q?", manifest.Quote(text), near))
		}
	}
	c.readable(CodeDeclaration, "The name of a tool", name)
}

// codedSchema reads a schema, and looks for what is wrong with it.
func (c *checker) codedSchema(n *value.Node) (raw any, ready *schema.Schema) {
	switch {
	case n == nil:
		return nil, nil
	case n.Kind != value.Object:
		c.fault(CodeDeclaration, n, fmt.Sprintf("%s has to be a JSON Schema, which is an object; this is %s.", manifest.Quote(n.Name), n.Kind))
		return nil, nil
	case int(n.End-n.Offset) > maxSchema:
		c.fault(CodeDeclaration, n, fmt.Sprintf("%s has %d bytes as JSON; at most %d are allowed.", manifest.Quote(n.Name), n.End-n.Offset, maxSchema))
		return nil, nil
	}
	raw = n.Value()
	ready, err := schema.Compile(raw)
	if err != nil {
		c.fault(CodeDeclaration, n, fmt.Sprintf("%s is no JSON Schema that can be used: %s.", manifest.Quote(n.Name), err))
		return nil, nil
	}
	c.contradictions(n)
	return raw, ready
}

// codedMarks works out what a coded tool can do from what it asks for: it gets nothing else.
func (c *checker) codedMarks(d *declared) tool.Marks {
	t := &tally{catalogue: c.catalogue, compensated: true}
	t.marks.Risk = tool.R1
	if len(d.hosts) > 0 { // it may send anything there, by any method
		t.marks.Powers = append(t.marks.Powers, tool.Outbound)
		t.marks.Risk, t.marks.ReadsUntrusted, t.writes, t.compensated = tool.R4, true, true, false
	}
	if len(d.secrets) > 0 {
		t.marks.Powers = append(t.marks.Powers, tool.Read)
	}
	for _, name := range d.calls {
		capability, known := c.catalogue.Get(name)
		if !known { // it is marked and asked about for itself when it is called
			t.marks.Capabilities = append(t.marks.Capabilities, name)
			continue
		}
		t.reach(capability)
		if capability.Power != tool.Read && !(capability.Power == tool.Outbound && capability.Idempotent) {
			t.writes, t.compensated = true, t.compensated && capability.Undo != ""
		}
	}
	return t.done()
}

// RenderOptions are what a coded tool says of how it is shown, as a JSON value; nil for none.
func (c *Checked) RenderOptions() any {
	if c.coded == nil {
		return nil
	}
	var of struct {
		RenderOptions json.RawMessage `json:"renderOptions"`
	}
	if json.Unmarshal(c.coded.tool.Declaration, &of) != nil || len(of.RenderOptions) == 0 {
		return nil
	}
	v, _ := value.Decode(of.RenderOptions)
	return v
}
