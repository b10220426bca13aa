package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/httpapi"
	"toolsmith/internal/local"
	"toolsmith/internal/port"
	"toolsmith/internal/registry"
	"toolsmith/internal/runner/native"
	"toolsmith/internal/secret"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// served is a server over a store of its own, with an editor that may call notes.list and echo.
type served struct {
	store   store.Store
	engine  *engine.Engine
	worker  *worker.Worker
	api     *httpapi.API
	vault   *secret.Vault
	address string
	// removed are the tokens that were taken back.
	removed *sync.Map
	// close ends the server, once all requests have ended.
	close func()
}

type said struct {
	Text string `json:"text" minLength:"1"`
}

func serve(t testing.TB) *served {
	t.Helper()
	s, err := sqlite.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return serveOver(t, s)
}

// serveOver serves a store, which is closed at the end.
func serveOver(t testing.TB, s store.Store) *served {
	t.Helper()
	t.Cleanup(func() { s.Close() })
	catalogue := capability.Builtin()
	box, err := engine.NewToolbox(catalogue)
	if err != nil {
		t.Fatal(err)
	}
	builtin, err := native.Builtin(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	echo := tool.MustNew(tool.Spec{Name: "echo", Title: "Echo", Description: "Says it again."}, func(_ *tool.Context, in said) (said, error) { return in, nil })
	knock := tool.MustNew(tool.Spec{Name: "knock", Description: "Gets in with a key.", Secrets: []string{"key"}}, func(ctx *tool.Context, _ struct{}) (string, error) {
		if _, err := ctx.Secret("key", tool.AskNew()); err != nil {
			return "", err
		}
		return "in", nil
	})
	survey := tool.MustNew(tool.Spec{Name: "survey", Description: "Asks how many."}, func(ctx *tool.Context, _ struct{}) (any, error) {
		many, err := ctx.Ask(tool.Form{Title: "How many?", Text: "For the cake.", Schema: json.RawMessage(`{"type": ["integer", "null"], "maximum": 9007199254740993}`)})
		if err != nil {
			return nil, err
		}
		return many, ctx.Popup("https://example.org/in")
	})
	for _, one := range append(builtin, echo, knock, survey) {
		if err := box.Register(one); err != nil {
			t.Fatal(err)
		}
	}
	newID := local.NewIDs(time.Now)
	scripts, sources := newSandbox(t, catalogue)
	e := engine.New(engine.Options{Store: s, Catalogue: catalogue, Toolbox: box, NewID: newID, Who: "ada", From: "test", Checker: sources})
	vault := secret.New(secret.Options{Store: s, Keys: secret.InMemory(), Who: "ada", Audit: e.AuditSecrets})
	var api *httpapi.API
	hub := port.NewHub(port.Options{Tools: e, Version: "1.2.3", Grace: -1, Call: func(ctx context.Context, r port.CallRequest) (port.CallResult, error) {
		return api.CallOfPort(ctx, r)
	}})
	w := worker.New(worker.Options{Store: s, Engine: e, Vault: vault, Ports: hub, Scripts: scripts, NewID: newID})
	t.Cleanup(func() { _ = w.Close(context.Background()) })
	removed := &sync.Map{}
	api = httpapi.New(httpapi.Options{
		Engine: e, Worker: w, Secrets: vault, Ports: hub, Version: "1.2.3", NewID: newID, Look: 10 * time.Millisecond,
		Guard: &httpapi.Guard{PersonToken: personToken, Person: "ada", Token: func(ctx context.Context, hash string) (httpapi.Who, bool, error) {
			programs := map[string]httpapi.Who{
				engine.TokenHash("editor"):   {Name: "editor", Tools: []string{"echo", "notes.list", "notes.create"}},
				engine.TokenHash("all"):      {Name: "all"},
				engine.TokenHash("none"):     {Name: "none", Tools: []string{}},
				engine.TokenHash("namesake"): {Name: "ada", Tools: []string{"echo"}}, // as the person is called
			}
			if who, ok := programs[hash]; ok {
				_, gone := removed.Load(who.Name)
				return who, !gone, nil
			}
			kept, ok, err := e.TokenOf(ctx, hash)
			return httpapi.Who{Name: kept.Name, Tools: kept.Tools}, ok, err
		}},
	})
	server := httptest.NewServer(api.Handler())
	t.Cleanup(server.Close)
	t.Cleanup(api.Close)
	return &served{store: s, engine: e, worker: w, api: api, vault: vault, address: server.URL, removed: removed, close: server.Close}
}

// ask sends a request and reads the answer as a JSON object.
func (s *served) ask(t *testing.T, token, method, path, body string, headers ...string) (int, map[string]any) {
	t.Helper()
	status, text := s.raw(t, token, method, path, body, headers...)
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%s %s gives %d %q: %v", method, path, status, text, err)
	}
	return status, out
}

