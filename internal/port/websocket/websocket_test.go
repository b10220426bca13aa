package websocket_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"toolsmith/internal/port"
	carried "toolsmith/internal/port/websocket"
)

// TestMain fails when a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// handClock passes time when a test says so.
type handClock struct {
	mu   sync.Mutex
	due  []func()
	more chan struct{} // tells that something was planned
}

func newHandClock() *handClock { return &handClock{more: make(chan struct{}, 100)} }

func (c *handClock) After(_ time.Duration, f func()) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := len(c.due)
	c.due = append(c.due, f)
	c.more <- struct{}{}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.due[at] = nil
	}
}

// fire waits until the next thing is planned, and has its time come.
func (c *handClock) fire() {
	<-c.more
	c.mu.Lock()
	f := c.due[len(c.due)-1]
	c.mu.Unlock()
	if f != nil {
		f()
	}
}

// shelf takes every tool.
type shelf struct{}

func (shelf) RegisterClient(context.Context, port.Client) error { return nil }
func (shelf) UnregisterClient(string, string)                   {}

// site is a server with ports; served gets what each of them ended with.
type site struct {
	*httptest.Server
	hub    *port.Hub
	served chan error
}

func newSite(ctx context.Context, t *testing.T, o carried.Options) *site {
	t.Helper()
	s := &site{hub: port.NewHub(port.Options{Tools: shelf{}, Grace: -1}), served: make(chan error, 10)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{port.Subprotocol}})
		if err != nil {
			t.Errorf("accept: %v", err)
			return
		}
		s.served <- carried.Serve(ctx, s.hub, ws, port.Peer{Caller: "ada"}, o)
	}))
	t.Cleanup(s.Close)
	return s
}

// dial opens a WebSocket.
func (s *site) dial(t *testing.T, protocols ...string) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), strings.Replace(s.URL, "http", "ws", 1)+port.Path, &websocket.DialOptions{Subprotocols: protocols}) //nolint:bodyclose // its body need not be closed
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

func say(t *testing.T, ws *websocket.Conn, text string) {
	t.Helper()
	if err := ws.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func hear(t *testing.T, ws *websocket.Conn, want string) {
	t.Helper()
	_, text, err := ws.Read(t.Context())
	if err != nil || !strings.Contains(string(text), want) {
		t.Fatalf("heard %s, %v; want %s", text, err, want)
	}
}

const hello = `{"type":"hello","protocol":1,"name":"page"}`

func TestAPortOverAWebSocket(t *testing.T) {
	t.Parallel()
	s := newSite(t.Context(), t, carried.Options{})
	ws := s.dial(t, port.Subprotocol)
	say(t, ws, hello)
	hear(t, ws, `"server":"toolsmith"`)
	d := `{"name":"open","description":"Opens.","parameters":{"type":"object"}}`
	say(t, ws, `{"type":"register","id":"r","tool":`+d+`}`)
	hear(t, ws, `"registered"`)
	m, err := port.Decode(port.FromHost, []byte(`{"type":"register","id":"r","tool":`+d+`}`))
	if err != nil {
		t.Fatal(err)
	}
	type came struct {
		answer port.Answer
		err    error
	}
	done := make(chan came, 1)
	go func() {
		answer, err := s.hub.Call(t.Context(), port.Request{Tool: "open", Version: m.(port.Register).Tool.Digest("page")})
		done <- came{answer, err}
	}()
	hear(t, ws, `"type":"call"`)
	say(t, ws, `{"type":"result","call":"c1","value":"`+strings.Repeat("x", port.MaxMessage-100)+`"}`) // as large as may be
	if got := <-done; got.err != nil || len(got.answer.Value.(string)) != port.MaxMessage-100 {
		t.Errorf("the answer is %v", got.err)
	}
	if err := ws.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}
	if err := <-s.served; err != nil {
		t.Error(err)
	}
}

