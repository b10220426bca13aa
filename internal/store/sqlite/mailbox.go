package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"toolsmith/internal/store"
)

const (
	// mostMessages is how many messages a lease holds until somebody takes them.
	mostMessages = 64
	// patience is how long a message waits for room.
	patience = 10 * time.Second
)

// mailbox holds the messages of a lease.
type mailbox struct {
	messages chan string
	// open ends when the mailbox is closed.
	open context.Context
	shut context.CancelFunc

	mu     sync.Mutex // guards what givers begin with
	givers sync.WaitGroup
}

func newMailbox() *mailbox {
	open, shut := context.WithCancel(context.Background())
	return &mailbox{messages: make(chan string, mostMessages), open: open, shut: shut}
}

// enter counts a giver in, unless the mailbox is closed.
func (m *mailbox) enter() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open.Err() != nil {
		return false
	}
	m.givers.Add(1)
	return true
}

// put waits until there is room for a message. It fails with store.ErrGone if the mailbox is
// closed before.
func (m *mailbox) put(message string) error {
	if !m.enter() {
		return store.ErrGone
	}
	defer m.givers.Done()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case m.messages <- message:
		return nil
	case <-m.open.Done():
		return store.ErrGone
	case <-timer.C:
		return errors.New("it has too many messages that it did not take")
	}
}

// close ends the mailbox, which must be open.
func (m *mailbox) close() {
	m.mu.Lock()
	m.shut()
	m.mu.Unlock()
	m.givers.Wait()
	close(m.messages)
}

// checkMessage refuses what is not one line, or too long.
func checkMessage(message string) error {
	switch {
	case len(message) > store.MaxMessage:
		return fmt.Errorf("a message has %d bytes; at most %d can be sent", len(message), store.MaxMessage)
	case strings.Contains(message, "\n"):
		return errors.New("a message is one line; this has more")
	}
	return nil
}

// room is the leases of a store in memory.
type room struct {
	mu   sync.Mutex
	open map[string]*mailbox
}

func (r *room) lease() (store.Lease, error) {
	id, err := newLeaseID()
	if err != nil {
		return nil, err
	}
	mail := newMailbox()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[string]*mailbox{}
	}
	r.open[id] = mail
	return &memoryLease{room: r, id: id, mail: mail}, nil
}

// of gives the mailbox of an owner; nil if it is not alive.
func (r *room) of(owner string) *mailbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open[owner]
}

func (r *room) leave(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, id)
}

// memoryLease is a lease on a store in memory, which nobody outside the process knows.
type memoryLease struct {
	room *room
	id   string
	mail *mailbox

	closing sync.Once
}

func (l *memoryLease) ID() string                       { return l.id }
func (l *memoryLease) Messages() <-chan string          { return l.mail.messages }
func (l *memoryLease) Alive(owner string) (bool, error) { return l.room.of(owner) != nil, nil }

func (l *memoryLease) Notify(owner, message string) error {
	if err := checkMessage(message); err != nil {
		return err
	}
	mail := l.room.of(owner)
	if mail == nil {
		return fmt.Errorf("notify %s: %w", owner, store.ErrGone)
	}
	if err := mail.put(message); err != nil {
		return fmt.Errorf("notify %s: %w", owner, err)
	}
	return nil
}

func (l *memoryLease) Close() error {
	l.closing.Do(func() {
		l.room.leave(l.id)
		l.mail.close()
	})
	return nil
}
