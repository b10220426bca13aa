package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
)

// spoof is what a text tries to put on a line of its own, where it would pass for a word of
// the program.
const spoof = "SPOOFED"

// hostile is a text with everything in it that must not reach a terminal; hostileName is one
// that may be the name of a file.
const (
	hostileName = "a\x1b[2Kb\rc\u202ed\u200be\U000e0041f\u3164g\u2800h\u009b2Ji\u061c\u2066j\x7fk\u2028l\n" + spoof
	hostile     = hostileName + " \x1b]8;;http://evil\x07click\x1b]52;c;ZXZpbA==\x1b\\"
)

// house is a data folder in which everything is called like that.
type house struct {
	t         *testing.T
	dir, data string
	used      []string
}

// run runs a command for a person and for a program, and looks at all that it writes. It
// gives standard output of the two.
func (h *house) run(args ...string) (plain, asJSON string) {
	h.t.Helper()
	for _, more := range [][]string{nil, {"--json"}} {
		var out, errOut bytes.Buffer
		all := append(append([]string{"--data", h.data}, args...), more...)
		run(h.t.Context(), all, strings.NewReader(hostile), &out, &errOut)
		for where, text := range map[string]string{"output": out.String(), "error output": errOut.String()} {
			if r, at, ok := visible.Unseen(text); ok {
				h.t.Errorf("%q: U+%04X is at %d of standard %s: %q", all, r, at, where, text)
			}
			if strings.HasPrefix(text, spoof) || strings.Contains(text, "\n"+spoof) && !slices.Contains(args, "show") {
				h.t.Errorf("%q: a text begins a line of standard %s: %q", all, where, text)
			}
		}
		if more != nil {
			if asJSON = out.String(); out.Len() > 0 && !slices.Contains([]string{"__complete", "completion", "help"}, args[0]) && !json.Valid(out.Bytes()) {
				h.t.Errorf("%q: no JSON: %s", all, asJSON)
			}
			continue
		}
		plain = out.String()
	}
	if command, _, err := newApp(nil, &out{}, &out{}).command().Find(args); err == nil {
		h.used = append(h.used, command.CommandPath())
	}
	return plain, asJSON
}

// out takes what nobody reads.
type out struct{}

func (*out) Write(b []byte) (int, error) { return len(b), nil }

