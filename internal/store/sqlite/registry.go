package sqlite

import (
	"context"

	"toolsmith/internal/registry"
	"toolsmith/internal/store/sqlite/dbsqlc"
)

// tools keeps what the registry asks for.
type tools struct{ tx }

func (t tools) Tool(ctx context.Context, id string) (registry.Tool, bool, error) {
	row, err := t.query.Tool(ctx, id)
	ok, err := t.found("read the tool", err)
	if !ok {
		return registry.Tool{}, false, err
	}
	return toolOf(row), true, nil
}

func (t tools) Tools(ctx context.Context) ([]registry.Tool, error) {
	rows, err := t.query.Tools(ctx)
	return mapAll(rows, toolOf), t.fail("list the tools", err)
}

func toolOf(row dbsqlc.Tool) registry.Tool {
	return registry.Tool{
		ID:        row.ID,
		Active:    row.Active,
		Enabled:   row.Enabled,
		NameKey:   row.NameKey,
		ChangedAt: fromMicros(row.ChangedAt),
	}
}

func (t tools) PutTool(ctx context.Context, one registry.Tool) error {
	return t.fail("write the tool", t.query.PutTool(ctx, dbsqlc.PutToolParams{
		ID:        one.ID,
		Active:    one.Active,
		Enabled:   one.Enabled,
		NameKey:   one.NameKey,
		ChangedAt: micros(one.ChangedAt),
	}))
}

func (t tools) DeleteTool(ctx context.Context, id string) error {
	return t.fail("remove the tool", t.query.DeleteTool(ctx, id))
}

func (t tools) Versions(ctx context.Context, id string, only int64) ([]registry.Version, error) {
	rows, err := t.versions(ctx, id, only)
	return mapAll(rows, func(row dbsqlc.Version) registry.Version {
		return registry.Version{
			ToolID:      row.ToolID,
			Version:     row.Version,
			Text:        row.Text,
			Digest:      row.Digest,
			InstalledAt: fromMicros(row.InstalledAt),
			InstalledBy: row.InstalledBy,
		}
	}), t.fail("list the versions", err)
}

func (t tools) versions(ctx context.Context, id string, only int64) ([]dbsqlc.Version, error) {
	if only == 0 {
		return t.query.Versions(ctx, id) //nolint:wrapcheck // Versions words it
	}
	return t.query.VersionNumbered(ctx, id, only) //nolint:wrapcheck // likewise
}

func (t tools) PutVersion(ctx context.Context, v registry.Version) error {
	return t.fail("write the version", t.query.PutVersion(ctx, dbsqlc.PutVersionParams{
		ToolID:      v.ToolID,
		Version:     v.Version,
		Text:        notNull(v.Text),
		Digest:      v.Digest,
		InstalledAt: micros(v.InstalledAt),
		InstalledBy: v.InstalledBy,
	}))
}

func (t tools) DropVersions(ctx context.Context, id string) error {
	return t.fail("forget the versions", t.query.DropVersions(ctx, id))
}

// mapAll gives what each makes of every row.
func mapAll[Row, Out any](rows []Row, each func(Row) Out) []Out {
	all := make([]Out, len(rows))
	for i, row := range rows {
		all[i] = each(row)
	}
	return all
}

// notNull gives empty bytes for nil, which the driver would write as NULL.
func notNull(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
