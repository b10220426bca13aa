-- A store as it was before the audit was chained: its schema at version 5, and seven lines.

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

CREATE TRIGGER audit_keeps_lines BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit is append only');
END;

CREATE TRIGGER audit_keeps_text BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit is append only');
END;

-- INSERT OR REPLACE would delete a line without firing the trigger on deletions.
CREATE TRIGGER audit_only_adds BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'the audit is append only');
END;

CREATE TABLE notes (
    id             TEXT    NOT NULL PRIMARY KEY,
    title          TEXT    NOT NULL,
    content        TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    revision       INTEGER NOT NULL,
    title_folded   TEXT    NOT NULL,
    content_folded TEXT    NOT NULL
) STRICT;

CREATE TABLE tasks (
    id                 TEXT    NOT NULL PRIMARY KEY,
    title              TEXT    NOT NULL,
    description        TEXT    NOT NULL,
    status             TEXT    NOT NULL,
    priority           TEXT    NOT NULL,
    due_at             INTEGER,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    revision           INTEGER NOT NULL,
    title_folded       TEXT    NOT NULL,
    description_folded TEXT    NOT NULL
) STRICT;

CREATE INDEX tasks_by_status ON tasks (status, id);

-- num names a memory in memory_words; a bare rowid could change with VACUUM.
CREATE TABLE memories (
    num            INTEGER NOT NULL PRIMARY KEY,
    id             TEXT    NOT NULL UNIQUE,
    title          TEXT    NOT NULL,
    content        TEXT    NOT NULL,
    kind           TEXT    NOT NULL,
    archived       INTEGER NOT NULL CHECK (archived IN (0, 1)),
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    revision       INTEGER NOT NULL,
    title_folded   TEXT    NOT NULL,
    content_folded TEXT    NOT NULL
) STRICT;

CREATE INDEX memories_by_archived ON memories (archived, id);

-- The words of the active memories, without a copy of their text.
CREATE VIRTUAL TABLE memory_words USING fts5 (
    title, content,
    content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER memory_words_in AFTER INSERT ON memories
WHEN NEW.archived = 0
BEGIN
    INSERT INTO memory_words (rowid, title, content)
    VALUES (NEW.num, NEW.title_folded, NEW.content_folded);
END;

CREATE TRIGGER memory_words_out AFTER DELETE ON memories
WHEN OLD.archived = 0
BEGIN
    DELETE FROM memory_words WHERE rowid = OLD.num;
END;

-- One trigger does both, since the order of two on the same event is not defined.
CREATE TRIGGER memory_words_change AFTER UPDATE ON memories
BEGIN
    DELETE FROM memory_words WHERE rowid = OLD.num;
    INSERT INTO memory_words (rowid, title, content)
    SELECT NEW.num, NEW.title_folded, NEW.content_folded WHERE NEW.archived = 0;
END;

CREATE TABLE history (
    kind     TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    action   TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    before   BLOB,
    PRIMARY KEY (kind, id, revision)
) STRICT;

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

DROP INDEX run_tasks_by_id;
CREATE UNIQUE INDEX run_tasks_by_time ON run_tasks (created_at, id);

CREATE TABLE run_contents (
    run  INTEGER NOT NULL,
    id   BLOB    NOT NULL,
    type TEXT    NOT NULL,
    data BLOB    NOT NULL,
    PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE goose_db_version (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    version_id INTEGER NOT NULL,
    is_applied INTEGER NOT NULL,
    tstamp TIMESTAMP DEFAULT (datetime('now'))
);
INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1);

INSERT INTO tools VALUES ('keep', 2, 1, 'keep', 1764400000000006);
INSERT INTO audit (seq, at, who, action, tool_id, version, detail) VALUES
    (1, 1764400000000001, 'ada', 'approve', 'keep', 1, 'may run as it is, sha256 0123456789ab'),
    (2, 1764400000000002, 'ada', 'install', 'keep', 1, 'new'),
    (3, 1764400000000003, 'ada', 'enable', 'keep', 1, ''),
    (4, 1764400000000004, 'bob', 'install', 'keep', 2, 'version 1 → 2'),
    (5, 1764400000000005, 'bob', 'enable', 'keep', 2, ''),
    (6, 1764400000000006, 'bob', 'install', 'other', 1, 'new'),
    (7, 1764400000000007, 'bob', 'remove', 'other', 1, '');
