package secret_test

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"toolsmith/internal/scrub"
	"toolsmith/internal/secret"
	"toolsmith/internal/store/sqlite"
)

// TestNothingInTheFolderShowsASecret, in any way of writing it, whether the store is open and
// its log not yet taken in, or closed. Only the file of the key shows the key.
func TestNothingInTheFolderShowsASecret(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	s, err := sqlite.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v := secret.New(secret.Options{Store: s, Keys: secret.InFolder(dir, nil), Who: "ada"})
	for _, value := range []string{"kanari-before-9876", canary} { // what is replaced is not left behind
		if _, err := v.Set(ctx, space, "key", value, secret.Bearer()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := v.Set(ctx, space, "gone", "kanari-gone-567890", secret.Bearer()); err != nil {
		t.Fatal(err)
	}
	if err := v.Delete(ctx, space, "gone"); err != nil {
		t.Fatal(err)
	}
	if got, err := v.Get(ctx, space, "key"); err != nil || got.Value != canary {
		t.Fatalf("got %v, %v", got, err)
	}
	key := loaded(t, secret.InFolder(dir, nil), "id")
	all := scrub.New([]scrub.Secret{
		{Name: "canary", Value: canary}, {Name: "before", Value: "kanari-before-9876"}, {Name: "gone", Value: "kanari-gone-567890"}, {Name: "key", Value: key},
	})

	if files := shows(t, all, dir); len(files) != 1 || files[0] != secret.KeyFile {
		t.Errorf("with the store open a secret is shown in %v", files)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if files := shows(t, all, dir); len(files) != 1 || files[0] != secret.KeyFile {
		t.Errorf("with the store closed a secret is shown in %v", files)
	}

	// The look finds what it looks for.
	quoted, _ := json.Marshal(canary)
	for name, text := range map[string]string{
		"raw": canary, "json": string(quoted), "base64": "\x00\xff" + base64.StdEncoding.EncodeToString([]byte("xy"+canary+"z")),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("before\x00"+text+"\x00after"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if files := shows(t, all, dir); len(files) != 4 {
		t.Errorf("it is found only in %v", files)
	}
}

// shows names the files in a folder out of which a scrubber takes something.
func shows(t *testing.T, s *scrub.Scrubber, dir string) (files []string) {
	t.Helper()
	read := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read += len(data)
		if string(s.Bytes(data)) != string(data) {
			files = append(files, entry.Name())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read < 64<<10 {
		t.Errorf("only %d bytes were looked at: the store is not among them", read)
	}
	return files
}
