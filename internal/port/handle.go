package port

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"toolsmith/tool"
)

// handle does what one message says.
func (l *link) handle(text []byte) {
	m, err := Decode(FromHost, text)
	var invalid *InvalidError
	if errors.As(err, &invalid) {
		l.misunderstood(invalid)
		return
	}
	if hello, ok := m.(Hello); ok {
		l.greet(hello)
		return
	}
	if l.name == "" {
		l.refuse(ClosePolicy, "hello first", tool.Errorf(CodeRefused, "The first message is a hello."))
		return
	}
	if id, asks := requestOf(m); asks {
		if err := l.still(); err != nil {
			_ = l.post(Failed{ID: id, Fault: l.faultOf(err)}) // it may have ended the port
			return
		}
	}
	switch m := m.(type) {
	case Register:
		l.reply(m.ID, func(ctx context.Context) (Message, error) {
			return Registered{ID: m.ID, Name: m.Tool.Name}, l.hub.register(ctx, l, m.Tool)
		})
		l.hub.ready(l, m.Tool.Name)
	case Unregister:
		l.reply(m.ID, func(context.Context) (Message, error) {
			return Unregistered{ID: m.ID}, l.hub.unregister(l, m.Name)
		})
	case Progress:
		l.progressed(m)
	case Result:
		l.answered(m.Call, outcome{answer: Answer{Value: m.Value, Subtasks: m.Subtasks}})
	case Failed:
		l.answered(m.Call, outcome{err: &m.Fault})
	case Ask:
		l.ask(m)
	case Invoke:
		l.call(m)
	case Cancel:
		l.mu.Lock()
		defer l.mu.Unlock()
		if cancel := l.requests[m.ID]; cancel != nil {
			cancel(ErrCancelled)
		}
	case Ping:
		_ = l.post(Pong{m.ID}) // it ends with the port
	}
}

// misunderstood answers a message that cannot be understood. The call that it was to end
// fails: nobody is going to say more of it.
func (l *link) misunderstood(e *InvalidError) {
	switch {
	case e.Fatal:
		l.refuse(CloseInvalid, "no JSON object", e.Fault)
		return
	case l.name == "":
		l.refuse(ClosePolicy, "hello first", e.Fault)
		return
	case e.Call != "" && (e.Type == "result" || e.Type == "error"):
		l.settle(e.Call, outcome{err: &tool.Error{Code: tool.CodeResultInvalid, Message: "What the tool gave cannot be understood. " + e.Fault.Message}})
	}
	m := Failed{ID: e.ID, Fault: faultOf(e.Fault)}
	l.mu.Lock()
	if _, open := l.requests[e.ID]; open {
		m.ID = "" // that one has not failed
	}
	l.mu.Unlock()
	_ = l.post(m) // it ends with the port
}

// post sends a message for as long as the port is open.
func (l *link) post(m Message) error { return l.send(l.base, m) }

// greet accepts the first message, or ends the connection.
func (l *link) greet(m Hello) {
	if l.name != "" {
		_ = l.post(Failed{Fault: Fault{Code: CodeMessage, Message: "There was a hello before."}})
		return
	}
	l.hello()
	if m.Protocol != Protocol {
		l.refuse(ClosePolicy, "another protocol", &tool.Error{Code: CodeRefused, Field: "$.protocol", Message: fmt.Sprintf(
			"This server speaks protocol %d, not %d.", Protocol, m.Protocol)})
		return
	}
	if l.peer.Token != nil {
		caller, err := l.peer.Token(l.base, m.Token)
		if err != nil {
			l.refuseToken(err)
			return
		}
		l.caller = caller
	}
	l.mu.Lock()
	l.name, l.version, l.greeted = m.Name, m.Version, true
	l.mu.Unlock()
	if l.peer.Still != nil {
		l.work.Go(l.watch)
	}
	_ = l.post(Welcome{Server: "toolsmith", Version: l.hub.o.Version})
}

