package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// TestWhatIsNotWhatWasShown is asked about anew: a yes is to one call of one version with its
// arguments.
func TestWhatIsNotWhatWasShown(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*engine.Asking){
		"other arguments": func(a *engine.Asking) { a.Arguments = map[string]any{"to": "bob"} },
		"one more":        func(a *engine.Asking) { a.Arguments = map[string]any{"to": "ada", "cc": nil} },
		"no arguments":    func(a *engine.Asking) { a.Arguments = nil },
		"another version": func(a *engine.Asking) { c := *a.Call; c.Version = strings.Repeat("0", 64); a.Call = &c },
		"no version":      func(a *engine.Asking) { c := *a.Call; c.Version = ""; a.Call = &c },
		"another call":    func(a *engine.Asking) { a.Seq += 100 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			a, q := d.asks(t, "lab.send", `{"to": "ada"}`)
			answered := d.answers(t, q, consent.Answer{Allow: true})
			changed := a
			change(&changed)
			next := d.asked(t, changed)
			if next.ID == q.ID || value.JSON(next.Samples[0]) != value.JSON(changed.Arguments) || next.Version != changed.Call.Version {
				t.Errorf("asked in %+v", next)
			}
			if kept, err := d.Question(t.Context(), q.ID); err != nil || kept.State != consent.Answered || kept.Answer.Approved != answered.Answer.Approved {
				t.Errorf("the first question is %+v, %v", kept, err)
			}
			// What was asked last is what an answer is for.
			d.answers(t, next, consent.Answer{Allow: true})
			d.wantAdmitted(t, changed)
		})
	}
}

// TestAnAnswerThatWasChanged in the store is none: what a yes allows is what was approved.
func TestAnAnswerThatWasChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*consent.Question){
		"other arguments": func(q *consent.Question) { q.Answer.Arguments = map[string]any{"to": "eve"} },
		"no digest":       func(q *consent.Question) { q.Answer.Approved = "" },
		"no arguments":    func(q *consent.Question) { q.Answer.Edited = false },
	} {
		d := newDesk(t)
		a, q := d.asks(t, "lab.send", `{"to": "ada"}`)
		q = d.answers(t, q, consent.Answer{Allow: true, Edited: true, Arguments: map[string]any{"to": "bob"}})
		change(&q)
		if err := d.store.Write(t.Context(), func(tx store.Tx) error { return tx.Consent().PutQuestion(t.Context(), q) }); err != nil {
			t.Fatal(err)
		}
		if next := d.asked(t, a); next.ID == q.ID || value.JSON(next.Samples[0]) != `{"to":"ada"}` {
			t.Errorf("%s: asked in %+v", name, next)
		}
	}
}

// TestAQuestionThatIsLeft is closed: nobody is asked about what is not going to happen, or has
// happened.
func TestAQuestionThatIsLeft(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, d *desk, want int) {
		t.Helper()
		if list, err := d.Questions(t.Context(), true, 0); err != nil || len(list) != want {
			t.Errorf("%d questions are open, %v; want %d", len(list), err, want)
		}
	}
	t.Run("the arguments have changed", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		a, q := d.asks(t, "lab.make", `{"n": 1}`)
		a.Arguments = jsonOf(t, `{"n": 2}`)
		if next := d.asked(t, a); next.ID == q.ID || next.Count != 1 || d.state(t, q) != consent.Closed {
			t.Errorf("the first is %s, the next %+v", d.state(t, q), next)
		}
		open(t, d, 1)
		_, err := d.Decide(t.Context(), q.ID, consent.Answer{Allow: true})
		wantCode(t, err, consent.CodeClosed, "does not make the call any more")
	})
	t.Run("it is allowed meanwhile", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		a, _ := d.asks(t, "lab.make", `{"n": 1}`)
		d.sets(t, tool.Write, consent.Allow)
		if out := d.wantAdmitted(t, a); out.Granted != "settings" {
			t.Errorf("granted by %s", out.Granted)
		}
		open(t, d, 0)
	})
	t.Run("it is denied meanwhile", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		a, _ := d.asks(t, "lab.make", `{"n": 1}`)
		if err := d.SetPermission(t.Context(), consent.KindTool, "lab.make", consent.Deny); err != nil {
			t.Fatal(err)
		}
		d.wantRefused(t, a, consent.CodeDenied, `"lab.make" is denied in the settings. A person can change that with: toolsmith settings unset lab.make`)
		open(t, d, 0)
	})
	t.Run("others wait for it", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		a, _ := d.asks(t, "lab.make", `{"n": 1}`)
		b, q := d.asks(t, "lab.make", `{"n": 2}`)
		a.Arguments = jsonOf(t, `{"m": 1}`)
		if next := d.asked(t, a); next.ID == q.ID {
			t.Error("what has another shape now is in the same question")
		}
		if again := d.asked(t, b); again.ID != q.ID {
			t.Errorf("the other is asked about anew, in %s", again.ID)
		}
	})
}

