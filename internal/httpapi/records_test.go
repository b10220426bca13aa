package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"toolsmith/internal/registry"
	"toolsmith/internal/secret"
	"toolsmith/internal/store"
)

const canary = "canary-3f9a7c1e5b"

// TestSecretsOverHTTP are kept and forgotten, and no answer has a value in it.
func TestSecretsOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.install(t, withKey)
	const one = "/v1/secrets/dynamic:keep/my-key"
	value := fmt.Sprintf(`"value": %q`, canary)
	for _, c := range []gives{
		{"it lacks one", personToken, "GET", "/v1/forge/tools/keep", "", 200, map[string]any{"obstacle.code": "TOOL_CREDENTIALS_MISSING"}},
		{"keep it", personToken, "PUT", one, `{` + value + `}`, 200, map[string]any{"tool": "dynamic:keep", "name": "my-key", "header": "Authorization", "prefix": "Bearer ", "notes": []any{}}},
		{"it has it", personToken, "GET", "/v1/forge/tools/keep", "", 200, map[string]any{"obstacle": nil}},
		{"in another header", personToken, "PUT", "/v1/secrets/keep/my-key", `{` + value + `, "header": "X-Api-Key"}`, 200, map[string]any{"tool": "dynamic:keep", "header": "X-Api-Key", "prefix": ""}},
		{"with a prefix", personToken, "PUT", one, `{` + value + `, "prefix": "Token "}`, 200, map[string]any{"header": "Authorization", "prefix": "Token "}},
		{"in no header", personToken, "PUT", one, `{` + value + `, "header": ""}`, 200, map[string]any{"header": "", "prefix": ""}},
		{"with a line break", personToken, "PUT", one, fmt.Sprintf(`{"value": %q}`, canary+"\n"), 200, map[string]any{"notes": []any{"Line breaks around the value were left out."}}},
		{"of another name", personToken, "PUT", "/v1/secrets/dynamic:keep/other", `{` + value + `}`, 200, map[string]any{"notes": []any{"dynamic:keep declares no credential other; it has: my-key."}}},
		{"of a program in Go", personToken, "PUT", "/v1/secrets/go:summarize/key", `{` + value + `}`, 200, map[string]any{"tool": "go:summarize"}},
		{"of a port", personToken, "PUT", "/v1/secrets/port:editor%2Fopen/key", `{` + value + `}`, 200, map[string]any{"tool": "port:editor/open", "notes": []any{}}},
		{"list", personToken, "GET", "/v1/secrets?limit=1", "", 200, map[string]any{"secrets.0.tool": "dynamic:keep", "secrets.0.name": "my-key", "secrets.0.header": "Authorization", "secrets.0.prefix": "Bearer ", "secrets.0.readable": true, "secrets.0.setBy": "ada", "secrets.0.problem": nil, "next": "1"}},
		{"the last", personToken, "GET", "/v1/secrets?cursor=3", "", 200, map[string]any{"secrets.0.tool": "port:editor/open", "secrets.1": nil}},
		{"of nobody", personToken, "PUT", "/v1/secrets/nobody/my-key", `{` + value + `}`, 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		{"too short", personToken, "PUT", one, `{"value": "canary-"}`, 422, map[string]any{"code": "SECRET_TOO_SHORT"}},
		{"too long", personToken, "PUT", one, fmt.Sprintf(`{"value": %q}`, strings.Repeat(canary, 1000)), 422, map[string]any{"code": "SECRET_TOO_LONG"}},
		{"empty", personToken, "PUT", one, `{"value": ""}`, 422, map[string]any{"code": "SECRET_VALUE_INVALID"}},
		{"a header that is none", personToken, "PUT", one, `{` + value + `, "header": "Host"}`, 422, map[string]any{"code": "SECRET_HEADER_INVALID"}},
		{"a prefix without a header", personToken, "PUT", one, `{` + value + `, "header": "", "prefix": "x"}`, 422, map[string]any{"code": "SECRET_HEADER_INVALID"}},
		{"a value for a name", personToken, "PUT", "/v1/secrets/dynamic:keep/" + canary + "%20x", `{` + value + `}`, 422, map[string]any{"code": "SECRET_NAME_INVALID"}},
		{"no value", personToken, "PUT", one, `{}`, 422, map[string]any{"code": "INVALID", "field": "body"}},
		{"a value of another kind", personToken, "PUT", one, `{"value": ["` + canary + `"]}`, 422, map[string]any{"code": "INVALID", "field": "body.value"}},
		{"a value under another name", personToken, "PUT", one, `{` + value + `, "prefix": {"a": "` + canary + `"}}`, 422, map[string]any{"code": "INVALID", "field": "body.prefix"}},
		{"no JSON", personToken, "PUT", one, `{"value": ` + canary, 400, map[string]any{"code": "INVALID"}},
		{"a text alone", personToken, "PUT", one, `"` + canary + `"`, 422, map[string]any{"code": "INVALID"}},
		{"forget it", personToken, "DELETE", one, "", 200, map[string]any{"tool": "dynamic:keep", "deleted": "my-key"}},
		{"forget it again", personToken, "DELETE", one, "", 404, map[string]any{"code": "SECRET_MISSING"}},
		{"forget that of nobody", personToken, "DELETE", "/v1/secrets/nobody/my-key", "", 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		{"it lacks it again", personToken, "GET", "/v1/forge/tools/keep", "", 200, map[string]any{"obstacle.code": "TOOL_CREDENTIALS_MISSING"}},
		{"what was done", personToken, "GET", "/v1/audit", "", 200, map[string]any{"audit.0.action": "secret-delete", "audit.0.detail": "my-key", "audit.0.tool": "dynamic:keep", "audit.0.from": "http"}},
	} {
		got := s.answer(t, c)
		if text := fmt.Sprint(got); strings.Contains(text, canary) {
			t.Errorf("%s: the answer shows the value: %s", c.name, text)
		}
	}
}

// TestSecretsOfAnotherKey are listed as what they are, and can be forgotten.
func TestSecretsOfAnotherKey(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.install(t, withKey)
	other := secret.New(secret.Options{Store: s.store, Keys: secret.InMemory(), Who: "bob"})
	namespace, err := s.engine.Namespace(t.Context(), "keep")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Set(t.Context(), namespace, "my-key", canary, secret.Bearer()); err != nil {
		t.Fatal(err)
	}
	s.answer(t, gives{"list", personToken, "GET", "/v1/secrets", "", 200, map[string]any{"secrets.0.readable": false, "secrets.0.problem.code": "SECRET_KEY_MISSING"}})
	s.answer(t, gives{"set", personToken, "PUT", "/v1/secrets/keep/my-key", `{"value": "another-value"}`, 503, map[string]any{"code": "SECRET_KEY_MISSING"}})
	s.answer(t, gives{"forget", personToken, "DELETE", "/v1/secrets/keep/my-key", "", 200, nil})
	s.answer(t, gives{"set", personToken, "PUT", "/v1/secrets/keep/my-key", `{"value": "another-value"}`, 200, nil})
}

func TestTokensOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, c := range []gives{
		{"none", personToken, "GET", "/v1/tokens", "", 200, map[string]any{"tokens": []any{}}},
		{"no name", personToken, "POST", "/v1/tokens", `{}`, 422, map[string]any{"code": "INVALID", "field": "body"}},
		{"a name that is none", personToken, "POST", "/v1/tokens", `{"name": "-x"}`, 422, map[string]any{"code": "TOKEN_INVALID"}},
		{"a tool that is none", personToken, "POST", "/v1/tokens", `{"name": "page", "tools": ["echo", "ehco"]}`, 422, map[string]any{"code": "TOOL_UNKNOWN", "field": "body.tools[1]"}},
		{"no tools at all", personToken, "POST", "/v1/tokens", `{"name": "page", "tools": []}`, 422, map[string]any{"code": "INVALID", "field": "body.tools"}},
		{"remove nobody", personToken, "DELETE", "/v1/tokens/page", "", 404, map[string]any{"code": "TOKEN_NOT_FOUND"}},
	} {
		s.answer(t, c)
	}
	made := s.answer(t, gives{"add", personToken, "POST", "/v1/tokens", `{"name": "page", "tools": ["echo"]}`, 200, map[string]any{"name": "page"}})
	token := fmt.Sprint(made["token"])
	s.answer(t, gives{"it is let in", token, "GET", "/v1/peer", "", 200, map[string]any{"you": "page", "person": false}})
	s.answer(t, gives{"to its tools", token, "POST", "/v1/tools/echo/call", `{"text": "hi"}`, 200, map[string]any{"status": "succeeded"}})
	s.answer(t, gives{"and no others", token, "POST", "/v1/tools/notes.list/call", `{}`, 404, map[string]any{"code": "TOOL_UNKNOWN"}})
	s.answer(t, gives{"twice", personToken, "POST", "/v1/tokens", `{"name": "page"}`, 409, map[string]any{"code": "TOKEN_EXISTS"}})
	s.answer(t, gives{"one for all tools", personToken, "POST", "/v1/tokens", `{"name": "any"}`, 200, nil})
	list := s.answer(t, gives{"list", personToken, "GET", "/v1/tokens", "", 200, map[string]any{"tokens.0.name": "any", "tokens.0.tools": nil, "tokens.1.tools": []any{"echo"}, "tokens.1.addedBy": "ada"}})
	if strings.Contains(fmt.Sprint(list), token) {
		t.Errorf("the list shows the token: %v", list)
	}
	s.answer(t, gives{"a page", personToken, "GET", "/v1/tokens?limit=1&cursor=1", "", 200, map[string]any{"tokens.0.name": "page", "tokens.1": nil, "next": nil}})
	s.answer(t, gives{"remove", personToken, "DELETE", "/v1/tokens/page", "", 200, map[string]any{"removed": "page"}})
	s.answer(t, gives{"it is let in no more", token, "GET", "/v1/peer", "", 401, map[string]any{"code": "HTTP_TOKEN_REFUSED"}})
}

func TestAuditOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.answer(t, gives{"nothing", personToken, "GET", "/v1/audit/verify", "", 200, map[string]any{"ok": true, "lines": 0, "head": nil, "since": nil, "findings": []any{}}})
	s.install(t, keeper)
	for _, verb := range []string{"enable", "disable", "enable", "disable"} {
		s.answer(t, gives{verb, personToken, "POST", "/v1/forge/tools/keep/" + verb, "", 200, nil})
	}
	s.allow(t, "read")
	// Lines that come in between do not shift the pages.
	first := s.answer(t, gives{"a page", personToken, "GET", "/v1/audit?limit=2", "", 200, map[string]any{"audit.0.action": "set", "audit.0.tool": nil, "audit.1.action": "disable", "audit.1.tool": "dynamic:keep", "audit.2": nil, "next": "5"}})
	s.allow(t, "write")
	s.answer(t, gives{"the next", personToken, "GET", fmt.Sprintf("/v1/audit?limit=3&cursor=%v", first["next"]), "", 200, map[string]any{"audit.0.seq": 4, "audit.1.seq": 3, "audit.2.seq": 2, "next": "2"}})
	s.answer(t, gives{"the last", personToken, "GET", "/v1/audit?limit=3&cursor=2", "", 200, map[string]any{"audit.0.action": "install", "audit.1": nil, "next": nil}})
	s.answer(t, gives{"of a tool", personToken, "GET", "/v1/audit?tool=dynamic:keep&limit=1&cursor=5", "", 200, map[string]any{"audit.0.seq": 4, "next": "4"}})
	s.answer(t, gives{"of nobody", personToken, "GET", "/v1/audit?tool=nobody", "", 200, map[string]any{"audit": []any{}, "next": nil}})
	for _, cursor := range []string{"x", "0", "-1", "1.5"} {
		s.answer(t, gives{"a cursor that is none", personToken, "GET", "/v1/audit?cursor=" + cursor, "", 422, map[string]any{"code": "INVALID", "field": "query.cursor"}})
	}
	sound := s.answer(t, gives{"verify", personToken, "GET", "/v1/audit/verify", "", 200, map[string]any{"ok": true, "lines": 7, "unchained": 0, "findings": []any{}}})
	head := fmt.Sprint(sound["head"])
	if !strings.HasPrefix(head, "7:") || sound["since"] == nil {
		t.Errorf("%v", sound)
	}
	s.allow(t, "outbound")
	s.answer(t, gives{"what was expected", personToken, "GET", "/v1/audit/verify?expect=" + head, "", 200, map[string]any{"ok": true, "lines": 8}})
	s.answer(t, gives{"what was not", personToken, "GET", "/v1/audit/verify?expect=7:" + strings.Repeat("0", 64), "", 200, map[string]any{"ok": false, "findings.0.kind": "expected", "findings.0.level": "fault"}})
	s.answer(t, gives{"no head", personToken, "GET", "/v1/audit/verify?expect=7", "", 422, map[string]any{"code": "INVALID", "field": "query.expect"}})
	// What programs read of a line comes as JSON.
	if err := s.store.Write(t.Context(), func(tx store.Tx) error {
		return tx.Registry().AppendAudit(t.Context(), registry.AuditLine{Action: "look", Data: `{"a": [1, 2.50]}`})
	}); err != nil {
		t.Fatal(err)
	}
	_, text := s.raw(t, personToken, "GET", "/v1/audit?limit=1", "")
	if !strings.Contains(string(text), `"data":{"a":[1,2.50]}`) {
		t.Errorf("%s", text)
	}
}

