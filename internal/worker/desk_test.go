package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/consent"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/local/localtest"
	"toolsmith/internal/model"
	"toolsmith/internal/registry"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// desk is a worker over a real store in memory, with a clock and ids of its own.
type desk struct {
	*worker.Worker
	store *flaky
	clock *clock
	log   *logbook
	// workers that were made, to be closed at the end.
	workers []*worker.Worker
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	inner, err := sqlite.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	return newDeskOver(t, inner)
}

func (d *desk) close() {
	for _, w := range d.workers {
		_ = w.Close(context.Background())
	}
}

// newDeskOver makes a desk over a store, whose workers are closed at the end.
func newDeskOver(t testing.TB, inner store.Store) *desk {
	t.Helper()
	allowAll(t, inner)
	d := &desk{store: &flaky{Store: inner}, clock: &clock{now: dawn}, log: &logbook{}}
	d.Worker = d.another(nil)
	t.Cleanup(d.close)
	return d
}

// allowAll has nobody asked for what is not asked about every time.
func allowAll(t testing.TB, s store.Store) {
	t.Helper()
	err := s.Write(context.Background(), func(tx store.Tx) error {
		for _, power := range consent.Powers() {
			if err := tx.Consent().SetPermission(context.Background(), consent.KindPower, string(power), consent.Allow); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// another makes a further worker over the same store, as another process would be.
func (d *desk) another(m model.Model) *worker.Worker {
	return d.anotherWith(worker.Options{Model: m})
}

// anotherWith makes a further worker with options of its own.
func (d *desk) anotherWith(o worker.Options) *worker.Worker {
	catalogue := capability.Builtin()
	if o.Capabilities != nil {
		catalogue = o.Capabilities.Catalogue()
	}
	box, err := engine.NewToolbox(catalogue)
	if err != nil {
		panic(err)
	}
	o.ShowAfter = time.Hour // how busy the machine is must not decide what is written
	o.Store, o.Clock, o.NewID, o.Log = d.store, d.clock, d.clock.newID, slog.New(slog.NewTextHandler(d.log, nil))
	o.Engine = engine.New(engine.Options{Store: d.store, Catalogue: catalogue, Toolbox: box, Now: d.clock.Now, NewID: d.clock.newID, Who: "ada"})
	w := worker.New(o)
	d.workers = append(d.workers, w)
	return w
}

var dawn = time.Date(2026, 11, 27, 6, 30, 0, 0, time.UTC)

// clock tells the time that a test sets, and numbers ids.
type clock struct {
	mu  sync.Mutex
	now time.Time
	ids int
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.pass(d)
	return ctx.Err()
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) newID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids++
	return fmt.Sprintf("ID%024d", c.ids)
}

// logbook keeps log lines.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logbook) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Split(strings.TrimSuffix(l.text.String(), "\n"), "\n")
}

// flaky is a store that fails as a test says.
type flaky struct {
	store.Store

	mu sync.Mutex
	// data is the error of everything that reads or writes local data.
	data error
	// memory is the error of everything that reads or writes what runs leave.
	memory error
	// registry is the error of everything that reads the installed tools.
	registry error
	// commit is the error of a transaction that writes, when all of it has been done.
	commit error
	// onReadData is called once, after a transaction in which local data was read;
	// onReadBreaker after each in which a breaker was, with the number of the run. Both may be
	// nil.
	onReadData    func()
	onReadBreaker func(run any)
	// writes counts the transactions that write.
	writes int
	// around carries one out, numbered from 1; nil just does it.
	around func(number int, write func() error) error
	// aroundRead carries one out that reads, numbered from 1; nil just does it.
	aroundRead func(number int, read func() error) error
	reads      int
	// dead: nothing that is begun from now on is done.
	dead bool
}

// runKey is under what a context has the number of a run.
type runKey struct{}

// set changes how the store fails from now on.
func (s *flaky) set(data, memory, commit error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data, s.memory, s.commit = data, memory, commit
}

// setRegistry has everything fail that reads the installed tools.
func (s *flaky) setRegistry(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.registry = err
}

func (s *flaky) wrap(fn func(store.Tx) error) func(store.Tx) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, memory, installed := s.data, s.memory, s.registry
	return func(tx store.Tx) error { return fn(flakyTx{tx, data, memory, installed}) }
}

// afterReadingData has something done once, after the next transaction that reads local data.
func (s *flaky) afterReadingData(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onReadData = do
}

// kill ends the use of the store, as the end of a process does.
func (s *flaky) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
}

