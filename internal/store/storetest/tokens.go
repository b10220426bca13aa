package storetest

import (
	"context"
	"testing"
	"time"

	"toolsmith/internal/store"
)

func tokenTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"a token is found by its hash alone": tokensAreFound,
		"tokens are listed and forgotten":    tokensAreForgotten,
	}
}

func token(name string, tools ...string) store.Token {
	return store.Token{Name: name, Hash: "hash of " + name, Tools: tools, AddedAt: noon, AddedBy: "person"}
}

func addTokens(list ...store.Token) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		for _, one := range list {
			if _, err := tx.Tokens().Add(ctx, one); err != nil {
				return err
			}
		}
		return nil
	}
}

func tokensAreFound(t *testing.T, s store.Store) {
	some, all, none := token("some", "b", "a"), token("all"), token("none")
	none.Tools = []string{}
	write(t, s, addTokens(some, all, none))
	for hash, want := range map[string]store.Token{some.Hash: some, all.Hash: all, none.Hash: none, "some": {}, "": {}} {
		got := read(t, s, func(ctx context.Context, tx store.Tx) (store.Token, error) {
			one, ok, err := tx.Tokens().ByHash(ctx, hash)
			if ok != (want.Name != "") {
				t.Errorf("%q is found: %v", hash, ok)
			}
			return one, err
		})
		if diff := difference(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", hash, diff)
		}
	}
	again := token("all", "c")
	again.AddedAt = noon.Add(time.Hour)
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		if added, err := tx.Tokens().Add(ctx, again); added || err != nil {
			t.Errorf("a second one of the name is added: %v, %v", added, err)
		}
		return nil
	})
	if list := read(t, s, func(ctx context.Context, tx store.Tx) ([]store.Token, error) { return tx.Tokens().List(ctx) }); difference([]store.Token{all, none, some}, list) != "" {
		t.Errorf("%+v", list)
	}
}

func tokensAreForgotten(t *testing.T, s store.Store) {
	write(t, s, addTokens(token("b"), token("a")))
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		for _, want := range []bool{true, false} {
			if deleted, err := tx.Tokens().Delete(ctx, "a"); deleted != want || err != nil {
				t.Errorf("deleted %v, %v; want %v", deleted, err, want)
			}
		}
		return nil
	})
	if list := read(t, s, func(ctx context.Context, tx store.Tx) ([]store.Token, error) { return tx.Tokens().List(ctx) }); len(list) != 1 || list[0].Name != "b" {
		t.Errorf("%+v", list)
	}
}

func tokenMethods(ctx context.Context) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"token Add":    func(tx store.Tx) error { return failed(tx.Tokens().Add(ctx, token("a"))) },
		"token ByHash": func(tx store.Tx) error { return failedLookup(tx.Tokens().ByHash(ctx, "a")) },
		"token List":   func(tx store.Tx) error { return failed(tx.Tokens().List(ctx)) },
		"token Delete": func(tx store.Tx) error { return failed(tx.Tokens().Delete(ctx, "a")) },
	}
}
