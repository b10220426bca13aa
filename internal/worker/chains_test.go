package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// TestTheEntryNode sees plain values and failures, and handles a failure by a return.
func TestTheEntryNode(t *testing.T) {
	entry := native("entry", func(ctx *tool.Context, _ any) (any, error) {
		seen, err := ctx.Chain()
		if err != nil {
			return nil, err
		}
		last := seen[len(seen)-2] // the one before itself
		switch {
		case last.Type == tool.TypeError && strings.Contains(last.Text(), "mend"):
			return ctx.Subtasks(tool.Chain{tool.Message(tool.RoleAssistant, "mended"), tool.Return(nil)}), nil
		case last.Type == tool.TypeError && strings.Contains(last.Text(), "again"):
			return ctx.Subtasks(tool.Chain{call("fails", "mend")}), nil
		case last.Type == tool.TypeError:
			return ctx.Subtasks(tool.Chain{tool.Message(tool.RoleAssistant, "seen")}), nil
		}
		return ctx.Subtasks(tool.Chain{tool.Message(tool.RoleAssistant, string(last.Data))}), nil
	})
	for name, c := range map[string]struct {
		first  tool.Task
		status task.RunStatus
		code   string
		result string
		tree   string
	}{
		"a value": {call("same", 7), task.RunSucceeded, "", `"after"`, `
			- same done
			    - toolresult 7
			      entry done
			        - message "7"
			  same done
			    - toolresult "after"
			      entry done
			        - message "\"after\""`},
		"a failure that is recovered": {call("fails", "mend"), task.RunSucceeded, "", "", `
			- fails failed
			    - error NO
			      entry done
			        - message "mended"
			          return null
			  same done
			    - toolresult "after"
			      entry done
			        - message "\"after\""`},
		"a failure that is only seen": {call("fails", "x"), task.RunFailed, "NO", "", `
			- fails failed
			    - error NO
			      entry done
			        - message "seen"
			  same skipped`},
		"a failure that is handed on, and recovered there": {call("fails", "again"), task.RunSucceeded, "", "", `
			- fails failed
			    - error NO
			      entry done
			        - fails failed
			            - error NO
			              entry done
			                - message "mended"
			                  return null
			  same done
			    - toolresult "after"
			      entry done
			        - message "\"after\""`},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				p := h.process(t, same, fails, entry)
				id := p.begin(t, engine.Request{Entry: "entry", Chains: chains(t, tool.Chain{c.first, call("same", "after")})})
				wantRun(t, p.finish(t, id), c.status, c.code)
				p.wantTree(t, id, c.tree)
			})
		})
	}
}

// TestAnEntryNodeThatFails is a failure as any other, and is not asked about itself.
func TestAnEntryNodeThatFails(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, same, native("entry", func(*tool.Context, any) (any, error) { return nil, tool.Errorf("TIRED", "No.") }))
		id := p.begin(t, engine.Request{Entry: "entry", Chains: chains(t, tool.Chain{call("same", 1)})})
		wantRun(t, p.finish(t, id), task.RunFailed, "TIRED")
		p.wantTree(t, id, `
			- same done
			    - toolresult 1
			      entry failed
			        - error TIRED`)
	})
}

// TestResultsThatAreRefused: nothing of them is added, and the error says all that is wrong.
func TestResultsThatAreRefused(t *testing.T) {
	strict := tool.MustNew(tool.Spec{Name: "strict", Description: "For a test."}, func(_ *tool.Context, in struct {
		Text string `json:"text"`
	},
	) (string, error) {
		return in.Text, nil
	})
	for name, c := range map[string]struct {
		chains []tool.Chain
		code   string
		says   []string
	}{
		"no chain":       {nil, task.CodeResultInvalid, []string{"among them is no task"}},
		"an empty chain": {[]tool.Chain{{call("same", 1)}, {}}, task.CodeResultInvalid, []string{"[1]: a chain has at least one task"}},
		"a task after a return": {
			[]tool.Chain{{call("same", 1)}, {tool.Return(nil), call("same", 1)}}, task.CodeResultInvalid, []string{`[1][1]: nothing can follow a "return"`},
		},
		"an unknown type": {
			[]tool.Chain{{{Role: tool.RoleTool, Content: tool.Content{Type: "song"}}}}, task.CodeResultInvalid, []string{`[0][0].content.type: there is no type of content "song"`},
		},
		"an unknown tool": {
			[]tool.Chain{{call("same", 1), call("sane", 1)}}, task.CodeToolUnknown, []string{`[0][1].content.data.name: There is no tool "sane". Did you mean "same"?`},
		},
		"arguments that do not fit": {
			[]tool.Chain{{call("same", 1)}, {tool.Call("strict", map[string]any{"text": 7}), tool.Call("strict", map[string]any{})}},
			task.CodeArgumentsInvalid, []string{"[1][0].content.data.arguments.text: ", "(and 1 more)"},
		},
		"what is no JSON": {[]tool.Chain{{tool.Structured(func() {})}}, task.CodeResultInvalid, []string{"[0][0].content.data: "}},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(t *testing.T, h *house) {
				bad := native("bad", func(ctx *tool.Context, _ any) (any, error) { return ctx.Subtasks(c.chains...), nil })
				p := h.process(t, bad, strict, same)
				id := p.begin(t, engine.Request{Chains: chains(t, tool.Chain{call("bad", nil), call("same", 1)})})
				run := p.finish(t, id)
				wantRun(t, run, task.RunFailed, c.code)
				for _, part := range c.says {
					if !strings.Contains(run.Failure.Message, part) {
						t.Errorf("says %q; want %q", run.Failure.Message, part)
					}
				}
				p.wantTree(t, id, fmt.Sprintf(`
					- bad failed
					    - error %s
					  same skipped`, c.code))
			})
		})
	}
}

