package secret_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/secret"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
)

// TestALife of two secrets of two tools.
func TestALife(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t, secret.InMemory()), t.Context()
	if list, err := h.ListAll(ctx); len(list) != 0 || err != nil {
		t.Errorf("at first there are %v, %v", list, err)
	}
	h.has(t, space, "key", "second")
	h.has(t, "dynamic:b#2", "key")
	if _, err := h.Set(ctx, space, "key", canary, secret.Attributes{Header: "X-Key"}); err != nil {
		t.Fatal(err)
	}
	got, err := h.again().Get(ctx, space, "key")
	if want := (secret.Secret{Name: "key", Value: canary, Attributes: secret.Attributes{Header: "X-Key"}}); err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	a1 := secret.Info{Namespace: space, Name: "key", Attributes: secret.Attributes{Header: "X-Key"}, SetAt: noon, SetBy: "ada"}
	a2 := secret.Info{Namespace: space, Name: "second", Attributes: secret.Bearer(), SetAt: noon, SetBy: "ada"}
	b := secret.Info{Namespace: "dynamic:b#2", Name: "key", Attributes: secret.Bearer(), SetAt: noon, SetBy: "ada"}
	lists := func(namespace string, want ...secret.Info) {
		t.Helper()
		list, err := h.again().List(ctx, namespace)
		if diff := cmp.Diff(want, list); diff != "" || err != nil {
			t.Errorf("%q: %v\n%s", namespace, err, diff)
		}
	}
	lists(space, a1, a2)
	lists("dynamic:b#2", b)
	lists("dynamic:a#3")
	lists("")
	if list, err := h.ListAll(ctx); cmp.Diff([]secret.Info{a1, a2, b}, list) != "" || err != nil {
		t.Errorf("in all there are %v, %v", list, err)
	}
	wantCode(t, h.Delete(ctx, space, "second"), "")
	wantCode(t, h.Delete(ctx, space, "second"), secret.CodeMissing, `no secret "second"`)
	lists(space, a1)
	h.has(t, space, "third")
	for _, c := range []struct {
		namespace string
		want      int
	}{{"", 0}, {space, 2}, {space, 0}} {
		if n, err := h.DeleteNamespace(ctx, c.namespace); n != c.want || err != nil {
			t.Errorf("of %q %d were deleted, %v; want %d", c.namespace, n, err, c.want)
		}
	}
	lists(space)
	lists("dynamic:b#2", b)
	want := []string{
		"set dynamic:a#1 key", "set dynamic:a#1 second", "set dynamic:b#2 key", "set dynamic:a#1 key", "delete dynamic:a#1 second",
		"set dynamic:a#1 third", "delete dynamic:a#1 key", "delete dynamic:a#1 third",
	}
	if diff := cmp.Diff(want, h.audit); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestNoToolSeesTheSecretsOfAnother, not even one of the same name that was installed later.
