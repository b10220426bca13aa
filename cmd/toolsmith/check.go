package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"toolsmith/internal/card"
	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// checkedFile is what a check says of one file.
type checkedFile struct {
	name        string
	diagnostics []manifest.Diagnostic
	tool        *check.Checked
	cases       []worker.CaseResult
	// err is set where the file, or its cases, could not be read.
	err error
}

func (f checkedFile) ok() bool {
	for _, c := range f.cases {
		if !c.OK {
			return false
		}
	}
	return f.err == nil && f.tool != nil
}

func (a *app) checkCommand() *cobra.Command {
	var withCases bool
	cmd := &cobra.Command{
		Use: "check FILE…", Short: "Find everything that is wrong with tools",
		Long: `Check reads .talostool files and reports every problem at its place, the first as
well as the last. Nothing is installed and nothing runs. "-" reads standard input.

On a terminal each problem takes two lines; elsewhere it is one line:
file:line:column  level  code  path  message. The exit code is 3 if there are errors;
warnings do not count.

With --cases, the cases beside each file are run too: for NAME.talostool those in
NAME.cases.json, a list of {"name", "input", "script"?, "expect": {"status", "output"?,
"error"?}}.`,
		Example: `  toolsmith check my-tool.talostool
  toolsmith check --cases examples/*.talostool
  cat draft.talostool | toolsmith check --json -`,
		Args: atLeastOne("a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.check(cmd.Context(), args, withCases)
		},
		ValidArgsFunction: completeManifests,
	}
	cmd.Flags().BoolVar(&withCases, "cases", false, "run the cases that stand beside each file")
	return cmd
}

func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("%s is missing. See: %s --help", what, cmd.CommandPath())
		}
		return nil
	}
}

// exactly wants as many arguments as are named, and names the missing one.
func exactly(names ...string) cobra.PositionalArgs {
	return between(len(names), names...)
}

// between wants at least least of the named arguments and no more than all.
func between(least int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage("%s is missing. See: %s --help", names[len(args)], cmd.CommandPath())
		case len(args) > len(names):
			return usage("%q is one argument too many. See: %s --help", args[len(names)], cmd.CommandPath())
		}
		return nil
	}
}

func completeManifests(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"talostool"}, cobra.ShellCompDirectiveFilterFileExt
}

func (a *app) check(ctx context.Context, paths []string, withCases bool) error {
	files := make([]checkedFile, 0, len(paths))
	for _, path := range paths {
		files = append(files, a.checkFile(ctx, path, withCases))
	}
	if a.json {
		a.printJSON(filesValue(files))
	} else {
		a.showFiles(files)
	}
	return a.checkExit(files)
}

func (a *app) checkFile(ctx context.Context, path string, withCases bool) checkedFile {
	f := checkedFile{name: path}
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".ts" || ext == ".js" {
		f.err = usage("%s is code. This version checks .talostool files only.", visible.Line(path))
		return f
	}
	text, err := a.readManifest(path)
	if err != nil {
		f.err = err
		return f
	}
	result := check.Run(text, a.catalogue)
	f.diagnostics, f.tool = result.Diagnostics, result.Tool
	if withCases && f.tool != nil {
		f.cases, f.err = a.runCases(ctx, path, f.tool)
	}
	return f
}

// casesPath is where the cases of a manifest are: NAME.cases.json beside NAME.talostool.
func casesPath(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".cases.json"
}

// runCases runs the cases beside a manifest, if there are any, on an empty store.
func (a *app) runCases(ctx context.Context, path string, c *check.Checked) ([]worker.CaseResult, error) {
	if path == "-" {
		return nil, nil
	}
	const mostCases = 4 << 20
	text, err := a.readBounded(casesPath(path), mostCases, false)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	cases, err := worker.ParseCases(text)
	if err != nil {
		return nil, &codedExit{&tool.Error{Code: "CASES_INVALID", Message: fmt.Sprintf("%s: %s.", streamName(casesPath(path)), err)}, exitDocument}
	}
	empty, err := sqlite.OpenMemory(ctx)
	if err != nil {
		return nil, err
	}
	defer empty.Close()
	results, err := a.worker(empty).RunCases(ctx, c, cases)
	if err != nil {
		return nil, fmt.Errorf("run cases of %s: %w", path, err)
	}
	return results, nil
}

func (a *app) checkExit(files []checkedFile) error {
	exit := exitDone
	for _, f := range files {
		switch {
		case f.err != nil:
			code, _, _, _ := classify(f.err)
			exit = max(exit, code)
		case !f.ok():
			exit = max(exit, exitDocument)
		}
	}
	if exit == exitDone {
		return nil
	}
	return silent(exit)
}

