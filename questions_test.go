package toolsmith_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"toolsmith"
	"toolsmith/tool"
)

var aNote = tool.Chain{tool.Call("notes.create", map[string]any{"title": "tea", "content": "green"})}

// TestAQuestionToAProgram asks once, with what is needed to answer.
func TestAQuestionToAProgram(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var questions []toolsmith.Question
	answer := toolsmith.Answer{Reason: "no notes today"}
	r, ctx := openedWith(t, toolsmith.Options{InMemory: true, Caller: "kettle", Ask: func(_ context.Context, q toolsmith.Question) (toolsmith.Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		questions = append(questions, q)
		return answer, nil
	}}), t.Context()

	result, err := r.Run(ctx, []tool.Chain{aNote}, toolsmith.RunOptions{Title: "make tea"})
	if err != nil || result.Status != "failed" || result.Err.Code != "CONSENT_DENIED" || !strings.Contains(result.Err.Message, "no notes today") {
		t.Fatalf("%+v, %v", result, err)
	}
	q := questions[0]
	if len(questions) != 1 || q.RunID != result.RunID || q.RunTitle != "make tea" || q.Caller != "kettle" || q.By != "" ||
		q.Tool != "notes.create" || q.Marks.Risk != tool.R2 || q.Reason != "setting" || q.Count != 1 || !q.MayRemember ||
		string(q.Arguments[0]) != `{"content":"green","title":"tea"}` || len(q.Version) != 64 || !q.ExpiresAt.After(q.AskedAt) {
		t.Errorf("asked %+v", questions)
	}

	answer = toolsmith.Answer{Allow: true, For: "always", Count: 1}
	for range 2 {
		if result, err := r.Run(ctx, []tool.Chain{aNote}, toolsmith.RunOptions{}); err != nil || result.Status != "succeeded" {
			t.Fatalf("%+v, %v", result, err)
		}
	}
	if len(questions) != 2 {
		t.Errorf("%d questions, want one that was denied and one that counts for always", len(questions))
	}
}

