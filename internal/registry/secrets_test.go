package registry_test

import (
	"context"
	"errors"
	"testing"

	"toolsmith/internal/registry"
)

// TestNamespaces last from the first install of a tool to its removal.
func TestNamespaces(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	namespace := func(id string, pin int64) (namespace string, err error) {
		err = s.do(func(ctx context.Context, r *registry.Registry) error {
			namespace, err = r.Namespace(ctx, id, pin)
			return err
		})
		return namespace, err
	}
	_, err := namespace("made-up", 0)
	wantCode(t, err, registry.CodeNotFound)
	s.installed(parts{id: "other"}.text())            // 1
	s.installed(parts{}.text())                       // 2
	s.installed(parts{version: 2}.text())             // 3
	if _, _, err := s.enable("made-up"); err != nil { // 4
		t.Fatal(err)
	}
	if _, err := s.remove("made-up"); err != nil { // 5
		t.Fatal(err)
	}
	_, err = namespace("made-up", 0)
	wantCode(t, err, registry.CodeNotFound)
	s.installed(parts{version: 3}.text()) // 6
	s.installed(parts{version: 4}.text()) // 7
	for _, c := range []struct {
		id   string
		pin  int64
		want string
	}{
		{"made-up", 0, "dynamic:made-up#6"}, {"made-up", 7, "dynamic:made-up#6"}, {"made-up", 6, "dynamic:made-up#6"}, {"made-up", 5, ""},
		{"made-up", 4, "dynamic:made-up#2"}, {"made-up", 2, "dynamic:made-up#2"}, {"made-up", 1, ""}, {"other", 0, "dynamic:other#1"},
	} {
		got, err := namespace(c.id, c.pin)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s at %d: %q, %v; want %q", c.id, c.pin, got, err, c.want)
		}
		id, ok := registry.ToolOf(got)
		if ok != (c.want != "") || ok && id != c.id {
			t.Errorf("%q is that of %q, %v", got, id, ok)
		}
	}
	for _, none := range []string{"", "made-up#1", "dynamic:made-up", "coded:made-up#1"} {
		if id, ok := registry.ToolOf(none); ok {
			t.Errorf("%q is that of %q", none, id)
		}
	}
}

// TestCredentialsAreSecretsOfTheirName.
func TestCredentialsAreSecretsOfTheirName(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	c := s.check(parts{credentials: `{"id": "mail-key", "kind": "api_profile", "purpose": "sends mail", "outboundScope": []},
		{"id": "calendar", "kind": "oauth_profile", "purpose": "reads dates", "outboundScope": []}`}.text())
	has := func(names ...string) func(string) bool {
		return registry.Entry{Secrets: names}.HasSecret
	}
	wantCode(t, registry.MissingCredentials(c, nil), registry.CodeCredentials, "run from its file has no secrets: install it first")
	wantCode(t, registry.MissingCredentials(c, has("Calendar", "mail-key ")), registry.CodeCredentials, "mail-key (sends mail), calendar (reads dates)",
		"Set it up with: toolsmith secrets set dynamic:made-up mail-key, then: toolsmith secrets set dynamic:made-up calendar")
	err := registry.MissingCredentials(c, has("calendar"))
	wantCode(t, err, registry.CodeCredentials, "mail-key (sends mail). It", "Set it up with: toolsmith secrets set dynamic:made-up mail-key")
	if err := registry.MissingCredentials(c, has("other", "calendar", "mail-key")); err != nil {
		t.Errorf("with both there is missing %v", err)
	}
}

// TestSecretNamesThatCannotBeLookedUp.
func TestSecretNamesThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	text := parts{credentials: `{"id": "mail-key", "kind": "api_profile", "purpose": "sends mail", "outboundScope": []}`}.text()
	err := s.do(func(ctx context.Context, r *registry.Registry) error {
		r.SecretNames = func(context.Context, string) ([]string, error) { return nil, errDisk }
		_, err := r.Install(ctx, s.check(text))
		return err
	})
	if !errors.Is(err, errDisk) {
		t.Errorf("the error is %v", err)
	}
}
