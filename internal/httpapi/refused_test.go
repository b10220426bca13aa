package httpapi_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/local"
	"toolsmith/internal/secret"
	"toolsmith/internal/task"
)

// lived is a server with something of each kind in it, and the paths that lead there.
type lived struct {
	*served
	// named stands for the parts of paths that are in braces.
	named map[string]string
}

func live(t *testing.T) *lived {
	t.Helper()
	s := serve(t)
	s.install(t, withKey)
	s.install(t, strings.Replace(withKey, `"version": 1`, `"version": 2`, 1))
	namespace, err := s.engine.Namespace(t.Context(), "keep")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.vault.Set(t.Context(), namespace, "my-key", canary, secret.Bearer()); err != nil {
		t.Fatal(err)
	}
	s.answer(t, gives{"on", personToken, "POST", "/v1/forge/tools/keep/enable", "", 200, nil})
	s.answer(t, gives{"a token", personToken, "POST", "/v1/tokens", `{"name": "page"}`, 200, nil})
	for kind, body := range map[string]string{"notes": `{"title": "a"}`, "tasks": `{"title": "a"}`, "memory": `{"title": "a", "content": "b"}`} {
		s.answer(t, gives{"a record", personToken, "POST", "/v1/data/" + kind, body, 200, nil})
	}
	s.answer(t, gives{"a call", "all", "POST", "/v1/tools/notes.create/call?wait=0", `{"title": "a", "content": "b"}`, 202, nil})
	var asked any
	for asked == nil {
		_, list := s.ask(t, personToken, "GET", "/v1/consents", "")
		asked = dig(list, "consents.0.id")
	}
	s.answer(t, gives{"allow it", personToken, "POST", fmt.Sprintf("/v1/consents/%v/answer", asked), `{"allow": true, "for": "always"}`, 200, nil})
	_, grants := s.ask(t, personToken, "GET", "/v1/grants", "")
	s.answer(t, gives{"forget the grant's tool", personToken, "PUT", "/v1/settings/tool/notes.create", `{"permission": "ask"}`, 200, nil})
	begun := s.answer(t, gives{"another", "all", "POST", "/v1/tools/notes.delete/call?wait=0", `{"id": "01KB9Z6TQ6"}`, 202, nil})
	for asked = nil; asked == nil; {
		_, list := s.ask(t, personToken, "GET", "/v1/consents", "")
		asked = dig(list, "consents.0.id")
	}
	_, tasks := s.ask(t, personToken, "GET", fmt.Sprintf("/v1/runs/%v/tasks", begun["run"]), "")
	return &lived{s, map[string]string{
		"{tool}": "dynamic:keep", "{run}": fmt.Sprint(begun["run"]), "{task}": fmt.Sprint(dig(tasks, "tasks.0.id")), "{question}": fmt.Sprint(asked),
		"{grant}": fmt.Sprint(dig(grants, "grants.0.id")), "{kind}": "tool",
	}}
}

// path fills a path of the document in.
func (l *lived) path(t *testing.T, template string) string {
	t.Helper()
	for part, is := range l.named {
		template = strings.ReplaceAll(template, part, is)
	}
	name := "notes.create"
	switch {
	case strings.Contains(template, "/secrets/"):
		name = "my-key"
	case strings.Contains(template, "/tokens/"):
		name = "page"
	}
	template = strings.ReplaceAll(template, "{name}", name)
	if strings.Contains(template, "{id}") {
		kind := strings.Split(template, "/")[3]
		_, list := l.ask(t, personToken, "GET", "/v1/data/"+kind+"?limit=1", "")
		template = strings.ReplaceAll(template, "{id}", fmt.Sprint(dig(list, kind+".0.id")))
	}
	switch {
	case strings.HasSuffix(template, "/result"):
		template += "?wait=0"
	case strings.HasSuffix(template, "/search"):
		template += "?q=a"
	}
	return template
}

