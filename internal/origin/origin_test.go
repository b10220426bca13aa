package origin_test

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolsmith/internal/origin"
)

func TestListed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want origin.Origin
		as   string // what it is written as; "" for as it was
		bad  string // a part of the reason
	}{
		{text: "api.good.example", want: origin.Origin{"https", "api.good.example", 443}},
		{text: "API.Good.example", want: origin.Origin{"https", "api.good.example", 443}, as: "api.good.example"},
		{text: "api.good.example:8443", want: origin.Origin{"https", "api.good.example", 8443}},
		{text: "api.good.example:80", want: origin.Origin{"https", "api.good.example", 80}},
		{text: "http://api.good.example", want: origin.Origin{"http", "api.good.example", 80}},
		{text: "HTTP://api.good.example", want: origin.Origin{"http", "api.good.example", 80}, as: "http://api.good.example"},
		{text: "http://api.good.example:443", want: origin.Origin{"http", "api.good.example", 443}},
		{text: "xn--bcher-kva.example", want: origin.Origin{"https", "xn--bcher-kva.example", 443}},
		{text: "a.example:65535", want: origin.Origin{"https", "a.example", 65535}},
		{text: "", bad: "it is empty"},
		{text: "http://", bad: "it is empty"},
		{text: "https://api.good.example", bad: "leave out the scheme"},
		{text: "ftp://api.good.example", bad: "leave out the scheme"},
		{text: "://api.good.example", bad: "leave out the scheme"},
		{text: "api.good.example:443", bad: "443 is the port of https anyway"},
		{text: "http://api.good.example:80", bad: "80 is the port of http anyway"},
		{text: "api.good.example:", bad: "its port is no number"},
		{text: "api.good.example:0", bad: "its port is no number"},
		{text: "api.good.example:08443", bad: "its port is no number"},
		{text: "api.good.example:+8443", bad: "its port is no number"},
		{text: "api.good.example:65536", bad: "its port is no number"},
		{text: "api.good.example:https", bad: "its port is no number"},
		{text: "api.good.example:8443:1", bad: "an IP address is no name"},
		{text: "api.good.example:8443/", bad: "more than the host"},
		{text: "http://me@api.good.example", bad: "more than the host"},
		{text: "http://*.good.example", bad: "wildcards"},
		{text: "api.good.example.:8443", bad: "the dot at its end"},
		{text: "127.0.0.1:8443", bad: "IP address"},
		{text: "a.0x7f", bad: "IP address"},
		{text: "http://[::1]", bad: "IP address"},
		{text: "http://localhost:11434", bad: "it has no dot"},
		{text: "b\u00fccher.example", bad: `"xn--…"`},
		{text: "api.good.\u212aom", bad: `"xn--…"`},
	} {
		got, err := origin.Listed(c.text)
		if c.bad != "" {
			if err == nil || !strings.Contains(err.Error(), c.bad) {
				t.Errorf("%q: %v, %v; want %q", c.text, got, err, c.bad)
			}
			continue
		}
		if c.as == "" {
			c.as = c.text
		}
		if err != nil || got != c.want || got.String() != c.as {
			t.Errorf("%q: %+v (%s), %v; want %+v", c.text, got, got, err, c.want)
		}
	}
}

