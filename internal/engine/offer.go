package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
)

// Offer is all that can be called at a moment, by name. It is never changed.
type Offer struct {
	Tools []*Callable
	// line of the audit and revision of the toolbox that it was made of.
	line     int64
	revision uint64
}

// offered keeps the last offer.
type offered struct {
	mu   sync.Mutex
	last *Offer
}

// Offer gives what can be called now: what is in the toolbox, and the installed tools that are
// on and have what they need. As long as nothing is changed it is the same one.
func (e *Engine) Offer(ctx context.Context) (offer *Offer, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		lines, err := tx.Registry().AuditLines(ctx, "", 1)
		if err != nil {
			return err
		}
		revision, _ := e.o.Toolbox.Watch()
		made := &Offer{revision: revision}
		if len(lines) > 0 {
			made.line = lines[0].Seq
		}
		e.offered.mu.Lock()
		last := e.offered.last
		e.offered.mu.Unlock()
		if last != nil && last.line == made.line && last.revision == made.revision {
			offer = last
			return nil
		}
		offer = made
		return e.fillOffer(ctx, tx, made)
	})
	if err != nil {
		return nil, fmt.Errorf("list what can be called: %w", err)
	}
	e.offered.mu.Lock()
	e.offered.last = offer
	e.offered.mu.Unlock()
	return offer, nil
}

// Watch gives a channel that is closed at the next change of what can be called that is made in
// this process. What others do over the same store it does not tell: Offer sees it.
func (e *Engine) Watch() <-chan struct{} {
	_, changed := e.o.Toolbox.Watch()
	return changed
}

func (e *Engine) fillOffer(ctx context.Context, tx store.Tx, offer *Offer) error {
	for _, name := range e.o.Toolbox.Names() {
		if call, ok := e.o.Toolbox.Find(name); ok {
			offer.Tools = append(offer.Tools, call)
		}
	}
	entries, err := e.registry(ctx, tx).List(ctx)
	if err != nil {
		return err //nolint:wrapcheck // it says what was read
	}
	for _, entry := range entries {
		if !entry.Tool.Enabled || entry.Obstacle() != nil {
			continue
		}
		call, err := e.find(ctx, tx, task.Run{Pin: offer.line}, entry.Name())
		if _, known := FaultCode(err); err != nil && !known {
			return err
		}
		if err == nil {
			offer.Tools = append(offer.Tools, call)
		}
	}
	slices.SortFunc(offer.Tools, func(a, b *Callable) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// anything is the schema of arguments about which nothing is said.
const anything = `{"type":"object"}`

// Schemas are the JSON Schemas of the arguments and of the result; the latter is nil where
// nothing is said of it.
func (c *Callable) Schemas() (parameters, result json.RawMessage) {
	switch c.Kind {
	case KindFlow, KindScript:
		parameters, result = anyJSON(c.Checked.Input()), anyJSON(c.Checked.Output())
	case KindNative:
		parameters, result = c.Native.Parameters(), c.Native.Result()
	case KindCapability:
		parameters, result = c.Capability.Input, c.Capability.Result
	case KindClient:
		parameters, result = anyJSON(c.Client.Declaration.Parameters), anyJSON(c.Client.Declaration.Result)
	}
	if len(parameters) == 0 {
		parameters = json.RawMessage(anything)
	}
	return parameters, result
}

func anyJSON(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	return value.AppendJSON(nil, v)
}
