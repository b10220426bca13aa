// Package bench measures whole runs, beside the bare store on the same machine. Nothing here
// fails for being slow: see docs/performance.md.
package bench_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"toolsmith"
	"toolsmith/tool"
)

type nothing struct{}

// open opens a runtime over a folder of its own, with a tool that does nothing.
func open(b *testing.B) *toolsmith.Runtime {
	b.Helper()
	r, err := toolsmith.Open(context.Background(), toolsmith.Options{Data: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.Close() })
	if err := r.Register(nothingTool()); err != nil {
		b.Fatal(err)
	}
	return r
}

func nothingTool() *tool.Tool {
	return tool.MustNew(tool.Spec{Name: "nothing", Description: "Does nothing.", ReadOnly: true},
		func(*tool.Context, nothing) (bool, error) { return true, nil })
}

func chainOf(steps int) tool.Chain {
	chain := make(tool.Chain, steps)
	for i := range chain {
		chain[i] = tool.Call("nothing", nil)
	}
	return chain
}

func run(b *testing.B, r *toolsmith.Runtime, chains []tool.Chain) {
	b.Helper()
	result, err := r.Run(context.Background(), chains, toolsmith.RunOptions{})
	if err != nil || result.Status != "succeeded" {
		b.Fatal(result, err)
	}
}

// BenchmarkRuns measures durable steps a second with a number of runs at once, each of 40
// steps one after the other.
func BenchmarkRuns(b *testing.B) {
	const steps = 40
	for _, runs := range []int{1, 16, 128} {
		b.Run(fmt.Sprintf("at once=%d", runs), func(b *testing.B) {
			r := open(b)
			for b.Loop() {
				var all sync.WaitGroup
				for range runs {
					all.Go(func() { run(b, r, []tool.Chain{chainOf(steps)}) })
				}
				all.Wait()
			}
			b.ReportMetric(float64(b.N*runs*steps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// BenchmarkForty measures one run of 40 steps: in sequence, and side by side.
func BenchmarkForty(b *testing.B) {
	parallel := make([]tool.Chain, 40)
	for i := range parallel {
		parallel[i] = chainOf(1)
	}
	for name, chains := range map[string][]tool.Chain{"sequence": {chainOf(40)}, "parallel": parallel, "one": {chainOf(1)}} {
		b.Run(name, func(b *testing.B) {
			r := open(b)
			for b.Loop() {
				run(b, r, chains)
			}
		})
	}
}
