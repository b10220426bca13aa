package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"toolsmith/internal/engine"
	"toolsmith/internal/httpapi"
)

const personToken = "the person's own token"

// guarded is a server behind a guard that counts what it lets through.
func guarded(t *testing.T, passed *atomic.Int64) string {
	t.Helper()
	g := &httpapi.Guard{
		Hosts: []string{"tools.example.com"}, Origins: []string{"http://localhost:5173"}, PersonToken: personToken, Person: "ada", Open: []string{"/healthz"},
		Token: func(_ context.Context, hash string) (httpapi.Who, bool, error) {
			switch hash {
			case engine.TokenHash("editor's"):
				return httpapi.Who{Name: "editor", Person: true, Tools: []string{"notes.list"}}, true, nil
			case engine.TokenHash("broken"):
				return httpapi.Who{}, false, errors.New("disk I/O error")
			}
			return httpapi.Who{}, false, nil
		},
	}
	server := httptest.NewUnstartedServer(nil)
	server.Config = httpapi.NewServer(g.Around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		passed.Add(1)
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d %v", len(body), err)
	})))
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

func TestGuard(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	address := guarded(t, &passed)
	own := strings.TrimPrefix(address, "http://")
	_, port, _ := net.SplitHostPort(own)
	large := strings.Repeat("x", httpapi.MaxBody+1)
	for name, c := range map[string]struct {
		method, path, host, body string
		headers                  map[string]string
		status                   int
		code                     string
	}{
		"with the token":             {headers: map[string]string{"Authorization": "Bearer " + personToken}, status: 200},
		"small letters":              {headers: map[string]string{"Authorization": "bearer " + personToken}, status: 200},
		"with the cookie":            {headers: map[string]string{"Cookie": "toolsmith=" + strings.ReplaceAll(personToken, " ", "%20")}, status: 401, code: "HTTP_TOKEN_REFUSED"},
		"a program":                  {headers: map[string]string{"Authorization": "Bearer editor's"}, status: 200},
		"no token":                   {status: 401, code: "HTTP_TOKEN_REFUSED"},
		"another token":              {headers: map[string]string{"Authorization": "Bearer guess"}, status: 401, code: "HTTP_TOKEN_REFUSED"},
		"another scheme":             {headers: map[string]string{"Authorization": "Basic " + personToken}, status: 401, code: "HTTP_TOKEN_REFUSED"},
		"the store fails":            {headers: map[string]string{"Authorization": "Bearer broken"}, status: 500, code: "STORE_UNAVAILABLE"},
		"health without a token":     {path: "/healthz", status: 200},
		"health of somebody else":    {path: "/healthz", host: "evil.com", status: 403, code: "HTTP_HOST_REFUSED"},
		"another host":               {host: "evil.com", headers: map[string]string{"Authorization": "Bearer " + personToken}, status: 403, code: "HTTP_HOST_REFUSED"},
		"a name that looks local":    {host: "localhost.evil.com", status: 403, code: "HTTP_HOST_REFUSED"},
		"an address elsewhere":       {host: "192.168.0.7:" + port, status: 403, code: "HTTP_HOST_REFUSED"},
		"localhost":                  {path: "/healthz", host: "localhost:" + port, status: 200},
		"LOCALHOST":                  {path: "/healthz", host: "LOCALHOST", status: 200},
		"the other loopback":         {path: "/healthz", host: "[::1]:" + port, status: 200},
		"a name that it was given":   {path: "/healthz", host: "tools.example.com", status: 200},
		"origin null":                {path: "/healthz", headers: map[string]string{"Origin": "null"}, status: 403, code: "HTTP_ORIGIN_REFUSED"},
		"a page of somebody else":    {method: "POST", headers: map[string]string{"Origin": "http://evil.com", "Authorization": "Bearer " + personToken}, status: 403, code: "HTTP_ORIGIN_REFUSED"},
		"a page at another port":     {method: "POST", headers: map[string]string{"Origin": "http://127.0.0.1:1", "Authorization": "Bearer " + personToken}, status: 403, code: "HTTP_ORIGIN_REFUSED"},
		"a page that reads":          {headers: map[string]string{"Origin": "http://evil.com", "Authorization": "Bearer " + personToken}, status: 403, code: "HTTP_ORIGIN_REFUSED"},
		"a file as an origin":        {path: "/healthz", headers: map[string]string{"Origin": "file://" + own}, status: 403, code: "HTTP_ORIGIN_REFUSED"},
		"its own page":               {path: "/healthz", headers: map[string]string{"Origin": address}, status: 200},
		"a page that may ask":        {path: "/healthz", headers: map[string]string{"Origin": "http://localhost:5173"}, status: 200},
		"a form of somebody else":    {method: "POST", headers: map[string]string{"Sec-Fetch-Site": "cross-site", "Authorization": "Bearer " + personToken}, status: 403, code: "HTTP_ORIGIN_REFUSED"},
		"JSON":                       {method: "POST", body: "{}", headers: map[string]string{"Content-Type": "application/json; charset=utf-8", "Authorization": "Bearer " + personToken}, status: 200},
		"a form":                     {method: "POST", body: "a=b", headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Authorization": "Bearer " + personToken}, status: 415, code: "HTTP_MEDIA_TYPE"},
		"text that is JSON":          {method: "POST", body: "{}", headers: map[string]string{"Content-Type": "text/plain", "Authorization": "Bearer " + personToken}, status: 415, code: "HTTP_MEDIA_TYPE"},
		"no kind of body":            {method: "PUT", body: "{}", headers: map[string]string{"Authorization": "Bearer " + personToken}, status: 415, code: "HTTP_MEDIA_TYPE"},
		"a body that is too large":   {method: "POST", body: large, headers: map[string]string{"Content-Type": "application/json"}, status: 413, code: "HTTP_TOO_LARGE"},
		"a very long name of a host": {host: strings.Repeat("a", 500) + ".example", status: 403, code: "HTTP_HOST_REFUSED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var body io.Reader
			if c.body != "" {
				body = strings.NewReader(c.body)
			}
			if c.path == "" {
				c.path = "/v1/tools"
			}
			r, err := http.NewRequestWithContext(t.Context(), c.method, address+c.path, body)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = c.host
			for header, value := range c.headers {
				r.Header.Set(header, value)
			}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if response.StatusCode != c.status {
				t.Errorf("status %d, want %d", response.StatusCode, c.status)
			}
			for header, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
				"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
			} {
				if got := response.Header.Get(header); got != want {
					t.Errorf("%s: %q", header, got)
				}
			}
			if c.code == "" {
				return
			}
			var p httpapi.Problem
			if err := json.NewDecoder(response.Body).Decode(&p); err != nil || p.Code != c.code || p.Status != c.status || p.Detail == "" || len(p.Detail) > 300 {
				t.Errorf("%+v, %v; want %s", p, err, c.code)
			}
			if kind := response.Header.Get("Content-Type"); kind != "application/problem+json" {
				t.Errorf("the kind is %q", kind)
			}
		})
	}
}

