package toolsmith_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"toolsmith"
	"toolsmith/tool"
)

// opened opens a runtime over a folder, of which every question is answered with yes.
func opened(t *testing.T, folder string, tools ...*tool.Tool) *toolsmith.Runtime {
	t.Helper()
	return openedWith(t, toolsmith.Options{Data: folder, InMemory: folder == "", Ask: func(context.Context, toolsmith.Question) (toolsmith.Answer, error) {
		return toolsmith.Answer{Allow: true}, nil
	}}, tools...)
}

func openedWith(t *testing.T, o toolsmith.Options, tools ...*tool.Tool) *toolsmith.Runtime {
	t.Helper()
	r, err := toolsmith.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	if err := r.Register(tools...); err != nil {
		t.Fatal(err)
	}
	return r
}

type word struct {
	Word string `json:"word"`
}

func shout() *tool.Tool {
	return tool.MustNew(tool.Spec{Name: "shout", Description: "Says a word loudly."},
		func(_ *tool.Context, in word) (string, error) {
			if in.Word == "" {
				return "", tool.Errorf("NOTHING_TO_SAY", "There is no word.")
			}
			return strings.ToUpper(in.Word), nil
		})
}

func TestARuntime(t *testing.T) {
	t.Parallel()
	r, ctx := opened(t, "", shout()), t.Context()

	result, err := r.Call(ctx, "shout", word{"hello"})
	var said string
	if err != nil || result.Status != "succeeded" || result.Reason != "settled" || result.Err != nil || result.Decode(&said) != nil || said != "HELLO" {
		t.Fatalf("%+v, %v", result, err)
	}
	if len(result.Tasks) != 2 || result.Tasks[0].Name != "shout" || result.Tasks[1].Parent != result.Tasks[0].ID || string(result.Tasks[1].Data) != `"HELLO"` {
		t.Errorf("tasks %+v", result.Tasks)
	}
	again, err := r.Attach(ctx, result.RunID, toolsmith.RunOptions{})
	if err != nil || string(again.Value) != string(result.Value) || len(again.Tasks) != 2 {
		t.Errorf("attached: %+v, %v", again, err)
	}
	failed, err := r.Call(ctx, "shout", word{})
	if err != nil || failed.Status != "failed" || failed.Err == nil || failed.Err.Code != "NOTHING_TO_SAY" || failed.Decode(&said) == nil {
		t.Errorf("%+v, %v", failed, err)
	}
	if _, err := r.Call(ctx, "whisper", nil); tool.Code(err) != "TOOL_UNKNOWN" {
		t.Errorf("an unknown tool gives %v", err)
	}
	if _, err := r.Run(ctx, []tool.Chain{{tool.Return(1), tool.Return(2)}}, toolsmith.RunOptions{}); tool.Code(err) != "RESULT_INVALID" {
		t.Errorf("a chain after its end gives %v", err)
	}
	if err := r.Register(shout()); tool.Code(err) != "TOOL_EXISTS" {
		t.Errorf("registering twice gives %v", err)
	}
}

// TestWaitingForATask ends the wait at the task that matches, and stops the rest.
func TestWaitingForATask(t *testing.T) {
	t.Parallel()
	r, ctx := opened(t, "", shout()), t.Context()
	chain := tool.Chain{tool.Call("shout", word{"first"}), tool.Call("wait", map[string]any{"seconds": 3600}), tool.Call("shout", word{"last"})}
	result, err := r.Run(ctx, []tool.Chain{chain}, toolsmith.RunOptions{Until: toolsmith.UntilType(tool.TypeToolResult), StopRest: true, Title: "long", Key: "once"})
	if err != nil || result.Reason != "matched" || result.Match == nil || string(result.Match.Data) != `"FIRST"` {
		t.Fatalf("%+v, %v", result, err)
	}
	ended, err := r.Attach(ctx, result.RunID, toolsmith.RunOptions{})
	if err != nil || ended.Status != "cancelled" || ended.Reason != "aborted" || ended.Err == nil || ended.Err.Code != "ABORTED" {
		t.Errorf("%+v, %v", ended, err)
	}
	same, err := r.Begin(ctx, []tool.Chain{chain}, toolsmith.RunOptions{Key: "once"})
	if err != nil || same != result.RunID {
		t.Errorf("the key gives %s, %v", same, err)
	}
	waits, err := r.Run(ctx, []tool.Chain{{tool.Call("wait", map[string]any{"seconds": 3600})}}, toolsmith.RunOptions{Timeout: time.Millisecond})
	if err != nil || waits.Reason != "timeout" || waits.Err != nil || waits.Value != nil {
		t.Fatalf("%+v, %v", waits, err)
	}
	if err := r.Cancel(ctx, waits.RunID); err != nil {
		t.Error(err)
	}
	if err := r.Cancel(ctx, "nobody"); tool.Code(err) != "RUN_NOT_FOUND" {
		t.Errorf("cancelling nothing gives %v", err)
	}
	stopped, err := r.Run(ctx, []tool.Chain{{tool.Call("shout", word{})}}, toolsmith.RunOptions{ErrorEnds: true})
	if err != nil || stopped.Reason != "error" || stopped.Match == nil || stopped.Match.Type != tool.TypeError {
		t.Errorf("%+v, %v", stopped, err)
	}
}

