package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
)

// TestDryRunsOfCodedTools reach nothing but what a script answers.
func TestDryRunsOfCodedTools(t *testing.T) {
	t.Parallel()
	l := codedLab(t, mirror)
	network := fmt.Sprintf("network: [%q], secrets: ['key'], ", l.listed)
	fetch := fmt.Sprintf(`const r = await fetch('%s/', { method: 'POST', body: 'x' }); `, l.listed)
	for name, c := range map[string]struct {
		declared, body, input, script string
		want, subtasks, code, message string
		writes, logs                  []string
		calls                         []string
	}{
		"a value":    {"", `console.warn('hm'); return args.text`, `{}`, "", `"tea"`, `null`, "", "", nil, []string{"warn: hm"}, nil},
		"arguments":  {"", `return 1`, `{"text": 1}`, "", `null`, `null`, "ARGUMENTS_INVALID", "$.text", nil, nil, nil},
		"a result":   {"result: { type: 'string' }, ", `return 1`, `{}`, "", `null`, `null`, "RESULT_INVALID", "does not fit", nil, nil, nil},
		"the run":    {"", `return [await context.getExecutionTaskChain(), await context.getCallingToolId()]`, `{}`, "", `[[],"try"]`, `null`, "", "", nil, nil, []string{"getExecutionTaskChain", "getCallingToolId"}},
		"held back":  {network, fetch + `return 1`, `{}`, "", `null`, `null`, "DRY_RUN", "A dry run holds fetch back", nil, nil, []string{"fetch"}},
		"a secret":   {network, `return await context.getSecret('key')`, `{}`, "", `null`, `null`, "DRY_RUN", "getSecret", nil, nil, []string{"getSecret"}},
		"the person": {"", `return await context.interaction({ title: 'Sure?' })`, `{}`, "", `null`, `null`, "DRY_RUN", "interaction", nil, nil, []string{"interaction"}},
		"answers": {network, `const key = await context.getSecret('key'); await context.setSecret('key', key + '!'); ` + fetch + `return [key, r.status, await r.json(), r.headers.get('x-a')]`, `{}`,
			`{"capabilities": {"getSecret": [{"result": "k"}], "fetch": [{"result": {"status": 201, "headers": {"x-a": "b"}, "body": {"ok": true}}}]}}`,
			`["k",201,{"ok":true},"b"]`, `null`, "", "", []string{"setSecret", "fetch"}, nil, []string{"getSecret", "setSecret", "fetch"}},
		"an error": {network, fetch + `return 1`, `{}`, `{"capabilities": {"fetch": [{"error": "down"}]}}`, `null`, `null`, "FORGE_CAPABILITY_FAILED", "down", nil, nil, []string{"fetch"}},
		"a refusal": {"", `try { await context.interaction({ title: 'Sure?' }) } catch (e) { return e.code }`, `{}`,
			`{"capabilities": {"interaction": [{"error": "no", "code": "INTERACTION_REFUSED"}]}}`, `"INTERACTION_REFUSED"`, `null`, "", "", nil, nil, []string{"interaction"}},
		"no answer":    {network, fetch + `return 1`, `{}`, `{"capabilities": {"fetch": [{"result": 7}]}}`, `null`, `null`, "SCRIPT_INVALID", "answer to fetch", nil, nil, []string{"fetch"}},
		"an empty one": {network, fetch + `return await r.text()`, `{}`, `{"capabilities": {"fetch": [{"result": null}]}}`, `""`, `null`, "", "", []string{"fetch"}, nil, []string{"fetch"}},
		"subtasks": {"calls: ['other'], ", `return context.createSubtasksResult([message('a'), toolCall('other', { n: 1 })])`, `{}`, "", `null`,
			`[[{"content":{"data":"a","type":"message"},"role":"assistant"},{"content":{"data":{"arguments":{"n":1},"name":"other"},"type":"tool"},"role":"tool"}]]`, "", "", nil, nil, nil},
		"one task":   {"", `return context.createSubtasksResult(message('a'))`, `{}`, "", `null`, `[[{"content":{"data":"a","type":"message"},"role":"assistant"}]]`, "", "", nil, nil, nil},
		"undeclared": {"", `return context.createSubtasksResult([[toolCall('other', {})]])`, `{}`, "", `null`, `null`, "CALL_NOT_DECLARED", "[0][0]", nil, nil, nil},
		"faults":     {"", `return context.createSubtasksResult([[], [message('a')]])`, `{}`, "", `null`, `null`, "RESULT_INVALID", "[0]", nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := inCode(t, l.Scripts, l.capabilities(), "dry", c.declared, c.body)
			input, err := value.Decode([]byte(c.input))
			if err != nil {
				t.Fatal(err)
			}
			var script *flow.Script
			if c.script != "" {
				if script, err = flow.ParseScript([]byte(c.script)); err != nil {
					t.Fatal(err)
				}
			}
			var seen int
			out, err := l.Try(t.Context(), worker.Job{Tool: tool, Input: input, Steps: func(flow.Event) { seen++ }}, script)
			if err != nil {
				t.Fatal(err)
			}
			code, message := "", ""
			if out.Failure != nil {
				code, message = out.Failure.Code, out.Failure.Message
			}
			var subtasks any
			if out.Subtasks != nil {
				subtasks = out.Subtasks
			}
			if got := value.JSON(out.Output); got != c.want || code != c.code || !strings.Contains(message, c.message) || value.JSON(subtasks) != c.subtasks {
				t.Errorf("it came to %s, %s, %s: %s", got, value.JSON(subtasks), code, message)
			}
			if (out.Status == flow.Succeeded) != (c.code == "") {
				t.Errorf("the status is %s", out.Status)
			}
			var writes, calls []string
			for _, w := range out.Writes {
				writes = append(writes, w.Capability)
				if strings.Contains(value.JSON(w.Input), "k!") {
					t.Errorf("the write shows a secret: %v", w.Input)
				}
			}
			for _, one := range out.Calls {
				calls = append(calls, one.Capability)
			}
			if diff := cmp.Diff([][]string{c.writes, c.logs, c.calls}, [][]string{writes, out.Logs, calls}); diff != "" {
				t.Errorf("writes, logs and calls (-want +got):\n%s", diff)
			}
			if seen != len(calls) {
				t.Errorf("%d steps were told of", seen)
			}
		})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) != 0 {
		t.Errorf("the host was asked %d times", len(l.seen))
	}
}

