package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/model"
	"toolsmith/internal/runner/client"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/secret"
	"toolsmith/internal/store"
	"toolsmith/tool"
)

// Capabilities carry out calls of the capabilities that this host has.
type Capabilities interface {
	Catalogue() *tool.Catalogue
	// Call carries out one call over the book of the person's own data, within the transaction
	// that the book belongs to. The book is nil for a capability that reaches outside.
	Call(ctx context.Context, book *local.Book, call capability.Call) (capability.Result, error)
	// HTTPClient gives a client that reaches what a reach allows.
	HTTPClient(reach *capability.Reach) *capability.Client
	// Fetch sends one request within the reach that it names; key is as in capability.Call.
	Fetch(ctx context.Context, r capability.Request, key string) (capability.Response, error)
}

// Options are what a worker needs.
type Options struct {
	// Store holds runs, the local data, states and breakers; required.
	Store store.Store
	// Engine keeps new runs and knows the tools; required, but for dry runs.
	Engine *engine.Engine
	// Capabilities of this host; nil are those of capability.NewHost.
	Capabilities Capabilities
	// Vault keeps the secrets of tools; nil for none.
	Vault *secret.Vault
	// Scripts run coded tools; nil means that there are none.
	Scripts *script.Runner
	// Ports call the tools that programs outside supply; nil means that there are none.
	Ports client.Hub
	// Model answers model steps; nil means that there is none.
	Model model.Model
	// Clock; nil is the real one.
	Clock flow.Clock
	// NewID makes ids of runs, records and log lines; required.
	NewID func() string
	// Log takes the private causes of failures; nil drops them.
	Log *slog.Logger
	// Parallel is how many calls are carried out at once; 0 is DefaultParallel.
	Parallel int
	// ShowAfter is how long a call runs before others are told that it does, since shorter ones
	// would be written down twice for nothing; 0 is 100 ms.
	ShowAfter time.Duration
}

// DefaultParallel is how many calls are carried out at once.
const DefaultParallel = 64

// Worker carries runs out over a store. It may be used from many goroutines at once.
type Worker struct {
	Options
	capabilities Capabilities
	programs     *programs
	// watchers are told of what happens in all runs.
	watchers audience
	// base is the context of all runs; it ends when the worker does.
	base context.Context
	stop context.CancelFunc

	mu     sync.Mutex
	lease  store.Lease
	active map[string]*active
	closed bool
	// queue are the calls that are ready, and busy is how many are being carried out.
	queue []ready
	busy  int
	// idle is closed when a closed worker has nothing under way any more.
	idle chan struct{}
	done sync.WaitGroup
	// taking holds one while a run is being taken up, so that none is twice.
	taking chan struct{}
}

type ready struct {
	run *active
	seq int
}

// New makes a worker. It carries nothing out before Start, but for dry runs.
func New(o Options) *Worker {
	if o.Clock == nil {
		o.Clock = flow.SystemClock{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Parallel == 0 {
		o.Parallel = DefaultParallel
	}
	if o.ShowAfter == 0 {
		const usual = 100 * time.Millisecond
		o.ShowAfter = usual
	}
	if o.Capabilities == nil {
		o.Capabilities = capability.NewHost()
	}
	w := &Worker{Options: o, capabilities: o.Capabilities, programs: newPrograms(), active: map[string]*active{}, idle: make(chan struct{}), taking: make(chan struct{}, 1)}
	w.base, w.stop = context.WithCancel(context.Background())
	return w
}

// Start takes a lease on the store, so that runs can belong to this worker. Starting it again
// does nothing.
func (w *Worker) Start(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return &tool.Error{Code: CodeClosed, Message: "The program that carries runs out is ending, so that nothing is begun.", Cause: errClosed}
	}
	if w.lease != nil {
		return nil
	}
	lease, err := w.Store.Lease(ctx)
	if err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	w.lease = lease
	w.done.Add(1)
	go w.listen(lease)
	return nil
}

// listen does what other processes ask for.
func (w *Worker) listen(lease store.Lease) {
	defer w.done.Done()
	for message := range lease.Messages() {
		w.hear(message)
	}
}

// Close lets the calls under way come to their ends for as long as ctx allows, and leaves the
// rest to be taken up again. A tool that goes on although its context has ended is not waited
// for: that is an error, and what it comes to is not kept. Closing it again does nothing.
func (w *Worker) Close(ctx context.Context) error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	w.queue = nil
	lease, busy := w.lease, w.busy
	w.mu.Unlock()
	if busy > 0 {
		select {
		case <-w.idle:
		case <-ctx.Done():
		}
	}
	w.stop()
	w.mu.Lock()
	for _, a := range w.active {
		a.deadline.Stop()
	}
	w.mu.Unlock()
	var err error
	if lease != nil {
		err = lease.Close()
	}
	ended := make(chan struct{})
	go func() {
		w.done.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(lastWait):
		w.mu.Lock()
		err = errors.Join(err, fmt.Errorf("%d calls go on although they were told to end", w.busy))
		w.mu.Unlock()
	}
	if err != nil {
		return fmt.Errorf("close the worker: %w", err)
	}
	return nil
}

