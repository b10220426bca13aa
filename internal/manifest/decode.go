package manifest

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"toolsmith/internal/nearest"
	"toolsmith/internal/value"
)

// Parse reads a manifest. The diagnostics hold every structural problem. The manifest is
// nil only where there is nothing to go on with: a text that is too large, or is not one
// JSON object.
func Parse(text []byte) (*Manifest, *Diagnostics) {
	root, found := Read(text)
	if root == nil {
		return nil, found
	}
	return Decode(root, found), found
}

// Read is the first half of Parse: it reads the text as JSON, and gives its object.
func Read(text []byte) (*value.Node, *Diagnostics) {
	d := &Diagnostics{source: text}
	if len(text) > MaxSize {
		// Nothing is built from a text that is too large, not even its lines.
		d.source = nil
		d.add(LevelError, CodeTooLarge, nil, "", 0, fmt.Sprintf(
			"A manifest has at most %d bytes (64 KiB); this has %s.", MaxSize, atLeast(len(text))))
		return nil, d
	}
	root, problems := value.Parse(text)
	for _, p := range problems {
		d.add(LevelError, CodeStructure, p.Node, "", p.Offset, p.Message)
	}
	if root != nil && root.Kind != value.Object {
		d.At(LevelError, CodeStructure, root, fmt.Sprintf(
			"A manifest is one JSON object, { … }; this is %s.", root.Kind))
		return nil, d
	}
	return root, d
}

// Decode is the second half of Parse: it fills the fields from what Read has read, and adds
// what is wrong with them to the diagnostics.
func Decode(root *value.Node, found *Diagnostics) *Manifest {
	return (&decoder{Diagnostics: found}).manifest(root)
}

// atLeast words a size that a bounded reader may have cut one byte above the limit.
func atLeast(n int) string {
	if n == MaxSize+1 {
		return "more"
	}
	return strconv.Itoa(n)
}

// decoder fills typed fields and reports what does not fit.
type decoder struct {
	*Diagnostics
	// steps that have been made ahead, so that the bodies of loops need no memory each.
	spare []Step
}

// field is one field that an object may have.
type field struct {
	name     string
	required bool
	// example shows what the field could be where it is missing; may be empty.
	example string
}

// object checks that n is an object with known fields only and all required ones. what
// names the object in messages ("a trigger").
func (d *decoder) object(n *value.Node, what string, fields []field) bool {
	if n == nil {
		return false
	}
	if n.Kind != value.Object {
		d.wrongKind(n, value.Object, what)
		return false
	}
	var found uint64 // one bit for each field; no object has more than 64
	next := 0        // most texts follow the order of the table
	for kid := range n.Kids() {
		at := next
		if at == len(fields) || fields[at].name != kid.Name {
			at = fieldAt(fields, kid.Name)
		}
		if at >= 0 {
			found |= 1 << at
			next = at + 1
			continue
		}
		d.AtName(LevelError, CodeStructure, kid, fmt.Sprintf(
			"Unknown field %s in %s.%s", Quote(kid.Name), what, d.unknownHint(n, kid.Name, fields)))
	}
	for at := range fields {
		if fields[at].required && found&(1<<at) == 0 {
			d.lacks(n, what, fields)
			break
		}
	}
	return true
}

// unknownHint says what may have been meant by a field that an object does not have.
func (d *decoder) unknownHint(n *value.Node, name string, fields []field) string {
	if name == "next" && fieldAt(fields, "id") >= 0 {
		if fieldAt(fields, "then") >= 0 {
			return ` It goes on by "then" and "else".`
		}
		return " The run ends with this step: take it out."
	}
	return d.Guess(name, func() []string { return names(n, fields) })
}

func fieldAt(fields []field, name string) int {
	for at := range fields {
		if fields[at].name == name {
			return at
		}
	}
	return -1
}

// names lists the fields that n does not have yet: a suggestion to write one twice is none.
func names(n *value.Node, fields []field) []string {
	var list []string
	for _, f := range fields {
		if n.Get(f.name) == nil {
			list = append(list, f.name)
		}
	}
	return list
}

