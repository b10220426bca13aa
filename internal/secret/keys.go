package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"filippo.io/age"
	"github.com/gofrs/flock"
	"github.com/zalando/go-keyring"

	"toolsmith/tool"
)

// Keys is where the key of a store's secrets is kept. It may be used from many goroutines at
// once.
type Keys interface {
	// Load gives the key of the store with an id. The error has CodeKeyMissing where there is
	// none, and says where it was looked for.
	Load(ctx context.Context, id string) (*age.X25519Identity, error)
	// Make keeps a new key, unless there is one by now, and gives the one that is kept.
	Make(ctx context.Context, id string) (*age.X25519Identity, error)
}

// InMemory keeps keys until the program ends, for a store that ends with it.
func InMemory() Keys { return &inMemory{kept: map[string]*age.X25519Identity{}} }

type inMemory struct {
	mu   sync.Mutex
	kept map[string]*age.X25519Identity
}

func (m *inMemory) Load(_ context.Context, id string) (*age.X25519Identity, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if key, ok := m.kept[id]; ok {
		return key, nil
	}
	return nil, tool.Errorf(CodeKeyMissing, "There is no key for the secrets in memory.")
}

func (m *inMemory) Make(_ context.Context, id string) (*age.X25519Identity, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if key, ok := m.kept[id]; ok {
		return key, nil
	}
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	m.kept[id] = key
	return key, nil
}

// Service is the name under which keys lie in the keyring of the system.
const Service = "toolsmith"

// KeyFile is the name of the file in the data folder that holds the key where there is no
// keyring.
const KeyFile = "secrets.key"

// lockFile is locked while a key is made, so that two processes do not make two.
const lockFile = "secrets.lock"

// Ring is a keyring. Get of what is not there gives keyring.ErrNotFound; any other error means
// that there is no keyring here, or that it stays closed.
type Ring interface {
	Get(service, user string) (string, error)
	Set(service, user, secret string) error
}

// SystemRing is the keyring of the system.
func SystemRing() Ring { return systemRing{} }

// RingFor is the keyring of the system, and none where the setting TOOLSMITH_KEYRING is "off".
func RingFor(setting string) Ring {
	if setting == "off" {
		return nil
	}
	return SystemRing()
}

type systemRing struct{}

func (systemRing) Get(service, user string) (string, error) { return keyring.Get(service, user) }

func (systemRing) Set(service, user, secret string) error { return keyring.Set(service, user, secret) }

// InFolder keeps the key in a keyring, or, where there is none (nil, or one that cannot be
// reached), in the file KeyFile of the data folder. A file that is there counts first, so
// that a keyring which appears later changes nothing.
func InFolder(dir string, ring Ring) Keys { return &inFolder{dir: dir, ring: ring} }

type inFolder struct {
	dir  string
	ring Ring
}

func (f *inFolder) path() string { return filepath.Join(f.dir, KeyFile) }