// file writes a file of the house, and gives its path.
func (h *house) file(name, text string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// manifestOf writes a tool in which every text is the one that is given, where it may be one.
func manifestOf(id string, version int, text string) string {
	quoted := value.JSON(text)
	return strings.NewReplacer("ID", id, "VERSION", value.JSON(value.Int(version)), "TEXT", quoted).Replace(`{
  "schema": "talos.local-tool.v1", "id": "ID", "version": VERSION, "title": TEXT, "description": TEXT,
  "createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
  "network": {"mode": "forbidden", "domains": []}, "credentialRequirements": [],
  "inputSchema": {"type": "object", "properties": {"text": {"type": "string", "description": TEXT}, TEXT: {"title": TEXT, "enum": [TEXT]}}},
  "ui": {"kind": "summary", "title": TEXT, "primaryRef": "$.input.text", "detailRefs": ["$.output.text", "$.output"]},
  "flow": {"entry": "keep", "maxTransitions": 8, "nodes": [
    {"id": "keep", "type": "capability", "capability": "notes.create", "input": {"title": {"$ref": "$.input.text"}, "content": DATA}, "target": "$.note", "next": "odd"},
    {"id": "odd", "type": "if", "condition": {"left": {"$ref": "$.input.fail"}, "op": "exists"}, "then": "bad", "else": "done"},
    {"id": "bad", "type": "fail", "code": "NOPE", "message": TEXT},
    {"id": "done", "type": "return", "value": {"text": {"$ref": "$.input.text"}, DATA: DATA, "note": {"$ref": "$.note"}}}
  ]}
}`)
}

// harmless is manifestOf with texts that may be installed, and hostile data in its steps.
func harmless(id string, version int) string {
	return strings.ReplaceAll(manifestOf(id, version, "Fine"), "DATA", value.JSON(hostile))
}

// TestHostile puts hostile texts wherever one can come from, and looks at everything that
// the commands write.
func TestHostile(t *testing.T) {
	t.Parallel()
	h := &house{t: t, dir: t.TempDir(), data: t.TempDir()}
	h.files()
	h.keptTools()
	h.tools()
	h.records()
	h.runs()
	h.completions()
	h.everyFlag()

	root := newApp(nil, &out{}, &out{}).command()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if !cmd.HasSubCommands() && !slices.Contains(h.used, cmd.CommandPath()) {
			t.Errorf("%s has not been tried", cmd.CommandPath())
		}
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	visit(root)
}

// files checks, tries, runs and installs files that are hostile as a whole, or no manifests.
func (h *house) files() {
	texts := map[string]string{
		"bad.talostool": strings.ReplaceAll(manifestOf("evil", 1, hostile), "DATA", value.JSON(hostile)), "raw.talostool": hostile, "key.talostool": `{` + value.JSON(hostile) + `: 1}`,
		"id.talostool": strings.ReplaceAll(strings.ReplaceAll(manifestOf("evil", 1, "Fine"), `"evil"`, value.JSON(hostile)), "DATA", "1"),
	}
	if runtime.GOOS != "windows" {
		texts[hostileName+".talostool"] = harmless("named", 1)
		texts[hostileName+".ts"] = ""
	}
	for name, text := range texts {
		path := h.file(name, text)
		h.run("check", path)
		h.run("check", "--cases", path)
		h.run("try", path)
		h.run("run", path, "--yes", "--input", `{"text": `+value.JSON(hostile)+`}`)
		h.run("run", path)
		h.run("install", path)
	}
	good := h.file("cases.talostool", harmless("cases", 1))
	for _, cases := range []string{hostile, `[{"name": ` + value.JSON(hostile) + `, "input": {}, "expect": {"status": "succeeded", "output": ` + value.JSON(hostile) + `}}]`} {
		h.file("cases.cases.json", cases)
		h.run("check", "--cases", good)
		h.run("install", good)
	}
	h.run("check", hostile)
	h.run("try", good, "--script", h.file("script", hostile))
	h.run("try", good, "--script", h.file("script", `{`+value.JSON(hostile)+`: 1}`))
	h.run("version")
	h.run("help", hostile)
	h.run("capabilities", hostile)
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		if script, _ := h.run("completion", shell); strings.Contains(script, "⟨U+") {
			h.t.Errorf("the script for %s has been changed on its way", shell)
		}
	}
}

