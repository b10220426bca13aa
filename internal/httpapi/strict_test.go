package httpapi_test

import (
	"strings"
	"testing"
)

// TestBodiesAreReadStrictly, so that nobody is shown one thing while another is done.
func TestBodiesAreReadStrictly(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.answer(t, gives{"a question", "all", "POST", "/v1/tools/notes.create/call?wait=0", `{"title": "a", "content": "b"}`, 202, nil})
	answer := ""
	for answer == "" {
		_, list := s.ask(t, personToken, "GET", "/v1/consents", "")
		if id, ok := dig(list, "consents.0.id").(string); ok {
			answer = "/v1/consents/" + id + "/answer"
		}
	}
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "/v1/data/notes", `{"title": "a", "title": "b"}`, 400, "given twice"},
		{"POST", "/v1/data/notes", `{"Title": "a"}`, 422, `"Title"`},
		{"POST", "/v1/data/notes", `{"title": "a", "CONTENT": "b"}`, 422, `"CONTENT"`},
		{"POST", "/v1/data/notes", "{\"title\": \"a\", \"t\u0131tle\": \"b\"}", 422, "body.tıtle"},
		{"POST", "/v1/data/notes", `{"title": "a"} {}`, 400, ""},
		{"POST", "/v1/data/notes", "\ufeff" + `{"title": "a"}`, 400, ""},
		{"POST", "/v1/data/notes", strings.Repeat("[", 20000), 400, ""},
		{"POST", "/v1/tokens", `{"name": "x", "Tools": ["echo"]}`, 422, `"Tools"`},
		{"PUT", "/v1/settings/power/write", `{"permission": "ask", "Permission": "allow"}`, 422, `"Permission"`},
		{"PUT", "/v1/secrets/go:knock/key", `{"value": "` + canary + `", "Value": "` + canary + `"}`, 422, `"Value"`},
		{"PUT", "/v1/secrets/go:knock/key", `{"value": "` + canary + `", "value": "` + canary + `"}`, 400, "given twice"},
		{"PATCH", "/v1/data/notes/x", `{"title": null}`, 422, "title is null: leave it out instead"},
		{"POST", answer, `{"allow": true, "conditions": [{"path": "title", "operator": "equals", "value": null}, {"path": null, "operator": "equals", "value": 1}]}`, 422, "conditions[1].path"},
		{"POST", answer, `{"allow": false, "Allow": true}`, 422, `"Allow"`},
		{"POST", answer, `{"allow": false, "allow": true}`, 400, "given twice"},
		{"POST", answer, `{"allow": true, "for": "always", "conditions": [{"path": "title", "operator": "equals", "value": "a", "Value": "b"}]}`, 422, `"Value"`},
	} {
		got := s.answer(t, gives{c.body[:min(60, len(c.body))], personToken, c.method, c.path, c.body, c.status, map[string]any{"code": "INVALID"}})
		if text, _ := got["detail"].(string); !strings.Contains(text, c.says) || strings.Contains(text, canary) {
			t.Errorf("%s gives %q", c.body[:min(60, len(c.body))], text)
		}
	}
	s.answer(t, gives{"nothing was made", personToken, "GET", "/v1/data/notes", "", 200, map[string]any{"total": 0}})
	s.answer(t, gives{"nothing was answered", personToken, "GET", "/v1/consents", "", 200, map[string]any{"consents.0.state": "open"}})
	s.answer(t, gives{"an input of nothing", personToken, "POST", "/v1/forge/try", `{"text": "{}", "input": null}`, 422, map[string]any{"code": "MANIFEST_INVALID"}})
}
