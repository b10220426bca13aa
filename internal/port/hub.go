package port

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"toolsmith/tool"
)

// Client is a tool of an open port.
type Client struct {
	// Holder names the connection that supplies it, and Port is what its host calls itself.
	Holder, Port string
	// Version is Declaration.Digest of the port.
	Version     string
	Declaration Declaration
}

// Tools is where the tools of ports can be called while they are there.
type Tools interface {
	// RegisterClient adds a tool, or replaces what the same holder has supplied under the name.
	// The error has its code where the name is not free or the tool cannot be accepted.
	RegisterClient(ctx context.Context, c Client) error
	// UnregisterClient says that the port of a tool is gone, unless another has it by now.
	UnregisterClient(holder, name string)
}

// Peer is what is known of a host beside what it says of itself.
type Peer struct {
	// Caller is in whose name it speaks, as its token says.
	Caller string
	// Token checks a token that comes with the hello and gives the Caller; nil where the host
	// has shown one before. An error with a code refuses the host, one without or of the store
	// has it come again later.
	Token func(ctx context.Context, token string) (caller string, err error)
	// Still checks whether the host may go on: before it is answered anything, and every second.
	// An error with a code ends the port, which is told so; one without or of the store only
	// fails what was asked for. Nil where the host may stay as long as it likes.
	Still func(ctx context.Context) error
}

// CallRequest is a call that a host makes of a tool of the server.
type CallRequest struct {
	// Port and Caller say who asks.
	Port, Caller string
	Tool         string
	// Arguments are a JSON object; nil is {}.
	Arguments any
	// Title and Key of the run; "" for none.
	Title, Key string
	// TaskID is the task of a call under way on the port, for which this one is made; "" for
	// none.
	TaskID string
	// Progress shows how far it is. It never blocks.
	Progress func(done, total float64, note string)
}

// CallResult is what such a call came to.
type CallResult struct {
	Value any
	// RunID names the run; it may be there with an error too.
	RunID string
}

// The causes for which the context of a host's call ends (see context.Cause).
var (
	// ErrCancelled: the host has cancelled it.
	ErrCancelled = errors.New("the host has cancelled the call")
	// ErrDropped: the port is gone.
	ErrDropped = errors.New("the port of the host is gone")
	// ErrDeadline: its time is over.
	ErrDeadline = errors.New("the time that the host gave the call is over")
)

// Options are what a hub needs.
type Options struct {
	// Tools is told of the tools of the ports; required.
	Tools Tools
	// Call carries out a call by a host, with consent as for any other; nil where hosts may
	// call nothing. Its context ends with a cause (ErrCancelled and so on), and it has to end
	// soon after.
	Call func(ctx context.Context, r CallRequest) (CallResult, error)
	// Version of the server.
	Version string
	// Grace is how long calls wait for a port that was dropped. Default: DefaultGrace; below 0
	// for not at all.
	Grace time.Duration
	// Clock; nil is the real one.
	Clock Clock
	// Log takes causes that are not for hosts; nil drops them.
	Log *slog.Logger
}

// Hub holds the ports that are open. It may be used from many goroutines at once.
type Hub struct {
	o Options

	mu    sync.Mutex
	links map[*link]bool
	last  int
	// tools are those of open ports, by name, and gone those whose ports were dropped within
	// the grace.
	tools map[string]supplied
	gone  map[string]*lost
	// changed is closed, and made anew, when either has changed.
	changed chan struct{}
}

// supplied is a tool and the connection that supplies it.
type supplied struct {
	Client
	link *link
	// ready: its host has been told that it is registered.
	ready bool
}

// lost is a tool that may be back soon.
type lost struct {
	version string
	stop    func()
}

// NewHub makes a hub.
func NewHub(o Options) *Hub {
	if o.Clock == nil {
		o.Clock = SystemClock()
	}
	if o.Grace == 0 {
		o.Grace = DefaultGrace
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Hub{o: o, links: map[*link]bool{}, tools: map[string]supplied{}, gone: map[string]*lost{}, changed: make(chan struct{})}
}

// Request is a call of a tool that a host supplies.
type Request struct {
	// Tool by its name, and the Version that may be called: no other is.
	Tool, Version string
	// Arguments are a JSON object; nil is {}.
	Arguments any
	// TaskID and RunID of the call, and Caller who asked for the run.
	TaskID, RunID, Caller string
	// Context answers a context method of those that the declaration names; nil answers none. nth
	// counts the requests for the method in the order in which the host sent them, from 0: they
	// are answered side by side. It and Progress are not called any more when Call has returned.
	Context func(ctx context.Context, nth int, method string, arguments map[string]any) (any, error)
	// Progress is told how far the call is; nil tells nobody.
	Progress func(done, total float64, note string)
}

// Answer is what a call gave: a value, or subtasks as they are written.
type Answer struct {
	Value    any
	Subtasks []any // nil for a value
}

// Call calls a tool of a port and waits. The error is a *Fault as the host gave it, has one of
// the codes of this package, or is that of the context.
func (h *Hub) Call(ctx context.Context, r Request) (Answer, error) {
	for {
		found, err := h.find(ctx, r)
		if err != nil {
			return Answer{}, err
		}
		answer, err := found.link.invoke(ctx, found.Declaration, r)
		if !errors.Is(err, errEnded) {
			return answer, err
		}
		// The port was dropped before the call was sent.
	}
}

// errEnded is the error of what was not sent, because the port is gone.
var errEnded = errors.New("the port has ended")

// find gives the port of a tool, and waits for one that was dropped just now.
func (h *Hub) find(ctx context.Context, r Request) (supplied, error) {
	for {
		h.mu.Lock()
		found, there := h.tools[r.Tool]
		gone, waits := h.gone[r.Tool]
		changed := h.changed
		h.mu.Unlock()
		passing := there && (!found.ready || found.link.isEnded()) // it is not there yet, or is being tidied away
		switch {
		case there && !passing && found.Version == r.Version:
			return found, nil
		case there && !passing:
			return supplied{}, &tool.Error{Code: CodeClosed, Message: fmt.Sprintf(
				"The program that supplies the tool %q has changed it since the call was made. Call it again.", r.Tool)}
		case !passing && (!waits || gone.version != r.Version):
			return supplied{}, closed(r.Tool)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return supplied{}, ctx.Err()
		}
	}
}

func closed(name string) error {
	return &tool.Error{Code: CodeClosed, Message: fmt.Sprintf("The program that supplies the tool %q is not connected. Start it, and call again.", name)}
}

// broadcast wakes whoever waits for a port. The caller holds mu.
func (h *Hub) broadcast() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// admit takes a connection in; ok is false where there are as many as may be.
func (h *Hub) admit(l *link) (ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.links) >= MaxPorts {
		return false
	}
	h.last++
	l.holder = "port" + strconv.Itoa(h.last)
	h.links[l] = true
	return true
}