func TestNoToolSeesTheSecretsOfAnother(t *testing.T) {
	t.Parallel()
	h := newHouse(t, secret.InMemory())
	h.has(t, space, "key")
	for _, other := range []string{"dynamic:b#1", "dynamic:a#2", "dynamic:a", "", "dynamic:A#1", "dynamic:a#1 ", "%"} {
		_, err := h.Get(t.Context(), other, "key")
		wantCode(t, err, secret.CodeMissing)
		wantCode(t, h.Delete(t.Context(), other, "key"), secret.CodeMissing)
	}
	if got, err := h.Get(t.Context(), space, "key"); err != nil || got.Value != "value-of-key" {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestWhatIsKeptIsSealedForItsPlace: nothing changed or moved in the store opens.
func TestWhatIsKeptIsSealedForItsPlace(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t, secret.InMemory()), t.Context()
	h.has(t, space, "key")
	var kept store.Secret
	change := func(s store.Secret) {
		t.Helper()
		if err := h.store.Write(ctx, func(tx store.Tx) error { return tx.Secrets().Put(ctx, s) }); err != nil {
			t.Fatal(err)
		}
	}
	err := h.store.Read(ctx, func(tx store.Tx) (err error) {
		kept, _, err = tx.Secrets().Get(ctx, space, "key")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(*store.Secret){
		"another tool":   func(s *store.Secret) { s.Namespace = "dynamic:b#2" },
		"another name":   func(s *store.Secret) { s.Name = "other" },
		"another header": func(s *store.Secret) { s.Header = "X-Key" },
		"another prefix": func(s *store.Secret) { s.Prefix = "" },
		"a bit":          func(s *store.Secret) { s.Sealed[len(s.Sealed)-1] ^= 1 },
		"its end":        func(s *store.Secret) { s.Sealed = s.Sealed[:len(s.Sealed)-1] },
		"its beginning":  func(s *store.Secret) { s.Sealed = s.Sealed[1:] },
		"all of it":      func(s *store.Secret) { s.Sealed = nil },
	} {
		s := kept
		s.Sealed = append([]byte(nil), kept.Sealed...)
		damage(&s)
		change(s)
		_, err := h.Get(ctx, s.Namespace, s.Name)
		wantCode(t, err, secret.CodeDamaged, "Set it again")
		if t.Failed() {
			t.Fatalf("changed was %s", name)
		}
		change(kept)
	}
	if got, err := h.Get(ctx, space, "key"); err != nil || got.Value != "value-of-key" {
		t.Errorf("as it was it gives %v, %v", got, err)
	}
}

// TestWithoutItsKey nothing is read, replaced or taken for empty; what can be done is said.
func TestWithoutItsKey(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t, secret.InMemory()), t.Context()
	h.has(t, space, "key", "second")
	right := h.keys
	h.keys = secret.InMemory() // as on another machine
	away := h.again()

	_, err := away.Get(ctx, space, "key")
	wantCode(t, err, secret.CodeKeyMissing)
	_, err = away.Set(ctx, space, "third", canary, secret.Bearer())
	wantCode(t, err, secret.CodeKeyMissing)
	list, err := away.List(ctx, space)
	if len(list) != 2 || err != nil {
		t.Fatalf("listed are %v, %v", list, err)
	}
	for _, s := range list {
		wantCode(t, s.Unreadable, secret.CodeKeyMissing)
	}
	_, err = away.Get(ctx, space, "none")
	wantCode(t, err, secret.CodeMissing)
	wantCode(t, away.Delete(ctx, space, "second"), "")

	h.keys = right
	if got, err := h.again().Get(ctx, space, "key"); err != nil || got.Value != "value-of-key" {
		t.Errorf("with the key back it gives %v, %v", got, err)
	}
	h.keys = secret.InMemory()
	away = h.again()
	if n, err := away.DeleteNamespace(ctx, space); n != 1 || err != nil {
		t.Errorf("deleted %d, %v", n, err)
	}
	if _, err := away.Set(ctx, space, "key", canary, secret.Bearer()); err != nil {
		t.Errorf("when all are deleted a new key is not made: %v", err)
	}
	h.keys = right
	back := h.again()
	_, err = back.Get(ctx, space, "key")
	wantCode(t, err, secret.CodeKeyMissing, "another key than the one that is here")
	list, err = back.ListAll(ctx)
	if len(list) != 1 || err != nil {
		t.Fatalf("listed are %v, %v", list, err)
	}
	wantCode(t, list[0].Unreadable, secret.CodeKeyMissing, `"key"`)
}

// TestAStoreThatFails changes nothing, and what it says is passed on.
func TestAStoreThatFails(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t, secret.InMemory()), t.Context()
	h.has(t, space, "key")
	set := func(v *secret.Vault) error {
		_, err := v.Set(ctx, space, "key", canary, secret.Bearer())
		return err
	}
	get := func(v *secret.Vault) error { return second(v.Get(ctx, space, "key")) }
	list := func(v *secret.Vault) error { return second(v.ListAll(ctx)) }
	drop := func(v *secret.Vault) error { return second(v.DeleteNamespace(ctx, space)) }
	for _, c := range []struct {
		fail string
		do   func(*secret.Vault) error
	}{
		{"Put", set}, {"Folder", set}, {"Folder", get}, {"Get", get}, {"List", list}, {"List", drop}, {"DeleteNamespace", drop},
		{"Delete", func(v *secret.Vault) error { return v.Delete(ctx, space, "key") }},
	} {
		h.store.fail = c.fail
		err := c.do(h.again())
		if !errors.Is(err, errDisk) {
			t.Errorf("%s fails, and the error is %v", c.fail, err)
		}
	}
	h.store.fail, h.noAudit = "", errDisk
	for name, do := range map[string]func(*secret.Vault) error{
		"set": set, "drop": drop, "delete": func(v *secret.Vault) error { return v.Delete(ctx, space, "key") },
	} {
		if err := do(h.Vault); !errors.Is(err, errDisk) {
			t.Errorf("what was not noted in the audit is done: %s gives %v", name, err)
		}
	}
	if got, err := h.again().Get(ctx, space, "key"); err != nil || got.Value != "value-of-key" {
		t.Errorf("left is %v, %v", got, err)
	}
	// Before the first key is made, it has to be known that no secret needs another.
	empty := newHouse(t, secret.InMemory())
	empty.store.fail = "Count"
	if err := set(empty.Vault); !errors.Is(err, errDisk) {
		t.Errorf("the secrets are not counted, and the error is %v", err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if err := second(h.again().ListAll(ended)); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end the list gives %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestTheFirstSecretsAtOnce of several processes have one key.
func TestTheFirstSecretsAtOnce(t *testing.T) {
	t.Parallel()
	for name, keyring := range map[string]secret.Ring{"file": nil, "keyring": newRing()} {
		dir, ctx := t.TempDir(), t.Context()
		const processes = 4
		open := func() *secret.Vault {
			s, err := sqlite.Open(ctx, dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return secret.New(secret.Options{Store: s, Keys: secret.InFolder(dir, keyring), Who: "ada"})
		}
		var all sync.WaitGroup
		for i := range processes {
			v := open()
			all.Go(func() {
				if _, err := v.Set(ctx, space, fmt.Sprint("key-", i), canary, secret.Bearer()); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		all.Wait()
		last := open()
		for i := range processes {
			if got, err := last.Get(ctx, space, fmt.Sprint("key-", i)); err != nil || got.Value != canary {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestAUse knows what one run has seen, and the vault what all of them have.
func TestAUse(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t, secret.InMemory()), t.Context()
	h.has(t, space, "first", "second")
	v := h.again()
	one, two := v.NewUse(), v.NewUse()
	text := "value-of-first value-of-second value-of-third"
	says := func(where, want, got string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q; want %q", where, got, want)
		}
	}
	says("at first", text, one.Scrubber().Text(text))
	for range 2 {
		if got, err := one.Get(ctx, space, "first"); err != nil || got.Value != "value-of-first" {
			t.Fatalf("got %v, %v", got, err)
		}
	}
	wantCode(t, second(one.Get(ctx, space, "none")), secret.CodeMissing)
	says("one has opened", "[secret first] value-of-second value-of-third", one.Scrubber().Text(text))
	says("two has not", text, two.Scrubber().Text(text))
	if _, err := two.Set(ctx, space, "third", "value-of-third\n", secret.Attributes{}); err != nil {
		t.Fatal(err)
	}
	says("two has set", "value-of-first value-of-second [secret third]", two.Scrubber().Text(text))
	wantCode(t, second(two.Set(ctx, space, "not a name", "value-of-second", secret.Attributes{})), secret.CodeName)
	says("what is refused is no secret", "value-of-first value-of-second [secret third]", two.Scrubber().Text(text))
	says("the vault", "[secret first] value-of-second [secret third]", v.Scrubber().Text(text))
	if got, err := one.Get(ctx, space, "second"); err != nil || got.Value != "value-of-second" {
		t.Fatalf("got %v, %v", got, err)
	}
	says("one has opened more", "[secret first] [secret second] value-of-third", one.Scrubber().Text(text))
	before := one.Scrubber()
	if one.Scrubber() != before {
		t.Error("the scrubber is made anew, though nothing came to it")
	}
}
