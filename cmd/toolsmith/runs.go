package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolsmith/internal/consent"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/internal/worker"
)

func (a *app) runsCommand() *cobra.Command {
	var most int
	var unsettled bool
	var before string
	cmd := &cobra.Command{
		Use: "runs", Short: "List runs, the newest first",
		Long: `Runs lists what was run: when, what it came to, how long it took. A run that is not
settled and that no process is carrying out goes on with: toolsmith resume RUN`,
		Example: `  toolsmith runs
  toolsmith runs --unsettled
  toolsmith runs --limit 100 --json`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if most < 1 {
				return usage("--limit has to be at least 1; this is %d", most)
			}
			return a.runs(cmd.Context(), task.Filter{Unsettled: unsettled, Before: strings.ToUpper(before), Limit: most})
		},
	}
	cmd.Flags().IntVar(&most, "limit", 20, "how many to list at most")
	cmd.Flags().BoolVar(&unsettled, "unsettled", false, "only those that are not over")
	cmd.Flags().StringVar(&before, "before", "", "only those that began before this `RUN` (for the next page)")
	return cmd
}

func (a *app) runs(ctx context.Context, filter task.Filter) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	asked := filter
	asked.Limit++ // one more tells whether there are more
	list, err := e.Runs(ctx, asked)
	if err != nil {
		return err
	}
	more := len(list) > filter.Limit
	list = list[:min(len(list), filter.Limit)]
	if a.json {
		out := make([]any, len(list))
		for i, run := range list {
			out[i] = runValue(run)
		}
		a.printJSON(map[string]any{"runs": out, "more": more})
		return nil
	}
	if len(list) == 0 {
		a.say("Nothing was run yet. Run something with: toolsmith run FILE|TOOL")
		return nil
	}
	rows := [][]string{{a.style.bold("RUN"), a.style.bold("STARTED"), a.style.bold("STATUS"), a.style.bold("TOOK"), a.style.bold("WHAT")}}
	for _, run := range list {
		rows = append(rows, []string{
			run.ID, run.CreatedAt.In(a.zone).Format("2006-01-02 15:04:05"), a.statusWord(run.Status), took(run), visible.Line(visible.Cut(run.Title, 60)),
		})
	}
	a.print("%s", table("", rows))
	if more {
		a.say("There are more: toolsmith runs --before %s", list[len(list)-1].ID)
	}
	return nil
}

// took says how long a settled run took.
func took(run task.Run) string {
	if run.SettledAt == nil {
		return ""
	}
	return lasted(run.SettledAt.Sub(run.CreatedAt))
}

// lasted writes a time that something took, short.
func lasted(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < 10*time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return d.Round(time.Second).String()
}

// statusWord shows a status in a colour that marks it.
func (a *app) statusWord(s task.RunStatus) string {
	switch s {
	case task.RunFailed, task.RunRecoveryRequired, task.RunUnknown:
		return a.style.bad(string(s))
	default:
		return string(s)
	}
}

// runValue gives a run as the JSON value that programs see.
func runValue(run task.Run) map[string]any {
	out := map[string]any{
		"id": run.ID, "tool": run.Title, "status": string(run.Status), "startedAt": value.Time(run.CreatedAt),
		"tasks": value.Int(run.Tasks), "caller": run.Caller,
	}
	if run.SettledAt != nil {
		out["settledAt"] = value.Time(*run.SettledAt)
	}
	if run.CancelledAt != nil {
		out["cancelledAt"] = value.Time(*run.CancelledAt)
	}
	if run.Failure != nil {
		out["error"] = map[string]any{"code": run.Failure.Code, "message": run.Failure.Message}
	}
	if run.Key != "" {
		out["key"] = run.Key
	}
	return out
}

func (a *app) cancelCommand() *cobra.Command {
	return &cobra.Command{
		Use: "cancel RUN", Short: "Stop a run",
		Long: `Cancel stops a run: what has not begun does not begin any more, what is running is told
to stop, and what was done is taken back where its tool says how. It reaches a run in
another process too, and one that was left behind by a process that is gone.`,
		Example: `  toolsmith cancel 01JDPW3F8Z`,
		Args:    exactly("a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			st, err := a.upgrade(ctx)
			if err != nil {
				return err
			}
			w := a.worker(st)
			run, err := w.Cancel(ctx, args[0])
			if err != nil {
				return err
			}
			return a.awaitSettled(ctx, w, run.ID)
		},
	}
}

