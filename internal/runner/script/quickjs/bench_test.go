package quickjs_test

import (
	"testing"

	"toolsmith/internal/runner/script/quickjs"
)

const fib = `(n => { const f = n => n < 2 ? n : f(n - 1) + f(n - 2); return f(n) })(27)`

const json11 = `(() => { let o = []; for (let i = 0; i < 9000; i++) o.push({id: i, name: "item " + i, tags: ["a", "b", "c"], nested: {x: i / 3, y: null, z: true}});
let s = JSON.stringify(o); for (let i = 0; i < 10; i++) s = JSON.stringify(JSON.parse(s)); return s.length })()`

// BenchmarkScripts measures what guests do.
func BenchmarkScripts(b *testing.B) {
	e := newEngine(b, quickjs.Options{})
	image := newImage(b, e, runtimeScript)
	for _, script := range []struct{ name, text string }{
		{"fib27", fib},
		{"json1MBx11", json11},
		{"loop1e6", "let n = 0; for (let i = 0; i < 1e6; i++) n += i; n"},
		{"fill40MB", "let a = []; for (let i = 0; i < 40; i++) a.push(new Uint8Array(1e6).fill(1)); a.length"},
		{"objects3e5", "let a = []; for (let i = 0; i < 3e5; i++) a.push({i}); a.length"},
		{"sort1e5", "Array.from({length: 1e5}, (_, i) => i * 7919 % 100003).sort((x, y) => x - y).length"},
		{"regex", `"lorem ipsum dolor 12 sit amet 345 ".repeat(5000).replace(/(\w+) (\d+)/g, "$2 $1").length`},
	} {
		b.Run(script.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := call(b, e, image, "eval", script.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
