-- name: Task :one
SELECT id, title, description, status, priority, due_at, created_at, updated_at, revision
FROM tasks WHERE id = @id;

-- name: PutTask :exec
INSERT INTO tasks (id, title, description, status, priority, due_at, created_at, updated_at, revision,
    title_folded, description_folded)
VALUES (@id, @title, @description, @status, @priority, @due_at, @created_at, @updated_at, @revision,
    @title_folded, @description_folded)
ON CONFLICT (id) DO UPDATE SET
    title = excluded.title, description = excluded.description,
    status = excluded.status, priority = excluded.priority, due_at = excluded.due_at,
    created_at = excluded.created_at, updated_at = excluded.updated_at, revision = excluded.revision,
    title_folded = excluded.title_folded, description_folded = excluded.description_folded;

-- name: RemoveTask :exec
DELETE FROM tasks WHERE id = @id;

-- name: ListTasks :many
SELECT id, title, description, status, priority, due_at, created_at, updated_at, revision
FROM tasks
WHERE id >= @low AND id < @high
    AND (instr(title_folded, @contains) > 0 OR instr(description_folded, @contains) > 0)
ORDER BY id DESC LIMIT @most;

-- name: ListTasksWithStatus :many
SELECT id, title, description, status, priority, due_at, created_at, updated_at, revision
FROM tasks
WHERE status = @status AND id < @high
    AND (instr(title_folded, @contains) > 0 OR instr(description_folded, @contains) > 0)
ORDER BY id DESC LIMIT @most;

-- name: CountTasks :one
SELECT count(*) FROM tasks;

-- name: CountTasksWithStatus :one
SELECT count(*) FROM tasks WHERE status = @status;

-- name: CountTasksContaining :one
SELECT count(*) FROM tasks
WHERE instr(title_folded, @contains) > 0 OR instr(description_folded, @contains) > 0;

-- name: CountTasksWithStatusContaining :one
SELECT count(*) FROM tasks
WHERE status = @status AND (instr(title_folded, @contains) > 0 OR instr(description_folded, @contains) > 0);
