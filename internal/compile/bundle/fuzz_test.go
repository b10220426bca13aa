package bundle_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unicode/utf8"

	"toolsmith/internal/compile/bundle"
)

// Whatever a file holds, there is a script or a problem, and each problem can be shown.
func FuzzBundle(f *testing.F) {
	files, err := filepath.Glob("testdata/problems/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(filepath.Base(file), unescape(string(text)))
	}
	f.Add("digest.ts", []byte(digest))
	b := bundle.New(bundle.Options{Command: child(f, bundle.ChildArgument), Timeout: 10 * time.Second, Cache: -1})
	f.Fuzz(func(t *testing.T, file string, source []byte) {
		out, problems, err := b.Bundle(context.Background(), file, source)
		if err != nil || (len(problems) == 0) != (len(out.Script) > 0) {
			t.Fatalf("%d problems, script of %d bytes, %v", len(problems), len(out.Script), err)
		}
		for _, p := range append(problems, out.Warnings...) {
			if p.Code == "" || p.Message == "" || len(p.Message) > 1100 || len(p.Text) > 200 || (p.Line == 0) != (p.Column == 0) || p.Line < 0 || p.Line+p.Column > len(source)+2 {
				t.Errorf("%+v", p)
			}
			if utf8.Valid(source) && !utf8.ValidString(p.Message+p.Text) {
				t.Errorf("%+v is not UTF-8", p)
			}
		}
	})
}
