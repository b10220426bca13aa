package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// TestSettings takes what can be set, and tells what is wrong with the rest.
func TestSettings(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), t.Context()
	for _, c := range []struct {
		kind, name string
		permission consent.Permission
		says       string // "" for nothing
	}{
		{consent.KindPower, "read", consent.Allow, ""},
		{consent.KindPower, "outbound", consent.Deny, ""},
		{consent.KindTool, "lab.make", consent.Ask, ""},
		{consent.KindTool, "dynamic:gone", consent.Deny, ""},
		{consent.KindTool, "dynamic:gone", "", ""},
		{consent.KindHost, "printer.local", consent.Allow, ""},
		{consent.KindPower, "read", "Allow", `"Allow" is no permission: it is allow, ask or deny.`},
		{consent.KindPower, "fly", consent.Ask, `"fly" is no power: it is read, write or outbound.`},
		{consent.KindPower, "fly", "", `"fly" is no power`},
		{consent.KindPower, "", consent.Deny, `There is nothing to set for ""`},
		{consent.KindTool, "", consent.Deny, `There is nothing to set for ""`},
		{consent.KindTool, "lab.make", consent.Allow, "A tool is allowed by answering its question with --for always"},
		{"user", "ada", consent.Deny, `There is nothing to set for "ada" of the kind "user"`},
		{"", "read", "", `of the kind ""`},
		{consent.KindHost, "printer.local", consent.Ask, "A host may have an address in your own network, or not"},
		{consent.KindHost, "printer.local", consent.Deny, "set it to allow, or unset it"},
	} {
		before := d.picture(t)
		err := d.SetPermission(ctx, c.kind, c.name, c.permission)
		if c.says == "" {
			wantCode(t, err, "")
			continue
		}
		wantCode(t, err, engine.CodePermissionInvalid, c.says)
		if diff := cmp.Diff(before, d.picture(t)); diff != "" {
			t.Errorf("%s %s %s changes (-before +after):\n%s", c.kind, c.name, c.permission, diff)
		}
	}
	policy, err := d.Policy(ctx)
	want := consent.Policy{
		Revision: policy.Revision,
		Powers:   map[tool.Power]consent.Permission{tool.Read: consent.Allow, tool.Outbound: consent.Deny},
		Tools:    map[string]consent.Permission{"lab.make": consent.Ask}, Hosts: map[string]consent.Permission{"printer.local": consent.Allow},
	}
	if diff := cmp.Diff(want, policy); diff != "" || err != nil {
		t.Errorf("it is set (-want +got):\n%s%v", diff, err)
	}
}

