package main

import (
	"context"
	"fmt"
	"io"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// runAgain runs a settled run once more, from a task or step on.
func (a *app) runAgain(ctx context.Context, id, from string, yes bool) error {
	st, err := a.upgrade(ctx)
	if err != nil {
		return err
	}
	w := a.worker(st)
	plan, err := w.Engine.Again(ctx, id, from)
	if err != nil {
		return err
	}
	plan.Request.Caller = caller
	if !yes {
		if err := a.consentAgain(ctx, plan); err != nil {
			return err
		}
	} else if !a.json {
		a.showAgain(a.errOut, plan)
	}
	// What began in the first run and was now allowed is not asked about again: a tool that did not
	// begin is, and so is what is asked about alone.
	return a.carryOut(ctx, w, plan.Request, false, func(q consent.Question) bool {
		return yes || q.MayRemember() && q.Marks.Risk <= tool.R2 && plan.Began[q.Tool]
	})
}

// consentAgain lists what is going to be changed again, and asks.
func (a *app) consentAgain(ctx context.Context, plan *engine.Again) error {
	if !a.interactive() {
		return &codedExit{&tool.Error{Code: consent.CodeDenied, Message: "Running something again has to be allowed, and nobody can be asked here. Allow it with: --yes"}, exitDenied}
	}
	out, done := a.question()
	defer done()
	a.showAgain(out, plan)
	fmt.Fprint(out, "\nRun it again? [y/N] ")
	if !a.saidYes(ctx, out) {
		return &codedExit{&tool.Error{Code: consent.CodeDenied, Message: "You said no, so nothing was run."}, exitDenied}
	}
	return nil
}

// showAgain lists the changes that are going to be made again.
func (a *app) showAgain(out io.Writer, plan *engine.Again) {
	if plan.Reused > 0 {
		fmt.Fprintf(out, "%d recorded steps are used, and not made again.\n", plan.Reused)
	}
	if len(plan.Effects) == 0 {
		fmt.Fprintln(out, "The first run changed nothing in this part.")
		return
	}
	fmt.Fprintln(out, "These changes are going to be made again:")
	const most = 40
	for i, e := range plan.Effects {
		if i == most {
			fmt.Fprintf(out, "  … and %d more\n", len(plan.Effects)-most)
			break
		}
		name := e.Name
		if e.Step != "" {
			name = e.Step + "  " + name
		}
		fmt.Fprintf(out, "  %s  %s\n", visible.Line(name), bothEnds(value.JSON(e.Arguments)))
	}
}

// bothEnds shows a text on one line, a long one with its beginning and its end.
func bothEnds(text string) string {
	first, last, cut := visible.Ends(text, 60, 40)
	if !cut {
		return visible.Line(text)
	}
	return visible.Line(first) + " … " + visible.Line(last)
}
