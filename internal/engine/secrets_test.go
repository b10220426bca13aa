package engine_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/engine"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
)

const needsKeys = `"credentialRequirements": [{"id": "svc", "kind": "api_profile", "purpose": "Reads.", "outboundScope": []},
	{"id": "other", "kind": "api_profile", "purpose": "Writes.", "outboundScope": []}]`

// keep puts a secret as the vault does.
func (h *house) keep(ctx context.Context, namespace, name string) error {
	return h.store.Write(ctx, func(tx store.Tx) error {
		s := store.Secret{Namespace: namespace, Name: name, Sealed: []byte("sealed"), SetAt: dawn, SetBy: "ada"}
		return errors.Join(tx.Secrets().Put(ctx, s), h.NoteSecret(ctx, tx, registry.ActionSecretSet, namespace, name))
	})
}

func (h *house) namespace(t *testing.T, name string) string {
	t.Helper()
	namespace, err := h.Namespace(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return namespace
}

// TestAToolWithItsCredentials can run as soon as the last of them is there.
func TestAToolWithItsCredentials(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	done, err := installed(ctx, h, []byte(text("made-up", 1, "", needsKeys)))
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, done.Entry.Obstacle(), registry.CodeCredentials, "svc (Reads.), other (Writes.)",
		"toolsmith secrets set dynamic:made-up svc, then: toolsmith secrets set dynamic:made-up other")
	if _, _, err := h.Enable(ctx, "made-up"); err != nil {
		t.Fatal(err)
	}
	obstacle := func() error {
		t.Helper()
		list, err := h.Tools(ctx)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		one, err := h.Tool(ctx, "made-up")
		if err != nil {
			t.Fatal(err)
		}
		_, marksErr := h.Callable(ctx, "dynamic:made-up")
		for _, err := range []error{list[0].Obstacle(), marksErr} {
			if (err == nil) != (one.Obstacle() == nil) || err != nil && err.Error() != one.Obstacle().Error() {
				t.Errorf("of one tool it is said that %v, and that %v", err, one.Obstacle())
			}
		}
		return one.Obstacle()
	}
	wantCode(t, obstacle(), registry.CodeCredentials)
	namespace := h.namespace(t, "made-up")
	for _, step := range []struct{ keep, code, says string }{
		{"spare", registry.CodeCredentials, "svc (Reads.), other"}, {"svc", registry.CodeCredentials, ": other (Writes.). It"}, {"other", "", ""},
	} {
		if err := h.keep(ctx, namespace, step.keep); err != nil {
			t.Fatal(err)
		}
		wantCode(t, obstacle(), step.code, step.says)
	}
	found, err := h.Find(ctx, task.Run{Pin: math.MaxInt64}, "dynamic:made-up")
	if err != nil || found.Namespace != namespace {
		t.Errorf("for a run its namespace is %+v, %v", found, err)
	}
	file := task.Run{Files: map[string][]byte{"dynamic:made-up": []byte(text("made-up", 1, ""))}}
	if found, err := h.Find(ctx, file, "dynamic:made-up"); err != nil || found.Namespace != "" {
		t.Errorf("from a file its namespace is %+v, %v", found, err)
	}
	done, err = installed(ctx, h, []byte(text("made-up", 2, "", needsKeys)))
	if err != nil || done.Entry.Obstacle() != nil || h.namespace(t, "dynamic:made-up") != namespace {
		t.Errorf("a new version lacks %v, %v", done.Entry.Obstacle(), err)
	}
}

