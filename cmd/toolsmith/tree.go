package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

func (a *app) treeCommand() *cobra.Command {
	var follow, mermaid, whole bool
	cmd := &cobra.Command{
		Use: "tree RUN", Short: "Show what happened in a run, as a tree of tasks",
		Long: `Tree shows the tasks of a run: chains from top to bottom, branches beside each other,
and under each call what came of it. --follow goes on showing until the run is over,
also while another process carries it out. --mermaid writes a graph that many editors
and sites can draw.`,
		Example: `  toolsmith tree 01JDPW3F8Z
  toolsmith tree 01JDPW3F8Z --follow
  toolsmith tree 01JDPW3F8Z --mermaid > run.mmd`,
		Args: exactly("a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if mermaid && (follow || a.json) {
				return usage("--mermaid cannot be combined with --follow or --json")
			}
			return a.tree(cmd.Context(), args[0], follow, mermaid, whole)
		},
		ValidArgsFunction: a.completeRuns,
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the run is over")
	cmd.Flags().BoolVar(&mermaid, "mermaid", false, "write a Mermaid graph")
	cmd.Flags().BoolVar(&whole, "whole", false, "do not cut arguments and results")
	return cmd
}

// completeRuns offers the newest runs.
func (a *app) completeRuns(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	e, err := a.reading(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	const offered = 20
	list, err := e.Runs(cmd.Context(), task.Filter{Limit: offered})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, run := range list {
		ids = append(ids, run.ID+"\t"+visible.Line(visible.Cut(run.Title, 40))+", "+string(run.Status))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) tree(ctx context.Context, id string, follow, mermaid, whole bool) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	view, err := e.View(ctx, id)
	if err != nil {
		return err
	}
	if follow {
		if view, err = a.follow(ctx, e, view, whole); err != nil {
			return err
		}
	}
	switch {
	case a.json:
		a.printJSON(treeValue(view))
	case mermaid:
		a.print("%s", mermaidOf(view))
	case !follow || !isTerminal(a.out):
		a.print("%s", strings.Join(a.treeLines(view, whole), "\n"))
	}
	return nil
}

// followEvery is how often a run is looked at that another process carries out. It is for
// showing only: nothing waits for it but the eye.
const followEvery = 250 * time.Millisecond

// follow shows a run, on a terminal in place, until it is over.
func (a *app) follow(ctx context.Context, e *engine.Engine, view *engine.View, whole bool) (*engine.View, error) {
	shown := 0
	live := isTerminal(a.out) && !a.json
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		if live {
			lines := a.treeLines(view, whole)
			if shown > 0 {
				_ = a.out.exact(fmt.Appendf(nil, "\x1b[%dA\x1b[J", shown)) // told by report
			}
			a.print("%s", strings.Join(lines, "\n"))
			shown = len(lines)
		}
		if view.Run.Status.Settled() || view.Run.Status == task.RunUnknown {
			return view, nil
		}
		select {
		case <-ctx.Done():
			return view, nil
		case <-tick.C:
		}
		var err error
		if view, err = e.View(ctx, view.Run.ID); err != nil {
			return nil, err
		}
	}
}

// settledRun waits for the end of a run: through the worker where that carries it out, else
// by looking at it.
func (a *app) settledRun(ctx context.Context, w *worker.Worker, id string) (task.Run, error) {
	waited, err := w.Wait(ctx, id, worker.WaitOptions{})
	if tool.Code(err) != worker.CodeRunBusy {
		return waited.Run, err
	}
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		run, err := w.Engine.Run(ctx, id)
		if err != nil || run.Status.Settled() {
			return run, err
		}
		select {
		case <-ctx.Done():
			return run, fmt.Errorf("wait for run %s: %w", id, ctx.Err())
		case <-tick.C:
		}
	}
}

// drawer draws one run.
type drawer struct {
	*app
	view  *engine.View
	whole bool
	lines []string
}

