package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"toolsmith/internal/audit"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
)

func auditTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"lines are chained":                     linesAreChained,
		"every text and number is kept":         oddLinesAreKept,
		"data that is no JSON is refused":       dataIsJSON,
		"the chain can be read in parts":        chainIsPaged,
		"lines go on below one":                 linesGoOnBelowOne,
		"many writers make one chain":           writersMakeOneChain,
		"the file has what the chain passed":    fileIsKept,
		"an audit without lines keeps no file":  noLinesKeepNoFile,
		"a store that is closed keeps no heads": closedStoreKeepsNoHead,
	}
}

func auditHead(t *testing.T, s store.Store) audit.Table {
	t.Helper()
	return read(t, s, func(ctx context.Context, tx store.Tx) (audit.Table, error) {
		head, ok, err := tx.Registry().AuditHead(ctx)
		if err == nil && !ok {
			err = errors.New("the audit has no head")
		}
		return head, err
	})
}

// requireSound verifies the audit, and gives the lines that are in it.
func requireSound(t *testing.T, s store.Store) (lines []audit.Kept) {
	t.Helper()
	file := s.AuditFile()
	head := auditHead(t, s)
	if head.Filed && file.Missing() { // it was written for the first time just now
		file = s.AuditFile()
		head = auditHead(t, s)
	}
	sum := read(t, s, func(ctx context.Context, tx store.Tx) (audit.Summary, error) {
		all := func(yield func(audit.Kept, error) bool) {
			for kept, err := range registry.WalkAudit(ctx, tx.Registry()) {
				lines = append(lines, kept)
				if !yield(kept, err) {
					return
				}
			}
		}
		return audit.Verify(all, audit.Known{Table: &head, File: file}, func(f audit.Finding) {
			if !f.Warning {
				t.Errorf("%s: %s", f.Kind, f.Message)
			}
		})
	})
	if sum.Head != head.Head {
		t.Errorf("the head is %s; want %s", head.Head, sum.Head)
	}
	return lines
}

func linesAreChained(t *testing.T, s store.Store) {
	if head := auditHead(t, s); head != (audit.Table{}) {
		t.Errorf("before the first line the head is %+v", head)
	}
	write(t, s, appendAudit("a", "b"))
	write(t, s, appendAudit("c"))
	if err := s.Trial(t.Context(), func(tx store.Tx) error { return appendAudit("d")(t.Context(), tx) }); err != nil {
		t.Error(err)
	}
	refused(t, s, errStop, func(ctx context.Context, tx store.Tx) error {
		return errors.Join(appendAudit("e")(ctx, tx), errStop)
	})
	var want []audit.Kept
	sum := audit.Digest{}
	for n, toolID := range []string{"a", "b", "c"} {
		line := auditLine(int64(n+1), toolID)
		if toolID == "c" { // the first of its transaction
			line.Version, line.At = 1, auditLine(1, "c").At
		}
		sum = audit.Hash(sum, line)
		want = append(want, audit.Kept{Line: line, Chained: true, Hash: sum})
	}
	if diff := difference(want, requireSound(t, s)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	head := auditHead(t, s)
	head.Filed = false // by now it may be
	if diff := difference(audit.Table{Head: audit.Head{Count: 3, Hash: sum}, First: 1, At: noon}, head); diff != "" {
		t.Errorf("head (-want +got):\n%s", diff)
	}
}

// oddLinesAreKept has texts that not every database takes, and not every JSON.
func oddLinesAreKept(t *testing.T, s store.Store) {
	var want []registry.AuditLine
	for n, text := range []string{"", "ü\u0000\u202e", "a'b\"c", "\U0001F600", "\xed\xa0\x80", "\xff"} {
		line := registry.AuditLine{
			At: noon, Who: text, From: text, Action: text, ToolID: "a", Version: int64(1)<<62 - int64(n), Detail: text, Data: `{"a": [1, "ü"]}`,
		}
		if n == 0 {
			line.Data = ""
		}
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Registry().AppendAudit(ctx, line) })
		line.Seq = int64(n + 1)
		want = append([]registry.AuditLine{line}, want...)
	}
	for _, toolID := range []string{"", "a"} {
		if diff := difference(want, read(t, s, auditLines(toolID, 0))); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	}
	requireSound(t, s)
}

func dataIsJSON(t *testing.T, s store.Store) {
	write(t, s, appendAudit("a"))
	for _, data := range []string{"{", "yes", " "} {
		err := s.Write(t.Context(), func(tx store.Tx) error {
			return tx.Registry().AppendAudit(t.Context(), registry.AuditLine{Data: data})
		})
		if err == nil {
			t.Errorf("%q was kept", data)
		}
	}
	write(t, s, appendAudit("b"))
	if lines := requireSound(t, s); len(lines) != 2 {
		t.Errorf("%d lines; want 2", len(lines))
	}
}

