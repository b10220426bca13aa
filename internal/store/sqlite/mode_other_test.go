//go:build !unix

package sqlite

func prepareChild() {}
