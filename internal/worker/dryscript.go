package worker

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"

	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/schema"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// CodeDryRun is the code of what a dry run holds back: the network, secrets and the person. A script
// can answer in their place.
const CodeDryRun = "DRY_RUN"

// tryScript runs a coded tool dry. What it returns is given as it is: calls among its subtasks are not
// made.
func (w *Worker) tryScript(ctx context.Context, job Job, answers *flow.Script) (Dry, error) {
	call, err := engine.Brought(job.Tool, job.Installed)
	if err != nil {
		return Dry{}, fmt.Errorf("prepare run: %w", err)
	}
	if w.Scripts == nil {
		return Dry{}, tool.Errorf(check.CodeUnavailable, "This program runs no coded tools, and %q is one.", call.Name)
	}
	arguments := call.Effective(job.Input)
	if violations := call.Parameters.Validate(arguments); len(violations) > 0 {
		return dryFailure(task.CodeArgumentsInvalid, "The arguments do not fit. "+schema.Join(violations)), nil
	}
	coded, _ := job.Tool.Coded()
	host := &dryHost{answers: answers, observe: job.Steps}
	result, err := w.Scripts.Run(ctx, script.Call{
		Tool: coded, Arguments: arguments, ToolID: call.Name, Host: host, Seed: flow.DryExecutionID, Now: w.Clock.Now,
	})
	out := host.out
	for _, line := range result.Log {
		out.Logs = append(out.Logs, line.Level+": "+line.Line)
	}
	if err != nil {
		return out.failed(ctx, err)
	}
	return out.came(call, result), nil
}

// failed fills in why a coded tool came to nothing. The error is for what is none of the tool's doing.
func (d Dry) failed(ctx context.Context, err error) (Dry, error) {
	var fault *tool.Error
	switch {
	case errors.As(err, &fault):
		d.Status, d.Failure = flow.Failed, &flow.Failure{Code: fault.Code, Message: fault.Message}
	case ctx.Err() != nil:
		d.Status, d.Failure = flow.Cancelled, &flow.Failure{Code: task.CodeAborted, Message: "The run was cancelled."}
	default:
		return Dry{}, fmt.Errorf("dry run: %w", err)
	}
	return d, nil
}

func dryFailure(code, message string) Dry {
	return Dry{Result: flow.Result{Status: flow.Failed, Failure: &flow.Failure{Code: code, Message: message}}}
}

// came fills in what a coded tool returned, where it could be carried out.
func (d Dry) came(call *engine.Callable, result script.Result) Dry {
	if result.Subtasks == nil {
		if out := fitting(call, task.Result{Value: result.Value}, nil); out.Failure != nil {
			d.Status, d.Failure = flow.Failed, &flow.Failure{Code: out.Failure.Code, Message: out.Failure.Message}
			return d
		}
		d.Status, d.Output = flow.Succeeded, result.Value
		return d
	}
	chains, faults := task.ReadDrafts(result.Subtasks)
	if len(faults) == 0 {
		faults = engine.UndeclaredCalls(chains, call)
	}
	if len(faults) > 0 {
		failure := faults.Failure()
		d.Status, d.Failure = flow.Failed, &flow.Failure{Code: failure.Code, Message: failure.Message}
		return d
	}
	d.Status, d.Subtasks = flow.Succeeded, asChains(result.Subtasks)
	return d
}

// asChains writes subtasks as a list of chains, however the tool wrote them.
func asChains(v any) []any {
	list, ok := v.([]any)
	if !ok {
		return []any{[]any{v}}
	}
	if len(list) > 0 {
		if _, nested := list[0].([]any); nested {
			return list
		}
	}
	return []any{list}
}

// dryHost answers the methods of a dry run from a script, and holds the others back.
type dryHost struct {
	answers *flow.Script // nil for none
	observe func(flow.Event)

	mu  sync.Mutex
	out Dry
}

// Do answers one method.
func (h *dryHost) Do(ctx context.Context, seq int, method string, arguments map[string]any) (any, error) {
	if method == script.MethodProgress {
		return nil, nil
	}
	answer, err := h.answer(ctx, method, arguments)
	step := fmt.Sprintf("%s[%d]", method, seq)
	event := flow.Event{Step: step, Kind: "context", OK: err == nil, Attempt: 1, Capability: method, Count: -1}
	if err != nil {
		event.Failure = &flow.Failure{Code: codeOf(err), Message: messageOf(err)}
	}
	shown := arguments
	if method == script.MethodSetSecret {
		shown = map[string]any{"name": arguments["name"]}
	}
	h.mu.Lock()
	h.out.Trace = append(h.out.Trace, event)
	h.out.Calls = append(h.out.Calls, flow.CallRecord{Step: step, Capability: method, Input: shown, Attempt: 1})
	if err == nil && (method == script.MethodSetSecret || method == script.MethodFetch && !changesNothing(arguments)) {
		h.out.Writes = append(h.out.Writes, Write{Step: step, Capability: method, Input: shown, Result: answer})
	}
	h.mu.Unlock()
	if h.observe != nil {
		h.observe(event)
	}
	return answer, err
}

func (h *dryHost) answer(ctx context.Context, method string, arguments map[string]any) (any, error) {
	if h.answers != nil && h.answers.Names(method) {
		answer, err := h.answers.Call(ctx, flow.Call{Capability: method, Input: arguments})
		if err != nil {
			code := flow.CodeCapabilityFailed
			if failed := (*flow.CallError)(nil); errors.As(err, &failed) && failed.Code != "" {
				code = failed.Code
			}
			return nil, &tool.Error{Code: code, Message: messageOf(err)}
		}
		if method == script.MethodFetch {
			return fetched(answer.Value, arguments)
		}
		return answer.Value, nil
	}
	switch method {
	case script.MethodChain:
		return []any{}, nil // it is the first call of its run
	case script.MethodCaller:
		return "try", nil
	case script.MethodSetSecret:
		return nil, nil
	}
	return nil, tool.Errorf(CodeDryRun, "A dry run holds %s back. Answer in its place with a script: {\"capabilities\": {%q: [{\"result\": …}]}}.", method, method)
}

// fetched makes the answer of a request from what a script says of it: {"status"?, "headers"?, "body"?},
// where the body is a text, or any JSON, and the headers are an object.
func fetched(scripted any, asked map[string]any) (any, error) {
	said, ok := scripted.(map[string]any)
	if !ok && scripted != nil {
		return nil, tool.Errorf("SCRIPT_INVALID", `The script's answer to fetch is {"status", "headers", "body"}; this is %s.`, value.KindOf(scripted))
	}
	answer := map[string]any{"status": json.Number("200"), "statusText": "", "url": asked["url"], "redirected": false, "headers": []any{}, "body": "", "encoding": "utf8"}
	var headers []any
	named := map[string]any{}
	if given, ok := said["headers"].(map[string]any); ok {
		named = given
	}
	for _, name := range value.SortedNames(named) {
		headers = append(headers, []any{name, named[name]})
	}
	if status, ok := said["status"].(json.Number); ok {
		answer["status"] = status
	}
	switch body := said["body"].(type) {
	case nil:
	case string:
		answer["body"] = body
		if !utf8.ValidString(body) { // a lone surrogate
			answer["body"], answer["encoding"] = base64.StdEncoding.EncodeToString([]byte(body)), "base64"
		}
	default:
		answer["body"] = value.JSON(body)
		if named["content-type"] == nil {
			headers = append(headers, []any{"content-type", "application/json"})
		}
	}
	if headers != nil {
		answer["headers"] = headers
	}
	return answer, nil
}
