// Package toolsmith is where the Go API of Toolsmith will live: a runtime that a Go
// program opens, registers its tools with and serves from. Today the way in is the
// command in cmd/toolsmith; the shared words and the SDK for tools written in Go are in
// package tool.
package toolsmith
