package httpapi

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"time"
)

// The bounds of the listener.
const (
	// maxConnections that are open at once.
	maxConnections = 1024
	// headerTime is how long the headers of a request may take.
	headerTime = 5 * time.Second
	// idleTime is how long a connection may be open without a request.
	idleTime = time.Minute
	// maxHeader is how many bytes the headers of a request may have.
	maxHeader = 64 << 10
)

// connections keeps the number of open connections bounded: where there are too many, the one
// that has waited longest without a request is closed, so that whoever asks for something is
// still answered.
type connections struct {
	most int

	mu   sync.Mutex
	open map[net.Conn]bool
	// idle are those without a request under way, the one that has waited longest first.
	idle *list.List
	at   map[net.Conn]*list.Element
}

func newConnections(most int) *connections {
	return &connections{most: most, open: map[net.Conn]bool{}, idle: list.New(), at: map[net.Conn]*list.Element{}}
}

// state is told what a connection has become.
func (c *connections) state(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[conn]; ok {
		c.idle.Remove(e)
		delete(c.at, conn)
	}
	switch state {
	case http.StateNew, http.StateIdle:
		c.open[conn] = true
		c.at[conn] = c.idle.PushBack(conn)
	case http.StateActive:
		c.open[conn] = true
	case http.StateHijacked, http.StateClosed:
		delete(c.open, conn)
	}
	for len(c.open) > c.most && c.idle.Len() > 0 {
		oldest, _ := c.idle.Remove(c.idle.Front()).(net.Conn)
		delete(c.at, oldest)
		delete(c.open, oldest)
		_ = oldest.Close()
	}
}

// NewServer makes the server for a handler, with its bounds.
func NewServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ConnState: newConnections(maxConnections).state,
	}
}
