package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tasksOf gives the ids of the tasks of a run, by their tool or type.
func tasksOf(t *testing.T, data, run string) map[string]string {
	t.Helper()
	_, text, _ := command(t, data, "tree", run, "--json")
	var out struct {
		Tasks []struct {
			ID      string
			Content struct {
				Type string
				Data json.RawMessage
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, one := range out.Tasks {
		var call struct{ Name string }
		if one.Content.Type == "tool" && json.Unmarshal(one.Content.Data, &call) == nil {
			ids[call.Name] = one.ID
		}
	}
	return ids
}

// notesIn counts the notes.
func notesIn(t *testing.T, data string) int {
	t.Helper()
	_, text, _ := command(t, data, "data", "notes", "--json")
	return strings.Count(text, `"id":`)
}

// TestRunAgainFromAStep uses what was recorded before it, and says what will be made again.
func TestRunAgainFromAStep(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	_, stdout, _ := command(t, data, "run", "../../examples/friday-review.talostool", "--yes", "--json")
	var first struct {
		Run string `json:"run"`
	}
	if err := json.Unmarshal([]byte(stdout), &first); err != nil {
		t.Fatal(err)
	}
	if exit, _, stderr := command(t, data, "data", "tasks", "add", "New"); exit != exitDone {
		t.Fatal(stderr)
	}

	exit, stdout, stderr := command(t, data, "run", "--again", first.Run, "--from", "write", "--yes")
	if exit != exitDone || !strings.Contains(stderr, "3 recorded steps are used") || !strings.Contains(stderr, "  write  notes.create") {
		t.Errorf("exit %d\n%s", exit, stderr)
	}
	if !strings.Contains(stdout, `"open": 0`) || notesIn(t, data) != 2 {
		t.Errorf("%d notes; it says %s", notesIn(t, data), stdout)
	}
	// All of it sees the new task.
	exit, stdout, stderr = command(t, data, "run", "--again", first.Run, "--yes")
	if exit != exitDone || !strings.Contains(stdout, `"open": 1`) || notesIn(t, data) != 3 || strings.Contains(stderr, "recorded") {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
	for _, c := range []struct {
		args []string
		exit int
		says string
	}{
		{[]string{"--again", first.Run, "--from", "nowhere", "--yes"}, exitNotFound, "TASK_NOT_FOUND"},
		{[]string{"--again", "NOBODY", "--yes"}, exitNotFound, "RUN_NOT_FOUND"},
		{[]string{"--again", first.Run}, exitDenied, "CONSENT_DENIED"},
		{[]string{"--again", first.Run, "--key", "x"}, exitUsage, "--from and --yes alone"},
		{[]string{"--from", "x"}, exitUsage, "goes with --again"},
	} {
		if exit, _, stderr := command(t, data, append([]string{"run"}, c.args...)...); exit != c.exit || !strings.Contains(stderr, c.says) {
			t.Errorf("%q: exit %d, %s", c.args, exit, stderr)
		}
	}
}

// TestRunAgainFromATask takes what the task before it came to from the first run.
func TestRunAgainFromATask(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	run := chained(t, data, `[
	  {"content": {"type": "tool", "data": {"name": "notes.create", "arguments": {"title": "one", "content": "x"}}}},
	  {"content": {"type": "tool", "data": {"name": "notes.update", "arguments": {"id": {"$ref": "$previous.id"}, "title": "two"}}}},
	  {"content": {"type": "tool", "data": {"name": "list", "arguments": {"items": [{"$ref": "$previous.title"}]}}}}]`, exitDone)
	ids := tasksOf(t, data, run)

	exit, stdout, stderr := command(t, data, "run", "--again", run, "--from", ids["notes.update"], "--yes")
	if exit != exitDone || !strings.Contains(stdout, `"two"`) || notesIn(t, data) != 1 || strings.Contains(stderr, "notes.create") || !strings.Contains(stderr, "notes.update") {
		t.Errorf("exit %d, %d notes: %s%s", exit, notesIn(t, data), stdout, stderr)
	}
	exit, stdout, stderr = command(t, data, "run", "--again", run, "--from", ids["list"][:12], "--yes")
	if exit != exitDone || !strings.Contains(stdout, `"two"`) || !strings.Contains(stderr, "changed nothing in this part") {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
}

// TestRunAgainWhatIsNotOver is refused.
func TestRunAgainWhatIsNotOver(t *testing.T) {
	t.Parallel()
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "chain.json")
	chain := `{"content": {"type": "tool", "data": {"name": "wait", "arguments": {"seconds": 3600}}}}`
	if err := os.WriteFile(file, []byte(chain), 0o600); err != nil {
		t.Fatal(err)
	}
	path := buildCommand(t)
	for !ended(t, instant(400_000_000), path, data, "run", "--chain", file, "--yes") {
		_, text, _ := command(t, data, "runs", "--json")
		var out struct {
			Runs []struct{ ID string }
		}
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		if len(out.Runs) == 0 {
			continue // it was killed before the run was kept
		}
		exit, _, stderr := command(t, data, "run", "--again", out.Runs[0].ID, "--yes")
		if exit != exitFailed || !strings.Contains(stderr, "RUN_UNSETTLED") || !strings.Contains(stderr, "toolsmith resume") {
			t.Errorf("exit %d, %s", exit, stderr)
		}
		return
	}
}

// TestBothEnds: what stands at the end of a long argument is seen before it is said yes to.
func TestBothEnds(t *testing.T) {
	t.Parallel()
	const end = "; and this is what matters"
	for text, want := range map[string]string{
		"short\x1b":                        "short⟨U+001B⟩",
		strings.Repeat("x", 100):           strings.Repeat("x", 100),
		strings.Repeat("y", 200_000) + end: strings.Repeat("y", 60) + " … " + strings.Repeat("y", 40-len(end)) + end,
	} {
		if got := bothEnds(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
