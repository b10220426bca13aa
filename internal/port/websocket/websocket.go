// Package websocket carries the messages of a port over a WebSocket: one JSON object in each
// text frame. Who accepts or dials the WebSocket, and who may, is for others to say.
package websocket

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"toolsmith/internal/port"
)

// The times of a connection.
const (
	// DefaultPing is how often the other side is asked whether it is there.
	DefaultPing = 30 * time.Second
	// DefaultPong is how long its answer may take.
	DefaultPong = 30 * time.Second
)

// Options say how a connection is held. The zero value has the defaults.
type Options struct {
	// Ping and Pong are how often the other side is asked whether it is there, and how long its
	// answer may take. Default: DefaultPing, DefaultPong.
	Ping, Pong time.Duration
	// Clock; nil is the real one.
	Clock port.Clock
}

// Server holds ports; port.Hub is one.
type Server interface {
	Serve(ctx context.Context, conn port.Conn, peer port.Peer) error
}

// Serve holds a port over a WebSocket that was accepted with port.Subprotocol, until either
// side or ctx ends it.
func Serve(ctx context.Context, server Server, ws *websocket.Conn, peer port.Peer, o Options) error {
	if ws.Subprotocol() != port.Subprotocol {
		err := ws.Close(websocket.StatusPolicyViolation, "the subprotocol is "+port.Subprotocol)
		return errors.Join(fmt.Errorf("a port without the subprotocol %s", port.Subprotocol), err)
	}
	c := NewConn(ws)
	watch, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { c.Keep(watch, o) })
	err := server.Serve(ctx, c, peer)
	stop()
	watching.Wait()
	_ = ws.CloseNow() // it is closed, unless the server did not get as far
	return err
}

// Conn is a port.Conn over a WebSocket.
type Conn struct {
	ws *websocket.Conn

	mu    sync.Mutex
	cause error
}

// NewConn takes over a WebSocket. What is larger than port.MaxMessage closes it.
func NewConn(ws *websocket.Conn) *Conn {
	ws.SetReadLimit(port.MaxMessage)
	return &Conn{ws: ws}
}

// errBinary is the error for a frame that is no text.
var errBinary = errors.New("a message came in a frame that is no text")

// Read reads one message. The error is a *port.CloseError where the other side has closed.
func (c *Conn) Read(ctx context.Context) ([]byte, error) {
	kind, text, err := c.ws.Read(ctx)
	if err == nil && kind != websocket.MessageText {
		c.fail(errBinary)
		_ = c.ws.Close(websocket.StatusUnsupportedData, "text frames only")
		return nil, errBinary
	}
	if err == nil {
		return text, nil
	}
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		return nil, &port.CloseError{Code: int(closed.Code), Reason: closed.Reason}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause != nil {
		return nil, c.cause
	}
	return nil, fmt.Errorf("read a message: %w", err)
}

// Write writes one message.
func (c *Conn) Write(ctx context.Context, text []byte) error {
	if err := c.ws.Write(ctx, websocket.MessageText, text); err != nil {
		return fmt.Errorf("write a message: %w", err)
	}
	return nil
}

// mostReason is how long the reason of a close may be, in bytes.
const mostReason = 120

// Close closes the WebSocket, and waits a few seconds for the other side to do the same. Closing
// it again does nothing.
func (c *Conn) Close(code int, reason string) error {
	if err := c.ws.Close(websocket.StatusCode(code), reason[:min(len(reason), mostReason)]); err != nil {
		return fmt.Errorf("close the port: %w", err)
	}
	return nil
}

// fail notes why the connection is about to end.
func (c *Conn) fail(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		c.cause = cause
	}
}

// Keep asks the other side again and again whether it is there, until ctx ends, and ends the
// connection where no answer comes. Somebody has to be reading meanwhile.
func (c *Conn) Keep(ctx context.Context, o Options) {
	if o.Ping == 0 {
		o.Ping = DefaultPing
	}
	if o.Pong == 0 {
		o.Pong = DefaultPong
	}
	if o.Clock == nil {
		o.Clock = port.SystemClock()
	}
	for {
		due := make(chan struct{})
		stop := o.Clock.After(o.Ping, func() { close(due) })
		select {
		case <-due:
		case <-ctx.Done():
			stop()
			return
		}
		waits, cancel := context.WithCancel(ctx)
		stop = o.Clock.After(o.Pong, cancel)
		err := c.ws.Ping(waits)
		stop()
		cancel()
		if err != nil && ctx.Err() == nil {
			c.fail(fmt.Errorf("no pong came within %s: %w", o.Pong, err))
			_ = c.ws.CloseNow() // there is nobody to tell
			return
		}
	}
}