// refuseToken ends the connection of a host whose token is not accepted, or cannot be looked up
// now, so that it may come again.
func (l *link) refuseToken(err error) {
	if fault := verdict(err); fault != nil {
		l.refuse(ClosePolicy, "token refused", fault)
		return
	}
	l.hub.o.Log.Error("a token cannot be looked up", "cause", err.Error())
	l.refuse(CloseLater, "the token cannot be looked up", &tool.Error{Code: CodeRefused, Message: "It cannot be found out now whose token this is. Try again later.", Cause: err})
}

// verdict is the error with which a host is refused; nil where there is only an error that keeps
// anybody from knowing.
func verdict(err error) *tool.Error {
	var coded *tool.Error
	if errors.As(err, &coded) && !private.MatchString(coded.Code) {
		return coded
	}
	return nil
}

// still gives the error why the host may not be answered, and ends the port where that is for good.
func (l *link) still() error {
	if l.peer.Still == nil {
		return nil
	}
	err := l.peer.Still(l.base)
	if fault := verdict(err); fault != nil {
		l.refuse(ClosePolicy, "token refused", fault)
	}
	return err
}

// watch looks every now and then whether the host may go on, until the port ends.
func (l *link) watch() {
	for {
		due := make(chan struct{})
		stop := l.hub.o.Clock.After(checkEvery, func() { close(due) })
		select {
		case <-due:
		case <-l.ended:
			stop()
			return
		}
		if err := l.still(); err != nil && !l.isEnded() {
			l.hub.o.Log.Error("a token cannot be looked up", "port", l.name, "cause", err.Error())
		}
	}
}

// requestOf gives the id of a message that asks the server for something it may not give to
// everybody.
func requestOf(m Message) (id string, ok bool) {
	switch m := m.(type) {
	case Register:
		return m.ID, true
	case Ask:
		return m.ID, true
	case Invoke:
		return m.ID, true
	}
	return "", false
}

// open notes a request of the host; what is refused has been answered.
func (l *link) open(id string) (ctx context.Context, cancel context.CancelCauseFunc, ok bool) {
	l.mu.Lock()
	_, twice := l.requests[id]
	full, over := len(l.requests) >= MaxRequests, l.over
	if !twice && !full && !over {
		ctx, cancel = context.WithCancelCause(l.base)
		l.requests[id] = cancel
	}
	l.mu.Unlock()
	switch {
	case twice:
		_ = l.post(Failed{Fault: Fault{Code: CodeMessage, Field: "$.id", Message: fmt.Sprintf("The request %q is open already. Choose another id.", id)}})
	case full:
		_ = l.post(Failed{ID: id, Fault: Fault{Code: CodeLimit, Message: fmt.Sprintf("%d requests of this port are open, which is as many as may be.", MaxRequests)}})
	}
	return ctx, cancel, ctx != nil
}

// shut forgets a request, so that its id may be used again.
func (l *link) shut(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if cancel := l.requests[id]; cancel != nil {
		cancel(nil)
	}
	delete(l.requests, id)
}

// reply does something for the host, one at a time, and answers.
func (l *link) reply(id string, do func(ctx context.Context) (Message, error)) {
	ctx, _, ok := l.open(id)
	if !ok {
		return
	}
	m, err := do(ctx)
	if err != nil {
		m = Failed{ID: id, Fault: l.faultOf(err)}
	}
	l.shut(id)
	_ = l.post(m) // it ends with the port
}

// ask answers a request for a context method.
func (l *link) ask(m Ask) {
	unavailable := func(format string, args ...any) {
		_ = l.post(Failed{ID: m.ID, Fault: faultOf(tool.Errorf(tool.CodeContextUnavailable, format, args...))})
	}
	p, done := l.working(m.Call)
	if p == nil {
		unavailable("There is no call %q under way.", m.Call)
		return
	}
	if !slices.Contains(p.declaration.Context, m.Method) || p.request.Context == nil {
		done()
		unavailable("%s is not available here: the tool was registered without it, or it is not there for this call.", m.Method)
		return
	}
	if _, _, ok := l.open(m.ID); !ok {
		done()
		return
	}
	nth := p.asked[m.Method]
	p.asked[m.Method]++
	l.work.Go(func() {
		defer done()
		v, err := p.request.Context(p.ctx, nth, m.Method, m.Arguments)
		l.shut(m.ID)
		if err == nil {
			err = l.send(p.ctx, Given{ID: m.ID, Value: v})
		}
		var large errTooLarge
		if errors.As(err, &large) {
			err = &tool.Error{Code: codeResultLarge, Message: large.Error()}
		}
		if err != nil && p.ctx.Err() == nil {
			_ = l.send(p.ctx, Failed{ID: m.ID, Fault: l.faultOf(err)}) // it ends with the call
		}
	})
}

