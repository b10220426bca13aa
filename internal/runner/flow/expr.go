package flow

import (
	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// expr is a value of a manifest in which references are resolved. present is false where
// the whole value is a reference to nothing.
type expr interface {
	eval(r *run) (v any, present bool)
}

// literal is a value without references. It is shared, which is safe since values are
// never changed in place.
type literal struct{ v any }

func (l literal) eval(*run) (any, bool) { return l.v, true }

// reference reads a variable.
type reference value.Path

func (p reference) eval(r *run) (any, bool) { return r.get(value.Path(p)) }

// object resolves its members; one that leads nowhere is left out.
type object struct {
	names  []string
	values []expr
}

func (o object) eval(r *run) (any, bool) {
	out := make(map[string]any, len(o.names))
	for i, name := range o.names {
		if v, present := o.values[i].eval(r); present {
			out[name] = v
		}
	}
	return out, true
}

// array resolves its items; one that leads nowhere is null.
type array []expr

func (a array) eval(r *run) (any, bool) {
	out := make([]any, len(a))
	for i, item := range a {
		out[i], _ = item.eval(r)
	}
	return out, true
}

func (b *builder) expr(n *value.Node) expr {
	if !hasRef(n) {
		return literal{n.Value()}
	}
	if manifest.IsRef(n) {
		path, err := value.ParsePath(n.First().Text)
		if err != nil && b.err == nil {
			b.err = err // the check has let it pass: a defect
		}
		return reference(path)
	}
	if n.Kind == value.Array {
		items := make(array, 0, n.Len())
		for kid := range n.Kids() {
			items = append(items, b.expr(kid))
		}
		return items
	}
	o := object{}
	for kid := range n.Kids() {
		o.names = append(o.names, kid.Name)
		o.values = append(o.values, b.expr(kid))
	}
	return o
}

func hasRef(n *value.Node) bool {
	if manifest.IsRef(n) {
		return true
	}
	for kid := range n.Kids() {
		if hasRef(kid) {
			return true
		}
	}
	return false
}
