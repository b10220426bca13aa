package httpapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/store"
)

// asBody writes a request with texts in it.
func asBody(pairs ...string) string {
	object := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		object[pairs[i]] = pairs[i+1]
	}
	text, _ := json.Marshal(object) // of texts
	return string(text)
}

// dig gives what stands at a path in an answer, such as "tool.powers.0"; nil for nothing.
func dig(v any, path string) any {
	for part := range strings.SplitSeq(path, ".") {
		switch container := v.(type) {
		case map[string]any:
			v = container[part]
		case []any:
			var i int
			if _, err := fmt.Sscan(part, &i); err != nil || i >= len(container) {
				return nil
			}
			v = container[i]
		default:
			return nil
		}
	}
	return v
}

// gives is a request with what its answer has to have, by path.
type gives struct {
	name, token, method, path, body string
	status                          int
	want                            map[string]any
}

// answer asks, and holds the answer to what it has to be.
func (s *served) answer(t *testing.T, c gives) map[string]any {
	t.Helper()
	status, got := s.ask(t, c.token, c.method, c.path, c.body)
	if status != c.status {
		t.Errorf("%s: %s %s gives %d, want %d: %v", c.name, c.method, c.path, status, c.status, got)
	}
	for path, want := range c.want {
		if n, ok := want.(int); ok {
			want = float64(n)
		}
		if diff := cmp.Diff(want, dig(got, path)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s%v", c.name, path, diff, got)
		}
	}
	if status >= 400 && (got["detail"] == "" || got["status"] != float64(status)) {
		t.Errorf("%s: the problem is %v", c.name, got)
	}
	return got
}

