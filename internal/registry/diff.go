package registry

import (
	"bytes"
	"slices"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Change is what one version of a set has more and less than another.
type Change struct {
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
}

// Empty reports whether nothing changed.
func (c Change) Empty() bool { return len(c.Added)+len(c.Removed) == 0 }

// StepChange is a step that both versions have, with what is different in it.
type StepChange struct {
	ID string `json:"id"`
	// Fields that differ, sorted by the order of the newer version.
	Fields []string `json:"fields"`
}

// Step is a step that only one version has.
type Step struct {
	ID string `json:"id"`
	// Does is its capability, or its type where it calls none.
	Does string `json:"does"`
}

// Diff is what a person should know of the difference between two versions of a tool,
// the most important first.
type Diff struct {
	FromVersion       int64              `json:"fromVersion"`
	ToVersion         int64              `json:"toVersion"`
	Powers            Change             `json:"powers"`
	FromRisk          tool.Risk          `json:"fromRisk"`
	ToRisk            tool.Risk          `json:"toRisk"`
	FromReversibility tool.Reversibility `json:"fromReversibility"`
	ToReversibility   tool.Reversibility `json:"toReversibility"`
	Hosts             Change             `json:"hosts"`
	Credentials       Change             `json:"credentials"`
	Capabilities      Change             `json:"capabilities"`
	// Models are what its model steps allow their data to be sent to.
	Models       Change       `json:"models"`
	StepsAdded   []Step       `json:"stepsAdded"`
	StepsRemoved []Step       `json:"stepsRemoved"`
	StepsChanged []StepChange `json:"stepsChanged"`
	StepsSame    int          `json:"stepsUnchanged"`
	// Fields of the manifest, outside the flow, that differ; of a coded tool, those of what it
	// declares, and "source".
	Fields []string `json:"fields"`
}

// Grows reports whether the newer version can do more than the older one. To ask a model
// that is held to this machine, where another could be asked before, is no more.
func (d Diff) Grows() bool {
	models := slices.ContainsFunc(d.Models.Added, func(privacy string) bool {
		return privacy != "local-only" || len(d.Models.Removed) == 0
	})
	return len(d.Powers.Added)+len(d.Hosts.Added)+len(d.Credentials.Added)+len(d.Capabilities.Added) > 0 || models || d.ToRisk > d.FromRisk
}

// Compare tells what is different in b against a.
func Compare(a, b *check.Checked) Diff {
	x, y := a.Marks(), b.Marks()
	d := Diff{
		FromVersion: a.Version(), ToVersion: b.Version(),
		FromRisk: x.Risk, ToRisk: y.Risk, FromReversibility: x.Reversibility, ToReversibility: y.Reversibility,
		Powers:       change(texts(x.Powers), texts(y.Powers)),
		Hosts:        change(a.Hosts(), b.Hosts()),
		Credentials:  change(a.Credentials(), b.Credentials()),
		Capabilities: change(x.Capabilities, y.Capabilities),
		Models:       change(x.ModelPrivacy, y.ModelPrivacy),
		StepsAdded:   []Step{}, StepsRemoved: []Step{}, StepsChanged: []StepChange{},
	}
	if a.Manifest() == nil || b.Manifest() == nil {
		d.Fields = declaredFields(a, b)
		return d
	}
	d.Fields = members(a.Manifest().Root, b.Manifest().Root, "version", "parentVersion", "createdAt", "flow")
	if fields := members(a.Manifest().Flow.Node, b.Manifest().Flow.Node, "nodes"); len(fields) > 0 {
		for _, f := range fields {
			d.Fields = append(d.Fields, "flow."+f)
		}
	}
	d.steps(a.Manifest().Flow.Steps, b.Manifest().Flow.Steps)
	return d
}

// declaredFields lists what differs between two coded tools.
func declaredFields(a, b *check.Checked) []string {
	x, _ := a.Coded()
	y, _ := b.Coded()
	from, _ := value.Parse(x.Declaration)
	to, _ := value.Parse(y.Declaration)
	fields := []string{}
	if from != nil && to != nil {
		fields = members(from, to)
	}
	if !bytes.Equal(x.Source, y.Source) {
		fields = append(fields, "source")
	}
	return fields
}

func (d *Diff) steps(from, to []*manifest.Step) {
	old := map[string]*manifest.Step{}
	for _, s := range from {
		old[s.ID.Value()] = s
	}
	kept := map[string]bool{}
	for _, s := range to {
		before, ok := old[s.ID.Value()]
		if !ok {
			d.StepsAdded = append(d.StepsAdded, Step{s.ID.Value(), s.Does()})
			continue
		}
		kept[s.ID.Value()] = true
		if fields := members(before.Node, s.Node); len(fields) > 0 {
			d.StepsChanged = append(d.StepsChanged, StepChange{s.ID.Value(), fields})
		} else {
			d.StepsSame++
		}
	}
	for _, s := range from {
		if !kept[s.ID.Value()] {
			d.StepsRemoved = append(d.StepsRemoved, Step{s.ID.Value(), s.Does()})
		}
	}
}

// members lists the names whose values differ between two objects.
func members(a, b *value.Node, except ...string) []string {
	names := []string{}
	for _, n := range []*value.Node{b, a} {
		for kid := range n.Kids() {
			name := kid.Name
			if slices.Contains(except, name) || slices.Contains(names, name) {
				continue
			}
			x, y := a.Get(name), b.Get(name)
			if x == nil || y == nil || !value.Equal(x.Value(), y.Value()) {
				names = append(names, name)
			}
		}
	}
	return names
}

func texts[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = string(item)
	}
	return out
}

func change(from, to []string) Change {
	c := Change{Added: []string{}, Removed: []string{}}
	for _, item := range to {
		if !slices.Contains(from, item) {
			c.Added = append(c.Added, item)
		}
	}
	for _, item := range from {
		if !slices.Contains(to, item) {
			c.Removed = append(c.Removed, item)
		}
	}
	return c
}
