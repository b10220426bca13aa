-- name: PutSecret :exec
INSERT INTO secrets (namespace, name, header, prefix, sealed, key_id, set_at, set_by)
VALUES (@namespace, @name, @header, @prefix, @sealed, @key_id, @set_at, @set_by)
ON CONFLICT (namespace, name) DO UPDATE SET
    header = excluded.header, prefix = excluded.prefix, sealed = excluded.sealed, key_id = excluded.key_id,
    set_at = excluded.set_at, set_by = excluded.set_by;

-- name: Secret :one
SELECT * FROM secrets WHERE namespace = @namespace AND name = @name;

-- name: SecretsOf :many
SELECT namespace, name, header, prefix, key_id, set_at, set_by FROM secrets
WHERE namespace = @namespace ORDER BY name;

-- name: Secrets :many
SELECT namespace, name, header, prefix, key_id, set_at, set_by FROM secrets
ORDER BY namespace, name;

-- name: DeleteSecret :execrows
DELETE FROM secrets WHERE namespace = @namespace AND name = @name;

-- name: DeleteSecretsOf :execrows
DELETE FROM secrets WHERE namespace = @namespace;

-- name: CountSecrets :one
SELECT count(*) FROM secrets;

-- name: SecretFolder :one
SELECT id FROM secret_folder;
