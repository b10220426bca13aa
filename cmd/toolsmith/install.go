package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"toolsmith/internal/card"
	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/registry"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

func (a *app) installCommand() *cobra.Command {
	var g fileFlags
	cmd := &cobra.Command{
		Use: "install FILE", Short: "Keep a tool, or a new version of one (off until you turn it on)",
		Long: `Install checks a .talostool file, or one of TypeScript or JavaScript, runs the cases
beside it (NAME.cases.json), and keeps it as the newest version of its tool. It shows
what changed against the installed version. The tool is off afterwards, until you turn it
on with enable. Of a file of code that declares several tools, all are kept, or none.

A file with errors, a failing case, or a version that is not above the installed
one changes nothing. Installing the very same file again changes nothing either. The
versions of tools in code are counted: 1, 2, 3 and so on.`,
		Example: `  toolsmith install my-tool.talostool
  toolsmith install my-tool.talostool && toolsmith enable dynamic:my-tool
  toolsmith install summarize.ts && toolsmith enable summarize`,
		Args: exactly("a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.install(cmd.Context(), args[0], g)
		},
		ValidArgsFunction: completeFiles,
	}
	g.languageFlag(cmd)
	return cmd
}

func (a *app) install(ctx context.Context, path string, g fileFlags) error {
	// Nothing is opened, let alone made, for a file that cannot be installed anyway.
	o, err := a.openFile(ctx, path, g)
	switch {
	case err != nil:
		return err
	case o.tools == nil:
		return a.refuse(path, &engine.InvalidError{Diagnostics: o.diagnostics})
	}
	cases, err := a.runCases(ctx, path, o.tools)
	if err != nil {
		return err
	}
	for _, c := range cases {
		if !c.OK {
			return a.refuseCases(path, cases)
		}
	}
	e, err := a.changing(ctx)
	if err != nil {
		return err
	}
	done, err := e.Install(ctx, o.tools...)
	if err != nil {
		return err
	}
	if a.json {
		out := installedValue(done[0])
		out["diagnostics"] = diagnosticsValue(o.diagnostics)
		if cases != nil {
			out["cases"] = structValue(cases)
		}
		others := make([]any, len(done)-1)
		for i, one := range done[1:] {
			others[i] = installedValue(one)
		}
		out["others"] = others
		a.printJSON(out)
		return nil
	}
	a.showDiagnostics(path, o.diagnostics)
	a.showInstalled(done, cases)
	return nil
}

// installedValue gives what became of one tool as a JSON value.
func installedValue(done registry.Installed) map[string]any {
	out := map[string]any{"tool": entryValue(done.Entry), "installed": !done.Same}
	if d, ok := installDiff(done); ok {
		out["diff"] = structValue(d)
	}
	return out
}

// refuse reports a manifest that cannot be installed.
func (a *app) refuse(path string, invalid *engine.InvalidError) error {
	if a.json {
		a.printJSON(map[string]any{
			"error":       map[string]any{"code": "MANIFEST_INVALID", "message": invalid.Error()},
			"diagnostics": diagnosticsValue(invalid.Diagnostics),
		})
		return silent(exitDocument)
	}
	a.showFiles([]checkedFile{{name: path, sourceFile: sourceFile{diagnostics: invalid.Diagnostics}}})
	return silent(exitDocument)
}

func (a *app) refuseCases(path string, cases []worker.CaseResult) error {
	const message = "A case failed, so nothing was installed."
	if a.json {
		a.printJSON(map[string]any{
			"error": map[string]any{"code": "CASES_FAILED", "message": message}, "cases": structValue(cases),
		})
		return silent(exitDocument)
	}
	a.showCases(path, cases)
	return &codedExit{&tool.Error{Code: "CASES_FAILED", Message: message}, exitDocument}
}

func installDiff(done registry.Installed) (registry.Diff, bool) {
	if done.Before == nil || done.Same || done.Before.Checked == nil || done.Entry.Checked == nil {
		return registry.Diff{}, false
	}
	return registry.Compare(done.Before.Checked, done.Entry.Checked), true
}

