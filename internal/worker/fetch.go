package worker

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"toolsmith/internal/capability"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

const (
	// mostFetched is how many bytes of the body of an answer a coded tool gets.
	mostFetched = 2 << 20
	// mostKept is how large an answer is kept with its step, where the request can be made again.
	mostKept = 256 << 10
)

// fetch sends a request of a coded tool. One that may change something is kept before it is sent, so
// that it is never sent again without a person knowing.
func (h *scriptHost) fetch(ctx context.Context, asked map[string]any) (any, error) {
	request, err := requestOf(asked)
	if err != nil {
		return nil, err
	}
	input, safe := h.scrubber().Value(asked), changesNothing(asked)
	step, past, err := h.beginFetch(ctx, input, safe)
	if err != nil {
		return nil, err
	}
	if past != nil {
		return past.given()
	}
	answer, err := h.send(ctx, request, h.executionID()+"/"+step)
	kept := answer
	if size := value.Size(answer); safe && size > mostKept {
		kept = map[string]any{cut: value.Int(size)}
	}
	if ended := h.end(ctx, step, flow.Record{Name: script.MethodFetch, Input: input, Attempts: 1}, kept, err); ended != nil {
		return nil, ended
	}
	return answer, err
}

// cut stands in place of an answer that is too large to be kept, with its size.
const cut = "bytesNotKept"

// beginFetch finds out under which step a request is sent, or gives the step of an earlier execution
// that has its answer.
func (h *scriptHost) beginFetch(ctx context.Context, input any, safe bool) (step string, past *pastStep, err error) {
	if err := h.permitted(ctx, tool.Outbound); err != nil {
		return "", nil, err
	}
	h.steps.Lock()
	defer h.steps.Unlock()
	past = h.take(script.MethodFetch, input)
	switch {
	case past == nil && safe:
		return h.name(script.MethodFetch), nil, nil
	case past == nil:
		return h.openFetch(input)
	case past.over && past.record.Failure == nil && past.record.Result == nil:
		return "", nil, tool.Errorf(codeAnswerLost, "The request of step %s was sent before the process ended, and a person has said so; its answer is lost.", past.step)
	case past.over && past.isCut():
		return past.step, nil, nil
	case past.over:
		return "", past, nil
	case h.doubtful[past.step]:
		return "", nil, &script.Suspend{Err: &flow.SuspendError{Message: doubt(script.MethodFetch, past.step, h.id)}}
	}
	return past.step, nil, nil
}

// openFetch keeps that a request is about to be sent that may change something. The caller holds
// steps.
func (h *scriptHost) openFetch(input any) (step string, past *pastStep, err error) {
	for _, other := range h.past {
		if other.method == script.MethodFetch && !changesNothing(other.input) {
			return "", nil, &script.Suspend{Err: tool.Errorf(codeDiverged, "The call goes on after it was broken off, and the tool asks for another request than the one it has sent before (step %s). "+
				"It is not carried on, so that nothing is done twice. A tool that sends something has to ask for the same each time, whatever the time and the order of answers.", other.step)}
		}
	}
	step = h.name(script.MethodFetch)
	if err := h.flushed(); err != nil {
		return "", nil, h.worker.storeFailure(err)
	}
	if err := h.open(flow.Call{Step: step, Capability: script.MethodFetch, Input: input, Attempt: 1}); err != nil {
		return "", nil, h.worker.storeFailure(err)
	}
	return step, nil, nil
}

// isCut reports whether the answer of a step was too large to be kept.
func (p *pastStep) isCut() bool {
	object, _ := p.record.Result.(map[string]any)
	return object[cut] != nil
}

// changesNothing reports whether a request can be sent again: by its method it only asks.
func changesNothing(input any) bool {
	object, _ := input.(map[string]any)
	method, _ := object["method"].(string)
	return method == "GET" || method == "HEAD"
}

// send sends a request, and gives the answer as package script wants it. What comes back shows no
// secret that went out with it.
func (h *scriptHost) send(ctx context.Context, request capability.Request, key string) (any, error) {
	reach, err := h.reach(ctx, h.found)
	if err != nil {
		return nil, h.worker.storeFailure(err)
	}
	request.Reach, request.MaxBody = reach, mostFetched
	response, err := h.worker.capabilities.Fetch(ctx, request, key)
	if err != nil {
		return nil, err //nolint:wrapcheck // it has its code
	}
	headers := response.Shown()
	pairs := make([]any, 0, len(headers))
	for _, name := range value.SortedNames(headers) {
		pairs = append(pairs, []any{name, headers[name]})
	}
	answer := map[string]any{
		"status": value.Int(response.Status), "statusText": response.StatusText(), "url": response.URL, "redirected": response.Redirected,
		"headers": pairs, "body": string(response.Body), "encoding": "utf8",
	}
	if !utf8.Valid(response.Body) {
		answer["body"], answer["encoding"] = base64.StdEncoding.EncodeToString(response.Body), "base64"
	}
	return h.scrubber().Value(answer), nil
}

// requestOf reads what a tool asks for.
func requestOf(asked map[string]any) (capability.Request, error) {
	invalid := func(format string, args ...any) (capability.Request, error) {
		return capability.Request{}, tool.Errorf(tool.CodeArgumentsInvalid, format, args...)
	}
	r := capability.Request{Headers: map[string]string{}}
	r.Method, _ = asked["method"].(string)
	r.URL, _ = asked["url"].(string)
	redirects, _ := asked["redirect"].(string)
	r.Redirects = capability.Redirects(redirects)
	if !slices.Contains([]capability.Redirects{"", "follow", "error", "manual"}, r.Redirects) {
		return invalid("redirect of fetch is follow, error or manual.")
	}
	headers, _ := asked["headers"].([]any)
	for _, pair := range headers {
		two, _ := pair.([]any)
		if len(two) != 2 {
			return invalid("The headers of fetch are pairs of a name and a value.")
		}
		name, isName := two[0].(string)
		text, isText := two[1].(string)
		if !isName || !isText {
			return invalid("The headers of fetch are pairs of a name and a value.")
		}
		name = strings.ToLower(name)
		if before, has := r.Headers[name]; has {
			text = before + ", " + text
		}
		r.Headers[name] = text
	}
	body, has := asked["body"].(string)
	if !has {
		return r, nil
	}
	r.Body = []byte(body)
	if asked["bodyEncoding"] == "base64" {
		var err error
		if r.Body, err = base64.StdEncoding.DecodeString(body); err != nil {
			return invalid("The body of fetch is said to be Base64, and is not.")
		}
	}
	return r, nil
}

// doubt says that nobody knows whether a step happened, and how to say so.
func doubt(name, step, run string) string {
	return fmt.Sprintf("The process ended while %q (step %s) was under way, so nobody knows whether it happened. Say what is true with: toolsmith resume %s --step %s --answer done|not-done|compensate",
		name, step, run, step)
}
