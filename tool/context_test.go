package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/tool"
)

// methods calls each method of a Context, and gives what it gave.
var methods = map[string]func(*tool.Context) (any, error){
	"Chain": func(c *tool.Context) (any, error) {
		return c.Chain(tool.Flattened(), tool.MaxTasks(3), tool.MaxBytes(-1))
	},
	"Secret":     func(c *tool.Context) (any, error) { return c.Secret("key") },
	"SetSecret":  func(c *tool.Context) (any, error) { return nil, c.SetSecret("key", "value") },
	"Caller":     func(c *tool.Context) (any, error) { return c.Caller() },
	"HTTPClient": func(c *tool.Context) (any, error) { return c.HTTPClient() },
	"Progress":   func(c *tool.Context) (any, error) { return nil, c.Progress(1, 2, "half") },
	"Ask":        func(c *tool.Context) (any, error) { return c.Ask(tool.Form{Title: "Sure?"}) },
	"Popup":      func(c *tool.Context) (any, error) { return nil, c.Popup("https://example.com") },
}

// What the host did not supply fails with the name of the method.
func TestContextUnavailable(t *testing.T) {
	t.Parallel()
	ctx := tool.NewContext(t.Context(), tool.Host{})
	for name, call := range methods {
		got, err := call(ctx)
		var e *tool.Error
		if !errors.As(err, &e) || e.Code != "CONTEXT_UNAVAILABLE" || !strings.HasPrefix(e.Message, name+" is not available here: ") || !strings.HasSuffix(e.Message, ".") {
			t.Errorf("%s: %v, error %v", name, got, err)
		}
	}
	if got := ctx.ToolID(); got != "" {
		t.Errorf("the id is %q", got)
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	type key struct{}
	var told []string
	client := &http.Client{Timeout: time.Minute}
	entries := []tool.Entry{{ID: "a"}}
	tell := func(ctx context.Context, format string, args ...any) {
		told = append(told, fmt.Sprintf(format, args...)+" "+ctx.Value(key{}).(string))
	}
	host := tool.Host{
		ToolID: "dynamic:t", Caller: "cli", HTTPClient: client,
		Chain: func(ctx context.Context, want tool.ChainRequest) ([]tool.Entry, error) {
			tell(ctx, "chain %v", want)
			return entries, nil
		},
		Secret: func(ctx context.Context, name string) (string, error) {
			tell(ctx, "secret %s", name)
			return "value", nil
		},
		SetSecret: func(ctx context.Context, name, value string) error {
			tell(ctx, "set secret %s %s", name, value)
			return nil
		},
		Progress: func(ctx context.Context, done, total float64, note string) error {
			tell(ctx, "progress %v %v %s", done, total, note)
			return nil
		},
		Ask: func(ctx context.Context, form tool.Form) (any, error) {
			tell(ctx, "ask %s", form.Title)
			return true, nil
		},
		Popup: func(ctx context.Context, url string) error {
			tell(ctx, "popup %s", url)
			return fmt.Errorf("no page")
		},
	}
	parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "seen"))
	ctx := tool.NewContext(parent, host)
	want := map[string]any{"Chain": entries, "Secret": "value", "SetSecret": nil, "Caller": "cli", "Progress": nil, "Ask": true, "Popup": nil}
	for name, value := range want {
		got, err := methods[name](ctx)
		if failed := name == "Popup"; (err != nil) != failed || !cmp.Equal(got, value) {
			t.Errorf("%s gives %v, error %v", name, got, err)
		}
	}
	heard := map[string]bool{}
	for _, one := range told {
		heard[one] = true
	}
	for _, one := range []string{
		"chain {true 3 0} seen", "secret key seen", "set secret key value seen", "progress 1 2 half seen", "ask Sure? seen", "popup https://example.com seen",
	} {
		if !heard[one] {
			t.Errorf("the host did not hear %q, but %q", one, told)
		}
	}
	got, err := ctx.HTTPClient()
	if err != nil || got == client || got.Timeout != time.Minute {
		t.Errorf("the client is %v, error %v", got, err)
	}
	if ctx.ToolID() != "dynamic:t" {
		t.Errorf("the id is %q", ctx.ToolID())
	}
	cancel()
	if ctx.Err() == nil {
		t.Error("the context does not end with its parent")
	}
}

// The id is the name unless the host gave another, and the host's context stays as it is.
func TestContextToolID(t *testing.T) {
	t.Parallel()
	made := tool.MustNew(spec("t"), func(ctx *tool.Context, _ struct{}) (string, error) { return ctx.ToolID(), ctx.Err() })
	bare := tool.NewContext(t.Context(), tool.Host{})
	for want, ctx := range map[string]*tool.Context{`"t"`: bare, `"other"`: tool.NewContext(t.Context(), tool.Host{ToolID: "other"})} {
		if output, err := made.Invoke(ctx, nil); err != nil || string(output.Value) != want {
			t.Errorf("the id is %s, error %v, want %s", output.Value, err, want)
		}
	}
	if output, err := made.Invoke(nil, nil); err != nil || string(output.Value) != `"t"` {
		t.Errorf("without a context the id is %s, error %v", output.Value, err)
	}
	if bare.ToolID() != "" {
		t.Errorf("the context of the host now has the id %q", bare.ToolID())
	}
}

func TestEntry(t *testing.T) {
	t.Parallel()
	message := tool.Entry{Role: tool.RoleUser, Type: tool.TypeMessage, Data: json.RawMessage(`"a \"b\""`)}
	if got := message.Text(); got != `a "b"` {
		t.Errorf("the text is %s", got)
	}
	call := tool.Entry{ID: "x", Role: tool.RoleTool, Type: tool.TypeTool, Data: json.RawMessage(`{"name":"t","arguments":{"n":9007199254740993}}`), Name: "t", Branch: 1, Depth: 2}
	if got := call.Text(); got != string(call.Data) {
		t.Errorf("the text is %s", got)
	}
	var data any
	if err := call.Decode(&data); err != nil || data.(map[string]any)["arguments"].(map[string]any)["n"] != json.Number("9007199254740993") {
		t.Errorf("read as %v, error %v", data, err)
	}
	text, err := json.Marshal(call)
	if want := `{"id":"x","role":"tool","type":"tool","data":{"name":"t","arguments":{"n":9007199254740993}},"name":"t","branch":1,"depth":2}`; err != nil || string(text) != want {
		t.Errorf("written as %s, error %v", text, err)
	}
}
