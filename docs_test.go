package toolsmith_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// codeInSource matches the texts that are codes, as the source writes them.
var codeInSource = regexp.MustCompile(`"((?:ANSWER|ARGUMENTS|AUDIT|CALL|CASES|CONSENT|CONTEXT|DATA|DECLARATION|FILE|FORGE|GRANT|HTTP|MANIFEST|OUTBOUND|OUTPUT|PERMISSION|PORT|PREVIOUS|QUESTION|RESULT|RUN|SCRIPT|SECRET|SERVE|SERVER|STEP|STORE|TASK|TOKEN|TOOL|WORKER)_[A-Z_]+|ABORTED|AMBIGUOUS_ID|CHANGED_SINCE|FAILED|INVALID|NOT_FOUND|STOPPED|USAGE)"`)

// codeInDocs matches the codes that docs/codes.md explains.
var codeInDocs = regexp.MustCompile("`([A-Z][A-Z_]{3,})`")

// TestCodesAreDocumented holds docs/codes.md against the source: every code is explained
// there, and nothing is explained that does not exist.
func TestCodesAreDocumented(t *testing.T) {
	t.Parallel()
	inSource := map[string]bool{}
	for _, root := range []string{"cmd", "internal", "tool"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "storetest") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range codeInSource.FindAllStringSubmatch(string(text), -1) {
				inSource[match[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("docs/codes.md")
	if err != nil {
		t.Fatal(err)
	}
	inDocs := map[string]bool{}
	for _, match := range codeInDocs.FindAllStringSubmatch(string(text), -1) {
		inDocs[match[1]] = true
	}
	if len(inSource) < 50 {
		t.Fatalf("only %d codes were found in the source: the search is broken", len(inSource))
	}
	if diff := cmp.Diff(names(inSource), names(inDocs)); diff != "" {
		t.Errorf("docs/codes.md is not in step with the source (-source +docs):\n%s", diff)
	}
}

func names(set map[string]bool) []string {
	var list []string
	for name := range set {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