// awaitSettled waits for the end of a run, in this process or another, and shows it.
func (a *app) awaitSettled(ctx context.Context, w *worker.Worker, id string) error {
	run, err := a.settledRun(ctx, w, id)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{"run": runValue(run)})
		return nil
	}
	a.say("Run %s: %s.", run.ID, run.Status)
	a.say("See what it did with: toolsmith tree %s", run.ID)
	return nil
}

func (a *app) resumeCommand() *cobra.Command {
	var answer, step string
	cmd := &cobra.Command{
		Use: "resume [RUN]", Short: "Take up a run that was left before its end",
		Long: `Resume goes on with a run whose process was ended before it: where it was, without doing
again what was done. Without a run it takes up all of them.

A step that reaches outside and was under way when the process ended may have happened
or not. Such a run waits; say what is true with --answer.`,
		Example: `  toolsmith resume
  toolsmith resume 01JDPW3F8Z
  toolsmith resume 01JDPW3F8Z --answer not-done`,
		Args: between(0, "a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			if answer != "" && id == "" {
				return usage("--answer is about one run; name it")
			}
			return a.resume(cmd.Context(), id, step, answer)
		},
	}
	cmd.Flags().StringVar(&answer, "answer", "", "what is true of an unknown step: `done`, not-done or compensate")
	cmd.Flags().StringVar(&step, "step", "", "the unknown `STEP`, where there are several")
	return cmd
}

func (a *app) resume(ctx context.Context, id, step, answer string) error {
	st, err := a.upgrade(ctx)
	if err != nil {
		return err
	}
	w := a.worker(st)
	if answer != "" {
		if err := w.Answer(ctx, id, step, worker.Answer(answer)); err != nil {
			return err
		}
	}
	asker := a.asker(ctx, w, func(consent.Question) bool { return false })
	defer asker.end()
	show := a.observe()
	observe := func(e worker.Event) {
		asker.observe(e)
		asker.show(func() { show(e) })
	}
	var ids []string
	if id != "" {
		run, err := w.Resume(ctx, id, observe)
		if err != nil {
			return err
		}
		ids = []string{run.ID}
	} else if ids, err = w.ResumeAll(ctx, observe); err != nil {
		return err
	}
	if len(ids) == 0 && !a.json {
		a.say("No run is left to be taken up.")
		return nil
	}
	return a.resumed(ctx, w, ids, asker)
}

// resumed waits for the ends of runs, and shows what they came to.
func (a *app) resumed(ctx context.Context, w *worker.Worker, ids []string, asker *asker) error {
	var list []any
	bad := false
	for _, id := range ids {
		run, err := a.settledRun(ctx, w, id)
		if err != nil {
			return err
		}
		bad = bad || run.Status != task.RunSucceeded
		list = append(list, runValue(run))
		if !a.json {
			asker.show(func() { a.showResumed(run) })
		}
	}
	if a.json {
		if list == nil {
			list = []any{}
		}
		a.printJSON(map[string]any{"runs": list})
	}
	if bad {
		return silent(exitFailed)
	}
	return nil
}

func (a *app) showResumed(run task.Run) {
	a.say("Run %s  %s  %s", run.ID, a.statusWord(run.Status), visible.Line(run.Title))
	if run.Failure != nil {
		a.say("  %s: %s", visible.Line(run.Failure.Code), visible.Line(run.Failure.Message))
	}
}

// observe is what shows progress on a terminal, and nothing elsewhere.
func (a *app) observe() func(worker.Event) {
	if !isTerminal(a.errOut) || a.json {
		return func(worker.Event) {}
	}
	steps := a.progress()
	return func(e worker.Event) {
		if e.Flow != nil {
			steps(*e.Flow)
		}
	}
}
