package secret

import (
	"context"
	"sync"

	"toolsmith/internal/scrub"
)

// Use is a vault as one run uses it: it remembers which values the run has seen, so that they
// can be taken out of what the run shows. It may be used from many goroutines at once.
type Use struct {
	vault *Vault
	seen  seen
}

// NewUse begins a use of the vault.
func (v *Vault) NewUse() *Use { return &Use{vault: v} }

// Get opens a secret, as Vault.Get does.
func (u *Use) Get(ctx context.Context, namespace, name string) (Secret, error) {
	s, err := u.vault.Get(ctx, namespace, name)
	if err == nil {
		u.seen.add(s.Name, s.Value)
	}
	return s, err
}

// Set keeps a secret, as Vault.Set does.
func (u *Use) Set(ctx context.Context, namespace, name, value string, a Attributes) (notes []string, err error) {
	if kept, _, err := checked(namespace, name, value, a); err == nil {
		u.seen.add(name, kept)
	}
	return u.vault.Set(ctx, namespace, name, value, a)
}

// Scrubber takes out every value that was opened or set in this use; nil where there are none.
func (u *Use) Scrubber() *scrub.Scrubber { return u.seen.scrubber() }

// seen are values that somebody has had in their hands; the zero value has none.
type seen struct {
	mu    sync.Mutex
	known map[string]bool
	list  []scrub.Secret
	made  *scrub.Scrubber // of as many of the list as there were then
	of    int
}

func (s *seen) add(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[value] {
		return
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.known[value] = true
	s.list = append(s.list, scrub.Secret{Name: name, Value: value})
}

func (s *seen) scrubber() *scrub.Scrubber {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of < len(s.list) {
		s.made, s.of = scrub.New(s.list), len(s.list)
	}
	return s.made
}
