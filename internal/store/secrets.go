package store

import (
	"context"
	"time"
)

// Secret is a secret as it is kept: its value is sealed.
type Secret struct {
	// Namespace says whose it is; the store does not know what it means.
	Namespace, Name string
	// Header and Prefix say how a credential is attached to a request; both are "" for a secret
	// that is none.
	Header, Prefix string
	// Sealed is the value; nil in lists.
	Sealed []byte
	// KeyID names the key that opens it.
	KeyID string
	SetAt time.Time
	SetBy string
}

// Secrets keeps sealed secrets.
type Secrets interface {
	// Put inserts or replaces a secret.
	Put(ctx context.Context, s Secret) error
	// Get gives a secret; ok is false where there is none.
	Get(ctx context.Context, namespace, name string) (s Secret, ok bool, err error)
	// List gives the secrets of a namespace, sorted by name, or with "" those of all, sorted by
	// namespace and name; without what is sealed.
	List(ctx context.Context, namespace string) ([]Secret, error)
	// Delete forgets a secret, and reports whether there was one.
	Delete(ctx context.Context, namespace, name string) (deleted bool, err error)
	// DeleteNamespace forgets all secrets of a namespace, and says how many there were.
	DeleteNamespace(ctx context.Context, namespace string) (deleted int, err error)
	// Count gives how many secrets there are in all.
	Count(ctx context.Context) (int, error)
	// Folder is an id of this store that was made with it and never changes.
	Folder(ctx context.Context) (string, error)
}
