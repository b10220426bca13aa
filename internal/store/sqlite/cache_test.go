package sqlite

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestCacheFolder is there for its owner only, where there is a store.
func TestCacheFolder(t *testing.T) {
	t.Parallel()
	if got := CacheFolder(t.TempDir()); got != "" {
		t.Errorf("without a store there is %q", got)
	}
	folder := func(t *testing.T) string {
		t.Helper()
		dir := t.TempDir()
		s, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return dir
	}
	dir := folder(t)
	for range 2 {
		got := CacheFolder(dir)
		if got != filepath.Join(dir, "cache") {
			t.Errorf("it is %q", got)
		}
		if info, err := os.Stat(got); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("it is %v, %v", info, err)
		}
	}
	taken := folder(t)
	if err := os.WriteFile(filepath.Join(taken, "cache"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := CacheFolder(taken); got != "" {
		t.Errorf("a file stands in its place, and it is %q", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	open := folder(t)
	if err := os.Mkdir(filepath.Join(open, "cache"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(open, "cache"), 0o770); err != nil { //nolint:gosec // others may write there: that is the point
		t.Fatal(err)
	}
	if got := CacheFolder(open); got != "" {
		t.Errorf("others may write there, and it is %q", got)
	}
}
