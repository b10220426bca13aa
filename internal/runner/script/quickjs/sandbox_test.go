package quickjs_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/runner/script/quickjs"
)

// hostFunc is a host of one function.
type hostFunc func(name string, arguments []string) (string, error)

func (f hostFunc) Call(name string, arguments []string) (string, error) { return f(name, arguments) }

func TestCall(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	image := newImage(t, e, runtimeScript)
	for _, c := range []struct {
		name, entry string
		arguments   []string
		want        string
	}{
		{"no arguments", "echo", nil, "0:"},
		{"texts", "echo", []string{"a", "", "c"}, "3:a||c"},
		{"text with zeroes and more", "echo", []string{"a\x00b", "é😀"}, "2:a\x00b|é😀"},
		{"bad text", "echo", []string{"a\xff\xfeb", "\xed\xa0\x80"}, "2:a\uFFFDb|\uFFFD"},
		{"lone surrogate", "eval", []string{`"a\ud800b"`}, "a\uFFFDb"},
		{"number", "eval", []string{"0.1+0.2"}, "0.30000000000000004"},
		{"object", "eval", []string{"({toString() { return 'o' }})"}, "o"},
		{"undefined", "eval", []string{""}, "undefined"},
		{"promise", "eval", []string{"Promise.resolve(1)"}, "[object Promise]"},
		{"jobs are drained", "eval", []string{"let l = []; (async () => { for (let i = 0; i < 100; i++) await null; l.push('done') })(); l"}, "done"},
		{"long text", "eval", []string{"'x'.repeat(5e6)"}, strings.Repeat("x", 5e6)},
		{"entries are taken away", "eval", []string{"typeof __entry + typeof __host"}, "undefinedundefined"},
		{"no modules", "eval", []string{"let r; import('fs').catch(e => { r.push(e.name) }); r = []"}, "ReferenceError"},
		{"no system", "eval", []string{"[typeof std, typeof os, typeof print, typeof process, typeof require, typeof setTimeout].join()"}, "undefined,undefined,undefined,undefined,undefined,undefined"},
		{"no way out by constructors", "eval", []string{"(async () => {}).constructor.constructor('return typeof process + typeof std')()"}, "undefinedundefined"},
		{"UTC", "eval", []string{"new Date(2020, 0, 1).toISOString()"}, "2020-01-01T00:00:00.000Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkCall(t, e, image, c.want, c.entry, c.arguments...)
		})
	}
}

func TestExceptions(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	image := newImage(t, e, runtimeScript)
	for _, c := range []struct{ name, text, wantName, wantMessage, wantError string }{
		{"error", "throw new TypeError('no')", "TypeError", "no", "TypeError: no"},
		{"own name", "throw Object.assign(new Error('m'), {name: 'Mine'})", "Mine", "m", "Mine: m"},
		{"no message", "throw new Error()", "Error", "", "Error"},
		{"text", "throw 'x'", "", "x", "x"},
		{"null", "throw null", "", "null", "null"},
		{"symbol", "throw Symbol('x')", "", "", ""},
		{"syntax", "return (", "SyntaxError", "", "SyntaxError"},
		{"getter throws", "throw Object.defineProperty(new Error('m'), 'message', {get() { throw 1 }})", "Error", "", "Error"},
		{"of a result", "return {toString() { throw new Error('r') }}", "Error", "r", "Error: r"},
		{"of a job", "queueMicrotask(() => { throw new Error('j') })", "Error", "j", "Error: j"},
		{"cut", "throw new Error('x'.repeat(1e6))", "Error", strings.Repeat("x", 64<<10), ""},
		{"stack overflow", "(function f() { f() })()", "RangeError", "Maximum call stack size exceeded", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, e, image, nil, quickjs.Budget{})
			defer s.Close()
			_, err := s.Call(t.Context(), "body", c.text)
			var x *quickjs.Exception
			if !errors.As(err, &x) {
				t.Fatalf("%v is no exception", err)
			}
			if x.Name != c.wantName || c.wantName != "SyntaxError" && x.Message != c.wantMessage || c.wantError != "" && !strings.HasPrefix(x.Error(), c.wantError) {
				t.Errorf("%q %q: %v", x.Name, x.Message, err)
			}
			// The sandbox goes on.
			if got, err := s.Call(t.Context(), "eval", "7"); got != "7" || err != nil {
				t.Errorf("after it: %q, %v", got, err)
			}
		})
	}
	s := open(t, e, image, nil, quickjs.Budget{})
	defer s.Close()
	_, err := s.Call(t.Context(), "body", "function inner() { null.x } inner()")
	var x *quickjs.Exception
	if !errors.As(err, &x) || !strings.Contains(x.Stack, "inner") || !strings.Contains(x.Stack, "runtime.js") {
		t.Errorf("stack: %+v", x)
	}
	for _, entry := range []string{"", "missing", "nothing", "toString"} {
		if _, err := s.Call(t.Context(), entry); !errors.As(err, &x) || x.Name != "ReferenceError" {
			t.Errorf("entry %q: %v", entry, err)
		}
	}
}