func (a *app) showFiles(files []checkedFile) {
	errors, warnings := 0, 0
	for _, f := range files {
		if f.err != nil {
			_, code, message, _ := classify(f.err)
			a.say("%s %s: %s", a.style.bad("error"), code, visible.Line(message))
		}
		bad := len(manifest.Errors(f.diagnostics))
		errors, warnings = errors+bad, warnings+len(f.diagnostics)-bad
		a.showDiagnostics(f.name, f.diagnostics)
		if f.tool != nil {
			a.print("%s: %s %s, version %d: %s, %s", visible.Line(f.name), a.style.good("ok"),
				visible.Line(f.tool.Title()), f.tool.Version(), f.tool.Marks().Risk, f.tool.Marks().PowerNames())
		}
		a.showCases(f.name, f.cases)
	}
	if errors+warnings > 0 {
		a.say("\n%s. %s", counts(errors, warnings), afterCheck(errors))
	}
}

func afterCheck(errors int) string {
	if errors > 0 {
		return "Nothing was installed."
	}
	return "Warnings do not stop an install."
}

func counts(errors, warnings int) string {
	var parts []string
	if errors > 0 {
		parts = append(parts, card.Count(errors, "error"))
	}
	if warnings > 0 {
		parts = append(parts, card.Count(warnings, "warning"))
	}
	return strings.Join(parts, ", ")
}

// showDiagnostics prints problems: two lines each on a terminal, one elsewhere.
func (a *app) showDiagnostics(file string, list []manifest.Diagnostic) {
	var rows [][]string
	for _, d := range list {
		place := fmt.Sprintf("%s:%d:%d", visible.Line(file), d.Line, d.Column)
		if !isTerminal(a.out) {
			a.print("%s  %s  %s  %s  %s", place, d.Level, d.Code, visible.Line(d.Path), visible.Line(d.Message))
			continue
		}
		rows = append(rows, []string{place, string(d.Level), d.Code, visible.Line(d.Path), wrap(visible.Line(d.Message), "    ")})
	}
	widest := [3]int{}
	for _, row := range rows {
		for i := range widest {
			widest[i] = max(widest[i], width(row[i]))
		}
	}
	for _, row := range rows {
		level := pad(row[1], widest[1])
		if row[1] == string(manifest.LevelError) {
			level = a.style.bad(level)
		} else {
			level = a.style.warn(level)
		}
		a.print("%s  %s  %s  %s\n%s", pad(row[0], widest[0]), level, row[2], row[3], row[4])
	}
}

func (a *app) showCases(file string, cases []worker.CaseResult) {
	for _, c := range cases {
		if c.OK {
			a.print("  %s %s", a.style.tick(), visible.Line(c.Name))
			continue
		}
		a.print("  %s %s: %s", a.style.cross(), visible.Line(c.Name), visible.Line(c.Message))
	}
	if len(cases) > 0 {
		passed := 0
		for _, c := range cases {
			if c.OK {
				passed++
			}
		}
		a.print("%s: %d of %s passed", visible.Line(casesPath(file)), passed, card.Count(len(cases), "case"))
	}
}

func filesValue(files []checkedFile) map[string]any {
	list := make([]any, len(files))
	ok := true
	for i, f := range files {
		ok = ok && f.ok()
		item := map[string]any{"file": f.name, "ok": f.ok(), "diagnostics": diagnosticsValue(f.diagnostics)}
		if f.tool != nil {
			item["tool"] = toolValue(f.tool)
		}
		if f.cases != nil {
			item["cases"] = structValue(f.cases)
		}
		if f.err != nil {
			_, code, message, _ := classify(f.err)
			item["error"] = map[string]any{"code": code, "message": message}
		}
		list[i] = item
	}
	return map[string]any{"ok": ok, "files": list}
}

func diagnosticsValue(list []manifest.Diagnostic) []any {
	out := make([]any, len(list))
	for i, d := range list {
		out[i] = map[string]any{
			"level": string(d.Level), "code": d.Code, "path": d.Path, "message": d.Message,
			"line": value.Int(d.Line), "column": value.Int(d.Column),
		}
	}
	return out
}

// toolValue gives what was worked out of a checked tool.
func toolValue(c *check.Checked) map[string]any {
	m := c.Marks()
	return map[string]any{
		"id": c.ID(), "version": value.Int64(c.Version()), "title": c.Title(), "description": c.Description(),
		"powers": textsValue(m.Powers), "risk": m.Risk.String(), "reversibility": string(m.Reversibility),
		"capabilities": textsValue(m.Capabilities), "hosts": textsValue(c.Hosts()),
		"readsPrivate": m.ReadsPrivate, "readsUntrusted": m.ReadsUntrusted, "canTransmit": m.CanTransmit,
		"usesModel": m.UsesModel(), "digest": c.Digest(),
	}
}

func textsValue[T ~string](list []T) []any {
	out := make([]any, len(list))
	for i, item := range list {
		out[i] = string(item)
	}
	return out
}