func (a *app) showInstalled(all []registry.Installed, cases []worker.CaseResult) {
	var enable []string
	for _, done := range all {
		entry := done.Entry
		if done.Same {
			a.say("%s version %d is installed already, byte for byte. Nothing was changed.", entry.Name(), entry.Tool.Active)
			continue
		}
		if d, ok := installDiff(done); ok {
			a.showDiff(entry.Tool.ID, d)
		} else {
			a.showCard(a.out, card.Question{Facts: a.facts(entry.Checked, "new")}, card.Short)
		}
		enable = append(enable, "toolsmith enable "+entry.Name())
	}
	if len(enable) == 0 {
		return
	}
	if len(cases) > 0 {
		a.print("  %s %s passed", a.style.tick(), card.Count(len(cases), "case"))
	}
	for _, done := range all {
		if !done.Same {
			a.noteObstacle(done.Entry)
			a.noteSecrets(done.Entry)
		}
	}
	if len(enable) == 1 {
		a.say("Installed, off. Turn it on with: %s", enable[0])
		return
	}
	a.say("Installed, off. Turn each of them on with:\n  %s", strings.Join(enable, "\n  "))
}

func (a *app) enableCommand() *cobra.Command {
	return a.toolCommand("enable TOOL", "Turn a tool on",
		`Enable turns the active version of an installed tool on, so that it can be called.
A new version or a rollback turns it off again.`,
		"  toolsmith enable dynamic:my-tool\n  toolsmith enable summarize",
		func(ctx context.Context, e *engine.Engine, name string) (registry.Entry, string, error) {
			entry, changed, err := e.Enable(ctx, name)
			return entry, turned(entry, changed, "on"), err
		})
}

func (a *app) disableCommand() *cobra.Command {
	return a.toolCommand("disable TOOL", "Turn a tool off",
		"Disable turns a tool off. It stays installed, with all its versions.",
		"  toolsmith disable dynamic:my-tool",
		func(ctx context.Context, e *engine.Engine, name string) (registry.Entry, string, error) {
			entry, changed, err := e.Disable(ctx, name)
			return entry, turned(entry, changed, "off"), err
		})
}

func turned(entry registry.Entry, changed bool, how string) string {
	if !changed {
		return fmt.Sprintf("%s was %s already.", entry.Name(), how)
	}
	if how == "on" {
		return fmt.Sprintf("%s version %d is on. Run it with: toolsmith run %s", entry.Name(), entry.Tool.Active, entry.Name())
	}
	return fmt.Sprintf("%s is off. Turn it on again with: toolsmith enable %s", entry.Name(), entry.Name())
}

// toolCommand is a command that does one thing with one installed tool.
func (a *app) toolCommand(use, short, long, example string,
	do func(ctx context.Context, e *engine.Engine, name string) (registry.Entry, string, error),
) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: long, Example: example,
		Args: exactly("a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := a.changing(cmd.Context())
			if err != nil {
				return err
			}
			entry, message, err := do(cmd.Context(), e, args[0])
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"tool": entryValue(entry)})
				return nil
			}
			a.say("%s", message)
			if entry.Tool.Enabled {
				a.noteObstacle(entry)
			}
			return nil
		},
		ValidArgsFunction: a.completeTools,
	}
}

func (a *app) rollbackCommand() *cobra.Command {
	var to int64
	cmd := a.toolCommand("rollback TOOL", "Go back to an earlier version (off until you turn it on)",
		`Rollback makes an earlier version of a tool the active one: the one before, or the
one named by --to, which may also be a later one that was rolled back before. The
tool is off afterwards. No version is lost.`,
		`  toolsmith rollback dynamic:my-tool
  toolsmith rollback dynamic:my-tool --to 3`,
		func(ctx context.Context, e *engine.Engine, name string) (registry.Entry, string, error) {
			if to < 0 {
				return registry.Entry{}, "", usage("--to is a version, a positive whole number; this is %d", to)
			}
			entry, from, err := e.Rollback(ctx, name, to)
			return entry, fmt.Sprintf("%s  version %d %s %d, off. Turn it on with: toolsmith enable %s",
				entry.Name(), from, a.style.arrow(), entry.Tool.Active, entry.Name()), err
		})
	cmd.Flags().Int64Var(&to, "to", 0, "the `version` to go to (default: the one before)")
	return cmd
}

