package web_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"toolsmith/internal/capability/web"
)

// redirects answers with a redirect to where to says.
func redirects(status int, to func(r *http.Request) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if target := to(r); target != "" {
			w.Header().Set("Location", target)
			w.WriteHeader(status)
			return
		}
		fmt.Fprint(w, "there")
	}
}

// TestRedirectsAreJudged (N7): each hop is held against the same rules as the first.
func TestRedirectsAreJudged(t *testing.T) {
	t.Parallel()
	second := serve(t, says("second"))
	plain := serveHTTP(t, says("plain"))
	var target string
	first := serve(t, redirects(http.StatusFound, func(*http.Request) string { return target }))
	c := client(t, web.Options{})
	r := reach(first.on(good), second.on(other), "http://"+plain.on(good))
	for _, to := range []string{
		"http://169.254.169.254/latest?q=canary", "file:///etc/passwd", "https://" + second.on(evil) + "/?q=canary", "//" + second.on(evil),
		"https://" + second.on(good), "https://" + good + "@" + second.on(other), "https://me:canary@" + second.on(other), `\\` + second.on(other),
		`https://` + second.on(other) + `\@` + evil, "https://127.0.0.1:" + second.port, "https://[::1]:" + second.port, "javascript:alert(1)",
		"https://" + other + "%2e" + second.on(evil), "https://%zz/", "data:text/html,x", "http://" + plain.on(good) + "/downgrade", "https://" + second.on(other) + "/?a b",
	} {
		target = to
		_, err := get(t, c, r, "https://"+first.on(good))
		wantCode(t, err, web.CodeRedirectRefused)
		if !strings.Contains(err.Error(), first.on(good)) {
			t.Errorf("it does not say who redirects: %v", err)
		}
	}
	if second.connections.Load()+plain.connections.Load() != 0 {
		t.Error("a redirect that is refused was followed")
	}
	target = "https://" + second.on("B.Good.example.") + "/x#frag"
	if got := mustGet(t, c, r, "https://"+first.on(good)); string(got.Body) != "second" || second.seen()[0].RequestURI != "/x" {
		t.Errorf("%s, %s", got.Body, second.seen()[0].RequestURI)
	}
}

// TestARedirectToAPrivateAddress is judged at its own socket.
func TestARedirectToAPrivateAddress(t *testing.T) {
	t.Parallel()
	second := serve(t, says("second"))
	first := serve(t, redirects(http.StatusFound, func(*http.Request) string { return "https://" + second.on(other) }))
	c := client(t, web.Options{})
	r := &web.Reach{Hosts: []string{first.on(good), second.on(other)}, AllowPrivate: func(host string) bool { return host == good }}
	_, err := get(t, c, r, "https://"+first.on(good))
	if wantCode(t, err, web.CodeAddressRefused); second.connections.Load() != 0 || len(first.seen()) != 1 {
		t.Errorf("%v, %d connections", err, second.connections.Load())
	}
}

// TestRedirectsEnd (N7): a circle ends after five.
func TestRedirectsEnd(t *testing.T) {
	t.Parallel()
	var left int
	s := serve(t, redirects(http.StatusFound, func(r *http.Request) string {
		if left--; left < 0 {
			return ""
		}
		return "/again" + r.URL.Path
	}))
	c := client(t, web.Options{})
	for _, status := range []struct {
		redirects, asked int
		refused          bool
	}{{5, 6, false}, {6, 6, true}, {1 << 30, 6, true}} {
		before := len(s.seen())
		left = status.redirects
		_, err := get(t, c, reach(s.on(good)), "https://"+s.on(good))
		if status.refused {
			wantCode(t, err, web.CodeRedirectRefused)
		} else if err != nil {
			t.Error(err)
		}
		if asked := len(s.seen()) - before; asked != status.asked {
			t.Errorf("%d redirects: asked %d times", status.redirects, asked)
		}
	}
}

// secretive is a request with something secret in each place that it has.
func secretive(s *site, r *web.Reach) web.Request {
	r.Credentials = []web.Credential{{ID: "key", Hosts: r.Hosts, Value: key("canary-credential")}}
	return web.Request{
		Method: "GET", URL: "https://" + s.on(good) + "/?q=canary-query", Reach: r,
		Headers: map[string]string{
			"X-Api-Key": "canary-key", "X-Whatever": "canary-whatever", "Referer": "https://a/?canary-referer", "Idempotency-Key": "canary-idempotency",
			"Accept": "text/x", "If-None-Match": "tag",
		},
	}
}

func dump(r *http.Request) string { return fmt.Sprint(r.RequestURI, r.Header, r.Trailer) }

