package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite/dbsqlc"
)

const (
	// mostInGroup is how many writes share one commit at most.
	mostInGroup = 256
	// longestGroup is after how long no further write joins a group, so that those in it are
	// not kept waiting.
	longestGroup = 10 * time.Millisecond
)

// The statements around what a function does.
const (
	beginWrite    = named + "BeginWrite\nBEGIN IMMEDIATE"
	commitGroup   = named + "CommitGroup\nCOMMIT"
	rollbackGroup = named + "RollbackGroup\nROLLBACK"
	saveOne       = named + "SaveOne\nSAVEPOINT one"
	releaseOne    = named + "ReleaseOne\nRELEASE one"
	rollbackOne   = named + "RollbackOne\nROLLBACK TO one"
)

// errUnfinished stands for a function that did not return.
var errUnfinished = errors.New("the function did not return")

// request is one call of Write or Trial.
type request struct {
	ctx context.Context
	fn  func(store.Tx) error
	// trial: it is rolled back, and shares its transaction with nobody.
	trial bool
	// alone: the group that it was in could not be committed, so it is tried without others.
	alone bool
	// number in the order in which requests were made.
	number uint64

	// done is closed once the fields below say what became of it.
	done     chan struct{}
	err      error
	panicked any
	exited   bool // fn ended its goroutine
}

// committer carries out requests one after the other, on a goroutine of its own. Writes
// that wait at the same time share one commit, since making it durable costs far more than
// what most of them do. There is no timer: whoever comes first is begun at once, and all who
// come while it is carried out or committed are the next group.
type committer struct {
	store   *Store
	wake    chan struct{} // holds one
	stop    chan struct{}
	stopped chan struct{}
	// longest is longestGroup, but for tests.
	longest time.Duration

	mu      sync.Mutex
	waiting []*request
	last    uint64
	// giveUp ends the wait for another process, and is nil where nothing waits for one.
	giveUp context.CancelFunc
}

func startCommitter(s *Store) *committer {
	c := &committer{
		store: s,
		wake:  make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}), longest: longestGroup,
	}
	go c.run()
	return c
}

// close ends the committer, which must have nothing to do any more.
func (c *committer) close() {
	close(c.stop)
	<-c.stopped
}

// do has a request carried out, and gives its error.
func (c *committer) do(r *request) error {
	if err := r.ctx.Err(); err != nil {
		return c.store.explain("begin", err)
	}
	r.done = make(chan struct{})
	c.mu.Lock()
	c.last++
	r.number = c.last
	c.waiting = append(c.waiting, r)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default: // it has been woken already
	}
	select {
	case <-r.done:
	case <-r.ctx.Done():
		if c.withdraw(r) {
			return c.store.explain("begin", r.ctx.Err())
		}
		<-r.done
	}
	switch {
	case r.exited:
		runtime.Goexit()
	case r.panicked != nil:
		panic(r.panicked)
	}
	return r.err
}

// withdraw takes a request out of the queue, and reports whether it was still there.
func (c *committer) withdraw(r *request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.Index(c.waiting, r)
	if at < 0 {
		return false
	}
	c.waiting = slices.Delete(c.waiting, at, at+1)
	if len(c.waiting) == 0 && c.giveUp != nil {
		c.giveUp()
	}
	return true
}

func (c *committer) run() {
	ended := false
	defer func() {
		if !ended { // a function ended its goroutine, and that was this one
			go c.run()
		}
	}()
	for c.wait() {
		c.serve()
	}
	ended = true
	close(c.stopped)
}

// wait waits for a request, and reports false if there will be none.
func (c *committer) wait() bool {
	for {
		c.mu.Lock()
		some := len(c.waiting) > 0
		c.mu.Unlock()
		if some {
			return true
		}
		select {
		case <-c.wake:
		case <-c.stop:
			return false
		}
	}
}

// serve carries out one transaction, with as many requests as may share it.
func (c *committer) serve() {
	conn, err := c.begin()
	if err != nil {
		return
	}
	defer conn.Close()
	g := &group{committer: c, conn: conn, began: time.Now()}
	for r := c.next(g); r != nil; r = c.next(g) {
		if !g.run(r) {
			return
		}
	}
	g.commit()
}

