package storetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"toolsmith/internal/local"
	"toolsmith/internal/store"
)

func transactionTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"what fails leaves nothing":               failureLeavesNothing,
		"a panic leaves nothing and goes on":      panicLeavesNothing,
		"a goroutine that ends leaves nothing":    goexitLeavesNothing,
		"a cancelled context leaves nothing":      cancelLeavesNothing,
		"a trial sees its writes, leaves nothing": trialLeavesNothing,
		"a reader does not see a write under way": readersSeeTheOldState,
		"a reader keeps the state it began with":  readersKeepTheirState,
		"a reader cannot write":                   readersCannotWrite,
		"writers come one after the other":        writersTakeTurns,
		"a transaction ends with its function":    transactionsEnd,
		"a closed store gives errors":             closedStoreFails,
		"closing waits for what is under way":     closingWaits,
	}
}

var errStop = errors.New("stop")

func putNote(n int) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error { return tx.Local().Notes().Put(ctx, note(n, "x", "")) }
}

func countNotes(ctx context.Context, tx store.Tx) (int, error) {
	return tx.Local().Notes().Count(ctx, local.Filter{})
}

// expectNotes checks how many notes are committed, and that the store still works.
func expectNotes(t *testing.T, s store.Store, want int) {
	t.Helper()
	if got := read(t, s, countNotes); got != want {
		t.Errorf("%d notes are kept; want %d", got, want)
	}
}

func failureLeavesNothing(t *testing.T, s store.Store) {
	ctx := t.Context()
	err := s.Write(ctx, func(tx store.Tx) error {
		if err := putNote(1)(ctx, tx); err != nil {
			return err
		}
		return errStop
	})
	if err != errStop {
		t.Errorf("the error of the function came back as %v", err)
	}
	if err := s.Read(ctx, func(store.Tx) error { return errStop }); err != errStop {
		t.Errorf("the error of a reading function came back as %v", err)
	}
	expectNotes(t, s, 0)
}

func panicLeavesNothing(t *testing.T, s store.Store) {
	ctx := t.Context()
	for name, transact := range map[string]func(context.Context, func(store.Tx) error) error{
		"write": s.Write, "trial": s.Trial, "read": s.Read,
	} {
		func() {
			defer func() {
				if got := recover(); got != name {
					t.Errorf("%s: the panic came back as %v", name, got)
				}
			}()
			_ = transact(ctx, func(tx store.Tx) error {
				if name != "read" {
					if err := putNote(1)(ctx, tx); err != nil {
						t.Error(err)
					}
				}
				panic(name)
			})
		}()
	}
	write(t, s, putNote(2))
	expectNotes(t, s, 1)
}

// goexitLeavesNothing ends a goroutine within a transaction, as a failing test does.
func goexitLeavesNothing(t *testing.T, s store.Store) {
	ctx := t.Context()
	var group sync.WaitGroup
	group.Go(func() {
		_ = s.Write(ctx, func(tx store.Tx) error {
			if err := putNote(1)(ctx, tx); err != nil {
				t.Error(err)
			}
			runtime.Goexit()
			return nil
		})
	})
	group.Wait()
	write(t, s, putNote(2))
	expectNotes(t, s, 1)
}

func cancelLeavesNothing(t *testing.T, s store.Store) {
	ended, end := context.WithCancel(t.Context())
	end()
	untouched := func(store.Tx) error {
		t.Error("the function ran although its context had ended")
		return nil
	}
	for name, transact := range map[string]func(context.Context, func(store.Tx) error) error{
		"write": s.Write, "trial": s.Trial, "read": s.Read,
	} {
		if err := transact(ended, untouched); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}

	write(t, s, putNote(1))
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Write(ctx, func(tx store.Tx) error {
		if err := putNote(2)(ctx, tx); err != nil {
			return err
		}
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the commit: the error is %v", err)
	}
	write(t, s, putNote(3))
	expectNotes(t, s, 2)
}

func trialLeavesNothing(t *testing.T, s store.Store) {
	ctx := t.Context()
	write(t, s, putNote(1))
	for _, result := range []error{nil, errStop} {
		err := s.Trial(ctx, func(tx store.Tx) error {
			if err := putNote(2)(ctx, tx); err != nil {
				return err
			}
			if err := appendAudit("a")(ctx, tx); err != nil {
				return err
			}
			if err := putState("a", 1, "{}", 0)(ctx, tx); err != nil {
				return err
			}
			if count, err := countNotes(ctx, tx); err != nil || count != 2 {
				return fmt.Errorf("the trial sees %d notes: %w", count, err)
			}
			return result
		})
		if err != result {
			t.Errorf("the error is %v; want %v", err, result)
		}
	}
	expectNotes(t, s, 1)
	if lines := read(t, s, auditLines("", 0)); len(lines) != 0 {
		t.Errorf("a trial left %d lines of audit", len(lines))
	}
	if left := states(t, s); len(left) != 0 {
		t.Errorf("a trial left a state: %v", left)
	}
}

func readersSeeTheOldState(t *testing.T, s store.Store) {
	write(t, s, putNote(1))
	written, seen := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		defer close(seen)
		<-written
		expectNotes(t, s, 1)
	})
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		err := putNote(2)(ctx, tx)
		close(written)
		<-seen
		return err
	})
	group.Wait()
	expectNotes(t, s, 2)
}