// TestSecretsStayBehind (N8): on another host nothing arrives that came from a secret,
// under whatever name; on the same host everything does.
func TestSecretsStayBehind(t *testing.T) {
	t.Parallel()
	second := serve(t, says("second"))
	var target string
	first := serve(t, redirects(http.StatusFound, func(r *http.Request) string {
		if r.URL.Path == "/same" {
			return ""
		}
		return target
	}))
	c := client(t, web.Options{})
	r := reach(first.on(good), second.on(other), second.on(good))
	for _, target = range []string{
		"https://" + second.on(other) + "/", "https://" + second.on(good) + "/", // another port is another host
		"https://" + second.on(other) + "/?token=canary-credential&x=1", "https://" + second.on(other) + "/?x=1&a=Bearer+canary%2Dcredential",
		"https://" + second.on(other) + "/?Y2FuYXJ5LWNyZWRlbnRpYWw=", "https://" + second.on(other) + "/?x=%zz&b=canary-credential",
	} {
		before := len(second.seen())
		if _, err := c.Do(t.Context(), secretive(first, r)); err != nil {
			t.Fatal(target, err)
		}
		got := dump(second.seen()[before])
		if strings.Contains(got, "canary") || strings.Contains(got, "Y2FuYXJ5") || !strings.Contains(got, "Accept:[text/x]") {
			t.Errorf("%s: the other host got %s", target, got)
		}
	}
	target = "https://" + second.on(other) + "/canary-credential/x"
	before := len(second.seen())
	_, err := c.Do(t.Context(), secretive(first, r))
	if wantCode(t, err, web.CodeRedirectRefused); len(second.seen()) != before {
		t.Error("the credential was sent in the path")
	}
	target = "/same"
	if _, err := c.Do(t.Context(), secretive(first, r)); err != nil {
		t.Fatal(err)
	}
	seen := first.seen()
	got := dump(seen[len(seen)-1])
	for _, want := range []string{"canary-credential", "canary-key", "canary-whatever"} {
		if !strings.Contains(got, want) {
			t.Errorf("the same host did not get %s: %s", want, got)
		}
	}
}

// TestSecretsDoNotComeBack: once a redirect has left a host, a redirect back to it is not
// trusted with them either, and the other host's own credential is not attached.
func TestSecretsDoNotComeBack(t *testing.T) {
	t.Parallel()
	var first, second *site
	first = serve(t, redirects(http.StatusFound, func(r *http.Request) string {
		if r.URL.Path == "/back" {
			return ""
		}
		return "https://" + second.on(other) + "/"
	}))
	second = serve(t, redirects(http.StatusTemporaryRedirect, func(*http.Request) string { return "https://" + first.on(good) + "/back" }))
	c := client(t, web.Options{})
	r := reach(first.on(good), second.on(other))
	r.Credentials = []web.Credential{
		{ID: "one", Hosts: []string{first.on(good)}, Value: key("canary-one")}, {ID: "two", Hosts: []string{second.on(other)}, Value: key("canary-two")},
	}
	mustGet(t, c, r, "https://"+first.on(good))
	if got := dump(first.seen()[0]); !strings.Contains(got, "canary-one") {
		t.Errorf("the first request lacks it: %s", got)
	}
	if got := dump(second.seen()[0]) + dump(first.seen()[1]); strings.Contains(got, "canary") {
		t.Errorf("sent after a redirect to another host: %s", got)
	}
}

// TestWhatIsSentAgain (N8): a redirect turns a POST into a GET without a body, unless it says
// that the same has to be sent, and that only to the same host.
func TestWhatIsSentAgain(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var bodies []string
	note := func(r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, fmt.Sprint(r.Method, " ", string(text), " ", r.Header.Get("Content-Type"), r.Header.Get("Idempotency-Key")))
	}
	second := serve(t, func(_ http.ResponseWriter, r *http.Request) { note(r) })
	for _, test := range []struct {
		method string
		status int
		same   bool
		want   string // what the second request is; "" for none
	}{
		{"POST", 301, true, "GET  "}, {"POST", 302, true, "GET  "}, {"POST", 303, true, "GET  "},
		{"POST", 307, true, "POST the body text/xkey"}, {"POST", 308, true, "POST the body text/xkey"},
		{"POST", 301, false, "GET  "}, {"POST", 303, false, "GET  "},
		{"POST", 307, false, ""}, {"POST", 308, false, ""}, {"PUT", 302, true, "GET  "}, {"DELETE", 307, false, ""},
		{"GET", 307, false, "GET  "}, {"HEAD", 303, true, "HEAD  "},
	} {
		bodies = nil
		first := serve(t, redirects(test.status, func(r *http.Request) string {
			note(r)
			if r.URL.Path == "/next" {
				return ""
			}
			if test.same {
				return "/next"
			}
			return "https://" + second.on(other)
		}))
		request := web.Request{Method: test.method, URL: "https://" + first.on(good), Reach: reach(first.on(good), second.on(other))}
		if test.method == "POST" || test.method == "PUT" {
			request.Body, request.Headers = []byte("the body"), map[string]string{"Content-Type": "text/x", "Idempotency-Key": "key"}
		}
		_, err := client(t, web.Options{}).Do(t.Context(), request)
		if test.want == "" {
			if wantCode(t, err, web.CodeRedirectRefused); len(bodies) != 1 {
				t.Errorf("%+v: sent %q", test, bodies)
			}
			continue
		}
		if err != nil || len(bodies) != 2 || bodies[1] != test.want {
			t.Errorf("%+v: %v, sent %q", test, err, bodies)
		}
	}
}

// TestAnswersThatAreNoRedirects are given as they are.
func TestAnswersThatAreNoRedirects(t *testing.T) {
	t.Parallel()
	for status, location := range map[int]string{300: "/x", 302: "", 304: "/x", 305: "/x", 201: "/x", 404: "/x", 500: "/x"} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if location != "" {
				w.Header().Set("Location", location)
			}
			w.WriteHeader(status)
		})
		if r := mustGet(t, client(t, web.Options{}), reach(s.on(good)), "https://"+s.on(good)); r.Status != status || len(s.seen()) != 1 {
			t.Errorf("%d became %d", status, r.Status)
		}
	}
}
