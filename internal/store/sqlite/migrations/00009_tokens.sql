-- Tokens of programs. What is kept is a hash, so that nobody who reads this can use one.

-- +goose Up
CREATE TABLE tokens (
    name     TEXT    NOT NULL PRIMARY KEY,
    hash     TEXT    NOT NULL UNIQUE,
    -- A JSON list of the tools that it may call; null for all.
    tools    TEXT    NOT NULL,
    added_at INTEGER NOT NULL,
    added_by TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