// register adds a tool of a connection.
func (h *Hub) register(ctx context.Context, l *link, d Declaration) error {
	if err := d.check(); err != nil {
		return err
	}
	one := supplied{Client{Holder: l.holder, Port: l.name, Version: d.Digest(l.name), Declaration: d}, l, false}
	before, had, err := h.reserve(ctx, one)
	if err != nil {
		return err
	}
	if err := h.o.Tools.RegisterClient(ctx, one.Client); err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		if had {
			h.tools[d.Name] = before
		} else {
			delete(h.tools, d.Name)
		}
		h.broadcast()
		return err
	}
	return nil
}

// ready has a tool called from here on, if it is registered. Its host has been told: it need
// not expect calls before.
func (h *Hub) ready(l *link, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one, ok := h.tools[name]
	if !ok || one.link != l || one.ready {
		return
	}
	one.ready = true
	h.tools[name] = one
	if gone, ok := h.gone[name]; ok {
		gone.stop()
		delete(h.gone, name)
	}
	h.broadcast()
}

// reserve holds the name of a tool, so that it can be called as soon as others can find it.
func (h *Hub) reserve(ctx context.Context, one supplied) (before supplied, had bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before, had = h.tools[one.Declaration.Name]
	for had && before.link.isEnded() && ctx.Err() == nil { // it is being tidied away
		changed := h.changed
		h.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		h.mu.Lock()
		before, had = h.tools[one.Declaration.Name]
	}
	if had && before.link != one.link {
		return before, had, &tool.Error{Code: codeExists, Field: "$.tool.name", Message: fmt.Sprintf(
			"The open port %q supplies a tool %q already. Choose another name.", before.Port, one.Declaration.Name)}
	}
	count := 0
	for _, other := range h.tools {
		if other.link == one.link {
			count++
		}
	}
	if !had && count >= MaxTools {
		return before, had, &tool.Error{Code: CodeLimit, Message: fmt.Sprintf("The port supplies %d tools, which is as many as it may.", count)}
	}
	h.tools[one.Declaration.Name] = one
	return before, had, nil
}

// unregister takes a tool of a connection away at the wish of its host.
func (h *Hub) unregister(l *link, name string) error {
	h.mu.Lock()
	found, ok := h.tools[name]
	h.mu.Unlock()
	if !ok || found.link != l {
		return &tool.Error{Code: CodeMessage, Field: "$.name", Message: fmt.Sprintf("This port supplies no tool %q.", name)}
	}
	h.o.Tools.UnregisterClient(l.holder, name)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.tools, name)
	h.broadcast()
	return nil
}

// release tidies away what a connection that has ended supplied.
func (h *Hub) release(l *link) {
	h.mu.Lock()
	var mine []supplied
	for _, one := range h.tools {
		if one.link == l {
			mine = append(mine, one)
		}
	}
	h.mu.Unlock()
	for _, one := range mine {
		h.o.Tools.UnregisterClient(l.holder, one.Declaration.Name)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.links, l)
	for _, one := range mine {
		name := one.Declaration.Name
		delete(h.tools, name)
		if h.o.Grace < 0 {
			continue
		}
		gone := &lost{version: one.Version}
		h.gone[name] = gone
		gone.stop = h.o.Clock.After(h.o.Grace, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.gone[name] == gone {
				delete(h.gone, name)
				h.broadcast()
			}
		})
	}
	h.broadcast()
}

// Port is what is known of an open port.
type Port struct {
	// Name and Version as its host says, and Caller in whose name it speaks.
	Name, Version, Caller string
	// Tools that it supplies, sorted.
	Tools []string
	// Calls under way, and how many results were ignored because nobody waited for them.
	Calls, Ignored int
}

// Ports lists the ports that are open, by their names.
func (h *Hub) Ports() []Port {
	h.mu.Lock()
	defer h.mu.Unlock()
	names := map[*link][]string{}
	for _, name := range slices.Sorted(maps.Keys(h.tools)) {
		l := h.tools[name].link
		names[l] = append(names[l], name)
	}
	list := []Port{}
	for l := range h.links {
		if p, ok := l.describe(); ok {
			p.Tools = names[l]
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b Port) int { return strings.Compare(a.Name, b.Name) })
	return list
}
