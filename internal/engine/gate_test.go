package engine_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// TestWhatIsAllowedWritesNothing: most calls are, and the gate is before each of them.
func TestWhatIsAllowedWritesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.sets(t, tool.Write, consent.Allow)
	a := d.call(t, "lab.make", `{"n": 1.0}`)
	if n := d.written(func() {
		out := d.wantAdmitted(t, a)
		if out.Granted != "settings" || value.JSON(out.Arguments) != `{"n":1.0}` || out.Edited {
			t.Errorf("admitted as %+v", out)
		}
	}); n != 0 {
		t.Errorf("%d commits; want none", n)
	}

	_, q := d.asks(t, "lab.list", `{}`)
	q = d.answers(t, q, consent.Answer{Allow: true, For: consent.Always})
	next := d.call(t, "lab.list", `{}`)
	if n := d.written(func() {
		if out := d.wantAdmitted(t, next); out.Granted != "grant "+q.Answer.Grant || q.Answer.Grant == "" {
			t.Errorf("granted by %q; the answer has %+v", out.Granted, q.Answer)
		}
	}); n != 0 {
		t.Errorf("%d commits; want none", n)
	}
	d.sets(t, tool.Write, consent.Deny)
	if n := d.written(func() {
		d.wantRefused(t, a, consent.CodeDenied, `"lab.make" needs the power "write", which is denied in the settings. A person can change that with: toolsmith settings set write ask`)
	}); n != 0 {
		t.Errorf("%d commits to refuse; want none", n)
	}
}

// TestAQuestion has all that a person needs to answer, and is asked once.
func TestAQuestion(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.installed(t, strings.Replace(text("made-up", 3, call("lab.post")),
		`{"mode": "forbidden", "domains": []}`, `{"mode": "allowlist", "domains": ["example.org"]}`, 1))
	if _, _, err := d.Enable(t.Context(), "made-up"); err != nil {
		t.Fatal(err)
	}
	d.sets(t, tool.Outbound, consent.Allow)
	a := d.call(t, "dynamic:made-up", `{"to": "ada"}`)
	a.By, a.Before = "dynamic:plan", consent.History{Private: "lab.read", Untrusted: "lab.web"}
	var q consent.Question
	if n := d.written(func() { q = d.asked(t, a) }); n != 1 {
		t.Errorf("%d commits to ask; want one", n)
	}
	want := consent.Question{
		ID: q.ID, Run: d.run.ID, RunTitle: "tea", Caller: "kettle", By: "dynamic:plan", Tool: "dynamic:made-up", Title: "Made up",
		Description: "For a test.", Version: a.Call.Version, Release: 3, Source: "installed", Marks: a.Call.Marks(), Hosts: []string{"example.org"},
		Reason: consent.Leak, Path: []string{"lab.read", "lab.web", "dynamic:made-up"}, Count: 1, Samples: []any{map[string]any{"to": "ada"}},
		AskedAt: dawn, ExpiresAt: dawn.Add(wait), State: consent.Open,
	}
	if diff := cmp.Diff(want, q); diff != "" || len(q.Version) != 64 || !q.Marks.CanTransmit {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	a.Asked = true
	d.now = d.now.Add(time.Second)
	again := d.asked(t, a)
	if diff := cmp.Diff(q, again, cmp.Comparer(func(a, b []string) bool { return fmt.Sprint(a) == fmt.Sprint(b) })); diff != "" {
		t.Errorf("asked again (-first +again):\n%s", diff)
	}
	if list, err := d.Questions(t.Context(), true, 0); err != nil || len(list) != 1 {
		t.Errorf("%d questions, %v", len(list), err)
	}
}

// TestWhyItIsAsked is told with the question.
func TestWhyItIsAsked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct {
		name   string
		reason consent.Reason
		power  tool.Power
		shape  bool
	}{
		{"lab.list", consent.Setting, tool.Read, true}, {"lab.make", consent.Setting, tool.Write, true},
		{"lab.wipe", consent.Setting, tool.Write, false}, {"lab.send", consent.EveryTime, "", false},
	} {
		_, q := d.asks(t, c.name, `{}`)
		if q.Reason != c.reason || q.Power != c.power || (q.Shape != "") != c.shape || q.Source != "built in" || q.Release != 0 || q.Path != nil {
			t.Errorf("%s: %+v", c.name, q)
		}
	}
	if err := d.SetPermission(t.Context(), consent.KindTool, "lab.list", consent.Ask); err != nil {
		t.Fatal(err)
	}
	d.sets(t, tool.Read, consent.Allow)
	if _, q := d.asks(t, "lab.list", `{"n": 1}`); q.Reason != consent.Setting || q.Power != "" {
		t.Errorf("a tool that is asked about: %+v", q)
	}
	if waits := d.Wait(); waits != wait {
		t.Errorf("it waits %s", waits)
	}
	if waits := engine.New(engine.Options{}).Wait(); waits != 10*time.Minute {
		t.Errorf("by default it waits %s", waits)
	}
}

