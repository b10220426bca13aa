package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"toolsmith/internal/audit"
	"toolsmith/internal/card"
	"toolsmith/internal/registry"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

func (a *app) auditCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "audit [TOOL]", Short: "See what was done to tools, by whom and when",
		Long: `Audit lists what was done to tools, the newest first: installing, enabling,
disabling, rollback, removal, secrets that were set or deleted, and each answer and
setting of a person. Lines are only ever added, and audit verify finds out whether somebody changed them all the same.`,
		Example: `  toolsmith audit
  toolsmith audit dynamic:my-tool --limit 10
  toolsmith audit verify`,
		Args: between(0, "a tool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return usage("--limit is 0 (for all) or more; this is %d", limit)
			}
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			return a.audit(cmd.Context(), name, limit)
		},
		ValidArgsFunction: a.completeTools,
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "how many `lines`; 0 for all")
	cmd.AddCommand(a.auditVerifyCommand())
	return cmd
}

func (a *app) audit(ctx context.Context, name string, limit int) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	lines, err := e.Audit(ctx, name, limit)
	if err != nil {
		return err
	}
	switch {
	case a.json:
		list := make([]any, len(lines))
		for i, l := range lines {
			list[i] = lineValue(l)
		}
		a.printJSON(map[string]any{"audit": list})
	case len(lines) == 0:
		a.say("Nothing has been done yet.")
	default:
		a.print("%s", table("", a.auditRows(lines)))
		if limit > 0 && len(lines) == limit {
			a.say("The newest %d lines. See all with: --limit 0", limit)
		}
	}
	return nil
}

func lineValue(l audit.Line) map[string]any {
	out := map[string]any{
		"seq": value.Int64(l.Seq), "at": l.At.UTC().Format(time.RFC3339), "who": l.Who, "from": l.From, "action": l.Action,
		"tool": registry.Audited(l), "version": value.Int64(l.Version), "detail": l.Detail,
	}
	if l.Data != "" {
		if data, err := value.Decode([]byte(l.Data)); err == nil {
			out["data"] = data
		}
	}
	return out
}

// auditRows has a column for where it was done from only if some line says so.
func (a *app) auditRows(lines []audit.Line) [][]string {
	rows := [][]string{{"WHEN", "WHO", "FROM", "WHAT", "TOOL", "VERSION", ""}}
	from := false
	for _, l := range lines {
		from = from || l.From != ""
		version := ""
		if l.Version != 0 {
			version = strconv.FormatInt(l.Version, 10)
		}
		rows = append(rows, []string{a.moment(l.At), visible.Line(l.Who), visible.Line(l.From), visible.Line(l.Action),
			visible.Line(registry.Audited(l)), version, visible.Line(l.Detail)})
	}
	if !from {
		for i, row := range rows {
			rows[i] = slices.Delete(row, 2, 3)
		}
	}
	return rows
}

