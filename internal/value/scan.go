package value

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reader scans a text by recursive descent (RFC 8259). It is our own, and no library's,
// because a check needs what decoders leave out: the place of every value and name,
// lone surrogates as they are, and reading on after a problem that can be passed. A fuzz
// test holds its grammar against a library's.
type reader struct {
	text     string
	at       int
	failed   bool
	problems []Problem

	// stack holds the finished kids of the objects and lists that are open; block is
	// where kids move when theirs closes.
	stack []Node
	block []Node
}

// document reads the whole text; nil if it is not one JSON document.
func (r *reader) document() *Node {
	r.space()
	if r.at == len(r.text) {
		r.fail(r.at, "The text is empty. It has to hold one JSON document.")
		return nil
	}
	const usual = 64
	r.stack = make([]Node, 0, min(usual, len(r.text)))
	root := new(Node)
	r.value(root, 0)
	if r.failed {
		return nil
	}
	r.space()
	if r.at < len(r.text) {
		r.fail(r.at, "Something follows the end of the JSON document. One file holds one document.")
		return nil
	}
	adopt(root)
	r.locate(root)
	return root
}

// adopt tells the kids of a node whose they are. It is called when the node has reached
// the place where it stays.
func adopt(n *Node) {
	for i := range n.Kids {
		n.Kids[i].parent = n
	}
}

// locate finds the paths of problems by their offsets, once the tree stands.
func (r *reader) locate(root *Node) {
	for i := range r.problems {
		p := &r.problems[i]
		p.Path = pathAt(root, int32(p.Offset))
	}
}

// pathAt gives the path of the value, or of the member's name, that begins at an offset.
func pathAt(n *Node, offset int32) string {
	for {
		i := sort.Search(len(n.Kids), func(i int) bool { return n.Kids[i].End > offset })
		if i == len(n.Kids) {
			return n.Path()
		}
		n = &n.Kids[i]
		if offset <= n.Offset {
			return n.Path()
		}
	}
}

// inOrder sorts the problems by their place: a doubled name is found only when its object
// closes, after the problems inside.
func (r *reader) inOrder() []Problem {
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Compare(a.Offset, b.Offset) })
	return r.problems
}

// fail ends the reading with a problem that cannot be passed; only the first counts.
func (r *reader) fail(offset int, message string) {
	if !r.failed {
		r.failed = true
		r.problems = append(r.problems, Problem{Offset: offset, Path: "$", Message: message, Fatal: true})
	}
}

// problem reports what can be passed. Its path is found when the tree stands.
func (r *reader) problem(offset int, message string) {
	r.problems = append(r.problems, Problem{Offset: offset, Path: "$", Message: message})
}

func (r *reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\n', '\t', '\r':
			r.at++
		default:
			return
		}
	}
}

