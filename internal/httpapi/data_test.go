package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNotesOverHTTP is the life of a note.
func TestNotesOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const notes = "/v1/data/notes"
	first := s.answer(t, gives{"make", personToken, "POST", notes, `{"title": " Tea ", "content": "green"}`, 200, map[string]any{"title": "Tea", "content": "green", "revision": 1}})
	id := fmt.Sprint(first["id"])
	second := s.answer(t, gives{"make another", personToken, "POST", notes, `{"title": "Coffee"}`, 200, map[string]any{"content": ""}})
	one := notes + "/" + strings.ToLower(id) // in whatever case
	for _, c := range []gives{
		{"list", personToken, "GET", notes + "?limit=1", "", 200, map[string]any{"notes.0.title": "Coffee", "notes.1": nil, "total": 2, "next": second["id"]}},
		{"go on", personToken, "GET", notes + "?limit=1&cursor=" + fmt.Sprint(second["id"]), "", 200, map[string]any{"notes.0.title": "Tea", "total": 2, "next": nil}},
		{"filter", personToken, "GET", notes + "?query=GREEN", "", 200, map[string]any{"notes.0.id": id, "total": 1}},
		{"nothing", personToken, "GET", notes + "?query=milk", "", 200, map[string]any{"notes": []any{}, "total": 0}},
		{"a cursor that is none", personToken, "GET", notes + "?cursor=*", "", 422, map[string]any{"code": "INVALID", "field": "$.cursor"}},
		{"a status, which notes have not", personToken, "GET", notes + "?status=done", "", 422, map[string]any{"code": "INVALID"}},
		{"get", personToken, "GET", one, "", 200, map[string]any{"id": id, "createdAt": first["createdAt"]}},
		{"too little of an id", personToken, "GET", notes + "/" + id[:3], "", 422, map[string]any{"code": "INVALID", "field": "$.id"}},
		{"several", personToken, "GET", notes + "/" + id[:4], "", 409, map[string]any{"code": "AMBIGUOUS_ID", "field": "$.id"}},
		{"nobody", personToken, "GET", notes + "/ZZZZ", "", 404, map[string]any{"code": "NOT_FOUND", "field": "$.id"}},
		{"no title", personToken, "POST", notes, `{"content": "x"}`, 422, map[string]any{"code": "INVALID", "field": "body"}},
		{"an empty title", personToken, "POST", notes, `{"title": " "}`, 422, map[string]any{"code": "INVALID", "field": "$.title"}},
		{"an unknown field", personToken, "POST", notes, `{"title": "x", "colour": "red"}`, 422, map[string]any{"code": "INVALID", "field": "body.colour"}},
		{"no JSON", personToken, "POST", notes, `{"title": `, 400, map[string]any{"code": "INVALID"}},
		{"change", personToken, "PATCH", one, `{"content": "black", "revision": 1}`, 200, map[string]any{"title": "Tea", "content": "black", "revision": 2}},
		{"change what was changed since", personToken, "PATCH", one, `{"content": "white", "revision": 1}`, 409, map[string]any{"code": "CHANGED_SINCE", "field": "$.revision"}},
		{"change nothing", personToken, "PATCH", one, `{}`, 422, map[string]any{"code": "INVALID"}},
		{"change nobody", personToken, "PATCH", notes + "/ZZZZ", `{"title": "x"}`, 404, map[string]any{"code": "NOT_FOUND"}},
		{"delete what was changed since", personToken, "DELETE", one + "?revision=1", "", 409, map[string]any{"code": "CHANGED_SINCE"}},
		{"delete", personToken, "DELETE", one + "?revision=2", "", 200, map[string]any{"content": "black", "revision": 3}},
		{"it is gone", personToken, "GET", one, "", 404, map[string]any{"code": "NOT_FOUND"}},
		{"delete nobody", personToken, "DELETE", one, "", 404, map[string]any{"code": "NOT_FOUND"}},
		{"take the deletion back", personToken, "POST", one + "/undo", "", 200, map[string]any{"note.content": "black", "note.revision": 2, "undone.action": "delete", "undone.title": "Tea", "undone.id": id, "undone.gone": false}},
		{"take the change back", personToken, "POST", one + "/undo", "", 200, map[string]any{"note.content": "green", "note.revision": 1, "undone.action": "update"}},
		{"take the making back", personToken, "POST", one + "/undo", "", 200, map[string]any{"note": nil, "undone.action": "create", "undone.gone": true}},
		{"take back what never was", personToken, "POST", notes + "/ZZZZ/undo", "", 404, map[string]any{"code": "NOT_FOUND"}},
		{"what is left", personToken, "GET", notes, "", 200, map[string]any{"total": 1}},
	} {
		s.answer(t, c)
	}
}

func TestTasksOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const tasks = "/v1/data/tasks"
	made := s.answer(t, gives{"make", personToken, "POST", tasks, `{"title": "Milk"}`, 200, map[string]any{"status": "todo", "priority": "normal", "dueAt": nil, "description": ""}})
	one := tasks + "/" + fmt.Sprint(made["id"])
	for _, c := range []gives{
		{"with all", personToken, "POST", tasks, `{"title": "Report", "description": "short", "status": "doing", "priority": "high", "dueAt": "2026-12-01T17:00:00+01:00"}`, 200, map[string]any{
			"description": "short", "status": "doing", "priority": "high", "dueAt": "2026-12-01T16:00:00.000Z",
		}},
		{"those that are so far", personToken, "GET", tasks + "?status=doing", "", 200, map[string]any{"tasks.0.title": "Report", "total": 1}},
		{"a status that is none", personToken, "GET", tasks + "?status=late", "", 422, map[string]any{"code": "INVALID", "field": "query.status"}},
		{"a priority that is none", personToken, "POST", tasks, `{"title": "x", "priority": "urgent"}`, 422, map[string]any{"code": "INVALID", "field": "body.priority"}},
		{"a time that is none", personToken, "POST", tasks, `{"title": "x", "dueAt": "tomorrow"}`, 422, map[string]any{"code": "INVALID", "field": "body.dueAt"}},
		{"a time that is none, in a change", personToken, "PATCH", one, `{"dueAt": "tomorrow"}`, 422, map[string]any{"code": "INVALID", "field": "body.dueAt"}},
		{"due", personToken, "PATCH", one, `{"dueAt": "2026-12-01T16:00:00Z"}`, 200, map[string]any{"dueAt": "2026-12-01T16:00:00.000Z", "status": "todo"}},
		{"done", personToken, "PATCH", one, `{"status": "done", "priority": "low"}`, 200, map[string]any{"dueAt": "2026-12-01T16:00:00.000Z", "status": "done", "priority": "low"}},
		{"due at no time", personToken, "PATCH", one, `{"dueAt": null}`, 200, map[string]any{"dueAt": nil, "status": "done", "revision": 4}},
		{"get", personToken, "GET", one, "", 200, map[string]any{"title": "Milk"}},
		{"undo", personToken, "POST", one + "/undo", "", 200, map[string]any{"task.dueAt": "2026-12-01T16:00:00.000Z", "undone.action": "update"}},
		{"delete", personToken, "DELETE", one, "", 200, map[string]any{"title": "Milk"}},
	} {
		s.answer(t, c)
	}
}

func TestMemoryOverHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const memory = "/v1/data/memory"
	made := s.answer(t, gives{"make", personToken, "POST", memory, `{"title": "Coffee", "content": "Takes it black", "kind": "preference"}`, 200, map[string]any{"kind": "preference", "archived": false}})
	s.answer(t, gives{"make another", personToken, "POST", memory, `{"title": "Tea", "content": "Coffee is preferred to black tea, and tea to water"}`, 200, map[string]any{"kind": ""}})
	one := memory + "/" + fmt.Sprint(made["id"])
	for _, c := range []gives{
		{"no content", personToken, "POST", memory, `{"title": "x"}`, 422, map[string]any{"code": "INVALID", "field": "body"}},
		{"list", personToken, "GET", memory, "", 200, map[string]any{"memory.0.title": "Tea", "total": 2}},
		{"search", personToken, "GET", memory + "?search=black+coffee&limit=1", "", 200, map[string]any{"memory.0.title": "Coffee", "total": 2, "next": nil}},
		{"search for words apart", personToken, "GET", memory + "?search=water+black", "", 200, map[string]any{"memory.0.title": "Tea", "total": 1}},
		{"search and go on", personToken, "GET", memory + "?search=black&cursor=" + fmt.Sprint(made["id"]), "", 422, map[string]any{"code": "INVALID", "field": "query.search"}},
		{"search and filter", personToken, "GET", memory + "?search=black&query=tea", "", 422, map[string]any{"code": "INVALID", "field": "query.search"}},
		{"filter", personToken, "GET", memory + "?query=takes", "", 200, map[string]any{"total": 1}},
		{"put away", personToken, "PATCH", one, `{"archived": true}`, 200, map[string]any{"archived": true}},
		{"it is not listed", personToken, "GET", memory, "", 200, map[string]any{"total": 1}},
		{"but with the archived ones", personToken, "GET", memory + "?archived=true&limit=1", "", 200, map[string]any{"total": 2, "memory.0.title": "Tea"}},
		{"it is not found", personToken, "GET", memory + "?search=takes", "", 200, map[string]any{"total": 0, "memory": []any{}}},
		{"another kind", personToken, "PATCH", one, `{"kind": "fact", "title": "Black coffee", "content": "no milk"}`, 200, map[string]any{"kind": "fact", "content": "no milk", "archived": true}},
		{"get", personToken, "GET", one, "", 200, map[string]any{"title": "Black coffee"}},
		{"undo", personToken, "POST", one + "/undo", "", 200, map[string]any{"memory.kind": "preference", "undone.gone": false}},
		{"delete", personToken, "DELETE", one, "", 200, map[string]any{"title": "Coffee"}},
		{"undo what is gone", personToken, "POST", one + "/undo", "", 200, map[string]any{"memory.title": "Coffee", "undone.action": "delete"}},
	} {
		s.answer(t, c)
	}
}

// TestPagesOfData have each record once, in whatever pages they are read.
func TestPagesOfData(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const many = 7
	want := make([]string, many)
	for i := range many {
		made := s.answer(t, gives{"make", personToken, "POST", "/v1/data/notes", fmt.Sprintf(`{"title": "Note %d"}`, i), 200, nil})
		want[many-1-i] = fmt.Sprint(made["id"])
	}
	rapid.Check(t, func(rt *rapid.T) {
		var got []string
		for cursor := ""; ; {
			limit := rapid.IntRange(1, many+1).Draw(rt, "limit")
			page := s.answer(t, gives{"a page", personToken, "GET", fmt.Sprintf("/v1/data/notes?limit=%d&cursor=%s", limit, cursor), "", 200, map[string]any{"total": many}})
			notes, _ := page["notes"].([]any)
			if len(notes) > limit {
				rt.Fatalf("%d notes on a page of %d", len(notes), limit)
			}
			for _, n := range notes {
				got = append(got, fmt.Sprint(dig(n, "id")))
			}
			if cursor, _ = page["next"].(string); cursor == "" {
				break
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("the pages have %v; want %v", got, want)
		}
	})
}
