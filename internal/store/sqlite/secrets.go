package sqlite

import (
	"context"

	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite/dbsqlc"
)

// secrets keeps sealed secrets.
type secrets struct{ tx }

func (s secrets) Put(ctx context.Context, one store.Secret) error {
	return s.fail("write the secret", s.query.PutSecret(ctx, dbsqlc.PutSecretParams{
		Namespace: one.Namespace,
		Name:      one.Name,
		Header:    one.Header,
		Prefix:    one.Prefix,
		Sealed:    notNull(one.Sealed),
		KeyID:     one.KeyID,
		SetAt:     micros(one.SetAt),
		SetBy:     one.SetBy,
	}))
}

func (s secrets) Get(ctx context.Context, namespace, name string) (store.Secret, bool, error) {
	row, err := s.query.Secret(ctx, namespace, name)
	ok, err := s.found("read the secret", err)
	if !ok {
		return store.Secret{}, false, err
	}
	return store.Secret{
		Namespace: row.Namespace,
		Name:      row.Name,
		Header:    row.Header,
		Prefix:    row.Prefix,
		Sealed:    row.Sealed,
		KeyID:     row.KeyID,
		SetAt:     fromMicros(row.SetAt),
		SetBy:     row.SetBy,
	}, true, nil
}

func (s secrets) List(ctx context.Context, namespace string) ([]store.Secret, error) {
	if namespace == "" {
		rows, err := s.query.Secrets(ctx)
		return mapAll(rows, listed), s.fail("list the secrets", err)
	}
	rows, err := s.query.SecretsOf(ctx, namespace)
	return mapAll(rows, func(row dbsqlc.SecretsOfRow) store.Secret { return listed(dbsqlc.SecretsRow(row)) }), s.fail("list the secrets", err)
}

func listed(row dbsqlc.SecretsRow) store.Secret {
	return store.Secret{
		Namespace: row.Namespace,
		Name:      row.Name,
		Header:    row.Header,
		Prefix:    row.Prefix,
		KeyID:     row.KeyID,
		SetAt:     fromMicros(row.SetAt),
		SetBy:     row.SetBy,
	}
}

func (s secrets) Delete(ctx context.Context, namespace, name string) (bool, error) {
	deleted, err := s.query.DeleteSecret(ctx, namespace, name)
	return deleted > 0, s.fail("forget the secret", err)
}

func (s secrets) DeleteNamespace(ctx context.Context, namespace string) (int, error) {
	deleted, err := s.query.DeleteSecretsOf(ctx, namespace)
	return int(deleted), s.fail("forget the secrets", err)
}

func (s secrets) Count(ctx context.Context) (int, error) {
	count, err := s.query.CountSecrets(ctx)
	return int(count), s.fail("count the secrets", err)
}

func (s secrets) Folder(ctx context.Context) (string, error) {
	id, err := s.query.SecretFolder(ctx)
	return id, s.fail("read the id of the folder", err)
}
