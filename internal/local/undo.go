package local

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Undoing tells what Undo took back.
type Undoing struct {
	Kind Kind
	ID   string
	// Title of the record.
	Title string
	// Action that was taken back, and when it had been done.
	Action Action
	At     time.Time
	// Gone: the record is no longer there, since its creation was taken back.
	Gone bool
}

// Undo takes back the last change of the record whose id begins with prefix, which may
// be a deleted one: the record is again exactly what it was before, its revision and
// times included. Once more takes back the change before that one. What is overwritten
// stays in the history.
//
// Taking back the creation of a record removes it; Undo of a record that is gone, for
// whatever reason, brings it back as it last was.
func (b *Book) Undo(ctx context.Context, kind Kind, prefix string) (Undoing, error) {
	if err := checkOneOf("$.kind", kind, KindNote, KindTask, KindMemory); err != nil {
		return Undoing{}, err
	}
	id, err := b.findInHistory(ctx, kind, prefix)
	if err != nil {
		return Undoing{}, err
	}
	switch kind {
	case KindTask:
		return undo(ctx, b.tasks(), id)
	case KindMemory:
		return undo(ctx, b.memories(), id)
	default:
		return undo(ctx, b.notes(), id)
	}
}

// findInHistory gives the one id with a history that begins with prefix.
func (b *Book) findInHistory(ctx context.Context, kind Kind, prefix string) (string, error) {
	prefix, err := cleanPrefix(prefix)
	if err != nil {
		return "", err
	}
	ids, err := b.shelf.History().IDs(ctx, kind, prefix, maxCandidates+1)
	if err != nil {
		return "", fmt.Errorf("look up the %s: %w", kind, err)
	}
	switch len(ids) {
	case 0:
		return "", notFound("There never was a %s whose id begins with %q.", kind, prefix)
	case 1:
		return ids[0], nil
	}
	return "", ambiguous(kind, prefix, ids)
}

func undo[T any, P record[T]](ctx context.Context, d drawer[T, P], id string) (Undoing, error) {
	step, err := d.lastStep(ctx, id, 0)
	if err != nil {
		return Undoing{}, err
	}
	told := Undoing{Kind: d.kind, ID: id, Action: step.undone.Action, At: step.undone.At, Gone: step.before == nil}
	if told.Gone {
		told.Title = *P(step.current).head().title
	} else {
		told.Title = *P(step.before).head().title
	}
	return told, d.takeBack(ctx, id, step)
}

// restore takes back the last change of a record, which must still be the one that made
// the expected revision (0: any). It never takes back a creation.
func (d drawer[T, P]) restore(ctx context.Context, id string, expected int64) (T, error) {
	var none T
	step, err := d.lastStep(ctx, id, expected)
	if err != nil {
		return none, err
	}
	if step.before == nil {
		return none, notFound("This %s is as it was created: there is no earlier state to restore.", d.kind)
	}
	return *step.before, d.takeBack(ctx, id, step)
}

// step is one change that can be taken back.
type step[T any] struct {
	undone Entry
	// current and before are the record now and before the change; nil where it is not there.
	current, before *T
	// latest is the highest revision number that the record has used up.
	latest int64
}

// lastStep finds the change that made the record what it is now. Revisions that were
// taken back are skipped by themselves, since the record has its earlier revision again.
func (d drawer[T, P]) lastStep(ctx context.Context, id string, expected int64) (step[T], error) {
	history := d.book.shelf.History()
	latest, ok, err := history.Latest(ctx, d.kind, id)
	if err != nil {
		return step[T]{}, fmt.Errorf("read the history of the %s: %w", d.kind, err)
	}
	if !ok {
		return step[T]{}, notFound("There never was a %s with the id %q.", d.kind, brief(id))
	}
	last := step[T]{undone: latest, latest: latest.Revision}
	current, ok, err := d.records.Get(ctx, id)
	if err != nil {
		return step[T]{}, fmt.Errorf("read the %s: %w", d.kind, err)
	}
	at := latest.Revision
	if ok {
		last.current, at = &current, *P(&current).head().revision
		last.undone, ok, err = history.Entry(ctx, d.kind, id, at)
		if err != nil {
			return step[T]{}, fmt.Errorf("read the history of the %s: %w", d.kind, err)
		}
		if !ok {
			return step[T]{}, notFound("What this %s was before revision %d was not kept.", d.kind, at)
		}
	}
	if err := checkRevision(d.kind, at, expected); err != nil {
		return step[T]{}, err
	}
	if last.undone.Before != nil {
		last.before = new(T)
		if err := json.Unmarshal(last.undone.Before, last.before); err != nil {
			return step[T]{}, fmt.Errorf("read what the %s was: %w", d.kind, err)
		}
	}
	return last, nil
}

func (d drawer[T, P]) takeBack(ctx context.Context, id string, last step[T]) error {
	entry := Entry{ID: id, Revision: last.latest + 1, Action: Undone, At: stamp(d.book.now())}
	if err := d.note(ctx, last.current, entry); err != nil {
		return err
	}
	if last.before != nil {
		return d.put(ctx, *last.before)
	}
	if err := d.records.Remove(ctx, id); err != nil {
		return fmt.Errorf("remove the %s: %w", d.kind, err)
	}
	return nil
}
