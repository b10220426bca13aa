package bundle

import (
	"encoding/json"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// ChildArgument is the only argument of a program that is to run Main.
const ChildArgument = "--toolsmith-translate"

// How a child exits that gives no answer.
const (
	exitRequest = 3 // its request cannot be read
	exitMemory  = 4 // it took too much memory
	exitOrphan  = 5 // its parent has gone
	exitTime    = 6 // it computed for too long
)

const (
	maxStack = 64 << 20             // bytes of stack that one goroutine of the child may have
	watch    = 2 * time.Millisecond // how often the child looks at what it takes
)

// Main is the child: it reads one request, writes one answer, and gives the exit code. It
// limits the whole process that it runs in, which is why it has to be a process of its own;
// the process ends when in does.
func Main(in io.Reader, out io.Writer) int {
	var r request
	if err := json.NewDecoder(in).Decode(&r); err != nil || r.Memory <= 0 || r.Seconds <= 0 {
		return exitRequest
	}
	runtime.GOMAXPROCS(2) // one to translate, one to watch it
	debug.SetTraceback("none")
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(r.Memory / 4 * 3)
	watchItself(r.Memory, r.Compute)
	confine(r)
	go func() {
		_, _ = io.Copy(io.Discard, in)
		os.Exit(exitOrphan)
	}()
	if err := json.NewEncoder(out).Encode(translate(r.File, r.Source)); err != nil {
		return exitOrphan
	}
	return 0
}

// watchItself ends the process when it takes more memory, or computes longer, than allowed. What
// timers need of the system is there when it returns.
func watchItself(most int64, compute time.Duration) {
	began, used := time.Now(), computed()
	ready := make(chan struct{})
	time.AfterFunc(0, func() { close(ready) })
	<-ready
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	go func() {
		for range time.Tick(watch) {
			metrics.Read(samples)
			if samples[0].Value.Uint64()-samples[1].Value.Uint64() > uint64(most) {
				os.Exit(exitMemory)
			}
			took := time.Since(began)
			if now := computed(); now > 0 {
				took = now - used
			}
			if compute > 0 && took > compute {
				os.Exit(exitTime)
			}
		}
	}()
}