func (s *served) raw(t *testing.T, token, method, path, body string, headers ...string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, text
}

func TestThePeer(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, got := s.ask(t, "", "GET", path, ""); status != 200 || got["ok"] != true {
			t.Errorf("%s: %d %v", path, status, got)
		}
	}
	_, person := s.ask(t, personToken, "GET", "/v1/peer", "")
	_, program := s.ask(t, "editor", "GET", "/v1/peer", "")
	if person["you"] != "ada" || person["person"] != true || program["you"] != "editor" || program["person"] != false || person["version"] != "1.2.3" {
		t.Errorf("%v %v", person, program)
	}
	if person["revision"] == program["revision"] || len(fmt.Sprint(person["revision"])) != 64 {
		t.Errorf("the revisions are %v and %v, although they may call other tools", person["revision"], program["revision"])
	}
	if status, got := s.ask(t, personToken, "GET", "/v2/nothing", ""); status != 404 || got["code"] != "NOT_FOUND" {
		t.Errorf("%d %v", status, got)
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for name, c := range map[string]struct {
		token, method, path, body string
		status                    int
		want                      map[string]any
	}{
		"a call":                  {"editor", "POST", "/v1/tools/echo/call", `{"text": "hi"}`, 200, map[string]any{"status": "succeeded", "settled": true, "value": map[string]any{"text": "hi"}}},
		"arguments that do not":   {"editor", "POST", "/v1/tools/echo/call", `{"text": ""}`, 422, map[string]any{"code": "ARGUMENTS_INVALID"}},
		"no object":               {"editor", "POST", "/v1/tools/echo/call", `[1]`, 422, map[string]any{"code": "ARGUMENTS_INVALID"}},
		"no JSON":                 {"editor", "POST", "/v1/tools/echo/call", `{"text": `, 422, map[string]any{"code": "INVALID"}},
		"twice the same name":     {"editor", "POST", "/v1/tools/echo/call", `{"text": "a", "text": "b"}`, 422, map[string]any{"code": "INVALID"}},
		"a tool that is not":      {personToken, "POST", "/v1/tools/ehco/call", `{}`, 404, map[string]any{"code": "TOOL_UNKNOWN"}},
		"a tool that is off":      {personToken, "GET", "/v1/tools/dynamic:gone", ``, 404, map[string]any{"code": "TOOL_NOT_FOUND"}},
		"a tool of others":        {"editor", "POST", "/v1/tools/notes.delete/call", `{"id": "x"}`, 404, map[string]any{"code": "TOOL_UNKNOWN"}},
		"to look at one of them":  {"editor", "GET", "/v1/tools/notes.delete", ``, 404, map[string]any{"code": "TOOL_UNKNOWN"}},
		"a wait that is too long": {"editor", "POST", "/v1/tools/echo/call?wait=301", `{"text": "hi"}`, 422, map[string]any{"code": "INVALID", "field": "query.wait"}},
		"an unknown query":        {"editor", "GET", "/v1/tools?colour=red", ``, 422, map[string]any{"code": "INVALID"}},
		"a limit of none":         {"editor", "GET", "/v1/tools?limit=0", ``, 422, map[string]any{"code": "INVALID", "field": "query.limit"}},
		"a cursor that is none":   {"editor", "GET", "/v1/tools?cursor=x", ``, 422, map[string]any{"code": "INVALID"}},
		"no run":                  {personToken, "GET", "/v1/runs/nobody", ``, 404, map[string]any{"code": "RUN_NOT_FOUND"}},
		"no question":             {personToken, "GET", "/v1/consents/nobody", ``, 404, map[string]any{"code": "QUESTION_NOT_FOUND"}},
		"tasks that are none":     {personToken, "POST", "/v1/runs", `[{"content": {"type": "wish"}}]`, 422, map[string]any{"code": "RESULT_INVALID"}},
		"a chain of others":       {"editor", "POST", "/v1/runs", `[{"content": {"type": "tool", "data": {"name": "notes.delete", "arguments": {}}}}]`, 404, map[string]any{"code": "TOOL_UNKNOWN"}},
		"a chain":                 {"editor", "POST", "/v1/runs?wait=30&title=two", `[{"content": {"type": "tool", "data": {"name": "echo", "arguments": {"text": "a"}}}}, {"content": {"type": "tool", "data": {"name": "echo", "arguments": {"text": {"$ref": "$previous.text"}}}}}]`, 200, map[string]any{"status": "succeeded", "value": map[string]any{"text": "a"}}},
		"a method that is not":    {personToken, "PATCH", "/v1/tools", ``, 405, map[string]any{"code": "HTTP_METHOD"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, got := s.ask(t, c.token, c.method, c.path, c.body)
			if status != c.status {
				t.Errorf("status %d, want %d: %v", status, c.status, got)
			}
			for field, want := range c.want {
				if diff := cmp.Diff(want, got[field]); diff != "" {
					t.Errorf("%s (-want +got):\n%s%v", field, diff, got)
				}
			}
			if status >= 400 && (got["detail"] == "" || got["title"] == "" || got["type"] != "about:blank" || got["status"] != float64(status)) {
				t.Errorf("the problem is %v", got)
			}
		})
	}
}

