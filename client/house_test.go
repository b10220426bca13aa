package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"toolsmith/client"
	"toolsmith/internal/port"
	carried "toolsmith/internal/port/websocket"
	"toolsmith/tool"
)

// TestMain fails when a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick is a clock on which no time passes before a new try, and none at all otherwise.
type quick struct{}

func (quick) After(d time.Duration, f func()) func() {
	if d >= 10*time.Second {
		return func() {}
	}
	timer := time.AfterFunc(time.Millisecond, f)
	return func() { timer.Stop() }
}

// site is a server with ports, over a real listener.
type site struct {
	*httptest.Server
	hub *port.Hub

	mu    sync.Mutex
	tools map[string]port.Client
	// taken is how often a name is refused as another's; -1 for always.
	taken map[string]int
	// came is told of each registration.
	came chan string
	// open ends the connections that are open.
	open []context.CancelFunc
	// down: nothing is accepted; revoked: the token is known no more.
	down, revoked bool
}

func (s *site) RegisterClient(_ context.Context, c port.Client) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := c.Declaration.Name
	if s.taken[name] != 0 {
		s.taken[name]--
		return tool.Errorf("TOOL_EXISTS", "There is a tool %q already.", name)
	}
	s.tools[name] = c
	s.came <- name
	return nil
}

func (s *site) UnregisterClient(holder, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tools[name].Holder == holder {
		delete(s.tools, name)
	}
}

// drop ends every connection.
func (s *site) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cancel := range s.open {
		cancel()
	}
	s.open = nil
}

func newSite(t *testing.T, call func(ctx context.Context, r port.CallRequest) (port.CallResult, error)) *site {
	t.Helper()
	s := &site{tools: map[string]port.Client{}, taken: map[string]int{}, came: make(chan string, 100)}
	s.hub = port.NewHub(port.Options{Tools: s, Call: call, Version: "0.1", Grace: time.Minute})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		down, revoked := s.down, s.revoked
		s.mu.Unlock()
		if revoked {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"status":401,"code":"HTTP_TOKEN_REFUSED","detail":"The token lets nobody in."}`))
			return
		}
		if r.URL.Path != port.Path || r.Header.Get("Authorization") != "Bearer good" || down {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{port.Subprotocol}})
		if err != nil {
			return
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		s.mu.Lock()
		s.open = append(s.open, cancel)
		s.mu.Unlock()
		_ = carried.Serve(ctx, s.hub, ws, port.Peer{Caller: "ada"}, carried.Options{})
	}))
	t.Cleanup(func() {
		s.drop()
		s.Close()
	})
	return s
}

// connect connects a program called "editor" with tools.
func (s *site) connect(t *testing.T, tools ...*tool.Tool) *client.Client {
	t.Helper()
	c, err := client.Connect(t.Context(), s.URL, client.Options{Name: "editor", Version: "1.4", Token: "good", HTTPClient: s.Client(), Clock: quick{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Register(t.Context(), tools...); err != nil {
		t.Fatal(err)
	}
	return c
}

// call calls a tool that the program supplies.
func (s *site) call(ctx context.Context, name string, arguments map[string]any, more ...func(*port.Request)) (port.Answer, error) {
	s.mu.Lock()
	version := s.tools[name].Version
	s.mu.Unlock()
	r := port.Request{Tool: name, Version: version, Arguments: arguments, TaskID: "task1", RunID: "run1", Caller: "cli"}
	for _, change := range more {
		change(&r)
	}
	return s.hub.Call(ctx, r)
}

// in are the arguments of the tools of these tests.
type in struct {
	Text string `json:"text,omitempty"`
}

func newTool(name string, fn func(ctx *tool.Context, in in) (any, error)) *tool.Tool {
	return tool.MustNew(tool.Spec{Name: name, Description: "For a test.", Secrets: []string{"key"}}, fn)
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if tool.Code(err) != code {
		t.Errorf("the error is %v; want %s", err, code)
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("the error is %v; want %v", err, want)
	}
}
