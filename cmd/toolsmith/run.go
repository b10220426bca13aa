package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolsmith/internal/card"
	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/registry"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/schema"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// caller is how a run says that it was asked for here.
const caller = "cli"

func (a *app) runCommand() *cobra.Command {
	var input, chain, again, from string
	var o chainOptions
	var g fileFlags
	cmd := &cobra.Command{
		Use: "run FILE|TOOL", Short: "Run a tool, or chains of calls, for real",
		Long: `Run calls a tool once: from its file, or an installed one that is on. Before that it
shows what the tool may do and asks, unless you have allowed exactly this version for
longer or have set it so (toolsmith settings). What can leave this machine is asked
about every time. Where nobody can be asked it needs --yes, which is one yes to each
question of this run, and refuses without (exit code 4).

A file of TypeScript or JavaScript runs in a sandbox. Where it declares several tools,
--tool says which; they can call each other.

The result card goes to standard output; progress, on a terminal, to standard error.
What a run from a file remembers (its state) is kept apart from an installed tool of
the same id.

With --chain it runs a JSON file instead: one task, a list of tasks (a chain, one after
the other), or a list of lists (branches, side by side). A call is
  {"role": "tool", "content": {"type": "tool", "data": {"name": …, "arguments": {…}}}}
and every capability is a tool too (toolsmith capabilities). In arguments,
{"$ref": "$previous.a.b"} stands for a part of what the task before came to.
Follow what happens with: toolsmith tree RUN

With --again it runs a settled run once more, as a new one: all of it, or, with --from,
from a task (its id) or a step of a flow (its path) on. What was recorded before that is
used; the changes that would be made again are listed first, and one yes is for all of
them. What did not begin in the first run, or has the risk R3 or R4, is asked about.`,
		Example: `  toolsmith run examples/friday-review.talostool
  toolsmith run summarize.ts --input '{"text": "Milk is out."}'
  toolsmith run dynamic:my-tool --input '{"query": "milk"}'
  toolsmith run dynamic:my-tool --input @input.json --json --yes
  echo '{"query": "milk"}' | toolsmith run dynamic:my-tool --input - --yes
  toolsmith run --chain chain.json
  toolsmith run --again 01JDPW3F8Z --from write`,
		Args: between(0, "a file or a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case again != "" && (chain != "" || len(args) > 0 || input != "" || g != fileFlags{} || o.entry != "" || o.key != "" || o.title != ""):
				return usage("--again takes --from and --yes alone: the rest is that of the first run")
			case again != "":
				return a.runAgain(cmd.Context(), again, from, o.yes)
			case from != "":
				return usage("--from goes with --again")
			case chain != "" && len(args) > 0:
				return usage("give either a tool or --chain, not both")
			case chain != "" && (input != "" || g != fileFlags{}):
				return usage("--input, --tool and --language are for a tool; the calls of a chain have arguments of their own")
			case chain != "":
				return a.runChain(cmd.Context(), chain, o)
			case len(args) == 0:
				return usage("it needs a file or a tool, or --chain. See: toolsmith run --help")
			case o.entry != "" || o.key != "" || o.title != "":
				return usage("--entry, --key and --title go with --chain")
			}
			return a.run(cmd.Context(), args[0], input, g, o.yes)
		},
		ValidArgsFunction: a.completeFilesAndTools,
	}
	cmd.Flags().StringVar(&input, "input", "", "the input: `JSON`, @FILE, or - for standard input (default {})")
	g.toolFlag(cmd)
	g.languageFlag(cmd)
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "answer each question of this one run with yes")
	cmd.Flags().StringVar(&chain, "chain", "", "run the chains of a JSON `FILE`, or - for standard input")
	cmd.Flags().StringVar(&again, "again", "", "run a settled `RUN` once more")
	cmd.Flags().StringVar(&from, "from", "", "with --again: the `TASK` or step to begin with")
	cmd.Flags().StringVar(&o.entry, "entry", "", "the `TOOL` that sees plain results and errors of a chain")
	cmd.Flags().StringVar(&o.key, "key", "", "an idempotency `KEY`: a second run with it attaches to the first")
	cmd.Flags().StringVar(&o.title, "title", "", "what the run is called in lists")
	return cmd
}

