package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// TestTheFirstAnswerWins, however many there are, through however many engines.
func TestTheFirstAnswerWins(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, q := d.asks(t, "lab.make", `{}`)
	const clients = 50
	engines := []*engine.Engine{
		d.engine(func(o *engine.Options) { o.Who = "ada" }), d.engine(func(o *engine.Options) { o.Who = "bob" }),
	}
	errs := make([]error, clients)
	begin := make(chan struct{})
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			<-begin
			answer := consent.Answer{Allow: i%4 < 2, Reason: fmt.Sprint(i)}
			if answer.Allow {
				answer.For = consent.Always
			}
			_, errs[i] = engines[i%2].Decide(context.Background(), q.ID, answer)
		})
	}
	close(begin)
	group.Wait()
	winner := slices.Index(errs, nil)
	if winner < 0 {
		t.Fatalf("nobody won: %v", errs[0])
	}
	for i, err := range errs {
		if i != winner {
			wantCode(t, err, consent.CodeAnswered, "has been answered already: "+[]string{"ada", "bob"}[winner%2])
		}
	}
	kept, err := d.Question(t.Context(), q.ID)
	if err != nil || kept.Answer.Reason != fmt.Sprint(winner) || kept.Answer.Allow != (winner%4 < 2) {
		t.Errorf("kept is %+v, %v; %d won", kept.Answer, err, winner)
	}
	grants, err := d.Grants(t.Context(), true)
	if err != nil || (len(grants) == 1) != kept.Answer.Allow || len(grants) > 1 {
		t.Errorf("grants %+v, %v", grants, err)
	}
	if lines := d.audit(t); len(lines) != 1+len(grants) {
		t.Errorf("audit: %q", lines)
	}
	if out := d.admits(t, a); (out.Failure == nil) != kept.Answer.Allow {
		t.Errorf("the call comes to %+v", out)
	}
}

// TestQuestionsByTheBeginningOfTheirIDs: an id in either case, or enough of it.
func TestQuestionsByTheBeginningOfTheirIDs(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), t.Context()
	_, err := d.Decide(ctx, "01JF", consent.Answer{})
	wantCode(t, err, consent.CodeNotFound, `There is no question "01JF"`, "toolsmith consents")
	_, one := d.asks(t, "lab.wipe", `{}`)
	if q, err := d.Question(ctx, "01jf"); err != nil || q.ID != one.ID {
		t.Errorf("found %+v, %v", q, err)
	}
	_, two := d.asks(t, "lab.wipe", `{}`)
	for _, id := range []string{"01JF", strings.ToLower(one.ID[:20])} {
		_, err = d.Question(ctx, id)
		wantCode(t, err, engine.CodeRunAmbiguous, fmt.Sprintf("Several questions begin with %q", id))
		_, err = d.Decide(ctx, id, consent.Answer{})
		wantCode(t, err, engine.CodeRunAmbiguous)
	}
	for _, id := range []string{"", "01J", "02JF", one.ID + "0", "01J_", "%", d.run.ID} {
		_, err = d.Question(ctx, id)
		wantCode(t, err, consent.CodeNotFound)
		_, err = d.Decide(ctx, id, consent.Answer{})
		wantCode(t, err, consent.CodeNotFound)
	}
	if q, err := d.Decide(ctx, strings.ToLower(one.ID), consent.Answer{}); err != nil || q.ID != one.ID {
		t.Errorf("answered %+v, %v", q, err)
	}
	// A beginning is looked for among those that are open.
	if q, err := d.Decide(ctx, "01JF", consent.Answer{}); err != nil || q.ID != two.ID {
		t.Errorf("answered %+v, %v", q, err)
	}
	_, err = d.Decide(ctx, one.ID, consent.Answer{})
	wantCode(t, err, consent.CodeAnswered)
	if list, err := d.Questions(ctx, false, 1); err != nil || len(list) != 1 || list[0].ID != two.ID {
		t.Errorf("the newest is %+v, %v", list, err)
	}
}

// TestQuestionsOfRunsThatAreOver cannot be answered, with yes or no.
func TestQuestionsOfRunsThatAreOver(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(context.Context, *desk) error{
		"cancelled": func(ctx context.Context, d *desk) error { _, err := d.Cancel(ctx, d.run.ID); return err },
		"asked to stop": func(ctx context.Context, d *desk) error {
			return d.store.Write(ctx, func(tx store.Tx) error { return tx.Graph().AskCancel(ctx, d.run.ID, dawn) })
		},
		"over": func(ctx context.Context, d *desk) error {
			run := d.run
			run.Status, run.SettledAt = task.RunFailed, &d.now
			return d.store.Write(ctx, func(tx store.Tx) error { return tx.Graph().PutRun(ctx, run) })
		},
		"stopped": func(ctx context.Context, d *desk) error { _, _, err := d.Stop(ctx); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			_, q := d.asks(t, "lab.make", `{}`)
			if err := end(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			before := d.picture(t)
			for _, yes := range []bool{true, false} {
				_, err := d.Decide(t.Context(), q.ID, consent.Answer{Allow: yes})
				wantCode(t, err, consent.CodeClosed, q.ID+" is closed", d.run.ID)
			}
			if diff := cmp.Diff(before, d.picture(t)); diff != "" {
				t.Errorf("it changed (-before +after):\n%s", diff)
			}
		})
	}
	d := newDesk(t)
	a := d.call(t, "lab.make", `{}`)
	a.Run.ID = "nowhere"
	q := d.asked(t, a)
	_, err := d.Decide(t.Context(), q.ID, consent.Answer{Allow: true})
	wantCode(t, err, consent.CodeClosed)
}

