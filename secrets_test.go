package toolsmith_test

import (
	"context"
	"strings"
	"testing"

	"toolsmith"
	"toolsmith/tool"
)

// knock is a tool that needs a key, and asks for it.
func knock() *tool.Tool {
	return tool.MustNew(tool.Spec{Name: "knock", Description: "Knocks.", Secrets: []string{"key"}}, func(ctx *tool.Context, _ struct{}) (string, error) {
		key, err := ctx.Secret("key", tool.AskNew())
		if err != nil {
			return "", err
		}
		return "opened with " + key, nil
	})
}

// TestAProgramIsAskedForASecret gives it, or says no.
func TestAProgramIsAskedForASecret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer        toolsmith.Answer
		status, value string
		code          string
	}{
		"it is given":   {toolsmith.Answer{Secret: "open sesame"}, "succeeded", `"opened with [secret key]"`, ""},
		"it is too bad": {toolsmith.Answer{Secret: "no"}, "cancelled", "", "ABORTED"},
		"a no":          {toolsmith.Answer{Reason: "not now"}, "failed", "", "SECRET_MISSING"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r *toolsmith.Runtime
			r = openedWith(t, toolsmith.Options{InMemory: true, Ask: func(ctx context.Context, q toolsmith.Question) (toolsmith.Answer, error) {
				if q.Secret != "key" || q.Tool != "knock" || q.Reason != "secret" || q.MayRemember {
					t.Errorf("asked %+v", q)
				}
				if len(c.answer.Secret) == 2 { // it cannot be kept, so the question stays open
					err := r.Answer(ctx, q.ID, c.answer)
					if tool.Code(err) != "SECRET_TOO_SHORT" || strings.Contains(err.Error(), `"no"`) {
						t.Errorf("%v", err)
					}
					return toolsmith.Answer{}, r.Cancel(ctx, q.RunID)
				}
				return c.answer, nil
			}}, knock())
			result, err := r.Call(t.Context(), "knock", nil)
			if err != nil || result.Status != c.status || string(result.Value) != c.value {
				t.Fatalf("%+v, %v", result, err)
			}
			if c.code != "" && (result.Err == nil || result.Err.Code != c.code) {
				t.Errorf("%v, want %s", result.Err, c.code)
			}
		})
	}
}

// TestSecretsOfAProgram are kept for its tools, and answer nothing that does not ask for one.
func TestSecretsOfAProgram(t *testing.T) {
	t.Parallel()
	r, ctx := openedWith(t, toolsmith.Options{InMemory: true}, knock()), t.Context()
	if err := r.SetSecret(ctx, "knock", "key", "open sesame"); err != nil {
		t.Fatal(err)
	}
	if result, err := r.Call(ctx, "knock", nil); err != nil || result.Status != "succeeded" {
		t.Errorf("%+v, %v", result, err)
	}
	for name, want := range map[string]string{"nobody": "NOT_FOUND", "dynamic:nobody": "NOT_FOUND"} {
		if err := r.SetSecret(ctx, name, "key", "open sesame"); !strings.Contains(tool.Code(err), want) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	if err := r.Answer(ctx, "nobody", toolsmith.Answer{Secret: "open sesame"}); tool.Code(err) != "QUESTION_NOT_FOUND" {
		t.Errorf("no question gives %v", err)
	}
	if _, err := r.Begin(ctx, []tool.Chain{aNote}, toolsmith.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	var list []toolsmith.Question
	for len(list) == 0 {
		var err error
		if list, err = r.Questions(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Answer(ctx, list[0].ID, toolsmith.Answer{Secret: "open sesame"}); tool.Code(err) != "ANSWER_INVALID" {
		t.Errorf("a secret for a yes gives %v", err)
	}
}