func TestHost(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	image := newImage(t, e, runtimeScript)
	failure := errors.New("the host has enough")
	host := hostFunc(func(name string, arguments []string) (string, error) {
		if name == "fail" {
			return "", failure
		}
		if name == "big" {
			return strings.Repeat("y", 1<<20), nil
		}
		return name + strconv.Itoa(len(arguments)) + strings.Join(arguments, ""), nil
	})
	for _, c := range []struct{ name, text, want string }{
		{"texts", "return host('a', 'b\\0', 'é')", "a2b\x00é"},
		{"name alone", "return host('a')", "a0"},
		{"primitives become texts", "return host('a', 1, null, undefined, true, 2n)", "a51nullundefinedtrue2"},
		{"object", "try { host('a', {toString() { return host('a') }}) } catch (e) { return e.name + e.message }", "TypeError__host takes texts"},
		{"symbol", "try { host('a', Symbol()) } catch (e) { return e.message }", "__host takes texts"},
		{"nothing", "try { host() } catch (e) { return e.message }", "__host takes 1 to 16 arguments"},
		{"too many", "try { host(...new Array(17).fill('')) } catch (e) { return e.message }", "__host takes 1 to 16 arguments"},
		{"too long", "let s = 'x'.repeat(9e6); try { host(s, s) } catch (e) { return e.message }", "the arguments of __host are longer than 16777216 bytes"},
		{"large answer", "return host('big').length", "1048576"},
		{"within texts", "return String({toString() { return host('in') }}) + `${{toString() { return host('side') }}}`", "in0side0"},
		{"of the result", "return {toString() { return host('late') }}", "late0"},
		{"often", "for (let i = 0; i < 1e4; i++) try { host({}) } catch { host('x', i) } return 1", "1"},
		{"in an exception", "try { throw new Proxy({}, {get(t, k) { return host('k') }}) } catch (e) { return e.x }", "k0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, e, image, host, quickjs.Budget{})
			defer s.Close()
			if got, err := s.Call(t.Context(), "with", c.text); got != c.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
	t.Run("failure ends the sandbox", func(t *testing.T) {
		t.Parallel()
		s := open(t, e, image, host, quickjs.Budget{})
		defer s.Close()
		if _, err := s.Call(t.Context(), "with", "try { host('fail') } catch {} for (;;);"); !errors.Is(err, failure) {
			t.Errorf("%v", err)
		}
		if _, err := s.Call(t.Context(), "eval", "1"); !errors.Is(err, failure) {
			t.Errorf("after it: %v", err)
		}
	})
	t.Run("getters of an exception reach it", func(t *testing.T) {
		t.Parallel()
		s := open(t, e, image, host, quickjs.Budget{})
		defer s.Close()
		_, err := s.Call(t.Context(), "with", "throw Object.defineProperty(new Error('m'), 'message', {get() { return host('m') }})")
		var x *quickjs.Exception
		if !errors.As(err, &x) || x.Message != "m0" {
			t.Errorf("%v", err)
		}
	})
	t.Run("panic of a host", func(t *testing.T) {
		t.Parallel()
		s := open(t, e, image, hostFunc(func(string, []string) (string, error) { panic("lost") }), quickjs.Budget{})
		defer s.Close()
		if _, err := s.Call(t.Context(), "host", "x"); !errors.Is(err, quickjs.ErrBroken) {
			t.Errorf("%v", err)
		}
	})
	t.Run("nobody", func(t *testing.T) {
		t.Parallel()
		if _, err := call(t, e, image, "host", "x"); err == nil || err.Error() != "TypeError: nobody answers here" {
			t.Errorf("%v", err)
		}
	})
}

// While a call of the host is answered nothing of the guest runs; where it gets QuickJS to do so
// nevertheless, it does not reach the host again.
func TestHostWithinHost(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Memory: 8 << 20})
	image := newImage(t, e, runtimeScript)
	for name, text := range map[string]string{
		"setters":       "for (const k of ['name', 'message']) for (const p of [Error.prototype, TypeError.prototype, Object.prototype]) Object.defineProperty(p, k, {set() { host({}) }, configurable: true}); try { host({}) } catch (e) { return e.message }",
		"getters":       "for (const p of [Error.prototype, InternalError.prototype]) for (const k of ['name', 'message', 'stack']) Object.defineProperty(p, k, {get() { host('in') }, configurable: true}); host('big')",
		"stack traces":  "Error.prepareStackTrace = () => { host('in'); return host({}) }; try { host({}) } catch (e) { host('after') } host('big')",
		"stack limit":   "Object.defineProperty(Error, 'stackTraceLimit', {get() { return host({}) }}); try { host({}) } catch {} host('big')",
		"finalisation":  "let r = new FinalizationRegistry(() => host('late')); for (let i = 0; i < 1e4; i++) { r.register({}, 1); host('x') } host('big')",
		"long argument": "Error.prepareStackTrace = () => host('in'); let a = 'x'.repeat(6e6); host(a + a)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := hostFunc(func(name string, _ []string) (string, error) {
				if name == "big" {
					return strings.Repeat("x", 40<<20), nil
				}
				return "", nil
			})
			s := open(t, e, image, host, quickjs.Budget{CPU: time.Second})
			defer s.Close()
			got, err := s.Call(t.Context(), "with", text)
			var thrown *quickjs.Exception
			if err != nil && !errors.As(err, &thrown) && !errors.Is(err, quickjs.ErrMemory) && !errors.Is(err, quickjs.ErrBroken) && !errors.Is(err, quickjs.ErrCPU) {
				t.Errorf("%q, %v", got, err)
			}
			checkCall(t, e, image, "42", "eval", "6*7")
		})
	}
	t.Run("host calls its sandbox", func(t *testing.T) {
		t.Parallel()
		var s *quickjs.Sandbox
		s = open(t, e, image, hostFunc(func(string, []string) (string, error) {
			return s.Call(t.Context(), "eval", "1")
		}), quickjs.Budget{})
		defer s.Close()
		if _, err := s.Call(t.Context(), "host", "x"); !errors.Is(err, quickjs.ErrBroken) {
			t.Error(err)
		}
	})
}

