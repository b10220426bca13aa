//go:build unix

package quickjs

import "golang.org/x/sys/unix"

// reserved gives size bytes of memory that are zeroes and take nothing until they are written to, and
// what gives them back to the system. Without such memory it gives nil.
func reserved(size uint64) (memory []byte, free func()) {
	memory, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil
	}
	return memory, func() { _ = unix.Munmap(memory) } // it fails for what was never mapped
}
