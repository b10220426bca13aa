package capability_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/local"
)

func TestCallsGiveTheRecords(t *testing.T) {
	t.Parallel()
	d := newDesk()
	for _, test := range []struct{ name, input, want string }{
		{"tasks.create", `{"title": " Call Ada ", "dueAt": "2026-12-01T08:30:00+09:00", "priority": "high"}`,
			`{"createdAt":"2026-11-27T09:00:00.000Z","description":"","dueAt":"2026-11-30T23:30:00.000Z","id":"#1","priority":"high","revision":1,"status":"todo","title":"Call Ada","updatedAt":"2026-11-27T09:00:00.000Z"}`},
		{"tasks.setStatus", `{"id": "#1", "status": "done"}`,
			`{"createdAt":"2026-11-27T09:00:00.000Z","description":"","dueAt":"2026-11-30T23:30:00.000Z","id":"#1","priority":"high","revision":2,"status":"done","title":"Call Ada","updatedAt":"2026-11-27T09:01:00.000Z"}`},
		{"tasks.list", `{"status": "done", "query": "ADA", "limit": 1e1}`,
			`[{"createdAt":"2026-11-27T09:00:00.000Z","description":"","dueAt":"2026-11-30T23:30:00.000Z","id":"#1","priority":"high","revision":2,"status":"done","title":"Call Ada","updatedAt":"2026-11-27T09:01:00.000Z"}]`},
		{"tasks.list", `{"status": "todo"}`, `[]`},
		{"notes.create", `{"title": "a", "content": "<b>"}`,
			`{"content":"<b>","createdAt":"2026-11-27T09:02:00.000Z","id":"#2","revision":1,"title":"a","updatedAt":"2026-11-27T09:02:00.000Z"}`},
		{"notes.update", `{"id": "#2", "content": {"b": [1, true]}}`,
			`{"content":"b\n- 1\n- true","createdAt":"2026-11-27T09:02:00.000Z","id":"#2","revision":2,"title":"a","updatedAt":"2026-11-27T09:03:00.000Z"}`},
		{"notes.update", `{"id": "#2", "title": "c", "content": ""}`,
			`{"content":"","createdAt":"2026-11-27T09:02:00.000Z","id":"#2","revision":3,"title":"c","updatedAt":"2026-11-27T09:04:00.000Z"}`},
		{"notes.list", `{"cursor": "01JD0000000000000000000003"}`,
			`[{"content":"","createdAt":"2026-11-27T09:02:00.000Z","id":"#2","revision":3,"title":"c","updatedAt":"2026-11-27T09:04:00.000Z"}]`},
		{"notes.list", `{"cursor": "#2"}`, `[]`},
		{"memory.create", `{"title": "Tea", "content": null, "kind": "taste"}`,
			`{"archived":false,"content":"none","createdAt":"2026-11-27T09:05:00.000Z","id":"#3","kind":"taste","revision":1,"title":"Tea","updatedAt":"2026-11-27T09:05:00.000Z"}`},
		{"memory.search", `{"query": "tea", "limit": 5}`,
			`[{"archived":false,"content":"none","createdAt":"2026-11-27T09:05:00.000Z","id":"#3","kind":"taste","revision":1,"title":"Tea","updatedAt":"2026-11-27T09:05:00.000Z"}]`},
		{"memory.search", `{"query": ""}`, `[]`},
		{"memory.archive", `{"id": "#3"}`,
			`{"archived":true,"content":"none","createdAt":"2026-11-27T09:05:00.000Z","id":"#3","kind":"taste","revision":2,"title":"Tea","updatedAt":"2026-11-27T09:06:00.000Z"}`},
		{"memory.search", `{"query": "tea"}`, `[]`},
	} {
		got := d.call(t, test.name, test.input)
		for n := 1; n <= 9; n++ {
			got = strings.ReplaceAll(got, id(n), fmt.Sprintf("#%d", n))
		}
		if got != test.want {
			t.Errorf("%s %s\n got %s\nwant %s", test.name, test.input, got, test.want)
		}
	}
}

