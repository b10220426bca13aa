-- A call can be asked about more than once: whether it may run, and whatever its tool asks for.

-- +goose Up
CREATE TABLE asked (
    run      TEXT    NOT NULL,
    seq      INTEGER NOT NULL,
    -- What is asked for within the call; '' for whether it may run.
    part     TEXT    NOT NULL,
    question TEXT    NOT NULL,
    digest   TEXT    NOT NULL,
    PRIMARY KEY (run, seq, part)
) STRICT, WITHOUT ROWID;

INSERT INTO asked (run, seq, part, question, digest)
SELECT run, seq, '', question, digest FROM asked_calls;
DROP TABLE asked_calls;