// TestABodyWithoutALength is bounded as well.
func TestABodyWithoutALength(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	address := guarded(t, &passed)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, io.MultiReader(strings.NewReader(strings.Repeat("x", httpapi.MaxBody)), strings.NewReader("y")))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+personToken)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(text), "too large") {
		t.Errorf("%s, %v", text, err)
	}
}

// TestAProgramIsNoPerson, whatever the store says, and calls only its tools.
func TestAProgramIsNoPerson(t *testing.T) {
	t.Parallel()
	g := &httpapi.Guard{PersonToken: personToken, Person: "ada", Token: func(context.Context, string) (httpapi.Who, bool, error) {
		return httpapi.Who{Name: "editor", Person: true, Tools: []string{"notes.list"}}, true, nil
	}}
	program, err := g.Admit(t.Context(), "editor's")
	if err != nil || program.Person || !program.MayCall("notes.list") || program.MayCall("notes.create") {
		t.Errorf("%+v, %v", program, err)
	}
	person, err := g.Admit(t.Context(), personToken)
	if err != nil || !person.Person || !person.MayCall("notes.create") {
		t.Errorf("%+v, %v", person, err)
	}
	if all := (httpapi.Who{Name: "all"}); !all.MayCall("notes.create") {
		t.Error("a program without a list may call nothing")
	}
	for _, none := range []*httpapi.Guard{{}, {Token: func(context.Context, string) (httpapi.Who, bool, error) { return httpapi.Who{Name: "x"}, false, nil }}} {
		for _, token := range []string{"", "guess"} {
			if who, err := none.Admit(t.Context(), token); err != nil || who.Name != "" {
				t.Errorf("%q lets %+v in, %v", token, who, err)
			}
		}
	}
}

// TestManyIdleConnections keep nobody from being answered.
func TestManyIdleConnections(t *testing.T) { //nolint:paralleltest // it may need all files that may be open
	var passed atomic.Int64
	address := guarded(t, &passed)
	var dialer net.Dialer
	const many = 5000
	var open []net.Conn
	defer func() {
		for _, conn := range open {
			conn.Close()
		}
	}()
	for range many {
		conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(address, "http://"))
		if errors.Is(err, syscall.EMFILE) && len(open) > 2000 { // this system allows no more
			for _, conn := range open[len(open)-200:] {
				conn.Close()
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", response, err)
	}
	response.Body.Close()
	// The one that has waited longest was closed.
	if err := open[0].SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(open[0]).ReadByte(); !errors.Is(err, io.EOF) && !strings.Contains(fmt.Sprint(err), "reset") {
		t.Errorf("the oldest connection gives %v", err)
	}
}

// TestTheStreamOfARemovedToken ends, and that of another goes on.
func TestTheStreamOfARemovedToken(t *testing.T) {
	t.Parallel()
	s := serve(t)
	open := func(token string) io.ReadCloser {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+"/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		return response.Body
	}
	editor, all := open("editor"), bufio.NewReader(open("all"))
	s.removed.Store("editor", true)
	if text, err := io.ReadAll(editor); err != nil || string(text) != ": here\n\n" {
		t.Errorf("the stream of the editor ends with %q, %v", text, err)
	}
	if status, _ := s.ask(t, "editor", "GET", "/v1/peer", ""); status != http.StatusUnauthorized {
		t.Errorf("the editor is let in with %d", status)
	}
	s.ask(t, "all", "POST", "/v1/tools/echo/call", `{"text": "on"}`)
	for {
		line, err := all.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream of another has ended: %v", err)
		}
		if strings.Contains(line, `"tool":"echo"`) {
			return
		}
	}
}
