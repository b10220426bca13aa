package check

import (
	"crypto/sha256"
	"encoding/hex"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Checked is a manifest that passed every rule. Only Run makes one.
type Checked struct {
	manifest  *manifest.Manifest
	text      []byte
	marks     tool.Marks
	catalogue *tool.Catalogue
}

// Manifest gives the typed manifest. It must not be changed.
func (c *Checked) Manifest() *manifest.Manifest { return c.manifest }

// Text gives the text as it was given. It must not be changed.
func (c *Checked) Text() []byte { return c.text }

// Digest is the lower-case hex SHA-256 of the text. A person's yes is bound to it.
func (c *Checked) Digest() string {
	sum := sha256.Sum256(c.text)
	return hex.EncodeToString(sum[:])
}

// Marks gives what was worked out from the steps.
func (c *Checked) Marks() tool.Marks { return c.marks }

// Catalogue gives the capabilities that the manifest was checked against.
func (c *Checked) Catalogue() *tool.Catalogue { return c.catalogue }

// ID of the tool, without the prefix "dynamic:".
func (c *Checked) ID() string { return c.manifest.ID.Value() }

// Name under which the tool is called: "dynamic:<id>".
func (c *Checked) Name() string { return ToolName(c.ID()) }

// NamePrefix stands before the id of a forged tool in the name under which it is called.
const NamePrefix = "dynamic:"

// ToolName is the name under which the tool with an id is called.
func ToolName(id string) string { return NamePrefix + id }

// Version of the tool.
func (c *Checked) Version() int64 {
	v, _ := value.Integer(c.manifest.Version.Value())
	return v
}

// Title of the tool.
func (c *Checked) Title() string { return c.manifest.Title.Value() }

// Description of the tool.
func (c *Checked) Description() string { return c.manifest.Description.Value() }

// Hosts that the tool may reach, in the order of the manifest and as package origin lists
// them ("api.example.com", "http://nas.example:8080"); none where the network is forbidden.
func (c *Checked) Hosts() []string {
	var hosts []string
	for _, d := range c.manifest.Network.Domains {
		hosts = append(hosts, normalHost(d.Value()))
	}
	return hosts
}

// Credentials gives the ids of the keys and accounts that the tool needs, in the order of
// the manifest.
func (c *Checked) Credentials() []string {
	var ids []string
	for _, credential := range c.manifest.Credentials {
		ids = append(ids, credential.ID.Value())
	}
	return ids
}

// Scope gives the hosts that the credential with an id may be sent to, written as Hosts
// gives them.
func (c *Checked) Scope(id string) []string {
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
	secrets := hideSecrets(root, found)
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