// readInput reads the JSON of a flag.
func (a *app) readInput(flag, text string) (any, error) {
	const mostInput = 1 << 20 // well above what a tool accepts, which is checked with its own code
	raw := []byte(text)
	where := flag
	switch {
	case text == "":
		return map[string]any{}, nil
	case text == "-", strings.HasPrefix(text, "@"):
		where = strings.TrimPrefix(text, "@")
		var err error
		if raw, err = a.readBounded(where, mostInput, false); err != nil {
			return nil, err
		}
		if where == "-" {
			where = "standard input"
		}
	}
	v, err := value.Decode(raw)
	if err != nil {
		return nil, usage("%s is not JSON: %s", visible.Line(where), err)
	}
	return v, nil
}

func (a *app) run(ctx context.Context, arg, inputText string, g fileFlags, yes bool) error {
	s, err := a.subject(ctx, arg, g, true)
	var invalid *engine.InvalidError
	if errors.As(err, &invalid) {
		return a.refuse(arg, invalid)
	}
	if err != nil {
		return err
	}
	if !s.installed { // of one that is, Pin has looked
		if err := registry.MissingCredentials(s.tool, nil); err != nil {
			return err
		}
	}
	if s.installed {
		if err := a.readable(ctx, s.tool); err != nil {
			return err
		}
	}
	input, err := a.readInput("--input", inputText)
	if err != nil {
		return err
	}
	failure, err := accepts(s.tool, input)
	if err != nil {
		return err
	}
	if failure != nil {
		return a.endRun(s, worker.Outcome{Result: flow.Result{Status: flow.Failed, Failure: failure}})
	}
	if err := a.preview(ctx, s, input, yes); err != nil {
		return err
	}
	return a.runNow(ctx, s, input, yes)
}

// accepts says why a tool cannot be given an input; nil where it can.
func accepts(c *check.Checked, input any) (*flow.Failure, error) {
	if _, inCode := c.Coded(); !inCode {
		program, err := flow.Compile(c)
		if err != nil {
			return nil, err
		}
		return program.Accepts(input), nil
	}
	call, err := engine.Brought(c, false)
	if err != nil {
		return nil, err
	}
	if violations := call.Parameters.Validate(call.Effective(input)); len(violations) > 0 {
		return &flow.Failure{Code: task.CodeArgumentsInvalid, Message: "The arguments do not fit. " + schema.Join(violations)}, nil
	}
	return nil, nil //nolint:nilnil // it fits
}

// readable refuses a tool whose secrets are there and cannot be opened, as after a backup was
// brought to a machine without the key.
func (a *app) readable(ctx context.Context, c *check.Checked) error {
	ids := c.Credentials()
	if len(ids) == 0 {
		return nil
	}
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	namespace, err := e.Namespace(ctx, c.Name())
	if err != nil {
		return err
	}
	kept, err := a.vault.List(ctx, namespace)
	if err != nil {
		return err
	}
	for _, one := range kept {
		if one.Unreadable != nil && slices.Contains(ids, one.Name) {
			return one.Unreadable
		}
	}
	return nil
}

// runNow runs a tool, and asks what has to be asked.
func (a *app) runNow(ctx context.Context, s subject, input any, yes bool) error {
	st, err := a.upgrade(ctx)
	if err != nil {
		return err
	}
	w := a.worker(st)
	job := worker.Job{Tool: s.tool, Files: s.others, Input: input, Installed: s.installed, Caller: caller}
	asker := a.asker(ctx, w, func(consent.Question) bool { return yes })
	defer asker.end()
	job.Observe = asker.observe
	if isTerminal(a.errOut) && !a.json {
		show := a.progress()
		job.Steps = func(e flow.Event) { asker.show(func() { show(e) }) }
	}
	outcome, err := w.Run(ctx, job)
	asker.end()
	if err != nil {
		return err
	}
	return a.endRun(s, outcome)
}

// preview refuses what is denied, and what has to be asked about where nobody can be asked,
// before a run is made of it.
func (a *app) preview(ctx context.Context, s subject, input any, yes bool) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	call, err := engine.Brought(s.tool, s.installed)
	if err != nil {
		return err
	}
	decision, err := e.Preview(ctx, call, input)
	if err != nil {
		return err
	}
	return a.askable(decision, call, yes, "Look at it with: toolsmith check FILE or toolsmith tools TOOL.")
}

