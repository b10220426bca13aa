-- The audit as a chain: each line has the hash of itself and the line before it. Lines from
-- before have none; the first one that has covers them too.

-- +goose Up
ALTER TABLE audit ADD COLUMN origin TEXT NOT NULL DEFAULT '';
-- JSON text, or empty.
ALTER TABLE audit ADD COLUMN data TEXT NOT NULL DEFAULT '' CHECK (data = '' OR json_valid(data));
ALTER TABLE audit ADD COLUMN hash BLOB CHECK (length(hash) = 32);

-- The one row says where the chain ends. hash is NULL until the first line is chained.
CREATE TABLE audit_head (
    id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    -- The number of the newest line.
    count INTEGER NOT NULL,
    hash  BLOB CHECK (length(hash) = 32),
    -- The time of the newest line that has a hash.
    at    INTEGER NOT NULL,
    -- The first line that has a hash; 0 for none.
    first INTEGER NOT NULL,
    -- A head was written into a file once.
    filed INTEGER NOT NULL CHECK (filed IN (0, 1)),
    CHECK ((hash IS NULL) = (first = 0))
) STRICT;

INSERT INTO audit_head (id, count, hash, at, first, filed)
SELECT 1, coalesce(max(seq), 0), NULL, 0, 0, 0 FROM audit;

-- +goose StatementBegin
CREATE TRIGGER audit_only_chains BEFORE INSERT ON audit
WHEN NEW.hash IS NULL
BEGIN
    SELECT RAISE(ABORT, 'the audit is append only: a line needs its hash');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_head_stays BEFORE DELETE ON audit_head
BEGIN
    SELECT RAISE(ABORT, 'the head of the audit only moves on');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_head_is_one BEFORE INSERT ON audit_head
BEGIN
    SELECT RAISE(ABORT, 'the head of the audit only moves on');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_head_moves_on BEFORE UPDATE ON audit_head
WHEN NEW.id <> OLD.id
    OR NEW.count < OLD.count
    OR NEW.count = OLD.count AND (NEW.hash IS NOT OLD.hash OR NEW.at <> OLD.at)
    OR NEW.first <> OLD.first AND OLD.first <> 0
    OR NEW.filed < OLD.filed
BEGIN
    SELECT RAISE(ABORT, 'the head of the audit only moves on');
END;
-- +goose StatementEnd
