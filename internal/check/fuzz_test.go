package check_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
	"toolsmith/internal/conformance"
	"toolsmith/internal/manifest"
)

// seedManifests gives f the manifests of the conformance cases, and those of the golden
// files.
func seedManifests(f *testing.F) {
	file, err := os.ReadFile("../../testdata/conformance/check.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range conformance.Cases(f, file) {
		f.Add(c.Text("manifest"))
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, entry := range files {
		if !strings.HasSuffix(entry.Name(), ".txt") {
			continue
		}
		text, err := os.ReadFile("testdata/" + entry.Name())
		if err != nil {
			f.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), manifestMarker)
		body, _, _ := strings.Cut(rest, wantMarker)
		f.Add([]byte(body))
	}
}

// FuzzCheck: whatever the text, the check ends, says the same twice, in the order of the
// text and at places that are there, and takes no more memory than the text is worth.
func FuzzCheck(f *testing.F) {
	seedManifests(f)
	for _, k := range shapes() {
		f.Add(flow(returns(`{` + quote(hiddenText+" "+k.text()) + `: ` + ref(k.text()) + `, "password": "nodes"}`)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		given := string(text)
		r := check.Run(text, allCapabilities)
		if string(text) != given {
			t.Error("the check has changed the text")
		}
		if again := check.Run(text, allCapabilities).Diagnostics; !slices.Equal(again, r.Diagnostics) {
			t.Errorf("a second check says something else:\n%s", cmp.Diff(r.Diagnostics, again))
		}
		if r.OK() == manifest.HasErrors(r.Diagnostics) {
			t.Errorf("ok is %v, beside:\n%s", r.OK(), show(r.Diagnostics))
		}
		if problem := disorder(r.Diagnostics); problem != "" {
			t.Error(problem)
		}
		for _, d := range r.Diagnostics[:min(len(r.Diagnostics), 50)] {
			if problem := misplaced(text, d); problem != "" {
				t.Error(problem)
			}
			if d.Level != manifest.LevelError && d.Level != manifest.LevelWarning || d.Message == "" || !strings.HasPrefix(d.Code, "FORGE_") {
				t.Errorf("%v", d)
			}
			if len(d.Message) > 2*len(text)+1000 || len(d.Path) > 8*len(text)+100 {
				t.Errorf("%d bytes of message and %d of path", len(d.Message), len(d.Path))
			}
		}
		if len(r.Diagnostics) > len(text)+20 {
			t.Errorf("%d diagnostics for %d bytes", len(r.Diagnostics), len(text))
		}
		if r.OK() {
			if len(text) > manifest.MaxSize {
				t.Errorf("%d bytes are accepted", len(text))
			}
			holdMarks(t, r.Tool)
		}
	})
}

// holdMarks checks what is true of the marks of every tool.
func holdMarks(t *testing.T, c *check.Checked) {
	m := c.Marks()
	if !slices.IsSorted(m.Powers) || !slices.IsSorted(m.Capabilities) || !slices.IsSorted(m.ModelPrivacy) {
		t.Errorf("not sorted: %v", m)
	}
	if m.Powers == nil || m.Capabilities == nil {
		t.Errorf("no list: %v", m)
	}
	for _, name := range m.Capabilities {
		capability, ok := c.Catalogue().Get(name)
		if !ok || capability.Risk > m.Risk || !m.Has(capability.Power) || capability.Private && !m.ReadsPrivate || capability.Untrusted && !m.ReadsUntrusted {
			t.Errorf("%s is not in %v", name, m)
		}
	}
	if c.ID() == "" || c.Version() < 1 || c.Title() == "" || c.Name() != "dynamic:"+c.ID() {
		t.Errorf("%s %d %s", c.ID(), c.Version(), c.Title())
	}
}
