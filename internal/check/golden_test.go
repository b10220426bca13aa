package check_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
	"toolsmith/tool"
)

var update = flag.Bool("update", false, "rewrite what the golden files in testdata expect")

// golden is a file of testdata, in the txtar form: a manifest and all that a check says
// of it. Its first lines say what the case is about; one may name the catalogue
// ("catalogue: network"), one a size to which spaces fill the manifest up ("pad: 70000").
type golden struct {
	comment, manifest, want string
}

const (
	manifestMarker = "-- manifest --\n"
	wantMarker     = "-- want --\n"
)

func readGolden(t *testing.T, name string) golden {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	comment, rest, ok := strings.Cut(string(text), manifestMarker)
	body, want, too := strings.Cut(rest, wantMarker)
	if !ok || !too || comment == "" {
		t.Fatalf("%s has to hold a comment, %q and %q", name, manifestMarker, wantMarker)
	}
	return golden{comment, body, want}
}

func (g golden) directive(name string) string {
	for line := range strings.Lines(g.comment) {
		if text, ok := strings.CutPrefix(line, name+": "); ok {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

func (g golden) catalogue() *tool.Catalogue {
	if g.directive("catalogue") == "network" {
		return allCapabilities
	}
	return builtin
}

func (g golden) text(t *testing.T) []byte {
	t.Helper()
	text := []byte(g.manifest)
	if pad := g.directive("pad"); pad != "" {
		size, err := strconv.Atoi(pad)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, bytes.Repeat([]byte(" "), size-len(text))...)
	}
	return text
}

// result writes what comes of a check: whether the manifest may be installed and with
// which marks, and every diagnostic.
func resultText(r check.Result) string {
	if !r.OK() {
		return "refused\n" + show(r.Diagnostics)
	}
	m := r.Tool.Marks()
	return fmt.Sprintf("accepted: powers %s, risk %s, %s\n", m.PowerNames(), m.Risk, m.Reversibility) + show(r.Diagnostics)
}

func goldenFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("there are no golden files")
	}
	return files
}

// TestGolden checks every manifest of testdata twice, and compares every byte of what is
// said of it.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, file := range goldenFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			g := readGolden(t, file)
			text := g.text(t)
			given := bytes.Clone(text)
			got := resultText(check.Run(text, g.catalogue()))
			if again := resultText(check.Run(text, g.catalogue())); again != got {
				t.Errorf("a second check says something else (-first +second):\n%s", cmp.Diff(got, again))
			}
			if !bytes.Equal(given, text) {
				t.Error("the check has changed the text")
			}
			if *update {
				if err := os.WriteFile(file, []byte(g.comment+manifestMarker+g.manifest+wantMarker+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(g.want, got); diff != "" {
				t.Errorf("-want +got (go test -update rewrites it):\n%s", diff)
			}
		})
	}
}

// codesWithCompany cannot stand alone: what they report makes another thing true too.
var codesWithCompany = []string{
	check.CodeEntryMissing, // without an entry no step is reached
}

// TestGoldenCoversCodes makes sure that each code is shown alone by one golden file, so
// that a new code comes with an example of what it says.
func TestGoldenCoversCodes(t *testing.T) {
	t.Parallel()
	alone := map[string]bool{}
	shown := map[string]bool{}
	for _, file := range goldenFiles(t) {
		g := readGolden(t, file)
		codes := regexp.MustCompile(`(?m)^\d+:\d+ \w+ (\w+) `).FindAllStringSubmatch(g.want, -1)
		for _, code := range codes {
			shown[code[1]] = true
			if len(codes) == 1 {
				alone[code[1]] = true
			}
		}
	}
	all := codesOf(t, "codes.go", "../manifest/diagnostic.go")
	for _, code := range all {
		if !alone[code] && !slices.Contains(codesWithCompany, code) {
			t.Errorf("no golden file shows %s alone", code)
		}
		if !shown[code] {
			t.Errorf("no golden file shows %s", code)
		}
	}
	for code := range shown {
		if !slices.Contains(all, code) {
			t.Errorf("a golden file shows %s, which is no constant", code)
		}
	}
}

// formatCodes are the codes that the format itself lists; what others rely on must not
// go away or change its name.
var formatCodes = []string{
	"FORGE_RETRY_BOUNDS", "FORGE_RETRY_BACKOFF", "FORGE_CAPABILITY_UNKNOWN", "FORGE_NETWORK_NOT_DECLARED", "FORGE_INVALID_COMPENSATION",
	"FORGE_COMPENSATION_UNKNOWN", "FORGE_COMPENSATION_MISMATCH", "FORGE_LLM_STRUCTURED_OUTPUT_MISSING_SCHEMA", "FORGE_TRANSITION_BOUNDS",
	"FORGE_NODE_BOUNDS", "FORGE_NODE_ID", "FORGE_NODE_DUPLICATE", "FORGE_FOREACH_BOUNDS", "FORGE_INLINE_BOUNDS", "FORGE_ENTRY_MISSING",
	"FORGE_EDGE_MISSING", "FORGE_CYCLE", "FORGE_UNREACHABLE_NODE", "FORGE_MANIFEST_STRUCTURE", "FORGE_MANIFEST_TOO_LARGE", "FORGE_ID",
	"FORGE_VERSION", "FORGE_TITLE", "FORGE_DESCRIPTION", "FORGE_NETWORK_CONTRADICTION", "FORGE_DOMAIN_INVALID", "FORGE_CREDENTIAL_ID",
	"FORGE_CREDENTIAL_SCOPE", "FORGE_SECRET_FOUND", "FORGE_OUTBOUND_FORBIDDEN", "FORGE_REF_UNSAFE", "FORGE_TARGET_UNSAFE", "FORGE_VAR_UNSAFE",
}

func TestFormatCodes(t *testing.T) {
	t.Parallel()
	own := []string{check.CodeRefUndefined, check.CodeSchemaContradiction, check.CodeCapabilityInput, check.CodeTrigger}
	want := slices.Sorted(slices.Values(slices.Concat(formatCodes, own)))
	got := slices.Sorted(slices.Values(codesOf(t, "codes.go", "../manifest/diagnostic.go")))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// codesOf lists the codes that Go files write out.
func codesOf(t *testing.T, files ...string) []string {
	t.Helper()
	var codes []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`= "(FORGE_\w+)"`).FindAllStringSubmatch(string(source), -1) {
			codes = append(codes, match[1])
		}
	}
	if len(codes) < 2 {
		t.Fatalf("found %d codes in %v", len(codes), files)
	}
	return codes
}

// TestGoldenInOrder holds golden files to what all of them promise: the order of the
// text, and places that are where the paths lead.
func TestGoldenInOrder(t *testing.T) {
	t.Parallel()
	for _, file := range goldenFiles(t) {
		g := readGolden(t, file)
		text := g.text(t)
		list := check.Run(text, g.catalogue()).Diagnostics
		if !slices.IsSortedFunc(list, func(a, b manifest.Diagnostic) int { return a.Offset - b.Offset }) {
			t.Errorf("%s: not in the order of the text", file)
		}
		for _, d := range list {
			if problem := misplaced(text, d); problem != "" {
				t.Errorf("%s: %s", file, problem)
			}
		}
	}
}