// peek gives the next byte that is no white space, 0 at the end.
func (r *reader) peek() byte {
	r.space()
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// value reads one value into n; the reader stands on its first byte.
func (r *reader) value(n *Node, depth int) {
	n.Offset = int32(r.at)
	if r.at >= len(r.text) {
		r.unexpected("a value")
		return
	}
	switch c := r.text[r.at]; {
	case c == '{' || c == '[':
		if depth >= MaxDepth {
			r.fail(r.at, fmt.Sprintf("Lists and objects are nested deeper than %d.", MaxDepth))
			return
		}
		r.at++
		base := len(r.stack)
		if c == '{' {
			n.Kind = Object
			r.object(depth)
		} else {
			n.Kind = Array
			r.array(depth)
		}
		if r.failed {
			return
		}
		n.Kids = r.settle(base)
		if c == '{' {
			r.findDoubled(n)
		}
	case c == '"':
		n.Kind = String
		n.Text = r.str()
	case c == '-' || '0' <= c && c <= '9':
		n.Kind = Number
		r.number(n)
	default:
		r.word(n)
	}
	n.End = int32(r.at)
}

// ahead guesses how many nodes are still to come, so that a text of usual size needs one
// block: each but the root stands behind a comma or an opening bracket. Texts that hold
// such signs make the guess too high, so a block is bounded.
func (r *reader) ahead() int {
	const most = 4096
	n := len(r.stack)
	for _, sign := range []string{",", "[", "{"} {
		n += strings.Count(r.text[r.at:], sign)
	}
	return min(n, most)
}

// settle moves finished kids from the stack to where they stay.
func (r *reader) settle(base int) []Node {
	kids := r.stack[base:]
	if len(kids) == 0 {
		return nil
	}
	if len(r.block) < len(kids) {
		r.block = make([]Node, max(len(kids), r.ahead()))
	}
	settled := r.block[:len(kids):len(kids)]
	r.block = r.block[len(kids):]
	copy(settled, kids)
	for i := range settled {
		adopt(&settled[i])
	}
	r.stack = r.stack[:base]
	return settled
}

func (r *reader) word(n *Node) {
	rest := r.text[r.at:]
	switch {
	case strings.HasPrefix(rest, "null"):
		r.at += 4
	case strings.HasPrefix(rest, "true"):
		n.Kind, n.Text = Bool, "true"
		r.at += 4
	case strings.HasPrefix(rest, "false"):
		n.Kind, n.Text = Bool, "false"
		r.at += 5
	default:
		r.unexpected("a value")
	}
}

func (r *reader) array(depth int) {
	if r.peek() == ']' {
		r.at++
		return
	}
	for {
		r.space()
		var item Node
		r.value(&item, depth+1)
		if r.failed {
			return
		}
		r.stack = append(r.stack, item)
		switch r.peek() {
		case ',':
			r.at++
		case ']':
			r.at++
			return
		default:
			r.unexpected(`"," or "]"`)
			return
		}
	}
}

func (r *reader) object(depth int) {
	if r.peek() == '}' {
		r.at++
		return
	}
	for {
		if r.peek() != '"' {
			r.unexpected("a name in double quotes")
			return
		}
		member := Node{NameOffset: int32(r.at)}
		member.Name = r.str()
		if !r.failed && r.peek() != ':' {
			r.unexpected(`":"`)
		}
		if r.failed {
			return
		}
		r.at++
		r.space()
		r.value(&member, depth+1)
		if r.failed {
			return
		}
		r.stack = append(r.stack, member)
		switch r.peek() {
		case ',':
			r.at++
		case '}':
			r.at++
			return
		default:
			r.unexpected(`"," or "}"`)
			return
		}
	}
}

// findDoubled reports names that an object has more than once. Small objects are
// compared pairwise, which costs no memory; large ones through a set, so that an object
// of many members stays linear.
func (r *reader) findDoubled(n *Node) {
	if len(n.Kids) <= 16 {
		for i := 1; i < len(n.Kids); i++ {
			for j := range i {
				if n.Kids[i].Name == n.Kids[j].Name {
					r.doubled(n, i)
					break
				}
			}
		}
		return
	}
	seen := make(map[string]struct{}, len(n.Kids))
	for i := range n.Kids {
		name := n.Kids[i].Name
		if _, ok := seen[name]; ok {
			r.doubled(n, i)
		}
		seen[name] = struct{}{}
	}
}

func (r *reader) doubled(n *Node, i int) {
	m := &n.Kids[i]
	r.problem(int(m.NameOffset), fmt.Sprintf("The field %s is given twice. Keep one.", AppendJSON(nil, m.Name)))
}

// str reads a quoted text. Bytes that are not UTF-8 are reported and replaced.
func (r *reader) str() string {
	start := r.at + 1
	escaped, ascii := false, true
	for i := start; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '"':
			s := r.text[start:i]
			r.at = i + 1
			if !ascii && !utf8.ValidString(s) {
				r.problem(start-1, "This text holds bytes that are not UTF-8. Save the file as UTF-8.")
				s = strings.ToValidUTF8(s, "\uFFFD")
			}
			if escaped {
				s = unescape(s)
			}
			return s
		case c == '\\':
			escaped = true
			size := escapeSize(r.text[i:])
			if size == 0 {
				r.fail(i, `A backslash in a text begins an escape: \" \\ \/ \b \f \n \r \t or \u and four hexadecimal digits.`)
				return ""
			}
			i += size - 1
		case c < ' ':
			r.fail(i, fmt.Sprintf("A control character (U+%04X) stands inside a text. Write it as \\u%04x, or close the quote.", c, c))
			return ""
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	r.fail(len(r.text), "The text ends inside quotes: a quote is not closed.")
	return ""
}

// escapeSize is the length of the escape at the start of s, 0 if it is none.
func escapeSize(s string) int {
	if len(s) < 2 {
		return 0
	}
	if s[1] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, s[1]) < 0 {
			return 0
		}
		return 2
	}
	if len(s) < 6 {
		return 0
	}
	for _, c := range []byte(s[2:6]) {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return 0
		}
	}
	return 6
}