func (f *inFolder) Load(ctx context.Context, id string) (*age.X25519Identity, error) {
	text, err := readKeyFile(f.path())
	if err == nil {
		return parseKey(text, "The file "+f.path())
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if f.ring == nil {
		return nil, keyMissing("is not in the file %s, and the keyring of the system is not used (TOOLSMITH_KEYRING=off)", f.path())
	}
	text, err = waited(ctx, func() (string, error) { return f.ring.Get(Service, id) })
	switch {
	case err == nil:
		return parseKey(text, "The entry of "+Service+" in the keyring")
	case errors.Is(err, keyring.ErrNotFound):
		return nil, keyMissing("is neither in the keyring (service %s, user %s) nor in the file %s", Service, id, f.path())
	case ctx.Err() != nil:
		return nil, fmt.Errorf("wait for the keyring: %w", ctx.Err())
	}
	missing := keyMissing("is not in the file %s, and the keyring of the system cannot be opened here", f.path())
	missing.Cause = err
	return nil, missing
}

func keyMissing(where string, args ...any) *tool.Error {
	return tool.Errorf(CodeKeyMissing, "The key that opens the secrets %s. "+
		"Bring the key back to where it was (the keyring, or the file), or delete the secrets and set them again: toolsmith secrets list",
		fmt.Sprintf(where, args...))
}

func (f *inFolder) Make(ctx context.Context, id string) (*age.X25519Identity, error) {
	lock := flock.New(filepath.Join(f.dir, lockFile), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return nil, unwritable(f.path(), err)
	}
	defer lock.Unlock() //nolint:errcheck // the end of the process takes the lock too
	key, err := f.Load(ctx, id)
	if tool.Code(err) != CodeKeyMissing {
		return key, err
	}
	if key, err = age.GenerateX25519Identity(); err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	kept, err := f.intoRing(ctx, id, key.String())
	if err != nil || kept {
		return key, err
	}
	return key, writeKeyFile(f.path(), key.String())
}

// intoRing keeps a key in the keyring; kept is false where there is none. What it took is read
// back: one that forgets is none.
func (f *inFolder) intoRing(ctx context.Context, id, key string) (kept bool, err error) {
	if f.ring == nil {
		return false, nil
	}
	back, err := waited(ctx, func() (string, error) {
		if err := f.ring.Set(Service, id, key); err != nil {
			return "", err
		}
		return f.ring.Get(Service, id)
	})
	if ctx.Err() != nil {
		return false, fmt.Errorf("wait for the keyring: %w", ctx.Err())
	}
	return err == nil && back == key, nil
}

// waited waits for a keyring, which may ask the person to open it, until ctx ends.
func waited(ctx context.Context, ask func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		text, err := ask()
		answered <- answer{text, err}
	}()
	select {
	case a := <-answered:
		return a.text, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// parseKey reads a key; lines that begin with # are notes. The error says nothing of what is
// there.
func parseKey(text, where string) (*age.X25519Identity, error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if key, err := age.ParseX25519Identity(line); err == nil {
			return key, nil
		}
		break
	}
	return nil, tool.Errorf(CodeKeyInvalid, "%s holds no key. Bring the key back that was there; without it the secrets that are kept cannot be read. Where none are kept, delete it, and a new key is made.", where)
}

// maxKeyFile bounds what is read of the file, in bytes.
const maxKeyFile = 4 << 10

// readKeyFile reads the file, if it is one that nobody else could have read or put there. The
// error is fs.ErrNotExist where there is none.
func readKeyFile(path string) (string, error) {
	named, err := os.Lstat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", fs.ErrNotExist
		}
		return "", unreadable(path, err)
	}
	if !named.Mode().IsRegular() {
		return "", tool.Errorf(CodeKeyUnsafe, "%s is not a file of its own, but a link, a folder or the like. Put the key itself there.", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", unreadable(path, err)
	}
	if !os.SameFile(named, info) {
		return "", tool.Errorf(CodeKeyUnsafe, "%s was exchanged while it was read.", path)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return "", tool.Errorf(CodeKeyUnsafe, "Others can reach the key in %s: its mode is %04o. If nobody has read it, run: chmod 600 %s. Else set new secrets.", path, mode, path)
	}
	if !isOurs(info) {
		return "", tool.Errorf(CodeKeyUnsafe, "The key in %s belongs to another user, so it is not used.", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
	if err != nil {
		return "", unreadable(path, err)
	}
	return string(text), nil
}

// writeKeyFile makes the file, which must not be there.
func writeKeyFile(path, key string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return unwritable(path, err)
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "# The key of the secrets in this folder. Without it they cannot be read.\n%s\n", key)
	_, err = file.Write(text.Bytes())
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = os.Remove(path) // half a key is of no use
		return unwritable(path, err)
	}
	return nil
}

func unreadable(path string, err error) error {
	return &tool.Error{Code: CodeKeyInvalid, Message: fmt.Sprintf("The key in %s cannot be read: %s.", path, reason(err)), Cause: err}
}

func unwritable(path string, err error) error {
	return &tool.Error{Code: CodeKeyInvalid, Message: fmt.Sprintf("A key cannot be kept in %s: %s.", path, reason(err)), Cause: err}
}

// reason says what the system says, without the path.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