// TestAQuestionOverHTTP is answered by the person, and never by a program.
func TestAQuestionOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	status, begun := s.ask(t, "editor", "POST", "/v1/tools/notes.create/call?wait=0", `{"title": "tea", "content": "green"}`, "Idempotency-Key", "once")
	if status != 202 || begun["settled"] != false {
		t.Fatalf("%d %v", status, begun)
	}
	run := fmt.Sprint(begun["run"])
	if status, again := s.ask(t, "editor", "POST", "/v1/tools/notes.create/call?wait=0", `{"title": "tea", "content": "green"}`, "Idempotency-Key", "once"); status != 202 || again["run"] != begun["run"] {
		t.Errorf("the key gives %d %v", status, again)
	}
	if status, other := s.ask(t, "editor", "POST", "/v1/tools/notes.create/call?wait=0", `{"title": "other", "content": "green"}`, "Idempotency-Key", "once"); status != 409 || other["code"] != "RUN_KEY_REUSED" {
		t.Errorf("the key for something else gives %d %v", status, other)
	}
	var id string
	for id == "" {
		_, list := s.ask(t, "editor", "GET", "/v1/consents", "")
		if questions, _ := list["consents"].([]any); len(questions) == 1 {
			q, _ := questions[0].(map[string]any)
			id, _ = q["id"].(string)
			if q["caller"] != "http:editor" || q["tool"] != "notes.create" {
				t.Errorf("asked %v", q)
			}
		}
	}
	answer := "/v1/consents/" + id + "/answer"
	if status, got := s.ask(t, "editor", "POST", answer, `{"allow": true}`); status != 403 || got["code"] != "CONSENT_FORBIDDEN" {
		t.Errorf("a program answers: %d %v", status, got)
	}
	if status, got := s.ask(t, "all", "POST", answer, `{"allow": true}`); status != 404 || got["code"] != "QUESTION_NOT_FOUND" {
		t.Errorf("another program answers: %d %v", status, got)
	}
	if status, got := s.ask(t, personToken, "POST", answer, `{"allow": true, "for": "ever"}`); status != 422 || got["code"] != "INVALID" {
		t.Errorf("%d %v", status, got)
	}
	for _, method := range []string{"GET", "HEAD"} {
		if status, _ := s.raw(t, personToken, method, answer, ""); status < 400 {
			t.Errorf("%s of an answer gives %d", method, status)
		}
	}
	if status, got := s.ask(t, personToken, "POST", answer, `{"allow": true}`); status != 200 || got["state"] != "answered" {
		t.Errorf("%d %v", status, got)
	}
	if status, got := s.ask(t, personToken, "POST", answer, `{"allow": true}`); status != 409 || got["code"] != "QUESTION_ANSWERED" {
		t.Errorf("a second answer: %d %v", status, got)
	}
	if status, got := s.ask(t, "editor", "GET", "/v1/runs/"+run+"/result?wait=30", ""); status != 200 || got["status"] != "succeeded" {
		t.Errorf("%d %v", status, got)
	}
	q, err := s.engine.Question(t.Context(), id)
	if err != nil || q.Answer.Who != "ada" || q.Answer.From != "http" {
		t.Errorf("answered by %+v, %v", q.Answer, err)
	}
	_, tasks := s.ask(t, "editor", "GET", "/v1/runs/"+run+"/tasks?limit=1", "")
	if list, _ := tasks["tasks"].([]any); len(list) != 1 || tasks["next"] != "1" {
		t.Errorf("%v", tasks)
	}
}

