package web_test

import (
	"context"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/capability/web"
	"toolsmith/tool"
)

// fetched is an answer that was read.
type fetched struct {
	text         string
	header       http.Header
	length       int64
	uncompressed bool
}

// fetch sends a request with a standard client and reads the answer.
func fetch(t testing.TB, c *http.Client, request *http.Request) (fetched, error) {
	t.Helper()
	response, err := c.Do(request)
	if err != nil {
		return fetched{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return fetched{string(body), response.Header, response.ContentLength, response.Uncompressed}, err
}

func asking(t testing.TB, method, address, body string) *http.Request {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, reader)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// TestAStandardClient reaches what is declared, with the credential, and unpacks as the
// standard library does.
func TestAStandardClient(t *testing.T) {
	t.Parallel()
	body := packed(t, "hello", gzipped)
	s := serve(t, sends("gzip", body))
	r := reach(s.on(good))
	r.Credentials = []web.Credential{{ID: "a", Hosts: r.Hosts, Value: key("k")}}
	c := client(t, web.Options{}).HTTPClient(r)
	request := asking(t, "POST", "https://"+s.on("API.good.example.")+"/x?q=1", "the body")
	got, err := fetch(t, c, request)
	if err != nil || got.text != "hello" || !got.uncompressed || got.header.Get("Content-Encoding") != "" || got.length != -1 {
		t.Errorf("%+v, %v", got, err)
	}
	seen := s.seen()[0]
	if seen.Host != s.on(good) || seen.Header.Get("Authorization") != "k" || seen.RequestURI != "/x?q=1" || seen.UserAgent() != "Toolsmith" {
		t.Errorf("sent %s %v", seen.Host, dump(seen))
	}
	if request.Header.Get("Authorization") != "" {
		t.Error("the tool's own request holds the credential")
	}
	request = asking(t, "GET", "https://"+s.on(good), "")
	request.Header.Set("Authorization", "mine")
	request.Header.Set("Accept-Encoding", "gzip")
	if got, err = fetch(t, c, request); err != nil || got.text != body || s.seen()[1].Header.Get("Authorization") != "mine" {
		t.Errorf("%q, %v, %s", got.text, err, dump(s.seen()[1]))
	}
}

// TestAStandardClientIsRefused what Do is refused, before a connection is made.
func TestAStandardClientIsRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, says("ok"))
	c := client(t, web.Options{})
	for address, code := range map[string]string{
		"https://" + s.on(evil):                         web.CodeHostRefused,
		"http://" + s.on(good):                          web.CodeHostRefused,
		"https://" + good:                               web.CodeHostRefused,
		"https://127.0.0.1:" + s.port:                   web.CodeURLInvalid,
		"https://[::1]:" + s.port:                       web.CodeURLInvalid,
		"https://me:pass@" + s.on(good):                 web.CodeURLInvalid,
		"https://" + s.on(good+".evil.example"):         web.CodeHostRefused,
		"https://" + s.on("\u0430pi.good.example"):      web.CodeHostRefused,
		"https://" + s.on("api\u3002good\u3002example"): web.CodeURLInvalid,
		"file:///etc/passwd":                            web.CodeURLInvalid,
	} {
		_, err := fetch(t, c.HTTPClient(reach(s.on(good))), asking(t, "POST", address, "x"))
		wantCode(t, err, code)
	}
	named := asking(t, "GET", "https://"+s.on(good), "")
	named.Host = evil
	_, err := fetch(t, c.HTTPClient(reach(s.on(good))), named)
	wantCode(t, err, web.CodeRequestInvalid)
	_, err = fetch(t, c.HTTPClient(nil), asking(t, "GET", "https://"+s.on(good), ""))
	wantCode(t, err, web.CodeNotAllowed)
	_, err = fetch(t, c.HTTPClient(&web.Reach{Hosts: []string{s.on(good)}}), asking(t, "GET", "https://"+s.on(good), ""))
	wantCode(t, err, web.CodeAddressRefused)
	several := reach(s.on(good))
	several.Credentials = []web.Credential{{ID: "a", Hosts: several.Hosts, Value: key("1")}, {ID: "b", Hosts: several.Hosts, Value: key("2")}}
	_, err = fetch(t, c.HTTPClient(several), asking(t, "GET", "https://"+s.on(good), ""))
	wantCode(t, err, web.CodeCredentialInvalid)
	several.Credentials = []web.Credential{{ID: "a", Hosts: several.Hosts, Value: key("canary\n")}}
	_, err = fetch(t, c.HTTPClient(several), asking(t, "GET", "https://"+s.on(good), ""))
	wantCode(t, err, web.CodeCredentialInvalid)
	response, err := c.HTTPClient(reach(s.on(good))).Transport.RoundTrip(&http.Request{})
	if wantCode(t, err, web.CodeURLInvalid); response != nil {
		response.Body.Close()
	}
	if n := s.connections.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

// TestRedirectsOfAStandardClient (N7, N8) are judged hop by hop; nothing secret goes along to
// another host.
func TestRedirectsOfAStandardClient(t *testing.T) {
	t.Parallel()
	second := serve(t, says("second"))
	plain := serveHTTP(t, says("plain"))
	var target string
	status := http.StatusFound
	first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		redirects(status, func(*http.Request) string { return target })(w, r)
	})
	r := reach(first.on(good), second.on(other), "http://"+plain.on(other))
	r.Credentials = []web.Credential{{ID: "one", Hosts: []string{first.on(good)}, Value: key("canary-one")}, {ID: "two", Hosts: []string{second.on(other)}, Value: key("canary-two")}}
	c := client(t, web.Options{}).HTTPClient(r)
	ask := func(method, body string) error {
		request := asking(t, method, "https://"+first.on(good)+"/?q=canary-query", body)
		request.Header.Set("X-Api-Key", "canary-key")
		request.Header.Set("Accept", "text/x")
		_, err := fetch(t, c, request)
		return err
	}
	for _, to := range []string{
		"http://169.254.169.254/", "file:///etc/passwd", "https://" + second.on(evil), "https://" + second.on(good), "http://" + plain.on(other), "/circle",
		"https://" + second.on(other) + "/canary-one",
	} {
		target = to
		if err := ask("GET", ""); tool.Code(err) != web.CodeRedirectRefused && tool.Code(err) != web.CodeURLInvalid {
			t.Errorf("%s: %v", to, err)
		}
	}
	target = "https://" + second.on(other)
	status = http.StatusTemporaryRedirect
	if err := ask("POST", "canary-body"); tool.Code(err) != web.CodeRedirectRefused {
		t.Errorf("the body was sent to another host: %v", err)
	}
	if second.connections.Load()+plain.connections.Load() != 0 {
		t.Error("a redirect that is refused was followed")
	}
	status = http.StatusFound
	for _, target = range []string{"https://" + second.on(other), "https://" + second.on(other) + "/?a=canary-one&b=1"} {
		before := len(second.seen())
		if err := ask("GET", ""); err != nil {
			t.Fatal(err)
		}
		if got := dump(second.seen()[before]); strings.Contains(got, "canary") || !strings.Contains(got, "Accept:[text/x]") {
			t.Errorf("the other host got %s", got)
		}
	}
}

