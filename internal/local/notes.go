package local

import "context"

// NewNote is what a note is made from.
type NewNote struct {
	Title, Content string
}

// NoteEdit says what to change in a note; nil leaves a field as it is.
type NoteEdit struct {
	Title, Content *string
	// Revision that the note must still have; 0 for any.
	Revision int64
}

func (n *Note) head() head {
	return head{&n.ID, &n.Title, &n.CreatedAt, &n.UpdatedAt, &n.Revision}
}

func (n *Note) check() error {
	if err := checkTitle(&n.Title); err != nil {
		return err
	}
	return checkText("$.content", n.Content)
}

func (b *Book) notes() drawer[Note, *Note] {
	return drawer[Note, *Note]{b, KindNote, b.shelf.Notes()}
}

// CreateNote makes a note.
func (b *Book) CreateNote(ctx context.Context, fresh NewNote) (Note, error) {
	return b.notes().create(ctx, Note{Title: fresh.Title, Content: fresh.Content})
}

// Note gives the note with exactly this id.
func (b *Book) Note(ctx context.Context, id string) (Note, error) { return b.notes().get(ctx, id) }

// FindNote gives the one note whose id begins with prefix, which has at least MinPrefix
// characters in whatever case.
func (b *Book) FindNote(ctx context.Context, prefix string) (Note, error) {
	return b.notes().find(ctx, prefix)
}

// Notes lists notes, newest first.
func (b *Book) Notes(ctx context.Context, list List) (Page[Note], error) {
	return b.notes().list(ctx, list, Filter{})
}

// UpdateNote changes a note; the edit must name at least one field.
func (b *Book) UpdateNote(ctx context.Context, id string, edit NoteEdit) (Note, error) {
	if edit.Title == nil && edit.Content == nil {
		return Note{}, invalid("$", "Give a title or a content to change.")
	}
	return b.notes().change(ctx, id, edit.Revision, Updated, func(n *Note) {
		set(&n.Title, edit.Title)
		set(&n.Content, edit.Content)
	})
}

// DeleteNote deletes a note that still has the revision (0: any). It gives the note as
// it was, with the revision that RestoreNote may be given to bring it back.
func (b *Book) DeleteNote(ctx context.Context, id string, revision int64) (Note, error) {
	return b.notes().remove(ctx, id, revision)
}

// RestoreNote takes back the last change of a note, or its deletion. A revision other
// than 0 must be the one that the change to take back gave.
func (b *Book) RestoreNote(ctx context.Context, id string, revision int64) (Note, error) {
	return b.notes().restore(ctx, id, revision)
}

// set writes a value where one is given.
func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}
