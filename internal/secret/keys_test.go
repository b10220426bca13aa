package secret_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/zalando/go-keyring"

	"toolsmith/internal/secret"
)

// made makes a key, which must be kept so that it is found again, and gives it as a text.
func made(t *testing.T, keys secret.Keys, id string) string {
	t.Helper()
	key, err := keys.Make(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if got := loaded(t, keys, id); got != key.String() {
		t.Fatalf("loaded is %q, made was %q", got, key)
	}
	return key.String()
}

func loaded(t *testing.T, keys secret.Keys, id string) string {
	t.Helper()
	key, err := keys.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return key.String()
}

// TestKeys are kept for each store, and never made twice.
func TestKeys(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]secret.Keys{
		"memory": secret.InMemory(), "file": secret.InFolder(t.TempDir(), nil), "keyring": secret.InFolder(t.TempDir(), newRing()),
	} {
		_, err := keys.Load(t.Context(), "one")
		wantCode(t, err, secret.CodeKeyMissing)
		first := made(t, keys, "one")
		if again := made(t, keys, "one"); again != first {
			t.Errorf("%s: a second key was made", name)
		}
		if name == "file" {
			continue // the folder has one store
		}
		_, err = keys.Load(t.Context(), "two")
		wantCode(t, err, secret.CodeKeyMissing)
		if made(t, keys, "two") == first {
			t.Errorf("%s: two stores have one key", name)
		}
	}
}

// TestTheFileOfTheKey is for its owner alone, and in the data folder.
func TestTheFileOfTheKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := secret.InFolder(dir, nil)
	_, err := keys.Load(t.Context(), "id")
	path := filepath.Join(dir, secret.KeyFile)
	wantCode(t, err, secret.CodeKeyMissing, path, "TOOLSMITH_KEYRING=off", "Bring the key back")
	key := made(t, keys, "id")
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("its mode is %s", info.Mode())
	}
	// It is found by whoever has no keyring, and goes before one that appears later.
	late := newRing()
	if loaded(t, secret.InFolder(dir, late), "another id") != key || late.asked != 0 {
		t.Error("a keyring was asked in place of the file")
	}
}

