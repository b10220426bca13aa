package script_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// small is a runner with little of everything.
var small = sync.OnceValue(func() *script.Runner {
	return script.New(script.Options{Engine: engine(), Limits: script.Limits{
		CPU: time.Second, HostCalls: 20, ArgumentBytes: 1000, ResultBytes: 1000, Output: 1000, Log: 100,
	}})
})

// TestBounds: over a bound a call ends with a code, whatever the tool catches.
func TestBounds(t *testing.T) {
	t.Parallel()
	thousand := &book{answers: map[string]any{"getCallingToolId": strings.Repeat("x", 990), "interaction": strings.Repeat("x", 2000)}}
	for _, one := range []struct{ body, code string }{
		{`while (true);`, "SCRIPT_CPU_TIME"},
		{`for (;;) await null`, "SCRIPT_CPU_TIME"},
		{`for (;;) { try { throw 1 } catch {} finally { continue } }`, "SCRIPT_CPU_TIME"},
		{`/(a+)+$/.test('a'.repeat(40) + 'b')`, "SCRIPT_CPU_TIME"},
		{`const url = 'https://a.b/' + 'x'.repeat(60000); for (;;) new URL(url)`, "SCRIPT_CPU_TIME"},
		{`await new Promise(() => {})`, "SCRIPT_STUCK"},
		{`const id = setTimeout(() => 0, 1e6); await new Promise((r) => clearTimeout(id))`, "SCRIPT_STUCK"},
		{`await context.popup('https://a.b'); await new Promise(() => {})`, "SCRIPT_STUCK"},
		{`await { then() {} }`, "SCRIPT_STUCK"},
		{`for (;;) await context.popup('https://a.b').catch(() => 0)`, "SCRIPT_HOST_CALLS"},
		{`for (;;) try { context.popup('https://a.b') } catch {}`, "SCRIPT_HOST_CALLS"},
		{`for (;;) setTimeout(() => 0, 1e6)`, "SCRIPT_HOST_CALLS"},
		{`for (;;) await context.popup('x'.repeat(900)).catch(() => 0)`, "SCRIPT_HOST_CALLS"},
		{`for (;;) await context.popup('x'.repeat(1100)).catch(() => 0)`, "SCRIPT_HOST_CALLS"},
		{`for (;;) await context.getCallingToolId()`, "SCRIPT_HOST_CALLS"},
		{`await context.popup('x'.repeat(1000))`, "ARGUMENTS_TOO_LARGE"},
		{`await context.interaction({ title: 'x' })`, "RESULT_TOO_LARGE"},
		{`return 'x'.repeat(1000)`, "RESULT_TOO_LARGE"},
		{`return createSubtasksResult(message('x'.repeat(1000)))`, "RESULT_TOO_LARGE"},
	} {
		t.Run(one.body, func(t *testing.T) {
			t.Parallel()
			_, err := small().Run(within(t), script.Call{Tool: made(body(one.body), ""), Host: thousand})
			if coded := codedError(t, err); coded.Code != one.code {
				t.Errorf("the error is %v; want %s", err, one.code)
			}
			returns(t, `return 'well'`, `"well"`)
		})
	}
}

// TestTooLongToHandOver is about more than goes over to the host at once.
func TestTooLongToHandOver(t *testing.T) {
	t.Parallel()
	e := quickjs.New(quickjs.Options{Memory: 512 << 20}) // usually there is no memory for it
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	runner := script.New(script.Options{Engine: e, Limits: script.Limits{CPU: patience}})
	for text, code := range map[string]string{
		`return 'x'.repeat(17 * 1024 * 1024)`:               "RESULT_TOO_LARGE",
		`await context.popup('x'.repeat(17 * 1024 * 1024))`: "TOOL_FAILED",
	} {
		_, err := runner.Run(within(t), script.Call{Tool: made(body(text), "")})
		if coded := codedError(t, err); coded.Code != code {
			t.Errorf("%s: %v; want %s", text, err, code)
		}
	}
}

