package scrub

import (
	"bytes"
	"encoding/hex"
	"html"
	"sort"
	"unicode/utf16"
	"unicode/utf8"
)

// view is a text as it reads once something has been undone in it, with the places in the
// original text from which each byte comes.
type view struct {
	text []byte
	// from and to are the places of each byte in the original; nil where they are the same.
	from, to []int32
	// end is the place in the original up to which the view has been made.
	end int
}

func (v *view) start(i int) int {
	if v.from == nil {
		return i
	}
	return int(v.from[i])
}

func (v *view) stop(i int) int {
	if v.to == nil {
		return i + 1
	}
	return int(v.to[i])
}

// floor gives a place in the original, or, where it is in the middle of what became one
// byte, the place where that begins.
func (v *view) floor(place int) int {
	i := sort.Search(len(v.from), func(i int) bool { return int(v.from[i]) >= place })
	if i > 0 && v.stop(i-1) > place {
		return v.start(i - 1)
	}
	return place
}

// add copies bytes of another view.
func (v *view) add(of *view, first, end int) {
	v.text = append(v.text, of.text[first:end]...)
	if of.from != nil {
		v.from, v.to = append(v.from, of.from[first:end]...), append(v.to, of.to[first:end]...)
		return
	}
	for i := first; i < end; i++ {
		v.from = append(v.from, int32(i))
		v.to = append(v.to, int32(i+1))
	}
}

// sized gives an empty view with room for as much as this one has.
func (v *view) sized() *view {
	return &view{
		end: v.end, text: make([]byte, 0, len(v.text)),
		from: make([]int32, 0, len(v.text)), to: make([]int32, 0, len(v.text)),
	}
}

// part is what stands at one place of a text: size bytes that stand for the n bytes of out;
// not a part with size 0. With more, nobody can tell before more of the text is there.
type part struct {
	size int
	out  [8]byte
	n    int
	more bool
}

// standsFor makes a part; none where what it stands for has no room in one.
func standsFor(size int, text string) part {
	p := part{size: size, n: len(text)}
	if copy(p.out[:], text) < len(text) {
		return part{}
	}
	return p
}

// decoder undoes one way of writing bytes.
type decoder struct {
	// lead is the byte with which each part begins.
	lead byte
	// part reads the one at the beginning of a text; whole says that nothing follows the text.
	part func(text []byte, whole bool) part
}

// decoders are all that are undone.
func decoders() []decoder {
	return []decoder{{'%', percentPart}, {'\\', jsonPart}, {'&', htmlPart}}
}

// undo gives a view in which a way of writing is undone; nil where nothing is written so.
func (v *view) undo(d decoder, whole bool) *view {
	next := bytes.IndexByte(v.text, d.lead)
	if next < 0 {
		return nil
	}
	var out *view
	copied := 0
	for at := next; ; {
		p := d.part(v.text[at:], whole)
		if out == nil && (p.more || p.size > 0) {
			out = v.sized()
		}
		if p.more {
			out.add(v, copied, at)
			out.end = v.start(at)
			return out
		}
		if p.size > 0 {
			out.add(v, copied, at)
			copied = at + p.size
			for _, b := range p.out[:p.n] {
				out.text = append(out.text, b)
				out.from, out.to = append(out.from, int32(v.start(at))), append(out.to, int32(v.stop(copied-1)))
			}
		}
		at = max(at+1, copied)
		next := bytes.IndexByte(v.text[at:], d.lead)
		if next < 0 {
			break
		}
		at += next
	}
	if out != nil {
		out.add(v, copied, len(v.text))
	}
	return out
}

