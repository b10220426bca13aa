package quickjs

import (
	"bytes"
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// instance is the module with a memory of its own. One goroutine at a time uses it.
type instance struct {
	engine *Engine
	module api.Module
	memory api.Memory
	// stackPointer is where the stack of the module begins, which is the only thing besides its memory
	// that it keeps.
	stackPointer api.MutableGlobal
	// outer and inner call it; see guest.
	outer, inner *guest
	// owner is the sandbox that uses it; nil for nobody.
	owner *Sandbox
	// image is what the memory holds while nobody uses it, and before its size then.
	image  *Image
	before uint32
}

// instantiate makes an instance whose memory is as the module has it.
func (e *Engine) instantiate() (*instance, error) {
	i := &instance{engine: e}
	// What stops a guest is Sandbox.look: no context that ends.
	ctx := experimental.WithMemoryAllocator(context.WithValue(context.Background(), instanceKey{}, i), experimental.MemoryAllocatorFunc(allocate))
	m, err := e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	e.memories.Add(1)
	i.module, i.memory = m, m.Memory()
	var ok bool
	if i.stackPointer, ok = m.ExportedGlobal("__stack_pointer").(api.MutableGlobal); !ok {
		i.discard()
		return nil, fmt.Errorf("%w: QuickJS does not show its stack", ErrBroken)
	}
	i.outer, i.inner = newGuest(ctx, m, false), newGuest(ctx, m, true)
	return i, nil
}

// size gives the size of the memory, in bytes.
func (i *instance) size() uint32 { return i.memory.Size() }

// discard gives the instance's memory back.
func (i *instance) discard() {
	i.owner = nil
	i.engine.memories.Add(-1)
	_ = i.module.Close(context.Background()) // it closes no files, so it cannot fail
}

// hold makes the memory what the image has. Of what was there before nothing remains.
func (i *instance) hold(m *Image) error {
	if i.image != m {
		if size := i.size(); size < m.size {
			if _, ok := i.memory.Grow((m.size - size) / wasmPage); !ok {
				return ErrMemory
			}
		}
		i.write(m, i.image)
	}
	i.image, i.before = m, i.size()
	i.stackPointer.Set(m.stack)
	return nil
}

// write copies an image into the memory, which is exactly as another one has it; nil is for a
// memory of which nothing is known.
func (i *instance) write(m, before *Image) {
	memory, _ := i.memory.Read(0, i.size())
	for k := range len(memory) / pageSize {
		now := m.page(k)
		if before != nil && now == before.page(k) {
			continue
		}
		to := memory[k*pageSize : (k+1)*pageSize]
		if now == nil {
			if !bytes.Equal(to, zeroPage[:]) {
				clear(to)
			}
			continue
		}
		copy(to, now[:])
	}
}

// restore makes the memory what the image has that it held before it was used.
func (i *instance) restore() { i.write(i.image, nil) }
