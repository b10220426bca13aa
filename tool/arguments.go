package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
)

// decode reads arguments into a Go value. It is stricter than encoding/json, which takes
// names in other letters and passes over unknown ones and those given twice, and more
// generous where the schema is: 20.0 and 2e1 are whole numbers.
func decode(text []byte, sh *shape, into any) error {
	v, changed, err := readShaped(text, sh)
	if err != nil {
		return err
	}
	if changed {
		text = appendJSON(nil, v)
	}
	if err := decodeLoose(text, into); err != nil {
		return &Error{Code: CodeArgumentsInvalid, Message: fmt.Sprintf("cannot be read: %s.", err), Field: "$", Cause: err}
	}
	return nil
}

// readValue reads JSON, with numbers as json.Number. A name given twice is an error.
func readValue(text []byte) (any, error) {
	v, _, err := readShaped(text, anything())
	return v, uncoded(err)
}

// uncoded is an error of reading without its code, for what are no arguments.
func uncoded(err error) error {
	var e *Error
	switch {
	case !errors.As(err, &e):
		return err
	case e.Field == "" || e.Field == "$":
		return errors.New(e.Message)
	}
	return fmt.Errorf("%s: %s", e.Field, e.Message)
}

func readShaped(text []byte, sh *shape) (v any, changed bool, err error) {
	// First as a whole, so that what is read below has an end and a depth that is bounded.
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, false, &Error{Code: CodeArgumentsInvalid, Message: fmt.Sprintf("This is no JSON: %s.", err), Cause: err}
	}
	r := reader{decoder: json.NewDecoder(bytes.NewReader(text))}
	r.decoder.UseNumber()
	v, err = r.read(sh, "$")
	return v, r.changed, err
}

// reader reads JSON along a shape.
type reader struct {
	decoder *json.Decoder
	changed bool // a whole number is now written otherwise
}

// read gives the next value. Where the shape speaks of another kind of value, it is for
// the decoding that follows to say so.
func (r *reader) read(sh *shape, path string) (any, error) {
	token, err := r.decoder.Token()
	if err != nil {
		return nil, unexpected(err)
	}
	if got := kindOf(token); sh.kind != anyKind && !sh.kind.takes(got) {
		return nil, &Error{Code: CodeArgumentsInvalid, Message: fmt.Sprintf("has to be %s; this is %s.", sh.kind, got), Field: path}
	}
	switch token := token.(type) {
	case json.Number:
		return r.number(token, sh, path)
	case json.Delim:
		if token == '[' {
			return r.list(sh, path)
		}
		return r.object(sh, path)
	}
	return token, nil
}

// kindOf is the kind of value that begins with a token; anyKind for null.
func kindOf(token json.Token) kind {
	switch token {
	case nil:
		return anyKind
	case json.Delim('['):
		return listKind
	case json.Delim('{'):
		return objectKind
	}
	switch token.(type) {
	case string:
		return textKind
	case bool:
		return boolKind
	}
	return numberKind
}

// takes reports whether a value can be what is asked for. null never is: encoding/json
// would take it for nothing said, and no schema here has it.
func (k kind) takes(got kind) bool {
	return k == got || k == integerKind && got == numberKind || k == mapKind && got == objectKind
}

