package bundle_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"toolsmith/internal/compile/bundle"
)

// BenchmarkCold is a text that was not seen before: a child starts, translates it and ends.
func BenchmarkCold(b *testing.B) {
	long := digest
	for i := range 1400 {
		long += fmt.Sprintf("function f%d(a: number) { return { a, b: a ?? 1, c: `x${a}` } }\n", i)
	}
	for name, source := range map[string]string{"1KB": digest, "100KB": long} {
		b.Run(name, func(b *testing.B) {
			bundler := newBundler(b)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, problems, err := bundler.Bundle(context.Background(), "a.ts", fmt.Appendf(nil, "%s// %d", source, i)); err != nil || problems != nil {
					b.Fatal(problems, err)
				}
			}
		})
	}
}

// BenchmarkKept is a text that was translated before.
func BenchmarkKept(b *testing.B) {
	bundler := newBundler(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, problems, err := bundler.Bundle(context.Background(), "a.ts", []byte(digest)); err != nil || problems != nil {
			b.Fatal(problems, err)
		}
	}
}

// BenchmarkProgram is BenchmarkCold with the program itself, which starts slower than a test.
func BenchmarkProgram(b *testing.B) {
	program := filepath.Join(b.TempDir(), "toolsmith")
	if out, err := exec.Command("go", "build", "-o", program, "toolsmith/cmd/toolsmith").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	bundler := bundle.New(bundle.Options{Command: []string{program, bundle.ChildArgument}, Timeout: patient})
	for i := 0; b.Loop(); i++ {
		if _, problems, err := bundler.Bundle(context.Background(), "a.ts", fmt.Appendf(nil, "%s// %d", digest, i)); err != nil || problems != nil {
			b.Fatal(problems, err)
		}
	}
}
