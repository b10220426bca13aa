package httpapi_test

import (
	"bytes"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
)

// TestTheDocumentIsValid holds the document to the schema of OpenAPI 3.1.
func TestTheDocumentIsValid(t *testing.T) {
	t.Parallel()
	s := serve(t)
	if _, err := s.engine.Install(t.Context(), []byte(keeper), nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.engine.Enable(t.Context(), "keep"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/resources/peers/local/api", "/resources/peers/local/api.yaml"} {
		_, text := s.raw(t, personToken, "GET", path, "")
		document, err := libopenapi.NewDocument(text)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		v, errs := validator.NewValidator(document)
		for _, err := range errs {
			t.Errorf("%s: %v", path, err)
		}
		if len(errs) > 0 {
			continue
		}
		if ok, found := v.ValidateDocument(); !ok {
			for _, f := range found {
				t.Errorf("%s: %s %s", path, f.Message, f.Reason)
				for _, one := range f.SchemaValidationErrors {
					t.Errorf("  %+v", one)
				}
			}
		}
	}
}

// TestListsAreLists in the document: no program has to expect that one is null.
func TestListsAreLists(t *testing.T) {
	t.Parallel()
	s := serve(t)
	_, text := s.raw(t, personToken, "GET", "/resources/peers/local/api", "")
	lists, null := bytes.Count(text, []byte(`"type":"array"`)), bytes.Count(text, []byte(`["array","null"]`))
	if lists < 10 || null != 0 {
		t.Errorf("it has %d lists, and %d that may be null", lists, null)
	}
}
