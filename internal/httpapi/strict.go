package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	exact "github.com/go-json-experiment/json"

	"toolsmith/internal/value"
)

// strict is the surface with bodies that are read exactly. A name that stands in a body twice, or
// in other letters than it has, is refused: encoding/json would take the last of them, whatever
// their letter case, so that what is read is not what somebody before it has seen. So is null for
// a field that knows none, which would pass for one that is left out.
type strict struct{ huma.API }

// Config is that of the surface: huma asks for it, for example whether it takes query parameters that
// nobody has described.
func (s strict) Config() huma.Config {
	if configured, ok := s.API.(interface{ Config() huma.Config }); ok {
		return configured.Config()
	}
	return huma.Config{}
}

// Unmarshal reads a body: first as what is held to the schema, and then as the value.
func (s strict) Unmarshal(contentType string, data []byte, v any) error {
	if _, ok := v.(*any); ok {
		if _, err := value.Decode(data); err != nil {
			return fmt.Errorf("this is no JSON that can be read: %w", err)
		}
		return s.API.Unmarshal(contentType, data, v) //nolint:wrapcheck // huma words it
	}
	err := exact.Unmarshal(data, v, exact.RejectUnknownMembers(true))
	var fault *exact.SemanticError
	if errors.Is(err, exact.ErrUnknownName) && errors.As(err, &fault) {
		return fmt.Errorf("there is no field %q: names are told apart by their letter case", fault.JSONPointer.LastToken())
	}
	if err != nil {
		return errors.New("this does not fit what is asked for") // the cause could repeat a secret
	}
	into := reflect.TypeOf(v).Elem()
	if into == reflect.TypeFor[json.RawMessage]() {
		return nil // it has no fields here, and is read by whoever knows it
	}
	body, err := value.Decode(data)
	if err != nil {
		return fmt.Errorf("this is no JSON that can be read: %w", err)
	}
	if field := nullIn(body, into, ""); field != "" {
		return fmt.Errorf("%s is null: leave it out instead", field)
	}
	return nil
}

// readsItself reports whether a type says by itself what it makes of null.
func readsItself(t reflect.Type) bool {
	return t != reflect.TypeFor[time.Time]() && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// nullIn finds a field that is null although its type knows none; "" for none.
func nullIn(v any, t reflect.Type, at string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case []any:
		if t.Kind() != reflect.Slice {
			return ""
		}
		for i, one := range v {
			if field := nullIn(one, t.Elem(), fmt.Sprintf("%s[%d]", at, i)); field != "" {
				return field
			}
		}
	case map[string]any:
		if t.Kind() != reflect.Struct {
			return ""
		}
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			one, given := v[name]
			kind := t.Field(i).Type
			switch {
			case !given || kind.Kind() == reflect.Interface || readsItself(kind):
			case one == nil:
				return strings.TrimPrefix(at+"."+name, ".")
			default:
				if field := nullIn(one, kind, at+"."+name); field != "" {
					return field
				}
			}
		}
	}
	return ""
}