// keptTools looks at tools that an earlier version let in: the store has them, whatever the
// check says of them now.
func (h *house) keptTools() {
	ctx := h.t.Context()
	s, err := sqlite.Open(ctx, h.data)
	if err != nil {
		h.t.Fatal(err)
	}
	at := time.Date(2026, 11, 27, 16, 0, 0, 0, time.UTC)
	err = s.Write(ctx, func(tx store.Tx) error {
		r := &registry.Registry{Store: tx.Registry(), Now: func() time.Time { return at }, Who: hostile}
		for version := range int64(2) {
			text := strings.ReplaceAll(manifestOf("kept", int(version+1), hostile), "DATA", value.JSON(hostile))
			if err := r.PutVersion(ctx, registry.Version{ToolID: "kept", Version: version + 1, Text: []byte(text), Digest: strings.Repeat("0", 64), InstalledAt: at, InstalledBy: hostile}); err != nil {
				return err
			}
		}
		if err := r.PutTool(ctx, registry.Tool{ID: "kept", Active: 2, NameKey: "kept", ChangedAt: at}); err != nil {
			return err
		}
		return r.Note(ctx, registry.ActionInstall, "kept", 2, hostile)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		h.t.Fatal(err)
	}
	for _, args := range [][]string{
		{"tools"}, {"tools", "kept"}, {"versions", "kept"}, {"diff", "kept"}, {"diff", "kept", "1", "2"}, {"audit"}, {"audit", "kept"}, {"enable", "kept"}, {"disable", "kept"},
		{"run", "kept", "--yes"}, {"try", "kept"}, {"export", "kept", "--output", filepath.Join(h.dir, "exported")}, {"rollback", "kept"}, {"remove", "kept"},
	} {
		h.run(args...)
	}
}

// tools keeps a tool that is fine but for the data that it works with.
func (h *house) tools() {
	h.run("install", h.file("fine.talostool", harmless("fine", 1)))
	h.run("install", h.file("fine2.talostool", harmless("fine", 2)))
	h.run("enable", "fine")
	input := `{"text": ` + value.JSON(hostile) + `}`
	for _, args := range [][]string{
		{"tools", "fine"}, {"diff", "fine"}, {"try", "fine", "--input", input}, {"run", "fine", "--input", input, "--yes"}, {"run", "fine", "--input", input},
		{"run", "fine", "--yes", "--input", `{"text": "x", "fail": 1}`}, {"run", "fine", "--yes", "--input", `{` + value.JSON(hostile) + `: 1}`},
		{"run", "fine", "--input", hostile}, {"run", "fine", "--input", "-"}, {"run", "fine", "--input", "@" + hostile},
	} {
		h.run(args...)
	}
}

// records works with notes, tasks and memories.
func (h *house) records() {
	for _, kind := range []string{"notes", "tasks", "memory"} {
		_, made := h.run("data", kind, "add", hostile, "--"+map[string]string{"notes": "content", "tasks": "description", "memory": "content"}[kind], hostile)
		var record map[string]struct{ ID, Title, Content, Description string }
		if err := json.Unmarshal([]byte(made), &record); err != nil {
			h.t.Fatalf("%v: %s", err, made)
		}
		for _, one := range record {
			if one.Title != hostile || one.Content+one.Description != hostile {
				h.t.Errorf("the JSON of %s is not what it was made from: %q", kind, one)
			}
			h.run("data", kind, "show", one.ID)
			h.run("data", kind, "edit", one.ID, "--title", hostile+"!")
			h.run("data", kind, "undo", one.ID)
			for _, status := range map[string][]string{"tasks": taskStatuses(), "memory": {"archive"}}[kind] {
				h.run("data", kind, status, one.ID)
			}
			h.run("data", kind, "delete", one.ID)
			h.run("data", kind, "undo", one.ID)
		}
		h.run("data", kind)
		h.run("data", kind, "list", "--query", hostile)
		h.run("data", kind, "search", hostile)
	}
}

// runs carries chains out and looks at them.
func (h *house) runs() {
	text := value.JSON(hostile)
	chains := []string{
		`[{"role": "user", "content": {"type": "message", "data": ` + text + `}}, {"content": {"type": "tool", "data": {"name": "notes.create", "arguments": {"title": ` + text + `, "content": ` + text + `}}}}]`,
		`[{"content": {"type": "tool", "data": {"name": "notes.update", "arguments": {"id": ` + text + `, "title": "x"}}}}]`,
		`[{"content": {"type": "tool", "data": {"name": ` + text + `, "arguments": {}}}}]`,
		`[{"content": {"type": "tool", "data": {"name": "notes.create", "arguments": {` + text + `: 1}}}}]`,
		`[{"content": {"type": "error", "data": {"code": ` + text + `, "message": ` + text + `}}}]`,
		`[{"content": {"type": ` + text + `, ` + text + `: 1}}]`, hostile,
	}
	for i, chain := range chains {
		file := h.file("chain.json", chain)
		h.run("run", "--chain", file, "--title", hostile, "--yes", "--key", hostile+string(rune('a'+i)))
		h.run("run", "--chain", file, "--title", hostile)
		h.run("run", "--chain", file, "--entry", hostile, "--yes")
	}
	_, list := h.run("runs", "--limit", "100")
	var found struct{ Runs []struct{ ID, Tool string } }
	if err := json.Unmarshal([]byte(list), &found); err != nil || len(found.Runs) < 4 {
		h.t.Fatalf("%v: %s", err, list)
	}
	if !slices.ContainsFunc(found.Runs, func(r struct{ ID, Tool string }) bool { return r.Tool == hostile }) {
		h.t.Errorf("no run has the title that it was given: %s", list)
	}
	for _, one := range found.Runs {
		for _, args := range [][]string{{"tree", one.ID}, {"tree", one.ID, "--whole"}, {"tree", one.ID, "--follow"}, {"cancel", one.ID}, {"resume", one.ID}, {"run", "--again", one.ID}} {
			h.run(args...)
		}
	}
	h.run("tree", found.Runs[0].ID, "--mermaid")
	h.run("run", "--again", found.Runs[len(found.Runs)-1].ID, "--yes")
	h.run("run", "--again", found.Runs[0].ID, "--from", hostile, "--yes")
	h.run("resume")
}

// completions asks what a shell would offer.
func (h *house) completions() {
	for _, args := range [][]string{{"tree", ""}, {"run", "dyn"}, {"tools", ""}, {"data", "notes", "show", ""}, {"data", "tasks", "show", ""}, {hostile, ""}, {"data", hostile}} {
		h.run(append([]string{"__complete"}, args...)...)
	}
}

// everyFlag gives every command arguments and flags that it does not know or understand.
func (h *house) everyFlag() {
	h.run(hostile)
	h.run("--" + hostile)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		h.run(append(path, "--"+hostile)...)
		h.run(append(path, hostile, hostile, hostile, hostile)...)
		cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
			h.run(append(path, hostile, "--"+flag.Name+"="+hostile)...)
		})
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	for _, cmd := range newApp(nil, &out{}, &out{}).command().Commands() {
		visit(cmd)
	}
}

