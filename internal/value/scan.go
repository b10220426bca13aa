package value

import (
	"cmp"
	"fmt"
	"slices"
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

	// nodes of the text, in its order. While it is read they move when there are more than
	// was guessed, so they are spoken of by number, the root being 0.
	nodes []Node
	// faulty are the nodes of the problems, but for one that ends the reading.
	faulty []int
}

// document reads the whole text; nil if it is not one JSON document.
func (r *reader) document() *Node {
	r.space()
	if r.at == len(r.text) {
		r.fail(r.at, "The text is empty. It has to hold one JSON document.")
		return nil
	}
	r.nodes = make([]Node, 1, r.nodesGuessed())
	r.value(0, 0)
	r.space()
	if r.at < len(r.text) {
		r.fail(r.at, "Something follows the end of the JSON document. One file holds one document.")
	}
	if r.failed {
		return nil // what was read is no tree, so the problems name no node of it
	}
	for i, n := range r.faulty {
		r.problems[i].Node = &r.nodes[n]
	}
	return &r.nodes[0]
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
		r.problems = append(r.problems, Problem{Offset: offset, Message: message, Fatal: true})
	}
}

// problem reports what can be passed, about a node or its name.
func (r *reader) problem(n, offset int, message string) {
	r.problems = append(r.problems, Problem{Offset: offset, Message: message})
	r.faulty = append(r.faulty, n)
}

// space passes over white space. Most calls find none, so they end before the loop, and
// are cheap enough to be written out where they stand.
func (r *reader) space() {
	if r.at < len(r.text) && r.text[r.at] > ' ' {
		return
	}
	r.passSpace()
}

