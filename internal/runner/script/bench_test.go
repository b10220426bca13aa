package script_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/runner/script"
)

func bench(b *testing.B, text string, arguments any, h script.Host) {
	b.Helper()
	c := script.Call{Tool: made(body(text), everything), Arguments: arguments, Host: h}
	if _, err := house().Run(b.Context(), c); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := house().Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad loads a file that was never seen.
func BenchmarkLoad(b *testing.B) {
	for name, size := range map[string]int{"small": 0, "200KB": 200_000} {
		b.Run(name, func(b *testing.B) {
			filler := strings.Repeat("function f() { return [1, 2, 3].map((x) => x + 1) }\n", size/52)
			n := 0
			for b.Loop() {
				n++
				declared, err := house().Load(b.Context(), []byte(body(fmt.Sprintf("return %d", n))+"\n"+filler), nil)
				if err != nil || len(declared) != 1 {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFirstCall calls a tool that is not kept.
func BenchmarkFirstCall(b *testing.B) {
	n := 0
	for b.Loop() {
		n++
		if _, err := house().Run(b.Context(), script.Call{Tool: made(body(fmt.Sprintf("return %d", n)), ""), Host: host(nobody)}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWarmCall(b *testing.B) { bench(b, `return args`, map[string]any{"a": "b"}, host(nobody)) }

func BenchmarkHostCall(b *testing.B) {
	bench(b, `for (let i = 0; i < 100; i++) await context.getCallingToolId()`, nil, &quick{answer: "cli"})
}

func BenchmarkFetch(b *testing.B) {
	answer := map[string]any{"status": json.Number("200"), "statusText": "OK", "url": "https://api.example.com/", "redirected": false, "headers": []any{}, "body": `{"a":` + strings.Repeat("[1,", 30) + "1" + strings.Repeat("]", 30) + `}`, "encoding": "utf8"}
	bench(b, `return (await (await fetch('https://api.example.com')).json()).a.length`, nil, &quick{answer: answer})
}

// quick answers each method alike.
type quick struct{ answer any }

func (q *quick) Do(context.Context, int, string, map[string]any) (any, error) { return q.answer, nil }

func BenchmarkParallelCalls(b *testing.B) {
	c := script.Call{Tool: made(body(`return args`), ""), Host: host(nobody)}
	if _, err := house().Run(b.Context(), c); err != nil {
		b.Fatal(err)
	}
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := house().Run(b.Context(), c); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkComputing compares with Node.js, where there is one.
func BenchmarkComputing(b *testing.B) {
	for name, text := range map[string]string{
		"fib(27)":         `function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } return fib(27)`,
		"JSON of 1 MB":    `const o = Array.from({ length: 10000 }, (_, i) => ({ i, t: 'x'.repeat(80) })); let n = 0; for (let i = 0; i < 5; i++) n += JSON.parse(JSON.stringify(o)).length; return n`,
		"encoding 1 MB":   `const t = 'aä'.repeat(350000); return new TextDecoder().decode(new TextEncoder().encode(t)).length`,
		"result of 500KB": `return Array.from({ length: 5000 }, (_, i) => ({ i, t: 'x'.repeat(80) }))`,
	} {
		b.Run(name, func(b *testing.B) {
			bench(b, text, nil, host(nobody))
			node, err := exec.LookPath("node")
			if err != nil {
				return
			}
			program := fmt.Sprintf(`const f = () => { %s }; f(); const at = process.hrtime.bigint(); for (let i = 0; i < 5; i++) f(); console.log(Number(process.hrtime.bigint() - at) / 5)`, text)
			out, err := exec.CommandContext(b.Context(), node, "-e", program).Output()
			var ns float64
			if _, scanned := fmt.Sscan(string(out), &ns); err == nil && scanned == nil {
				b.ReportMetric(ns/float64(time.Millisecond), "ms-in-node")
			}
		})
	}
}

// BenchmarkIdleTool tells how much memory a tool takes that is kept and not called.
func BenchmarkIdleTool(b *testing.B) {
	runner := script.New(script.Options{Engine: engine()})
	const tools = 100
	load := func(i int) {
		if _, err := runner.Load(b.Context(), []byte(body(fmt.Sprintf("return %d", i))), nil); err != nil {
			b.Fatal(err)
		}
	}
	load(-1)
	before := heap()
	for b.Loop() {
		for i := range tools {
			load(i)
		}
	}
	b.ReportMetric(float64(heap()-before)/tools/1024, "KiB/tool")
	runtime.KeepAlive(runner)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
