package httpapi

import (
	"encoding/json"
	"strings"
	"time"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
	"toolsmith/internal/registry"
	"toolsmith/tool"
)

// diagnosticShown is one thing that a check has to say.
type diagnosticShown struct {
	Level   string `json:"level" enum:"error,warning" doc:"An error stops an install, a warning does not."`
	Code    string `json:"code" doc:"The code; all are explained in docs/codes.md."`
	Path    string `json:"path" doc:"The narrowest field concerned, such as $.flow.nodes[2].retry.maxAttempts."`
	Message string `json:"message" doc:"What is wrong, and what would be right."`
	Line    int    `json:"line" doc:"The line of the place in the text, from 1."`
	Column  int    `json:"column" doc:"The column of the place, from 1, in characters."`
}

func showDiagnostics(list []manifest.Diagnostic) []diagnosticShown {
	out := make([]diagnosticShown, len(list))
	for i, d := range list {
		out[i] = diagnosticShown{string(d.Level), d.Code, d.Path, d.Message, d.Line, d.Column}
	}
	return out
}

// ToolFacts are what was worked out of a tool, beside what its author says.
type ToolFacts struct {
	ID             string   `json:"id" doc:"Its id: as the manifest has it, or code: and the name of a tool in code."`
	Name           string   `json:"name" doc:"The name under which it is called."`
	Kind           string   `json:"kind" enum:"manifest,code" doc:"What it is written in: a manifest, or TypeScript or JavaScript."`
	File           string   `json:"file,omitempty" doc:"The name of the file of a tool in code."`
	Version        int64    `json:"version" doc:"Its version; of an installed tool the active one. Those of tools in code are counted when they are installed; before that it is 0."`
	Title          string   `json:"title" doc:"Its title for people."`
	Description    string   `json:"description" doc:"What its author says of it."`
	Powers         []string `json:"powers" nullable:"false" doc:"What it needs to be allowed to do: outbound, read, write."`
	Risk           string   `json:"risk" doc:"R1 to R4: what it can do at worst."`
	Reversibility  string   `json:"reversibility" doc:"Whether what it did can be taken back: read-only, compensable or irreversible."`
	Capabilities   []string `json:"capabilities" nullable:"false" doc:"The capabilities that its steps can reach; of a tool in code, what it may call."`
	Hosts          []string `json:"hosts" nullable:"false" doc:"The hosts that it may reach."`
	Secrets        []string `json:"secrets" nullable:"false" doc:"The secrets that it may use, by their names."`
	Calls          []string `json:"calls" nullable:"false" doc:"The tools that a tool in code may call, itself left out."`
	ReadsPrivate   bool     `json:"readsPrivate" doc:"Whether it reads your notes, tasks or memory."`
	ReadsUntrusted bool     `json:"readsUntrusted" doc:"Whether it reads what others may have written."`
	CanTransmit    bool     `json:"canTransmit" doc:"Whether it can send data out of this machine."`
	UsesModel      bool     `json:"usesModel" doc:"Whether it asks a language model."`
	Digest         string   `json:"digest" doc:"A SHA-256 in lower-case hex: of the text of a manifest, or of all that the author of a tool in code wrote for it."`
}

func showFacts(c *check.Checked) ToolFacts {
	m := c.Marks()
	out := ToolFacts{
		ID: c.ID(), Name: c.Name(), Kind: kindOf(c.ID()), Secrets: textsOf(c.Credentials()), Calls: textsOf(c.Calls()), Version: c.Version(), Title: c.Title(), Description: c.Description(),
		Powers: textsOf(m.Powers), Risk: m.Risk.String(), Reversibility: string(m.Reversibility), Capabilities: textsOf(m.Capabilities),
		Hosts: textsOf(c.Hosts()), ReadsPrivate: m.ReadsPrivate, ReadsUntrusted: m.ReadsUntrusted, CanTransmit: m.CanTransmit,
		UsesModel: m.UsesModel(), Digest: c.Digest(),
	}
	if t, inCode := c.Coded(); inCode {
		out.File = t.File
	}
	return out
}

