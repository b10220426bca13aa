-- name: Memory :one
SELECT id, title, content, kind, archived, created_at, updated_at, revision
FROM memories WHERE id = @id;

-- name: PutMemory :exec
INSERT INTO memories (id, title, content, kind, archived, created_at, updated_at, revision,
    title_folded, content_folded)
VALUES (@id, @title, @content, @kind, @archived, @created_at, @updated_at, @revision,
    @title_folded, @content_folded)
ON CONFLICT (id) DO UPDATE SET
    title = excluded.title, content = excluded.content, kind = excluded.kind, archived = excluded.archived,
    created_at = excluded.created_at, updated_at = excluded.updated_at, revision = excluded.revision,
    title_folded = excluded.title_folded, content_folded = excluded.content_folded;

-- name: RemoveMemory :exec
DELETE FROM memories WHERE id = @id;

-- name: ListMemories :many
SELECT id, title, content, kind, archived, created_at, updated_at, revision
FROM memories
WHERE id >= @low AND id < @high
    AND (instr(title_folded, @contains) > 0 OR instr(content_folded, @contains) > 0)
ORDER BY id DESC LIMIT @most;

-- name: ListActiveMemories :many
SELECT id, title, content, kind, archived, created_at, updated_at, revision
FROM memories
WHERE archived = 0 AND id < @high
    AND (instr(title_folded, @contains) > 0 OR instr(content_folded, @contains) > 0)
ORDER BY id DESC LIMIT @most;

-- name: CountMemories :one
SELECT count(*) FROM memories;

-- name: CountActiveMemories :one
SELECT count(*) FROM memories WHERE archived = 0;

-- name: CountMemoriesContaining :one
SELECT count(*) FROM memories
WHERE instr(title_folded, @contains) > 0 OR instr(content_folded, @contains) > 0;

-- name: CountActiveMemoriesContaining :one
SELECT count(*) FROM memories
WHERE archived = 0 AND (instr(title_folded, @contains) > 0 OR instr(content_folded, @contains) > 0);
