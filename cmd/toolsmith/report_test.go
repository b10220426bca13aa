package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestOutputThatCannotBeWritten does not pass for success, with JSON or without.
func TestOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"capabilities"}, {"capabilities", "--json"}, {"version"}, {"tools", "--json"}, {"--help"},
	} {
		var stderr bytes.Buffer
		exit := run(t.Context(), append([]string{"--data", t.TempDir()}, args...), strings.NewReader(""), full{}, &stderr)
		if exit != exitFailed || !strings.Contains(stderr.String(), "OUTPUT_FAILED: ") || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%q: exit %d, %q", args, exit, stderr.String())
		}
	}
}

// TestAnInterruptedCommand says so, and not which of its parts was interrupted.
func TestAnInterruptedCommand(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if exit := run(t.Context(), []string{"--data", folder, "data", "notes", "add", "Milk"}, nil, io.Discard, io.Discard); exit != exitDone {
		t.Fatalf("exit %d", exit)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var stderr bytes.Buffer
	if exit := run(ctx, []string{"--data", folder, "runs"}, nil, io.Discard, &stderr); exit != exitFailed || stderr.String() != "error ABORTED: The command was interrupted before its end.\n" {
		t.Errorf("exit %d, %q", exit, &stderr)
	}
}
