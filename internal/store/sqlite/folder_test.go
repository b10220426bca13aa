package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolsmith/internal/store"
)

func TestExistsCreatesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	expect := func(want bool) {
		t.Helper()
		if got, err := Exists(dir); got != want || err != nil {
			t.Errorf("exists %v, %v; want %v", got, err, want)
		}
	}
	expect(false)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder was made: %v", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	expect(false)
	open(t, dir)
	expect(true)

	strange := t.TempDir()
	if err := os.Mkdir(filepath.Join(strange, FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Exists(strange); err == nil {
		t.Error("a folder was taken for a store")
	}
	if _, err := Exists("no\x00path"); err == nil {
		t.Error("a path that cannot be was looked at")
	}
}

func TestAFolderThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a-file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	within := func(name, content string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	taken := t.TempDir()
	if err := os.Mkdir(filepath.Join(taken, FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{
		"a file":              file,
		"below a file":        filepath.Join(file, "data"),
		"a folder for a file": taken,
		"a long name":         filepath.Join(t.TempDir(), strings.Repeat("x", 300)),
		"no database":         within(FileName, strings.Repeat("this is no database. ", 1000)),
	}
	if _, err := os.Stat("/proc/self"); err == nil { // where there is one, nobody can make a file in it
		folders["of the system"] = "/proc"
	}
	if os.Geteuid() != 0 { // to root no folder is read-only
		folders["read-only"] = t.TempDir()
		if err := os.Chmod(folders["read-only"], 0o500); err != nil {
			t.Fatal(err)
		}
	}
	for name, dir := range folders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), dir)
			if err == nil {
				s.Close()
			}
			wantCode(t, err, store.CodeUnavailable)
			if err != nil && !strings.Contains(err.Error(), dir) {
				t.Errorf("the error does not name %s: %v", dir, err)
			}
		})
	}
}