// begin begins a transaction. If it cannot, it tells all that were waiting when it tried.
func (c *committer) begin() (*sql.Conn, error) {
	// Another process is waited for as long as anybody here waits.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c.mu.Lock()
	last := c.last
	c.giveUp = cancel
	if len(c.waiting) == 0 {
		cancel()
	}
	c.mu.Unlock()
	doing := "open the store"
	conn, err := c.store.writer.Conn(ctx)
	if err == nil {
		doing = "begin"
		if _, err = conn.ExecContext(ctx, beginWrite); err != nil {
			c.rollback(conn) // the driver gives the end of a context also for what was done
			conn.Close()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveUp = nil
	if err == nil {
		return conn, nil
	}
	err = c.store.explain(doing, err)
	for len(c.waiting) > 0 && c.waiting[0].number <= last {
		c.refuse(c.pop(), err)
	}
	return nil, err
}

// next takes the next request that may join a group; nil if there is none.
func (c *committer) next(g *group) *request {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.waiting) > 0 && g.takes(c.waiting[0]) {
		r := c.pop()
		err := r.ctx.Err()
		if err == nil {
			return r
		}
		c.refuse(r, c.store.explain("begin", err))
	}
	return nil
}

// pop takes the first request out of the queue.
func (c *committer) pop() *request {
	r := c.waiting[0]
	c.waiting[0] = nil
	c.waiting = c.waiting[1:]
	return r
}

// putBack puts requests back to where they were taken from. Each runs alone then, so that
// none can fail because of another.
func (c *committer) putBack(requests []*request) {
	for _, r := range requests {
		r.alone = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(slices.Clip(requests), c.waiting...)
}

// refuse tells a request that it is not carried out.
func (c *committer) refuse(r *request, err error) {
	r.err = err
	close(r.done)
}

// rollback ends a transaction, if there still is one: some errors have ended it before.
func (c *committer) rollback(conn *sql.Conn) {
	_, _ = conn.ExecContext(context.Background(), rollbackGroup) // it fails if there is none
}

// group is the requests of one transaction.
type group struct {
	*committer
	conn  *sql.Conn
	began time.Time
	// requests that have been run. What the first did is to be committed. The others are told
	// of their errors once it is, since what they saw may come to nothing until then.
	requests []*request
}

// takes reports whether a request may join the group.
func (g *group) takes(r *request) bool {
	if len(g.requests) == 0 {
		return true
	}
	return !r.trial && !r.alone && !g.requests[0].alone &&
		len(g.requests) < mostInGroup && time.Since(g.began) < g.longest
}

// run runs the function of a request, and reports whether the transaction goes on. The first
// of a group has no savepoint: nothing else is lost if the whole transaction is rolled back.
func (g *group) run(r *request) bool {
	first := len(g.requests) == 0
	if !first && g.exec(saveOne) != nil {
		g.lose(r)
		return false
	}
	r.err = g.call(r)
	if first && (r.trial || r.err != nil) {
		g.rollback(g.conn)
		close(r.done)
		return false
	}
	if !first {
		var err error
		if r.err != nil {
			err = g.exec(rollbackOne)
		}
		if err != nil || g.exec(releaseOne) != nil { // an error has rolled back everything
			g.lose(r)
			return false
		}
	}
	g.requests = append(g.requests, r)
	return true
}

// call calls the function of a request, and gives its error, or why what it did must not be
// committed.
func (g *group) call(r *request) (err error) {
	used := &statements{ctx: r.ctx, conn: g.conn}
	r.panicked = nil
	returned := false
	defer func() {
		failed := used.end()
		switch {
		case !returned:
			err = errUnfinished
			if r.panicked = recover(); r.panicked == nil {
				r.exited = true // and with it this goroutine
				g.lose()
				close(r.done)
			}
		case err != nil || r.trial:
		case r.ctx.Err() != nil:
			err = g.store.explain("commit", r.ctx.Err())
		case failed != nil:
			err = g.store.explain("commit", failed)
		}
	}()
	err = r.fn(tx{store: g.store, db: used, query: dbsqlc.New(used), run: new(runNumber)})
	returned = true
	return err
}

// exec runs one of the statements around the functions.
func (g *group) exec(text string) error {
	_, err := g.conn.ExecContext(context.Background(), text)
	return err
}

// commit commits the group and tells everybody in it.
func (g *group) commit() {
	if len(g.requests) == 0 {
		g.rollback(g.conn)
		return
	}
	err := g.exec(commitGroup)
	switch {
	case err == nil && g.store.afterWrite != nil:
		err = g.store.afterWrite(g.conn)
	case err != nil && len(g.requests) > 1:
		g.lose()
		return
	case err != nil:
		g.rollback(g.conn)
		err = g.store.explain("commit", err)
	}
	for _, r := range g.requests {
		if r.err == nil {
			r.err = err
		}
		close(r.done)
	}
}

// lose rolls everything back, and has what was in the group, and further requests, run again.
func (g *group) lose(more ...*request) {
	g.rollback(g.conn)
	g.putBack(append(g.requests, more...))
}