// TestWhatAProgramSees is what it has begun itself.
func TestWhatAProgramSees(t *testing.T) {
	t.Parallel()
	s := serve(t)
	_, mine := s.ask(t, "editor", "POST", "/v1/tools/echo/call", `{"text": "mine"}`)
	_, theirs := s.ask(t, "all", "POST", "/v1/tools/echo/call", `{"text": "theirs"}`)
	for token, want := range map[string]int{"editor": 1, "all": 1, personToken: 2} {
		_, got := s.ask(t, token, "GET", "/v1/runs", "")
		if list, _ := got["runs"].([]any); len(list) != want {
			t.Errorf("%s sees %v", token, got)
		}
	}
	for _, path := range []string{"", "/tasks", "/result?wait=0"} {
		if status, got := s.ask(t, "editor", "GET", fmt.Sprintf("/v1/runs/%v%s", theirs["run"], path), ""); status != 404 || got["code"] != "RUN_NOT_FOUND" {
			t.Errorf("%s of a run of others: %d %v", path, status, got)
		}
		if status, _ := s.ask(t, "editor", "GET", fmt.Sprintf("/v1/runs/%v%s", mine["run"], path), ""); status != 200 {
			t.Errorf("%s of its own run: %d", path, status)
		}
	}
	// Pages go on past the runs of others.
	s.ask(t, "editor", "POST", "/v1/tools/echo/call", `{"text": "mine again"}`)
	_, first := s.ask(t, "editor", "GET", "/v1/runs?limit=1", "")
	_, second := s.ask(t, "editor", "GET", fmt.Sprintf("/v1/runs?limit=1&cursor=%v", first["next"]), "")
	if list, _ := second["runs"].([]any); len(list) != 1 || second["next"] != nil || !strings.Contains(fmt.Sprint(list[0]), fmt.Sprint(mine["run"])) {
		t.Errorf("after %v comes %v", first, second)
	}
	if status, _ := s.ask(t, "editor", "POST", fmt.Sprintf("/v1/runs/%v/cancel", theirs["run"]), ""); status != 404 {
		t.Errorf("a program cancels a run of others: %d", status)
	}
	if status, got := s.ask(t, "editor", "GET", "/v1/tools", ""); status != 200 || fmt.Sprint(names(got)) != "[echo notes.create notes.list]" {
		t.Errorf("%d, tools %v", status, names(got))
	}
}

// TestANamesake of the person is a program all the same.
func TestANamesake(t *testing.T) {
	t.Parallel()
	s := serve(t)
	_, theirs := s.ask(t, personToken, "POST", "/v1/tools/echo/call", `{"text": "mine"}`)
	if status, got := s.ask(t, "namesake", "GET", fmt.Sprintf("/v1/runs/%v", theirs["run"]), ""); status != 404 {
		t.Errorf("it sees a run of the person: %d %v", status, got)
	}
	program := s.connect(t, "namesake")
	s.connect(t, personToken)
	for range 2 {
		if _, err := program.Call(t.Context(), "notes.list", nil); tool.Code(err) != "TOOL_UNKNOWN" {
			t.Errorf("through a port it calls what its token may not: %v", err)
		}
	}
}

func names(list map[string]any) (out []string) {
	tools, _ := list["tools"].([]any)
	for _, one := range tools {
		object, _ := one.(map[string]any)
		name, _ := object["name"].(string)
		out = append(out, name)
	}
	return out
}

// TestTheDocument changes when what can be called changes, and a tool that was turned off
// cannot be called any more, also by those who have an old list.
func TestTheDocument(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const path, operation = "/resources/peers/local/api", "/v1/tools/dynamic:keep/call"
	read := func() (doc map[string]any, tag string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+personToken)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if err := json.NewDecoder(response.Body).Decode(&doc); err != nil {
			t.Fatal(err)
		}
		return doc, response.Header.Get("ETag")
	}
	has := func(doc map[string]any) bool {
		paths, _ := doc["paths"].(map[string]any)
		_, ok := paths[operation]
		return ok
	}
	before, first := read()
	if _, again := read(); again != first || has(before) {
		t.Errorf("the revisions are %s and %s", first, again)
	}
	if status, text := s.raw(t, personToken, "GET", path, "", "If-None-Match", first); status != http.StatusNotModified || len(text) != 0 {
		t.Errorf("%d %s", status, text)
	}
	if _, err := installed(t.Context(), s.engine, []byte(keeper)); err != nil {
		t.Fatal(err)
	}
	if status, got := s.ask(t, personToken, "POST", operation, `{"thought": "x"}`); status != 409 || got["code"] != "TOOL_OFF" {
		t.Errorf("a tool that is off gives %d %v", status, got)
	}
	if _, _, err := s.engine.Enable(t.Context(), "keep"); err != nil {
		t.Fatal(err)
	}
	on, second := read()
	if !has(on) || second == first {
		t.Errorf("turned on, it is there: %v; %s", has(on), second)
	}
	if err := s.engine.SetPermission(t.Context(), consent.KindPower, "write", consent.Allow); err != nil {
		t.Fatal(err)
	}
	if status, got := s.ask(t, personToken, "POST", operation, `{"thought": "x"}`); status != 200 || got["status"] != "succeeded" {
		t.Errorf("%d %v", status, got)
	}
	if _, _, err := s.engine.Disable(t.Context(), "keep"); err != nil {
		t.Fatal(err)
	}
	off, third := read()
	if has(off) || third == second {
		t.Errorf("turned off, it is there: %v", has(off))
	}
	if status, got := s.ask(t, personToken, "POST", operation, `{"thought": "x"}`); status != 409 || got["code"] != "TOOL_OFF" {
		t.Errorf("%d %v", status, got)
	}
	status, text := s.raw(t, personToken, "GET", path+".yaml", "")
	if status != 200 || !bytes.HasPrefix(text, []byte("components:\n")) || !bytes.Contains(text, []byte("openapi: 3.1.0\n")) {
		t.Errorf("%d %.200s", status, text)
	}
}

