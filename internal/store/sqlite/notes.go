package sqlite

import (
	"context"

	"toolsmith/internal/local"
	"toolsmith/internal/store/sqlite/dbsqlc"
)

// notes keeps notes.
type notes struct{ tx }

func (n notes) Get(ctx context.Context, id string) (local.Note, bool, error) {
	row, err := n.query.Note(ctx, id)
	ok, err := n.found("read the note", err)
	if !ok {
		return local.Note{}, false, err
	}
	return noteOf(dbsqlc.ListNotesRow(row)), true, nil
}

func noteOf(row dbsqlc.ListNotesRow) local.Note {
	return local.Note{
		ID:        row.ID,
		Title:     row.Title,
		Content:   row.Content,
		CreatedAt: fromMicros(row.CreatedAt),
		UpdatedAt: fromMicros(row.UpdatedAt),
		Revision:  row.Revision,
	}
}

func (n notes) Put(ctx context.Context, note local.Note) error {
	return n.fail("write the note", n.query.PutNote(ctx, dbsqlc.PutNoteParams{
		ID:            note.ID,
		Title:         note.Title,
		Content:       note.Content,
		CreatedAt:     micros(note.CreatedAt),
		UpdatedAt:     micros(note.UpdatedAt),
		Revision:      note.Revision,
		TitleFolded:   local.Fold(note.Title),
		ContentFolded: local.Fold(note.Content),
	}))
}

func (n notes) Remove(ctx context.Context, id string) error {
	return n.fail("remove the note", n.query.RemoveNote(ctx, id))
}

func (n notes) List(ctx context.Context, fits local.Filter, before string, limit int) ([]local.Note, error) {
	return n.list(ctx, "", below(before), fits.Contains, limit)
}

func (n notes) WithPrefix(ctx context.Context, prefix string, limit int) ([]local.Note, error) {
	return n.list(ctx, prefix, prefix+afterIDs, "", limit)
}

func (n notes) list(ctx context.Context, low, high, contains string, limit int) ([]local.Note, error) {
	rows, err := n.query.ListNotes(ctx, low, high, contains, int64(limit))
	return mapAll(rows, noteOf), n.fail("list the notes", err)
}

func (n notes) Count(ctx context.Context, fits local.Filter) (count int, err error) {
	var all int64
	if fits.Contains == "" {
		all, err = n.query.CountNotes(ctx)
	} else {
		all, err = n.query.CountNotesContaining(ctx, fits.Contains)
	}
	return int(all), n.fail("count the notes", err)
}