func (d *decoder) lacks(n *value.Node, what string, fields []field) {
	for _, f := range fields {
		if !f.required || n.Get(f.name) != nil {
			continue
		}
		message := fmt.Sprintf("Required field %q is missing in %s.", f.name, what)
		if f.example != "" {
			message = strings.TrimSuffix(message, ".") + ": " + f.example + "."
		}
		d.Missing(CodeStructure, n, f.name, message)
	}
}

func (d *decoder) wrongKind(n *value.Node, want value.Kind, what string) {
	if what == "" {
		what = Quote(n.Name)
	}
	d.At(LevelError, CodeStructure, n, fmt.Sprintf("%s has to be %s; this is %s.", upperFirst(what), want, n.Kind))
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Quote writes a text of the manifest into a message: quoted, and cut where it is long.
func Quote(s string) string {
	const longest = 80
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return value.JSON(s)
}

// isList reports whether a list field is there and a list.
func (d *decoder) isList(n *value.Node) bool {
	if n == nil {
		return false
	}
	if n.Kind != value.Array {
		d.wrongKind(n, value.Array, "")
		return false
	}
	return true
}

// items gives the items of a list field; none where it is absent or no list.
func (d *decoder) items(n *value.Node) iter.Seq[*value.Node] {
	if !d.isList(n) {
		return func(func(*value.Node) bool) {}
	}
	return n.Kids()
}

func (d *decoder) text(n *value.Node) Text {
	if n == nil {
		return Text{}
	}
	if n.Kind != value.String {
		d.wrongKind(n, value.String, placeName(n))
		return Text{}
	}
	return Text{n}
}

// placeName names a value in a list after its list.
func placeName(n *value.Node) string {
	if n.Name == "" && n.Parent() != nil {
		return "each item of " + Quote(n.Parent().Name)
	}
	return ""
}

func (d *decoder) texts(n *value.Node) []Text {
	var fields []Text
	for item := range d.items(n) {
		if f := d.text(item); f.Ok() {
			fields = append(fields, f)
		}
	}
	return fields
}

// oneOf reads a text that has to be one of a few.
func (d *decoder) oneOf(n *value.Node, choices ...string) Text {
	f := d.text(n)
	if !f.Ok() || slices.Contains(choices, f.Value()) {
		return f
	}
	hint := ""
	if near := nearest.To(f.Value(), choices); near != "" && len(choices) > 1 {
		hint = fmt.Sprintf(" Did you mean %q?", near)
	}
	d.At(LevelError, CodeStructure, n, fmt.Sprintf("%s has to be %s; this is %s.%s",
		Quote(n.Name), either(choices), Quote(f.Value()), hint))
	return Text{}
}

func either(choices []string) string {
	quoted := make([]string, len(choices))
	for i, c := range choices {
		quoted[i] = Quote(c)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

func (d *decoder) boolean(n *value.Node) Field[bool] {
	if n == nil {
		return Field[bool]{}
	}
	if n.Kind != value.Bool {
		d.wrongKind(n, value.Bool, "")
		return Field[bool]{}
	}
	return Field[bool]{n.Text == "true", n}
}

func (d *decoder) number(n *value.Node) Number {
	if n == nil {
		return Number{}
	}
	if n.Kind != value.Number {
		d.wrongKind(n, value.Number, "")
		return Number{}
	}
	return Number{n}
}

// integer reads a whole number within bounds.
func (d *decoder) integer(n *value.Node, lowest, highest int64) Field[int64] {
	f := d.number(n)
	if !f.Ok() {
		return Field[int64]{}
	}
	i, ok := value.Integer(f.Value())
	if !ok || i < lowest || i > highest {
		d.At(LevelError, CodeStructure, n, fmt.Sprintf(
			"%s has to be a whole number from %d to %d; this is %s.", Quote(n.Name), lowest, highest, n.Text))
		return Field[int64]{}
	}
	return Field[int64]{i, n}
}