// number reads a number by the grammar of RFC 8259, section 6.
func (r *reader) number(n *Node) {
	s, i := r.text, r.at
	digits := func() bool {
		from := i
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i > from
	}
	if s[i] == '-' {
		i++
	}
	whole := i
	ok := digits()
	if ok && s[whole] == '0' && i-whole > 1 {
		r.fail(r.at, "A number has no leading zeros. Write it as a text if it has to keep them.")
		return
	}
	if ok && i < len(s) && s[i] == '.' {
		i++
		ok = digits()
	}
	if ok && i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		ok = digits()
	}
	if !ok {
		if strings.HasPrefix(s[r.at:], "-Infinity") {
			r.unexpected("a value")
			return
		}
		r.fail(r.at, "This number is not complete: digits are missing.")
		return
	}
	n.Text = s[r.at:i]
	r.at = i
	if err := CheckNumber(n.Text); err != nil {
		r.problem(int(n.Offset), err.Error())
	}
}

// unexpected says what stands where something else has to stand, and names the habits
// that lead there most often.
func (r *reader) unexpected(wanted string) {
	r.space()
	rest := r.text[r.at:]
	if rest == "" {
		r.fail(r.at, "The text ends too early: a bracket or a brace is not closed.")
		return
	}
	c, size := utf8.DecodeRuneInString(rest)
	message := fmt.Sprintf("This has to be %s, and it is %s.", wanted, shown(rest[:size]))
	switch {
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
		message = "JSON has no comments. Take this one out."
	case c == '\'':
		message = "Texts and names stand in double quotes (\"), not in single ones."
	case strings.ContainsRune("“”„‟‘’‚‛«»", c):
		message = "These are typographic quotes. JSON wants the plain double quote (\")."
	case (c == '}' || c == ']') && strings.HasSuffix(strings.TrimRight(r.text[:r.at], " \t\r\n"), ","):
		message = fmt.Sprintf("There is a comma before this %q. Take the comma out.", c)
	case strings.HasPrefix(rest, "NaN"), strings.HasPrefix(rest, "Infinity"), strings.HasPrefix(rest, "-Infinity"):
		message = "JSON has no NaN and no Infinity."
	case strings.HasPrefix(rest, "True"), strings.HasPrefix(rest, "False"), strings.HasPrefix(rest, "None"):
		message = "JSON writes true, false and null, in small letters."
	case c == '"' && strings.HasPrefix(wanted, `","`):
		message = "A comma is missing before this."
	}
	r.fail(r.at, message)
}

// shown names a character; one that is not seen, such as a no-break space, by its number.
func shown(s string) string {
	switch r, _ := utf8.DecodeRuneInString(s); {
	case !utf8.ValidString(s):
		return fmt.Sprintf("the byte 0x%02X", s[0])
	case !unicode.IsPrint(r):
		return fmt.Sprintf("the character U+%04X", r)
	}
	return JSON(s)
}
