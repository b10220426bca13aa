package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"toolsmith/internal/registry"
	"toolsmith/internal/store"
)

func registryTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"a tool is kept until it is removed":    toolsAreKept,
		"no two tools share a name":             namesAreUnique,
		"versions are kept byte for byte":       versionsAreKept,
		"a version is never replaced":           versionsAreNotReplaced,
		"the audit keeps every line":            auditIsKept,
		"the audit outlives what it is about":   auditOutlivesTools,
		"a line that is rolled back is no line": auditIsRolledBack,
	}
}

func toolsAreKept(t *testing.T, s store.Store) {
	first := registry.Tool{ID: "b-tool", Active: 1<<53 - 1, NameKey: "b_tool", ChangedAt: noon}
	second := registry.Tool{ID: "a-tool", Active: 1, Enabled: true, NameKey: "a_tool"}
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		if err := tx.Registry().PutTool(ctx, first); err != nil {
			return err
		}
		return tx.Registry().PutTool(ctx, second)
	})
	first.Enabled, first.ChangedAt = true, noon.In(time.FixedZone("", 3600)).Add(time.Hour)
	write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Registry().PutTool(ctx, first) })
	first.ChangedAt = first.ChangedAt.UTC()

	tools := func(ctx context.Context, tx store.Tx) ([]registry.Tool, error) { return tx.Registry().Tools(ctx) }
	if diff := difference([]registry.Tool{second, first}, read(t, s, tools)); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	one := read(t, s, func(ctx context.Context, tx store.Tx) (registry.Tool, error) {
		found, ok, err := tx.Registry().Tool(ctx, "b-tool")
		if !ok && err == nil {
			err = fmt.Errorf("the tool is missing")
		}
		return found, err
	})
	if diff := difference(first, one); diff != "" {
		t.Errorf("tool (-want +got):\n%s", diff)
	}

	write(t, s, func(ctx context.Context, tx store.Tx) error {
		if err := tx.Registry().DeleteTool(ctx, "no-tool"); err != nil {
			return err
		}
		return tx.Registry().DeleteTool(ctx, "b-tool")
	})
	if diff := difference([]registry.Tool{second}, read(t, s, tools)); diff != "" {
		t.Errorf("after removing one (-want +got):\n%s", diff)
	}
	if !read(t, s, func(ctx context.Context, tx store.Tx) (bool, error) {
		return missing(tx.Registry().Tool(ctx, "b-tool"))
	}) {
		t.Error("a removed tool is still there")
	}
}

func namesAreUnique(t *testing.T, s store.Store) {
	put := func(id, key string) func(context.Context, store.Tx) error {
		return func(ctx context.Context, tx store.Tx) error {
			return tx.Registry().PutTool(ctx, registry.Tool{ID: id, Active: 1, NameKey: key})
		}
	}
	write(t, s, put("read-file", "read_file"))
	write(t, s, put("other", "other"))
	refused(t, s, store.ErrExists, put("read_file", "read_file"))
	refused(t, s, store.ErrExists, put("other", "read_file"))
	write(t, s, put("read-file", "read_file"))
}

// version makes the nth version of a tool.
func version(toolID string, n int64, text string) registry.Version {
	return registry.Version{
		ToolID: toolID, Version: n, Text: []byte(text), Digest: fmt.Sprintf("digest-%s-%d", toolID, n),
		InstalledAt: noon, InstalledBy: "person",
	}
}