// TestCallsOfOneShape are asked about together, and no others with them.
func TestCallsOfOneShape(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var all []engine.Asking
	var q consent.Question
	for i := range 5 {
		a, joined := d.asks(t, "lab.make", fmt.Sprintf(`{"n": %d}`, i))
		all = append(all, a)
		if i > 0 && joined.ID != q.ID {
			t.Fatalf("call %d is asked about alone", i)
		}
		q = joined
	}
	if q.Count != 5 || value.JSON(q.Samples) != `[{"n":0},{"n":1},{"n":2}]` {
		t.Errorf("it is about %d calls: %s", q.Count, value.JSON(q.Samples))
	}
	other := d.begun(t)
	for name, alone := range map[string]engine.Asking{
		"other names": d.call(t, "lab.make", `{"m": 1}`), "another tool": d.call(t, "lab.list", `{"n": 1}`),
		"a higher risk": d.call(t, "lab.wipe", `{"n": 1}`), "the same again of a higher risk": d.call(t, "lab.wipe", `{"n": 1}`),
	} {
		if got := d.asked(t, alone); got.ID == q.ID || got.Count != 1 {
			t.Errorf("%s: asked in %+v", name, got)
		}
	}
	elsewhere := d.call(t, "lab.make", `{"n": 1}`)
	elsewhere.Run = other
	if got := d.asked(t, elsewhere); got.ID == q.ID {
		t.Error("a call of another run is asked about together with those of the first")
	}
	// Who saw fewer did not see what is asked now.
	_, err := d.Decide(t.Context(), q.ID, consent.Answer{Allow: true, Count: 4})
	wantCode(t, err, consent.CodeGrown, "5 calls", "4 were shown")
	d.answers(t, q, consent.Answer{Allow: true, Count: 5})
	for i, a := range all {
		if out := d.wantAdmitted(t, a); out.Granted != "answer "+q.ID || value.JSON(out.Arguments) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Errorf("call %d: %+v", i, out)
		}
	}
	// What comes later is asked about anew.
	if _, next := d.asks(t, "lab.make", `{"n": 0}`); next.ID == q.ID || next.Count != 1 {
		t.Errorf("a further call is in %+v", next)
	}
	changed := all[3]
	changed.Arguments = jsonOf(t, `{"n": 99}`)
	if got := d.asked(t, changed); got.ID == q.ID {
		t.Error("a call that was changed is in the question that was answered")
	}
}