// kindOf says what the tool with an id is written in.
func kindOf(id string) string {
	if strings.HasPrefix(id, check.CodedPrefix) {
		return "code"
	}
	return "manifest"
}

// textsOf gives a list that is never null.
func textsOf[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, one := range list {
		out[i] = string(one)
	}
	return out
}

// InstalledShown is an installed tool. Where it is broken, nothing could be worked out of it.
type InstalledShown struct {
	ToolFacts
	Enabled     bool              `json:"enabled" doc:"Whether it is on."`
	ChangedAt   time.Time         `json:"changedAt" doc:"When its active version was last changed, or it was turned on or off."`
	Broken      bool              `json:"broken" doc:"Whether what is kept of it no longer passes the check. Its facts are empty then."`
	Diagnostics []diagnosticShown `json:"diagnostics,omitempty" nullable:"false" doc:"What is wrong with it, where it is broken."`
	Obstacle    *callError        `json:"obstacle,omitempty" doc:"Why it cannot run even when it is on; not there where nothing stands in its way."`
}

func (a *API) showInstalled(e registry.Entry) InstalledShown {
	out := InstalledShown{Enabled: e.Tool.Enabled, ChangedAt: e.Tool.ChangedAt.UTC(), Broken: e.Checked == nil}
	if e.Checked == nil {
		out.ToolFacts = ToolFacts{
			ID: e.Tool.ID, Name: e.Name(), Kind: kindOf(e.Tool.ID), File: e.Version.File(), Version: e.Tool.Active,
			Powers: []string{}, Capabilities: []string{}, Hosts: []string{}, Secrets: []string{}, Calls: []string{},
		}
		out.Diagnostics = showDiagnostics(e.Diagnostics)
	} else {
		out.ToolFacts = showFacts(e.Checked)
	}
	if err := e.Obstacle(); err != nil {
		out.Obstacle = errorShown(err)
	}
	return out
}

// errorShown shows an error that has a code.
func errorShown(err error) *callError { return &callError{tool.Code(err), messageOf(err)} }

// stepShown is a step of a flow.
type stepShown struct {
	ID         string `json:"id" doc:"Its id."`
	Type       string `json:"type" doc:"Its type."`
	Capability string `json:"capability,omitempty" doc:"The capability that it calls, where it calls one."`
}

