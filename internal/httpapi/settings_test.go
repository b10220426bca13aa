package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestSettingsOverHTTP are seen and changed by the person alone.
func TestSettingsOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, c := range [][3]string{
		{"GET", "/v1/grants", ""}, {"DELETE", "/v1/grants/x", ""}, {"GET", "/v1/settings", ""}, {"PUT", "/v1/settings/power/write", `{"permission": "allow"}`},
		{"DELETE", "/v1/settings/power/write", ""}, {"POST", "/v1/stop", ""}, {"POST", "/v1/start", ""}, {"GET", "/v1/secrets", ""}, {"GET", "/v1/audit", ""},
	} {
		if status, got := s.ask(t, "all", c[0], c[1], c[2]); status != 403 || got["code"] != "CONSENT_FORBIDDEN" {
			t.Errorf("a program: %s %s gives %d %v", c[0], c[1], status, got)
		}
	}
	powers := func(got map[string]any) string { return fmt.Sprint(got["powers"]) }
	if _, got := s.ask(t, personToken, "PUT", "/v1/settings/power/write", `{"permission": "allow"}`); powers(got) != "map[outbound:ask read:ask write:allow]" {
		t.Errorf("%v", got)
	}
	if _, got := s.ask(t, personToken, "DELETE", "/v1/settings/power/write", ""); powers(got) != "map[outbound:ask read:ask write:ask]" {
		t.Errorf("%v", got)
	}
	for path, want := range map[string]string{
		"/v1/settings/power/fly": "PERMISSION_INVALID", "/v1/settings/colour/red": "INVALID", "/v1/settings/tool/echo": "PERMISSION_INVALID",
	} {
		if status, got := s.ask(t, personToken, "PUT", path, `{"permission": "allow"}`); status != 422 || got["code"] != want {
			t.Errorf("%s gives %d %v", path, status, got)
		}
	}
	if status, got := s.ask(t, personToken, "DELETE", "/v1/grants/nobody", ""); status != 404 || got["code"] != "GRANT_NOT_FOUND" {
		t.Errorf("%d %v", status, got)
	}
	if _, got := s.ask(t, personToken, "POST", "/v1/stop", ""); got["stopped"] != true {
		t.Errorf("%v", got)
	}
	if status, got := s.ask(t, "editor", "POST", "/v1/tools/echo/call", `{"text": "x"}`); status != 503 || got["code"] != "STOPPED" {
		t.Errorf("while everything is stopped a call gives %d %v", status, got)
	}
	if _, got := s.ask(t, personToken, "POST", "/v1/start", ""); got["stopped"] != false {
		t.Errorf("%v", got)
	}
	_, got := s.ask(t, personToken, "GET", "/v1/audit?limit=1", "")
	if lines, _ := got["audit"].([]any); len(lines) != 1 || !strings.Contains(fmt.Sprint(lines[0]), "action:start") || !strings.Contains(fmt.Sprint(lines[0]), "from:http") {
		t.Errorf("%v", got)
	}
	if _, got := s.ask(t, personToken, "GET", "/v1/secrets", ""); fmt.Sprint(got["secrets"]) != "[]" {
		t.Errorf("%v", got)
	}
}

// TestGrantsOverHTTP are listed, and taken back.
func TestGrantsOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	_, begun := s.ask(t, personToken, "POST", "/v1/tools/notes.create/call?wait=0", `{"title": "a", "content": "b"}`)
	var id string
	for id == "" {
		_, got := s.ask(t, personToken, "GET", "/v1/consents", "")
		if list, _ := got["consents"].([]any); len(list) == 1 {
			q, _ := list[0].(map[string]any)
			id, _ = q["id"].(string)
		}
	}
	s.ask(t, personToken, "POST", "/v1/consents/"+id+"/answer", `{"allow": true, "for": "always"}`)
	s.ask(t, personToken, "GET", fmt.Sprintf("/v1/runs/%v/result", begun["run"]), "")
	_, got := s.ask(t, personToken, "GET", "/v1/grants", "")
	list, _ := got["grants"].([]any)
	if len(list) != 1 {
		t.Fatalf("%v", got)
	}
	grant, _ := list[0].(map[string]any)
	if grant["tool"] != "notes.create" || grant["who"] != "ada" || grant["from"] != "http" {
		t.Errorf("%v", grant)
	}
	if status, got := s.ask(t, personToken, "POST", "/v1/tools/notes.create/call", `{"title": "a", "content": "b"}`); status != 200 {
		t.Errorf("%d %v", status, got)
	}
	if _, got := s.ask(t, personToken, "DELETE", fmt.Sprintf("/v1/grants/%v", grant["id"]), ""); got["revokedAt"] == nil {
		t.Errorf("%v", got)
	}
	if status, got := s.ask(t, personToken, "POST", "/v1/tools/notes.create/call?wait=0", `{"title": "a", "content": "b"}`); status != 202 {
		t.Errorf("%d %v", status, got)
	}
	if _, got := s.ask(t, personToken, "GET", "/v1/grants?all=true", ""); len(got["grants"].([]any)) != 1 {
		t.Errorf("%v", got)
	}
}
