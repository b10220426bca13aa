//go:build !unix

package sqlite

import "syscall"

func makeSocketPrivate(_, _ string, _ syscall.RawConn) error { return nil }
