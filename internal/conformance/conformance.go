// Package conformance reads the conformance cases in testdata/conformance for the tests of
// the packages that they hold. It is used by tests only.
package conformance

import (
	"bytes"
	"testing"

	"toolsmith/internal/value"
)

// Case is one case of a file.
type Case struct {
	// Line is the case as its author wrote it.
	Line []byte
	Root *value.Node
}

// Text gives a member of the case as its author wrote it.
func (c Case) Text(member string) []byte {
	n := c.Root.Get(member)
	return c.Line[n.Offset:n.End]
}

// Cases reads the cases of a file, one a line.
func Cases(t testing.TB, file []byte) []Case {
	t.Helper()
	var cases []Case
	for line := range bytes.Lines(file) {
		root, problems := value.Parse(line)
		if root == nil {
			t.Fatalf("line %d: %v", len(cases)+1, problems)
		}
		cases = append(cases, Case{line, root})
	}
	return cases
}

// Each runs every case of a file as a parallel subtest under its own name. want is how
// many cases the file holds: a case that is lost, or added without being run, fails the
// test.
func Each(t *testing.T, file []byte, want int, run func(t *testing.T, c Case)) {
	t.Helper()
	cases := Cases(t, file)
	for _, c := range cases {
		t.Run(c.Root.Get("name").Text, func(t *testing.T) {
			t.Parallel()
			run(t, c)
		})
	}
	if len(cases) != want {
		t.Errorf("there are %d cases, and there have to be %d", len(cases), want)
	}
}
