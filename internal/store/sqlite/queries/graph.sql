-- name: RunTasks :many
SELECT * FROM run_tasks WHERE run = (SELECT num FROM runs WHERE runs.id = @run) ORDER BY seq;

-- name: RunExecutions :many
SELECT * FROM run_executions WHERE run = (SELECT num FROM runs WHERE runs.id = @run) ORDER BY seq;

-- name: RunContents :many
SELECT id, type, data FROM run_contents
WHERE run = (SELECT num FROM runs WHERE runs.id = @run) AND run_contents.id IN (sqlc.slice('ids'));

-- name: LargeContents :many
SELECT id, type, data FROM contents WHERE id IN (sqlc.slice('ids'));

-- name: RunTask :one
SELECT sqlc.embed(run_tasks), runs.id AS run_id
FROM run_tasks JOIN runs ON runs.num = run_tasks.run
WHERE run_tasks.created_at = @created_at AND run_tasks.id = @id;
