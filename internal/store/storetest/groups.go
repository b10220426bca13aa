package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"

	"toolsmith/internal/store"
)

func groupTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"writes at once keep what succeeds":         manyWritesAtOnce,
		"writes go in the order of their asking":    writesAreInOrder,
		"a write that waits is given up":            waitingIsGivenUp,
		"what ends a write leaves the others":       endsLeaveOthers,
		"a statement that failed is not the end":    failedStatementsLeaveOthers,
		"trials between writes see what was before": trialsAreInOrder,
	}
}

// queued is a context that tells when a write waits for its turn, as then the driver looks
// for the end of the context.
type queued struct {
	context.Context
	once sync.Once
	told chan struct{}
}

func (q *queued) Done() <-chan struct{} {
	q.once.Do(func() { close(q.told) })
	return q.Context.Done()
}

// line holds up a store until all that is to be done is queued, one behind the other.
type line struct {
	t       *testing.T
	store   store.Store
	group   sync.WaitGroup
	release chan struct{}
}

func holdUp(t *testing.T, s store.Store) *line {
	t.Helper()
	l := &line{t: t, store: s, release: make(chan struct{})}
	begun := make(chan struct{})
	var once sync.Once
	l.group.Go(func() {
		write(t, s, func(context.Context, store.Tx) error {
			once.Do(func() { close(begun) })
			<-l.release
			return nil
		})
	})
	<-begun
	return l
}

// add queues what transact does with its context, behind all that was added before.
func (l *line) add(ctx context.Context, transact func(context.Context)) {
	in := &queued{Context: ctx, told: make(chan struct{})}
	l.group.Go(func() { transact(in) })
	<-in.told
}

// goOn lets everything happen, and waits until it has.
func (l *line) goOn() {
	close(l.release)
	l.group.Wait()
}

// manyWritesAtOnce lets many goroutines write, and some of the writes fail, each in one of
// the ways in which one can.
func manyWritesAtOnce(t *testing.T, s store.Store) {
	const writers, times = 64, 4
	var mu sync.Mutex
	var want []int
	var group sync.WaitGroup
	one := func(n int) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		defer func() { _ = recover() }()
		err := s.Write(ctx, func(tx store.Tx) error {
			if err := putNote(n)(ctx, tx); err != nil {
				return err
			}
			switch n % 7 {
			case 2:
				return errStop
			case 4:
				panic(errStop)
			case 5:
				cancel()
			}
			return nil
		})
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err == nil:
			want = append(want, n)
		case !errors.Is(err, errStop) && !errors.Is(err, context.Canceled):
			t.Errorf("write %d: %v", n, err)
		}
	}
	for writer := range writers {
		group.Go(func() {
			for time := range times {
				one(1 + writer*times + time)
			}
		})
	}
	group.Wait()
	if len(want) != 146 { // of 256 those that leave 0, 1, 3 or 6
		t.Errorf("%d writes succeeded; want 146", len(want))
	}
	slices.Sort(want)
	var got []int
	for n := 1; n <= writers*times; n++ {
		if !read(t, s, func(ctx context.Context, tx store.Tx) (bool, error) {
			return missing(tx.Local().Notes().Get(ctx, id(n)))
		}) {
			got = append(got, n)
		}
	}
	if diff := difference(want, got); diff != "" {
		t.Errorf("what is kept (-want +got):\n%s", diff)
	}
}

