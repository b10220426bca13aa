// Package script runs coded tools in the sandbox. The realm in which they run is written in
// TypeScript, in the folder guest; this package holds the other end: it loads what a file declares,
// and carries out what a call asks of its context.
package script

import (
	"context"
	"crypto/sha256"
	_ "embed" // for the guest
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"toolsmith/internal/runner/script/quickjs"
)

// guest is the runtime part of each realm; scripts/generate.sh makes it.
//
//go:embed guest/guest.js
var guest string

// The names of the scripts, as they stand in stacks.
const (
	guestName  = "guest.js"
	scriptName = "tool.js"
)

// How much is kept of tools that were used before.
const (
	mostImages     = 256
	mostImageBytes = 64 << 20
)

// Limits bound one call. What is zero has its default.
type Limits struct {
	// CPU is the time for computing. Default 10 s.
	CPU time.Duration
	// HostCalls is how many methods of the context and timers a call may use in all (1,000), and
	// InFlight how many methods are carried out at once (64); more of them wait for their turn.
	HostCalls, InFlight int
	// ArgumentBytes and ResultBytes are those of one method (1 MiB and 4 MiB). All of a call together
	// may have 16 and 8 times as many.
	ArgumentBytes, ResultBytes int
	// Output is how long the result of a call may be, in bytes of JSON. Default 1 MiB.
	Output int
	// Log is how much console output is kept, in bytes. Default 64 KiB.
	Log int
	// Grace is how long a tool may go on after it was told to stop, and what it left running after it
	// returned. Default 50 ms.
	Grace time.Duration
}

const (
	argumentsInAll = 16 // times ArgumentBytes
	resultsInAll   = 8  // times ResultBytes
)

func (l Limits) defaults() Limits {
	if l.CPU <= 0 {
		l.CPU = quickjs.DefaultCPU
	}
	if l.Grace <= 0 {
		l.Grace = 50 * time.Millisecond
	}
	for _, one := range []struct {
		limit    *int
		standard int
	}{
		{&l.HostCalls, 1000}, {&l.InFlight, 64}, {&l.ArgumentBytes, 1 << 20}, {&l.ResultBytes, 4 << 20}, {&l.Output, 1 << 20}, {&l.Log, 64 << 10},
	} {
		if *one.limit <= 0 {
			*one.limit = one.standard
		}
	}
	return l
}

// Options make a Runner.
type Options struct {
	// Engine has to be given. It stays that of the caller, who closes it after the last call.
	Engine *quickjs.Engine
	Limits Limits
	// Trace gets one line for each method of the context that was carried out; nil for nobody. It is
	// called from many goroutines. A line may hold what a tool hands to a method, so whoever shows it
	// scrubs it; the values of secrets are left out here already.
	Trace func(line string)
}

// Runner runs coded tools. It is safe for many goroutines.
type Runner struct {
	engine *quickjs.Engine
	limits Limits
	trace  func(line string)

	mu sync.Mutex
	// base is the image of a realm without a tool, once it was made.
	base *quickjs.Image
	// images are those of tools, by the digest of their script, and bytes is their size together.
	images *simplelru.LRU[digest, *quickjs.Image]
	bytes  int64
	// building are the images that somebody makes just now; the one of the base is under no digest.
	building map[digest]*building
}

type digest [sha256.Size]byte

// building is an image that others wait for.
type building struct {
	done  chan struct{}
	image *quickjs.Image
	err   error
}

// New makes a runner.
func New(o Options) *Runner {
	r := &Runner{engine: o.Engine, limits: o.Limits.defaults(), trace: o.Trace, building: map[digest]*building{}}
	r.images, _ = simplelru.NewLRU(mostImages, func(_ digest, image *quickjs.Image) { r.bytes -= int64(image.Size()) }) // fails for a size below 1 alone
	return r
}

// image gives the image of a tool's script. The error is one of the engine's, as loadFailure reads it.
func (r *Runner) image(ctx context.Context, script []byte) (*quickjs.Image, error) {
	return r.shared(ctx, sha256.Sum256(script), func() (*quickjs.Image, error) {
		base, err := r.shared(ctx, digest{}, func() (*quickjs.Image, error) {
			image, err := r.engine.Image(ctx, nil, &loading{}, quickjs.Budget{}, quickjs.Script{Name: guestName, Text: guest})
			if err != nil {
				return nil, fmt.Errorf("make the realm of coded tools: %w", err)
			}
			return image, nil
		})
		if err != nil {
			return nil, err
		}
		host := &loading{}
		image, err := r.engine.Image(ctx, base, host, quickjs.Budget{CPU: r.limits.CPU}, quickjs.Script{Name: scriptName, Text: string(script)})
		if err != nil {
			return nil, host.failure(err)
		}
		return image, nil
	})
}

// shared gives the image of a key, and has it made where it is not there. Whoever comes while it is made
// waits for it, and makes it anew where the context of the other has ended.
func (r *Runner) shared(ctx context.Context, key digest, build func() (*quickjs.Image, error)) (*quickjs.Image, error) {
	for {
		r.mu.Lock()
		if image := r.kept(key); image != nil {
			r.mu.Unlock()
			return image, nil
		}
		b := r.building[key]
		if b == nil {
			b = &building{done: make(chan struct{})}
			r.building[key] = b
			r.mu.Unlock()
			b.image, b.err = build()
			r.finish(key, b)
			return b.image, b.err
		}
		r.mu.Unlock()
		select {
		case <-b.done:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the tool to be loaded: %w", ctx.Err())
		}
		if b.err == nil || !errors.Is(b.err, context.Canceled) && !errors.Is(b.err, context.DeadlineExceeded) {
			return b.image, b.err
		}
	}
}

func (r *Runner) kept(key digest) *quickjs.Image {
	if key == (digest{}) {
		return r.base
	}
	image, _ := r.images.Get(key)
	return image
}

func (r *Runner) finish(key digest, b *building) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.building, key)
	close(b.done)
	switch {
	case b.err != nil:
	case key == digest{}:
		r.base = b.image
	default:
		r.images.Add(key, b.image)
		r.bytes += int64(b.image.Size())
		for r.bytes > mostImageBytes && r.images.Len() > 1 {
			r.images.RemoveOldest()
		}
	}
}
