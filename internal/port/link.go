package port

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"toolsmith/tool"
)

// link is one connection, from its beginning to its end.
type link struct {
	hub  *Hub
	conn Conn
	peer Peer
	// holder names it; no other has the name.
	holder string
	// in are messages that wait to be handled, and out those that wait to be written.
	in, out *queue
	// slots has room for the calls that the host carries out at once.
	slots chan struct{}
	// base is the context of all that is done for the host; it ends with the connection.
	base context.Context
	// work are goroutines that do something for the host.
	work sync.WaitGroup
	// hello stops the wait for the first message.
	hello func()

	// name, version and caller are set by the hello, before greeted.
	name, version, caller string

	mu      sync.Mutex
	greeted bool
	// ended is closed at the end; code and reason are then those to close with.
	ended  chan struct{}
	over   bool
	code   int
	reason string
	err    error
	// calls that the server made, by their ids; numbered counts them.
	calls    map[string]*pending
	numbered int
	// requests of the host that are open, by their ids.
	requests map[string]context.CancelCauseFunc
	ignored  int
}

// Serve holds a port open until its host or ctx ends it. The error says why it ended; nil where
// the host or ctx did in good order.
func (h *Hub) Serve(ctx context.Context, conn Conn, peer Peer) error {
	l := &link{
		hub: h, conn: conn, peer: peer, caller: peer.Caller,
		in: newQueue(MaxWaiting, maxWaitingBytes), out: newQueue(MaxWaiting*MaxCalls, MaxMessage),
		slots: make(chan struct{}, MaxCalls), ended: make(chan struct{}),
		calls: map[string]*pending{}, requests: map[string]context.CancelCauseFunc{},
	}
	if !h.admit(l) {
		err := &tool.Error{Code: CodeLimit, Message: fmt.Sprintf("%d ports are open, which is as many as may be.", MaxPorts)}
		return errors.Join(err, conn.Close(CloseLater, "too many ports"))
	}
	base, stop := context.WithCancelCause(context.WithoutCancel(ctx)) // whose end has a cause of its own
	defer stop(nil)
	l.base = base
	l.hello = h.o.Clock.After(helloTime, func() { l.end(ClosePolicy, "no hello", errors.New("no hello came in time")) })
	wire, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var handler, carriers sync.WaitGroup
	written := make(chan struct{})
	handler.Go(l.handleAll)
	carriers.Go(func() { l.readAll(wire) })
	carriers.Go(func() {
		defer close(written)
		l.writeAll(wire)
	})
	select {
	case <-l.ended:
	case <-ctx.Done():
		l.end(CloseAway, "the server ends", nil)
	}
	l.hello()
	stop(ErrDropped)
	handler.Wait()
	h.release(l)
	l.drain(written)
	closing := l.conn.Close(l.code, l.reason)
	cut()
	carriers.Wait()
	l.work.Wait()
	if l.err == nil {
		return nil // an end in good order need not be heard by the other side
	}
	return errors.Join(l.err, closing)
}

// end ends the connection: what is under way fails, and nothing more is sent or handled.
func (l *link) end(code int, reason string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.over, l.code, l.reason, l.err = true, code, reason, err
	for _, p := range l.calls {
		p.outcome <- outcome{err: &tool.Error{Code: CodeClosed, Message: fmt.Sprintf(
			"The program that supplies the tool %q was disconnected during the call, so nobody knows what it did.", p.request.Tool)}}
	}
	clear(l.calls)
	for _, cancel := range l.requests {
		cancel(ErrDropped)
	}
	close(l.ended)
}

func (l *link) isEnded() bool {
	select {
	case <-l.ended:
		return true
	default:
		return false
	}
}

// describe says what is known of the port; ok is false before its hello.
func (l *link) describe() (p Port, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.greeted || l.over {
		return Port{}, false
	}
	return Port{Name: l.name, Version: l.version, Caller: l.caller, Calls: len(l.calls), Ignored: l.ignored}, true
}

// readAll reads messages until the connection ends.
func (l *link) readAll(ctx context.Context) {
	for {
		text, err := l.conn.Read(ctx)
		var done *CloseError
		switch {
		case errors.As(err, &done) && (done.Code == CloseNormal || done.Code == CloseAway || done.Code == CloseSilent):
			l.end(CloseNormal, "", nil)
			return
		case err != nil:
			l.end(CloseNormal, "", fmt.Errorf("read: %w", err))
			return
		case len(text) > MaxMessage:
			l.end(CloseLarge, "message too large", fmt.Errorf("a message has %d bytes", len(text)))
			return
		}
		for {
			ok, taken := l.in.put(text)
			if ok {
				break
			}
			select {
			case <-taken:
			case <-l.ended:
				return
			}
		}
	}
}

// CloseError is the error of Read where the other side has closed the connection.
type CloseError struct {
	Code   int
	Reason string
}

// Error says with what it was closed.
func (e *CloseError) Error() string {
	return fmt.Sprintf("the other side has closed the port (%d %s)", e.Code, e.Reason)
}

func (l *link) writeAll(ctx context.Context) {
	for {
		text, ok := l.out.next(l.ended)
		if !ok {
			return
		}
		if err := l.conn.Write(ctx, text); err != nil {
			l.end(CloseNormal, "", fmt.Errorf("write: %w", err))
			return
		}
	}
}

func (l *link) handleAll() {
	for {
		text, ok := l.in.next(l.ended)
		if !ok || l.isEnded() {
			return
		}
		l.handle(text)
	}
}

// send has a message written as soon as there is room. The error is errEnded, that of the
// context, or that of a message that cannot be sent.
func (l *link) send(ctx context.Context, m Message) error {
	text, err := Encode(m)
	if err != nil {
		return err
	}
	for {
		if l.isEnded() {
			return errEnded
		}
		ok, taken := l.out.put(text)
		if ok {
			return nil
		}
		stop := l.hub.o.Clock.After(slowTime, func() { l.end(ClosePolicy, "too slow", errors.New("the host reads too slowly")) })
		select {
		case <-taken:
			err = nil
		case <-ctx.Done():
			err = ctx.Err()
		case <-l.ended:
			err = errEnded
		}
		stop()
		if err != nil {
			return err
		}
	}
}

// tell sends a message of which nobody has to know whether it arrives: it waits for nothing,
// and is left out where too much is waiting already.
func (l *link) tell(m Message) {
	if text, err := Encode(m); err == nil && !l.isEnded() {
		l.out.put(text)
	}
}

// refuse tells the host what is wrong, and ends the connection for it.
func (l *link) refuse(code int, reason string, fault *tool.Error) {
	if text, err := Encode(Failed{Fault: faultOf(fault)}); err == nil && !l.isEnded() {
		l.out.force(text)
	}
	l.end(code, reason, fault)
}

// drain waits a little until what a connection that has ended still has to say is written.
func (l *link) drain(written <-chan struct{}) {
	if l.code == CloseNormal {
		return // there is nobody who would read it
	}
	late := make(chan struct{})
	stop := l.hub.o.Clock.After(lastTime, func() { close(late) })
	defer stop()
	select {
	case <-written:
	case <-late:
	}
}