// TestMemory: whoever holds too much at once ends with that, and cannot catch it.
func TestMemory(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`const list = []; for (;;) list.push(new Array(1e5).fill(0))`,
		`const list = []; try { for (;;) list.push(new Uint8Array(1e6)) } catch (e) { throw e }`,
		`const list = []; for (;;) list.push({ list })`,
		`const list = []; try { for (;;) list.push(new Uint8Array(1e6)) } catch { list.length = 0; return 'caught' }`,
	} {
		_, err := call(t, text)
		if coded := codedError(t, err); coded.Code != "SCRIPT_MEMORY" {
			t.Errorf("%s: %v", text, err)
		}
	}
	returns(t, `return 'well'`, `"well"`)
}

// TestTheLogIsBounded, and says so.
func TestTheLogIsBounded(t *testing.T) {
	t.Parallel()
	var told []string
	got, err := small().Run(within(t), script.Call{
		Tool: made(body(`for (let i = 0; i < 1000; i++) console.log('line', i); console.log({ a: 'x'.repeat(1e6) }); return 1`), ""), Host: host(nobody),
		Log: func(level, line string) { told = append(told, level+" "+line) },
	})
	if err != nil || len(got.Log) < 5 || len(got.Log) != len(told) {
		t.Fatalf("it gave %v and told %v, %v", got.Log, told, err)
	}
	if last := got.Log[len(got.Log)-1]; last.Level != "warn" || !strings.Contains(last.Line, "more than 100 bytes") {
		t.Errorf("the last line is %v", last)
	}
	big, err := call(t, `console.log('x'.repeat(1e6)); console.log(Array.from({ length: 1e5 }, (_, i) => ({ i }))); throw new Error('after')`)
	if err == nil || len(big.Log) != 2 || len(big.Log[0].Line) > 9000 || len(big.Log[1].Line) > 9000 || big.CPU <= 0 {
		t.Errorf("a call that fails leaves a log of %d lines, %v", len(big.Log), err)
	}
}

// TestWhatRunsOn after a tool has returned changes nothing.
func TestWhatRunsOn(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`(async () => { for (;;) await null })(); return 'first'`,
		`setTimeout(() => { throw new Error('late') }, 1); return 'first'`,
		`void context.popup('https://a.b').catch(() => { for (;;); }); return 'first'`,
		`return await Promise.race([new Promise(() => {}), 'first'])`,
	} {
		got, err := callWith(t, script.Call{Tool: made(body(text), ""), Host: &book{}})
		if err != nil || got.Value != "first" {
			t.Errorf("%s: %v, %v", text, got.Value, err)
		}
	}
}

// patient is a runner that gives a tool which is stopped all the time it wants.
var patient = sync.OnceValue(func() *script.Runner {
	return script.New(script.Options{Engine: engine(), Limits: script.Limits{Grace: patience, CPU: patience}})
})

// stopped runs a tool that is stopped once it has asked for "popup", or at once where it never does.
func stopped(t *testing.T, runner *script.Runner, text string, cause error) (script.Result, error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(within(t))
	defer cancel(nil)
	h := host(func(ctx context.Context, _ int, method string, _ map[string]any) (any, error) {
		if method == "popup" {
			cancel(cause)
			return nil, nil
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	return runner.Run(ctx, script.Call{Tool: made(body(text), everything), Host: h})
}

func TestStopping(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"while it computes":              `void context.popup('https://a.b'); for (;;);`,
		"while it asks whether it is":    `void context.popup('https://a.b'); while (!context.stopSignal.aborted); return 1`,
		"while it throws if it is":       `void context.popup('https://a.b'); for (;;) context.stopSignal.throwIfAborted()`,
		"in a loop of promises":          `void context.popup('https://a.b'); for (;;) await null`,
		"while it waits for the host":    `await context.popup('https://a.b'); await context.getCallingToolId()`,
		"while it waits for a timer":     `await context.popup('https://a.b'); await new Promise((r) => setTimeout(r, 1e9))`,
		"while it waits for the network": `await context.popup('https://a.b'); await fetch('https://api.example.com')`,
		"though it catches that":         `await context.popup('https://a.b'); try { await fetch('https://api.example.com') } catch { return 'caught' }`,
		"though it goes on":              `await context.popup('https://a.b'); try { await context.getCallingToolId() } catch {} for (;;);`,
		"though it waits on":             `await context.popup('https://a.b'); try { await context.getCallingToolId() } catch {} await new Promise((r) => setTimeout(r, 1e9))`,
		"though it asks for more":        `await context.popup('https://a.b'); for (;;) await context.getCallingToolId().catch(() => 0)`,
		"though its listener spins":      `context.stopSignal.addEventListener('abort', () => { for (;;); }); await context.popup('https://a.b'); await context.getCallingToolId()`,
		"though its listener throws":     `context.stopSignal.onabort = () => { throw new Error('x') }; await context.popup('https://a.b'); await context.getCallingToolId()`,
		"in a regular expression":        `void context.popup('https://a.b'); /(a+)+$/.test('a'.repeat(60) + 'b')`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := stopped(t, house(), text, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("it gave %v, %v", got.Value, err)
			}
		})
	}
}