func (a *app) auditVerifyCommand() *cobra.Command {
	var expect string
	var renew bool
	cmd := &cobra.Command{
		Use: "verify", Short: "Find out whether somebody changed the audit",
		Long: `Verify walks over every line of the audit. Each has a hash over itself and the line
before it, and where the chain ends is kept twice: in the database and in the file
audit.head beside it. So lines that were changed, removed, added or cut off are found,
and named. It ends with 0 if there are none, else with 1.

Whoever can write to both places could still make all of it anew. Note the head that
verify prints somewhere else, and give it with --expect later: it must be an earlier
point of the same chain.

After a lost audit.head, or an older backup that was brought back, --renew-file writes
that file anew. A line of the audit says so.

For a tool that is called verify: toolsmith audit dynamic:verify`,
		Example: `  toolsmith audit verify
  toolsmith audit verify --json
  toolsmith audit verify --expect 412:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var expected *audit.Head
			if expect != "" {
				head, err := audit.ParseHead(expect)
				if err != nil {
					return usage("--expect %q: %s", visible.Line(visible.Cut(expect, 100)), err)
				}
				expected = &head
			}
			return a.verifyAudit(cmd.Context(), expected, renew)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&expect, "expect", "", "a `head` that verify printed earlier, COUNT:HASH")
	cmd.Flags().BoolVar(&renew, "renew-file", false, "write audit.head anew, whatever it has now")
	return cmd
}

func (a *app) verifyAudit(ctx context.Context, expected *audit.Head, renew bool) error {
	var findings []any
	faults := 0 // that stay
	report := func(f audit.Finding) {
		if !f.Warning && (f.Kind != audit.KindFile || !renew) {
			faults++
		}
		if a.json {
			findings = append(findings, findingValue(f))
		} else {
			a.print("%s %s", a.findingHead(f), visible.Line(f.Message))
		}
	}
	sum, err := a.walkAudit(ctx, expected, report)
	if err != nil {
		return err
	}
	if renew {
		if err := a.renewFile(ctx); err != nil {
			return err
		}
	}
	if a.json {
		out := map[string]any{
			"ok": faults == 0, "lines": value.Int64(sum.Lines), "unchained": value.Int64(sum.Old), "since": nil, "head": nil, "findings": findings,
		}
		if !sum.Since.IsZero() {
			out["since"], out["head"] = sum.Since.UTC().Format(time.RFC3339), sum.Head.String()
		}
		a.printJSON(out)
	}
	switch {
	case faults > 0:
		return &tool.Error{Code: audit.CodeBroken, Message: fmt.Sprintf("the audit is not as it was written: %s.", card.Count(faults, "fault"))}
	case !a.json:
		a.saySound(sum)
	}
	return nil
}

// walkAudit verifies the audit of the store. Where there is no store, all that there may be is
// a head, of an audit that has been removed.
func (a *app) walkAudit(ctx context.Context, expected *audit.Head, report func(audit.Finding)) (audit.Summary, error) {
	e, err := a.reading(ctx)
	if err != nil {
		return audit.Summary{}, err
	}
	if !a.standIn {
		return e.VerifyAudit(ctx, expected, report)
	}
	none := func(func(audit.Kept, error) bool) {}
	return audit.Verify(none, audit.Known{Table: &audit.Table{}, File: sqlite.ReadHead(a.folder()), Expected: expected}, report)
}

func (a *app) renewFile(ctx context.Context) error {
	e, err := a.changing(ctx)
	if err != nil {
		return err
	}
	if err := e.RenewAuditFile(ctx); err != nil {
		return err
	}
	a.say("audit.head was written anew, and a line of the audit says so.")
	return nil
}

// saySound tells of an audit with which nothing is wrong.
func (a *app) saySound(sum audit.Summary) {
	switch {
	case sum.Lines == 0:
		a.say("Nothing has been done yet.")
	case sum.Since.IsZero():
		a.print("%s from before the chain. The next line will cover them, and until then no change of them is found.", card.Count(int(sum.Lines), "line"))
	default:
		old := ""
		if sum.Old > 0 {
			old = fmt.Sprintf(" (%d from before, covered since then)", sum.Old)
		}
		a.print("%s, unbroken since %s%s, head %s", card.Count(int(sum.Lines), "line"), a.moment(sum.Since), old, sum.Head)
		a.say("Note the head somewhere else, and compare later with: toolsmith audit verify --expect HEAD")
	}
}

func (a *app) findingHead(f audit.Finding) string {
	if f.Warning {
		return a.style.warn("warning") + " " + f.Kind + ":"
	}
	return a.style.bad("fault") + " " + f.Kind + ":"
}

func findingValue(f audit.Finding) map[string]any {
	out := map[string]any{"kind": f.Kind, "level": "fault", "message": f.Message}
	if f.Warning {
		out["level"] = "warning"
	}
	if f.First != 0 {
		out["first"], out["last"] = value.Int64(f.First), value.Int64(f.Last)
	}
	return out
}
