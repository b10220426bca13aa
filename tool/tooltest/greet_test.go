package tooltest_test

import (
	"fmt"
	"testing"
	"time"

	"toolsmith/tool"
	"toolsmith/tool/tooltest"
)

type greeting struct {
	Text string `json:"text" jsonschema:"how to begin"`
}

func newGreet() *tool.Tool {
	return tool.MustNew(tool.Spec{Name: "greet", Description: "Greet somebody back."},
		func(ctx *tool.Context, in greeting) (tool.Subtasks, error) {
			chain, err := ctx.Chain(tool.MaxTasks(1))
			if err != nil {
				return tool.Subtasks{}, err
			}
			return ctx.Subtasks(tool.Chain{tool.Message(tool.RoleAssistant, in.Text+chain[0].Text())}), nil
		})
}

// TestGreet is what the test of a tool looks like; the doc of the package shows the middle.
func TestGreet(t *testing.T) {
	t.Parallel()
	greet := newGreet()
	result := tooltest.Run(t, greet, `{"text": "You said: "}`, tooltest.WithChain(
		tool.Entry{Role: tool.RoleUser, Type: tool.TypeMessage, Data: []byte(`"Hi!"`)},
	))
	if got := result.Subtasks()[0][0].Content.Data; got != "You said: Hi!" {
		t.Errorf("the answer is %v", got)
	}
	if err := tooltest.Run(t, greet, `{"text": ""}`).Err; tool.Code(err) != tool.CodeContextUnavailable {
		t.Errorf("outside of a run: %v", err)
	}
	if err := tooltest.Run(t, greet, `{}`).Err; tool.Code(err) != tool.CodeArgumentsInvalid {
		t.Errorf("without a text: %v", err)
	}
}

// A tool that waits asks to be called again, and is called with the time at which it began.
func TestAgain(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 5, 10, 0, 0, 0, time.UTC)
	now := start
	wait := with(func(ctx *tool.Context) (bool, error) {
		began, ok := ctx.Began()
		if until := began.Add(time.Hour); ok && now.Before(until) {
			return false, fmt.Errorf("not yet: %w", tool.Again(until))
		}
		return ok, nil
	})
	at, again := tool.IsAgain(tooltest.Run(t, wait, nil, tooltest.WithBegan(start)).Err)
	if !again || !at.Equal(start.Add(time.Hour)) {
		t.Errorf("it asks for %v, %v", at, again)
	}
	now = at
	var began bool
	result := tooltest.Run(t, wait, nil, tooltest.WithBegan(start))
	if _, again := tool.IsAgain(result.Err); again {
		t.Error("it asks again when the time has come")
	}
	if result.Value(&began); !began {
		t.Error("the time at which the call began is not there")
	}
	if tooltest.Run(t, wait, nil).Value(&began); began {
		t.Error("a call outside of a run has a time at which it began")
	}
	if got := tool.Again(at).Error(); got != "call again at 2026-11-05T11:00:00Z" {
		t.Errorf("the error is %q", got)
	}
}
