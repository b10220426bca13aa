package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/local"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/tool"
)

// TestALife has every verb in the life of a tool, under its name and under its id.
func TestALife(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	first, second := text("made-up", 1, call("lab.list")), text("made-up", 2, call("lab.make"))

	done, err := installed(ctx, h, []byte(first))
	if err != nil || done.Before != nil || done.Entry.Tool.Enabled || len(done.Entry.Diagnostics) != 0 {
		t.Fatalf("installed %+v, %v", done, err)
	}
	_, err = h.Pin(ctx, "dynamic:made-up")
	wantCode(t, err, registry.CodeOff, `"Made up" is off`, "toolsmith enable dynamic:made-up")
	if e, changed, err := h.Enable(ctx, "dynamic:made-up"); err != nil || !changed || !e.Tool.Enabled {
		t.Errorf("enabled: %v, %v", changed, err)
	}
	if c, err := h.Pin(ctx, "made-up"); err != nil || string(c.Text()) != first {
		t.Errorf("pinned: %v", err)
	}
	if _, changed, err := h.Enable(ctx, "made-up"); err != nil || changed {
		t.Errorf("enabled twice: %v, %v", changed, err)
	}
	if _, changed, err := h.Disable(ctx, "made-up"); err != nil || !changed {
		t.Errorf("disabled: %v, %v", changed, err)
	}
	if _, _, err := h.Enable(ctx, "made-up"); err != nil {
		t.Error(err)
	}
	done, err = installed(ctx, h, []byte(second))
	if err != nil || done.Before == nil || done.Before.Version.Version != 1 || !done.Before.Tool.Enabled {
		t.Errorf("installed %+v, %v", done, err)
	}
	_, err = h.Pin(ctx, "made-up")
	wantCode(t, err, registry.CodeOff)
	entry, versions, err := h.Versions(ctx, "dynamic:made-up")
	if err != nil || len(versions) != 2 || versions[0].Version != 2 || entry.Tool.Active != 2 {
		t.Errorf("versions: %v, %v", versions, err)
	}
	e, from, err := h.as("bob", lab).Rollback(ctx, "dynamic:made-up", 0)
	if err != nil || from != 2 || e.Tool.Active != 1 || e.Tool.Enabled {
		t.Errorf("rolled back from %d to %+v, %v", from, e.Tool, err)
	}
	if list, err := h.Tools(ctx); err != nil || len(list) != 1 || list[0].Version.Digest != done.Before.Version.Digest {
		t.Errorf("tools: %+v, %v", list, err)
	}
	if removed, err := h.Remove(ctx, "dynamic:made-up"); err != nil || removed.Active != 1 {
		t.Errorf("removed %+v, %v", removed, err)
	}
	_, err = h.Tool(ctx, "dynamic:made-up")
	wantCode(t, err, registry.CodeNotFound, `No tool "dynamic:made-up" is installed`)
	want := []string{
		"ada install made-up 1 new", "ada enable made-up 1", "ada disable made-up 1", "ada enable made-up 1",
		"ada install made-up 2 version 1 → 2", "bob rollback made-up 1 version 2 → 1", "ada remove made-up 1",
	}
	if diff := cmp.Diff(want, h.audit(t)); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestAnInvalidManifest is refused with everything that is wrong, and nothing is kept.
func TestAnInvalidManifest(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	bad := strings.Replace(text("made-up", 1, call("lab.lost")), `"version": 1`, `"version": 0`, 1)

	_, err := installed(t.Context(), h, []byte(bad))

	var invalid *engine.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Diagnostics) != 2 {
		t.Fatalf("the error is %v", err)
	}
	if want := "the file has 2 errors; the first: FORGE_VERSION at $.version: "; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("says %q; want %q", err, want)
	}
	if got := h.audit(t); len(got) != 0 {
		t.Errorf("audit: %q", got)
	}
}

