-- What people have set, allowed and answered. Times are microseconds since 1970 in UTC.

-- +goose Up
-- One row. Its revision grows with every change of a permission, a grant or the stop.
CREATE TABLE consent_policy (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    revision   INTEGER NOT NULL,
    stopped_at INTEGER,
    stopped_by TEXT    NOT NULL
) STRICT;
INSERT INTO consent_policy (id, revision, stopped_at, stopped_by) VALUES (1, 1, NULL, '');

CREATE TABLE permissions (
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    permission TEXT NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
    id         TEXT    NOT NULL PRIMARY KEY,
    tool       TEXT    NOT NULL,
    version    TEXT    NOT NULL,
    approved   TEXT    NOT NULL,
    run        TEXT    NOT NULL,
    -- A JSON list.
    conditions TEXT    NOT NULL,
    expires_at INTEGER,
    who        TEXT    NOT NULL,
    place      TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

-- A yes to exactly one manifest is a grant for its version.
INSERT INTO grants (id, tool, version, approved, run, conditions, expires_at, who, place, at, revoked_at)
SELECT substr(upper(digest), 1, 26), 'dynamic:' || tool_id, digest, '', '', '[]', NULL, who, 'terminal', at, NULL
FROM approvals;
DROP TABLE approvals;

CREATE TABLE questions (
    id         TEXT    NOT NULL PRIMARY KEY,
    run        TEXT    NOT NULL,
    shape      TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    -- A JSON object with the rest.
    data       BLOB    NOT NULL
) STRICT;

CREATE INDEX questions_open ON questions (run, shape) WHERE state = 'open';
CREATE INDEX questions_newest ON questions (id) WHERE state = 'open';

CREATE TABLE asked_calls (
    run      TEXT    NOT NULL,
    seq      INTEGER NOT NULL,
    question TEXT    NOT NULL,
    digest   TEXT    NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
