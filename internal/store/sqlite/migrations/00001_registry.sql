-- The installed tools, their versions and the audit.
-- All times are microseconds since 1970 in UTC.

-- +goose Up
CREATE TABLE tools (
    id         TEXT    NOT NULL PRIMARY KEY,
    active     INTEGER NOT NULL,
    enabled    INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    name_key   TEXT    NOT NULL UNIQUE,
    changed_at INTEGER NOT NULL
) STRICT;

-- Versions outlive the row of their tool, so they do not refer to it.
CREATE TABLE versions (
    tool_id      TEXT    NOT NULL,
    version      INTEGER NOT NULL,
    text         BLOB    NOT NULL,
    digest       TEXT    NOT NULL,
    installed_at INTEGER NOT NULL,
    installed_by TEXT    NOT NULL,
    PRIMARY KEY (tool_id, version)
) STRICT;

-- AUTOINCREMENT never gives a number twice, even if the newest line were lost.
CREATE TABLE audit (
    seq     INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    who     TEXT    NOT NULL,
    action  TEXT    NOT NULL,
    tool_id TEXT    NOT NULL,
    version INTEGER NOT NULL,
    detail  TEXT    NOT NULL
) STRICT;

CREATE INDEX audit_by_tool ON audit (tool_id, seq);

-- +goose StatementBegin
CREATE TRIGGER audit_keeps_lines BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit is append only');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_keeps_text BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit is append only');
END;
-- +goose StatementEnd

-- INSERT OR REPLACE would delete a line without firing the trigger on deletions.
-- +goose StatementBegin
CREATE TRIGGER audit_only_adds BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'the audit is append only');
END;
-- +goose StatementEnd
