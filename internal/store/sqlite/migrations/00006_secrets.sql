-- Secrets, each sealed by itself: only names, and how a credential is attached to a request,
-- can be read here. The namespace says whose they are.

-- +goose Up
CREATE TABLE secrets (
    namespace TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    header    TEXT    NOT NULL,
    prefix    TEXT    NOT NULL,
    sealed    BLOB    NOT NULL,
    key_id    TEXT    NOT NULL,
    set_at    INTEGER NOT NULL,
    set_by    TEXT    NOT NULL,
    PRIMARY KEY (namespace, name)
) STRICT;

-- By this id the key of the secrets is found in the keyring of the system. It is that of the
-- store, so it stays when the folder is moved.
CREATE TABLE secret_folder (
    id TEXT NOT NULL PRIMARY KEY
) STRICT;

INSERT INTO secret_folder (id) VALUES (lower(hex(randomblob(16))));
