package compile_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/compile"
	"toolsmith/internal/compile/bundle"
	"toolsmith/internal/manifest"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
)

// TestMain lets this program be the child that bundles, too.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == bundle.ChildArgument {
		os.Exit(bundle.Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// patience is how long a test waits for what is certain to come.
const patience = 2 * time.Minute

// bundler is one whose time is not what is tested. Under the race detector a program waits for
// a second when it ends, unless its environment says otherwise.
var bundler = sync.OnceValue(func() *bundle.Bundler {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	command := []string{program, bundle.ChildArgument}
	if env, err := exec.LookPath("env"); err == nil {
		command = append([]string{env, "GORACE=atexit_sleep_ms=0"}, command...)
	}
	return bundle.New(bundle.Options{Command: command, Timeout: patience})
})

// runner is the one of all tests: compiling the sandbox once is enough.
var runner = sync.OnceValue(func() *script.Runner {
	return script.New(script.Options{Engine: quickjs.New(quickjs.Options{}), Limits: script.Limits{CPU: 5 * time.Second}})
})

// whole is a compiler with nothing left out.
func whole() *compile.Compiler {
	return compile.New(compile.Options{Bundle: bundler(), Load: runner().Load})
}

// with is a compiler whose scripts load as a test says.
func with(declared []script.Declared, err error) *compile.Compiler {
	return compile.New(compile.Options{Bundle: bundler(), Load: func(context.Context, []byte, []byte) ([]script.Declared, error) { return declared, err }})
}

func within(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	tb.Cleanup(cancel)
	return ctx
}

// written shows diagnostics as lines.
func written(list []manifest.Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%d:%d %s %s %s %s\n", d.Line, d.Column, d.Level, d.Code, d.Path, d.Message)
	}
	return b.String()
}
