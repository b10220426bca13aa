package bundle_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/go-sourcemap/sourcemap"
	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/compile/bundle"
)

const digest = `import { createTool, type ToolContext } from 'toolsmith'
import { toolCall } from '@taskyon/taskyon/api'
import type { Unknown } from './types'

enum Size { Small = 1, Large = 'l' }
const parameters = {
  type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false,
} as const
const kept = { a: 1 } satisfies Record<string, number>
/* @__PURE__ */ createTool({ name: 'unused' })
export const summarize = createTool({
  name: 'summarize',
  parameters,
  async function({ text }: { text: string }, context: ToolContext): Promise<Unknown> {
    for await (const word of text.split(' ')) if (word === 'é😀') throw new Error(word)
    return context.createSubtasksResult([toolCall({ name: Size.Large, arguments: kept.a! })])
  },
})
`

const digestScript = `"use strict";
(() => {
  // toolsmith:module
  var { createTool, createClientTool, toolCall, message, structured, returns, failure, previous, createSubtasksResult, isSubtasksResult, ToolsmithError } = globalThis.__toolsmith;

  // source
  var Size = /* @__PURE__ */ ((Size2) => {
    Size2[Size2["Small"] = 1] = "Small";
    Size2["Large"] = "l";
    return Size2;
  })(Size || {});
  var parameters = {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
    additionalProperties: false
  };
  var kept = { a: 1 };
  createTool({ name: "unused" });
  var summarize = createTool({
    name: "summarize",
    parameters,
    async function({ text }, context) {
      for await (const word of text.split(" ")) if (word === "é😀") throw new Error(word);
      return context.createSubtasksResult([toolCall({ name: "l" /* Large */, arguments: kept.a })]);
    }
  });
})();
`

func TestScript(t *testing.T) {
	t.Parallel()
	b := newBundler(t)
	for file, source := range map[string]string{
		"digest.ts": digest, "digest.mts": digest, "DIGEST.TS": digest, "digest": digest,
		"crlf.ts": strings.ReplaceAll(digest, "\n", "\r\n"), "bom.ts": "\uFEFF" + digest, "hash.ts": "#!/usr/bin/env toolsmith\n" + digest,
		"mapped.ts":                 digest + "//# sourceMappingURL=digest.js.map",
		"weird\n*/ na`${m}e\x00.ts": digest,
	} {
		out, problems, err := b.Bundle(context.Background(), file, []byte(source))
		if err != nil || problems != nil || out.Warnings != nil {
			t.Fatalf("%q: %v, %v, %v", file, problems, out.Warnings, err)
		}
		if diff := cmp.Diff(digestScript, string(out.Script)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", file, diff)
		}
		var m struct {
			Version int
			Sources []string
			Content []string `json:"sourcesContent"`
		}
		if err := json.Unmarshal(out.Map, &m); err != nil || m.Version != 3 || m.Content != nil {
			t.Errorf("%q: map %s, %v", file, out.Map, err)
		}
		if diff := cmp.Diff([]string{"toolsmith:module", file}, m.Sources); diff != "" {
			t.Errorf("%q: sources (-want +got):\n%s", file, diff)
		}
	}
}

func TestSourceMap(t *testing.T) {
	t.Parallel()
	out, problems, err := newBundler(t).Bundle(context.Background(), "digest.ts", []byte("#!tool\r\n"+digest+"//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIngiXSwibWFwcGluZ3MiOiJBQUFBIn0="))
	if err != nil || problems != nil {
		t.Fatalf("%v, %v", problems, err)
	}
	m, err := sourcemap.Parse("", out.Map)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`throw new Error`, `context.createSubtasksResult(`, `createTool({`} {
		line, column := place(string(out.Script), text)
		file, _, gotLine, gotColumn, ok := m.Source(line, column)
		wantLine, wantColumn := place("\n"+digest, text)
		if !ok || file != "digest.ts" || gotLine != wantLine || gotColumn != wantColumn {
			t.Errorf("%s comes from %s:%d:%d, want %d:%d", text, file, gotLine, gotColumn, wantLine, wantColumn)
		}
	}
}

// place is where a text is: the line from 1, and the column from 0 in UTF-16 units.
func place(in, text string) (line, column int) {
	before, _, _ := strings.Cut(in, text)
	return strings.Count(before, "\n") + 1, len(utf16.Encode([]rune(before[strings.LastIndexByte(before, '\n')+1:])))
}

