package httpapi_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// loud are two tools in one file; more stands in the declaration of the second one.
func loud(more string) string {
	return `import { createTool, toolCall, returns } from 'toolsmith'

const parameters = { type: 'object', properties: { text: { type: 'string', maxLength: 20 } }, required: ['text'], additionalProperties: false } as const

export const shout = createTool({
  name: 'shout',
  title: 'Shout it',
  description: 'Writes a text in capitals.',
  parameters,
  result: { type: 'string' },
  function({ text }: { text: string }) {
    console.log('shouting')
    return text.toUpperCase()
  },
})

createTool({
  name: 'twice',
  description: 'Shouts a text, and once more.',
  parameters,
  calls: ['shout', 'notes.create'],` + more + `
  function({ text }: { text: string }, context) {
    return context.createSubtasksResult([[toolCall({ name: 'shout', arguments: { text } }), returns('done')], [toolCall({ name: 'shout', arguments: { text } })]])
  },
})
`
}

// asking uses its context.
const asking = `import { createTool } from 'toolsmith'
createTool({
  name: 'weather', description: 'Asks for the weather.', parameters: { type: 'object', properties: {} },
  network: ['api.example.com'], secrets: ['token'],
  async function(_, context) {
    const answer = await context.fetch('https://api.example.com/today', { headers: { authorization: await context.getSecret('token') } })
    return { status: answer.status, text: await answer.text() }
  },
})
`

func TestCheckOfCode(t *testing.T) {
	t.Parallel()
	s := serve(t)
	check := func(name, body string, status int, want map[string]any) {
		t.Helper()
		s.answer(t, gives{name, personToken, "POST", "/v1/forge/check", body, status, want})
	}
	check("two tools", asBody("text", loud(""), "file", "loud.ts"), 200, map[string]any{
		"ok": true, "diagnostics": []any{}, "tool": nil, "tools.2": nil,
		"tools.0.id": "code:shout", "tools.0.kind": "code", "tools.0.file": "loud.ts", "tools.0.title": "Shout it", "tools.0.calls": []any{}, "tools.0.secrets": []any{},
		"tools.0.risk": "R1", "tools.0.powers": []any{}, "tools.1.title": "twice", "tools.1.calls": []any{"notes.create", "shout"}, "tools.1.powers": []any{"write"}, "tools.1.risk": "R2",
	})
	check("one tool", asBody("text", asking, "file", "weather.js"), 200, map[string]any{
		"ok": true, "tool.id": "code:weather", "tool.kind": "code", "tool.hosts": []any{"api.example.com"}, "tool.secrets": []any{"token"}, "tool.risk": "R4", "tool.version": 0, "tools.0.id": "code:weather",
	})
	check("a syntax error", asBody("text", "export const x =\n  1 +* 2\n", "file", "x.ts"), 200, map[string]any{"ok": false, "tool": nil, "tools": []any{}, "diagnostics.0.code": "SCRIPT_SYNTAX", "diagnostics.0.line": 2})
	check("an import", asBody("text", "import x from 'left-pad'\nx()\n", "file", "x.ts"), 200, map[string]any{"ok": false, "diagnostics.0.code": "SCRIPT_IMPORT", "diagnostics.0.line": 1})
	check("no tool", asBody("text", "export const x = 1", "file", "x.mjs"), 200, map[string]any{"ok": false, "diagnostics.0.code": "SCRIPT_NO_TOOL"})
	check("what is thrown at its top", asBody("text", "throw new Error('no')", "file", "x.mts"), 200, map[string]any{"ok": false, "diagnostics.0.code": "SCRIPT_LOAD_FAILED"})
	check("a declaration", asBody("text", strings.Replace(asking, "api.example.com", "*.example.com", 1), "file", "x.ts"), 200, map[string]any{"ok": false, "diagnostics.0.code": "FORGE_DOMAIN_INVALID", "diagnostics.0.path": "$.network[0]"})
	check("names that read alike", asBody("text", strings.Replace(loud(""), "'twice'", "'Shout'", 1), "file", "x.ts"), 200, map[string]any{"ok": false, "tools": []any{}, "diagnostics.0.code": "FORGE_NAME_TAKEN", "diagnostics.0.path": "$.name"})
	secret := strings.Replace(asking, "_, context", "_, context, key = 'sk-ant-"+strings.Repeat("a1b2C3d4", 6)+"'", 1)
	check("a secret", asBody("text", secret, "file", "x.ts"), 200, map[string]any{"ok": false, "diagnostics.0.code": "FORGE_SECRET_FOUND", "diagnostics.0.line": 5})
	check("without the name of its file", asBody("text", asking), 200, map[string]any{"ok": false, "diagnostics.0.code": "FORGE_MANIFEST_STRUCTURE"})
	check("a manifest with the name of its file", asBody("text", keeper, "file", "keep.talostool"), 200, map[string]any{"ok": true, "tool.kind": "manifest", "tools.0.id": "keep"})
	check("a file of another kind", asBody("text", asking, "file", "x.py"), 422, map[string]any{"code": "INVALID", "field": "body.file"})
}

