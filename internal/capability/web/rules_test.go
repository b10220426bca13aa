package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability/web"
)

// TestHostsAreExact (N1, N2, N3, N12): what is not a declared host to the letter is refused,
// and nothing is sent; what is one is reached under its plain name.
func TestHostsAreExact(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	c := client(t, web.Options{})
	allowed := reach(s.on(good), s.on("xn--bcher-kva.example"))
	for url, host := range map[string]string{
		"https://" + s.on(good):                            s.on(good),
		"HTTPS://" + s.on("API.Good.EXAMPLE") + "/":        s.on(good),
		"https://" + s.on(good+".") + "/":                  s.on(good),
		"https://" + s.on(good) + "/x?u=https://evil#frag": s.on(good),
		"https://" + s.on("b\u00fccher.example") + "/":     s.on("xn--bcher-kva.example"),
		"https://" + s.on("XN--BCHER-KVA.example") + "/":   s.on("xn--bcher-kva.example"),
	} {
		before := len(s.seen())
		mustGet(t, c, allowed, url)
		seen := s.seen()
		if len(seen) != before+1 || seen[before].Host != host || seen[before].TLS.ServerName != strings.TrimSuffix(host, ":"+s.port) {
			t.Errorf("%s was asked for as %s", url, seen[len(seen)-1].Host)
		}
	}
	asked, connected := len(s.seen()), s.connections.Load()
	for url, code := range map[string]string{
		// N1
		"https://" + s.on(good) + "@" + s.on(evil) + "/":          web.CodeURLInvalid,
		"https://" + s.on(evil) + "#@" + s.on(good):               web.CodeHostRefused,
		"https://" + s.on(evil) + "?@" + s.on(good):               web.CodeHostRefused,
		"https://" + good + `\@` + s.on(evil):                     web.CodeURLInvalid,
		"https://" + s.on(evil) + `\@` + s.on(good):               web.CodeURLInvalid,
		"https://" + good + "%2e" + s.on(evil):                    web.CodeURLInvalid,
		"https://api%2egood.example:" + s.port:                    web.CodeURLInvalid,
		"https://me:canary@" + s.on(good) + "/":                   web.CodeURLInvalid,
		"https://" + s.on(good) + "/\r\nX-Evil: 1":                web.CodeURLInvalid,
		"//" + s.on(good) + "/":                                   web.CodeURLInvalid,
		"file:///etc/passwd":                                      web.CodeURLInvalid,
		"":                                                        web.CodeURLInvalid,
		"https://" + s.on(good) + "/" + strings.Repeat("a", 9000): web.CodeURLInvalid,
		// N2
		"https://" + s.on(good+".evil.example") + "/?q=canary": web.CodeHostRefused,
		"https://" + s.on("xapi.good.example"):                 web.CodeHostRefused,
		"https://" + s.on("a.api.good.example"):                web.CodeHostRefused,
		"https://" + s.on("good.example"):                      web.CodeHostRefused,
		"https://" + s.on(good+".."):                           web.CodeURLInvalid,
		// N3
		"https://" + good:                   web.CodeHostRefused,
		"https://" + good + ":1":            web.CodeHostRefused,
		"http://" + s.on(good):              web.CodeHostRefused,
		"https://" + s.on("localhost"):      web.CodeURLInvalid,
		"https://127.0.0.1:" + s.port:       web.CodeURLInvalid,
		"https://2130706433:" + s.port:      web.CodeURLInvalid,
		"https://0x7f.1:" + s.port:          web.CodeURLInvalid,
		"https://0177.0.0.1:" + s.port:      web.CodeURLInvalid,
		"https://[::1]:" + s.port:           web.CodeURLInvalid,
		"https://[::ffff:7f00:1]:" + s.port: web.CodeURLInvalid,
		// N12
		"https://" + s.on("\u0430pi.good.example"):      web.CodeHostRefused, // a Cyrillic a
		"https://" + s.on("api.good.ex\u0430mple"):      web.CodeHostRefused,
		"https://" + s.on("\uff41pi.good.example"):      web.CodeURLInvalid,
		"https://" + s.on("api\u3002good\u3002example"): web.CodeURLInvalid,
		"https://" + s.on("b\u00fccher\u200b.example"):  web.CodeURLInvalid,
		"https://" + s.on("xn--bucher-kva.example"):     web.CodeHostRefused,
	} {
		_, err := get(t, c, allowed, url)
		wantCode(t, err, code)
	}
	if len(s.seen()) != asked || s.connections.Load() != connected {
		t.Error("something was sent to a host that was refused")
	}
}

