-- name: Note :one
SELECT id, title, content, created_at, updated_at, revision
FROM notes WHERE id = @id;

-- name: PutNote :exec
INSERT INTO notes (id, title, content, created_at, updated_at, revision, title_folded, content_folded)
VALUES (@id, @title, @content, @created_at, @updated_at, @revision, @title_folded, @content_folded)
ON CONFLICT (id) DO UPDATE SET
    title = excluded.title, content = excluded.content,
    created_at = excluded.created_at, updated_at = excluded.updated_at, revision = excluded.revision,
    title_folded = excluded.title_folded, content_folded = excluded.content_folded;

-- name: RemoveNote :exec
DELETE FROM notes WHERE id = @id;

-- An empty text is in every text, so it finds all.
-- name: ListNotes :many
SELECT id, title, content, created_at, updated_at, revision
FROM notes
WHERE id >= @low AND id < @high
    AND (instr(title_folded, @contains) > 0 OR instr(content_folded, @contains) > 0)
ORDER BY id DESC LIMIT @most;

-- name: CountNotes :one
SELECT count(*) FROM notes;

-- name: CountNotesContaining :one
SELECT count(*) FROM notes
WHERE instr(title_folded, @contains) > 0 OR instr(content_folded, @contains) > 0;
