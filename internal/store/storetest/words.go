package storetest

import (
	"context"
	"testing"

	"toolsmith/internal/local"
	"toolsmith/internal/store"
)

func wordTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"the best match comes first":            bestComesFirst,
		"words follow what becomes of a memory": wordsFollow,
		"nothing in a word has a meaning":       wordsAreOnlyWords,
	}
}

func putMemories(t *testing.T, s store.Store, memories ...local.Memory) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx store.Tx) error {
		for _, one := range memories {
			if err := tx.Local().Memories().Put(ctx, one); err != nil {
				return err
			}
		}
		return nil
	})
}

// found is what a search gives: the numbers of the memories, and of how many in all.
type found struct {
	Memories []int
	Total    int
}

func search(t *testing.T, s store.Store, every bool, limit int, words ...string) found {
	t.Helper()
	return read(t, s, func(ctx context.Context, tx store.Tx) (found, error) {
		memories, total, err := tx.Local().MemoryWords().Search(ctx, words, every, limit)
		return found{numbers(memories, memoryID), total}, err
	})
}

func bestComesFirst(t *testing.T, s store.Store) {
	archived := memory(9, "tea tea tea", "tea")
	archived.Archived = true
	putMemories(t, s, archived,
		memory(1, "tea", "tea for two, and two for tea"),
		memory(2, "a long text", "about everything that there is to say of tea when one has the time to say it"),
		memory(3, "plain", "coffee"),
		memory(4, "plain", "coffee"),
		memory(5, "Straße", "nach Überlingen"),
	)
	for name, test := range map[string]struct {
		got  found
		want found
	}{
		"more often first":     {search(t, s, true, 10, "tea"), found{[]int{1, 2}, 2}},
		"equal ones by id":     {search(t, s, true, 10, "coffee"), found{[]int{4, 3}, 2}},
		"cut":                  {search(t, s, true, 1, "coffee"), found{[]int{4}, 2}},
		"exactly full":         {search(t, s, true, 2, "coffee"), found{[]int{4, 3}, 2}},
		"every word":           {search(t, s, true, 10, "tea", "two"), found{[]int{1}, 1}},
		"over title and text":  {search(t, s, true, 10, "plain", "coffee"), found{[]int{4, 3}, 2}},
		"every word, none":     {search(t, s, true, 10, "tea", "coffee"), found{[]int{}, 0}},
		"any word":             {search(t, s, false, 1, "time", "nothing"), found{[]int{2}, 1}},
		"folded":               {search(t, s, true, 10, local.Fold("STRASSE"), local.Fold("ÜBERLINGEN")), found{[]int{5}, 1}},
		"no part of a word":    {search(t, s, true, 10, "coff"), found{[]int{}, 0}},
		"no word finds nobody": {search(t, s, true, 10), found{[]int{}, 0}},
	} {
		if diff := difference(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func wordsFollow(t *testing.T, s store.Store) {
	expect := func(doing string, word string, want ...int) {
		t.Helper()
		if diff := difference(found{append([]int{}, want...), len(want)}, search(t, s, true, 10, word)); diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", doing, word, diff)
		}
	}
	one, other := memory(1, "tea", "green"), memory(2, "tea", "black")
	putMemories(t, s, one, other)
	expect("at first", "tea", 2, 1)

	one.Title = "coffee"
	putMemories(t, s, one)
	expect("changed", "tea", 2)
	expect("changed", "coffee", 1)

	one.Archived = true
	putMemories(t, s, one)
	expect("archived", "coffee")
	one.Content = "brown"
	putMemories(t, s, one)
	expect("changed while archived", "brown")

	one.Archived = false
	putMemories(t, s, one)
	expect("taken out again", "brown", 1)
	expect("taken out again", "green")

	remove := func(n int) {
		write(t, s, func(ctx context.Context, tx store.Tx) error { return tx.Local().Memories().Remove(ctx, id(n)) })
	}
	remove(1)
	expect("removed", "brown")
	expect("another removed", "tea", 2)
	other.Archived = true
	putMemories(t, s, other)
	remove(2)
	other.Archived = false
	putMemories(t, s, other)
	expect("back again", "tea", 2)
}

// wordsAreOnlyWords searches for what a query language might give a meaning to, in the
// way in which a person's query comes here.
func wordsAreOnlyWords(t *testing.T, s store.Store) {
	putMemories(t, s, memory(1, "NEAR and NOT", "title content rowid"), memory(2, "東京へ行く", "C++ is a language"))
	for query, want := range map[string][]int{
		`"`: {}, `""`: {}, `'`: {}, `*`: {}, `(`: {}, `)`: {}, `()`: {}, `^`: {}, `:`: {}, `{}`: {}, `-`: {}, `+`: {2}, `\`: {},
		`NEAR`: {1}, `near(and not)`: {1}, `AND`: {1}, `OR`: {}, `NOT`: {1}, `and AND not`: {1}, `NOT and`: {1},
		`"near`: {1}, `near"`: {1}, `ne*`: {}, `title:near`: {1}, `{title} : near`: {1}, `rowid:1`: {1}, `^near`: {1},
		`-near`: {1}, `near -not`: {1}, `near + not`: {1}, `(near`: {1}, `near)`: {1}, `near; DROP TABLE memories`: {1},
		`c++`: {2}, `C`: {2}, `東京`: {2}, `東京 language`: {2}, `?1`: {}, `@x`: {}, "near\x01": {1}, "🧶": {}, "\u0301": {},
	} {
		page := read(t, s, func(ctx context.Context, tx store.Tx) (local.Page[local.Memory], error) {
			return newBook(tx.Local()).SearchMemories(ctx, query, 0)
		})
		if diff := difference(want, numbers(page.Records, memoryID)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}