// treeLines draws a run: a line for the whole, and one for each task.
func (a *app) treeLines(view *engine.View, whole bool) []string {
	run := view.Run
	d := &drawer{app: a, view: view, whole: whole}
	head := fmt.Sprintf("%s  %s  %s", run.ID, a.style.bold(visible.Line(visible.Cut(run.Title, 60))), a.statusWord(run.Status))
	if t := took(run); t != "" {
		head += "  " + t
	}
	if run.Failure != nil && run.Status.Settled() {
		head += "  " + visible.Line(run.Failure.Code)
	}
	d.lines = append(d.lines, head)
	d.families(-1, "")
	return d.lines
}

// families draws the chains under a call, or at the top for -1.
func (d *drawer) families(seq int, indent string) {
	families := d.view.Graph.Families(seq)
	if len(families) == 1 {
		d.chain(families[0], indent)
		return
	}
	for i, chain := range families {
		last := i == len(families)-1
		label := fmt.Sprintf("branch %d", i+1)
		if first := d.view.Graph.Task(chain[0]); i == 0 && first.Step != "" {
			label = "steps"
		} else if len(families) == 2 && d.view.Graph.Task(families[0][0]).Step != "" {
			label = "result"
		}
		d.lines = append(d.lines, indent+d.branch(last)+d.style.faint(label))
		d.chain(chain, indent+d.stem(last))
	}
}

func (d *drawer) chain(chain []int, indent string) {
	for i, seq := range chain {
		last := i == len(chain)-1
		line := d.line(seq)
		came, alone := d.cameTo(seq)
		d.lines = append(d.lines, strings.TrimRight(indent+d.branch(last)+line+came, " "))
		if !alone {
			d.families(seq, indent+d.stem(last))
		}
	}
}

// cameTo says on the line of a call what came of it, where that is one task. alone tells that nothing else is to be drawn under it.
func (d *drawer) cameTo(seq int) (text string, alone bool) {
	families := d.view.Graph.Families(seq)
	if len(families) == 0 {
		return "", true
	}
	last := families[len(families)-1]
	t := d.view.Graph.Task(last[0])
	if len(families) > 1 || len(last) > 1 || t.Calls() {
		return "", false
	}
	data, err := d.view.Content(t.Content)
	if err != nil {
		return "", false
	}
	if t.Type == tool.TypeError {
		f := task.ReadFailure(data)
		return "  " + d.style.bad(visible.Line(f.Code)) + "  " + visible.Line(d.cut(f.Message, mostMessage)), true
	}
	if t.Type != tool.TypeToolResult {
		return "", false
	}
	return " " + d.style.arrow() + " " + d.text(data), true
}

func (d *drawer) branch(last bool) string {
	if last {
		return d.style.sign("└─ ", "`- ")
	}
	return d.style.sign("├─ ", "|- ")
}

func (d *drawer) stem(last bool) string {
	if last {
		return "   "
	}
	return d.style.sign("│  ", "|  ")
}

// line shows one task.
func (d *drawer) line(seq int) string {
	t := d.view.Graph.Task(seq)
	data, err := d.view.Content(t.Content)
	if err != nil {
		return visible.Line(err.Error())
	}
	if !t.Calls() {
		return fmt.Sprintf("%s %s", d.style.faint(string(t.Type)), d.text(data))
	}
	e := d.view.Executions[seq]
	call, _ := task.ReadCall(data)
	arguments := call.Arguments
	if !e.Arguments.None() {
		if executed, err := d.view.Content(e.Arguments); err == nil {
			arguments = executed
		}
	}
	parts := []string{d.sign(e.State)}
	if t.Step != "" {
		parts = append(parts, visible.Line(t.Step))
	}
	parts = append(parts, d.style.bold(visible.Line(t.Name)), d.text(arguments))
	if note := d.note(e); note != "" {
		parts = append(parts, d.style.faint(note))
	}
	return strings.Join(parts, " ")
}

// note says how long a call took, or why it has not come to its end.
func (d *drawer) note(e task.Execution) string {
	var parts []string
	switch e.State {
	case task.Done, task.Failed:
		if e.StartedAt != nil && e.FinishedAt != nil {
			parts = append(parts, lasted(e.FinishedAt.Sub(*e.StartedAt)))
		}
	case task.Running:
		parts = append(parts, "running")
	default:
		parts = append(parts, string(e.State))
	}
	if e.Why != "" {
		parts = append(parts, visible.Line(e.Why))
	}
	if e.Attempts > 1 {
		parts = append(parts, fmt.Sprintf("try %d", e.Attempts))
	}
	return strings.Join(parts, ", ")
}

