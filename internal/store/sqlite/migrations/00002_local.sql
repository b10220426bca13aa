-- The person's notes, tasks and memories, and what was done to them.
-- Ids are ULIDs, so their order is the order of creation. The folded columns hold what
-- texts are compared by, since SQLite itself folds ASCII only.

-- +goose Up
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

-- +goose StatementBegin
CREATE TRIGGER memory_words_in AFTER INSERT ON memories
WHEN NEW.archived = 0
BEGIN
    INSERT INTO memory_words (rowid, title, content)
    VALUES (NEW.num, NEW.title_folded, NEW.content_folded);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER memory_words_out AFTER DELETE ON memories
WHEN OLD.archived = 0
BEGIN
    DELETE FROM memory_words WHERE rowid = OLD.num;
END;
-- +goose StatementEnd

-- One trigger does both, since the order of two on the same event is not defined.
-- +goose StatementBegin
CREATE TRIGGER memory_words_change AFTER UPDATE ON memories
BEGIN
    DELETE FROM memory_words WHERE rowid = OLD.num;
    INSERT INTO memory_words (rowid, title, content)
    SELECT NEW.num, NEW.title_folded, NEW.content_folded WHERE NEW.archived = 0;
END;
-- +goose StatementEnd

CREATE TABLE history (
    kind     TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    revision INTEGER NOT NULL,
    action   TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    before   BLOB,
    PRIMARY KEY (kind, id, revision)
) STRICT;