// installedTool is all about one installed tool.
type installedTool struct {
	InstalledShown
	Versions     []int64         `json:"versions" nullable:"false" doc:"The kept versions, the highest first."`
	Steps        []stepShown     `json:"steps" nullable:"false" doc:"The steps of its flow, in the order of its text; none of a tool in code."`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty" doc:"The JSON Schema of its input; not there where anything goes."`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty" doc:"The JSON Schema of its output, where it has one."`
}

func (a *API) showWhole(e registry.Entry, versions []registry.Version) installedTool {
	out := installedTool{InstalledShown: a.showInstalled(e), Versions: make([]int64, len(versions)), Steps: []stepShown{}}
	for i, v := range versions {
		out.Versions[i] = v.Version
	}
	if e.Checked == nil {
		return out
	}
	out.InputSchema, out.OutputSchema = schemaText(e.Checked.Input()), schemaText(e.Checked.Output())
	m := e.Checked.Manifest()
	if m == nil {
		return out
	}
	for _, s := range m.Flow.Steps {
		one := stepShown{ID: s.ID.Value(), Type: string(s.Type)}
		if s.Type == manifest.StepCapability {
			one.Capability = s.Capability.Value()
		}
		out.Steps = append(out.Steps, one)
	}
	return out
}

// schemaText writes a schema; nil for none.
func schemaText(schema any) json.RawMessage {
	if schema == nil {
		return nil
	}
	return raw(schema)
}

// changeShown is what one version of a set has more and less than another.
type changeShown struct {
	Added   []string `json:"added" nullable:"false" doc:"What the newer one has more."`
	Removed []string `json:"removed" nullable:"false" doc:"What it has no more."`
}

// stepDoes is a step that only one version has.
type stepDoes struct {
	ID   string `json:"id" doc:"Its id."`
	Does string `json:"does" doc:"The capability that it calls, or its type."`
}

// stepChanged is a step that is different in both versions.
type stepChanged struct {
	ID     string   `json:"id" doc:"Its id."`
	Fields []string `json:"fields" nullable:"false" doc:"The fields that differ."`
}

// diffShown is what a person should know of the difference between two versions of a tool.
type diffShown struct {
	FromVersion       int64         `json:"fromVersion" doc:"The earlier version."`
	ToVersion         int64         `json:"toVersion" doc:"The later version."`
	Powers            changeShown   `json:"powers" doc:"What it needs to be allowed to do."`
	FromRisk          string        `json:"fromRisk" doc:"The risk before."`
	ToRisk            string        `json:"toRisk" doc:"The risk after."`
	FromReversibility string        `json:"fromReversibility" doc:"Whether what it did could be taken back before."`
	ToReversibility   string        `json:"toReversibility" doc:"Whether it can after."`
	Hosts             changeShown   `json:"hosts" doc:"The hosts that it may reach."`
	Credentials       changeShown   `json:"credentials" doc:"The credentials that it needs; of a tool in code, the secrets that it may use."`
	Capabilities      changeShown   `json:"capabilities" doc:"The capabilities that its steps can reach; of a tool in code, what it may call."`
	Models            changeShown   `json:"models" doc:"Where its model steps may send their data."`
	StepsAdded        []stepDoes    `json:"stepsAdded" nullable:"false" doc:"Steps that only the later version has."`
	StepsRemoved      []stepDoes    `json:"stepsRemoved" nullable:"false" doc:"Steps that only the earlier version has."`
	StepsChanged      []stepChanged `json:"stepsChanged" nullable:"false" doc:"Steps that both have, and that differ."`
	StepsUnchanged    int           `json:"stepsUnchanged" doc:"How many steps are the same."`
	Fields            []string      `json:"fields" nullable:"false" doc:"Other fields that differ: of the manifest, or of what a tool in code declares, with source for its source."`
	Grows             bool          `json:"grows" doc:"Whether the later version can do more than the earlier one."`
}

func showChange(c registry.Change) changeShown {
	return changeShown{textsOf(c.Added), textsOf(c.Removed)}
}

func showDiff(d registry.Diff) *diffShown {
	out := &diffShown{
		FromVersion: d.FromVersion, ToVersion: d.ToVersion, FromRisk: d.FromRisk.String(), ToRisk: d.ToRisk.String(),
		FromReversibility: string(d.FromReversibility), ToReversibility: string(d.ToReversibility),
		Powers: showChange(d.Powers), Hosts: showChange(d.Hosts), Credentials: showChange(d.Credentials),
		Capabilities: showChange(d.Capabilities), Models: showChange(d.Models),
		StepsAdded: []stepDoes{}, StepsRemoved: []stepDoes{}, StepsChanged: []stepChanged{}, StepsUnchanged: d.StepsSame,
		Fields: textsOf(d.Fields), Grows: d.Grows(),
	}
	for _, s := range d.StepsAdded {
		out.StepsAdded = append(out.StepsAdded, stepDoes(s))
	}
	for _, s := range d.StepsRemoved {
		out.StepsRemoved = append(out.StepsRemoved, stepDoes(s))
	}
	for _, s := range d.StepsChanged {
		out.StepsChanged = append(out.StepsChanged, stepChanged{s.ID, textsOf(s.Fields)})
	}
	return out
}
