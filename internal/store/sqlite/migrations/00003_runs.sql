-- What runs of a tool leave for later runs of it.

-- +goose Up
CREATE TABLE states (
    tool_id        TEXT    NOT NULL,
    schema_version INTEGER NOT NULL,
    data           BLOB    NOT NULL,
    revision       INTEGER NOT NULL,
    PRIMARY KEY (tool_id, schema_version)
) STRICT;

CREATE TABLE breakers (
    tool_id    TEXT NOT NULL,
    capability TEXT NOT NULL,
    -- Times of the failures as a JSON array of microseconds, oldest first.
    failures   TEXT NOT NULL,
    opened_at  INTEGER,
    PRIMARY KEY (tool_id, capability)
) STRICT;

CREATE TABLE approvals (
    digest  TEXT    NOT NULL PRIMARY KEY,
    tool_id TEXT    NOT NULL,
    who     TEXT    NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
