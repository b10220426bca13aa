-- name: PolicyRevision :one
SELECT revision FROM consent_policy WHERE id = 1;

-- name: PolicyRow :one
SELECT * FROM consent_policy WHERE id = 1;

-- name: Permissions :many
SELECT kind, name, permission FROM permissions ORDER BY kind, name;

-- name: PutPermission :exec
INSERT INTO permissions (kind, name, permission) VALUES (@kind, @name, @permission)
ON CONFLICT (kind, name) DO UPDATE SET permission = excluded.permission;

-- name: DropPermission :exec
DELETE FROM permissions WHERE kind = @kind AND name = @name;

-- name: RaisePolicy :exec
UPDATE consent_policy SET revision = revision + 1 WHERE id = 1;

-- name: PutStopped :exec
UPDATE consent_policy SET stopped_at = @stopped_at, stopped_by = @stopped_by WHERE id = 1;

-- name: AddGrant :exec
INSERT INTO grants (id, tool, version, approved, run, conditions, expires_at, who, place, at, revoked_at)
VALUES (@id, @tool, @version, @approved, @run, @conditions, @expires_at, @who, @place, @at, @revoked_at);

-- name: Grants :many
SELECT * FROM grants ORDER BY id DESC;

-- name: RevokeGrant :execrows
UPDATE grants SET revoked_at = @revoked_at WHERE id = @id AND revoked_at IS NULL;

-- name: PutQuestion :exec
INSERT INTO questions (id, run, shape, state, data) VALUES (@id, @run, @shape, @state, @data)
ON CONFLICT (id) DO UPDATE SET state = excluded.state, data = excluded.data;

-- name: Question :one
SELECT state, data FROM questions WHERE id = @id;

-- name: OpenQuestion :one
SELECT state, data FROM questions INDEXED BY questions_open
WHERE run = @run AND shape = @shape AND shape <> '' AND state = 'open'
LIMIT 1;

-- name: ListQuestions :many
SELECT state, data FROM questions ORDER BY id DESC LIMIT @most;

-- name: ListOpenQuestions :many
SELECT questions.state, questions.data FROM questions INDEXED BY questions_newest
WHERE questions.state = 'open'
    AND EXISTS (SELECT 1 FROM runs WHERE runs.id = questions.run AND runs.settled_at IS NULL)
ORDER BY questions.id DESC LIMIT @most;

-- name: CloseQuestions :exec
UPDATE questions SET state = 'closed' WHERE state = 'open' AND run = @run;

-- name: CloseAllQuestions :exec
UPDATE questions SET state = 'closed' WHERE state = 'open';

-- name: PutAsked :exec
INSERT INTO asked (run, seq, part, question, digest) VALUES (@run, @seq, @part, @question, @digest)
ON CONFLICT (run, seq, part) DO UPDATE SET question = excluded.question, digest = excluded.digest;

-- name: Asked :one
SELECT question, digest FROM asked WHERE run = @run AND seq = @seq AND part = @part;
