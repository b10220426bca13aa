package quickjs_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"toolsmith/internal/runner/script/quickjs"
)

// What guests do: fib(27), and 1 MB of JSON written and read 11 times.
const (
	fib27  = `(n => { const f = n => n < 2 ? n : f(n - 1) + f(n - 2); return f(n) })(27)`
	json11 = `(() => { const list = []; for (let i = 0; i < 10000; i++) list.push({id: i, name: "item " + i, tags: ["a", "b", "c"], text: "x".repeat(40)});
		let text = JSON.stringify(list); for (let i = 0; i < 11; i++) text = JSON.stringify(JSON.parse(text)); return text.length })()`
)

func BenchmarkScript(b *testing.B) {
	e := newEngine(b, quickjs.Options{})
	image := newImage(b, e, runtimeScript)
	for _, script := range []struct{ name, text string }{
		{"fib27", fib27},
		{"json1MBx11", json11},
		{"loop1e6", "let n = 0; for (let i = 0; i < 1e6; i++) n += i; n"},
		{"fill40MB", "let a = []; for (let i = 0; i < 40; i++) a.push(new Uint8Array(1e6).fill(1)); a.length"},
	} {
		b.Run(script.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := call(b, e, image, "eval", script.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for name, dir := range map[string]string{"fresh": "", "kept": machineCode} {
		b.Run(name, func(b *testing.B) {
			newImage(b, newEngine(b, quickjs.Options{}), "")
			for b.Loop() {
				e := quickjs.New(quickjs.Options{CacheDir: dir})
				newImage(b, e, "")
				if err := e.Close(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// An image from nothing boots QuickJS; one from a base evaluates a small tool.
func BenchmarkImage(b *testing.B) {
	e := newEngine(b, quickjs.Options{})
	base := newImage(b, e, runtimeScript)
	b.Run("boot", func(b *testing.B) {
		for b.Loop() {
			newImage(b, e, runtimeScript)
		}
		b.ReportMetric(float64(base.Size()), "kept-B")
	})
	b.Run("derived", func(b *testing.B) {
		size := 0
		for b.Loop() {
			size = derive(b, e, base, "globalThis.tool = {name: 'x', run(a) { return a.length }}").Size()
		}
		b.ReportMetric(float64(size), "kept-B")
	})
}

// One call from opening to closing, on an instance that was used before.
func BenchmarkCall(b *testing.B) {
	e := newEngine(b, quickjs.Options{})
	image := newImage(b, e, runtimeScript)
	other := derive(b, e, image, "globalThis.other = 1")
	b.Run("open-call-close", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := call(b, e, image, "echo", "a", "b"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("two-images", func(b *testing.B) {
		for b.Loop() {
			for _, image := range []*quickjs.Image{image, other} {
				if _, err := call(b, e, image, "echo", "a", "b"); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("call", func(b *testing.B) {
		s := open(b, e, image, nil, quickjs.Budget{CPU: 1e15})
		defer s.Close()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Call(b.Context(), "echo", "a", "b"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := call(b, e, image, "echo", "a", "b"); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

// BenchmarkDeadline is how long after their deadline of 200 ms attacks have ended that have not before.
func BenchmarkDeadline(b *testing.B) {
	const deadline = 200 * time.Millisecond
	e := newEngine(b, quickjs.Options{})
	image := newImage(b, e, runtimeScript)
	for b.Loop() {
		var late []time.Duration
		for _, body := range attacks(b) {
			s, err := e.Open(b.Context(), image, nil, quickjs.Budget{CPU: time.Minute})
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(b.Context(), deadline)
			at, _ := ctx.Deadline()
			_, err = s.Call(ctx, "body", body)
			if over := time.Since(at); errors.Is(err, quickjs.ErrStopped) {
				late = append(late, over)
			}
			cancel()
			s.Close()
		}
		slices.Sort(late)
		if len(late) == 0 {
			b.Fatal("no attack was stopped")
		}
		b.ReportMetric(float64(len(late)), "stopped")
		b.ReportMetric(float64(late[len(late)/2].Microseconds())/1000, "median-ms")
		b.ReportMetric(float64(late[len(late)-1].Microseconds())/1000, "latest-ms")
	}
}