// TestADeclaredListIsReadStrictly: what is not written as a manifest lists it allows nothing.
func TestADeclaredListIsReadStrictly(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	c := client(t, web.Options{})
	for _, listed := range []string{"", "*", "*.good.example", "https://" + s.on(good), s.on(good) + "/", s.on("good.example"), "127.0.0.1:" + s.port} {
		_, err := get(t, c, reach(listed), "https://"+s.on(good))
		wantCode(t, err, web.CodeHostRefused)
	}
	_, err := get(t, c, nil, "https://"+s.on(good))
	wantCode(t, err, web.CodeNotAllowed)
	_, err = get(t, c, &web.Reach{}, "https://"+s.on(good))
	wantCode(t, err, web.CodeHostRefused)
	_, err = get(t, c, reach("http://"+s.on(good)), "https://"+s.on(good))
	if wantCode(t, err, web.CodeHostRefused); !strings.Contains(err.Error(), "scheme and port") {
		t.Errorf("it does not say what is different: %v", err)
	}
	if n := s.connections.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

// TestWithoutEncryption reaches a host that is declared so, and only so.
func TestWithoutEncryption(t *testing.T) {
	t.Parallel()
	s := serveHTTP(t, says("plain"))
	c := client(t, web.Options{})
	if r := mustGet(t, c, reach("http://"+s.on(good)), "http://"+s.on(good)); string(r.Body) != "plain" {
		t.Errorf("%s", r.Body)
	}
	_, err := get(t, c, reach(s.on(good)), "https://"+s.on(good))
	wantCode(t, err, web.CodeTLSFailed)
}

// TestAHostHasToProveItself: a certificate of somebody else is not good enough.
func TestAHostHasToProveItself(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	c := client(t, web.Options{})
	_, err := get(t, c, reach(s.on("unproven.example")), "https://"+s.on("unproven.example"))
	wantCode(t, err, web.CodeTLSFailed)
	foreign := httptest.NewUnstartedServer(says("ok"))
	foreign.Config.ErrorLog = discard()
	foreign.StartTLS()
	defer foreign.Close()
	at := "example.com:" + port(foreign.Listener.Addr())
	_, err = get(t, c, reach(at), "https://"+at)
	wantCode(t, err, web.CodeTLSFailed)
	if len(s.seen()) != 0 {
		t.Error("something was sent")
	}
}

// TestProxiesAreIgnored (N9): TestMain counts what the proxy of the environment sees, and
// here it is seen that a client of the standard library would have used it.
func TestProxiesAreIgnored(t *testing.T) {
	t.Parallel()
	request := httptest.NewRequest("GET", "http://"+good+"/", nil)
	if proxy, err := http.ProxyFromEnvironment(request); err != nil || proxy == nil {
		t.Fatalf("the environment names no proxy: %v, %v", proxy, err)
	}
	s := serveHTTP(t, says("ok"))
	c := client(t, web.Options{})
	mustGet(t, c, reach("http://"+s.on(good)), "http://"+s.on(good))
	response, err := c.HTTPClient(reach("http://" + s.on(good))).Get("http://" + s.on(good))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if len(s.seen()) != 2 || proxied.Load() != 0 {
		t.Errorf("%d requests, %d at the proxy", len(s.seen()), proxied.Load())
	}
}

// TestHeadersOfARequest: what is sent, and what may not be.
func TestHeadersOfARequest(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	c := client(t, web.Options{})
	ask := func(headers map[string]string) error {
		_, err := c.Do(t.Context(), web.Request{Method: "GET", URL: "https://" + s.on(good), Headers: headers, Reach: reach(s.on(good))})
		return err
	}
	if err := ask(map[string]string{"accept": "text/x", "X-Thing": "a\tb \u00fc"}); err != nil {
		t.Fatal(err)
	}
	want := http.Header{"Accept": {"text/x"}, "X-Thing": {"a\tb \u00fc"}, "Accept-Encoding": {"gzip, deflate"}, "User-Agent": {"Toolsmith"}}
	if diff := cmp.Diff(want, s.seen()[0].Header); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if err := ask(map[string]string{"user-agent": "mine"}); err != nil || s.seen()[1].UserAgent() != "mine" {
		t.Errorf("%v, %v", err, s.seen()[1].Header)
	}
	many := map[string]string{}
	for i := range 65 {
		many["X-"+strings.Repeat("a", i+1)] = "1"
	}
	for name, headers := range map[string]map[string]string{
		"host": {"Host": evil}, "length": {"content-length": "3"}, "encoding": {"Transfer-Encoding": "chunked"}, "connection": {"Connection": "X-A"},
		"proxy": {"Proxy-Authorization": "canary"}, "any proxy": {"proxy-foo": "1"}, "cookie": {"cookie": "a=canary"}, "upgrade": {"Upgrade": "websocket"},
		"te": {"TE": "trailers"}, "accept": {"Accept-Encoding": "br"}, "expect": {"Expect": "100-continue"}, "via": {"Via": "x"}, "security": {"Sec-Fetch-Site": "none"},
		"empty": {"": "x"}, "space": {"X A": "x"}, "colon": {"X-A:": "x"}, "line in name": {"X-A\r\nX-B": "x"}, "not ASCII": {"X-\u00fc": "x"},
		"line": {"X-A": "canary\r\nX-B: y"}, "null": {"X-A": "canary\x00"}, "feed": {"X-A": "canary\n"}, "delete": {"X-A": "canary\x7f"},
		"twice": {"X-A": "1", "x-a": "2"}, "many": many, "long": {"X-A": strings.Repeat("x", 17*1024)},
	} {
		t.Run(name, func(t *testing.T) {
			wantCode(t, ask(headers), web.CodeRequestInvalid)
		})
	}
	if len(s.seen()) != 2 {
		t.Errorf("%d requests were sent", len(s.seen()))
	}
}

// TestMethodsAndBodies that cannot be sent.
func TestMethodsAndBodies(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	c := client(t, web.Options{})
	for method, body := range map[string][]byte{"": nil, "get": nil, "CONNECT": nil, "TRACE": nil, "GET /x": nil, "GET": {}, "HEAD": []byte("x")} {
		_, err := c.Do(t.Context(), web.Request{Method: method, Body: body, URL: "https://" + s.on(good), Reach: reach(s.on(good))})
		wantCode(t, err, web.CodeRequestInvalid)
	}
	for _, method := range []string{"HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		r, err := c.Do(t.Context(), web.Request{Method: method, URL: "https://" + s.on(good), Reach: reach(s.on(good))})
		if err != nil || r.Status != 200 {
			t.Errorf("%s: %v, %v", method, r.Status, err)
		}
	}
	if got := len(s.seen()); got != 5 {
		t.Errorf("%d requests were sent", got)
	}
}

// TestQuery is added to that of the address.
func TestQuery(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	c := client(t, web.Options{})
	for base, want := range map[string]string{"/": "/?a=1+%26&a=2&b=%C3%BC", "/?x=y": "/?x=y&a=1+%26&a=2&b=%C3%BC", "/?": "/?a=1+%26&a=2&b=%C3%BC"} {
		_, err := c.Do(t.Context(), web.Request{
			Method: "GET", URL: "https://" + s.on(good) + base, Query: map[string][]string{"b": {"\u00fc"}, "a": {"1 &", "2"}}, Reach: reach(s.on(good)),
		})
		if seen := s.seen(); err != nil || seen[len(seen)-1].RequestURI != want {
			t.Errorf("%s: %v, %s", base, err, seen[len(seen)-1].RequestURI)
		}
	}
	_, err := c.Do(t.Context(), web.Request{Method: "GET", URL: "https://" + s.on(good), Query: map[string][]string{"q": {strings.Repeat("x", 9000)}}, Reach: reach(s.on(good))})
	wantCode(t, err, web.CodeURLInvalid)
}

// TestNamesAreAskedForOnce (N6): the address that is checked is the one connected to, since
// the name is asked for once for each connection, and every answer is judged.
func TestNamesAreAskedForOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	asked := 0
	c := client(t, web.Options{Resolve: func(context.Context, string) ([]netip.Addr, error) {
		asked++ // one request after the other, over one connection
		return []netip.Addr{netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("127.0.0.1")}, nil
	}})
	mustGet(t, c, reach(s.on(good)), "https://"+s.on(good))
	mustGet(t, c, reach(s.on(good)), "https://"+s.on(good))
	if asked != 1 || s.connections.Load() != 1 {
		t.Errorf("%d lookups, %d connections", asked, s.connections.Load())
	}
}