// TestAFileThatIsNoKey is refused, and never replaced.
func TestAFileThatIsNoKey(t *testing.T) {
	t.Parallel()
	good := made(t, secret.InMemory(), "id")
	write := func(text string, mode os.FileMode) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, mode); err != nil { // past the umask
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name       string
		put        func(t *testing.T, path string)
		code, says string
		posix      bool
	}{
		{name: "as it is made", put: write("# note\n\n  "+good+"  \n", 0o600)},
		{name: "only for reading", put: write(good, 0o400)},
		{name: "for the group", put: write(good, 0o640), code: secret.CodeKeyUnsafe, says: "0640", posix: true},
		{name: "for everybody", put: write(good, 0o604), code: secret.CodeKeyUnsafe, says: "chmod 600", posix: true},
		{name: "for writing by others", put: write(good, 0o602), code: secret.CodeKeyUnsafe, posix: true},
		{name: "empty", put: write("", 0o600), code: secret.CodeKeyInvalid, says: "holds no key"},
		{name: "a note", put: write("# "+good, 0o600), code: secret.CodeKeyInvalid},
		{name: "half a key", put: write(good[:30], 0o600), code: secret.CodeKeyInvalid},
		{name: "something else", put: write("Kanari\n"+good, 0o600), code: secret.CodeKeyInvalid},
		{name: "endless", put: write(strings.Repeat("#\n", 1<<16)+good, 0o600), code: secret.CodeKeyInvalid},
		{name: "a folder", code: secret.CodeKeyUnsafe, says: "not a file of its own", put: func(t *testing.T, path string) {
			t.Helper()
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a link", code: secret.CodeKeyUnsafe, says: "a link", posix: true, put: func(t *testing.T, path string) {
			t.Helper()
			write(good, 0o600)(t, path+".real")
			if err := os.Symlink(path+".real", path); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a link to nothing", code: secret.CodeKeyUnsafe, posix: true, put: func(t *testing.T, path string) {
			t.Helper()
			if err := os.Symlink(path+".none", path); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "of another user", code: secret.CodeKeyUnsafe, says: "belongs to another user", posix: true, put: func(t *testing.T, path string) {
			t.Helper()
			write(good, 0o600)(t, path)
			if err := os.Chown(path, 12345, -1); err != nil {
				t.Skip("only root may give a file away")
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.posix && runtime.GOOS == "windows" {
				t.Skip("files have no such modes here")
			}
			dir := t.TempDir()
			path := filepath.Join(dir, secret.KeyFile)
			c.put(t, path)
			before, _ := os.ReadFile(path)
			keys := secret.InFolder(dir, newRing())
			for _, ask := range []func() (string, error){
				func() (string, error) { key, err := keys.Load(t.Context(), "id"); return text(key), err },
				func() (string, error) { key, err := keys.Make(t.Context(), "id"); return text(key), err },
			} {
				key, err := ask()
				wantCode(t, err, c.code, c.says)
				if c.code == "" && key != good || c.code != "" && key != "" {
					t.Errorf("the key is %q, %v", key, err)
				}
				if err != nil && strings.Contains(err.Error(), good[:30]) {
					t.Errorf("the error shows a key: %v", err)
				}
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

// text of a key; "" for none.
func text(key *age.X25519Identity) string {
	if key == nil {
		return ""
	}
	return key.String()
}

// TestAFolderThatCannotBeWritten is told of, with what the system says.
func TestAFolderThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	_, err := secret.InFolder(dir, nil).Make(t.Context(), "id")
	wantCode(t, err, secret.CodeKeyInvalid, "cannot be kept", dir)
	h := newHouse(t, secret.InFolder(dir, nil))
	wantCode(t, second(h.Set(t.Context(), space, "key", canary, secret.Bearer())), secret.CodeKeyInvalid)
	if list, err := h.ListAll(t.Context()); len(list) != 0 || err != nil {
		t.Errorf("kept are %v, %v", list, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = secret.InFolder(file, nil).Load(t.Context(), "id")
	wantCode(t, err, secret.CodeKeyInvalid, "cannot be read")
}

// TestTheKeyring holds the key where there is one; else the file does.
func TestTheKeyring(t *testing.T) {
	t.Parallel()
	noRing := errors.New("no such bus")
	for _, c := range []struct {
		name   string
		ring   *ring
		inFile bool
	}{
		{"there", newRing(), false},
		{"closed", &ring{closed: noRing}, true},
		{"forgetting", &ring{kept: map[string]string{}, forgets: true}, true},
	} {
		dir := t.TempDir()
		keys := secret.InFolder(dir, c.ring)
		key := made(t, keys, "id")
		_, err := os.Stat(filepath.Join(dir, secret.KeyFile))
		if inFile := err == nil; inFile != c.inFile {
			t.Errorf("%s: the key is in the file: %v", c.name, inFile)
		}
		if !c.inFile && c.ring.kept[secret.Service+"/id"] != key {
			t.Errorf("%s: in it are %d keys, and not that one", c.name, len(c.ring.kept))
		}
	}

	// What it holds may be none.
	odd := &ring{kept: map[string]string{secret.Service + "/id": "Kanari"}}
	keys := secret.InFolder(t.TempDir(), odd)
	_, err := keys.Load(t.Context(), "id")
	wantCode(t, err, secret.CodeKeyInvalid, "in the keyring")
	_, err = keys.Make(t.Context(), "id")
	wantCode(t, err, secret.CodeKeyInvalid)
	if odd.kept[secret.Service+"/id"] != "Kanari" {
		t.Error("what was there was replaced")
	}

	// A key that it had is missed, whether it is empty or does not open.
	for says, r := range map[string]*ring{"user id": newRing(), "cannot be opened here": {closed: noRing}} {
		_, err := secret.InFolder(t.TempDir(), r).Load(t.Context(), "id")
		wantCode(t, err, secret.CodeKeyMissing, says)
		if r.closed != nil && !errors.Is(err, noRing) {
			t.Errorf("its cause is lost: %v", err)
		}
	}
}

// TestAKeyringThatDoesNotAnswer is waited for until the person has enough, and no key is put
// elsewhere.
func TestAKeyringThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	r := newRing()
	r.held = make(chan struct{})
	defer close(r.held)
	dir := t.TempDir()
	keys := secret.InFolder(dir, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ask := range []func() error{
		func() error { return second(keys.Load(ctx, "id")) },
		func() error { return second(keys.Make(ctx, "id")) },
	} {
		if err := ask(); !errors.Is(err, context.Canceled) {
			t.Errorf("it gives %v", err)
		}
	}
	// It goes silent when secrets are kept already, and they are listed.
	h := newHouse(t, secret.InMemory())
	h.has(t, space, "key")
	waiting, stop := context.WithCancel(t.Context())
	h.keys = stopping{keys, stop}
	if err := second(h.again().ListAll(waiting)); !errors.Is(err, context.Canceled) {
		t.Errorf("the list gives %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, secret.KeyFile)); err == nil {
		t.Error("a key was put into the file")
	}
}

// stopping are keys whose person has enough as soon as one is asked for.
type stopping struct {
	secret.Keys
	stop func()
}

func (s stopping) Load(ctx context.Context, id string) (*age.X25519Identity, error) {
	s.stop()
	return s.Keys.Load(ctx, id)
}

// TestNoKeyIsAskedForBeforeItIsNeeded, so that nobody has to open a keyring for nothing.
func TestNoKeyIsAskedForBeforeItIsNeeded(t *testing.T) {
	t.Parallel()
	r, dir := newRing(), t.TempDir()
	h := newHouse(t, secret.InFolder(dir, r))
	if _, err := h.ListAll(t.Context()); err != nil {
		t.Error(err)
	}
	wantCode(t, second(h.Get(t.Context(), space, "key")), secret.CodeMissing)
	wantCode(t, h.Delete(t.Context(), space, "key"), secret.CodeMissing)
	wantCode(t, second(h.Set(t.Context(), space, "key", "short", secret.Bearer())), secret.CodeTooShort)
	if list, _ := os.ReadDir(dir); r.asked != 0 || len(list) != 0 {
		t.Errorf("the keyring was asked %d times, and %d files are there", r.asked, len(list))
	}
	h.has(t, space, "key", "second")
	if asked := r.asked; asked == 0 || second(h.Get(t.Context(), space, "key")) != nil || r.asked != asked {
		t.Errorf("the key is asked for again: %d times, then %d", asked, r.asked)
	}
}

// TestTheKeyringOfTheSystem is asked under the name of Toolsmith. The library keeps which
// keyring there is for the whole process, so no other test here uses it.
func TestTheKeyringOfTheSystem(t *testing.T) {
	t.Parallel()
	keyring.MockInit()
	dir := t.TempDir()
	key := made(t, secret.InFolder(dir, secret.SystemRing()), "id")
	if kept, err := keyring.Get("toolsmith", "id"); err != nil || kept != key {
		t.Errorf("the keyring has %q, %v", kept, err)
	}
	if list, _ := filepath.Glob(filepath.Join(dir, secret.KeyFile)); len(list) != 0 {
		t.Errorf("files are there: %v", list)
	}
}
