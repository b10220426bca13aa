package tool

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// The schemas are read from Go types here and not by a library: the one for it refuses
// tags for choices, writes `true` for any and a list of types for slices, gives []byte a
// schema that its own JSON breaks, and says nothing of the field at fault. What would be
// left of it is the walk over the fields.

// kind is what a value is in JSON.
type kind int8

const (
	anyKind kind = iota
	textKind
	boolKind
	integerKind
	numberKind
	listKind
	mapKind
	objectKind
)

// schemaType is the kind as JSON Schema calls it; "" for any.
func (k kind) schemaType() string {
	switch k {
	case textKind:
		return "string"
	case boolKind:
		return "boolean"
	case integerKind:
		return "integer"
	case numberKind:
		return "number"
	case listKind:
		return "array"
	case mapKind, objectKind:
		return "object"
	default:
		return ""
	}
}

// String says the kind to people.
func (k kind) String() string {
	return [...]string{"null", "a text", "true or false", "a whole number", "a number", "a list", "an object", "an object"}[k]
}

// shape is what the JSON of a Go type looks like, and what the tags of its field ask of it.
type shape struct {
	kind        kind
	goType      reflect.Type // what is decoded into; never a pointer
	format      string       // of a text: "date-time"
	bytes       bool         // a text in base64
	description string
	enum        []any // string or json.Number
	least, most json.Number
	minLength   *int
	maxLength   *int
	minItems    *int
	maxItems    *int
	byDefault   json.RawMessage
	items       *shape  // of a list or a map
	fields      []field // of an object, in the order of the struct
}

// anything is the shape of any JSON.
func anything() *shape { return &shape{goType: reflect.TypeFor[any]()} }

// field is one member of an object.
type field struct {
	name     string
	shape    *shape
	required bool
}

// member is what an object holds under a name; nil if it has no such field.
func (s *shape) member(name string) *shape {
	if s.kind == mapKind {
		return s.items
	}
	if s.kind != objectKind {
		return anything()
	}
	for _, f := range s.fields {
		if f.name == name {
			return f.shape
		}
	}
	return nil
}

// item is what a list holds.
func (s *shape) item() *shape {
	if s.kind != listKind {
		return anything()
	}
	return s.items
}

// innermost is what a list holds, or what the lists in it hold: enum and bounds of values
// are about these.
func (s *shape) innermost() *shape {
	for s.kind == listKind {
		s = s.items
	}
	return s
}

// maxShapes bounds a schema: a type that holds a few others twice, these a few others
// twice, and so on, would grow beyond all measure.
const maxShapes = 5000

// shaper reads shapes from Go types, and goes on after a problem.
type shaper struct {
	arguments bool // not of the result
	within    []reflect.Type
	shapes    int
	problems  []error
}

// problem notes what is wrong at a field; at is "" for the type as a whole.
func (s *shaper) problem(at, format string, args ...any) {
	where := "result"
	if s.arguments {
		where = "arguments"
	}
	if at != "" {
		where += ": field " + at
	}
	s.problems = append(s.problems, fmt.Errorf("%s: %s", where, fmt.Sprintf(format, args...)))
}

// argumentsShape reads what a tool takes.
func argumentsShape(t reflect.Type) (*shape, []error) {
	s := shaper{arguments: true}
	sh := s.shape(t, "")
	if len(s.problems) == 0 && (t.Kind() == reflect.Pointer || sh.kind != objectKind && sh.kind != mapKind) {
		s.problem("", "they are an object, so their type is a struct or a map with texts as keys; %s is neither", t)
	}
	return sh, s.problems
}

// resultShape reads what a tool gives; nil where its type says nothing of it.
func resultShape(t reflect.Type) (*shape, []error) {
	if t == reflect.TypeFor[Subtasks]() {
		return nil, nil
	}
	var s shaper
	sh := s.shape(t, "")
	if sh.kind == anyKind {
		return nil, s.problems
	}
	return sh, s.problems
}

// shape reads one type. at is the path of Go fields that leads to it.
func (s *shaper) shape(t reflect.Type, at string) *shape {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	sh := &shape{goType: t}
	if s.shapes++; s.shapes > maxShapes {
		if s.shapes == maxShapes+1 {
			s.problem(at, "the schema would have more than %d parts", maxShapes)
		}
		return sh
	}
	if s.special(sh, at) {
		return sh
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Array, reflect.Map, reflect.Pointer:
		if slices.Contains(s.within, t) {
			s.problem(at, "%s holds itself, and a schema without end is nothing that models accept: make a deeper level any, or a list with references", t)
			return sh
		}
		s.within = append(s.within, t)
		s.compound(sh, at)
		s.within = s.within[:len(s.within)-1]
	default:
		s.plain(sh, at)
	}
	return sh
}

