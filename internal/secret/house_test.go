package secret_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"toolsmith/internal/secret"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/tool"
)

const (
	canary = `Kanari-0123/456+789 "x"&y%z`
	space  = "dynamic:a#1"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)

// house is a vault over a real store.
type house struct {
	*secret.Vault
	store *brittle
	keys  secret.Keys
	audit []string // "set dynamic:a#1 key"
	// noAudit is what noting in the audit fails with.
	noAudit error
}

func newHouse(t *testing.T, keys secret.Keys) *house {
	t.Helper()
	inner, err := sqlite.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	h := &house{store: &brittle{Store: inner}, keys: keys}
	h.Vault = h.again()
	return h
}

// again is the vault as another process would have it, which has not asked for the key yet.
func (h *house) again() *secret.Vault {
	return secret.New(secret.Options{
		Store: h.store, Keys: h.keys, Now: func() time.Time { return noon }, Who: "ada",
		Audit: func(_ context.Context, _ store.Tx, done secret.Action, namespace, name string) error {
			h.audit = append(h.audit, string(done)+" "+namespace+" "+name)
			return h.noAudit
		},
	})
}

// has keeps secrets that have to go in; each is its own value with something before it.
func (h *house) has(t *testing.T, namespace string, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := h.Set(t.Context(), namespace, name, "value-of-"+name, secret.Bearer()); err != nil {
			t.Fatal(err)
		}
	}
}

var errDisk = errors.New("disk I/O error")

// brittle is a store in which one operation on secrets may fail.
type brittle struct {
	store.Store
	fail string
}

func (b *brittle) wrap(fn func(store.Tx) error) func(store.Tx) error {
	return func(tx store.Tx) error { return fn(brittleTx{tx, b.fail}) }
}

func (b *brittle) Read(ctx context.Context, fn func(store.Tx) error) error {
	return b.Store.Read(ctx, b.wrap(fn))
}

func (b *brittle) Write(ctx context.Context, fn func(store.Tx) error) error {
	return b.Store.Write(ctx, b.wrap(fn))
}

type brittleTx struct {
	store.Tx
	fail string
}

func (t brittleTx) Secrets() store.Secrets { return brittleSecrets{t.Tx.Secrets(), t.fail} }

type brittleSecrets struct {
	store.Secrets
	fail string
}

func (s brittleSecrets) ask(operation string) error {
	if s.fail == operation {
		return errDisk
	}
	return nil
}

func (s brittleSecrets) Put(ctx context.Context, one store.Secret) error {
	return errors.Join(s.ask("Put"), s.Secrets.Put(ctx, one))
}

func (s brittleSecrets) Get(ctx context.Context, namespace, name string) (store.Secret, bool, error) {
	one, ok, err := s.Secrets.Get(ctx, namespace, name)
	return one, ok, errors.Join(s.ask("Get"), err)
}

func (s brittleSecrets) List(ctx context.Context, namespace string) ([]store.Secret, error) {
	list, err := s.Secrets.List(ctx, namespace)
	return list, errors.Join(s.ask("List"), err)
}

func (s brittleSecrets) Delete(ctx context.Context, namespace, name string) (bool, error) {
	deleted, err := s.Secrets.Delete(ctx, namespace, name)
	return deleted, errors.Join(s.ask("Delete"), err)
}

func (s brittleSecrets) DeleteNamespace(ctx context.Context, namespace string) (int, error) {
	deleted, err := s.Secrets.DeleteNamespace(ctx, namespace)
	return deleted, errors.Join(s.ask("DeleteNamespace"), err)
}

func (s brittleSecrets) Count(ctx context.Context) (int, error) {
	count, err := s.Secrets.Count(ctx)
	return count, errors.Join(s.ask("Count"), err)
}

func (s brittleSecrets) Folder(ctx context.Context) (string, error) {
	id, err := s.Secrets.Folder(ctx)
	return id, errors.Join(s.ask("Folder"), err)
}

// ring is a keyring in memory.
type ring struct {
	mu   sync.Mutex
	kept map[string]string
	// closed is what everything fails with; forgets: what is set is gone.
	closed  error
	forgets bool
	// asked counts what was asked of it.
	asked int
	// held: nothing is answered before it is closed; nil for at once.
	held chan struct{}
}

func newRing() *ring { return &ring{kept: map[string]string{}} }

func (r *ring) wait() {
	if r.held != nil {
		<-r.held
	}
}

func (r *ring) Get(service, user string) (string, error) {
	r.wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if r.closed != nil {
		return "", r.closed
	}
	key, ok := r.kept[service+"/"+user]
	if !ok {
		return "", keyring.ErrNotFound
	}
	return key, nil
}

func (r *ring) Set(service, user, key string) error {
	r.wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if r.closed == nil && !r.forgets {
		r.kept[service+"/"+user] = key
	}
	return r.closed
}

// wantCode fails unless an error has a code ("" for no error at all) and says something, and
// none of what is kept secret.
func wantCode(t *testing.T, err error, code string, says ...string) {
	t.Helper()
	if tool.Code(err) != code || (err == nil) != (code == "") {
		t.Errorf("the error is %v; want %q", err, code)
	}
	if err == nil {
		return
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %q; it should say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "anari") || strings.Contains(err.Error(), "value-of") {
		t.Errorf("the error shows a value: %q", err)
	}
}
