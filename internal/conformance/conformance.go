// Package conformance reads the conformance cases in testdata/conformance for the tests of
// the packages that they hold. It is used by tests only.
package conformance

import (
	"bytes"
	"testing"

	"toolsmith/internal/value"
)

// Each runs every case of a file, one a line, as a parallel subtest under its own name. A
// line is read as text: what its author wrote is handed on as it stands. want is how many
// cases the file holds: a case that is lost, or added without being run, fails the test.
func Each(t *testing.T, file []byte, want int, run func(t *testing.T, line []byte, c *value.Node)) {
	t.Helper()
	count := 0
	for line := range bytes.Lines(file) {
		count++
		c, problems := value.Parse(line)
		if c == nil {
			t.Fatalf("line %d: %v", count, problems)
		}
		t.Run(c.Get("name").Text, func(t *testing.T) {
			t.Parallel()
			run(t, line, c)
		})
	}
	if count != want {
		t.Errorf("there are %d cases, and there have to be %d", count, want)
	}
}
