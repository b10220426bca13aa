package compile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/compile"
	"toolsmith/internal/compile/bundle"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

const two = `import { createTool, toolCall } from '@taskyon/taskyon/api'
import { createTool as again } from 'toolsmith'

enum Word { Done = 'complete' }

export const summarize = createTool({
  name: 'summarize',
  description: 'Gives a short version of a text.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  } as const,
  secrets: ['key'],
  async function({ text }: { text: string }, context) {
    const chain = await context.getExecutionTaskChain()
    if (context.stopSignal.aborted) throw new Error('Cancelled')
    return context.createSubtasksResult([
      [
        { role: 'assistant', content: { type: 'message', data: ` + "`${text} (${chain.length})`" + ` } },
        toolCall({ name: 'é😀', arguments: {} }),
        { role: 'system', content: { type: 'return', data: Word.Done } },
      ],
    ])
  },
})

again({ name: 'é😀', parameters: { type: 'object' }, description: '', function: () => 1 })
`

func TestCompile(t *testing.T) {
	t.Parallel()
	source := []byte(two)
	tools, found, err := whole().Compile(within(t), "some/where/digest.ts", source)
	if err != nil || found != nil || len(tools) != 2 {
		t.Fatalf("%d tools, %v\n%s", len(tools), err, written(found))
	}
	clear(source) // a tool never changes, whatever is done with what it was made of
	declarations := []string{
		`{"description":"Gives a short version of a text.","name":"summarize","parameters":{"additionalProperties":false,"properties":{"text":{"type":"string"}},"required":["text"],"type":"object"},"secrets":["key"]}`,
		`{"description":"","name":"é😀","parameters":{"type":"object"}}`,
	}
	for i, made := range tools {
		if name := []string{"summarize", "é😀"}[i]; made.Name != name || made.File != "digest.ts" || string(made.Source) != two {
			t.Errorf("tool %d: %q of %q with a source of %d bytes", i, made.Name, made.File, len(made.Source))
		}
		if diff := cmp.Diff(declarations[i], string(made.Declaration)); diff != "" {
			t.Errorf("declaration %d (-want +got):\n%s", i, diff)
		}
		if !strings.Contains(string(made.SourceMap), `"digest.ts"`) {
			t.Errorf("the map of tool %d does not know the file: %s", i, made.SourceMap)
		}
	}
	got, err := runner().Run(within(t), script.Call{Tool: tools[1], Arguments: map[string]any{}})
	if err != nil || value.JSON(got.Value) != "1" {
		t.Errorf("it gives %s, %v", value.JSON(got.Value), err)
	}
}

// What TypeScript has and JavaScript does not, and what is lowered, works in the sandbox.
func TestWhatIsTranslatedRuns(t *testing.T) {
	t.Parallel()
	source := `import * as api from 'toolsmith'
enum Kind { A = 1, B = 'b' }
namespace Inner { export const c = 3 }
function log(value: any, context: any) { return value }
@log class Thing<T> {
  #hidden = 4
  static count = 0
  static { Thing.count = 5 }
  @log accessor open = 6
  constructor(readonly given: T) {}
  @log get sum() { return this.#hidden + (this.given as number) }
  has(other: object) { return #hidden in other }
}
const parts = /(?<year>\d{4})\.(?<month>[\p{Nd}--[3-9]]+)/v.exec('on 2026.12')!.groups!
function* count(to: number) { for (let i = 0; i < to; i++) yield i }
api.createTool({
  name: 'all', description: '', parameters: { type: 'object' },
  async function({ a, ...rest }: any) {
    const disposed: number[] = []
    { using first = { [Symbol.dispose]: () => { disposed.push(1) } } }
    const thing = new Thing(7)
    let empty: { x?: { y: number } } | null = null
    empty ??= {}
    return [Kind.A, Kind[1], Kind.B, Inner.c, Thing.count, thing.open, thing.sum, thing.has(thing), parts, rest,
      empty.x?.y ?? 8, 2n ** 64n > 1n, disposed, [...count(2)], [3, 1].toSorted(), this !== undefined, a satisfies number]
  },
} satisfies object as any)
`
	tools, found, err := whole().Compile(within(t), "all.mts", []byte(source))
	if err != nil || found != nil || len(tools) != 1 {
		t.Fatalf("%v\n%s", err, written(found))
	}
	got, err := runner().Run(within(t), script.Call{Tool: tools[0], Arguments: map[string]any{"a": true, "b": "c"}})
	want := `[1,"A","b",3,5,6,11,true,{"month":"12","year":"2026"},{"b":"c"},8,true,[1],[0,1],[1,3],true,true]`
	if err != nil || value.JSON(got.Value) != want {
		t.Errorf("it gives %s, %v\nwant %s", value.JSON(got.Value), err, want)
	}
}