// TestAYesThatCameTooEarly does not outlast what was set since.
func TestAYesThatCameTooEarly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, q := d.asks(t, "lab.make", `{}`)
	d.answers(t, q, consent.Answer{Allow: true, For: consent.Always})
	d.sets(t, tool.Write, consent.Deny)
	denied := `"lab.make" needs the power "write", which is denied in the settings. A person can change that with: toolsmith settings set write ask`
	d.wantRefused(t, a, consent.CodeDenied, denied)
	d.wantRefused(t, d.call(t, "lab.make", `{}`), consent.CodeDenied, denied)
	if _, _, err := d.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	stopped := "Toolsmith is stopped, so nothing begins. A person can start it again with: toolsmith start"
	d.wantRefused(t, a, engine.CodeStopped, stopped)
	d.wantRefused(t, d.call(t, "lab.list", `{}`), engine.CodeStopped, stopped)
	if _, err := d.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.sets(t, tool.Write, "")
	d.wantRefused(t, a, task.CodeAborted, "The run was cancelled.") // with the stop
	d.wantAdmitted(t, d.call(t, "lab.make", `{}`))
}

// TestALeakIsAskedAbout whatever was answered or allowed before it was one: whoever said yes
// did not know of it.
func TestALeakIsAskedAbout(t *testing.T) {
	t.Parallel()
	both := consent.History{Private: "lab.read", Untrusted: "lab.web"}
	expect := func(t *testing.T, d *desk, a engine.Asking, q consent.Question) {
		t.Helper()
		next := d.asked(t, a)
		if next.ID == q.ID || next.Reason != consent.Leak || strings.Join(next.Path, " ") != "lab.read lab.web lab.post" || next.Shape != "" || next.MayRemember() {
			t.Errorf("asked in %+v", next)
		}
		if again := d.asked(t, a); again.ID != next.ID {
			t.Error("it is asked about twice")
		}
		d.answers(t, next, consent.Answer{Allow: true})
		d.wantAdmitted(t, a)
	}
	t.Run("after a yes", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		a, q := d.asks(t, "lab.post", `{}`)
		d.answers(t, q, consent.Answer{Allow: true})
		a.Before = both
		expect(t, d, a, q)
	})
	t.Run("before an answer", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		a, q := d.asks(t, "lab.post", `{}`)
		a.Before = both
		expect(t, d, a, q)
		if state := d.state(t, q); state != consent.Closed {
			t.Errorf("the first question is %s", state)
		}
	})
	t.Run("with a grant", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		a, q := d.asks(t, "lab.post", `{}`)
		d.answers(t, q, consent.Answer{Allow: true, For: consent.Always})
		a.Before = consent.History{Private: "lab.read"}
		d.wantAdmitted(t, a)
		a.Before = both
		expect(t, d, a, q)
	})
	t.Run("after a no", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		a, q := d.asks(t, "lab.post", `{}`)
		d.answers(t, q, consent.Answer{})
		a.Before = both
		d.wantRefused(t, a, consent.CodeDenied, `ada said no to "lab.post".`)
	})
	t.Run("after its time", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t)
		a, q := d.asks(t, "lab.post", `{}`)
		d.now, a.Before = q.ExpiresAt, both
		d.wantRefused(t, a, consent.CodeTimeout, `Nobody answered within 1m0s whether "lab.post" may run, which counts as a no.`)
	})
}

// TestAGrantEndsWithItsVersion, and holds again when that version is back.
func TestAGrantEndsWithItsVersion(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), t.Context()
	enable := func() {
		t.Helper()
		if _, _, err := d.Enable(ctx, "made-up"); err != nil {
			t.Fatal(err)
		}
	}
	d.installed(t, text("made-up", 1, call("lab.make")))
	enable()
	_, q := d.asks(t, "dynamic:made-up", `{}`)
	q = d.answers(t, q, consent.Answer{Allow: true, For: consent.Always})
	granted := "grant " + q.Answer.Grant
	if out := d.wantAdmitted(t, d.call(t, "dynamic:made-up", `{}`)); out.Granted != granted {
		t.Errorf("granted by %s", out.Granted)
	}
	// Only the version number and a schema of the input are new.
	d.installed(t, text("made-up", 2, call("lab.make"), `"inputSchema": {"type": "object"}`))
	enable()
	if next := d.asked(t, d.call(t, "dynamic:made-up", `{}`)); next.Version == q.Version || next.Release != 2 {
		t.Errorf("asked in %+v", next)
	}
	if _, _, err := d.Rollback(ctx, "made-up", 1); err != nil {
		t.Fatal(err)
	}
	enable()
	if out := d.wantAdmitted(t, d.call(t, "dynamic:made-up", `{}`)); out.Granted != granted {
		t.Errorf("granted by %s", out.Granted)
	}
	if _, err := d.Revoke(ctx, q.Answer.Grant); err != nil {
		t.Fatal(err)
	}
	d.asked(t, d.call(t, "dynamic:made-up", `{}`))

	// A capability of this host with another schema is another one.
	_, q = d.asks(t, "lab.strict", `{"q": "rain", "n": 1}`)
	d.answers(t, q, consent.Answer{Allow: true, For: consent.Always})
	d.wantAdmitted(t, d.call(t, "lab.strict", `{"q": "sun", "n": 1}`))
	other := slices.Clone(office.All())
	for i := range other {
		if other[i].Name == "lab.strict" {
			other[i].Input = []byte(`{"type": "object"}`)
		}
	}
	d.Engine = d.engine(func(o *engine.Options) {
		o.Catalogue = tool.NewCatalogue(other...)
		o.Toolbox, _ = engine.NewToolbox(o.Catalogue)
	})
	if next := d.asked(t, d.call(t, "lab.strict", `{"q": "sun", "n": 1}`)); next.Version == q.Version {
		t.Error("it has the same version")
	}
}