// special reads the types whose JSON is another than their kind would say.
func (s *shaper) special(sh *shape, at string) bool {
	t := sh.goType
	switch t {
	case reflect.TypeFor[json.Number]():
		sh.kind = numberKind
		return true
	case reflect.TypeFor[json.RawMessage]():
		return true
	case reflect.TypeFor[time.Time]():
		sh.kind, sh.format = textKind, "date-time"
		return true
	case reflect.TypeFor[time.Duration]():
		s.problem(at, "a time.Duration is a bare number in JSON: take a number and name its unit, as in `json:\"timeoutSeconds\"`")
		return true
	case reflect.TypeFor[Subtasks](), reflect.TypeFor[[]Chain](), reflect.TypeFor[Chain](), reflect.TypeFor[Task]():
		s.problem(at, "%s is no value: return Subtasks, which (*Context).Subtasks makes of chains", t)
		return true
	}
	if t.Kind() == reflect.Interface {
		return false
	}
	if implements[json.Marshaler](t) || implements[json.Unmarshaler](t) {
		s.problem(at, "%s reads or writes its own JSON, so its schema is not known: use plain fields, or any", t)
		return true
	}
	switch reads, writes := implements[encoding.TextUnmarshaler](t), implements[encoding.TextMarshaler](t); {
	case reads && writes:
		sh.kind = textKind
		return true
	case reads || writes:
		s.problem(at, "%s is text in one direction only: it needs both MarshalText and UnmarshalText", t)
		return true
	}
	return false
}

// implements reports whether a type, or the pointer to it, has the methods of an interface.
func implements[I any](t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[I]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// plain reads a type that holds no other.
func (s *shaper) plain(sh *shape, at string) {
	t := sh.goType
	switch t.Kind() {
	case reflect.Bool:
		sh.kind = boolKind
	case reflect.String:
		sh.kind = textKind
	case reflect.Float32, reflect.Float64:
		sh.kind = numberKind
	case reflect.Int8, reflect.Int16, reflect.Int32:
		sh.kind = integerKind
		sh.least = number(-(int64(1) << (t.Bits() - 1)))
		sh.most = number(int64(1)<<(t.Bits()-1) - 1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		sh.kind = integerKind
		sh.least, sh.most = "0", number(int64(1)<<t.Bits()-1)
	case reflect.Int, reflect.Int64:
		// Without their bounds: many a reader of a schema would round these.
		sh.kind = integerKind
	case reflect.Uint, reflect.Uint64:
		sh.kind, sh.least = integerKind, "0"
	case reflect.Interface:
		if t.NumMethod() > 0 {
			s.problem(at, "JSON cannot tell which type stands behind %s", t)
		}
	default:
		s.problem(at, "%s has no JSON", t)
	}
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// compound reads a type that holds others.
func (s *shaper) compound(sh *shape, at string) {
	t := sh.goType
	switch t.Kind() {
	case reflect.Struct:
		sh.kind = objectKind
		s.fields(sh, at)
	case reflect.Slice:
		if e := t.Elem(); e.Kind() == reflect.Uint8 && !implements[json.Marshaler](e) && !implements[encoding.TextMarshaler](e) {
			sh.kind, sh.bytes = textKind, true // as encoding/json writes it
			return
		}
		sh.kind, sh.items = listKind, s.shape(t.Elem(), at+"[]")
	case reflect.Array:
		n := t.Len()
		sh.kind, sh.items, sh.minItems, sh.maxItems = listKind, s.shape(t.Elem(), at+"[]"), &n, &n
	case reflect.Map:
		if k := t.Key(); k.Kind() != reflect.String || implements[encoding.TextMarshaler](k) || implements[encoding.TextUnmarshaler](k) {
			s.problem(at, "the keys of %s are no plain texts", t)
			return
		}
		sh.kind, sh.items = mapKind, s.shape(t.Elem(), at+"{}")
	default: // a pointer with a name, which may point to itself
		inner := s.shape(t.Elem(), at)
		*sh = *inner
	}
}

// rational reads the text of a JSON number exactly. It gives up on exponents that would
// fill the memory.
func rational(n json.Number) (*big.Rat, bool) {
	const longest, farthest = 2000, 2000
	text := string(n)
	if len(text) > longest || !jsonNumber.MatchString(text) {
		return nil, false
	}
	if parts := jsonNumber.FindStringSubmatch(text); parts[1] != "" {
		if exponent, err := strconv.Atoi(parts[1]); err != nil || exponent > farthest || exponent < -farthest {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}
