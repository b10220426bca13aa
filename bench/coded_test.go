package bench_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolsmith/internal/capability"
	"toolsmith/internal/compile"
	"toolsmith/internal/compile/bundle"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
)

// TestMain lets this program be the one that translates files, too.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == bundle.ChildArgument {
		os.Exit(bundle.Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// newSandbox makes what runs coded tools, with its machine code made.
func newSandbox(b *testing.B) *soakRunner {
	b.Helper()
	e := quickjs.New(quickjs.Options{})
	b.Cleanup(func() { _ = e.Close(context.Background()) })
	r := &soakRunner{engine: e, script: script.New(script.Options{Engine: e})}
	r.strict = r.script
	r.must(b, `return 1`)
	return r
}

func (r *soakRunner) must(b *testing.B, body string) script.Result {
	b.Helper()
	result, err := r.script.Run(b.Context(), script.Call{Tool: codedTool(body), Arguments: map[string]any{"a": "b"}, ToolID: "t", Host: soakHost{}})
	if err != nil {
		b.Fatal(err)
	}
	return result
}

// BenchmarkCodedFile measures from the text of a file to its checked tools: of one that was never
// seen, and of one that was seen before. machine code is what a process makes once, or reads.
func BenchmarkCodedFile(b *testing.B) {
	text, err := os.ReadFile("../examples/text-digest.ts")
	if err != nil {
		b.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	checker := compile.NewChecker(compile.New(compile.Options{
		Bundle: bundle.New(bundle.Options{Command: []string{program, bundle.ChildArgument}}), Load: newSandbox(b).script.Load,
	}), capability.Builtin())
	read := func(b *testing.B, text []byte) {
		b.Helper()
		results, err := checker.Check(b.Context(), "text-digest.ts", text)
		if err != nil || len(results) != 1 || !results[0].OK() {
			b.Fatal(results, err)
		}
	}
	n := 0
	b.Run("never seen", func(b *testing.B) {
		for b.Loop() {
			n++
			read(b, append(slices.Clip(text), fmt.Sprintf("\nexport const n = %d\n", n)...))
		}
	})
	b.Run("seen before", func(b *testing.B) {
		read(b, text)
		for b.Loop() {
			read(b, text)
		}
	})
}

// BenchmarkCodedMachineCode measures a first sandbox in a process, whose machine code has to be made,
// or lies in a folder.
func BenchmarkCodedMachineCode(b *testing.B) {
	first := func(b *testing.B, folder string) {
		b.Helper()
		e := quickjs.New(quickjs.Options{CacheDir: folder})
		r := &soakRunner{engine: e, script: script.New(script.Options{Engine: e})}
		r.must(b, `return 1`)
		if err := e.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("made", func(b *testing.B) {
		for b.Loop() {
			first(b, "")
		}
	})
	b.Run("kept", func(b *testing.B) {
		folder := b.TempDir()
		first(b, folder)
		for b.Loop() {
			first(b, folder)
		}
	})
}

// BenchmarkCodedCall measures calls on the runner alone: of a tool that is not in memory, and of one
// that is.
func BenchmarkCodedCall(b *testing.B) {
	r := newSandbox(b)
	n := 0
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			n++
			r.must(b, fmt.Sprintf(`return %d`, n))
		}
	})
	b.Run("warm", func(b *testing.B) {
		r.must(b, `return args`)
		for b.Loop() {
			r.must(b, `return args`)
		}
	})
}

// BenchmarkCodedRuns measures whole calls through a worker over a store in a file, so many at once:
// begun, carried out, kept and waited for.
func BenchmarkCodedRuns(b *testing.B) {
	bodies := map[string]string{
		"a value":  `return 'complete'`,
		"subtasks": `const chain = await context.getExecutionTaskChain(); return context.createSubtasksResult([[message('a ' + chain.length), returns('complete')]])`,
	}
	for _, name := range []string{"a value", "subtasks"} {
		for _, atOnce := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%s/at once=%d", name, atOnce), func(b *testing.B) {
				h := newSoakHouse(b, newSandbox(b))
				c, err := h.checked(bodies[name])
				if err != nil {
					b.Fatal(err)
				}
				call := func() error {
					_, err := runOf(b.Context(), h.worker, c)
					return err
				}
				if err := call(); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					var all sync.WaitGroup
					failed := make([]error, atOnce)
					for i := range atOnce {
						all.Go(func() { failed[i] = call() })
					}
					all.Wait()
					if err := errors.Join(failed...); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(atOnce)*float64(b.N)/b.Elapsed().Seconds(), "calls/s")
			})
		}
	}
}

