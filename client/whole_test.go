package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"toolsmith/client"
	"toolsmith/internal/capability"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/port"
	carried "toolsmith/internal/port/websocket"
	"toolsmith/internal/secret"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// whole is a server with everything behind its ports.
type whole struct {
	*httptest.Server
	engine *engine.Engine
	box    *engine.Toolbox
	worker *worker.Worker
	vault  *secret.Vault
	hub    *port.Hub

	mu   sync.Mutex
	open []context.CancelFunc
	// asked are the questions that were answered, by the tools and reasons.
	asked []string
	// wanted are questions for a secret, or what a tool asks for.
	wanted chan consent.Question
	// answering are answers on their way.
	answering sync.WaitGroup
	says      consent.Answer
}

func newWhole(t *testing.T) *whole {
	t.Helper()
	s, err := sqlite.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	catalogue := capability.Builtin()
	box, err := engine.NewToolbox(catalogue)
	if err != nil {
		t.Fatal(err)
	}
	newID := local.NewIDs(time.Now)
	w := &whole{box: box, wanted: make(chan consent.Question, 10), says: consent.Answer{Allow: true, For: consent.Always}}
	w.engine = engine.New(engine.Options{Store: s, Catalogue: catalogue, Toolbox: box, NewID: newID, Who: "ada", From: "test"})
	w.vault = secret.New(secret.Options{Store: s, Keys: secret.InMemory(), Who: "ada", Audit: w.engine.AuditSecrets})
	w.hub = port.NewHub(port.Options{Tools: w.engine, Call: w.serveCall, Version: "test", Grace: -1})
	w.worker = worker.New(worker.Options{Store: s, Engine: w.engine, Vault: w.vault, Ports: w.hub, NewID: newID})
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(out, r, &websocket.AcceptOptions{Subprotocols: []string{port.Subprotocol}})
		if err != nil {
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		w.mu.Lock()
		w.open = append(w.open, cancel)
		w.mu.Unlock()
		_ = carried.Serve(ctx, w.hub, ws, port.Peer{Caller: "editor's token"}, carried.Options{})
	}))
	t.Cleanup(func() {
		w.drop()
		w.Close()
		w.answering.Wait()
		if err := w.worker.Close(context.Background()); err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return w
}

func (w *whole) drop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, cancel := range w.open {
		cancel()
	}
	w.open = nil
}

// observe says yes to what a run asks.
func (w *whole) observe(e worker.Event) {
	if e.Question == nil {
		return
	}
	if e.Question.Secret != "" || e.Question.Form != nil {
		w.wanted <- *e.Question
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, e.Question.Tool+" "+string(e.Question.Reason))
	answer := w.says
	w.answering.Go(func() { _, _, _ = w.worker.Decide(context.Background(), e.Question.ID, answer) }) // another may have answered
}

// questions gives what was asked since the last time.
func (w *whole) questions() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := strings.Join(w.asked, ", ")
	w.asked = nil
	return asked
}

// serveCall carries out the call of a host as a run.
func (w *whole) serveCall(ctx context.Context, r port.CallRequest) (port.CallResult, error) {
	run, err := w.worker.Begin(context.WithoutCancel(ctx), engine.Request{
		Chains: [][]task.Draft{{task.CallOf(task.Call{Name: r.Tool, Arguments: r.Arguments})}}, Title: r.Title, Key: r.Key, Caller: r.Caller,
	}, w.observe)
	if err != nil {
		return port.CallResult{}, err
	}
	out := port.CallResult{RunID: run.ID}
	waited, err := w.worker.Wait(ctx, run.ID, worker.WaitOptions{})
	if err != nil {
		if errors.Is(context.Cause(ctx), port.ErrCancelled) {
			_, _ = w.worker.Cancel(context.WithoutCancel(ctx), run.ID) // it may be over
		}
		return out, err
	}
	if f := waited.Run.Failure; f != nil {
		return out, &tool.Error{Code: f.Code, Message: f.Message}
	}
	out.Value = waited.Value
	return out, nil
}

