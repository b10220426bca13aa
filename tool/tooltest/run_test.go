package tooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/tool"
	"toolsmith/tool/tooltest"
)

type input struct {
	Text  string   `json:"text" minLength:"1"`
	Max   int      `json:"max" default:"20" minimum:"1"`
	Style string   `json:"style,omitempty" enum:"short,long"`
	Rows  []row    `json:"rows,omitempty"`
	Maps  *mapping `json:"maps"`
}

type row struct {
	ID   int64 `json:"id"`
	Size int   `json:"size" default:"3"`
}

type mapping struct {
	By map[string]string `json:"by" default:"{}"`
}

// with makes a tool of a function that uses its context.
func with[Out any](fn func(ctx *tool.Context) (Out, error)) *tool.Tool {
	return tool.MustNew(tool.Spec{Name: "t", Description: "Does something."}, func(ctx *tool.Context, _ struct{}) (Out, error) { return fn(ctx) })
}

// judge is a test that notes what is said of it.
type judge struct {
	testing.TB
	mu   sync.Mutex
	said []string
}

func (j *judge) say(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.said = append(j.said, text)
}
func (j *judge) Helper()                           {}
func (j *judge) Logf(format string, args ...any)   { j.say("log: " + fmt.Sprintf(format, args...)) }
func (j *judge) Errorf(format string, args ...any) { j.say("error: " + fmt.Sprintf(format, args...)) }
func (j *judge) Fatal(args ...any)                 { j.say("fatal: " + fmt.Sprint(args...)); runtime.Goexit() }
func (j *judge) Fatalf(format string, args ...any) { j.Fatal(fmt.Sprintf(format, args...)) }

// judged gives what is said of a test.
func judged(t *testing.T, test func(tb testing.TB)) string {
	t.Helper()
	j := &judge{TB: t}
	done := make(chan struct{})
	go func() { // which Fatal may end
		defer close(done)
		test(j)
	}()
	<-done
	return strings.Join(j.said, "\n")
}

