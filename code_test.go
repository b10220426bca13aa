package toolsmith_test

import (
	"encoding/json"
	"os"
	"testing"

	"toolsmith"
	"toolsmith/internal/compile/bundle"
)

// TestMain lets this program be the one that translates code.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == bundle.ChildArgument {
		os.Exit(bundle.Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// TestCode is installed over HTTP, and called by the program like every tool.
func TestCode(t *testing.T) {
	t.Parallel()
	body, _ := json.Marshal(map[string]string{"file": "shout.ts", "text": `import { createTool } from 'toolsmith'
createTool({
  name: 'shout', description: 'Writes a text in capitals.', parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  function({ text }: { text: string }) { return text.toUpperCase() },
})`})
	folder := t.TempDir()
	r, err := toolsmith.Open(t.Context(), toolsmith.Options{Data: folder, Bundler: []string{os.Args[0]}})
	if err != nil {
		t.Fatal(err)
	}
	at, stop := listening(t, r)
	if status, got := ask(t, at, "POST", "/v1/forge/tools", string(body)); status != 200 || got["installed"] != true {
		t.Fatalf("an install gives %d %v", status, got)
	}
	if status, got := ask(t, at, "POST", "/v1/forge/tools/shout/enable", ""); status != 200 {
		t.Fatalf("turning it on gives %d %v", status, got)
	}
	if result, err := r.Call(t.Context(), "shout", map[string]any{"text": "milk"}); err != nil || string(result.Value) != `"MILK"` {
		t.Errorf("a call gives %+v, %v", result, err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}

	// What is installed runs where nothing translates; what is not cannot be.
	without, err := toolsmith.Open(t.Context(), toolsmith.Options{Data: folder, Bundler: []string{"./no-such-program", "and", "arguments"}})
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	if result, err := without.Call(t.Context(), "shout", map[string]any{"text": "tea"}); err != nil || string(result.Value) != `"TEA"` {
		t.Errorf("a call gives %+v, %v", result, err)
	}
	at, stop = listening(t, without)
	if status, got := ask(t, at, "POST", "/v1/forge/check", string(body)); status != 503 || got["code"] != "SCRIPT_UNAVAILABLE" {
		t.Errorf("a check gives %d %v", status, got)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
