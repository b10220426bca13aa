package bundle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/compile/bundle"
)

// hostile are sources that would keep the translator busy for ever, or end its process.
func hostile() map[string]string {
	repeat := strings.Repeat
	return map[string]string{
		"arrows":       repeat("a?(b):c=>", 24) + "1",
		"parentheses":  repeat("(", 300_000),
		"brackets":     repeat("[", 150_000) + repeat("]", 150_000),
		"braces":       repeat("{", 150_000) + repeat("}", 150_000),
		"templates":    repeat("`${", 100_000) + repeat("}`", 100_000),
		"operators":    repeat("-~", 200_000) + "1",
		"else":         repeat("if(a);else ", 45_000) + "1",
		"classes":      repeat("class A extends ", 30_000) + "B{}",
		"labels":       repeat("a:", 200_000) + "1",
		"chain":        "a" + repeat("?.b", 150_000),
		"markup":       repeat("<a>", 150_000) + "</a>",
		"patterns":     "let " + repeat("[", 200_000) + "a" + repeat("]", 200_000) + "=1",
		"types":        "let a = " + repeat("a<", 100_000) + repeat(">", 100_000) + "()",
		"enum":         "enum E {" + repeat("a,", 200_000) + "}",
		"growing enum": growingEnum(),
		"joined":       "const enum E { a = " + repeat("'x'+", 120_000) + "'x' }",
		"decorators":   "class A {" + repeat("@a b;", 100_000) + "}",
		"declarations": repeat("let a;", 80_000),
	}
}

// growingEnum has members of which each is a text twice as long as the one before.
func growingEnum() string {
	text, last := "enum E { a = 'xxxxxxxxxxxxxxxx'", "a"
	for i := range 40 {
		name := fmt.Sprintf("b%d", i)
		text += fmt.Sprintf(", %s = %s + %s", name, last, last)
		last = name
	}
	return text + " }"
}

func TestHostile(t *testing.T) {
	t.Parallel()
	b := bundle.New(bundle.Options{Command: child(t, bundle.ChildArgument), Timeout: 100 * time.Millisecond, Memory: 256 << 20})
	for name, source := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, problems, err := b.Bundle(context.Background(), "a.ts", []byte(source))
			if err != nil || len(out.Script) > 0 || len(problems) != 1 || problems[0].Code != bundle.CodeLimit || problems[0].Message == "" {
				t.Errorf("%v, %v, script of %d bytes", problems, err, len(out.Script))
			}
			// The next one is not concerned.
			good := newBundler(t)
			if out, problems, err := good.Bundle(context.Background(), "a.ts", []byte("let a")); err != nil || problems != nil || len(out.Script) == 0 {
				t.Errorf("afterwards: %v, %v", problems, err)
			}
		})
	}
}

// What is large but harmless passes.
func TestLarge(t *testing.T) {
	t.Parallel()
	b := newBundler(t)
	for name, source := range map[string]string{
		"line":      "let a = '" + strings.Repeat("x", 500_000) + "'",
		"lines":     strings.Repeat("a = b(c)\n", 50_000),
		"sum":       strings.Repeat("1+", 200_000) + "1",
		"escape":    `let \u{` + strings.Repeat("0", 100_000) + `62} = 1`,
		"type":      "type A = " + strings.Repeat("{a:", 100_000) + "x" + strings.Repeat("}", 100_000),
		"condition": "let a = " + strings.Repeat("b ? (c) : ", 100) + "1",
		"arrows":    strings.Repeat("async (x = ", 30) + "1" + strings.Repeat(") => 1", 30),
		"regexp":    "/" + strings.Repeat("(", 200_000) + "/",
	} {
		out, problems, err := b.Bundle(context.Background(), "a.ts", []byte(source))
		if err != nil || problems != nil || len(out.Script) == 0 {
			t.Errorf("%s: %v, %v", name, problems, err)
		}
	}
}

func TestLimitsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source string
		o      bundle.Options
		want   string
	}{
		"time":  {hostile()["arrows"], bundle.Options{Timeout: 100 * time.Millisecond}, "takes longer than 100ms"},
		"stack": {hostile()["parentheses"], bundle.Options{Timeout: patient, Memory: 4 << 30}, "nests too deeply"},
		// One allocation may be too much before anybody looks; under the race detector, that then
		// ends the process in words of its own.
		"memory": {hostile()["growing enum"], bundle.Options{Timeout: patient, Memory: 96 << 20}, "more than 96 MiB of memory|ended before it answered"},
	} {
		c.o.Command = child(t, bundle.ChildArgument)
		_, problems, err := bundle.New(c.o).Bundle(context.Background(), "a.ts", []byte(c.source))
		if err != nil || len(problems) != 1 || problems[0].Code != bundle.CodeLimit || !regexp.MustCompile(c.want).MatchString(problems[0].Message) {
			t.Errorf("%s: %v, %v", name, problems, err)
		}
	}
}

func TestChildrenThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	for argument, want := range map[string]string{
		"bad-silent":  "no answer that can be read",
		"bad-rubbish": "no answer that can be read",
		"bad-other":   "no answer that can be read",
		"bad-exit":    "ended before it answered",
		"bad-noise":   "ended before it answered",
		"bad-memory":  "MiB of memory",
		"bad-flood":   "too large",
	} {
		b := bundle.New(bundle.Options{Command: child(t, argument), Timeout: patient})
		_, problems, err := b.Bundle(context.Background(), "a.ts", []byte("let a"))
		if err != nil || len(problems) != 1 || problems[0].Code != bundle.CodeLimit || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%s: %v, %v; want %q", argument, problems, err, want)
		}
	}
	b := bundle.New(bundle.Options{Command: child(t, "bad-hang"), Timeout: 50 * time.Millisecond})
	_, problems, err := b.Bundle(context.Background(), "a.ts", []byte("let a"))
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Message, "longer than 50ms") {
		t.Errorf("bad-hang: %v, %v", problems, err)
	}
}

func TestWhoeverAskedGoes(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	b := bundle.New(bundle.Options{Command: child(t, "bad-hang"), Timeout: patient, Parallel: 1})
	ctx, stop := context.WithCancelCause(context.Background())
	got := make(chan error)
	// One of them has its turn, the other waits for it.
	for range 2 {
		go func() {
			_, _, err := b.Bundle(ctx, "a.ts", []byte("let a"))
			got <- err
		}()
	}
	stop(gone)
	for range 2 {
		if err := <-got; !errors.Is(err, gone) {
			t.Errorf("the error is %v", err)
		}
	}
	if _, _, err := b.Bundle(ctx, "a.ts", []byte("let a")); !errors.Is(err, gone) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

func TestNoProgram(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{nil, {filepath.Join(t.TempDir(), "toolsmith"), bundle.ChildArgument}, {""}} {
		_, problems, err := bundle.New(bundle.Options{Command: command}).Bundle(context.Background(), "a.ts", []byte("let a"))
		if err == nil || problems != nil {
			t.Errorf("%q: %v, %v", command, problems, err)
		}
	}
}

// startChild starts a child as nobody should: in a folder with files, and with an environment.
func startChild(t *testing.T, dir string, env []string) (*exec.Cmd, io.WriteCloser, *bytes.Buffer) {
	t.Helper()
	command := child(t, bundle.ChildArgument)
	ctx, stop := context.WithTimeout(context.Background(), patient)
	t.Cleanup(stop)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, env
	var out bytes.Buffer
	cmd.Stdout = &out
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, &out
}

func TestNothingBesideIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"tsconfig.json":                      `{"compilerOptions": {"experimentalDecorators": true, "jsx": "react", "paths": {"*": ["./evil.ts"]}}}`,
		"package.json":                       `{"type": "commonjs", "imports": {"#evil": "./evil.ts"}, "sideEffects": false, "browser": {"toolsmith": "./evil.ts"}}`,
		"evil.ts":                            "export const evil = 'EVIL', createTool = evil",
		"evil.js.map":                        `{"version": 3, "sources": ["EVIL"], "mappings": "AAAA"}`,
		"node_modules/toolsmith/index.js":    "export const createTool = 'EVIL'",
		"node_modules/toolsmith/module.json": `{"EVIL": 1}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"NODE_PATH=" + filepath.Join(dir, "node_modules"), "ESBUILD_BINARY_PATH=/bin/false", "HOME=" + dir}
	for source, good := range map[string]bool{
		"import { createTool } from 'toolsmith'\ncreateTool({})":       true,
		"class A { f(@a b: any) {} }":                                  false,
		"import evil from '#evil'; evil()":                             false,
		"import evil from './evil'; evil()":                            false,
		"import './evil.ts'":                                           false,
		"import('./' + globalThis + '.ts')":                            false,
		"require(`./${a}`)":                                            false,
		"let a = <div/>":                                               false,
		"throw 1\n//# sourceMappingURL=evil.js.map":                    true,
		"throw 1\n//# sourceMappingURL=file://" + dir + "/evil.js.map": true,
		"throw 1\n/*# sourceMappingURL=./evil.js.map */":               true,
	} {
		cmd, in, out := startChild(t, dir, env)
		request, err := json.Marshal(map[string]any{"file": "a.ts", "source": []byte(source), "seconds": 100, "memory": 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(request); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		var answer struct {
			Script, Map []byte
			Errors      []bundle.Problem
		}
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		if (len(answer.Errors) == 0) != good || strings.Contains(string(answer.Script)+string(answer.Map), "EVIL") {
			t.Errorf("%s: %v, script %s, map %s", source, answer.Errors, answer.Script, answer.Map)
		}
	}
}

// A child ends with its parent, here before it has read its request and while it translates.
func TestOrphans(t *testing.T) {
	t.Parallel()
	request, err := json.Marshal(map[string]any{"file": "a.ts", "source": []byte(hostile()["arrows"]), "seconds": 1000, "memory": 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	for sent, want := range map[string]int{"": 3, string(request[:50]): 3, "[]": 3, `{"file":"a.ts"}`: 3, string(request): 5} {
		cmd, in, _ := startChild(t, t.TempDir(), nil)
		if _, err := io.WriteString(in, sent); err != nil {
			t.Fatal(err)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != want {
			t.Errorf("%.20q: %v, want exit status %d", sent, err, want)
		}
	}
}
