-- name: AddToken :execrows
INSERT INTO tokens (name, hash, tools, added_at, added_by) VALUES (@name, @hash, @tools, @added_at, @added_by)
ON CONFLICT (name) DO NOTHING;

-- name: TokenByHash :one
SELECT * FROM tokens WHERE hash = @hash;

-- name: Tokens :many
SELECT * FROM tokens ORDER BY name;

-- name: DeleteToken :execrows
DELETE FROM tokens WHERE name = @name;
