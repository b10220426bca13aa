package sqlite

import (
	"errors"
	"fmt"
	"io/fs"

	"modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"

	"toolsmith/internal/store"
	"toolsmith/tool"
)

// unavailable says that the store at path cannot be used, and why.
func unavailable(path, why string, cause error) error {
	return &tool.Error{
		Code:    store.CodeUnavailable,
		Message: fmt.Sprintf("The store %s cannot be used: %s.", path, why),
		Cause:   cause,
	}
}

// unusable says that a data folder cannot be used, and what the system says of it.
func unusable(dir string, cause error) error {
	why := cause.Error()
	var at *fs.PathError
	if errors.As(cause, &at) {
		why = at.Path + ": " + at.Err.Error()
	}
	return &tool.Error{
		Code:    store.CodeUnavailable,
		Message: fmt.Sprintf("The data folder %s cannot be used: %s.", dir, why),
		Cause:   cause,
	}
}

// isTaken reports whether an error of the database says that there is a row of that key.
func isTaken(err error) bool {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return false
	}
	code := failed.Code()
	return code == sqlitecode.SQLITE_CONSTRAINT_PRIMARYKEY || code == sqlitecode.SQLITE_CONSTRAINT_UNIQUE
}

// explain gives an error of the database the code and the words that it deserves.
// doing says what failed.
func (s *Store) explain(doing string, err error) error {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if isTaken(err) {
		return fmt.Errorf("%s: %w: %w", doing, store.ErrExists, err)
	}
	cause := fmt.Errorf("%s: %w", doing, err)
	switch failed.Code() & 0xff { // the lowest byte is the kind, the others tell more
	case sqlitecode.SQLITE_BUSY, sqlitecode.SQLITE_LOCKED:
		return &tool.Error{
			Code:    store.CodeBusy,
			Message: fmt.Sprintf("Another process has held the store %s for too long. Try again.", s.path),
			Cause:   cause,
		}
	case sqlitecode.SQLITE_FULL:
		return unavailable(s.path, "the disk is full", cause)
	case sqlitecode.SQLITE_READONLY:
		return unavailable(s.path, "it is read-only", cause)
	case sqlitecode.SQLITE_CANTOPEN, sqlitecode.SQLITE_PERM, sqlitecode.SQLITE_AUTH:
		return unavailable(s.path, "it cannot be opened", cause)
	case sqlitecode.SQLITE_IOERR, sqlitecode.SQLITE_NOLFS, sqlitecode.SQLITE_PROTOCOL:
		return unavailable(s.path, "the disk or its driver failed", cause)
	case sqlitecode.SQLITE_NOTADB, sqlitecode.SQLITE_CORRUPT:
		return unavailable(s.path, "the file is damaged, or is not a store", cause)
	}
	return cause
}
