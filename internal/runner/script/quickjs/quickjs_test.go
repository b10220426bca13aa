package quickjs_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"toolsmith/internal/runner/script/quickjs"
)

// machineCode is where the engines of the tests keep it, so that one of them compiles.
var machineCode string

// Engines leave no goroutines behind.
func TestMain(m *testing.M) {
	var err error
	if machineCode, err = os.MkdirTemp("", "quickjs"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(machineCode)
		os.Exit(code)
	}))
}

// runtimeScript is what the tests have for a runtime: it evaluates texts, and bodies of functions.
const runtimeScript = `(() => {
	const host = __host
	delete globalThis.__host
	globalThis.__entry = {
		eval(text) { return (0, eval)(text) },
		body(text) { return new Function(text)() },
		echo(...texts) { return texts.length + ":" + texts.join("|") },
		host(...texts) { return host(...texts) },
		with(text) { return new Function("host", text)(host) },
		nothing: 1,
	}
})()`

func newEngine(t testing.TB, o quickjs.Options) *quickjs.Engine {
	t.Helper()
	if o.CacheDir == "" {
		o.CacheDir = machineCode
	}
	e := quickjs.New(o)
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e
}

func newImage(t testing.TB, e *quickjs.Engine, text string) *quickjs.Image {
	t.Helper()
	image, err := e.Image(t.Context(), nil, nil, quickjs.Budget{}, quickjs.Script{Name: "runtime.js", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func open(t testing.TB, e *quickjs.Engine, image *quickjs.Image, host quickjs.Host, b quickjs.Budget) *quickjs.Sandbox {
	t.Helper()
	s, err := e.Open(t.Context(), image, host, b)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// call opens a sandbox for one call.
func call(t testing.TB, e *quickjs.Engine, image *quickjs.Image, entry string, arguments ...string) (string, error) {
	t.Helper()
	s := open(t, e, image, nil, quickjs.Budget{})
	defer s.Close()
	return s.Call(t.Context(), entry, arguments...)
}

func checkCall(t testing.TB, e *quickjs.Engine, image *quickjs.Image, want, entry string, arguments ...string) {
	t.Helper()
	if got, err := call(t, e, image, entry, arguments...); got != want || err != nil {
		t.Errorf("%s(%s): %q, %v; want %q", entry, strings.Join(arguments, ", "), got, err, want)
	}
}

// The committed module is the one of the package, as scripts/fetch-quickjs.sh has it.
func TestModuleIsThePackages(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("quickjs.wasm")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	got := hex.EncodeToString(sum[:])
	if want := "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363"; got != want {
		t.Errorf("quickjs.wasm is %s, not %s", got, want)
	}
	script, err := os.ReadFile("../../../../scripts/fetch-quickjs.sh")
	if err != nil || !strings.Contains(string(script), got) {
		t.Errorf("scripts/fetch-quickjs.sh has another hash, or is not there: %v", err)
	}
	if licence, err := os.ReadFile("LICENSE.quickjs"); err != nil || !strings.HasPrefix(string(licence), "MIT License") {
		t.Errorf("LICENSE.quickjs: %v", err)
	}
}
