package local

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"toolsmith/tool"
)

// head points at what all records have.
type head struct {
	id, title            *string
	createdAt, updatedAt *time.Time
	revision             *int64
}

// record is a kind of record that a drawer can keep.
type record[T any] interface {
	*T
	head() head
	// check trims and defaults the fields that a person can set, and refuses bad values.
	check() error
}

// drawer holds the verbs that are the same for every kind of record.
type drawer[T any, P record[T]] struct {
	book    *Book
	kind    Kind
	records Records[T]
}

func (d drawer[T, P]) create(ctx context.Context, fresh T) (T, error) {
	var none T
	if err := P(&fresh).check(); err != nil {
		return none, err
	}
	h, now := P(&fresh).head(), stamp(d.book.now())
	*h.id, *h.revision = d.book.newID(), 1
	*h.createdAt, *h.updatedAt = now, now
	if err := d.note(ctx, nil, Entry{ID: *h.id, Revision: 1, Action: Created, At: now}); err != nil {
		return none, err
	}
	return fresh, d.put(ctx, fresh)
}

func (d drawer[T, P]) get(ctx context.Context, id string) (T, error) {
	found, ok, err := d.records.Get(ctx, id)
	if err != nil {
		return found, fmt.Errorf("read the %s: %w", d.kind, err)
	}
	if !ok {
		return found, notFound("There is no %s with the id %q.", d.kind, brief(id))
	}
	return found, nil
}

// find gives the one record whose id begins with prefix.
func (d drawer[T, P]) find(ctx context.Context, prefix string) (T, error) {
	var none T
	prefix, err := cleanPrefix(prefix)
	if err != nil {
		return none, err
	}
	found, err := d.records.WithPrefix(ctx, prefix, maxCandidates+1)
	if err != nil {
		return none, fmt.Errorf("look up the %s: %w", d.kind, err)
	}
	switch len(found) {
	case 0:
		return none, notFound("There is no %s whose id begins with %q.", d.kind, prefix)
	case 1:
		return found[0], nil
	}
	lines := make([]string, len(found))
	for i := range found {
		h := P(&found[i]).head()
		lines[i] = fmt.Sprintf("%s %q", *h.id, *h.title)
	}
	return none, ambiguous(d.kind, prefix, lines)
}

func (d drawer[T, P]) list(ctx context.Context, list List, fits Filter) (Page[T], error) {
	limit, err := cleanLimit(list.Limit)
	if err != nil {
		return Page[T]{}, err
	}
	before := strings.ToUpper(strings.TrimSpace(list.Cursor))
	if before != "" && !isIDText(before) {
		return Page[T]{}, invalid("$.cursor", "%q is not an id.", brief(list.Cursor))
	}
	if fits.Contains, err = cleanQuery(list.Query); err != nil {
		return Page[T]{}, err
	}
	// One more than asked for tells whether there are more, and spares the counting of
	// all matches where there are not.
	found, err := d.records.List(ctx, fits, before, limit+1)
	if err != nil {
		return Page[T]{}, fmt.Errorf("list the %ss: %w", d.kind, err)
	}
	page := Page[T]{Records: found, Total: len(found)}
	if len(found) > limit {
		page.Records, page.Cut = found[:limit], true
	}
	if page.Cut || before != "" {
		if page.Total, err = d.records.Count(ctx, fits); err != nil {
			return Page[T]{}, fmt.Errorf("count the %ss: %w", d.kind, err)
		}
	}
	return page, nil
}

// change edits a record that still has the expected revision (0: any). A change makes a
// new revision even if it leaves every value as it was: otherwise taking it back would
// take back the change before it.
func (d drawer[T, P]) change(ctx context.Context, id string, expected int64, action Action, edit func(*T)) (T, error) {
	before, err := d.expect(ctx, id, expected)
	if err != nil {
		return before, err
	}
	after := before
	edit(&after)
	if err := P(&after).check(); err != nil {
		return before, err
	}
	next, err := d.nextRevision(ctx, before)
	if err != nil {
		return before, err
	}
	h := P(&after).head()
	*h.revision, *h.updatedAt = next, stamp(d.book.now())
	entry := Entry{ID: id, Revision: next, Action: action, At: *h.updatedAt}
	if err := d.note(ctx, &before, entry); err != nil {
		return before, err
	}
	return after, d.put(ctx, after)
}

// remove deletes a record that still has the expected revision (0: any). It gives the
// record as it was, but with the revision of its deletion, by which it can be restored.
func (d drawer[T, P]) remove(ctx context.Context, id string, expected int64) (T, error) {
	before, err := d.expect(ctx, id, expected)
	if err != nil {
		return before, err
	}
	next, err := d.nextRevision(ctx, before)
	if err != nil {
		return before, err
	}
	entry := Entry{ID: id, Revision: next, Action: Deleted, At: stamp(d.book.now())}
	if err := d.note(ctx, &before, entry); err != nil {
		return before, err
	}
	if err := d.records.Remove(ctx, id); err != nil {
		return before, fmt.Errorf("delete the %s: %w", d.kind, err)
	}
	*P(&before).head().revision = next
	return before, nil
}

// expect gives the record if it has the expected revision (0: any).
func (d drawer[T, P]) expect(ctx context.Context, id string, expected int64) (T, error) {
	current, err := d.get(ctx, id)
	if err != nil {
		return current, err
	}
	return current, checkRevision(d.kind, *P(&current).head().revision, expected)
}

func (d drawer[T, P]) nextRevision(ctx context.Context, current T) (int64, error) {
	h := P(&current).head()
	latest, _, err := d.book.shelf.History().Latest(ctx, d.kind, *h.id)
	if err != nil {
		return 0, fmt.Errorf("read the history of the %s: %w", d.kind, err)
	}
	return max(latest.Revision, *h.revision) + 1, nil
}

func (d drawer[T, P]) put(ctx context.Context, one T) error {
	if err := d.records.Put(ctx, one); err != nil {
		return fmt.Errorf("write the %s: %w", d.kind, err)
	}
	return nil
}

// note keeps a change in the history, with the record as it was before (nil: none).
func (d drawer[T, P]) note(ctx context.Context, before *T, entry Entry) error {
	entry.Kind = d.kind
	if before != nil {
		snapshot, err := json.Marshal(before)
		if err != nil {
			return fmt.Errorf("keep the %s as it was: %w", d.kind, err)
		}
		entry.Before = snapshot
	}
	if err := d.book.shelf.History().Append(ctx, entry); err != nil {
		return fmt.Errorf("write the history of the %s: %w", d.kind, err)
	}
	return nil
}

func notFound(format string, args ...any) error {
	return &tool.Error{Code: CodeNotFound, Field: "$.id", Message: fmt.Sprintf(format, args...)}
}

func checkRevision(kind Kind, current, expected int64) error {
	if expected == 0 || expected == current {
		return nil
	}
	return &tool.Error{Code: CodeChanged, Field: "$.revision", Message: fmt.Sprintf(
		"This %s has been changed since: it is at revision %d, not %d. Look at it again before you change it.",
		kind, current, expected)}
}
