package storetest

import (
	"context"
	"testing"
	"time"

	"toolsmith/internal/store"
)

func runTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"a state is kept for each schema version": statesAreKept,
		"a state that changed is not overwritten": statesConflict,
		"a breaker is kept for each capability":   breakersAreKept,
	}
}

func putState(toolID string, schema int64, data string, expected int64) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		return tx.Runs().PutState(ctx, toolID, schema, []byte(data), expected)
	}
}

// states reads the states of tools "a" and "b" under the schema versions 1 and 2.
func states(t *testing.T, s store.Store) map[string]store.State {
	t.Helper()
	return read(t, s, func(ctx context.Context, tx store.Tx) (map[string]store.State, error) {
		all := map[string]store.State{}
		for name, at := range map[string]struct {
			toolID string
			schema int64
		}{"a1": {"a", 1}, "a2": {"a", 2}, "b1": {"b", 1}} {
			state, ok, err := tx.Runs().State(ctx, at.toolID, at.schema)
			if err != nil {
				return nil, err
			}
			if ok {
				all[name] = state
			}
		}
		return all, nil
	})
}

func statesAreKept(t *testing.T, s store.Store) {
	write(t, s, putState("a", 1, `{"n":1}`, 0))
	write(t, s, putState("a", 2, "", 0))
	write(t, s, putState("b", 1, "\xff\x00", 0))
	write(t, s, putState("a", 1, `{"n":2}`, 1))
	want := map[string]store.State{
		"a1": {Data: []byte(`{"n":2}`), Revision: 2},
		"a2": {Data: []byte{}, Revision: 1},
		"b1": {Data: []byte("\xff\x00"), Revision: 1},
	}
	if diff := difference(want, states(t, s)); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}

	write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Runs().DropState(ctx, "a") })
	delete(want, "a1")
	delete(want, "a2")
	if diff := difference(want, states(t, s)); diff != "" {
		t.Errorf("after dropping those of a (-want +got):\n%s", diff)
	}
}

func statesConflict(t *testing.T, s store.Store) {
	refused(t, s, store.ErrConflict, putState("a", 1, "x", 1))
	write(t, s, putState("a", 1, "x", 0))
	refused(t, s, store.ErrConflict, putState("a", 1, "y", 0))
	refused(t, s, store.ErrConflict, putState("a", 1, "y", 2))
	refused(t, s, store.ErrConflict, putState("a", 2, "y", 1))
	refused(t, s, store.ErrConflict, putState("a", 1, "y", -1))
	want := map[string]store.State{"a1": {Data: []byte("x"), Revision: 1}}
	if diff := difference(want, states(t, s)); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

func breakersAreKept(t *testing.T, s store.Store) {
	breaker := func(toolID, capability string) store.Breaker {
		return read(t, s, func(ctx context.Context, tx store.Tx) (store.Breaker, error) {
			return tx.Runs().Breaker(ctx, toolID, capability)
		})
	}
	put := func(toolID, capability string, b store.Breaker) {
		write(t, s, func(ctx context.Context, tx store.Tx) error {
			return tx.Runs().PutBreaker(ctx, toolID, capability, b)
		})
	}
	opened := noon
	open := store.Breaker{Failures: []time.Time{dawn, noon, noon}, OpenedAt: &opened}
	closed := store.Breaker{Failures: []time.Time{noon}}

	put("a", "notes.list", closed)
	put("a", "notes.list", open)
	put("a", "tasks.list", open)
	put("a", "tasks.list", store.Breaker{})
	put("b", "notes.list", closed)
	got := map[string]store.Breaker{
		"open": breaker("a", "notes.list"), "reset": breaker("a", "tasks.list"),
		"closed": breaker("b", "notes.list"), "none": breaker("b", "tasks.list"),
	}
	want := map[string]store.Breaker{"open": open, "reset": {}, "closed": closed, "none": {}}
	if diff := difference(want, got); diff != "" {
		t.Errorf("breakers (-want +got):\n%s", diff)
	}

	write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Runs().DropBreakers(ctx, "a") })
	if diff := difference([]store.Breaker{{}, closed}, []store.Breaker{breaker("a", "notes.list"), breaker("b", "notes.list")}); diff != "" {
		t.Errorf("after dropping those of a (-want +got):\n%s", diff)
	}
}
