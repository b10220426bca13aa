package value

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String names a kind for people, with its article: "a text", "a list".
func (k Kind) String() string {
	return [...]string{"null", "true or false", "a number", "a text", "a list", "an object"}[k]
}

// Node is one value of a text, with its place. The nodes of a text stand in one block of
// memory in the order of the text, so what a node holds begins with the one behind it, and
// the others are told by how many nodes away they are: numbers cost the garbage collector
// nothing, and half of the time of a check was its. A Node must not be copied.
type Node struct {
	// Text is the decoded text of a String, the exact text of a Number, and "true" or
	// "false" for a Bool.
	Text string
	// Name under which the node stands in its object; "" in a list and at the root.
	Name string

	// parent and next are how many nodes before and behind this one they stand; 0 for none.
	parent, next int32
	// kids is how many the node holds, and index which of its parent's it is, from 0.
	kids, index int32

	// Offset and End are the bytes at which the value begins and ends in the text, and
	// NameOffset the byte at which its quoted name begins.
	Offset, End, NameOffset int32
	Kind                    Kind
}

// away gives the node that stands a number of nodes behind this one.
func (n *Node) away(nodes int32) *Node {
	return (*Node)(unsafe.Add(unsafe.Pointer(n), int(nodes)*int(unsafe.Sizeof(Node{})))) //nolint:gosec // within the block of the text's nodes
}

// following gives the next member or item of the node's parent; nil for the last.
func (n *Node) following() *Node {
	if n.next == 0 {
		return nil
	}
	return n.away(n.next)
}

// Kids gives the members of an Object in the order of the text, doubled names included, or
// the items of an Array.
func (n *Node) Kids() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for kid := n.First(); kid != nil; kid = kid.following() {
			if !yield(kid) {
				return
			}
		}
	}
}

// Len is how many members or items the node has.
func (n *Node) Len() int { return int(n.kids) }

// First gives the first member or item; nil if there is none.
func (n *Node) First() *Node {
	if n.kids == 0 {
		return nil
	}
	return n.away(1)
}

// Get finds the member with a name; nil if there is none. Where a name is doubled the
// first counts.
func (n *Node) Get(name string) *Node {
	if n.Kind != Object {
		return nil
	}
	for kid := n.First(); kid != nil; kid = kid.following() {
		if kid.Name == name {
			return kid
		}
	}
	return nil
}

// Parent gives the object or list that holds the node; nil for the whole document.
func (n *Node) Parent() *Node {
	if n.parent == 0 {
		return nil
	}
	return n.away(-n.parent)
}

// Path of the node from the document's root: "$.flow.nodes[2].retry". A name that is
// not made of letters, digits, "_", "$" and "-" is written as ["its JSON text"].
func (n *Node) Path() string {
	switch parent := n.Parent(); {
	case parent == nil:
		return "$"
	case parent.Kind == Object:
		return MemberPath(parent.Path(), n.Name)
	default:
		return fmt.Sprintf("%s[%d]", parent.Path(), n.index)
	}
}

// maxNameInPath is where a name is cut in a path, in bytes: a path is for finding a place,
// and one long name must not stand in thousands of them.
const maxNameInPath = 128

// MemberPath appends a member's name to the path of its object.
func MemberPath(parent, name string) string {
	if len(name) > maxNameInPath {
		name = strings.ToValidUTF8(name[:maxNameInPath], "") + "…"
	}
	if plainName(name) {
		return parent + "." + name
	}
	return parent + "[" + string(AppendJSON(nil, name)) + "]"
}

func plainName(name string) bool {
	if name == "" {
		return false
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !segmentByte(c) && c != '$' {
			return false
		}
	}
	return true
}

// Value builds the value of a node. Where a name is doubled the first counts.
func (n *Node) Value() any {
	switch n.Kind {
	case Bool:
		return n.Text == "true"
	case Number:
		return json.Number(n.Text)
	case String:
		return n.Text
	case Array:
		list := make([]any, 0, n.Len())
		for kid := range n.Kids() {
			list = append(list, kid.Value())
		}
		return list
	case Object:
		object := make(map[string]any, n.Len())
		for kid := range n.Kids() {
			if _, doubled := object[kid.Name]; !doubled {
				object[kid.Name] = kid.Value()
			}
		}
		return object
	default:
		return nil
	}
}

// Problem is something wrong with a text as JSON. It quotes nothing of the text but a
// single character: what stands there may be a secret.
type Problem struct {
	// Offset in bytes.
	Offset int
	// Node at fault, or the one whose name is; nil where there is no tree.
	Node *Node
	// Message in words.
	Message string
	// Fatal: the text could not be read on from here, so there is no tree.
	Fatal bool
}

// Path of the value at fault; "$" where there is no tree.
func (p Problem) Path() string {
	if p.Node == nil {
		return "$"
	}
	return p.Node.Path()
}

// MaxDepth is how deep lists and objects may be nested.
const MaxDepth = 64

// Parse reads one JSON document. It reports every problem that it can pass (doubled
// names, bytes that are not UTF-8, numbers out of range), in the order of the text. The
// tree is nil if the text is not JSON at all or is nested deeper than MaxDepth.
func Parse(text []byte) (*Node, []Problem) {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return nil, []Problem{{Fatal: true, Message: "The text begins with a byte order mark. Save it as UTF-8 without one (in some editors: \"UTF-8\", not \"UTF-8 with BOM\")."}}
	}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, []Problem{{Fatal: true, Message: "The text is UTF-16. Save it as UTF-8."}}
	}
	r := &reader{text: string(text)}
	root := r.document()
	return root, r.inOrder()
}

// ParseStrict reads one JSON document: the first problem is an error that says at which
// line and column.
func ParseStrict(text []byte) (*Node, error) {
	root, problems := Parse(text)
	if len(problems) > 0 {
		line, column := Position(text, problems[0].Offset)
		return nil, fmt.Errorf("line %d, column %d: %s", line, column, problems[0].Message)
	}
	return root, nil
}

// Decode reads one JSON document as a value, as strictly as ParseStrict.
func Decode(text []byte) (any, error) {
	root, err := ParseStrict(text)
	if err != nil {
		return nil, err
	}
	return root.Value(), nil
}

// Position turns a byte offset into a line and a column, both from 1; columns count
// characters.
func Position(text []byte, offset int) (line, column int) {
	offset = max(0, min(offset, len(text)))
	before := text[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(before[start:]) + 1
}
