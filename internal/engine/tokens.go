package engine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/tool"
)

// Codes of tokens.
const (
	// CodeTokenInvalid: the name of a token is none.
	CodeTokenInvalid = "TOKEN_INVALID"
	// CodeTokenExists: there is a token of that name.
	CodeTokenExists = "TOKEN_EXISTS"
	// CodeTokenNotFound: there is no token of that name.
	CodeTokenNotFound = "TOKEN_NOT_FOUND"
)

var tokenName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// TokenHash is how a token is kept.
func TokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// AddToken makes a token for a program, which may call the tools that are named; nil is all. It
// is given once, and never again. A program with a token may decide nothing.
func (e *Engine) AddToken(ctx context.Context, name string, tools []string) (token string, err error) {
	if err := e.mayDecide(ctx); err != nil {
		return "", err
	}
	if !tokenName.MatchString(name) {
		return "", &tool.Error{Code: CodeTokenInvalid, Message: "The name of a token is 1 to 64 letters, digits, \".\", \"_\" and \"-\", beginning with a letter or digit."}
	}
	token = rand.Text()
	actor := e.actor(ctx)
	err = e.o.Store.Write(ctx, func(tx store.Tx) error {
		added, err := tx.Tokens().Add(ctx, store.Token{Name: name, Hash: TokenHash(token), Tools: tools, AddedAt: e.o.Now(), AddedBy: actor.Who})
		if err != nil {
			return err
		}
		if !added {
			return &tool.Error{Code: CodeTokenExists, Message: fmt.Sprintf("There is a token %q already. Remove it first: toolsmith tokens remove %s", name, name)}
		}
		may := "all tools"
		if tools != nil {
			may = strings.Join(tools, ", ")
		}
		return e.registry(ctx, tx).Note(ctx, registry.ActionTokenAdd, "", 0, name+", for "+may)
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// Tokens lists the tokens of programs, sorted by name.
func (e *Engine) Tokens(ctx context.Context) (list []store.Token, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		list, err = tx.Tokens().List(ctx)
		return err
	})
	return list, err
}

// RemoveToken lets a program in no more.
func (e *Engine) RemoveToken(ctx context.Context, name string) error {
	if err := e.mayDecide(ctx); err != nil {
		return err
	}
	return e.o.Store.Write(ctx, func(tx store.Tx) error {
		deleted, err := tx.Tokens().Delete(ctx, name)
		if err != nil {
			return err
		}
		if !deleted {
			return &tool.Error{Code: CodeTokenNotFound, Message: fmt.Sprintf("There is no token %q. See all with: toolsmith tokens", name)}
		}
		return e.registry(ctx, tx).Note(ctx, registry.ActionTokenRemove, "", 0, name)
	})
}

// TokenOf finds a token by its hash; ok is false where it lets nobody in.
func (e *Engine) TokenOf(ctx context.Context, hash string) (token store.Token, ok bool, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		token, ok, err = tx.Tokens().ByHash(ctx, hash)
		return err
	})
	token.Tools = slices.Clone(token.Tools)
	return token, ok, err
}