// TestAGrantHoldsForWhatItSays: a run, conditions, an end.
func TestAGrantHoldsForWhatItSays(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	other := d.begun(t)
	in := func(run task.Run, arguments string) engine.Asking {
		a := d.call(t, "lab.wipe", arguments)
		a.Run = run
		return a
	}
	until := dawn.Add(wait / 2)
	_, q := d.asks(t, "lab.wipe", `{"n": 5, "half": "\ud83d"}`)
	d.answers(t, q, consent.Answer{Allow: true, For: consent.InRun, Until: &until, Conditions: []consent.Condition{
		{Path: "n", Operator: consent.AtMost, Value: json.Number("5.0")}, {Path: "half", Operator: consent.Equals, Value: "\xed\xa0\xbd"},
	}})
	d.wantAdmitted(t, in(d.run, `{"n": 4.99, "half": "\ud83d"}`))
	d.asked(t, in(other, `{"n": 4.99, "half": "\ud83d"}`))
	d.asked(t, in(d.run, `{"n": 5.01, "half": "\ud83d"}`))
	d.asked(t, in(d.run, `{"n": 5, "half": "\ud83e"}`))
	d.asked(t, in(d.run, `{"half": "\ud83d"}`))
	d.now = until
	d.asked(t, in(d.run, `{"n": 5, "half": "\ud83d"}`))
	if list, err := d.Grants(t.Context(), false); err != nil || len(list) > 0 {
		t.Errorf("grants that hold: %+v, %v", list, err)
	}
	if list, err := d.Grants(t.Context(), true); err != nil || len(list) != 1 {
		t.Errorf("all grants: %+v, %v", list, err)
	}
}

// TestWhatOthersSetCountsAtOnce: two engines over one folder, as two processes have them.
func TestWhatOthersSetCountsAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := newDesk(t)
	open := func() (*engine.Engine, store.Store) {
		s, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return d.engine(func(o *engine.Options) { o.Store = s }), s
	}
	other, _ := open()
	var s store.Store
	d.Engine, s = open()
	d.store.Store, s = s, d.store.Store
	defer func() { d.store.Store = s }()
	d.run = d.begun(t)
	set := func(permission consent.Permission) {
		t.Helper()
		if err := other.SetPermission(t.Context(), consent.KindPower, "write", permission); err != nil {
			t.Fatal(err)
		}
	}
	a := d.call(t, "lab.make", `{}`)
	set(consent.Allow)
	d.wantAdmitted(t, a)
	set(consent.Deny)
	if out := d.admits(t, a); out.Failure == nil {
		t.Errorf("what is denied comes to %+v", out)
	}
	set("")
	q := d.asked(t, a)
	q, err := other.Decide(t.Context(), q.ID, consent.Answer{Allow: true, For: consent.Always})
	if err != nil {
		t.Fatal(err)
	}
	d.wantAdmitted(t, d.call(t, "lab.make", `{}`))
	if _, err := other.Revoke(t.Context(), q.Answer.Grant); err != nil {
		t.Fatal(err)
	}
	d.asked(t, d.call(t, "lab.make", `{}`))
}

// meddler is a store in which each write is preceded by another change, and comes to nothing.
type meddler struct {
	store.Store
	change func(context.Context, store.Tx) error
}

func (m *meddler) Write(ctx context.Context, fn func(store.Tx) error) error {
	if m.change == nil {
		return m.Store.Write(ctx, fn)
	}
	return m.Store.Write(ctx, func(tx store.Tx) error { return errors.Join(m.change(ctx, tx), fn(tx), errDisk) })
}