// state is all that a request could have changed.
func (l *lived) state(t *testing.T) string {
	t.Helper()
	ctx := t.Context()
	var all []any
	note := func(v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	policy, err := l.engine.Policy(ctx)
	note(fmt.Sprint(policy.Powers, policy.Tools, policy.Hosts, policy.Stopped), err)
	tools, err := l.engine.Tools(ctx)
	for _, e := range tools {
		note(e.Tool, err)
		_, versions, err := l.engine.Versions(ctx, e.Tool.ID)
		note(len(versions), err)
	}
	note(l.engine.Audit(ctx, "", 0))
	questions, err := l.engine.Questions(ctx, false, 0)
	for _, q := range questions {
		note(fmt.Sprint(q.ID, q.State, q.Count), err)
	}
	note(l.engine.Grants(ctx, true))
	note(l.engine.Tokens(ctx))
	runs, err := l.engine.Runs(ctx, task.Filter{})
	for _, r := range runs {
		note(fmt.Sprint(r.ID, r.Status, r.Tasks, r.CancelledAt), err)
	}
	secrets, err := l.vault.ListAll(ctx)
	note(secrets, err)
	note(l.records(ctx))
	return fmt.Sprint(all...)
}

func (l *lived) records(ctx context.Context) (all []any, err error) {
	err = l.engine.Look(ctx, func(b *local.Book) error {
		notes, err := b.Notes(ctx, local.List{})
		if err != nil {
			return err
		}
		tasks, err := b.Tasks(ctx, local.List{})
		if err != nil {
			return err
		}
		memories, err := b.Memories(ctx, local.List{WithArchived: true})
		all = []any{notes, tasks, memories}
		return err
	})
	return all, err
}

// operations lists what the document has, as "METHOD path" with the tags, but for the tools.
func (s *served) operations(t *testing.T) map[string][]string {
	t.Helper()
	_, document := s.ask(t, personToken, "GET", "/resources/peers/local/api", "")
	out := map[string][]string{}
	for path, item := range document["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			if dig(operation, "x-tool") != nil {
				continue
			}
			var tags []string
			for _, tag := range dig(operation, "tags").([]any) {
				tags = append(tags, fmt.Sprint(tag))
			}
			out[strings.ToUpper(method)+" "+path] = tags
		}
	}
	return out
}

// bodyOf is a body that an operation takes; "" where it takes none.
func bodyOf(operation string) string {
	return map[string]string{
		"POST /v1/forge/check": asBody("text", keeper), "POST /v1/forge/try": `{"tool": "keep"}`, "POST /v1/forge/tools": asBody("text", keeper),
		"POST /v1/data/notes": `{"title": "x"}`, "POST /v1/data/tasks": `{"title": "x"}`, "POST /v1/data/memory": `{"title": "x", "content": "y"}`,
		"PATCH /v1/data/notes/{id}": `{"title": "x"}`, "PATCH /v1/data/tasks/{id}": `{"title": "x"}`, "PATCH /v1/data/memory/{id}": `{"title": "x"}`,
		"PUT /v1/secrets/{tool}/{name}": `{"value": "another-value"}`, "POST /v1/tokens": `{"name": "friend"}`,
		"POST /v1/tools/{tool}/call": `{}`, "POST /v1/consents/{question}/answer": `{"allow": false}`,
		"POST /v1/runs":                  `{"content": {"type": "tool", "data": {"name": "echo", "arguments": {"text": "x"}}}}`,
		"PUT /v1/settings/{kind}/{name}": `{"permission": "deny"}`,
	}[operation]
}

// TestAProgramIsRefused by everything that is the person's own, and nothing comes of it.
func TestAProgramIsRefused(t *testing.T) {
	t.Parallel()
	l := live(t)
	before := l.state(t)
	personal := []string{"forge", "data", "secrets", "tokens", "audit", "settings"}
	refused := 0
	for operation, tags := range l.operations(t) {
		method, path, _ := strings.Cut(operation, " ")
		own := slices.Contains([]string{"POST /v1/runs/{run}/resume", "POST /v1/runs/{run}/again"}, operation)
		if !own && !slices.Contains(personal, tags[0]) {
			continue
		}
		refused++
		l.answer(t, gives{"a program", "all", method, l.path(t, path), bodyOf(operation), http.StatusForbidden, map[string]any{"code": "CONSENT_FORBIDDEN"}})
	}
	if refused < 40 {
		t.Errorf("only %d operations were looked at", refused)
	}
	if after := l.state(t); after != before {
		t.Errorf("it was\n%s\nand is\n%s", before, after)
	}
}