// TestWarningsDoNotStopAnInstall, and are given with the entry.
func TestWarningsDoNotStopAnInstall(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	tools, warnings, err := h.Checked(t.Context(), "", []byte(text("made-up", 1, `{"id": "call", "type": "return", "value": {"$ref": "$.nowhere"}}`)))
	if err != nil || len(warnings) != 1 || warnings[0].Code != check.CodeRefUndefined {
		t.Errorf("diagnostics: %v, %v", warnings, err)
	}
	if _, err := h.Install(t.Context(), tools...); err != nil {
		t.Error(err)
	}
	e, err := h.Tool(t.Context(), "made-up")
	if err != nil || len(e.Diagnostics) != 1 {
		t.Errorf("diagnostics: %v, %v", e.Diagnostics, err)
	}
	if results, err := h.Check(t.Context(), "", []byte(`{}`)); err != nil || len(results) != 1 || results[0].OK() || len(results[0].Diagnostics) == 0 {
		t.Errorf("an empty manifest gives %v, %v", results, err)
	}
}

// TestEveryCode has each error of each verb.
func TestEveryCode(t *testing.T) {
	t.Parallel()
	keys := `"credentialRequirements": [{"id": "mail-key", "kind": "api_profile", "purpose": "sends mail", "outboundScope": []}]`
	install := func(what string) func(context.Context, *engine.Engine) error {
		return func(ctx context.Context, e *engine.Engine) error {
			_, err := installed(ctx, e, []byte(what))
			return err
		}
	}
	export := func(name string, n int64) func(context.Context, *engine.Engine) error {
		return func(ctx context.Context, e *engine.Engine) error { _, err := e.Export(ctx, name, n); return err }
	}
	diff := func(name string, from, to int64) func(context.Context, *engine.Engine) error {
		return func(ctx context.Context, e *engine.Engine) error { _, err := e.Diff(ctx, name, from, to); return err }
	}
	pin := func(name string) func(context.Context, *engine.Engine) error {
		return func(ctx context.Context, e *engine.Engine) error { _, err := e.Pin(ctx, name); return err }
	}
	for name, c := range map[string]struct {
		do   func(context.Context, *engine.Engine) error
		code string
	}{
		"install a lower version":   {install(text("made-up", 1, call("lab.list"))), registry.CodeVersionNotNewer},
		"install a name that reads": {install(text("made_up", 1, "")), registry.CodeNameTaken},
		"install one too many":      {install(text("fourth", 1, "")), registry.CodeTooMany},
		"enable nothing":            {func(ctx context.Context, e *engine.Engine) error { _, _, err := e.Enable(ctx, "none"); return err }, registry.CodeNotFound},
		"enable what is broken":     {func(ctx context.Context, e *engine.Engine) error { _, _, err := e.Enable(ctx, "broken"); return err }, registry.CodeBroken},
		"disable nothing":           {func(ctx context.Context, e *engine.Engine) error { _, _, err := e.Disable(ctx, "none"); return err }, registry.CodeNotFound},
		"roll back nothing":         {func(ctx context.Context, e *engine.Engine) error { _, _, err := e.Rollback(ctx, "none", 0); return err }, registry.CodeNotFound},
		"roll back too far": {func(ctx context.Context, e *engine.Engine) error {
			_, _, err := e.Rollback(ctx, "keyed", 0)
			return err
		}, registry.CodeVersionNotFound},
		"roll back to no version": {func(ctx context.Context, e *engine.Engine) error {
			_, _, err := e.Rollback(ctx, "made-up", 9)
			return err
		}, registry.CodeVersionNotFound},
		"remove nothing":          {func(ctx context.Context, e *engine.Engine) error { _, err := e.Remove(ctx, "none"); return err }, registry.CodeNotFound},
		"look at nothing":         {func(ctx context.Context, e *engine.Engine) error { _, err := e.Tool(ctx, "none"); return err }, registry.CodeNotFound},
		"versions of nothing":     {func(ctx context.Context, e *engine.Engine) error { _, _, err := e.Versions(ctx, "none"); return err }, registry.CodeNotFound},
		"export nothing":          {export("none", 0), registry.CodeNotFound},
		"export no version":       {export("made-up", 9), registry.CodeVersionNotFound},
		"compare nothing":         {diff("none", 0, 0), registry.CodeNotFound},
		"compare the first":       {diff("keyed", 0, 0), registry.CodeVersionNotFound},
		"compare with no version": {diff("made-up", 9, 0), registry.CodeVersionNotFound},
		"compare no version":      {diff("made-up", 1, 9), registry.CodeVersionNotFound},
		"pin nothing":             {pin("none"), registry.CodeNotFound},
		"pin what is off":         {pin("made-up"), registry.CodeOff},
		"pin what is broken":      {pin("broken"), registry.CodeBroken},
		"pin what lacks a key":    {pin("keyed"), registry.CodeCredentials},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			if c.code == registry.CodeTooMany {
				h.most = 3
			}
			h.installed(t, text("made-up", 1, ""), text("made-up", 2, ""), text("broken", 1, call("lab.make")), text("keyed", 1, "", keys))
			for _, on := range []string{"broken", "keyed"} {
				if _, _, err := h.Enable(t.Context(), on); err != nil {
					t.Fatal(err)
				}
			}
			before := h.audit(t)
			// The host has lost a capability since.
			e := h.as("eve", tool.NewCatalogue(tool.Capability{Name: "lab.list", Power: tool.Read, Risk: tool.R1}))

			wantCode(t, c.do(t.Context(), e), c.code)

			if got := h.audit(t); !slices.Equal(got, before) {
				t.Errorf("audit: %q", got)
			}
		})
	}
}