// install keeps a version of the keeper, off.
func (s *served) install(t *testing.T, text string) {
	t.Helper()
	if _, err := installed(t.Context(), s.engine, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// keeper2 is the keeper in another version, which reads too.
var keeper2 = strings.NewReplacer(`"version": 1`, `"version": 2`, `"entry": "keep"`, `"entry": "look"`,
	`"nodes": [`, `"nodes": [{"id": "look", "type": "capability", "capability": "notes.list", "input": {}, "target": "$.all", "next": "keep"},`).Replace(keeper)

func TestCheckOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.answer(t, gives{"a good one", personToken, "POST", "/v1/forge/check", asBody("text", keeper), 200, map[string]any{
		"ok": true, "diagnostics": []any{}, "tool.id": "keep", "tool.version": 1, "tool.risk": "R2", "tool.reversibility": "irreversible",
		"tool.powers": []any{"write"}, "tool.capabilities": []any{"notes.create"}, "tool.hosts": []any{}, "tool.usesModel": false,
	}})
	bad := strings.NewReplacer(`notes.create`, `notes.craete`, `"version": 1`, `"version": 0`, `"title": "Keep a thought"`, `"titel": "x"`).Replace(keeper)
	got := s.answer(t, gives{"a bad one", personToken, "POST", "/v1/forge/check", asBody("text", bad), 200, map[string]any{"ok": false, "tool": nil}})
	codes := ""
	for _, d := range got["diagnostics"].([]any) {
		codes += fmt.Sprintf("%v %v at %v:%v; ", dig(d, "level"), dig(d, "path"), dig(d, "line"), dig(d, "column"))
	}
	for _, want := range []string{"error $.version at 2:", "error $.titel at 2:", "error $.flow.nodes[0].capability at 7:", "error $.title at"} {
		if !strings.Contains(codes, want) {
			t.Errorf("%s lacks %s", codes, want)
		}
	}
	s.answer(t, gives{"no JSON", personToken, "POST", "/v1/forge/check", asBody("text", "{"), 200, map[string]any{"ok": false, "diagnostics.0.code": "FORGE_MANIFEST_STRUCTURE"}})
	s.answer(t, gives{"too large", personToken, "POST", "/v1/forge/check", asBody("text", strings.Repeat(" ", 70000)), 200, map[string]any{"ok": false, "diagnostics.0.code": "FORGE_MANIFEST_TOO_LARGE"}})
	s.answer(t, gives{"no text", personToken, "POST", "/v1/forge/check", `{}`, 422, map[string]any{"code": "INVALID", "field": "body"}})
	s.answer(t, gives{"another field", personToken, "POST", "/v1/forge/check", `{"text": "", "cases": []}`, 422, map[string]any{"code": "INVALID", "field": "body.cases"}})
	s.answer(t, gives{"another kind", personToken, "POST", "/v1/forge/check", `{"text": 7}`, 422, map[string]any{"code": "INVALID", "field": "body.text"}})
	if list, err := s.engine.Tools(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("a check installs %v, %v", list, err)
	}
}

func TestTryOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.install(t, keeper)
	try := func(name, body string, status int, want map[string]any) {
		t.Helper()
		s.answer(t, gives{name, personToken, "POST", "/v1/forge/try", body, status, want})
	}
	text, _ := json.Marshal(keeper)
	ran := map[string]any{
		"tool": "dynamic:keep", "status": "succeeded", "output": map[string]any{"note": "A thought"}, "error": nil,
		"trace.0.step": "keep", "trace.0.kind": "capability", "trace.0.ok": true, "trace.0.attempt": 1, "trace.0.capability": "notes.create",
		"writes.0.capability": "notes.create", "writes.0.input.content": "tea", "writes.0.result.revision": 1,
		"created.0.kind": "note", "created.0.title": "A thought", "calls.0.step": "keep",
	}
	try("a text", fmt.Sprintf(`{"text": %s, "input": {"thought": "tea"}}`, text), 200, ran)
	try("an installed one, which is off", `{"tool": "keep", "input": {"thought": "tea"}}`, 200, ran)
	try("a script", `{"tool": "dynamic:keep", "input": {"thought": "tea"}, "script": {"capabilities": {"notes.create": [{"result": {"title": "Scripted"}}]}}}`, 200,
		map[string]any{"status": "succeeded", "output": map[string]any{"note": "Scripted"}, "writes.0.result": map[string]any{"title": "Scripted"}})
	try("a script that fails", `{"tool": "keep", "input": {"thought": "tea"}, "script": {"capabilities": {"notes.create": [{"error": "busy", "permanent": true}]}}}`, 200,
		map[string]any{"status": "failed", "output": nil, "error.code": "FORGE_CAPABILITY_FAILED", "trace.0.ok": false, "trace.0.error.code": "FORGE_CAPABILITY_FAILED", "writes": []any{}})
	try("an input that does not fit", `{"tool": "keep"}`, 200, map[string]any{"status": "failed", "error.code": "FORGE_INPUT_INVALID", "trace": []any{}, "created": []any{}, "calls": []any{}})
	try("an input with a name twice", `{"tool": "keep", "input": {"thought": "a", "thought": "b"}}`, 400, map[string]any{"code": "INVALID", "field": "body"})
	try("a script that is none", `{"tool": "keep", "script": {"capability": {}}}`, 422, map[string]any{"code": "SCRIPT_INVALID", "field": "body.script"})
	try("a text that is none", `{"text": "{}"}`, 422, map[string]any{"code": "MANIFEST_INVALID", "errors.0.code": "FORGE_MANIFEST_STRUCTURE", "errors.0.line": 1})
	try("neither", `{"input": {}}`, 422, map[string]any{"code": "INVALID", "field": "body"})
	try("both", `{"text": "{}", "tool": "keep"}`, 422, map[string]any{"code": "INVALID", "field": "body"})
	try("nobody", `{"tool": "nobody"}`, 404, map[string]any{"code": "TOOL_NOT_FOUND"})
	s.damage(t, "keep")
	try("a broken one", `{"tool": "keep"}`, 409, map[string]any{"code": "TOOL_BROKEN"})
	s.answer(t, gives{"nothing was written", personToken, "GET", "/v1/data/notes", "", 200, map[string]any{"total": 0}})

	withCard := strings.Replace(keeper2, `"flow":`, `"ui": {"kind": "summary", "title": "Kept", "primaryRef": "$.output.note", "detailRefs": ["$.all.length"]}, "flow":`, 1)
	if result := check.Run([]byte(withCard), capability.Builtin()); !result.OK() {
		t.Fatal(result.Diagnostics)
	}
	text, _ = json.Marshal(withCard)
	try("a card", fmt.Sprintf(`{"text": %s, "input": {"thought": "tea"}}`, text), 200, map[string]any{
		"card.title": "Kept", "card.primary": "A thought", "card.details": []any{map[string]any{"label": "all", "text": "0"}},
	})
}

