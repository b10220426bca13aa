package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/port"
	"toolsmith/internal/secret"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// eggs is a form with fields.
func eggs() tool.Form {
	return tool.Form{Title: "Eggs", Text: "For the cake.", Schema: json.RawMessage(
		`{"type":"object","required":["count"],"properties":{"count":{"type":"integer","maximum":12},"kind":{"type":"string","default":"brown"}},"additionalProperties":false}`)}
}

// survey is a tool that asks for each of some forms, and for the page of one without a title.
func survey(d *diary, name string, forms ...tool.Form) *tool.Tool {
	return tool.MustNew(tool.Spec{Name: name, Description: "For a test."}, func(ctx *tool.Context, in in) (any, error) {
		d.add("%s %v", name, in.V)
		answers := []any{}
		for _, form := range forms {
			if form.Title == "" {
				if err := ctx.Popup(form.Text); err != nil {
					return nil, fmt.Errorf("popup: %w", err)
				}
				continue
			}
			answer, err := ctx.Ask(form)
			if err != nil {
				return nil, fmt.Errorf("ask: %w", err)
			}
			answers = append(answers, answer)
		}
		return answers, nil
	})
}

func oneCall(t *testing.T, name string) engine.Request {
	t.Helper()
	return engine.Request{Caller: "cli", Chains: chains(t, tool.Chain{call(name, 1)})}
}

// one gives the only open question, which is for a form.
func (p *process) one(t *testing.T) consent.Question {
	t.Helper()
	list := p.open(t)
	if len(list) != 1 || list[0].Form == nil || list[0].Reason != consent.NeedsAnswer || list[0].MayRemember() || list[0].Count != 1 {
		t.Fatalf("open are %+v", list)
	}
	return list[0]
}

func filled(v any) consent.Answer { return consent.Answer{Allow: true, HasValue: true, Value: v} }

// TestAToolAsksThePerson several times in one call, which is made anew with each answer, and takes
// no worker meanwhile.
func TestAToolAsksThePerson(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var ran diary
		p := h.process(t, survey(&ran, "ask", tool.Form{Title: "Sure?"}, eggs(), tool.Form{Text: "https://example.org/in"}, tool.Form{Title: "Really?"}))
		id := p.begin(t, oneCall(t, "ask"))

		first := p.one(t)
		if first.Form.Title != "Sure?" || first.Form.Schema != nil || first.Tool != "ask" || first.Caller != "cli" {
			t.Errorf("asked %+v", first)
		}
		view := p.view(t, id)
		if view.Run.Status != task.RunWaiting || view.Executions[0].State != task.Waiting || view.Executions[0].StartedAt == nil || view.Executions[0].Attempts != 0 {
			t.Errorf("it waits as %s, %+v", view.Run.Status, view.Executions[0])
		}
		p.decide(t, first.ID, consent.Answer{Allow: true})
		second := p.one(t)
		if value.JSON(second.Form.Schema) == "null" || second.Form.Text != "For the cake." {
			t.Errorf("asked %+v", second.Form)
		}
		kept := p.decide(t, second.ID, filled(map[string]any{"count": json.Number("3")}))
		if value.JSON(kept.Answer.Value) != `{"count":3,"kind":"brown"}` || kept.Answer.Who != "ada" {
			t.Errorf("kept is %+v", kept.Answer)
		}
		third := p.one(t)
		if third.Form.URL != "https://example.org/in" {
			t.Errorf("asked %+v", third.Form)
		}
		p.decide(t, third.ID, consent.Answer{Allow: true})
		p.decide(t, p.one(t).ID, filled(false))
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
		if got := p.result(t, id); got != `[true,{"count":3,"kind":"brown"},false]` {
			t.Errorf("it came to %s", got)
		}
		if calls := ran.all(); len(calls) != 5 {
			t.Errorf("called: %q", calls)
		}
		if e := p.view(t, id).Executions[0]; e.Attempts != 1 || e.Granted != "settings" {
			t.Errorf("kept is %+v", e)
		}
	})
}

