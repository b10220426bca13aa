package quickjs

import "github.com/tetratelabs/wazero/experimental"

// linearMemory is the memory of one instance. Where the system has memory that is only there when it
// is written to, all that an instance may ever have is reserved at once: it grows without
// being copied, and goes back to the system when the instance does, not when the garbage collector
// comes to it. Elsewhere it is a slice whose room is doubled.
type linearMemory struct {
	memory []byte
	max    uint64
	free   func()
}

// allocate makes the memory of an instance.
func allocate(_, most uint64) experimental.LinearMemory {
	memory, free := reserved(most)
	return &linearMemory{memory: memory, max: most, free: free}
}

// Reallocate makes it size bytes long, which is never shorter than it was.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > uint64(cap(m.memory)) {
		larger := make([]byte, size, min(m.max, max(size, 2*uint64(cap(m.memory)))))
		copy(larger, m.memory)
		m.memory = larger
	}
	m.memory = m.memory[:size]
	return m.memory
}

// Free gives it back.
func (m *linearMemory) Free() {
	if m.free != nil {
		m.free()
	}
	m.memory, m.free = nil, nil
}