func (d *drawer) sign(s task.State) string {
	switch s {
	case task.Done:
		return d.style.tick()
	case task.Failed, task.Unknown:
		return d.style.cross()
	case task.Cancelled, task.Skipped:
		return "-"
	default:
		return d.style.dots()
	}
}

// text shows data on one line, cut where it is long.
func (d *drawer) text(data any) string {
	return visible.Line(d.cut(value.JSON(data), mostData))
}

// cut shortens a text, unless all of it is wanted.
func (d *drawer) cut(text string, most int) string {
	if d.whole {
		return text
	}
	return visible.Cut(text, most)
}

// How many characters of data, and of the message of an error, stand in a line.
const (
	mostData    = 44
	mostMessage = 160
)

// treeValue gives a run with its tasks as the JSON value that programs see.
func treeValue(view *engine.View) map[string]any {
	tasks := make([]any, view.Graph.Len())
	for seq := range view.Graph.Len() {
		t := view.Graph.Task(seq)
		data, _ := view.Content(t.Content)
		out := map[string]any{
			"id": t.ID.String(), "role": string(t.Role), "content": map[string]any{"type": string(t.Type), "data": data},
			"priorID": idOrNull(t.Prior), "parentID": idOrNull(t.Parent), "createdAt": value.Int64(t.CreatedAt),
			"branch": value.Int(t.Branch), "depth": value.Int(t.Depth),
		}
		if t.Step != "" {
			out["step"] = t.Step
		}
		if t.Calls() {
			out["execution"] = executionValue(view, view.Executions[seq])
		}
		tasks[seq] = out
	}
	return map[string]any{"run": runValue(view.Run), "tasks": tasks}
}

func idOrNull(id task.ID) any {
	if id.None() {
		return nil
	}
	return id.String()
}

func executionValue(view *engine.View, e task.Execution) map[string]any {
	out := map[string]any{"state": string(e.State), "attempts": value.Int(e.Attempts)}
	if e.Why != "" {
		out["why"] = e.Why
	}
	if e.Granted != "" {
		out["granted"] = e.Granted
	}
	for name, at := range map[string]*time.Time{"startedAt": e.StartedAt, "finishedAt": e.FinishedAt, "wakeAt": e.WakeAt} {
		if at != nil {
			out[name] = value.Time(*at)
		}
	}
	if !e.Arguments.None() {
		if arguments, err := view.Content(e.Arguments); err == nil {
			out["arguments"] = arguments
		}
	}
	return out
}

// mermaidOf writes a run as a Mermaid flowchart: chains as arrows, results as dotted ones.
func mermaidOf(view *engine.View) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	fmt.Fprintf(&b, "  run([%s])\n", mermaidText(view.Run.ID+" "+view.Run.Title+": "+string(view.Run.Status)))
	var draw func(from string, seq int)
	draw = func(from string, seq int) {
		for _, chain := range view.Graph.Families(seq) {
			before, arrow := from, "-.->"
			for _, at := range chain {
				t := view.Graph.Task(at)
				name := fmt.Sprintf("t%d", at)
				text := string(t.Type)
				if t.Calls() {
					text = t.Name + ": " + string(view.Executions[at].State)
					if t.Step != "" {
						text = t.Step + " " + text
					}
				} else if data, err := view.Content(t.Content); err == nil {
					text += " " + visible.Cut(value.JSON(data), 40)
				}
				fmt.Fprintf(&b, "  %s[%s]\n  %s %s %s\n", name, mermaidText(text), before, arrow, name)
				draw(name, at)
				before, arrow = name, "-->"
			}
		}
	}
	draw("run", -1)
	return strings.TrimRight(b.String(), "\n")
}

// mermaidText quotes a text so that nothing in it is read as a part of the drawing.
func mermaidText(text string) string {
	replaced := strings.NewReplacer(`"`, "#quot;", "#", "#35;", "<", "#lt;", ">", "#gt;", "`", "#96;").Replace(visible.Line(visible.Cut(text, 80)))
	return `"` + replaced + `"`
}