// TestStopAndStart: nothing begins while everything is stopped, also where the store is opened
// again, and saying either twice changes nothing.
func TestStopAndStart(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	d := newDesk(t)
	memory := d.store.Store
	defer func() { d.store.Store = memory }()
	reopen := func() {
		t.Helper()
		if d.store.Store != memory {
			if err := d.store.Store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		s, err := sqlite.Open(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		d.store.Store = s
		d.Engine = d.engine(func(*engine.Options) {})
	}
	reopen()
	d.run = d.begun(t)
	other := d.begun(t)
	_, q := d.asks(t, "lab.make", `{}`)
	over := other
	over.Status, over.SettledAt = task.RunSucceeded, &d.now
	if err := d.store.Write(ctx, func(tx store.Tx) error { return tx.Graph().PutRun(ctx, over) }); err != nil {
		t.Fatal(err)
	}

	d.now = dawn.Add(time.Second)
	runs, already, err := d.Stop(ctx)
	if err != nil || already || len(runs) != 1 || runs[0].ID != d.run.ID {
		t.Fatalf("stopped %v, %v, %v", runs, already, err)
	}
	d.now = dawn.Add(time.Hour)
	for range 2 {
		reopen()
		if _, already, err := d.Stop(ctx); err != nil || !already {
			t.Errorf("stopped again: %v, %v", already, err)
		}
		wantCode(t, d.Running(ctx), engine.CodeStopped, "ada stopped everything at 2026-11-27T06:30:01.000Z, so nothing begins", "toolsmith start")
		_, err = d.Call(ctx, engine.Request{Chains: chains(t, calls("lab.list")), Owner: "me"})
		wantCode(t, err, engine.CodeStopped)
		if state := d.state(t, q); state != consent.Closed {
			t.Errorf("the question is %s", state)
		}
	}
	if kept, err := d.Run(ctx, d.run.ID); err != nil || kept.CancelledAt == nil {
		t.Errorf("the run is not told to end: %+v, %v", kept, err)
	}
	if kept, err := d.Run(ctx, over.ID); err != nil || kept.CancelledAt != nil {
		t.Errorf("a run that is over is told to end: %+v, %v", kept, err)
	}
	if list, err := d.Runs(ctx, task.Filter{}); err != nil || len(list) != 2 {
		t.Errorf("%d runs, %v", len(list), err)
	}

	if already, err := d.Start(ctx); err != nil || already {
		t.Errorf("started: %v, %v", already, err)
	}
	reopen()
	before := d.picture(t)
	if already, err := d.Start(ctx); err != nil || !already {
		t.Errorf("started again: %v, %v", already, err)
	}
	if diff := cmp.Diff(before, d.picture(t)); diff != "" {
		t.Errorf("starting what runs changes (-before +after):\n%s", diff)
	}
	if err := d.Running(ctx); err != nil {
		t.Error(err)
	}
	d.begun(t)
}

// TestAYesWhileStopped is none, should a question be open all the same.
func TestAYesWhileStopped(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), t.Context()
	_, q := d.asks(t, "lab.make", `{}`)
	if err := d.store.Write(ctx, func(tx store.Tx) error {
		return tx.Consent().SetStopped(ctx, &consent.Stop{Who: "ada", At: dawn})
	}); err != nil {
		t.Fatal(err)
	}
	_, err := d.Decide(ctx, q.ID, consent.Answer{Allow: true})
	wantCode(t, err, engine.CodeStopped, "toolsmith start")
	if got := d.answers(t, q, consent.Answer{}); got.State != consent.Answered {
		t.Errorf("a no is not taken: %+v", got)
	}
}

// TestPermitted looks at what was set since the call began, before each of its steps.
func TestPermitted(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), t.Context()
	found := d.call(t, "lab.make", `{}`).Call
	expect := func(doing string, power tool.Power, code string, says ...string) {
		t.Helper()
		t.Log(doing)
		wantCode(t, d.Permitted(ctx, found, power), code, says...)
	}
	expect("by default: the call was answered", tool.Write, "")
	d.sets(t, tool.Write, consent.Deny)
	expect("denied", tool.Write, consent.CodeDenied, `needs the power "write", which is denied`)
	expect("another power", tool.Read, "")
	d.sets(t, tool.Write, consent.Allow)
	expect("allowed", tool.Write, "")
	if err := d.SetPermission(ctx, consent.KindTool, "lab.make", consent.Ask); err != nil {
		t.Fatal(err)
	}
	expect("a tool that is asked about", tool.Write, "")
	if err := d.SetPermission(ctx, consent.KindTool, "lab.make", consent.Deny); err != nil {
		t.Fatal(err)
	}
	expect("a tool that is denied", tool.Read, consent.CodeDenied, `"lab.make" is denied in the settings`)
	if n := d.written(func() { expect("again", tool.Read, consent.CodeDenied) }); n != 0 {
		t.Errorf("%d commits", n)
	}
	if _, _, err := d.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	expect("stopped", tool.Read, engine.CodeStopped)
}