// damage has what is kept of a tool no longer pass the check.
func (s *served) damage(t *testing.T, id string) {
	t.Helper()
	err := s.store.Write(t.Context(), func(tx store.Tx) error {
		versions, err := tx.Registry().Versions(t.Context(), id, 0)
		if err != nil {
			return err
		}
		if err := tx.Registry().DropVersions(t.Context(), id); err != nil {
			return err
		}
		for _, v := range versions {
			v.Text = []byte("{}")
			if err := tx.Registry().PutVersion(t.Context(), v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestInstalledOverHTTP is the life of a tool.
func TestInstalledOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const one = "/v1/forge/tools/dynamic:keep"
	for _, c := range []gives{
		{"none", personToken, "GET", "/v1/forge/tools", "", 200, map[string]any{"tools": []any{}}},
		{"install", personToken, "POST", "/v1/forge/tools", asBody("text", keeper), 200, map[string]any{
			"installed": true, "tool.name": "dynamic:keep", "tool.enabled": false, "tool.broken": false, "tool.risk": "R2", "diagnostics": []any{}, "diff": nil,
		}},
		{"the same again", personToken, "POST", "/v1/forge/tools", asBody("text", keeper), 200, map[string]any{"installed": false, "diff": nil}},
		{"an older one", personToken, "POST", "/v1/forge/tools", asBody("text", strings.Replace(keeper, "Keep a", "Keep one", 1)), 409, map[string]any{"code": "FORGE_VERSION_NOT_NEWER", "field": "$.version"}},
		{"errors", personToken, "POST", "/v1/forge/tools", asBody("text", strings.NewReplacer("notes.create", "notes.craete", `"version": 1`, `"version": 0`).Replace(keeper)), 422, map[string]any{
			"code": "MANIFEST_INVALID", "field": "$.version", "errors.0.code": "FORGE_VERSION", "errors.1.code": "FORGE_CAPABILITY_UNKNOWN", "errors.1.field": "$.flow.nodes[0].capability", "errors.1.line": 7, "errors.2": nil,
		}},
		{"an id that is none", personToken, "POST", "/v1/forge/tools", asBody("text", strings.Replace(keeper, `"id": "keep"`, `"id": "Keep"`, 1)), 422, map[string]any{"code": "MANIFEST_INVALID"}},
		{"a name that reads like it", personToken, "POST", "/v1/forge/tools", asBody("text", strings.Replace(keeper, `"id": "keep"`, `"id": "notes_list"`, 1)), 409, map[string]any{"code": "FORGE_NAME_TAKEN", "field": "$.id"}},
		{"on", personToken, "POST", one + "/enable", "", 200, map[string]any{"tool.enabled": true, "changed": true}},
		{"on again", personToken, "POST", one + "/enable", "", 200, map[string]any{"tool.enabled": true, "changed": false}},
		{"a newer one", personToken, "POST", "/v1/forge/tools", asBody("text", keeper2), 200, map[string]any{
			"installed": true, "tool.enabled": false, "tool.version": 2, "diff.fromVersion": 1, "diff.toVersion": 2, "diff.powers": map[string]any{"added": []any{"read"}, "removed": []any{}},
			"diff.stepsAdded": []any{map[string]any{"id": "look", "does": "notes.list"}}, "diff.stepsUnchanged": 2, "diff.grows": true, "diff.fields": []any{"flow.entry"},
		}},
		{"list", personToken, "GET", "/v1/forge/tools?limit=1", "", 200, map[string]any{"tools.0.id": "keep", "tools.0.version": 2, "next": nil}},
		{"one", personToken, "GET", one, "", 200, map[string]any{
			"versions": []any{2.0, 1.0}, "steps.0": map[string]any{"id": "look", "type": "capability", "capability": "notes.list"}, "steps.2": map[string]any{"id": "done", "type": "return"},
			"inputSchema.required": []any{"thought"}, "outputSchema": nil, "obstacle": nil, "broken": false,
		}},
		{"versions", personToken, "GET", one + "/versions?limit=1", "", 200, map[string]any{"tool": "dynamic:keep", "versions.0.version": 2, "versions.0.active": true, "versions.0.enabled": false, "versions.0.installedBy": "ada", "next": "1"}},
		{"the other", personToken, "GET", one + "/versions?limit=1&cursor=1", "", 200, map[string]any{"versions.0.version": 1, "versions.0.active": false, "next": nil}},
		{"diff", personToken, "GET", one + "/diff", "", 200, map[string]any{"tool": "dynamic:keep", "from": 1, "to": 2, "facts.stepsUnchanged": 2}},
		{"diff back", personToken, "GET", one + "/diff?from=2&to=1", "", 200, map[string]any{"from": 2, "to": 1, "facts.powers.removed": []any{"read"}, "facts.grows": false}},
		{"diff of none", personToken, "GET", one + "/diff?from=9", "", 404, map[string]any{"code": "TOOL_VERSION_NOT_FOUND"}},
		{"diff of a version that is none", personToken, "GET", one + "/diff?from=0", "", 422, map[string]any{"code": "INVALID", "field": "query.from"}},
		{"export", personToken, "GET", one + "/export", "", 200, map[string]any{"id": "keep", "version": 2, "text": keeper2}},
		{"export of one", personToken, "GET", one + "/export?version=1", "", 200, map[string]any{"version": 1, "text": keeper}},
		{"export of none", personToken, "GET", one + "/export?version=3", "", 404, map[string]any{"code": "TOOL_VERSION_NOT_FOUND"}},
		{"back", personToken, "POST", one + "/rollback", "", 200, map[string]any{"tool.version": 1, "tool.enabled": false, "from": 2}},
		{"back beyond", personToken, "POST", one + "/rollback", "", 404, map[string]any{"code": "TOOL_VERSION_NOT_FOUND"}},
		{"forth", personToken, "POST", one + "/rollback", `{"to": 2}`, 200, map[string]any{"tool.version": 2, "from": 1}},
		{"to none", personToken, "POST", one + "/rollback", `{"to": 0}`, 422, map[string]any{"code": "INVALID", "field": "body.to"}},
		{"on", personToken, "POST", one + "/enable", "", 200, map[string]any{"changed": true}},
		{"off", personToken, "POST", one + "/disable", "", 200, map[string]any{"tool.enabled": false, "changed": true}},
		{"off again", personToken, "POST", one + "/disable", "", 200, map[string]any{"changed": false}},
		{"nobody", personToken, "GET", "/v1/forge/tools/nobody", "", 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		{"nobody on", personToken, "POST", "/v1/forge/tools/nobody/enable", "", 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		{"nobody off", personToken, "POST", "/v1/forge/tools/nobody/disable", "", 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		{"nobody back", personToken, "POST", "/v1/forge/tools/nobody/rollback", "", 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		{"nobody away", personToken, "DELETE", "/v1/forge/tools/nobody", "", 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		{"nobody's text", personToken, "GET", "/v1/forge/tools/nobody/export", "", 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		{"nobody's versions", personToken, "GET", "/v1/forge/tools/nobody/versions", "", 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		{"nobody's difference", personToken, "GET", "/v1/forge/tools/nobody/diff", "", 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		{"a cursor that is none", personToken, "GET", "/v1/forge/tools?cursor=x", "", 422, map[string]any{"code": "INVALID"}},
		{"away", personToken, "DELETE", one, "", 200, map[string]any{"removed": map[string]any{"id": "keep", "name": "dynamic:keep", "version": 2.0}}},
		{"its text", personToken, "GET", one + "/export", "", 200, map[string]any{"version": 2}},
		{"it is gone", personToken, "GET", one, "", 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
	} {
		got := s.answer(t, c)
		if text := fmt.Sprint(got["text"]); c.name == "diff" && (!strings.Contains(text, "\n--- version 1\n+++ version 2\n") || !strings.Contains(text, `"entry": "look"`)) {
			t.Errorf("the texts are compared as %s", text)
		}
	}
	lines, err := s.engine.Audit(t.Context(), "keep", 0)
	if err != nil || len(lines) != 8 || lines[0].Who != "ada" || lines[0].From != "http" {
		t.Errorf("%d lines %+v, %v", len(lines), lines, err)
	}
}

// TestWhatKeepsAToolFromRunning stands with it, and a broken one can be looked at.
func TestWhatKeepsAToolFromRunning(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.install(t, withKey)
	s.answer(t, gives{"a key is not there", personToken, "GET", "/v1/forge/tools/keep", "", 200, map[string]any{"obstacle.code": "TOOL_CREDENTIALS_MISSING", "broken": false}})
	s.damage(t, "keep")
	s.answer(t, gives{"it is broken", personToken, "GET", "/v1/forge/tools/keep", "", 200, map[string]any{
		"id": "keep", "version": 1, "obstacle.code": "TOOL_BROKEN", "broken": true, "title": "", "powers": []any{}, "steps": []any{}, "diagnostics.0.level": "error",
	}})
	s.answer(t, gives{"it cannot be turned on", personToken, "POST", "/v1/forge/tools/keep/enable", "", 409, map[string]any{"code": "TOOL_BROKEN"}})
	s.install(t, keeper2)
	s.answer(t, gives{"there is no difference to tell", personToken, "GET", "/v1/forge/tools/keep/diff", "", 200, map[string]any{"facts": nil, "from": 1, "to": 2}})
}

// withKey is the keeper with a credential.
var withKey = strings.Replace(keeper, `"credentialRequirements": []`, `"credentialRequirements": [{"id": "my-key", "kind": "api_profile", "purpose": "To get in.", "outboundScope": []}]`, 1)

func TestARunThatNeedsATool(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.install(t, keeper)
	s.answer(t, gives{"on", personToken, "POST", "/v1/forge/tools/keep/enable", "", 200, nil})
	begun := s.answer(t, gives{"a run that asks", personToken, "POST", "/v1/tools/dynamic:keep/call?wait=0", `{"thought": "tea"}`, 202, nil})
	s.answer(t, gives{"it is needed", personToken, "DELETE", "/v1/forge/tools/keep", "", 409, map[string]any{"code": "TOOL_IN_USE"}})
	s.answer(t, gives{"it is stopped", personToken, "POST", fmt.Sprintf("/v1/runs/%v/cancel", begun["run"]), "", 200, nil})
	s.answer(t, gives{"it is over", personToken, "GET", fmt.Sprintf("/v1/runs/%v/result", begun["run"]), "", 200, map[string]any{"status": "cancelled"}})
	s.answer(t, gives{"it can go", personToken, "DELETE", "/v1/forge/tools/keep", "", 200, nil})
}

func TestCapabilitiesOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var names []string
	for cursor := ""; ; {
		got := s.answer(t, gives{"a page", personToken, "GET", "/v1/forge/capabilities?limit=4&cursor=" + cursor, "", 200, nil})
		for _, one := range got["capabilities"].([]any) {
			names = append(names, fmt.Sprint(dig(one, "name")))
			if dig(one, "input.type") != "object" || dig(one, "maxInputBytes") == 0.0 {
				t.Errorf("%v", one)
			}
		}
		if cursor, _ = got["next"].(string); cursor == "" {
			break
		}
	}
	var want []string
	for _, c := range s.engine.Capabilities() {
		want = append(want, c.Name)
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
}

// TestTurningAToolOffCountsAtOnce: the revision of the document changes with it, those who listen
// are told though nobody has asked for the document, and whoever has an old list is told what is
// the matter.
func TestTurningAToolOffCountsAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	if err := s.engine.SetPermission(engine.ActAs(t.Context(), engine.Actor{Who: "ada"}), consent.KindPower, "write", consent.Allow); err != nil {
		t.Fatal(err)
	}
	revision := func(token string) string {
		t.Helper()
		_, got := s.ask(t, token, "GET", "/v1/peer", "")
		return fmt.Sprint(got["revision"])
	}
	next := s.listen(t, personToken, "")
	told := func() string {
		t.Helper()
		var event struct{ Type, Revision string }
		for event.Type != "tools" {
			_, data := next()
			if err := json.Unmarshal([]byte(data), &event); err != nil {
				t.Fatal(err)
			}
		}
		return event.Revision
	}
	s.answer(t, gives{"install", personToken, "POST", "/v1/forge/tools", asBody("text", keeper), 200, nil})
	before, theirs := revision(personToken), revision("editor")
	for range 3 {
		s.answer(t, gives{"on", personToken, "POST", "/v1/forge/tools/keep/enable", "", 200, nil})
		on := told()
		if on == before || on != revision(personToken) {
			t.Errorf("turned on, the revision is %s; told %s, before %s", revision(personToken), on, before)
		}
		s.answer(t, gives{"it is listed", personToken, "GET", "/v1/tools/dynamic:keep", "", 200, nil})
		s.answer(t, gives{"it can be called", personToken, "POST", "/v1/tools/dynamic:keep/call", `{"thought": "tea"}`, 200, map[string]any{"status": "succeeded"}})
		s.answer(t, gives{"off", personToken, "POST", "/v1/forge/tools/keep/disable", "", 200, nil})
		s.answer(t, gives{"a call by an old list", personToken, "POST", "/v1/tools/dynamic:keep/call", `{"thought": "tea"}`, 409, map[string]any{"code": "TOOL_OFF"}})
		s.answer(t, gives{"a run by an old list", personToken, "POST", "/v1/runs", `{"content": {"type": "tool", "data": {"name": "dynamic:keep", "arguments": {"thought": "tea"}}}}`, 409, map[string]any{"code": "TOOL_OFF"}})
		if off := told(); off != before || revision(personToken) != before {
			t.Errorf("turned off, the revision is %s; told %s, before %s", revision(personToken), off, before)
		}
	}
	if now := revision("editor"); now != theirs {
		t.Errorf("the document of a program that may not call it has changed from %s to %s", theirs, now)
	}
	s.answer(t, gives{"written", personToken, "GET", "/v1/data/notes", "", 200, map[string]any{"total": 3}})
}
