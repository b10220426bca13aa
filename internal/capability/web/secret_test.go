package web

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestASecretIsTakenOutOfAnAddress in whatever form it stands there, and what has nothing to
// do with it stays.
func TestASecretIsTakenOutOfAnAddress(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Za-z0-9&=%+/ü;.-]{8,40}`).Draw(t, "secret")
		form := map[string]func(string) string{
			"plain": func(s string) string { return s }, "encoded": url.QueryEscape, "in a path": url.PathEscape,
			"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
			"base64 for addresses": func(s string) string {
				return url.QueryEscape(base64.RawURLEncoding.EncodeToString([]byte(s)))
			},
		}[rapid.SampledFrom([]string{"plain", "encoded", "in a path", "base64", "base64 for addresses"}).Draw(t, "form")]
		u := &url.URL{Scheme: "https", Host: "b.example", Path: "/x", RawQuery: "_keep_=1&a=x" + form(secret) + "x&_also_=2"}
		if !dropSecret(u, secret) {
			t.Fatal("it is not in the path, and yet refused")
		}
		spaced, _ := url.QueryUnescape(u.RawQuery)
		plain, _ := url.PathUnescape(u.RawQuery)
		for _, text := range []string{plain, spaced, u.RawQuery} {
			if strings.Contains(text, secret) || strings.Contains(text, form(secret)) {
				t.Fatalf("left in %s", u)
			}
		}
		if !strings.ContainsAny(secret, "&") && u.RawQuery != "_keep_=1&_also_=2" {
			t.Fatalf("left %s", u)
		}
	})
	for _, u := range []*url.URL{{Host: "b.example", Path: "/a/the-secret/b"}, {Host: "the-secret.example", Path: "/"}} {
		if dropSecret(u, "the-secret") {
			t.Errorf("%s is let through", u)
		}
	}
}
