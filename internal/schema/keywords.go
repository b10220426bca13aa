package schema

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/message"

	"toolsmith/internal/value"
)

// The keywords that stand in a compiled schema for those of the draft. The library counts
// a lone surrogate as three characters, and the draft allows only whole bounds of lengths
// that are not negative. It compares with every choice of an enum, and names every missing
// field of every object, so that a small schema and a small value could keep it busy for
// minutes and fill the memory.
const (
	leastLength = "toolsmith:minLength"
	mostLength  = "toolsmith:maxLength"
	enum        = "toolsmith:enum"
	required    = "toolsmith:required"
)

// adapt gives the schema, or the list of schemas, that the library compiles for raw.
func adapt(raw any) any {
	switch raw := raw.(type) {
	case []any:
		list := make([]any, len(raw))
		for i, item := range raw {
			list[i] = adapt(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(raw))
		for keyword, item := range raw {
			switch keyword {
			case "const", "default", "examples":
				object[keyword] = item
			case "enum":
				adaptEnum(object, item)
			case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
				object[keyword] = adaptEach(item)
			case "required":
				adaptRequired(object, item)
			default:
				object[keyword] = adapt(item)
			}
		}
		adaptLengths(object)
		return object
	}
	return raw
}

// adaptEach adapts the schemas of an object whose names are no keywords.
func adaptEach(raw any) any {
	schemas, ok := raw.(map[string]any)
	if !ok {
		return raw
	}
	adapted := make(map[string]any, len(schemas))
	for name, schema := range schemas {
		adapted[name] = adapt(schema)
	}
	return adapted
}

func adaptEnum(object map[string]any, raw any) {
	choices, ok := raw.([]any)
	if !ok {
		object["enum"] = raw // the library refuses it
		return
	}
	e := &enumKeyword{wanted: notChosen("has to be " + enumNames(choices) + "."), texts: make(map[string]bool, len(choices))}
	for _, choice := range choices {
		e.texts[canonical(choice)] = true
	}
	object[enum] = e
}

// adaptRequired also leaves out what is listed twice, which the draft does not allow.
func adaptRequired(object map[string]any, raw any) {
	list, ok := raw.([]any)
	seen := make(map[string]bool, len(list))
	names := make([]string, 0, len(list))
	for _, item := range list {
		name, isText := item.(string)
		ok = ok && isText
		if !seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	if !ok {
		object["required"] = raw // the library refuses it
		return
	}
	object[required] = requiredKeyword(names)
}

// adaptLengths replaces bounds of lengths by whole ones that accept the same texts.
func adaptLengths(object map[string]any) {
	least, hasLeast := object["minLength"].(json.Number)
	most, hasMost := object["maxLength"].(json.Number)
	if hasLeast {
		delete(object, "minLength")
		object[leastLength] = max(0, roundUp(least))
	}
	if hasMost {
		delete(object, "maxLength")
		limit := -roundUp(negate(most)) // rounds down
		if limit < 0 {
			// No text is that short.
			object[leastLength], limit = max(1, roundUp(least)), 0
		}
		object[mostLength] = limit
	}
}

func negate(n json.Number) json.Number {
	if rest, ok := strings.CutPrefix(string(n), "-"); ok {
		return json.Number(rest)
	}
	return "-" + n
}

// roundUp gives the smallest whole number that is not below n, within what any text can
// be long.
func roundUp(n json.Number) int {
	const far = math.MaxInt32
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return 0
	}
	q := new(big.Int).Div(r.Num(), r.Denom()) // rounds down: the denominator is positive
	if !r.IsInt() {
		q.Add(q, big.NewInt(1))
	}
	if !q.IsInt64() || q.Int64() > far || q.Int64() < -far {
		return r.Sign() * far
	}
	return int(q.Int64())
}

// compileKeywords finds the keywords in an adapted schema.
func compileKeywords(_ *jsonschema.CompilerContext, object map[string]any) (jsonschema.SchemaExt, error) {
	var all keywords
	least, hasLeast := object[leastLength].(int)
	most, hasMost := object[mostLength].(int)
	if hasLeast || hasMost {
		if !hasMost {
			most = math.MaxInt
		}
		all = append(all, lengths{least, most})
	}
	if e, ok := object[enum].(*enumKeyword); ok {
		all = append(all, e)
	}
	if r, ok := object[required].(requiredKeyword); ok {
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// keywords are those of one schema.
type keywords []jsonschema.SchemaExt

// Validate reports what any of the keywords has to say.
func (k keywords) Validate(ctx *jsonschema.ValidatorContext, v any) {
	for _, one := range k {
		one.Validate(ctx, v)
	}
}

// lengths checks the length of a text in characters, as value.TextLen counts them.
type lengths struct{ least, most int }

// Validate reports a text that is too short or too long.
func (l lengths) Validate(ctx *jsonschema.ValidatorContext, v any) {
	text, ok := v.(string)
	if !ok {
		return
	}
	n := value.TextLen(text)
	if n < l.least {
		ctx.AddError(&kind.MinLength{Got: n, Want: l.least})
	}
	if n > l.most {
		ctx.AddError(&kind.MaxLength{Got: n, Want: l.most})
	}
}

// enumKeyword checks that a value is one of some choices, which are looked up by their text.
type enumKeyword struct {
	texts  map[string]bool
	wanted notChosen
}

// Validate reports a value that is no choice.
func (e *enumKeyword) Validate(ctx *jsonschema.ValidatorContext, v any) {
	if !e.texts[canonical(v)] {
		ctx.AddError(e.wanted)
	}
}

// notChosen is the kind of error of an enum. It is its wording: made once, for it may be
// long and be said of many items.
type notChosen string

// KeywordPath names the keyword.
func (notChosen) KeywordPath() []string { return []string{"enum"} }

// LocalizedString is the wording.
func (n notChosen) LocalizedString(*message.Printer) string { return string(n) }

// canonical writes equal values, and only these, as the same text.
func canonical(v any) string { return value.JSON(plain(v)) }

func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		return json.Number(value.PlainNumber(v))
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plain(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, item := range v {
			object[name] = plain(item)
		}
		return object
	}
	return v
}

// requiredKeyword checks that an object has its fields.
type requiredKeyword []string

// Validate reports fields that are missing, at most 100 of one object.
func (r requiredKeyword) Validate(ctx *jsonschema.ValidatorContext, v any) {
	const most = 100
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	var missing []string
	for _, name := range r {
		if _, ok := object[name]; !ok && len(missing) < most {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		ctx.AddError(&kind.Required{Missing: missing})
	}
}
