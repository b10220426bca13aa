package httpapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
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
// listen and however slow they are: what is told is laid down, and a round a little later goes from
// one listener to the next. Each reads at its own pace from what is kept, and one that is further
// behind than that is dropped.
type events struct {
	// epoch tells the numbers of this process from those of another.
	epoch string

	// What was told since the last round.
	telling sync.Mutex
	last    int64
	fresh   []told
	many    int  // how many listen
	due     bool // a round is about to begin

	mu        sync.Mutex
	kept      []told
	newest    int64 // the number of the last that is kept, or was
	listeners map[*listener]bool
	ended     bool
	// batch is what was sent last, for the next listener who has read as far and sees the same.
	batch batch
}

// listener is one who listens.
type listener struct {
	caller string // "" for one who sees all
	// read is the number of the last event that it has been sent, or was passed over.
	read int64
	// busy: it has been told to look, and is not done. Only one that is not is told.
	busy bool
	// look tells it to look, and done that it has.
	look, done chan struct{}
}

// batch is a part of the stream, as it is sent to those who see what a caller sees.
type batch struct {
	caller   string
	from, to int64
	text     []byte
}

// The pace of listeners.
const (
	// shortPause is how long what happens is gathered before a round, and pauseEach how much
	// longer for each listener.
	shortPause = 2 * time.Millisecond
	pauseEach  = 50 * time.Microsecond
	// turnTime is how long a listener has before the round goes on without waiting for it.
	turnTime = 5 * time.Millisecond
)

func newEvents() *events {
	return &events{epoch: strconv.FormatInt(time.Now().UnixNano(), 36), listeners: map[*listener]bool{}}
}

// seenBy reports whether somebody who listens as a caller may see an event.
func (t told) seenBy(caller string) bool {
	if t.alone {
		return caller == t.caller
	}
	return caller == "" || t.caller == "" || caller == t.caller
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
	e.telling.Lock()
	defer e.telling.Unlock()
	e.last++
	t.number, t.text = e.last, text
	e.fresh = cut(append(e.fresh, t))
	if e.many > 0 && !e.due {
		e.due = true
		e.plan()
	}
}

// cut leaves out the oldest of what is kept, where it is too much.
func cut(list []told) []told {
	if len(list) <= 2*mostKept {
		return list
	}
	return append([]told(nil), list[len(list)-mostKept:]...)
}

// plan has a round begin. The caller holds telling.
func (e *events) plan() {
	time.AfterFunc(shortPause+time.Duration(e.many)*pauseEach, e.round)
}

// gather takes up what was told. The caller holds mu.
func (e *events) gather() {
	e.telling.Lock()
	defer e.telling.Unlock()
	if len(e.fresh) > 0 {
		if first := e.fresh[0].number; first != e.newest+1 { // what is between was too much
			e.kept = nil
		}
		e.kept = cut(append(e.kept, e.fresh...))
		e.newest, e.fresh = e.last, nil
	}
	e.many = len(e.listeners)
}

// round has all who listen look, one after the other: a thousand at once would stand in line
// before the runs.
func (e *events) round() {
	e.mu.Lock()
	e.gather()
	list := slices.Collect(maps.Keys(e.listeners))
	e.mu.Unlock()
	timer := time.NewTimer(turnTime)
	defer timer.Stop()
	for _, l := range list {
		if !e.poke(l) {
			continue
		}
		timer.Reset(turnTime)
		select {
		case <-l.done:
		case <-timer.C: // it takes its time, which is its own
		}
	}
	e.telling.Lock()
	defer e.telling.Unlock()
	if e.due = len(e.fresh) > 0 && e.many > 0; e.due {
		e.plan()
	}
}

// poke tells a listener to look, where there is something and it is not looking already.
func (e *events) poke(l *listener) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if l.busy || !e.listeners[l] || l.read == e.newest && !e.ended {
		return false
	}
	l.busy = true
	select {
	case <-l.done: // of a time before
	default:
	}
	signal(l.look)
	return true
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

// listen begins to listen after an event; lost is true where what came since is not known any
// more. The listener looks at once.
func (e *events) listen(caller, after string) (l *listener, lost bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	l = &listener{caller: caller, busy: true, look: make(chan struct{}, 1), done: make(chan struct{}, 1)}
	e.listeners[l] = true
	e.gather()
	l.read = e.newest
	if after == "" {
		return l, false
	}
	epoch, text, _ := strings.Cut(after, "-")
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || epoch != e.epoch || number > e.newest || number < e.before() {
		return l, true
	}
	l.read = number
	return l, false
}

// before is the number of the event before the first that is kept. The caller holds mu.
func (e *events) before() int64 { return e.newest - int64(len(e.kept)) }

// next gives a part of the stream that a listener has not been sent yet; nothing where it has been
// sent all, after which it waits to be told to look. ok is false where it is to be dropped, since
// all is over or it was too slow.
func (e *events) next(l *listener) (text []byte, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || l.read < e.before() {
		return nil, false
	}
	for l.read < e.newest {
		b := e.batch
		if b.caller != l.caller || b.from != l.read || b.to <= b.from {
			b = e.batchFor(l)
			e.batch = b
		}
		if l.read = b.to; len(b.text) > 0 {
			return b.text, true
		}
	}
	l.busy = false
	signal(l.done)
	return nil, true
}

// batchFor makes the next part of the stream. The caller holds mu.
func (e *events) batchFor(l *listener) batch {
	b := batch{caller: l.caller, from: l.read, to: l.read}
	seen := 0
	for _, t := range e.kept[l.read-e.before():] {
		if seen == mostAtOnce {
			break
		}
		if b.to = t.number; t.seenBy(l.caller) {
			seen++
			b.text = e.appendLine(b.text, t)
		}
	}
	return b
}

// appendLine writes an event as it is sent.
func (e *events) appendLine(out []byte, t told) []byte {
	out = append(out, "id: "+e.epoch+"-"...)
	out = strconv.AppendInt(out, t.number, 10)
	out = append(out, "\ndata: "...)
	out = append(out, t.text...)
	return append(out, "\n\n"...)
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
	list := slices.Collect(maps.Keys(e.listeners))
	e.mu.Unlock()
	for _, l := range list {
		e.poke(l)
	}
}

func (e *events) leave(l *listener) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.listeners, l)
	e.gather()
	if len(e.listeners) == 0 {
		e.batch = batch{}
	}
	signal(l.done) // a round need not wait for it
}

// signal leaves a sign in a channel that holds one, unless there is one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
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
		text, ok := a.events.next(l)
		if !ok || len(text) > 0 && !send(text) {
			return
		}
		if len(text) > 0 {
			continue
		}
		select {
		case <-l.look:
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

// callerOf is how the runs of somebody who asks here are marked. A program may be called like
// the person, and is somebody else.
func callerOf(who Who) string {
	if who.Person {
		return "person:" + who.Name
	}
	return "http:" + who.Name
}
