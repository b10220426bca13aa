package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// command runs the command over a data folder, without a terminal.
func command(t *testing.T, data string, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	exit = run(t.Context(), append([]string{"--data", data}, args...), strings.NewReader(""), &out, &errOut)
	return exit, out.String(), errOut.String()
}

// chained runs a chain and gives its run's id.
func chained(t *testing.T, data, chain string, wantExit int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "chain.json")
	if err := os.WriteFile(file, []byte(chain), 0o600); err != nil {
		t.Fatal(err)
	}
	exit, stdout, stderr := command(t, data, "run", "--chain", file, "--yes", "--json")
	var out struct {
		Run string `json:"run"`
	}
	if err := json.Unmarshal([]byte(stdout), &out); err != nil || exit != wantExit {
		t.Fatalf("exit %d: %v\n%s%s", exit, err, stdout, stderr)
	}
	return out.Run
}

// changing is what differs from run to run: ids and times.
var changing = regexp.MustCompile(`[0-9A-Z]{26}|(<1|\d+) ms|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// treeChain has something of everything: branches, steps, a failure, a skipped call.
const treeChain = `[
  [{"role": "user", "content": {"type": "message", "data": "go\u001b[31m"}},
   {"content": {"type": "tool", "data": {"name": "map", "arguments": {"tool": "list", "as": "items", "items": [[1], [2]]}}}}],
  [{"content": {"type": "tool", "data": {"name": "notes.delete", "arguments": {"id": "01AAAAAAAAAAAAAAAAAAAAAAAA"}}}},
   {"content": {"type": "tool", "data": {"name": "notes.list", "arguments": {}}}}]
]`

func TestTree(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	id := chained(t, data, treeChain, exitFailed)

	_, tree, _ := command(t, data, "tree", id[:12])
	want := strings.ReplaceAll(`ID  map  failed  TIME  FORGE_CAPABILITY_FAILED
├─ branch 1
│  ├─ message "go\\u001b[31m"
│  └─ ✓ map {"as":"items","items":[[1],[2]],"tool":"lis… TIME
│     ├─ branch 1
│     │  └─ ✓ list {"items":[1]} TIME → [1]
│     └─ branch 2
│        └─ ✓ list {"items":[2]} TIME → [2]
└─ branch 2
   ├─ ✗ notes.delete {"id":"ID"} TIME  FORGE_CAPABILITY_FAILED  There is no note with the id "ID".
   └─ - notes.list {} skipped, a task before it failed
`, `\\u`, `\u`)
	if diff := cmp.Diff(want, blurred(tree)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	_, mermaid, _ := command(t, data, "tree", id, "--mermaid")
	for _, want := range []string{"flowchart TD\n", "run -.-> t0", "t0 --> t1", `["map: done"]`, `["notes.list: skipped"]`} {
		if !strings.Contains(mermaid, want) {
			t.Errorf("the graph lacks %q:\n%s", want, mermaid)
		}
	}
	if strings.Contains(mermaid, "\x1b") {
		t.Error("the graph has a control character")
	}
	_, text, _ := command(t, data, "tree", id, "--json")
	var out struct {
		Run   struct{ ID, Status string }
		Tasks []struct {
			ID, Role  string
			PriorID   *string
			ParentID  *string
			Content   struct{ Type string }
			Execution *struct{ State string }
		}
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil || out.Run.ID != id || out.Run.Status != "failed" || len(out.Tasks) != 9 {
		t.Fatalf("%v: %+v", err, out)
	}
	if first, second := out.Tasks[0], out.Tasks[1]; *second.PriorID != first.ID || first.PriorID != nil || second.Execution.State != "done" || first.Execution != nil {
		t.Errorf("tasks %+v %+v", first, second)
	}
	if exit, stdout, _ := command(t, data, "tree", id, "--mermaid", "--json"); exit != exitUsage || !strings.Contains(stdout, "--mermaid cannot be combined") {
		t.Errorf("exit %d, %s", exit, stdout)
	}
	if exit, followed, _ := command(t, data, "tree", id, "--follow"); exit != exitDone || blurred(followed) != want {
		t.Errorf("followed: exit %d\n%s", exit, followed)
	}
	if exit, _, stderr := command(t, data, "cancel", id); exit != exitFailed || !strings.Contains(stderr, "RUN_SETTLED") {
		t.Errorf("cancelling what is over: exit %d, %s", exit, stderr)
	}
	if exit, _, stderr := command(t, data, "resume", id); exit != exitFailed || !strings.Contains(stderr, "RUN_SETTLED") {
		t.Errorf("resuming what is over: exit %d, %s", exit, stderr)
	}
}

// blurred writes over what differs from run to run.
func blurred(text string) string {
	return changing.ReplaceAllStringFunc(text, func(s string) string {
		if len(s) == 26 {
			return "ID"
		}
		return "TIME"
	})
}

// TestTreeOfAFlow shows its steps apart from its result.
func TestTreeOfAFlow(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	exit, stdout, stderr := command(t, data, "run", "../../examples/friday-review.talostool", "--yes", "--json")
	var out struct {
		Run string `json:"run"`
	}
	if err := json.Unmarshal([]byte(stdout), &out); err != nil || exit != exitDone {
		t.Fatalf("exit %d: %v, %s", exit, err, stderr)
	}
	_, tree, _ := command(t, data, "tree", out.Run)
	for _, want := range []string{"├─ steps\n", "✓ finished tasks.list", "✓ write notes.create", "└─ result\n", "toolresult {\"doing\":0"} {
		if !strings.Contains(tree, want) {
			t.Errorf("the tree lacks %q:\n%s", want, tree)
		}
	}
	if _, whole, _ := command(t, data, "tree", out.Run, "--whole"); len(whole) <= len(tree) || strings.Contains(whole, "…") {
		t.Errorf("the whole tree:\n%s", whole)
	}
}