// picture is all that people have set, allowed and answered, for comparing.
func (d *desk) picture(t *testing.T) (lines []string) {
	t.Helper()
	ctx := t.Context()
	err := d.store.Store.Read(ctx, func(tx store.Tx) error {
		policy, err := tx.Consent().Policy(ctx)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprint(policy.Revision, policy.Powers, policy.Tools, policy.Hosts, policy.Stopped != nil))
		grants, err := tx.Consent().ListGrants(ctx)
		if err != nil {
			return err
		}
		for _, g := range grants {
			lines = append(lines, fmt.Sprint(g.ID, g.Tool, g.RevokedAt))
		}
		questions, err := tx.Consent().ListQuestions(ctx, false, 0)
		if err != nil {
			return err
		}
		for _, q := range questions {
			lines = append(lines, fmt.Sprint(q.ID, q.State, q.Count, q.Answer != nil))
		}
		for seq := range 10 {
			asked, _, err := tx.Consent().Asked(ctx, d.run.ID, seq, "")
			if err != nil {
				return err
			}
			lines = append(lines, asked.Question)
		}
		audit, err := tx.Registry().AuditLines(ctx, "", 0)
		for _, l := range audit {
			lines = append(lines, fmt.Sprint(l.Action, l.Detail))
		}
		runs, runsErr := tx.Graph().ListRuns(ctx, task.Filter{})
		for _, run := range runs {
			lines = append(lines, fmt.Sprint(run.ID, run.CancelledAt))
		}
		if err == nil {
			err = runsErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestAnAgentDecidesNothing, and may look at everything and stop everything.
func TestAnAgentDecidesNothing(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), t.Context()
	_, q := d.asks(t, "lab.make", `{}`)
	_, other := d.asks(t, "lab.list", `{}`)
	other = d.answers(t, other, consent.Answer{Allow: true, For: consent.Always})
	agent := d.engine(func(o *engine.Options) { o.Agent, o.Who, o.From = true, "model", "mcp" })
	refuses := func(verbs map[string]func() error) {
		t.Helper()
		before := d.picture(t)
		for name, do := range verbs {
			err := do()
			wantCode(t, err, consent.CodeForbidden, "Only a person decides")
			if diff := cmp.Diff(before, d.picture(t)); diff != "" {
				t.Errorf("%s changes (-before +after):\n%s", name, diff)
			}
		}
	}
	set := func(kind, name string, permission consent.Permission) func() error {
		return func() error { return agent.SetPermission(ctx, kind, name, permission) }
	}
	refuses(map[string]func() error{
		"yes":          func() error { _, err := agent.Decide(ctx, q.ID, consent.Answer{Allow: true}); return err },
		"no":           func() error { _, err := agent.Decide(ctx, q.ID, consent.Answer{}); return err },
		"nothing":      func() error { _, err := agent.Decide(ctx, "nothing", consent.Answer{}); return err },
		"revoke":       func() error { _, err := agent.Revoke(ctx, other.Answer.Grant); return err },
		"allow":        set(consent.KindPower, "write", consent.Allow),
		"deny":         set(consent.KindPower, "write", consent.Deny),
		"unset":        set(consent.KindTool, "lab.make", ""),
		"a host":       set(consent.KindHost, "printer.local", consent.Allow),
		"a wrong word": set(consent.KindPower, "write", "perhaps"),
	})
	if list, err := agent.Questions(ctx, true, 0); err != nil || len(list) != 1 {
		t.Errorf("it sees %v, %v", list, err)
	}
	if list, err := agent.Grants(ctx, false); err != nil || len(list) != 1 {
		t.Errorf("it sees %v, %v", list, err)
	}
	if _, already, err := agent.Stop(ctx); err != nil || already {
		t.Errorf("it cannot stop: %v, %v", already, err)
	}
	refuses(map[string]func() error{"start": func() error { _, err := agent.Start(ctx); return err }})
	wantCode(t, agent.Running(ctx), engine.CodeStopped, "model stopped everything")
}

// TestTheAuditOfDecisions says who decided what, from where.
func TestTheAuditOfDecisions(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), t.Context()
	web := d.engine(func(o *engine.Options) { o.Who, o.From = "bob", "web" })
	until := dawn.Add(time.Hour)
	a, first := d.asks(t, "lab.make", `{"n": 1}`)
	if _, joined := d.asks(t, "lab.make", `{"n": 2}`); joined.ID != first.ID {
		t.Fatal("they are asked about apart")
	}
	first, err := web.Decide(ctx, first.ID, consent.Answer{Allow: true, For: consent.InRun, Until: &until, Conditions: []consent.Condition{
		{Path: "n", Operator: consent.AtMost, Value: jsonOf(t, "2")},
		{Path: "n", Operator: consent.OneOf, Value: jsonOf(t, `["\u202e", 1, 2]`)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	b := d.call(t, "lab.wipe", `{}`)
	b.By = "dynamic:plan\x1b[2J"
	second := d.asked(t, b)
	d.answers(t, second, consent.Answer{Reason: "not\ntoday"})
	_, third := d.asks(t, "lab.send", `{}`)
	d.answers(t, third, consent.Answer{Allow: true})
	if g, err := web.Revoke(ctx, strings.ToLower(first.Answer.Grant)); err != nil || g.ID != first.Answer.Grant || g.RevokedAt == nil {
		t.Errorf("revoked %+v, %v", g, err)
	}
	if err := web.SetPermission(ctx, consent.KindTool, "lab.make", consent.Deny); err != nil {
		t.Fatal(err)
	}
	if err := d.SetPermission(ctx, consent.KindTool, "lab.make", ""); err != nil {
		t.Fatal(err)
	}
	if _, _, err := web.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Start(ctx); err != nil {
		t.Fatal(err)
	}
	of := func(q consent.Question) string {
		return "question " + q.ID + ", run " + d.run.ID + ", asked for by kettle"
	}
	grant := first.Answer.Grant + ", sha256 " + a.Call.Version[:12] + ", for run " + d.run.ID + `, if n at-most 2, if n one-of ["⟨U+202E⟩",1,2], until 2026-11-27T07:30:00.000Z`
	want := []string{
		"bob web: grant lab.make 0: " + grant + "; " + of(first),
		"bob web: allow lab.make 0: 2 calls; " + of(first),
		"ada terminal: deny lab.wipe 0: 1 call, because not⏎today; " + of(second) + ", by dynamic:plan⟨U+001B⟩[2J",
		"ada terminal: allow lab.send 0: 1 call; " + of(third),
		"bob web: revoke lab.make 0: " + grant,
		"bob web: set  0: tool lab.make: deny",
		"ada terminal: unset  0: tool lab.make",
		"bob web: stop  0: 1 run is told to end",
		"ada terminal: start  0: stopped since 2026-11-27T06:30:00.000Z",
	}
	if diff := cmp.Diff(want, d.places(t)); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	lines, err := d.Audit(ctx, "lab.wipe", 0)
	if err != nil || len(lines) != 1 || lines[0].Action != "deny" {
		t.Errorf("of one tool: %+v, %v", lines, err)
	}
}

// TestRevoking takes a grant by its id, or by enough of it.
func TestRevoking(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), t.Context()
	var ids []string
	for _, name := range []string{"lab.make", "lab.list"} {
		_, q := d.asks(t, name, `{}`)
		ids = append(ids, d.answers(t, q, consent.Answer{Allow: true, For: consent.Always}).Answer.Grant)
	}
	for _, id := range []string{"", "01J", "02JF", ids[0] + "0"} {
		_, err := d.Revoke(ctx, id)
		wantCode(t, err, engine.CodeGrantNotFound, fmt.Sprintf("There is no grant %q that holds", id))
	}
	_, err := d.Revoke(ctx, "01jf")
	wantCode(t, err, engine.CodeRunAmbiguous, `Several grants begin with "01jf"`)
	if g, err := d.Revoke(ctx, ids[0]); err != nil || g.Tool != "lab.make" {
		t.Errorf("revoked %+v, %v", g, err)
	}
	d.asked(t, d.call(t, "lab.make", `{}`))
	d.wantAdmitted(t, d.call(t, "lab.list", `{}`))
	_, err = d.Revoke(ctx, ids[0])
	wantCode(t, err, engine.CodeGrantNotFound)
	if g, err := d.Revoke(ctx, "01JF"); err != nil || g.ID != ids[1] {
		t.Errorf("revoked %+v, %v", g, err)
	}
	all, err := d.Grants(ctx, true)
	hold, holdErr := d.Grants(ctx, false)
	if err != nil || holdErr != nil || len(all) != 2 || len(hold) != 0 || all[0].ID != ids[1] {
		t.Errorf("all %+v, %v; those that hold %+v, %v", all, err, hold, holdErr)
	}
}

// TestPreview decides as the gate would, and keeps nothing.
func TestPreview(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, want := range map[string]consent.Decision{
		"lab.make": {Verdict: consent.MustAsk, Reason: consent.Setting, Power: tool.Write},
		"lab.send": {Verdict: consent.MustAsk, Reason: consent.EveryTime},
	} {
		a := d.call(t, name, `{}`)
		if n := d.written(func() {
			got, err := d.Preview(t.Context(), a.Call, a.Arguments)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s (-want +got):\n%s%v", name, diff, err)
			}
		}); n != 0 {
			t.Errorf("%d commits", n)
		}
	}
	if list, err := d.Questions(t.Context(), false, 0); err != nil || len(list) > 0 {
		t.Errorf("it asked %v, %v", list, err)
	}
}
