package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/audit"
	"toolsmith/internal/engine"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/tool"
)

func appendLine(ctx context.Context, s *Store, who string) error {
	return s.Write(ctx, func(tx store.Tx) error {
		return tx.Registry().AppendAudit(ctx, audit.Line{At: time.Unix(1, 0), Who: who, Action: "enable", ToolID: "keep", Version: 1})
	})
}

func appendLines(t *testing.T, s *Store, count int, who string) {
	t.Helper()
	for range count {
		if err := appendLine(t.Context(), s, who); err != nil {
			t.Fatal(err)
		}
	}
}

// verified verifies the audit, and gives what was found: "changed 7–7", "file 0–0?".
func verified(t testing.TB, s *Store) (found []string, sum audit.Summary) {
	t.Helper()
	sum, err := engine.New(engine.Options{Store: s}).VerifyAudit(context.Background(), nil, func(f audit.Finding) {
		text := fmt.Sprintf("%s %d–%d", f.Kind, f.First, f.Last)
		if f.Warning {
			text += "?"
		}
		found = append(found, text)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, sum
}

func wantFound(t *testing.T, s *Store, want ...string) {
	t.Helper()
	found, _ := verified(t, s)
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("what is found (-want +got):\n%s", diff)
	}
}

func headOf(t *testing.T, s *Store) (head audit.Table) {
	t.Helper()
	err := s.Read(t.Context(), func(tx store.Tx) (err error) {
		head, _, err = tx.Registry().AuditHead(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// forget drops what keeps the audit as it is.
func forget(t *testing.T, s *Store) {
	t.Helper()
	for _, trigger := range []string{
		"audit_keeps_lines", "audit_keeps_text", "audit_only_adds", "audit_only_chains",
		"audit_head_stays", "audit_head_is_one", "audit_head_moves_on",
	} {
		execute(t, s, "DROP TRIGGER "+trigger)
	}
}

func TestTheAuditIsAppendOnly(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	appendLines(t, s, 2, "ada")
	for _, statement := range []string{
		"UPDATE audit SET who = 'somebody else'",
		"UPDATE audit SET seq = 7",
		"UPDATE audit SET hash = NULL",
		"DELETE FROM audit",
		"DELETE FROM audit WHERE seq = 1",
		"INSERT OR REPLACE INTO audit (seq, at, who, action, tool_id, version, detail, hash) VALUES (1, 1, 'x', 'x', 'x', 1, 'x', zeroblob(32))",
		"INSERT INTO audit (at, who, action, tool_id, version, detail) VALUES (1, 'x', 'x', 'x', 1, 'x')",
	} {
		if _, err := s.writer.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append only") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	for _, statement := range []string{
		"DELETE FROM audit_head",
		"UPDATE audit_head SET count = 1",
		"UPDATE audit_head SET id = 2",
		"UPDATE audit_head SET hash = zeroblob(32)",
		"UPDATE audit_head SET at = 7",
		"UPDATE audit_head SET count = 3, first = 2",
		"UPDATE audit_head SET count = 3, first = 0, hash = NULL",
		"INSERT OR REPLACE INTO audit_head (id, count, at, first, filed) VALUES (1, 9, 0, 0, 0)",
	} {
		if _, err := s.writer.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "only moves on") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if err := s.KeepAuditFile(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.writer.ExecContext(t.Context(), "UPDATE audit_head SET filed = 0"); err == nil {
		t.Error("the head forgets that there was a file")
	}
	wantFound(t, s)
}

// TestAStoreFromBeforeTheChain brings one up to date. Its lines are covered as soon as there
// is another.
func TestAStoreFromBeforeTheChain(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/before-chain.sql")
	if err != nil {
		t.Fatal(err)
	}
	begin := func() *Store {
		dir := t.TempDir()
		makeStore(t, dir, string(text))
		return open(t, dir)
	}

	s := begin()
	if head := headOf(t, s); head != (audit.Table{Head: audit.Head{Count: 7}}) {
		t.Errorf("the head is %+v", head)
	}
	if found, sum := verified(t, s); len(found) > 0 || sum.Lines != 7 || sum.Old != 7 || !sum.Since.IsZero() {
		t.Errorf("%v, %+v", found, sum)
	}
	appendLines(t, s, 2, "ada")
	if err := s.KeepAuditFile(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if found, sum := verified(t, s); len(found) > 0 || sum.Lines != 9 || sum.Old != 7 || !sum.Since.Equal(time.Unix(1, 0)) {
		t.Errorf("%v, %+v", found, sum)
	}
	forget(t, s)
	execute(t, s, "UPDATE audit SET who = 'eve' WHERE seq = 4")
	wantFound(t, s, "changed 1–8")

	// What is cut off is seen even before that.
	s = begin()
	forget(t, s)
	execute(t, s, "DELETE FROM audit WHERE seq = 7")
	wantFound(t, s, "cut 7–7")
	appendLines(t, s, 1, "ada")
	if err := s.KeepAuditFile(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	wantFound(t, s, "missing 7–7")
}

// TestAnAuditThatWasChangedGoesOn appends to audits that somebody changed: what is wrong
// stays visible.
func TestAnAuditThatWasChangedGoesOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   []string
		want []string
	}{
		"a change":  {[]string{"UPDATE audit SET who = 'eve' WHERE seq = 3"}, []string{"changed 3–3"}},
		"cut off":   {[]string{"DELETE FROM audit WHERE seq > 3"}, []string{"missing 4–5", "file 5–5"}},
		"all is":    {[]string{"DELETE FROM audit"}, []string{"missing 1–5", "file 5–5"}},
		"cut twice": {[]string{"DELETE FROM audit WHERE seq > 3", "UPDATE audit_head SET count = 3, hash = (SELECT hash FROM audit WHERE seq = 3)"}, []string{"file 5–5"}},
		"added": {[]string{"INSERT INTO audit (at, who, action, tool_id, version, detail) VALUES (1, 'eve', 'x', 'x', 1, 'x')"},
			[]string{"added 6–6"}},
		"added far": {[]string{"INSERT INTO audit (seq, at, who, action, tool_id, version, detail, hash) VALUES (8, 1, 'eve', 'x', 'x', 1, 'x', zeroblob(32))"},
			[]string{"missing 6–7"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, err := Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			appendLines(t, s, 5, "ada")
			if err := s.KeepAuditFile(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			forget(t, s)
			for _, statement := range c.do {
				execute(t, s, statement)
			}
			for range 2 { // also by another process, later
				appendLines(t, s, 2, "bob")
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if s, err = Open(t.Context(), dir); err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				wantFound(t, s, c.want...)
			}
		})
	}
}

func TestNothingIsAppendedWithoutAHead(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	appendLines(t, s, 1, "ada")
	if err := s.KeepAuditFile(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	forget(t, s)
	execute(t, s, "DELETE FROM audit_head")
	err := appendLine(t.Context(), s, "ada")
	wantCode(t, err, audit.CodeBroken)
	if err == nil || !strings.Contains(err.Error(), s.path) {
		t.Errorf("the error does not name %s: %v", s.path, err)
	}
	wantFound(t, s, "head 0–0")
}

// appendPatiently appends lines, however long others hold the store.
func appendPatiently(ctx context.Context, s *Store, count int, who string) error {
	for count > 0 {
		switch err := appendLine(ctx, s, who); {
		case err == nil:
			count--
		case tool.Code(err) != store.CodeBusy:
			return err
		}
	}
	return nil
}

// appendTogether appends lines from some goroutines, and gives how many.
func appendTogether(ctx context.Context, s *Store, who string) (int, error) {
	const writers, each = 4, 15
	errs := make([]error, writers)
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() { errs[writer] = appendPatiently(ctx, s, each, who) })
	}
	group.Wait()
	return writers * each, errors.Join(errs...)
}

// TestProcessesMakeOneChain has two processes append from some goroutines each, and this one
// too.
func TestProcessesMakeOneChain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	var others []*exec.Cmd
	for range 2 {
		other := child(t, roleAudit, dir)
		begun, err := other.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(begun).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		others = append(others, other)
	}
	each, err := appendTogether(t.Context(), s, "ada")
	if err != nil {
		t.Error(err)
	}
	for _, other := range others {
		if err := other.Wait(); err != nil {
			t.Errorf("a child: %v", err)
		}
	}
	found, sum := verified(t, s)
	if len(found) > 0 || sum.Lines != int64(3*each) {
		t.Errorf("%v in %d lines; want %d", found, sum.Lines, 3*each)
	}
}

// TestStoresKeepOneFile has two stores write at once and close in any order: the file has
// the last line of both.
func TestStoresKeepOneFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 12 {
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				s, err := Open(t.Context(), dir)
				if err != nil {
					t.Error(err)
					return
				}
				err = errors.Join(appendLine(t.Context(), s, "ada"), appendLine(t.Context(), s, "ada"), s.Close())
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		file := ReadHead(dir)
		s, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if head := headOf(t, s); file.Head == nil || *file.Head != head.Head || !head.Filed {
			t.Errorf("the file is %+v; the head %+v", file, head)
		}
		wantFound(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	files, err := os.ReadDir(dir)
	for _, file := range files {
		names = append(names, file.Name())
	}
	if diff := cmp.Diff([]string{HeadFile, FileName}, names); diff != "" || err != nil {
		t.Errorf("files (-want +got):\n%s%v", diff, err)
	}
}

func TestWhoAppendedIsKept(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	now := time.UnixMicro(7).UTC()
	if err := s.Write(t.Context(), func(tx store.Tx) error {
		r := &registry.Registry{Store: tx.Registry(), Now: func() time.Time { return now }, Who: "ada", From: "mcp"}
		return errors.Join(r.Note(t.Context(), "enable", "keep", 1, ""),
			r.Record(t.Context(), audit.Line{Who: "bob", From: "web", At: now.Add(1000), Action: "answer", Data: `{"yes":true}`}))
	}); err != nil {
		t.Fatal(err)
	}
	err := s.Read(t.Context(), func(tx store.Tx) error {
		lines, err := tx.Registry().AuditLines(t.Context(), "", 0)
		want := []audit.Line{
			{Seq: 2, At: now.Add(1000), Who: "bob", From: "web", Action: "answer", Data: `{"yes":true}`},
			{Seq: 1, At: now, Who: "ada", From: "mcp", Action: "enable", ToolID: "keep", Version: 1},
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
