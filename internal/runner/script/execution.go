package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// execution is one call under way. All of it but what a request does on its own goroutine belongs to
// the goroutine of Run, on which the guest calls the host too.
type execution struct {
	Call
	runner  *Runner
	limits  Limits
	allowed *declaration
	ctx     context.Context
	// bounds is the context of the sandbox: it outlasts ctx by the grace.
	bounds      context.Context
	stopSandbox context.CancelFunc
	// after stops what the tool left running after its end; nil before.
	after   *time.Timer
	sandbox *quickjs.Sandbox

	// shown is what the clock of the tool shows.
	shown time.Time
	log   []LogLine
	// logged is how many bytes of it there are.
	logged int

	// live are the requests and timers that the tool waits for; waiting are those of them that wait
	// for one of the places of requests, of which so many are taken.
	live    map[int]*request
	waiting []*request
	taken   int
	// asked counts requests and timers, seq methods, and the others the bytes that went over.
	asked, seq, argumentBytes, resultBytes int
	// shows is closed when the last progress so far has been shown.
	shows chan struct{}
	// refused are requests that failed here; they are settled before anything else.
	refused []settlement

	settled chan settlement
	over    chan struct{}
	group   sync.WaitGroup

	// ending is how the tool ended, and stopping says that it was told to stop, or might have seen it.
	ending   *ending
	stopping bool
}

// request is one method of the context, or a timer.
type request struct {
	id, seq   int
	method    string // "" for a timer
	arguments map[string]any
	// cancel stops it; lasting ones are let finish when the tool has ended.
	ctx     context.Context
	cancel  context.CancelFunc
	lasting bool
}

// settlement is what a request came to.
type settlement struct {
	request *request
	// text is the JSON of the value, or of the error.
	text string
	ok   bool
	// failure ends the call.
	failure error
}

func newExecution(ctx context.Context, r *Runner, c Call, allowed *declaration) *execution {
	x := &execution{
		Call: c, runner: r, limits: r.limits, allowed: allowed, ctx: ctx,
		live: map[int]*request{}, settled: make(chan settlement), over: make(chan struct{}),
	}
	bounds, cancel := context.WithCancel(context.WithoutCancel(ctx))
	x.bounds = bounds
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(x.limits.Grace, cancel) })
	x.stopSandbox = func() { stop(); cancel() }
	return x
}

// door is the host of the guest.
type door struct{ *execution }

// Call answers the guest.
func (x door) Call(name string, arguments []string) (string, error) {
	at := func(i int) string {
		if i < len(arguments) {
			return arguments[i]
		}
		return ""
	}
	switch name {
	case "url":
		return address(arguments), nil
	case "log":
		x.write(at(0), at(1))
		return "", nil
	}
	if x.ending != nil {
		return "", nil // it is over, and what still runs is not heard
	}
	switch name {
	case "ask":
		return "", x.ask(at(0), at(1), at(2))
	case "timer":
		return "", x.timer(at(0), at(1))
	case "cancel":
		x.cancelRequest(at(0))
	case "stopped":
		if x.isStopped() {
			return x.whyStopped(), nil
		}
	case "end": // it comes once
		x.ending = &ending{kind: at(0), text: at(1)}
		x.stopping = x.stopping || x.isStopped() // it may have seen that before it was told
		x.after = time.AfterFunc(x.limits.Grace, x.stopSandbox)
	}
	return "", nil
}

// count counts one request or timer.
func (x *execution) count() error {
	if x.asked++; x.asked > x.limits.HostCalls {
		return tool.Errorf(CodeHostCalls, "The tool used its context and timers more than %d times. Have it do less in one call, or return subtasks that go on.", x.limits.HostCalls)
	}
	return nil
}