// TestConditionsOverHTTP hold a yes for further calls to what the arguments are.
func TestConditionsOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	begin := func(title string) {
		t.Helper()
		s.answer(t, gives{"a call", "editor", "POST", "/v1/tools/notes.create/call?wait=0", asBody("title", title, "content", "x"), 202, nil})
	}
	begin("work: a")
	var id string
	for id == "" {
		_, list := s.ask(t, personToken, "GET", "/v1/consents", "")
		id, _ = dig(list, "consents.0.id").(string)
	}
	answer := "/v1/consents/" + id + "/answer"
	for _, c := range []gives{
		{"an operator that is none", personToken, "POST", answer, `{"allow": true, "for": "always", "conditions": [{"path": "title", "operator": "matches", "value": "x"}]}`, 422, map[string]any{"code": "INVALID", "field": "body.conditions[0].operator"}},
		{"no value", personToken, "POST", answer, `{"allow": true, "for": "always", "conditions": [{"path": "title", "operator": "equals"}]}`, 422, map[string]any{"code": "INVALID", "field": "body.conditions[0]"}},
		{"a value with a name twice", personToken, "POST", answer, `{"allow": true, "for": "always", "conditions": [{"path": "title", "operator": "equals", "value": {"a": 1, "a": 2}}]}`, 400, map[string]any{"code": "INVALID", "field": "body"}},
		{"a value of the wrong kind", personToken, "POST", answer, `{"allow": true, "for": "always", "conditions": [{"path": "title", "operator": "at-most", "value": "x"}]}`, 422, map[string]any{"code": "GRANT_CONDITION_INVALID", "field": "title"}},
		{"one that does not hold", personToken, "POST", answer, `{"allow": true, "for": "always", "conditions": [{"path": "title", "operator": "prefix", "value": "home: "}]}`, 422, map[string]any{"code": "GRANT_CONDITION_INVALID"}},
		{"for once", personToken, "POST", answer, `{"allow": true, "conditions": [{"path": "title", "operator": "prefix", "value": "work: "}]}`, 422, map[string]any{"code": "ANSWER_INVALID"}},
		{"it holds", personToken, "POST", answer, `{"allow": true, "for": "always", "conditions": [{"path": "title", "operator": "prefix", "value": "work: "}, {"path": "content", "operator": "one-of", "value": ["x", 1.50]}]}`, 200, map[string]any{"state": "answered", "answer.conditions.0.value": "work: "}},
		{"the grant", personToken, "GET", "/v1/grants", "", 200, map[string]any{"grants.0.conditions.0": map[string]any{"path": "title", "operator": "prefix", "value": "work: "}, "grants.0.conditions.1.value": []any{"x", 1.5}}},
		{"a call that meets it", "editor", "POST", "/v1/tools/notes.create/call", asBody("title", "work: b", "content", "x"), 200, map[string]any{"status": "succeeded"}},
	} {
		s.answer(t, c)
	}
	begin("home: c") // which is asked about
}