// TestAnsweringLater leaves questions open for whoever answers.
func TestAnsweringLater(t *testing.T) {
	t.Parallel()
	r, ctx := openedWith(t, toolsmith.Options{InMemory: true}), t.Context()
	begin := func() (string, toolsmith.Question) {
		t.Helper()
		id, err := r.Begin(ctx, []tool.Chain{aNote}, toolsmith.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for {
			list, err := r.Questions(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if len(list) == 1 {
				return id, list[0]
			}
		}
	}
	id, q := begin()
	for want, a := range map[string]toolsmith.Answer{
		"QUESTION_GROWN": {Allow: true, Count: 2},
		"ANSWER_INVALID": {Allow: true, For: "ever"},
	} {
		if err := r.Answer(ctx, q.ID, a); tool.Code(err) != want {
			t.Errorf("%+v gives %v, want %s", a, err, want)
		}
	}
	if err := r.Answer(ctx, "nobody", toolsmith.Answer{}); tool.Code(err) != "QUESTION_NOT_FOUND" {
		t.Errorf("no question gives %v", err)
	}
	if err := r.Answer(ctx, q.ID, toolsmith.Answer{Allow: true}); err != nil {
		t.Fatal(err)
	}
	if err := r.Answer(ctx, q.ID, toolsmith.Answer{}); tool.Code(err) != "QUESTION_ANSWERED" {
		t.Errorf("a second answer gives %v", err)
	}
	if result, err := r.Attach(ctx, id, toolsmith.RunOptions{}); err != nil || result.Status != "succeeded" {
		t.Errorf("%+v, %v", result, err)
	}

	// One that nobody has answered is closed with its run.
	id, q = begin()
	if err := r.Cancel(ctx, id); err != nil {
		t.Fatal(err)
	}
	if err := r.Answer(ctx, q.ID, toolsmith.Answer{Allow: true}); tool.Code(err) != "QUESTION_CLOSED" {
		t.Errorf("the question of a cancelled run gives %v", err)
	}
}

// TestPermit has nobody asked, or nothing run.
func TestPermit(t *testing.T) {
	t.Parallel()
	r, ctx := openedWith(t, toolsmith.Options{InMemory: true}), t.Context()
	for permission, want := range map[string]string{"deny": "failed", "allow": "succeeded"} {
		if err := r.Permit(ctx, tool.Write, permission); err != nil {
			t.Fatal(err)
		}
		if result, err := r.Run(ctx, []tool.Chain{aNote}, toolsmith.RunOptions{}); err != nil || result.Status != want {
			t.Errorf("%s gives %+v, %v", permission, result, err)
		}
	}
	if err := r.Permit(ctx, tool.Write, "perhaps"); tool.Code(err) != "PERMISSION_INVALID" {
		t.Errorf("no permission gives %v", err)
	}
	if err := r.Permit(ctx, "fly", "allow"); tool.Code(err) != "PERMISSION_INVALID" {
		t.Errorf("no power gives %v", err)
	}
}

// TestNobodyAnswers counts as a no.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	r, ctx := openedWith(t, toolsmith.Options{InMemory: true, AnswerTime: time.Nanosecond}), t.Context()
	result, err := r.Run(ctx, []tool.Chain{aNote}, toolsmith.RunOptions{})
	if err != nil || result.Status != "failed" || result.Err.Code != "CONSENT_TIMEOUT" {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestAProgramThatCannotAnswer leaves the question open, and says so in the log.
func TestAProgramThatCannotAnswer(t *testing.T) {
	t.Parallel()
	logged := make(lines, 1)
	r, ctx := openedWith(t, toolsmith.Options{
		InMemory: true, Log: slog.New(slog.NewTextHandler(logged, nil)),
		Ask: func(context.Context, toolsmith.Question) (toolsmith.Answer, error) {
			return toolsmith.Answer{}, errors.New("the screen is off")
		},
	}), t.Context()
	if _, err := r.Begin(ctx, []tool.Chain{aNote}, toolsmith.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	if line := <-logged; !strings.Contains(line, "the screen is off") {
		t.Errorf("it logs %s", line)
	}
	if list, err := r.Questions(ctx); err != nil || len(list) != 1 {
		t.Errorf("%d questions are open, %v", len(list), err)
	}
}

// lines are what is logged.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// TestAProgramIsAskedByATool fills in what a tool asks for while it runs, or says no.
func TestAProgramIsAskedByATool(t *testing.T) {
	t.Parallel()
	ask := tool.MustNew(tool.Spec{Name: "ask", Description: "Asks."}, func(ctx *tool.Context, _ struct{}) (any, error) {
		many, err := ctx.Ask(tool.Form{Title: "How many?", Text: "Eggs.", Schema: json.RawMessage(`{"maximum":9,"type":"integer"}`)})
		if tool.Code(err) == tool.CodeInteractionRefused {
			return err.Error(), nil
		}
		if err != nil {
			return nil, err
		}
		return many, ctx.Popup("https://example.org")
	})
	for name, c := range map[string]struct {
		answer toolsmith.Answer
		value  string
	}{
		"a number":  {toolsmith.Answer{Allow: true, Value: 7}, `7`},
		"its JSON":  {toolsmith.Answer{Allow: true, Value: json.RawMessage(`7`)}, `7`},
		"no answer": {toolsmith.Answer{Reason: "not now"}, `"INTERACTION_REFUSED: `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r *toolsmith.Runtime
			r = openedWith(t, toolsmith.Options{InMemory: true, Ask: func(ctx context.Context, q toolsmith.Question) (toolsmith.Answer, error) {
				if q.Reason != "form" || q.Form == nil || q.MayRemember || q.Tool != "ask" {
					t.Errorf("asked %+v", q)
				}
				if q.Form.URL != "" {
					if q.Form.URL != "https://example.org" || q.Form.Title != "" || q.Form.Schema != nil {
						t.Errorf("asked for %+v", q.Form)
					}
					return toolsmith.Answer{Allow: true}, nil
				}
				if q.Form.Title != "How many?" || q.Form.Text != "Eggs." || string(q.Form.Schema) != `{"maximum":9,"type":"integer"}` {
					t.Errorf("asked for %+v", q.Form)
				}
				for _, wrong := range []toolsmith.Answer{{Allow: true}, {Allow: true, Value: 10}, {Allow: true, Value: "7"}, {Allow: true, Value: func() {}}, {Secret: "open sesame"}} {
					if err := r.Answer(ctx, q.ID, wrong); tool.Code(err) != "ANSWER_INVALID" {
						t.Errorf("%+v gives %v", wrong, err)
					}
				}
				return c.answer, nil
			}}, ask)
			result, err := r.Call(t.Context(), "ask", nil)
			if err != nil || result.Status != "succeeded" || !strings.HasPrefix(string(result.Value), c.value) {
				t.Errorf("%+v, %v", result, err)
			}
		})
	}
}