// Each write is taken back by the capability that it names, given the id and the
// revision in its result.
func TestEveryWriteIsTakenBackByItsInverse(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{
		"tasks.create":    `{"title": "new"}`,
		"tasks.setStatus": `{"id": "#1", "status": "todo"}`,
		"tasks.delete":    `{"id": "#1"}`,
		"notes.create":    `{"title": "new", "content": "x"}`,
		"notes.update":    `{"id": "#2", "content": "y"}`,
		"notes.delete":    `{"id": "#2", "revision": 1}`,
		"memory.create":   `{"title": "new", "content": "x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			d.call(t, "tasks.create", `{"title": "a", "status": "doing"}`)
			d.call(t, "notes.create", `{"title": "b", "content": "b"}`)
			d.call(t, "memory.create", `{"title": "c", "content": "c"}`)
			all := func() string {
				return d.call(t, "tasks.list", `{}`) + d.call(t, "notes.list", `{}`) + d.call(t, "memory.search", `{"query": "c x"}`)
			}
			before := all()
			described, _ := d.host.Catalogue().Get(name)

			result, err := d.try(t, name, input)
			if err != nil {
				t.Fatal(err)
			}
			if all() == before && name != "memory.create" {
				t.Error("nothing was changed")
			}
			done := result.Value.(map[string]any)
			undo := compact(t, map[string]any{"id": done["id"], "revision": done["revision"]})
			d.call(t, described.Undo, undo)
			if diff := cmp.Diff(before, all()); diff != "" {
				t.Errorf("taken back (-before +after):\n%s", diff)
			}

			_, err = d.try(t, described.Undo, undo)
			var failed *capability.Error
			if !errors.As(err, &failed) || !failed.Permanent {
				t.Errorf("taking it back twice: %v", err)
			}
		})
	}
}

func TestBadInputIsRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, input, field string }{
		{"tasks.list", `null`, "$"},
		{"tasks.list", `[]`, "$"},
		{"tasks.list", `{"state": "done"}`, "$"},
		{"tasks.list", `{"Status": "done"}`, "$"},
		{"tasks.list", `{"status": "open"}`, "$.status"},
		{"tasks.list", `{"status": ""}`, "$.status"},
		{"tasks.list", `{"status": null}`, "$.status"},
		{"tasks.list", `{"limit": 0}`, "$.limit"},
		{"tasks.list", `{"limit": -1}`, "$.limit"},
		{"tasks.list", `{"limit": 501}`, "$.limit"},
		{"tasks.list", `{"limit": 99999999999999999999}`, "$.limit"},
		{"tasks.list", `{"limit": 1.5}`, "$.limit"},
		{"tasks.list", `{"limit": 1e999999999}`, "$.limit"},
		{"tasks.list", `{"limit": "5"}`, "$.limit"},
		{"tasks.list", `{"query": 5}`, "$.query"},
		{"tasks.create", `{}`, "$.title"},
		{"tasks.create", `{"title": ""}`, "$.title"},
		{"tasks.create", `{"title": ["x"]}`, "$.title"},
		{"tasks.create", `{"title": "x", "dueAt": "tomorrow"}`, "$.dueAt"},
		{"tasks.create", `{"title": "x", "dueAt": "2026-11-27T09:00:00"}`, "$.dueAt"},
		{"tasks.create", `{"title": "x", "dueAt": ""}`, "$.dueAt"},
		{"tasks.create", `{"title": "x", "priority": 1}`, "$.priority"},
		{"tasks.create", `{"title": "x", "priority": "urgent"}`, "$.priority"},
		{"tasks.create", `{"title": "x", "description": null}`, "$.description"},
		{"tasks.setStatus", `{"id": "#1"}`, "$.status"},
		{"tasks.setStatus", `{"status": "done"}`, "$.id"},
		{"tasks.delete", `{}`, "$.id"},
		{"tasks.restore", `{"id": "#1", "revision": 0}`, "$.revision"},
		{"notes.list", `{"status": "done"}`, "$"},
		{"notes.list", `{"limit": true}`, "$.limit"},
		{"notes.create", `{"title": "x"}`, "$.content"},
		{"notes.create", `{"content": "x"}`, "$.title"},
		{"notes.update", `{"id": "#2"}`, "$"},
		{"notes.update", `{"title": "x"}`, "$.id"},
		{"notes.update", `{"id": "#2", "title": " "}`, "$.title"},
		{"memory.search", `{}`, "$.query"},
		{"memory.create", `{"title": "x", "content": "x", "kind": {}}`, "$.kind"},
		{"memory.create", `{"title": "x"}`, "$.content"},
	} {
		d := newDesk()
		d.call(t, "tasks.create", `{"title": "a"}`)
		d.call(t, "notes.create", `{"title": "b", "content": "b"}`)
		_, err := d.try(t, test.name, test.input)
		t.Run(test.name+test.input, func(t *testing.T) {
			wantError(t, err, invalid(test.name, test.field))
		})
		if left := d.call(t, "tasks.list", `{}`) + d.call(t, "notes.list", `{}`); strings.Count(left, `"revision":1`) != 2 {
			t.Errorf("%s %s changed something: %s", test.name, test.input, left)
		}
	}
}

func TestTextThatIsNotUnicodeIsRefused(t *testing.T) {
	t.Parallel()
	half := "half a pair \xed\xa0\x80"
	for field, call := range map[string]capability.Call{
		"$.title":          {Name: "notes.create", Input: map[string]any{"title": half, "content": "x"}},
		"$.content":        {Name: "notes.create", Input: map[string]any{"title": "x", "content": half}},
		"$.content.a[1].b": {Name: "notes.create", Input: map[string]any{"title": "x", "content": map[string]any{"a": []any{nil, map[string]any{"b": half}}}}},
		"$.content.key":    {Name: "memory.create", Input: map[string]any{"title": "x", "content": map[string]any{"key": map[string]any{half: true}}}},
		"$.content[0]":     {Name: "memory.create", Input: map[string]any{"title": "x", "content": []any{3.5}}},
		"$.id":             {Name: "tasks.setStatus", Input: map[string]any{"id": half, "status": "done"}},
		"$.status":         {Name: "tasks.list", Input: map[string]any{"status": half}},
		"$.query":          {Name: "memory.search", Input: map[string]any{"query": half}},
		"$.description":    {Name: "tasks.create", Input: map[string]any{"title": "x", "description": half}},
		"$.cursor":         {Name: "notes.list", Input: map[string]any{"cursor": half}},
		"$":                {Name: "notes.list", Input: map[string]any{half: half}},
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			_, err := d.host.Call(t.Context(), d.book, call)
			wantError(t, err, invalid(call.Name, field))
		})
	}
}

func TestFailuresSayWhetherTheyMayPass(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.call(t, "notes.create", `{"title": "x", "content": "x"}`)
	_, err := d.try(t, "notes.move", `{}`)
	wantError(t, err, capability.Error{Capability: "notes.move", Permanent: true, Code: capability.CodeUnknown})
	_, err = d.try(t, "notes.update", `{"id": "#9", "title": "y"}`)
	wantError(t, err, capability.Error{Capability: "notes.update", Permanent: true, Code: local.CodeNotFound, Field: "$.id"})
	_, err = d.try(t, "notes.delete", `{"id": "#1", "revision": 2}`)
	wantError(t, err, capability.Error{Capability: "notes.delete", Permanent: true, Code: local.CodeChanged, Field: "$.revision"})

	secret := errors.New("disk I/O error on /home/ada/toolsmith.db (10)")
	d.shelf.Fail = func(string) error { return secret }
	for name, input := range map[string]string{
		"tasks.list": `{}`, "tasks.create": `{"title": "x"}`, "tasks.setStatus": `{"id": "#1", "status": "done"}`,
		"tasks.delete": `{"id": "#1"}`, "tasks.restore": `{"id": "#1"}`,
		"notes.list": `{}`, "notes.create": `{"title": "x", "content": "x"}`, "notes.update": `{"id": "#1", "title": "y"}`,
		"notes.delete": `{"id": "#1"}`, "notes.restore": `{"id": "#1"}`,
		"memory.search": `{"query": "x"}`, "memory.create": `{"title": "x", "content": "x"}`, "memory.archive": `{"id": "#1"}`,
	} {
		result, err := d.try(t, name, input)
		wantError(t, err, capability.Error{Capability: name, Code: capability.CodeUnavailable})
		if !errors.Is(err, secret) || strings.Contains(err.Error(), "disk") || result.Value != nil {
			t.Errorf("%s: %v, %v", name, err, result.Value)
		}
	}

	d.shelf.Fail = func(string) error { return fmt.Errorf("query: %w", context.DeadlineExceeded) }
	_, err = d.try(t, "notes.list", `{}`)
	var failed *capability.Error
	if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &failed) {
		t.Errorf("a context that has ended: %v", err)
	}
}

func TestAListSaysWhenItWasCut(t *testing.T) {
	t.Parallel()
	d := newDesk()
	for range 3 {
		d.call(t, "tasks.create", `{"title": "x"}`)
	}
	for input, want := range map[string]*capability.Cut{
		`{}`: nil, `{"limit": 3}`: nil, `{"limit": 2}`: {Shown: 2, Total: 3},
		`{"cursor": "#3"}`: nil, `{"cursor": "#3", "limit": 1}`: {Shown: 1, Total: 3},
	} {
		result, err := d.try(t, "tasks.list", input)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, result.Cut); diff != "" {
			t.Errorf("%s (-want +got):\n%s", input, diff)
		}
	}
}

func TestAListFitsTheLargestResult(t *testing.T) {
	t.Parallel()
	// The worst that a text can become in JSON is six bytes for one.
	for name, content := range map[string]string{
		"plain": strings.Repeat("x", local.MaxText), "control": strings.Repeat("\x01", local.MaxText),
		"quotes": strings.Repeat(`"`, local.MaxText), "separators": strings.Repeat("\u2028", local.MaxText/3),
		"tags": strings.Repeat("<", local.MaxText), "short": "x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			const records = 600
			for range records {
				if _, err := d.book.CreateNote(t.Context(), local.NewNote{Title: "x", Content: content}); err != nil {
					t.Fatal(err)
				}
			}
			result, err := d.try(t, "notes.list", `{"limit": 500}`)
			if err != nil {
				t.Fatal(err)
			}
			shown := result.Value.([]any)
			if size := len(compact(t, result.Value)); size > capability.MaxResult || len(shown) == 0 {
				t.Errorf("%d records in %d bytes", len(shown), size)
			}
			if diff := cmp.Diff(&capability.Cut{Shown: len(shown), Total: records}, result.Cut); diff != "" {
				t.Errorf("cut (-want +got):\n%s", diff)
			}
			if next := len(compact(t, result.Value)) + len(compact(t, shown[0])) + 1; name != "short" && next <= capability.MaxResult {
				t.Errorf("one more record would have fitted: %d bytes", next)
			}
		})
	}
}

// What a call gives belongs to the caller, as does what it is given.
func TestAResultSharesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk()
	content := map[string]any{"a": []any{json.Number("1")}}
	result, err := d.host.Call(background(), d.book, capability.Call{
		Name: "notes.create", Input: map[string]any{"title": "x", "content": content},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"a": []any{json.Number("1")}}, content); diff != "" {
		t.Errorf("the input was changed:\n%s", diff)
	}
	result.Value.(map[string]any)["title"] = "y"
	if kept := d.call(t, "notes.list", `{}`); !strings.Contains(kept, `"title":"x"`) {
		t.Errorf("kept %s", kept)
	}
}