func (r *reader) list(sh *shape, path string) (any, error) {
	items := sh.item()
	list := []any{}
	for r.decoder.More() {
		item, err := r.read(items, fmt.Sprintf("%s[%d]", path, len(list)))
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	_, err := r.decoder.Token()
	return list, unexpected(err)
}

func (r *reader) object(sh *shape, path string) (any, error) {
	object := map[string]any{}
	for r.decoder.More() {
		token, err := r.decoder.Token()
		if err != nil {
			return nil, unexpected(err)
		}
		name, _ := token.(string)
		at := memberPath(path, name)
		if _, twice := object[name]; twice {
			return nil, &Error{Code: CodeArgumentsInvalid, Message: "is given twice.", Field: at}
		}
		inner := sh.member(name)
		if inner == nil {
			return nil, &Error{Code: CodeArgumentsInvalid, Message: "is no field that is known here.", Field: at}
		}
		if object[name], err = r.read(inner, at); err != nil {
			return nil, err
		}
	}
	_, err := r.decoder.Token()
	return object, unexpected(err)
}

// unexpected is for errors of a text that has been found to be JSON before.
func unexpected(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	return &Error{Code: CodeArgumentsInvalid, Message: fmt.Sprintf("This is no JSON: %s.", err), Cause: err}
}

// number holds a number against what its Go type can keep, and writes 20.0 and 2e1 as 20,
// which is all that encoding/json takes for a whole number.
func (r *reader) number(n json.Number, sh *shape, path string) (json.Number, error) {
	fault := func(message string) error {
		return &Error{Code: CodeArgumentsInvalid, Message: message, Field: path}
	}
	if sh.kind == integerKind && !plainInteger.MatchString(string(n)) {
		value, ok := rational(n)
		switch {
		case !ok:
			return "", fault("is larger or has more digits than can be taken here.")
		case !value.IsInt():
			return "", fault("has to be a whole number.")
		}
		n, r.changed = json.Number(value.Num().String()), true
	}
	var err error
	switch sh.goType.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		_, err = strconv.ParseInt(string(n), 10, sh.goType.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		_, err = strconv.ParseUint(string(n), 10, sh.goType.Bits())
	case reflect.Float32, reflect.Float64:
		_, err = strconv.ParseFloat(string(n), sh.goType.Bits())
	default: // json.Number and any keep the text
	}
	if err != nil {
		return "", fault("is beyond the numbers that can be taken here.")
	}
	return n, nil
}

var (
	plainInteger = regexp.MustCompile(`^-?[0-9]+$`)
	plainName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func memberPath(path, name string) string {
	if plainName.MatchString(name) {
		return path + "." + name
	}
	return fmt.Sprintf("%s[%s]", path, appendJSON(nil, name))
}

// encode writes a result. Go has nil slices and maps where a result is an empty one, and
// the schema of a result has no null: they are written as [] and {}, and a field that may
// be missing and is null is left out.
func encode(result any, sh *shape) (json.RawMessage, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		return nil, &Error{Code: CodeResultInvalid, Message: fmt.Sprintf("What the tool returned cannot be written as JSON: %s.", err), Cause: err}
	}
	text := bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
	if sh == nil || !bytes.Contains(text, []byte("null")) {
		return text, nil
	}
	v, err := readLoose(text)
	if err != nil {
		return nil, &Error{Code: CodeResultInvalid, Message: "What the tool returned is written as JSON that cannot be read.", Cause: err}
	}
	return appendJSON(nil, sh.withoutNull(v)), nil
}

// readLoose reads JSON with numbers as json.Number, also where a map of Go has made two
// names alike.
func readLoose(text []byte) (v any, err error) {
	err = decodeLoose(text, &v)
	return v, err
}

func decodeLoose(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // what goes into an any keeps its digits
	return decoder.Decode(into)
}

func (s *shape) withoutNull(v any) any {
	switch v := v.(type) {
	case nil:
		switch {
		case s.kind == listKind:
			return []any{}
		case s.kind == mapKind:
			return map[string]any{}
		case s.bytes:
			return ""
		}
	case []any:
		if s.kind == listKind {
			for i, item := range v {
				v[i] = s.items.withoutNull(item)
			}
		}
	case map[string]any:
		for _, f := range s.fields {
			item, ok := v[f.name]
			switch {
			case !ok:
			case item == nil && !f.required && f.shape.kind != anyKind:
				delete(v, f.name)
			default:
				v[f.name] = f.shape.withoutNull(item)
			}
		}
		if s.kind == mapKind {
			for name, item := range v {
				v[name] = s.items.withoutNull(item)
			}
		}
	}
	return v
}
