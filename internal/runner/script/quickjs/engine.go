// Package quickjs runs JavaScript that nobody trusts: QuickJS, compiled to WebAssembly, in a
// memory of its own. Time, memory and stack are bounded, a guest stops soon after it is told
// to, whatever it does, and it reaches nothing but one function of its host.
//
// A guest is stopped where it looks up, which it does each checkEvery rounds of loops: the module
// is rewritten for that, see meter. There it also lets others have their turn. QuickJS's own way
// to be interrupted is not used, since it misses loops in C.
package quickjs

import (
	"context"
	_ "embed" // for the module
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// module is QuickJS as the npm package quickjs-wasi has it; scripts/fetch-quickjs.sh says which version.
//
//go:embed quickjs.wasm
var module []byte

// The defaults of Options and Budget.
const (
	DefaultMemory = 48 << 20
	DefaultStack  = 256 << 10
	DefaultLive   = 32
	DefaultCPU    = 10 * time.Second
)

const (
	// reserve is what the memory may grow beyond Options.Memory, for what QuickJS does not count
	// (its stack, texts that pass the border, holes), in bytes.
	reserve = 16 << 20
	// maxStack is how deep the stack of the module is, less what functions in C need above the check.
	maxStack = 512 << 10
	// checkEvery is after how many rounds of loops a guest looks up. It is some 50 µs.
	checkEvery = 20_000
	// slice is how long a guest computes before it lets another one have its turn.
	slice = 10 * time.Millisecond
	// pooled is how many sandboxes that nobody uses are kept.
	pooled = 8
	// wasmPage is the unit of a memory's size.
	wasmPage = 64 << 10
)

// Options say how much an engine may use. What is zero has its default.
type Options struct {
	// Memory of one sandbox for JavaScript, in bytes.
	Memory int64
	// Stack of one sandbox for JavaScript, in bytes.
	Stack int64
	// CacheDir is a folder where compiled machine code is kept between processes; "" for nowhere.
	// Whoever can write there decides what this process runs.
	CacheDir string
	// Live is how many sandboxes there may be at once; others wait.
	Live int
	// Running is how many of them compute at once. The default leaves one processor to all else.
	Running int
}

func (o Options) defaults() Options {
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	o.Memory = min(o.Memory, 2<<30)
	if o.Stack <= 0 {
		o.Stack = DefaultStack
	}
	o.Stack = min(o.Stack, maxStack)
	if o.Live <= 0 {
		o.Live = DefaultLive
	}
	if o.Running <= 0 {
		o.Running = max(1, runtime.GOMAXPROCS(0)-1)
	}
	return o
}

// Budget bounds one sandbox.
type Budget struct {
	// CPU is the time that it may compute in all, waiting for its turn not counted, but what other
	// processes take is. Zero is DefaultCPU.
	CPU time.Duration
	// Now is what its clock shows. Without it, the clock stands still at the epoch.
	Now func() time.Time
}

// Host answers a guest.
type Host interface {
	// Call answers __host(name, arguments...) of the guest, which waits for it, and all others with it:
	// so at once. The error ends the sandbox, and whoever called it gets it.
	Call(name string, arguments []string) (string, error)
}

// Engine makes sandboxes. It is safe for many goroutines.
type Engine struct {
	options Options
	// live and running hand out the places of sandboxes, and those of sandboxes that compute.
	live, running *turns

	compile sync.Once
	// What compile made, or why it could not.
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	broken   error

	// closed is closed when the engine is.
	closed chan struct{}

	// memories counts the instances that there are.
	memories atomic.Int64

	mu sync.Mutex
	// active counts what uses the machine code, which is gone after Close; idle is closed when nothing
	// will any more.
	active int
	idle   chan struct{}
	pool   []*instance
}

// New makes an engine. The module is compiled when it is first needed, which takes a second, or
// some milliseconds where CacheDir has it.
func New(o Options) *Engine {
	o = o.defaults()
	return &Engine{
		options: o, live: newTurns(o.Live), running: newTurns(o.Running), closed: make(chan struct{}), idle: make(chan struct{}),
	}
}

// Close stops whatever runs and gives back all memory. It fails if the context ends before
// everything stopped; then the memory stays until it is closed again.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	if !e.isClosed() {
		close(e.closed)
		e.pool = nil
		if e.active == 0 {
			close(e.idle)
		}
	}
	e.mu.Unlock()
	select {
	case <-e.idle:
	case <-ctx.Done():
		return fmt.Errorf("close the sandboxes: %w", ctx.Err())
	}
	if e.runtime == nil {
		return nil
	}
	if err := e.runtime.Close(ctx); err != nil {
		return fmt.Errorf("close the sandboxes: %w", err)
	}
	return nil
}

