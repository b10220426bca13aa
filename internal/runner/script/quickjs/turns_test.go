package quickjs_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/runner/script/quickjs"
)

// Guests that spin in whatever way end when the context does.
func TestStop(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Running: 1})
	image := newImage(t, e, runtimeScript)
	for name, text := range map[string]string{
		"loop":          "host('on'); for (;;);",
		"caught":        "host('on'); for (;;) { try { for (;;); } catch {} finally { continue } }",
		"jobs":          "host('on'); (async () => { for (;;) await null })()",
		"microtasks":    "host('on'); (function f() { queueMicrotask(f) })()",
		"regex":         "host('on'); /(a+)+$/.test('a'.repeat(50) + 'b')",
		"native loop":   "host('on'); Array.prototype.includes.call({length: 2**53-1}, 1)",
		"bulk":          "let a = new Uint8Array(2e7); host('on'); for (;;) a.fill(1)",
		"sort":          "host('on'); for (;;) [3, 2, 1].sort(() => 1)",
		"of the result": "return {toString() { host('on'); for (;;); }}",
		"of a message":  "throw Object.defineProperty(new Error(), 'message', {get() { host('on'); for (;;); }})",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			host := hostFunc(func(string, []string) (string, error) { cancel(); return "", nil })
			s := open(t, e, image, host, quickjs.Budget{CPU: time.Hour})
			defer s.Close()
			if _, err := s.Call(ctx, "with", text); !errors.Is(err, quickjs.ErrStopped) || !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if _, err := s.Call(t.Context(), "eval", "1"); !errors.Is(err, quickjs.ErrStopped) {
				t.Error("it goes on:", err)
			}
		})
	}
	t.Run("before it begins", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		s := open(t, e, image, nil, quickjs.Budget{})
		defer s.Close()
		cancel()
		if _, err := s.Call(ctx, "eval", "1"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if _, err := e.Open(ctx, image, nil, quickjs.Budget{}); !errors.Is(err, context.Canceled) {
			t.Error("open:", err)
		}
		// Nothing of it had run, so it can.
		if got, err := s.Call(t.Context(), "eval", "1"); got != "1" || err != nil {
			t.Error(got, err)
		}
	})
}

// A guest that spins does not keep others from their turns, nor these from each other.
func TestFairness(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Running: 1, Live: 8})
	image := newImage(t, e, runtimeScript)
	ctx, cancel := context.WithCancel(t.Context())
	on := make(chan struct{}, 2)
	host := hostFunc(func(string, []string) (string, error) { on <- struct{}{}; return "", nil })
	var spinning sync.WaitGroup
	for _, text := range []string{"host('on'); for (;;);", "host('on'); (async () => { for (;;) await null })()"} {
		spinning.Go(func() {
			s := open(t, e, image, host, quickjs.Budget{CPU: time.Hour})
			defer s.Close()
			if _, err := s.Call(ctx, "with", text); !errors.Is(err, quickjs.ErrStopped) {
				t.Error(err)
			}
		})
	}
	<-on
	<-on
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 10 {
				checkCall(t, e, image, "1", "eval", "for (let i = 0; i < 1e4; i++); 1")
			}
		})
	}
	all.Wait()
	cancel()
	spinning.Wait()
}

// A guest whose turn others have can be stopped, and its waiting costs it nothing.
func TestWaitingForATurn(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Running: 1})
	image := newImage(t, e, runtimeScript)
	const guests = 6
	var all sync.WaitGroup
	for range guests {
		all.Go(func() {
			s := open(t, e, image, nil, quickjs.Budget{CPU: 60 * time.Millisecond})
			defer s.Close()
			if _, err := s.Call(t.Context(), "body", "for (;;);"); !errors.Is(err, quickjs.ErrCPU) {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// No more sandboxes are alive than may be; who waits gets one when one is closed, or its context ends.
func TestLive(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Live: 2})
	image := newImage(t, e, runtimeScript)
	first, second := open(t, e, image, nil, quickjs.Budget{}), open(t, e, image, nil, quickjs.Budget{})
	defer second.Close()
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error)
	go func() {
		_, err := e.Open(ctx, image, nil, quickjs.Budget{})
		waiting <- err
	}()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	go func() {
		s, err := e.Open(t.Context(), image, nil, quickjs.Budget{})
		if err == nil {
			s.Close()
		}
		waiting <- err
	}()
	select {
	case err := <-waiting:
		t.Error("a third one is alive", err)
	default:
	}
	first.Close()
	if err := <-waiting; err != nil {
		t.Error(err)
	}
}

// Many at once, of several images, each with its own state.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Live: 5, Running: 3})
	base := newImage(t, e, runtimeScript)
	images := []*quickjs.Image{base, derive(t, e, base, "globalThis.a = 1"), derive(t, e, base, "globalThis.b = new Uint8Array(1e6)")}
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for n := range 30 {
				image := images[(worker+n)%3]
				s := open(t, e, image, nil, quickjs.Budget{})
				for k := range 3 {
					want := []string{"1", "2", "3"}[k]
					if got, err := s.Call(t.Context(), "eval", "globalThis.n = (globalThis.n ?? 0) + 1"); got != want || err != nil {
						t.Errorf("%s, %v; want %s", got, err, want)
					}
				}
				s.Close()
			}
		})
	}
	all.Wait()
}
