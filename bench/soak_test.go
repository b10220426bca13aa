package bench_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// TestSoak calls hostile and honest tools by turns, several at once, on one runner and on a whole
// worker over a store in a file, for as long as SOAK says ("1m"). Every honest call has to come to
// its value, and every attack to an error with a code; at the end the process has to have no more
// than at the beginning.
func TestSoak(t *testing.T) { //nolint:paralleltest // it measures the process
	lasts, err := time.ParseDuration(os.Getenv("SOAK"))
	if err != nil {
		t.Skip("it runs where SOAK says for how long: make soak")
	}
	runner := newSoakRunner(t)
	house := newSoakHouse(t, runner)
	s := &soak{
		callers: []caller{
			{name: "runner", call: runner.call, jobs: soakJobs(t), atOnce: 6},
			{name: "worker", call: house.call, jobs: soakJobs(t), atOnce: 4},
		},
		usage: runner.usage, log: t.Logf, every: 10 * time.Second, most: margins,
	}
	for _, fault := range s.run(t.Context(), lasts) {
		t.Error(fault)
	}
}

// margins are how much more the process may have at the end than at the beginning. The system and
// the garbage collector give memory back when they like, so there is much of it.
var margins = usage{open: 0, memories: 8, goroutines: 16, heap: 160 << 20, resident: 256 << 20}

// job is one tool that is called again and again.
type job struct {
	name string
	// body is that of its function, with args and context.
	body string
	// want is what it has to come to, as JSON; "" for one that has to fail with a code.
	want string
	// stop is after which time the caller stops it; 0 for never.
	stop time.Duration
}

// caller calls jobs in one way, so many at once.
type caller struct {
	name   string
	call   func(ctx context.Context, j job) (any, error)
	jobs   []job
	atOnce int
}

// usage is what the process has: sandboxes that are open, memories of sandboxes, goroutines, and
// bytes of the heap and of memory that the system counts.
type usage struct {
	open, memories, goroutines int
	heap, resident             int64
}

func (u usage) String() string {
	const mib = 1 << 20
	return fmt.Sprintf("%d sandboxes open, %d memories of sandboxes, %d goroutines, heap %d MiB, resident %d MiB", u.open, u.memories, u.goroutines, u.heap/mib, u.resident/mib)
}

// over tells what a usage has more of than an earlier one by more than the margins.
func (u usage) over(before, most usage) (faults []string) {
	for _, one := range []struct {
		what                 string
		now, earlier, margin int64
	}{
		{"open sandboxes", int64(u.open), int64(before.open), int64(most.open)},
		{"memories of sandboxes", int64(u.memories), int64(before.memories), int64(most.memories)},
		{"goroutines", int64(u.goroutines), int64(before.goroutines), int64(most.goroutines)},
		{"bytes of heap", u.heap, before.heap, most.heap},
		{"resident bytes", u.resident, before.resident, most.resident},
	} {
		if one.now > one.earlier+one.margin {
			faults = append(faults, fmt.Sprintf("left over: %d %s, and at the beginning there were %d", one.now, one.what, one.earlier))
		}
	}
	return faults
}

// soak is one such test.
type soak struct {
	callers []caller
	usage   func() usage
	log     func(format string, args ...any)
	// every is how often the usage is written.
	every time.Duration
	most  usage

	mu     sync.Mutex
	counts map[string]int // of calls, by caller and ending
	faults []string
}

// run calls for as long as told, and gives what was wrong.
func (s *soak) run(ctx context.Context, lasts time.Duration) []string {
	s.counts = map[string]int{}
	warm := map[string]bool{}
	for _, c := range s.callers { // what is made once is made before it is measured
		for _, j := range c.jobs {
			if j.want != "" && !warm[c.name+j.name] {
				warm[c.name+j.name] = true
				s.one(ctx, c, j)
			}
		}
	}
	before := s.usage()
	s.log("at the beginning: %s", before)
	begun := time.Now()
	during, stop := context.WithTimeout(ctx, lasts)
	defer stop()
	var group sync.WaitGroup
	for _, c := range s.callers {
		for i := range c.atOnce {
			group.Go(func() {
				draws := rand.New(rand.NewPCG(uint64(i), 7)) //nolint:gosec // the same each time
				for during.Err() == nil {
					s.one(ctx, c, c.jobs[draws.IntN(len(c.jobs))])
				}
			})
		}
	}
	ticker := time.NewTicker(s.every)
	defer ticker.Stop()
	for during.Err() == nil {
		select {
		case <-ticker.C:
			s.log("%4.0fs: %s; %s", time.Since(begun).Seconds(), s.usage(), s.counted())
		case <-during.Done():
		}
	}
	group.Wait()
	after := s.usage()
	s.log("at the end: %s; %s", after, s.counted())
	return append(s.faults, after.over(before, s.most)...)
}