func TestModernSyntaxStays(t *testing.T) {
	t.Parallel()
	const source = "var a = class {\n  #b = 1;\n  static {\n    this.c = 2;\n  }\n  d(e) {\n    return #b in e && (e?.f ?? (e.g ||= 1n));\n  }\n};\n" +
		"var h = /(?<i>j)\\k<i>/dsu;\nvar { k, ...l } = a;\nasync function* m() {\n  for await (const n of l) yield* n;\n}\n/*! kept */\nlabel: for (; ; ) break label;\nvar o = `a${k}b`;\n"
	out, problems, err := newBundler(t).Bundle(context.Background(), "a.js", []byte(source))
	if err != nil || problems != nil {
		t.Fatalf("%v, %v", problems, err)
	}
	want := "\"use strict\";\n(() => {\n  // source\n  " + strings.TrimSuffix(strings.ReplaceAll(source, "\n", "\n  "), "  ") + "})();\n"
	if diff := cmp.Diff(want, string(out.Script)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	b := newBundler(t)
	for name, source := range map[string]string{
		"nothing":      "",
		"line":         "\n",
		"mark":         "\uFEFF",
		"comment":      "// only",
		"decorators":   "function d(v: any, c: any) {}\n@d class A { @d x = 1; @d accessor y = 2; @d m() {} }",
		"types":        "abstract class A<const T> { abstract x(): void; declare y: number; constructor(private readonly z: T) {} }\ninterface B {}\ntype C = A<B>[]\ndeclare global { var g: C }",
		"namespace":    "namespace N.M { export let a = 1 }\nimport Q = N.M\nQ.a",
		"overloads":    "function f(a: string): void; function f(a: unknown): void {}\nlet g = <T,>(a: T) => a!",
		"using":        "{ using a = { [Symbol.dispose]() {} } }",
		"default":      "export default class {}",
		"separators":   "let a = '\u2028\u2029'",
		"escapes":      `let \u{61}b = "\u{1F600}\x41\ud800"`,
		"unicode sets": `let a = /[\p{L}--a]/v`,
		"names":        "import * as all from 'toolsmith'\nall.createTool(all)",
	} {
		out, problems, err := b.Bundle(context.Background(), "a.ts", []byte(source))
		if err != nil || problems != nil || len(out.Script) == 0 || len(out.Map) == 0 {
			t.Errorf("%s: %v, %v, script %q", name, problems, err, out.Script)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	b := bundle.New(bundle.Options{Command: child(t, bundle.ChildArgument), Timeout: patient, Cache: 2, Parallel: 3})
	var group sync.WaitGroup
	for i := range 24 {
		group.Go(func() {
			name := string(rune('a' + i%6))
			out, problems, err := b.Bundle(context.Background(), name+".ts", []byte("export const "+name+": number = 1"))
			if err != nil || problems != nil || !strings.Contains(string(out.Script), "var "+name+" = 1;") || !strings.Contains(string(out.Map), name+".ts") {
				t.Errorf("%s: %v, %v, %s", name, problems, err, out.Script)
			}
			clear(out.Script) // what a caller does to it is of no consequence
		})
	}
	group.Wait()
}

// borrowed is this program under a name that can be removed.
func borrowed(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "program")
	if err := os.Symlink(program, name); err != nil {
		t.Skipf("no link: %v", err)
	}
	return name
}

func TestKept(t *testing.T) {
	t.Parallel()
	// A program that can be started once: afterwards it is not there any more.
	program := borrowed(t)
	b := bundle.New(bundle.Options{Command: []string{program, bundle.ChildArgument}, Timeout: patient})
	good, bad := []byte("const a = { b: 1, b: 2 }"), []byte("let a = ;")
	first, _, err := b.Bundle(context.Background(), "a.ts", good)
	if err != nil {
		t.Fatal(err)
	}
	_, firstProblems, err := b.Bundle(context.Background(), "a.ts", bad)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	again, _, err := b.Bundle(context.Background(), "a.ts", good)
	if err != nil || cmp.Diff(first, again) != "" || len(again.Warnings) != 1 {
		t.Errorf("what was translated is not kept: %v, %v", again, err)
	}
	_, againProblems, err := b.Bundle(context.Background(), "a.ts", bad)
	if err != nil || cmp.Diff(firstProblems, againProblems) != "" || len(againProblems) != 1 {
		t.Errorf("problems are not kept: %v, %v", againProblems, err)
	}
	for file, source := range map[string][]byte{"b.ts": good, "a.ts": []byte("let c")} {
		if _, _, err := b.Bundle(context.Background(), file, source); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s, which was not translated yet: %v", file, err)
		}
	}
}

func TestNothingKept(t *testing.T) {
	t.Parallel()
	program := borrowed(t)
	b := bundle.New(bundle.Options{Command: []string{program, bundle.ChildArgument}, Timeout: patient, Cache: -1})
	if _, _, err := b.Bundle(context.Background(), "a.ts", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Bundle(context.Background(), "a.ts", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a cache: %v", err)
	}
}