// A file is a module: what is strict there is strict here, whatever else the file is.
func TestStrict(t *testing.T) {
	t.Parallel()
	source := "import { createTool } from 'toolsmith'\ncreateTool({ name: 'a', description: '', parameters: {}, function() { undeclared = 1 } })"
	tools, found, err := whole().Compile(within(t), "a.js", []byte(source))
	if err != nil || found != nil || len(tools) != 1 {
		t.Fatalf("%v\n%s", err, written(found))
	}
	_, err = runner().Run(within(t), script.Call{Tool: tools[0], Arguments: map[string]any{}})
	if err == nil || !strings.Contains(err.Error(), "undeclared is not defined") && !strings.Contains(err.Error(), "'undeclared' is not defined") || !strings.Contains(err.Error(), "a.js:2:") {
		t.Errorf("it fails with %v", err)
	}
}

func TestDiagnostics(t *testing.T) {
	t.Parallel()
	const api = "import { createTool } from 'toolsmith'\n"
	const good = "createTool({ name: 'good', description: '', parameters: {}, function() {} })\n"
	for name, c := range map[string]struct{ source, want string }{
		"syntax": {api + "let a = ;", "2:9 error SCRIPT_SYNTAX $ Unexpected \";\".\n"},
		"order": {
			"const a = { b: 1, b: 2 }\nimport 'y'\n(a === NaN)\nimport 'x'\n",
			`1:19 warning SCRIPT_SYNTAX $ Duplicate key "b" in object literal. The original key "b" is here (line 1).
2:8 error SCRIPT_IMPORT $ "y" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
3:4 warning SCRIPT_SYNTAX $ Comparison with NaN using the "===" operator here is always false. Floating-point equality is defined such that NaN is never equal to anything, so "x === NaN" always returns false. You need to use "Number.isNaN(x)" instead to test for NaN.
4:8 error SCRIPT_IMPORT $ "x" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
`,
		},
		"warnings of what fails later": {
			"const a = { b: 1, b: 2 }\nthrow a", "1:19 warning SCRIPT_SYNTAX $ Duplicate key \"b\" in object literal. The original key \"b\" is here (line 1).\n" +
				"1:1 error SCRIPT_LOAD_FAILED $ The file failed while it was loaded: [object Object]\n",
		},
		"size":       {strings.Repeat(" ", bundle.MaxSource+1), "1:1 error SCRIPT_TOO_LARGE $ The file has 524289 bytes, and a tool may have 524288 (512 KiB). Leave out what it does not need.\n"},
		"depth":      {strings.Repeat("(", 300_000), "1:1 error SCRIPT_BUNDLE_LIMIT $ The file nests too deeply to be translated: write it flatter.\n"},
		"no tool":    {"export const a = 1", "1:1 error SCRIPT_NO_TOOL $ The file declares no tool. A tool is declared so: import { createTool } from \"toolsmith\", and then createTool({ name, description, parameters, async function(arguments, context) { … } }).\n"},
		"empty file": {"", "1:1 error SCRIPT_NO_TOOL $ The file declares no tool. A tool is declared so: import { createTool } from \"toolsmith\", and then createTool({ name, description, parameters, async function(arguments, context) { … } }).\n"},
		"thrown": {
			api + good + "function deep(a: string) { const é = '😀'; return missing(a) }\n\n  deep('one')",
			"3:50 error SCRIPT_LOAD_FAILED $ The file failed while it was loaded: ReferenceError: missing is not defined\n",
		},
		"thrown in lines": {api + "throw new Error('one\\ntwo')", "2:11 error SCRIPT_LOAD_FAILED $ The file failed while it was loaded: one two\n"},
		"undefined":       {"/* é */ missing()", "1:9 error SCRIPT_LOAD_FAILED $ The file failed while it was loaded: ReferenceError: missing is not defined\n"},
		"bytes":           {"\uFEFF#!tool\r\n/* 😀é */ missing()", "2:10 error SCRIPT_LOAD_FAILED $ The file failed while it was loaded: ReferenceError: missing is not defined\n"},
		"no function": {
			api + good + "createTool({ 'name' : \"other\", description: '', parameters: {} })",
			"3:15 error DECLARATION_INVALID $.function Tool 2 of the file, \"other\", has no function. Add: async function(arguments, context) { … }.\n",
		},
		"no name": {
			api + good + "\tcreateTool({ name: 5, function() {} })\ncreateTool<{}>({ function() {} })",
			"3:2 error DECLARATION_INVALID $.name Tool 2 of the file has no name that is a text.\n4:1 error DECLARATION_INVALID $.name Tool 3 of the file has no name that is a text.\n",
		},
		"nothing": {
			"import { createTool as make } from 'toolsmith'\nmake({})",
			"1:1 error DECLARATION_INVALID $.name Tool 1 of the file has no name that is a text.\n1:1 error DECLARATION_INVALID $.function Tool 1 of the file, \"\", has no function. Add: async function(arguments, context) { … }.\n",
		},
		"twice": {
			api + good + "createTool({ name: 'x', function() {} })\n" + good + good,
			"4:14 error DECLARATION_INVALID $.name Tools 1 and 3 of the file are both called \"good\". Give each a name of its own.\n5:14 error DECLARATION_INVALID $.name Tools 1 and 4 of the file are both called \"good\". Give each a name of its own.\n",
		},
		"no JSON": {
			api + good + "createTool({ name: 'x', parameters: { a: [1n] }, function() {} })",
			"3:1 error DECLARATION_INVALID $.parameters.a[0] it is a bigint, which JSON cannot hold.\n",
		},
		"no object": {api + "  createTool(5)", "2:3 error DECLARATION_INVALID $ createTool takes an object: {name, description, parameters, function}.\n"},
		"too many": {
			api + strings.Repeat(good, 33) + good,
			"34:14 error SCRIPT_TOO_MANY $ The file declares 34 tools, and a file may declare 32. Put the others into another file.\n",
		},
		"loop": {"for (;;) {}", "1:1 error SCRIPT_CPU_TIME $ The tool computed for longer than it may. Have it do less in one call, or return subtasks that go on.\n"},
		"with": {"with ({}) {}", "1:1 error SCRIPT_LOAD_FAILED $ The file failed while it was loaded: SyntaxError: invalid keyword: with\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools, found, err := whole().Compile(within(t), "tool.ts", []byte(c.source))
			if err != nil || tools != nil {
				t.Fatalf("%d tools, %v", len(tools), err)
			}
			if diff := cmp.Diff(c.want, written(found)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAsManyAsAFileMayHave(t *testing.T) {
	t.Parallel()
	source := "import { createTool } from 'toolsmith'\nfor (let i = 0; i < 32; i++) createTool({ name: `tool${i}`, description: '', parameters: {}, function: () => i })\nconst warned = { a: 1, a: 2 }"
	tools, found, err := whole().Compile(within(t), "tool.js", []byte(source))
	if err != nil || len(tools) != 32 || len(found) != 1 || found[0].Level != "warning" {
		t.Fatalf("%d tools, %v\n%s", len(tools), err, written(found))
	}
	for i, made := range tools {
		if want := fmt.Sprintf("tool%d", i); made.Name != want {
			t.Errorf("tool %d is called %q", i, made.Name)
		}
	}
}

// Names and messages that a file makes may be of any size.
func TestLong(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]string{
		"for (const i of [1, 2]) createTool({ name: 'é'.repeat(1e5) })": {
			"Tool 1 of the file, \"" + strings.Repeat("é", 100) + "…\", has no function.",
			"Tools 1 and 2 of the file are both called \"é",
			"Tool 2 of the file, \"é",
		},
		"throw new Error('é'.repeat(1e5))": {"The file failed while it was loaded: éé"},
	} {
		_, found, err := whole().Compile(within(t), "tool.ts", []byte("import { createTool } from 'toolsmith'\n"+source))
		if err != nil || len(found) != len(want) {
			t.Fatalf("%d diagnostics, %v: %.300s", len(found), err, written(found))
		}
		for i, d := range found {
			if !strings.HasPrefix(d.Message, want[i]) || len(d.Message) > 5000 || !utf8.ValidString(d.Message) {
				t.Errorf("%d bytes: %.300s", len(d.Message), d.Message)
			}
		}
	}
}

// Whatever a loader gives or says, it is words for the author or an error of ours.
func TestWhatLoadGives(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		declared []script.Declared
		err      error
		want     string // of the diagnostics; "" for an error of ours
	}{
		"an error":     {nil, broken, ""},
		"a text":       {[]script.Declared{{Name: "a", Declaration: []byte(`"a"`), HasFunction: true}}, nil, "1:1 error DECLARATION_INVALID $ What tool 1 of the file, \"a\", declares cannot be kept as JSON: It is no object.\n"},
		"no JSON":      {[]script.Declared{{Name: "a", Declaration: []byte(`{`), HasFunction: true}}, nil, "1:1 error DECLARATION_INVALID $ What tool 1 of the file, \"a\", declares cannot be kept as JSON: line 1, column 2: "},
		"two keys":     {[]script.Declared{{Name: "a", Declaration: []byte(`{"b":1,"b":2}`), HasFunction: true}}, nil, "1:1 error DECLARATION_INVALID $ What tool 1 of the file, \"a\", declares cannot be kept as JSON: line 1, column 8: "},
		"no place":     {nil, &tool.Error{Code: "SCRIPT_MEMORY", Message: "Too much."}, "1:1 error SCRIPT_MEMORY $ Too much.\n"},
		"other files":  {nil, &tool.Error{Code: "SCRIPT_LOAD_FAILED", Message: "Bad.\n    at a (other.ts:1:2)\n    at b.ts:3:4"}, "1:1 error SCRIPT_LOAD_FAILED $ The file failed while it was loaded: Bad.\n"},
		"second frame": {nil, &tool.Error{Code: "SCRIPT_LOAD_FAILED", Message: "Bad.\n    at a (other.ts:1:2)\n    at b (tool.ts:1:4)\nCaused by: worse"}, "1:3 error SCRIPT_LOAD_FAILED $ The file failed while it was loaded: Bad. Caused by: worse\n"},
		"far away":     {nil, &tool.Error{Code: "SCRIPT_LOAD_FAILED", Message: "Bad.\n    at tool.ts:7:99\n    at tool.ts:99999999999999999999:1", Field: "name"}, "7:99 error SCRIPT_LOAD_FAILED $ The file failed while it was loaded: Bad.\n"},
		"end of line":  {nil, &tool.Error{Code: "SCRIPT_LOAD_FAILED", Message: "Bad.\n    at tool.ts:1:99"}, "1:5 error SCRIPT_LOAD_FAILED $ The file failed while it was loaded: Bad.\n"},
	} {
		_, found, err := with(c.declared, c.err).Compile(within(t), "tool.ts", []byte("`😀é`\u2028"))
		if c.want == "" {
			if !errors.Is(err, c.err) || found != nil {
				t.Errorf("%s: %v\n%s", name, err, written(found))
			}
			continue
		}
		if err != nil || !strings.HasPrefix(written(found), c.want) {
			t.Errorf("%s: %v\n%s\nwant %s", name, err, written(found), c.want)
		}
	}
}

func TestErrorsOfOurs(t *testing.T) {
	t.Parallel()
	none := compile.New(compile.Options{Bundle: bundle.New(bundle.Options{Command: []string{t.TempDir() + "/toolsmith"}}), Load: runner().Load})
	if _, found, err := none.Compile(within(t), "a.ts", []byte(two)); err == nil || found != nil {
		t.Errorf("without a program: %v\n%s", err, written(found))
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, found, err := whole().Compile(ctx, "a.ts", []byte("// not seen before")); !errors.Is(err, context.Canceled) || found != nil {
		t.Errorf("with a context that has ended: %v\n%s", err, written(found))
	}
	// The context ends while the script is loaded, and what that looks like is of no consequence.
	ctx, stop = context.WithCancel(context.Background())
	during := compile.New(compile.Options{Bundle: bundler(), Load: func(context.Context, []byte, []byte) ([]script.Declared, error) {
		stop()
		return nil, &tool.Error{Code: "SCRIPT_CPU_TIME", Message: "Too long."}
	}})
	if _, found, err := during.Compile(ctx, "a.ts", []byte(two)); err == nil || found != nil {
		t.Errorf("with a context that ends: %v\n%s", err, written(found))
	}
}

func TestCompileAtOnce(t *testing.T) {
	t.Parallel()
	c := whole()
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			name := fmt.Sprintf("tool%d", i%4)
			tools, found, err := c.Compile(within(t), name+".ts", []byte("import { createTool } from 'toolsmith'\ncreateTool({ name: '"+name+"', function() {} })"))
			if err != nil || found != nil || len(tools) != 1 || tools[0].Name != name {
				t.Errorf("%v %v\n%s", tools, err, written(found))
			}
		})
	}
	group.Wait()
}

