package port

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"toolsmith/tool"
)

// outcome is what a call of the server came to.
type outcome struct {
	answer Answer
	err    error
	// cancel is the reason for which the host is told that it is not wanted any more; "" for
	// one that the host has ended itself.
	cancel string
}

// pending is a call that the server made and the host has not ended.
type pending struct {
	request     Request
	declaration Declaration
	// ctx ends with the call.
	ctx context.Context
	// outcome takes one, from whoever takes the call out of link.calls.
	outcome chan outcome
	// asked counts the requests for each context method; only whoever reads what the host sends
	// touches it.
	asked map[string]int
	// work is what is being done for the call: context methods and progress.
	work sync.WaitGroup
}

// invoke has the host carry out a call. The error is errEnded where nothing was sent.
func (l *link) invoke(ctx context.Context, d Declaration, r Request) (Answer, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.ended:
		return Answer{}, errEnded
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
	defer func() { <-l.slots }()
	during, done := context.WithCancel(ctx)
	defer done()
	p := &pending{request: r, declaration: d, ctx: during, outcome: make(chan outcome, 1), asked: map[string]int{}}
	id, ok := l.begin(p)
	if !ok {
		return Answer{}, errEnded
	}
	timeout := d.Timeout
	if until, ok := ctx.Deadline(); ok {
		timeout = max(min(timeout, time.Until(until)), time.Millisecond)
	}
	m := Invoke{ID: id, Tool: r.Tool, Arguments: r.Arguments, TaskID: r.TaskID, RunID: r.RunID, Caller: r.Caller, Deadline: timeout}
	if err := l.send(ctx, m); err != nil {
		l.take(id)
		var large errTooLarge
		if errors.As(err, &large) {
			return Answer{}, &tool.Error{Code: codeArgumentsLarge, Message: large.Error()}
		}
		return Answer{}, err
	}
	stop := l.hub.o.Clock.After(d.Timeout, func() {
		l.settle(id, outcome{cancel: "its time is over", err: &tool.Error{Code: CodeTime, Message: fmt.Sprintf(
			"The tool %q did not answer within %s.", r.Tool, d.Timeout)}})
	})
	defer stop()
	var out outcome
	select {
	case out = <-p.outcome:
	case <-ctx.Done():
		if l.take(id) == nil {
			out = <-p.outcome // it ended just now
			break
		}
		out = outcome{err: ctx.Err(), cancel: "the call was cancelled"}
	}
	if out.cancel != "" {
		l.cancelled(id, out.cancel)
	}
	done()
	p.work.Wait()
	return out.answer, out.err
}

// begin notes a call as under way.
func (l *link) begin(p *pending) (id string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return "", false
	}
	l.numbered++
	id = "c" + strconv.Itoa(l.numbered)
	l.calls[id] = p
	return id, true
}

// take ends a call, and gives it to the first who does; nil for any other.
func (l *link) take(id string) *pending {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.calls[id]
	delete(l.calls, id)
	return p
}

// settle gives a call its outcome, unless it has one.
func (l *link) settle(id string, out outcome) (was bool) {
	p := l.take(id)
	if p == nil {
		return false
	}
	p.outcome <- out
	return true
}

// answered settles a call with what the host says of it.
func (l *link) answered(id string, out outcome) {
	if l.settle(id, out) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ignored++
}

// cancelled tells the host that a call is not wanted any more, however much waits for it.
func (l *link) cancelled(id, reason string) {
	if text, err := Encode(Cancel{Call: id, Reason: reason}); err == nil {
		l.out.force(text)
	}
}

// working gives a call under way, and holds its end up until done is called; nil where there
// is none.
func (l *link) working(id string) (p *pending, done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p = l.calls[id]; p == nil {
		return nil, nil
	}
	p.work.Add(1)
	return p, p.work.Done
}

// progressed shows how far a call is.
func (l *link) progressed(m Progress) {
	p, done := l.working(m.Call)
	if p == nil {
		return
	}
	defer done()
	if p.request.Progress != nil {
		p.request.Progress(m.Done, m.Total, m.Note)
	}
}
