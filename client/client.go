// Package client supplies tools to a running Toolsmith from another program, and calls tools
// there. A tool is the same one declaration as inside of the server (see package tool); its
// context methods are answered over the connection.
//
//	c, err := client.Connect(ctx, "http://127.0.0.1:7420", client.Options{Name: "editor", Token: token})
//	defer c.Close()
//	err = c.Register(ctx, open)
//	result, err := c.Call(ctx, "notes.create", map[string]any{"title": "from outside"})
//
// A connection that is lost is made anew, and the tools are registered again: a yes that a
// person has given to them still holds, as long as they are the same.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coder/websocket"

	"toolsmith/internal/port"
	carried "toolsmith/internal/port/websocket"
	"toolsmith/tool"
)

// Options say how a program connects. Only Name has to be given.
type Options struct {
	// Name of the program: 1 to 64 letters, digits, ".", "_" and "-". Its tools are known by it:
	// under another name they are others, and people are asked anew.
	Name string
	// Version of the program, for people. Optional.
	Version string
	// Token that the server knows; it goes into the header Authorization. Default: none.
	Token string
	// HTTPClient makes the connection. Default: http.DefaultClient.
	HTTPClient *http.Client
	// CallTime is how long one call of a tool of this program may take, at most 10 minutes.
	// Default: 30 seconds.
	CallTime time.Duration
	// MinWait and MaxWait are how long it waits before it connects anew, for the first time and at
	// most. Default: half a second and half a minute.
	MinWait, MaxWait time.Duration
	// Clock passes time; for tests. Default: the real one.
	Clock Clock
	// Log is told of lost and new connections. Default: nobody is.
	Log *slog.Logger
}

// Clock passes time. After calls f once a time has passed, in a goroutine of its own, unless
// it is stopped before.
type Clock interface {
	After(d time.Duration, f func()) (stop func())
}

// Client is a connection to a server that is made anew when it is lost. It may be used from
// many goroutines at once.
type Client struct {
	o   Options
	url string
	// base ends when the client is closed.
	base context.Context
	stop context.CancelFunc
	// work is everything that goes on in the background.
	work sync.WaitGroup

	mu sync.Mutex
	// now is the connection; nil while there is none.
	now *session
	// changed is closed, and made anew, when now has changed.
	changed chan struct{}
	tools   map[string]*tool.Tool
	// refused is why the server lets this program in no more; done is closed when it has ended.
	refused error
	done    chan struct{}
}

// Connect connects to a server: "http://127.0.0.1:7420" stands for its port at /v1/port. Where the
// server refuses the program, the error has the code that it gives: HTTP_TOKEN_REFUSED for a token
// that is unknown or was removed, PORT_REFUSED and others for the rest. ctx is for connecting alone.
func Connect(ctx context.Context, address string, o Options) (*Client, error) {
	if o.HTTPClient == nil {
		o.HTTPClient = http.DefaultClient
	}
	if o.CallTime == 0 {
		o.CallTime = port.DefaultTimeout
	}
	const least, most = time.Second / 2, 30 * time.Second
	if o.MinWait == 0 {
		o.MinWait = least
	}
	if o.MaxWait == 0 {
		o.MaxWait = max(most, o.MinWait)
	}
	if o.Clock == nil {
		o.Clock = port.SystemClock()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	at, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read the address of the server: %w", err)
	}
	if at.Path == "" || at.Path == "/" {
		at.Path = port.Path
	}
	c := &Client{o: o, url: at.String(), changed: make(chan struct{}), tools: map[string]*tool.Tool{}, done: make(chan struct{})}
	c.base, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	s, err := c.dial(ctx)
	if err != nil {
		c.stop()
		return nil, err
	}
	c.become(s)
	c.work.Go(func() { c.stay(s) }) //nolint:contextcheck // it outlives the context for connecting
	return c, nil
}

// Done is closed when the client has ended: it was closed, or the server lets it in no more because
// its token was removed or has changed. Err says which.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err is why the client has ended: an error with the code HTTP_TOKEN_REFUSED where the server lets it
// in no more, and nil where it was closed, or has not ended.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused
}

// Close ends the connection. Calls of its tools that are under way are cancelled, and waited
// for. Closing it again does nothing.
func (c *Client) Close() error {
	c.stop()
	c.work.Wait()
	return nil
}

// dial makes one connection, up to the hello of the server.
func (c *Client) dial(ctx context.Context) (*session, error) {
	header := http.Header{}
	if c.o.Token != "" {
		header.Set("Authorization", "Bearer "+c.o.Token)
	}
	ws, response, err := websocket.Dial(ctx, c.url, &websocket.DialOptions{HTTPClient: c.o.HTTPClient, HTTPHeader: header, Subprotocols: []string{port.Subprotocol}}) //nolint:bodyclose // the library closes it
	if err != nil {
		if response != nil && (response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden) {
			return nil, refusal(response, err)
		}
		return nil, fmt.Errorf("connect to %s: %w", c.url, err)
	}
	s := newSession(c, carried.NewConn(ws))
	if err := s.hello(ctx); err != nil {
		_ = ws.CloseNow() // it has said why, or there is nobody
		return nil, err
	}
	return s, nil
}

// refusal is the error of a server that does not even open the port, in its own words where it
// has some.
func refusal(response *http.Response, cause error) error {
	said := struct{ Code, Detail string }{}
	if json.NewDecoder(response.Body).Decode(&said) != nil || said.Code == "" {
		said.Code, said.Detail = port.CodeRefused, fmt.Sprintf("The server does not accept the token or this program (%s).", response.Status)
	}
	return &tool.Error{Code: said.Code, Message: said.Detail, Cause: cause}
}

