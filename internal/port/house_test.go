package port_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"toolsmith/internal/port"
	"toolsmith/internal/schema"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// TestMain fails when a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// published are the two halves of the published schema.
var published = sync.OnceValue(func() map[port.Side]*schema.Schema {
	document, err := value.Decode(port.Schema())
	if err != nil {
		panic(err)
	}
	parts := document.(map[string]any)["$defs"]
	halves := map[port.Side]*schema.Schema{}
	for side, name := range map[port.Side]string{port.FromHost: "fromHost", port.FromServer: "fromServer"} {
		if halves[side], err = schema.Compile(map[string]any{"$defs": parts, "$ref": "#/$defs/" + name}); err != nil {
			panic(err)
		}
	}
	return halves
})

// wantPublished fails unless a message fits the published schema.
func wantPublished(side port.Side, text []byte) error {
	v, err := value.Decode(text)
	if err != nil {
		return err
	}
	if violations := published()[side].Validate(v); len(violations) > 0 {
		return fmt.Errorf("a message of the %s does not fit the published schema: %s\n%s", side, text, schema.Join(violations))
	}
	return nil
}

// pipe is a connection in memory: in is what the host sends, out what the server has sent.
type pipe struct {
	in     chan []byte
	out    chan []byte
	closed chan struct{}
	once   sync.Once

	mu      sync.Mutex
	code    int
	reason  string
	unknown []error // messages of the server that are not in the schema
	left    error   // how the host has left
}

func newPipe(room int) *pipe {
	return &pipe{in: make(chan []byte), out: make(chan []byte, room), closed: make(chan struct{})}
}

