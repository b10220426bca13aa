package compile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/compile"
	"toolsmith/internal/compile/bundle"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/tool"
)

func newChecker(t *testing.T, command ...string) *compile.Checker {
	t.Helper()
	e := quickjs.New(quickjs.Options{})
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	bundler := bundle.New(bundle.Options{Command: command, Timeout: time.Minute})
	return compile.NewChecker(compile.New(compile.Options{Bundle: bundler, Load: script.New(script.Options{Engine: e}).Load}), capability.Builtin())
}

// declared declares a tool.
func declared(name, more string) string {
	return fmt.Sprintf("createTool({ name: %q, description: 'Made up.', parameters: { type: 'object' }, %s function() {} })\n", name, more)
}

// TestChecker gives one result for each tool of a source, and one for what is wrong with all of it.
func TestChecker(t *testing.T) {
	t.Parallel()
	c := newChecker(t, os.Args[0], bundle.ChildArgument)
	const head = "import { createTool } from 'toolsmith'\n"
	key := "sk-ant-" + strings.Repeat("a1b2C3d4", 6)
	for _, test := range []struct {
		name, file, text string
		// want is what is found, a line for each result.
		want []string
	}{
		{"two tools", "x.ts", head + declared("one", "") + declared("two", ""), []string{"one:", "two:"}},
		{"a syntax error", "x.ts", head + "createTool(", []string{"none: SCRIPT_SYNTAX at 2"}},
		{"a manifest", "x.talostool", "[]", []string{"none: FORGE_MANIFEST_STRUCTURE at 1"}},
		{"without a name", "", head, []string{"none: FORGE_MANIFEST_STRUCTURE at 1"}},
		{"a secret stands with the first tool", "x.ts", head + declared("one", "") + declared("two", "") + "'" + key + "'\n", []string{"none: FORGE_SECRET_FOUND at 4", "two:"}},
		{"a declaration", "x.ts", head + declared("one", "") + declared("two", "title: 7,"), []string{"one:", "none: DECLARATION_INVALID at 3"}},
		{"written alike", "x.ts", head + declared("read-file", "") + declared("read.file", ""), []string{"read-file:", "none: FORGE_NAME_TAKEN at 3"}},
		{"looking alike", "x.ts", head + declared("paypal", "") + declared("paypa1", ""), []string{"paypal:", "none: FORGE_NAME_TAKEN at 3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			results, err := c.Check(t.Context(), test.file, []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range results {
				line := "none:"
				if r.Tool != nil {
					line = r.Tool.Name() + ":"
				}
				for i, d := range r.Diagnostics {
					if i == 0 || d.Code != r.Diagnostics[i-1].Code {
						line += fmt.Sprintf(" %s at %d", d.Code, d.Line)
					}
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCheckerWithoutATranslator says that code cannot be made here, and still knows manifests.
func TestCheckerWithoutATranslator(t *testing.T) {
	t.Parallel()
	c := newChecker(t, "a-program-that-is-not-there", bundle.ChildArgument)
	_, err := c.Check(t.Context(), "x.ts", []byte("1"))
	var coded *tool.Error
	if !errors.As(err, &coded) || coded.Code != check.CodeUnavailable || !strings.Contains(coded.Message, "cannot be made here: executable file not found in $PATH.") {
		t.Errorf("the error is %v", err)
	}
	if results, err := c.Check(t.Context(), "", []byte("{}")); err != nil || len(results) != 1 {
		t.Errorf("a manifest gives %v, %v", results, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Check(ctx, "y.ts", []byte("1")); !errors.Is(err, context.Canceled) || tool.Code(err) != "" {
		t.Errorf("a check that was ended gives %v", err)
	}
}
