// Package storetest is the suite that every driver of the store has to pass.
package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolsmith/internal/store"
)

// Run runs the suite. open gives a new, empty store for one test, and closes it when
// that test ends.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, part := range []struct {
		name  string
		tests map[string]func(*testing.T, store.Store)
	}{
		{"Registry", registryTests()},
		{"Audit", auditTests()},
		{"Local", localTests()},
		{"Words", wordTests()},
		{"Runs", runTests()},
		{"Graph", graphTests()},
		{"Secrets", secretTests()},
		{"Tokens", tokenTests()},
		{"Consent", consentTests()},
		{"Transactions", transactionTests()},
		{"Groups", groupTests()},
		{"Leases", leaseTests()},
		{"Errors", errorTests()},
	} {
		t.Run(part.name, func(t *testing.T) {
			for name, test := range part.tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, open(t))
				})
			}
		})
	}
}

// dawn is the time at which the tests begin; noon has all the digits that a store keeps.
var (
	dawn = time.Date(2026, 11, 27, 6, 0, 0, 0, time.UTC)
	noon = time.Date(2026, 11, 27, 12, 0, 0, 123_456_000, time.UTC)
)

// write runs fn in a transaction that must be committed.
func write(t *testing.T, s store.Store, fn func(ctx context.Context, tx store.Tx) error) {
	t.Helper()
	ctx := t.Context()
	if err := s.Write(ctx, func(tx store.Tx) error { return fn(ctx, tx) }); err != nil {
		t.Fatalf("write: %v", err)
	}
}

// read gives what fn reads in a transaction of its own.
func read[T any](t *testing.T, s store.Store, fn func(ctx context.Context, tx store.Tx) (T, error)) (value T) {
	t.Helper()
	ctx := t.Context()
	err := s.Read(ctx, func(tx store.Tx) (err error) {
		value, err = fn(ctx, tx)
		return err
	})
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return value
}

// missing turns a lookup that finds something into an error.
func missing[T any](_ T, ok bool, err error) (bool, error) { return !ok, err }

// difference says how two values differ; no records and none at all are the same.
func difference(want, got any) string { return cmp.Diff(want, got, cmpopts.EquateEmpty()) }

// refused commits nothing, and checks that fn fails with the error wanted.
func refused(t *testing.T, s store.Store, want error, fn func(ctx context.Context, tx store.Tx) error) {
	t.Helper()
	ctx := t.Context()
	if err := s.Write(ctx, func(tx store.Tx) error { return fn(ctx, tx) }); !errors.Is(err, want) {
		t.Errorf("the error is %v; want %v", err, want)
	}
}