// mostFaults is how many faults are told one by one.
const mostFaults = 20

// one carries out one call and looks at what came of it.
func (s *soak) one(ctx context.Context, c caller, j job) {
	within, stop := ctx, context.CancelFunc(func() {})
	if j.stop > 0 {
		within, stop = context.WithTimeout(ctx, j.stop)
	}
	got, err := c.call(within, j)
	stop()
	ending, fault := verdict(j, got, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[c.name+" "+ending]++
	if fault != "" && len(s.faults) < mostFaults {
		s.faults = append(s.faults, fmt.Sprintf("%s, %s: %s", c.name, j.name, fault))
	}
}

// verdict says how a call ended, and what is wrong with that.
func verdict(j job, got any, err error) (ending, fault string) {
	var coded *tool.Error
	switch {
	case j.stop > 0 && (errors.Is(err, context.DeadlineExceeded) || tool.Code(err) == task.CodeAborted):
		return "stopped", ""
	case err != nil && !errors.As(err, &coded):
		return "broken", fmt.Sprintf("it fails without a code: %v", err)
	case err != nil && j.want != "":
		return "wrong", fmt.Sprintf("it fails with %v, and has to come to %s", err, j.want)
	case err != nil:
		return coded.Code, ""
	case j.stop > 0 || j.want == "":
		return "not stopped", "the attack came to " + value.JSON(got) + ", and has to be stopped"
	case value.JSON(got) != j.want:
		return "wrong", fmt.Sprintf("it came to %s, and has to come to %s", value.JSON(got), j.want)
	}
	return "right", ""
}

// counted lists how calls ended.
func (s *soak) counted() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for ending, n := range s.counts {
		list = append(list, fmt.Sprintf("%s %d", ending, n))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// honest are calls that have to be right whatever happens beside them.
var honest = []job{
	{name: "computes", body: `const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); return fib(15)`, want: `610`},
	{name: "writes JSON", body: `const list = Array.from({ length: 500 }, (_, i) => ({ i, t: 'ä' + i })); return JSON.parse(JSON.stringify(list)).length`, want: `500`},
	{name: "waits", body: `const order = []; await Promise.all([3, 1, 2].map(async (n) => { await new Promise((go) => setTimeout(go, n)); order.push(n) })); return order.length`, want: `3`},
	{name: "throws", body: `try { null.x } catch (error) { return error instanceof TypeError }`, want: `true`},
	{name: "asks", body: `const list = await Promise.all(Array.from({ length: 5 }, () => context.getCallingToolId())); return list.join()`, want: `"soak,soak,soak,soak,soak"`},
	{name: "looks at its realm", body: `const clean = globalThis.left === undefined && [].map === Array.prototype.map && JSON.stringify([1]) === '[1]'
		globalThis.left = 1; Array.prototype.map = null; JSON.stringify = () => 'x'; Object.prototype.left = 2; return clean`, want: `true`},
	{name: "uses memory", body: `const list = []; for (let i = 0; i < 50; i++) list.push(new Uint8Array(100000).fill(i)); return list.reduce((n, a) => n + a[99999], 0)`, want: `1225`},
}

// soakJobs are attacks and honest calls, as many of one as of the other.
func soakJobs(t testing.TB) []job {
	t.Helper()
	files, err := filepath.Glob("../internal/runner/script/testdata/attacks/*")
	if err != nil || len(files) < 200 {
		t.Fatalf("there are %d attacks, %v", len(files), err)
	}
	var jobs []job
	for range 10 {
		jobs = append(jobs,
			job{name: "is stopped", body: `for (;;);`, stop: 5 * time.Millisecond},
			job{name: "is stopped while it waits", body: `await new Promise((go) => setTimeout(go, 100000))`, stop: 5 * time.Millisecond})
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// Some leave something running behind them, so none ends by itself.
		jobs = append(jobs, job{name: filepath.Base(file), body: string(text) + ";\nawait new Promise(() => {})"})
	}
	attacks := len(jobs)
	for i := range attacks {
		jobs = append(jobs, honest[i%len(honest)])
	}
	return jobs
}
