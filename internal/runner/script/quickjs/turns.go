package quickjs

import (
	"context"
	"sync"
	"sync/atomic"
)

// turns hands out a number of places, first come first served.
type turns struct {
	mu    sync.Mutex
	free  int
	queue []*waiter
	// waiting is the length of the queue, to be asked without the lock.
	waiting atomic.Int32
}

// waiter is one who stands in the queue.
type waiter struct {
	ready chan struct{}
}

func newTurns(n int) *turns { return &turns{free: n} }

// wanted reports whether somebody waits.
func (t *turns) wanted() bool { return t.waiting.Load() > 0 }

// left is how many places are free.
func (t *turns) left() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.free
}

// take waits for a place, until the context ends or closed is closed.
func (t *turns) take(ctx context.Context, closed <-chan struct{}) error {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	w := t.join()
	t.mu.Unlock()
	return t.await(ctx, closed, w)
}

// pass gives the place to whoever waits longest and waits for the next one behind all others. It
// keeps the place if nobody waits. With an error the place is gone.
func (t *turns) pass(ctx context.Context, closed <-chan struct{}) error {
	t.mu.Lock()
	if len(t.queue) == 0 {
		t.mu.Unlock()
		return nil
	}
	w := t.join()
	t.next()
	t.mu.Unlock()
	return t.await(ctx, closed, w)
}

// give gives a place back.
func (t *turns) give() {
	t.mu.Lock()
	t.next()
	t.mu.Unlock()
}

// join stands in the queue. The lock is held.
func (t *turns) join() *waiter {
	w := &waiter{ready: make(chan struct{})}
	t.queue = append(t.queue, w)
	t.waiting.Store(int32(len(t.queue)))
	return w
}

// next hands a place to the first of the queue, or keeps it as a free one. The lock is held.
func (t *turns) next() {
	if len(t.queue) == 0 {
		t.free++
		return
	}
	w := t.queue[0]
	t.queue[0] = nil
	t.queue = t.queue[1:]
	t.waiting.Store(int32(len(t.queue)))
	close(w.ready)
}

func (t *turns) await(ctx context.Context, closed <-chan struct{}, w *waiter) error {
	var err error
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		err = stopped(ctx)
	case <-closed:
		err = errClosed
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, other := range t.queue {
		if other == w {
			t.queue = append(t.queue[:i], t.queue[i+1:]...)
			t.waiting.Store(int32(len(t.queue)))
			return err
		}
	}
	t.next() // it got the place at the same moment
	return err
}
