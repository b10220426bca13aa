package capability

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"toolsmith/internal/capability/web"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Reach is what a call may reach outside; see web.Reach.
type Reach = web.Reach

// Credential is a secret that the host attaches to requests; see web.Credential.
type Credential = web.Credential

// Request is what a tool that is written as code asks for; see web.Request.
type Request = web.Request

// Response is the answer to it; see web.Response.
type Response = web.Response

// Redirects says what is done about one; see web.Redirects.
type Redirects = web.Redirects

// Client is a standard client over HTTP.
type Client = http.Client

// sender carries out one capability that reaches outside.
type sender func(ctx context.Context, client *web.Client, call Call, in *input) (Result, error)

// senders says how each outbound capability of Builtin is carried out.
func senders() map[string]sender {
	return map[string]sender{"http.get": getHTTP, "http.post": postHTTP}
}

// Fetch sends one request of a tool that is written as code, by the same rules as the capabilities. key
// is as in Call; it goes along with POST and PATCH, which are the methods that do something each time.
// An answer that is larger than the request allows is an error. The errors have the codes of package web.
func (h *Host) Fetch(ctx context.Context, r Request, key string) (Response, error) {
	if key != "" && (r.Method == http.MethodPost || r.Method == http.MethodPatch) {
		r.Headers = maps.Clone(r.Headers)
		if r.Headers == nil {
			r.Headers = map[string]string{}
		}
		setDefault(r.Headers, "Idempotency-Key", idempotencyKey(key))
	}
	response, err := h.web.Do(ctx, r)
	if err == nil && response.Truncated {
		err = response.TooLarge()
	}
	return response, err //nolint:wrapcheck // it has its code
}

// HTTPClient gives a standard client for tools that are written as code: one that reaches
// what the reach allows, by the same rules as the capabilities.
func (h *Host) HTTPClient(reach *Reach) *Client { return h.web.HTTPClient(reach) }

func getHTTP(ctx context.Context, client *web.Client, call Call, in *input) (Result, error) {
	request := readRequest(http.MethodGet, call, in)
	request.Query = in.query("query")
	return send(ctx, client, request, in)
}

// maxKey is how many bytes a key that is sent may have; services take at least as many.
const maxKey = 255

func postHTTP(ctx context.Context, client *web.Client, call Call, in *input) (Result, error) {
	request := readRequest(http.MethodPost, call, in)
	var kind string
	switch {
	case in.has("json") && in.has("text"):
		in.refuse("$.text", `Give either "json" or "text", not both.`)
	case in.has("json"):
		body, _ := in.field("json")
		in.checkUnicode("$.json", body)
		if in.first == nil { // what is no JSON value cannot be written
			request.Body, kind = value.AppendJSON(nil, body), "application/json"
		}
	case in.has("text"):
		request.Body, kind = []byte(in.text("text")), "text/plain; charset=utf-8"
	}
	if kind != "" {
		setDefault(request.Headers, "Content-Type", kind)
	}
	if call.Key != "" {
		setDefault(request.Headers, "Idempotency-Key", idempotencyKey(call.Key))
	}
	return send(ctx, client, request, in)
}

// idempotencyKey writes a key as a header can hold it.
func idempotencyKey(key string) string {
	if len(key) <= maxKey && httpguts.ValidHeaderFieldValue(key) && strings.TrimSpace(key) == key && !strings.ContainsFunc(key, func(r rune) bool { return r > '~' }) {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// setDefault sets a header that is not there under any letter case.
func setDefault(headers map[string]string, name, text string) {
	for given := range headers {
		if http.CanonicalHeaderKey(given) == name {
			return
		}
	}
	headers[name] = text
}

func readRequest(method string, call Call, in *input) web.Request {
	return web.Request{
		Method: method, URL: in.text("url"), Headers: in.texts("headers"),
		Credential: in.optionalWord("credential"), Reach: call.Reach,
	}
}

func send(ctx context.Context, client *web.Client, request web.Request, in *input) (Result, error) {
	if err := in.problem(); err != nil {
		return Result{}, err
	}
	response, err := client.Do(ctx, request)
	if err != nil {
		return Result{}, err
	}
	result, err := response.Value()
	if err != nil {
		return Result{}, err
	}
	return Result{Value: result}, nil
}

// outboundFailure makes an Error of what a sender gave.
func outboundFailure(name string, err error) error {
	var coded *tool.Error
	if !errors.As(err, &coded) {
		return fmt.Errorf("%s: %w", name, err) // the context has ended
	}
	return &Error{
		Capability: name, Permanent: !web.MayPass(err), Code: coded.Code, Field: coded.Field,
		Public: coded.Message, Cause: coded.Cause,
	}
}

// texts reads an object whose values are all texts; it is empty where the field is not there.
func (in *input) texts(name string) map[string]string {
	out := map[string]string{}
	for key, item := range in.object(name) {
		text, ok := item.(string)
		if !ok {
			in.refuse(value.MemberPath("$."+name, key), "A text is needed here.")
		}
		out[key] = text
	}
	return out
}

// query reads what is added to the query of an address: texts, numbers, true and false, and
// lists of them for a name that is given several times. null stands for nothing.
func (in *input) query(name string) url.Values {
	out := url.Values{}
	for key, item := range in.object(name) {
		list, isList := item.([]any)
		if !isList {
			list = []any{item}
		}
		for _, one := range list {
			switch one := one.(type) {
			case nil:
			case string:
				out.Add(key, one)
			case map[string]any, []any:
				in.refuse(value.MemberPath("$."+name, key), "A text, a number, true or false, or a list of them is needed here.")
			default:
				out.Add(key, value.JSON(one))
			}
		}
	}
	return out
}

// object reads the members of an object in the order of their names.
func (in *input) object(name string) func(yield func(string, any) bool) {
	field, ok := in.field(name)
	object, isObject := field.(map[string]any)
	if ok && !isObject {
		in.refuse("$."+name, "An object is needed here.")
	}
	in.checkUnicode("$."+name, field)
	if in.first != nil {
		object = nil
	}
	return func(yield func(string, any) bool) {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if !yield(key, object[key]) {
				return
			}
		}
	}
}
