package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"toolsmith/internal/consent"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
)

func (a *app) consentsCommand() *cobra.Command {
	var all bool
	var most int
	cmd := &cobra.Command{
		Use: "consents [QUESTION]", Short: "List the questions that wait for your answer",
		Long: `Consents lists what waits for your answer before it runs, or shows one question in
full. Answer with: toolsmith allow QUESTION, or toolsmith deny QUESTION. What nobody
answers within 10 minutes counts as a no.`,
		Example: `  toolsmith consents
  toolsmith consents 01JDPW3F8Z
  toolsmith consents --all --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if most < 1 {
				return usage("--limit has to be at least 1; this is %d", most)
			}
			if len(args) == 1 {
				return a.oneQuestion(cmd.Context(), args[0])
			}
			return a.consents(cmd.Context(), !all, most)
		},
		ValidArgsFunction: a.completeQuestions,
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that are answered or over")
	cmd.Flags().IntVar(&most, "limit", 50, "how many to list at most")
	return cmd
}

func (a *app) consents(ctx context.Context, open bool, most int) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	list, err := e.Questions(ctx, open, most)
	if err != nil {
		return err
	}
	if a.json {
		out := make([]any, len(list))
		for i, q := range list {
			out[i] = exactValue(q)
		}
		a.printJSON(map[string]any{"consents": out})
		return nil
	}
	if len(list) == 0 {
		a.say("Nothing waits for your answer.")
		return nil
	}
	now := time.Now()
	for _, q := range list {
		what := visible.Line(visible.Cut(q.Title, 40))
		if q.Count > 1 {
			what = fmt.Sprintf("%d calls of %s", q.Count, what)
		}
		a.print("%s  %s  %s  %s", a.style.bold(q.ID), q.Marks.Risk, what, a.stateOf(q, now))
		if q.Form != nil {
			a.print("    asks for %s", visible.Line(visible.Cut(q.Form.About(), 65)))
			continue
		}
		a.print("    %s", visible.Line(visible.Cut(value.JSON(q.Samples[0]), 74)))
	}
	if open {
		a.say("See one in full with: toolsmith consents QUESTION\nAnswer with:           toolsmith allow QUESTION, or toolsmith deny QUESTION")
	}
	return nil
}

// stateOf words the state of a question.
func (a *app) stateOf(q consent.Question, now time.Time) string {
	switch {
	case q.State == consent.Answered:
		return fmt.Sprintf("%s, %s (%s), %s", q.Answer.Word(), visible.Line(q.Answer.Who), visible.Line(q.Answer.From), q.Answer.At.In(a.zone).Format("2006-01-02 15:04"))
	case q.State == consent.Open && now.Before(q.ExpiresAt):
		return "open until " + a.clockTime(q.ExpiresAt)
	case q.State == consent.Open:
		return string(consent.Expired)
	}
	return string(q.State)
}

func (a *app) oneQuestion(ctx context.Context, id string) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	q, err := e.Question(ctx, id)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(exactValue(q))
		return nil
	}
	a.print("%s  %s", a.style.bold(q.ID), a.stateOf(q, time.Now()))
	if q.State == consent.Answered && q.Answer.Reason != "" {
		a.print("  because: %s", visible.Line(q.Answer.Reason))
	}
	if q.State == consent.Answered && q.Answer.Edited {
		a.print("  with other arguments than those below: %s", visible.Line(value.JSON(q.Answer.Arguments)))
	}
	if q.State == consent.Answered && q.Answer.HasValue {
		a.print("  with: %s", visible.Line(value.JSON(q.Answer.Value)))
	}
	a.showQuestion(a.out, a.questionCard(q))
	if q.State == consent.Open {
		yes := q.GiveAnswer()
		if q.Secret != "" {
			yes = visible.Line(q.GiveSecret())
		}
		a.say("Answer with: %s\nor with:     toolsmith deny %s", yes, q.ID)
	}
	return nil
}

// exactValue gives something that encoding/json can write as a JSON value.
func exactValue(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	out, err := value.Decode(text)
	if err != nil {
		return err.Error()
	}
	return out
}

func (a *app) completeQuestions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	e, err := a.reading(cmd.Context())
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := e.Questions(cmd.Context(), true, 0)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, q := range list {
		ids = append(ids, q.ID+"\t"+visible.Line(q.Title))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) allowCommand() *cobra.Command {
	var scope, arguments, until, filled string
	var conditions []string
	cmd := &cobra.Command{
		Use: "allow QUESTION", Short: "Say yes to a call that waits for your answer, or answer a form",
		Long: `Allow says yes to what a question asks: for this time, for its run, or for always,
which means exactly this version of the tool. A call of risk R4 is asked about every
time, so that a yes to it counts once.

A tool that runs may ask for something: to fill in a form, which is answered with --answer,
to say yes or no (--answer false is no), or to open a page, which is answered without it
once that is done.

With --arguments the call is made with other arguments than those that were proposed.
With --if the yes for further calls holds only while an argument is what you say:
  PATH=JSON          is the value         --if 'to="ada@example.org"'
  PATH^=TEXT         begins with a text   --if 'folder^=work/'
  PATH in [JSON, …]  is one of a list     --if 'status in ["todo", "doing"]'
  PATH<=NUMBER       is at most           --if 'limit<=20'`,
		Example: `  toolsmith allow 01JDPW3F8Z
  toolsmith allow 01JDPW3F8Z --for always
  toolsmith allow 01JDPW3F8Z --for always --if 'folder^=work/' --until 2026-12-31
  toolsmith allow 01JDPW3F8Z --arguments '{"title": "Milk"}'
  toolsmith allow 01JDPW3F8Z --answer '{"count": 3}'`,
		Args: exactly("a question"),
		RunE: func(cmd *cobra.Command, args []string) error {
			answer := consent.Answer{Allow: true, For: consent.Scope(scope)}
			if arguments != "" {
				v, err := a.readInput("--arguments", arguments)
				if err != nil {
					return err
				}
				answer.Edited, answer.Arguments = true, v
			}
			if filled != "" {
				v, err := a.readInput("--answer", filled)
				if err != nil {
					return err
				}
				answer.HasValue, answer.Value = true, v
			}
			for _, text := range conditions {
				c, err := readCondition(text)
				if err != nil {
					return err
				}
				answer.Conditions = append(answer.Conditions, c)
			}
			if until != "" {
				at, err := a.readDay(until)
				if err != nil {
					return err
				}
				answer.Until = &at
			}
			return a.answer(cmd.Context(), args[0], answer)
		},
		ValidArgsFunction: a.completeQuestions,
	}
	cmd.Flags().StringVar(&scope, "for", "once", "what the yes counts for: `once`, run or always")
	_ = cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions([]string{ // there is such a flag
		"once\tthis time", "run\tfurther calls of the tool in the run", "always\tfurther calls of this version of the tool",
	}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVar(&arguments, "arguments", "", "make the call with these arguments: `JSON`, @FILE, or - for standard input")
	cmd.Flags().StringVar(&filled, "answer", "", "the answer to a form: `JSON`, @FILE, or - for standard input")
	cmd.Flags().StringArrayVar(&conditions, "if", nil, "a `condition` that arguments of further calls must meet; may be given several times")
	cmd.Flags().StringVar(&until, "until", "", "the `day` or time at which the yes for further calls ends")
	return cmd
}

// readCondition reads what --if says. The first sign in it counts.
func readCondition(text string) (consent.Condition, error) {
	shown := visible.Line(visible.Cut(text, 100))
	var c consent.Condition
	at, sign := len(text), ""
	for _, form := range []struct {
		sign     string
		operator consent.Operator
	}{{"<=", consent.AtMost}, {"^=", consent.Prefix}, {" in ", consent.OneOf}, {"=", consent.Equals}} {
		if i := strings.Index(text, form.sign); i >= 0 && i < at {
			at, sign, c.Operator = i, form.sign, form.operator
		}
	}
	if sign == "" {
		return c, usage("--if %s: it has no =, ^=, <= or in. See: toolsmith allow --help", shown)
	}
	rest := text[at+len(sign):]
	c.Path, c.Value = strings.TrimSpace(text[:at]), rest
	if c.Operator != consent.Prefix {
		v, err := value.Decode([]byte(strings.TrimSpace(rest)))
		if err != nil {
			return c, usage("--if %s: what stands behind %q is no JSON: %s Texts stand in double quotes", shown, strings.TrimSpace(sign), err)
		}
		c.Value = v
	}
	if err := c.Check(); err != nil {
		return c, usage("--if %s: %s", shown, visible.Line(messageOf(err)))
	}
	return c, nil
}

// readDay reads a day, which lasts until its end here, or a time.
func (a *app) readDay(text string) (time.Time, error) {
	if day, err := time.ParseInLocation(time.DateOnly, text, a.zone); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(form, text, a.zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, usage("--until has to be a day or a time, such as 2026-12-31 or \"2026-12-31 17:00\"; this is %q", visible.Cut(text, 100))
}

func (a *app) denyCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: "deny QUESTION", Short: "Say no to a call that waits for your answer",
		Long: `Deny says no to what a question asks: to a call, or to answer what a tool asks for.
Whoever called, or the tool, is told so, with your reason if you give one.`,
		Example: `  toolsmith deny 01JDPW3F8Z
  toolsmith deny 01JDPW3F8Z --reason "use the test account"`,
		Args: exactly("a question"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.answer(cmd.Context(), args[0], consent.Answer{Reason: reason})
		},
		ValidArgsFunction: a.completeQuestions,
	}
	cmd.Flags().StringVar(&reason, "reason", "", "a `text` for whoever called")
	return cmd
}

// answer gives an answer to a question.
func (a *app) answer(ctx context.Context, id string, answer consent.Answer) error {
	if there, err := a.reading(ctx); err != nil {
		return err
	} else if _, err := there.Question(ctx, id); err != nil {
		return err
	}
	st, err := a.upgrade(ctx)
	if err != nil {
		return err
	}
	q, left, err := a.worker(st).Decide(ctx, id, answer)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{"consent": exactValue(q), "left": left})
		return nil
	}
	said := "Denied"
	if answer.Allow {
		said = "Allowed"
	}
	if answer.Allow && q.Form != nil {
		said = "Answered"
	}
	what := visible.Line(q.Title)
	if q.Count > 1 {
		what = fmt.Sprintf("%d calls of %s", q.Count, what)
	}
	a.say("%s: %s.", said, what)
	if q.Answer.Grant != "" {
		a.say("Take it back with: toolsmith revoke %s", q.Answer.Grant)
	}
	if left {
		a.say("Nobody carries out its run. It goes on with: toolsmith resume %s", q.Run)
	}
	return nil
}

func (a *app) grantsCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "grants", Short: "List what you have allowed for longer",
		Long: `Grants lists each yes that counts for further calls: of which tool, in which exact
version, under which conditions and until when. It ends by itself when the tool
changes in any way.`,
		Example: "  toolsmith grants\n  toolsmith grants --all --json",
		Args:    exactly(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.grants(cmd.Context(), all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that were taken back or are over")
	return cmd
}

func (a *app) grants(ctx context.Context, all bool) error {
	e, err := a.reading(ctx)
	if err != nil {
		return err
	}
	list, err := e.Grants(ctx, all)
	if err != nil {
		return err
	}
	if a.json {
		out := make([]any, len(list))
		for i, g := range list {
			out[i] = grantValue(g)
		}
		a.printJSON(map[string]any{"grants": out})
		return nil
	}
	if len(list) == 0 {
		a.say("You have allowed nothing for longer.")
		return nil
	}
	for _, g := range list {
		a.print("%s  %s  sha256 %s", a.style.bold(g.ID), visible.Line(g.Tool), shortDigest(g.Version))
		a.print("%s", wrap(visible.Line(a.countsFor(g))+", given "+g.At.In(a.zone).Format("2006-01-02 15:04")+" by "+visible.Line(g.Who), "    "))
	}
	if !all {
		a.say("Take one back with: toolsmith revoke GRANT")
	}
	return nil
}

func shortDigest(version string) string { return version[:min(12, len(version))] }

// countsFor says what a grant covers.
func (a *app) countsFor(g consent.Grant) string {
	parts := []string{"every call"}
	if g.Run != "" {
		parts[0] = "calls in run " + g.Run
	}
	for _, c := range g.Conditions {
		parts = append(parts, "if "+c.String())
	}
	if g.ExpiresAt != nil {
		parts = append(parts, "until "+g.ExpiresAt.In(a.zone).Format("2006-01-02 15:04"))
	}
	if g.RevokedAt != nil {
		parts = append(parts, "taken back")
	}
	return strings.Join(parts, ", ")
}

func grantValue(g consent.Grant) map[string]any {
	out := map[string]any{
		"id": g.ID, "tool": g.Tool, "version": g.Version, "who": g.Who, "from": g.From, "at": value.Time(g.At),
		"conditions": []any{},
	}
	conditions := []any{}
	for _, c := range g.Conditions {
		conditions = append(conditions, map[string]any{"path": c.Path, "operator": string(c.Operator), "value": c.Value})
	}
	out["conditions"] = conditions
	if g.Run != "" {
		out["run"] = g.Run
	}
	if g.ExpiresAt != nil {
		out["expiresAt"] = value.Time(*g.ExpiresAt)
	}
	if g.RevokedAt != nil {
		out["revokedAt"] = value.Time(*g.RevokedAt)
	}
	return out
}

func (a *app) revokeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "revoke GRANT", Short: "Take back what you have allowed for longer",
		Long:    "Revoke takes a yes back. Calls that have begun go on; the next one is asked about.",
		Example: "  toolsmith revoke 01JDPW3F8Z",
		Args:    exactly("a grant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := a.changing(cmd.Context())
			if err != nil {
				return err
			}
			g, err := e.Revoke(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"grant": grantValue(g)})
				return nil
			}
			a.say("Taken back: %s.", visible.Line(g.Tool))
			return nil
		},
		ValidArgsFunction: a.completeGrants,
	}
}

func (a *app) completeGrants(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	e, err := a.reading(cmd.Context())
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := e.Grants(cmd.Context(), false)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, g := range list {
		ids = append(ids, g.ID+"\t"+visible.Line(g.Tool))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "Stop everything at once",
		Long: `Stop lets nothing begin any more, in any process, until: toolsmith start. Runs that are
not over are told to end; what they did is taken back where they say how. It stays so
when programs are started anew.`,
		Example: "  toolsmith stop",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, err := a.upgrade(cmd.Context())
			if err != nil {
				return err
			}
			told, already, err := a.worker(st).Stop(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"stopped": true, "already": already, "runs": value.Int64(int64(told))})
				return nil
			}
			a.say("Stopped: nothing begins until you say: toolsmith start")
			switch {
			case told == 1:
				a.say("1 run was told to end. See it with: toolsmith runs")
			case told > 1:
				a.say("%d runs were told to end. See them with: toolsmith runs", told)
			}
			return nil
		},
	}
}

func (a *app) startCommand() *cobra.Command {
	return &cobra.Command{
		Use: "start", Short: "Let things begin again after a stop",
		Long:    "Start takes back: toolsmith stop. Runs that were told to end do not go on.",
		Example: "  toolsmith start",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := a.changing(cmd.Context())
			if err != nil {
				return err
			}
			already, err := e.Start(cmd.Context())
			if err != nil {
				return err
			}
			switch {
			case a.json:
				a.printJSON(map[string]any{"stopped": false, "already": already})
			case already:
				a.say("Nothing was stopped.")
			default:
				a.say("Things may begin again.")
			}
			return nil
		},
	}
}
