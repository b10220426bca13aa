package local

import (
	"context"
	"fmt"
	"strings"
	"unicode"
)

// maxWords is how many words of a query a search looks for.
const maxWords = 64

// NewMemory is what a memory is made from.
type NewMemory struct {
	Title, Content string
	// Kind is a word of one's own choice, at most MaxKind characters; may be empty.
	Kind string
}

// MemoryEdit says what to change in a memory; nil leaves a field as it is.
type MemoryEdit struct {
	Title, Content, Kind *string
	// Archived puts the memory away, or takes it out again.
	Archived *bool
	// Revision that the memory must still have; 0 for any.
	Revision int64
}

func (m *Memory) head() head {
	return head{&m.ID, &m.Title, &m.CreatedAt, &m.UpdatedAt, &m.Revision}
}

func (m *Memory) check() error {
	if err := checkTitle(&m.Title); err != nil {
		return err
	}
	if err := checkText("$.content", m.Content); err != nil {
		return err
	}
	return checkLine("$.kind", &m.Kind, MaxKind)
}

func (b *Book) memories() drawer[Memory, *Memory] {
	return drawer[Memory, *Memory]{b, KindMemory, b.shelf.Memories()}
}

// CreateMemory makes a memory.
func (b *Book) CreateMemory(ctx context.Context, fresh NewMemory) (Memory, error) {
	return b.memories().create(ctx, Memory{Title: fresh.Title, Content: fresh.Content, Kind: fresh.Kind})
}

// Memory gives the memory with exactly this id, archived or not.
func (b *Book) Memory(ctx context.Context, id string) (Memory, error) {
	return b.memories().get(ctx, id)
}

// FindMemory gives the one memory, archived or not, whose id begins with prefix, which
// has at least MinPrefix characters in whatever case.
func (b *Book) FindMemory(ctx context.Context, prefix string) (Memory, error) {
	return b.memories().find(ctx, prefix)
}

// Memories lists memories, newest first.
func (b *Book) Memories(ctx context.Context, list List) (Page[Memory], error) {
	return b.memories().list(ctx, list, Filter{Active: !list.WithArchived})
}

// SearchMemories finds active memories: those with every word of the query; if there
// are none, those with any of its words; if there are none either, those that contain
// the query as it is, which also finds text that is written without spaces. Words give
// the best match first, the last way the newest. Nothing in a query has a special
// meaning, and an empty one finds nothing. The limit is 1 to MaxLimit; 0 is DefaultLimit.
func (b *Book) SearchMemories(ctx context.Context, query string, limit int) (Page[Memory], error) {
	limit, err := cleanLimit(limit)
	if err != nil {
		return Page[Memory]{}, err
	}
	contains, err := cleanQuery(query)
	if err != nil || contains == "" {
		return Page[Memory]{}, err
	}
	words := wordsOf(contains)
	for _, every := range []bool{true, false} {
		found, total, err := b.shelf.MemoryWords().Search(ctx, words, every, limit)
		if err != nil {
			return Page[Memory]{}, fmt.Errorf("search the memories: %w", err)
		}
		if total > 0 {
			return Page[Memory]{Records: found, Cut: total > len(found), Total: total}, nil
		}
	}
	return b.memories().list(ctx, List{Query: query, Limit: limit}, Filter{Active: true})
}

// wordsOf takes the different words out of a folded text. Marks belong to a word, since
// many scripts write vowels with them.
func wordsOf(text string) []string {
	parts := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
	seen := make(map[string]bool, len(parts))
	var words []string
	for _, word := range parts {
		if !seen[word] && len(words) < maxWords {
			seen[word] = true
			words = append(words, word)
		}
	}
	return words
}

// UpdateMemory changes a memory; the edit must name at least one field.
func (b *Book) UpdateMemory(ctx context.Context, id string, edit MemoryEdit) (Memory, error) {
	if edit == (MemoryEdit{Revision: edit.Revision}) {
		return Memory{}, invalid("$", "Give at least one field to change.")
	}
	return b.memories().change(ctx, id, edit.Revision, Updated, func(m *Memory) {
		set(&m.Title, edit.Title)
		set(&m.Content, edit.Content)
		set(&m.Kind, edit.Kind)
		set(&m.Archived, edit.Archived)
	})
}

// ArchiveMemory puts a memory that still has the revision (0: any) away, so that no
// search finds it. Archiving an archived memory changes nothing.
func (b *Book) ArchiveMemory(ctx context.Context, id string, revision int64) (Memory, error) {
	current, err := b.memories().expect(ctx, id, revision)
	if err != nil || current.Archived {
		return current, err
	}
	return b.memories().change(ctx, id, revision, Archived, func(m *Memory) { m.Archived = true })
}

// DeleteMemory deletes a memory that still has the revision (0: any). It gives the
// memory as it was, with the revision of its deletion; Undo brings it back.
func (b *Book) DeleteMemory(ctx context.Context, id string, revision int64) (Memory, error) {
	return b.memories().remove(ctx, id, revision)
}