// TestASecretThatIsWaitedFor has the run go on once it is kept.
func TestASecretThatIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := serve(t)
	begun := s.answer(t, gives{"a call", "all", "POST", "/v1/tools/knock/call?wait=0", `{}`, 202, nil})
	var asked any
	for asked == nil {
		_, list := s.ask(t, personToken, "GET", "/v1/consents", "")
		asked = dig(list, "consents.0.secret")
	}
	if asked != "key" {
		t.Errorf("asked for %v", asked)
	}
	s.answer(t, gives{"keep it", personToken, "PUT", "/v1/secrets/go:knock/key", fmt.Sprintf(`{"value": %q}`, canary), 200, map[string]any{"tool": "go:knock"}})
	s.answer(t, gives{"its end", "all", "GET", fmt.Sprintf("/v1/runs/%v/result", begun["run"]), "", 200, map[string]any{"status": "succeeded", "value": "in"}})
	s.answer(t, gives{"nothing is asked", personToken, "GET", "/v1/consents", "", 200, map[string]any{"consents": []any{}}})
}

// TestAFormOverHTTP is answered by the person with a value, and never by a program.
func TestAFormOverHTTP(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]any{"7": 7.0, "null": nil} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			begun := s.answer(t, gives{"a call", "all", "POST", "/v1/tools/survey/call?wait=0", `{}`, 202, nil})
			next := func(place string) (question map[string]any, answer string) {
				t.Helper()
				for {
					_, list := s.ask(t, "all", "GET", "/v1/consents", "")
					if q, _ := dig(list, "consents.0").(map[string]any); dig(q, place) != nil {
						return q, fmt.Sprintf("/v1/consents/%v/answer", q["id"])
					}
				}
			}
			q, answer := next("form.schema")
			if dig(q, "form.title") != "How many?" || dig(q, "form.text") != "For the cake." || q["reason"] != "form" || dig(q, "form.url") != nil {
				t.Errorf("asked is %v", q)
			}
			for _, c := range []gives{
				{"a program", "all", "POST", answer, `{"allow": true, "answer": 3}`, 403, map[string]any{"code": "CONSENT_FORBIDDEN"}},
				{"no value", personToken, "POST", answer, `{"allow": true}`, 422, map[string]any{"code": "ANSWER_INVALID"}},
				{"too much", personToken, "POST", answer, `{"allow": true, "answer": 9007199254740994}`, 422, map[string]any{"code": "ANSWER_INVALID", "field": "$"}},
				{"a name twice", personToken, "POST", answer, `{"allow": true, "answer": {"a": 1, "a": 2}}`, 400, map[string]any{"code": "INVALID"}},
				{"for longer", personToken, "POST", answer, `{"allow": true, "answer": 3, "for": "run"}`, 422, map[string]any{"code": "ANSWER_INVALID"}},
				{"a value", personToken, "POST", answer, `{"allow": true, "answer": ` + value + `}`, 200, map[string]any{"state": "answered", "answer.hasValue": true}},
				{"a second one", personToken, "POST", answer, `{"allow": false}`, 409, map[string]any{"code": "QUESTION_ANSWERED"}},
			} {
				s.answer(t, c)
			}
			_, answer = next("form.url")
			s.answer(t, gives{"a page takes no value", personToken, "POST", answer, `{"allow": true, "answer": true}`, 422, map[string]any{"code": "ANSWER_INVALID"}})
			s.answer(t, gives{"it is done", personToken, "POST", answer, `{"allow": true}`, 200, nil})
			came := s.answer(t, gives{"its end", "all", "GET", fmt.Sprintf("/v1/runs/%v/result", begun["run"]), "", 200, map[string]any{"status": "succeeded"}})
			if came["value"] != want {
				t.Errorf("it came to %v", came)
			}
		})
	}
}