// closeCode reads until the server closes.
func closeCode(t *testing.T, ws *websocket.Conn) websocket.StatusCode {
	t.Helper()
	for {
		if _, _, err := ws.Read(t.Context()); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

func TestHowItEnds(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		protocol string
		says     func(t *testing.T, ws *websocket.Conn)
		want     websocket.StatusCode
	}{
		"no subprotocol": {"", func(*testing.T, *websocket.Conn) {}, websocket.StatusPolicyViolation},
		"no hello":       {port.Subprotocol, func(t *testing.T, ws *websocket.Conn) { say(t, ws, `{"type":"ping","id":"p"}`) }, websocket.StatusPolicyViolation},
		"no JSON":        {port.Subprotocol, func(t *testing.T, ws *websocket.Conn) { say(t, ws, `hi`) }, websocket.StatusInvalidFramePayloadData},
		"too large": {port.Subprotocol, func(t *testing.T, ws *websocket.Conn) {
			say(t, ws, `"`+strings.Repeat("x", port.MaxMessage)+`"`)
		}, websocket.StatusMessageTooBig},
		"no text": {port.Subprotocol, func(t *testing.T, ws *websocket.Conn) {
			if err := ws.Write(t.Context(), websocket.MessageBinary, []byte(hello)); err != nil {
				t.Fatal(err)
			}
		}, websocket.StatusUnsupportedData},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t.Context(), t, carried.Options{})
			ws := s.dial(t, one.protocol)
			one.says(t, ws)
			if got := closeCode(t, ws); got != one.want {
				t.Errorf("it was closed with %v; want %v", got, one.want)
			}
			if err := <-s.served; err == nil {
				t.Error("no error says why it ended")
			}
		})
	}
}

func TestTheServerEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := newSite(ctx, t, carried.Options{})
	ws := s.dial(t, port.Subprotocol)
	say(t, ws, hello)
	hear(t, ws, `"hello"`)
	cancel()
	if got := closeCode(t, ws); got != websocket.StatusGoingAway {
		t.Errorf("it was closed with %v", got)
	}
	if err := <-s.served; err != nil {
		t.Error(err)
	}
}

// TestPings: who answers stays, and who does not is dropped.
func TestPings(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	s := newSite(t.Context(), t, carried.Options{Clock: clock})
	ws := s.dial(t, port.Subprotocol)
	say(t, ws, hello)
	hear(t, ws, `"hello"`)
	reading, stop := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _, _ = ws.Read(reading) // answers pings
	}()
	clock.fire() // the first ping; its answer is on its way
	<-clock.more // what would end it without one
	clock.fire() // the second ping
	<-clock.more
	<-clock.more // the third is planned: both were answered
	if len(s.hub.Ports()) != 1 {
		t.Fatal("the port was dropped")
	}
	stop()
	<-gone

	silent := newHandClock()
	s = newSite(t.Context(), t, carried.Options{Clock: silent})
	ws = s.dial(t, port.Subprotocol)
	say(t, ws, hello)
	hear(t, ws, `"hello"`) // from here on it reads nothing, and so answers nothing
	silent.fire()
	silent.fire()
	if err := <-s.served; err == nil || !strings.Contains(err.Error(), "no pong came within 30s") {
		t.Errorf("it ended with %v", err)
	}
}

func TestConn(t *testing.T) {
	t.Parallel()
	s := newSite(t.Context(), t, carried.Options{})
	ws := s.dial(t, port.Subprotocol)
	c := carried.NewConn(ws)
	if err := c.Write(t.Context(), []byte(`{"type":"hello","protocol":9,"name":"x"}`)); err != nil {
		t.Fatal(err)
	}
	if text, err := c.Read(t.Context()); err != nil || !strings.Contains(string(text), "PORT_REFUSED") {
		t.Errorf("%s, %v", text, err)
	}
	var closed *port.CloseError
	if _, err := c.Read(t.Context()); !errors.As(err, &closed) || closed.Code != port.ClosePolicy || closed.Reason != "another protocol" {
		t.Errorf("the error is %v", err)
	}
	if err := c.Close(port.CloseNormal, strings.Repeat("x", 1000)); err == nil {
		t.Error("it could be closed again")
	}
	if err := c.Write(t.Context(), []byte(`{}`)); err == nil {
		t.Error("it could be written to")
	}
	if _, err := c.Read(t.Context()); err == nil {
		t.Error("it could be read from")
	}
}
