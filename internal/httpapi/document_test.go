package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
)

// TestTheDocumentIsValid holds the document to the schema of OpenAPI 3.1.
func TestTheDocumentIsValid(t *testing.T) {
	t.Parallel()
	s := serve(t)
	if _, err := installed(t.Context(), s.engine, []byte(keeper)); err != nil {
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

// TestTheDocumentForActions is a view of its own, for whoever asks.
func TestTheDocumentForActions(t *testing.T) {
	t.Parallel()
	s := serve(t)
	const path = "/resources/peers/local/api"
	for _, one := range []string{path + "?profile=gpt", path + ".yaml?profile=", path + "?format=yaml"} {
		if status, got := s.ask(t, personToken, "GET", one, ""); status != 422 || got["code"] != "INVALID" || !strings.HasPrefix(fmt.Sprint(got["field"]), "query.") {
			t.Errorf("%s gives %d %v", one, status, got)
		}
	}
	_, whole := s.ask(t, "editor", "GET", path, "")
	_, view := s.ask(t, "editor", "GET", path+"?profile=gpt-actions", "")
	paths, _ := view["paths"].(map[string]any)
	if len(paths) != 5 || fmt.Sprint(view["servers"]) != fmt.Sprintf("[map[url:%s]]", s.address) || view["x-left-out"] != 0.0 || view["openapi"] != "3.1.0" {
		t.Errorf("the editor has %v in %v", paths, view)
	}
	call := func(of map[string]any, name string) map[string]any {
		paths, _ := of["paths"].(map[string]any)
		item, _ := paths["/v1/tools/"+name+"/call"].(map[string]any)
		post, _ := item["post"].(map[string]any)
		return post
	}
	for name, want := range map[string]bool{"echo": false, "notes.list": false, "notes.create": true} {
		if got := call(view, name)["x-openai-isConsequential"]; got != want {
			t.Errorf("%s is consequential: %v", name, got)
		}
		if a, b := call(view, name)["operationId"], call(whole, name)["operationId"]; a != b || a == nil {
			t.Errorf("%s is called %v here and %v there", name, a, b)
		}
	}
	if text := fmt.Sprint(call(view, "echo")); !strings.Contains(text, "maximum:40") || !strings.Contains(text, "default:40") || !strings.Contains(text, "minLength:1") || strings.Contains(text, "x-tool") {
		t.Errorf("a call is %s", text)
	}
	wait, _ := paths["/v1/runs/{run}/result"].(map[string]any)
	if text := fmt.Sprint(wait); !strings.Contains(text, "maximum:40") || !strings.Contains(text, "default:40") || strings.Contains(text, "300") {
		t.Errorf("a call that goes on is waited for by %s", text)
	}
	tag := func(path, known string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer editor")
		r.Header.Set("If-None-Match", known)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode, response.Header.Get("ETag")
	}
	_, first := tag(path, "")
	status, second := tag(path+"?profile=gpt-actions", first)
	if status != 200 || first == second {
		t.Errorf("%d: the revisions are %s and %s", status, first, second)
	}
	if status, _ := tag(path+".yaml?profile=gpt-actions", second); status != 304 {
		t.Errorf("what is known gives %d", status)
	}
	if _, text := s.raw(t, "editor", "GET", path+".yaml?profile=gpt-actions", ""); !strings.Contains(string(text), "x-left-out: 0\n") {
		t.Errorf("as YAML it is %.300s", text)
	}
}
