package toolsmith_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolsmith"
	"toolsmith/client"
	"toolsmith/tool"
)

// listening has a runtime listen until stop is called, which gives what Listen gave.
func listening(t *testing.T, r *toolsmith.Runtime) (at toolsmith.Listening, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan toolsmith.Listening, 1), make(chan error, 1)
	go func() {
		ended <- r.Listen(ctx, toolsmith.ListenOptions{Address: "127.0.0.1:0", Ready: func(l toolsmith.Listening) { ready <- l }})
	}()
	select {
	case at = <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	return at, func() error {
		cancel()
		return <-ended
	}
}

// ask asks a runtime that listens.
func ask(t *testing.T, at toolsmith.Listening, method, path, body string) (int, map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, at.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+at.Token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var out map[string]any
	if err := json.NewDecoder(response.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, out
}

// TestListen answers programs over HTTP, which call the tools of this one and supply theirs.
func TestListen(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r, ctx := opened(t, folder, shout()), t.Context()
	at, stop := listening(t, r)
	if status, got := ask(t, at, "POST", "/v1/tools/shout/call", `{"word": "milk"}`); status != 200 || got["value"] != "MILK" {
		t.Errorf("a call gives %d %v", status, got)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "server.json")); err != nil || !strings.Contains(string(text), at.Token) || !strings.HasPrefix(at.Page, at.URL+"/docs?token=") {
		t.Errorf("%s, %v; the page is at %s", text, err, at.Page)
	}
	c, err := client.Connect(ctx, at.URL, client.Options{Name: "desk", Token: at.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Register(ctx, tool.MustNew(tool.Spec{Name: "whisper", Description: "Says it softly."}, func(_ *tool.Context, in word) (string, error) { return strings.ToLower(in.Word), nil })); err != nil {
		t.Fatal(err)
	}
	if result, err := c.Call(ctx, "shout", word{"tea"}); err != nil || string(result.Value) != `"TEA"` {
		t.Errorf("%+v, %v", result, err)
	}
	for _, power := range []tool.Power{tool.Read, tool.Write, tool.Outbound} {
		if err := r.Permit(ctx, power, "allow"); err != nil {
			t.Fatal(err)
		}
	}
	if result, err := r.Call(ctx, "whisper", word{"TEA"}); err != nil || string(result.Value) != `"tea"` {
		t.Errorf("%+v, %v", result, err)
	}
	for name, c := range map[string]struct {
		options toolsmith.ListenOptions
		says    string
	}{
		"twice":          {toolsmith.ListenOptions{Address: "127.0.0.1:0"}, "listens already"},
		"its own port":   {toolsmith.ListenOptions{Address: strings.TrimPrefix(at.URL, "http://")}, "is in use"},
		"nowhere":        {toolsmith.ListenOptions{Address: "nowhere"}, `"nowhere" is no address with a port`},
		"beyond":         {toolsmith.ListenOptions{Address: "0.0.0.0:0"}, "BehindProxy"},
		"of another one": {toolsmith.ListenOptions{Address: "192.0.2.1:0", BehindProxy: true}, "Nobody can listen on"},
	} {
		if err := r.Listen(ctx, c.options); tool.Code(err) != "SERVE_FAILED" || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "server.json")); !os.IsNotExist(err) {
		t.Errorf("the file is left: %v", err)
	}
	if result, err := r.Call(ctx, "whisper", word{"TEA"}); err != nil || result.Err == nil || result.Err.Code != "PORT_CLOSED" {
		t.Errorf("without a port: %+v, %v", result, err)
	}
	again, stop := listening(t, r) // which it may
	if again.Token == at.Token {
		t.Error("the token is that of the time before")
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