// BenchmarkCodedIdle measures how much memory a tool takes that is kept ready and not called.
func BenchmarkCodedIdle(b *testing.B) {
	const tools = 200
	for b.Loop() {
		r := newSandbox(b)
		before := r.usage()
		for i := range tools {
			if _, err := r.script.Load(b.Context(), codedTool(fmt.Sprintf(`return %d`, i)).Script, nil); err != nil {
				b.Fatal(err)
			}
		}
		after := r.usage()
		b.ReportMetric(float64(after.heap-before.heap)/tools/1024, "KiB-heap/tool")
		b.ReportMetric(float64(after.resident-before.resident)/tools/1024, "KiB-resident/tool")
		runtime.KeepAlive(r)
	}
}

// work is what only computes, as the body of a function that gives a number.
var work = map[string]string{
	"fib(27)":                       `const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); return fib(27)`,
	"JSON of 1 MB written and read": `const list = Array.from({ length: 10000 }, (_, i) => ({ i, t: 'x'.repeat(80) })); let n = 0; for (let i = 0; i < 11; i++) n += JSON.parse(JSON.stringify(list)).length; return n`,
	"100,000 numbers sorted":        `let s = 1; const list = Array.from({ length: 100000 }, () => (s = (s * 48271) % 2147483647)); list.sort((a, b) => a - b); return list[50000]`,
	"a regex over 1 MB":             `const text = 'Tea at 10:30, with 2 cups (or 3) for Ada. '.repeat(25000); return text.match(/\b(\d{1,2}):(\d\d)\b/g).length + text.replace(/[A-Z]\w+/g, 'x').length`,
}

// turnsOfWork is how often the sandbox and Node.js work by turns; the medians are given.
const turnsOfWork = 5

// BenchmarkCodedWork measures what only computes in the sandbox and, by turns, in the Node.js of
// .tools, where it is there: the time of the processor. Both have done it once before.
func BenchmarkCodedWork(b *testing.B) {
	node, err := filepath.Abs("../.tools/node/bin/node")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"fib(27)", "JSON of 1 MB written and read", "100,000 numbers sorted", "a regex over 1 MB"} {
		b.Run(name, func(b *testing.B) {
			r := newSandbox(b)
			want := r.must(b, work[name]).Value
			for b.Loop() {
				var here, there []float64
				for range turnsOfWork {
					begun := processorTime()
					got := r.must(b, work[name]).Value
					here = append(here, (processorTime() - begun).Seconds())
					if got != want {
						b.Fatal(got, want)
					}
					if seconds, ok := inNode(b, node, work[name], fmt.Sprint(want)); ok {
						there = append(there, seconds)
					}
				}
				b.ReportMetric(1000*median(here), "cpu-ms")
				if len(there) > 0 {
					b.ReportMetric(1000*median(there), "cpu-ms-in-node")
					b.ReportMetric(median(here)/median(there), "times")
				}
			}
		})
	}
}

// inNode works in Node.js and gives the seconds of the processor, those of its compiler and its garbage
// collector too; ok is false where there is none.
func inNode(b *testing.B, node, body, want string) (seconds float64, ok bool) {
	b.Helper()
	if _, err := os.Stat(node); err != nil {
		return 0, false
	}
	program := fmt.Sprintf(`const work = () => { %s }; work(); const begun = process.cpuUsage(); const got = work(); const { user, system } = process.cpuUsage(begun); console.log((user + system) / 1e6, got)`, body)
	out, err := exec.CommandContext(b.Context(), node, "-e", program).Output()
	if err != nil {
		b.Fatal(err)
	}
	var got string
	if _, err := fmt.Sscan(strings.TrimSpace(string(out)), &seconds, &got); err != nil || got != want {
		b.Fatalf("Node.js says %s, %v; want %s", out, err, want)
	}
	return seconds, true
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
