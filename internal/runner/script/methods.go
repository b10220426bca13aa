package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolsmith/internal/coded"
	"toolsmith/internal/origin"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// The methods of the context that a Host carries out.
const (
	MethodChain       = "getExecutionTaskChain"
	MethodSecret      = "getSecret"
	MethodSetSecret   = "setSecret"
	MethodCaller      = "getCallingToolId"
	MethodProgress    = "progress"
	MethodInteraction = "interaction"
	MethodPopup       = "popup"
	MethodFetch       = "fetch"
)

// declaration is what a tool may use, as far as that has to be declared.
type declaration struct {
	tool    string
	network []origin.Origin
	secrets []string
}

// readDeclaration reads what a tool may use.
func readDeclaration(t coded.Tool) (*declaration, error) {
	broken := func(why string) error {
		return tool.Errorf(CodeBroken, "What %q declares cannot be used: %s.", t.Name, why)
	}
	v, err := value.Decode(t.Declaration)
	object, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, broken("it is no JSON object")
	}
	d := &declaration{tool: t.Name}
	hosts, ok := texts(object["network"])
	if !ok {
		return nil, broken("its network is no list of hosts")
	}
	for _, host := range hosts {
		o, err := origin.Listed(host)
		if err != nil {
			return nil, broken(fmt.Sprintf("the host %q: %s", host, err))
		}
		d.network = append(d.network, o)
	}
	if d.secrets, ok = texts(object["secrets"]); !ok {
		return nil, broken("its secrets are no list of names")
	}
	return d, nil
}

func texts(v any) ([]string, bool) {
	list, ok := v.([]any)
	if v != nil && !ok {
		return nil, false
	}
	found := make([]string, 0, len(list))
	for _, one := range list {
		text, ok := one.(string)
		if !ok {
			return nil, false
		}
		found = append(found, text)
	}
	return found, true
}

// check refuses what the tool did not declare, before the host is asked.
func (d *declaration) check(method string, arguments map[string]any) *tool.Error {
	switch method {
	case MethodChain, MethodCaller, MethodProgress, MethodInteraction, MethodPopup:
		return nil
	case MethodSecret, MethodSetSecret:
		name, _ := arguments["name"].(string)
		if slices.Contains(d.secrets, name) {
			return nil
		}
		// The name stays unsaid: it may be a value that stands in the wrong place.
		return tool.Errorf(codeSecretNotDeclared, "The tool %q does not declare the secret that it wants. Name it in \"secrets\" of its declaration.", d.tool)
	case MethodFetch:
		return d.checkAddress(arguments)
	}
	return unavailable(method)
}

func unavailable(method string) *tool.Error {
	return tool.Errorf(tool.CodeContextUnavailable, "%s is not available here.", method)
}

func (d *declaration) checkAddress(arguments map[string]any) *tool.Error {
	if len(d.network) == 0 {
		return tool.Errorf(tool.CodeContextUnavailable, "fetch is not available here: the tool %q declares no hosts. Name them in \"network\" of its declaration.", d.tool)
	}
	text, _ := arguments["url"].(string)
	_, o, err := origin.ParseURL(text)
	if err != nil {
		return tool.Errorf(codeURLInvalid, "The address that fetch was given cannot be used: %s.", err)
	}
	if !slices.Contains(d.network, o) {
		return tool.Errorf(codeHostRefused, "The tool %q does not declare the host %s. Name it in \"network\" of its declaration.", d.tool, o)
	}
	return nil
}

// errorText writes an error for the guest.
func errorText(e *tool.Error) string {
	object := map[string]any{"code": e.Code, "message": e.Message}
	if e.Field != "" {
		object["field"] = e.Field
	}
	return value.JSON(object)
}

func (x *execution) isStopped() bool { return x.ctx.Err() != nil }

// stopReason is why the call is stopped, in the words of an error.
func (x *execution) stopReason() *tool.Error {
	var coded *tool.Error
	if errors.As(context.Cause(x.ctx), &coded) {
		return coded
	}
	if errors.Is(x.ctx.Err(), context.DeadlineExceeded) {
		return tool.Errorf(task.CodeAborted, "The time of the call is over.")
	}
	return tool.Errorf(task.CodeAborted, "The call was cancelled.")
}

func (x *execution) whyStopped() string { return errorText(x.stopReason()) }

// mostTraced is how much of the arguments a line of the trace holds, in bytes.
const mostTraced = 2000

// traced writes one line about a method that was carried out. What a secret is stays out of it.
func (x *execution) traced(q *request, s settlement, took time.Duration) string {
	arguments := q.arguments
	if q.method == MethodSetSecret {
		arguments = map[string]any{"name": arguments["name"]}
	}
	came := fmt.Sprintf("%d bytes", len(s.text))
	switch {
	case s.failure != nil:
		came = s.failure.Error()
	case !s.ok:
		came = s.text
	}
	line := fmt.Sprintf("%s #%d %s %s: %s, %s", x.ToolID, q.seq, q.method, clip(value.JSON(arguments), mostTraced), clip(came, mostTraced), took.Round(time.Microsecond))
	return strings.ReplaceAll(line, "\n", " ")
}