// askable gives the error of a call that is denied, or that nobody can be asked about here.
func (a *app) askable(decision consent.Decision, call *engine.Callable, yes bool, look string) error {
	switch {
	case decision.Verdict == consent.Refused && decision.Reason == consent.Stopped:
		return &tool.Error{Code: engine.CodeStopped, Message: decision.Refusal(call.Name)}
	case decision.Verdict == consent.Refused:
		return &codedExit{&tool.Error{Code: consent.CodeDenied, Message: decision.Refusal(call.Name)}, exitDenied}
	case decision.Verdict == consent.MustAsk && !yes && !a.interactive():
		return &codedExit{&tool.Error{Code: consent.CodeDenied, Message: fmt.Sprintf(
			"%q has not been allowed to run, and nobody can be asked here. %s Allow one run with: --yes", call.Title, look)}, exitDenied}
	}
	return nil
}

// saidYes takes an answer from the terminal; anything but yes is no.
func (a *app) saidYes(ctx context.Context, out io.Writer) bool {
	line, _ := a.line(ctx, nil, out)
	return line == "y" || line == "yes"
}

// line takes a line from the terminal, in small letters; ok is false where instead ctx ended,
// or what is asked has been settled elsewhere. What is typed later is for the next question.
func (a *app) line(ctx context.Context, settled <-chan struct{}, out io.Writer) (text string, ok bool) {
	text, _, ok = a.rawLine(ctx, settled, out)
	return strings.ToLower(strings.TrimSpace(text)), ok
}

// rawLine is line with what was typed as it is, without its end; ended is true at the end of all
// that is typed.
func (a *app) rawLine(ctx context.Context, settled <-chan struct{}, out io.Writer) (text string, ended, ok bool) {
	a.typing.Do(func() {
		a.typed = make(chan string)
		in := bufio.NewReader(a.in)
		go func() {
			for {
				line, err := in.ReadString('\n')
				select {
				case a.typed <- line:
				case <-a.ended:
					return
				}
				if err != nil {
					close(a.typed)
					return
				}
			}
		}()
	})
	if a.stale { // what was typed for a question that is settled answers no other
		select {
		case <-a.typed:
		default:
		}
	}
	a.stale = false
	select {
	case line := <-a.typed:
		return strings.TrimRight(line, "\r\n"), line == "", true
	case <-settled:
		a.stale = true
	case <-ctx.Done():
	}
	fmt.Fprintln(out)
	return "", false, false
}

// progress prints the steps that reach outside as they end.
func (a *app) progress() func(flow.Event) {
	return func(e flow.Event) {
		if e.Capability == "" && e.Kind != "llm" {
			return
		}
		a.say("%s", a.eventLine(e))
	}
}

// eventLine shows one event: sign, step, capability, what came of it.
func (a *app) eventLine(e flow.Event) string {
	sign := a.style.tick()
	if !e.OK {
		sign = a.style.cross()
	}
	if e.Kind == "context" { // a method of the context of a tool in code, which its step names
		return strings.TrimRight(fmt.Sprintf("  %s %s  %s", sign, pad(visible.Line(e.Step), 15), a.outcomeOf(e)), " ")
	}
	what := e.Capability
	if what == "" {
		what = e.Kind
	}
	return strings.TrimRight(fmt.Sprintf("  %s %s  %s  %s", sign, pad(visible.Line(e.Step), 10), pad(what, 15), a.outcomeOf(e)), " ")
}

func (a *app) outcomeOf(e flow.Event) string {
	var parts []string
	switch {
	case e.Failure != nil:
		parts = append(parts, visible.Line(visible.Cut(e.Failure.Message, 160)))
	case e.Count >= 0:
		described, _ := a.catalogue.Get(e.Capability)
		kind := described.Kind
		if kind == "" {
			kind = "item"
		}
		parts = append(parts, card.Count(e.Count, kind))
	case e.Title != "":
		parts = append(parts, fmt.Sprintf("%q", visible.Line(visible.Cut(e.Title, 60))))
	}
	if e.Note != "" && e.Failure == nil {
		parts = append(parts, "("+visible.Line(e.Note)+")")
	}
	if e.Attempt > 1 {
		parts = append(parts, fmt.Sprintf("(try %d)", e.Attempt))
	}
	return strings.Join(parts, " ")
}

