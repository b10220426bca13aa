package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolsmith/client"
	"toolsmith/tool"
)

type loud struct {
	Text string `json:"text"`
}

// TestToolsOfOtherPrograms are listed, shown and called by commands while a server holds the data
// folder, since that does the commands.
func TestToolsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	h := hold(t, buildCommand(t), t.TempDir())
	do := func(exit int, args ...string) string {
		t.Helper()
		cmd := h.command(t, args...)
		text, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != exit {
			t.Fatalf("%q ends with %v: %s", args, err, text)
		}
		return string(text)
	}
	if text := do(exitDone, "tools"); strings.Contains(text, "From other programs") {
		t.Errorf("nobody supplies tools, and %s", text)
	}
	c, err := client.Connect(t.Context(), h.known.URL, client.Options{Name: "editor", Token: h.known.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	shout := tool.MustNew(tool.Spec{Name: "shout", Title: "Shout", Description: "Says it loudly.", ReadOnly: true, Idempotent: true}, func(_ *tool.Context, in loud) (string, error) {
		return strings.ToUpper(in.Text), nil
	})
	if err := c.Register(t.Context(), shout); err != nil {
		t.Fatal(err)
	}
	if text := do(exitDone, "tools"); !strings.Contains(text, "From other programs:\nTOOL   PORT  RISK  POWERS") || !strings.Contains(text, "shout  open  R3") {
		t.Errorf("they are listed as %s", text)
	}
	text := do(exitDone, "tools", "shout")
	for _, want := range []string{"risk       R3", "The author says:\n  | Says it loudly.", "port          open", "it says       it only reads, it may be repeated, which nobody has looked into"} {
		if !strings.Contains(text, want) {
			t.Errorf("it is shown without %q: %s", want, text)
		}
	}
	var one struct {
		Tool struct {
			Name, Program, Risk string
			Open                bool
			Hints               struct{ ReadOnly, Idempotent bool }
		}
	}
	if err := json.Unmarshal([]byte(do(exitDone, "tools", "shout", "--json")), &one); err != nil || one.Tool.Name != "shout" || one.Tool.Program != "editor" || one.Tool.Risk != "R3" || !one.Tool.Open || !one.Tool.Hints.ReadOnly || !one.Tool.Hints.Idempotent {
		t.Errorf("%+v, %v", one, err)
	}
	for _, power := range []string{"read", "write", "outbound"} {
		do(exitDone, "settings", "set", power, "allow")
	}
	chain := filepath.Join(t.TempDir(), "chain.json")
	if err := os.WriteFile(chain, []byte(`{"role": "tool", "content": {"type": "tool", "data": {"name": "shout", "arguments": {"text": "milk"}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := do(exitDone, "run", "--chain", chain, "--yes"); !strings.Contains(text, "MILK") {
		t.Errorf("a chain with it gives %s", text)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for text := ""; !strings.Contains(text, "shout  closed  R3"); { // a moment later
		text = do(exitDone, "tools")
	}
	var list struct{ Supplied []struct{ Open bool } }
	if err := json.Unmarshal([]byte(do(exitDone, "tools", "--json")), &list); err != nil || len(list.Supplied) != 1 || list.Supplied[0].Open {
		t.Errorf("%+v, %v", list, err)
	}
	if text := do(exitFailed, "run", "--chain", chain, "--yes"); !strings.Contains(text, "PORT_CLOSED") {
		t.Errorf("a chain with one that is closed gives %s", text)
	}
}
