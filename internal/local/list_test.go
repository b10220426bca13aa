package local_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/local"
)

func titles[T any](records []T, title func(T) string) []string {
	all := []string{}
	for _, one := range records {
		all = append(all, title(one))
	}
	return all
}

func noteTitle(n local.Note) string     { return n.Title }
func taskTitle(t local.Task) string     { return t.Title }
func memoryTitle(m local.Memory) string { return m.Title }

func TestAListGoesOnWhereItWasCut(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	for i := range 5 {
		must(d.CreateNote(ctx, local.NewNote{Title: fmt.Sprint(i + 1)}))(t)
	}

	var seen [][]string
	list := local.List{Limit: 2}
	for {
		page := must(d.Notes(ctx, list))(t)
		seen = append(seen, titles(page.Records, noteTitle))
		if page.Total != 5 {
			t.Errorf("%d matches; want 5", page.Total)
		}
		if !page.Cut {
			break
		}
		list.Cursor = page.Records[len(page.Records)-1].ID
	}
	if diff := cmp.Diff([][]string{{"5", "4"}, {"3", "2"}, {"1"}}, seen); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}

	// The record that a cursor names may be gone meanwhile.
	must(d.DeleteNote(ctx, id(4), 0))(t)
	page := must(d.Notes(ctx, local.List{Limit: 1, Cursor: "  01jd0000000000000000000004 "}))(t)
	if diff := cmp.Diff([]string{"3"}, titles(page.Records, noteTitle)); diff != "" {
		t.Errorf("after a deleted cursor (-want +got):\n%s", diff)
	}
}

func TestAListHasABoundedLength(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	for range local.MaxLimit + 1 {
		must(d.CreateTask(ctx, local.NewTask{Title: "x"}))(t)
	}
	for limit, want := range map[int]int{0: local.DefaultLimit, 1: 1, local.MaxLimit: local.MaxLimit} {
		page := must(d.Tasks(ctx, local.List{Limit: limit}))(t)
		if len(page.Records) != want || !page.Cut || page.Total != local.MaxLimit+1 {
			t.Errorf("limit %d gives %d records, cut %v, total %d", limit, len(page.Records), page.Cut, page.Total)
		}
	}
	for _, limit := range []int{-1, local.MaxLimit + 1} {
		_, err := d.Tasks(ctx, local.List{Limit: limit})
		wantCode(t, err, local.CodeInvalid, "$.limit")
		_, err = d.SearchMemories(ctx, "x", limit)
		wantCode(t, err, local.CodeInvalid, "$.limit")
	}
}

func TestAListIsFiltered(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	must(d.CreateTask(ctx, local.NewTask{Title: "Straße fegen", Status: local.Done}))(t)
	must(d.CreateTask(ctx, local.NewTask{Title: "ÄRGER melden", Description: "bei 東京ガス"}))(t)
	must(d.CreateTask(ctx, local.NewTask{Title: "Cafe\u0301", Status: local.Done}))(t) // é in two characters
	must(d.CreateTask(ctx, local.NewTask{Title: "100% [sure]_*", Status: local.Doing}))(t)

	for query, want := range map[string][]string{
		"":           {"100% [sure]_*", "Cafe\u0301", "ÄRGER melden", "Straße fegen"},
		"  ":         {"100% [sure]_*", "Cafe\u0301", "ÄRGER melden", "Straße fegen"},
		"ärger":      {"ÄRGER melden"},
		"STRASSE":    {"Straße fegen"},
		"CAFÉ":       {"Cafe\u0301"},
		"京ガ":         {"ÄRGER melden"},
		"% [":        {"100% [sure]_*"},
		"_*":         {"100% [sure]_*"},
		"%":          {"100% [sure]_*"},
		"fegen bald": {},
	} {
		page := must(d.Tasks(ctx, local.List{Query: query}))(t)
		if diff := cmp.Diff(want, titles(page.Records, taskTitle)); diff != "" {
			t.Errorf("query %q (-want +got):\n%s", query, diff)
		}
	}
	done := must(d.Tasks(ctx, local.List{Status: local.Done, Query: "E"}))(t)
	if diff := cmp.Diff([]string{"Straße fegen"}, titles(done.Records, taskTitle)); diff != "" {
		t.Errorf("done with E (-want +got):\n%s", diff)
	}

	_, err := d.Tasks(ctx, local.List{Status: "open"})
	wantCode(t, err, local.CodeInvalid, "$.status")
	_, err = d.Tasks(ctx, local.List{Query: "\xff"})
	wantCode(t, err, local.CodeInvalid, "$.query")
	_, err = d.Tasks(ctx, local.List{Cursor: "no id"})
	wantCode(t, err, local.CodeInvalid, "$.cursor")
}

func TestArchivedMemoriesAreListedOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	must(d.CreateMemory(ctx, local.NewMemory{Title: "old tea"}))(t)
	must(d.CreateMemory(ctx, local.NewMemory{Title: "new tea"}))(t)
	archived := must(d.ArchiveMemory(ctx, id(1), 1))(t)

	again := must(d.ArchiveMemory(ctx, id(1), 2))(t)
	if diff := cmp.Diff(archived, again); diff != "" || archived.Revision != 2 {
		t.Errorf("archiving twice (-once +twice):\n%s", diff)
	}
	if out := must(d.UpdateMemory(ctx, id(1), local.MemoryEdit{Archived: ptr(false)}))(t); out.Archived {
		t.Error("it was not taken out again")
	}
	must(d.Undo(ctx, local.KindMemory, id(1)))(t)
	for name, test := range map[string]struct {
		page local.Page[local.Memory]
		want []string
	}{
		"active": {must(d.Memories(ctx, local.List{}))(t), []string{"new tea"}},
		"all":    {must(d.Memories(ctx, local.List{WithArchived: true}))(t), []string{"new tea", "old tea"}},
		"search": {must(d.SearchMemories(ctx, "tea", 0))(t), []string{"new tea"}},
		"inside": {must(d.SearchMemories(ctx, "ea", 0))(t), []string{"new tea"}},
	} {
		if diff := cmp.Diff(test.want, titles(test.page.Records, memoryTitle)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestASearchFindsAllWordsThenAnyThenTheText(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(), t.Context()
	for _, title := range []string{"green tea", "black tea", "black coffee", "来週東京へ行く"} {
		must(d.CreateMemory(ctx, local.NewMemory{Title: title}))(t)
	}
	for query, want := range map[string][]string{
		"TEA green":    {"green tea"},
		"tea, tea!":    {"black tea", "green tea"},
		"green coffee": {"black coffee", "green tea"},
		"東京":           {"来週東京へ行く"},
		"ack t":        {"black tea"},
		"mate":         {},
		"":             {},
		" \t":          {},
		"?!":           {},
	} {
		page := must(d.SearchMemories(ctx, query, 0))(t)
		if diff := cmp.Diff(want, titles(page.Records, memoryTitle)); diff != "" || page.Cut || page.Total != len(want) {
			t.Errorf("query %q, cut %v, total %d (-want +got):\n%s", query, page.Cut, page.Total, diff)
		}
	}
	page := must(d.SearchMemories(ctx, "black", 1))(t)
	if len(page.Records) != 1 || !page.Cut || page.Total != 2 {
		t.Errorf("one of two: %d records, cut %v, total %d", len(page.Records), page.Cut, page.Total)
	}
	_, err := d.SearchMemories(ctx, "\x00", 0)
	wantCode(t, err, local.CodeInvalid, "$.query")
}