// cardOf makes the card of a result, if the tool describes one and the run succeeded.
func cardOf(c *check.Checked, r flow.Result) (card.Result, bool) {
	m := c.Manifest()
	if m == nil || m.UI == nil || r.Status != flow.Succeeded {
		return card.Result{}, false
	}
	ui := m.UI
	var details []string
	for _, ref := range ui.DetailRefs {
		details = append(details, ref.Value())
	}
	roots := map[string]any{}
	maps.Copy(roots, r.Variables)
	roots["output"] = r.Output
	return card.For(ui.Title.Value(), ui.PrimaryRef.Value(), details, roots), true
}

// endRun prints a run that is over, and gives its exit code.
func (a *app) endRun(s subject, o worker.Outcome) error {
	if a.json {
		out := o.Value()
		out["tool"] = s.tool.Name()
		if c, ok := cardOf(s.tool, o.Result); ok {
			out["card"] = structValue(c)
		}
		if o.Run.ID != "" {
			out["run"] = o.Run.ID
			out["elapsedMs"] = value.Int64(o.Elapsed.Milliseconds())
		}
		a.printJSON(out)
		return exitOfRun(o.Result)
	}
	a.showResult(s, o.Result)
	if o.Run.ID != "" {
		a.say("%s", a.style.faint(fmt.Sprintf("run %s  %s in %s", o.Run.ID, o.Run.Status, o.Elapsed.Round(time.Millisecond))))
	}
	return exitOfRun(o.Result)
}

func exitOfRun(r flow.Result) error {
	if r.Status == flow.Succeeded {
		return nil
	}
	if r.Failure != nil {
		return silent(exitOfFailure(r.Failure.Code))
	}
	return silent(exitFailed)
}

// exitOfFailure is the exit code for a run that failed with a code.
func exitOfFailure(code string) int {
	if exit := exitOf(code); exit == exitDenied {
		return exit
	}
	return exitFailed
}

// showResult prints what came of a run: the card or the output, what was made, the error.
func (a *app) showResult(s subject, r flow.Result) {
	if c, ok := cardOf(s.tool, r); ok {
		a.showOutcome(c)
	} else if r.Status == flow.Succeeded {
		a.print("%s", visible.Block(value.IndentedJSON(r.Output)))
	}
	var rows [][]string
	for _, made := range r.Created {
		rows = append(rows, createdRow(made))
	}
	if len(rows) > 0 {
		a.print("made\n%s", table("  ", rows))
	}
	if r.Failure == nil {
		return
	}
	a.say("%s %s%s: %s", a.style.bad("error"), visible.Line(r.Failure.Code), failedStep(r), visible.Line(r.Failure.Message))
	if r.Status == flow.RecoveryRequired {
		a.say("Not everything could be taken back. See what was done above, and mend it by hand with: toolsmith data")
	}
}

func (a *app) showOutcome(c card.Result) {
	a.print("%s", a.style.bold(c.Title))
	if c.Primary != "" {
		a.print("  %s", c.Primary)
	}
	var rows [][]string
	for _, d := range c.Details {
		rows = append(rows, []string{d.Label, d.Text})
	}
	if len(rows) > 0 {
		a.print("%s", table("  ", rows))
	}
}

// failedStep names the step that ended a run, where one did.
func failedStep(r flow.Result) string {
	for _, e := range r.Trace {
		if e.Failure != nil && e.Failure == r.Failure {
			return " in step " + visible.Line(e.Step)
		}
	}
	return ""
}

// createdRow shows a record that a run made, and how to look at it.
func createdRow(c flow.Created) []string {
	row := []string{c.Kind, visible.Line(visible.Cut(c.Title, 60)), ""}
	switch {
	case c.Undone:
		row[2] = "(taken back)"
	case c.HasID:
		row[2] = fmt.Sprintf("toolsmith data %s show %s", card.Plural(c.Kind), visible.Line(c.ID))
	}
	return row
}
