-- name: Tool :one
SELECT * FROM tools WHERE id = @id;

-- name: Tools :many
SELECT * FROM tools ORDER BY id;

-- name: PutTool :exec
INSERT INTO tools (id, active, enabled, name_key, changed_at)
VALUES (@id, @active, @enabled, @name_key, @changed_at)
ON CONFLICT (id) DO UPDATE SET
    active = excluded.active, enabled = excluded.enabled,
    name_key = excluded.name_key, changed_at = excluded.changed_at;

-- name: DeleteTool :exec
DELETE FROM tools WHERE id = @id;

-- name: Versions :many
SELECT * FROM versions WHERE tool_id = @tool_id ORDER BY version DESC;

-- name: VersionNumbered :many
SELECT * FROM versions WHERE tool_id = @tool_id AND version = @version;

-- name: PutVersion :exec
INSERT INTO versions (tool_id, version, text, digest, installed_at, installed_by)
VALUES (@tool_id, @version, @text, @digest, @installed_at, @installed_by);

-- name: DropVersions :exec
DELETE FROM versions WHERE tool_id = @tool_id;

-- name: AppendAudit :exec
INSERT INTO audit (seq, at, who, origin, action, tool_id, version, detail, data, hash)
VALUES (@seq, @at, @who, @origin, @action, @tool_id, @version, @detail, @data, @hash);

-- A limit below 0 is no limit.
-- name: AuditLines :many
SELECT seq, at, who, action, tool_id, version, detail, origin, data
FROM audit ORDER BY seq DESC LIMIT @most;

-- name: AuditLinesOf :many
SELECT seq, at, who, action, tool_id, version, detail, origin, data
FROM audit WHERE tool_id = @tool_id ORDER BY seq DESC LIMIT @most;

-- name: AuditBefore :many
SELECT seq, at, who, action, tool_id, version, detail, origin, data
FROM audit WHERE seq < @before ORDER BY seq DESC LIMIT @most;

-- name: AuditBeforeOf :many
SELECT seq, at, who, action, tool_id, version, detail, origin, data
FROM audit WHERE tool_id = @tool_id AND seq < @before ORDER BY seq DESC LIMIT @most;

-- name: AuditChain :many
SELECT * FROM audit WHERE seq > @after ORDER BY seq LIMIT @most;

-- name: AuditHash :one
SELECT hash FROM audit WHERE seq = @seq;

-- name: AuditHead :one
SELECT * FROM audit_head WHERE id = 1;

-- name: AuditEnd :one
SELECT count, hash, first, CAST((SELECT coalesce(max(seq), 0) FROM audit) AS INTEGER) AS newest
FROM audit_head WHERE id = 1;

-- name: MoveAuditHead :exec
UPDATE audit_head SET count = @count, hash = @hash, at = @at, first = @first WHERE id = 1;

-- name: SetAuditFiled :exec
UPDATE audit_head SET filed = 1 WHERE id = 1;