func (s *flaky) died() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead {
		return errDead
	}
	return nil
}

func (s *flaky) Read(ctx context.Context, fn func(store.Tx) error) error {
	if err := s.died(); err != nil {
		return err
	}
	s.mu.Lock()
	around := s.aroundRead
	s.reads++
	number := s.reads
	s.mu.Unlock()
	var asked watched
	read := func() error {
		return s.Store.Read(ctx, s.wrap(func(tx store.Tx) error {
			return fn(watchedTx{tx, &asked})
		}))
	}
	if around != nil {
		plain := read
		read = func() error { return around(number, plain) }
	}
	err := read()
	s.mu.Lock()
	onData, onBreaker := s.onReadData, s.onReadBreaker
	if asked.data {
		s.onReadData = nil
	}
	s.mu.Unlock()
	if asked.data && onData != nil {
		onData()
	}
	if asked.runs && onBreaker != nil {
		onBreaker(ctx.Value(runKey{}))
	}
	return err
}

// watched says what of a store was asked for in a transaction.
type watched struct{ data, runs bool }

type watchedTx struct {
	store.Tx
	asked *watched
}

func (t watchedTx) Local() local.Shelf {
	t.asked.data = true
	return t.Tx.Local()
}

func (t watchedTx) Runs() store.RunMemory {
	t.asked.runs = true
	return t.Tx.Runs()
}

// count sets the number of writes back, and has each carried out by around from now on.
func (s *flaky) count(around func(number int, write func() error) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes, s.around = 0, around
}

// countReads does for what reads what count does for what writes.
func (s *flaky) countReads(around func(number int, read func() error) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads, s.aroundRead = 0, around
}

func (s *flaky) Write(ctx context.Context, fn func(store.Tx) error) error {
	s.mu.Lock()
	around := s.around
	s.writes++
	number := s.writes
	s.mu.Unlock()
	write := func() error {
		s.mu.Lock()
		commit := s.commit
		s.mu.Unlock()
		if err := s.died(); err != nil {
			return err
		}
		if commit == nil {
			return s.Store.Write(ctx, s.wrap(fn))
		}
		if err := s.Store.Trial(ctx, s.wrap(fn)); err != nil {
			return err
		}
		return commit
	}
	if around == nil {
		return write()
	}
	return around(number, write)
}

func (s *flaky) Trial(ctx context.Context, fn func(store.Tx) error) error {
	return s.Store.Trial(ctx, s.wrap(fn))
}

type flakyTx struct {
	store.Tx
	data, memory, installed error
}

func (t flakyTx) Registry() registry.Store {
	if t.installed == nil {
		return t.Tx.Registry()
	}
	return flakyRegistry{t.Tx.Registry(), t.installed}
}

type flakyRegistry struct {
	registry.Store
	err error
}

func (r flakyRegistry) AuditLines(context.Context, string, int) ([]registry.AuditLine, error) {
	return nil, r.err
}

func (t flakyTx) Local() local.Shelf {
	if t.data == nil {
		return t.Tx.Local()
	}
	shelf := localtest.NewShelf()
	shelf.Fail = func(string) error { return t.data }
	return shelf
}

func (t flakyTx) Runs() store.RunMemory {
	if t.memory == nil {
		return t.Tx.Runs()
	}
	return flakyRuns{t.Tx.Runs(), t.memory}
}

type flakyRuns struct {
	store.RunMemory
	err error
}

func (r flakyRuns) State(context.Context, string, int64) (store.State, bool, error) {
	return store.State{}, false, r.err
}

func (r flakyRuns) PutState(context.Context, string, int64, []byte, int64) error { return r.err }

func (r flakyRuns) Breaker(context.Context, string, string) (store.Breaker, error) {
	return store.Breaker{}, r.err
}

func (r flakyRuns) PutBreaker(context.Context, string, string, store.Breaker) error { return r.err }

// Errors as stores give them. Neither text may be seen by anybody but the log.
var (
	errDisk = errors.New("disk I/O error at page 7")
	errFull = fmt.Errorf("commit: %w", &tool.Error{
		Code: store.CodeUnavailable, Message: "The store /home/ada/secret.db cannot be used: the disk is full.",
		Cause: errors.New("database or disk is full (13)"),
	})
)