// TestWhatCameToNothingIsNotRemembered: a revision that was rolled back is given again, to
// another change.
func TestWhatCameToNothingIsNotRemembered(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.sets(t, tool.Write, consent.Allow)
	m := &meddler{Store: d.store.Store, change: func(ctx context.Context, tx store.Tx) error {
		return tx.Consent().SetPermission(ctx, consent.KindPower, "write", consent.Deny)
	}}
	d.Engine = d.engine(func(o *engine.Options) { o.Store = m })
	a := d.call(t, "lab.make", `{}`)
	d.wantAdmitted(t, a)
	a.Asked = true // so that it is looked at in a transaction that writes
	if out, err := d.Admit(t.Context(), a); !errors.Is(err, errDisk) || out.Granted != "" || out.Failure != nil {
		t.Fatalf("admitted %+v, %v", out, err)
	}
	m.change = nil
	if err := d.SetPermission(t.Context(), consent.KindHost, "printer.local", consent.Allow); err != nil {
		t.Fatal(err)
	}
	a.Asked = false
	d.wantAdmitted(t, a)
	a.Asked = true
	d.wantAdmitted(t, a)
}

// drawArguments draws an object as a call may have it.
func drawArguments() *rapid.Generator[any] {
	text := rapid.OneOf(rapid.StringN(0, 3, -1), rapid.SampledFrom([]string{"<&>", "\u2028", "\xed\xa0\xbd", "\xed\xa0\xbe", "\ufffd"}))
	leaf := rapid.OneOf(rapid.Just[any](nil), rapid.Bool().AsAny(), text.AsAny(),
		rapid.SampledFrom([]json.Number{"0", "1", "1.0", "1e0", "1.10", "9007199254740993", "9007199254740992"}).AsAny())
	list := rapid.Map(rapid.SliceOfN(leaf, 0, 2), func(list []any) any { return list })
	object := rapid.Map(rapid.MapOfN(text, rapid.OneOf(leaf, list), 0, 2), func(object map[string]any) any { return object })
	return rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b"}), rapid.OneOf(leaf, list, object), 0, 2), func(object map[string]any) any { return object })
}

// TestOnlyWhatWasApprovedIsAdmitted asks about a call, has it answered with yes, changes what
// there is to change, and asks whether it may begin. Under that yes it begins only as it was
// approved.
func TestOnlyWhatWasApprovedIsAdmitted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	digest := func(a engine.Asking, arguments any) string {
		return task.NewContent(tool.TypeTool, []any{a.Call.Name, a.Call.Version, arguments}).ID.String()
	}
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		a := d.call(t, rapid.SampledFrom([]string{"lab.make", "lab.send"}).Draw(rt, "tool"), `{}`)
		a.Arguments = drawArguments().Draw(rt, "arguments")
		out, err := d.Admit(ctx, a)
		if err != nil || out.Question == nil {
			rt.Fatalf("%+v, %v", out, err)
		}
		yes := consent.Answer{Allow: true}
		approved := a.Arguments
		if rapid.Bool().Draw(rt, "edited") {
			approved = drawArguments().Draw(rt, "edited arguments")
			yes.Edited, yes.Arguments = true, approved
		}
		q, err := d.Decide(ctx, out.Question.ID, yes)
		if err != nil {
			rt.Fatal(err)
		}
		if want := digest(a, approved); q.Answer.Approved != want {
			rt.Fatalf("approved is %s; want %s", q.Answer.Approved, want)
		}
		b := a
		b.Asked = true
		same := true
		if rapid.Bool().Draw(rt, "other arguments") {
			b.Arguments = drawArguments().Draw(rt, "changed arguments")
			same = value.Equal(a.Arguments, b.Arguments)
		}
		if rapid.IntRange(0, 3).Draw(rt, "another version") == 0 {
			changed := *a.Call
			changed.Version = "another"
			b.Call, same = &changed, false
		}
		switch out, err = d.Admit(ctx, b); {
		case err != nil || out.Failure != nil:
			rt.Fatalf("%+v, %v", out, err)
		case same && (out.Question != nil || out.Granted != "answer "+q.ID || digest(b, out.Arguments) != q.Answer.Approved || out.Edited != yes.Edited):
			rt.Fatalf("what was approved comes to %+v", out)
		case !same && (out.Question == nil || out.Question.ID == q.ID || out.Granted != ""):
			rt.Fatalf("what was not approved comes to %+v", out)
		case !same:
			if diff := cmp.Diff(value.JSON(b.Arguments), value.JSON(out.Question.Samples[0])); diff != "" {
				rt.Fatalf("shown (-want +got):\n%s", diff)
			}
		}
		if err := d.store.Write(ctx, func(tx store.Tx) error { return tx.Consent().CloseQuestions(ctx, "") }); err != nil {
			rt.Fatal(err)
		}
	})
}
