package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"sync"

	"modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"

	"toolsmith/internal/store/sqlite/dbsqlc"
)

// statements are what one function does in a transaction that it may share with others. They
// end with the function, though the transaction goes on.
//
// None is interrupted once it has begun, since SQLite then rolls back the transaction of
// all; the end of a context is seen before the next one.
type statements struct {
	ctx  context.Context // of the request
	conn *sql.Conn

	mu    sync.Mutex
	ended bool
	// failed is an error after which nobody knows what is left of the transaction. What came
	// after it would be committed at once, and by itself, if nothing is.
	failed error
}

var _ dbsqlc.DBTX = (*statements)(nil)

// end refuses all further statements, and gives the error after which nothing may be
// committed; nil for none.
func (s *statements) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	return s.failed
}

// refuse says why there may be no further statement; nil if there may.
func (s *statements) refuse(ctx context.Context) error {
	if s.ended {
		return sql.ErrTxDone
	}
	return cmp.Or(s.failed, s.ctx.Err(), ctx.Err())
}

// note keeps in mind an error that may have ended the transaction. One of a constraint, or
// in the text of a statement, has not.
func (s *statements) note(err error) {
	var failed *sqlite.Error
	if errors.As(err, &failed) {
		switch failed.Code() & 0xff {
		case sqlitecode.SQLITE_CONSTRAINT, sqlitecode.SQLITE_ERROR:
		default:
			s.failed = err
		}
	}
}

func (s *statements) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse(ctx); err != nil {
		return nil, err
	}
	result, err := s.conn.ExecContext(context.WithoutCancel(ctx), text, args...)
	s.note(err)
	return result, err
}

func (s *statements) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse(ctx); err != nil {
		return nil, err
	}
	rows, err := s.conn.QueryContext(context.WithoutCancel(ctx), text, args...) //nolint:sqlclosecheck // the caller closes them
	s.note(err)
	return rows, err
}

func (s *statements) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse(ctx); err != nil {
		return s.conn.QueryRowContext(refused{ctx, err}, text, args...) //nolint:contextcheck // it is within ctx
	}
	row := s.conn.QueryRowContext(context.WithoutCancel(ctx), text, args...)
	s.note(row.Err())
	return row
}

func (s *statements) PrepareContext(ctx context.Context, text string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refuse(ctx); err != nil {
		return nil, err
	}
	return s.conn.PrepareContext(ctx, text) //nolint:sqlclosecheck // the caller closes it
}

// refused is a context that has ended with an error of its own: only so can there be a row
// that gives it.
type refused struct {
	context.Context
	why error
}

func (r refused) Err() error { return r.why }

func (refused) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}
