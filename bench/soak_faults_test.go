package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"toolsmith/tool"
)

// TestASoakFindsFaults: the harness fails for an attack that is not stopped, an honest call that is
// not right, an error without a code, and for what is left over.
func TestASoakFindsFaults(t *testing.T) {
	t.Parallel()
	attack, sum, stopped := job{name: "attack"}, job{name: "sum", want: `3`}, job{name: "stopped", stop: time.Second}
	coded := &tool.Error{Code: "SCRIPT_CPU_TIME", Message: "It takes too long."}
	right := func(ctx context.Context, j job) (any, error) {
		switch j.name {
		case "attack":
			return nil, coded
		case "stopped":
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return json.Number("3"), nil
	}
	for name, c := range map[string]struct {
		call func(ctx context.Context, j job) (any, error)
		// grows is what each measurement finds more than the one before.
		grows usage
		want  []string // begins of faults; none for a soak without
	}{
		"nothing is wrong": {right, usage{}, nil},
		"an attack comes to a value": {func(ctx context.Context, j job) (any, error) {
			if j.name == "attack" {
				return "root", nil
			}
			return right(ctx, j)
		}, usage{}, []string{`here, attack: the attack came to "root"`}},
		"a call that is stopped goes on to its end": {func(ctx context.Context, j job) (any, error) {
			v, err := right(ctx, j)
			if j.name == "stopped" {
				return json.Number("1"), nil
			}
			return v, err
		}, usage{}, []string{"here, stopped: the attack came to 1"}},
		"an error has no code": {func(ctx context.Context, j job) (any, error) {
			if j.name == "attack" {
				return nil, errors.New("segmentation fault")
			}
			return right(ctx, j)
		}, usage{}, []string{"here, attack: it fails without a code: segmentation fault"}},
		"an honest call gives another value": {func(ctx context.Context, j job) (any, error) {
			if j.name == "sum" {
				return json.Number("4"), nil
			}
			return right(ctx, j)
		}, usage{}, []string{"here, sum: it came to 4, and has to come to 3"}},
		"an honest call fails": {func(ctx context.Context, j job) (any, error) {
			if j.name == "sum" {
				return nil, coded
			}
			return right(ctx, j)
		}, usage{}, []string{"here, sum: it fails with SCRIPT_CPU_TIME"}},
		"sandboxes stay open": {right, usage{open: 1}, []string{"left over: 3 open sandboxes, and at the beginning there were 1"}},
		"memories stay":       {right, usage{memories: 20}, []string{"left over: 60 memories of sandboxes"}},
		"goroutines stay":     {right, usage{goroutines: 20}, []string{"left over: 60 goroutines"}},
		"the heap grows":      {right, usage{heap: 1 << 30}, []string{"left over: 3221225472 bytes of heap"}},
		"the process grows":   {right, usage{resident: 1 << 30}, []string{"left over: 3221225472 resident bytes"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var now usage
				var said strings.Builder
				var mu sync.Mutex
				s := &soak{
					callers: []caller{{name: "here", jobs: []job{attack, sum, stopped}, atOnce: 2, call: func(ctx context.Context, j job) (any, error) {
						pause := time.NewTimer(time.Millisecond) // or time would stand still
						<-pause.C
						return c.call(ctx, j)
					}}},
					usage: func() usage {
						now.open, now.memories, now.goroutines = now.open+c.grows.open, now.memories+c.grows.memories, now.goroutines+c.grows.goroutines
						now.heap, now.resident = now.heap+c.grows.heap, now.resident+c.grows.resident
						return now
					},
					log: func(format string, args ...any) {
						mu.Lock()
						defer mu.Unlock()
						fmt.Fprintf(&said, format+"\n", args...)
					},
					every: 10 * time.Second, most: margins,
				}
				faults := s.run(t.Context(), 15*time.Second)
				for _, fault := range faults {
					if len(c.want) == 0 || !strings.HasPrefix(fault, c.want[0]) {
						t.Errorf("it finds %q; want %q", fault, c.want)
					}
				}
				if (len(faults) == 0) != (len(c.want) == 0) || len(faults) > mostFaults+1 {
					t.Errorf("it finds %d faults; want %q", len(faults), c.want)
				}
				for _, part := range []string{"at the beginning: ", "\n  10s: ", "\nat the end: ", " sandboxes open, "} {
					if !strings.Contains(said.String(), part) {
						t.Errorf("it does not say %q: %s", part, &said)
					}
				}
			})
		})
	}
}

// TestAShortSoak calls each honest tool and some attacks once, in both ways.
func TestAShortSoak(t *testing.T) {
	t.Parallel()
	runner := newSoakRunner(t)
	jobs := append([]job{
		{name: "loops", body: `for (;;);`}, {name: "is stuck", body: `await new Promise(() => {})`},
		{name: "is stopped", body: `for (;;);`, stop: time.Millisecond},
	}, honest...)
	s := &soak{counts: map[string]int{}}
	for _, c := range []caller{{name: "runner", call: runner.call}, {name: "worker", call: newSoakHouse(t, runner).call}} {
		for _, j := range jobs {
			s.one(t.Context(), c, j)
		}
	}
	for _, fault := range s.faults {
		t.Error(fault)
	}
	t.Log(s.counted())
	if left := runner.usage(); left.open != 0 || left.goroutines == 0 || left.heap == 0 {
		t.Errorf("at the end there are %s", left)
	}
}