// TestARuntimeGoesOn takes up what an earlier one left, in the same folder.
func TestARuntimeGoesOn(t *testing.T) {
	t.Parallel()
	folder, ctx := t.TempDir(), t.Context()
	first := opened(t, folder, shout())
	id, err := first.Begin(ctx, []tool.Chain{{
		tool.Call("notes.create", map[string]any{"title": "once", "content": "x"}),
		tool.Call("wait", map[string]any{"until": time.Now().Add(300 * time.Millisecond).UTC().Format(time.RFC3339Nano)}),
		tool.Call("shout", word{"done"}),
	}}, toolsmith.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if waiting, err := first.Attach(ctx, id, toolsmith.RunOptions{Until: toolsmith.UntilType(tool.TypeToolResult)}); err != nil || waiting.Reason != "matched" {
		t.Fatalf("%+v, %v", waiting, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	second := opened(t, folder, shout())
	serving, stop := context.WithCancel(ctx)
	served := make(chan error)
	go func() { served <- second.Serve(serving) }()
	var result *toolsmith.Result
	for result == nil || !errors.Is(err, nil) {
		if result, err = second.Attach(ctx, id, toolsmith.RunOptions{}); tool.Code(err) != "RUN_BUSY" && err != nil {
			t.Fatal(err)
		}
	}
	if result.Status != "succeeded" || string(result.Value) != `"DONE"` {
		t.Errorf("%+v", result)
	}
	listed, err := second.Call(ctx, "notes.list", map[string]any{"query": "once"})
	var notes []any
	if err != nil || listed.Decode(&notes) != nil || len(notes) != 1 {
		t.Errorf("%d notes, %v", len(notes), err)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := errors.Join(second.Close(), second.Close()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// TestMap calls a tool for each item, and a reducer with what they came to.
func TestMap(t *testing.T) {
	t.Parallel()
	join := tool.MustNew(tool.Spec{Name: "join", Description: "Joins what it is given."},
		func(_ *tool.Context, in struct {
			Items []any `json:"items"`
		}) (string, error) {
			return fmt.Sprint(in.Items), nil
		})
	r, ctx := opened(t, "", shout(), join), t.Context()
	for name, c := range map[string]struct {
		arguments map[string]any
		status    string
		want      string
	}{
		"items by a name":       {map[string]any{"tool": "shout", "as": "word", "items": []string{"a", "b"}}, "succeeded", `["A","B"]`},
		"whole arguments":       {map[string]any{"tool": "shout", "items": []word{{"a"}}}, "succeeded", `["A"]`},
		"nothing":               {map[string]any{"tool": "shout", "as": "word", "items": []string{}}, "succeeded", `[]`},
		"one that fails":        {map[string]any{"tool": "shout", "as": "word", "items": []string{"a", "", "c"}}, "failed", ``},
		"a reducer":             {map[string]any{"tool": "shout", "as": "word", "items": []string{"a", "b"}, "reducer": "join"}, "succeeded", `"[A B]"`},
		"reducing a loss":       {map[string]any{"tool": "shout", "as": "word", "items": []string{"a", "", "c"}, "reducer": "join"}, "succeeded", `"[A \u003cnil\u003e C]"`},
		"no object":             {map[string]any{"tool": "shout", "items": []string{"a"}}, "failed", ``},
		"an unknown tool":       {map[string]any{"tool": "lost", "as": "word", "items": []string{"a"}}, "failed", ``},
		"itself, in turns":      {map[string]any{"tool": "map", "items": []any{map[string]any{"tool": "shout", "as": "word", "items": []string{"a"}}}}, "succeeded", `[["A"]]`},
		"one alone that fails":  {map[string]any{"tool": "shout", "as": "word", "items": []string{""}}, "failed", ``},
		"reducing a whole loss": {map[string]any{"tool": "shout", "as": "word", "items": []string{""}, "reducer": "join"}, "failed", ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := r.Call(ctx, "map", c.arguments)
			if err != nil || result.Status != c.status || strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(c.want) != string(result.Value) {
				t.Errorf("%s %s (%v), %v; want %s %s", result.Status, result.Value, result.Err, err, c.status, c.want)
			}
		})
	}
}

// TestWait refuses what is no time.
func TestWait(t *testing.T) {
	t.Parallel()
	r, ctx := opened(t, ""), t.Context()
	for text, want := range map[string]string{`2000-01-01T00:00:00Z`: "succeeded", `tomorrow`: "failed"} {
		result, err := r.Call(ctx, "wait", map[string]any{"until": text})
		if err != nil || result.Status != want {
			t.Errorf("until %s: %+v, %v", text, result, err)
		}
	}
	if result, err := r.Call(ctx, "wait", map[string]any{"seconds": 0}); err != nil || result.Status != "succeeded" {
		t.Errorf("%+v, %v", result, err)
	}
}
