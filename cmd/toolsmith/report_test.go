package main

import (
	"bytes"
	"errors"
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
