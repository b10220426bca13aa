package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/nearest"
	"toolsmith/internal/registry"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

func (a *app) settingsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "settings", Short: "Show and change what is allowed, asked about or denied",
		Long: `Settings shows what counts for calls that you have not decided about: for each power
(read, write, outbound), for tools of which you want to be asked or which you deny, and
for hosts that may have an address in your own network.

  allow   runs without a question
  ask     is asked about (this is so for each power, unless you change it)
  deny    never runs

A call of risk R4 is asked about every time, whatever is set.`,
		Example: `  toolsmith settings
  toolsmith settings set read allow
  toolsmith settings set dynamic:my-tool deny
  toolsmith settings set host:printer.local allow
  toolsmith settings unset read`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.settings(cmd.Context()) },
	}
	cmd.AddCommand(&cobra.Command{
		Use: "set POWER|TOOL|host:NAME allow|ask|deny", Short: "Set what counts for a power, a tool or a host",
		Long: `Set says what counts for a power (read, write, outbound), for a tool (ask or deny: what
is allowed for longer is a grant, which holds for an exact version), or for a host that
may have an address in your own network (host:NAME allow).`,
		Example: "  toolsmith settings set read allow\n  toolsmith settings set dynamic:my-tool deny",
		Args:    exactly("a power, a tool or a host", "allow, ask or deny"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.set(cmd.Context(), args[0], consent.Permission(args[1]))
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				tools, directive := a.completeTools(cmd, args, word)
				return append([]string{"read", "write", "outbound", "host:"}, tools...), directive
			case 1:
				return []string{"allow", "ask", "deny"}, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}, &cobra.Command{
		Use: "unset POWER|TOOL|host:NAME", Short: "Take back what was set",
		Long:              "Unset takes back what was set for a power, a tool or a host.",
		Example:           "  toolsmith settings unset read",
		Args:              exactly("a power, a tool or a host"),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.set(cmd.Context(), args[0], "") },
		ValidArgsFunction: a.completeSettings,
	})
	return cmd
}

func (a *app) settings(ctx context.Context) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	policy, err := e.Policy(ctx)
	if err != nil {
		return err
	}
	if a.json {
		powers, tools, hosts := map[string]any{}, map[string]any{}, map[string]any{}
		for _, power := range consent.Powers() {
			powers[string(power)] = string(policy.OfPower(power))
		}
		for name, permission := range policy.Tools {
			tools[name] = string(permission)
		}
		for name, permission := range policy.Hosts {
			hosts[name] = string(permission)
		}
		out := map[string]any{"powers": powers, "tools": tools, "hosts": hosts, "stopped": policy.Stopped != nil}
		if policy.Stopped != nil {
			out["stoppedAt"], out["stoppedBy"] = value.Time(policy.Stopped.At), policy.Stopped.Who
		}
		a.printJSON(out)
		return nil
	}
	var rows [][]string
	for _, power := range consent.Powers() {
		rows = append(rows, []string{string(power), string(policy.OfPower(power))})
	}
	for _, name := range policy.ToolNames() {
		rows = append(rows, []string{visible.Line(name), string(policy.OfTool(name))})
	}
	for _, name := range slices.Sorted(maps.Keys(policy.Hosts)) {
		rows = append(rows, []string{"host:" + visible.Line(name), string(policy.Hosts[name])})
	}
	a.print("%s", table("", rows))
	if policy.Stopped != nil {
		a.say("%s stopped everything at %s. Let it go on with: toolsmith start", visible.Line(policy.Stopped.Who), policy.Stopped.At.In(a.zone).Format("2006-01-02 15:04:05"))
	}
	return nil
}

// completeSettings gives what is set.
func (a *app) completeSettings(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	e, err := a.reading(cmd.Context())
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	policy, err := e.Policy(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, power := range consent.Powers() {
		names = append(names, string(power))
	}
	names = append(names, policy.ToolNames()...)
	for _, host := range slices.Sorted(maps.Keys(policy.Hosts)) {
		names = append(names, "host:"+host)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) set(ctx context.Context, name string, permission consent.Permission) error {
	e, err := a.changing(ctx)
	if err != nil {
		return err
	}
	kind, key, err := a.kindOfSetting(ctx, e, name)
	if err != nil {
		return err
	}
	if kind == consent.KindHost && permission != consent.Allow && permission != "" {
		return usage("a host is allowed to have an address in your own network, or not: set it to allow, or unset it")
	}
	if err := e.SetPermission(ctx, kind, key, permission); err != nil {
		return err
	}
	if permission == consent.Ask && !a.json {
		if err := a.tellGrants(ctx, e, kind, key); err != nil {
			return err
		}
	}
	return a.settings(ctx)
}

// tellGrants says where somebody wants to be asked about a tool that is allowed for longer, which
// counts before.
func (a *app) tellGrants(ctx context.Context, e *engine.Engine, kind, name string) error {
	list, err := e.Grants(ctx, false)
	for _, g := range list {
		if kind == consent.KindTool && g.Tool == name {
			a.say("You have allowed %s for longer, which counts before this. Take it back with: toolsmith revoke %s", visible.Line(name), g.ID)
		}
	}
	return err
}

// kindOfSetting tells what a permission is set for.
func (a *app) kindOfSetting(ctx context.Context, e *engine.Engine, name string) (kind, key string, err error) {
	for _, power := range consent.Powers() {
		if name == string(power) {
			return consent.KindPower, name, nil
		}
	}
	if host, ok := strings.CutPrefix(name, "host:"); ok {
		if host == "" || strings.ContainsAny(host, " /\\@") {
			return "", "", usage("%q is no host: write it as host:printer.local", name)
		}
		return consent.KindHost, strings.ToLower(strings.TrimSuffix(host, ".")), nil
	}
	policy, err := e.Policy(ctx)
	if err != nil {
		return "", "", err
	}
	for _, full := range []string{name, check.NamePrefix + name} {
		if _, set := policy.Tools[full]; set { // it may be gone
			return consent.KindTool, full, nil
		}
		_, err := e.Callable(ctx, full)
		switch code := tool.Code(err); {
		case err == nil, code == registry.CodeOff:
			return consent.KindTool, full, nil
		case code != registry.CodeNotFound && code != task.CodeToolUnknown:
			return "", "", err
		}
	}
	return "", "", a.nothingToSet(ctx, e, name)
}

// nothingToSet says that there is nothing of a name that something could be set for.
func (a *app) nothingToSet(ctx context.Context, e *engine.Engine, name string) error {
	known := a.toolbox().Names()
	for _, power := range consent.Powers() {
		known = append(known, string(power))
	}
	entries, err := e.Tools(ctx)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		known = append(known, entry.Name(), strings.TrimPrefix(entry.Name(), check.NamePrefix))
	}
	message := fmt.Sprintf("There is no power and no tool %q.", visible.Cut(name, 100))
	if near := nearest.To(name, known); near != "" {
		message += fmt.Sprintf(" Did you mean %q?", near)
	}
	return &codedExit{&tool.Error{Code: task.CodeToolUnknown, Message: message + " A host is written as host:NAME."}, exitNotFound}
}