// TestANoToAForm is an error that the tool may do something about.
func TestANoToAForm(t *testing.T) {
	for name, c := range map[string]struct {
		form   tool.Form
		answer *consent.Answer // nil: nobody answers
		code   string
		says   string
	}{
		"refused":        {eggs(), &consent.Answer{Reason: "ask Bo"}, tool.CodeInteractionRefused, `ada said no to the form "Eggs". The reason: ask Bo`},
		"yes or no":      {tool.Form{Title: "Sure?"}, &consent.Answer{}, tool.CodeInteractionRefused, `ada said no to the form "Sure?".`},
		"page":           {tool.Form{Text: "http://localhost:1/x"}, &consent.Answer{}, tool.CodeInteractionRefused, "ada said no to the page http://localhost:1/x."},
		"nobody answers": {eggs(), nil, tool.CodeInteractionTimeout, `Nobody answered the form "Eggs" within 10m0s.`},
		"no page":        {tool.Form{Text: "file:///etc/passwd"}, nil, tool.CodeInteractionInvalid, "whole address of a page"},
		"nothing":        {tool.Form{}, nil, tool.CodeInteractionInvalid, "whole address of a page"},
		"a long title":   {tool.Form{Title: strings.Repeat("é", 201)}, nil, tool.CodeInteractionInvalid, "201 characters"},
		"no schema":      {tool.Form{Title: "T", Schema: json.RawMessage(`7`)}, nil, tool.CodeInteractionInvalid, "an object"},
		"half a schema":  {tool.Form{Title: "T", Schema: json.RawMessage(`{`)}, nil, tool.CodeInteractionInvalid, "an object"},
		"twice a name":   {tool.Form{Title: "T", Schema: json.RawMessage(`{"type":"object","type":"string"}`)}, nil, tool.CodeInteractionInvalid, "cannot be read"},
		"a bad schema":   {tool.Form{Title: "T", Schema: json.RawMessage(`{"type":7}`)}, nil, tool.CodeInteractionInvalid, "no JSON Schema"},
		"one elsewhere":  {tool.Form{Title: "T", Schema: json.RawMessage(`{"$ref":"https://example.org/s"}`)}, nil, tool.CodeInteractionInvalid, "another way"},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				var ran diary
				p := h.process(t, survey(&ran, "ask", c.form))
				id := p.begin(t, oneCall(t, "ask"))
				if c.answer != nil {
					p.decide(t, p.one(t).ID, *c.answer)
				}
				run := p.settle(t, id)
				wantRun(t, run, task.RunFailed, c.code)
				if !strings.Contains(run.Failure.Message, c.says) {
					t.Errorf("it says %q", run.Failure.Message)
				}
				if c.code == tool.CodeInteractionInvalid && len(p.questions(t)) > 0 {
					t.Errorf("asked is %+v", p.questions(t))
				}
				if list := p.open(t); len(list) > 0 {
					t.Errorf("left open is %+v", list)
				}
			})
		})
	}
}

// TestAnAnswerThatDoesNotFit leaves the question open, with every violation told.
func TestAnAnswerThatDoesNotFit(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var ran diary
		p := h.process(t, survey(&ran, "ask", eggs(), tool.Form{Title: "Sure?"}, tool.Form{Text: "https://example.org"}))
		id := p.begin(t, oneCall(t, "ask"))
		until := time.Now().Add(time.Hour)
		refuse := func(id string, answers ...consent.Answer) {
			t.Helper()
			for _, a := range answers {
				if _, _, err := p.Decide(t.Context(), id, a); tool.Code(err) != consent.CodeAnswerInvalid {
					t.Errorf("%+v gives %v", a, err)
				}
			}
		}
		q := p.one(t)
		fits := map[string]any{"count": json.Number("1")}
		refuse(q.ID, consent.Answer{Allow: true}, filled(nil), filled(true), filled(map[string]any{}),
			filled(map[string]any{"count": json.Number("1"), "kind": strings.Repeat("x", consent.MaxValue)}),
			consent.Answer{Allow: true, HasValue: true, Value: fits, For: consent.Always},
			consent.Answer{Allow: true, HasValue: true, Value: fits, Edited: true},
			consent.Answer{Allow: true, HasValue: true, Value: fits, Until: &until},
			consent.Answer{HasValue: true, Value: fits})
		_, _, err := p.Decide(t.Context(), q.ID, filled(map[string]any{"count": json.Number("13"), "kinds": "x"}))
		var coded *tool.Error
		if !errors.As(err, &coded) || coded.Field != "$.count" || !strings.Contains(coded.Message, "at most 12") || !strings.Contains(coded.Message, `Did you mean "kind"?`) {
			t.Errorf("it says %v", err)
		}
		agent := engine.ActAs(t.Context(), engine.Actor{Who: "kettle", Agent: true})
		if _, _, err := p.Decide(agent, q.ID, filled(fits)); tool.Code(err) != consent.CodeForbidden {
			t.Errorf("an agent gets %v", err)
		}
		if len(ran.all()) != 1 {
			t.Errorf("called: %q", ran.all())
		}
		p.decide(t, q.ID, filled(fits))
		if _, _, err := p.Decide(t.Context(), q.ID, filled(fits)); tool.Code(err) != consent.CodeAnswered {
			t.Errorf("a second answer gives %v", err)
		}
		yesOrNo := p.one(t)
		refuse(yesOrNo.ID, filled("yes"), filled(nil))
		p.decide(t, yesOrNo.ID, consent.Answer{Allow: true})
		page := p.one(t)
		refuse(page.ID, filled(true))
		p.decide(t, page.ID, consent.Answer{Allow: true})
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
	})
}

