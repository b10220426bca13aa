package tooltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"toolsmith/tool"
)

// Result is what a call came to.
type Result struct {
	// Output of the tool; nothing if Err is set.
	Output tool.Output
	// Err is nil or a *tool.Error: that of the tool, or ARGUMENTS_INVALID or RESULT_INVALID
	// with every violation in its message. tool.Code gives its code, and tool.IsAgain tells
	// whether the tool wants to be called anew.
	Err error
	// Arguments as the tool got them, with defaults filled in.
	Arguments json.RawMessage
	// Progress that the tool reported, in its order.
	Progress []Progress
	// Asked are the forms that the tool put before the person.
	Asked []tool.Form
	// Popups are the pages that the tool opened.
	Popups []string
	// Secrets of the tool after the call.
	Secrets map[string]string

	tb testing.TB
}

// Progress is one report of progress.
type Progress struct {
	Done, Total float64
	Note        string
}

// Run calls a tool once. args is JSON as a string, []byte or json.RawMessage, or any Go
// value that is written as an object; nil is {}. Failures of the tool are in the result and
// do not fail the test; what is wrong with the test itself does.
func Run(tb testing.TB, t *tool.Tool, args any, opts ...Option) Result {
	tb.Helper()
	f := &fakes{tb: tb, ctx: tb.Context()}
	for _, o := range opts {
		o(f)
	}
	result := Result{tb: tb}
	defer func() { // also if the function of the tool ends the test
		f.mu.Lock()
		defer f.mu.Unlock()
		f.done = true
	}()
	arguments, err := prepare(tb, t, args)
	result.Arguments, result.Err = arguments, err
	if err == nil {
		result.Output, result.Err = t.Invoke(tool.NewContext(f.ctx, f.host()), arguments)
	}
	if result.Err == nil {
		result.Err = check(tb, t, result.Output)
	}
	if result.Err != nil {
		result.Output = tool.Output{}
	}
	if tool.Code(result.Err) == tool.CodePanicked {
		tb.Logf("%s: %v", t.Name(), errors.Unwrap(result.Err)) // the stack
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	result.Progress, result.Asked, result.Popups = slices.Clone(f.progress), slices.Clone(f.asked), slices.Clone(f.popups)
	result.Secrets = maps.Clone(f.secrets)
	return result
}

// Value reads the value that the tool returned into a Go value; numbers that go into an any
// are json.Number. The test fails at once if the tool failed or returned subtasks.
func (r Result) Value(into any) {
	r.tb.Helper()
	switch {
	case r.Err != nil:
		r.tb.Fatalf("the tool failed: %v", r.Err)
	case r.Output.Value == nil:
		r.tb.Fatal("the tool returned subtasks, not a value")
	}
	decoder := json.NewDecoder(bytes.NewReader(r.Output.Value))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		r.tb.Fatalf("the value %s does not go into a %T: %v", r.Output.Value, into, err)
	}
}

// Subtasks gives the chains that the tool returned. The test fails at once if the tool
// failed or returned a value.
func (r Result) Subtasks() []tool.Chain {
	r.tb.Helper()
	switch {
	case r.Err != nil:
		r.tb.Fatalf("the tool failed: %v", r.Err)
	case r.Output.Subtasks == nil:
		r.tb.Fatalf("the tool returned the value %s, not subtasks", r.Output.Value)
	}
	return r.Output.Subtasks
}

// prepare does with the arguments what the runtime does before a call.
func prepare(tb testing.TB, t *tool.Tool, args any) (json.RawMessage, error) {
	tb.Helper()
	var text []byte
	switch args := args.(type) {
	case nil:
		text = []byte("{}")
	case string:
		text = []byte(args)
	case []byte:
		text = args
	case json.RawMessage:
		text = args
	default:
		var err error
		if text, err = json.Marshal(args); err != nil {
			tb.Fatalf("the arguments cannot be written as JSON: %v", err)
		}
	}
	parameters := compile(tb, t.Parameters())
	v, err := read(text)
	if err != nil {
		tb.Fatalf("the arguments are no JSON: %v", err)
	}
	v, filled := fill(parameters.raw, v)
	if violations := parameters.violations(v); violations != "" {
		return text, &tool.Error{Code: tool.CodeArgumentsInvalid, Message: violations}
	}
	if !filled {
		return text, nil // as it was written
	}
	text, err = json.Marshal(v)
	if err != nil {
		tb.Fatalf("the arguments cannot be written as JSON: %v", err)
	}
	return text, nil
}

// check does with the output what the runtime does after a call.
func check(tb testing.TB, t *tool.Tool, output tool.Output) error {
	tb.Helper()
	if output.Subtasks != nil {
		return checkChains(output.Subtasks)
	}
	if t.Result() == nil {
		return nil
	}
	v, err := read(output.Value)
	if err != nil {
		return &tool.Error{Code: tool.CodeResultInvalid, Message: fmt.Sprintf("The result is no JSON: %v.", err)}
	}
	if violations := compile(tb, t.Result()).violations(v); violations != "" {
		return &tool.Error{Code: tool.CodeResultInvalid, Message: violations}
	}
	return nil
}

// checkChains holds subtasks to what every host asks of them.
func checkChains(chains []tool.Chain) error {
	for i, chain := range chains {
		if len(chain) == 0 {
			return tool.Errorf(tool.CodeResultInvalid, "[%d]: a chain has at least one task.", i)
		}
		for j, task := range chain {
			if err := checkTask(task); err != nil {
				return tool.Errorf(tool.CodeResultInvalid, "[%d][%d]: %w.", i, j, err)
			}
			if task.Content.Type == tool.TypeReturn && j < len(chain)-1 {
				return tool.Errorf(tool.CodeResultInvalid, "[%d][%d]: nothing can follow a \"return\" in its chain.", i, j+1)
			}
		}
	}
	return nil
}

func checkTask(task tool.Task) error {
	switch task.Role {
	case tool.RoleUser, tool.RoleAssistant, tool.RoleSystem, tool.RoleTool, "":
	default:
		return fmt.Errorf("there is no role %q", task.Role)
	}
	text, err := json.Marshal(task)
	if err != nil {
		return fmt.Errorf("its data cannot be written as JSON: %w", err)
	}
	var written tool.Task
	if err := json.Unmarshal(text, &written); err != nil {
		return err
	}
	switch written.Content.Type {
	case tool.TypeMessage:
		if _, ok := written.Content.Data.(string); !ok {
			return errors.New("a message is a text")
		}
	case tool.TypeTool:
		return checkCall(written.Content.Data)
	case tool.TypeError:
		failure, _ := written.Content.Data.(map[string]any)
		code, _ := failure["code"].(string)
		if message, _ := failure["message"].(string); code == "" || message == "" {
			return errors.New("an error has a code and a message, which are texts")
		}
	case tool.TypeToolResult, tool.TypeStructured, tool.TypeReturn:
	default:
		return fmt.Errorf("there is no type of content %q", task.Content.Type)
	}
	return nil
}

func checkCall(data any) error {
	call, ok := data.(tool.CallData)
	if !ok {
		return errors.New("a call is {\"name\", \"arguments\", \"runOn\"?}")
	}
	if _, ok := call.Arguments.(map[string]any); !ok && call.Arguments != nil {
		return errors.New("the arguments of a call are an object")
	}
	switch call.RunOn {
	case "", tool.RunOnSuccess, tool.RunOnSettled:
		return nil
	}
	return fmt.Errorf("a call runs on %q or %q, not %q", tool.RunOnSuccess, tool.RunOnSettled, call.RunOn)
}
