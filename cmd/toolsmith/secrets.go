package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/registry"
	"toolsmith/internal/secret"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

func (a *app) secretsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "secrets", Short: "Keep keys and tokens for tools (never shown again)",
		Long: `Secrets keeps what tools need to get in elsewhere: keys, tokens, passwords. Each
belongs to one tool and is seen by no other; removing the tool deletes them. A tool
of a program that is written in Go is named go:NAME. They are sealed with a key that is kept in the keyring of the system, or,
where there is none or TOOLSMITH_KEYRING=off, in the file secrets.key of the data
folder. Values are never shown, and are taken out of what a tool gives back.

Without a command it lists them.`,
		Example: `  toolsmith secrets
  toolsmith secrets set dynamic:my-tool my-key           asks for the value
  toolsmith secrets set dynamic:my-tool my-key < key.txt
  toolsmith secrets delete dynamic:my-tool my-key`,
		// What is no command may be a value in the wrong place, so it is not repeated.
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("secrets has no such command. See: toolsmith secrets --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listSecrets(cmd.Context(), "") },
	}
	cmd.AddCommand(a.secretsSetCommand(), a.secretsListCommand(), a.secretsDeleteCommand())
	return cmd
}

// discreet wants a number of arguments and repeats none of them: what is too much may be a value.
func discreet(least int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least {
			return usage("%s is missing. See: %s --help", names[len(args)], cmd.CommandPath())
		}
		if len(args) > len(names) {
			return usage("it takes %s, and nothing else: a value is typed when it is asked for, or comes from standard input. See: %s --help",
				strings.Join(names, " and "), cmd.CommandPath())
		}
		return nil
	}
}

func (a *app) secretsSetCommand() *cobra.Command {
	bearer := secret.Bearer()
	attributes := bearer
	cmd := &cobra.Command{
		Use: "set TOOL NAME", Short: "Keep a secret of a tool, in place of an earlier one",
		Long: `Set keeps a secret of an installed tool. The value is asked for, without being shown,
or read from standard input where that is no terminal; it is never an argument,
which other programs on this machine could see. Line breaks around it are left out.

A credential of a tool is the secret of its id. --header and --prefix say how it is
attached to a request: "Authorization: Bearer VALUE" if nothing else is said, and
with another header the value alone. --header "" attaches it to none.`,
		Example: `  toolsmith secrets set dynamic:my-tool my-key
  toolsmith secrets set dynamic:my-tool my-key --header X-Api-Key
  toolsmith secrets set dynamic:my-tool my-key --prefix "Token " < key.txt
  toolsmith secrets set port:editor/open_file my-key`,
		Args: discreet(2, "a tool", "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if attributes.Header != bearer.Header && !cmd.Flags().Changed("prefix") {
				attributes.Prefix = ""
			}
			return a.setSecret(cmd.Context(), args[0], args[1], attributes)
		},
		ValidArgsFunction: a.completeCredentials,
	}
	cmd.Flags().StringVar(&attributes.Header, "header", bearer.Header, "the `HEADER` of a request that it is attached to; \"\" for none")
	cmd.Flags().StringVar(&attributes.Prefix, "prefix", bearer.Prefix, "the `TEXT` before it in the header; with another header none")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, _ error) error {
		return usage("it takes the flags --header and --prefix, each with a text. See: %s --help", cmd.CommandPath())
	})
	return cmd
}

func (a *app) secretsListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list [TOOL]", Short: "List the secrets that are kept, without their values",
		Long: `List names the secrets of all tools, or of one: when and by whom each was set, and
how it is attached to a request. One that cannot be opened, since the key is not
there, is marked as unreadable.`,
		Example: `  toolsmith secrets list
  toolsmith secrets list dynamic:my-tool --json`,
		Args: discreet(0, "a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.listSecrets(cmd.Context(), strings.Join(args, ""))
		},
		ValidArgsFunction: a.completeTools,
	}
}