func TestTryOfCode(t *testing.T) {
	t.Parallel()
	s := serve(t)
	try := func(name, body string, status int, want map[string]any) {
		t.Helper()
		s.answer(t, gives{name, personToken, "POST", "/v1/forge/try", body, status, want})
	}
	body := func(text, more string) string {
		raw, _ := json.Marshal(text)
		return `{"text": ` + string(raw) + `, "file": "x.ts"` + more + `}`
	}
	try("one of two", body(loud(""), `, "tool": "shout", "input": {"text": "tea"}`), 200, map[string]any{"tool": "shout", "status": "succeeded", "output": "TEA", "logs": []any{"log: shouting"}, "subtasks": nil})
	try("the other one", body(loud(""), `, "tool": "twice", "input": {"text": "tea"}`), 200, map[string]any{
		"tool": "twice", "status": "succeeded", "output": nil, "subtasks.0.0.content.data.name": "shout", "subtasks.0.1.content.type": "return", "subtasks.1.0.content.data.arguments.text": "tea", "subtasks.2": nil,
	})
	try("arguments that do not fit", body(loud(""), `, "tool": "shout"`), 200, map[string]any{"status": "failed", "error.code": "ARGUMENTS_INVALID"})
	try("none of two", body(loud(""), ``), 422, map[string]any{"code": "INVALID", "field": "body.tool", "detail": "The file declares 2 tools, so say which one is meant: shout, twice."})
	try("one that it does not declare", body(loud(""), `, "tool": "whisper"`), 422, map[string]any{"code": "INVALID", "field": "body.tool"})
	try("what is held back", body(asking, ``), 200, map[string]any{"status": "failed", "error.code": "DRY_RUN", "trace.0.step": "getSecret[0]", "trace.0.kind": "context"})
	try("with a script", body(asking, `, "script": {"capabilities": {"fetch": [{"result": {"status": 200, "headers": {}, "body": "sunny"}}], "getSecret": [{"result": "made-up"}]}}`), 200, map[string]any{
		"status": "succeeded", "output": map[string]any{"status": 200.0, "text": "sunny"}, "trace.1.capability": "fetch", "trace.1.ok": true,
	})
	try("errors", body("createTool(", ``), 422, map[string]any{"code": "MANIFEST_INVALID", "errors.0.code": "SCRIPT_SYNTAX", "errors.0.line": 1})
	try("a manifest by its name", asBody("text", keeper, "file", "keep.talostool", "tool", "keep"), 200, map[string]any{"tool": "dynamic:keep", "error.code": "FORGE_INPUT_INVALID"})
	try("a file without a text", `{"tool": "x", "file": "x.ts"}`, 422, map[string]any{"code": "INVALID", "field": "body.file"})
}

