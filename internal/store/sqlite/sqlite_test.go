package sqlite

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"toolsmith/internal/local"
	"toolsmith/internal/store"
	"toolsmith/internal/store/storetest"
	"toolsmith/tool"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(runChild(role))
	}
	goleak.VerifyTestMain(m)
}

func TestFile(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, t.TempDir()) })
}

func TestMemory(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Store {
		s, err := OpenMemory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	})
}

// open opens a store that is closed when the test ends.
func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func putNote(ctx context.Context, s *Store, id string) error {
	return s.Write(ctx, func(tx store.Tx) error {
		return tx.Local().Notes().Put(ctx, local.Note{ID: id, Title: id})
	})
}

func countNotes(t *testing.T, s *Store) (count int) {
	t.Helper()
	err := s.Read(t.Context(), func(tx store.Tx) (err error) {
		count, err = tx.Local().Notes().Count(t.Context(), local.Filter{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if tool.Code(err) != code {
		t.Errorf("the error is %v; want the code %s", err, code)
	}
}

func TestAStoreOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	// The folder is not there yet, and its name has all that a URL gives a meaning to.
	dir := filepath.Join(t.TempDir(), "new", "a b?c#d%20é&e=f")
	for range 2 {
		s, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := putNote(t.Context(), s, "01"); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if count := countNotes(t, open(t, dir)); count != 1 {
		t.Errorf("%d notes; want 1", count)
	}
}

func TestEveryConnectionKeepsItsSettings(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	for name, test := range map[string]struct {
		pool *sql.DB
		want map[string]string
	}{
		"writer": {s.writer, map[string]string{
			"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000", "query_only": "0"}},
		"reader": {s.reader, map[string]string{
			"journal_mode": "wal", "foreign_keys": "1", "busy_timeout": "5000", "query_only": "1"}},
	} {
		// A connection that was lost is made again with the same settings.
		test.pool.SetMaxIdleConns(0)
		for pragma, want := range test.want {
			var got string
			if err := test.pool.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil {
				t.Error(err)
			}
			if got != want {
				t.Errorf("%s: %s is %s; want %s", name, pragma, got, want)
			}
		}
	}
}

func TestASettingThatIsNotKeptIsRefused(t *testing.T) {
	t.Parallel()
	kept := open(t, t.TempDir())
	for pragma, value := range map[string]string{"_synchronous": "NORMAL", "_foreign_keys": "off", "_busy_timeout": "1"} {
		with := settings(true)
		with.Set(pragma, value)
		weak := &Store{path: kept.path}
		var err error
		if weak.writer, err = connect(kept.path, with, 1); err != nil {
			t.Fatal(err)
		}
		wantCode(t, weak.checkSettings(t.Context()), store.CodeUnavailable)
		if err := weak.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAStoreCanBeOpenedMoreThanOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var group sync.WaitGroup
	for _, id := range []string{"01", "02", "03", "04"} {
		group.Go(func() {
			s, err := Open(t.Context(), dir)
			if err != nil {
				t.Error(err)
				return
			}
			if err := putNote(t.Context(), s, id); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if count := countNotes(t, open(t, dir)); count != 4 {
		t.Errorf("%d notes; want 4", count)
	}
}

func TestAContextThatHasEndedOpensNothing(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Open(ended, t.TempDir()); err == nil {
		t.Error("a store was opened")
	}
	if _, err := OpenMemory(ended); err == nil {
		t.Error("a store was made")
	}
}