// TestABrokenTool is listed with what is wrong, beside others that work, and can be
// exported, compared, rolled back and removed.
func TestABrokenTool(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.installed(t, text("made-up", 1, ""), text("made-up", 2, call("lab.make")), text("other", 1, ""))
	e := h.as("ada", tool.NewCatalogue())

	list, err := e.Tools(ctx)
	if err != nil || len(list) != 2 || list[0].Checked != nil || list[1].Checked == nil || len(list[0].Diagnostics) != 1 {
		t.Fatalf("tools: %+v, %v", list, err)
	}
	wantCode(t, list[0].Obstacle(), registry.CodeBroken)
	if v, err := e.Export(ctx, "made-up", 0); err != nil || string(v.Text) != text("made-up", 2, call("lab.make")) {
		t.Errorf("exported %s, %v", v.Text, err)
	}
	if d, err := e.Diff(ctx, "made-up", 0, 0); err != nil || d.Facts != nil || d.From.Version != 1 || d.To.Version != 2 {
		t.Errorf("compared %+v, %v", d, err)
	}
	if back, _, err := e.Rollback(ctx, "made-up", 0); err != nil || back.Obstacle() != nil {
		t.Errorf("rolled back: %v", err)
	}
	if _, _, err := e.Rollback(ctx, "made-up", 2); err != nil {
		t.Error(err)
	}
	if _, err := e.Remove(ctx, "made-up"); err != nil {
		t.Error(err)
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	one, two := text("made-up", 1, ""), text("made-up", 2, call("lab.list"))
	h.installed(t, one, two)
	check := func(number int64, want string) {
		t.Helper()
		if v, err := h.Export(ctx, "dynamic:made-up", number); err != nil || string(v.Text) != want || v.InstalledBy != "ada" {
			t.Errorf("version %d is %s, %v", number, v.Text, err)
		}
	}
	check(0, two)
	check(1, one)
	if _, _, err := h.Rollback(ctx, "made-up", 1); err != nil {
		t.Fatal(err)
	}
	check(0, one)
	check(2, two)
	// What is removed can still be had, byte for byte, until its id is used again.
	if _, err := h.Remove(ctx, "made-up"); err != nil {
		t.Fatal(err)
	}
	check(0, two)
	check(1, one)
	_, err := h.Export(ctx, "made-up", 9)
	wantCode(t, err, registry.CodeNotFound)
	again := text("made-up", 1, "", `"modelDefaults": {}`)
	h.installed(t, again)
	check(0, again)
	_, err = h.Export(ctx, "made-up", 2)
	wantCode(t, err, registry.CodeVersionNotFound)
}

func TestDiff(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.installed(t, text("made-up", 1, ""), text("made-up", 2, call("lab.list")), text("made-up", 4, call("lab.make")))
	for _, c := range []struct {
		from, to, wantFrom, wantTo int64
		added                      string
	}{{0, 0, 2, 4, "[lab.make]"}, {0, 2, 1, 2, "[lab.list]"}, {1, 0, 1, 4, "[lab.make]"}, {4, 1, 4, 1, "[]"}, {2, 2, 2, 2, "[]"}} {
		d, err := h.Diff(ctx, "made-up", c.from, c.to)
		if err != nil || d.From.Version != c.wantFrom || d.To.Version != c.wantTo || fmt.Sprint(d.Facts.Capabilities.Added) != c.added {
			t.Errorf("from %d to %d: %d to %d, %+v, %v", c.from, c.to, d.From.Version, d.To.Version, d.Facts, err)
		}
	}
	_, err := h.Diff(ctx, "made-up", 0, 1)
	wantCode(t, err, registry.CodeVersionNotFound, "no version before version 1 to compare with")
	// After a rollback the active version is compared with the one before it.
	if _, _, err := h.Rollback(ctx, "made-up", 2); err != nil {
		t.Fatal(err)
	}
	if d, err := h.Diff(ctx, "made-up", 0, 0); err != nil || d.From.Version != 1 || d.To.Version != 2 {
		t.Errorf("from %d to %d, %v", d.From.Version, d.To.Version, err)
	}
}

// TestRemoveForgetsWhatRunsLeft, and nothing of other tools or of runs from files.
func TestRemoveForgetsWhatRunsLeft(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.installed(t, text("made-up", 1, ""), text("other", 1, ""))
	keys := []string{"made-up", "other", "file:made-up"}
	err := h.store.Write(ctx, func(tx store.Tx) error {
		for _, key := range keys {
			err := errors.Join(tx.Runs().PutState(ctx, key, 1, []byte(`{}`), 0), tx.Runs().PutState(ctx, key, 2, []byte(`{}`), 0),
				tx.Runs().PutBreaker(ctx, key, "lab.list", store.Breaker{OpenedAt: &h.now}))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	left := func() (list []string) {
		err := h.store.Read(ctx, func(tx store.Tx) error {
			for _, key := range keys {
				_, one, err := tx.Runs().State(ctx, key, 1)
				_, two, err2 := tx.Runs().State(ctx, key, 2)
				b, err3 := tx.Runs().Breaker(ctx, key, "lab.list")
				if err := errors.Join(err, err2, err3); err != nil {
					return err
				}
				list = append(list, fmt.Sprint(key, " ", one, " ", two, " ", b.OpenedAt != nil))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return list
	}
	for _, operation := range []string{"DropState", "DropBreakers", "AppendAudit"} {
		h.store.set(operation)
		if _, err := h.Remove(ctx, "made-up"); !errors.Is(err, errDisk) {
			t.Errorf("%s fails, and Remove gives %v", operation, err)
		}
		h.store.set("")
		if _, err := h.Tool(ctx, "made-up"); err != nil {
			t.Fatalf("%s failed, and the tool is gone all the same: %v", operation, err)
		}
	}
	if _, err := h.Remove(ctx, "made-up"); err != nil {
		t.Fatal(err)
	}
	want := []string{"made-up false false false", "other true true true", "file:made-up true true true"}
	if diff := cmp.Diff(want, left()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// TestAStoreThatCannotBeRead is told by each verb that reads.
func TestAStoreThatCannotBeRead(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.installed(t, text("made-up", 1, ""), text("made-up", 2, ""))
	if _, err := h.Remove(ctx, "made-up"); err != nil {
		t.Fatal(err)
	}
	h.installed(t, text("other", 1, ""), text("other", 2, ""))
	for name, c := range map[string]struct {
		operation string
		do        func() error
	}{
		"tool":           {"Tool", func() error { _, err := h.Tool(ctx, "other"); return err }},
		"tools":          {"Tools", func() error { _, err := h.Tools(ctx); return err }},
		"versions":       {"Versions", func() error { _, _, err := h.Versions(ctx, "other"); return err }},
		"export":         {"Tool", func() error { _, err := h.Export(ctx, "other", 1); return err }},
		"export removed": {"Versions", func() error { _, err := h.Export(ctx, "made-up", 1); return err }},
		"diff":           {"Versions", func() error { _, err := h.Diff(ctx, "other", 0, 0); return err }},
		"pin":            {"Tool", func() error { _, err := h.Pin(ctx, "other"); return err }},
	} {
		h.store.set(c.operation)
		if err := c.do(); !errors.Is(err, errDisk) {
			t.Errorf("%s gives %v", name, err)
		}
	}
}

// TestAuditOfOneTool takes its name or its id, and a limit.
func TestAuditOfOneTool(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.installed(t, text("made-up", 1, ""), text("other", 1, ""), text("made-up", 2, ""))
	for _, c := range []struct {
		name  string
		limit int
		want  []int64
	}{{"", 0, []int64{3, 2, 1}}, {"made-up", 0, []int64{3, 1}}, {"dynamic:made-up", 1, []int64{3}}, {"none", 0, nil}} {
		lines, err := h.Audit(ctx, c.name, c.limit)
		var got []int64
		for _, l := range lines {
			got = append(got, l.Seq)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("of %q, at most %d: %v, %v; want %v", c.name, c.limit, got, err, c.want)
		}
	}
}

// TestTheSameToolInstalledAtOnce goes in once.
func TestTheSameToolInstalledAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	type end struct {
		done registry.Installed
		err  error
	}
	ends := make(chan end)
	for i := range 8 {
		manifest := []byte(text("made-up", 1, ""))
		if i%2 == 1 {
			manifest = []byte(text("made-up", 1, call("lab.list")))
		}
		go func() {
			done, err := installed(t.Context(), h, manifest)
			ends <- end{done, err}
		}()
	}
	fresh, same, refused := 0, 0, 0
	for range 8 {
		switch e := <-ends; {
		case e.err != nil:
			wantCode(t, e.err, registry.CodeVersionNotNewer)
			refused++
		case e.done.Same:
			same++
		default:
			fresh++
		}
	}
	if fresh != 1 || same != 3 || refused != 4 {
		t.Errorf("%d installed, %d the same, %d refused; want 1, 3 and 4", fresh, same, refused)
	}
	if got := h.audit(t); len(got) != 1 {
		t.Errorf("audit: %q", got)
	}
}

// TestThePersonsOwnRecords are read and changed in one transaction each.
func TestThePersonsOwnRecords(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	err := h.Change(ctx, func(book *local.Book) error {
		note, err := book.CreateNote(ctx, local.NewNote{Title: "Milk", Content: "two"})
		if note.ID != "ID000000000000000000000001" || !note.CreatedAt.Equal(dawn) {
			t.Errorf("made %+v", note)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	refuse := errors.New("not so")
	err = h.Change(ctx, func(book *local.Book) error {
		if _, err := book.CreateNote(ctx, local.NewNote{Title: "Bread", Content: "one"}); err != nil {
			return err
		}
		return refuse
	})
	if !errors.Is(err, refuse) {
		t.Errorf("Change gives %v", err)
	}
	err = h.Look(ctx, func(book *local.Book) error {
		page, err := book.Notes(ctx, local.List{})
		if len(page.Records) != 1 || page.Records[0].Title != "Milk" {
			t.Errorf("notes: %+v", page.Records)
		}
		_, writeErr := book.CreateNote(ctx, local.NewNote{Title: "Eggs", Content: "ten"})
		if writeErr == nil {
			t.Error("a look can write")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestTheDefaults are the real clock and the usual limit.
func TestTheDefaults(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	e := engine.New(engine.Options{Store: h.store, Catalogue: lab, Who: "ada"})
	for i := range 5 { // more than the four of the other tests
		if _, err := installed(t.Context(), e, []byte(text(fmt.Sprintf("tool-%d", i), 1, ""))); err != nil {
			t.Fatal(err)
		}
	}
	entry, err := e.Tool(t.Context(), "tool-4")
	if err != nil || time.Since(entry.Version.InstalledAt) > time.Hour {
		t.Errorf("installed at %s, %v", entry.Version.InstalledAt, err)
	}
}
