package httpapi

import (
	"errors"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
	exact "github.com/go-json-experiment/json"

	"toolsmith/internal/value"
)

// strict is the surface for operations whose bodies become values of Go. A name that stands in a
// body twice, or in other letters than it has, is refused: encoding/json would take the last of
// them, whatever their letter case, so that what is read is not what somebody before it has seen.
type strict struct{ huma.API }

func (a *API) strict() huma.API { return strict{a.huma} }

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
	return nil
}