// TestAFormOutlivesItsProcess: what was answered is found again, and what is open is asked once.
func TestAFormOutlivesItsProcess(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var ran diary
		asks := func() *tool.Tool { return survey(&ran, "ask", eggs(), tool.Form{Title: "Sure?"}) }
		p, q := h.process(t, asks()), h.process(t, asks())
		id := p.begin(t, oneCall(t, "ask"))
		first := p.one(t)
		p.die(t)
		if _, left, err := q.Decide(t.Context(), first.ID, filled(map[string]any{"count": json.Number("2")})); err != nil || !left {
			t.Fatalf("left %v, %v", left, err)
		}
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		second := q.one(t)
		q.die(t)
		r := h.process(t, asks())
		if _, err := r.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		if again := r.one(t); again.ID != second.ID || again.Form.Title != "Sure?" {
			t.Errorf("asked is %+v", again)
		}
		r.decide(t, second.ID, consent.Answer{Allow: true})
		wantRun(t, r.finish(t, id), task.RunSucceeded, "")
		if got := r.result(t, id); got != `[{"count":2,"kind":"brown"},true]` || len(r.questions(t)) != 2 {
			t.Errorf("it came to %s with %d questions", got, len(r.questions(t)))
		}
	})
}

// TestAFormThatNobodyAnsweredInTime while no process was there is over when the run is taken up.
func TestAFormThatNobodyAnsweredInTime(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var ran diary
		p, q := h.process(t, survey(&ran, "ask", eggs())), h.process(t, survey(&ran, "ask", eggs()))
		id := p.begin(t, oneCall(t, "ask"))
		asked := p.one(t)
		p.die(t)
		<-time.After(11 * time.Minute) // of the time of the test
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		wantRun(t, q.finish(t, id), task.RunFailed, tool.CodeInteractionTimeout)
		if _, _, err := q.Decide(t.Context(), asked.ID, filled(nil)); tool.Code(err) != consent.CodeClosed {
			t.Errorf("a late answer gives %v", err)
		}
	})
}

// TestARunThatIsCancelledWhileItAsks closes its question.
func TestARunThatIsCancelledWhileItAsks(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var ran diary
		p := h.process(t, survey(&ran, "ask", eggs()))
		id := p.begin(t, oneCall(t, "ask"))
		q := p.one(t)
		if _, err := p.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		wantRun(t, p.finish(t, id), task.RunCancelled, task.CodeAborted)
		if _, _, err := p.Decide(t.Context(), q.ID, consent.Answer{}); tool.Code(err) != consent.CodeClosed {
			t.Errorf("an answer gives %v", err)
		}
	})
}

// TestTwoCallsThatAsk the same are asked about each by itself; the calls themselves are asked about
// before, once.
func TestTwoCallsThatAsk(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		h.askAll(t)
		ask := tool.MustNew(tool.Spec{Name: "ask", Description: "For a test.", Powers: []tool.Power{tool.Outbound}, Risk: tool.R4}, func(ctx *tool.Context, in in) (any, error) {
			return ctx.Ask(eggs())
		})
		p := h.process(t, ask)
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("ask", 1)}, tool.Chain{call("ask", 2)})})
		for _, q := range p.open(t) {
			p.decide(t, q.ID, consent.Answer{Allow: true})
		}
		list := p.open(t)
		if len(list) != 2 || list[0].Form == nil || list[1].Form == nil {
			t.Fatalf("open are %+v", list)
		}
		for i, q := range list {
			p.decide(t, q.ID, filled(map[string]any{"count": value.Int(i)}))
		}
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
		if n := len(p.questions(t)); n != 4 {
			t.Errorf("%d questions", n)
		}
	})
}

