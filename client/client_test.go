package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"toolsmith/client"
	"toolsmith/internal/port"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

func TestAToolIsCalled(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.connect(t, newTool("open", func(ctx *tool.Context, in in) (any, error) {
		caller, err := ctx.Caller()
		if err != nil {
			return nil, err
		}
		if err := ctx.Progress(1, 2, "half"); err != nil {
			return nil, err
		}
		chain, err := ctx.Chain(tool.Flattened(), tool.MaxTasks(3))
		if err != nil {
			return nil, err
		}
		if err := ctx.SetSecret("key", "a value"); err != nil {
			return nil, err
		}
		secret, err := ctx.Secret("key")
		if err != nil {
			return nil, err
		}
		_, undeclared := ctx.Secret("other")
		_, asked := ctx.Secret("key", tool.AskNew())
		return []any{in.Text, ctx.ToolID(), caller, chain[0].Text(), secret, tool.Code(undeclared), tool.Code(asked)}, nil
	}))
	var asked []string
	var shown string
	missing := false
	answer, err := s.call(t.Context(), "open", map[string]any{"text": "hi"}, func(r *port.Request) {
		r.Progress = func(done, total float64, note string) { shown = fmt.Sprint(done, total, note) }
		r.Context = func(_ context.Context, _ int, method string, arguments map[string]any) (any, error) {
			asked = append(asked, method+" "+value.JSON(arguments))
			switch {
			case method == "chain":
				return []any{map[string]any{"id": "1", "role": "user", "type": "message", "data": "before", "branch": value.Int(0), "depth": value.Int(0)}}, nil
			case method == "secret" && missing:
				return nil, tool.Errorf("SECRET_MISSING", "None.")
			case method == "secret":
				missing = true
				return "kept", nil
			}
			return nil, nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := value.JSON(answer.Value), `["hi","open","cli","before","kept","SECRET_NOT_DECLARED","SECRET_MISSING"]`; got != want {
		t.Errorf("it gave %s; want %s", got, want)
	}
	want := []string{
		`chain {"flattened":true,"maxBytes":0,"maxTasks":3}`, `setSecret {"name":"key","value":"a value"}`, `secret {"name":"key"}`,
		`secret {"name":"key"}`, `secret {"askNew":true,"name":"key"}`,
	}
	if diff := cmp.Diff(want, asked); diff != "" || shown != "1 2half" && shown != "1 2 half" {
		t.Errorf("asked (-want +got):\n%s\nprogress %q", diff, shown)
	}
}

func TestWhatAToolComesTo(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.connect(t, newTool("open", func(ctx *tool.Context, in in) (any, error) {
		switch in.Text {
		case "subtasks":
			return ctx.Subtasks(tool.Chain{tool.Message(tool.RoleUser, "hi"), tool.Call("notes.list", nil)}), nil
		case "bad subtasks":
			return ctx.Subtasks(tool.Chain{tool.Structured(func() {})}), nil
		case "code":
			return nil, &tool.Error{Code: "NO_FILE", Message: "None.", Field: "$.text"}
		case "odd code":
			return nil, tool.Errorf("odd code", "None.")
		case "plain":
			return nil, errors.New("plain")
		case "again":
			return nil, tool.Again(time.Unix(0, 0))
		case "panic":
			panic("private")
		case "large":
			return strings.Repeat("x", port.MaxMessage), nil
		case "chain":
			return ctx.Chain()
		case "http":
			return ctx.HTTPClient()
		case "broken":
			return ctx.Chain(tool.MaxTasks(1))
		}
		return nil, nil
	}))
	for text, want := range map[string]string{
		"":             "null",
		"subtasks":     `[[{"content":{"data":"hi","type":"message"},"role":"user"},{"content":{"data":{"arguments":null,"name":"notes.list"},"type":"tool"},"role":"tool"}]]`,
		"bad subtasks": "RESULT_INVALID",
		"code":         "NO_FILE",
		"odd code":     "TOOL_FAILED",
		"plain":        "TOOL_FAILED",
		"again":        "CONTEXT_UNAVAILABLE",
		"panic":        "TOOL_PANICKED",
		"large":        "RESULT_TOO_LARGE",
		"chain":        "CONTEXT_UNAVAILABLE",
		"http":         "CONTEXT_UNAVAILABLE",
	} {
		answer, err := s.call(t.Context(), "open", map[string]any{"text": text})
		got := tool.Code(err)
		if err == nil {
			got = value.JSON(answer.Value)
			if answer.Subtasks != nil {
				got = value.JSON(answer.Subtasks)
			}
		}
		if got != want || err != nil && strings.Contains(err.Error(), "private") {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	_, err := s.call(t.Context(), "open", map[string]any{"text": "broken"}, func(r *port.Request) {
		r.Context = func(context.Context, int, string, map[string]any) (any, error) { return "no list", nil }
	})
	wantCode(t, err, "TOOL_FAILED")
}

// TestDeclarations: what a tool says of itself arrives.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	full := tool.MustNew(tool.Spec{
		Name: "full", Title: "Full", Description: "Says all.", LongDescription: "Long.", Version: "2", Idempotent: true,
		RenderOptions: map[string]any{"as": "table"},
	}, func(_ *tool.Context, in in) (string, error) { return in.Text, nil })
	c := s.connect(t, full)
	want := port.Declaration{
		Name: "full", Title: "Full", Description: "Says all.", LongDescription: "Long.", Version: "2",
		Parameters: map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{"text": map[string]any{"type": "string"}}},
		Result:     map[string]any{"type": "string"}, RenderOptions: map[string]any{"as": "table"},
		Context: []string{"ask", "caller", "chain", "popup", "progress"}, Timeout: 30 * time.Second, ReadOnly: true, Idempotent: true,
	}
	got := s.tools["full"].Declaration
	for _, one := range []any{got.Parameters, got.Result} {
		delete(one.(map[string]any), "$schema")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ports := s.hub.Ports(); len(ports) != 1 || ports[0].Name != "editor" || ports[0].Version != "1.4" || ports[0].Caller != "ada" {
		t.Errorf("ports %+v", ports)
	}

	s.taken["other"] = -1
	other := newTool("other", func(*tool.Context, in) (any, error) { return nil, nil })
	wantCode(t, c.Register(t.Context(), other), "TOOL_EXISTS")
	replacing := tool.MustNew(tool.Spec{Name: "full", Description: "Another."}, func(*tool.Context, in) (string, error) { return "new", nil })
	s.taken["full"] = 1
	wantCode(t, c.Register(t.Context(), replacing), "TOOL_EXISTS")
	if answer, err := s.call(t.Context(), "full", map[string]any{"text": "old"}); err != nil || answer.Value != "old" {
		t.Errorf("the one before is not there any more: %v, %v", answer, err)
	}
	if err := c.Register(t.Context(), replacing); err != nil {
		t.Fatal(err)
	}
	if answer, err := s.call(t.Context(), "full", nil); err != nil || answer.Value != "new" {
		t.Errorf("it was not replaced: %v, %v", answer, err)
	}
	if err := c.Unregister(t.Context(), "full"); err != nil {
		t.Fatal(err)
	}
	_, err := s.call(t.Context(), "full", nil)
	wantCode(t, err, port.CodeClosed)
	wantCode(t, c.Unregister(t.Context(), "full"), port.CodeMessage)
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	begun, ended := make(chan struct{}), make(chan error, 1)
	s.connect(t, newTool("wait", func(ctx *tool.Context, _ in) (any, error) {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	_, err := s.call(ctx, "wait", nil)
	wantErr(t, err, context.Canceled)
	wantErr(t, <-ended, context.Canceled)
}

func TestCallingTheServer(t *testing.T) {
	t.Parallel()
	causes := make(chan error, 10)
	begun := make(chan struct{}, 10)
	s := newSite(t, func(ctx context.Context, r port.CallRequest) (port.CallResult, error) {
		out := port.CallResult{RunID: "run1"}
		switch r.Tool {
		case "echo":
			r.Progress(1, 2, "half")
			out.Value = []any{r.Port, r.Caller, r.Arguments, r.Title, r.Key, r.TaskID}
			return out, nil
		case "fail":
			return out, &tool.Error{Code: "CONSENT_DENIED", Message: "No.", Field: "$.x"}
		}
		begun <- struct{}{}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return out, ctx.Err()
	})
	var c *client.Client
	c = s.connect(t, newTool("calls", func(ctx *tool.Context, _ in) (any, error) {
		result, err := c.Call(ctx, "echo", nil)
		if err != nil {
			return nil, err
		}
		var got []any
		return got, errors.Join(result.Decode(&got), tool.Errorf("TASK", "%v", got[5]))
	}))
	var shown []string
	result, err := c.CallWith(t.Context(), "echo", in{"hi"}, client.CallOptions{Title: "T", Key: "k", Progress: func(_, _ float64, note string) { shown = append(shown, note) }})
	if err != nil || string(result.Value) != `["editor","ada",{"text":"hi"},"T","k",""]` || result.RunID != "run1" || len(shown) != 1 {
		t.Errorf("%+v, %v, %q", result, err, shown)
	}
	if err := result.Decode(new(int)); err == nil {
		t.Error("it was decoded into something else")
	}
	result, err = c.Call(t.Context(), "fail", nil)
	wantCode(t, err, "CONSENT_DENIED")
	if result == nil || result.RunID != "run1" {
		t.Errorf("the result is %+v", result)
	}
	for _, arguments := range []any{1, func() {}, []string{"x"}, map[string]any{"x": rawMessage(strings.Repeat("[", 80) + strings.Repeat("]", 80))}} {
		_, err := c.Call(t.Context(), "echo", arguments)
		wantCode(t, err, tool.CodeArgumentsInvalid)
	}
	if _, err := c.Call(t.Context(), "echo", map[string]any{"x": strings.Repeat("x", port.MaxMessage)}); err == nil {
		t.Error("a call is sent that is too large")
	}
	_, err = s.call(t.Context(), "calls", nil)
	if tool.Code(err) != "TASK" || !strings.Contains(err.Error(), "task1") {
		t.Errorf("a call within a call has the task %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	_, err = c.Call(ctx, "wait", nil)
	wantErr(t, err, context.Canceled)
	wantErr(t, <-causes, port.ErrCancelled)
	go func() {
		<-begun
		s.drop()
	}()
	_, err = c.Call(t.Context(), "wait", nil)
	wantCode(t, err, port.CodeClosed)
	wantErr(t, <-causes, port.ErrDropped)
	timed, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = c.Call(timed, "wait", nil)
	wantErr(t, err, context.DeadlineExceeded)
}

// rawMessage is JSON that is written as it stands.
type rawMessage string

func (r rawMessage) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func TestAConnectionThatIsLost(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	ended := make(chan struct{})
	begun := make(chan struct{})
	c := s.connect(t,
		newTool("open", func(*tool.Context, in) (any, error) { return "opened", nil }),
		newTool("wait", func(ctx *tool.Context, _ in) (any, error) {
			close(begun)
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		}))
	<-s.came
	<-s.came
	version := s.tools["open"].Version
	go func() {
		<-begun
		s.mu.Lock()
		s.down = true
		s.taken["open"] = 3 // as if the server had not noticed the end of the first connection
		s.mu.Unlock()
		s.drop()
	}()
	_, err := s.call(t.Context(), "wait", nil)
	wantCode(t, err, port.CodeClosed)
	<-ended
	if err := c.Register(canceled(t), newTool("new", func(*tool.Context, in) (any, error) { return nil, nil })); err == nil {
		t.Error("it is registered without a connection")
	}
	_, err = c.Call(canceled(t), "echo", nil)
	wantErr(t, err, context.Canceled)
	s.mu.Lock()
	s.down = false
	s.mu.Unlock()
	back := map[string]bool{<-s.came: true, <-s.came: true}
	if !back["open"] || !back["wait"] {
		t.Errorf("these are back: %v", back)
	}
	answer, err := s.call(t.Context(), "open", nil)
	if err != nil || answer.Value != "opened" || s.tools["open"].Version != version {
		t.Errorf("%v, %v", answer, err)
	}
	s.mu.Lock()
	s.down = true
	s.mu.Unlock()
	s.drop()
	registered := make(chan error, 1)
	go func() {
		registered <- c.Register(t.Context(), newTool("late", func(*tool.Context, in) (any, error) { return nil, nil }))
	}()
	s.mu.Lock()
	s.down = false
	s.mu.Unlock()
	if err := <-registered; err != nil {
		t.Errorf("it does not wait for the connection: %v", err)
	}
}

// TestATokenThatIsRemoved ends the client: it would be refused for good.
func TestATokenThatIsRemoved(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	begun := make(chan struct{})
	c := s.connect(t, newTool("wait", func(ctx *tool.Context, _ in) (any, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	<-s.came
	failed := make(chan error, 1)
	go func() {
		_, err := s.call(t.Context(), "wait", nil)
		failed <- err
	}()
	<-begun
	if err := c.Err(); err != nil {
		t.Errorf("it has ended with %v", err)
	}
	s.mu.Lock()
	s.revoked = true
	s.mu.Unlock()
	s.drop()
	wantCode(t, <-failed, port.CodeClosed)
	<-c.Done()
	wantCode(t, c.Err(), "HTTP_TOKEN_REFUSED")
	wantCode(t, c.Register(t.Context(), newTool("new", func(*tool.Context, in) (any, error) { return nil, nil })), "HTTP_TOKEN_REFUSED")
	_, err := c.Call(t.Context(), "echo", nil)
	wantCode(t, err, "HTTP_TOKEN_REFUSED")
	if err := c.Close(); err != nil {
		t.Error(err)
	}

	_, err = client.Connect(t.Context(), s.URL, client.Options{Name: "editor", Token: "good"})
	wantCode(t, err, "HTTP_TOKEN_REFUSED")
	s.mu.Lock()
	s.revoked = false
	s.mu.Unlock()
	other := s.connect(t)
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	<-other.Done()
	if err := other.Err(); err != nil {
		t.Errorf("a client that was closed has ended with %v", err)
	}
}

// canceled is a context that has ended, for what would wait.
func canceled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestConnecting(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	says := make(chan string, 1)
	odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{port.Subprotocol}})
		if err != nil {
			return
		}
		if text := <-says; text != "" {
			_ = ws.Write(r.Context(), websocket.MessageText, []byte(text))
		}
		_ = ws.Close(websocket.StatusNormalClosure, "")
	}))
	t.Cleanup(odd.Close)
	for name, one := range map[string]struct {
		url, token, says, code string
	}{
		"another token":  {url: s.URL, token: "bad", code: port.CodeRefused},
		"another path":   {url: s.URL + "/else", token: "good", code: port.CodeRefused},
		"no address":     {url: "http://[::1"},
		"nobody there":   {url: "http://127.0.0.1:1"},
		"refused":        {url: odd.URL, says: `{"type":"error","error":{"code":"PORT_LIMIT_EXCEEDED","message":"Too many."}}`, code: port.CodeLimit},
		"says nothing":   {url: odd.URL},
		"says nonsense":  {url: odd.URL, says: `hi`, code: port.CodeMessage},
		"says no hello":  {url: odd.URL, says: `{"type":"pong","id":"p"}`, code: port.CodeMessage},
		"a name is none": {url: s.URL, token: "good", code: port.CodeMessage},
	} {
		if strings.HasPrefix(one.url, odd.URL) {
			says <- one.says
		}
		o := client.Options{Name: "editor", Token: one.token}
		if name == "a name is none" {
			o.Name = "a b"
		}
		c, err := client.Connect(t.Context(), one.url, o)
		if err == nil || tool.Code(err) != one.code {
			t.Errorf("%s: %v; want %q", name, err, one.code)
		}
		if c != nil {
			_ = c.Close()
		}
	}
	if err := errorsOf(s.connect(t)); err != nil {
		t.Error(err)
	}
}

// errorsOf closes a client twice, and gives what was wrong; afterwards nothing can be called.
func errorsOf(c *client.Client) error {
	err := errors.Join(c.Close(), c.Close())
	if _, called := c.Call(context.Background(), "echo", nil); called == nil {
		err = errors.Join(err, errors.New("a closed client calls"))
	}
	return err
}

// TestMessagesThatCannotBeUnderstood are passed over.
func TestMessagesThatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{port.Subprotocol}})
		if err != nil {
			return
		}
		defer func() { _ = ws.CloseNow() }()
		unknown := false
		for _, text := range []string{
			`{"type":"hello","protocol":1,"server":"toolsmith","version":"9","limits":{"messageBytes":1,"tools":1,"calls":1}}`,
			`{"type":"dance"}`, `hi`, `{"type":"error","error":{"code":"PORT_MESSAGE_INVALID","message":"What?"}}`, `{"type":"registered","id":"none","name":"x"}`,
			`{"type":"progress","id":"none","done":1,"total":2}`, `{"type":"cancel","call":"none"}`, `{"type":"call","id":"c1","tool":"none","arguments":{},"deadline":0}`,
		} {
			if ws.Write(r.Context(), websocket.MessageText, []byte(text)) != nil {
				return
			}
		}
		for {
			_, text, err := ws.Read(r.Context())
			if err != nil {
				return
			}
			switch {
			case strings.Contains(string(text), port.CodeClosed): // there is no tool of that name
				unknown = true
			case unknown && strings.Contains(string(text), `"id":"h1"`):
				_ = ws.Write(r.Context(), websocket.MessageText, []byte(`{"type":"result","id":"h1","value":1}`))
			case strings.Contains(string(text), `"id":"h1"`):
				_ = ws.Write(r.Context(), websocket.MessageText, []byte(`{"type":"result","id":"h1","value":2}`))
			}
		}
	}))
	t.Cleanup(server.Close)
	c, err := client.Connect(t.Context(), server.URL, client.Options{Name: "editor"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	result, err := c.Call(t.Context(), "echo", nil)
	if err != nil || string(result.Value) != "1" && string(result.Value) != "2" {
		t.Errorf("%+v, %v", result, err)
	}
}
