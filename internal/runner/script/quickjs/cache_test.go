package quickjs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuildWithoutFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := New(Options{}).build(file); err == nil || !strings.Contains(err.Error(), "keep machine code") {
		t.Errorf("%v", err)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	got := Options{Memory: 1 << 40, Stack: 1 << 30}.defaults()
	if got.Memory != 2<<30 || got.Stack != maxStack || got.Live != DefaultLive || got.Running < 1 {
		t.Errorf("%+v", got)
	}
	got = Options{}.defaults()
	if got.Memory != DefaultMemory || got.Stack != DefaultStack {
		t.Errorf("%+v", got)
	}
}

// Where the system reserves nothing, the memory grows by copies.
func TestMemoryWithoutReserve(t *testing.T) {
	t.Parallel()
	m := &linearMemory{max: 1 << 20}
	text := m.Reallocate(100)
	copy(text, "kept")
	for _, size := range []uint64{100, 1000, 64 << 10, 1 << 20} {
		text = m.Reallocate(size)
		if uint64(len(text)) != size || string(text[:4]) != "kept" || cap(text) > 1<<20 || strings.Trim(string(text[4:]), "\x00") != "" {
			t.Errorf("%d bytes, room for %d: %q", len(text), cap(text), text[:4])
		}
	}
	m.Free()
	m.Free()
}
