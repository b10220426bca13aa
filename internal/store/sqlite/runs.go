package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"toolsmith/internal/store"
)

// runs keeps what runs of a tool leave for later ones.
type runs struct{ tx }

func (r runs) State(ctx context.Context, toolID string, schemaVersion int64) (store.State, bool, error) {
	row, err := r.query.State(ctx, toolID, schemaVersion)
	ok, err := r.found("read the state", err)
	if !ok {
		return store.State{}, false, err
	}
	return store.State{Data: row.Data, Revision: row.Revision}, true, nil
}

func (r runs) PutState(ctx context.Context, toolID string, schemaVersion int64, data []byte, expectedRevision int64) error {
	var written int64
	var err error
	if expectedRevision == 0 {
		written, err = r.query.AddState(ctx, toolID, schemaVersion, notNull(data))
	} else {
		written, err = r.query.ReplaceState(ctx, notNull(data), toolID, schemaVersion, expectedRevision)
	}
	if err != nil {
		return r.fail("write the state", err)
	}
	if written == 0 {
		return fmt.Errorf("write the state of %s: %w", toolID, store.ErrConflict)
	}
	return nil
}

func (r runs) DropState(ctx context.Context, toolID string) error {
	return r.fail("forget the state", r.query.DropState(ctx, toolID))
}

func (r runs) Breaker(ctx context.Context, toolID, capability string) (store.Breaker, error) {
	row, err := r.query.Breaker(ctx, toolID, capability)
	ok, err := r.found("read the circuit breaker", err)
	if !ok {
		return store.Breaker{}, err
	}
	var failures []int64
	if err := json.Unmarshal([]byte(row.Failures), &failures); err != nil {
		return store.Breaker{}, fmt.Errorf("read the circuit breaker: %w", err)
	}
	breaker := store.Breaker{OpenedAt: fromMicrosOrNull(row.OpenedAt)}
	if len(failures) > 0 {
		breaker.Failures = mapAll(failures, fromMicros)
	}
	return breaker, nil
}

func (r runs) PutBreaker(ctx context.Context, toolID, capability string, breaker store.Breaker) error {
	failures, err := json.Marshal(mapAll(breaker.Failures, micros))
	if err != nil {
		return fmt.Errorf("write the circuit breaker: %w", err)
	}
	err = r.query.PutBreaker(ctx, toolID, capability, string(failures), microsOrNull(breaker.OpenedAt))
	return r.fail("write the circuit breaker", err)
}

func (r runs) DropBreakers(ctx context.Context, toolID string) error {
	return r.fail("forget the circuit breakers", r.query.DropBreakers(ctx, toolID))
}
