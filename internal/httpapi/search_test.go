package httpapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// found asks for something, and gives the hits as "kind title".
func (s *served) found(t *testing.T, token, query string, limit int) (list []string) {
	t.Helper()
	got := s.answer(t, gives{"search", token, "GET", fmt.Sprintf("/v1/search?q=%s&limit=%d", url.QueryEscape(query), limit), "", 200, nil})
	for _, one := range got["hits"].([]any) {
		list = append(list, fmt.Sprintf("%v %v", dig(one, "kind"), dig(one, "title")))
	}
	return list
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, c := range [][2]string{
		{"notes", `{"title": "About oolong", "content": "tea, of course"}`},
		{"notes", `{"title": "Steam", "content": "no match by its title"}`},
		{"notes", `{"title": "Tea"}`},
		{"notes", `{"title": "A pot of tea"}`},
		{"tasks", `{"title": "Buy tea and oolong"}`},
		{"memory", `{"title": "Tea", "content": "Takes it without milk"}`},
		{"memory", `{"title": "Teapot", "content": "It is broken"}`},
	} {
		s.answer(t, gives{"make", personToken, "POST", "/v1/data/" + c[0], c[1], 200, nil})
	}
	put := s.answer(t, gives{"make", personToken, "POST", "/v1/data/memory", `{"title": "Tea of old", "content": "x"}`, 200, nil})
	s.answer(t, gives{"put away", personToken, "PATCH", fmt.Sprintf("/v1/data/memory/%v", put["id"]), `{"archived": true}`, 200, nil})
	s.install(t, strings.NewReplacer("Keep a thought", "Keep tea", "Keeps one thought as a note.", "Keeps a thought.").Replace(keeper))
	s.answer(t, gives{"theirs", "editor", "POST", "/v1/runs?title=Tea+of+the+editor&wait=30", `{"content": {"type": "tool", "data": {"name": "echo", "arguments": {"text": "x"}}}}`, 200, nil})
	run := s.answer(t, gives{"mine", personToken, "POST", "/v1/runs?title=Tea+for+two&wait=30", `{"content": {"type": "tool", "data": {"name": "echo", "arguments": {"text": "x"}}}}`, 200, nil})

	for _, c := range []struct {
		token, query string
		limit        int
		want         []string
	}{
		{personToken, "tea", 100, []string{
			"note Tea", "memory Tea",
			"tool Keep tea", "run Tea for two", "run Tea of the editor", "note A pot of tea", "task Buy tea and oolong", "memory Teapot",
			"note Steam",
			"note About oolong",
		}},
		{personToken, "TEA", 3, []string{"note Tea", "memory Tea", "tool Keep tea"}},
		{personToken, " oolong \t tea ", 100, []string{"task Buy tea and oolong", "note About oolong"}},
		{personToken, "without milk", 100, []string{"memory Tea"}},
		{personToken, "milk tea", 100, []string{"memory Tea"}},
		{personToken, "keep", 100, []string{"tool Keep tea"}},
		{personToken, "dynamic:keep", 100, []string{"tool Keep tea"}},
		{personToken, fmt.Sprint(run["run"]), 100, []string{"run Tea for two"}},
		{personToken, "nothing of that kind", 100, nil},
		{"editor", "tea", 100, []string{"run Tea of the editor"}},
		{"editor", "echo", 100, []string{"tool Echo"}},
		{"editor", "notes", 100, []string{"tool notes.create", "tool notes.list"}},
		{"all", "tea", 100, nil},
	} {
		if got := s.found(t, c.token, c.query, c.limit); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s finds of %q\n%q, want\n%q", c.token, c.query, got, c.want)
		}
	}
	for path, field := range map[string]string{
		"/v1/search": "query.q", "/v1/search?q=": "query.q", "/v1/search?q=%20": "query.q", "/v1/search?q=x&limit=0": "query.limit",
		"/v1/search?q=x&limit=101": "query.limit", "/v1/search?q=" + strings.Repeat("x", 201): "query.q",
	} {
		s.answer(t, gives{"refused", personToken, "GET", path, "", 422, map[string]any{"code": "INVALID", "field": field}})
	}
}
