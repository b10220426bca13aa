package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
)

// audience listens to the events of a server, over connections of its own.
type audience struct {
	open []net.Conn
	done sync.WaitGroup
	// heard counts the bytes that those who read have had, and ends the runs of which they were told
	// that they have succeeded.
	heard, ends atomic.Int64
}

// audience has many listen, of whom the last few read nothing after the beginning; count counts
// what they hear of.
func (s *served) audience(t testing.TB, many, slow int, count bool) *audience {
	t.Helper()
	a := &audience{}
	for i := range many {
		var dialer net.Dialer
		conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(s.address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		a.open = append(a.open, conn)
		if _, err := fmt.Fprintf(conn, "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", personToken); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		response, err := http.ReadResponse(in, nil) //nolint:bodyclose // the connection is closed
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%v, %v", response, err)
		}
		if i < many-slow {
			a.done.Go(func() {
				for b := make([]byte, 32<<10); !count; {
					n, err := in.Read(b)
					a.heard.Add(int64(n))
					if err != nil {
						return
					}
				}
				for {
					line, err := in.ReadSlice('\n')
					a.heard.Add(int64(len(line)))
					if err != nil {
						return
					}
					if bytes.Contains(line, []byte(`{"type":"run"`)) && bytes.Contains(line, []byte(`"status":"succeeded"`)) {
						a.ends.Add(1)
					}
				}
			})
		}
	}
	return a
}

func (a *audience) leave() {
	for _, conn := range a.open {
		_ = conn.Close()
	}
	a.done.Wait()
}

// runOnce calls echo through the worker, and waits for the end.
func (s *served) runOnce(t testing.TB) {
	t.Helper()
	run, err := s.worker.Begin(t.Context(), engine.Request{Chains: [][]task.Draft{{task.CallOf(task.Call{Name: "echo", Arguments: map[string]any{"text": "x"}})}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.worker.Wait(t.Context(), run.ID, worker.WaitOptions{}); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkRunsWithListeners takes the times of runs, one after the other every 5 ms, while
// nobody, or a thousand of whom ten read nothing, listen to what happens. What the heap has grown by is
// that between the time after as many have left before, and after these have.
func BenchmarkRunsWithListeners(b *testing.B) {
	for _, many := range []int{0, 1000} {
		b.Run(fmt.Sprintf("listeners=%d", many), func(b *testing.B) {
			s := serve(b)
			warm := s.audience(b, many, many/100, false)
			for range 500 {
				s.runOnce(b)
			}
			warm.leave()
			left()
			before := heap()
			a := s.audience(b, many, many/100, false)
			var times []time.Duration
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for b.Loop() {
				<-tick.C
				began := time.Now()
				s.runOnce(b)
				times = append(times, time.Since(began))
			}
			a.leave()
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "median-µs")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
			left()
			b.ReportMetric(float64(heap()-before)/1024, "grown-KiB")
			b.ReportMetric(float64(a.heard.Load())/(1<<20), "heard-MiB")
		})
	}
}

// left waits until the server has seen that those who listened have left.
func left() {
	for runtime.NumGoroutine() > 100 {
		runtime.Gosched()
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) //nolint:gosec // it is far below
}

// TestManyListeners hear of every run, but for those that read nothing, whom nobody waits for; and
// all let go of the server when they leave.
func TestManyListeners(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const many, slow, runs = 60, 6, 40
	a := s.audience(t, many, slow, true)
	for range runs {
		s.runOnce(t)
	}
	for a.ends.Load() < (many-slow)*runs {
		runtime.Gosched()
	}
	a.leave()
	if got := a.ends.Load(); got != (many-slow)*runs {
		t.Errorf("they hear of %d ends of runs, want %d", got, (many-slow)*runs)
	}
	s.close() // it waits for all requests
}