// TestCodeOverHTTP is the life of two tools of one file.
func TestCodeOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const one, path = "/v1/forge/tools/twice", "/v1/forge/tools"
	newer := loud(` network: ['api.example.com'], secrets: ['token'],`)
	for _, c := range []gives{
		{"install", personToken, "POST", path, asBody("text", loud(""), "file", "loud.ts"), 200, map[string]any{
			"installed": true, "tool.name": "shout", "tool.enabled": false, "tool.version": 1, "diff": nil, "others.0.tool.name": "twice", "others.0.installed": true, "others.0.tool.file": "loud.ts", "others.1": nil,
		}},
		{"the same again", personToken, "POST", path, asBody("text", loud(""), "file", "loud.ts"), 200, map[string]any{"installed": false, "others.0.installed": false}},
		{"a newer one", personToken, "POST", path, asBody("text", newer, "file", "loud.ts"), 200, map[string]any{
			"tool.version": 2, "diff.fields": []any{"source"}, "others.0.tool.version": 2, "others.0.diff.grows": true, "others.0.diff.toRisk": "R4",
			"others.0.diff.hosts.added": []any{"api.example.com"}, "others.0.diff.credentials.added": []any{"token"},
		}},
		{"all or none", personToken, "POST", path, asBody("text", strings.NewReplacer("'shout'", "'whisper'", "'twice'", "'notes_list'").Replace(loud("")), "file", "loud.ts"), 409, map[string]any{"code": "FORGE_NAME_TAKEN", "field": "$.name"}},
		{"none of it is there", personToken, "GET", path + "/whisper", "", 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		{"errors", personToken, "POST", path, asBody("text", "export default 1", "file", "x.ts"), 422, map[string]any{"code": "MANIFEST_INVALID", "errors.0.code": "SCRIPT_NO_TOOL"}},
		{"all", personToken, "GET", path, "", 200, map[string]any{"tools.0.name": "shout", "tools.0.kind": "code", "tools.1.calls": []any{"notes.create", "shout"}, "tools.1.secrets": []any{"token"}, "tools.2": nil}},
		{"one", personToken, "GET", one, "", 200, map[string]any{"steps": []any{}, "inputSchema.required": []any{"text"}, "outputSchema": nil, "versions": []any{2.0, 1.0}, "obstacle": nil}},
		{"the other one", personToken, "GET", path + "/shout", "", 200, map[string]any{"outputSchema.type": "string", "file": "loud.ts"}},
		{"its text", personToken, "GET", one + "/export", "", 200, map[string]any{"id": "code:twice", "kind": "code", "sourceFile": "loud.ts", "version": 2, "text": newer}},
		{"that of a version", personToken, "GET", one + "/export?version=1", "", 200, map[string]any{"text": loud("")}},
		{"back", personToken, "POST", one + "/rollback", "", 200, map[string]any{"from": 2, "tool.version": 1}},
		{"versions", personToken, "GET", one + "/versions", "", 200, map[string]any{"tool": "twice", "versions.1.active": true}},
		{"on", personToken, "POST", path + "/shout/enable", "", 200, map[string]any{"changed": true}},
		{"called", personToken, "POST", "/v1/tools/shout/call?wait=30", `{"text": "tea"}`, 200, map[string]any{"value": "TEA"}},
		{"called with what does not fit", personToken, "POST", "/v1/tools/shout/call", `{"text": 7}`, 422, map[string]any{"code": "ARGUMENTS_INVALID"}},
		{"one that is off", personToken, "POST", "/v1/tools/twice/call", `{"text": "tea"}`, 409, map[string]any{"code": "TOOL_OFF"}},
		{"away", personToken, "DELETE", one, "", 200, map[string]any{"removed": map[string]any{"id": "code:twice", "name": "twice", "version": 1.0}}},
		{"its text after that", personToken, "GET", one + "/export", "", 200, map[string]any{"version": 2}},
	} {
		s.answer(t, c)
	}
	got := s.answer(t, gives{"difference", personToken, "GET", path + "/shout/diff", "", 200, map[string]any{"facts.grows": false, "facts.stepsUnchanged": 0}})
	if text, _ := got["text"].(string); !strings.Contains(text, "\n+  calls: ['shout', 'notes.create'], network: ['api.example.com']") {
		t.Errorf("the sources are compared as %s", text)
	}
	_, document := s.ask(t, personToken, "GET", "/resources/peers/local/api", "")
	operation, _ := document["paths"].(map[string]any)["/v1/tools/shout/call"].(map[string]any)
	if schema := dig(operation, "post.requestBody.content"); schema == nil || !strings.Contains(asJSON(schema), `"maxLength":20`) || !strings.Contains(asJSON(operation), "Writes a text in capitals.") {
		t.Errorf("the document has %s", asJSON(operation))
	}
	if _, has := document["paths"].(map[string]any)["/v1/tools/twice/call"]; has {
		t.Error("the document has a tool that is off")
	}
}

func asJSON(v any) string {
	text, _ := json.Marshal(v) // of JSON
	return string(text)
}
