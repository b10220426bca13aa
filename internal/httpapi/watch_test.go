package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"toolsmith/internal/capability"
	"toolsmith/internal/engine"
	"toolsmith/internal/httpapi"
	"toolsmith/tool"
)

// revision is that of the document as somebody sees it now.
func (s *served) revision(t *testing.T, token string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, s.address+"/resources/peers/local/api", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return strings.Trim(response.Header.Get("ETag"), `"`)
}

// TestWhatCanBeCalledChanges is told to those who see it, once for each change, although nobody
// asks for the document, with the revision that they are then given.
func TestWhatCanBeCalledChanges(t *testing.T) {
	t.Parallel()
	s := serve(t)
	person, all, editor := s.listen(t, personToken, ""), s.listen(t, "all", ""), s.listen(t, "editor", "")
	told := func(next func() (id, data string)) httpapi.Event {
		t.Helper()
		_, data := next()
		var event httpapi.Event
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		return event
	}
	box, err := engine.NewToolbox(capability.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	// elsewhere is another process over the same store.
	elsewhere := engine.New(engine.Options{Store: s.store, Catalogue: capability.Builtin(), Toolbox: box, NewID: func() string { return "other" }, Who: "ada", From: "terminal"})
	shout := tool.MustNew(tool.Spec{Name: "shout", Description: "Says it loudly."}, func(_ *tool.Context, in said) (string, error) { return in.Text, nil })
	var port interface{ Close() error }
	seen := map[string]bool{s.revision(t, personToken): true}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"installed and turned on", func() error {
			if _, err := installed(t.Context(), s.engine, []byte(keeper)); err != nil {
				return err
			}
			_, _, err := s.engine.Enable(t.Context(), "keep")
			return err
		}},
		{"turned off", func() error { _, _, err := s.engine.Disable(t.Context(), "keep"); return err }},
		{"turned on elsewhere", func() error { _, _, err := elsewhere.Enable(t.Context(), "keep"); return err }},
		{"removed elsewhere", func() error { _, err := elsewhere.Remove(t.Context(), "keep"); return err }},
		{"supplied over a port", func() error { port = s.connect(t, personToken, shout); return nil }},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		for token, next := range map[string]func() (id, data string){personToken: person, "all": all} {
			if event := told(next); event.Type != "tools" || event.Revision != s.revision(t, token) {
				t.Errorf("%s: %s is told %+v; the document has %s", step.name, token, event, s.revision(t, token))
			}
		}
		seen[s.revision(t, personToken)] = true
	}
	if len(seen) != 3 { // without both, with the installed tool, with that of the port
		t.Errorf("there were %d revisions: %v", len(seen), seen)
	}
	// Nothing was told that changes nothing, nor to those who do not see it: the next that
	// they are told is this.
	s.ask(t, personToken, "PUT", "/v1/settings/power/write", `{"permission": "deny"}`)
	if err := port.Close(); err != nil {
		t.Fatal(err)
	}
	if event := told(person); event.Type != "tools" || event.Revision != s.revision(t, personToken) {
		t.Errorf("the person is told %+v after the port was closed", event)
	}
	_, mine := s.ask(t, "editor", "POST", "/v1/tools/echo/call", `{"text": "mine"}`)
	if event := told(editor); event.Run != mine["run"] {
		t.Errorf("the editor, who may call neither, is told %+v", event)
	}
}

// TestAProgramThatMayCallNothing sees no tool.
func TestAProgramThatMayCallNothing(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.revision(t, personToken)
	if _, text := s.raw(t, "none", "GET", "/resources/peers/local/api", ""); strings.Contains(string(text), "x-tool") || !strings.Contains(string(text), "callTool") {
		t.Errorf("it sees %.300s", text)
	}
}