func TestBudget(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	image := newImage(t, e, runtimeScript)
	s := open(t, e, image, nil, quickjs.Budget{CPU: 100 * time.Millisecond})
	defer s.Close()
	// It is for all calls together.
	var err error
	for n := 0; err == nil && n < 1e6; n++ {
		_, err = s.Call(t.Context(), "body", "for (let i = 0; i < 1e4; i++);")
	}
	if !errors.Is(err, quickjs.ErrCPU) {
		t.Fatal(err)
	}
	if _, err := s.Call(t.Context(), "eval", "1"); !errors.Is(err, quickjs.ErrCPU) {
		t.Error("it goes on:", err)
	}
	if _, err := e.Image(t.Context(), image, nil, quickjs.Budget{CPU: time.Millisecond}, quickjs.Script{Name: "x", Text: "for(;;);"}); !errors.Is(err, quickjs.ErrCPU) {
		t.Error("image:", err)
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	image := newImage(t, e, runtimeScript)
	checkCall(t, e, image, "0", "eval", "Date.now()")
	now := time.Date(2026, 2, 3, 4, 5, 6, 7e6, time.UTC)
	s := open(t, e, image, nil, quickjs.Budget{Now: func() time.Time { return now }})
	defer s.Close()
	for range 2 {
		if got, err := s.Call(t.Context(), "eval", "new Date().toISOString()"); got != now.Format("2006-01-02T15:04:05.000Z") || err != nil {
			t.Errorf("%s, %v", got, err)
		}
		now = now.Add(time.Hour)
	}
}

// Math.random goes on from where the image stood, the same for all.
func TestRandomIsTheImages(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	image := newImage(t, e, runtimeScript)
	const text = "[Math.random(), Math.random()].join()"
	first, err := call(t, e, image, "eval", text)
	if err != nil {
		t.Fatal(err)
	}
	checkCall(t, e, image, first, "eval", text)
	if one, other, _ := strings.Cut(first, ","); one == other {
		t.Error("it does not move:", first)
	}
}

func TestMemoryLimits(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Memory: 8 << 20})
	image := newImage(t, e, runtimeScript)
	for name, c := range map[string]struct {
		text  string
		right func(got string, err error) bool
	}{
		"by one piece":    {"new ArrayBuffer(1e7)", isMemory},
		"by many":         {"let a = []; for (;;) a.push({})", isMemory},
		"below the limit": {"new Uint8Array(5e6).fill(1).length", func(got string, err error) bool { return got == "5000000" && err == nil }},
		// Nothing in the guest catches it, so that nobody computes for long with what is left.
		"caught":          {"try { new ArrayBuffer(1e7) } catch { 1 }", isMemory},
		"caught in a job": {"(async () => { await null; try { new ArrayBuffer(1e7) } catch { for (;;); } })()", isMemory},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := call(t, e, image, "eval", c.text); !c.right(got, err) {
				t.Errorf("%q, %v", got, err)
			}
			checkCall(t, e, image, "42", "eval", "6*7")
		})
	}
	t.Run("by an argument", func(t *testing.T) {
		t.Parallel()
		if _, err := call(t, e, image, "echo", strings.Repeat("x", 40<<20)); !isMemory("", err) {
			t.Error(err)
		}
	})
	t.Run("by an answer", func(t *testing.T) {
		t.Parallel()
		s := open(t, e, image, hostFunc(func(string, []string) (string, error) { return strings.Repeat("x", 40<<20), nil }), quickjs.Budget{})
		defer s.Close()
		if _, err := s.Call(t.Context(), "host", "x"); !isMemory("", err) {
			t.Error(err)
		}
	})
}