func (r *reader) passSpace() {
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

// value reads one value into a node; the reader stands on its first byte.
func (r *reader) value(n, depth int) {
	start := r.at
	if r.at >= len(r.text) {
		r.unexpected("a value")
		return
	}
	var kind Kind
	var text string
	switch c := r.text[r.at]; {
	case c == '{' || c == '[':
		if depth >= MaxDepth {
			r.fail(r.at, fmt.Sprintf("Lists and objects are nested deeper than %d.", MaxDepth))
			return
		}
		r.at++
		if c == '{' {
			kind = Object
			r.object(n, depth)
		} else {
			kind = Array
			r.array(n, depth)
		}
	case c == '"':
		kind, text = String, r.str(n)
	case c == '-' || '0' <= c && c <= '9':
		kind, text = Number, r.number(n)
	default:
		kind, text = r.word()
	}
	node := &r.nodes[n]
	node.Kind, node.Text, node.Offset, node.End = kind, text, int32(start), int32(r.at)
}

// kid makes the next kid of a node; last is the one before it, 0 for none.
func (r *reader) kid(parent, last int) int {
	n := len(r.nodes)
	if n == cap(r.nodes) {
		r.nodes = slices.Grow(r.nodes, n)
	}
	r.nodes = r.nodes[:n+1] // what was made ahead is empty as it is
	kid, within := &r.nodes[n], &r.nodes[parent]
	kid.parent, kid.index = int32(n-parent), within.kids
	within.kids++
	if last > 0 {
		r.nodes[last].next = int32(n - last)
	}
	return n
}

// nodesGuessed is how many nodes the text has at most: each but the root stands behind a
// comma or an opening bracket. Texts may hold such signs, so it is bounded; if there are
// more nodes after all, they move.
func (r *reader) nodesGuessed() int {
	const most = 1000
	n := 1
	for _, sign := range []string{",", "[", "{"} {
		n += strings.Count(r.text, sign)
	}
	return min(n, most)
}

func (r *reader) word() (Kind, string) {
	rest := r.text[r.at:]
	switch {
	case strings.HasPrefix(rest, "null"):
		r.at += 4
	case strings.HasPrefix(rest, "true"):
		r.at += 4
		return Bool, "true"
	case strings.HasPrefix(rest, "false"):
		r.at += 5
		return Bool, "false"
	default:
		r.unexpected("a value")
	}
	return Null, ""
}

func (r *reader) array(n, depth int) {
	if r.peek() == ']' {
		r.at++
		return
	}
	for last := 0; ; {
		r.space()
		last = r.kid(n, last)
		if r.value(last, depth+1); r.failed {
			return
		}
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

func (r *reader) object(n, depth int) {
	if r.peek() == '}' {
		r.at++
		return
	}
	for last := 0; ; {
		if r.peek() != '"' {
			r.unexpected("a name in double quotes")
			return
		}
		last = r.kid(n, last)
		offset := r.at
		name := r.str(last)
		if !r.failed && r.peek() != ':' {
			r.unexpected(`":"`)
		}
		if r.failed {
			return
		}
		kid := &r.nodes[last]
		kid.Name, kid.NameOffset = name, int32(offset)
		r.at++
		r.space()
		if r.value(last, depth+1); r.failed {
			return
		}
		switch r.peek() {
		case ',':
			r.at++
		case '}':
			r.at++
			r.findDoubled(n)
			return
		default:
			r.unexpected(`"," or "}"`)
			return
		}
	}
}

// findDoubled reports names that an object has more than once. In small objects a name is
// compared with those before it, and only where one of the same length and ends was seen,
// which costs no memory; large ones go through a set, so that they stay linear.
func (r *reader) findDoubled(n int) {
	const small = 16
	if r.nodes[n].kids > small {
		r.findDoubledOfMany(n)
		return
	}
	var seen uint64
	for kid := n + 1; ; {
		name, next := r.nodes[kid].Name, int(r.nodes[kid].next)
		if mark := outline(name); seen&mark == 0 {
			seen |= mark
		} else {
			for earlier := n + 1; earlier != kid; earlier += int(r.nodes[earlier].next) {
				if r.nodes[earlier].Name == name {
					r.doubled(kid)
					break
				}
			}
		}
		if next == 0 {
			return
		}
		kid += next
	}
}

func (r *reader) findDoubledOfMany(n int) {
	seen := make(map[string]struct{}, r.nodes[n].kids)
	for kid, next := n+1, 1; next > 0; kid += next {
		name := r.nodes[kid].Name
		if _, ok := seen[name]; ok {
			r.doubled(kid)
		}
		seen[name] = struct{}{}
		next = int(r.nodes[kid].next)
	}
}

// outline is one of 64 bits for a name, the same for the same name.
func outline(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((uint(len(name)) + uint(name[0])*3 + uint(name[len(name)-1])*7) % 64)
}

func (r *reader) doubled(kid int) {
	r.problem(kid, int(r.nodes[kid].NameOffset), "This field is given twice. Keep one.")
}

// plain reports whether a byte means itself in a quoted text: ASCII without the quote, the
// backslash and control characters.
func plain(c byte) bool { return c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf }

// str reads a quoted text, of a node or its name. Bytes that are not UTF-8 are reported and
// replaced.
func (r *reader) str(n int) string {
	start := r.at + 1
	escaped, ascii := false, true
	for i := start; i < len(r.text); i++ {
		c := r.text[i]
		if plain(c) {
			continue
		}
		switch {
		case c == '"':
			s := r.text[start:i]
			r.at = i + 1
			if !ascii && !utf8.ValidString(s) {
				r.problem(n, start-1, "This text holds bytes that are not UTF-8. Save the file as UTF-8.")
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
		case c == '\n':
			r.fail(i, `A text ends in the line in which it begins. Close the quote, or write the line break as \n.`)
			return ""
		case c < ' ':
			r.fail(i, fmt.Sprintf("A control character (U+%04X) stands inside a text. Write it as \\u%04x, or close the quote.", c, c))
			return ""
		default:
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
func (r *reader) number(n int) string {
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
		return ""
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
			return ""
		}
		r.fail(r.at, "This number is not complete: digits are missing.")
		return ""
	}
	text, offset := s[r.at:i], r.at
	r.at = i
	if err := CheckNumber(text); err != nil {
		r.problem(n, offset, err.Error())
	}
	return text
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
