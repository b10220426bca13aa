package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"toolsmith/internal/worker"
)

// The bounds of the stream.
const (
	// mostKept is how many events are kept for those who come back.
	mostKept = 4096
	// mostAtOnce is how many events a listener is sent at once.
	mostAtOnce = 256
	// heartbeat is how often a listener is told that it is still there.
	heartbeat = 15 * time.Second
	// lookEvery is how often it is looked whether the token of a listener still lets it in.
	lookEvery = time.Second
)

// Event is something that has changed.
type Event struct {
	Type string `json:"type" enum:"run,task,progress,question,tools,reset" doc:"What has changed. After reset, what was before is not known any more: read everything anew."`
	Run  string `json:"run,omitempty" doc:"The run."`
	// Task, its tool and what it has become.
	Task     string  `json:"task,omitempty" doc:"The task."`
	Tool     string  `json:"tool,omitempty" doc:"The tool that it calls."`
	State    string  `json:"state,omitempty" doc:"What the task has become."`
	Status   string  `json:"status,omitempty" doc:"What the run is now."`
	Question string  `json:"question,omitempty" doc:"The question that waits for an answer."`
	Done     float64 `json:"done,omitempty" doc:"How far the call is, out of total."`
	Total    float64 `json:"total,omitempty" doc:"How far it is to go; 0 where that is not known."`
	Note     string  `json:"note,omitempty" doc:"What the call says of how far it is."`
	Revision string  `json:"revision,omitempty" doc:"The new revision of the OpenAPI document, as you see it."`
}

// told is an event with its number, and whose it is.
type told struct {
	number int64
	caller string // of the run; "" is for everybody
	// alone: it is for the caller and nobody else, not even for the person who sees all, unless
	// the caller is "".
	alone bool
	text  []byte
}

// events keeps what happens for whoever listens. Telling takes the same little time however many
// listen and however slow they are: each of them reads at its own pace from what is kept, and one
// that is further behind than that is dropped.
type events struct {
	// epoch tells the numbers of this process from those of another.
	epoch string
	// turns bounds how many listeners are sent something at the same time, so that a thousand of
	// them do not stand in line before the runs.
	turns chan struct{}

	mu        sync.Mutex
	last      int64
	kept      []told
	listeners map[*listener]bool
	// more is closed, and made anew, when listeners are to look; waking is set when that is about
	// to happen.
	more   chan struct{}
	waking bool
	ended  bool
}

// listener is one who listens.
type listener struct {
	caller string // "" for one who sees all
	// read is the number of the last event that it has been sent, or was passed over.
	read int64
}

// The pace of listeners.
const (
	// shortPause is how long what happens is gathered before listeners look, and pauseEach how
	// much longer for each of them.
	shortPause = 2 * time.Millisecond
	pauseEach  = 50 * time.Microsecond
	// mostTurns is how many are sent something at the same time, and turnTime how long each has
	// before the next one need not wait for it.
	mostTurns = 2
	turnTime  = 5 * time.Millisecond
)

func newEvents() *events {
	return &events{
		epoch: strconv.FormatInt(time.Now().UnixNano(), 36), turns: make(chan struct{}, mostTurns),
		listeners: map[*listener]bool{}, more: make(chan struct{}),
	}
}

// sees reports whether a listener may see an event.
func (l *listener) sees(t told) bool {
	if t.alone {
		return l.caller == t.caller
	}
	return l.caller == "" || t.caller == "" || l.caller == t.caller
}

// tell hands an event on to those whose run it is about, and to the person.
func (e *events) tell(caller string, event Event) { e.put(told{caller: caller}, event) }

// tellOne hands an event on to one caller alone; "" is the person.
func (e *events) tellOne(caller string, event Event) { e.put(told{caller: caller, alone: true}, event) }

func (e *events) put(t told, event Event) {
	text, err := json.Marshal(event)
	if err != nil {
		return // it consists of texts and numbers
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	t.number, t.text = e.last, text
	if e.kept = append(e.kept, t); len(e.kept) > 2*mostKept {
		e.kept = append([]told(nil), e.kept[len(e.kept)-mostKept:]...)
	}
	if len(e.listeners) > 0 && !e.waking {
		e.waking = true
		time.AfterFunc(shortPause+time.Duration(len(e.listeners))*pauseEach, e.wake)
	}
}

// wake has all listeners look.
func (e *events) wake() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waking = false
	close(e.more)
	e.more = make(chan struct{})
}

