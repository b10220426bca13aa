// Package schema checks values against JSON Schemas (draft 2020-12) and words every
// violation for people and models. It is the only place that knows the library that
// does the work.
package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"toolsmith/internal/nearest"
	"toolsmith/internal/value"
)

// Schema is a compiled schema. It never changes and may be shared. The nil *Schema
// accepts everything.
type Schema struct {
	raw      any
	compiled *jsonschema.Schema
}

// Violation is one way in which a value breaks a schema.
type Violation struct {
	// Path of the value at fault: "$.rows[2].name".
	Path string `json:"path"`
	// Message says what is wrong and what would be right.
	Message string `json:"message"`
}

// String gives "path: message".
func (v Violation) String() string { return v.Path + ": " + v.Message }

// Join words a list of violations as one text.
func Join(list []Violation) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = v.String()
	}
	return strings.Join(texts, " ")
}

// noLoader refuses to fetch anything: a schema stands by itself.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema must not refer to another document (%s)", url)
}

// Compile prepares a schema, given as a JSON value. nil gives nil: no schema.
func Compile(raw any) (*Schema, error) {
	if raw == nil {
		return nil, nil
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.DefaultDraft(jsonschema.Draft2020)
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: "toolsmith:///keywords", Compile: compileKeywords})
	c.AssertVocabs()
	// Not a urn: relative to one, "other.json" would be the schema itself.
	const here = "toolsmith:///schema"
	if err := c.AddResource(here, adapt(raw)); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, fmt.Errorf("compile schema: %w", err)
	}
	return &Schema{raw: raw, compiled: compiled}, nil
}

// CompileJSON prepares a schema given as JSON text.
func CompileJSON(text []byte) (*Schema, error) {
	raw, err := value.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return Compile(raw)
}

// Raw gives the schema as the JSON value that it was made from; nil for no schema.
func (s *Schema) Raw() any {
	if s == nil {
		return nil
	}
	return s.raw
}

// maxViolations bounds how many violations are told; what is left out is counted.
const maxViolations = 1000

// Validate lists every violation, in the order of their paths; none for a good value. Of
// more than 1000 the first are listed, and how many there are besides.
func (s *Schema) Validate(v any) []Violation {
	if s == nil {
		return nil
	}
	err := s.compiled.Validate(v)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	c := collector{schema: s.raw, value: v}
	c.collect(invalid)
	return c.violations()
}

// collector turns what the library found into violations.
type collector struct {
	schema, value any
	list          []found
}

// found is a violation before it is written: of many, only the first will be.
type found struct {
	at      place
	message string
	// unknown: the last name of the place is no property; known are those that are.
	unknown bool
	known   map[string]any
}

func (f found) compare(o found) int {
	return cmp.Or(slices.CompareFunc(f.at.steps, o.at.steps, step.compare), strings.Compare(f.message, o.message))
}

func (c *collector) collect(e *jsonschema.ValidationError) {
	switch e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			c.collect(cause)
		}
		return
	}
	at := c.find(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			c.list = append(c.list, found{at: at.member(name), message: "is required."})
		}
	case *kind.AdditionalProperties:
		known, _ := at.schema["properties"].(map[string]any)
		for _, name := range k.Properties {
			c.list = append(c.list, found{at: at.member(name), message: "is no field that is known here.", unknown: true, known: known})
		}
	default:
		c.list = append(c.list, found{at: at, message: wording(e.ErrorKind)})
	}
}

// violations gives the list, sorted, each once.
func (c *collector) violations() []Violation {
	// Beyond so many pairs of names, unknown ones are told without a guess at what was meant.
	const maxGuesses = 20_000
	slices.SortFunc(c.list, found.compare)
	all := slices.CompactFunc(c.list, func(a, b found) bool { return a.compare(b) == 0 })
	list := make([]Violation, 0, min(len(all), maxViolations+1))
	guesses := 0
	for i, f := range all {
		if i == maxViolations {
			return append(list, Violation{"$", fmt.Sprintf("There are %d more violations.", len(all)-i)})
		}
		if guesses += len(f.known); f.unknown && guesses <= maxGuesses {
			f.message += nearest.DidYouMean(f.at.last(), value.SortedNames(f.known))
		}
		list = append(list, Violation{f.at.path(), f.message})
	}
	return list
}