// call has the server carry out a call of the host.
func (l *link) call(m Invoke) {
	if l.hub.o.Call == nil {
		_ = l.post(Failed{ID: m.ID, Fault: Fault{Code: tool.CodeContextUnavailable, Message: "This server takes no calls from ports."}})
		return
	}
	if m.TaskID != "" && !l.hasTask(m.TaskID) {
		_ = l.post(Failed{ID: m.ID, Fault: Fault{Code: CodeMessage, Field: "$.taskId", Message: "No call of this task is under way on this port."}})
		return
	}
	ctx, cancel, ok := l.open(m.ID)
	if !ok {
		return
	}
	stop := func() {}
	if m.Deadline > 0 {
		stop = l.hub.o.Clock.After(m.Deadline, func() { cancel(ErrDeadline) })
	}
	l.work.Go(func() {
		defer stop()
		result, err := l.hub.o.Call(ctx, CallRequest{
			Port: l.name, Caller: l.caller, Tool: m.Tool, Arguments: m.Arguments, Title: m.Title, Key: m.Key, TaskID: m.TaskID,
			Progress: func(done, total float64, note string) {
				l.tell(Progress{ID: m.ID, Done: done, Total: total, Note: note})
			},
		})
		if cause := context.Cause(ctx); err != nil && cause != nil {
			err = stopped(cause, m.Deadline)
		}
		l.shut(m.ID)
		if err == nil {
			err = l.post(Result{ID: m.ID, Value: result.Value, RunID: result.RunID})
		}
		var large errTooLarge
		if errors.As(err, &large) {
			err = &tool.Error{Code: codeResultLarge, Message: large.Error()}
		}
		if err != nil && !l.isEnded() {
			_ = l.post(Failed{ID: m.ID, Fault: l.faultOf(err), RunID: result.RunID}) // it ends with the port
		}
	})
}

// stopped words why a call of the host ended before its end.
func stopped(cause error, deadline time.Duration) error {
	if errors.Is(cause, ErrDeadline) {
		return tool.Errorf(CodeTime, "The call took longer than %s.", deadline)
	}
	return tool.Errorf(codeAborted, "The call was cancelled.")
}

// hasTask reports whether a call of a task is under way.
func (l *link) hasTask(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.calls {
		if p.request.TaskID == id {
			return true
		}
	}
	return false
}

// private are the codes of errors that are not for hosts.
var private = regexp.MustCompile(`^(STORE|SECRET_KEY)_`)

// faultOf words an error for the host. One without a code is for the log alone, and so is what
// the store and the key of the secrets say: they name the folders of this machine.
func (l *link) faultOf(err error) Fault {
	var fault *Fault
	var coded *tool.Error
	switch {
	case errors.As(err, &fault):
		return *fault
	case errors.As(err, &coded) && !private.MatchString(coded.Code):
		return faultOf(coded)
	}
	l.hub.o.Log.Error("a request of a port failed", "port", l.name, "cause", err.Error())
	return Fault{Code: tool.CodeFailed, Message: "It could not be carried out; the log of the server has the cause."}
}

func faultOf(e *tool.Error) Fault {
	return Fault{Code: e.Code, Message: cut(e.Message, maxText), Field: cut(e.Field, maxField)}
}

// The bounds of the texts of a fault, in characters.
const (
	maxText  = 10_000
	maxField = 1000
)

// cut shortens a text to as many characters.
func cut(text string, most int) string {
	count := 0
	for at := range text {
		if count == most {
			return text[:at]
		}
		count++
	}
	return text
}
