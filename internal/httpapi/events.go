package httpapi

import (
	"encoding/json"
	"fmt"
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
	// mostBehind is by how many events a listener may be behind before it is dropped.
	mostBehind = 512
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
	Revision string  `json:"revision,omitempty" doc:"The new revision of the OpenAPI document."`
}

// told is an event with its number, and whose it is.
type told struct {
	number int64
	caller string // of the run; "" is for everybody
	text   []byte
}

// events hands what happens to whoever listens. It never waits for a listener.
type events struct {
	// epoch tells the numbers of this process from those of another.
	epoch string

	mu        sync.Mutex
	last      int64
	kept      []told
	listeners map[*listener]bool
}

// listener is one who listens; its channel is closed where it was too slow.
type listener struct {
	caller string // "" for one who sees all
	ahead  chan told
}

func newEvents() *events {
	return &events{epoch: strconv.FormatInt(time.Now().UnixNano(), 36), listeners: map[*listener]bool{}}
}

// sees reports whether a listener may see an event.
func (l *listener) sees(t told) bool { return l.caller == "" || t.caller == "" || l.caller == t.caller }

// tell hands an event on.
func (e *events) tell(caller string, event Event) {
	text, err := json.Marshal(event)
	if err != nil {
		return // it consists of texts and numbers
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	t := told{e.last, caller, text}
	if e.kept = append(e.kept, t); len(e.kept) > 2*mostKept {
		e.kept = append([]told(nil), e.kept[len(e.kept)-mostKept:]...)
	}
	for l := range e.listeners {
		if !l.sees(t) {
			continue
		}
		select {
		case l.ahead <- t:
		default: // it is dropped, and may come back for what it has missed
			delete(e.listeners, l)
			close(l.ahead)
		}
	}
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

// listen begins to listen after an event; missed is what came since, and lost is true where
// that is not known any more.
func (e *events) listen(caller, after string) (l *listener, missed []told, lost bool) {
	l = &listener{caller: caller, ahead: make(chan told, mostBehind)}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.listeners[l] = true
	if after == "" {
		return l, nil, false
	}
	epoch, text, _ := strings.Cut(after, "-")
	number, err := strconv.ParseInt(text, 10, 64)
	first := e.last + 1
	if len(e.kept) > 0 {
		first = e.kept[0].number
	}
	if err != nil || epoch != e.epoch || number > e.last || number < first-1 {
		return l, nil, true
	}
	for _, t := range e.kept {
		if t.number > number && l.sees(t) {
			missed = append(missed, t)
		}
	}
	return l, missed, false
}

// end drops all who listen.
func (e *events) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for l := range e.listeners {
		delete(e.listeners, l)
		close(l.ahead)
	}
}

func (e *events) leave(l *listener) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.listeners, l)
}

// stream is the stream of events, for one listener.
func (a *API) stream(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	caller := ""
	if who := whoOf(r.Context()); !who.Person {
		caller = callerOf(who)
	}
	l, missed, lost := a.events.listen(caller, r.Header.Get("Last-Event-ID"))
	defer a.events.leave(l)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	send := func(format string, args ...any) bool {
		_ = control.SetWriteDeadline(time.Now().Add(heartbeat)) // one that takes nothing is not waited for
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	write := func(t told) bool { return send("id: %s-%d\ndata: %s\n\n", a.events.epoch, t.number, t.text) }
	if lost && !send("data: {\"type\":\"reset\"}\n\n") || !send(": here\n\n") {
		return
	}
	for _, t := range missed {
		if !write(t) {
			return
		}
	}
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case t, ok := <-l.ahead:
			if !ok || !write(t) {
				return
			}
		case <-tick.C:
			if !send(": here\n\n") {
				return
			}
		case <-look.C:
			if who, err := a.o.Guard.who(r); err == nil && who.Name == "" {
				return // its token was removed
			}
		case <-r.Context().Done():
			return
		}
	}
}

// callerOf is how the runs of somebody who asks here are marked. A program may be called like
// the person, and is somebody else.
func callerOf(who Who) string {
	if who.Person {
		return "person:" + who.Name
	}
	return "http:" + who.Name
}