// TestChainsThatAreRefused keep a run from beginning.
func TestChainsThatAreRefused(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, same)
		_, err := p.Begin(t.Context(), engine.Request{Chains: written(t, `[
			[{"content": {"type": "functioncall", "data": {"name": "same"}}}],
			[{"content": {"type": "tool", "data": {"name": "sane"}}}, {"content": {"type": "tool", "data": {"name": "tasks.create", "arguments": {"title": 7}}}}]]`)}, nil)
		if tool.Code(err) != task.CodeToolUnknown || !strings.Contains(err.Error(), "[1][0].content.data.name") || !strings.Contains(err.Error(), "[1][1].content.data.arguments.title") {
			t.Errorf("the error is %v", err)
		}
		if runs, err := p.Engine.Runs(t.Context(), task.Filter{}); err != nil || len(runs) != 0 {
			t.Errorf("kept %v, %v", runs, err)
		}
	})
}

// TestPreviousThatIsMissing is an error, and what is put in is not looked at again.
func TestPreviousThatIsMissing(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.process(t, same)
		id := p.begin(t, engine.Request{Chains: chains(t,
			tool.Chain{call("same", map[string]any{"a": 1}), call("same", tool.Previous("b.c"))},
			tool.Chain{call("same", tool.Previous(""))},
			tool.Chain{tool.Structured(map[string]any{"x": tool.Previous("y")}), call("same", tool.Previous("x"))},
		)})
		wantRun(t, p.finish(t, id), task.RunFailed, task.CodePreviousMissing)
		p.wantTree(t, id, `
			- same done
			    - toolresult {"a":1}
			  same failed
			    - error PREVIOUS_MISSING
			- same failed
			    - error PREVIOUS_MISSING
			- structured {"x":{"$ref":"$previous.y"}}
			  same done
			    - toolresult {"$ref":"$previous.y"}`)
	})
}

// TestArgumentsAreCheckedWhenTheyAreKnown, after defaults and $previous are in their places;
// what a call was really made with is kept.
func TestArgumentsAreCheckedWhenTheyAreKnown(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		greet := tool.MustNew(tool.Spec{Name: "greet", Description: "For a test."}, func(_ *tool.Context, in struct {
			Name string `json:"name"`
			Word string `json:"word,omitempty" default:"hello"`
		},
		) (string, error) {
			return in.Word + " " + in.Name, nil
		})
		p := h.process(t, same, greet)
		id := p.begin(t, engine.Request{Chains: chains(t,
			tool.Chain{tool.Message(tool.RoleUser, "Ada"), tool.Call("greet", map[string]any{"name": tool.Previous("")})},
			tool.Chain{tool.Structured(7), tool.Call("greet", map[string]any{"name": tool.Previous("")})},
		)})
		run := p.finish(t, id)
		wantRun(t, run, task.RunFailed, task.CodeArgumentsInvalid)
		if !strings.Contains(run.Failure.Message, "$.name") {
			t.Errorf("says %q", run.Failure.Message)
		}
		p.wantTree(t, id, `
			- message "Ada"
			  greet done
			    - toolresult "hello Ada"
			- structured 7
			  greet failed
			    - error ARGUMENTS_INVALID`)
		view := p.view(t, id)
		got, err := view.Content(view.Executions[1].Arguments)
		if diff := cmp.Diff(map[string]any{"name": "Ada", "word": "hello"}, got); diff != "" || err != nil {
			t.Errorf("%v; arguments (-want +got):\n%s", err, diff)
		}
	})
}
