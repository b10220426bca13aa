package manifest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// TestEdges: which fields of a step lead to other steps.
func TestEdges(t *testing.T) {
	t.Parallel()
	m, list := parse(whole)
	if len(list) > 0 {
		t.Fatal(show(list))
	}
	got := map[string][]string{}
	for _, s := range m.Flow.Steps {
		s.Edges(func(name string, to manifest.Text) {
			got[s.ID.Value()] = append(got[s.ID.Value()], name+" "+to.Value())
		})
	}
	want := map[string][]string{
		"make": {"next think"}, "think": {"next each"}, "each": {"next test"}, "test": {"then keep", "else stop"}, "keep": {"next done"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	unknown := &manifest.Step{Next: manifest.Text{Node: m.Root}}
	unknown.Edges(func(name string, _ manifest.Text) { t.Errorf("a step of no kind leads on by %s", name) })
}

// TestExpressions: which values of a step are resolved, and when.
func TestExpressions(t *testing.T) {
	t.Parallel()
	m, list := parse(whole)
	if len(list) > 0 {
		t.Fatal(show(list))
	}
	got := map[string][]string{}
	note := func(s *manifest.Step, name string) {
		s.Expressions(func(n *value.Node, late bool) {
			got[name] = append(got[name], fmt.Sprintf("%s %v", n.Name, late))
		})
	}
	for _, s := range m.Flow.Steps {
		note(s, s.ID.Value())
		for i, inner := range s.Body {
			note(inner, fmt.Sprintf("%s %d", s.ID.Value(), i))
		}
	}
	want := map[string][]string{
		"make": {"input false", "input true"}, "think": {"input false"}, "each": {"source false"}, "each 0": {"value false"}, "each 1": {"input false"},
		"each 2": {"input false"}, "test": {"left false", "right false"}, "keep": {"value false"}, "done": {"value false"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestIsRef(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"$ref": "$.a"}`: true, `{"$ref": ""}`: true, `{"$ref": "not a path"}`: true,
		`{}`: false, `{"$ref": 1}`: false, `{"$ref": null}`: false, `{"ref": "$.a"}`: false, `{"$Ref": "$.a"}`: false,
		`{"$ref": "$.a", "x": 1}`: false, `{"$ref": "$.a", "$ref": "$.b"}`: false, `["$ref"]`: false, `"$ref"`: false, `[{"$ref": "$.a"}]`: false,
	} {
		n, _ := value.Parse([]byte(text))
		if got := manifest.IsRef(n); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestOperators: the list is the caller's own.
func TestOperators(t *testing.T) {
	t.Parallel()
	first := manifest.Operators()
	first[0] = "changed"
	if want := []string{"eq", "neq", "truthy", "exists", "contains", "gt", "gte", "lt", "lte"}; !slices.Equal(manifest.Operators(), want) {
		t.Errorf("%v, want %v", manifest.Operators(), want)
	}
}
