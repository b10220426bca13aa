package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"toolsmith/internal/origin"
	"toolsmith/tool"
)

// HTTPClient gives a standard client with the same rules, for tools that are written as
// code: each hop is judged as with Do, and a body of more than Options.MaxStream bytes ends
// in an error with CodeResponseTooLarge. The only credential in scope is attached, unless
// the request has that header already. Its errors have the codes of this package, except
// that of the time limit, which is that of the standard client. As there, the text of an
// error holds the whole address.
func (c *Client) HTTPClient(r *Reach) *http.Client {
	return &http.Client{Transport: &tripper{client: c, reach: r}, Timeout: c.timeout}
}

// tripper judges and carries single hops.
type tripper struct {
	client *Client
	reach  *Reach
}

// RoundTrip carries out one hop.
func (t *tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	request, o, unpack, err := t.prepare(r)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper closes it, whatever happens
		}
		return nil, err
	}
	response, err := t.client.carrier(t.reach, o).RoundTrip(request)
	if err != nil {
		return nil, t.client.hopError(r.Context(), r.Context(), o.String(), err)
	}
	response.Request = r
	if err := t.client.bound(r.Context(), o, response, unpack); err != nil {
		_ = response.Body.Close() // it cannot be read
		return nil, err
	}
	return response, nil
}

// prepare judges a request and makes the one to send. unpack tells that the body is to be
// unpacked, since its sender did not ask for a packed one.
func (t *tripper) prepare(r *http.Request) (out *http.Request, o origin.Origin, unpack bool, err error) {
	if t.reach == nil {
		return nil, o, false, refusal(CodeNotAllowed, "", "This call may not reach the network.")
	}
	if r.URL == nil {
		return nil, o, false, refusal(CodeURLInvalid, "", "The request has no address.")
	}
	if o, err = origin.Of(r.URL); err != nil {
		return nil, o, false, refusal(CodeURLInvalid, "", "The address cannot be used: %s.", err)
	}
	if r.Host != "" && r.Host != r.URL.Host {
		return nil, o, false, refusal(CodeRequestInvalid, "", "The request to %s names another host in its header.", o)
	}
	crossed, err := t.judge(r, o)
	if err != nil {
		return nil, o, false, err
	}
	out = r.Clone(r.Context())
	out.URL.Host, out.Host = o.Authority(), o.Authority()
	if out.Header == nil {
		out.Header = http.Header{}
	}
	if crossed {
		out.Header = only(out.Header, harmless)
		if err := t.forget(r, out.URL, o); err != nil {
			return nil, o, false, err
		}
	} else if err := t.attach(r.Context(), out, o); err != nil {
		return nil, o, false, err
	}
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header.Set("User-Agent", userAgent)
	}
	if out.Header.Get("Accept-Encoding") == "" {
		out.Header.Set("Accept-Encoding", acceptEncoding)
		unpack = true
	}
	return out, o, unpack, nil
}

// judge holds a hop against what may be reached, and against the hops before it. crossed
// tells that one of them led to another host.
func (t *tripper) judge(r *http.Request, o origin.Origin) (crossed bool, err error) {
	if refused := t.reach.admit(o); refused != nil {
		if r.Response == nil {
			return false, refused
		}
		return false, refusal(CodeRedirectRefused, "", "A redirect leads to %s, which the tool has not declared. It is not followed.", o)
	}
	hops, to := 0, o
	for response := r.Response; response != nil && response.Request != nil; response = response.Request.Response {
		from, err := origin.Of(response.Request.URL)
		if err != nil {
			return false, refusal(CodeRedirectRefused, "", "A redirect to %s comes from an address that cannot be used.", o)
		}
		if hops++; hops > MaxRedirects {
			return false, tooManyRedirects(o)
		}
		if err := mayTurn(from, to, r.Method != http.MethodGet && r.Method != http.MethodHead); err != nil {
			return false, err
		}
		crossed, to = crossed || from != to, from
	}
	return crossed, nil
}

// forget takes the credentials of the hops before out of an address to which they led.
func (t *tripper) forget(r *http.Request, to *url.URL, o origin.Origin) error {
	for response := r.Response; response != nil && response.Request != nil; response = response.Request.Response {
		from, err := origin.Of(response.Request.URL)
		if err != nil {
			continue // judge has refused it
		}
		credential, err := t.reach.pick(from, "")
		if err != nil || credential == nil {
			continue // none was attached there
		}
		value, err := credential.read(r.Context())
		if err != nil {
			return err
		}
		if !dropSecret(to, strings.TrimPrefix(value, credential.Prefix)) {
			return secretInRedirect(from, o)
		}
	}
	return nil
}

func (t *tripper) attach(ctx context.Context, out *http.Request, o origin.Origin) error {
	credential, err := t.reach.pick(o, "")
	if err != nil || credential == nil || out.Header.Get(credential.header()) != "" {
		return err
	}
	value, err := credential.read(ctx)
	if err != nil {
		return err
	}
	out.Header.Set(credential.header(), value)
	return nil
}

// bound makes the body of an answer one that ends.
func (c *Client) bound(ctx context.Context, o origin.Origin, response *http.Response, unpack bool) error {
	if response.StatusCode == http.StatusSwitchingProtocols {
		return refusal(CodeResponseInvalid, "", "%s wants to go on in another protocol.", o)
	}
	var body io.Reader = response.Body
	if unpack {
		plain, packed, err := unpacked(response, c.maxStream)
		if err != nil {
			return c.bodyError(ctx, ctx, o.String(), err)
		}
		if body = plain; packed {
			response.Header.Del("Content-Encoding")
			response.Header.Del("Content-Length")
			response.ContentLength, response.Uncompressed = -1, true
		}
	}
	response.Body = &boundBody{Reader: body, Closer: response.Body, left: c.maxStream, most: c.maxStream, host: o.String()}
	return nil
}

// boundBody is a body that ends in an error after a number of bytes.
type boundBody struct {
	io.Reader
	io.Closer
	left, most int64
	host       string
}

// Read reads on, up to the bound.
func (b *boundBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.tooLarge()
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one more tells whether the body ends at the bound
	}
	n, err := b.Reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, b.tooLarge()
	}
	return n, err
}

func (b *boundBody) tooLarge() error {
	return &tool.Error{Code: CodeResponseTooLarge, Message: fmt.Sprintf("The answer of %s has more than %d bytes.", b.host, b.most)}
}
