package card

import (
	"fmt"
	"slices"
	"strings"

	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// View says how much of long texts and lists is shown.
type View int

// The views.
const (
	// Short cuts what is long, so that all of a card fits a screen or two.
	Short View = iota
	// Expanded shows everything.
	Expanded
)

// Facts are what a person sees of a tool: what was worked out of it, and then what its
// author says.
type Facts struct {
	Title string
	// Name under which the tool is called; "" for several tools taken together.
	Name string
	// Version of the tool; 0 for one that has none, such as a capability.
	Version     int64
	Description string
	// Source says where the tool comes from: "from file", "installed".
	Source    string
	Marks     tool.Marks
	Catalogue *tool.Catalogue
	Hosts     []string
	// HostsUnknown: the tool runs elsewhere, so nobody here knows which hosts it reaches.
	HostsUnknown bool
	Credentials  []string
	// Secrets are the names of the secrets that the tool may use.
	Secrets []string
	// Calls are the tools that a tool in code may call, and Code what it is written in:
	// "digest.ts, 40 lines"; "" for a tool that is no code, or whose code is not here.
	Calls []string
	Code  string
	// More are lines of somebody who looks at an installed tool, such as its versions.
	More []Line
}

// Heading is the first line: title, name, version and source.
func (f Facts) Heading() string {
	var about []string
	if f.Name != "" {
		about = append(about, visible.Line(f.Name))
	}
	if f.Version != 0 {
		about = append(about, fmt.Sprintf("version %d", f.Version))
	}
	if f.Source != "" {
		about = append(about, visible.Line(f.Source))
	}
	heading := visible.Line(visible.Cut(f.Title, maxTitle))
	if len(about) > 0 {
		heading += "  (" + strings.Join(about, ", ") + ")"
	}
	return heading
}

// About is what the author says, cut.
func (f Facts) About() string { return visible.Line(visible.Cut(f.Description, maxDescription)) }

// Lines are the computed facts.
func (f Facts) Lines(view View) []Line {
	lines, _ := f.lines(view)
	return lines
}

// lines are the facts, and whether some of them were cut.
func (f Facts) lines(view View) (lines []Line, cut bool) {
	named := func(label string, names []string) {
		text, shortened := listed(names, view)
		lines, cut = append(lines, Line{label, text}), cut || shortened
	}
	lines = append(lines, Line{"may read", f.may(tool.Read)}, Line{"may write", f.may(tool.Write)},
		Line{"risk", fmt.Sprintf("%s, %s", f.Marks.Risk, f.Marks.Reversibility)})
	switch {
	case !f.Marks.CanTransmit:
		lines = append(lines, Line{"network", "none"})
	case f.HostsUnknown:
		lines = append(lines, Line{"network", "yes, and which hosts is not known here"})
	case len(f.Hosts) == 0:
		lines = append(lines, Line{"network", "no host allowed"})
	default:
		named("network", f.Hosts)
	}
	if text := f.data(); text != "" {
		lines = append(lines, Line{"data", text})
	}
	if f.Marks.UsesModel() {
		lines = append(lines, Line{"model", modelText(f.Marks.ModelPrivacy)})
	}
	if len(f.Credentials) > 0 {
		named("credentials", f.Credentials)
	}
	if len(f.Secrets) > 0 {
		named("secrets", f.Secrets)
	}
	if len(f.Calls) > 0 {
		named("calls", f.Calls)
	}
	if f.Code != "" {
		lines = append(lines, Line{"code", visible.Line(f.Code)})
	}
	lines = append(lines, f.More...)
	if word, scripts, ok := visible.MixedScripts(f.Title); ok {
		lines = append(lines, Line{"title", fmt.Sprintf("the word \"%s\" mixes %s letters, which may be taken for each other",
			visible.Line(visible.Cut(word, maxTitle)), strings.Join(scripts, " and "))})
	}
	return lines, cut
}

// maxNames is how many names of a list are shown, and maxName how long each may be, in
// characters: the longest host is one character shorter.
const (
	maxNames = 12
	maxName  = 254
)

// listed joins names, and says whether some of them were left out or cut.
func listed(names []string, view View) (text string, cut bool) {
	var shown []string
	for i, name := range names {
		if view == Short && i == maxNames {
			return strings.Join(shown, ", ") + fmt.Sprintf(" and %s more", thousands(len(names)-maxNames)), true
		}
		if short := visible.Cut(name, maxName); view == Short && short != name {
			name, cut = short, true
		}
		shown = append(shown, visible.Line(name))
	}
	return strings.Join(shown, ", "), cut
}

// kinds lists what the reached capabilities of a power work on.
func (f Facts) kinds(p tool.Power) []string {
	var kinds []string
	for _, name := range f.Marks.Capabilities {
		c, ok := f.Catalogue.Get(name)
		if ok && c.Power == p && c.Kind != "" && !slices.Contains(kinds, Plural(c.Kind)) {
			kinds = append(kinds, Plural(c.Kind))
		}
	}
	return kinds
}

// may says what a power works on.
func (f Facts) may(p tool.Power) string {
	kinds := f.kinds(p)
	switch {
	case len(kinds) > 0:
		return strings.Join(kinds, ", ")
	case f.Marks.Has(p):
		return "yes"
	}
	return "nothing"
}

// Wants says in a few words what the tool is about to do: "write notes, send data out".
func (f Facts) Wants() string {
	var parts []string
	for _, one := range []struct {
		power tool.Power
		verb  string
	}{{tool.Read, "read"}, {tool.Write, "write"}} {
		if kinds := f.kinds(one.power); len(kinds) > 0 {
			parts = append(parts, one.verb+" "+strings.Join(kinds, ", "))
		} else if f.Marks.Has(one.power) {
			parts = append(parts, one.verb+" data")
		}
	}
	if f.Marks.CanTransmit {
		parts = append(parts, "send data out")
	}
	if len(parts) == 0 {
		return "work something out"
	}
	return strings.Join(parts, ", ")
}

// data says what the tool gets to see, and whether it can pass it on; "" where there is
// nothing to say.
func (f Facts) data() string {
	var parts []string
	if f.Marks.ReadsPrivate {
		parts = append(parts, "reads your own data")
	}
	if f.Marks.ReadsUntrusted {
		parts = append(parts, "reads what others may have written")
	}
	if f.Marks.CanTransmit {
		parts = append(parts, "can send data out of this machine")
	}
	return strings.Join(parts, "; ")
}

func modelText(privacy []string) string {
	switch {
	case slices.Contains(privacy, "remote-allowed"):
		return "what it reads may be sent to a remote model"
	case slices.Contains(privacy, "local-preferred"):
		return "a local model if there is one, else what it reads may be sent to a remote one"
	}
	return "a model on this machine only"
}
