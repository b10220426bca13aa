-- Runs as graphs of tasks. Ids of tasks and contents are SHA-256 as 32 bytes.
-- A run has a number, and its tasks and executions lie together in the order of that and of
-- their own numbers: what is added or read together is together on the disk, however much
-- else is kept. No foreign keys: only the driver writes here, and they would cost a look-up
-- for each row.

-- +goose Up
CREATE TABLE runs (
    num             INTEGER NOT NULL PRIMARY KEY,
    id              TEXT    NOT NULL UNIQUE,
    title           TEXT    NOT NULL,
    caller          TEXT    NOT NULL,
    call_key        TEXT    NOT NULL,
    digest          TEXT    NOT NULL,
    entry           TEXT    NOT NULL,
    pin             INTEGER NOT NULL,
    -- How many files it was given.
    files           INTEGER NOT NULL,
    -- A JSON object.
    limits          TEXT    NOT NULL,
    owner           TEXT    NOT NULL,
    status          TEXT    NOT NULL,
    -- The three of a failure are NULL together; details, which are JSON, also by themselves.
    failure_code    TEXT,
    failure_message TEXT,
    failure_details BLOB,
    created_at      INTEGER NOT NULL,
    settled_at      INTEGER,
    cancelled_at    INTEGER,
    tasks           INTEGER NOT NULL,
    errors          INTEGER NOT NULL,
    from_task       BLOB
) STRICT;

CREATE UNIQUE INDEX runs_by_key ON runs (caller, call_key) WHERE call_key <> '';

-- What is not settled is little, whatever is kept beside it.
CREATE INDEX runs_unsettled ON runs (id) WHERE settled_at IS NULL;
CREATE INDEX runs_unsettled_by_owner ON runs (owner, id) WHERE settled_at IS NULL;

-- Manifests that runs were given, each kept once.
CREATE TABLE files (
    num    INTEGER NOT NULL PRIMARY KEY,
    digest BLOB    NOT NULL UNIQUE,
    data   BLOB    NOT NULL
) STRICT;

CREATE TABLE run_files (
    run  INTEGER NOT NULL,
    name TEXT    NOT NULL,
    file INTEGER NOT NULL,
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE contents (
    num  INTEGER NOT NULL PRIMARY KEY,
    id   BLOB    NOT NULL UNIQUE,
    type TEXT    NOT NULL,
    data BLOB    NOT NULL
) STRICT;

CREATE TABLE run_tasks (
    run        INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    id         BLOB    NOT NULL,
    content    BLOB    NOT NULL,
    prior      BLOB,
    parent     BLOB,
    -- In milliseconds, as it is in the id.
    created_at INTEGER NOT NULL,
    role       TEXT    NOT NULL,
    type       TEXT    NOT NULL,
    branch     INTEGER NOT NULL,
    depth      INTEGER NOT NULL,
    name       TEXT    NOT NULL,
    run_on     TEXT    NOT NULL,
    step       TEXT    NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX run_tasks_by_id ON run_tasks (id);

CREATE TABLE run_executions (
    run         INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    state       TEXT    NOT NULL,
    why         TEXT    NOT NULL,
    attempts    INTEGER NOT NULL,
    wake_at     INTEGER,
    started_at  INTEGER,
    finished_at INTEGER,
    worker      TEXT    NOT NULL,
    arguments   BLOB,
    granted     TEXT    NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
