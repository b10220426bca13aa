package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
)

// TestAnswersFitTheDocument asks for everything that the document has, and holds each answer to
// the schema that it gives.
func TestAnswersFitTheDocument(t *testing.T) {
	t.Parallel()
	l := live(t)
	_, text := l.raw(t, personToken, "GET", "/resources/peers/local/api", "")
	document, err := libopenapi.NewDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	v, errs := validator.NewValidator(document)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	fit := func(method, path, body string, status int) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, l.address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+personToken)
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("%s %s gives %d, want %d", method, path, response.StatusCode, status)
		}
		if ok, found := v.ValidateHttpResponse(r, response); !ok {
			for _, f := range found {
				t.Errorf("%s %s: %s %s", method, path, f.Message, f.Reason)
				for _, one := range f.SchemaValidationErrors {
					t.Errorf("  %s at %s", one.Reason, one.KeywordLocation)
				}
			}
		}
	}
	var rest []string
	for operation := range l.operations(t) {
		method, path, _ := strings.Cut(operation, " ")
		switch filled := l.path(t, path); {
		case method == http.MethodGet && strings.HasSuffix(path, "/result"):
			fit(method, filled, "", http.StatusAccepted)
		case method == http.MethodGet:
			fit(method, filled, "", http.StatusOK)
		case path != "/v1/tools/{tool}/call" && path != "/v1/runs" && path != "/v1/stop":
			rest = append(rest, operation)
		}
	}
	slices.Sort(rest) // DELETE is first, so what it needs has to be there again
	slices.Reverse(rest)
	for _, operation := range rest {
		method, path, _ := strings.Cut(operation, " ")
		filled := l.path(t, path)
		switch operation {
		case "POST /v1/forge/tools/{tool}/rollback":
			fit(method, filled, `{"to": 1}`, http.StatusOK)
		case "POST /v1/runs/{run}/again", "POST /v1/runs/{run}/resume": // it is cancelled, or about to be
			fit(method, filled, `{"answer": "done", "plan": true}`, http.StatusUnprocessableEntity)
		case "POST /v1/consents/{question}/answer":
			fit(method, filled, `{"allow": true, "for": "ever"}`, http.StatusUnprocessableEntity)
		case "POST /v1/forge/tools":
			fit(method, filled, bodyOf(operation), http.StatusConflict) // it is older than the one that is there
			fit(method, filled, asBody("text", strings.Replace(withKey, `"version": 1`, `"version": 3`, 1)), http.StatusOK)
		default:
			fit(method, filled, bodyOf(operation), http.StatusOK)
		}
	}
	fit("POST", "/v1/stop", "", http.StatusOK) // it ends the run that the others are about
	fit("POST", "/v1/tools/echo/call", `{"text": "x"}`, http.StatusServiceUnavailable)
	fit("POST", "/v1/start", "", http.StatusOK)
	fit("POST", "/v1/tools/echo/call", `{"text": "x"}`, http.StatusOK)
}