// unwrap gives a view without the line breaks that may be in the middle of an encoded text;
// nil where there are none.
func (v *view) unwrap(whole bool) *view {
	var out *view
	copied := 0
	for at := 0; at < len(v.text); {
		next := bytes.IndexAny(v.text[at:], "\r\n")
		if next < 0 {
			break
		}
		at += next
		size := 1
		if v.text[at] == '\r' {
			size = len("\r\n")
		}
		switch p := wrapPart(v.text, at, size, whole); {
		case p.more:
			if out == nil {
				out = v.sized()
			}
			out.add(v, copied, at)
			out.end = v.start(at)
			return out
		case p.size > 0:
			if out == nil {
				out = v.sized()
			}
			out.add(v, copied, at)
			copied = at + size
		}
		at++
	}
	if out != nil {
		out.add(v, copied, len(v.text))
	}
	return out
}

// wrapPart reads a line break of so many bytes between two characters of an encoded text.
func wrapPart(text []byte, at, size int, whole bool) part {
	switch {
	case at == 0 || !isEncoded(text[at-1]):
		return part{}
	case size == 2 && at+1 < len(text) && text[at+1] != '\n':
		return part{}
	case at+size >= len(text):
		return part{more: !whole}
	case !isEncoded(text[at+size]):
		return part{}
	}
	return part{size: size}
}

// isEncoded reports whether a character may stand in base64 or hex.
func isEncoded(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '+' || b == '/' || b == '-' || b == '_' || b == '='
}

// percentPart reads %41.
func percentPart(text []byte, whole bool) part {
	return hexPart(text, 1, 2, whole)
}

// hexPart reads so many hex digits, two for a byte, after a beginning.
func hexPart(text []byte, after, digits int, whole bool) part {
	end := after + digits
	for i := after; i < min(end, len(text)); i++ {
		if !isHex(text[i]) {
			return part{}
		}
	}
	if len(text) < end {
		return part{more: !whole}
	}
	p := part{size: end, n: digits / 2}
	_, _ = hex.Decode(p.out[:], text[after:end]) // the digits were looked at
	return p
}

func isHex(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}

// short are the characters for which JSON and programming languages have a letter.
var short = map[byte]byte{
	'"': '"', '\\': '\\', '/': '/', '\'': '\'', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// jsonPart reads \n, \u0041, a pair of surrogates, and \x41 as some languages have it.
func jsonPart(text []byte, whole bool) part {
	if len(text) < 2 {
		return part{more: !whole}
	}
	switch b := text[1]; b {
	case 'x':
		return hexPart(text, 2, 2, whole)
	case 'u':
		return unicodePart(text, whole)
	default:
		if c, ok := short[b]; ok {
			return part{size: 2, out: [8]byte{c}, n: 1}
		}
	}
	return part{}
}

func unicodePart(text []byte, whole bool) part {
	const size = len(`\u0041`)
	first := hexPart(text, 2, 4, whole)
	if first.size == 0 {
		return first
	}
	r := rune(first.out[0])<<8 | rune(first.out[1])
	if !utf16.IsSurrogate(r) {
		return standsFor(size, string(r))
	}
	rest := text[size:]
	if begins := rest[:min(2, len(rest))]; string(begins) != `\u`[:len(begins)] {
		return part{} // half a pair stands for nothing
	}
	if len(rest) < 2 {
		return part{more: !whole}
	}
	second := hexPart(rest, 2, 4, whole)
	if second.size == 0 {
		return second
	}
	if r = utf16.DecodeRune(r, rune(second.out[0])<<8|rune(second.out[1])); r == utf8.RuneError {
		return part{}
	}
	return standsFor(2*size, string(r))
}

// longestEntity is the length of the longest name of a character in HTML, with & and ;.
const longestEntity = len("&CounterClockwiseContourIntegral;")

// htmlPart reads &amp;, &#65; and &#x41;.
func htmlPart(text []byte, whole bool) part {
	for i := 1; i < min(longestEntity, len(text)); i++ {
		b := text[i]
		switch {
		case b == ';':
			entity := string(text[:i+1])
			if out := html.UnescapeString(entity); out != entity {
				return standsFor(i+1, out)
			}
			return part{}
		case b != '#' && (b < '0' || b > '9') && (b < 'A' || b > 'Z') && (b < 'a' || b > 'z'):
			return part{}
		}
	}
	return part{more: !whole && len(text) < longestEntity}
}