func versionsAreKept(t *testing.T, s store.Store) {
	odd := "\xff\x00{\"é\": \"\u202e\"}\r\n"
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		for _, one := range []registry.Version{
			version("a", 2, odd), version("a", 10, ""), version("a", 1, "{}"), version("ab", 3, "other"),
		} {
			if err := tx.Registry().PutVersion(ctx, one); err != nil {
				return err
			}
		}
		return tx.Registry().DeleteTool(ctx, "a")
	})
	versions := func(toolID string) func(context.Context, store.Tx) ([]registry.Version, error) {
		return func(ctx context.Context, tx store.Tx) ([]registry.Version, error) {
			return tx.Registry().Versions(ctx, toolID, 0)
		}
	}
	want := []registry.Version{version("a", 10, ""), version("a", 2, odd), version("a", 1, "{}")}
	if diff := difference(want, read(t, s, versions("a"))); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	for number, want := range map[int64][]registry.Version{2: want[1:2], 3: {}} {
		one := read(t, s, func(ctx context.Context, tx store.Tx) ([]registry.Version, error) {
			return tx.Registry().Versions(ctx, "a", number)
		})
		if diff := difference(want, one); diff != "" {
			t.Errorf("version %d alone (-want +got):\n%s", number, diff)
		}
	}

	write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Registry().DropVersions(ctx, "a") })
	if left := read(t, s, versions("a")); len(left) > 0 {
		t.Errorf("%d versions are left", len(left))
	}
	if left := read(t, s, versions("ab")); len(left) != 1 {
		t.Errorf("another tool has %d versions; want 1", len(left))
	}
}

func versionsAreNotReplaced(t *testing.T, s store.Store) {
	put := func(text string) func(context.Context, store.Tx) error {
		return func(ctx context.Context, tx store.Tx) error {
			return tx.Registry().PutVersion(ctx, version("a", 1, text))
		}
	}
	write(t, s, put("first"))
	refused(t, s, store.ErrExists, put("second"))
	kept := read(t, s, func(ctx context.Context, tx store.Tx) ([]registry.Version, error) {
		return tx.Registry().Versions(ctx, "a", 0)
	})
	if len(kept) != 1 || string(kept[0].Text) != "first" {
		t.Errorf("kept %v", kept)
	}
}

func auditLine(seq int64, toolID string) registry.AuditLine {
	return registry.AuditLine{
		Seq: seq, At: noon, Who: "person", Action: "install", ToolID: toolID, Version: seq, Detail: "ü " + toolID,
	}
}

// appendAudit appends a line for each tool named.
func appendAudit(toolIDs ...string) func(context.Context, store.Tx) error {
	return func(ctx context.Context, tx store.Tx) error {
		for i, toolID := range toolIDs {
			line := auditLine(int64(i+1), toolID)
			line.Seq = 99 // the store gives the number
			if err := tx.Registry().AppendAudit(ctx, line); err != nil {
				return err
			}
		}
		return nil
	}
}

func auditLines(toolID string, limit int) func(context.Context, store.Tx) ([]registry.AuditLine, error) {
	return func(ctx context.Context, tx store.Tx) ([]registry.AuditLine, error) {
		return tx.Registry().AuditLines(ctx, toolID, limit)
	}
}

func auditIsKept(t *testing.T, s store.Store) {
	write(t, s, appendAudit("a", "b", "a", ""))
	for name, test := range map[string]struct {
		toolID string
		limit  int
		want   []registry.AuditLine
	}{
		"all":        {"", 0, []registry.AuditLine{auditLine(4, ""), auditLine(3, "a"), auditLine(2, "b"), auditLine(1, "a")}},
		"newest":     {"", 1, []registry.AuditLine{auditLine(4, "")}},
		"of one":     {"a", 0, []registry.AuditLine{auditLine(3, "a"), auditLine(1, "a")}},
		"of one cut": {"a", 1, []registry.AuditLine{auditLine(3, "a")}},
		"of none":    {"c", 0, []registry.AuditLine{}},
	} {
		if diff := difference(test.want, read(t, s, auditLines(test.toolID, test.limit))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func auditOutlivesTools(t *testing.T, s store.Store) {
	write(t, s, appendAudit("a"))
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		if err := tx.Registry().DeleteTool(ctx, "a"); err != nil {
			return err
		}
		return tx.Registry().DropVersions(ctx, "a")
	})
	if lines := read(t, s, auditLines("a", 0)); len(lines) != 1 {
		t.Errorf("%d lines; want 1", len(lines))
	}
}

func auditIsRolledBack(t *testing.T, s store.Store) {
	write(t, s, appendAudit("a"))
	if err := s.Trial(t.Context(), func(tx store.Tx) error { return appendAudit("b")(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
	write(t, s, appendAudit("c"))
	lines := read(t, s, auditLines("", 0))
	if len(lines) != 2 || lines[0].ToolID != "c" || lines[0].Seq <= lines[1].Seq {
		t.Errorf("lines %v", lines)
	}
}
