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

-- name: PutVersion :exec
INSERT INTO versions (tool_id, version, text, digest, installed_at, installed_by)
VALUES (@tool_id, @version, @text, @digest, @installed_at, @installed_by);

-- name: DropVersions :exec
DELETE FROM versions WHERE tool_id = @tool_id;

-- name: AppendAudit :exec
INSERT INTO audit (at, who, action, tool_id, version, detail)
VALUES (@at, @who, @action, @tool_id, @version, @detail);

-- A limit below 0 is no limit.
-- name: AuditLines :many
SELECT * FROM audit ORDER BY seq DESC LIMIT @most;

-- name: AuditLinesOf :many
SELECT * FROM audit WHERE tool_id = @tool_id ORDER BY seq DESC LIMIT @most;