// place is a place in a value, and the schema for it as far as that can be followed.
type place struct {
	steps  []step
	schema map[string]any
}

// step leads to a member or, if inList, to an item.
type step struct {
	name   string
	index  int
	inList bool
}

func (s step) compare(o step) int {
	return cmp.Or(strings.Compare(s.name, o.name), cmp.Compare(s.index, o.index))
}

func (p place) member(name string) place {
	properties, _ := p.schema["properties"].(map[string]any)
	inner, _ := properties[name].(map[string]any)
	return place{append(slices.Clip(p.steps), step{name: name}), inner}
}

func (p place) item(i int) place {
	inner, _ := p.schema["items"].(map[string]any)
	return place{append(slices.Clip(p.steps), step{index: i, inList: true}), inner}
}

func (p place) last() string { return p.steps[len(p.steps)-1].name }

func (p place) path() string {
	path := "$"
	for _, s := range p.steps {
		if s.inList {
			path += fmt.Sprintf("[%d]", s.index)
		} else {
			path = value.MemberPath(path, s.name)
		}
	}
	return path
}

// find follows a location through the value, which tells positions from names that look
// like them.
func (c *collector) find(location []string) place {
	schema, _ := c.schema.(map[string]any)
	p, v := place{schema: schema}, c.value
	for _, segment := range location {
		list, _ := v.([]any)
		if i, isIndex := value.Index(segment); isIndex && i < len(list) {
			p, v = p.item(i), list[i]
			continue
		}
		object, _ := v.(map[string]any)
		p, v = p.member(segment), object[segment]
	}
	return p
}

// wording says in words what a schema's keyword wants.
func wording(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("has to be %s; this is %s.", typeNames(k.Want), typeName(k.Got))
	case notChosen:
		return string(k)
	case *kind.Const:
		return fmt.Sprintf("has to be %s.", value.JSON(k.Want))
	case *kind.MinLength:
		return fmt.Sprintf("has to be at least %s long; this is %d.", characters(k.Want), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("has to be at most %s long; this is %d.", characters(k.Want), k.Got)
	case *kind.Minimum:
		return fmt.Sprintf("has to be at least %s; this is %s.", rat(k.Want), rat(k.Got))
	case *kind.Maximum:
		return fmt.Sprintf("has to be at most %s; this is %s.", rat(k.Want), rat(k.Got))
	case *kind.FalseSchema:
		return "is not allowed here."
	}
	text := k.LocalizedString(message.NewPrinter(language.English))
	return "does not fit: " + strings.TrimSuffix(text, ".") + "."
}

func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
}

func rat(r *big.Rat) string {
	digits, _ := r.FloatPrec() // exact: it was written as a decimal
	return value.PlainNumber(json.Number(r.FloatString(digits)))
}

func enumNames(choices []any) string {
	const most = 12
	texts := make([]string, 0, most)
	for _, c := range choices[:min(most, len(choices))] {
		texts = append(texts, value.JSON(c))
	}
	switch {
	case len(choices) == 0:
		return "one of no values at all: the schema's \"enum\" is empty"
	case len(choices) == 1:
		return texts[0]
	case len(choices) > most:
		return "one of " + strings.Join(texts, ", ") + fmt.Sprintf(" and %d more", len(choices)-most)
	}
	return "one of " + strings.Join(texts, ", ")
}

func typeNames(types []string) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = typeName(t)
	}
	return strings.Join(names, " or ")
}

func typeName(t string) string {
	switch t {
	case "object":
		return "an object"
	case "array":
		return "a list"
	case "string":
		return "a text"
	case "number":
		return "a number"
	case "integer":
		return "a whole number"
	case "boolean":
		return "true or false"
	}
	return t
}
