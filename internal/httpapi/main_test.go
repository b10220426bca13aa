package httpapi_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/compile"
	"toolsmith/internal/compile/bundle"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/tool"
)

// TestMain lets this program translate code, too, as the command does.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == bundle.ChildArgument {
		os.Exit(bundle.Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// sandboxes keeps the machine code of the sandbox for all tests: to make it takes long.
var sandboxes = sync.OnceValue(func() string {
	folder, err := os.MkdirTemp("", "toolsmith-sandbox")
	if err != nil {
		panic(err)
	}
	return folder
})

// newSandbox makes what runs tools in code, and what checks files.
func newSandbox(t testing.TB, catalogue *tool.Catalogue) (*script.Runner, *compile.Checker) {
	t.Helper()
	e := quickjs.New(quickjs.Options{CacheDir: sandboxes()})
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	runner := script.New(script.Options{Engine: e})
	bundler := bundle.New(bundle.Options{Command: []string{os.Args[0], bundle.ChildArgument}, Timeout: time.Minute})
	return runner, compile.NewChecker(compile.New(compile.Options{Bundle: bundler, Load: runner.Load}), catalogue)
}
