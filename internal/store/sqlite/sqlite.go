// Package sqlite keeps the store in one SQLite file: one connection writes, others read
// what was committed before they began, and both see files that only their owner can read.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite/dbsqlc"
)

// FileName is the name of the database in the data folder. SQLite keeps two more files
// beside it while it is open, ending in "-wal" and "-shm".
const FileName = "toolsmith.db"

// Store is a store in one SQLite database.
type Store struct {
	// path of the file, for messages too; inMemory where there is none.
	path           string
	writer, reader *sql.DB
	// committer has the writer to itself; nil until the store is open.
	committer *committer
	// beforeRead does what a store in memory needs, and is nil for a file; afterWrite does what
	// is to be done after each commit.
	beforeRead, afterWrite func(*sql.Conn) error
	// heads writes the head of the audit into its file; nil until the store is open, and in
	// memory.
	heads *headKeeper
	// room has the leases of a store in memory.
	room room

	mu       sync.Mutex
	closed   bool
	underWay sync.WaitGroup // the transactions
}

var _ store.Store = (*Store)(nil)

// Open opens the store in a data folder, and makes both if they are not there: the
// folder for its owner only, and the database up to date. It may be opened by several
// processes at once. Errors are *tool.Error with the codes store.CodeUnavailable,
// store.CodeNewer and store.CodeBusy, or come from ctx.
func Open(ctx context.Context, dir string) (*Store, error) {
	path, there, err := prepareFolder(dir)
	if err != nil {
		return nil, unusable(dir, err)
	}
	s := &Store{path: path}
	if !there {
		if err := s.create(ctx); err != nil {
			return nil, err
		}
	}
	if err := keepPrivate(path); err != nil {
		return nil, unusable(dir, err)
	}
	if err := s.open(ctx); err != nil {
		_ = s.Close() // the reason why it cannot be opened is what counts
		return nil, err
	}
	return s, nil
}

// create makes the database under another name, and gives it its own only once it is
// whole and closed: so nobody ever sees half of one, and of several processes that do it
// at once all but the first find that it is there. (Made in its place, SQLite does not
// wait for the others while it turns to the write-ahead log. And closing the file takes
// away all locks that this process has on it, as another Open may by then.)
func (s *Store) create(ctx context.Context) error {
	draft, err := draftFile(s.path)
	if err != nil {
		return unusable(filepath.Dir(s.path), err)
	}
	defer func() {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(draft + suffix) // it has its own name by now, or is of no use
		}
	}()
	db, err := connect(draft, settings(true), 1)
	if err != nil {
		return err
	}
	err = s.migrate(ctx, db)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if err := publish(draft, s.path); err != nil {
		return unusable(filepath.Dir(s.path), err)
	}
	return nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if s.writer, err = connect(s.path, settings(true), 1); err != nil {
		return err
	}
	if err := s.checkSettings(ctx); err != nil {
		return err
	}
	if err := s.migrate(ctx, s.writer); err != nil {
		return err
	}
	if s.reader, err = connect(s.path, settings(false), readers()); err != nil {
		return err
	}
	s.heads = startHeadKeeper(s) //nolint:contextcheck // it outlives this context, as the committer does
	s.afterWrite = func(*sql.Conn) error {
		s.heads.committed()
		return nil
	}
	s.committer = startCommitter(s) //nolint:contextcheck // it outlives this context
	return nil
}

const (
	// cacheKiB is how much of the database the writer keeps in memory. It holds the upper
	// pages of the indexes of some ten million tasks, so that a new one needs only the lowest.
	cacheKiB = 16 << 10
	// checkpointPages is after how many pages of 4 KiB the log is put into the database. A
	// page that many commits have changed is written only once then.
	checkpointPages = 4000
)

