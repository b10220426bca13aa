//go:build unix

package sqlite

import "syscall"

// makeSocketPrivate gives a socket its mode before it has a name, so that it never has
// another one. Where the system does not allow that, it gets its mode right after.
func makeSocketPrivate(_, _ string, conn syscall.RawConn) error {
	return conn.Control(func(descriptor uintptr) {
		_ = syscall.Fchmod(int(descriptor), 0o600)
	})
}
