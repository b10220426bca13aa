package registry_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/registry"
)

// TestTheLifeOfACodedTool is that of a manifest; its versions are counted here.
func TestTheLifeOfACodedTool(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	install := func(source string, want int64) {
		t.Helper()
		done, err := s.keep(inCode("digest", source, ""))
		if err != nil || done.Entry.Version.Version != want || done.Entry.Checked.Version() != want || done.Entry.Name() != "digest" {
			t.Fatalf("installed %+v, %v; want version %d", done.Entry, err, want)
		}
	}
	install("one", 1)
	install("two", 2)
	if done, err := s.keep(inCode("digest", "two", "")); err != nil || !done.Same || done.Entry.Checked.Version() != 2 {
		t.Errorf("the same source again gives %+v, %v", done, err)
	}
	_, err := s.keep(inCode("digest", "one", ""))
	wantCode(t, err, registry.CodeVersionNotNewer)
	if !strings.Contains(err.Error(), "toolsmith rollback digest --to 1") {
		t.Errorf("an earlier source says %v", err)
	}
	if _, _, err := s.enable("code:digest"); err != nil {
		t.Fatal(err)
	}
	e, err := s.get("code:digest")
	if err != nil || !e.Tool.Enabled || e.Checked.Version() != 2 || string(e.Version.Source()) != "two" || e.Obstacle() != nil {
		t.Errorf("the tool is %+v, %v", e, err)
	}
	install("three", 3)
	if e, err := s.get("code:digest"); err != nil || e.Tool.Enabled {
		t.Errorf("a new version is on: %+v, %v", e.Tool, err)
	}
	want := []string{
		"1 06:30 ada install code:digest 1 new", "2 06:31 ada install code:digest 2 version 1 → 2", "3 06:34 ada enable code:digest 2",
		"4 06:36 ada install code:digest 3 version 2 → 3",
	}
	if diff := cmp.Diff(want, s.audit("")); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestNamesOfBothKinds cannot be taken for each other.
func TestNamesOfBothKinds(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.names = []string{"wait"}
	s.installed(parts{id: "read-file"}.text())
	for _, name := range []string{"read_file", "Read.File", "read-fi1e", "wait", "lab.list"} {
		_, err := s.keep(inCode(name, "", ""))
		wantCode(t, err, registry.CodeNameTaken)
		if !strings.Contains(err.Error(), "$.name: ") || strings.Contains(err.Error(), "code:") {
			t.Errorf("%s: says %v", name, err)
		}
	}
	if _, err := s.keep(inCode("digest", "", "")); err != nil {
		t.Fatal(err)
	}
	_, err := s.install(parts{id: "digest"}.text())
	wantCode(t, err, registry.CodeNameTaken)
}

// TestIDsOfNames are found for what is installed, and for what was.
func TestIDsOfNames(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.installed(parts{id: "forged"}.text())
	for _, name := range []string{"digest", "gone", "taken"} {
		if _, err := s.keep(inCode(name, "", "")); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"code:gone", "code:taken"} {
		if _, err := s.remove(id); err != nil {
			t.Fatal(err)
		}
	}
	s.installed(parts{id: "taken"}.text())
	for name, want := range map[string]string{
		"forged": "forged", "dynamic:forged": "forged", "digest": "code:digest", "dynamic:digest": "digest", "gone": "code:gone", "taken": "taken",
		"nobody": "nobody", "": "", "dynamic:": "",
	} {
		var got string
		err := s.do(func(ctx context.Context, r *registry.Registry) (err error) {
			got, err = r.IDOf(ctx, name)
			return err
		})
		if err != nil || got != want {
			t.Errorf("the id of %q is %q, %v; want %q", name, got, err, want)
		}
	}
}

// TestSecretsOfACodedTool have a namespace of their own, and the tool runs without them.
func TestSecretsOfACodedTool(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	if _, err := s.keep(inCode("digest", "", `, "secrets": ["key"]`)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.enable("code:digest"); err != nil {
		t.Fatal(err)
	}
	var namespace string
	err := s.do(func(ctx context.Context, r *registry.Registry) (err error) {
		r.SecretNames = func(context.Context, string) ([]string, error) { return nil, nil }
		if namespace, err = r.Namespace(ctx, "code:digest", 0); err != nil {
			return err
		}
		_, err = r.At(ctx, "code:digest", 2)
		return err
	})
	if err != nil || namespace != "code:digest#1" {
		t.Errorf("the namespace is %q, %v", namespace, err)
	}
	if id, ok := registry.ToolOf(namespace); !ok || id != "code:digest" {
		t.Errorf("it is that of %q, %v", id, ok)
	}
	if id, ok := registry.ToolOf("code:digest"); ok {
		t.Errorf("what is no namespace is that of %q", id)
	}
}

func TestCompareCodedTools(t *testing.T) {
	t.Parallel()
	one := inCode("digest", "one", "").Numbered(1)
	for name, c := range map[string]struct {
		source, more, want string
	}{
		"nothing":       {"one", "", ""},
		"the source":    {"two", "", "fields [source]"},
		"a host":        {"one", `, "network": ["api.good.example"]`, "powers +[outbound] -[]; R1→R4; read-only→irreversible; hosts +[api.good.example] -[]; fields [network]; grows"},
		"a secret":      {"one", `, "secrets": ["key"]`, "powers +[read] -[]; credentials +[key] -[]; fields [secrets]; grows"},
		"a called tool": {"two", `, "calls": ["other"]`, "capabilities +[other] -[]; fields [calls source]; grows"},
	} {
		d := registry.Compare(one, inCode("digest", c.source, c.more).Numbered(2))
		if got := short(d); got != c.want || d.FromVersion != 1 || d.ToVersion != 2 {
			t.Errorf("%s: %q of versions %d and %d; want %q", name, got, d.FromVersion, d.ToVersion, c.want)
		}
	}
}

func TestAuditedCodedTools(t *testing.T) {
	t.Parallel()
	for want, line := range map[string]registry.AuditLine{
		"digest": {Action: registry.ActionInstall, ToolID: "code:digest"}, "lint": {Action: registry.ActionAllow, ToolID: "lint"},
		"port:editor/open": {Action: registry.ActionSecretSet, ToolID: "port:editor/open"},
	} {
		if got := registry.Audited(line); got != want {
			t.Errorf("%+v is about %q; want %q", line, got, want)
		}
	}
}
