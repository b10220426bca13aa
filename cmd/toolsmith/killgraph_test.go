package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/local"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/task"
)

// graphKills is how often a run of a graph is killed.
const graphKills = 200

// The tools of the killed graph: one that loops and keeps a state, and one that takes back
// what it did.
const (
	loopTool = `{
  "schema": "talos.local-tool.v1", "id": "killed-loop", "version": 1, "title": "Loop", "description": "Writes notes in a loop.",
  "createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
  "network": {"mode": "forbidden", "domains": []}, "credentialRequirements": [],
  "state": {"schemaVersion": 1, "maxBytes": 1024, "fields": {"last": {"type": "string"}}},
  "flow": {"entry": "loop", "maxTransitions": 8, "nodes": [
    {"id": "loop", "type": "foreach", "source": [1, 2, 3], "itemVar": "it", "maxItems": 6, "body": [
      {"type": "capability", "capability": "notes.create", "input": {"title": {"$ref": "$.input.title"}, "content": "in a loop"}, "target": "$.note"}
    ], "next": "keep"},
    {"id": "keep", "type": "set", "target": "$.state.last", "value": {"$ref": "$.input.title"}, "next": "done"},
    {"id": "done", "type": "return", "value": {"$ref": "$.state.last"}}
  ]}
}`
	undoTool = `{
  "schema": "talos.local-tool.v1", "id": "killed-undo", "version": 1, "title": "Undo", "description": "Writes two notes and takes them back.",
  "createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
  "network": {"mode": "forbidden", "domains": []}, "credentialRequirements": [],
  "flow": {"entry": "one", "maxTransitions": 8, "nodes": [
    {"id": "one", "type": "capability", "capability": "notes.create", "input": {"title": {"$ref": "$.input.title"}, "content": "one"}, "target": "$.one",
     "compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.one.id"}}}, "next": "two"},
    {"id": "two", "type": "capability", "capability": "notes.create", "input": {"title": {"$ref": "$.input.title"}, "content": "two"}, "target": "$.two",
     "compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.two.id"}}}, "next": "stop"},
    {"id": "stop", "type": "fail", "code": "ON_PURPOSE", "message": "Take it back."}
  ]}
}`
)

// graphChain is a run with calls one after the other, side by side, in a loop, and one that
// takes back what it did. %[1]s is what its records are called after.
const graphChain = `[
  [{"content": {"type": "tool", "data": {"name": "notes.create", "arguments": {"title": "%[1]s one", "content": "x"}}}},
   {"content": {"type": "tool", "data": {"name": "notes.create", "arguments": {"title": "%[1]s two", "content": {"$ref": "$previous.title"}}}}},
   {"content": {"type": "tool", "data": {"name": "dynamic:killed-loop", "arguments": {"title": "%[1]s loop"}}}}],
  [{"content": {"type": "tool", "data": {"name": "map", "arguments": {"tool": "notes.create", "as": "title", "arguments": {"content": "x"},
    "items": ["%[1]s a", "%[1]s b", "%[1]s c", "%[1]s d"]}}}}],
  [{"content": {"type": "tool", "data": {"name": "dynamic:killed-undo", "arguments": {"title": "%[1]s undone"}}}}]
]`

// wantNotes are the records of one run of graphChain, and how often each is there.
func wantNotes(name string) map[string]int {
	return map[string]int{
		name + " one": 1, name + " two": 1, name + " loop": 3, name + " a": 1, name + " b": 1, name + " c": 1, name + " d": 1,
	}
}

// TestKilledGraph kills runs at random instants, and the processes that take them up, until
// they are over. Each effect has happened exactly once, nothing is left running, and no
// task is lost.
func TestKilledGraph(t *testing.T) {
	t.Parallel()
	path, data := buildCommand(t), t.TempDir()
	for _, text := range []string{loopTool, undoTool} {
		file := filepath.Join(t.TempDir(), "tool.talostool")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		mustRun(t, path, data, "install", file)
	}
	mustRun(t, path, data, "enable", "killed-loop")
	mustRun(t, path, data, "enable", "killed-undo")
	chain := func(name string) string {
		file := filepath.Join(t.TempDir(), name+".json")
		if err := os.WriteFile(file, fmt.Appendf(nil, graphChain, name), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	begin := func(name, file string) []string {
		return []string{"run", "--chain", file, "--yes", "--key", name, "--title", name}
	}
	began := time.Now()
	ended(t, time.Minute, path, data, begin("whole", chain("whole"))...)
	took := time.Since(began)
	requireGraph(t, data, "whole")
	hits := 0
	for round := 0; hits < graphKills; round++ {
		name := fmt.Sprintf("round %d", round)
		file := chain(name)
		for !ended(t, instant(took), path, data, begin(name, file)...) {
			hits++
			took += took / 20
		}
		// How busy the machine is changes, and kills have to hit at any time: about two of three.
		took -= took / 10
		requireGraph(t, data, name)
	}
	t.Logf("%d kills", hits)
}

func mustRun(t *testing.T, path, data string, args ...string) {
	t.Helper()
	if killed(t, time.Minute, path, data, args...) {
		t.Fatalf("%v took more than a minute", args)
	}
}

// requireGraph checks what a run of graphChain has left.
func requireGraph(t *testing.T, data, name string) {
	t.Helper()
	ctx := t.Context()
	s := requireSound(t, data)
	defer s.Close()
	if left := notesOf(ctx, t, s, name); fmt.Sprint(left) != fmt.Sprint(wantNotes(name)) {
		t.Fatalf("%s left %v; want %v", name, left, wantNotes(name))
	}
	err := s.Read(ctx, func(tx store.Tx) error {
		run, ok, err := tx.Graph().RunByKey(ctx, caller, name)
		if err != nil || !ok || run.Status != task.RunFailed || run.Failure == nil || run.Failure.Code != "ON_PURPOSE" {
			t.Fatalf("%s is %v %s (%v), %v", name, ok, run.Status, run.Failure, err)
		}
		tasks, executions, err := tx.Graph().Graph(ctx, run.ID)
		if err != nil {
			return err
		}
		for _, e := range executions {
			if !e.State.Final() {
				t.Errorf("%s: task %d %s is left %s", name, e.Seq, tasks[e.Seq].Name, e.State)
			}
		}
		graph, err := task.Load(tasks, executions)
		if err != nil || !graph.Settled() || len(tasks) != run.Tasks {
			t.Errorf("%s: settled %v with %d tasks of %d, %v", name, graph.Settled(), len(tasks), run.Tasks, err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// notesOf counts the notes that begin with a name, by their titles.
func notesOf(ctx context.Context, t *testing.T, s *sqlite.Store, name string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	err := s.Read(ctx, func(tx store.Tx) error {
		list, err := local.NewBook(tx.Local(), time.Now, nil).Notes(ctx, local.List{Query: name + " "})
		for _, note := range list.Records {
			if strings.HasPrefix(note.Title, name+" ") {
				counts[note.Title]++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}
