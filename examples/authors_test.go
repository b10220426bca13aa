package examples_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"toolsmith/internal/worker"
)

// TestTheSamplesForAuthors checks every sample in the page for authors: a file as a file, a part of a
// function within one, and the cases by running them on the first tool of the page.
func TestTheSamplesForAuthors(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/tools-in-typescript.md")
	if err != nil {
		t.Fatal(err)
	}
	samples := fenced(string(text))
	counts := map[string]int{}
	var first string
	for i, sample := range samples {
		counts[sample.language]++
		switch sample.language {
		case "ts":
			source := sample.text
			if first == "" {
				first = source
			}
			if !strings.Contains(source, "createTool(") {
				source = fmt.Sprintf(`import { createTool, failure, message, previous, returns, structured, toolCall, ToolsmithError } from 'toolsmith'
createTool({ name: 'sample', description: 'A sample.', parameters: { type: 'object' }, calls: ['lookup', 'sum-up'],
async function(args, context) {
%s
} })`, source)
			}
			read(t, fmt.Sprintf("sample-%d.ts", i+1), []byte(source))
		case "json":
			cases, err := worker.ParseCases([]byte(sample.text))
			if err != nil {
				t.Fatalf("the cases cannot be read: %v", err)
			}
			results, err := newCodedDesk(t, nil).worker.RunCases(t.Context(), read(t, "latest-release.ts", []byte(first))[0], cases)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if !r.OK {
					t.Errorf("case %q: %s", r.Name, r.Message)
				}
			}
		}
	}
	if counts["ts"] < 4 || counts["json"] != 1 {
		t.Errorf("there are so many samples: %v", counts)
	}
}

// TestTheSampleInTheREADME of the project is a tool.
func TestTheSampleInTheREADME(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, sample := range fenced(string(text)) {
		if sample.language == "ts" {
			read(t, "readme.ts", []byte(sample.text))
			found++
		}
	}
	if found == 0 {
		t.Error("there is none")
	}
}

// sample is a block of a page in a language.
type sample struct{ language, text string }

// fenced gives the blocks of a page that stand between fences.
func fenced(page string) (samples []sample) {
	blocks := strings.Split("\n"+page, "\n```")
	for i := 1; i < len(blocks); i += 2 {
		language, text, _ := strings.Cut(blocks[i], "\n")
		samples = append(samples, sample{language, text})
	}
	return samples
}