// Usage is what an engine has at a moment.
type Usage struct {
	// Open are the sandboxes that somebody has open, or is about to.
	Open int
	// Memories are those of the open sandboxes, and of the few that are kept for the next ones.
	Memories int
}

// Usage tells what the engine has just now.
func (e *Engine) Usage() Usage {
	return Usage{Open: e.options.Live - e.live.left(), Memories: int(e.memories.Load())}
}

func (e *Engine) isClosed() bool {
	select {
	case <-e.closed:
		return true
	default:
		return false
	}
}

// enter says that machine code is about to be used, and leave that it no longer is.
func (e *Engine) enter() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.isClosed() {
		return errClosed
	}
	e.active++
	return nil
}

func (e *Engine) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.active--
	if e.active == 0 && e.isClosed() {
		close(e.idle)
	}
}

// ready compiles the module if nobody has. Whoever calls it has entered.
func (e *Engine) ready() error {
	e.compile.Do(func() {
		e.broken = e.build(e.options.CacheDir)
		if e.broken != nil && e.options.CacheDir != "" {
			e.broken = e.build("") // what is in the folder is not what is needed
		}
	})
	return e.broken
}

// build makes the runtime. It does not depend on the context of whoever needs it first.
func (e *Engine) build(cacheDir string) error {
	ctx := context.Background()
	metered, err := meter(module, "env", "host_interrupt", checkEvery)
	if err != nil {
		return fmt.Errorf("prepare QuickJS: %w", err)
	}
	pages := (e.options.Memory + reserve + wasmPage - 1) / wasmPage
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(uint32(pages)).WithDebugInfoEnabled(false).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall)
	if cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err != nil {
			return fmt.Errorf("keep machine code: %w", err)
		}
		config = config.WithCompilationCache(cache)
	}
	r := wazero.NewRuntimeWithConfig(ctx, config)
	compiled, err := compileInto(ctx, r, metered)
	if err != nil {
		_ = r.Close(ctx)
		return err
	}
	e.runtime, e.compiled = r, compiled
	return nil
}

func compileInto(ctx context.Context, r wazero.Runtime, wasm []byte) (wazero.CompiledModule, error) {
	if err := imports(ctx, r); err != nil {
		return nil, err
	}
	compiled, err := r.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)), wasm)
	if err != nil {
		return nil, fmt.Errorf("compile QuickJS: %w", err)
	}
	return compiled, nil
}

// obtain gives an instance that holds the image, or a new one for nil.
func (e *Engine) obtain(image *Image) (*instance, error) {
	i := e.pick(image)
	if i == nil {
		var err error
		if i, err = e.instantiate(); err != nil {
			return nil, err
		}
	}
	if image == nil {
		return i, nil
	}
	if err := i.hold(image); err != nil {
		i.discard()
		return nil, err
	}
	return i, nil
}

// pick takes an instance out of the pool: one that holds the image already, or else the largest one
// that is not much too large, for memory grows but does not shrink.
func (e *Engine) pick(image *Image) *instance {
	if image == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	best := -1
	for at, i := range e.pool {
		if i.image == image {
			best = at
			break
		}
		if i.size() <= image.size+slack && (best < 0 || i.size() > e.pool[best].size()) {
			best = at
		}
	}
	if best < 0 {
		return nil
	}
	i := e.pool[best]
	e.pool = append(e.pool[:best], e.pool[best+1:]...)
	return i
}

// putBack puts an instance that is as its image was into the pool. If that is full, the one that
// lies there longest goes.
func (e *Engine) putBack(i *instance) {
	e.mu.Lock()
	var goes *instance
	switch {
	case e.isClosed():
		goes = i
	case len(e.pool) >= min(pooled, e.options.Live):
		goes = e.pool[0]
		copy(e.pool, e.pool[1:])
		e.pool[len(e.pool)-1] = i
	default:
		e.pool = append(e.pool, i)
	}
	e.mu.Unlock()
	if goes != nil {
		goes.discard()
	}
}
