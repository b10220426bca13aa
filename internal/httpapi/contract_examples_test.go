package httpapi_test

import (
	"strings"
	"testing"

	"toolsmith/internal/value"
	"toolsmith/tool"
)

// unreached are successes that the document promises and that no test here sees, with the reason.
// Each is "operationId status".
func unreached() map[string]string {
	return map[string]string{}
}

// example is a request that no schema says enough of to be drawn.
type example struct {
	path, body string
	// before makes what it is about, which may have been taken away by then; nil where that is
	// there anyway. RUN in the path is a run of a tool with a step.
	before func(t *testing.T, c *contract)
}

// examples are those of operations, by their ids.
func examples() map[string]example {
	return map[string]example{
		"beginRun":     {path: "/v1/runs?wait=0", body: `[{"content": {"type": "tool", "data": {"name": "echo", "arguments": {"text": "a"}}}}]`},
		"callTool":     {path: "/v1/tools/echo/call?wait=0", body: `{"text": "a"}`},
		"installTool":  {path: "/v1/forge/tools", body: string(value.AppendJSON(nil, map[string]any{"text": keeper}))},
		"tryTool":      {path: "/v1/forge/try", body: `{"tool": "stay", "input": {"thought": "a"}}`, before: stay},
		"enableTool":   {path: "/v1/forge/tools/stay/enable", before: stay},
		"disableTool":  {path: "/v1/forge/tools/stay/disable", before: stay},
		"rollbackTool": {path: "/v1/forge/tools/stay/rollback", before: stay},
		"diffTool":     {path: "/v1/forge/tools/stay/diff", before: stay},
		"listVersions": {path: "/v1/forge/tools/stay/versions", before: stay},
		"removeTool":   {path: "/v1/forge/tools/stay", before: stay},
		"getTask":      {path: "/v1/runs/RUN/tasks/keep", before: stay},
		"getChain":     {path: "/v1/runs/RUN/tasks/keep/chain", before: stay},
		"listChildren": {path: "/v1/runs/RUN/tasks/keep/children", before: stay},
		"runAgain":     {path: "/v1/runs/RUN/again", body: "{}", before: stay},
		"setSecret":    {path: "/v1/secrets/stay/key", body: `{"value": "0123456789abcdef"}`, before: stay},
		"deleteSecret": {path: "/v1/secrets/stay/key", before: func(t *testing.T, c *contract) {
			stay(t, c)
			c.raw(t, personToken, "PUT", "/v1/secrets/stay/key", `{"value": "0123456789abcdef"}`)
		}},
		"removeToken": {path: "/v1/tokens/leaving", before: func(t *testing.T, c *contract) {
			c.raw(t, personToken, "POST", "/v1/tokens", `{"name": "leaving"}`)
		}},
	}
}

// stay sees to it that there is a tool of two versions, with a run of it.
func stay(t *testing.T, c *contract) {
	t.Helper()
	for _, version := range []string{"1", "2"} {
		text := strings.Replace(strings.Replace(keeper, `"id": "keep"`, `"id": "stay"`, 1), `"version": 1`, `"version": `+version, 1)
		if _, err := installed(t.Context(), c.engine, []byte(text)); err != nil && tool.Code(err) != "FORGE_VERSION_NOT_NEWER" {
			t.Fatal(err)
		}
	}
	if _, _, err := c.engine.Enable(t.Context(), "stay"); err != nil {
		t.Fatal(err)
	}
	_, got := c.ask(t, personToken, "POST", "/v1/tools/dynamic:stay/call?wait=0", `{"thought": "a"}`)
	if c.run, _ = got["run"].(string); c.run == "" {
		t.Fatalf("no run was made: %v", got)
	}
	list, err := c.engine.Questions(t.Context(), true, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range list {
		c.ask(t, personToken, "POST", "/v1/consents/"+q.ID+"/answer", `{"allow": true}`)
	}
	c.ask(t, personToken, "GET", "/v1/runs/"+c.run+"/result?wait=30", "")
}
