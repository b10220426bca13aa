package sqlite

import (
	"context"

	"toolsmith/internal/local"
	"toolsmith/internal/store/sqlite/dbsqlc"
)

// shelf keeps the person's records.
type shelf struct{ tx }

func (s shelf) Notes() local.Records[local.Note]      { return notes{s.tx} }
func (s shelf) Tasks() local.Records[local.Task]      { return tasks{s.tx} }
func (s shelf) Memories() local.Records[local.Memory] { return memories{s.tx} }
func (s shelf) MemoryWords() local.Words              { return memories{s.tx} }
func (s shelf) History() local.History                { return history{s.tx} }

// afterIDs is higher than every id and than everything that an id can begin with.
const afterIDs = "~"

// below gives the id that all listed ones must be below.
func below(before string) string {
	if before == "" {
		return afterIDs
	}
	return before
}

// history keeps what was done to the records.
type history struct{ tx }

func (h history) Append(ctx context.Context, entry local.Entry) error {
	return h.fail("write the history", h.query.AppendHistory(ctx, dbsqlc.AppendHistoryParams{
		Kind:     string(entry.Kind),
		ID:       entry.ID,
		Revision: entry.Revision,
		Action:   string(entry.Action),
		At:       micros(entry.At),
		Before:   entry.Before,
	}))
}

func (h history) Entry(ctx context.Context, kind local.Kind, id string, revision int64) (local.Entry, bool, error) {
	row, err := h.query.HistoryEntry(ctx, string(kind), id, revision)
	return h.entry(row, err)
}

func (h history) Latest(ctx context.Context, kind local.Kind, id string) (local.Entry, bool, error) {
	row, err := h.query.LatestHistory(ctx, string(kind), id)
	return h.entry(row, err)
}

func (h history) entry(row dbsqlc.History, err error) (local.Entry, bool, error) {
	ok, err := h.found("read the history", err)
	if !ok {
		return local.Entry{}, false, err
	}
	return local.Entry{
		Kind:     local.Kind(row.Kind),
		ID:       row.ID,
		Revision: row.Revision,
		Action:   local.Action(row.Action),
		At:       fromMicros(row.At),
		Before:   row.Before,
	}, true, nil
}

func (h history) IDs(ctx context.Context, kind local.Kind, prefix string, limit int) ([]string, error) {
	ids, err := h.query.HistoryIDs(ctx, string(kind), prefix, prefix+afterIDs, int64(limit))
	return ids, h.fail("look up the history", err)
}
