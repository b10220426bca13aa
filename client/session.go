package client

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"toolsmith/internal/port"
	carried "toolsmith/internal/port/websocket"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// session is one connection.
type session struct {
	client *Client
	conn   *carried.Conn
	// over is closed when the connection has ended, and left when all that it did is over.
	over, left chan struct{}
	// writing is held by who writes.
	writing sync.Mutex

	mu    sync.Mutex
	ended bool
	// unwanted are requests that are to be cancelled; more says that there are some.
	unwanted []string
	more     chan struct{}
	numbered int
	// open are the requests of this side, and calls those of the server that are under way.
	open  map[string]*request
	calls map[string]context.CancelFunc
}

// request is something that was asked of the server.
type request struct {
	reply    chan reply
	progress func(done, total float64, note string)
}

// reply is what the server says to it.
type reply struct {
	message port.Message
	err     error
	runID   string
}

// The causes of the error for what was lost with the connection.
var (
	errLost   = errors.New("the connection is lost")
	errUnsent = fmt.Errorf("nothing was sent: %w", errLost)
)

func lost(cause error) error {
	return &tool.Error{Code: port.CodeClosed, Message: "The connection to Toolsmith is lost. It is being made anew.", Cause: cause}
}

func newSession(c *Client, conn *carried.Conn) *session {
	return &session{client: c, conn: conn, over: make(chan struct{}), left: make(chan struct{}), more: make(chan struct{}, 1), open: map[string]*request{}, calls: map[string]context.CancelFunc{}}
}

// hello says who this is, and waits until the server has accepted it.
func (s *session) hello(ctx context.Context) error {
	if err := s.write(ctx, port.Hello{Protocol: port.Protocol, Name: s.client.o.Name, Version: s.client.o.Version}); err != nil {
		return err
	}
	text, err := s.conn.Read(ctx)
	if err != nil {
		return fmt.Errorf("wait for the hello of the server: %w", err)
	}
	m, err := port.Decode(port.FromServer, text)
	if err != nil {
		return fmt.Errorf("read the hello of the server: %w", err)
	}
	switch m := m.(type) {
	case port.Welcome:
		return nil
	case port.Failed:
		return &tool.Error{Code: m.Fault.Code, Message: m.Fault.Message, Field: m.Fault.Field}
	}
	return &tool.Error{Code: port.CodeMessage, Message: "The first message of the server is no hello."}
}

// write sends a message, or ends the connection.
func (s *session) write(ctx context.Context, m port.Message) error {
	text, err := port.Encode(m)
	if err != nil {
		return err //nolint:wrapcheck // who sends it knows what is too large
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.conn.Write(ctx, text); err != nil {
		return lost(errLost)
	}
	return nil
}

// send is write for as long as the connection lasts.
func (s *session) send(m port.Message) error {
	if s.isOver() {
		return lost(errUnsent)
	}
	return s.write(s.client.base, m)
}

// run reads what the server says, until the connection or ctx ends.
func (s *session) run(ctx context.Context) error {
	var beside sync.WaitGroup
	watch, stop := context.WithCancel(ctx)
	beside.Go(func() { s.conn.Keep(watch, carried.Options{Clock: s.client.o.Clock}) })
	beside.Go(func() {
		<-watch.Done()
		_ = s.conn.Close(port.CloseNormal, "") // it may have ended already
	})
	beside.Go(s.cancel)
	err := s.read() //nolint:contextcheck // calls have the context of the client
	s.end()
	stop()
	beside.Wait()
	return err
}

// cancel tells the server which requests are not wanted any more, so that nobody who gives up
// waits for the server to read.
func (s *session) cancel() {
	for {
		select {
		case <-s.more:
		case <-s.over:
			return
		}
		s.mu.Lock()
		list := s.unwanted
		s.unwanted = nil
		s.mu.Unlock()
		for _, id := range list {
			_ = s.send(port.Cancel{ID: id}) // a lost connection has ended it too
		}
	}
}

// read does what the server says. It waits for nothing but messages: who writes waits for the
// server, which may be waiting for this side to read.
func (s *session) read() error {
	for {
		text, err := s.conn.Read(context.WithoutCancel(s.client.base))
		if err != nil {
			return err //nolint:wrapcheck // it says what it is about
		}
		m, err := port.Decode(port.FromServer, text)
		if err != nil {
			s.client.o.Log.Warn("a message of Toolsmith cannot be understood", "cause", err)
			continue
		}
		switch m := m.(type) {
		case port.Invoke:
			s.invoke(m)
		case port.Cancel:
			s.mu.Lock()
			if cancel := s.calls[m.Call]; cancel != nil {
				cancel()
			}
			s.mu.Unlock()
		case port.Progress:
			if r := s.find(m.ID); r != nil && r.progress != nil {
				r.progress(m.Done, m.Total, m.Note)
			}
		case port.Registered:
			s.answer(m.ID, reply{message: m})
		case port.Unregistered:
			s.answer(m.ID, reply{message: m})
		case port.Given:
			s.answer(m.ID, reply{message: m})
		case port.Result:
			s.answer(m.ID, reply{message: m, runID: m.RunID})
		case port.Failed:
			fault := m.Fault
			if m.ID == "" {
				s.client.o.Log.Warn("Toolsmith did not understand a message", "cause", fault.Error())
				continue
			}
			s.answer(m.ID, reply{err: &tool.Error{Code: fault.Code, Message: fault.Message, Field: fault.Field}, runID: m.RunID})
		}
	}
}

// end tells everybody that the connection has ended.
func (s *session) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for _, r := range s.open {
		r.reply <- reply{err: lost(errLost)}
	}
	clear(s.open)
	for _, cancel := range s.calls {
		cancel()
	}
	close(s.over)
}

func (s *session) isOver() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

func (s *session) find(id string) *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id]
}

// answer gives a request its reply; it takes one.
func (s *session) answer(id string, r reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[id]; one != nil {
		delete(s.open, id)
		one.reply <- r
	}
}

// request asks something of the server and waits for the reply. The error is that of the
// reply, of the connection, or of ctx; the server is then told that a call is not wanted any
// more.
func (s *session) request(ctx context.Context, progress func(done, total float64, note string), message func(id string) port.Message) (reply, error) {
	r := &request{reply: make(chan reply, 1), progress: progress}
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return reply{}, lost(errUnsent)
	}
	s.numbered++
	id := "h" + strconv.Itoa(s.numbered)
	s.open[id] = r
	s.mu.Unlock()
	m := message(id)
	if err := s.send(m); err != nil {
		s.mu.Lock()
		delete(s.open, id)
		s.mu.Unlock()
		return reply{}, err
	}
	select {
	case got := <-r.reply:
		return got, got.err
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
	if _, isCall := m.(port.Invoke); isCall {
		s.unwanted = append(s.unwanted, id)
		select {
		case s.more <- struct{}{}:
		default:
		}
	}
	return reply{}, ctx.Err()
}

// register supplies a tool.
func (s *session) register(ctx context.Context, t *tool.Tool) error {
	d, err := declare(t, s.client.o.CallTime)
	if err != nil {
		return err
	}
	_, err = s.request(ctx, nil, func(id string) port.Message { return port.Register{ID: id, Tool: d} })
	return err
}

// decoded reads JSON that this program has written.
func decoded(text []byte) (any, error) {
	if len(text) == 0 {
		return nil, nil
	}
	v, err := value.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return v, nil
}
