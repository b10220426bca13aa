package store

import (
	"context"
	"time"
)

// Token lets a program ask the server.
type Token struct {
	// Name of the program.
	Name string
	// Hash of the token, by which it is found: the token itself is not kept.
	Hash string
	// Tools that it may call, by their names; nil is all.
	Tools   []string
	AddedAt time.Time
	AddedBy string
}

// Tokens keeps the tokens of programs.
type Tokens interface {
	// Add keeps a token; added is false where there is one of its name already.
	Add(ctx context.Context, t Token) (added bool, err error)
	// ByHash finds a token; ok is false where there is none.
	ByHash(ctx context.Context, hash string) (t Token, ok bool, err error)
	// List gives all of them, sorted by name.
	List(ctx context.Context) ([]Token, error)
	// Delete forgets a token, and reports whether there was one.
	Delete(ctx context.Context, name string) (deleted bool, err error)
}
