package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"toolsmith/internal/card"
	"toolsmith/internal/engine"
	"toolsmith/internal/manifest"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

func (a *app) tryCommand() *cobra.Command {
	var input, script string
	var g fileFlags
	cmd := &cobra.Command{
		Use: "try FILE|TOOL", Short: "Run a tool dry: read real data, write nothing",
		Long: `Try runs a tool without writing anything, and shows every step and what would have
been written. Reads see the real data, and what the run itself would have written.
Nothing is asked, since nothing happens.

With --script the answers of capabilities and of the model come from a file:
{"capabilities": {"notes.list": [{"result": [...]}, {"error": "busy"}]},
 "llm": [{"result": "..."}], "state": {...}, "checkInputs": true}
Answers are used call by call and the last one repeats; what is not named answers null.

A tool in code runs too, in its sandbox; it reaches no network, no secret and no person, and
what it would have others do (its subtasks) is shown and not done. What it asks its context for
fails with the code DRY_RUN, unless the script answers it by the name of the method:
{"capabilities": {"fetch": [{"result": {"status": 200, "headers": {}, "body": "…"}}],
 "getSecret": [{"result": "…"}], "interaction": [{"result": …}]}}`,
		Example: `  toolsmith try my-tool.talostool --input '{"query": "milk"}'
  toolsmith try dynamic:my-tool --script answers.json --json
  toolsmith try digest.ts --tool digest --input @input.json`,
		Args: exactly("a file or a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.try(cmd.Context(), args[0], input, script, g)
		},
		ValidArgsFunction: a.completeFilesAndTools,
	}
	cmd.Flags().StringVar(&input, "input", "", "the input: `JSON`, @FILE, or - for standard input (default {})")
	cmd.Flags().StringVar(&script, "script", "", "a `file` with the answers of capabilities and model")
	g.toolFlag(cmd)
	g.languageFlag(cmd)
	return cmd
}

func (a *app) try(ctx context.Context, arg, inputText, scriptPath string, g fileFlags) error {
	s, err := a.subject(ctx, arg, g, false)
	var invalid *engine.InvalidError
	if errors.As(err, &invalid) {
		return a.refuseTry(arg, invalid)
	}
	if err != nil {
		return err
	}
	input, err := a.readInput("--input", inputText)
	if err != nil {
		return err
	}
	script, err := a.readScript(scriptPath)
	if err != nil {
		return err
	}
	st, err := a.look(ctx)
	if err != nil {
		return err
	}
	job := worker.Job{Tool: s.tool, Files: s.others, Input: input, Installed: s.installed}
	out, err := a.worker(st).Try(ctx, job, script)
	if err != nil {
		return err
	}
	if a.json {
		doc := out.Value()
		doc["tool"] = s.tool.Name()
		writes := make([]any, len(out.Writes))
		for i, w := range out.Writes {
			writes[i] = w.Value()
		}
		doc["writes"] = writes
		if _, inCode := s.tool.Coded(); inCode {
			doc["subtasks"], doc["logs"] = subtasksValue(out), textsValue(out.Logs)
		}
		if c, ok := cardOf(s.tool, out.Result); ok {
			doc["card"] = structValue(c)
		}
		a.printJSON(doc)
		return exitOfRun(out.Result)
	}
	a.showTry(s, out)
	return exitOfRun(out.Result)
}

func (a *app) readScript(path string) (*flow.Script, error) {
	if path == "" {
		return nil, nil
	}
	const mostScript = 16 << 20
	text, err := a.readBounded(path, mostScript, false)
	if err != nil {
		return nil, err
	}
	script, err := flow.ParseScript(text)
	if err != nil {
		return nil, &codedExit{&tool.Error{Code: "SCRIPT_INVALID", Message: fmt.Sprintf("%s: %s.", streamName(path), err)}, exitDocument}
	}
	return script, nil
}

// refuseTry reports a manifest that cannot be tried, in the shape of a failed run.
func (a *app) refuseTry(path string, invalid *engine.InvalidError) error {
	if !a.json {
		return a.refuse(path, invalid)
	}
	first := manifest.Errors(invalid.Diagnostics)[0]
	a.printJSON(map[string]any{
		"status": string(flow.Failed), "output": nil, "error": map[string]any{"code": first.Code, "message": first.Message},
		"trace": []any{}, "created": []any{}, "calls": []any{}, "writes": []any{},
		"diagnostics": diagnosticsValue(invalid.Diagnostics),
	})
	return silent(exitDocument)
}

func (a *app) showTry(s subject, out worker.Dry) {
	a.print("%s", a.style.bold(fmt.Sprintf("Dry run of %s  (%s)", visible.Line(s.tool.Title()), s.source)))
	const mostEvents = 60
	for i, e := range out.Trace {
		if i == mostEvents {
			a.print("  … and %d more steps (see them all with --json)", len(out.Trace)-mostEvents)
			break
		}
		a.print("%s", a.eventLine(e))
	}
	if len(out.Logs) > 0 {
		a.print("console:")
	}
	for _, line := range out.Logs {
		a.print("  %s", visible.Line(visible.Cut(line, 500)))
	}
	a.showSubtasks(out.Subtasks)
	if len(out.Writes) > 0 {
		a.print("would have written:")
	}
	for _, w := range out.Writes {
		a.print("  %s  %s", pad(w.Capability, 15), card.Text(w.Input))
	}
	created := out.Created
	out.Created = nil                              // nothing was: they stand among the writes
	if out.Subtasks == nil || out.Failure != nil { // else they are what came of it
		a.showResult(s, out.Result)
	}
	out.Created = created
	a.say("Dry run: %s. Nothing was written.", out.Status)
}

// subtasksValue gives the chains that a tool returned as a JSON value: null for a plain value.
func subtasksValue(out worker.Dry) any {
	if out.Subtasks == nil {
		return nil
	}
	return out.Subtasks
}

// showSubtasks prints the tasks that a tool would have had done, chain by chain.
func (a *app) showSubtasks(chains []any) {
	if len(chains) == 0 {
		return
	}
	a.print("would have had done:")
	for i, chain := range chains {
		if len(chains) > 1 {
			a.print("  branch %d", i+1)
		}
		tasks, _ := chain.([]any)
		for _, one := range tasks {
			a.print("  %s", subtaskLine(one))
		}
	}
}

// subtaskLine shows a task that was not done: what it is, and what is in it.
func subtaskLine(one any) string {
	of, _ := one.(map[string]any)
	content, _ := of["content"].(map[string]any)
	kind, _ := content["type"].(string)
	if call, isCall := content["data"].(map[string]any); isCall && tool.ContentType(kind) == tool.TypeTool {
		name, _ := call["name"].(string)
		return fmt.Sprintf("%s  %s %s", pad(kind, 10), visible.Line(visible.Cut(name, 100)), visible.Line(visible.Cut(value.JSON(call["arguments"]), 200)))
	}
	return fmt.Sprintf("%s  %s", pad(visible.Line(visible.Cut(kind, 20)), 10), card.Text(content["data"]))
}
