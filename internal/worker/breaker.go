package worker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"toolsmith/internal/store"
)

// A capability of a tool that fails breakerFailures times within breakerWindow is left
// alone for breakerRest; then one call is let through to try. What is known is kept in the
// store, since every run of the command line is a process of its own; that is also why no
// library serves here, whose breakers live in memory.
const (
	breakerFailures = 3
	breakerWindow   = 10 * time.Minute
	breakerRest     = 30 * time.Minute
)

// breaker guards the capabilities of one tool during one run.
type breaker struct {
	store store.Store
	key   string
	now   func() time.Time
	// trials are the calls under way that were let through to try, by capability.
	trials map[string]time.Time
}

func newBreaker(w *Worker, key string) *breaker {
	return &breaker{store: w.Store, key: key, now: w.Clock.Now, trials: map[string]time.Time{}}
}

// Allow refuses calls while the breaker is open. The call that it lets through after the
// rest opens it anew at once, so that only that one is tried; its success closes it.
func (b *breaker) Allow(ctx context.Context, capability string) error {
	kept, err := b.read(ctx, capability)
	if err != nil || kept.OpenedAt == nil {
		return nil //nolint:nilerr // a breaker that cannot be read must not stop a tool that could run
	}
	if refusal := b.resting(capability, kept); refusal != nil {
		return refusal
	}
	var refusal error
	b.change(ctx, capability, func(kept *store.Breaker) bool {
		// Another run may have taken the trial since.
		if refusal = b.resting(capability, *kept); refusal != nil || kept.OpenedAt == nil {
			return false
		}
		now := b.now()
		kept.OpenedAt, b.trials[capability] = &now, now
		return true
	})
	return refusal
}

// resting says until when a capability is left alone; nil if it is not.
func (b *breaker) resting(capability string, kept store.Breaker) error {
	if kept.OpenedAt == nil {
		return nil
	}
	until := kept.OpenedAt.Add(breakerRest)
	if !b.now().Before(until) {
		return nil
	}
	return fmt.Errorf("%q has failed %d times within %d minutes, so it is left alone until %s",
		capability, breakerFailures, int(breakerWindow.Minutes()), until.Local().Format("15:04"))
}

// Report counts a call. A success closes an open breaker; while it is closed, failures are
// forgotten by time alone.
func (b *breaker) Report(ctx context.Context, capability string, ok bool) {
	ctx = context.WithoutCancel(ctx) // what a call has shown counts, also when its run is cancelled
	delete(b.trials, capability)
	if ok {
		if kept, err := b.read(ctx, capability); err == nil && kept.OpenedAt != nil {
			b.change(ctx, capability, func(kept *store.Breaker) bool {
				wasOpen := kept.OpenedAt != nil
				*kept = store.Breaker{}
				return wasOpen
			})
		}
		return
	}
	b.change(ctx, capability, func(kept *store.Breaker) bool {
		now := b.now()
		kept.Failures = slices.DeleteFunc(kept.Failures, func(at time.Time) bool { return now.Sub(at) >= breakerWindow })
		kept.Failures = append(kept.Failures, now)
		if len(kept.Failures) >= breakerFailures {
			kept.OpenedAt = &now
		}
		return true
	})
}

// Withdraw lets the next call try, if the one that is withdrawn was to.
func (b *breaker) Withdraw(ctx context.Context, capability string) {
	trial, wasTrial := b.trials[capability]
	if !wasTrial {
		return
	}
	delete(b.trials, capability)
	b.change(context.WithoutCancel(ctx), capability, func(kept *store.Breaker) bool {
		if kept.OpenedAt == nil || kept.OpenedAt.UnixMicro() != trial.UnixMicro() {
			return false // another run has found out more since
		}
		over := trial.Add(-breakerRest)
		kept.OpenedAt = &over
		return true
	})
}

func (b *breaker) read(ctx context.Context, capability string) (kept store.Breaker, err error) {
	err = b.store.Read(ctx, func(tx store.Tx) error {
		kept, err = tx.Runs().Breaker(ctx, b.key, capability)
		return err
	})
	return kept, err
}

// change edits what is kept in one transaction, since other runs of the tool count too;
// edit reports whether it changed anything. That it could not be kept is no reason to fail
// a run.
func (b *breaker) change(ctx context.Context, capability string, edit func(*store.Breaker) bool) {
	_ = b.store.Write(ctx, func(tx store.Tx) error {
		kept, err := tx.Runs().Breaker(ctx, b.key, capability)
		if err != nil || !edit(&kept) {
			return err
		}
		return tx.Runs().PutBreaker(ctx, b.key, capability, kept)
	})
}
