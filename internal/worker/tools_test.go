package worker_test

import (
	"slices"
	"testing"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// TestTheToolsOfARun: what a run may not call is not there for it, whoever comes to call it, but
// for what a tool in Go has declared to be a part of it.
func TestTheToolsOfARun(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		var ran diary
		boss := tool.MustNew(tool.Spec{Name: "boss", Description: "For a test.", Calls: []string{"part"}}, func(ctx *tool.Context, in in) (any, error) {
			name, _ := in.V.(string)
			return ctx.Subtasks(tool.Chain{call(name, 1)}), nil
		})
		p := h.process(t, append(builtinTools(t), boss, ran.tool("part"), ran.tool("listed"), ran.tool("hidden"))...)
		for name, c := range map[string]struct {
			chain  tool.Chain
			status task.RunStatus
			code   string
		}{
			"what is listed":            {tool.Chain{call("listed", 1)}, task.RunSucceeded, ""},
			"what a tool has declared":  {tool.Chain{call("boss", "part")}, task.RunSucceeded, ""},
			"what is listed, by a tool": {tool.Chain{call("boss", "listed")}, task.RunSucceeded, ""},
			"what is not, by a tool":    {tool.Chain{call("boss", "hidden")}, task.RunFailed, task.CodeToolUnknown},
			"what is not, by map":       {tool.Chain{tool.Call("map", map[string]any{"tool": "hidden", "items": []any{1}, "as": "v"})}, task.RunFailed, task.CodeToolUnknown},
			"what is not there, by map": {tool.Chain{tool.Call("map", map[string]any{"tool": "nothing", "items": []any{1}, "as": "v"})}, task.RunFailed, task.CodeToolUnknown},
		} {
			limits := task.Limits{Tools: []string{"boss", "listed", "map"}}
			id := p.begin(t, engine.Request{Chains: chains(t, c.chain), Limits: limits})
			run := p.settle(t, id)
			if run.Status != c.status || (run.Failure == nil) != (c.code == "") || run.Failure != nil && run.Failure.Code != c.code {
				t.Errorf("%s: %s, %v", name, run.Status, run.Failure)
			}
			if !slices.Equal(run.Limits.Tools, limits.Tools) {
				t.Errorf("%s: it may call %q", name, run.Limits.Tools)
			}
		}
		if all := ran.all(); slices.Contains(all, "hidden 1") || len(all) != 3 {
			t.Errorf("what has run is %q", all)
		}
		for name, r := range map[string]engine.Request{
			"directly": {Chains: chains(t, tool.Chain{call("hidden", 1)})},
			"as entry": {Chains: chains(t, tool.Chain{call("listed", 1)}), Entry: "hidden"},
		} {
			r.Limits.Tools = []string{"listed"}
			if _, err := p.Begin(t.Context(), r, nil); tool.Code(err) != task.CodeToolUnknown {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
