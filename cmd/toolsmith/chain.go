package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolsmith/internal/card"
	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// chainOptions are the flags of a run that is made of chains.
type chainOptions struct {
	entry, key, title string
	yes               bool
}

// runChain runs the chains of a file, or of standard input for "-".
func (a *app) runChain(ctx context.Context, path string, o chainOptions) error {
	const mostChain = 4 << 20
	text, err := a.readBounded(path, mostChain, false)
	if err != nil {
		return err
	}
	v, err := value.Decode(text)
	if err != nil {
		return &codedExit{&tool.Error{Code: task.CodeResultInvalid, Message: fmt.Sprintf("%s: %s", streamName(path), err)}, exitDocument}
	}
	chains, faults := task.ReadDrafts(v)
	if len(faults) > 0 {
		return &codedExit{&tool.Error{Code: faults[0].Code, Message: fmt.Sprintf("%s: %s", streamName(path), allFaults(faults))}, exitDocument}
	}
	st, err := a.upgrade(ctx)
	if err != nil {
		return err
	}
	w := a.worker(st)
	if err := a.consentChain(ctx, w.Engine, chains, o); err != nil {
		return err
	}
	return a.carryOut(ctx, w, engine.Request{
		Chains: chains, Title: o.title, Caller: caller, Key: o.key, Entry: o.entry,
	}, !nested(v))
}

// carryOut begins a run, waits for its end and shows what it came to. flat is for chainError.
func (a *app) carryOut(ctx context.Context, w *worker.Worker, request engine.Request, flat bool) error {
	run, err := w.Begin(ctx, request, a.chainProgress())
	if err != nil {
		return chainError(err, flat)
	}
	run, err = a.settledRun(ctx, w, run.ID)
	if err != nil && ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
		if _, err := w.Cancel(ctx, run.ID); err != nil && tool.Code(err) != engine.CodeRunSettled {
			return err
		}
		run, err = a.settledRun(ctx, w, run.ID)
	}
	if err != nil {
		return err
	}
	return a.endChain(ctx, w.Engine, run)
}

func allFaults(faults task.Faults) string {
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = f.Place + ": " + f.Message
	}
	return strings.Join(lines, "\n")
}

// nested reports whether a list holds lists.
func nested(v any) bool {
	list, _ := v.([]any)
	return slices.ContainsFunc(list, func(item any) bool {
		_, ok := item.([]any)
		return ok
	})
}

// chainError gives chains that are at fault the exit code of a document with errors. flat
// tells one chain that was not written as a list of lists, so that places fit the file.
func chainError(err error, flat bool) error {
	var faults task.Faults
	if errors.As(err, &faults) {
		for i := range faults {
			if flat {
				faults[i].Place = strings.TrimPrefix(faults[i].Place, "[0]")
			}
		}
		return &codedExit{&tool.Error{Code: faults[0].Code, Message: allFaults(faults)}, exitDocument}
	}
	return err
}

// consentChain shows what chains call and asks for a yes, unless one was given.
func (a *app) consentChain(ctx context.Context, e *engine.Engine, chains [][]task.Draft, o chainOptions) error {
	if o.yes {
		return nil
	}
	marks, names, err := a.marksOf(ctx, e, chains, o.entry)
	if err != nil {
		return err
	}
	if !a.interactive() {
		return &codedExit{&tool.Error{Code: codeDenied, Message: "These calls have not been allowed to run, and nobody can be asked here. Allow one run with: --yes"}, exitDenied}
	}
	out, done := a.question()
	defer done()
	a.showQuestion(out, card.Question{
		Facts: card.Facts{Title: fmt.Sprintf("Calls of %s", card.Count(len(names), "tool")), Marks: marks, Catalogue: a.catalogue},
		Asker: card.Asker{RunTitle: o.title, Client: caller}, Arguments: []any{callsValue(chains, o.entry)},
	})
	fmt.Fprint(out, "\nRun them? [y/N] ")
	if !a.saidYes(ctx, out) {
		return &codedExit{&tool.Error{Code: codeDenied, Message: "You said no, so nothing was run."}, exitDenied}
	}
	return nil
}