// writesAreInOrder queues many writes one behind the other, and every third of them fails.
func writesAreInOrder(t *testing.T, s store.Store) {
	const writes = 300 // more than a driver may put into one commit
	l := holdUp(t, s)
	for n := range writes {
		l.add(t.Context(), func(ctx context.Context) {
			err := s.Write(ctx, func(tx store.Tx) error {
				lines, err := tx.Registry().AuditLines(ctx, "", 0)
				if want := n - (n+1)/3; err == nil && len(lines) != want {
					t.Errorf("write %d sees %d that were asked for before; want %d", n, len(lines), want)
				}
				if err := errors.Join(err, appendAudit(fmt.Sprint(n))(ctx, tx)); err != nil {
					return err
				}
				if n%3 == 1 {
					return errStop
				}
				return nil
			})
			if n%3 != 1 && err != nil || n%3 == 1 && err != errStop {
				t.Errorf("write %d: %v", n, err)
			}
		})
	}
	l.goOn()
	var want, got []string
	for n := range writes {
		if n%3 != 1 {
			want = append(want, fmt.Sprint(n))
		}
	}
	for _, one := range read(t, s, auditLines("", 0)) { // newest first
		got = append(got, one.ToolID)
	}
	slices.Reverse(got)
	if diff := difference(want, got); diff != "" {
		t.Errorf("the order (-want +got):\n%s", diff)
	}
}

func waitingIsGivenUp(t *testing.T, s store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	l := holdUp(t, s)
	over := make(chan struct{})
	l.add(ctx, func(ctx context.Context) {
		defer close(over)
		err := s.Write(ctx, func(store.Tx) error {
			t.Error("it ran although its context had ended")
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
	l.add(t.Context(), func(ctx context.Context) {
		if err := s.Write(ctx, func(tx store.Tx) error { return putNote(1)(ctx, tx) }); err != nil {
			t.Errorf("the one behind it: %v", err)
		}
	})
	cancel()
	<-over
	l.goOn()
	expectNotes(t, s, 1)
}

// endsLeaveOthers has functions end in every way between others that succeed.
func endsLeaveOthers(t *testing.T, s store.Store) {
	ways := map[string]func(cancel func()) error{
		"an error":  func(func()) error { return errStop },
		"a panic":   func(func()) error { panic(errStop) },
		"goexit":    func(func()) error { runtime.Goexit(); return nil },
		"a context": func(cancel func()) error { cancel(); return nil },
	}
	l := holdUp(t, s)
	for number, way := range slices.Sorted(maps.Keys(ways)) {
		for place, with := range []bool{false, true, false} {
			n := 1 + number*3 + place
			l.add(t.Context(), func(in context.Context) {
				ctx, cancel := context.WithCancel(in)
				defer cancel()
				defer func() { _ = recover() }()
				err := s.Write(ctx, func(tx store.Tx) error {
					if err := putNote(n)(ctx, tx); err != nil || !with {
						return err
					}
					return ways[way](cancel)
				})
				if with != (err != nil) {
					t.Errorf("beside %s: %v", way, err)
				}
			})
		}
	}
	l.goOn()
	expectNotes(t, s, 8)
	write(t, s, putNote(100))
}

// failedStatementsLeaveOthers has a function go on after a statement of it has failed.
func failedStatementsLeaveOthers(t *testing.T, s store.Store) {
	l := holdUp(t, s)
	for n := range 3 {
		l.add(t.Context(), func(in context.Context) {
			err := s.Write(in, func(tx store.Tx) error {
				ended, end := context.WithCancel(in)
				if n == 1 {
					end()
				}
				defer end()
				return errors.Join(putNote(n+1)(in, tx), putNote(n+10)(ended, tx))
			})
			if (n == 1) != (err != nil) {
				t.Errorf("write %d: %v", n, err)
			}
		})
	}
	l.goOn()
	expectNotes(t, s, 4)
}

func trialsAreInOrder(t *testing.T, s store.Store) {
	l := holdUp(t, s)
	for n := range 6 {
		transact, name := s.Write, "write"
		if n%2 == 1 {
			transact, name = s.Trial, "trial"
		}
		l.add(t.Context(), func(in context.Context) {
			if err := transact(in, func(tx store.Tx) error {
				if count, err := countNotes(in, tx); err != nil || count != (n+1)/2 {
					t.Errorf("%s %d sees %d notes; want %d (%v)", name, n, count, (n+1)/2, err)
				}
				return putNote(n+1)(in, tx)
			}); err != nil {
				t.Errorf("%s %d: %v", name, n, err)
			}
		})
	}
	l.goOn()
	expectNotes(t, s, 3)
}
