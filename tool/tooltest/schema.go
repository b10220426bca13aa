package tooltest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schema is a JSON Schema that is ready for use.
type schema struct {
	raw      any
	compiled *jsonschema.Schema
}

func compile(tb testing.TB, text []byte) *schema {
	tb.Helper()
	s, err := compiledSchema(text)
	if err != nil {
		tb.Fatalf("the schema %s: %v", text, err)
	}
	return s
}

// noLoader refuses to fetch anything.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema stands by itself, and this one refers to %s", url)
}

func compiledSchema(text []byte) (*schema, error) {
	raw, err := read(text)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	const here = "tooltest:///schema"
	if err := compiler.AddResource(here, raw); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile(here)
	if err != nil {
		return nil, err
	}
	return &schema{raw: raw, compiled: compiled}, nil
}

// violations lists every way in which a value breaks the schema, sorted; "" for none.
func (s *schema) violations(v any) string {
	err := s.compiled.Validate(v)
	if err == nil {
		return ""
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	list := collect(nil, invalid)
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

func collect(list []string, e *jsonschema.ValidationError) []string {
	at := "$"
	for _, segment := range e.InstanceLocation {
		at = memberPath(at, segment)
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			list = collect(list, cause)
		}
	case *kind.Required:
		for _, name := range k.Missing {
			list = append(list, memberPath(at, name)+": is required.")
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			list = append(list, memberPath(at, name)+": is no field that is known here.")
		}
	default:
		text := k.LocalizedString(message.NewPrinter(language.English))
		list = append(list, at+": "+strings.TrimSuffix(text, ".")+".")
	}
	return list
}

func memberPath(at, name string) string {
	if _, err := strconv.Atoi(name); err == nil {
		return at + "[" + name + "]"
	}
	return at + "." + name
}

// read reads one JSON value, with numbers as json.Number.
func read(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return v, nil
}

// fill puts the defaults of a schema in the places of fields that are absent, and says
// whether there were any.
func fill(raw, v any) (filled any, changed bool) {
	at, _ := raw.(map[string]any)
	switch v := v.(type) {
	case []any:
		list := slices.Clone(v)
		for i, item := range v {
			one, more := fill(at["items"], item)
			list[i], changed = one, changed || more
		}
		return list, changed
	case map[string]any:
		properties, _ := at["properties"].(map[string]any)
		object := maps.Clone(v)
		for name, property := range properties {
			given, ok := v[name]
			if !ok {
				p, _ := property.(map[string]any)
				if given, ok = p["default"]; !ok {
					continue
				}
				changed = true
			}
			one, more := fill(property, given)
			object[name], changed = one, changed || more
		}
		return object, changed
	}
	return v, false
}