// happened is told of what happens in runs, whoever asked for them.
func (e *events) happened(w worker.Event) {
	event := Event{Type: "run", Run: w.RunID, Status: string(w.Status)}
	if w.Task != nil {
		event.Type, event.Task, event.Tool, event.State = "task", w.Task.ID.String(), w.Task.Name, string(w.State)
	}
	switch {
	case w.Flow != nil:
		return // its steps are tasks of their own
	case w.Question != nil:
		event.Type, event.Question = "question", w.Question.ID
	case w.Progress != nil:
		event.Type, event.Done, event.Total, event.Note = "progress", w.Progress.Done, w.Progress.Total, w.Progress.Note
	}
	caller := w.Caller
	if caller == "" { // which is everybody here
		caller = "nobody"
	}
	e.tell(caller, event)
}

// listen begins to listen after an event; lost is true where what came since is not known any more.
func (e *events) listen(caller, after string) (l *listener, lost bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l = &listener{caller: caller, read: e.last}
	e.listeners[l] = true
	if after == "" {
		return l, false
	}
	epoch, text, _ := strings.Cut(after, "-")
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || epoch != e.epoch || number > e.last || number < e.before() {
		return l, true
	}
	l.read = number
	return l, false
}

// before is the number of the event before the first that is kept. The caller holds mu.
func (e *events) before() int64 { return e.last - int64(len(e.kept)) }

// next gives what a listener has not been sent yet, and a channel that is closed when there may be
// more; ok is false where it is to be dropped, since all is over or it was too slow.
func (e *events) next(l *listener) (list []told, more <-chan struct{}, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || l.read < e.before() {
		return nil, nil, false
	}
	for _, t := range e.kept[l.read-e.before():] {
		if len(list) == mostAtOnce {
			break
		}
		if l.read = t.number; l.sees(t) {
			list = append(list, t)
		}
	}
	return list, e.more, true
}

// turn waits for a turn to be sent something, and gives what ends it. It ends by itself where
// whoever is sent something takes its time.
func (e *events) turn(ctx context.Context) (done func(), ok bool) {
	select {
	case e.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, false
	}
	end := sync.OnceFunc(func() { <-e.turns })
	timer := time.AfterFunc(turnTime, end)
	return func() {
		timer.Stop()
		end()
	}, true
}

// anybody reports whether somebody listens.
func (e *events) anybody() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.listeners) > 0
}

// listens reports whether a caller listens.
func (e *events) listens(caller string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for l := range e.listeners {
		if l.caller == caller {
			return true
		}
	}
	return false
}

// end drops all who listen.
func (e *events) end() {
	e.mu.Lock()
	e.ended = true
	e.mu.Unlock()
	e.wake()
}

func (e *events) leave(l *listener) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.listeners, l)
}

// stream is the stream of events, for one listener.
func (a *API) stream(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	caller := listensAs(whoOf(r.Context()))
	l, lost := a.events.listen(caller, r.Header.Get("Last-Event-ID"))
	defer a.events.leave(l)
	if err := a.hear(r.Context()); err != nil {
		a.failed(r.Context(), err).write(w)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	send := func(text []byte) bool {
		_ = control.SetWriteDeadline(time.Now().Add(heartbeat)) // one that takes nothing is not waited for
		if _, err := w.Write(text); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	const here = ": here\n\n"
	first := here
	if lost {
		first = "data: {\"type\":\"reset\"}\n\n" + here
	}
	if !send([]byte(first)) {
		return
	}
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	var look <-chan time.Time
	if caller != "" { // the token of the person lasts as long as the server
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		look = ticker.C
	}
	for {
		list, more, ok := a.events.next(l)
		if !ok {
			return
		}
		if len(list) > 0 {
			done, ok := a.events.turn(r.Context())
			if !ok {
				return
			}
			ok = send(a.events.lines(list))
			done()
			if !ok {
				return
			}
			continue
		}
		select {
		case <-more:
		case <-tick.C:
			if !send([]byte(here)) {
				return
			}
		case <-look:
			if who, err := a.o.Guard.who(r); err == nil && who.Name == "" {
				return // its token was removed
			}
		case <-r.Context().Done():
			return
		}
	}
}

// lines are events as they are sent.
func (e *events) lines(list []told) []byte {
	var out []byte
	for _, t := range list {
		out = append(out, "id: "+e.epoch+"-"...)
		out = strconv.AppendInt(out, t.number, 10)
		out = append(out, "\ndata: "...)
		out = append(out, t.text...)
		out = append(out, "\n\n"...)
	}
	return out
}

// callerOf is how the runs of somebody who asks here are marked. A program may be called like
// the person, and is somebody else.
func callerOf(who Who) string {
	if who.Person {
		return "person:" + who.Name
	}
	return "http:" + who.Name
}
