package capability_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"toolsmith/internal/capability"
	"toolsmith/internal/capability/web"
	"toolsmith/tool"
)

// service is a host on loopback that keeps what it is sent.
type service struct {
	host string // as a manifest lists it
	desk desk

	answer http.HandlerFunc

	mu   sync.Mutex
	sent []string // "METHOD URI content-type body"
	last http.Header
}

// newService starts one. answer may be nil: it answers with an empty object then.
func newService(t testing.TB, answer http.HandlerFunc) *service {
	t.Helper()
	s := &service{answer: answer}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	client := web.New(web.Options{
		Timeout: 10 * time.Second,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	})
	t.Cleanup(client.Close)
	s.host = fmt.Sprintf("http://api.example.com:%d", netip.MustParseAddrPort(server.Listener.Addr().String()).Port())
	s.desk = newDesk()
	s.desk.host = capability.NewHostWith(client)
	return s
}

// ServeHTTP keeps a request and answers.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.sent = append(s.sent, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", r.Method, r.RequestURI, r.Header.Get("Content-Type"), body)))
	s.last = r.Header
	s.mu.Unlock()
	if s.answer != nil {
		s.answer(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{}`)
}

func (s *service) reach() *capability.Reach {
	return &capability.Reach{Hosts: []string{s.host}, AllowPrivate: func(string) bool { return true }}
}

// call calls with an input in JSON, in which HOST stands for the service.
func (s *service) call(t testing.TB, name, input string, reach *capability.Reach) (map[string]any, error) {
	t.Helper()
	result, err := s.desk.host.Call(t.Context(), nil, capability.Call{
		Name: name, Input: parse(t, strings.ReplaceAll(input, "HOST", s.host)), Key: "run-1/step-2", Reach: reach,
	})
	value, _ := result.Value.(map[string]any)
	return value, err
}

// header gives one of the headers of the last request.
func (s *service) header(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last.Get(name)
}

func (s *service) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, input, want string }{
		{"http.get", `{"url": "HOST/a"}`, "GET /a"},
		{"http.get", `{"url": "HOST/a", "query": {}}`, "GET /a"},
		{"http.get", `{"url": "HOST/a?x=1", "query": {"b": [1, 1.50, "z", null, false], "a": "&=", "n": null}}`, "GET /a?x=1&a=%26%3D&b=1&b=1.50&b=z&b=false"},
		{"http.get", `{"url": "HOST/a", "headers": {"content-type": "x/y"}}`, "GET /a x/y"},
		{"http.post", `{"url": "HOST/a"}`, "POST /a"},
		{"http.post", `{"url": "HOST/a", "json": {"b": 1.50, "a": [null, "<"]}}`, `POST /a application/json {"a":[null,"<"],"b":1.50}`},
		{"http.post", `{"url": "HOST/a", "json": null}`, `POST /a application/json null`},
		{"http.post", `{"url": "HOST/a", "json": {}, "headers": {"content-type": "application/x+json"}}`, `POST /a application/x+json {}`},
		{"http.post", `{"url": "HOST/a", "text": "Grüße"}`, `POST /a text/plain; charset=utf-8 Grüße`},
		{"http.post", `{"url": "HOST/a", "text": ""}`, `POST /a text/plain; charset=utf-8`},
		{"http.post", `{"url": "HOST/a", "text": "a=b", "headers": {"Content-Type": "application/x-www-form-urlencoded"}}`, `POST /a application/x-www-form-urlencoded a=b`},
	} {
		s := newService(t, nil)
		described, _ := s.desk.host.Catalogue().Get(test.name)
		if err := compile(t, described.Input).Validate(parse(t, test.input)); err != nil {
			t.Errorf("%s %s does not fit its schema: %v", test.name, test.input, err)
		}
		value, err := s.call(t, test.name, test.input, s.reach())
		if err != nil {
			t.Errorf("%s %s: %v", test.name, test.input, err)
			continue
		}
		if err := compile(t, described.Result).Validate(any(value)); err != nil {
			t.Errorf("%s %s: the result does not fit its schema: %v", test.name, test.input, err)
		}
		if got := s.requests(); len(got) != 1 || got[0] != test.want {
			t.Errorf("%s %s\n sent %q\nwant %q", test.name, test.input, got, test.want)
		}
	}
}

// TestTheKeyOfAPost is that of the call unless the tool gives its own; a read has none.
func TestTheKeyOfAPost(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, test := range []struct{ name, input, want string }{
		{"http.post", `{"url": "HOST"}`, "run-1/step-2"},
		{"http.post", `{"url": "HOST", "headers": {"idempotency-key": "mine"}}`, "mine"},
		{"http.get", `{"url": "HOST"}`, ""},
	} {
		if _, err := s.call(t, test.name, test.input, s.reach()); err != nil {
			t.Fatal(err)
		}
		if got := s.header("Idempotency-Key"); got != test.want {
			t.Errorf("%s %s: the key is %q; want %q", test.name, test.input, got, test.want)
		}
	}
}

// TestAnyKeyCanBeSent: the same for the same call, and never two alike for two calls.
func TestAnyKeyCanBeSent(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	keys := map[string]string{}
	rapid.Check(t, func(r *rapid.T) {
		key := rapid.OneOf(rapid.StringN(1, 300, -1), rapid.StringMatching(`[a-z0-9/ ]{1,400}`)).Draw(r, "key")
		for range 2 {
			if _, err := s.desk.host.Call(t.Context(), nil, capability.Call{Name: "http.post", Input: map[string]any{"url": s.host}, Key: key, Reach: s.reach()}); err != nil {
				r.Fatal(err)
			}
			sent := s.header("Idempotency-Key")
			if before, ok := keys[sent]; ok && before != key || sent == "" || len(sent) > 255 {
				r.Fatalf("%q was sent for %q and for %q", sent, key, before)
			}
			keys[sent] = key
		}
	})
}

// TestAnAnswerIsAResult, whatever its status.
func TestAnAnswerIsAResult(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 204, 404, 429, 500, 503} {
		s := newService(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Date"] = nil
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(status)
		})
		for _, name := range []string{"http.get", "http.post"} {
			value, err := s.call(t, name, `{"url": "HOST"}`, s.reach())
			if err != nil || fmt.Sprint(value["status"]) != fmt.Sprint(status) || value["text"] != "" {
				t.Errorf("%s, %d: %v, %v", name, status, value, err)
			}
		}
	}
}

// TestACredentialIsNamed in the input.
func TestACredentialIsNamed(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	reach := s.reach()
	for _, id := range []string{"one", "two"} {
		reach.Credentials = append(reach.Credentials, capability.Credential{
			ID: id, Hosts: []string{s.host}, Value: func(context.Context) (string, error) { return "key-" + id, nil },
		})
	}
	for _, name := range []string{"http.get", "http.post"} {
		if _, err := s.call(t, name, `{"url": "HOST", "credential": "two"}`, reach); err != nil || s.header("Authorization") != "key-two" {
			t.Errorf("%s: %v, sent %q", name, err, s.header("Authorization"))
		}
		_, err := s.call(t, name, `{"url": "HOST"}`, reach)
		wantError(t, err, capability.Error{Capability: name, Permanent: true, Code: web.CodeCredentialInvalid, Field: "$.credential"})
	}
	if got := len(s.requests()); got != 2 {
		t.Errorf("%d requests", got)
	}
}

// TestWhatIsNotSent: inputs that are refused, and calls that may not reach anything.
func TestWhatIsNotSent(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, test := range []struct{ name, input, code, field string }{
		{"http.get", `null`, "INVALID", "$"},
		{"http.get", `{}`, "INVALID", "$.url"},
		{"http.get", `{"url": 5}`, "INVALID", "$.url"},
		{"http.get", `{"url": "HOST", "json": {}}`, "INVALID", "$"},
		{"http.get", `{"url": "HOST", "query": []}`, "INVALID", "$.query"},
		{"http.get", `{"url": "HOST", "query": {"a": {}}}`, "INVALID", "$.query.a"},
		{"http.get", `{"url": "HOST", "query": {"a b": [[1]]}}`, "INVALID", `$.query["a b"]`},
		{"http.get", `{"url": "HOST", "headers": "X: y"}`, "INVALID", "$.headers"},
		{"http.get", `{"url": "HOST", "headers": {"X": 1}}`, "INVALID", "$.headers.X"},
		{"http.get", `{"url": "HOST", "credential": ""}`, "INVALID", "$.credential"},
		{"http.post", `{"url": "HOST", "json": 1, "text": "1"}`, "INVALID", "$.text"},
		{"http.post", `{"url": "HOST", "text": 1}`, "INVALID", "$.text"},
		{"http.post", `{"url": "HOST", "text": null}`, "INVALID", "$.text"},
		{"http.post", `{"url": "HOST", "query": {}}`, "INVALID", "$"},
		{"http.post", `{"url": "HOST", "headers": {"Host": "evil.example"}}`, web.CodeRequestInvalid, "$.headers"},
		{"http.post", `{"url": "HOST", "headers": {"X": "a\r\nY: b"}}`, web.CodeRequestInvalid, "$.headers"},
		{"http.get", `{"url": "HOST@evil.example"}`, web.CodeURLInvalid, "$.url"},
		{"http.get", `{"url": "https://evil.example"}`, web.CodeHostRefused, "$.url"},
		{"http.get", `{"url": "HOST", "credential": "one"}`, web.CodeCredentialInvalid, "$.credential"},
	} {
		t.Run(test.name+test.input, func(t *testing.T) {
			_, err := s.call(t, test.name, test.input, s.reach())
			wantError(t, err, capability.Error{Capability: test.name, Permanent: true, Code: test.code, Field: test.field})
		})
	}
	half := "half a pair \xed\xa0\x80"
	for field, input := range map[string]map[string]any{
		"$.url": {"url": s.host + half}, "$.text": {"url": s.host, "text": half}, "$.json": {"url": s.host, "json": half},
		"$.headers.X": {"url": s.host, "headers": map[string]any{"X": half}},
	} {
		_, err := s.desk.host.Call(t.Context(), nil, capability.Call{Name: "http.post", Input: input, Reach: s.reach()})
		wantError(t, err, invalid("http.post", field))
	}
	for _, name := range []string{"http.get", "http.post"} {
		_, err := s.call(t, name, `{"url": "HOST"}`, nil)
		wantError(t, err, capability.Error{Capability: name, Permanent: true, Code: web.CodeNotAllowed})
		_, err = s.call(t, name, `{"url": "HOST"}`, &capability.Reach{Hosts: []string{s.host}})
		wantError(t, err, capability.Error{Capability: name, Permanent: true, Code: web.CodeAddressRefused})
	}
	if got := s.requests(); len(got) != 0 {
		t.Errorf("sent %q", got)
	}
}

// TestWhatMayPass: a host that breaks off may answer later, and the end of a context is no
// failure of the host.
func TestWhatMayPass(t *testing.T) {
	t.Parallel()
	s := newService(t, func(w http.ResponseWriter, _ *http.Request) {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.Close()
		}
	})
	for _, name := range []string{"http.get", "http.post"} {
		_, err := s.call(t, name, `{"url": "HOST/?q=canary"}`, s.reach())
		if wantError(t, err, capability.Error{Capability: name, Code: web.CodeUnreachable}); strings.Contains(err.Error(), "canary") {
			t.Errorf("it gives the query away: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.desk.host.Call(ctx, nil, capability.Call{Name: "http.get", Input: map[string]any{"url": s.host}, Reach: s.reach()})
	var failed *capability.Error
	if !errors.Is(err, context.Canceled) || errors.As(err, &failed) {
		t.Errorf("the error is %v", err)
	}
}

// TestAnAnswerThatIsTooLarge fails a read, and not a call that has changed something.
func TestAnAnswerThatIsTooLarge(t *testing.T) {
	t.Parallel()
	s := newService(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		fmt.Fprint(w, strings.Repeat("x", web.DefaultMaxBody+1))
	})
	_, err := s.call(t, "http.get", `{"url": "HOST"}`, s.reach())
	wantError(t, err, capability.Error{Capability: "http.get", Permanent: true, Code: web.CodeResponseTooLarge})
	value, err := s.call(t, "http.post", `{"url": "HOST"}`, s.reach())
	if err != nil || value["truncated"] != true || len(compact(t, value)) > capability.MaxResult {
		t.Errorf("%d bytes, %v", len(compact(t, value)), err)
	}
}

// TestTheClientOfAHost keeps the rules of its capabilities.
func TestTheClientOfAHost(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for address, code := range map[string]string{s.host: "", "http://evil.example": web.CodeHostRefused} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := s.desk.host.HTTPClient(s.reach()).Do(request)
		if err == nil {
			response.Body.Close()
		}
		if tool.Code(err) != code || code == "" && err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