// TestCasesOfCodedTools compare values, subtasks and errors.
func TestCasesOfCodedTools(t *testing.T) {
	t.Parallel()
	l := codedLab(t, mirror)
	tool := inCode(t, l.Scripts, l.capabilities(), "dry", "", `if (args.text === 'no') throw Object.assign(new Error('no'), { code: 'NO' }); return args.text === 'sub' ? context.createSubtasksResult([[message('a')]]) : args.text`)
	cases, err := worker.ParseCases([]byte(`[
		{"name": "value", "input": {"text": "x"}, "expect": {"status": "succeeded", "output": "x"}},
		{"name": "another", "input": {"text": "x"}, "expect": {"status": "succeeded", "output": "y"}},
		{"name": "error", "tool": "dry", "input": {"text": "no"}, "expect": {"status": "failed", "error": "NO"}},
		{"name": "subtasks", "input": {"text": "sub"}, "expect": {"status": "succeeded", "subtasks": [[{"role": "assistant", "content": {"type": "message", "data": "a"}}]]}},
		{"name": "other subtasks", "input": {"text": "sub"}, "expect": {"status": "succeeded", "subtasks": []}}
	]`))
	if err != nil {
		t.Fatal(err)
	}
	if cases[2].Tool != "dry" {
		t.Errorf("the third case is for %q", cases[2].Tool)
	}
	results, err := l.RunCases(t.Context(), tool, cases)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", `the output is "x" and not "y"`, "", "", `the subtasks are [[{"content":{"data":"a","type":"message"},"role":"assistant"}]] and not []`} {
		if results[i].OK != (want == "") || results[i].Message != want {
			t.Errorf("%s: %+v; want %q", results[i].Name, results[i], want)
		}
	}
	if _, err := worker.ParseCases([]byte(`[{"name": "x", "tool": 1, "expect": {"status": "failed"}}]`)); err == nil || !strings.Contains(err.Error(), "name of a tool") {
		t.Errorf("a tool that is no name: %v", err)
	}
}
