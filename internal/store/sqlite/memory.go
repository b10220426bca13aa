package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"sync/atomic"
)

// inMemory stands for the path of a store that has none.
const inMemory = "in memory"

// OpenMemory makes an empty store that leaves nothing on disk and ends with Close. It
// behaves as a file does, except for what it survives.
//
// SQLite has no write-ahead log in memory, so a reader there would wait for the writer.
// Therefore the bytes of the database are taken after each commit, and a reader works on
// a copy of them. That is meant for the small stores of dry runs and tests.
func OpenMemory(ctx context.Context) (*Store, error) {
	s := &Store{path: inMemory}
	if err := s.openMemory(ctx); err != nil {
		_ = s.Close() // the reason why it cannot be made is what counts
		return nil, err
	}
	return s, nil
}

func (s *Store) openMemory(ctx context.Context) (err error) {
	if s.writer, err = connect(":memory:", memorySettings(true), 1); err != nil {
		return err
	}
	if err := s.migrate(ctx, s.writer); err != nil {
		return err
	}
	if s.reader, err = connect(":memory:", memorySettings(false), readers()); err != nil {
		return err
	}
	var committed atomic.Pointer[[]byte]
	s.afterWrite = func(conn *sql.Conn) error {
		return withImage(conn, func(database imager) error {
			image, err := database.Serialize()
			if err == nil {
				committed.Store(&image)
			}
			return err
		})
	}
	s.beforeRead = func(conn *sql.Conn) error {
		return withImage(conn, func(database imager) error { return database.Deserialize(*committed.Load()) })
	}
	first, err := s.writer.Conn(ctx)
	if err != nil {
		return s.explain("make the store", err)
	}
	defer first.Close()
	if err := s.afterWrite(first); err != nil {
		return s.explain("make the store", err)
	}
	s.committer = startCommitter(s) //nolint:contextcheck // it outlives this context
	return nil
}

// imager is a connection to SQLite whose database can be taken out as bytes and put in.
type imager interface {
	Serialize() ([]byte, error)
	Deserialize(image []byte) error
}

func withImage(conn *sql.Conn, fn func(imager) error) error {
	return conn.Raw(func(driver any) error {
		database, ok := driver.(imager)
		if !ok {
			return fmt.Errorf("%T cannot give its database as bytes", driver)
		}
		return fn(database)
	})
}

// memorySettings leaves out what a database in memory does not have.
func memorySettings(write bool) url.Values {
	kept := settings(write)
	kept.Del("_journal_mode")
	kept.Del("mode")
	return kept
}