// become makes a session the connection; nil for none.
func (c *Client) become(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = s
	close(c.changed)
	c.changed = make(chan struct{})
}

// session gives the connection, and waits for one.
func (c *Client) session(ctx context.Context) (*session, error) {
	for {
		c.mu.Lock()
		now, changed := c.now, c.changed
		c.mu.Unlock()
		switch {
		case c.base.Err() != nil:
			if err := c.Err(); err != nil {
				return nil, err
			}
			return nil, errClosed
		case now != nil:
			return now, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.base.Done():
		}
	}
}

var errClosed = errors.New("the client has been closed")

// stay holds a connection, and makes another when it is lost, until the client is closed or its
// token is refused: that token will not be good again.
func (c *Client) stay(s *session) {
	defer close(c.done)
	for {
		err := s.run(c.base)
		c.become(nil)
		close(s.left)
		if c.base.Err() != nil {
			return
		}
		c.o.Log.Warn("the connection to Toolsmith is lost", "cause", err)
		var refused error
		if s, refused = c.again(); s == nil {
			c.mu.Lock()
			c.refused = refused
			c.mu.Unlock()
			c.stop()
			return
		}
		c.o.Log.Info("connected to Toolsmith again")
		c.become(s)
		restored := s
		c.work.Go(func() { c.restore(restored) })
	}
}

// again connects anew, as often as it takes. It gives up where the client was closed meanwhile, and,
// with the error, where its token is refused.
func (c *Client) again() (*session, error) {
	for wait := c.o.MinWait; ; wait = min(2*wait, c.o.MaxWait) {
		if !c.pause(c.base.Done(), wait) {
			return nil, nil
		}
		const patience = 30 * time.Second
		ctx, cancel := context.WithCancel(c.base)
		stop := c.o.Clock.After(patience, cancel)
		s, err := c.dial(ctx)
		stop()
		cancel()
		switch {
		case err == nil:
			return s, nil
		case tool.Code(err) == codeTokenRefused:
			c.o.Log.Error("Toolsmith lets this program in no more", "cause", err)
			return nil, err
		}
		c.o.Log.Debug("Toolsmith cannot be reached", "cause", err)
	}
}

// pause lets about as much time pass, so that many programs do not all come back at once; ok is
// false where done is closed before.
func (c *Client) pause(done <-chan struct{}, wait time.Duration) (ok bool) {
	const part = 4
	over := make(chan struct{})
	stop := c.o.Clock.After(wait-rand.N(wait/part+1), func() { close(over) }) //nolint:gosec // it hides nothing
	defer stop()
	select {
	case <-over:
		return true
	case <-done:
		return false
	}
}

// restore registers all tools again over a new connection. The server may not have noticed yet
// that the one before is lost, so a name that is taken is tried again.
func (c *Client) restore(s *session) {
	c.mu.Lock()
	left := make([]*tool.Tool, 0, len(c.tools))
	for _, t := range c.tools {
		left = append(left, t)
	}
	c.mu.Unlock()
	for wait := c.o.MinWait; ; wait = min(2*wait, c.o.MaxWait) {
		var taken []*tool.Tool
		for _, t := range left {
			err := s.register(c.base, t)
			switch code := tool.Code(err); {
			case code == codeExists:
				taken = append(taken, t)
			case err != nil && !s.isOver():
				c.o.Log.Error("a tool could not be registered again", "tool", t.Name(), "cause", err)
			}
		}
		if left = taken; len(left) == 0 || !c.pause(s.over, wait) {
			return
		}
	}
}

const (
	// codeExists is the code for a name that another tool has.
	codeExists = "TOOL_EXISTS"
	// codeTokenRefused is the code for a token that lets nobody in.
	codeTokenRefused = "HTTP_TOKEN_REFUSED"
)

// Register supplies tools to the server, now and after each new connection. Where one of them
// is refused, the error has its code (TOOL_EXISTS, TOOL_INVALID, PORT_LIMIT_EXCEEDED), and
// those after it are not supplied. A tool in place of one with its name replaces it. While
// there is no connection it waits for one, until ctx ends.
func (c *Client) Register(ctx context.Context, tools ...*tool.Tool) error {
	for _, t := range tools {
		if err := c.register(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) register(ctx context.Context, t *tool.Tool) error {
	// It may be called before the server's yes has been read.
	c.mu.Lock()
	before, had := c.tools[t.Name()]
	c.tools[t.Name()] = t
	c.mu.Unlock()
	err := c.overAny(ctx, errLost, func(s *session) error { return s.register(ctx, t) })
	if err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if delete(c.tools, t.Name()); had {
		c.tools[t.Name()] = before
	}
	return err
}

// Unregister takes a tool away from the server. Calls of it that are under way go on.
func (c *Client) Unregister(ctx context.Context, name string) error {
	c.mu.Lock()
	delete(c.tools, name)
	c.mu.Unlock()
	return c.overAny(ctx, errLost, func(s *session) error {
		_, err := s.request(ctx, nil, func(id string) port.Message { return port.Unregister{ID: id, Name: name} })
		return err
	})
}

// overAny does something over the connection, and again over the next where it was lost in a
// way that allows it: errLost for any.
func (c *Client) overAny(ctx context.Context, allows error, do func(*session) error) error {
	for {
		s, err := c.session(ctx)
		if err != nil {
			return err
		}
		if err = do(s); !errors.Is(err, allows) {
			return err
		}
		select {
		case <-s.left:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