func TestArguments(t *testing.T) {
	t.Parallel()
	echo := tool.MustNew(tool.Spec{Name: "echo", Description: "Gives back what it gets."}, func(_ *tool.Context, in input) (input, error) { return in, nil })
	tests := []struct {
		name string
		args any
		want string // arguments, or violations
		code string
	}{
		{"text", `{"text":"a"}`, `{"max":20,"text":"a"}`, ""},
		{"bytes", []byte(`{"text":"a","max":9007199254740993}`), `{"text":"a","max":9007199254740993}`, ""},
		{"raw", json.RawMessage(`{"text":"a","max":2,"rows":[{"id":1},{"id":2,"size":4}]}`), `{"max":2,"rows":[{"id":1,"size":3},{"id":2,"size":4}],"text":"a"}`, ""},
		{"map", map[string]any{"text": "a", "maps": map[string]any{}}, `{"maps":{"by":{}},"max":20,"text":"a"}`, ""},
		{"struct", input{Text: "a", Max: 1, Maps: &mapping{By: map[string]string{"7": "x"}}}, `{"text":"a","max":1,"maps":{"by":{"7":"x"}}}`, ""},
		{"all of it wrong", `{"max":0,"style":"loud","rows":[{"id":"x","Size":1},{"size":1.5}],"other":1,"maps":{"by":{"7":8}}}`,
			"$.maps.by[7]: got number, want string. $.max: minimum: got 0, want 1. $.other: is no field that is known here. " +
				"$.rows[0].Size: is no field that is known here. $.rows[0].id: got string, want integer. $.rows[1].id: is required. " +
				"$.rows[1].size: got number, want integer. $.style: value must be one of 'short', 'long'. $.text: is required.", tool.CodeArgumentsInvalid},
		{"nil", nil, "$.text: is required.", tool.CodeArgumentsInvalid},
		{"no object", `[]`, "$: got array, want object.", tool.CodeArgumentsInvalid},
		{"twice", `{"text":"a","max":1,"text":"b"}`, "is given twice.", tool.CodeArgumentsInvalid},
	}
	for _, test := range tests {
		result := tooltest.Run(t, echo, test.args)
		var e *tool.Error
		switch {
		case test.code == "" && (result.Err != nil || string(result.Arguments) != test.want):
			t.Errorf("%s: arguments %s, error %v, want %s", test.name, result.Arguments, result.Err, test.want)
		case test.code != "" && (!errors.As(result.Err, &e) || e.Code != test.code || e.Message != test.want):
			t.Errorf("%s: error %v, want %s", test.name, result.Err, test.want)
		case test.code != "" && result.Output.Value != nil:
			t.Errorf("%s: there is a value beside the error", test.name)
		}
	}
	for args, want := range map[string]string{
		`{`:     "fatal: the arguments are no JSON: unexpected EOF",
		`{} {}`: "fatal: the arguments are no JSON: something follows the value",
	} {
		if got := judged(t, func(tb testing.TB) { tooltest.Run(tb, echo, args) }); got != want {
			t.Errorf("%s: the test says %q, want %q", args, got, want)
		}
	}
	if got := judged(t, func(tb testing.TB) { tooltest.Run(tb, echo, func() {}) }); !strings.HasPrefix(got, "fatal: the arguments cannot be written as JSON") {
		t.Errorf("the test says %q", got)
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	type output struct {
		Name string   `json:"name" minLength:"2"`
		Kids []string `json:"kids"`
		Size any      `json:"size"`
	}
	good := tooltest.Run(t, with(func(*tool.Context) (output, error) { return output{Name: "ab", Size: 9007199254740993}, nil }), nil)
	var value output
	good.Value(&value)
	if want := (output{Name: "ab", Kids: []string{}, Size: json.Number("9007199254740993")}); !cmp.Equal(want, value) {
		t.Errorf("the value is %+v", value)
	}
	for name, made := range map[string]*tool.Tool{
		"$.name: minLength: got 1, want 2.":                         with(func(*tool.Context) (output, error) { return output{Name: "a"}, nil }),
		"$: got null, want object.":                                 with(func(*tool.Context) (*output, error) { return nil, nil }),
		"$[1]: got null, want object.":                              with(func(*tool.Context) ([]*output, error) { return []*output{{Name: "ab"}, nil}, nil }),
		"The tool returned subtasks, and among them is no task.":    with(func(*tool.Context) (tool.Subtasks, error) { return tool.Subtasks{}, nil }),
		"What the tool returned cannot be written as JSON: json: u": with(func(*tool.Context) (any, error) { return func() {}, nil }),
	} {
		result := tooltest.Run(t, made, nil)
		if tool.Code(result.Err) != tool.CodeResultInvalid || !strings.HasPrefix(result.Err.Error(), tool.CodeResultInvalid+": "+name) || result.Output.Value != nil {
			t.Errorf("%s: %s, error %v", name, result.Output.Value, result.Err)
		}
	}
	failing := with(func(*tool.Context) (any, error) { return 1, tool.Errorf("OWN", "no") })
	subtasks := with(func(ctx *tool.Context) (any, error) { return ctx.Subtasks(tool.Chain{tool.Return(1)}), nil })
	plain := with(func(*tool.Context) (any, error) { return "x", nil })
	panics := with(func(*tool.Context) (any, error) { panic("oh") })
	var into int
	for name, test := range map[string]func(tb testing.TB){
		"fatal: the tool failed: OWN: no":                      func(tb testing.TB) { tooltest.Run(tb, failing, nil).Value(&into) },
		"fatal: the tool failed: OWN: no ":                     func(tb testing.TB) { tooltest.Run(tb, failing, nil).Subtasks() },
		"fatal: the tool returned subtasks, not a value":       func(tb testing.TB) { tooltest.Run(tb, subtasks, nil).Value(&into) },
		"fatal: the tool returned the value \"x\", not subta":  func(tb testing.TB) { tooltest.Run(tb, plain, nil).Subtasks() },
		"fatal: the value \"x\" does not go into a *int: json": func(tb testing.TB) { tooltest.Run(tb, plain, nil).Value(&into) },
		"log: t: panic: oh\n\ngoroutine":                       func(tb testing.TB) { tooltest.Run(tb, panics, nil) },
	} {
		if got := judged(t, test); !strings.HasPrefix(got, strings.TrimSpace(name)) {
			t.Errorf("the test says %q, want %q", got, name)
		}
	}
	if got := tooltest.Run(t, subtasks, nil).Subtasks(); len(got) != 1 || got[0][0].Content.Type != tool.TypeReturn {
		t.Errorf("the subtasks are %v", got)
	}
}

// Subtasks are held to what every host asks of them.
func TestSubtasks(t *testing.T) {
	t.Parallel()
	task := func(kind tool.ContentType, data any) tool.Task {
		return tool.Task{Role: tool.RoleTool, Content: tool.Content{Type: kind, Data: data}}
	}
	ok := tool.Message(tool.RoleUser, "hello")
	tests := []struct {
		task tool.Task
		want string // "" for none
	}{
		{ok, ""},
		{tool.Call("a", nil), ""},
		{tool.Reducer("a", map[string]any{"x": tool.Previous("")}), ""},
		{tool.Call("a", struct{ X int }{1}), ""},
		{task("functioncall", map[string]any{"name": "a"}), ""},
		{tool.Structured(nil), ""},
		{task(tool.TypeToolResult, 1), ""},
		{task(tool.TypeError, map[string]any{"code": "X", "message": "y"}), ""},
		{tool.Task{Content: ok.Content}, ""},
		{tool.Task{Role: "robot", Content: ok.Content}, `there is no role "robot".`},
		{task("thought", "x"), `there is no type of content "thought".`},
		{task("", "x"), `there is no type of content "".`},
		{task(tool.TypeMessage, 1), "a message is a text."},
		{task(tool.TypeError, "broken"), "an error has a code and a message, which are texts."},
		{task(tool.TypeTool, "a"), `a call is {"name", "arguments", "runOn"?}.`},
		{tool.Call("", nil), `a call is {"name", "arguments", "runOn"?}.`},
		{tool.Call("a", []int{1}), "the arguments of a call are an object."},
		{task(tool.TypeTool, tool.CallData{Name: "a", RunOn: "never"}), `a call runs on "success" or "settled", not "never".`},
		{tool.Structured(func() {}), "its data cannot be written as JSON: json: unsupported type: func()."},
	}
	for i, test := range tests {
		made := with(func(ctx *tool.Context) (tool.Subtasks, error) {
			return ctx.Subtasks(tool.Chain{ok}, tool.Chain{ok, test.task, tool.Return(nil)}), nil
		})
		err := tooltest.Run(t, made, nil).Err
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%d: %v", i, err)
		case test.want != "" && (err == nil || err.Error() != "RESULT_INVALID: [1][1]: "+test.want):
			t.Errorf("%d: error %v, want %q", i, err, test.want)
		}
	}
	for want, chains := range map[string][]tool.Chain{
		"[1]: a chain has at least one task.":                   {{ok}, {}},
		"[0][1]: nothing can follow a \"return\" in its chain.": {{tool.Return(1), ok}},
	} {
		made := with(func(ctx *tool.Context) (tool.Subtasks, error) { return ctx.Subtasks(chains...), nil })
		if err := tooltest.Run(t, made, nil).Err; err == nil || err.Error() != "RESULT_INVALID: "+want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func entry(text string) tool.Entry {
	return tool.Entry{Role: tool.RoleUser, Type: tool.TypeMessage, Data: json.RawMessage(text)}
}

func TestChain(t *testing.T) {
	t.Parallel()
	all := []tool.Entry{entry(`"a"`), entry(`"bb"`), entry(`"c"`)}
	for want, opts := range map[string][]tool.ChainOption{
		`"a" "bb" "c"`:  nil,
		`"a" "bb" "c" `: {tool.Flattened(), tool.MaxTasks(3), tool.MaxBytes(10)},
		`"bb" "c"`:      {tool.MaxTasks(2)},
		`"bb" "c" `:     {tool.MaxBytes(9)},
		`"c"`:           {tool.MaxBytes(6), tool.MaxTasks(2)},
		``:              {tool.MaxBytes(1)},
	} {
		made := with(func(ctx *tool.Context) (string, error) {
			chain, err := ctx.Chain(opts...)
			var texts []string
			for _, one := range chain {
				texts = append(texts, string(one.Data))
			}
			return strings.Join(texts, " "), err
		})
		var got string
		if tooltest.Run(t, made, nil, tooltest.WithChain(all...)).Value(&got); got != strings.TrimSpace(want) {
			t.Errorf("the chain is %s, want %s", got, want)
		}
	}
}

// What options supply works, and is recorded.
func TestFakes(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "served") }))
	t.Cleanup(server.Close)
	form := tool.Form{Title: "How many?", Schema: json.RawMessage(`{"type":"integer","minimum":1}`)}
	made := with(func(ctx *tool.Context) ([]any, error) {
		key, err := ctx.Secret("key")
		_, missing := ctx.Secret("none")
		caller, err2 := ctx.Caller()
		client, err3 := ctx.HTTPClient()
		if err := errors.Join(err, err2, err3, ctx.SetSecret("new", key+"!"), ctx.Popup("https://example.com"), ctx.Progress(1, 2, "half"), ctx.Progress(2, 2, "")); err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		if err != nil {
			return nil, err
		}
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		answer, err2 := ctx.Ask(form)
		yes, err3 := ctx.Ask(tool.Form{Title: "Sure?"})
		_, refused := ctx.Ask(form)
		return []any{key, tool.Code(missing), caller, string(body), answer, yes, refused.Error(), ctx.ToolID()}, errors.Join(err, err2, err3)
	})
	secrets := map[string]string{"key": "k"}
	result := tooltest.Run(t, made, nil, tooltest.WithSecrets(secrets), tooltest.WithCaller("cli"), tooltest.WithHTTPClient(server.Client()),
		tooltest.WithPopup(), tooltest.WithProgress(), tooltest.WithToolID("other"), tooltest.WithAnswers(9007199254740993, true, errors.New("no time")))
	var got []any
	result.Value(&got)
	if diff := cmp.Diff([]any{"k", "SECRET_MISSING", "cli", "served", json.Number("9007199254740993"), true, "no time", "other"}, got); diff != "" {
		t.Errorf("the tool got (-want +got):\n%s", diff)
	}
	want := tooltest.Result{
		Progress: []tooltest.Progress{{Done: 1, Total: 2, Note: "half"}, {Done: 2, Total: 2}}, Popups: []string{"https://example.com"},
		Asked: []tool.Form{form, {Title: "Sure?"}, form}, Secrets: map[string]string{"key": "k", "new": "k!"},
	}
	kept := tooltest.Result{Progress: result.Progress, Popups: result.Popups, Asked: result.Asked, Secrets: result.Secrets}
	if diff := cmp.Diff(want, kept, cmp.AllowUnexported(tooltest.Result{})); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
	if len(secrets) != 1 {
		t.Error("the secrets of the test were changed")
	}
	if stored := tooltest.Run(t, with(func(ctx *tool.Context) (any, error) { return nil, ctx.SetSecret("a", "b") }), nil, tooltest.WithSecrets(nil)); stored.Secrets["a"] != "b" {
		t.Errorf("the secrets are %v, error %v", stored.Secrets, stored.Err)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	ask := func(schema string) *tool.Tool {
		form := tool.Form{Title: "T"}
		if schema != "" {
			form.Schema = json.RawMessage(schema)
		}
		return with(func(ctx *tool.Context) (any, error) { return ctx.Ask(form) })
	}
	tests := []struct {
		schema  string
		answers []any
		want    string
	}{
		{``, nil, `error: the tool asks "T", and no answer is left`},
		{``, []any{1}, `error: the answer to "T" does not fit its form: $: got number, want boolean.`},
		{`{"type":"object","required":["a"],"properties":{"a":{}}}`, []any{struct{}{}}, `error: the answer to "T" does not fit its form: $.a: is required.`},
		{`{"type":7}`, []any{1}, `error: the schema of the form "T": `},
		{`{"$ref":"https://example.com/other.json"}`, []any{1}, `error: the schema of the form "T": `},
		{`{}`, []any{func() {}}, `error: the answer to "T" cannot be written as JSON`},
		{`{"$ref":"#/$defs/a","allOf":[{"minimum":1}],"$defs":{"a":{"type":"integer"}}}`, []any{0.5}, `error: the answer to "T" does not fit its form: $: got number, want integer. $: minimum: got 0.5, want 1.`},
		{`{}`, []any{json.RawMessage(`[1]`)}, ``},
	}
	for _, test := range tests {
		got := judged(t, func(tb testing.TB) { tooltest.Run(tb, ask(test.schema), nil, tooltest.WithAnswers(test.answers...)) })
		if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: the test says %q, want %q", test.schema, got, test.want)
		}
	}
	if result := tooltest.Run(t, ask(`{`), nil, tooltest.WithAnswers(1)); tool.Code(result.Err) != tool.CodeInteractionInvalid || len(result.Asked) > 0 {
		t.Errorf("a form that nobody is shown: %+v", result)
	}
	popup := with(func(ctx *tool.Context) (any, error) { return nil, ctx.Popup("file:///etc/passwd") })
	if result := tooltest.Run(t, popup, nil, tooltest.WithPopup()); tool.Code(result.Err) != tool.CodeInteractionInvalid || len(result.Popups) > 0 {
		t.Errorf("a page that nobody is shown: %+v", result)
	}
	if result := tooltest.Run(t, ask(``), nil); tool.Code(result.Err) != tool.CodeContextUnavailable {
		t.Errorf("without answers: %v", result.Err)
	}
}

