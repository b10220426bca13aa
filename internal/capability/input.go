package capability

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"toolsmith/internal/local"
	"toolsmith/tool"
)

// input reads the fields of an input one by one and keeps the first problem, so that a
// verb can read them all and ask once.
type input struct {
	fields map[string]any
	read   map[string]bool
	first  error
}

func readInput(value any) *input {
	in := &input{read: map[string]bool{}}
	fields, ok := value.(map[string]any)
	if !ok {
		in.refuse("$", "An object is needed here.")
	}
	in.fields = fields
	return in
}

func (in *input) refuse(field, format string, args ...any) {
	if in.first == nil {
		in.first = &tool.Error{Code: local.CodeInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
	}
}

// problem gives the first problem of the fields read; a field that nobody read is one too.
func (in *input) problem() error {
	for _, name := range slices.Sorted(maps.Keys(in.fields)) {
		if !in.read[name] {
			in.refuse("$", "There is no field %q here.", name)
		}
	}
	return in.first
}

func (in *input) has(name string) bool {
	_, ok := in.fields[name]
	return ok
}

// field gives a field, and whether it is there.
func (in *input) field(name string) (any, bool) {
	in.read[name] = true
	value, ok := in.fields[name]
	return value, ok
}

// text reads a text that must be there.
func (in *input) text(name string) string {
	if !in.has(name) {
		in.refuse("$."+name, "This field is needed.")
	}
	return in.optionalText(name)
}

// optionalText reads a text; it is empty where the field is not there.
func (in *input) optionalText(name string) string {
	value, ok := in.field(name)
	if !ok {
		return ""
	}
	text, ok := value.(string)
	if !ok {
		in.refuse("$."+name, "A text is needed here.")
	}
	in.checkUnicode("$."+name, text)
	return text
}

// optionalWord reads a text that is not empty if it is there.
func (in *input) optionalWord(name string) string {
	word := in.optionalText(name)
	if word == "" && in.has(name) {
		in.refuse("$."+name, "This must not be empty.")
	}
	return word
}

// content reads a text, or writes any other value down as one.
func (in *input) content(name string) string {
	value, ok := in.field(name)
	if !ok {
		in.refuse("$."+name, "This field is needed.")
		return ""
	}
	in.checkUnicode("$."+name, value)
	if in.first != nil {
		return ""
	}
	if text, ok := value.(string); ok {
		return text
	}
	return outline(value, local.MaxText)
}

// checkUnicode refuses a value in which a text is not valid Unicode, as one with half a
// surrogate pair, and a value that is not made of the Go types of JSON.
func (in *input) checkUnicode(path string, value any) {
	switch value := value.(type) {
	case nil, bool, json.Number:
	case string:
		if !utf8.ValidString(value) {
			in.refuse(path, "This text is not valid Unicode.")
		}
	case []any:
		for i, item := range value {
			in.checkUnicode(fmt.Sprintf("%s[%d]", path, i), item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if !utf8.ValidString(key) {
				in.refuse(path, "A key in here is not valid Unicode.")
				continue
			}
			in.checkUnicode(path+"."+key, value[key])
		}
	default:
		in.refuse(path, "This is not a JSON value.")
	}
}

// optionalInteger reads a whole number of at least 1; it is 0 where the field is not there.
func (in *input) optionalInteger(name string) int64 {
	value, ok := in.field(name)
	if !ok {
		return 0
	}
	number, _ := value.(json.Number)
	whole, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		whole = wholeNumber(string(number))
	}
	if whole < 1 {
		in.refuse("$."+name, "A whole number of at least 1 is needed here.")
	}
	return whole
}

// wholeNumber reads "1.0" and "1e2", which are whole numbers too; 0 for what is none.
func wholeNumber(text string) int64 {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) > 1<<53 {
		return 0
	}
	return int64(number)
}

// optionalTime reads a time with a zone; it is nil where the field is not there.
func (in *input) optionalTime(name string) *time.Time {
	text := in.optionalText(name)
	if text == "" && !in.has(name) {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		in.refuse("$."+name, "A time such as 2026-11-27T17:00:00Z is needed here.")
		return nil
	}
	return &at
}

// limit reads how many records to give; package local says how many are allowed.
func (in *input) limit() int { return int(min(in.optionalInteger("limit"), math.MaxInt32)) }

// list reads what all lists take.
func (in *input) list() local.List {
	return local.List{
		Query:  in.optionalText("query"),
		Limit:  in.limit(),
		Cursor: in.optionalText("cursor"),
	}
}
