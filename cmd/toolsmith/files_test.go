package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFileName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, language, want, problem string }{
		{"a/b.ts", "", "b.ts", ""},
		{"b.talostool", "", "b.talostool", ""},
		{"-", "", "", ""},
		{"-", "ts", "stdin.ts", ""},
		{"notes.txt", "js", "notes.js", ""},
		{"plain", "ts", "plain.ts", ""},
		{"b.tsx", "ts", "b.ts", ""},
		{"b.tsx", "", "", "b.tsx: a tool is written in"},
		{"a/b.D.TS", "", "", "a/b.D.TS: a tool is written in"},
		{"b.cjs", "", "", "a tool is written in"},
		{"b.ts", "typescript", "", `--language is ts or js; this is "typescript"`},
	} {
		got, err := fileFlags{language: test.language}.fileName(test.path)
		if got != test.want || (err == nil) != (test.problem == "") || err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s as %q is %q, %v", test.path, test.language, got, err)
		}
	}
}

// TestSourcesMayBeLarger than manifests, up to a bound.
func TestSourcesMayBeLarger(t *testing.T) {
	t.Parallel()
	source := "import { createTool } from 'toolsmith'\ncreateTool({ name: 'big', description: 'Is big.', parameters: { type: 'object' }, function() {} })\n"
	for size, want := range map[int]string{400 << 10: ": ok big: R1, none", 600 << 10: "SCRIPT_TOO_LARGE"} {
		path := filepath.Join(t.TempDir(), "big.ts")
		text := source + "//" + strings.Repeat("x", size-len(source)-2)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errOut bytes.Buffer
		run(t.Context(), []string{"check", path, "--data", t.TempDir()}, strings.NewReader(""), &out, &errOut)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%d bytes: %s%s", size, &out, &errOut)
		}
	}
}
