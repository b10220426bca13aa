package check

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"toolsmith/internal/coded"
	"toolsmith/internal/manifest"
	"toolsmith/internal/schema"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Checked is a tool that passed every rule: a manifest or a coded tool. Only this package makes
// one.
type Checked struct {
	manifest  *manifest.Manifest // nil for a coded tool
	coded     *declared          // nil for a manifest
	text      []byte
	marks     tool.Marks
	catalogue *tool.Catalogue
	// schemas prepares those of the manifest, once; nil for a coded tool.
	schemas func() (ready, error)
}

// ready are the schemas of the input and of the output; nil where nothing is said of it.
type ready struct{ input, output *schema.Schema }

// Manifest gives the typed manifest, which must not be changed; nil for a coded tool.
func (c *Checked) Manifest() *manifest.Manifest { return c.manifest }

// Text gives the text under which the tool is kept: a manifest as it was given, or what
// coded.Tool makes of a coded tool. It must not be changed.
func (c *Checked) Text() []byte { return c.text }

// Digest is the lower-case hex SHA-256 of the manifest, or of all that the author of a coded tool
// wrote. A person's yes is bound to it.
func (c *Checked) Digest() string {
	if c.coded != nil {
		return c.coded.tool.Digest()
	}
	sum := sha256.Sum256(c.text)
	return hex.EncodeToString(sum[:])
}

// Marks gives what was worked out from the steps.
func (c *Checked) Marks() tool.Marks { return c.marks }

// Catalogue gives the capabilities that the manifest was checked against.
func (c *Checked) Catalogue() *tool.Catalogue { return c.catalogue }

// ID of the tool in the registry: that of its manifest, or CodedPrefix and the name of a coded
// tool.
func (c *Checked) ID() string {
	if c.coded != nil {
		return CodedPrefix + c.coded.tool.Name
	}
	return c.manifest.ID.Value()
}

// Name under which the tool is called (see ToolName).
func (c *Checked) Name() string { return ToolName(c.ID()) }

// Version of the tool: as its manifest says, or as the registry has counted those of a coded
// tool; 0 for one that is not kept.
func (c *Checked) Version() int64 {
	if c.coded != nil {
		return c.coded.number
	}
	v, _ := value.Integer(c.manifest.Version.Value())
	return v
}

// Title of the tool.
func (c *Checked) Title() string {
	if c.coded != nil {
		return c.coded.title
	}
	return c.manifest.Title.Value()
}

// Description of the tool.
func (c *Checked) Description() string {
	if c.coded != nil {
		return c.coded.description
	}
	return c.manifest.Description.Value()
}

// Input is the JSON Schema of the arguments as a JSON value, and Output that of the result; nil
// where nothing is said of it. They must not be changed.
func (c *Checked) Input() any {
	if c.coded != nil {
		return c.coded.parameters
	}
	return valueOf(c.manifest.InputSchema)
}

// Output is the JSON Schema of the result; see Input.
func (c *Checked) Output() any {
	if c.coded != nil {
		return c.coded.result
	}
	return valueOf(c.manifest.OutputSchema)
}

// Schemas are those of Input and Output, ready to be used; nil where nothing is said of it.
func (c *Checked) Schemas() (input, output *schema.Schema, err error) {
	if c.coded != nil {
		return c.coded.arguments, c.coded.returned, nil
	}
	both, err := c.schemas()
	return both.input, both.output, err
}

// prepare prepares the schemas of a manifest.
func (c *Checked) prepare() (r ready, err error) {
	if r.input, err = schema.Compile(c.Input()); err != nil {
		return r, fmt.Errorf("input of %s: %w", c.Name(), err)
	}
	if r.output, err = schema.Compile(c.Output()); err != nil {
		return r, fmt.Errorf("output of %s: %w", c.Name(), err)
	}
	return r, nil
}

func valueOf(n *value.Node) any {
	if n == nil {
		return nil
	}
	return n.Value()
}

// Hosts that the tool may reach, in the order in which it lists them and as package origin does
// ("api.example.com", "http://nas.example:8080"); none where the network is forbidden.
func (c *Checked) Hosts() []string {
	if c.coded != nil {
		return c.coded.hosts
	}
	var hosts []string
	for _, d := range c.manifest.Network.Domains {
		hosts = append(hosts, normalHost(d.Value()))
	}
	return hosts
}

