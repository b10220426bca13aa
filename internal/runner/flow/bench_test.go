package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"toolsmith/internal/check"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// chain gives n steps of one kind and the end.
func chain(n int, step func(i int, next string) string) string {
	var nodes strings.Builder
	for i := range n {
		next := fmt.Sprintf("step-%d", i+1)
		if i == n-1 {
			next = "end"
		}
		nodes.WriteString(step(i, next))
	}
	return nodes.String() + reads(`{"$ref": "$.x"}`)
}

// BenchmarkSteps measures steps that only compute.
func BenchmarkSteps(b *testing.B) {
	items := "[" + strings.Repeat("7,", 99) + "7]"
	for _, c := range []struct {
		name  string
		steps int
		nodes string
	}{
		{"set", 62, chain(62, func(i int, next string) string {
			return fmt.Sprintf(`{"id": "step-%d", "type": "set", "target": "$.x", "value": {"n": {"$ref": "$.input.n"}, "at": %d}, "next": %q}, `, i, i, next)
		})},
		{"if", 62, chain(62, func(i int, next string) string {
			return fmt.Sprintf(`{"id": "step-%d", "type": "if", "condition": {"left": {"$ref": "$.input.n"}, "op": "gte", "right": 1.5}, "then": %q, "else": "end"}, `, i, next)
		})},
		{"foreach", 1600, fmt.Sprintf(`{"id": "each", "type": "foreach", "source": %s, "itemVar": "$.item", "indexVar": "$.i", "maxItems": 100, "body": [%s], "next": "end"}, `,
			items, strings.TrimSuffix(strings.Repeat(`{"type": "set", "target": "$.x", "value": [{"$ref": "$.item"}, {"$ref": "$.i"}]}, `, 16), ", ")) + reads(`{"$ref": "$.x"}`)},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, input := program(b, spec{nodes: c.nodes}), map[string]any{"n": value.Int(2)}
			if r := p.Run(b.Context(), input, flow.Options{}); r.Status != flow.Succeeded || len(r.Trace) < c.steps {
				b.Fatal(r.Failure, len(r.Trace))
			}
			b.ReportAllocs()
			for b.Loop() {
				p.Run(b.Context(), input, flow.Options{})
			}
			b.ReportMetric(float64(b.N*c.steps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// BenchmarkLargeVariable copies a variable of 256 KiB, which is measured each time.
func BenchmarkLargeVariable(b *testing.B) {
	rows := make([]any, 2000)
	for i := range rows {
		rows[i] = map[string]any{"id": value.Int(i), "title": strings.Repeat("x", 90)}
	}
	p := program(b, spec{nodes: strings.Replace(callAny, `"next": "end"`, `"next": "copy"`, 1) +
		`{"id": "copy", "type": "set", "target": "$.y", "value": {"$ref": "$.x"}, "next": "end"}, ` + reads(`{"$ref": "$.y.length"}`)})
	b.ReportAllocs()
	for b.Loop() {
		if r := p.Run(b.Context(), map[string]any{}, flow.Options{Host: gives(rows)}); r.Status != flow.Succeeded {
			b.Fatal(r.Failure)
		}
	}
}

// mixed gives tools of steps as real ones mix them.
func mixed(n int) string {
	return chain(n-1, func(i int, next string) string {
		switch i % 4 {
		case 0:
			return fmt.Sprintf(`{"id": "step-%d", "type": "capability", "capability": "lab.make", "input": {"title": {"$ref": "$.input.title"}}, "target": "$.x",
				"retry": {"maxAttempts": 2, "backoffMs": 250}, "compensation": {"capability": "lab.unmake", "input": {"id": {"$ref": "$.x.id"}}}, "next": %q}, `, i, next)
		case 1:
			return fmt.Sprintf(`{"id": "step-%d", "type": "if", "condition": {"left": {"$ref": "$.x.id"}, "op": "exists"}, "then": %q, "else": "end"}, `, i, next)
		case 2:
			return fmt.Sprintf(`{"id": "step-%d", "type": "set", "target": "$.y", "value": {"first": {"$ref": "$.x.title"}, "all": [{"$ref": "$.x"}]}, "next": %q}, `, i, next)
		}
		return fmt.Sprintf(`{"id": "step-%d", "type": "foreach", "source": {"$ref": "$.y.all"}, "itemVar": "$.item", "maxItems": 50, "body": [
			{"type": "set", "target": "$.last", "value": {"$ref": "$.item.title"}}], "next": %q}, `, i, next)
	})
}

// BenchmarkCompile makes checked tools ready to run.
func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{4, 64} {
		b.Run(fmt.Sprintf("steps=%d", n), func(b *testing.B) {
			s := spec{nodes: mixed(n), input: `{"type": "object", "properties": {"title": {"type": "string", "maxLength": 80}}, "required": ["title"]}`}
			checked := check.Run([]byte(s.text()), lab)
			if !checked.OK() {
				b.Fatal(checked.Diagnostics)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := flow.Compile(checked.Tool); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
