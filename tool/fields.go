package tool

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// argumentName is what Anthropic's API accepts as the name of an argument; the others
// accept more.
var argumentName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// member is a field of a struct, or of one that is embedded in it, before it is settled
// which of several under one name counts.
type member struct {
	name     string
	named    bool // by its tag
	optional bool
	depth    int
	at       string // path of Go fields
	goType   reflect.Type
	tags     map[string]string
}

// fields reads the members of an object from a struct, as encoding/json sees them.
func (s *shaper) fields(sh *shape, at string) {
	all := s.members(sh.goType, at, 0, false, nil)
	byName := map[string][]member{}
	for _, m := range all {
		byName[m.name] = append(byName[m.name], m)
	}
	folded := map[string]string{}
	for _, m := range all {
		rivals, ok := byName[m.name]
		if !ok {
			continue // one of that name had its turn
		}
		delete(byName, m.name)
		if other, ok := folded[strings.ToLower(m.name)]; ok {
			s.problem(m.at, "the names %q and %q differ only in case, and many programs take one for the other", other, m.name)
		}
		folded[strings.ToLower(m.name)] = m.name
		if winner, ok := s.dominant(rivals); ok {
			sh.fields = append(sh.fields, s.member(winner))
		}
	}
}

// dominant picks the member that encoding/json takes of several under one name: the least
// deep, and of these the one that a tag names.
func (s *shaper) dominant(rivals []member) (member, bool) {
	rank := func(m member) int {
		if m.named {
			return 2 * m.depth
		}
		return 2*m.depth + 1
	}
	best := slices.MinFunc(rivals, func(a, b member) int { return cmp.Compare(rank(a), rank(b)) })
	for _, m := range rivals {
		if m.at != best.at && rank(m) == rank(best) {
			s.problem(m.at, "the name %q is that of %s too, and encoding/json would leave out both", m.name, best.at)
			return member{}, false
		}
	}
	return best, true
}

// members lists the fields of a struct and of those embedded in it, in their order.
func (s *shaper) members(t reflect.Type, at string, depth int, optional bool, outer []reflect.Type) []member {
	var list []member
	outer = append(slices.Clip(outer), t)
	for i := range t.NumField() {
		f := t.Field(i)
		inner := f.Type
		isPointer := inner.Kind() == reflect.Pointer && inner.Name() == ""
		if isPointer {
			inner = inner.Elem()
		}
		isStruct := inner.Kind() == reflect.Struct
		if !f.IsExported() && !(f.Anonymous && isStruct) || f.Tag.Get("json") == "-" {
			continue
		}
		m := member{depth: depth, at: strings.TrimPrefix(at+"."+f.Name, "."), goType: f.Type, optional: optional || isPointer}
		if !s.readTags(&m, f.Tag) {
			continue
		}
		if isPointer && f.Anonymous && !f.IsExported() {
			s.problem(m.at, "encoding/json cannot fill an embedded pointer to a type that is not exported")
			continue
		}
		if m.named || !f.Anonymous || !isStruct {
			if m.name == "" {
				m.name = f.Name
			}
			list = append(list, m)
			continue
		}
		switch {
		case len(m.tags) > 0:
			s.problem(m.at, "the fields of an embedded struct become fields of the one around it, so it has no schema that its tags could be about")
		case !slices.Contains(outer, inner): // deeper in itself, its fields would never count
			list = append(list, s.members(inner, m.at, depth+1, m.optional, outer)...)
		}
	}
	return list
}

// readTags reads all tags of a field but those about its values, which it keeps.
func (s *shaper) readTags(m *member, tag reflect.StructTag) bool {
	tags, err := parseTags(tag)
	if err != nil {
		s.problem(m.at, "%s", err)
		return false
	}
	options := strings.Split(tags["json"], ",")
	delete(tags, "json")
	m.name, m.named = options[0], options[0] != ""
	if strings.ContainsFunc(m.name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
	}) {
		s.problem(m.at, "the name %q in its json tag is none that encoding/json takes", m.name)
		return false
	}
	for _, option := range options[1:] {
		switch option {
		case "omitempty", "omitzero":
			m.optional = true
		case "":
		case "string":
			s.problem(m.at, "the option \"string\" of its json tag would make a text of it: take a string or a json.Number")
		default:
			s.problem(m.at, "its json tag has an unknown option %q", option)
		}
	}
	m.tags = tags
	return true
}

// member makes the field of an object, with what its tags ask.
func (s *shaper) member(m member) field {
	if s.arguments && !argumentName.MatchString(m.name) {
		s.problem(m.at, "the name %q is none that models accept: 1 to 64 letters, digits, \"_\", \".\" and \"-\"", m.name)
	}
	before := len(s.problems)
	sh := s.shape(m.goType, m.at)
	if len(s.problems) == before { // else what is said of the tags may be wrong
		s.apply(sh, m)
	}
	return field{name: m.name, shape: sh, required: !m.optional && sh.byDefault == nil}
}
