//go:build !unix

package quickjs

// reserved says that there is no memory here that takes nothing until it is written to.
func reserved(uint64) (memory []byte, free func()) { return nil, nil }
