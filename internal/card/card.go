// Package card turns facts into what is shown to a person: what a tool may do before it
// runs, and what came of it after. Computed facts stand above what the author wrote, and
// everything is cut and made visible here, so that a surface cannot forget to.
package card

import (
	"encoding/json"
	"fmt"

	"toolsmith/internal/value"
	"toolsmith/internal/visible"
)

// Lengths at which texts on cards are cut, in characters.
const (
	maxTitle       = 120
	maxDescription = 300
	maxValue       = 200
)

// Line is one labelled line of a card.
type Line struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// Result is the card of a run that is over.
type Result struct {
	Title   string `json:"title"`
	Primary string `json:"primary,omitempty"`
	Details []Line `json:"details"`
}

// For makes the card that a tool's "ui" describes. roots hold what its references read:
// output, input, state and the run's variables.
func For(title, primaryRef string, detailRefs []string, roots map[string]any) Result {
	r := Result{Title: visible.Line(visible.Cut(title, maxTitle)), Details: []Line{}}
	if primaryRef != "" {
		r.Primary = read(primaryRef, roots)
	}
	for _, ref := range detailRefs {
		r.Details = append(r.Details, Line{label(ref), read(ref, roots)})
	}
	return r
}

func read(ref string, roots map[string]any) string {
	path, err := value.ParsePath(ref)
	if err != nil {
		return "–"
	}
	v, ok := value.Get(roots, path)
	if !ok || v == nil {
		return "–"
	}
	return Text(v)
}

// label names a reference by its last part that means something.
func label(ref string) string {
	path, err := value.ParsePath(ref)
	if err != nil || len(path) == 0 {
		return "everything"
	}
	for i := len(path) - 1; i >= 0; i-- {
		if _, isIndex := value.Index(path[i]); !isIndex && path[i] != "length" {
			return path[i]
		}
	}
	return path[0]
}

// Text shows a value on one line: texts as they are, lists by their size, records by
// their title.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return "–"
	case string:
		if v == "" {
			return "–"
		}
		return visible.Line(visible.Cut(v, maxValue))
	case json.Number:
		return visible.Line(visible.Cut(string(v), maxValue))
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []any:
		return Count(len(v), "item")
	case map[string]any:
		if title, ok := v["title"].(string); ok && title != "" {
			return visible.Line(visible.Cut(title, maxValue))
		}
	}
	return visible.Line(visible.Cut(value.JSON(v), maxValue))
}

// Plural names several records of a kind.
func Plural(kind string) string {
	if kind == "memory" {
		return "memory"
	}
	return kind + "s"
}

// Count words a number of things: "1 item", "3 tasks", "2 memories".
func Count(n int, kind string) string {
	switch {
	case n == 1:
		return "1 " + kind
	case kind == "memory":
		return fmt.Sprintf("%d memories", n)
	}
	return fmt.Sprintf("%d %ss", n, kind)
}
