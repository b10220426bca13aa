package web

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"toolsmith/internal/origin"
)

const (
	maxHeaderCount  = 64        // that a tool may send
	maxHeaderLength = 16 * 1024 // of all of them
)

// Request is what a tool asks for.
type Request struct {
	// Method is GET, HEAD, POST, PUT, PATCH or DELETE.
	Method string
	// URL to ask, and what is added to its query.
	URL   string
	Query url.Values
	// Headers by name, in any letter case.
	Headers map[string]string
	// Body to send; nil for none. Not with GET and HEAD.
	Body []byte
	// Credential names the one to attach. Default: the only one that may be sent to the host.
	Credential string
	// Reach is what may be reached; nil for nothing.
	Reach *Reach
	// Redirects says what is done where an answer sends the client elsewhere. Default:
	// FollowRedirects.
	Redirects Redirects
	// MaxBody is how many bytes of the answer's body are read. Default: Options.MaxBody.
	MaxBody int64
}

// Redirects says what is done where an answer sends the client elsewhere, in the words of the Fetch
// standard.
type Redirects string

// What can be done.
const (
	FollowRedirects Redirects = "follow"
	RefuseRedirects Redirects = "error"
	ShowRedirects   Redirects = "manual" // the answer is given as it is
)

// hop is one request on the wire; a redirect makes the next one of it.
type hop struct {
	reach  *Reach
	method string
	url    *url.URL
	origin origin.Origin
	header http.Header
	body   []byte
	// credential is the name of the one to attach.
	credential string
	// bare: a redirect has led to another host, so that nothing secret is sent any more.
	bare bool
	// secret is the value that was attached; "" for none.
	secret string
}

// first makes the first hop of a request.
func first(r Request) (*hop, error) {
	if r.Reach == nil {
		return nil, refusal(CodeNotAllowed, "", "This call may not reach the network. A dry run never does: there a script can answer in its place.")
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if r.Body != nil {
			return nil, refusal(CodeRequestInvalid, "", "%s sends no body.", r.Method)
		}
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		return nil, refusal(CodeRequestInvalid, "", "The method %q is not supported.", r.Method)
	}
	u, o, err := origin.ParseURL(r.URL)
	if err != nil {
		return nil, refusal(CodeURLInvalid, "$.url", "The address cannot be used: %s.", err)
	}
	if err := r.Reach.admit(o); err != nil {
		return nil, err
	}
	if added := r.Query.Encode(); added != "" {
		if u.RawQuery != "" {
			added = u.RawQuery + "&" + added
		}
		if u.RawQuery = added; len(added) > origin.MaxURL {
			return nil, refusal(CodeURLInvalid, "$.query", "The query is longer than %d bytes.", origin.MaxURL)
		}
	}
	header, err := readHeaders(r.Headers)
	if err != nil {
		return nil, err
	}
	return &hop{reach: r.Reach, method: r.Method, url: u, origin: o, header: header, body: r.Body, credential: r.Credential}, nil
}

// admit refuses a host that was not declared.
func (r *Reach) admit(o origin.Origin) error {
	if covers(r.Hosts, o) {
		return nil
	}
	for _, text := range r.Hosts {
		if listed, err := origin.Listed(text); err == nil && listed.Host == o.Host {
			return refusal(CodeHostRefused, "$.url", "The tool has declared %s, and this address leads to %s: scheme and port have to be the same.", listed, o)
		}
	}
	return refusal(CodeHostRefused, "$.url", "The tool has not declared the host %s. Its manifest or declaration has to list each host exactly.", o)
}

// reserved are headers that the client sets, or that speak of the connection.
var reserved = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Cookie", "Cookie2", "Expect", "Host", "Http2-Settings", "Keep-Alive",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade", "Via",
}

func readHeaders(given map[string]string) (http.Header, error) {
	if len(given) > maxHeaderCount {
		return nil, refusal(CodeRequestInvalid, "$.headers", "There are %d headers; at most %d are allowed.", len(given), maxHeaderCount)
	}
	header := make(http.Header, len(given)+3)
	length := 0
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			return nil, refusal(CodeRequestInvalid, "$.headers", "%q is no name of a header.", name)
		case canonical == "Cookie" || canonical == "Cookie2":
			return nil, refusal(CodeRequestInvalid, "$.headers", "A cookie cannot be set as a header. Keep it as a credential.")
		case slices.Contains(reserved, canonical) || strings.HasPrefix(canonical, "Proxy-") || strings.HasPrefix(canonical, "Sec-"):
			return nil, refusal(CodeRequestInvalid, "$.headers", "The header %s cannot be set: the client takes care of it.", canonical)
		case !httpguts.ValidHeaderFieldValue(value):
			return nil, refusal(CodeRequestInvalid, "$.headers", "The value of the header %s holds a character that no header may hold, such as a line break.", canonical)
		case header[canonical] != nil:
			return nil, refusal(CodeRequestInvalid, "$.headers", "The header %s is given twice.", canonical)
		}
		header[canonical] = []string{value}
		length += len(name) + len(value)
	}
	if length > maxHeaderLength {
		return nil, refusal(CodeRequestInvalid, "$.headers", "The headers have %d bytes; at most %d are allowed.", length, maxHeaderLength)
	}
	return header, nil
}

// request makes what net/http sends, with the credential attached.
func (h *hop) request(ctx context.Context) (*http.Request, error) {
	header := h.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Accept-Encoding", acceptEncoding)
	if header.Get("User-Agent") == "" {
		header.Set("User-Agent", userAgent)
	}
	if !h.bare {
		credential, err := h.reach.pick(h.origin, h.credential)
		if err != nil {
			return nil, err
		}
		if credential != nil {
			if header.Get(credential.header()) != "" {
				return nil, refusal(CodeRequestInvalid, "$.headers", "The header %s is that of the credential %q. Leave it out.", credential.header(), credential.ID)
			}
			value, err := credential.read(ctx)
			if err != nil {
				return nil, err
			}
			header.Set(credential.header(), value)
			h.secret = strings.TrimPrefix(value, credential.Prefix)
		}
	}
	request := &http.Request{
		Method: h.method, URL: h.url, Host: h.url.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if h.method != http.MethodGet && h.method != http.MethodHead {
		// net/http sends a request a second time by itself where its body can be had again. What
		// is not idempotent must not be, so there is no GetBody, also for an empty body.
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(h.body)), int64(len(h.body))
	}
	return request.WithContext(ctx), nil
}
