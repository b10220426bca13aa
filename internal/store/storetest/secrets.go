package storetest

import (
	"context"
	"testing"
	"time"

	"toolsmith/internal/store"
)

func secretTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"a secret is kept byte for byte":       secretsAreKept,
		"a secret is replaced as a whole":      secretsAreReplaced,
		"namespaces do not see each other":     secretsAreApart,
		"secrets are forgotten":                secretsAreForgotten,
		"the id of a store is always the same": foldersStayTheSame,
	}
}

// secret makes one of a namespace.
func secret(namespace, name, sealed string) store.Secret {
	return store.Secret{
		Namespace: namespace, Name: name, Header: "Authorization", Prefix: "Bearer ", Sealed: []byte(sealed),
		KeyID: "key", SetAt: noon, SetBy: "person",
	}
}

func putSecrets(list ...store.Secret) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		for _, s := range list {
			if err := tx.Secrets().Put(ctx, s); err != nil {
				return err
			}
		}
		return nil
	}
}

// getSecret gives a secret, and the zero value where there is none.
func getSecret(namespace, name string) func(context.Context, store.Tx) (store.Secret, error) {
	return func(ctx context.Context, tx store.Tx) (store.Secret, error) {
		s, ok, err := tx.Secrets().Get(ctx, namespace, name)
		if !ok {
			return store.Secret{}, err
		}
		return s, err
	}
}

func listSecrets(namespace string) func(context.Context, store.Tx) ([]store.Secret, error) {
	return func(ctx context.Context, tx store.Tx) ([]store.Secret, error) {
		return tx.Secrets().List(ctx, namespace)
	}
}

func secretsAreKept(t *testing.T, s store.Store) {
	odd := secret("dynamic:a#1", "key", "\x00\xff sealed")
	odd.SetAt = noon.In(time.FixedZone("", 3600))
	write(t, s, putSecrets(odd))
	odd.SetAt = noon
	if diff := difference(odd, read(t, s, getSecret("dynamic:a#1", "key"))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := read(t, s, getSecret("dynamic:a#1", "Key")); got.Name != "" {
		t.Errorf("under another name there is %v", got)
	}
}

func secretsAreReplaced(t *testing.T, s store.Store) {
	write(t, s, putSecrets(secret("a", "key", "first")))
	next := store.Secret{Namespace: "a", Name: "key", Header: "X-Key", Sealed: []byte("second"), KeyID: "other", SetAt: noon.Add(time.Hour), SetBy: "another"}
	write(t, s, putSecrets(next))
	if diff := difference(next, read(t, s, getSecret("a", "key"))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if list := read(t, s, listSecrets("a")); len(list) != 1 {
		t.Errorf("%d secrets; want 1", len(list))
	}
}

func secretsAreApart(t *testing.T, s store.Store) {
	b2, a1, b1 := secret("b", "2", "b2"), secret("a", "1", "a1"), secret("b", "1", "b1")
	write(t, s, putSecrets(b2, a1, b1))
	for _, one := range []*store.Secret{&b2, &a1, &b1} {
		one.Sealed = nil
	}
	for namespace, want := range map[string][]store.Secret{"a": {a1}, "b": {b1, b2}, "": {a1, b1, b2}, "c": nil} {
		if diff := difference(want, read(t, s, listSecrets(namespace))); diff != "" {
			t.Errorf("of %q (-want +got):\n%s", namespace, diff)
		}
	}
	if got := read(t, s, getSecret("a", "2")); got.Name != "" {
		t.Errorf("a sees %v of b", got)
	}
}

func secretsAreForgotten(t *testing.T, s store.Store) {
	count := func(ctx context.Context, tx store.Tx) (int, error) { return tx.Secrets().Count(ctx) }
	write(t, s, putSecrets(secret("a", "1", ""), secret("a", "2", ""), secret("a", "3", ""), secret("ab", "1", "")))
	if got := read(t, s, count); got != 4 {
		t.Errorf("%d secrets; want 4", got)
	}
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		for name, want := range map[string]bool{"1": true, "none": false} {
			deleted, err := tx.Secrets().Delete(ctx, "a", name)
			if err != nil {
				return err
			}
			if deleted != want {
				t.Errorf("deleting %q says %v", name, deleted)
			}
		}
		return nil
	})
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		for _, want := range []int{2, 0} {
			deleted, err := tx.Secrets().DeleteNamespace(ctx, "a")
			if err != nil {
				return err
			}
			if deleted != want {
				t.Errorf("deleting all says %d; want %d", deleted, want)
			}
		}
		return nil
	})
	if list := read(t, s, listSecrets("")); len(list) != 1 || list[0].Namespace != "ab" || read(t, s, count) != 1 {
		t.Errorf("left are %v", list)
	}
}

func foldersStayTheSame(t *testing.T, s store.Store) {
	folder := func(ctx context.Context, tx store.Tx) (string, error) { return tx.Secrets().Folder(ctx) }
	first := read(t, s, folder)
	write(t, s, putSecrets(secret("a", "1", "")))
	if again := read(t, s, folder); first == "" || again != first {
		t.Errorf("it is %q, and then %q", first, again)
	}
}

func secretMethods(ctx context.Context) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"secret Put":             func(tx store.Tx) error { return tx.Secrets().Put(ctx, secret("a", "b", "")) },
		"secret Get":             func(tx store.Tx) error { return failedLookup(tx.Secrets().Get(ctx, "a", "b")) },
		"secret List":            func(tx store.Tx) error { return failed(tx.Secrets().List(ctx, "")) },
		"secret List of one":     func(tx store.Tx) error { return failed(tx.Secrets().List(ctx, "a")) },
		"secret Delete":          func(tx store.Tx) error { return failed(tx.Secrets().Delete(ctx, "a", "b")) },
		"secret DeleteNamespace": func(tx store.Tx) error { return failed(tx.Secrets().DeleteNamespace(ctx, "a")) },
		"secret Count":           func(tx store.Tx) error { return failed(tx.Secrets().Count(ctx)) },
		"secret Folder":          func(tx store.Tx) error { return failed(tx.Secrets().Folder(ctx)) },
	}
}