// methods are those of the context that an option makes available.
var methods = map[string]func(ctx *tool.Context) error{
	"Chain":     func(ctx *tool.Context) error { _, err := ctx.Chain(); return err },
	"Secret":    func(ctx *tool.Context) error { _, err := ctx.Secret("a"); return err },
	"SetSecret": func(ctx *tool.Context) error { return ctx.SetSecret("a", "b") },
	"Progress":  func(ctx *tool.Context) error { return ctx.Progress(1, 1, "") },
	"Ask":       func(ctx *tool.Context) error { _, err := ctx.Ask(tool.Form{Title: "T"}); return err },
	"Popup":     func(ctx *tool.Context) error { return ctx.Popup("https://example.com") },
}

func allOptions() []tooltest.Option {
	return []tooltest.Option{
		tooltest.WithChain(), tooltest.WithSecrets(map[string]string{"a": "b"}), tooltest.WithProgress(), tooltest.WithPopup(), tooltest.WithAnswers(true, true),
	}
}

// What no option supplies is not available, a cancelled call ends, and nothing is available
// to a call that is over.
func TestAvailability(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped"))
	for name, call := range methods {
		var kept *tool.Context
		made := with(func(ctx *tool.Context) (any, error) {
			kept = ctx
			return nil, call(ctx)
		})
		if err := tooltest.Run(t, made, nil).Err; tool.Code(err) != tool.CodeContextUnavailable || !strings.Contains(err.Error(), name) {
			t.Errorf("%s without options: %v", name, err)
		}
		if err := tooltest.Run(t, made, nil, allOptions()...).Err; err != nil {
			t.Errorf("%s with options: %v", name, err)
		}
		if err := call(kept); tool.Code(err) != tool.CodeContextUnavailable || !strings.Contains(err.Error(), "the call is over") {
			t.Errorf("%s after the call: %v", name, err)
		}
		if err := tooltest.Run(t, made, nil, append(allOptions(), tooltest.WithContext(cancelled))...).Err; !errors.Is(err, context.Canceled) {
			t.Errorf("%s in a cancelled call: %v", name, err)
		}
	}
}

// A tool may use its context from several goroutines.
func TestGoroutines(t *testing.T) {
	t.Parallel()
	made := with(func(ctx *tool.Context) (any, error) {
		var group sync.WaitGroup
		errs := make(chan error, 100)
		for range 10 {
			for _, name := range []string{"Chain", "Secret", "SetSecret", "Progress", "Popup"} {
				group.Go(func() { errs <- methods[name](ctx) })
			}
		}
		group.Wait()
		close(errs)
		var all []error
		for err := range errs {
			all = append(all, err)
		}
		return len(all), errors.Join(all...)
	})
	result := tooltest.Run(t, made, nil, allOptions()...)
	if result.Err != nil || len(result.Progress) != 10 || len(result.Popups) != 10 {
		t.Errorf("%d reports, %d pages, error %v", len(result.Progress), len(result.Popups), result.Err)
	}
}