// TestLookingChangesNothing: what a link scanner or a browser that reads ahead does with the
// addresses of this server, it does with GET and HEAD.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	l := live(t)
	operations := l.operations(t)
	var paths []string
	filled := map[string]string{}
	for operation := range operations {
		_, path, _ := strings.Cut(operation, " ")
		if filled[path] == "" {
			paths = append(paths, path)
			filled[path] = l.path(t, path)
		}
	}
	slices.Sort(paths)
	before := l.state(t)
	look := func(path, method string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, l.address+filled[path], nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+personToken)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		readable := operations["GET "+path] != nil
		allow := response.Header.Get("Allow")
		switch {
		case readable && response.StatusCode >= 300:
			t.Errorf("%s %s gives %d", method, filled[path], response.StatusCode)
		case !readable && (response.StatusCode != http.StatusMethodNotAllowed || allow == "" || strings.Contains(allow, "GET")):
			t.Errorf("%s %s gives %d, and allows %q", method, filled[path], response.StatusCode, allow)
		}
	}
	// In whatever order, and again.
	seed := uint64(time.Now().UnixNano())
	order := rand.New(rand.NewPCG(seed, seed))
	for range 2 {
		for _, i := range order.Perm(2 * len(paths)) {
			look(paths[i/2], []string{http.MethodGet, http.MethodHead}[i%2])
		}
		if after := l.state(t); after != before {
			t.Fatalf("seed %d: it was\n%s\nand is\n%s", seed, before, after)
		}
	}
}

// TestAMethodThatAPathDoesNotHave is told, with those that it has.
func TestAMethodThatAPathDoesNotHave(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"PATCH", "/v1/tools", 405, "GET, HEAD"}, {"GET", "/v1/stop", 405, "POST"}, {"POST", "/v1/settings/power/write", 405, "PUT, DELETE"},
		{"PUT", "/v1/data/notes/x", 405, "GET, HEAD, PATCH, DELETE"}, {"POST", "/v1/events", 405, "GET, HEAD"}, {"OPTIONS", "/v1/runs", 405, "GET, HEAD, POST"},
		{"BREW", "/v1/data/notes", 405, "GET, HEAD, POST"}, {"DELETE", "/resources/peers/local/api", 405, "GET, HEAD"},
		{"GET", "/v1/nothing", 404, ""}, {"POST", "/", 404, ""}, {"DELETE", "/v1/data/notes", 405, "GET, HEAD, POST"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, s.address+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+personToken)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.status || response.Header.Get("Allow") != c.allow || response.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s gives %d, allows %q, as %s", c.method, c.path, response.StatusCode, response.Header.Get("Allow"), response.Header.Get("Content-Type"))
		}
	}
	if status, got := s.ask(t, "", "GET", "/v1/stop", ""); status != 401 || got["code"] != "HTTP_TOKEN_REFUSED" {
		t.Errorf("without a token what there is is told: %d %v", status, got)
	}
}

// TestAStoreThatIsGone is told as that by everything that needs it.
func TestAStoreThatIsGone(t *testing.T) {
	t.Parallel()
	l := live(t)
	paths := map[string]string{}
	for operation := range l.operations(t) {
		_, path, _ := strings.Cut(operation, " ")
		paths[operation] = l.path(t, path)
	}
	if err := l.store.Close(); err != nil {
		t.Fatal(err)
	}
	without := []string{"GET /healthz", "POST /v1/forge/check", "POST /v1/logins", "GET /v1/forge/capabilities"}
	for operation, path := range paths {
		method, _, _ := strings.Cut(operation, " ")
		status, got := l.ask(t, personToken, method, path, bodyOf(operation))
		switch {
		case slices.Contains(without, operation):
			if status != http.StatusOK {
				t.Errorf("%s needs no store, and gives %d: %v", operation, status, got)
			}
		case status != http.StatusServiceUnavailable || got["code"] != "STORE_UNAVAILABLE":
			t.Errorf("%s gives %d: %v", operation, status, got)
		}
	}
}
