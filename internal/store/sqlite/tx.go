package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"

	"toolsmith/internal/consent"
	"toolsmith/internal/local"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite/dbsqlc"
	"toolsmith/internal/task"
)

// tx is one transaction; what it gives is the same transaction under other names.
type tx struct {
	store *Store
	// query has the statements that sqlc wrote; the others are given to db itself.
	query    *dbsqlc.Queries
	db       dbsqlc.DBTX
	run      *runNumber
	readOnly bool
}

func (t tx) Registry() registry.Store { return tools{t} }
func (t tx) Local() local.Shelf       { return shelf{t} }
func (t tx) Runs() store.RunMemory    { return runs{t} }
func (t tx) Graph() task.Store        { return graph{taskRuns{t}} }
func (t tx) Secrets() store.Secrets   { return secrets{t} }
func (t tx) Tokens() store.Tokens     { return tokens{t} }
func (t tx) Consent() consent.Store   { return answers{t} }

// fail explains an error of a statement; nil stays nil.
func (t tx) fail(doing string, err error) error {
	if err == nil {
		return nil
	}
	var failed *sqlite.Error
	if t.readOnly && errors.As(err, &failed) && failed.Code()&0xff == sqlitecode.SQLITE_READONLY {
		return fmt.Errorf("%s: this transaction only reads: %w", doing, err)
	}
	return t.store.explain(doing, err)
}

// found turns the error for no row into false.
func (t tx) found(doing string, err error) (bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, t.fail(doing, err)
}

// Times are kept as microseconds since 1970.

func micros(at time.Time) int64 { return at.UnixMicro() }

func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }

func microsOrNull(at *time.Time) sql.NullInt64 {
	if at == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: micros(*at), Valid: true}
}

func fromMicrosOrNull(n sql.NullInt64) *time.Time {
	if !n.Valid {
		return nil
	}
	at := fromMicros(n.Int64)
	return &at
}
