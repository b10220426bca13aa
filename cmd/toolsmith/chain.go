package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolsmith/internal/consent"
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
	if err := a.previewChain(ctx, w.Engine, chains, o); err != nil {
		return err
	}
	request := engine.Request{Chains: chains, Title: o.title, Caller: caller, Key: o.key, Entry: o.entry}
	return a.carryOut(ctx, w, request, !nested(v), func(consent.Question) bool { return o.yes })
}

// carryOut begins a run, waits for its end and shows what it came to. flat is for chainError,
// and allows says which questions need not be asked again.
func (a *app) carryOut(ctx context.Context, w *worker.Worker, request engine.Request, flat bool, allows func(consent.Question) bool) error {
	asker := a.asker(ctx, w, allows)
	defer asker.end()
	show := a.chainProgress()
	run, err := w.Begin(ctx, request, func(e worker.Event) {
		asker.observe(e)
		asker.show(func() { show(e) })
	})
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
	asker.end()
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

// previewChain refuses chains of which something is denied, or has to be asked about where
// nobody can be asked, before a run is made of them. What their results call is decided when it
// is known.
func (a *app) previewChain(ctx context.Context, e *engine.Engine, chains [][]task.Draft, o chainOptions) error {
	for _, chain := range chains {
		for _, d := range chain {
			if d.Type != tool.TypeTool {
				continue
			}
			call, err := e.Callable(ctx, d.Call.Name)
			if _, known := engine.FaultCode(err); err != nil && known {
				return nil // the run is refused with all that is wrong
			}
			if err != nil {
				return err
			}
			decision, err := e.Preview(ctx, call, call.Effective(d.Call.Arguments))
			if err != nil {
				return err
			}
			if err := a.askable(decision, call, o.yes, "Look at it with: toolsmith tools TOOL or toolsmith capabilities."); err != nil {
				return err
			}
		}
	}
	return nil
}

// chainProgress prints calls as they end.
func (a *app) chainProgress() func(worker.Event) {
	if !isTerminal(a.errOut) || a.json {
		return func(worker.Event) {}
	}
	return func(e worker.Event) {
		switch {
		case e.Task == nil || e.Flow != nil || e.Question != nil:
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
	switch f := view.Run.Failure; {
	case view.Run.Status == task.RunSucceeded:
		return nil
	case f != nil:
		return silent(exitOfFailure(f.Code))
	}
	return silent(exitFailed)
}
