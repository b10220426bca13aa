package schema

import (
	"net/url"
	"strings"

	"toolsmith/internal/value"
)

// Extent counts the places of a schema, given as a JSON value, where each reference counts as all
// that it leads to; one back to where it stands counts once. It stops counting above most, and
// counts a schema as more that refers in another way than by "#" and "#/…", or that has an "$id"
// which changes what that means: what they lead to is not followed here.
func Extent(raw any, most int) int {
	w := extent{root: raw, known: map[string]int{}, most: most}
	root, _ := raw.(map[string]any)
	return w.count(root, true)
}

// extent counts. known has the counts of what was referred to, zero while they are being counted.
type extent struct {
	root  any
	known map[string]int
	most  int
}

func (w *extent) count(v any, root bool) int {
	places := 1
	add := func(n int) bool {
		places = min(places+n, w.most+1)
		return places <= w.most
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if !add(w.count(item, false)) {
				break
			}
		}
	case map[string]any:
		for name, item := range v {
			text, isText := item.(string)
			var n int
			switch {
			case name == "const" || name == "default" || name == "examples" || name == "enum":
				n = 1 // values, in which nothing is followed
			case name == "$ref" && isText:
				n = w.follow(text)
			case isText && (name == "$dynamicRef" || name == "$recursiveRef" || name == "$id" && !root):
				n = w.most + 1
			default:
				n = w.count(item, false)
			}
			if !add(n) {
				break
			}
		}
	}
	return places
}

// follow counts what a reference leads to.
func (w *extent) follow(ref string) int {
	if n, ok := w.known[ref]; ok {
		return max(n, 1)
	}
	target, ok := w.at(ref)
	if !ok {
		return w.most + 1
	}
	w.known[ref] = 0
	n := w.count(target, ref == "#")
	w.known[ref] = n
	return n
}

// at gives the place that a reference of the form "#" or "#/…" leads to.
func (w *extent) at(ref string) (any, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	pointer, err := url.PathUnescape(pointer)
	switch {
	case !ok || err != nil || pointer != "" && pointer[0] != '/':
		return nil, false
	case pointer == "":
		return w.root, true
	}
	place := w.root
	for part := range strings.SplitSeq(pointer[1:], "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch at := place.(type) {
		case map[string]any:
			if place, ok = at[part]; !ok {
				return nil, false
			}
		case []any:
			i, isIndex := value.Index(part)
			if !isIndex || i >= len(at) {
				return nil, false
			}
			place = at[i]
		default:
			return nil, false
		}
	}
	return place, true
}
