package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"toolsmith/internal/store"
)

func leaseTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"a lease is alive until it is closed":       leasesLive,
		"messages arrive in their order":            messagesArrive,
		"a message is one line that is not long":    messagesAreLines,
		"whoever is gone is not notified":           goneIsNotNotified,
		"closing does not wait for messages":        closingDropsMessages,
		"a store that is closed gives no lease":     closedStoreGivesNoLease,
		"a context that has ended gives no lease":   endedContextGivesNoLease,
		"many leases notify each other all at once": manyLeasesNotify,
	}
}

func lease(t *testing.T, s store.Store) store.Lease {
	t.Helper()
	l, err := s.Lease(t.Context())
	if err != nil {
		t.Fatalf("lease: %v", err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func expectAlive(t *testing.T, by store.Lease, owner string, want bool) {
	t.Helper()
	if got, err := by.Alive(owner); got != want || err != nil {
		t.Errorf("%q is alive: %v, %v; want %v", owner, got, err, want)
	}
}

func leasesLive(t *testing.T, s store.Store) {
	one, other := lease(t, s), lease(t, s)
	if one.ID() == other.ID() || one.ID() == "" {
		t.Errorf("the leases are %q and %q", one.ID(), other.ID())
	}
	for _, by := range []store.Lease{one, other} {
		expectAlive(t, by, one.ID(), true)
		expectAlive(t, by, other.ID(), true)
		for _, nobody := range []string{"", "w1", "../" + one.ID(), strings.ToLower(one.ID()), "01JD0000000000000000000000"} {
			expectAlive(t, by, nobody, false)
		}
	}
	for range 2 {
		if err := one.Close(); err != nil {
			t.Error(err)
		}
		expectAlive(t, other, one.ID(), false)
		expectAlive(t, other, other.ID(), true)
	}
}

func messagesArrive(t *testing.T, s store.Store) {
	const messages = 300 // more than a driver may hold
	one, other := lease(t, s), lease(t, s)
	for _, to := range []store.Lease{one, other} {
		var group sync.WaitGroup
		group.Go(func() {
			for n := range messages {
				if err := one.Notify(to.ID(), fmt.Sprint(n)); err != nil {
					t.Errorf("message %d: %v", n, err)
				}
			}
		})
		for n := range messages {
			if got := <-to.Messages(); got != fmt.Sprint(n) {
				t.Errorf("the message is %q; want %d", got, n)
			}
		}
		group.Wait()
	}
}

func messagesAreLines(t *testing.T, s store.Store) {
	one := lease(t, s)
	for _, message := range []string{"", "a b\tc\r", "\xff\x00é", strings.Repeat("x", store.MaxMessage)} {
		if err := one.Notify(one.ID(), message); err != nil {
			t.Errorf("%.9q: %v", message, err)
			continue
		}
		if got := <-one.Messages(); got != message {
			t.Errorf("%.9q came as %.9q", message, got)
		}
	}
	for _, message := range []string{"a\nb", "\n", strings.Repeat("x", store.MaxMessage+1)} {
		if err := one.Notify(one.ID(), message); err == nil || errors.Is(err, store.ErrGone) {
			t.Errorf("%.9q: %v", message, err)
		}
	}
	if len(one.Messages()) > 0 {
		t.Error("what was refused arrived")
	}
}

func goneIsNotNotified(t *testing.T, s store.Store) {
	one, other := lease(t, s), lease(t, s)
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	for _, owner := range []string{other.ID(), "", "w1", "01JD0000000000000000000000"} {
		if err := one.Notify(owner, "x"); !errors.Is(err, store.ErrGone) {
			t.Errorf("%q: %v", owner, err)
		}
	}
	if _, open := <-other.Messages(); open {
		t.Error("a message came from nowhere")
	}
}

func closingDropsMessages(t *testing.T, s store.Store) {
	one, other := lease(t, s), lease(t, s)
	first := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		var err error
		for n := 0; err == nil; n++ {
			if err = one.Notify(other.ID(), "x"); n == 0 {
				close(first)
			}
		}
		if !errors.Is(err, store.ErrGone) {
			t.Errorf("the last message: %v", err)
		}
	})
	<-first
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	group.Wait()
}

func closedStoreGivesNoLease(t *testing.T, s store.Store) {
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lease(t.Context()); err == nil {
		t.Error("a closed store gave a lease")
	}
}

func endedContextGivesNoLease(t *testing.T, s store.Store) {
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := s.Lease(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func manyLeasesNotify(t *testing.T, s store.Store) {
	const leases, messages = 6, 20
	var all []store.Lease
	for range leases {
		all = append(all, lease(t, s))
	}
	var group sync.WaitGroup
	for _, one := range all {
		for _, other := range all {
			group.Go(func() {
				for range messages {
					if err := one.Notify(other.ID(), one.ID()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Go(func() {
			from := map[string]int{}
			for range leases * messages {
				from[<-one.Messages()]++
			}
			for _, other := range all {
				if from[other.ID()] != messages {
					t.Errorf("%d messages; want %d", from[other.ID()], messages)
				}
			}
		})
	}
	group.Wait()
}