func TestParseURL(t *testing.T) {
	t.Parallel()
	long := "https://a.example/" + strings.Repeat("x", origin.MaxURL)
	for _, c := range []struct {
		text string
		want string // the address made plain, and where it leads
		bad  string
	}{
		{text: "https://api.good.example", want: "https://api.good.example api.good.example"},
		{text: "HTTPS://API.good.EXAMPLE./a?b#c", want: "https://api.good.example/a?b api.good.example"},
		{text: "https://api.good.example:443/", want: "https://api.good.example/ api.good.example"},
		{text: "http://api.good.example:80/", want: "http://api.good.example/ http://api.good.example"},
		{text: "https://api.good.example:80/", want: "https://api.good.example:80/ api.good.example:80"},
		{text: "https://api.good.example/a%2Fb?q=https://evil.example", want: "https://api.good.example/a%2Fb?q=https://evil.example api.good.example"},
		{text: "https://api.good.example/b\u00fc?q=\u00fc", want: "https://api.good.example/b%C3%BC?q=%C3%BC api.good.example"},
		{text: "https://api.good.example/a:b@c", want: "https://api.good.example/a:b@c api.good.example"},
		{text: "https://b\u00fccher.example/", want: "https://xn--bcher-kva.example/ xn--bcher-kva.example"},
		{text: "https://XN--BCHER-KVA.example/", want: "https://xn--bcher-kva.example/ xn--bcher-kva.example"},
		{text: "https://\u0430pi.good.example/", want: "https://xn--pi-6kc.good.example/ xn--pi-6kc.good.example"}, // Cyrillic, so another host
		{text: "", bad: "begins with neither"},
		{text: "api.good.example", bad: "begins with neither"},
		{text: "//api.good.example/", bad: "begins with neither"},
		{text: "file:///etc/passwd", bad: "begins with neither"},
		{text: "javascript:alert(1)", bad: "begins with neither"},
		{text: "gopher://api.good.example/", bad: "begins with neither"},
		{text: "https:api.good.example", bad: "begins with neither"},
		{text: "https:/api.good.example", bad: "begins with neither"},
		{text: "https://", bad: "no host"},
		{text: "https:///path", bad: "no host"},
		{text: "https://user:word@api.good.example/", bad: "name or a password"},
		{text: "https://@api.good.example/", bad: "name or a password"},
		{text: "https://api.good.example@evil.example/", bad: "name or a password"},
		{text: "https://api.good.example:443@evil.example/", bad: "name or a password"},
		{text: `https://api.good.example\@evil.example/`, bad: "backslash"},
		{text: `https://evil.example\@api.good.example/`, bad: "backslash"},
		{text: `https://api.good.example/\evil.example/`, bad: "backslash"},
		{text: "https://api.good.example%2eevil.example/", bad: `holds "%"`},
		{text: "https://api%2egood.example/", bad: `holds "%"`},
		{text: "https://api.good.example%00.evil.example/", bad: `holds "%"`},
		{text: "https://api.good.example/%zz", bad: "no valid address"},
		{text: "https://api.good.example:/", bad: "its port"},
		{text: "https://api.good.example:0443/", bad: "its port"},
		{text: "https://api.good.example:99999/", bad: "its port"},
		{text: "https://api.good.example:x/", bad: "no valid address"},
		{text: "https://api.good.example../", bad: "empty"},
		{text: "https://.api.good.example/", bad: "empty"},
		{text: "https://localhost/", bad: "no dot"},
		{text: "https://127.0.0.1/", bad: "IP address"},
		{text: "https://127.1/", bad: "IP address"},
		{text: "https://2130706433/", bad: "no dot"},
		{text: "https://0x7f000001/", bad: "no dot"},
		{text: "https://0x7f.0x1/", bad: "IP address"},
		{text: "https://0177.0.0.01/", bad: "IP address"},
		{text: "https://127.0.0.1./", bad: "IP address"},
		{text: "https://[::1]/", bad: "IP address"},
		{text: "https://[::ffff:169.254.169.254]/", bad: "IP address"},
		{text: "https://[fe80::1%25eth0]/", bad: `holds "%"`},
		{text: "https://api.good_x.example/", bad: "not allowed in it"},
		{text: "https://api\u3002good\u3002example/", bad: "plain form"},
		{text: "https://\uff41pi.good.example/", bad: "plain form"},
		{text: "https://api.good.example\u200b/", bad: "plain form"},
		{text: "https://\u212aing.example/", bad: "plain form"},
		{text: "https://BU\u0308CHER.example/", bad: "plain form"},
		{text: "https://\u2460.example/", bad: "plain form"},
		{text: " https://api.good.example/", bad: "space"},
		{text: "https://api.good.example/a b", bad: "space"},
		{text: "https://api.good.example/\x7f", bad: "control"},
		{text: "https://api.good.example/\r\nHost:%20evil.example", bad: "control"},
		{text: long, bad: "longer than"},
	} {
		u, o, err := origin.ParseURL(c.text)
		if c.bad != "" {
			if err == nil || !strings.Contains(err.Error(), c.bad) {
				t.Errorf("%q: %v, %v; want %q", c.text, u, err, c.bad)
			}
			continue
		}
		if err != nil || u.String()+" "+o.String() != c.want {
			t.Errorf("%q: %v %v, %v; want %s", c.text, u, o, err, c.want)
		}
	}
}

