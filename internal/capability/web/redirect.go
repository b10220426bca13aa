package web

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"toolsmith/internal/origin"
)

// harmless are the headers that go along to another host. All others may hold something
// secret, whatever they are called, so they stay behind.
var harmless = []string{
	"Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Language", "Content-Type",
	"If-Modified-Since", "If-None-Match", "Pragma", "Range", "User-Agent",
}

// isRedirect reports whether an answer sends the client elsewhere.
func isRedirect(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return response.Header.Get("Location") != ""
	}
	return false
}

// follow makes the next hop of an answer that redirects.
func (h *hop) follow(response *http.Response) (*hop, error) {
	to, o, err := h.target(response.Header.Get("Location"))
	if err != nil {
		return nil, err
	}
	next := &hop{
		reach: h.reach, method: h.method, url: to, origin: o, header: h.header, body: h.body,
		credential: h.credential, bare: h.bare, secret: h.secret,
	}
	keepsBody := response.StatusCode == http.StatusTemporaryRedirect || response.StatusCode == http.StatusPermanentRedirect
	if !keepsBody && h.method != http.MethodGet && h.method != http.MethodHead {
		next.method, next.body = http.MethodGet, nil
		next.header = without(h.header, "Content-Type", "Content-Language", "Idempotency-Key")
	}
	if err := mayTurn(h.origin, o, next.method != http.MethodGet && next.method != http.MethodHead); err != nil {
		return nil, err
	}
	if o == h.origin {
		return next, nil
	}
	next.bare, next.header = true, only(next.header, harmless)
	if h.secret != "" && !dropSecret(to, h.secret) {
		return nil, secretInRedirect(h.origin, o)
	}
	return next, nil
}

// target reads where a redirect leads, and holds it against what may be reached.
func (h *hop) target(location string) (*url.URL, origin.Origin, error) {
	relative, err := url.Parse(location)
	if err != nil || strings.Contains(location, `\`) {
		return nil, origin.Origin{}, refusal(CodeRedirectRefused, "", "%s answered with a redirect that cannot be read. It is not followed.", h.origin)
	}
	to, o, err := origin.ParseURL(h.url.ResolveReference(relative).String())
	if err != nil {
		return nil, origin.Origin{}, refusal(CodeRedirectRefused, "", "%s answered with a redirect to an address that cannot be used: %s. It is not followed.", h.origin, err)
	}
	if h.reach.admit(o) != nil {
		return nil, origin.Origin{}, refusal(CodeRedirectRefused, "", "%s answered with a redirect to %s, which the tool has not declared. It is not followed.", h.origin, o)
	}
	return to, o, nil
}

// mayTurn refuses a redirect that gives up encryption, and one that would send what was
// meant for one host to another.
func mayTurn(from, to origin.Origin, sends bool) error {
	switch {
	case from.Scheme == origin.HTTPS && to.Scheme == origin.HTTP:
		return refusal(CodeRedirectRefused, "", "%s answered with a redirect to %s, without encryption. It is not followed.", from, to)
	case sends && from != to:
		return refusal(CodeRedirectRefused, "", "%s answered that the same has to be sent to %s. What was meant for one host is not sent to another.", from, to)
	}
	return nil
}

func tooManyRedirects(o origin.Origin) error {
	return refusal(CodeRedirectRefused, "", "%s answered with more than %d redirects, one after the other.", o, MaxRedirects)
}

func secretInRedirect(from, to origin.Origin) error {
	return refusal(CodeRedirectRefused, "", "%s answered with a redirect to %s that holds the credential. It is not followed.", from, to)
}

func without(header http.Header, names ...string) http.Header {
	left := header.Clone()
	for _, name := range names {
		left.Del(name)
	}
	return left
}

func only(header http.Header, names []string) http.Header {
	left := http.Header{}
	for name, values := range header {
		if slices.Contains(names, name) {
			left[name] = values
		}
	}
	return left
}

// dropSecret takes a secret that a host has echoed out of the query of a redirect; false
// where it stands elsewhere in the address.
func dropSecret(u *url.URL, secret string) bool {
	forms := []string{secret, base64.RawStdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret))}
	holds := func(text string) bool {
		return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) })
	}
	if holds(u.Path) || holds(u.EscapedPath()) || strings.Contains(u.Host, strings.ToLower(secret)) {
		return false
	}
	tainted := func(query string) bool {
		spaced, err := url.QueryUnescape(query) // a "+" is a space
		plain, plainErr := url.PathUnescape(query)
		return err != nil || plainErr != nil || holds(query) || holds(spaced) || holds(plain)
	}
	if u.RawQuery = strings.Join(slices.DeleteFunc(strings.Split(u.RawQuery, "&"), tainted), "&"); tainted(u.RawQuery) {
		u.RawQuery = "" // a secret with "&" in it
	}
	return true
}
