package httpapi

import (
	"context"
	"time"

	"toolsmith/internal/engine"
)

const (
	// usualLook is how often it is looked whether another process has changed what can be called.
	usualLook = time.Second
	// mostHeard is of how many who do not listen at the moment it is known what they were told last.
	mostHeard = 64
)

// heard is what somebody who listens knows of what can be called.
type heard struct {
	who      Who
	offer    *engine.Offer
	revision string
}

// hear notes that somebody listens, who is then told when the document changes as they see it.
func (a *API) hear(ctx context.Context) error {
	m, err := a.current(ctx)
	if err != nil {
		return err
	}
	who := whoOf(ctx)
	key := listensAs(who)
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.heard[key]; known != nil {
		known.who, known.offer = who, nil // by now they may call other tools
	} else {
		for old := range a.heard {
			if len(a.heard) >= mostHeard && !a.events.listens(old) {
				delete(a.heard, old)
			}
		}
		a.heard[key] = &heard{who, m.offer, m.revision}
	}
	a.watching.Do(func() { go a.watch() }) //nolint:contextcheck // it outlives the request
	return nil
}

// watch tells those who listen when what can be called changes, whoever changes it, until the
// surface ends.
func (a *API) watch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	tick := time.NewTicker(a.o.Look)
	defer tick.Stop()
	for {
		changed := a.o.Engine.Watch()
		a.look(ctx)
		select {
		case <-changed:
		case <-tick.C:
		case <-a.ended:
			return
		}
	}
}

// look tells those for whom the document has changed. What cannot be read now is looked at again.
func (a *API) look(ctx context.Context) {
	if !a.events.anybody() {
		return // whoever comes back is told then
	}
	offer, err := a.o.Engine.Offer(ctx)
	if err != nil {
		a.o.Log.DebugContext(ctx, "what can be called cannot be read", "cause", err)
		return
	}
	a.mu.Lock()
	var behind []heard
	for _, h := range a.heard {
		if h.offer != offer {
			behind = append(behind, *h)
		}
	}
	a.mu.Unlock()
	for _, h := range behind {
		m, err := a.documentOf(offer, h.who)
		if err != nil {
			a.o.Log.DebugContext(ctx, "the document cannot be made", "cause", err)
			continue
		}
		a.mu.Lock()
		now := a.heard[listensAs(h.who)]
		news := now != nil && now.revision != m.revision
		if now != nil {
			now.offer, now.revision = offer, m.revision
		}
		a.mu.Unlock()
		if news {
			a.events.tellOne(listensAs(h.who), Event{Type: "tools", Revision: m.revision})
		}
	}
}

// listensAs is how somebody who listens is known to the events: "" is the person, who sees all.
func listensAs(who Who) string {
	if who.Person {
		return ""
	}
	return callerOf(who)
}
