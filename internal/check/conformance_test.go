package check_test

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
	"toolsmith/internal/conformance"
	"toolsmith/internal/manifest"
)

// conformanceCases is how many cases the file holds. A case that is lost, or added
// without being run, fails the test.
const conformanceCases = 503

// TestConformance runs every case of testdata/conformance/check.jsonl.
func TestConformance(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../../testdata/conformance/check.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	conformance.Each(t, file, conformanceCases, runCase)
}

func runCase(t *testing.T, c conformance.Case) {
	// A line is read as text: what the manifest's author wrote is what is checked.
	result := check.Run(c.Text("manifest"), builtin)
	expect := c.Root.Get("expect").Value().(map[string]any)
	if got, want := result.OK(), expect["ok"].(bool); got != want {
		t.Errorf("ok is %v, want %v", got, want)
	}
	errors, all := codes(result.Diagnostics)
	want := texts(expect["codes"])
	switch expect["rule"] {
	case "equals":
		if diff := cmp.Diff(want, errors); diff != "" {
			t.Errorf("codes (-want +got):\n%s", diff)
		}
	case "includes":
		// Where a case is installable and names a code all the same, the code has to be
		// there as a warning.
		for _, code := range want {
			if !slices.Contains(all, code) {
				t.Errorf("%s is missing", code)
			}
		}
	default:
		t.Fatalf("unknown rule %v", expect["rule"])
	}
	if result.Tool != nil {
		compareMarks(t, result.Tool, expect)
	}
	if t.Failed() {
		for _, d := range result.Diagnostics {
			t.Log(d)
		}
	}
}

// codes gives the distinct codes of errors with FORGE_UNREACHABLE_NODE, and all codes.
func codes(list []manifest.Diagnostic) (errors, all []string) {
	errors = []string{}
	for _, d := range list {
		all = append(all, d.Code)
		if d.Level == manifest.LevelError || d.Code == check.CodeUnreachableNode {
			errors = append(errors, d.Code)
		}
	}
	slices.Sort(errors)
	return slices.Compact(errors), all
}

func compareMarks(t *testing.T, checked *check.Checked, expect map[string]any) {
	t.Helper()
	marks := checked.Marks()
	if want, ok := expect["risk"]; ok && marks.Risk.String() != want {
		t.Errorf("risk is %v, want %v", marks.Risk, want)
	}
	if want, ok := expect["powers"]; ok {
		got := []string{}
		for _, p := range marks.Powers {
			got = append(got, string(p))
		}
		if diff := cmp.Diff(texts(want), got); diff != "" {
			t.Errorf("powers (-want +got):\n%s", diff)
		}
	}
	if want, ok := expect["capabilities"]; ok {
		if diff := cmp.Diff(texts(want), marks.Capabilities); diff != "" {
			t.Errorf("capabilities (-want +got):\n%s", diff)
		}
	}
}

func texts(list any) []string {
	out := []string{}
	for _, item := range list.([]any) {
		out = append(out, item.(string))
	}
	return out
}
