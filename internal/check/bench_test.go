package check_test

import (
	"fmt"
	"strings"
	"testing"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
)

// manifestOf writes a manifest with a number of steps of the kinds that real tools mix:
// reads, loops that write, conditions, plain values.
func manifestOf(steps int) []byte {
	var b strings.Builder
	b.WriteString(`{
  "schema": "talos.local-tool.v1", "id": "bench-tool", "version": 1, "title": "Bench", "description": "Measures.",
  "createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
  "network": {"mode": "forbidden", "domains": []}, "credentialRequirements": [],
  "inputSchema": {"type": "object", "properties": {"query": {"type": "string", "maxLength": 80}}, "required": ["query"], "additionalProperties": false},
  "flow": {"entry": "step-0", "maxTransitions": 256, "nodes": [
`)
	for i := range steps - 1 {
		next := fmt.Sprintf("step-%d", i+1)
		if i == steps-2 {
			next = "done"
		}
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, `    {"id": "step-%d", "type": "capability", "capability": "notes.list", "input": {"query": {"$ref": "$.input.query"}}, "target": "$.found", "retry": {"maxAttempts": 2, "backoffMs": 250}, "next": %q},`, i, next)
		case 1:
			fmt.Fprintf(&b, `    {"id": "step-%d", "type": "if", "condition": {"left": {"$ref": "$.found.0"}, "op": "exists"}, "then": %q, "else": "done"},`, i, next)
		case 2:
			fmt.Fprintf(&b, `    {"id": "step-%d", "type": "set", "target": "$.count", "value": {"all": {"$ref": "$.found.length"}, "first": {"$ref": "$.found.0.title"}}, "next": %q},`, i, next)
		default:
			fmt.Fprintf(&b, `    {"id": "step-%d", "type": "foreach", "source": {"$ref": "$.found"}, "itemVar": "note", "maxItems": 50, "body": [{"type": "set", "target": "$.last", "value": {"$ref": "$.note.title"}}], "next": %q},`, i, next)
		}
		b.WriteString("\n")
	}
	b.WriteString(`    {"id": "done", "type": "return", "value": {"count": {"$ref": "$.count"}}}
  ]}
}`)
	return []byte(b.String())
}

func BenchmarkCheck(b *testing.B) {
	for _, steps := range []int{4, 64} {
		b.Run(fmt.Sprintf("steps=%d", steps), func(b *testing.B) {
			text := manifestOf(steps)
			if r := check.Run(text, builtin); !r.OK() {
				b.Fatal(r.Diagnostics)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				check.Run(text, builtin)
			}
		})
		b.Run(fmt.Sprintf("parse/steps=%d", steps), func(b *testing.B) {
			text := manifestOf(steps)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				manifest.Parse(text)
			}
		})
	}
}
