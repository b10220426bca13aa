package web

import (
	"context"
	"net/http"
)

// Do carries a request out, redirects included. A status of 400 and more is an answer like
// any other, and no error.
func (c *Client) Do(ctx context.Context, r Request) (Response, error) {
	h, err := first(r)
	if err != nil {
		return Response{}, err
	}
	if r.MaxBody <= 0 {
		r.MaxBody = c.maxBody
	}
	timed, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for hops := 0; ; hops++ {
		response, err := c.ask(timed, h)
		if err != nil {
			return Response{}, c.hopError(ctx, timed, h.origin.String(), err)
		}
		if !isRedirect(response) || r.Redirects == ShowRedirects {
			out, err := c.read(ctx, timed, h, response, r.MaxBody)
			out.Redirected = hops > 0
			return out, err
		}
		_ = response.Body.Close() // it is not wanted
		if r.Redirects == RefuseRedirects {
			return Response{}, refusal(CodeRedirectRefused, "", "%s answered with a redirect, and the request says that none is to be followed.", h.origin)
		}
		if hops == MaxRedirects {
			return Response{}, tooManyRedirects(h.origin)
		}
		if h, err = h.follow(response); err != nil {
			return Response{}, err
		}
	}
}

func (c *Client) ask(ctx context.Context, h *hop) (*http.Response, error) {
	request, err := h.request(ctx)
	if err != nil {
		return nil, err
	}
	return c.carrier(h.reach, h.origin).RoundTrip(request)
}

// read reads an answer.
func (c *Client) read(outer, inner context.Context, h *hop, response *http.Response, most int64) (Response, error) {
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols {
		return Response{}, refusal(CodeResponseInvalid, "", "%s wants to go on in another protocol.", h.origin)
	}
	body, packed, err := unpacked(response, most)
	if err != nil {
		return Response{}, c.bodyError(outer, inner, h.origin.String(), err)
	}
	text, cut, err := readUpTo(body, most)
	if err != nil {
		return Response{}, c.bodyError(outer, inner, h.origin.String(), err)
	}
	return Response{
		Status: response.StatusCode, Header: response.Header, Body: text, Truncated: cut,
		URL: h.url.String(), host: h.origin.String(), most: most, unpacked: packed, safe: h.method == http.MethodGet || h.method == http.MethodHead,
	}, nil
}