// TestRemoveForgetsSecrets, and nothing of a tool that is installed again under its name, or
// of another one.
func TestRemoveForgetsSecrets(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.installed(t, text("made-up", 1, "", needsKeys), text("other", 1, ""))
	first, other := h.namespace(t, "made-up"), h.namespace(t, "other")
	for _, one := range [][2]string{{first, "svc"}, {first, "other"}, {other, "svc"}} {
		if err := h.keep(ctx, one[0], one[1]); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (list []string) {
		t.Helper()
		err := h.store.Read(ctx, func(tx store.Tx) error {
			all, err := tx.Secrets().List(ctx, "")
			for _, s := range all {
				list = append(list, s.Namespace+" "+s.Name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	all := left()
	for _, operation := range []string{"SecretsList", "DeleteNamespace", "AppendAudit", "AuditLines", "Tool"} {
		h.store.set(operation)
		if _, err := h.Remove(ctx, "made-up"); !errors.Is(err, errDisk) {
			t.Errorf("%s fails, and Remove gives %v", operation, err)
		}
		h.store.set("")
		if diff := cmp.Diff(all, left()); diff != "" {
			t.Fatalf("%s failed, and left are (-want +got):\n%s", operation, diff)
		}
	}
	if _, err := h.Remove(ctx, "made-up"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{other + " svc"}, left()); diff != "" {
		t.Errorf("left are (-want +got):\n%s", diff)
	}
	_, err := h.Namespace(ctx, "made-up")
	wantCode(t, err, registry.CodeNotFound)
	_, err = h.Remove(ctx, "made-up")
	wantCode(t, err, registry.CodeNotFound)
	wantCode(t, h.keep(ctx, first, "svc"), registry.CodeNotFound)

	h.installed(t, text("made-up", 1, "", needsKeys))
	second := h.namespace(t, "made-up")
	if second == first || !strings.HasPrefix(second, "dynamic:made-up#") {
		t.Errorf("installed again its namespace is %q; it was %q", second, first)
	}
	wantCode(t, h.keep(ctx, first, "svc"), registry.CodeNotFound, "installed again in the meantime")
	e, err := h.Tool(ctx, "made-up")
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, e.Obstacle(), registry.CodeCredentials, "svc", "other")
	want := []string{
		"ada install made-up 1 new", "ada install other 1 new", "ada secret-set made-up 1 svc", "ada secret-set made-up 1 other",
		"ada secret-set other 1 svc", "ada secret-delete made-up 1 other", "ada secret-delete made-up 1 svc", "ada remove made-up 1",
		"ada install made-up 1 new",
	}
	if diff := cmp.Diff(want, h.audit(t)); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestSecretsOfWhatIsNoInstalledTool are noted under their namespace.
func TestSecretsOfWhatIsNoInstalledTool(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := h.keep(t.Context(), "coded", "key"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ada secret-set coded 0 key"}, h.audit(t)); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestSecretsThatCannotBeLookedUp keep a tool that needs them from being told of.
func TestSecretsThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.installed(t, text("made-up", 1, "", needsKeys), text("other", 1, ""))
	for _, operation := range []string{"SecretsList", "AuditLines"} {
		h.store.set(operation)
		if _, err := h.Tool(ctx, "made-up"); !errors.Is(err, errDisk) {
			t.Errorf("%s fails, and the error is %v", operation, err)
		}
		if _, err := h.Tool(ctx, "other"); err != nil {
			t.Errorf("%s fails, and a tool that needs none cannot be had: %v", operation, err)
		}
	}
}

func TestSecretOwner(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"dynamic:made-up#7": "dynamic:made-up", "code:digest#12": "digest", "go:summarize": "go:summarize", "port:editor/open": "port:editor/open",
	} {
		if got := engine.SecretOwner(name); got != want {
			t.Errorf("%s is %s; want %s", name, got, want)
		}
	}
}

// TestUndeclared says that nothing asks for a secret, where that is known.
func TestUndeclared(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.installed(t, text("bare", 1, ""))
	h.installed(t, text("keyed", 1, "", `"credentialRequirements": [{"id": "my-key", "kind": "api_profile", "purpose": "To get in.", "outboundScope": []}]`))
	for _, c := range []struct{ tool, name, says string }{
		{"keyed", "my-key", ""}, {"keyed", "other", "dynamic:keyed declares no credential other; it has: my-key."},
		{"bare", "my-key", "dynamic:bare declares no credentials, so nothing of it asks for this one."},
	} {
		entry, err := h.Tool(t.Context(), c.tool)
		if err != nil {
			t.Fatal(err)
		}
		if got := engine.Undeclared(entry, c.name); got != c.says {
			t.Errorf("%s of %s: %q; want %q", c.name, c.tool, got, c.says)
		}
	}
	if got := engine.Undeclared(registry.Entry{}, "my-key"); got != "" {
		t.Errorf("of a tool that is not known: %q", got)
	}
}
