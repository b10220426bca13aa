package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"toolsmith/internal/local"
	"toolsmith/internal/store"
)

func execute(t *testing.T, s *Store, statement string, args ...any) {
	t.Helper()
	if _, err := s.writer.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestAFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	if err := putNote(t.Context(), s, "01"); err != nil {
		t.Fatal(err)
	}
	large := func() error {
		return s.Write(t.Context(), func(tx store.Tx) error {
			return tx.Local().Notes().Put(t.Context(), local.Note{ID: "02", Content: strings.Repeat("x", 1<<20)})
		})
	}

	execute(t, s, "PRAGMA max_page_count = 1") // SQLite takes the pages there are as the least
	err := large()
	wantCode(t, err, store.CodeUnavailable)
	if err != nil && !strings.Contains(err.Error(), s.path) {
		t.Errorf("the error does not name %s: %v", s.path, err)
	}
	if count := countNotes(t, s); count != 1 {
		t.Errorf("%d notes; want 1", count)
	}

	execute(t, s, "PRAGMA max_page_count = 1000000")
	if err := large(); err != nil {
		t.Errorf("once there is room again: %v", err)
	}
}

func TestAnotherProcessThatHoldsTheStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, other := open(t, dir), open(t, dir)
	execute(t, s, "PRAGMA busy_timeout = 0")
	err := other.Write(t.Context(), func(store.Tx) error {
		err := putNote(t.Context(), s, "01")
		wantCode(t, err, store.CodeBusy)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := putNote(t.Context(), s, "01"); err != nil {
		t.Errorf("once the store is free again: %v", err)
	}
}

func TestErrorsOfTheDatabaseAreExplained(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := open(t, t.TempDir())
	reading := func(statement string) error {
		_, err := s.reader.ExecContext(ctx, statement)
		return err
	}
	nowhere := &Store{path: filepath.Join(t.TempDir(), "nowhere", FileName)}
	var err error
	if nowhere.writer, err = connect(nowhere.path, settings(true), 1); err != nil {
		t.Fatal(err)
	}
	defer nowhere.Close()

	wantCode(t, s.explain("write", reading("DELETE FROM notes")), store.CodeUnavailable)
	wantCode(t, nowhere.checkSettings(ctx), store.CodeUnavailable)
	if err := s.explain("read", reading("SELECT * FROM nothing")); err == nil || !strings.HasPrefix(err.Error(), "read: ") {
		t.Errorf("another error of the database: %v", err)
	}
	if err := s.explain("read", context.Canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("an error of no database: %v", err)
	}
}

func TestANewerStoreIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	newer := open(t, dir)
	execute(t, newer, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")

	_, err := Open(t.Context(), dir)

	wantCode(t, err, store.CodeNewer)
	if !strings.Contains(err.Error(), newer.path) {
		t.Errorf("the error does not name %s: %v", newer.path, err)
	}
}

func TestADatabaseThatCannotBeBroughtUpToDate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	execute(t, open(t, dir), "DROP TABLE goose_db_version") // the other tables are in the way now

	_, err := Open(t.Context(), dir)

	wantCode(t, err, store.CodeUnavailable)
}

func TestADamagedBreaker(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	execute(t, s, "INSERT INTO breakers (tool_id, capability, failures) VALUES ('a', 'b', '{')")
	err := s.Read(t.Context(), func(tx store.Tx) error {
		_, err := tx.Runs().Breaker(t.Context(), "a", "b")
		return err
	})
	if err == nil {
		t.Error("it was read all the same")
	}
}