// TestOf reads addresses that no text gives.
func TestOf(t *testing.T) {
	t.Parallel()
	for name, u := range map[string]*url.URL{
		"no scheme": {Host: "a.example"}, "opaque": {Scheme: "https", Host: "a.example", Opaque: "//b.example/"},
		"user": {Scheme: "https", Host: "a.example", User: url.User("")}, "path in the host": {Scheme: "https", Host: "a.example/x"},
		"two ports": {Scheme: "https", Host: "a.example:1:2"}, "no host": {Scheme: "https", Path: "/x"},
		"host with a line": {Scheme: "https", Host: "a.example\r\n"}, "zone": {Scheme: "https", Host: "[fe80::1%eth0]"},
	} {
		if o, err := origin.Of(u); err == nil {
			t.Errorf("%s: %v", name, o)
		}
	}
	if o, err := origin.Of(&url.URL{Scheme: "HTTP", Host: "A.Example:8080"}); err != nil || o.String() != "http://a.example:8080" {
		t.Errorf("%v, %v", o, err)
	}
}

// TestListedRoundTrip: what a list says is read back as the same, in one way only, and an
// address to it leads there.
func TestListedRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := origin.Origin{
			Scheme: rapid.SampledFrom([]string{"http", "https"}).Draw(t, "scheme"),
			Host:   rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?\.[a-z]{2,6}`).Draw(t, "host"),
			Port:   rapid.Uint16Range(1, 65535).Draw(t, "port"),
		}
		if got, err := origin.Listed(o.String()); err != nil || got != o {
			t.Fatalf("%s is read as %v, %v", o, got, err)
		}
		if _, got, err := origin.ParseURL(o.Scheme + "://" + o.Authority() + "/x"); err != nil || got != o {
			t.Fatalf("an address to %s leads to %v, %v", o, got, err)
		}
	})
}

// FuzzParseURL: an address that is accepted means the same host to the standard library, and
// reading it again changes nothing.
func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{
		"https://api.good.example/a?b#c", `https://a.example\@b.example`, "https://a.example%2eb.example/", "http://b\u00fccher.example:8080",
		"https://[::1]/", "https://a.example:443@b.example/", "https:a.example", "https://0x7f.1/", "https://xn--0.example/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, o, err := origin.ParseURL(text)
		if err != nil {
			if text != "" && len(text) > 30 && strings.Contains(err.Error(), text) {
				t.Errorf("the error holds the address: %v", err)
			}
			return
		}
		plain, err := url.Parse(u.String())
		if err != nil || plain.Hostname() != o.Host || plain.Scheme != o.Scheme || plain.User != nil || plain.Fragment != "" {
			t.Fatalf("%q became %s, which is read as %+v, %v", text, u, plain, err)
		}
		again, same, err := origin.ParseURL(u.String())
		if err != nil || same != o || again.String() != u.String() {
			t.Fatalf("%q became %s and then %v, %v", text, u, again, err)
		}
		listed, err := origin.Listed(o.String())
		if err != nil || listed != o {
			t.Fatalf("%q leads to %s, which is listed as %v, %v", text, o, listed, err)
		}
		if strings.ContainsAny(u.RequestURI(), " \r\n\t") {
			t.Fatalf("%q asks for %q", text, u.RequestURI())
		}
	})
}
