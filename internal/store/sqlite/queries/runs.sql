-- name: State :one
SELECT data, revision FROM states WHERE tool_id = @tool_id AND schema_version = @schema_version;

-- name: AddState :execrows
INSERT INTO states (tool_id, schema_version, data, revision)
VALUES (@tool_id, @schema_version, @data, 1)
ON CONFLICT DO NOTHING;

-- name: ReplaceState :execrows
UPDATE states SET data = @data, revision = revision + 1
WHERE tool_id = @tool_id AND schema_version = @schema_version AND revision = @expected;

-- name: DropState :exec
DELETE FROM states WHERE tool_id = @tool_id;

-- name: Breaker :one
SELECT failures, opened_at FROM breakers WHERE tool_id = @tool_id AND capability = @capability;

-- name: PutBreaker :exec
INSERT INTO breakers (tool_id, capability, failures, opened_at)
VALUES (@tool_id, @capability, @failures, @opened_at)
ON CONFLICT (tool_id, capability) DO UPDATE SET
    failures = excluded.failures, opened_at = excluded.opened_at;

-- name: DropBreakers :exec
DELETE FROM breakers WHERE tool_id = @tool_id;