// marksOf adds up what the tools of chains may do.
func (a *app) marksOf(ctx context.Context, e *engine.Engine, chains [][]task.Draft, entry string) (tool.Marks, []string, error) {
	var names []string
	for _, chain := range chains {
		for _, d := range chain {
			if d.Type == tool.TypeTool {
				names = append(names, called(d.Call)...)
			}
		}
	}
	if entry != "" {
		names = append(names, entry)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	sum := tool.Marks{Risk: tool.R1, Reversibility: tool.ReadOnly}
	for _, name := range names {
		marks, err := e.Marks(ctx, name)
		if err != nil {
			return sum, nil, chainError(err, false)
		}
		sum = sum.With(marks)
	}
	return sum, names, nil
}

// called lists the tools that a call is seen to need: itself, and those that "map" is given.
func called(c task.Call) []string {
	names := []string{c.Name}
	if arguments, ok := c.Arguments.(map[string]any); ok && c.Name == "map" {
		for _, field := range []string{"tool", "reducer"} {
			if name, ok := arguments[field].(string); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// callsValue gives the calls of chains, numbered in their order, with their arguments.
func callsValue(chains [][]task.Draft, entry string) map[string]any {
	var calls []task.Call
	for _, chain := range chains {
		for _, d := range chain {
			if d.Type == tool.TypeTool {
				calls = append(calls, d.Call)
			}
		}
	}
	if entry != "" {
		calls = append(calls, task.Call{Name: entry, Arguments: "what the calls come to"})
	}
	digits := len(strconv.Itoa(len(calls)))
	out := make(map[string]any, len(calls))
	for i, c := range calls {
		out[fmt.Sprintf("%0*d %s", digits, i+1, c.Name)] = c.Arguments
	}
	return out
}

// chainProgress prints calls as they end.
func (a *app) chainProgress() func(worker.Event) {
	if !isTerminal(a.errOut) || a.json {
		return nil
	}
	return func(e worker.Event) {
		switch {
		case e.Task == nil || e.Flow != nil:
		case e.Progress != nil:
			a.say("  %s %s  %.0f/%.0f %s", a.style.dots(), visible.Line(e.Task.Name), e.Progress.Done, e.Progress.Total, visible.Line(e.Progress.Note))
		case e.State == task.Done:
			a.say("  %s %s", a.style.tick(), visible.Line(e.Task.Name))
		case e.State == task.Failed:
			a.say("  %s %s", a.style.cross(), visible.Line(e.Task.Name))
		case e.State == task.Waiting:
			a.say("  %s %s waits", a.style.dots(), visible.Line(e.Task.Name))
		}
	}
}

// endChain shows what chains came to.
func (a *app) endChain(ctx context.Context, e *engine.Engine, run task.Run) error {
	view, err := e.View(ctx, run.ID)
	if err != nil {
		return err
	}
	v, has, err := view.Graph.Result(view.Content)
	if err != nil {
		return err
	}
	if a.json {
		out := runValue(view.Run)
		out["run"], out["output"] = run.ID, v
		a.printJSON(out)
	} else {
		if has {
			a.print("%s", visible.Block(value.IndentedJSON(v)))
		}
		a.say("%s", a.style.faint(fmt.Sprintf("run %s  %s in %s  (toolsmith tree %s)", run.ID, run.Status, took(view.Run), run.ID)))
		if f := view.Run.Failure; f != nil {
			a.say("%s %s: %s", a.style.bad("error"), visible.Line(f.Code), visible.Block(f.Message))
		}
	}
	if view.Run.Status != task.RunSucceeded {
		return silent(exitFailed)
	}
	return nil
}
