package quickjs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/runner/script/quickjs"
)

// attacks gives the bodies of the hostile functions, by name.
func attacks(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../testdata/attacks/*")
	if err != nil || len(files) < 200 {
		t.Fatalf("there are %d attacks, %v", len(files), err)
	}
	bodies := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		bodies[filepath.Base(file)] = strings.TrimSpace(string(text))
	}
	return bodies
}

// attack runs the body of a function with little time.
func attack(t *testing.T, e *quickjs.Engine, image *quickjs.Image, body string) error {
	t.Helper()
	s, err := e.Open(t.Context(), image, nil, quickjs.Budget{CPU: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Call(t.Context(), "body", body)
	return err
}

// Each attack ends, with a value or one of the documented errors, and what is called next on the same
// engine is right.
func TestAttacks(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Running: 2})
	image := newImage(t, e, runtimeScript)
	for name, body := range attacks(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := attack(t, e, image, body)
			var thrown *quickjs.Exception
			if err != nil && !errors.As(err, &thrown) && !errors.Is(err, quickjs.ErrCPU) && !errors.Is(err, quickjs.ErrMemory) {
				t.Errorf("%s: %v", body, err)
			}
			checkCall(t, e, image, "42", "eval", "6*7")
		})
	}
}

// After attacks on the memory, by as many at once as there may be, the process has as much as before. The
// memory of sandboxes is not the garbage collector's, so what the system counts is looked at too.
func TestMemoryComesBack(t *testing.T) { //nolint:paralleltest // it measures the process
	e := newEngine(t, quickjs.Options{Live: 4, Running: 2})
	image := newImage(t, e, runtimeScript)
	checkCall(t, e, image, "1", "eval", "1")
	before := measure(t)
	bodies := attacks(t)
	for _, name := range []string{"a01_membomb", "a06_hugearray", "d01_uint8_bomb", "d50_sab_bomb", "d95_oom_small", "b01_recursion", "b14_array_sort_rec"} {
		done := make(chan error)
		for range 8 {
			go func() { done <- attack(t, e, image, bodies[name]) }()
		}
		for range 8 {
			if err := <-done; err == nil {
				t.Error(name, "ended well")
			}
		}
	}
	checkCall(t, e, image, "1", "eval", "1")
	after := measure(t)
	t.Logf("before %+v, after %+v", before, after)
	if after.heap > before.heap+16<<20 {
		t.Errorf("the heap has %d bytes, before it had %d", after.heap, before.heap)
	}
	if after.resident > before.resident+64<<20 {
		t.Errorf("%d bytes are resident, before it were %d", after.resident, before.resident)
	}
}

// memory is what the process has, in bytes.
type memory struct{ heap, resident int64 }

func measure(t *testing.T) memory {
	t.Helper()
	debug.FreeOSMemory()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	m := memory{heap: int64(stats.HeapAlloc)}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil { // elsewhere the heap has to do
		var total, pages int64
		if _, err := fmt.Sscan(string(text), &total, &pages); err != nil {
			t.Fatal(err)
		}
		m.resident = pages * int64(os.Getpagesize())
	}
	return m
}

// Whatever text a guest is, it breaks nothing.
func FuzzGuest(f *testing.F) {
	for _, seed := range []string{
		"1+1", "throw null", "let a=[];for(;;)a.push(a)", "[1,2,3].sort((a,b)=>{throw a})", "new Proxy({},{get(){return 1}}).x",
		"(function*(){yield*[1,2]})().next().value", "/(a+)+$/.test('a'.repeat(30)+'b')", "`${{toString(){return 'x'}}}`", "JSON.parse('[1]',function(){return this})",
		"new Uint8Array(new ArrayBuffer(8,{maxByteLength:64})).fill(1)", "class A{#x=1;static y=new A().#x};A.y", "(async()=>{for await(const x of [1])await x})()", "\x00\xff",
	} {
		f.Add(seed)
	}
	e := newEngine(f, quickjs.Options{Memory: 8 << 20})
	image := newImage(f, e, runtimeScript)
	f.Fuzz(func(t *testing.T, body string) {
		s := open(t, e, image, nil, quickjs.Budget{CPU: 20 * time.Millisecond})
		defer s.Close()
		_, err := s.Call(t.Context(), "body", body)
		var thrown *quickjs.Exception
		if err != nil && !errors.As(err, &thrown) && !errors.Is(err, quickjs.ErrCPU) && !errors.Is(err, quickjs.ErrMemory) {
			t.Error(err)
		}
		checkCall(t, e, image, "42", "eval", "6*7")
	})
}
