package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"toolsmith/client"
	"toolsmith/internal/consent"
	"toolsmith/internal/httpapi"
	"toolsmith/internal/port"
	"toolsmith/tool"
)

func (s *served) connect(t *testing.T, token string, tools ...*tool.Tool) *client.Client {
	t.Helper()
	c, err := client.Connect(t.Context(), s.address, client.Options{Name: "desk", Token: token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Register(t.Context(), tools...); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAToolOfAnotherProgram is called like any other, with a question, and is gone with its port.
func TestAToolOfAnotherProgram(t *testing.T) {
	t.Parallel()
	s := serve(t)
	shout := tool.MustNew(tool.Spec{Name: "shout", Description: "Says it loudly."}, func(_ *tool.Context, in said) (string, error) {
		return strings.ToUpper(in.Text), nil
	})
	c := s.connect(t, personToken, shout)
	if status, got := s.ask(t, personToken, "GET", "/v1/tools/shout", ""); status != 200 || got["kind"] != "client" || got["title"] != "shout" {
		t.Errorf("%d %v", status, got)
	}
	_, before := s.ask(t, personToken, "GET", "/v1/peer", "")
	status, begun := s.ask(t, personToken, "POST", "/v1/tools/shout/call?wait=0", `{"text": "hi"}`)
	if status != 202 {
		t.Fatalf("%d %v", status, begun)
	}
	var questions []consent.Question
	for len(questions) == 0 {
		var err error
		if questions, err = s.engine.Questions(t.Context(), true, 0); err != nil {
			t.Fatal(err)
		}
	}
	if status, got := s.ask(t, personToken, "POST", "/v1/consents/"+questions[0].ID+"/answer", `{"allow": true}`); status != 200 {
		t.Errorf("%d %v", status, got)
	}
	if _, got := s.ask(t, personToken, "GET", fmt.Sprintf("/v1/runs/%v/result", begun["run"]), ""); got["status"] != "succeeded" || got["value"] != "HI" {
		t.Errorf("%v", got)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for {
		_, after := s.ask(t, personToken, "GET", "/v1/peer", "")
		if after["revision"] != before["revision"] {
			break
		}
	}
	if _, doc := s.ask(t, personToken, "GET", "/v1/tools?limit=500", ""); strings.Contains(fmt.Sprint(names(doc)), "shout") {
		t.Errorf("the tool is still offered: %v", names(doc))
	}
}

// TestWhoMaySupplyTools: a program with a token, in the header or the first message, which calls
// the tools of its token alone.
func TestWhoMaySupplyTools(t *testing.T) {
	t.Parallel()
	s := serve(t)
	editor := s.connect(t, "editor")
	result, err := editor.Call(t.Context(), "echo", said{"hello"})
	if err != nil || string(result.Value) != `{"text":"hello"}` {
		t.Errorf("%+v, %v", result, err)
	}
	if _, err := editor.Call(t.Context(), "notes.delete", map[string]any{"id": "x"}); tool.Code(err) != "TOOL_UNKNOWN" {
		t.Errorf("a tool of others gives %v", err)
	}
	if _, got := s.ask(t, "editor", "GET", "/v1/runs", ""); len(got["runs"].([]any)) != 1 {
		t.Errorf("its runs are %v", got)
	}
	for _, token := range []string{"guess", ""} {
		if _, err := client.Connect(t.Context(), s.address, client.Options{Name: "desk", Token: token}); tool.Code(err) != httpapi.CodeTokenRefused {
			t.Errorf("with the token %q: %v", token, err)
		}
	}
	if status, got := s.ask(t, "guess", "GET", port.Path, ""); status != 401 || got["code"] != httpapi.CodeTokenRefused {
		t.Errorf("without a WebSocket, a guess gets %d %v", status, got)
	}

	// A program in a browser cannot set the header.
	hello := func(token, origin string) (string, error) {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		ws, response, err := websocket.Dial(t.Context(), s.address+port.Path, &websocket.DialOptions{Subprotocols: []string{port.Subprotocol}, HTTPHeader: header})
		if err != nil {
			if response != nil && response.Body != nil {
				response.Body.Close()
			}
			return "", err
		}
		defer func() { _ = ws.CloseNow() }()
		if err := ws.Write(context.Background(), websocket.MessageText, fmt.Appendf(nil, `{"type":"hello","protocol":1,"name":"page","token":%q}`, token)); err != nil {
			return "", err
		}
		_, text, err := ws.Read(t.Context())
		return string(text), err
	}
	if text, err := hello("editor", ""); err != nil || !strings.Contains(text, `"type":"hello"`) {
		t.Errorf("%s, %v", text, err)
	}
	for _, token := range []string{"guess", ""} {
		if text, err := hello(token, ""); err != nil || !strings.Contains(text, `"code":"HTTP_TOKEN_REFUSED"`) {
			t.Errorf("with the token %q a page hears %s, %v", token, text, err)
		}
	}
	if text, err := hello("editor", "http://evil.com"); err == nil {
		t.Errorf("a page of somebody else is let in: %s", text)
	}
}

// TestAPortOfARemovedToken is closed, and the program told why, however it has shown its token.
func TestAPortOfARemovedToken(t *testing.T) {
	t.Parallel()
	s := serve(t)
	shout := tool.MustNew(tool.Spec{Name: "shout", Description: "Says it loudly."}, func(_ *tool.Context, in said) (string, error) {
		return strings.ToUpper(in.Text), nil
	})
	desk := s.connect(t, "all", shout)
	page, _, err := websocket.Dial(t.Context(), s.address+port.Path, &websocket.DialOptions{Subprotocols: []string{port.Subprotocol}}) //nolint:bodyclose // its body need not be closed
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = page.CloseNow() }()
	if err := page.Write(t.Context(), websocket.MessageText, []byte(`{"type":"hello","protocol":1,"name":"page","token":"all"}`)); err != nil {
		t.Fatal(err)
	}
	if _, text, err := page.Read(t.Context()); err != nil || !strings.Contains(string(text), `"type":"hello"`) {
		t.Fatalf("%s, %v", text, err)
	}
	editor := s.connect(t, "editor")

	s.removed.Store("all", true)
	if _, text, err := page.Read(t.Context()); err != nil || !strings.Contains(string(text), `"code":"HTTP_TOKEN_REFUSED"`) {
		t.Errorf("the page hears %s, %v", text, err)
	}
	if _, _, err := page.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusPolicyViolation {
		t.Errorf("the port of the page ends with %v", err)
	}
	<-desk.Done()
	if err := desk.Err(); tool.Code(err) != httpapi.CodeTokenRefused {
		t.Errorf("the desk has ended with %v", err)
	}
	if _, err := desk.Call(t.Context(), "echo", said{"hello"}); tool.Code(err) != httpapi.CodeTokenRefused {
		t.Errorf("a call gives %v", err)
	}
	for { // it is tidied away before it is closed; the list may be made anew a little later
		_, got := s.ask(t, personToken, "GET", "/v1/tools?limit=500", "")
		if !strings.Contains(fmt.Sprint(names(got)), "shout") {
			break
		}
	}
	if _, err := editor.Call(t.Context(), "echo", said{"hello"}); err != nil {
		t.Errorf("another program: %v", err)
	}
}