func (a *app) secretsDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete TOOL NAME", Short: "Forget a secret of a tool",
		Long:    "Delete forgets a secret of a tool, also one that cannot be opened any more.",
		Example: "  toolsmith secrets delete dynamic:my-tool my-key",
		Args:    discreet(2, "a tool", "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.deleteSecret(cmd.Context(), args[0], args[1])
		},
		ValidArgsFunction: a.completeCredentials,
	}
}

func (a *app) setSecret(ctx context.Context, name, secretName string, attributes secret.Attributes) error {
	// What is asked for could not be kept for a tool that is not there.
	reading, err := a.reading(ctx)
	if err != nil {
		return err
	}
	namespace, err := reading.Namespace(ctx, name)
	if err != nil {
		return err
	}
	given, err := a.readSecret(ctx, engine.SecretOwner(namespace))
	if err != nil {
		return err
	}
	e, err := a.changing(ctx)
	if err != nil {
		return err
	}
	if namespace, err = e.Namespace(ctx, name); err != nil {
		return err
	}
	notes, err := a.vault.Set(ctx, namespace, secretName, given, attributes)
	if err != nil {
		return err
	}
	if err := a.worker(a.store).SecretGiven(ctx, engine.SecretOwner(namespace), secretName); err != nil {
		return err
	}
	// A tool of a program that is written in Go is not known here.
	entry, err := e.Tool(ctx, name)
	known := err == nil
	if err != nil && tool.Code(err) != registry.CodeNotFound {
		return err
	}
	if note := engine.Undeclared(entry, secretName); note != "" {
		notes = append(notes, note)
	}
	if a.json {
		a.printJSON(map[string]any{
			"tool": engine.SecretOwner(namespace), "name": secretName, "header": attributes.Header, "prefix": attributes.Prefix, "notes": texts(notes),
		})
		return nil
	}
	for _, note := range notes {
		a.say("%s %s", a.style.warn("note"), note)
	}
	if strings.HasPrefix(namespace, check.CodedPrefix) {
		a.say("Kept the secret %s of %s, which reads it with getSecret.", secretName, visible.Line(engine.SecretOwner(namespace)))
	} else {
		a.say("Kept the secret %s of %s, attached as %s.", secretName, visible.Line(engine.SecretOwner(namespace)), attachedAs(attributes))
	}
	if known {
		a.noteObstacle(entry)
	}
	return nil
}

func texts(list []string) []any {
	out := make([]any, len(list))
	for i, text := range list {
		out[i] = text
	}
	return out
}

// attachedAs is the header in which a secret is attached to a request.
func attachedAs(attributes secret.Attributes) string {
	header, line, ok := attributes.Attach("…")
	if !ok {
		return "no header"
	}
	return header + ": " + line
}

// readSecret asks for a value without showing it, or reads it from standard input.
func (a *app) readSecret(ctx context.Context, name string) (string, error) {
	const most = 2 * secret.MaxLength // enough to tell that it is too long
	if !a.interactive() {
		text, err := a.readBounded("-", most, true)
		return string(text), err
	}
	out, done := a.question()
	defer done()
	fmt.Fprintf(out, "Value for %s (it is not shown): ", visible.Line(name))
	defer fmt.Fprintln(out)
	return unseen(ctx, a.in)
}

// hiding is a terminal of another process that can read a line without showing it.
type hiding interface {
	ReadHidden() (string, error)
}

// unseen reads a line from a terminal that does not show it, and leaves the terminal as it
// was, also when ctx ends first.
func unseen(ctx context.Context, in io.Reader) (string, error) {
	read, restore := func() (string, error) { return "", errors.New("the terminal cannot be read") }, func() {}
	switch in := in.(type) {
	case hiding:
		read = in.ReadHidden
	case *os.File:
		descriptor := int(in.Fd())
		before, err := term.GetState(descriptor)
		if err != nil {
			return "", fmt.Errorf("read from the terminal: %w", err)
		}
		read = func() (string, error) {
			text, err := term.ReadPassword(descriptor)
			return string(text), err
		}
		restore = func() { _ = term.Restore(descriptor, before) } // it is what it was, or gone
	}
	type answer struct {
		text string
		err  error
	}
	typed := make(chan answer, 1)
	go func() {
		text, err := read()
		typed <- answer{text, err}
	}()
	select {
	case got := <-typed:
		if got.err != nil && !errors.Is(got.err, io.EOF) {
			return "", fmt.Errorf("read from the terminal: %w", got.err)
		}
		return got.text, nil
	case <-ctx.Done():
		restore()
		return "", &codedExit{&tool.Error{Code: consent.CodeDenied, Message: "No value was given, so nothing was kept."}, exitDenied}
	}
}

