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
	name string
	sourceFile
	cases []worker.CaseResult
	// err is set where the file, or its cases, could not be read.
	err error
}

func (f checkedFile) ok() bool {
	for _, c := range f.cases {
		if !c.OK {
			return false
		}
	}
	return f.err == nil && f.tools != nil
}

func (a *app) checkCommand() *cobra.Command {
	var withCases bool
	var g fileFlags
	cmd := &cobra.Command{
		Use: "check FILE…", Short: "Find everything that is wrong with tools",
		Long: `Check reads .talostool files, and tools in TypeScript or JavaScript (.ts, .js), and
reports every problem at its place, the first as well as the last. Nothing is
installed, and no tool runs. "-" reads standard input: a .talostool file, or what
--language says.

On a terminal each problem takes two lines; elsewhere it is one line:
file:line:column  level  code  path  message. The exit code is 3 if there are errors;
warnings do not count.

With --cases, the cases beside each file are run too: for NAME.talostool or NAME.ts those
in NAME.cases.json, a list of {"name", "tool"?, "input", "script"?, "expect": {"status",
"output"?, "subtasks"?, "error"?}}. "tool" says which one where the file declares several.`,
		Example: `  toolsmith check my-tool.talostool
  toolsmith check --cases examples/*.talostool
  toolsmith check summarize.ts
  cat draft.talostool | toolsmith check --json -
  cat draft.ts | toolsmith check --language ts -`,
		Args: atLeastOne("a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.check(cmd.Context(), args, g, withCases)
		},
		ValidArgsFunction: completeFiles,
	}
	cmd.Flags().BoolVar(&withCases, "cases", false, "run the cases that stand beside each file")
	g.languageFlag(cmd)
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

func (a *app) check(ctx context.Context, paths []string, g fileFlags, withCases bool) error {
	files := make([]checkedFile, 0, len(paths))
	for _, path := range paths {
		files = append(files, a.checkFile(ctx, path, g, withCases))
	}
	if a.json {
		a.printJSON(filesValue(files))
	} else {
		a.showFiles(files)
	}
	return a.checkExit(files)
}

func (a *app) checkFile(ctx context.Context, path string, g fileFlags, withCases bool) checkedFile {
	f := checkedFile{name: path}
	f.sourceFile, f.err = a.openFile(ctx, path, g)
	if withCases && f.tools != nil {
		f.cases, f.err = a.runCases(ctx, path, f.tools)
	}
	return f
}

// casesPath is where the cases of a file are: NAME.cases.json beside NAME.talostool or NAME.ts.
func casesPath(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".cases.json"
}

// runCases runs the cases beside a file, if there are any, on an empty store.
func (a *app) runCases(ctx context.Context, path string, tools []*check.Checked) ([]worker.CaseResult, error) {
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
	w, results := a.worker(empty), make([]worker.CaseResult, 0, len(cases))
	for _, one := range cases {
		c, err := caseTool(one, tools)
		if err != nil {
			return nil, &codedExit{&tool.Error{Code: "CASES_INVALID", Message: fmt.Sprintf("%s: %s.", streamName(casesPath(path)), err)}, exitDocument}
		}
		done, err := w.RunCases(ctx, c, []worker.Case{one})
		if err != nil {
			return nil, fmt.Errorf("run cases of %s: %w", path, err)
		}
		results = append(results, done...)
	}
	return results, nil
}

// caseTool finds the tool of a file that a case is for.
func caseTool(one worker.Case, tools []*check.Checked) (*check.Checked, error) {
	var names []string
	for _, c := range tools {
		if one.Tool == c.Name() || one.Tool == "" && len(tools) == 1 {
			return c, nil
		}
		names = append(names, c.Name())
	}
	if one.Tool == "" {
		return nil, fmt.Errorf("the case %q does not say which \"tool\" it is for: %s", one.Name, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("the case %q is for the tool %q, which the file does not declare. There is: %s", one.Name, one.Tool, strings.Join(names, ", "))
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
		for _, c := range f.tools {
			what := visible.Line(c.Title())
			if _, inCode := c.Coded(); !inCode {
				what += fmt.Sprintf(", version %d", c.Version())
			} else if c.Title() != c.Name() {
				what += fmt.Sprintf(" (%s)", c.Name())
			}
			a.print("%s: %s %s: %s, %s", visible.Line(f.name), a.style.good("ok"), what, c.Marks().Risk, c.Marks().PowerNames())
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
		if len(f.tools) == 1 {
			item["tool"] = toolValue(f.tools[0])
		}
		tools := make([]any, len(f.tools))
		for i, c := range f.tools {
			tools[i] = toolValue(c)
		}
		item["tools"] = tools
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
	out := map[string]any{
		"id": c.ID(), "name": c.Name(), "kind": "manifest", "version": value.Int64(c.Version()), "title": c.Title(), "description": c.Description(),
		"powers": textsValue(m.Powers), "risk": m.Risk.String(), "reversibility": string(m.Reversibility),
		"capabilities": textsValue(m.Capabilities), "hosts": textsValue(c.Hosts()), "secrets": textsValue(c.Credentials()), "calls": textsValue(c.Calls()),
		"readsPrivate": m.ReadsPrivate, "readsUntrusted": m.ReadsUntrusted, "canTransmit": m.CanTransmit,
		"usesModel": m.UsesModel(), "digest": c.Digest(),
	}
	if t, inCode := c.Coded(); inCode {
		out["kind"], out["file"] = "code", t.File
	}
	return out
}

func textsValue[T ~string](list []T) []any {
	out := make([]any, len(list))
	for i, item := range list {
		out[i] = string(item)
	}
	return out
}