func isMemory(_ string, err error) bool { return errors.Is(err, quickjs.ErrMemory) }

func TestStack(t *testing.T) {
	t.Parallel()
	const depth = "let n = 0; function f() { n++; f() } try { f() } catch {} n"
	var depths [2]int
	for k, stack := range []int64{64 << 10, 512 << 10} {
		e := newEngine(t, quickjs.Options{Stack: stack})
		got, err := call(t, e, newImage(t, e, runtimeScript), "eval", depth)
		if err != nil {
			t.Fatal(err)
		}
		if depths[k], err = strconv.Atoi(got); err != nil {
			t.Fatal(err)
		}
	}
	if depths[0] < 50 || depths[1] < 4*depths[0] {
		t.Errorf("depths are %v", depths)
	}
}

// What is used wrongly says so.
func TestMisuse(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	image := newImage(t, e, runtimeScript)
	s := open(t, e, image, nil, quickjs.Budget{})
	s.Close()
	s.Close()
	if _, err := s.Call(t.Context(), "eval", "1"); !errors.Is(err, quickjs.ErrBroken) {
		t.Error("closed sandbox:", err)
	}
	if _, err := e.Open(t.Context(), nil, nil, quickjs.Budget{}); !errors.Is(err, quickjs.ErrBroken) {
		t.Error("no image:", err)
	}
	other := newEngine(t, quickjs.Options{})
	if _, err := other.Open(t.Context(), image, nil, quickjs.Budget{}); !errors.Is(err, quickjs.ErrBroken) {
		t.Error("image of another engine:", err)
	}
}

