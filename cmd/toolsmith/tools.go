package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"toolsmith/internal/card"
	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
	"toolsmith/internal/registry"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
)

// facts gathers what a person sees of a tool before it runs.
func (a *app) facts(c *check.Checked, source string) card.Facts {
	facts := card.Facts{
		Title: c.Title(), Name: check.BareName(c.ID()), Version: c.Version(), Description: c.Description(), Source: source,
		Marks: c.Marks(), Catalogue: a.catalogue, Hosts: c.Hosts(), Credentials: c.Credentials(),
	}
	if t, inCode := c.Coded(); inCode {
		facts.Credentials, facts.Secrets, facts.Calls = nil, c.Credentials(), c.Calls()
		facts.Code = t.File + ", " + card.Count(lines(t.Source), "line")
	}
	return facts
}

// lines counts the lines of a text.
func lines(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

// showCard prints the card of a tool or a call.
func (a *app) showCard(out io.Writer, q card.Question, view card.View) {
	for i, line := range q.Lines(columns(out), view) {
		if i == 0 {
			line = a.style.bold(line)
		}
		fmt.Fprintln(out, line)
	}
}

// entryValue gives an installed tool as a JSON value.
func entryValue(e registry.Entry) map[string]any {
	out := map[string]any{"id": e.Tool.ID, "kind": "manifest", "version": value.Int64(e.Tool.Active)}
	if strings.HasPrefix(e.Tool.ID, check.CodedPrefix) {
		out["kind"] = "code"
	}
	if e.Checked != nil {
		out = toolValue(e.Checked)
	}
	out["name"] = e.Name()
	out["enabled"] = e.Tool.Enabled
	out["changedAt"] = e.Tool.ChangedAt.UTC().Format(time.RFC3339)
	out["broken"] = e.Checked == nil
	if e.Checked == nil {
		out["diagnostics"] = diagnosticsValue(e.Diagnostics)
	}
	if err := e.Obstacle(); err != nil {
		_, code, message, _ := classify(err)
		out["obstacle"] = map[string]any{"code": code, "message": message}
	}
	return out
}

// structValue turns a plain Go value into a JSON value by its JSON form.
func structValue(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return nil // only types of ours come here, and they all can be written
	}
	out, err := value.Decode(text)
	if err != nil {
		return nil
	}
	return out
}

func (a *app) toolsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "tools [TOOL]", Short: "List the installed tools, or look at one",
		Long: `Tools lists what is installed: whether it is on, its version, its risk and powers,
and why it cannot run where something stands in its way. With the name of a tool
it shows everything about that one. While a server holds the data folder, the tools that
other programs supply to it through ports are listed too.`,
		Example: `  toolsmith tools
  toolsmith tools dynamic:my-tool`,
		Args: between(0, "a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.showTool(cmd.Context(), args[0])
			}
			return a.listTools(cmd.Context())
		},
		ValidArgsFunction: a.completeTools,
	}
}

func (a *app) listTools(ctx context.Context) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	entries, err := e.Tools(ctx)
	if err != nil {
		return err
	}
	if a.json {
		list := make([]any, len(entries))
		for i, entry := range entries {
			list[i] = entryValue(entry)
		}
		out := map[string]any{"tools": list}
		if supplied := a.suppliedValues(); len(supplied) > 0 {
			out["supplied"] = supplied
		}
		a.printJSON(out)
		return nil
	}
	defer a.listSupplied()
	if len(entries) == 0 {
		a.say("No tools are installed. Install one with: toolsmith install FILE")
		return nil
	}
	rows := [][]string{{"TOOL", "STATE", "VERSION", "RISK", "POWERS", "TITLE"}}
	for _, entry := range entries {
		rows = append(rows, toolRow(entry))
	}
	a.print("%s", table("", rows))
	for _, entry := range entries {
		if err := entry.Obstacle(); err != nil {
			_, code, message, _ := classify(err)
			a.say("%s: %s %s", entry.Name(), code, visible.Line(message))
		}
	}
	return nil
}

func toolRow(e registry.Entry) []string {
	version := strconv.FormatInt(e.Tool.Active, 10)
	if e.Checked == nil {
		return []string{e.Name(), "broken", version, "–", "–", "–"}
	}
	m := e.Checked.Marks()
	return []string{e.Name(), onOff(e), version, m.Risk.String(), m.PowerNames(), visible.Line(visible.Cut(e.Checked.Title(), 40))}
}

