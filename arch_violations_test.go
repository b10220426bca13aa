package toolsmith_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The checks of arch_test.go find nothing as long as all is well, so these tests show that
// each of them would find something.

// fixture is a module in memory: the names of its files and their texts.
type fixture map[string]string

func (f fixture) sources(t *testing.T) []source {
	t.Helper()
	fsys := fstest.MapFS{"go.mod": {Data: []byte("module toolsmith\n")}}
	for name, text := range f {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	sources, err := readSources(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

// file writes a Go file with these imports and this body.
func file(pkg, body string, imports ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n", pkg)
	for _, spec := range imports {
		fmt.Fprintf(&b, "import %s\n", spec)
	}
	b.WriteString(body)
	return b.String()
}

var fixtureTable = []row{
	{"tool", nil},
	{"internal/a", []string{"tool"}},
	{"internal/door", []string{"tool"}},
	{root, []string{everything}},
}

func fixtureImports(s []source) []string { return checkImports(s, fixtureTable) }

func fixtureOutside(s []source) []string { return checkOutside(s, []string{"internal/door"}) }

func TestChecksFindViolations(t *testing.T) {
	t.Parallel()
	const noRow = "has no row in the import table: add one to importTable in arch_test.go " +
		"and to the table in docs/architecture.md, and write the reason there"
	for _, c := range []struct {
		name  string
		check func([]source) []string
		files fixture
		want  []string // a part of each violation, in order
	}{
		{"imports: allowed", fixtureImports, fixture{
			"root.go":         file("toolsmith", "", `"toolsmith/internal/a"`, `"toolsmith/internal/door"`),
			"internal/a/a.go": file("a", "", `"fmt"`, `"toolsmith/tool"`, `"example.org/toolsmith/x"`),
		}, nil},
		{"imports: not in the row", fixtureImports, fixture{
			"internal/a/a.go": file("a", "", `"toolsmith/tool"`, `"toolsmith/internal/door"`),
			"tool/t.go":       file("tool", "", `"toolsmith"`),
		}, []string{
			"internal/a/a.go:3: internal/a may not import internal/door",
			"tool/t.go:2: tool may not import root",
		}},
		{"imports: renamed, blank and behind a build tag", fixtureImports, fixture{
			"internal/a/a.go":         file("a", "", `x "toolsmith/internal/door"`),
			"internal/a/a_windows.go": file("a", "", `_ "toolsmith/internal/door"`),
		}, []string{"internal/a/a.go:2:", "internal/a/a_windows.go:2:"}},
		{"imports: a package without a row, told once", fixtureImports, fixture{
			"internal/new/a.go": file("new", ""),
			"internal/new/b.go": file("new", ""),
		}, []string{"package internal/new " + noRow}},
		{"imports: tests may, and other modules are not ours", fixtureImports, fixture{
			"internal/a/a_test.go":        file("a", "", `"toolsmith/internal/door"`),
			"internal/a/testdata/x.go":    file("x", "", `"toolsmith/internal/door"`),
			"tools/go.mod":                "module toolsmith/tools\n",
			"tools/x.go":                  file("x", ""),
			"web/node_modules/x/x.go":     file("x", ""),
			"internal/.hidden/x.go":       file("x", ""),
			"internal/_old/x.go":          file("x", ""),
			"internal/a/testdata/bad.txt": "not Go",
		}, nil},

		{"outside: allowed", fixtureOutside, fixture{
			"internal/door/d.go":   file("door", "var _ = os.Open", `"os"`, `"net/http"`, `"os/exec"`),
			"internal/a/a.go":      file("a", "var _ = os.ErrNotExist; var _ net.IP; var _ = x.Open", `"os"`, `"net"`, `"example.org/x"`),
			"internal/a/a_test.go": file("a", "var _ = os.ReadFile", `"os"`, `"net/http"`),
		}, nil},
		{"outside: packages", fixtureOutside, fixture{
			"internal/a/a.go": file("a", "", `"net/http"`, `x "os/exec"`, `"net/http/httputil"`, `"syscall"`, `"net/url"`, `. "os"`),
		}, []string{
			"internal/a/a.go:2: internal/a may not import net/http: only these may: internal/door",
			"internal/a/a.go:3: internal/a may not import os/exec:",
			"internal/a/a.go:4: internal/a may not import net/http/httputil:",
			"internal/a/a.go:5: internal/a may not import syscall:",
			"internal/a/a.go:7: internal/a may not import os:",
		}},
		{"outside: names, called or passed on", fixtureOutside, fixture{
			"internal/a/a.go": file("a", "func f() { os.WriteFile(``, nil, 0) }\nvar _ = y.MkdirAll\nvar d net.Dialer\n", `"os"`, `y "os"`, `"net"`),
		}, []string{
			"internal/a/a.go:5: internal/a may not use os.WriteFile: only these may: internal/door",
			"internal/a/a.go:6: internal/a may not use y.MkdirAll:",
			"internal/a/a.go:7: internal/a may not use net.Dialer:",
		}},

		{"sizes: at the limit", checkSizes, fixture{
			"a/a.go": file("a", "func f() {\n"+strings.Repeat("//\n", maxFuncLines)+"}\n"+
				"type i interface {\n\tj\n\tk\n\tA()\n\tB()\n\tC()\n\tD()\n\tE()\n\tF()\n}\n"),
			"a/lines.go":     file("a", strings.Repeat("\n", maxFileLines-1)),
			"a/long_test.go": file("a", "func f() {\n"+strings.Repeat("//\n", maxFuncLines+1)+"}\n"),
			"a/made.go":      "// Code generated by sqlc. DO NOT EDIT.\n\n" + file("a", strings.Repeat("\n", maxFileLines+1)),
		}, nil},
		{"sizes: over it", checkSizes, fixture{
			"a/func.go":       file("a", "func (x) f() {\n"+strings.Repeat("//\n", maxFuncLines+1)+"}\n"),
			"a/interface.go":  file("a", "type i interface {\n\tj\n\tA()\n\tB()\n\tC()\n\tD()\n\tE()\n\tF()\n\tG()\n\tH()\n}\n"),
			"a/lines.go":      file("a", strings.Repeat("\n", maxFileLines)),
			"a/lines_test.go": file("a", strings.Repeat("\n", maxFileLines)),
			"a/unended.go":    file("a", strings.Repeat("\n", maxFileLines-1)+"//"),
		}, []string{
			"a/func.go:2: f has 81 lines, at most 80 are allowed",
			"a/interface.go:2: an interface has 9 methods, at most 8 are allowed",
			"a/lines.go has 601 lines, at most 600 are allowed",
			"a/lines_test.go has 601 lines",
			"a/unended.go has 601 lines",
		}},

		{"names: good ones", checkNames, fixture{
			"internal/a/a.go":       file("a", ""),
			"internal/a/a_test.go":  file("a_test", ""),
			"internal/typeset/a.go": file("typeset", ""),
		}, nil},
		{"names: drawers", checkNames, fixture{
			"internal/helpers/a.go": file("helpers", ""),
			"internal/helpers/b.go": file("helpers", ""),
			"internal/tool/a.go":    file("util", ""),
			"pkg/a/a.go":            file("a", ""),
		}, []string{
			`package internal/helpers: the name "helpers" does not say`,
			`package internal/tool: the name "util"`,
			`package pkg/a: the name "pkg"`,
		}},

		{"inits: a method may be called so", checkInits, fixture{
			"a/a.go": file("a", "func (x) init() {}\nfunc initAll() {}\n"),
		}, nil},
		{"inits: the function", checkInits, fixture{
			"a/a.go":      file("a", "func init() {}\nfunc init() {}\n"),
			"a/a_test.go": file("a", "func init() {}\n"),
		}, []string{"a/a.go:2: func init()", "a/a.go:3: func init()", "a/a_test.go:2: func init()"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			expect(t, c.check(c.files.sources(t)), c.want)
		})
	}
}

// expect wants each violation to contain its part of want, and no others.
func expect(t *testing.T, found, want []string) {
	t.Helper()
	if !slices.EqualFunc(found, want, strings.Contains) {
		t.Errorf("found:\n\t%s\nwant (parts of them):\n\t%s", strings.Join(found, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestCheckTableFindsViolations(t *testing.T) {
	t.Parallel()
	expect(t, checkTable(fixtureTable), nil)
	expect(t, checkTable([]row{{"tool", nil}, {"a", []string{"tool", "b"}}, {"tool", nil}}),
		[]string{"the row of a allows b, which has no row", "tool has 2 rows"})
}

func TestCheckDocumentFindsViolations(t *testing.T) {
	t.Parallel()
	table := []row{{"tool", nil}, {"internal/a", []string{"internal/b", "tool"}}, {root, []string{everything}}}
	const good = `# The house

| Other | Table |
|---|---|
| x | y |

| Package | May import (of ours) |
|---|---|
| ` + "`tool`" + ` | nothing |
| ` + "`internal/a`" + ` | ` + "`internal/b`, `tool`" + ` |
| root | everything |

| Third | Table |
`
	expect(t, checkDocument(good, table), nil)
	expect(t, checkDocument(strings.ReplaceAll(good, "\n", "  \r\n"), table), nil)

	const lacks = "docs/architecture.md lacks this line of the import table: "
	const surplus = "docs/architecture.md has a line that is not in the import table: "
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{
			"another row", strings.Replace(good, "`internal/b`, `tool`", "`tool`, `internal/b`", 1),
			[]string{lacks + "| `internal/a` | `internal/b`, `tool` |", surplus + "| `internal/a` | `tool`, `internal/b` |"},
		},
		{"a row less", strings.Replace(good, "| `tool` | nothing |\n", "", 1), []string{lacks + "| `tool` | nothing |"}},
		{"a row more", strings.Replace(good, "| root", "| `c` | nothing |\n| root", 1), []string{surplus + "| `c` | nothing |"}},
		{
			"another order", strings.NewReplacer("| `tool` | nothing |", "| root | everything |", "| root | everything |", "| `tool` | nothing |").Replace(good),
			[]string{"in another order, or one of them twice"},
		},
		{"a row twice", strings.Replace(good, "| root | everything |\n", "| root | everything |\n| root | everything |\n", 1), []string{"in another order, or one of them twice"}},
		{"no table", "# The house\n", []string{
			lacks + tableHeader, lacks + "|---|---|", lacks + "| `tool`", lacks + "| `internal/a`", lacks + "| root", surplus,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checkDocument(c.text, table), c.want)
		})
	}
}

func TestReadSourcesTellsWhatIsNotGo(t *testing.T) {
	t.Parallel()
	if _, err := readSources(fstest.MapFS{"a.go": {Data: []byte("package\n")}}); err == nil {
		t.Error("a file that is not Go was read without an error")
	}
}
