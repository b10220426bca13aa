package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// jsonNumber matches the text of a JSON number; its group is the exponent.
var jsonNumber = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]+))?$`)

// schemaTags are those about the schema that are read.
var schemaTags = []string{"jsonschema", "enum", "default", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"}

// foreignTags are words of JSON Schema that somebody may take for tags. Left unread in
// silence, a check that the author counts on would not be made.
var foreignTags = []string{
	"description", "required", "const", "pattern", "format", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"uniqueItems", "minProperties", "maxProperties", "additionalProperties",
}

// parseTags reads the tags of a field: "json", and those about the schema. Others are
// somebody else's.
func parseTags(tag reflect.StructTag) (map[string]string, error) {
	tags := map[string]string{}
	rest := strings.TrimLeft(string(tag), " ")
	for rest != "" {
		name, after, ok := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(after)
		if !ok || name == "" || strings.ContainsAny(name, " \"\t") || err != nil || quoted[0] != '"' {
			return nil, fmt.Errorf("its tags cannot be read from %s: they are written name:\"value\" name:\"value\"", strconv.Quote(rest))
		}
		rest = strings.TrimLeft(after[len(quoted):], " ")
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("its tag %s cannot be read: %w", name, err)
		}
		if err := checkTag(name, value); err != nil {
			return nil, err
		}
		if _, twice := tags[name]; twice {
			return nil, fmt.Errorf("its tag %s is there twice", name)
		}
		if name == "json" || slices.Contains(schemaTags, name) {
			tags[name] = value
		}
	}
	return tags, nil
}

func checkTag(name, value string) error {
	sameName := func(other string) bool { return strings.EqualFold(name, other) }
	if i := slices.IndexFunc(schemaTags, sameName); i >= 0 && schemaTags[i] != name {
		return fmt.Errorf("its tag %s is written %s", name, schemaTags[i])
	}
	if slices.ContainsFunc(foreignTags, sameName) {
		return fmt.Errorf("there is no tag %s here, only %s; the description stands in jsonschema, and a field is required "+
			"unless it is a pointer, may be omitted or has a default", name, strings.Join(schemaTags, ", "))
	}
	if name == "jsonschema" {
		if strings.TrimSpace(value) == "" {
			return errors.New("its tag jsonschema is empty: it holds the description")
		}
		if word, _, ok := strings.Cut(value, "="); ok && !strings.ContainsAny(word, " \t") {
			return fmt.Errorf("its tag jsonschema holds the description and nothing else: %s has a tag of its own, or none", strconv.Quote(word+"="))
		}
	}
	return nil
}

// apply puts what the tags of a field ask into its shape.
func (s *shaper) apply(sh *shape, m member) {
	before := len(s.problems)
	bad := func(tag, format string, args ...any) {
		s.problem(m.at, "%s %q: %s", tag, m.tags[tag], fmt.Sprintf(format, args...))
	}
	sh.description = strings.TrimSpace(m.tags["jsonschema"])
	values := sh.innermost()
	for _, tag := range schemaTags {
		text, ok := m.tags[tag]
		if !ok {
			continue
		}
		var err error
		switch tag {
		case "enum":
			values.enum, err = choices(values, text)
		case "minimum":
			err = bound(values, &values.least, text)
		case "maximum":
			err = bound(values, &values.most, text)
		case "minLength":
			err = count(&values.minLength, text, values.kind == textKind && !values.bytes && values.format == "", "texts")
		case "maxLength":
			err = count(&values.maxLength, text, values.kind == textKind && !values.bytes && values.format == "", "texts")
		case "minItems":
			err = count(&sh.minItems, text, sh.kind == listKind && sh.goType.Kind() != reflect.Array, "lists of any length")
		case "maxItems":
			err = count(&sh.maxItems, text, sh.kind == listKind && sh.goType.Kind() != reflect.Array, "lists of any length")
		}
		if err != nil {
			bad(tag, "%s", err)
		}
	}
	if compareNumbers(values.least, values.most) > 0 {
		bad("minimum", "it is above the maximum, %s", values.most)
	}
	if above(values.minLength, values.maxLength) {
		bad("minLength", "it is above the maxLength, %d", *values.maxLength)
	}
	if above(sh.minItems, sh.maxItems) {
		bad("minItems", "it is above the maxItems, %d", *sh.maxItems)
	}
	if len(s.problems) > before {
		return
	}
	for _, choice := range values.enum {
		if err := values.fits(choice); err != nil {
			bad("enum", "%s", err)
		}
	}
	if text, ok := m.tags["default"]; ok {
		if err := setDefault(sh, text); err != nil {
			bad("default", "%s", err)
		}
	}
}

// choices reads "a,b,c".
func choices(sh *shape, text string) ([]any, error) {
	var list []any
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		var choice any
		switch {
		case sh.kind == textKind:
			choice = word
		case sh.kind != numberKind && sh.kind != integerKind:
			return nil, errors.New("only texts and numbers are chosen from a list")
		default:
			if _, ok := rational(json.Number(word)); !ok {
				return nil, fmt.Errorf("%q is no number", word)
			}
			choice = json.Number(word)
		}
		if word == "" {
			return nil, errors.New("one of the choices is empty")
		}
		if isChoice(list, choice) {
			return nil, fmt.Errorf("%s is there twice", word)
		}
		list = append(list, choice)
	}
	return list, nil
}

// bound reads the text of a minimum or maximum. One that is there already is that of the
// Go type, and the new one lies within it, for beyond it nothing can be decoded.
func bound(sh *shape, into *json.Number, text string) error {
	if sh.kind != numberKind && sh.kind != integerKind {
		return errors.New("only numbers have it")
	}
	n := json.Number(text)
	r, ok := rational(n)
	if !ok {
		return errors.New("it is no number")
	}
	if sh.kind == integerKind && !r.IsInt() {
		return errors.New("it is no whole number, as the field is")
	}
	if isNatural := *into != ""; isNatural && (compareNumbers(sh.least, n) > 0 || compareNumbers(n, sh.most) > 0) {
		return fmt.Errorf("it is beyond what %s holds", sh.goType)
	}
	*into = n
	return nil
}

// count reads the text of a bound of lengths.
func count(into **int, text string, fitting bool, what string) error {
	if !fitting {
		return fmt.Errorf("only %s have it", what)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > math.MaxInt32 || strconv.Itoa(n) != text {
		return errors.New("it is no whole number from 0 on")
	}
	*into = &n
	return nil
}

func above(least, most *int) bool { return least != nil && most != nil && *least > *most }

// compareNumbers compares two numbers; where one is not given they count as equal.
func compareNumbers(a, b json.Number) int {
	x, isX := rational(a)
	y, isY := rational(b)
	if !isX || !isY {
		return 0
	}
	return x.Cmp(y)
}

// setDefault reads the text of a default, which stands as it is for a text and is JSON for
// anything else.
func setDefault(sh *shape, text string) error {
	var v any = text
	if sh.kind != textKind {
		var err error
		if v, err = readValue([]byte(text)); err != nil {
			return fmt.Errorf("it is no JSON, as it is for all but texts: %w", err)
		}
	}
	if err := sh.fits(v); err != nil {
		return err
	}
	raw := appendJSON(nil, v)
	// The schema cannot say all that a Go type asks for, such as a true date.
	if err := decode(raw, sh, reflect.New(sh.goType).Interface()); err != nil {
		return uncoded(err)
	}
	sh.byDefault = bytes.Clone(raw)
	return nil
}