func (a *app) showTool(ctx context.Context, name string) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	if call := a.suppliedTool(name); call != nil {
		a.showSupplied(call)
		return nil
	}
	entry, versions, err := e.Versions(ctx, name)
	if err != nil {
		return err
	}
	if a.json {
		out := entryValue(entry)
		if entry.Checked != nil {
			out["inputSchema"], out["outputSchema"] = entry.Checked.Input(), entry.Checked.Output()
			out["steps"] = stepsValue(entry.Checked)
		}
		a.printJSON(map[string]any{"tool": out})
		return nil
	}
	if entry.Checked == nil {
		a.print("%s  (version %d, broken)", entry.Name(), entry.Tool.Active)
		a.showDiagnostics(entry.Name(), entry.Diagnostics)
		a.print("  versions  %s", versionsLine(versions))
	} else {
		facts := a.facts(entry.Checked, sourceOf(entry))
		if entry.Checked.Manifest() != nil {
			facts.More = append(facts.More, card.Line{Label: "steps", Text: stepsLine(entry.Checked)})
		}
		facts.More = append(facts.More, card.Line{Label: "input", Text: inputLine(entry.Checked)}, card.Line{Label: "versions", Text: versionsLine(versions)})
		a.showCard(a.out, card.Question{Facts: facts}, card.Short)
	}
	a.noteObstacle(entry)
	a.noteSecrets(entry)
	return nil
}

// noteObstacle tells what keeps a tool from running, if anything does.
func (a *app) noteObstacle(e registry.Entry) {
	if err := e.Obstacle(); err != nil {
		_, code, message, _ := classify(err)
		a.say("%s %s: %s", a.style.warn("note"), code, visible.Line(message))
	}
}

// noteSecrets tells which secrets a tool in code may use and does not have. It may ask for them
// while it runs, or do without.
func (a *app) noteSecrets(e registry.Entry) {
	if e.Checked == nil || e.Checked.Manifest() != nil {
		return
	}
	for _, name := range e.Checked.Credentials() {
		if !e.HasSecret(name) {
			a.say("%s %s may use the secret %s, which is not set. Set it with: toolsmith secrets set %s %s", a.style.warn("note"), e.Name(), name, e.Name(), name)
		}
	}
}

// onOff says in a word whether a tool is on.
func onOff(e registry.Entry) string {
	if e.Tool.Enabled {
		return "on"
	}
	return "off"
}

// sourceOf says where an installed tool comes from, for its card.
func sourceOf(e registry.Entry) string { return "installed, " + onOff(e) }

func stepsValue(c *check.Checked) []any {
	list := []any{}
	if c.Manifest() == nil {
		return list
	}
	for _, s := range c.Manifest().Flow.Steps {
		item := map[string]any{"id": s.ID.Value(), "type": string(s.Type)}
		if s.Type == manifest.StepCapability {
			item["capability"] = s.Capability.Value()
		}
		list = append(list, item)
	}
	return list
}

func stepsLine(c *check.Checked) string {
	var parts []string
	for _, s := range c.Manifest().Flow.Steps {
		parts = append(parts, fmt.Sprintf("%s (%s)", s.ID.Value(), s.Does()))
	}
	return visible.Cut(strings.Join(parts, ", "), 200)
}

// parameters is the schema of the input as it stands in the text; nil where there is none.
func parameters(c *check.Checked) *value.Node {
	if m := c.Manifest(); m != nil {
		return m.InputSchema
	}
	t, _ := c.Coded()
	declaration, _ := value.Parse(t.Declaration)
	if declaration == nil {
		return nil
	}
	return declaration.Get("parameters")
}

// inputLine names the parameters of a tool, the required ones first.
func inputLine(c *check.Checked) string {
	in := parameters(c)
	if in == nil {
		return "anything"
	}
	properties := in.Get("properties")
	if properties == nil || properties.Len() == 0 {
		return "none"
	}
	required := map[string]bool{}
	if list := in.Get("required"); list != nil {
		for kid := range list.Kids() {
			required[kid.Text] = true
		}
	}
	var first, then []string
	for kid := range properties.Kids() {
		name := kid.Name
		if required[name] {
			first = append(first, name)
		} else {
			then = append(then, name+" (optional)")
		}
	}
	return visible.Line(strings.Join(append(first, then...), ", "))
}

func versionsLine(versions []registry.Version) string {
	var parts []string
	for _, v := range versions {
		parts = append(parts, strconv.FormatInt(v.Version, 10))
	}
	return visible.Cut(strings.Join(parts, ", "), 60)
}

func (a *app) versionsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "versions TOOL", Short: "List the kept versions of a tool",
		Long:    "Versions lists every version of a tool that was installed, the newest first, with\nwho installed it and when. Any of them can be made the active one with rollback.",
		Example: "  toolsmith versions dynamic:my-tool",
		Args:    exactly("a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := a.reading(cmd.Context())
			if err != nil {
				return err
			}
			entry, versions, err := e.Versions(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			var list []any
			rows := [][]string{{"VERSION", "INSTALLED", "BY", "SHA-256", ""}}
			for _, v := range versions {
				active := v.Version == entry.Tool.Active
				list = append(list, map[string]any{
					"version": value.Int64(v.Version), "installedAt": v.InstalledAt.UTC().Format(time.RFC3339), "installedBy": v.InstalledBy,
					"digest": v.Digest, "active": active, "enabled": active && entry.Tool.Enabled,
				})
				rows = append(rows, []string{strconv.FormatInt(v.Version, 10), a.moment(v.InstalledAt), visible.Line(v.InstalledBy), v.Digest[:12], versionState(active, entry.Tool.Enabled)})
			}
			if a.json {
				a.printJSON(map[string]any{"tool": entry.Name(), "versions": list})
				return nil
			}
			a.print("%s", table("", rows))
			return nil
		},
		ValidArgsFunction: a.completeTools,
	}
}