func TestIsSource(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"a.ts", "a.mts", "a.js", "a.mjs", "A.TS", "x/y.z.ts", "d.ts", "id.ts", ".ts"} {
		if !compile.IsSource(file) {
			t.Errorf("%s is one", file)
		}
	}
	for _, file := range []string{"a.d.ts", "A.D.MTS", "a.tsx", "a.jsx", "a.cts", "a.cjs", "a", "", "ts", "a.ts.txt", "a.talostool", "a.ts/b", ".d.ts"} {
		if compile.IsSource(file) {
			t.Errorf("%s is none", file)
		}
	}
}

// BenchmarkCompile is a file that was not seen before, in a process that has a sandbox.
func BenchmarkCompile(b *testing.B) {
	c := whole()
	if _, found, err := c.Compile(b.Context(), "digest.ts", []byte(two)); err != nil || found != nil {
		b.Fatal(found, err)
	}
	for i := 0; b.Loop(); i++ {
		if _, found, err := c.Compile(b.Context(), "digest.ts", fmt.Appendf(nil, "%s// %d", two, i)); err != nil || found != nil {
			b.Fatal(found, err)
		}
	}
}

// BenchmarkCompileAgain is a file that was seen before.
func BenchmarkCompileAgain(b *testing.B) {
	c := whole()
	for b.Loop() {
		if _, found, err := c.Compile(b.Context(), "digest.ts", []byte(two)); err != nil || found != nil {
			b.Fatal(found, err)
		}
	}
}
