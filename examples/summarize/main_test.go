package main

import (
	"strings"
	"testing"

	"toolsmith"
	"toolsmith/tool"
	"toolsmith/tool/tooltest"
)

func TestSummarizeAndReview(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), &out, toolsmith.Options{Data: t.TempDir()}, "one three two"); err != nil {
		t.Fatal(err)
	}
	if want := `succeeded: ["one three two (2)",["words: 3","longest: three"]]` + "\n"; out.String() != want {
		t.Errorf("it says %s; want %s", out.String(), want)
	}
}

// TestSummarizeAlone tests a tool without a runtime.
func TestSummarizeAlone(t *testing.T) {
	t.Parallel()
	summarize, err := summarize()
	if err != nil {
		t.Fatal(err)
	}
	result := tooltest.Run(t, summarize, text{"a b c d e f"}, tooltest.WithChain(tool.Entry{}))
	chains := result.Subtasks()
	if len(chains) != 1 || len(chains[0]) != 2 || chains[0][0].Content.Data != "a b c d e (1)" {
		t.Errorf("it returns %v (%v)", chains, result.Err)
	}
}