// TestAToolLearnsThatItIsStopped, and why, and still has a moment.
func TestAToolLearnsThatItIsStopped(t *testing.T) {
	t.Parallel()
	text := `
		const s = context.stopSignal
		s.addEventListener('abort', (e) => console.log(e.type, s.aborted, s.reason.code, s.reason.message), { once: true })
		await context.popup('https://a.b')
		try { await fetch('https://api.example.com') } catch (e) { console.log('fetch', e === s.reason) }
		try { await context.getCallingToolId() } catch (e) { console.log('after', e.code) }
		try { s.throwIfAborted() } catch (e) { console.log('thrown', e === s.reason) }`
	for _, one := range []struct {
		cause error
		code  string
	}{{nil, "ABORTED The call was cancelled."}, {tool.Errorf("CALL_TIME_EXCEEDED", "It took too long."), "CALL_TIME_EXCEEDED It took too long."}} {
		got, err := stopped(t, patient(), text, one.cause)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("the error is %v", err)
		}
		var lines []string
		for _, line := range got.Log {
			lines = append(lines, line.Line)
		}
		want := fmt.Sprintf("abort true %s|fetch true|after %s|thrown true", one.code, strings.Fields(one.code)[0])
		if log := strings.Join(lines, "|"); log != want {
			t.Errorf("it wrote %q; want %q", log, want)
		}
	}
}