func (x *execution) newRequest(id string) (*request, error) {
	n, err := strconv.Atoi(id)
	if err != nil || x.live[n] != nil {
		return nil, &tool.Error{Code: CodeBroken, Message: "The runtime of the tool was tampered with."}
	}
	if err := x.count(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(x.ctx)
	q := &request{id: n, ctx: ctx, cancel: cancel}
	x.live[n] = q
	return q, nil
}

// ask begins a method of the context. The error ends the call.
func (x *execution) ask(id, method, text string) error {
	q, err := x.newRequest(id)
	if err != nil {
		return err
	}
	q.method = method
	if x.argumentBytes += len(text); x.argumentBytes > argumentsInAll*x.limits.ArgumentBytes {
		return tool.Errorf(CodeHostCalls, "The tool handed more than %d bytes to its context in all.", argumentsInAll*x.limits.ArgumentBytes)
	}
	if fault := x.prepare(q, text); fault != nil {
		x.refuse(q, fault)
		return nil
	}
	q.seq, q.lasting = x.seq, method == MethodProgress || method == MethodSetSecret
	x.seq++
	x.waiting = append(x.waiting, q)
	x.begin()
	return nil
}

// prepare reads the arguments of a request, and refuses what the tool may not do.
func (x *execution) prepare(q *request, text string) *tool.Error {
	if x.isStopped() {
		return x.stopReason()
	}
	if x.Host == nil {
		return unavailable(q.method)
	}
	if len(text) > x.limits.ArgumentBytes {
		return tool.Errorf(task.CodeArgumentsLarge, "The arguments of %s have %d bytes, and at most %d are allowed.", q.method, len(text), x.limits.ArgumentBytes)
	}
	v, err := value.Decode([]byte(text))
	if err != nil {
		return tool.Errorf(tool.CodeArgumentsInvalid, "The arguments of %s cannot be used: %w", q.method, err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return tool.Errorf(tool.CodeArgumentsInvalid, "The arguments of %s are no object.", q.method)
	}
	q.arguments = object
	return x.allowed.check(q.method, object)
}

func (x *execution) refuse(q *request, fault *tool.Error) {
	x.refused = append(x.refused, settlement{request: q, text: errorText(fault)})
}

// begin begins the requests that have a place.
func (x *execution) begin() {
	for len(x.waiting) > 0 && x.taken < x.limits.InFlight {
		q := x.waiting[0]
		x.waiting = x.waiting[1:]
		x.taken++
		before := x.shows
		var shown chan struct{}
		if q.method == MethodProgress {
			shown = make(chan struct{})
			x.shows = shown
		} else {
			before = nil
		}
		x.group.Go(func() {
			if before != nil {
				<-before // it ends as that request ends
			}
			s := x.do(q)
			q.cancel()
			if shown != nil {
				close(shown)
			}
			x.send(s)
		})
	}
}

func (x *execution) send(s settlement) {
	select {
	case x.settled <- s:
	case <-x.over:
	}
}

// do carries out a method, on a goroutine of its own.
func (x *execution) do(q *request) settlement {
	began := time.Now()
	v, err := x.Host.Do(q.ctx, q.seq, q.method, q.arguments)
	s := settlement{request: q}
	var parked *Suspend
	var coded *tool.Error
	switch {
	case err == nil:
		s.ok, s.text = true, value.JSON(v)
		if len(s.text) > x.limits.ResultBytes {
			s.ok = false
			s.text = errorText(tool.Errorf(task.CodeResultLarge, "What %s gives has %d bytes, and at most %d are allowed.", q.method, len(s.text), x.limits.ResultBytes))
		}
	case errors.As(err, &parked):
		s.failure = parked
	case errors.As(err, &coded):
		s.text = errorText(coded)
	case q.ctx.Err() != nil:
		s.text = errorText(x.stopReason())
	default:
		s.failure = fmt.Errorf("%s of a coded tool: %w", q.method, err)
	}
	if x.runner.trace != nil {
		x.runner.trace(x.traced(q, s, time.Since(began)))
	}
	return s
}

// timer begins a timer. The error ends the call.
func (x *execution) timer(id, milliseconds string) error {
	q, err := x.newRequest(id)
	if err != nil {
		return err
	}
	ms, _ := strconv.Atoi(milliseconds)
	// A timer that is due when the call is over finds nobody.
	timer := time.AfterFunc(time.Duration(max(0, ms))*time.Millisecond, func() { x.send(settlement{request: q, text: "null", ok: true}) })
	context.AfterFunc(q.ctx, func() { timer.Stop() })
	return nil
}

// cancelRequest forgets a request for which nobody waits any more, and stops it.
func (x *execution) cancelRequest(id string) {
	n, _ := strconv.Atoi(id)
	q := x.live[n]
	if q == nil {
		return
	}
	delete(x.live, n)
	q.cancel()
	x.waiting = slices.DeleteFunc(x.waiting, func(one *request) bool { return one == q })
	x.refused = slices.DeleteFunc(x.refused, func(one settlement) bool { return one.request == q })
}

// take takes what a request came to, and begins those that wait.
func (x *execution) take(s settlement) error {
	if s.request.method != "" {
		x.taken--
		x.begin()
	}
	if s.failure != nil {
		return s.failure
	}
	return x.settle(s)
}

// settle tells the tool, if it still waits.
func (x *execution) settle(s settlement) error {
	if x.live[s.request.id] != s.request {
		return nil
	}
	delete(x.live, s.request.id)
	s.request.cancel()
	if x.resultBytes += len(s.text); x.resultBytes > resultsInAll*x.limits.ResultBytes {
		return tool.Errorf(CodeHostCalls, "The tool was given more than %d bytes by its context in all.", resultsInAll*x.limits.ResultBytes)
	}
	how := "failed"
	if s.ok {
		how = "done"
	}
	_, err := x.call("settle", strconv.Itoa(s.request.id), how, s.text)
	return err
}

// finish waits for what is still under way. What a tool did not wait for is stopped, but for what is
// shown and kept; a call that is parked lets all else come to its end, so that it is known.
func (x *execution) finish(err error) {
	if x.after != nil {
		x.after.Stop()
	}
	var parked *Suspend
	isParked := errors.As(err, &parked)
	for _, q := range x.live {
		if q.method == "" || !q.lasting && !isParked {
			q.cancel()
		}
	}
	close(x.over)
	x.group.Wait()
	for _, q := range x.live {
		q.cancel()
	}
}

// write keeps a line of the console.
func (x *execution) write(level, line string) {
	switch level {
	case "log", "info", "debug", "warn", "error":
	default:
		level = "log"
	}
	if x.logged > x.limits.Log {
		return
	}
	if x.logged += len(line) + 1; x.logged > x.limits.Log {
		level, line = "warn", fmt.Sprintf("The tool wrote more than %d bytes; what follows is left out.", x.limits.Log)
	}
	x.log = append(x.log, LogLine{Level: level, Line: line})
	if x.Log != nil {
		x.Log(level, line)
	}
}
