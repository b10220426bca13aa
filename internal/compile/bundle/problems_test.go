package bundle_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/compile/bundle"
)

// A case of problems is a file in testdata/problems: a source, whose last lines say what is
// found in it, each as "//: line:column CODE message"; warnings have "warning" before the code.
// In the source \xHH stands for a byte.
func TestProblems(t *testing.T) {
	t.Parallel()
	b := newBundler(t)
	files, err := filepath.Glob("testdata/problems/*")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source, want, _ := strings.Cut(string(text), "//: ")
			if want != "" {
				want = "//: " + want
			}
			out, problems, err := b.Bundle(context.Background(), filepath.Base(file), unescape(source))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, p := range problems {
				got += fmt.Sprintf("//: %d:%d %s %s\n", p.Line, p.Column, p.Code, p.Message)
			}
			for _, p := range out.Warnings {
				got += fmt.Sprintf("//: %d:%d warning %s %s\n", p.Line, p.Column, p.Code, p.Message)
			}
			if os.Getenv("TOOLSMITH_UPDATE") != "" {
				if err := os.WriteFile(file, []byte(source+got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (len(problems) == 0) != (len(out.Script) > 0) {
				t.Errorf("%d problems, and a script of %d bytes", len(problems), len(out.Script))
			}
		})
	}
}

// unescape puts bytes into a source that no file of text can hold.
func unescape(source string) []byte {
	return []byte(strings.NewReplacer(`\xFF`, "\xFF", `\xFE`, "\xFE", `\x00`, "\x00", `\xC3`, "\xC3", `\x0D`, "\r", `\xBOM`, "\uFEFF").Replace(source))
}

func TestTheLineOfAProblemIsShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 300)
	for source, want := range map[string]string{
		"let a = ;":              "let a = ;",
		"\n  let a = ;\n":        "  let a = ;",
		"let a = 1 +":            "",
		"let é" + long + " = ;;": "…" + strings.Repeat("é", 78) + " = ;;",
		"let a = ; // " + long:   "let a = ; // " + strings.Repeat("é", 73) + "…",
	} {
		_, problems, err := newBundler(t).Bundle(context.Background(), "a.ts", []byte(source))
		if err != nil || len(problems) != 1 {
			t.Fatalf("%v, %v", problems, err)
		}
		if problems[0].Text != want {
			t.Errorf("%.20q: text %q, want %q", source, problems[0].Text, want)
		}
	}
}

func TestManyProblemsAreCounted(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&source, "import'é%d';", i)
	}
	_, problems, err := newBundler(t).Bundle(context.Background(), "a.ts", []byte(source.String()))
	if err != nil || len(problems) != 1000 {
		t.Fatalf("%d problems, %v", len(problems), err)
	}
	for i, p := range problems[:999] {
		// import'é0';
		column := 7 + 11*i
		column += max(0, i-10) + max(0, i-100)
		if p.Line != 1 || p.Column != column || !strings.HasPrefix(p.Message, fmt.Sprintf(`"é%d" cannot be imported`, i)) {
			t.Fatalf("problem %d: %+v, want column %d", i, p, column)
		}
	}
	if want := "There are 501 more of these."; problems[999].Message != want || problems[999].Line != 0 {
		t.Errorf("the last problem is %+v, want %q", problems[999], want)
	}
}

func TestSourcesThatNobodyReads(t *testing.T) {
	t.Parallel()
	// No child is needed to refuse them.
	b := bundle.New(bundle.Options{Command: []string{"/nowhere/toolsmith"}})
	_, problems, err := b.Bundle(context.Background(), "a.ts", make([]byte, bundle.MaxSource+1))
	if err != nil || len(problems) != 1 || problems[0].Code != bundle.CodeTooLarge {
		t.Errorf("too large: %v, %v", problems, err)
	}
	full := []byte("export const a = 1 //" + strings.Repeat("x", bundle.MaxSource-21))
	out, problems, err := newBundler(t).Bundle(context.Background(), "a.ts", full)
	if err != nil || len(problems) != 0 || len(out.Script) == 0 {
		t.Errorf("as large as it may be: %v, %v", problems, err)
	}
}
