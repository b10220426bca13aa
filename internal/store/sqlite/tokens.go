package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite/dbsqlc"
)

// tokens keeps the tokens of programs.
type tokens struct{ tx }

func (t tokens) Add(ctx context.Context, one store.Token) (bool, error) {
	tools, err := json.Marshal(one.Tools)
	if err != nil {
		return false, fmt.Errorf("write the token: %w", err)
	}
	added, err := t.query.AddToken(ctx, dbsqlc.AddTokenParams{
		Name: one.Name, Hash: one.Hash, Tools: string(tools), AddedAt: micros(one.AddedAt), AddedBy: one.AddedBy,
	})
	return added > 0, t.fail("write the token", err)
}

func (t tokens) ByHash(ctx context.Context, hash string) (store.Token, bool, error) {
	row, err := t.query.TokenByHash(ctx, hash)
	ok, err := t.found("read the token", err)
	if !ok {
		return store.Token{}, false, err
	}
	one, err := tokenOf(row)
	return one, err == nil, err
}

func (t tokens) List(ctx context.Context) ([]store.Token, error) {
	rows, err := t.query.Tokens(ctx)
	if err != nil {
		return nil, t.fail("list the tokens", err)
	}
	list := make([]store.Token, len(rows))
	for i, row := range rows {
		if list[i], err = tokenOf(row); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (t tokens) Delete(ctx context.Context, name string) (bool, error) {
	deleted, err := t.query.DeleteToken(ctx, name)
	return deleted > 0, t.fail("forget the token", err)
}

func tokenOf(row dbsqlc.Token) (store.Token, error) {
	one := store.Token{Name: row.Name, Hash: row.Hash, AddedAt: fromMicros(row.AddedAt), AddedBy: row.AddedBy}
	if err := json.Unmarshal([]byte(row.Tools), &one.Tools); err != nil {
		return one, fmt.Errorf("read the tools of the token %q: %w", row.Name, err) // it lets nobody in
	}
	return one, nil
}
