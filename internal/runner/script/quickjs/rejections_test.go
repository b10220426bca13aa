package quickjs_test

import (
	"errors"
	"testing"
	"time"

	"toolsmith/internal/runner/script/quickjs"
)

// TestRejections: the guest is told of those that nobody has handled after all jobs, with what was thrown.
func TestRejections(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	image := newImage(t, e, `globalThis.seen = []; globalThis.__entry = {
		eval(text) { return String((0, eval)(text)) },
		unhandled(reason) {
			seen.push(typeof reason + " " + String(reason))
			if (reason === "again") Promise.reject("once more")
			if (reason === "throw") throw new Error("not heard")
		},
	}`)
	for text, want := range map[string]string{
		`Promise.reject(5)`:                        "number 5",
		`(async () => { throw "lost" })()`:         "string lost",
		`(async () => { await null; throw {} })()`: "object [object Object]",
		`Promise.reject(5).catch(() => 0)`:         "",
		`const p = Promise.reject(5); (async () => { await null; try { await p } catch {} })()`: "",
		`Promise.allSettled([Promise.reject(1), Promise.reject(2)])`:                            "",
		`Promise.reject("again"); Promise.reject("throw")`:                                      "string again,string throw,string once more",
		`for (let i = 0; i < 1000; i++) Promise.reject(i).catch(() => 0)`:                       "",
	} {
		s := open(t, e, image, nil, quickjs.Budget{})
		if _, err := s.Call(t.Context(), "eval", text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := s.Call(t.Context(), "eval", "seen.join()"); got != want || err != nil {
			t.Errorf("%s: the guest was told %q, %v; want %q", text, got, err, want)
		}
		s.Close()
	}
	checkCall(t, e, image, "100", "eval", `for (let i = 0; i < 1000; i++) Promise.reject(i); new Promise(() => {}); 100`)
	// Without the entry nobody is told, and nothing is left.
	checkCall(t, e, newImage(t, e, `globalThis.__entry = { eval: (text) => String((0, eval)(text)) }`), "1", "eval", `Promise.reject(5); 1`)
}

// TestRejectionsWithinACallOfTheHost, which a guest brings about by what QuickJS calls to make an error.
func TestRejectionsWithinACallOfTheHost(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	image := newImage(t, e, `globalThis.seen = 0; globalThis.__entry = { eval: (text) => String((0, eval)(text)), unhandled() { seen++ } }`)
	s := open(t, e, image, nil, quickjs.Budget{})
	defer s.Close()
	text := `Error.prepareStackTrace = () => { for (let i = 0; i < 200; i++) { Promise.reject(i); Promise.reject(i).catch(() => 0) } return "" }
		for (let i = 0; i < 3; i++) try { __host() } catch {} try { __host({}) } catch {} 1`
	if got, err := s.Call(t.Context(), "eval", text); got != "1" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	if got, err := s.Call(t.Context(), "eval", "seen <= 100"); got != "true" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestRejectionsWithoutEnd use up the time, and nothing else.
func TestRejectionsWithoutEnd(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	image := newImage(t, e, `globalThis.__entry = { eval: (text) => String((0, eval)(text)), unhandled() { Promise.reject(1) } }`)
	s := open(t, e, image, nil, quickjs.Budget{CPU: 200 * time.Millisecond})
	defer s.Close()
	if _, err := s.Call(t.Context(), "eval", "Promise.reject(1)"); !errors.Is(err, quickjs.ErrCPU) {
		t.Errorf("the error is %v", err)
	}
	if used := s.Used(); used < 200*time.Millisecond {
		t.Errorf("it used %v", used)
	}
}
