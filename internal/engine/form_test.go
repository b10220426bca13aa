package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/tool"
)

// asking is a form under a key, with fields as JSON; "" for yes or no.
func asking(t testing.TB, key, title, fields string) engine.FormAsked {
	t.Helper()
	form := consent.Form{Title: title}
	if fields != "" {
		form.Schema = jsonOf(t, fields)
	}
	return engine.FormAsked{Key: key, Form: form, Shown: form}
}

// asksForm gives the question that a form is asked in.
func (d *desk) asksForm(t *testing.T, a engine.Asking, f engine.FormAsked) consent.Question {
	t.Helper()
	answer, q, err := d.AskForm(t.Context(), a, f)
	if err != nil || q == nil || answer != nil || q.State != consent.Open {
		t.Fatalf("it comes to %v, %+v, %v", answer, q, err)
	}
	return *q
}

const oneToNine = `{"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}, "unit": {"default": "kg"}}, "required": ["n"], "additionalProperties": false}`

// TestFormsAreKnownAgain by their keys and all that they are, and answered once.
func TestFormsAreKnownAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.call(t, "lab.make", `{"x": 1}`)
	f := asking(t, "ask[0]", "Weight", oneToNine)
	f.Shown.Title = "Shown"
	q := d.asksForm(t, a, f)
	if q.Form.Title != "Shown" || q.Reason != consent.NeedsAnswer || q.Run != d.run.ID || q.Tool != "lab.make" || q.Shape != "" || !q.ExpiresAt.Equal(d.now.Add(wait)) {
		t.Errorf("asked is %+v", q)
	}
	if again := d.asksForm(t, a, f); again.ID != q.ID {
		t.Errorf("asked again is %+v", again)
	}
	other := d.asksForm(t, a, asking(t, "ask[1]", "Weight", oneToNine))
	if other.ID == q.ID {
		t.Error("two forms of a call are one question")
	}
	if list, err := d.Questions(t.Context(), true, 0); err != nil || len(list) != 2 {
		t.Errorf("open are %+v, %v", list, err)
	}
	kept, err := d.Decide(t.Context(), q.ID, consent.Answer{Allow: true, HasValue: true, Value: jsonOf(t, `{"n": 2}`)})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"n": json.Number("2"), "unit": "kg"}
	if diff := cmp.Diff(want, kept.Answer.Value); diff != "" || kept.Answer.Approved != "" || kept.Answer.Grant != "" {
		t.Errorf("kept is %+v: %s", kept.Answer, diff)
	}
	for range 2 {
		got, open, err := d.AskForm(t.Context(), a, f)
		if diff := cmp.Diff(want, got); diff != "" || open != nil || err != nil {
			t.Errorf("the answer is %v, %+v, %v", got, open, err)
		}
	}
	// A form that differs in anything is another one: an answer is to what was shown.
	for _, change := range []func(*consent.Form){
		func(f *consent.Form) { f.Title = "Height" }, func(f *consent.Form) { f.Text = "More." }, func(f *consent.Form) { f.Schema = jsonOf(t, `{"type": "object"}`) },
		func(f *consent.Form) { *f = consent.Form{URL: "https://example.org"} },
	} {
		before, differs := q, f
		change(&differs.Form)
		q = d.asksForm(t, a, differs)
		if q.ID == before.ID {
			t.Errorf("%+v is taken for %+v", differs.Form, before.Form)
		}
		if old, err := d.Question(t.Context(), before.ID); err != nil || old.State == consent.Open {
			t.Errorf("left is %+v, %v", old, err)
		}
	}
	want2 := []string{"ada allow lab.make 0 what it asked for; question " + kept.ID + ", run " + d.run.ID + ", asked for by kettle"}
	if diff := cmp.Diff(want2, d.audit(t)); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestWhatBecomesOfForms that are not answered.
