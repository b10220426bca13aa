-- name: AppendHistory :exec
INSERT INTO history (kind, id, revision, action, at, before)
VALUES (@kind, @id, @revision, @action, @at, @before);

-- name: HistoryEntry :one
SELECT * FROM history WHERE kind = @kind AND id = @id AND revision = @revision;

-- name: LatestHistory :one
SELECT * FROM history WHERE kind = @kind AND id = @id ORDER BY revision DESC LIMIT 1;

-- name: HistoryIDs :many
SELECT DISTINCT id FROM history WHERE kind = @kind AND id >= @low AND id < @high
ORDER BY id DESC LIMIT @most;