// TestBodiesOfAStandardClient are bounded in size and in time.
func TestBodiesOfAStandardClient(t *testing.T) {
	t.Parallel()
	const most = 1000
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		read    int
		code    string
	}{
		"as large as allowed": {says(strings.Repeat("x", most)), most, ""},
		"larger":              {says(strings.Repeat("x", most+1)), most, web.CodeResponseTooLarge},
		"a bomb":              {endless("text/plain"), most, web.CodeResponseTooLarge},
		"packed twice":        {sends("gzip, gzip", "x"), 0, web.CodeResponseInvalid},
		"no gzip":             {sends("gzip", "hello, hello"), 0, web.CodeResponseInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, test.handler)
			got, err := fetch(t, client(t, web.Options{MaxStream: most}).HTTPClient(reach(s.on(good))), asking(t, "GET", "https://"+s.on(good), ""))
			if tool.Code(err) != test.code || len(got.text) != test.read || test.code == "" && err != nil {
				t.Errorf("%d bytes, %v", len(got.text), err)
			}
		})
	}
	t.Run("again after the end", func(t *testing.T) {
		t.Parallel()
		s := serve(t, says(strings.Repeat("x", most+1)))
		response, err := client(t, web.Options{MaxStream: most}).HTTPClient(reach(s.on(good))).Do(asking(t, "GET", "https://"+s.on(good), ""))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body)
		_, err = response.Body.Read(make([]byte, 1))
		wantCode(t, err, web.CodeResponseTooLarge)
	})
	t.Run("another protocol", func(t *testing.T) {
		t.Parallel()
		s := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "upgrade")
			w.Header().Set("Upgrade", "x")
			w.WriteHeader(http.StatusSwitchingProtocols)
		})
		_, err := fetch(t, client(t, web.Options{}).HTTPClient(reach("http://"+s.on(good))), asking(t, "GET", "http://"+s.on(good), ""))
		wantCode(t, err, web.CodeResponseInvalid)
	})
	t.Run("drips", func(t *testing.T) {
		t.Parallel()
		s := serve(t, drips)
		_, err := fetch(t, client(t, web.Options{Timeout: 200 * time.Millisecond}).HTTPClient(reach(s.on(good))), asking(t, "GET", "https://"+s.on(good), ""))
		if err == nil || !isTimeout(err) {
			t.Errorf("the error is %v", err)
		}
	})
}

func isTimeout(err error) bool {
	timeout, ok := err.(interface{ Timeout() bool })
	return ok && timeout.Timeout() || tool.Code(err) == web.CodeTimeout
}

// TestADialEnds: a resolver that never answers is not waited for without end, even where the
// one who asked has gone.
func TestADialEnds(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	c := client(t, web.Options{Timeout: 50 * time.Millisecond, Resolve: func(ctx context.Context, _ string) ([]netip.Addr, error) {
		defer close(over)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	_, err := get(t, c, reach(good), "https://"+good)
	wantCode(t, err, web.CodeTimeout)
	<-over
}