// run calls tools one after the other in one run, and gives what it came to.
func (w *whole) run(t *testing.T, tasks ...tool.Task) (string, *task.Failure) {
	t.Helper()
	drafts, faults := task.Drafts([]tool.Chain{tasks})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	run, err := w.worker.Begin(context.Background(), engine.Request{Chains: drafts, Caller: "test"}, w.observe)
	if err != nil {
		t.Fatal(err)
	}
	waited, err := w.worker.Wait(t.Context(), run.ID, worker.WaitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return value.JSON(waited.Value), waited.Run.Failure
}

func (w *whole) connect(t *testing.T, tools ...*tool.Tool) *client.Client {
	t.Helper()
	c, err := client.Connect(t.Context(), w.URL, client.Options{Name: "editor", HTTPClient: w.Client(), Clock: quick{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Register(t.Context(), tools...); err != nil {
		t.Fatal(err)
	}
	return c
}

// waitFor waits until a tool of an open port is there.
func (w *whole) waitFor(t *testing.T, name string) {
	t.Helper()
	for {
		_, changed := w.box.Watch()
		if found, ok := w.box.Find(name); ok && !found.Closed() {
			return
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("it does not come back")
		}
	}
}

// TestToolsFromOutsideInRuns goes the whole way: a person is asked, the tool is called, what it
// returns is carried out, and the yes holds over a lost connection for this version alone.
func TestToolsFromOutsideInRuns(t *testing.T) {
	t.Parallel()
	w := newWhole(t)
	open := tool.MustNew(tool.Spec{Name: "open", Description: "Opens a file."}, func(ctx *tool.Context, in in) (any, error) {
		chain, err := ctx.Chain()
		if err != nil {
			return nil, err
		}
		if in.Text == "more" {
			return ctx.Subtasks(tool.Chain{tool.Call("open", map[string]any{"text": "inner"})}), nil
		}
		return []any{in.Text, len(chain)}, nil
	})
	c := w.connect(t, open)
	got, failure := w.run(t, tool.Message(tool.RoleUser, "hi"), tool.Call("open", map[string]any{"text": "a"}))
	if got != `["a",2]` || failure != nil || w.questions() != "open setting" {
		t.Errorf("it came to %s, %v", got, failure)
	}
	got, failure = w.run(t, tool.Call("open", map[string]any{"text": "more"}), tool.Call("open", map[string]any{"text": "b"}))
	if asked := w.questions(); got != `["b",3]` || failure != nil || asked != "" {
		t.Errorf("it came to %s, %v; asked about %q", got, failure, asked)
	}

	_, changed := w.box.Watch()
	w.drop()
	<-changed
	w.waitFor(t, "open")
	if got, failure = w.run(t, tool.Call("open", map[string]any{"text": "c"})); got != `["c",1]` || failure != nil || w.questions() != "" {
		t.Errorf("after a lost connection it came to %s, %v", got, failure)
	}
	other := tool.MustNew(tool.Spec{Name: "open", Description: "Opens a file.", Version: "2"}, func(*tool.Context, in) (string, error) { return "2", nil })
	if err := c.Register(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if got, failure = w.run(t, tool.Call("open", nil)); got != `"2"` || failure != nil || w.questions() != "open setting" {
		t.Errorf("another version came to %s, %v", got, failure)
	}
	_, err := c.Call(t.Context(), "open", map[string]any{"no": 1})
	wantCode(t, err, tool.CodeArgumentsInvalid)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, failure = w.run(t, tool.Call("open", nil)); failure == nil || failure.Code != port.CodeClosed {
		t.Errorf("without the program it came to %v", failure)
	}
}

// TestASecretIsAskedFor by a tool from outside: the call ends, and is made anew once it is
// there.
func TestASecretIsAskedFor(t *testing.T) {
	t.Parallel()
	w := newWhole(t)
	w.connect(t, newTool("open", func(ctx *tool.Context, _ in) (any, error) {
		key, err := ctx.Secret("key", tool.AskNew())
		if err != nil {
			return nil, err
		}
		return "the key is " + key, nil
	}))
	done := make(chan string, 1)
	go func() {
		got, failure := w.run(t, tool.Call("open", nil))
		if failure != nil {
			got = failure.Error()
		}
		done <- got
	}()
	q := <-w.wanted
	if q.GiveSecret() != "toolsmith secrets set port:editor/open key" {
		t.Errorf("it says: %s", q.GiveSecret())
	}
	namespace, err := w.engine.Namespace(t.Context(), "port:editor/open")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.vault.Set(t.Context(), namespace, "key", "s3cret-value", secret.Attributes{}); err != nil {
		t.Fatal(err)
	}
	if err := w.worker.SecretGiven(t.Context(), "port:editor/open", "key"); err != nil {
		t.Fatal(err)
	}
	if got := <-done; strings.Contains(got, "s3cret") || !strings.Contains(got, "the key is ") {
		t.Errorf("it came to %s", got)
	}
}

// TestAPersonIsAsked by a tool from outside: it asks as a tool of the runtime does.
func TestAPersonIsAsked(t *testing.T) {
	t.Parallel()
	w := newWhole(t)
	w.connect(t, newTool("open", func(ctx *tool.Context, _ in) (any, error) {
		for want, form := range map[string]tool.Form{"$.title": {}, "$.schema": {Title: "T", Schema: json.RawMessage(`{"a":1,"a":2}`)}} {
			var coded *tool.Error
			if _, err := ctx.Ask(form); !errors.As(err, &coded) || coded.Code != tool.CodeInteractionInvalid || coded.Field != want {
				t.Errorf("%+v gives %v", form, err)
			}
		}
		count, err := ctx.Ask(tool.Form{Title: "How many?", Text: "Eggs.", Schema: json.RawMessage(`{"type":"integer"}`)})
		if err != nil {
			return nil, err
		}
		if err := ctx.Popup("https://example.org"); err != nil {
			return nil, err
		}
		_, err = ctx.Ask(tool.Form{Title: "Sure?"})
		return []any{count, tool.Code(err)}, nil
	}))
	done := make(chan string, 1)
	go func() {
		got, failure := w.run(t, tool.Call("open", nil))
		if failure != nil {
			got = failure.Error()
		}
		done <- got
	}()
	answer := func(want consent.Form, a consent.Answer) {
		t.Helper()
		q := <-w.wanted
		if diff := cmp.Diff(want, *q.Form); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		if _, _, err := w.worker.Decide(t.Context(), q.ID, a); err != nil {
			t.Fatal(err)
		}
	}
	answer(consent.Form{Title: "How many?", Text: "Eggs.", Schema: map[string]any{"type": "integer"}}, consent.Answer{Allow: true, HasValue: true, Value: json.Number("9007199254740993")})
	answer(consent.Form{URL: "https://example.org"}, consent.Answer{Allow: true})
	answer(consent.Form{Title: "Sure?"}, consent.Answer{Reason: "no"})
	if got := <-done; !strings.Contains(got, `[9007199254740993,"INTERACTION_REFUSED"]`) {
		t.Errorf("it came to %s", got)
	}
}

// TestAProgramCallsTools of the server, with consent like anybody else.
func TestAProgramCallsTools(t *testing.T) {
	t.Parallel()
	w := newWhole(t)
	c := w.connect(t)
	result, err := c.Call(t.Context(), "notes.create", map[string]any{"title": "From outside", "content": "Hi."})
	if err != nil || result.RunID == "" || !strings.HasPrefix(w.questions(), "notes.create") {
		t.Fatalf("%+v, %v", result, err)
	}
	result, err = c.Call(t.Context(), "notes.list", nil)
	if err != nil || !strings.Contains(string(result.Value), "From outside") {
		t.Errorf("%+v, %v", result, err)
	}
	w.says = consent.Answer{}
	_, err = c.Call(t.Context(), "tasks.create", map[string]any{"title": "Again"})
	wantCode(t, err, consent.CodeDenied)
	_, err = c.Call(t.Context(), "nobody", nil)
	wantCode(t, err, task.CodeToolUnknown)
}