func readersKeepTheirState(t *testing.T, s store.Store) {
	write(t, s, putNote(1))
	counts := read(t, s, func(ctx context.Context, tx store.Tx) (counts [2]int, err error) {
		if counts[0], err = countNotes(ctx, tx); err != nil {
			return counts, err
		}
		write(t, s, putNote(2))
		counts[1], err = countNotes(ctx, tx)
		return counts, err
	})
	if counts != [2]int{1, 1} {
		t.Errorf("the reader saw %v notes; want 1 both times", counts)
	}
	expectNotes(t, s, 2)
}

func readersCannotWrite(t *testing.T, s store.Store) {
	ctx := t.Context()
	if err := s.Read(ctx, func(tx store.Tx) error { return putNote(1)(ctx, tx) }); err == nil {
		t.Error("a note was written in a transaction that only reads")
	}
	expectNotes(t, s, 0)
}

// writersTakeTurns lets many goroutines raise one number; each sees what the others did.
func writersTakeTurns(t *testing.T, s store.Store) {
	const writers, times = 6, 15
	ctx := t.Context()
	raise := func(tx store.Tx) error {
		state, _, err := tx.Runs().State(ctx, "a", 1)
		if err != nil {
			return err
		}
		number := 0
		if len(state.Data) > 0 {
			if number, err = strconv.Atoi(string(state.Data)); err != nil {
				return err
			}
		}
		return tx.Runs().PutState(ctx, "a", 1, []byte(strconv.Itoa(number+1)), state.Revision)
	}
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range times {
				if err := s.Write(ctx, raise); err != nil {
					t.Error(err)
				}
				if err := s.Trial(ctx, raise); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	last := states(t, s)["a1"]
	if string(last.Data) != strconv.Itoa(writers*times) || last.Revision != writers*times {
		t.Errorf("the number is %s at revision %d; want %d", last.Data, last.Revision, writers*times)
	}
}

func transactionsEnd(t *testing.T, s store.Store) {
	ctx := t.Context()
	var kept []store.Tx
	keep := func(tx store.Tx) error {
		kept = append(kept, tx)
		return nil
	}
	if err := errors.Join(s.Write(ctx, keep), s.Trial(ctx, keep), s.Read(ctx, keep)); err != nil {
		t.Fatal(err)
	}
	for _, tx := range kept {
		if _, err := countNotes(ctx, tx); err == nil {
			t.Error("a transaction can be used after its end")
		}
	}
}

func closedStoreFails(t *testing.T, s store.Store) {
	ctx := t.Context()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	untouched := func(store.Tx) error {
		t.Error("the function ran although the store is closed")
		return nil
	}
	for name, transact := range map[string]func(context.Context, func(store.Tx) error) error{
		"write": s.Write, "trial": s.Trial, "read": s.Read,
	} {
		if err := transact(ctx, untouched); err == nil {
			t.Errorf("%s: a closed store gives no error", name)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func closingWaits(t *testing.T, s store.Store) {
	started, release := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			close(started)
			<-release
			err := putNote(1)(ctx, tx)
			ended.Store(true)
			return err
		})
	})
	<-started
	group.Go(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if !ended.Load() {
			t.Error("the store was closed while a transaction was under way")
		}
	})
	close(release)
	group.Wait()
}
