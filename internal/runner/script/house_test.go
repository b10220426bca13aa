package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/coded"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// house is the runner of most tests: compiling the sandbox once is enough. On a busy machine, the
// time for computing passes faster than a tool gets on.
var house = sync.OnceValue(func() *script.Runner {
	return script.New(script.Options{Engine: engine(), Limits: script.Limits{CPU: patience}})
})

var engine = sync.OnceValue(func() *quickjs.Engine { return quickjs.New(quickjs.Options{}) })

// patience is how long a test waits for what is certain to come.
const patience = 2 * time.Minute

// within gives a context for calls that must end by themselves.
func within(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	tb.Cleanup(cancel)
	return ctx
}

// body makes a tool "t" with this body of its function, which sees args and context.
func body(text string) string {
	return file(fmt.Sprintf("createTool({ name: 't', description: 'A test.', parameters: { type: 'object' },\n async function(args, context) {\n%s\n} })", text))
}

// file makes a script of a text that uses the API by its names.
func file(text string) string {
	return "(() => {\nconst { createTool, createClientTool, toolCall, message, structured, returns, failure, previous, createSubtasksResult, isSubtasksResult, ToolsmithError } = globalThis.__toolsmith\n" + text + "\n})()"
}

// made is a tool named t of a script, with a declaration.
func made(text, declaration string) coded.Tool {
	if declaration == "" {
		declaration = "{}"
	}
	return coded.Tool{Name: "t", File: "t.ts", Script: []byte(text), Declaration: json.RawMessage(declaration)}
}

// host answers methods as a test says.
type host func(ctx context.Context, seq int, method string, arguments map[string]any) (any, error)

func (h host) Do(ctx context.Context, seq int, method string, arguments map[string]any) (any, error) {
	return h(ctx, seq, method, arguments)
}

// nobody is a host of tools that ask nothing.
func nobody(_ context.Context, _ int, method string, _ map[string]any) (any, error) {
	return nil, fmt.Errorf("nobody expected %s", method)
}

// call calls the function with this body.
func call(tb testing.TB, text string) (script.Result, error) {
	tb.Helper()
	return callWith(tb, script.Call{Tool: made(body(text), "")})
}

func callWith(tb testing.TB, c script.Call) (script.Result, error) {
	tb.Helper()
	if c.Host == nil {
		c.Host = host(nobody)
	}
	return house().Run(within(tb), c)
}

// returns holds what a body returns against JSON.
func returns(t *testing.T, text, want string) {
	t.Helper()
	got, err := call(t, text)
	if err != nil {
		t.Errorf("%s\nfailed: %v", text, err)
		return
	}
	if json := value.JSON(got.Value); json != want {
		t.Errorf("%s\ngave %s; want %s", text, json, want)
	}
}

// codedError gives the error with its code, or fails.
func codedError(t *testing.T, err error) *tool.Error {
	t.Helper()
	var coded *tool.Error
	if !errors.As(err, &coded) {
		t.Fatalf("the error is %v, without a code", err)
	}
	return coded
}