// TestAStoreThatFailsKeepsNoHalves: whatever of it fails, the error comes out, and all is as it
// was.
func TestAStoreThatFailsKeepsNoHalves(t *testing.T) {
	t.Parallel()
	admit := func(d *desk, a engine.Asking) error {
		out, err := d.Admit(t.Context(), a)
		if err != nil && (out.Granted != "" || out.Question != nil || out.Failure != nil) {
			t.Errorf("it comes to %+v, and to %v", out, err)
		}
		return err
	}
	for name, c := range map[string]struct {
		operations []string
		do         func(*desk) error
	}{
		"admit":         {[]string{"Revision", "Policy", "ListGrants"}, func(d *desk) error { return admit(d, d.call(t, "lab.list", `{}`)) }},
		"ask":           {[]string{"Asked", "OpenQuestion", "PutQuestion", "PutAsked"}, func(d *desk) error { return admit(d, d.call(t, "lab.wipe", `{}`)) }},
		"join":          {[]string{"OpenQuestion", "PutQuestion", "PutAsked"}, func(d *desk) error { return admit(d, d.call(t, "lab.make", `{}`)) }},
		"ask again":     {[]string{"Revision", "Asked", "Question"}, func(d *desk) error { return admit(d, d.waiting) }},
		"ask otherwise": {[]string{"PutQuestion", "OpenQuestion"}, func(d *desk) error { a := d.waiting; a.Arguments = nil; return admit(d, a) }},
		"expire": {[]string{"PutQuestion", "AppendAudit"}, func(d *desk) error {
			d.now = d.now.Add(wait)
			defer func() { d.now = dawn }()
			return admit(d, d.waiting)
		}},
		"preview":   {[]string{"Revision", "Policy"}, func(d *desk) error { _, err := d.Preview(t.Context(), d.waiting.Call, nil); return err }},
		"permitted": {[]string{"Revision", "Policy"}, func(d *desk) error { return d.Permitted(t.Context(), d.waiting.Call, tool.Write) }},
		"running":   {[]string{"Revision", "Policy"}, func(d *desk) error { return d.Running(t.Context()) }},
		"begin": {[]string{"Revision"}, func(d *desk) error {
			_, err := d.Call(t.Context(), engine.Request{Chains: chains(t, calls("lab.list"))})
			return err
		}},
		"cancel": {[]string{"CloseQuestions"}, func(d *desk) error { _, err := d.Cancel(t.Context(), d.run.ID); return err }},
		"yes":    {[]string{"Question", "Revision", "Policy", "PutQuestion", "AppendAudit"}, func(d *desk) error { _, err := d.Decide(t.Context(), d.open, consent.Answer{Allow: true}); return err }},
		"always": {[]string{"AddGrant", "AppendAudit", "PutQuestion"}, func(d *desk) error {
			_, err := d.Decide(t.Context(), d.open, consent.Answer{Allow: true, For: consent.Always})
			return err
		}},
		"no":          {[]string{"Question", "PutQuestion", "AppendAudit"}, func(d *desk) error { _, err := d.Decide(t.Context(), d.open, consent.Answer{}); return err }},
		"a beginning": {[]string{"Question", "ListQuestions"}, func(d *desk) error { _, err := d.Decide(t.Context(), d.open[:8], consent.Answer{}); return err }},
		"other arguments": {[]string{"AuditLines"}, func(d *desk) error {
			_, err := d.Decide(t.Context(), d.forged, consent.Answer{Allow: true, Edited: true})
			return err
		}},
		"question":  {[]string{"Question"}, func(d *desk) error { _, err := d.Question(t.Context(), d.open); return err }},
		"questions": {[]string{"ListQuestions"}, func(d *desk) error { _, err := d.Questions(t.Context(), true, 0); return err }},
		"grants":    {[]string{"ListGrants"}, func(d *desk) error { _, err := d.Grants(t.Context(), true); return err }},
		"revoke":    {[]string{"ListGrants", "RevokeGrant", "AppendAudit"}, func(d *desk) error { _, err := d.Revoke(t.Context(), d.granted); return err }},
		"policy":    {[]string{"Policy"}, func(d *desk) error { _, err := d.Policy(t.Context()); return err }},
		"set":       {[]string{"SetPermission", "AppendAudit"}, func(d *desk) error { return d.SetPermission(t.Context(), consent.KindPower, "read", consent.Deny) }},
		"stop":      {[]string{"Policy", "SetStopped", "CloseQuestions", "AppendAudit"}, func(d *desk) error { _, _, err := d.Stop(t.Context()); return err }},
		"start":     {[]string{"Policy", "SetStopped", "AppendAudit"}, func(d *desk) error { _, err := d.Start(t.Context()); return err }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := failingDesk(t)
			if name == "start" {
				if _, _, err := d.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			before := d.picture(t)
			for _, operation := range c.operations {
				d.Engine = d.engine(func(*engine.Options) {}) // one that remembers nothing
				d.store.set(operation)
				if err := c.do(d); !errors.Is(err, errDisk) {
					t.Errorf("%s fails, and it comes to %v", operation, err)
				}
				d.store.set("")
				if diff := cmp.Diff(before, d.picture(t)); diff != "" {
					t.Errorf("%s fails, and this is kept (-before +after):\n%s", operation, diff)
				}
			}
			if err := c.do(d); errors.Is(err, errDisk) {
				t.Errorf("nothing fails, and it comes to %v", err)
			}
		})
	}
}

// failingDesk has something for every verb: questions, a grant, and what waits.
func failingDesk(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t)
	d.sets(t, tool.Read, consent.Allow)
	d.installed(t, text("made-up", 1, call("lab.make")))
	if _, _, err := d.Enable(t.Context(), "made-up"); err != nil {
		t.Fatal(err)
	}
	d.run = d.begun(t)
	_, q := d.asks(t, "lab.post", `{}`)
	d.granted = d.answers(t, q, consent.Answer{Allow: true, For: consent.Always}).Answer.Grant
	d.waiting, _ = d.asks(t, "lab.wipe", `{"n": 1}`)
	_, q = d.asks(t, "dynamic:made-up", `{}`)
	d.forged = q.ID
	_, q = d.asks(t, "lab.make", `{}`)
	d.open = q.ID
	return d
}