func TestWhatBecomesOfForms(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	f := asking(t, "ask[0]", "Weight", oneToNine)
	a := d.call(t, "lab.make", `{}`)
	q := d.asksForm(t, a, f)
	if _, err := d.Decide(t.Context(), q.ID, consent.Answer{Reason: "ask Bo"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, _, err := d.AskForm(t.Context(), a, f)
		wantCode(t, err, tool.CodeInteractionRefused, `ada said no to the form "Weight". The reason: ask Bo`)
	}
	late := d.call(t, "lab.make", `{}`)
	q = d.asksForm(t, late, f)
	d.now = q.ExpiresAt
	_, err := d.Decide(t.Context(), q.ID, consent.Answer{Allow: true, HasValue: true, Value: jsonOf(t, `{"n": 2}`)})
	wantCode(t, err, consent.CodeClosed)
	for range 2 {
		_, _, err := d.AskForm(t.Context(), late, f)
		wantCode(t, err, tool.CodeInteractionTimeout, `Nobody answered the form "Weight" within 1m0s.`)
	}
	if lines := d.audit(t); len(lines) != 2 || !strings.Contains(lines[0]+lines[1], "nobody answered in time") || !strings.Contains(lines[0]+lines[1], "because ask Bo") {
		t.Errorf("audit: %q", lines)
	}
}

// TestFormsOfARunThatIsStopped cannot be answered any more, and an agent never answers.
func TestFormsOfARunThatIsStopped(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, f := d.call(t, "lab.make", `{}`), asking(t, "ask[0]", "Sure?", "")
	q := d.asksForm(t, a, f)
	if _, _, err := d.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := d.Decide(t.Context(), q.ID, consent.Answer{Allow: true})
	wantCode(t, err, consent.CodeClosed)
	agent := engine.ActAs(t.Context(), engine.Actor{Who: "kettle", Agent: true})
	_, err = d.Decide(agent, q.ID, consent.Answer{})
	wantCode(t, err, consent.CodeForbidden)
}

// TestFormsThatAreAskedNobody: what is wrong is told to the tool, and nothing is kept.
func TestFormsThatAreAskedNobody(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.call(t, "lab.make", `{}`)
	var doubling strings.Builder
	for i := range 40 {
		fmt.Fprintf(&doubling, `"a%d": {"allOf": [{"$ref": "#/$defs/a%d"}, {"$ref": "#/$defs/a%d"}]}, `, i, i+1, i+1)
	}
	for name, c := range map[string]struct {
		form  engine.FormAsked
		field string
	}{
		"no title":         {asking(t, "k", "", ""), "$.title"},
		"no schema":        {asking(t, "k", "T", `{"type": 7}`), "$.schema"},
		"one that doubles": {asking(t, "k", "T", `{"$ref": "#/$defs/a0", "$defs": {`+doubling.String()+`"a40": {}}}`), "$.schema"},
		"one elsewhere":    {asking(t, "k", "T", `{"$ref": "https://example.org"}`), "$.schema"},
		"a large one":      {asking(t, "k", "T", `{"const": "`+strings.Repeat("x", tool.MaxFormSchema)+`"}`), "$.schema"},
		"no page":          {engine.FormAsked{Key: "k", Form: consent.Form{URL: "file:///x"}}, "$.url"},
	} {
		_, q, err := d.AskForm(t.Context(), a, c.form)
		var coded *tool.Error
		if !errors.As(err, &coded) || coded.Code != tool.CodeInteractionInvalid || coded.Field != c.field || q != nil {
			t.Errorf("%s comes to %+v, %v", name, q, err)
		}
	}
	if list, err := d.Questions(t.Context(), false, 0); err != nil || len(list) > 0 {
		t.Errorf("kept are %+v, %v", list, err)
	}
}

// TestTheFirstAnswerToAFormWins, however many there are.
func TestTheFirstAnswerToAFormWins(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a, f := d.call(t, "lab.make", `{}`), asking(t, "ask[0]", "Weight", oneToNine)
	q := d.asksForm(t, a, f)
	const clients = 20
	errs := make([]error, clients)
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			_, errs[i] = d.Decide(context.Background(), q.ID, consent.Answer{Allow: true, HasValue: true, Value: map[string]any{"n": json.Number(fmt.Sprint(i%9 + 1))}})
		})
	}
	group.Wait()
	winner := -1
	for i, err := range errs {
		if err == nil && winner < 0 {
			winner = i
			continue
		}
		wantCode(t, err, consent.CodeAnswered)
	}
	got, _, err := d.AskForm(t.Context(), a, f)
	if diff := cmp.Diff(map[string]any{"n": json.Number(fmt.Sprint(winner%9 + 1)), "unit": "kg"}, got); diff != "" || err != nil {
		t.Errorf("%d won; the answer is %v, %v", winner, got, err)
	}
}