func (a *app) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove TOOL", Short: "Take a tool away (its audit stays)",
		Long: `Remove takes a tool away, with what it remembers between runs and its secrets. The
audit of it stays. Its last version can still be had with export, until a tool with the same
id is installed.`,
		Example: `  toolsmith remove dynamic:my-tool
  toolsmith export dynamic:my-tool > my-tool.talostool     have it back after all`,
		Args: exactly("a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := a.changing(cmd.Context())
			if err != nil {
				return err
			}
			removed, err := e.Remove(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"removed": map[string]any{"id": removed.ID, "name": check.ToolName(removed.ID), "version": value.Int64(removed.Active)}})
				return nil
			}
			name := check.ToolName(removed.ID)
			a.say("Removed %s. Have its file back with: toolsmith export %s", name, name)
			return nil
		},
		ValidArgsFunction: a.completeTools,
	}
}

func (a *app) exportCommand() *cobra.Command {
	var number int64
	var file string
	cmd := &cobra.Command{
		Use: "export TOOL", Short: "Write out the file of a tool",
		Long: `Export writes the file of a tool, byte for byte as it was installed: the active
version, or the one named by --version. It goes to standard output, or into a new
file with --output. On a terminal, characters that are not seen are shown by their
codes.`,
		Example: `  toolsmith export dynamic:my-tool > my-tool.talostool
  toolsmith export dynamic:my-tool --version 2 --output old.talostool
  toolsmith export summarize > summarize.ts`,
		Args: exactly("a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.export(cmd.Context(), args[0], number, file)
		},
		ValidArgsFunction: a.completeTools,
	}
	cmd.Flags().Int64Var(&number, "version", 0, "the `version` (default: the active one)")
	cmd.Flags().StringVarP(&file, "output", "o", "", "the new `file` to write; one that exists is not overwritten")
	return cmd
}

func (a *app) export(ctx context.Context, name string, number int64, file string) error {
	if number < 0 {
		return usage("--version is a positive whole number; this is %d", number)
	}
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	version, err := e.Export(ctx, name, number)
	if err != nil {
		return err
	}
	if file != "" {
		if err := writeNew(a.at(file), file, version.Source()); err != nil {
			return err
		}
	}
	switch {
	case a.json:
		out := map[string]any{"id": version.ToolID, "kind": "manifest", "version": value.Int64(version.Version), "digest": version.Digest, "text": string(version.Source())}
		if source := version.File(); source != "" {
			out["kind"], out["sourceFile"] = "code", source
		}
		if file != "" {
			out["file"] = file
		}
		a.printJSON(out)
	case file != "":
		a.say("Wrote version %d of %s to %s.", version.Version, check.ToolName(version.ToolID), visible.Line(file))
	case isTerminal(a.out):
		a.print("%s", strings.TrimRight(string(version.Source()), "\n"))
		if shown := string(version.Source()); visible.Screen(shown) != shown {
			a.say("What is not seen in it is shown by its code. Write the exact file with: --output FILE")
		}
	default:
		if err := a.out.exact(version.Source()); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	return nil
}

// writeNew writes a file that must not exist yet; path is what it was called.
func writeNew(at, path string, text []byte) error {
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return &tool.Error{Code: "FILE_EXISTS", Message: fmt.Sprintf("%s exists already. Name another file.", visible.Line(path))}
	}
	if err != nil {
		return &tool.Error{Code: "FILE_UNWRITABLE", Message: fmt.Sprintf("%s cannot be written.", visible.Line(path)), Cause: err}
	}
	if _, err := f.Write(text); err != nil {
		_ = f.Close()
		return &tool.Error{Code: "FILE_UNWRITABLE", Message: fmt.Sprintf("%s could not be written.", visible.Line(path)), Cause: err}
	}
	if err := f.Close(); err != nil {
		return &tool.Error{Code: "FILE_UNWRITABLE", Message: fmt.Sprintf("%s could not be written.", visible.Line(path)), Cause: err}
	}
	return nil
}

// completeTools completes the names of installed tools.
func (a *app) completeTools(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	e, err := a.reading(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	entries, err := e.Tools(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, entry := range entries {
		name := entry.Name()
		if entry.Checked != nil {
			name += "\t" + strings.ReplaceAll(visible.Line(entry.Checked.Title()), "\t", " ")
		}
		names = append(names, name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