// settings gives the settings of each connection to a file. SQLite is given busy_timeout
// first, so that no other one fails because another process is at work.
func settings(write bool) url.Values {
	shared := url.Values{
		"_busy_timeout": {"5000"},
		"_foreign_keys": {"on"},
		"_dqs":          {"false"}, // a misspelt column is an error, not a text
		"_error_rc":     {"true"},  // an error says what failed, not what failed before it
	}
	if write {
		shared.Set("_journal_mode", "WAL")
		shared.Set("_synchronous", "FULL")
		shared.Set("_txlock", "immediate")
		shared["_pragma"] = []string{
			fmt.Sprintf("cache_size(%d)", -cacheKiB),
			fmt.Sprintf("wal_autocheckpoint(%d)", checkpointPages),
			"temp_store(memory)", // else what a savepoint needs goes into a file
		}
	} else {
		shared.Set("mode", "ro")
		shared.Set("_query_only", "on")
	}
	return shared
}

// readers is how many transactions can read at once.
func readers() int { return max(4, runtime.NumCPU()) }

// connect gives a pool of connections; none is opened yet.
func connect(path string, with url.Values, most int) (*sql.DB, error) {
	at := url.URL{Scheme: "file", Path: path, OmitHost: true, RawQuery: with.Encode()}
	if filepath.VolumeName(path) != "" { // on Windows: C:\data is /C:/data in a URL
		at.Path = "/" + filepath.ToSlash(path)
	}
	from, err := newConnector(at.String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db := sql.OpenDB(from)
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	return db, nil
}

// checkSettings reads back what a crash of the machine would make one regret: SQLite
// passes over a setting that it cannot follow without a word.
func (s *Store) checkSettings(ctx context.Context) error {
	for _, setting := range []struct{ name, want string }{
		{"journal_mode", "wal"}, {"synchronous", "2"}, {"foreign_keys", "1"}, {"busy_timeout", "5000"},
	} {
		var got string
		if err := s.writer.QueryRowContext(ctx, "PRAGMA "+setting.name).Scan(&got); err != nil {
			return s.explain("open the store", err)
		}
		if !strings.EqualFold(got, setting.want) {
			return unavailable(s.path, "the database does not keep the setting "+setting.name,
				fmt.Errorf("%s is %q, not %q", setting.name, got, setting.want))
		}
	}
	return nil
}

// Exists reports whether a folder has a store. It creates nothing. An error has the code
// store.CodeUnavailable.
func Exists(dir string) (bool, error) {
	there, err := isFile(filepath.Join(dir, FileName))
	if err != nil {
		return false, unusable(dir, err)
	}
	return there, nil
}

// Read runs fn over the last committed state.
func (s *Store) Read(ctx context.Context, fn func(store.Tx) error) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.underWay.Done()
	return s.read(ctx, func(t tx) error { return fn(t) })
}

func (s *Store) read(ctx context.Context, fn func(tx) error) error {
	conn, err := s.reader.Conn(ctx)
	if err != nil {
		return s.explain("open the store", err)
	}
	defer conn.Close()
	if s.beforeRead != nil {
		if err := s.beforeRead(conn); err != nil {
			return s.explain("open the store", err)
		}
	}
	transaction, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return s.explain("begin", err)
	}
	defer transaction.Rollback()
	return fn(tx{store: s, db: transaction, query: dbsqlc.New(transaction), run: new(runNumber), readOnly: true})
}

// Write runs fn and commits. Another process that writes is waited for, up to 5 seconds.
func (s *Store) Write(ctx context.Context, fn func(store.Tx) error) error {
	return s.commit(&request{ctx: ctx, fn: fn})
}

// Trial runs fn as Write does, and always rolls back.
func (s *Store) Trial(ctx context.Context, fn func(store.Tx) error) error {
	return s.commit(&request{ctx: ctx, fn: fn, trial: true})
}

func (s *Store) commit(r *request) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.underWay.Done()
	return s.committer.do(r)
}

// enter counts a transaction in, unless the store is closed.
func (s *Store) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return unavailable(s.path, "it is closed", nil)
	}
	s.underWay.Add(1)
	return nil
}

// Close waits for the transactions under way and ends the store. Closing it again does
// nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	s.mu.Unlock()
	s.underWay.Wait()
	var errs []error
	if s.committer != nil && !again {
		errs = append(errs, s.heads.close())
		s.committer.close()
	}
	// The readers go first: the last connection to close puts the log into the database,
	// which a reader may not.
	for _, pool := range []*sql.DB{s.reader, s.writer} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	if err := errors.Join(errs...); err != nil {
		return s.explain("close the store", err)
	}
	return nil
}