func versionState(active, enabled bool) string {
	switch {
	case active && enabled:
		return "active, on"
	case active:
		return "active, off"
	}
	return ""
}

// moment shows a time for people.
func (a *app) moment(t time.Time) string { return t.In(a.zone).Format("2006-01-02 15:04") }

func (a *app) diffCommand() *cobra.Command {
	var factsOnly bool
	cmd := &cobra.Command{
		Use: "diff TOOL [V1] [V2]", Short: "Compare two versions of a tool",
		Long: `Diff compares two kept versions: first what the tool may do (powers, risk, hosts,
credentials), then its steps, or what a tool in code declares, then the text. Without versions it compares the active
one with the one before; with one version, that one with the active one.`,
		Example: `  toolsmith diff dynamic:my-tool
  toolsmith diff dynamic:my-tool 1 3
  toolsmith diff dynamic:my-tool --facts`,
		Args: between(1, "a tool", "a version", "a version"),
		RunE: func(cmd *cobra.Command, args []string) error {
			numbers := [2]int64{}
			for i, arg := range args[1:] {
				n, err := strconv.ParseInt(arg, 10, 64)
				if err != nil || n < 1 {
					return usage("%q is no version: a version is a positive whole number", arg)
				}
				numbers[i] = n
			}
			return a.diff(cmd.Context(), args[0], numbers[0], numbers[1], factsOnly)
		},
		ValidArgsFunction: a.completeTools,
	}
	cmd.Flags().BoolVar(&factsOnly, "facts", false, "leave the text out")
	return cmd
}

func (a *app) diff(ctx context.Context, name string, from, to int64, factsOnly bool) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	d, err := e.Diff(ctx, name, from, to)
	if err != nil {
		return err
	}
	text := ""
	if !factsOnly {
		text = string(diff.Diff(fmt.Sprintf("version %d", d.From.Version), d.From.Source(), fmt.Sprintf("version %d", d.To.Version), d.To.Source()))
	}
	if a.json {
		out := map[string]any{"tool": check.ToolName(d.To.ToolID), "from": value.Int64(d.From.Version), "to": value.Int64(d.To.Version), "facts": nil}
		if d.Facts != nil {
			out["facts"] = structValue(d.Facts)
		}
		if !factsOnly {
			out["text"] = text
		}
		a.printJSON(out)
		return nil
	}
	if d.Facts != nil {
		a.showDiff(d.To.ToolID, *d.Facts)
	} else {
		a.say("One of the two no longer passes the check, so only the text can be compared.")
	}
	if text != "" {
		a.print("\n%s", strings.TrimRight(visible.Block(text), "\n"))
	}
	return nil
}

// showDiff prints a difference, what the tool may do first.
func (a *app) showDiff(id string, d registry.Diff) {
	a.print("%s", a.style.bold(fmt.Sprintf("%s  version %d %s %d", check.BareName(id), d.FromVersion, a.style.arrow(), d.ToVersion)))
	var rows [][]string
	add := func(label, text string) {
		if text != "" {
			rows = append(rows, []string{label, text})
		}
	}
	add("powers", changeLine(d.Powers))
	if d.FromRisk != d.ToRisk {
		add("risk", fmt.Sprintf("%s %s %s", d.FromRisk, a.style.arrow(), d.ToRisk))
	}
	if d.FromReversibility != d.ToReversibility {
		add("undo", fmt.Sprintf("%s %s %s", d.FromReversibility, a.style.arrow(), d.ToReversibility))
	}
	add("hosts", changeLine(d.Hosts))
	if strings.HasPrefix(id, check.CodedPrefix) {
		add("secrets", changeLine(d.Credentials))
	} else {
		add("credentials", changeLine(d.Credentials))
	}
	add("calls", changeLine(d.Capabilities))
	add("models", changeLine(d.Models))
	add("steps", stepsChange(d))
	add("fields", strings.Join(d.Fields, ", "))
	if len(rows) == 0 {
		rows = [][]string{{"nothing that matters changed"}}
	}
	a.print("%s", table("  ", rows))
}

func changeLine(c registry.Change) string {
	var parts []string
	for _, item := range c.Added {
		parts = append(parts, "+ "+visible.Line(item))
	}
	for _, item := range c.Removed {
		parts = append(parts, "- "+visible.Line(item))
	}
	return strings.Join(parts, "   ")
}

func stepsChange(d registry.Diff) string {
	var parts []string
	for _, s := range d.StepsAdded {
		parts = append(parts, fmt.Sprintf("+ %s (%s)", s.ID, s.Does))
	}
	for _, s := range d.StepsRemoved {
		parts = append(parts, fmt.Sprintf("- %s (%s)", s.ID, s.Does))
	}
	for _, s := range d.StepsChanged {
		parts = append(parts, fmt.Sprintf("~ %s (%s)", s.ID, strings.Join(s.Fields, ", ")))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(append(parts, fmt.Sprintf("%d unchanged", d.StepsSame)), "   ")
}