// TestCallsThatComeAtOnce are counted each, in one question.
func TestCallsThatComeAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	all := make([]engine.Asking, 20)
	for i := range all {
		all[i] = d.call(t, "lab.make", fmt.Sprintf(`{"n": %d}`, i))
	}
	var group sync.WaitGroup
	for _, a := range all {
		group.Go(func() {
			if out, err := d.Admit(context.Background(), a); err != nil || out.Question == nil {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
	group.Wait()
	list, err := d.Questions(t.Context(), false, 0)
	if err != nil || len(list) != 1 || list[0].Count != len(all) || len(list[0].Samples) != 3 {
		t.Fatalf("questions %+v, %v", list, err)
	}
	d.answers(t, list[0], consent.Answer{Allow: true, Count: len(all)})
	for _, a := range all {
		a.Asked = true
		d.wantAdmitted(t, a)
	}
}

// TestNobodyJoinsWhatIsOver: a question whose time is over takes no further calls.
func TestNobodyJoinsWhatIsOver(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first, q := d.asks(t, "lab.make", `{"n": 1}`)
	d.now = q.ExpiresAt
	_, next := d.asks(t, "lab.make", `{"n": 2}`)
	if next.ID == q.ID || next.Count != 1 || !next.ExpiresAt.Equal(d.now.Add(wait)) {
		t.Errorf("the next is asked about in %+v", next)
	}
	d.wantRefused(t, first, consent.CodeTimeout, `Nobody answered within 1m0s whether "lab.make" may run, which counts as a no.`)
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, q := d.asks(t, "lab.send", `{"to": "ada"}`)
	d.now = d.now.Add(time.Second)
	if n := d.written(func() {
		got := d.answers(t, q, consent.Answer{Allow: true, Who: "eve", From: "web", Approved: "x", Grant: "x", At: dawn.Add(-time.Hour), Arguments: "x"})
		if a := got.Answer; got.State != consent.Answered || a.Who != "ada" || a.From != "terminal" || !a.At.Equal(d.now) || a.Grant != "" || a.Approved == "x" || a.Approved == "" || a.Arguments != nil {
			t.Errorf("answered: %+v, %+v", got, got.Answer)
		}
	}); n != 1 {
		t.Errorf("%d commits to answer; want one", n)
	}
	if out := d.wantAdmitted(t, a); out.Granted != "answer "+q.ID || value.JSON(out.Arguments) != `{"to":"ada"}` || out.Edited {
		t.Errorf("admitted %+v", out)
	}
	// Whoever takes the run up again finds the same answer.
	d.wantAdmitted(t, a)

	a, q = d.asks(t, "lab.send", `{"to": "ada"}`)
	if got := d.answers(t, q, consent.Answer{Approved: "x", Grant: "x"}); got.Answer.Approved != "" || got.Answer.Grant != "" {
		t.Errorf("a no has %+v", got.Answer)
	}
	d.wantRefused(t, a, consent.CodeDenied, `ada said no to "lab.send".`)
	a, q = d.asks(t, "lab.send", `{"to": "ada"}`)
	d.answers(t, q, consent.Answer{Reason: "not today"})
	d.wantRefused(t, a, consent.CodeDenied, `ada said no to "lab.send". The reason: not today`)
	// A no is a no to this call, whatever else was allowed since.
	a, q = d.asks(t, "lab.make", `{}`)
	d.answers(t, q, consent.Answer{})
	d.sets(t, tool.Write, consent.Allow)
	d.wantRefused(t, a, consent.CodeDenied, `ada said no to "lab.make".`)
}

// TestOtherArguments are what the call is then made with, and have to fit as the first had to.
func TestOtherArguments(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, q := d.asks(t, "lab.strict", `{"q": "rain", "n": 1}`)
	for _, c := range []struct {
		arguments  any
		code, says string
	}{
		{map[string]any{"q": "sun", "z": "1"}, task.CodeArgumentsInvalid, "The arguments do not fit. "},
		{map[string]any{"n": value.Int(3)}, task.CodeArgumentsInvalid, "q"},
		{nil, task.CodeArgumentsInvalid, "q"},
		{"sun", task.CodeArgumentsInvalid, "they are an object; this is a text"},
		{[]any{}, task.CodeArgumentsInvalid, "they are an object; this is a list"},
		{map[string]any{"q": strings.Repeat("x", 65536)}, task.CodeArgumentsLarge, "at most 65536 are allowed"},
	} {
		_, err := d.Decide(t.Context(), q.ID, consent.Answer{Allow: true, Edited: true, Arguments: c.arguments})
		wantCode(t, err, c.code, c.says)
	}
	if d.state(t, q) != consent.Open {
		t.Error("it was answered with what does not fit")
	}
	// What the schema has a default for may be left out, as in every call.
	d.answers(t, q, consent.Answer{Allow: true, Edited: true, Arguments: map[string]any{"q": "sun"}})
	out := d.wantAdmitted(t, a)
	if !out.Edited || out.Granted != "answer "+q.ID || value.JSON(out.Arguments) != `{"n":7,"q":"sun"}` {
		t.Errorf("admitted with %s, %+v", value.JSON(out.Arguments), out)
	}
	// A tool without a schema takes any object, and nothing else.
	a, q = d.asks(t, "lab.make", `{"n": 1}`)
	_, err := d.Decide(t.Context(), q.ID, consent.Answer{Allow: true, Edited: true, Arguments: "sun"})
	wantCode(t, err, task.CodeArgumentsInvalid)
	d.answers(t, q, consent.Answer{Allow: true, Edited: true})
	if out := d.wantAdmitted(t, a); value.JSON(out.Arguments) != `{}` || !out.Edited {
		t.Errorf("admitted with %s", value.JSON(out.Arguments))
	}
}

// TestNoAnswerInTime is a no, is noted once, and cannot be answered any more.
func TestNoAnswerInTime(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, q := d.asks(t, "lab.wipe", `{}`)
	a.By = "dynamic:plan"
	d.now = q.ExpiresAt.Add(-1)
	d.asked(t, a)
	d.now = q.ExpiresAt
	for range 2 {
		d.wantRefused(t, a, consent.CodeTimeout, `Nobody answered within 1m0s whether "lab.wipe" may run, which counts as a no.`)
	}
	want := []string{"ada terminal: deny lab.wipe 0: nobody answered in time; question " + q.ID + ", run " + d.run.ID + ", asked for by kettle"}
	if diff := cmp.Diff(want, d.places(t)); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	if state := d.state(t, q); state != consent.Expired {
		t.Errorf("the question is %s", state)
	}
	_, err := d.Decide(t.Context(), q.ID, consent.Answer{Allow: true})
	wantCode(t, err, consent.CodeClosed, "over at 2026-11-27T06:31:00.000Z")
	// It is over as soon as its time is, whether or not anybody looked.
	_, q = d.asks(t, "lab.wipe", `{}`)
	d.now = q.ExpiresAt
	_, err = d.Decide(t.Context(), q.ID, consent.Answer{})
	wantCode(t, err, consent.CodeClosed)
}
