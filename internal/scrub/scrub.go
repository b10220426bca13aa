package scrub

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolsmith/internal/value"
)

// Secret is what is to be taken out, and the name that is shown in its place.
type Secret struct{ Name, Value string }

// Scrubber takes secrets out of texts and values. It never changes and may be used from many
// goroutines at once. A nil one takes out nothing.
type Scrubber struct {
	automaton *automaton
	patterns  []pattern // by their number, from 1
	// signs stand in the place of each secret.
	signs []string
}

// New makes a scrubber of secrets. A value of less than MinLength bytes is left alone.
func New(secrets []Secret) *Scrubber {
	s := &Scrubber{automaton: newAutomaton(), patterns: make([]pattern, 1)}
	var all []string
	for _, secret := range secrets {
		if len(secret.Value) < MinLength {
			continue
		}
		for _, source := range sources(secret.Value) {
			all = append(all, source)
			forms(source, s.add)
		}
		s.signs = append(s.signs, fmt.Sprintf("[secret %s]", secret.Name))
	}
	if len(s.signs) == 0 {
		return nil
	}
	s.automaton.link()
	if slices.ContainsFunc(all, func(source string) bool { return strings.Contains(strings.Join(s.signs, "\n"), source) }) {
		for i := range s.signs {
			s.signs[i] = "[…]" // else a sign would give a secret away
		}
	}
	return s
}

// add adds a pattern of the secret whose sign comes next. Of two secrets that look alike in
// some form, the first has its name shown.
func (s *Scrubber) add(text string, wraps bool) {
	number := s.automaton.add(text)
	if *number == 0 {
		*number = int32(len(s.patterns))
		s.patterns = append(s.patterns, pattern{secret: len(s.signs)})
	}
	s.patterns[*number].wraps = s.patterns[*number].wraps || wraps
}

// span is a part of a text that gives a secret away.
type span struct {
	from, to int
	// first is where the secret ends that the span is named after; others may overlap it.
	first  int
	secret int
}

// finder looks for secrets in one text.
type finder struct {
	*Scrubber
	// whole: nothing follows the text.
	whole bool
	spans []span
	views []*view
	// sure is up to where the text is understood, whatever follows it.
	sure int
}

// layers is how many ways of writing are undone over each other.
const layers = 2

// find gives the parts of a text that give secrets away, in their order and apart, and up to
// where nothing that follows the text could change that.
func (s *Scrubber) find(text []byte, whole bool) (spans []span, sure int) {
	f := &finder{Scrubber: s, whole: whole, sure: len(text)}
	f.look(&view{text: text, end: len(text)}, 0)
	if whole {
		return apart(f.spans), len(text)
	}
	for moved := true; moved; { // a cut goes through no part of any view
		moved = false
		for _, v := range f.views {
			if to := v.floor(f.sure); to < f.sure {
				f.sure, moved = to, true
			}
		}
	}
	return apart(f.spans), f.sure
}

// look searches a view, and those in which more is undone.
func (f *finder) look(v *view, layer int) {
	f.search(v, false)
	if lines := v.unwrap(f.whole); lines != nil {
		f.search(lines, true)
	}
	if layer == layers {
		return
	}
	for _, d := range decoders() {
		if undone := v.undo(d, f.whole); undone != nil {
			f.look(undone, layer+1)
		}
	}
}

// search notes the patterns in a view; with unwrapped, only those that may be broken into
// lines.
func (f *finder) search(v *view, unwrapped bool) {
	a := f.automaton
	at := int32(0)
	own := len(f.spans) // the spans of this view
	for i, b := range v.text {
		if at = a.step(at, b); at == 0 {
			continue
		}
		hit := a.nodes[at].hit
		for unwrapped && hit != 0 && !f.patterns[a.nodes[hit].pattern].wraps {
			hit = a.nodes[a.nodes[hit].fail].hit
		}
		if hit == 0 {
			continue
		}
		n := &a.nodes[hit]
		to := v.stop(i)
		f.note(own, span{from: v.start(i + 1 - int(n.depth)), to: to, first: to, secret: f.patterns[n.pattern].secret})
	}
	for at != 0 && a.nodes[at].child == 0 {
		at = a.nodes[at].fail // it is a whole pattern, and the beginning of no longer one
	}
	pending := v.end
	if at != 0 {
		pending = v.start(len(v.text) - int(a.nodes[at].depth))
	}
	f.sure = min(f.sure, pending)
	if !f.whole && v.from != nil {
		f.views = append(f.views, v)
	}
}