func (p *pipe) Read(ctx context.Context) ([]byte, error) {
	select {
	case text, ok := <-p.in:
		if !ok {
			return nil, p.left
		}
		return text, nil
	case <-p.closed:
		return nil, io.ErrClosedPipe
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipe) Write(ctx context.Context, text []byte) error {
	if err := wantPublished(port.FromServer, text); err != nil {
		p.mu.Lock()
		p.unknown = append(p.unknown, err)
		p.mu.Unlock()
	}
	select {
	case p.out <- text:
		return nil
	case <-p.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pipe) Close(code int, reason string) error {
	p.once.Do(func() {
		p.mu.Lock()
		p.code, p.reason = code, reason
		p.mu.Unlock()
		close(p.closed)
	})
	return nil
}

// shelf is where tools of ports are registered in tests; refuse names those that it refuses.
type shelf struct {
	mu     sync.Mutex
	refuse map[string]bool
	open   map[string]string // holders by names
	// during is called within a registration; nil for nothing.
	during func(ctx context.Context)
}

func newShelf() *shelf { return &shelf{refuse: map[string]bool{}, open: map[string]string{}} }

func (s *shelf) RegisterClient(ctx context.Context, c port.Client) error {
	if s.during != nil {
		s.during(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse[c.Declaration.Name] {
		return tool.Errorf("TOOL_EXISTS", "There is a tool %q already.", c.Declaration.Name)
	}
	s.open[c.Declaration.Name] = c.Holder
	return nil
}

func (s *shelf) UnregisterClient(holder, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[name] == holder {
		delete(s.open, name)
	}
}

func (s *shelf) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return value.SortedNames(anyOf(s.open))
}

func anyOf(m map[string]string) map[string]any {
	out := map[string]any{}
	for name := range m {
		out[name] = true
	}
	return out
}

// house is a hub with its shelf, in a bubble of its own time.
type house struct {
	t     *testing.T
	hub   *port.Hub
	shelf *shelf
	ctx   context.Context
}

// inHouse runs a test where time passes when all stand still.
func inHouse(t *testing.T, o port.Options, test func(t *testing.T, h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &house{t: t, shelf: newShelf()}
		o.Tools = h.shelf
		h.hub = port.NewHub(o)
		ctx, cancel := context.WithCancel(context.Background())
		h.ctx = ctx
		t.Cleanup(cancel)
		test(t, h)
		cancel()
		synctest.Wait()
		if open := h.shelf.names(); len(open) > 0 {
			t.Errorf("these tools are left open: %q", open)
		}
	})
}

// host is the other end of a port.
type host struct {
	t    *testing.T
	pipe *pipe
	// served is what Serve returned.
	served chan error
}

// dial opens a port that has said nothing yet.
func (h *house) dial(peer port.Peer) *host {
	h.t.Helper()
	one := &host{t: h.t, pipe: newPipe(10_000), served: make(chan error, 1)}
	go func() { one.served <- h.hub.Serve(h.ctx, one.pipe, peer) }()
	h.t.Cleanup(func() {
		for _, err := range one.pipe.unknown {
			h.t.Error(err)
		}
	})
	return one
}

// connect opens a port and says hello.
func (h *house) connect(name string) *host {
	h.t.Helper()
	one := h.dial(port.Peer{Caller: "ada"})
	one.send(`{"type":"hello","protocol":1,"name":"` + name + `","version":"1.4.0"}`)
	one.want(`"type":"hello"`, `"server":"toolsmith"`)
	return one
}

// supply opens a port with tools.
func (h *house) supply(name string, tools ...string) *host {
	h.t.Helper()
	one := h.connect(name)
	for _, name := range tools {
		one.register(name)
	}
	return one
}

// send sends a text, if the port still takes it.
func (h *host) send(text string) {
	select {
	case h.pipe.in <- []byte(text):
	case <-h.pipe.closed:
	}
	synctest.Wait()
}

// say sends a message that is in the schema.
func (h *host) say(text string) {
	h.t.Helper()
	if err := wantPublished(port.FromHost, []byte(text)); err != nil {
		h.t.Error(err)
	}
	h.send(text)
}

// register supplies a tool; more are further fields of its declaration.
func (h *host) register(name string, more ...string) {
	h.t.Helper()
	h.say(`{"type":"register","id":"r","tool":` + declared(name, more...) + `}`)
	h.want(`"type":"registered"`, `"name":"`+name+`"`)
}

func declared(name string, more ...string) string {
	return `{"name":"` + name + `","description":"For a test.","parameters":{"type":"object"}` + strings.Join(append([]string{""}, more...), ",") + `}`
}

// digest is the version of such a tool.
func digest(t *testing.T, portName, name string, more ...string) string {
	t.Helper()
	m, err := port.Decode(port.FromHost, []byte(`{"type":"register","id":"r","tool":`+declared(name, more...)+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return m.(port.Register).Tool.Digest(portName)
}

// next gives the next message of the server; "" where there is none now.
func (h *host) next() string {
	synctest.Wait()
	select {
	case text := <-h.pipe.out:
		return string(text)
	default:
		return ""
	}
}

// want fails unless the next message holds each of some texts.
func (h *host) want(parts ...string) string {
	h.t.Helper()
	text := h.next()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			h.t.Fatalf("the server says %q; want %s", text, part)
		}
	}
	return text
}

// leave ends the port as a host does that is done, and waits until it is tidied away.
func (h *host) leave() error {
	h.pipe.left = &port.CloseError{Code: port.CloseNormal}
	close(h.pipe.in)
	return <-h.served
}

// wantClosed fails unless the server has closed the port.
func (h *host) wantClosed(code int, reason string) error {
	h.t.Helper()
	err := <-h.served
	h.pipe.mu.Lock()
	defer h.pipe.mu.Unlock()
	if h.pipe.code != code || !strings.Contains(h.pipe.reason, reason) {
		h.t.Errorf("the port was closed with %d %q; want %d %q", h.pipe.code, h.pipe.reason, code, reason)
	}
	return err
}

// called is a call of the server that is under way.
type called struct {
	done   chan struct{}
	answer port.Answer
	err    error
}

// call calls a tool of a port in the background.
func (h *house) call(ctx context.Context, r port.Request) *called {
	c := &called{done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.answer, c.err = h.hub.Call(ctx, r)
	}()
	synctest.Wait()
	return c
}

// wantCode fails unless a call ended with a code; "" for a value.
func (c *called) wantCode(t *testing.T, code string) {
	t.Helper()
	<-c.done
	if tool.Code(c.err) != code || code == "" && c.err != nil {
		t.Errorf("the call came to %v, %v; want the code %q", c.answer, c.err, code)
	}
}

// wantErr fails unless an error is another.
func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("the error is %v; want %v", err, want)
	}
}
