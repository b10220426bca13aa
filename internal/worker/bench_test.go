package worker_test

import (
	"testing"
	"time"

	"toolsmith/internal/capability"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/worker"
)

// BenchmarkRun measures a whole run over a store in a file, with all that it is committed
// with.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct{ name, nodes string }{
		{"no call", end},
		{"one read", `{"id": "list", "type": "capability", "capability": "tasks.list", "input": {"limit": 10}, "next": "end"}, ` + end},
		{"one change", `{"id": "list", "type": "capability", "capability": "tasks.list", "input": {"limit": 1}, "target": "$.found", "next": "set"},
			{"id": "set", "type": "capability", "capability": "tasks.setStatus", "input": {"id": {"$ref": "$.found.0.id"}, "status": "done"}, "next": "end"}, ` + end},
	} {
		b.Run(c.name, func(b *testing.B) {
			file, err := sqlite.Open(b.Context(), b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { file.Close() })
			d := furnish(b, newDeskOver(b, file))
			job := worker.Job{Tool: checked(b, c.nodes), Input: map[string]any{}}
			b.ReportAllocs()
			for b.Loop() {
				d.clock.pass(time.Millisecond) // or the ids of the tasks would be those of the run before
				if out := runWith(b, d.Worker, job); out.Status != flow.Succeeded {
					b.Fatal(out.Failure)
				}
			}
		})
	}
}

// BenchmarkCodedRun is a whole call of a coded tool that is warm: begun, carried out, kept and waited for.
func BenchmarkCodedRun(b *testing.B) {
	for _, c := range []struct{ name, body string }{
		{"a value", `return args.text + '!'`},
		{"with the chain", `return (await context.getExecutionTaskChain()).length`},
		{"subtasks", `return context.createSubtasksResult([[message(args.text), returns('complete')]])`},
	} {
		b.Run(c.name, func(b *testing.B) {
			file, err := sqlite.Open(b.Context(), b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { file.Close() })
			d := newDeskOver(b, file)
			d.Scripts = newSandbox(b)
			job := worker.Job{Tool: inCode(b, d.Scripts, capability.Builtin(), "bench", "", c.body), Input: map[string]any{}}
			b.ReportAllocs()
			for b.Loop() {
				d.clock.pass(time.Millisecond)
				if out := runWith(b, d.Worker, job); out.Status != flow.Succeeded {
					b.Fatal(out.Failure)
				}
			}
		})
	}
}
