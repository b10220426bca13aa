-- Ids of tasks and contents are hashes, and an index on hashes alone is touched all over: with
-- ten million tasks kept, each step wrote four pages of its own. Now tasks are unique by their
-- time and id, the time being part of what the id is made of, and contents lie with their run,
-- but for the large ones, which are kept once for all runs.

-- +goose Up
DROP INDEX run_tasks_by_id;
CREATE UNIQUE INDEX run_tasks_by_time ON run_tasks (created_at, id);

CREATE TABLE run_contents (
    run  INTEGER NOT NULL,
    id   BLOB    NOT NULL,
    type TEXT    NOT NULL,
    data BLOB    NOT NULL,
    PRIMARY KEY (run, id)
) STRICT, WITHOUT ROWID;