// TestAStoreThatFailsKeepsNoHalfForms: whatever of it fails, the error comes out, and all is as it
// was.
func TestAStoreThatFailsKeepsNoHalfForms(t *testing.T) {
	t.Parallel()
	ask := func(d *desk, a engine.Asking, title string) error {
		_, _, err := d.AskForm(context.Background(), a, engine.FormAsked{Key: "ask[0]", Form: consent.Form{Title: title}, Shown: consent.Form{Title: title}})
		return err
	}
	for name, c := range map[string]struct {
		operations []string
		do         func(*desk) error
	}{
		"ask":       {[]string{"Asked", "PutQuestion", "PutAsked"}, func(d *desk) error { return ask(d, d.call(t, "lab.make", `{}`), "Sure?") }},
		"ask again": {[]string{"Asked", "Question"}, func(d *desk) error { return ask(d, d.waiting, "Sure?") }},
		"another":   {[]string{"PutQuestion", "PutAsked"}, func(d *desk) error { return ask(d, d.waiting, "Really?") }},
		"expire": {[]string{"PutQuestion", "AppendAudit"}, func(d *desk) error {
			d.now = d.now.Add(wait)
			defer func() { d.now = dawn }()
			return ask(d, d.waiting, "Sure?")
		}},
		"answer": {[]string{"Question", "PutQuestion", "AppendAudit"}, func(d *desk) error {
			_, err := d.Decide(context.Background(), d.open, consent.Answer{Allow: true, HasValue: true, Value: true})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.waiting = d.call(t, "lab.make", `{}`)
			d.open = d.asksForm(t, d.waiting, asking(t, "ask[0]", "Sure?", "")).ID
			before := d.picture(t)
			for _, operation := range c.operations {
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

// TestWhatCameOfASecret that a call has asked for is remembered by its name: whatever else the call
// asks for, and however often it is made anew.
func TestWhatCameOfASecret(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), t.Context()
	a, b := d.call(t, "lab.make", `{}`), d.call(t, "lab.make", `{}`)
	ask := func(a engine.Asking, name string) consent.Question {
		t.Helper()
		q, err := d.AskSecret(ctx, a, name)
		if err != nil || q.Secret != name || q.State != consent.Open {
			t.Fatalf("%+v, %v", q, err)
		}
		return q
	}
	key, late := ask(a, "key"), ask(a, "late")
	if again := ask(a, "key"); again.ID != key.ID || again.Count != 1 {
		t.Errorf("asked again is %+v", again)
	}
	if joined := ask(b, "key"); joined.ID != key.ID || joined.Count != 2 {
		t.Errorf("asked for by another call is %+v", joined)
	}
	if _, err := d.Decide(ctx, key.ID, consent.Answer{Reason: "ask Bo"}); err != nil {
		t.Fatal(err)
	}
	d.asksForm(t, a, asking(t, "ask[0]", "Sure?", ""))
	for _, one := range []engine.Asking{a, b} {
		_, err := d.AskSecret(ctx, one, "key")
		wantCode(t, err, "SECRET_MISSING", `ada did not give the secret "key". The reason: ask Bo`)
	}
	if other := ask(d.call(t, "lab.make", `{}`), "key"); other.ID == key.ID {
		t.Error("a call that has not asked is told of the answer to others")
	}
	d.now = late.ExpiresAt
	_, err := d.AskSecret(ctx, a, "late")
	wantCode(t, err, "SECRET_MISSING", `Nobody gave the secret "late" within 1m0s.`)
	for _, operation := range []string{"Asked", "OpenQuestion", "PutQuestion", "PutAsked"} {
		d.store.set(operation)
		if _, err := d.AskSecret(ctx, d.call(t, "lab.make", `{}`), "new"); !errors.Is(err, errDisk) {
			t.Errorf("%s fails, and it comes to %v", operation, err)
		}
		d.store.set("")
	}
}
