package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"toolsmith/internal/nearest"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

func (a *app) capabilitiesCommand() *cobra.Command {
	return &cobra.Command{
		Use: "capabilities [NAME]", Short: "See what a step of a tool can call",
		Long: `Capabilities lists what a step can call on this machine: which power it needs, its
risk, how large its input may be, and what undoes it. With a name it shows the
schemas of input and result of that one.`,
		Example: `  toolsmith capabilities
  toolsmith capabilities notes.create`,
		Args: between(0, "a capability"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.capability(args[0])
			}
			return a.capabilities()
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.catalogue.Names(), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func capabilityValue(c tool.Capability) map[string]any {
	out := map[string]any{
		"name": c.Name, "summary": c.Summary, "power": string(c.Power), "risk": c.Risk.String(),
		"maxInputBytes": value.Int(c.MaxInput), "private": c.Private, "untrusted": c.Untrusted,
		"undo": nil, "input": schemaValue(c.Input), "result": schemaValue(c.Result),
	}
	if c.Undo != "" {
		out["undo"] = c.Undo
	}
	return out
}

func schemaValue(text []byte) any {
	v, err := value.Decode(text)
	if err != nil {
		return nil // a capability without a schema
	}
	return v
}

func (a *app) capabilities() error {
	rows := [][]string{{"CAPABILITY", "POWER", "RISK", "INPUT", "WHAT IT DOES"}}
	list := []any{}
	for _, c := range a.catalogue.All() {
		list = append(list, capabilityValue(c))
		rows = append(rows, []string{c.Name, string(c.Power), c.Risk.String(), fmt.Sprintf("%d KiB", c.MaxInput>>10), c.Summary})
	}
	if a.json {
		a.printJSON(map[string]any{"capabilities": list})
		return nil
	}
	a.print("%s", table("", rows))
	a.say("Schemas of one, and what undoes it: toolsmith capabilities NAME")
	return nil
}

func (a *app) capability(name string) error {
	c, ok := a.catalogue.Get(name)
	if !ok {
		return &codedExit{&tool.Error{Code: "FORGE_CAPABILITY_UNKNOWN", Message: fmt.Sprintf(
			"There is no capability %q.%s", name, nearest.DidYouMean(name, a.catalogue.Names()))}, exitNotFound}
	}
	if a.json {
		a.printJSON(map[string]any{"capability": capabilityValue(c)})
		return nil
	}
	undo := c.Undo
	if undo == "" {
		undo = "nothing"
	}
	a.print("%s\n%s", a.style.bold(c.Name), wrap(c.Summary, "  "))
	a.print("%s", table("  ", [][]string{
		{"power", string(c.Power)}, {"risk", c.Risk.String()},
		{"input", fmt.Sprintf("at most %d bytes", c.MaxInput)}, {"undone by", undo},
	}))
	a.print("\ninput schema:\n%s\n\nresult schema:\n%s", value.IndentedJSON(schemaValue(c.Input)), value.IndentedJSON(schemaValue(c.Result)))
	return nil
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of toolsmith",
		Long:    "Version prints which toolsmith this is, and what it was built with.",
		Example: "  toolsmith version",
		Args:    exactly(),
		RunE: func(*cobra.Command, []string) error {
			platform := runtime.GOOS + "/" + runtime.GOARCH
			if a.json {
				a.printJSON(map[string]any{"version": version, "go": runtime.Version(), "platform": platform})
				return nil
			}
			a.print("toolsmith %s (%s, %s)", version, runtime.Version(), platform)
			return nil
		},
	}
}