// note keeps a span, the earlier ones of its view being those from own on. One that only makes
// the last one longer is not kept by itself: there may be as many as there are bytes.
func (f *finder) note(own int, s span) {
	if len(f.spans) > own {
		if last := &f.spans[len(f.spans)-1]; s.from > last.from && s.from < last.to {
			last.to = max(last.to, s.to)
			return
		}
	}
	f.spans = append(f.spans, s)
}

// apart joins spans that overlap, and puts them in order. A joined one has the name of the
// secret that begins first, and of several the longest.
func apart(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.first, a.first), cmp.Compare(a.secret, b.secret))
	})
	kept := spans[:0]
	for _, s := range spans {
		if n := len(kept); n > 0 && s.from < kept[n-1].to {
			kept[n-1].to = max(kept[n-1].to, s.to)
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// longText is from how many bytes on a text is taken in pieces, so that what is needed
// beside it stays small.
const longText = 1 << 20

// Text takes the secrets out of a text. One that holds none is given back as it is.
func (s *Scrubber) Text(text string) string {
	if s == nil || len(text) < MinLength {
		return text
	}
	if len(text) > longText {
		var out strings.Builder
		s.pieces(&out, []byte(text))
		return out.String()
	}
	spans, _ := s.find([]byte(text), true)
	if len(spans) == 0 {
		return text
	}
	var out strings.Builder
	at := 0
	for _, span := range spans {
		out.WriteString(text[at:span.from])
		out.WriteString(s.signs[span.secret])
		at = span.to
	}
	out.WriteString(text[at:])
	return out.String()
}

// Bytes takes the secrets out of bytes. Those that hold none are given back as they are; the
// ones given are never changed.
func (s *Scrubber) Bytes(data []byte) []byte {
	if s == nil || len(data) < MinLength {
		return data
	}
	var out bytes.Buffer
	s.pieces(&out, data)
	if bytes.Equal(out.Bytes(), data) {
		return data
	}
	return out.Bytes()
}

// Value takes the secrets out of a JSON value: out of its texts and the names of its objects,
// however deep. A number stays, unless all of its text is a secret; it becomes a text then.
// The value given is never changed, and parts without secrets are shared with it.
func (s *Scrubber) Value(v any) any {
	if s == nil {
		return v
	}
	out, _ := s.value(v)
	return out
}

// value also reports whether there was anything to take out.
func (s *Scrubber) value(v any) (out any, changed bool) {
	switch v := v.(type) {
	case string:
		text := s.Text(v)
		return text, text != v
	case json.Number:
		if len(v) < MinLength {
			return v, false
		}
		spans, _ := s.find([]byte(v), true)
		if len(spans) == 1 && spans[0].from == 0 && spans[0].to == len(v) {
			return s.signs[spans[0].secret], true
		}
		return v, false
	case []any:
		return s.list(v)
	case map[string]any:
		return s.object(v)
	}
	return v, false
}

func (s *Scrubber) list(list []any) (any, bool) {
	var out []any
	for i, item := range list {
		scrubbed, changed := s.value(item)
		if !changed {
			continue
		}
		if out == nil {
			out = slices.Clone(list)
		}
		out[i] = scrubbed
	}
	if out == nil {
		return list, false
	}
	return out, true
}

func (s *Scrubber) object(object map[string]any) (any, bool) {
	var out map[string]any
	var renamed []string
	for _, name := range value.SortedNames(object) {
		scrubbed, changed := s.value(object[name])
		moved := s.Text(name) != name
		if !changed && !moved {
			continue
		}
		if out == nil {
			out = maps.Clone(object)
		}
		out[name] = scrubbed
		if moved {
			renamed = append(renamed, name)
		}
	}
	if out == nil {
		return object, false
	}
	for _, name := range renamed {
		moving := out[name]
		delete(out, name)
		short := s.Text(name)
		now := short
		for n := 2; ; n++ { // two names may have become one
			if _, taken := out[now]; !taken {
				break
			}
			now = fmt.Sprintf("%s (%d)", short, n)
		}
		out[now] = moving
	}
	return out, true
}