// TestStoppedBefore it began, or while its file is loaded, or by its deadline.
func TestStoppedBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{`return 'cold'`, `return 'cold'`} {
		if _, err := house().Run(ctx, script.Call{Tool: made(body(text), ""), Host: host(nobody)}); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	}
	if _, err := house().Load(ctx, []byte("1"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := house().Load(short, []byte("for (;;);"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	got, err := patient().Run(soon, script.Call{Tool: made(body(`while (!context.stopSignal.aborted); console.log(context.stopSignal.reason.message)`), ""), Host: host(nobody)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it gave %v, %v", got.Log, err)
	}
}

// TestOthersGoOn while one spins.
func TestOthersGoOn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(within(t))
	spun := make(chan error, 4)
	for range cap(spun) {
		go func() {
			_, err := house().Run(ctx, script.Call{Tool: made(body(`for (;;);`), ""), Host: host(nobody)})
			spun <- err
		}()
	}
	for range 50 {
		returns(t, `return await 1`, `1`)
	}
	cancel()
	for range cap(spun) {
		if err := <-spun; !errors.Is(err, context.Canceled) && tool.Code(err) != "SCRIPT_CPU_TIME" {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestNothingIsLeft of one call for the next, of the same tool or another.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	const look = `[typeof globalThis.left, typeof [].extra, typeof ({}).extra, typeof ''.extra, JSON.parse('1'), typeof Math.random, Promise.prototype.then.name, kept, typeof URL, delete globalThis.missing, globalThis.console.log.name, counter++]`
	const soil = `globalThis.left = 1; Array.prototype.extra = Object.prototype.extra = String.prototype.extra = 1; JSON.parse = Math.random = () => 5; Promise.prototype.then = null; delete globalThis.URL; globalThis.console = null; setTimeout(() => 0, 1e6); new Uint8Array(5e6).fill(65)`
	text := file(`let kept = null, counter = 0
createTool({ name: 't', async function(args, context) { const seen = ` + look + `; kept = 's3cret'; ` + soil + `; return seen } })
createTool({ name: 'u', async function(args, context) { return ` + look + ` } })`)
	var first string
	for range 5 {
		for _, name := range []string{"t", "u", "t"} {
			tool1 := made(text, "")
			tool1.Name = name
			got, err := callWith(t, script.Call{Tool: tool1})
			if err != nil {
				t.Fatal(err)
			}
			json := value.JSON(got.Value)
			if first == "" {
				first = json
			}
			if json != first || !strings.Contains(json, `"undefined"`) || strings.Contains(json, "s3cret") {
				t.Fatalf("it saw %s, and the first one %s", json, first)
			}
		}
		returns(t, `return [typeof globalThis.left, [].extra === undefined, typeof URL]`, `["undefined",true,"function"]`)
	}
}

// TestPollution: what a tool does to the language breaks neither its result nor its context.
func TestPollution(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`Promise.prototype.then = () => { throw 1 }`,
		`JSON.stringify = JSON.parse = () => { throw 1 }`,
		`for (const k of ['get', 'set', 'has', 'delete', 'clear']) Map.prototype[k] = Set.prototype[k] = WeakMap.prototype[k] = () => { throw 1 }`,
		`for (const k of ['push', 'join', 'map', 'includes', Symbol.iterator]) Array.prototype[k] = () => { throw 1 }`,
		`Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 }`,
		`Reflect.apply = Reflect.ownKeys = Object.freeze = Object.keys = () => { throw 1 }`,
		`for (const k of ['slice', 'isWellFormed', 'toWellFormed', 'replace']) String.prototype[k] = () => { throw 1 }`,
		`globalThis.Promise = globalThis.JSON = globalThis.Reflect = globalThis.Map = globalThis.Error = globalThis.String = globalThis.Object = undefined`,
		`for (const k of Reflect.ownKeys(globalThis)) { try { delete globalThis[k] } catch {} }`,
		`Object.defineProperty(Object.prototype, 'then', { get() { return undefined }, configurable: true })`,
		`Object.defineProperty(Object.prototype, 'failed', { set() { throw 1 } })`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			b := &book{answers: map[string]any{"getCallingToolId": "cli"}}
			got, err := callWith(t, script.Call{Tool: made(body(text+`
				const id = await context.getCallingToolId()
				return { id, at: [1, 'x', null] }`), ""), Host: b})
			if want := `{"at":[1,"x",null],"id":"cli"}`; err != nil || value.JSON(got.Value) != want {
				t.Errorf("it gave %s, %v", value.JSON(got.Value), err)
			}
			_, err = callWith(t, script.Call{Tool: made(body(text+"\nthrow 'plain'"), ""), Host: b})
			if coded := codedError(t, err); coded.Code != "TOOL_FAILED" || !strings.Contains(coded.Message, "plain") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestUnhandledRejections are told in the log; those that somebody handles are not.
func TestUnhandledRejections(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ body, want string }{
		{`Promise.reject(5); return 1`, "Unhandled rejection: 5"},
		{`void (async () => { const e = new TypeError('lost'); e.stack = ''; throw e })(); await null; return 1`, "Unhandled rejection: [TypeError: lost]"},
		{`const p = context.popup('https://a.b'); void p.then(() => { throw { x: 1 } }); await p; return 1`, "Unhandled rejection: { x: 1 }"},
		{`const p = Promise.reject(5); await null; await p.catch(() => 0); return 1`, ""},
		{`await Promise.allSettled([Promise.reject(1), Promise.reject(2)]); return 1`, ""},
		{`try { await (async () => { throw 1 })() } catch {} return 1`, ""},
		{`const c = new AbortController(); c.abort(); await fetch('https://a.b', { signal: c.signal }).catch(() => 0); return 1`, ""},
		{`Promise.reject(new Proxy({}, { getPrototypeOf() { throw 1 }, ownKeys() { throw 1 } })); return 1`, "Unhandled rejection: [Object that cannot be shown]"},
	} {
		got, err := callWith(t, script.Call{Tool: made(body(one.body), everything), Host: &book{}})
		if err != nil {
			t.Errorf("%s: %v", one.body, err)
			continue
		}
		var lines []string
		for _, line := range got.Log {
			lines = append(lines, line.Line)
		}
		if log := strings.Join(lines, "|"); log != one.want {
			t.Errorf("%s\nwrote %q; want %q", one.body, log, one.want)
		}
	}
	got, err := small().Run(within(t), script.Call{Tool: made(body(`for (let i = 0; i < 1000; i++) Promise.reject(i); return 1`), ""), Host: host(nobody)})
	if err != nil || len(got.Log) == 0 {
		t.Errorf("it wrote %d lines, %v", len(got.Log), err)
	}
}