// Credentials gives the ids of the keys and accounts that the tool needs, in the order of
// the manifest; of a coded tool, the names of the secrets that it may read and set.
func (c *Checked) Credentials() []string {
	if c.coded != nil {
		return c.coded.secrets
	}
	var ids []string
	for _, credential := range c.manifest.Credentials {
		ids = append(ids, credential.ID.Value())
	}
	return ids
}

// Scope gives the hosts that the credential with an id may be sent to, written as Hosts
// gives them; none for a coded tool, which sends its secrets itself.
func (c *Checked) Scope(id string) []string {
	if c.coded != nil {
		return nil
	}
	var hosts []string
	for _, credential := range c.manifest.Credentials {
		if credential.ID.Value() != id {
			continue
		}
		for _, host := range credential.OutboundScope {
			hosts = append(hosts, normalHost(host.Value()))
		}
	}
	return hosts
}

// Coded gives the coded tool; ok is false for a manifest.
func (c *Checked) Coded() (t coded.Tool, ok bool) {
	if c.coded == nil {
		return coded.Tool{}, false
	}
	return c.coded.tool, true
}

// Calls are the tools that a coded tool may call by its subtasks, itself left out, sorted; none for
// a manifest.
func (c *Checked) Calls() []string {
	if c.coded == nil {
		return nil
	}
	return c.coded.calls
}

// Numbered is the tool with a version that the registry has counted. A manifest has one of its own.
func (c *Checked) Numbered(version int64) *Checked {
	if c.coded == nil {
		return c
	}
	counted, numbered := *c.coded, *c
	counted.number = version
	numbered.coded = &counted
	return &numbered
}

// Pick finds the tool of a file that a name means, with the prefix "dynamic:" or without, and gives the
// others of the file. "" means the only one. meant is nil where none is meant.
func Pick(tools []*Checked, name string) (meant *Checked, others []*Checked) {
	for _, c := range tools {
		if name == c.Name() || name == BareName(c.ID()) || name == "" && len(tools) == 1 {
			meant = c
		} else {
			others = append(others, c)
		}
	}
	return meant, others
}

// Names are those under which tools are called.
func Names(tools []*Checked) []string {
	names := make([]string, len(tools))
	for i, c := range tools {
		names[i] = c.Name()
	}
	return names
}

// Result of a check.
type Result struct {
	// Diagnostics in the order of the text; empty for a manifest without fault.
	Diagnostics []manifest.Diagnostic
	// Tool is nil if there is any error.
	Tool *Checked
}

// OK reports whether the manifest may be installed.
func (r Result) OK() bool { return r.Tool != nil }

// Run checks the text of a manifest against the capabilities of a host.
func Run(text []byte, catalogue *tool.Catalogue) Result {
	root, found := manifest.Read(text)
	if root == nil {
		return Result{Diagnostics: found.Sorted()}
	}
	secrets := hideSecrets(root, found, asManifest)
	m := manifest.Decode(root, found)
	c := &checker{Diagnostics: found, m: m, catalogue: catalogue}
	c.identity()
	c.texts()
	c.network()
	c.credentials()
	c.schemas()
	c.triggers()
	c.flow()
	c.references()
	result := Result{Diagnostics: secrets.without(found.Sorted())}
	if !manifest.HasErrors(result.Diagnostics) {
		result.Tool = &Checked{manifest: m, text: text, marks: c.marks(), catalogue: catalogue}
		result.Tool.schemas = sync.OnceValues(result.Tool.prepare)
	}
	return result
}

// checker applies the rules to one manifest.
type checker struct {
	*manifest.Diagnostics
	m         *manifest.Manifest
	catalogue *tool.Catalogue
	graph     *graph
	// compiled is how many bytes of schemas have been compiled for their defaults.
	compiled int
	// visits are what the steps read and write, in the order of the text; those of step i of
	// the flow, and of its body, begin at visitsFrom[i].
	visits     []visit
	visitsFrom []int
	// variables that are written anywhere, with their numbers.
	variables map[string]int32
	// uses are the references of all steps, in the order of the visits.
	uses []use
	// segments is where the segments of the paths of references are put, and for a moment
	// those of a path that is written.
	segments value.Path
}

// path reads a path of a reference.
func (c *checker) path(text string) (value.Path, error) {
	from := len(c.segments)
	all, err := value.AppendPath(c.segments, text)
	if err != nil {
		return nil, err
	}
	c.segments = all
	return all[from:len(all):len(all)], nil
}

func (c *checker) fault(code string, n *value.Node, message string) {
	c.At(manifest.LevelError, code, n, message)
}

func (c *checker) warn(code string, n *value.Node, message string) {
	c.At(manifest.LevelWarning, code, n, message)
}