// TestAFormThatDiffers from the one that was answered is asked anew: an answer is for what was shown.
func TestAFormThatDiffers(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		title := "first"
		ask := native("ask", func(ctx *tool.Context, _ any) (any, error) { return ctx.Ask(tool.Form{Title: title}) })
		p, q := h.process(t, ask), h.process(t, ask)
		id := p.begin(t, oneCall(t, "ask"))
		first := p.one(t)
		p.die(t)
		title = "second"
		if _, err := q.Resume(t.Context(), id, nil); err != nil {
			t.Fatal(err)
		}
		if _, _, err := q.Decide(t.Context(), first.ID, filled(true)); err == nil { // the call looks whether it is answered
			synctest.Wait()
		}
		second := q.one(t)
		if second.ID == first.ID || second.Form.Title != "second" {
			t.Errorf("asked is %+v", second)
		}
		q.decide(t, second.ID, filled(false))
		wantRun(t, q.finish(t, id), task.RunSucceeded, "")
		if got := q.result(t, id); got != "false" {
			t.Errorf("it came to %s", got)
		}
	})
}

// TestAToolThatGoesOnWithoutAnAnswer is made anew all the same.
func TestAToolThatGoesOnWithoutAnAnswer(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		ask := native("ask", func(ctx *tool.Context, _ any) (any, error) {
			answer, err := ctx.Ask(tool.Form{Title: "Sure?"})
			if err != nil {
				return "I do not care", nil //nolint:nilerr // that is what is tried
			}
			return answer, nil
		})
		p := h.process(t, ask)
		id := p.begin(t, oneCall(t, "ask"))
		p.decide(t, p.one(t).ID, consent.Answer{Allow: true})
		p.finish(t, id)
		if got := p.result(t, id); got != "true" {
			t.Errorf("it came to %s", got)
		}
	})
}

// TestAToolOfAPortAsks, as a tool in Go does.
func TestAToolOfAPortAsks(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var seen diary
		serve := func(ctx context.Context, r port.Request) (port.Answer, error) {
			answer, err := r.Context(ctx, 0, "ask", map[string]any{"title": "Eggs", "schema": map[string]any{"type": "integer"}})
			if err == nil {
				_, err = r.Context(ctx, 0, "popup", map[string]any{"url": "https://example.org"})
			}
			if err == nil {
				_, err = r.Context(ctx, 1, "ask", map[string]any{"title": "Sure?", "text": "Yes."})
			}
			seen.add("%v %v", answer, tool.Code(err))
			if tool.Code(err) == tool.CodeInteractionRefused {
				return port.Answer{Value: err.Error()}, nil
			}
			return port.Answer{Value: answer}, err
		}
		p := h.processWith(t, worker.Options{Ports: ports(serve)})
		p.supply(t, "form", "")
		id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{tool.Call("form", nil)})})
		p.decide(t, p.one(t).ID, filled(json.Number("7")))
		p.decide(t, p.one(t).ID, consent.Answer{Allow: true})
		p.decide(t, p.one(t).ID, consent.Answer{Reason: "no time"})
		wantRun(t, p.finish(t, id), task.RunSucceeded, "")
		if got := p.result(t, id); !strings.Contains(got, "no time") || len(seen.all()) != 4 {
			t.Errorf("it came to %s, %q", got, seen.all())
		}
	})
}

// TestAFormShowsNoSecret that the run has used.
func TestAFormShowsNoSecret(t *testing.T) {
	t.Parallel()
	l := newLab(t, http.NotFound, func(string) *tool.Tool {
		return tool.MustNew(tool.Spec{Name: "leak", Description: "Shows a secret.", Secrets: []string{"key"}}, func(ctx *tool.Context, in hush) (any, error) {
			key, err := ctx.Secret("key")
			if err != nil {
				return nil, err
			}
			schema, err := json.Marshal(map[string]any{"type": "string", "description": key, "default": key})
			if err != nil {
				return nil, err
			}
			if _, err := ctx.Ask(tool.Form{Title: "It is " + key, Text: key, Schema: schema}); err != nil {
				return nil, err
			}
			return nil, ctx.Popup("https://example.org/?key=" + http.CanonicalHeaderKey("x") + "cAn4ry%2F%2Bsecret%26%22%3C7%3E%3Dx%20y")
		})
	})
	if _, err := l.vault.Set(t.Context(), "go:leak", "key", canary, secret.Attributes{}); err != nil {
		t.Fatal(err)
	}
	l.reply = func(q consent.Question) consent.Answer {
		if shown := value.JSON(q.Form.Schema) + q.Form.Title + q.Form.URL; !strings.Contains(shown, "[secret key]") {
			t.Errorf("shown is %s", shown)
		}
		return consent.Answer{Allow: true, HasValue: q.Form.URL == "", Value: map[bool]any{true: "x"}[q.Form.URL == ""]}
	}
	if run, _ := l.call(t, tool.Chain{tool.Call("leak", hush{"once"})}); run.Status != task.RunSucceeded {
		t.Errorf("%s %v", run.Status, run.Failure)
	}
	l.wantHidden(t)
}
