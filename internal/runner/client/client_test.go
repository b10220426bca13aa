package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/port"
	"toolsmith/internal/runner/client"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// hub answers calls as a test says.
type hub func(ctx context.Context, r port.Request) (port.Answer, error)

func (h hub) Call(ctx context.Context, r port.Request) (port.Answer, error) { return h(ctx, r) }

// opener is the tool of these tests.
func opener() port.Client {
	return port.Client{Holder: "p1", Port: "editor", Version: "v1", Declaration: port.Declaration{Name: "open"}}
}

func TestWhatACallGives(t *testing.T) {
	t.Parallel()
	task1 := map[string]any{"content": map[string]any{"type": "message", "data": "hi"}}
	for name, one := range map[string]struct {
		answer port.Answer
		err    error
		want   task.Result
		code   string
	}{
		"a value":         {answer: port.Answer{Value: "v"}, want: task.Result{Value: "v"}},
		"nothing":         {},
		"subtasks":        {answer: port.Answer{Subtasks: []any{[]any{task1}}}, want: task.Result{Chains: [][]task.Draft{{{Role: tool.RoleTool, Type: tool.TypeMessage, Data: "hi"}}}}},
		"faulty subtasks": {answer: port.Answer{Subtasks: []any{[]any{map[string]any{}}}}, code: "RESULT_INVALID"},
		"no tasks":        {answer: port.Answer{Subtasks: []any{[]any{}}}, code: "RESULT_INVALID"},
		"an error of its own": {
			err:  &port.Fault{Code: "NO", Message: "No.", Field: "$.a", Details: "d"},
			want: task.Result{Failure: &task.Failure{Code: "NO", Message: "$.a: No.", Details: "d"}},
		},
		"no port": {err: tool.Errorf(port.CodeClosed, "Gone."), want: task.Result{Failure: &task.Failure{Code: port.CodeClosed, Message: "Gone."}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := client.Run(t.Context(), hub(func(context.Context, port.Request) (port.Answer, error) { return one.answer, one.err }), opener(), nil, client.Surroundings{})
			if err != nil {
				t.Fatal(err)
			}
			if one.code != "" {
				if got.Failure == nil || got.Failure.Code != one.code {
					t.Errorf("it came to %+v", got)
				}
				return
			}
			if diff := cmp.Diff(one.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatACallIs(t *testing.T) {
	t.Parallel()
	var told string
	seen := func(_ context.Context, r port.Request) (port.Answer, error) {
		r.Progress(1, 2, "half")
		r.Context, r.Progress = nil, nil
		want := port.Request{Tool: "open", Version: "v1", Arguments: map[string]any{"a": "b"}, TaskID: "t", RunID: "r", Caller: "cli"}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		return port.Answer{}, nil
	}
	_, err := client.Run(t.Context(), hub(seen), opener(), map[string]any{"a": "b"}, client.Surroundings{
		TaskID: "t", RunID: "r", Caller: "cli", Progress: func(_, _ float64, note string) { told = note },
	})
	if err != nil || told != "half" {
		t.Errorf("%v, %q", err, told)
	}
}

func TestErrorsThatAreNotTheTools(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := hub(func(ctx context.Context, _ port.Request) (port.Answer, error) { return port.Answer{}, ctx.Err() })
	if _, err := client.Run(ctx, ended, opener(), nil, client.Surroundings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	broken := hub(func(context.Context, port.Request) (port.Answer, error) { return port.Answer{}, errors.New("broken") })
	if _, err := client.Run(t.Context(), broken, opener(), nil, client.Surroundings{}); err == nil || !strings.Contains(err.Error(), "call open of port editor: broken") {
		t.Errorf("the error is %v", err)
	}
}

// ask asks for a context method during a call.
func ask(t *testing.T, s client.Surroundings, method, arguments string) (any, error) {
	t.Helper()
	object, err := value.Decode([]byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	var failure error
	_, err = client.Run(t.Context(), hub(func(ctx context.Context, r port.Request) (port.Answer, error) {
		v, failure = r.Context(ctx, 0, method, object.(map[string]any))
		return port.Answer{}, nil
	}), opener(), nil, s)
	if err != nil {
		t.Fatal(err)
	}
	return v, failure
}

func TestContextMethods(t *testing.T) {
	t.Parallel()
	var projected task.Projection
	kept := map[string]string{"key": "s3cret-value"}
	all := client.Surroundings{
		Caller: "cli",
		Chain: func(p task.Projection) ([]task.Entry, error) {
			projected = p
			if p.Flattened {
				return nil, errors.New("broken")
			}
			return []task.Entry{
				{Task: task.Task{Role: tool.RoleUser, Type: tool.TypeMessage}, Data: "hi"},
				{Task: task.Task{Role: tool.RoleTool, Type: tool.TypeTool, Name: "open", Branch: 1, Depth: 2}, Data: map[string]any{}},
			}, nil
		},
		Secret: func(_ context.Context, name string) (string, error) {
			if text, ok := kept[name]; ok {
				return text, nil
			}
			return "", tool.Errorf("SECRET_MISSING", "There is none.")
		},
		SetSecret: func(_ context.Context, name, text string) error {
			kept[name] = text
			return nil
		},
		Forms: client.Forms{
			Ask: func(_ context.Context, key string, form client.Form) (any, error) {
				if form.Title == "no" {
					return nil, tool.Errorf(tool.CodeInteractionRefused, "Ada said no.")
				}
				return fmt.Sprint(key, " ", form), nil
			},
			Popup: func(_ context.Context, key, address string) error {
				if key != "popup[0]" || address != "https://example.org" {
					t.Errorf("shown is %s under %s", address, key)
				}
				return nil
			},
		},
	}
	none := task.ID{}.String()
	for _, one := range []struct{ method, arguments, want, code string }{
		{"caller", `{}`, `"cli"`, ""},
		{"chain", `{}`, `[{"branch":0,"data":"hi","depth":0,"id":"` + none + `","role":"user","type":"message"},{"branch":1,"data":{},"depth":2,"id":"` + none + `","name":"open","role":"tool","type":"tool"}]`, ""},
		{"chain", `{"flattened":true}`, "", "broken"},
		{"chain", `{"maxTasks":1.5}`, "", tool.CodeArgumentsInvalid},
		{"chain", `{"maxBytes":"x"}`, "", tool.CodeArgumentsInvalid},
		{"chain", `{"maxBytes":-1}`, "", tool.CodeArgumentsInvalid},
		{"secret", `{"name":"key"}`, `"s3cret-value"`, ""},
		{"secret", `{"name":"other"}`, "", "SECRET_MISSING"},
		{"secret", `{"name":"other","askNew":true}`, "", "SECRET_MISSING"}, // nobody can be asked
		{"secret", `{"name":"a b"}`, "", tool.CodeArgumentsInvalid},
		{"setSecret", `{"name":"new","value":"a longer value"}`, `null`, ""},
		{"secret", `{"name":"new"}`, `"a longer value"`, ""},
		{"setSecret", `{"name":"new"}`, "", tool.CodeArgumentsInvalid},
		{"setSecret", `{"value":"s3cret-value"}`, "", tool.CodeArgumentsInvalid},
		{"ask", `{"title":"T","schema":{"type":"string"}}`, `"ask[0] {T  map[type:string]}"`, ""},
		{"ask", `{"title":"T","text":"more"}`, `"ask[0] {T more <nil>}"`, ""},
		{"ask", `{"title":7}`, "", tool.CodeArgumentsInvalid},
		{"ask", `{"title":"T","text":[]}`, "", tool.CodeArgumentsInvalid},
		{"ask", `{"title":"no"}`, "", tool.CodeInteractionRefused},
		{"popup", `{"url":"https://example.org"}`, `null`, ""},
		{"popup", `{}`, "", tool.CodeArgumentsInvalid},
		{"open", `{}`, "", tool.CodeContextUnavailable},
	} {
		v, err := ask(t, all, one.method, one.arguments)
		switch {
		case one.code == "broken":
			if err == nil || tool.Code(err) != "" {
				t.Errorf("%s %s: %v", one.method, one.arguments, err)
			}
		case one.code != "":
			if tool.Code(err) != one.code || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%s %s: %v; want %s", one.method, one.arguments, err, one.code)
			}
		case err != nil || value.JSON(v) != one.want:
			t.Errorf("%s %s: %s, %v; want %s", one.method, one.arguments, value.JSON(v), err, one.want)
		}
	}
	if _, err := ask(t, all, "chain", `{"maxTasks":3,"maxBytes":100}`); err != nil || projected != (task.Projection{Tasks: 3, Bytes: 100}) {
		t.Errorf("%v, %+v", err, projected)
	}
	for _, method := range []string{"caller", "chain", "secret", "setSecret", "ask", "popup"} {
		if _, err := ask(t, client.Surroundings{}, method, `{"name":"key","value":"v"}`); tool.Code(err) != tool.CodeContextUnavailable || !strings.Contains(err.Error(), method) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// TestASecretThatIsAskedFor ends the call, which is to be made anew.
func TestASecretThatIsAskedFor(t *testing.T) {
	t.Parallel()
	waits := errors.New("waits")
	s := client.Surroundings{
		Secret:    func(context.Context, string) (string, error) { return "", tool.Errorf("SECRET_MISSING", "None.") },
		AskSecret: func(context.Context, string) error { return waits },
	}
	call := hub(func(ctx context.Context, r port.Request) (port.Answer, error) {
		_, err := r.Context(ctx, 0, "secret", map[string]any{"name": "key", "askNew": true})
		if tool.Code(err) != "SECRET_MISSING" {
			t.Errorf("the host is told %v", err)
		}
		<-ctx.Done()
		return port.Answer{}, ctx.Err()
	})
	if _, err := client.Run(t.Context(), call, opener(), nil, s); !errors.Is(err, waits) {
		t.Errorf("the error is %v", err)
	}
	s.AskSecret = func(context.Context, string) error { return tool.Errorf("SECRET_MISSING", "Ada said no.") }
	if _, err := ask(t, s, "secret", `{"name":"key","askNew":true}`); err == nil || !strings.Contains(err.Error(), "Ada said no") {
		t.Errorf("the error is %v", err)
	}
}

// TestWhatIsAskedEndsTheCall, which is to be made anew: for what was asked first.
func TestWhatIsAskedEndsTheCall(t *testing.T) {
	t.Parallel()
	waits := map[string]error{"ask[2]": errors.New("waits"), "popup[1]": errors.New("waits too")}
	var s client.Surroundings
	asked := 0
	count := func(err error) error { asked++; return err }
	s.Ask = func(_ context.Context, key string, _ client.Form) (any, error) { return nil, count(waits[key]) }
	s.Popup = func(_ context.Context, key, _ string) error { return count(waits[key]) }
	call := hub(func(ctx context.Context, r port.Request) (port.Answer, error) {
		if _, err := r.Context(ctx, 2, "ask", map[string]any{"title": "T"}); tool.Code(err) != tool.CodeContextUnavailable {
			t.Errorf("the host is told %v", err)
		}
		<-ctx.Done()
		if _, err := r.Context(ctx, 3, "ask", map[string]any{"title": "T"}); tool.Code(err) != tool.CodeContextUnavailable {
			t.Errorf("the host is told %v", err)
		}
		if _, err := r.Context(ctx, 1, "popup", map[string]any{"url": "https://example.org"}); tool.Code(err) != tool.CodeContextUnavailable {
			t.Errorf("the host is told %v", err)
		}
		return port.Answer{Value: "whatever"}, nil
	})
	if _, err := client.Run(t.Context(), call, opener(), nil, s); !errors.Is(err, waits["ask[2]"]) || asked != 1 {
		t.Errorf("asked %d times, the error is %v", asked, err)
	}
}
