package quickjs_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"toolsmith/internal/runner/script/quickjs"
)

// runtimeScript is what the tests have for a runtime: it evaluates texts, and bodies of functions.
const runtimeScript = `globalThis.__entry = {
	eval(text) { return (0, eval)(text) },
	body(text) { return new Function(text)() },
	echo(...texts) { return texts.join("|") },
}`

// attacks gives the bodies of the hostile functions, by name.
func attacks(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../testdata/attacks/*")
	if err != nil || len(files) < 43 {
		t.Fatalf("attacks: %d, %v", len(files), err)
	}
	bodies := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		bodies[filepath.Base(file)] = string(text)
	}
	return bodies
}

// TestAttacks holds that each of them ends, with a value or one of the documented errors, and that what
// is called next on the same engine is right.
func TestAttacks(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Running: 2})
	image := newImage(t, e, runtimeScript)
	for name, body := range attacks(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			got, err := attack(t, e, image, body)
			var thrown *quickjs.Exception
			switch {
			case err == nil, errors.As(err, &thrown), errors.Is(err, quickjs.ErrCPU), errors.Is(err, quickjs.ErrMemory), errors.Is(err, quickjs.ErrBroken):
			default:
				t.Errorf("%s: %v", body, err)
			}
			if len(got) > 60 { got = got[:60] }
			es := ""; if err != nil { es = err.Error(); if len(es) > 150 { es = es[:150] } }
			t.Logf("%v %s: %s, %s", time.Since(began), name, got, es)
			if got, err := call(t, e, image, "eval", "6*7"); got != "42" || err != nil {
				t.Errorf("after %s: %s, %v", name, got, err)
			}
		})
	}
}

func attack(t *testing.T, e *quickjs.Engine, image *quickjs.Image, body string) (string, error) {
	t.Helper()
	s, err := e.Open(t.Context(), image, nil, quickjs.Budget{CPU: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.Call(t.Context(), "body", body)
}
