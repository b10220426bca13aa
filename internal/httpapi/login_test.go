package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// answered is what a browser is answered.
type answered struct {
	status  int
	header  http.Header
	cookies []*http.Cookie
}

// browser asks without following where it is led, and gives the answer with its text.
func (s *served) browser(t *testing.T, method, path string, headers ...string) (answered, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.address+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html,application/xhtml+xml")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answered{response.StatusCode, response.Header, response.Cookies()}, string(text)
}

// TestABrowserIsLetIn once by an address, and by nothing in it afterwards.
func TestABrowserIsLetIn(t *testing.T) {
	t.Parallel()
	s := serve(t)
	if status, got := s.ask(t, "all", "POST", "/v1/logins", ""); status != 403 || got["code"] != "CONSENT_FORBIDDEN" {
		t.Errorf("a program makes one: %d %v", status, got)
	}
	_, made := s.ask(t, personToken, "POST", "/v1/logins", "")
	page := fmt.Sprint(made["path"])
	if !strings.HasPrefix(page, "/docs?token=") || made["expiresAt"] == nil {
		t.Fatalf("made %v", made)
	}
	// Whoever only looks at the address uses nothing up.
	for method, headers := range map[string][]string{"HEAD": nil, "GET": {"Sec-Purpose", "prefetch;prerender"}, "POST": nil} {
		if response, _ := s.browser(t, method, page, headers...); response.header.Get("Set-Cookie") != "" || response.status < 400 {
			t.Errorf("%s %v gives %d %v", method, headers, response.status, response.header)
		}
	}
	if response, _ := s.browser(t, "GET", strings.Replace(page, "/docs", "/v1/tools", 1)); response.status != 401 {
		t.Errorf("another path gives %d", response.status)
	}
	first, _ := s.browser(t, "GET", page+"&also=this")
	cookies := first.cookies
	if first.status != http.StatusSeeOther || first.header.Get("Location") != "/docs?also=this" || len(cookies) != 1 || first.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v", first.status, first.header)
	}
	c := cookies[0]
	if c.Name != "toolsmith" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || c.MaxAge != 0 || !c.Expires.IsZero() ||
		strings.Contains(page, c.Value) || c.Value == personToken {
		t.Errorf("the cookie is %+v", c)
	}
	cookie := "toolsmith=" + c.Value
	if response, text := s.browser(t, "GET", "/docs", "Cookie", cookie); response.status != 200 || !strings.Contains(text, "Tools that can be called") && !strings.Contains(text, "tools that can be called") {
		t.Errorf("%d %.200s", response.status, text)
	}
	if response, text := s.browser(t, "GET", "/v1/peer", "Cookie", cookie); response.status != 200 || !strings.Contains(text, `"person":true`) {
		t.Errorf("%d %s", response.status, text)
	}
	// It is no token, and a page of somebody else cannot use it.
	if status, _ := s.ask(t, c.Value, "GET", "/v1/peer", ""); status != 401 {
		t.Errorf("as a token it gives %d", status)
	}
	if response, _ := s.browser(t, "POST", "/v1/stop", "Cookie", cookie, "Origin", "http://evil.com"); response.status != 403 {
		t.Errorf("from elsewhere it gives %d", response.status)
	}
	// The address again: whoever is in stays in, and nobody else gets in.
	if response, _ := s.browser(t, "GET", page, "Cookie", cookie); response.status != http.StatusSeeOther || response.header.Get("Set-Cookie") != "" || response.header.Get("Location") != "/docs" {
		t.Errorf("opened again it gives %d %v", response.status, response.header)
	}
	for name, headers := range map[string][]string{"nobody": nil, "a guess": {"Cookie", "toolsmith=guess"}} {
		response, text := s.browser(t, "GET", page, headers...)
		if response.status != 401 || !strings.Contains(text, "used before") || response.header.Get("Set-Cookie") != "" {
			t.Errorf("for %s the address gives %d %s", name, response.status, text)
		}
	}
}

// TestNobodyIsLetIn without the cookie, and is told how.
func TestNobodyIsLetIn(t *testing.T) {
	t.Parallel()
	s := serve(t)
	response, text := s.browser(t, "GET", "/docs")
	if response.status != 401 || !strings.Contains(text, "toolsmith open") || response.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%d %s", response.status, text)
	}
	if policy := response.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the policy is %q", policy)
	}
	if response, text := s.browser(t, "GET", "/docs", "Accept", "*/*"); response.status != 401 || !strings.Contains(text, "HTTP_TOKEN_REFUSED") {
		t.Errorf("a program is told %d %s", response.status, text)
	}
	if response, text := s.browser(t, "GET", "/docs/style.css"); response.status != 200 || !strings.Contains(text, "prefers-color-scheme: dark") || !strings.HasPrefix(response.header.Get("Content-Type"), "text/css") {
		t.Errorf("the style is %d %v %.100s", response.status, response.header, text)
	}
}
