-- name: AddRun :one
INSERT INTO runs (id, title, caller, call_key, digest, entry, pin, files, limits, owner, status,
    failure_code, failure_message, failure_details, created_at, settled_at, cancelled_at, tasks, errors, from_task)
VALUES (@id, @title, @caller, @call_key, @digest, @entry, @pin, @files, @limits, @owner, @status,
    @failure_code, @failure_message, @failure_details, @created_at, @settled_at, @cancelled_at, @tasks, @errors, @from_task)
RETURNING num;

-- name: PutFile :exec
INSERT INTO files (digest, data) VALUES (@digest, @data)
ON CONFLICT (digest) DO NOTHING;

-- name: AddRunFile :exec
INSERT INTO run_files (run, name, file)
SELECT @run, @name, files.num FROM files WHERE files.digest = @digest;

-- name: RunFiles :many
SELECT run_files.name, files.data FROM run_files JOIN files ON files.num = run_files.file
WHERE run_files.run = @run;

-- That it was asked to stop is never taken back, since the owner may not have heard of it
-- yet, and no number of a task is given out twice.
-- name: PutRun :execrows
UPDATE runs SET
    status = @status,
    failure_code = @failure_code, failure_message = @failure_message, failure_details = @failure_details,
    settled_at = @settled_at, cancelled_at = coalesce(cancelled_at, @cancelled_at),
    tasks = max(tasks, @tasks), errors = @errors
WHERE id = @id AND owner = @owner;

-- name: Run :one
SELECT * FROM runs WHERE id = @id;

-- name: RunByKey :one
SELECT * FROM runs WHERE caller = @caller AND call_key = @call_key AND call_key <> '';

-- An owner and a caller of '' are any, and a limit below 0 is no limit.
-- name: ListRuns :many
SELECT * FROM runs
WHERE id >= @low AND id < @high AND (CAST(@owner AS TEXT) = '' OR owner = @owner) AND (CAST(@caller AS TEXT) = '' OR caller = @caller)
ORDER BY id DESC LIMIT @most;

-- name: ListUnsettledRuns :many
SELECT * FROM runs INDEXED BY runs_unsettled
WHERE settled_at IS NULL AND id >= @low AND id < @high AND (CAST(@caller AS TEXT) = '' OR caller = @caller)
ORDER BY id DESC LIMIT @most;

-- name: ListUnsettledRunsOf :many
SELECT * FROM runs INDEXED BY runs_unsettled_by_owner
WHERE settled_at IS NULL AND owner = @owner AND id >= @low AND id < @high AND (CAST(@caller AS TEXT) = '' OR caller = @caller)
ORDER BY id DESC LIMIT @most;

-- name: TakeRuns :many
UPDATE runs SET owner = @new_owner
WHERE settled_at IS NULL AND owner = @old_owner
RETURNING id;

-- name: RunOwners :many
SELECT DISTINCT owner FROM runs INDEXED BY runs_unsettled_by_owner
WHERE settled_at IS NULL ORDER BY owner;

-- name: AskCancel :exec
UPDATE runs SET cancelled_at = @at WHERE id = @id AND cancelled_at IS NULL;

-- name: ReserveTasks :one
UPDATE runs SET tasks = tasks + @count WHERE id = @id AND owner = @owner
RETURNING num, tasks;

-- name: OwnedRun :one
SELECT num, tasks FROM runs WHERE id = @id AND owner = @owner;

-- name: RunNumber :one
SELECT num FROM runs WHERE id = @id;