func TestCloseEngine(t *testing.T) {
	t.Parallel()
	e := quickjs.New(quickjs.Options{CacheDir: machineCode, Live: 2, Running: 1})
	image := newImage(t, e, runtimeScript)
	called := make(chan struct{}, 1)
	host := hostFunc(func(string, []string) (string, error) {
		called <- struct{}{}
		return "", nil
	})
	spinning, idle := open(t, e, image, host, quickjs.Budget{CPU: time.Hour}), open(t, e, image, nil, quickjs.Budget{})
	var all sync.WaitGroup
	all.Go(func() {
		defer spinning.Close()
		if _, err := spinning.Call(t.Context(), "with", "host('on'); for (;;);"); !errors.Is(err, quickjs.ErrStopped) {
			t.Error("spinning:", err)
		}
	})
	<-called
	all.Go(func() {
		if _, err := e.Open(t.Context(), image, nil, quickjs.Budget{}); !errors.Is(err, quickjs.ErrStopped) {
			t.Error("waiting:", err)
		}
	})
	for range 2 {
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	if _, err := idle.Call(t.Context(), "eval", "1"); !errors.Is(err, quickjs.ErrStopped) {
		t.Error("idle:", err)
	}
	idle.Close()
	if _, err := e.Open(t.Context(), image, nil, quickjs.Budget{}); !errors.Is(err, quickjs.ErrStopped) {
		t.Error("open:", err)
	}
	if err := quickjs.New(quickjs.Options{}).Close(t.Context()); err != nil {
		t.Error("unused engine:", err)
	}
}

// Close does not wait for longer than it may for a host that does not answer.
func TestCloseEngineInVain(t *testing.T) {
	t.Parallel()
	e := quickjs.New(quickjs.Options{CacheDir: machineCode})
	image := newImage(t, e, runtimeScript)
	called, answer := make(chan struct{}), make(chan struct{})
	s := open(t, e, image, hostFunc(func(string, []string) (string, error) {
		close(called)
		<-answer
		return "late", nil
	}), quickjs.Budget{})
	var all sync.WaitGroup
	all.Go(func() { _, _ = s.Call(t.Context(), "host", "x"); s.Close() })
	<-called
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(answer)
	all.Wait()
	if err := e.Close(t.Context()); err != nil {
		t.Error("again:", err)
	}
}

// Usage counts what is open and what is kept for the next one.
func TestUsage(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	image := newImage(t, e, runtimeScript)
	before := e.Usage()
	s, err := e.Open(t.Context(), image, nil, quickjs.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Usage(); got.Open != before.Open+1 || got.Memories < 1 {
		t.Errorf("with one open it is %+v, before it was %+v", got, before)
	}
	s.Close()
	s.Close()
	if got := e.Usage(); got.Open != before.Open || got.Memories < 1 {
		t.Errorf("after it was closed it is %+v", got)
	}
	spoiled, err := e.Open(t.Context(), image, nil, quickjs.Budget{CPU: 1})
	if err != nil {
		t.Fatal(err)
	}
	had := e.Usage()
	if _, err := spoiled.Call(t.Context(), "eval", "for(;;);"); err == nil {
		t.Error("it has no time, and computes")
	}
	spoiled.Close()
	if got := e.Usage(); got.Open != 0 || got.Memories != had.Memories-1 {
		t.Errorf("the memory of one that was stopped is kept: %+v, before %+v", got, had)
	}
}