func chainIsPaged(t *testing.T, s store.Store) {
	write(t, s, appendAudit("a", "b", "c", "d", "e"))
	for _, c := range []struct {
		after int64
		limit int
		want  string
	}{{0, 2, "ab"}, {2, 2, "cd"}, {4, 2, "e"}, {5, 2, ""}, {1, 9, "bcde"}} {
		page := read(t, s, func(ctx context.Context, tx store.Tx) ([]audit.Kept, error) {
			return tx.Registry().AuditChain(ctx, c.after, c.limit)
		})
		got := ""
		for _, kept := range page {
			got += kept.ToolID
		}
		if got != c.want {
			t.Errorf("%d after %d are %q; want %q", c.limit, c.after, got, c.want)
		}
	}
	const many = 1200 // more than are read at once
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		return appendAudit(make([]string, many)...)(ctx, tx)
	})
	if lines := requireSound(t, s); len(lines) != many+5 {
		t.Errorf("%d lines; want %d", len(lines), many+5)
	}
}

func linesGoOnBelowOne(t *testing.T, s store.Store) {
	write(t, s, appendAudit("a", "b", "a", "a"))
	for _, c := range []struct {
		toolID string
		before int64
		limit  int
		want   []int64
	}{
		{"", math.MaxInt64, 9, []int64{4, 3, 2, 1}}, {"", 4, 2, []int64{3, 2}}, {"", 2, 2, []int64{1}}, {"", 1, 2, nil},
		{"a", math.MaxInt64, 2, []int64{4, 3}}, {"a", 3, 2, []int64{1}}, {"b", 2, 2, nil}, {"c", 9, 2, nil},
	} {
		lines := read(t, s, func(ctx context.Context, tx store.Tx) ([]registry.AuditLine, error) {
			return tx.Registry().AuditBefore(ctx, c.toolID, c.before, c.limit)
		})
		var got []int64
		for _, line := range lines {
			got = append(got, line.Seq)
			if want := auditLine(line.Seq, line.ToolID); difference(want, line) != "" {
				t.Errorf("a line is not as it was kept:\n%s", difference(want, line))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d of %q below %d are %v; want %v", c.limit, c.toolID, c.before, got, c.want)
		}
	}
}

// writersMakeOneChain has some of the writes fail, alone and within others' commits.
func writersMakeOneChain(t *testing.T, s store.Store) {
	const writers, times = 24, 10
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() {
			for n := range times {
				err := s.Write(t.Context(), func(tx store.Tx) error {
					err := appendAudit(fmt.Sprint(writer, "-", n))(t.Context(), tx)
					if n%3 == 1 {
						return errStop
					}
					return err
				})
				if n%3 != 1 && err != nil || n%3 == 1 && !errors.Is(err, errStop) {
					t.Errorf("write %d of %d: %v", n, writer, err)
				}
			}
		})
	}
	group.Wait()
	if lines := requireSound(t, s); len(lines) != writers*7 {
		t.Errorf("%d lines; want %d", len(lines), writers*7)
	}
}

func fileIsKept(t *testing.T, s store.Store) {
	for range 3 {
		write(t, s, appendAudit("a", "b"))
		for _, anew := range []bool{false, true} {
			if err := s.KeepAuditFile(t.Context(), anew); err != nil {
				t.Fatal(err)
			}
			file, head := s.AuditFile(), auditHead(t, s)
			if file.Path == "" { // it keeps none
				if head.Filed || file != (audit.File{}) {
					t.Errorf("without a file: %+v, %+v", file, head)
				}
				continue
			}
			if file.Head == nil || *file.Head != head.Head || !head.Filed {
				t.Errorf("the file is %+v; the head %+v", file, head)
			}
		}
	}
	requireSound(t, s)
}

func noLinesKeepNoFile(t *testing.T, s store.Store) {
	if err := s.KeepAuditFile(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if file := s.AuditFile(); file.Head != nil || file.Fault != "" {
		t.Errorf("the file is %+v", file)
	}
	requireSound(t, s)
}

func closedStoreKeepsNoHead(t *testing.T, s store.Store) {
	write(t, s, appendAudit("a"))
	head := auditHead(t, s).Head
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := s.AuditFile()
	if file.Path == "" {
		return
	}
	if file.Head == nil || *file.Head != head {
		t.Errorf("once the store is closed the file is %+v; want %s", file, head)
	}
	if err := s.KeepAuditFile(t.Context(), false); err == nil {
		t.Error("a closed store writes the file")
	}
}