// TestHostileLog: what is private to the log is looked at in the same terminal.
func TestHostileLog(t *testing.T) {
	t.Parallel()
	var errOut bytes.Buffer
	newApp(nil, &out{}, &errOut).log().Error(hostile, hostile, hostile)
	if text := errOut.String(); strings.Count(text, spoof) != 3 || strings.Contains(text, "\n"+spoof) {
		t.Errorf("the log: %q", text)
	} else if r, at, ok := visible.Unseen(text); ok {
		t.Errorf("U+%04X is at %d of the log: %q", r, at, text)
	}
}

// TestExportIsExact: a file comes back byte for byte, whatever is in it, where no terminal
// would show it.
func TestExportIsExact(t *testing.T) {
	t.Parallel()
	h := &house{t: t, dir: t.TempDir(), data: t.TempDir()}
	// Written as themselves, where JSON allows it.
	text := strings.NewReplacer(`\u202e`, "\u202e", `\u200b`, "\u200b").Replace(harmless("exact", 1))
	if exit, _, errOut := command(t, h.data, "install", h.file("exact.talostool", text)); exit != exitDone {
		t.Fatal(errOut)
	}
	if _, out, _ := command(t, h.data, "export", "exact"); out != text {
		t.Errorf("exported %q, want %q", out, text)
	}
}

// TestStyledWidths: colours take no columns, wide characters two.
func TestStyledWidths(t *testing.T) {
	t.Parallel()
	s := style{colour: true, unicode: true}
	for text, want := range map[string]int{s.bold("RUN"): 3, s.bad("日本") + s.faint("x"): 5, "⟨U+202E⟩": 8, "": 0, "👩\u200d🚀": 2} {
		if got := width(text); got != want {
			t.Errorf("%q is %d columns wide, want %d", text, got, want)
		}
	}
	got := table("", [][]string{{s.bold("A"), s.bold("B")}, {"日本", "x"}, {visible.Line("\u202e"), "y"}})
	want := s.bold("A") + "         " + s.bold("B") + "\n日本      x\n⟨U+202E⟩  y"
	if got != want {
		t.Errorf("table:\n%s\nwant:\n%s", got, want)
	}
}