// lastWait is how long calls are waited for whose contexts have ended.
const lastWait = 2 * time.Second

// enqueue has a call that is ready carried out as soon as there is room.
func (w *Worker) enqueue(a *active, seq int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.queue = append(w.queue, ready{a, seq})
	if w.busy < w.Parallel {
		w.busy++
		w.done.Add(1)
		go w.carry()
	}
}

// carry carries calls out until none is ready.
func (w *Worker) carry() {
	defer w.done.Done()
	for {
		w.mu.Lock()
		if len(w.queue) == 0 || w.closed {
			w.busy--
			if w.closed && w.busy == 0 {
				close(w.idle)
			}
			w.mu.Unlock()
			return
		}
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.mu.Unlock()
		next.run.work(next.seq)
	}
}

// drop forgets a run that this worker does not carry out any more.
func (w *Worker) drop(a *active) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active[a.id] == a { // it may have been taken up anew
		delete(w.active, a.id)
	}
}

// book opens the local data of a transaction.
func (w *Worker) book(tx store.Tx) *local.Book {
	return local.NewBook(tx.Local(), w.Clock.Now, w.NewID)
}

// callError words a failed call for people, and logs what is not for them.
func (w *Worker) callError(c flow.Call, err error) *flow.CallError {
	out := &flow.CallError{Message: "The local data could not be reached.", Cause: err}
	private := err
	var known *capability.Error
	if errors.As(err, &known) {
		out.Message, out.Permanent, private = known.Public, known.Permanent, known.Cause
		switch {
		case known.Code == capability.CodeUnknown:
			out.Code = flow.CodeCapabilityUnavailable
		case known.Outbound():
			out.Code = known.Code
		}
	}
	// What is wrong with an input is said in full. What a store says is for the log alone,
	// its coded errors included: they name the folders of this machine.
	if private != nil && !out.Permanent {
		id := w.NewID()
		w.Log.Error("capability failed", "id", id, "capability", c.Capability, "step", c.Step, "cause", chain(private))
		out.Message += fmt.Sprintf(" (log id %s)", id)
	}
	return out
}

// chain writes an error with the causes that its own text leaves out.
func chain(err error) string {
	text := err.Error()
	var coded *tool.Error
	if errors.As(err, &coded) && coded.Cause != nil {
		text += ": " + chain(coded.Cause)
	}
	return text
}

// call carries out one call in the transaction that run opens.
func (w *Worker) call(ctx context.Context, c flow.Call, run func(context.Context, func(store.Tx) error) error) (flow.Answer, error) {
	var result capability.Result
	err := run(ctx, func(tx store.Tx) error {
		var err error
		result, err = w.capabilities.Call(ctx, w.book(tx), capability.Call{Name: c.Capability, Input: c.Input})
		return err
	})
	if err != nil {
		return flow.Answer{}, w.callError(c, err)
	}
	return answerOf(result), nil
}

func answerOf(result capability.Result) flow.Answer {
	answer := flow.Answer{Value: result.Value}
	if result.Cut != nil {
		answer.Note = fmt.Sprintf("cut: %d of %d", result.Cut.Shown, result.Cut.Total)
	}
	return answer
}

// programs are flows made ready to run, the newest kept for the next call.
type programs struct {
	mu       sync.Mutex
	byDigest map[string]*flow.Program
	order    []string
}

// mostPrograms is how many are kept.
const mostPrograms = 128

func newPrograms() *programs { return &programs{byDigest: map[string]*flow.Program{}} }

// program makes a flow ready to run.
func (w *Worker) program(c *check.Checked) (*flow.Program, error) {
	p, digest := w.programs, c.Digest()
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.byDigest[digest]; ok {
		return known, nil
	}
	made, err := flow.Compile(c)
	if err != nil {
		return nil, fmt.Errorf("prepare run: %w", err)
	}
	p.byDigest[digest] = made
	if p.order = append(p.order, digest); len(p.order) > mostPrograms {
		delete(p.byDigest, p.order[0])
		p.order = p.order[1:]
	}
	return made, nil
}

// started is when a run began, as its flows see it.
func (c *call) started() time.Time { return c.run.CreatedAt }
