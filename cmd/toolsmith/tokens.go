package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"toolsmith/internal/value"
	"toolsmith/internal/visible"
)

func (a *app) tokensCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "tokens", Short: "Let programs ask the server, and no more",
		Long: `Tokens lists the programs that may ask the server (toolsmith serve). Each has a token of
its own, and may be held to some tools. It sees only what it has begun itself, and may
never answer a question or change a setting.`,
		Example: `  toolsmith tokens
  toolsmith tokens add editor --tools notes.list,notes.create
  toolsmith tokens remove editor`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.tokens(cmd.Context()) },
	}
	var tools []string
	add := &cobra.Command{
		Use: "add NAME", Short: "Make a token for a program",
		Long: `Add makes a token and prints it, once: only a hash of it is kept. Give it to the program
as the header "Authorization: Bearer TOKEN". With --tools it may call these tools alone.`,
		Example: `  toolsmith tokens add editor
  toolsmith tokens add editor --tools notes.list,notes.create`,
		Args: exactly("a name"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.addToken(cmd.Context(), args[0], tools) },
	}
	add.Flags().StringSliceVar(&tools, "tools", nil, "the `TOOLS` that it may call; all if nothing is said")
	cmd.AddCommand(add, &cobra.Command{
		Use: "remove NAME", Short: "Let a program in no more",
		Long:              "Remove forgets a token. The program that has it is let in no more, at once; the ports and\nevents that it has open end within a second.",
		Example:           "  toolsmith tokens remove editor",
		Args:              exactly("a name"),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.removeToken(cmd.Context(), args[0]) },
		ValidArgsFunction: a.completeTokens,
	})
	return cmd
}

func (a *app) tokens(ctx context.Context) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	list, err := e.Tokens(ctx)
	if err != nil {
		return err
	}
	out, rows := make([]any, len(list)), [][]string{{a.style.bold("NAME"), a.style.bold("ADDED"), a.style.bold("BY"), a.style.bold("TOOLS")}}
	for i, t := range list {
		one := map[string]any{"name": t.Name, "addedAt": value.Time(t.AddedAt), "addedBy": t.AddedBy}
		may := "all"
		if t.Tools != nil {
			may, one["tools"] = strings.Join(t.Tools, ", "), texts(t.Tools)
		}
		out[i], rows = one, append(rows, []string{t.Name, a.moment(t.AddedAt), visible.Line(t.AddedBy), visible.Line(may)})
	}
	switch {
	case a.json:
		a.printJSON(map[string]any{"tokens": out})
	case len(list) == 0:
		a.say("No program has a token. Make one with: toolsmith tokens add NAME")
	default:
		a.print("%s", table("", rows))
	}
	return nil
}

func (a *app) addToken(ctx context.Context, name string, tools []string) error {
	e, err := a.changing(ctx)
	if err != nil {
		return err
	}
	for _, one := range tools {
		if _, err := e.Callable(ctx, one); err != nil {
			return err
		}
	}
	token, err := e.AddToken(ctx, name, tools)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{"name": name, "token": token})
		return nil
	}
	a.print("%s", token)
	a.say("This is the token of %s. It is not shown again.", name)
	return nil
}

func (a *app) removeToken(ctx context.Context, name string) error {
	e, err := a.changing(ctx)
	if err != nil {
		return err
	}
	if err := e.RemoveToken(ctx, name); err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{"removed": name})
		return nil
	}
	a.say("%s is let in no more.", name)
	return nil
}

func (a *app) completeTokens(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	e, err := a.reading(cmd.Context())
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := e.Tokens(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
