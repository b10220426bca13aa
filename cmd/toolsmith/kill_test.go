package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/internal/store/sqlite"
)

// kills is how often each command is killed. Every kill is followed by a look at what is
// left.
const kills = 40

// buildCommand builds the command as a user would have it.
func buildCommand(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "toolsmith")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return path
}

// killed runs a command and kills it after a while, and reports whether the kill came in
// time.
func killed(t *testing.T, after time.Duration, path, data string, args ...string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...) // kills (SIGKILL) when the time is over
	cmd.Env = append(os.Environ(), "TOOLSMITH_DATA="+data)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if ctx.Err() != nil {
		return true
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, &output)
	}
	return false
}

// ended runs a command that may fail and kills it after a while, and reports whether it came
// to its end before that.
func ended(t *testing.T, after time.Duration, path, data string, args ...string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "TOOLSMITH_DATA="+data)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && ctx.Err() == nil && (!errors.As(err, &exit) || exit.ExitCode() != exitFailed) {
		t.Fatalf("%v: %v\n%s", args, err, &output)
	}
	if ctx.Err() == nil {
		t.Logf("%v: %v\n%s", args, err, &output)
	}
	return ctx.Err() == nil
}

// span measures how long a command takes when nobody kills it, so that kills can be spread
// over all of it whatever the machine.
func span(t *testing.T, path, data string, args ...string) time.Duration {
	t.Helper()
	began := time.Now()
	if killed(t, time.Minute, path, data, args...) {
		t.Fatal("the command took more than a minute")
	}
	return time.Since(began)
}

// instant picks a random instant within a span, and a little beyond.
func instant(span time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(span)*6/5) + 1) //nolint:gosec // kills need no secrecy
}

// requireSound opens a store and checks that the database itself is whole.
func requireSound(t *testing.T, data string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), data)
	if err != nil {
		t.Fatalf("open after a kill: %v", err)
	}
	db, err := sql.Open("sqlite", filepath.Join(data, "toolsmith.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("integrity check after a kill: %q, %v", verdict, err)
	}
	return s
}

const killedTool = `{
  "schema": "talos.local-tool.v1", "id": "killed-tool", "version": %d, "title": "Killed", "description": "Is killed again and again.",
  "createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
  "network": {"mode": "forbidden", "domains": []}, "credentialRequirements": [],
  "state": {"schemaVersion": 1, "maxBytes": 1024, "fields": {"last": {"type": "string"}}},
  "flow": {"entry": "loop", "maxTransitions": 8, "nodes": [
    {"id": "loop", "type": "foreach", "source": [1, 2, 3, 4, 5, 6], "itemVar": "it", "maxItems": 6, "body": [
      {"type": "capability", "capability": "notes.create", "input": {"title": {"$ref": "$.input.title"}, "content": "whole"}, "target": "$.note"}
    ], "next": "keep"},
    {"id": "keep", "type": "set", "target": "$.state.last", "value": {"$ref": "$.input.title"}, "next": "done"},
    {"id": "done", "type": "return", "value": {"$ref": "$.state.last"}}
  ]}
}`

func writeTool(t *testing.T, version int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "killed.talostool")
	if err := os.WriteFile(path, fmt.Appendf(nil, killedTool, version), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestKilledInstall kills installs at random instants. Each time the store opens and holds
// either the old or the new version, with its audit line or without both.
func TestKilledInstall(t *testing.T) {
	t.Parallel()
	path, data := buildCommand(t), t.TempDir()
	took := span(t, path, data, "install", writeTool(t, 1))
	before, hits := int64(1), 0
	for version := 2; version < kills+2; version++ {
		if killed(t, instant(took), path, data, "install", writeTool(t, version)) {
			hits++
		}
		before = requireVersion(t, data, before, int64(version))
	}
	t.Logf("%d of %d installs were killed before they ended", hits, kills)
	if hits == 0 {
		t.Error("no install was killed, so nothing was shown")
	}
}

// requireVersion checks the registry after a kill and gives the version that is active.
func requireVersion(t *testing.T, data string, before, after int64) int64 {
	t.Helper()
	s := requireSound(t, data)
	defer s.Close()
	var row registry.Tool
	var versions []registry.Version
	var lines []registry.AuditLine
	err := s.Read(t.Context(), func(tx store.Tx) (err error) {
		if row, _, err = tx.Registry().Tool(t.Context(), "killed-tool"); err != nil {
			return err
		}
		if versions, err = tx.Registry().Versions(t.Context(), "killed-tool", 0); err != nil {
			return err
		}
		lines, err = tx.Registry().AuditLines(t.Context(), "killed-tool", 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if row.Active != before && row.Active != after {
		t.Fatalf("version %d is active, which is neither the old %d nor the new %d", row.Active, before, after)
	}
	if row.Active != versions[0].Version || lines[0].Version != row.Active || len(lines) != len(versions) {
		t.Fatalf("active %d, newest kept %d, newest audit line %d, %d versions, %d lines: not one transaction",
			row.Active, versions[0].Version, lines[0].Version, len(versions), len(lines))
	}
	return row.Active
}

// TestKilledRun kills runs at random instants. Each time the store opens, every note is
// whole, and the state is either the old or the new one.
func TestKilledRun(t *testing.T) {
	t.Parallel()
	path, data, file := buildCommand(t), t.TempDir(), writeTool(t, 1)
	input := func(title string) string { return fmt.Sprintf(`{"title": %q}`, title) }
	took := span(t, path, data, "run", "--yes", "--input", input("run 0"), file)
	state, notes, hits := "run 0", 6, 0
	for i := 1; i <= kills; i++ {
		title := fmt.Sprintf("run %d", i)
		if killed(t, instant(took), path, data, "run", "--yes", "--input", input(title), file) {
			hits++
		}
		state, notes = requireRun(t, data, state, title, notes)
	}
	t.Logf("%d of %d runs were killed before they ended; %d notes were made", hits, kills, notes)
	if hits == 0 {
		t.Error("no run was killed, so nothing was shown")
	}
}

// requireRun checks what a killed run left, and gives the state and the number of notes.
func requireRun(t *testing.T, data, before, title string, notesBefore int) (state string, notes int) {
	t.Helper()
	s := requireSound(t, data)
	defer s.Close()
	var kept store.State
	err := s.Read(t.Context(), func(tx store.Tx) (err error) {
		kept, _, err = tx.Runs().State(t.Context(), "file:killed-tool", 1)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var fields struct{ Last string }
	if err := json.Unmarshal(kept.Data, &fields); err != nil {
		t.Fatalf("the state is not whole: %v: %s", err, kept.Data)
	}
	if fields.Last != before && fields.Last != title {
		t.Fatalf("the state is of %q, which is neither the old %q nor the new %q", fields.Last, before, title)
	}
	notes, partial := countNotes(t, data)
	if partial > 0 || notes < notesBefore || notes > notesBefore+6 {
		t.Fatalf("%d notes after %d, %d of them not whole", notes, notesBefore, partial)
	}
	if fields.Last == title && notes != notesBefore+6 {
		t.Fatalf("the run ended, yet made %d notes and not 6", notes-notesBefore)
	}
	return fields.Last, notes
}

func countNotes(t *testing.T, data string) (all, partial int) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(data, "toolsmith.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	row := db.QueryRowContext(t.Context(), "SELECT count(*), count(*) FILTER (WHERE content <> 'whole' OR title = '') FROM notes")
	if err := row.Scan(&all, &partial); err != nil && !errors.Is(err, sql.ErrNoRows) {
		t.Fatal(err)
	}
	return all, partial
}
