//go:build unix

package sqlite

import (
	"bufio"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// prepareChild takes away the umask, which would hide a mode that is too wide. It
// belongs to a whole process, so no test can do it for itself.
func prepareChild() { syscall.Umask(0) }

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	writer := child(t, roleOpen, dir)
	input, err := writer.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	for said := bufio.NewScanner(output); said.Scan() && said.Text() != "written"; {
	}

	wantMode(t, filepath.Dir(dir), 0o700)
	wantMode(t, dir, 0o700)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		wantMode(t, filepath.Join(dir, FileName+suffix), 0o600)
	}

	if err := input.Close(); err != nil {
		t.Error(err)
	}
	if err := writer.Wait(); err != nil {
		t.Error(err)
	}
}

func TestFilesOfALeaseAreForTheirOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := startWorker(t, dir)
	for _, path := range []string{lockPath(dir, other.id), socketPath(dir, other.id)} {
		wantMode(t, path, 0o600)
	}
	if err := other.input.Close(); err != nil {
		t.Error(err)
	}
	if err := other.process.Wait(); err != nil {
		t.Error(err)
	}
}

func TestAnOldStoreIsMadePrivate(t *testing.T) {
	t.Parallel()
	shared := t.TempDir()
	if err := os.WriteFile(filepath.Join(shared, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), shared)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(shared, FileName), 0o666); err != nil {
		t.Fatal(err)
	}

	open(t, shared)

	wantMode(t, shared, 0o755) // it holds other things, and was not made by a store
	wantMode(t, filepath.Join(shared, FileName), 0o600)
	wantMode(t, filepath.Join(shared, "mine"), 0o644)
}

func wantMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Error(err)
		return
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has the mode %o; want %o", path, got, want)
	}
}