func (a *app) listSecrets(ctx context.Context, name string) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	var list []secret.Info
	if name == "" {
		list, err = a.vault.ListAll(ctx)
	} else {
		var namespace string
		if namespace, err = e.Namespace(ctx, name); err == nil {
			list, err = a.vault.List(ctx, namespace)
		}
	}
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{"secrets": secretsValue(list)})
		return nil
	}
	if len(list) == 0 {
		a.say("No secrets are kept. Keep one with: toolsmith secrets set TOOL NAME")
		return nil
	}
	rows := [][]string{{"TOOL", "NAME", "SET", "BY", "ATTACHED AS"}}
	var unreadable error
	for _, s := range list {
		attached := attachedAs(s.Attributes)
		if strings.HasPrefix(s.Namespace, check.CodedPrefix) {
			attached = "read by its code"
		}
		if s.Unreadable != nil {
			attached, unreadable = "unreadable", s.Unreadable
		}
		rows = append(rows, []string{ownerOf(s.Namespace), s.Name, a.moment(s.SetAt), visible.Line(s.SetBy), attached})
	}
	a.print("%s", table("", rows))
	if unreadable != nil {
		_, code, message, _ := classify(unreadable)
		a.say("%s %s: %s", a.style.warn("note"), code, visible.Line(message))
	}
	return nil
}

// ownerOf names the tool that a secret belongs to.
func ownerOf(namespace string) string {
	if id, ok := registry.ToolOf(namespace); ok {
		return check.ToolName(id)
	}
	return visible.Line(namespace)
}

func secretsValue(list []secret.Info) []any {
	out := make([]any, len(list))
	for i, s := range list {
		item := map[string]any{
			"tool": ownerOf(s.Namespace), "name": s.Name, "header": s.Header, "prefix": s.Prefix,
			"setAt": s.SetAt.UTC().Format(time.RFC3339), "setBy": s.SetBy, "readable": s.Unreadable == nil,
		}
		if s.Unreadable != nil {
			_, code, message, _ := classify(s.Unreadable)
			item["problem"] = map[string]any{"code": code, "message": message}
		}
		out[i] = item
	}
	return out
}

func (a *app) deleteSecret(ctx context.Context, name, secretName string) error {
	e, err := a.changing(ctx)
	if err != nil {
		return err
	}
	namespace, err := e.Namespace(ctx, name)
	if err != nil {
		return err
	}
	if err := a.vault.Delete(ctx, namespace, secretName); err != nil {
		return err
	}
	owner := engine.SecretOwner(namespace)
	if a.json {
		a.printJSON(map[string]any{"tool": owner, "deleted": secretName})
		return nil
	}
	a.say("Deleted the secret %s of %s.", secretName, owner)
	return nil
}

// completeCredentials completes a tool, and then the ids of its credentials.
func (a *app) completeCredentials(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return a.completeTools(cmd, args, word)
	}
	e, err := a.reading(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	entry, err := e.Tool(cmd.Context(), args[0])
	if err != nil || entry.Checked == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	m := entry.Checked.Manifest()
	if m == nil {
		return entry.Checked.Credentials(), cobra.ShellCompDirectiveNoFileComp
	}
	for _, c := range m.Credentials {
		ids = append(ids, c.ID.Value()+"\t"+visible.Line(visible.Cut(c.Purpose.Value(), 60)))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
