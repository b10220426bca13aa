package sqlite

import (
	"context"
	"strings"

	"toolsmith/internal/local"
	"toolsmith/internal/store/sqlite/dbsqlc"
)

// memories keeps memories, and finds them by their words.
type memories struct{ tx }

func (m memories) Get(ctx context.Context, id string) (local.Memory, bool, error) {
	row, err := m.query.Memory(ctx, id)
	ok, err := m.found("read the memory", err)
	if !ok {
		return local.Memory{}, false, err
	}
	return memoryOf(dbsqlc.ListMemoriesRow(row)), true, nil
}

func memoryOf(row dbsqlc.ListMemoriesRow) local.Memory {
	return local.Memory{
		ID:        row.ID,
		Title:     row.Title,
		Content:   row.Content,
		Kind:      row.Kind,
		Archived:  row.Archived,
		CreatedAt: fromMicros(row.CreatedAt),
		UpdatedAt: fromMicros(row.UpdatedAt),
		Revision:  row.Revision,
	}
}

func (m memories) Put(ctx context.Context, memory local.Memory) error {
	return m.fail("write the memory", m.query.PutMemory(ctx, dbsqlc.PutMemoryParams{
		ID:            memory.ID,
		Title:         memory.Title,
		Content:       memory.Content,
		Kind:          memory.Kind,
		Archived:      memory.Archived,
		CreatedAt:     micros(memory.CreatedAt),
		UpdatedAt:     micros(memory.UpdatedAt),
		Revision:      memory.Revision,
		TitleFolded:   local.Fold(memory.Title),
		ContentFolded: local.Fold(memory.Content),
	}))
}

func (m memories) Remove(ctx context.Context, id string) error {
	return m.fail("remove the memory", m.query.RemoveMemory(ctx, id))
}

func (m memories) List(ctx context.Context, fits local.Filter, before string, limit int) ([]local.Memory, error) {
	if !fits.Active {
		return m.list(ctx, "", below(before), fits.Contains, limit)
	}
	rows, err := m.query.ListActiveMemories(ctx, below(before), fits.Contains, int64(limit))
	return mapAll(rows, func(row dbsqlc.ListActiveMemoriesRow) local.Memory {
		return memoryOf(dbsqlc.ListMemoriesRow(row))
	}), m.fail("list the memories", err)
}

func (m memories) WithPrefix(ctx context.Context, prefix string, limit int) ([]local.Memory, error) {
	return m.list(ctx, prefix, prefix+afterIDs, "", limit)
}

func (m memories) list(ctx context.Context, low, high, contains string, limit int) ([]local.Memory, error) {
	rows, err := m.query.ListMemories(ctx, low, high, contains, int64(limit))
	return mapAll(rows, memoryOf), m.fail("list the memories", err)
}

func (m memories) Count(ctx context.Context, fits local.Filter) (count int, err error) {
	var all int64
	switch {
	case fits.Contains == "" && fits.Active:
		all, err = m.query.CountActiveMemories(ctx)
	case fits.Contains == "":
		all, err = m.query.CountMemories(ctx)
	case fits.Active:
		all, err = m.query.CountActiveMemoriesContaining(ctx, fits.Contains)
	default:
		all, err = m.query.CountMemoriesContaining(ctx, fits.Contains)
	}
	return int(all), m.fail("count the memories", err)
}

// sqlc knows neither MATCH nor bm25, so these two are written by hand. A word in the
// title weighs as much as four in the content; a lower score is a better match.
const (
	searchWords = named + `SearchWords
SELECT m.id, m.title, m.content, m.kind, m.archived, m.created_at, m.updated_at, m.revision
FROM memory_words JOIN memories m ON m.num = memory_words.rowid
WHERE memory_words MATCH ?1
ORDER BY bm25(memory_words, 4.0, 1.0), m.id DESC LIMIT ?2`
	countWords = named + `CountWords
SELECT count(*) FROM memory_words WHERE memory_words MATCH ?1`
)

func (m memories) Search(ctx context.Context, words []string, every bool, limit int) ([]local.Memory, int, error) {
	if len(words) == 0 {
		return nil, 0, nil
	}
	expression := matchExpression(words, every)
	found, err := m.search(ctx, expression, limit)
	if err != nil {
		return nil, 0, m.fail("search the memories", err)
	}
	if len(found) < limit {
		return found, len(found), nil
	}
	var total int
	err = m.db.QueryRowContext(ctx, countWords, expression).Scan(&total)
	return found, total, m.fail("count the memories", err)
}

func (m memories) search(ctx context.Context, expression string, limit int) ([]local.Memory, error) {
	rows, err := m.db.QueryContext(ctx, searchWords, expression, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []local.Memory
	for rows.Next() {
		var row dbsqlc.ListMemoriesRow
		if err := rows.Scan(&row.ID, &row.Title, &row.Content, &row.Kind, &row.Archived,
			&row.CreatedAt, &row.UpdatedAt, &row.Revision); err != nil {
			return nil, err
		}
		found = append(found, memoryOf(row))
	}
	return found, rows.Err()
}

// matchExpression quotes each word, so that none can be read as an operator.
func matchExpression(words []string, every bool) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = `"` + strings.ReplaceAll(word, `"`, `""`) + `"`
	}
	if every {
		return strings.Join(quoted, " AND ")
	}
	return strings.Join(quoted, " OR ")
}
