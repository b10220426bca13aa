package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"toolsmith/internal/store"
	"toolsmith/tool"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrate brings a database up to date.
func (s *Store) migrate(ctx context.Context, db *sql.DB) error {
	err := s.applyMigrations(ctx, db)
	if err == nil {
		return nil
	}
	err = s.explain("bring the store up to date", err)
	if tool.Code(err) == "" && ctx.Err() == nil {
		err = unavailable(s.path, "it cannot be brought up to date", err)
	}
	return err
}

// applyMigrations applies what is not applied yet. Another process may be doing the
// same: each migration is one transaction, so where one fails because the other was
// quicker, the version has gone up, and the next look starts from there.
func (s *Store) applyMigrations(ctx context.Context, db *sql.DB) error {
	migrations, err := migrationsOf(db)
	if err != nil {
		return err
	}
	var failed error
	for previous := int64(-1); ; {
		current, newest, err := migrations.GetVersions(ctx)
		switch {
		case err != nil:
			return err
		case current > newest:
			return &tool.Error{Code: store.CodeNewer, Message: fmt.Sprintf(
				"The store %s was written by a newer version of Toolsmith (format %d; this version knows %d). Use that version.",
				s.path, current, newest)}
		case current == newest:
			return nil
		case current == previous:
			return failed
		}
		previous = current
		_, failed = migrations.Up(ctx)
	}
}

func migrationsOf(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, db, files,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
}