const keeper = `{
  "schema": "talos.local-tool.v1", "id": "keep", "version": 1, "title": "Keep a thought", "description": "Keeps one thought as a note.",
  "createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
  "network": {"mode": "forbidden", "domains": []}, "credentialRequirements": [],
  "inputSchema": {"type": "object", "properties": {"thought": {"type": "string", "minLength": 1}}, "required": ["thought"], "additionalProperties": false},
  "flow": {"entry": "keep", "maxTransitions": 8, "nodes": [
    {"id": "keep", "type": "capability", "capability": "notes.create", "input": {"title": "A thought", "content": {"$ref": "$.input.thought"}}, "target": "$.note", "next": "done"},
    {"id": "done", "type": "return", "value": {"note": {"$ref": "$.note.title"}}}
  ]}
}`

// listen hears events after one.
func (s *served) listen(t *testing.T, token, after string) (next func() (id, data string)) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Last-Event-ID", after)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	for after != "lost" && lines.Scan() && lines.Text() != ": here" { // from here on nothing is missed
	}
	return func() (id, data string) {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				id = text
			}
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return id, text
			}
		}
		return "", "it has ended"
	}
}

// TestEvents are seen by those whose runs they are about, and can be had again.
func TestEvents(t *testing.T) {
	t.Parallel()
	s := serve(t)
	person, editor := s.listen(t, personToken, ""), s.listen(t, "editor", "")
	s.ask(t, "all", "POST", "/v1/tools/echo/call", `{"text": "theirs"}`)
	_, mine := s.ask(t, "editor", "POST", "/v1/tools/echo/call", `{"text": "mine"}`)
	if _, data := editor(); !strings.Contains(data, fmt.Sprint(mine["run"])) {
		t.Errorf("the editor is told %s", data)
	}
	first, data := person()
	if !strings.Contains(data, `"tool":"echo"`) || strings.Contains(data, fmt.Sprint(mine["run"])) {
		t.Errorf("the person is told %s", data)
	}
	_, second := person()
	again := s.listen(t, personToken, first)
	if _, data := again(); data != second {
		t.Errorf("after %s comes %s, want %s", first, data, second)
	}
	// What was begun elsewhere in this process is told too, to the person alone.
	run, err := s.worker.Begin(t.Context(), engine.Request{Chains: [][]task.Draft{{task.CallOf(task.Call{Name: "echo", Arguments: map[string]any{"text": "x"}})}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for data := ""; !strings.Contains(data, run.ID); {
		if _, data = again(); data == "it has ended" {
			t.Fatal("the person is not told of a run that was begun elsewhere")
		}
	}
	_, own := s.ask(t, "editor", "POST", "/v1/tools/echo/call", `{"text": "mine"}`)
	for data := ""; !strings.Contains(data, fmt.Sprint(own["run"])); {
		if _, data = editor(); strings.Contains(data, run.ID) || data == "it has ended" {
			t.Fatalf("the editor is told %s", data)
		}
	}
	if _, data := s.listen(t, personToken, "lost")(); data != `{"type":"reset"}` {
		t.Errorf("what is lost gives %s", data)
	}
}

// installed installs a manifest.
func installed(ctx context.Context, e *engine.Engine, text []byte) (registry.Installed, error) {
	tools, _, err := e.Checked(ctx, "", text)
	if err != nil {
		return registry.Installed{}, err
	}
	done, err := e.Install(ctx, tools...)
	if err != nil {
		return registry.Installed{}, err
	}
	return done[0], nil
}