// manifest writes the text of a tool from its steps, the first of which is the entry.
func manifest(nodes string, extra ...string) string {
	_, rest, _ := strings.Cut(nodes, `"id": "`)
	entry, _, _ := strings.Cut(rest, `"`)
	return `{"schema": "talos.local-tool.v1", "id": "made-up", "version": 1, "title": "Made up", "description": "For a test.",
"createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
"network": {"mode": "forbidden", "domains": []}, "credentialRequirements": [], ` + strings.Join(append(extra, ""), ", ") +
		`"flow": {"entry": "` + entry + `", "maxTransitions": 99, "nodes": [` + nodes + `]}}`
}

// checked checks a tool, which must pass.
func checked(t testing.TB, nodes string, extra ...string) *check.Checked {
	t.Helper()
	return checkedWith(t, capability.Builtin(), nodes, extra...)
}

func checkedWith(t testing.TB, catalogue *tool.Catalogue, nodes string, extra ...string) *check.Checked {
	t.Helper()
	return checkedText(t, catalogue, manifest(nodes, extra...))
}

func checkedText(t testing.TB, catalogue *tool.Catalogue, text string) *check.Checked {
	t.Helper()
	result := check.Run([]byte(text), catalogue)
	if !result.OK() {
		t.Fatalf("the manifest does not pass the check: %v\n%s", result.Diagnostics, text)
	}
	return result.Tool
}

// run runs a tool that has to begin, with an empty input.
func (d *desk) run(t testing.TB, c *check.Checked) worker.Outcome {
	t.Helper()
	return runWith(t, d.Worker, worker.Job{Tool: c, Input: map[string]any{}})
}

func runWith(t testing.TB, w *worker.Worker, job worker.Job) worker.Outcome {
	t.Helper()
	out, err := w.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// install keeps a tool and turns it on.
func (d *desk) install(t testing.TB, c *check.Checked) {
	t.Helper()
	install(t, d.Engine, c)
}

func install(t testing.TB, e *engine.Engine, c *check.Checked) {
	t.Helper()
	if _, err := e.Install(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.Enable(t.Context(), c.Name()); err != nil {
		t.Fatal(err)
	}
}

// change changes the local data as the person would.
func (d *desk) change(t testing.TB, fn func(context.Context, *local.Book) error) {
	t.Helper()
	err := d.store.Store.Write(t.Context(), func(tx store.Tx) error {
		return fn(t.Context(), local.NewBook(tx.Local(), d.clock.Now, d.clock.newID))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// records lists all local data: "task Buy milk (todo)", "note Recipe: flour".
func (d *desk) records(t testing.TB) []string {
	t.Helper()
	list := []string{}
	d.change(t, func(ctx context.Context, book *local.Book) error {
		tasks, err := book.Tasks(ctx, local.List{})
		for _, task := range tasks.Records {
			list = append(list, fmt.Sprintf("task %s (%s)", task.Title, task.Status))
		}
		if err != nil {
			return err
		}
		notes, err := book.Notes(ctx, local.List{})
		for _, note := range notes.Records {
			list = append(list, fmt.Sprintf("note %s: %s (%d)", note.Title, note.Content, note.Revision))
		}
		if err != nil {
			return err
		}
		memories, err := book.Memories(ctx, local.List{})
		for _, memory := range memories.Records {
			list = append(list, "memory "+memory.Title)
		}
		return err
	})
	return list
}

// state reads what is kept of a tool.
func (d *desk) state(t testing.TB, key string, version int64) string {
	t.Helper()
	var kept store.State
	err := d.store.Store.Read(t.Context(), func(tx store.Tx) (err error) {
		kept, _, err = tx.Runs().State(t.Context(), key, version)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(kept.Data)
}

// wantStatus fails unless a run ended as it should; code is "" for no failure.
func wantStatus(t testing.TB, r flow.Result, status flow.Status, code string) {
	t.Helper()
	got := ""
	if r.Failure != nil {
		got = r.Failure.Code
	}
	if r.Status != status || got != code {
		t.Errorf("the run ended as %s %s (%v); want %s %s", r.Status, got, r.Failure, status, code)
	}
}

// installed installs a manifest.
func installed(ctx context.Context, e *engine.Engine, text []byte) (registry.Installed, error) {
	tools, _, err := e.Checked(ctx, "", text)
	if err != nil {
		return registry.Installed{}, err
	}
	done, err := e.Install(ctx, tools...)
	if err != nil {
		return registry.Installed{}, err
	}
	return done[0], nil
}
