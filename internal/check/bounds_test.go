package check_test

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
)

// maxAllocated is what a check may take from the heap, all in all, whatever the text.
const maxAllocated = 64 << 20

// allocated gives how many bytes f takes from the heap. Nothing else may run meanwhile.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// alone reports whether the test runs in a process of its own, and if not runs it in
// one: what the heap gives is counted for the whole process, and other tests run in
// parallel here.
func alone(t *testing.T) bool {
	t.Helper()
	const mark = "TOOLSMITH_TEST_ALONE"
	if os.Getenv(mark) == t.Name() {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"="+t.Name())
	output, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(output, []byte("--- PASS: "+t.Name())) {
		t.Errorf("%v:\n%s", err, output)
	}
	return false
}

// TestBounds holds each hostile text to the bound of memory, and to its verdict.
func TestBounds(t *testing.T) {
	t.Parallel()
	if !alone(t) {
		return
	}
	check.Run(flow(returns(quote(strings.Repeat("a0", 20)))), builtin) // reads the rules for secrets
	for _, group := range [][]hostile{refused, bounded} {
		for _, h := range group {
			text := h.text()
			var r check.Result
			if got := allocated(func() { r = check.Run(text, builtin) }); got > maxAllocated {
				t.Errorf("%s (%d bytes) takes %d KiB", h.name, len(text), got>>10)
			}
			if r.OK() != h.ok {
				t.Errorf("%s: ok is %v:\n%s", h.name, r.OK(), show(r.Diagnostics[:min(3, len(r.Diagnostics))]))
			}
		}
	}
}

// TestRefused: what is refused before it is built costs next to nothing, and gives one
// diagnostic.
func TestRefused(t *testing.T) {
	t.Parallel()
	if !alone(t) {
		return
	}
	for _, h := range refused {
		text := h.text()
		var r check.Result
		if got := allocated(func() { r = check.Run(text, builtin) }); got > 1<<20 {
			t.Errorf("%s (%d bytes) takes %d KiB", h.name, len(text), got>>10)
		}
		want := manifest.CodeStructure
		if len(text) > manifest.MaxSize {
			want = manifest.CodeTooLarge
		}
		if len(r.Diagnostics) != 1 || r.Diagnostics[0].Code != want || r.Diagnostics[0].Path != "$" {
			t.Errorf("%s: got %s want one %s", h.name, show(r.Diagnostics), want)
		}
	}
}

// TestSize: 64 KiB are accepted, one byte more is not, whatever the bytes are.
func TestSize(t *testing.T) {
	t.Parallel()
	long := func(size int) []byte {
		before, after, _ := strings.Cut(string(flow(returns(`"HERE"`))), "HERE")
		return []byte(before + strings.Repeat("é", (size-len(before)-len(after))/2) + strings.Repeat("e", (size-len(before)-len(after))%2) + after)
	}
	for name, text := range map[string]func(size int) []byte{
		"spaces": func(size int) []byte { return padded(draft{}.text(), size) },
		"a text": long,
	} {
		exact, more := text(manifest.MaxSize), text(manifest.MaxSize+1)
		if len(exact) != 65_536 || len(more) != 65_537 {
			t.Fatalf("%s: %d and %d bytes", name, len(exact), len(more))
		}
		if r := check.Run(exact, builtin); !r.OK() {
			t.Errorf("%s: 64 KiB are refused:\n%s", name, show(r.Diagnostics))
		}
		r := check.Run(more, builtin)
		if r.OK() {
			t.Errorf("%s: 64 KiB and a byte are accepted", name)
		}
		const want = "1:1 error FORGE_MANIFEST_TOO_LARGE $\n    A manifest has at most 65536 bytes (64 KiB); this has more.\n"
		if got := show(r.Diagnostics); got != want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// BenchmarkHostile shows how long the worst texts take. Refusing one should stay far
// below 50 ms.
func BenchmarkHostile(b *testing.B) {
	for _, group := range [][]hostile{refused, bounded, slow} {
		for _, h := range group {
			b.Run(strings.ReplaceAll(h.name, " ", "-"), func(b *testing.B) {
				text := h.text()
				b.ReportAllocs()
				for b.Loop() {
					check.Run(text, builtin)
				}
			})
		}
	}
}
