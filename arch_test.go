package toolsmith_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// module is the import path of the root package; ours are it and what is below it.
const module = "toolsmith"

// The names by which the import table calls two things that have no folder name.
const (
	root       = "root"       // the package in the module root
	everything = "everything" // may import whatever it likes
)

// row says what one package may import of ours.
type row struct {
	pkg string
	may []string
}

// importTable is the direction in which one call passes through the house. The table in
// docs/architecture.md is its twin, with the reasons; TestArchitecture compares
// them. A row may be there before its package is.
var importTable = []row{
	{"tool", nil},
	{"tool/tooltest", []string{"tool"}},
	{"internal/value", nil},
	{"internal/conformance", []string{"internal/value"}},
	{"internal/visible", nil},
	{"internal/nearest", nil},
	{"internal/origin", nil},
	{"internal/scrub", []string{"internal/value"}},
	{"internal/logs", []string{"internal/scrub", "internal/visible"}},
	{"internal/schema", []string{"internal/nearest", "internal/value"}},
	{"internal/coded", []string{"internal/value", "tool"}},
	{"internal/manifest", []string{"internal/nearest", "internal/value", "tool"}},
	{"internal/check", []string{"internal/coded", "internal/manifest", "internal/nearest", "internal/origin", "internal/schema", "internal/value", "internal/visible", "tool"}},
	{"internal/audit", []string{"internal/value"}},
	{"internal/registry", []string{"internal/audit", "internal/check", "internal/coded", "internal/manifest", "internal/value", "internal/visible", "tool"}},
	{"internal/local", []string{"tool"}},
	{"internal/consent", []string{"internal/value", "tool"}},
	{"internal/local/localtest", []string{"internal/local", "tool"}},
	{"internal/card", []string{"internal/value", "internal/visible", "tool"}},
	{"internal/capability", []string{"internal/capability/web", "internal/local", "internal/origin", "internal/value", "tool"}},
	{"internal/capability/web", []string{"internal/origin", "internal/value", "tool"}},
	{"internal/model", []string{"internal/value", "tool"}},
	{"internal/port", []string{"internal/schema", "internal/value", "internal/visible", "tool"}},
	{"internal/port/websocket", []string{"internal/port"}},
	{"internal/runner/client", []string{"internal/port", "internal/task", "internal/value", "tool"}},
	{"internal/runner/native", []string{"internal/task", "internal/value", "tool"}},
	{"internal/runner/script/quickjs", nil},
	{"internal/runner/script", []string{"internal/coded", "internal/origin", "internal/runner/script/quickjs", "internal/task", "internal/value", "tool"}},
	{"internal/compile/bundle", nil},
	{"internal/compile", []string{"internal/check", "internal/coded", "internal/compile/bundle", "internal/manifest", "internal/runner/script", "internal/value", "internal/visible", "tool"}},
	{"internal/runner/flow", []string{"internal/check", "internal/manifest", "internal/model", "internal/nearest", "internal/schema", "internal/value", "tool"}},
	{"internal/task", []string{"internal/value", "tool"}},
	{"internal/store", []string{"internal/audit", "internal/consent", "internal/local", "internal/registry", "internal/task", "tool"}},
	{"internal/store/sqlite", []string{"internal/audit", "internal/consent", "internal/local", "internal/registry", "internal/store", "internal/store/sqlite/dbsqlc", "internal/task", "tool"}},
	{"internal/secret", []string{"internal/scrub", "internal/store", "tool"}},
	{"internal/store/sqlite/dbsqlc", nil},
	{"internal/store/storetest", []string{"internal/audit", "internal/consent", "internal/local", "internal/local/localtest", "internal/registry", "internal/store", "internal/task", "tool"}},
	{"internal/engine", []string{
		"internal/audit", "internal/check", "internal/consent", "internal/local", "internal/manifest", "internal/nearest",
		"internal/origin", "internal/port", "internal/registry", "internal/schema", "internal/secret", "internal/store", "internal/task", "internal/value", "internal/visible", "tool",
	}},
	{"internal/worker", []string{
		"internal/capability", "internal/check", "internal/consent", "internal/engine", "internal/local", "internal/manifest", "internal/model", "internal/port", "internal/runner/client", "internal/runner/flow",
		"internal/runner/native", "internal/runner/script", "internal/schema", "internal/scrub", "internal/secret", "internal/store", "internal/task", "internal/value", "tool",
	}},
	{"internal/httpapi", []string{
		"internal/audit", "internal/card", "internal/check", "internal/consent", "internal/engine", "internal/local", "internal/manifest", "internal/port", "internal/port/websocket",
		"internal/registry", "internal/runner/flow", "internal/secret", "internal/store", "internal/task", "internal/value", "internal/visible", "internal/worker", "tool",
	}},
	{"internal/console", nil},
	{"client", []string{"internal/port", "internal/port/websocket", "internal/value", "tool"}},
	{root, []string{everything}},
	{"cmd/toolsmith", []string{everything}},
	{"examples/summarize", []string{root, "tool"}},
}

// outside lists the packages that may reach what is outside the process. Everybody else
// goes through package capability, where permissions are asked for and can be refused.
var outside = []string{
	"internal/capability",
	"internal/capability/web",
	"internal/model",
	"internal/runner/mcpbridge",
	"client",                 // the connection to a server
	"internal/runner/native", // only the type of the client that a tool is handed
	"tool",                   // likewise
	"tool/tooltest",          // likewise
	"internal/mcpserver",
	"internal/httpapi",
	"internal/secret", // the file of its key
	"internal/store/sqlite",
	"internal/store/postgres",
	"cmd/toolsmith",
	"internal/httpapi",        // it serves
	"internal/console",        // the socket in the data folder
	"internal/compile/bundle", // its child processes
}

// outsideImports are the packages, with those below them, that only reach outside.
// io/ioutil and syscall are there because they would be a way around the others.
var outsideImports = []string{"net/http", "net/rpc", "net/smtp", "os/exec", "io/ioutil", "plugin", "syscall"}

// outsideNames are the names that reach outside in packages that everybody needs for
// something else, such as os.ErrNotExist or net.IP.
var outsideNames = map[string][]string{
	"os": {
		"Chdir", "Chmod", "CopyFS", "Create", "CreateTemp", "DirFS", "Link", "Mkdir", "MkdirAll", "MkdirTemp", "NewFile",
		"Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadDir", "ReadFile", "Remove", "RemoveAll", "Rename", "StartProcess",
		"Symlink", "Truncate", "WriteFile",
	},
	"net": {
		"Dial", "DialIP", "DialTCP", "DialTimeout", "DialUDP", "DialUnix", "Dialer", "FileConn", "FileListener", "Listen",
		"ListenConfig", "ListenIP", "ListenMulticastUDP", "ListenPacket", "ListenTCP", "ListenUDP", "ListenUnix",
		"ListenUnixgram", "Resolver",
	},
}

// drawers are names of packages that say nothing about what is in them.
var drawers = []string{"util", "utils", "common", "helper", "helpers", "types", "pkg"}

const (
	maxFileLines = 600
	maxFuncLines = 80 // of the body, as funlen in .golangci.yaml counts
	maxMethods   = 8  // an embedded interface counts as one
)

// source is one parsed Go file.
type source struct {
	path      string // from the module root, with slashes
	pkg       string // as the import table names it
	lines     int
	test      bool
	generated bool
	fset      *token.FileSet
	file      *ast.File
}

func (s source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

// readSources parses the Go files of the module in fsys. Build tags do not matter here:
// what a file may do does not depend on the system that it is built for.
func readSources(fsys fs.FS) ([]source, error) {
	var sources []source
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && skipped(fsys, name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		s, err := readSource(fsys, name)
		if err != nil {
			return err
		}
		sources = append(sources, s)
		return nil
	})
	return sources, err
}

// skipped reports whether the folder is none of this module's: the go command does not
// look into it either, or it is a module of its own.
func skipped(fsys fs.FS, dir string) bool {
	base := path.Base(dir)
	if base == "testdata" || base == "vendor" || base == "node_modules" || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	return err == nil
}

func readSource(fsys fs.FS, name string) (source, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return source{}, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	pkg := path.Dir(name)
	if pkg == "." {
		pkg = root
	}
	lines := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		lines++
	}
	return source{
		path: name, pkg: pkg, lines: lines,
		test: strings.HasSuffix(name, "_test.go"), generated: ast.IsGenerated(file),
		fset: fset, file: file,
	}, nil
}

// imported gives the import path and the name that the file uses for it.
func imported(spec *ast.ImportSpec) (importPath, name string) {
	importPath = strings.Trim(spec.Path.Value, "`\"")
	if spec.Name != nil {
		return importPath, spec.Name.Name
	}
	return importPath, path.Base(importPath)
}

// ours gives the name that the import table has for an import path of this module.
func ours(importPath string) (pkg string, ok bool) {
	if importPath == module {
		return root, true
	}
	return strings.CutPrefix(importPath, module+"/")
}

// checkImports holds the imports of all files but tests against the table.
func checkImports(sources []source, table []row) []string {
	may := map[string][]string{}
	for _, r := range table {
		may[r.pkg] = r.may
	}
	var found []string
	for _, s := range sources {
		if s.test {
			continue
		}
		allowed, ok := may[s.pkg]
		if !ok {
			found = append(found, fmt.Sprintf("package %s has no row in the import table: "+
				"add one to importTable in arch_test.go and to the table in docs/architecture.md, and write the reason there", s.pkg))
			continue
		}
		for _, spec := range s.file.Imports {
			importPath, _ := imported(spec)
			pkg, ok := ours(importPath)
			if !ok || slices.Contains(allowed, everything) || slices.Contains(allowed, pkg) {
				continue
			}
			found = append(found, fmt.Sprintf("%s: %s may not import %s (importTable in arch_test.go)", s.at(spec), s.pkg, pkg))
		}
	}
	slices.Sort(found)
	return slices.Compact(found) // a package without a row is reported by each of its files
}

// checkTable finds rows that say something about a package of which the table knows nothing.
func checkTable(table []row) []string {
	rows := map[string]int{}
	for _, r := range table {
		rows[r.pkg]++
	}
	var found []string
	for _, r := range table {
		if rows[r.pkg] > 1 {
			found = append(found, fmt.Sprintf("%s has %d rows", r.pkg, rows[r.pkg]))
		}
		for _, pkg := range r.may {
			if rows[pkg] == 0 && pkg != everything {
				found = append(found, fmt.Sprintf("the row of %s allows %s, which has no row", r.pkg, pkg))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// checkOutside finds ways out of the process where there should be none.
func checkOutside(sources []source, allowed []string) []string {
	var found []string
	for _, s := range sources {
		if s.test || slices.Contains(allowed, s.pkg) {
			continue
		}
		names := map[string][]string{}
		for _, spec := range s.file.Imports {
			importPath, name := imported(spec)
			if reachesOutside(importPath) || name == "." && outsideNames[importPath] != nil {
				found = append(found, fmt.Sprintf("%s: %s may not import %s: only these may: %s",
					s.at(spec), s.pkg, importPath, strings.Join(allowed, ", ")))
			}
			names[name] = outsideNames[importPath]
		}
		for n := range ast.Preorder(s.file) {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			if x, ok := selector.X.(*ast.Ident); ok && slices.Contains(names[x.Name], selector.Sel.Name) {
				found = append(found, fmt.Sprintf("%s: %s may not use %s.%s: only these may: %s",
					s.at(n), s.pkg, x.Name, selector.Sel.Name, strings.Join(allowed, ", ")))
			}
		}
	}
	return found
}

func reachesOutside(importPath string) bool {
	return slices.ContainsFunc(outsideImports, func(p string) bool {
		return importPath == p || strings.HasPrefix(importPath, p+"/")
	})
}

// checkSizes finds files, functions and interfaces that want splitting. A long test reads
// from top to bottom, so only the length of its file counts.
func checkSizes(sources []source) []string {
	var found []string
	for _, s := range sources {
		if s.generated {
			continue
		}
		if s.lines > maxFileLines {
			found = append(found, fmt.Sprintf("%s has %d lines, at most %d are allowed", s.path, s.lines, maxFileLines))
		}
		if s.test {
			continue
		}
		for n := range ast.Preorder(s.file) {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if lines := s.fset.Position(n.End()).Line - s.fset.Position(n.Pos()).Line - 1; lines > maxFuncLines {
					found = append(found, fmt.Sprintf("%s: %s has %d lines, at most %d are allowed", s.at(n), n.Name.Name, lines, maxFuncLines))
				}
			case *ast.InterfaceType:
				if methods := countMethods(n); methods > maxMethods {
					found = append(found, fmt.Sprintf("%s: an interface has %d methods, at most %d are allowed", s.at(n), methods, maxMethods))
				}
			}
		}
	}
	return found
}

func countMethods(i *ast.InterfaceType) int {
	count := 0
	for _, field := range i.Methods.List {
		count += max(1, len(field.Names)) // an embedded interface has no name of its own
	}
	return count
}

// checkNames finds packages that are drawers, by folder or by package clause.
func checkNames(sources []source) []string {
	var found []string
	for _, s := range sources {
		for _, name := range append(strings.Split(s.pkg, "/"), strings.TrimSuffix(s.file.Name.Name, "_test")) {
			if slices.Contains(drawers, name) {
				found = append(found, fmt.Sprintf("package %s: the name %q does not say what is in it", s.pkg, name))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// checkInits finds code that runs because a package is imported.
func checkInits(sources []source) []string {
	var found []string
	for _, s := range sources {
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				found = append(found, fmt.Sprintf("%s: func init(): wire it where the program starts", s.at(f)))
			}
		}
	}
	return found
}

// The first line of the table in docs/architecture.md.
const tableHeader = "| Package | May import (of ours) |"

// renderTable prints the table as docs/architecture.md must have it.
func renderTable(table []row) string {
	lines := []string{tableHeader, "|---|---|"}
	for _, r := range table {
		var may []string
		for _, pkg := range r.may {
			may = append(may, tableName(pkg))
		}
		if len(may) == 0 {
			may = []string{"nothing"}
		}
		lines = append(lines, fmt.Sprintf("| %s | %s |", tableName(r.pkg), strings.Join(may, ", ")))
	}
	return strings.Join(lines, "\n")
}

func tableName(pkg string) string {
	if pkg == root || pkg == everything {
		return pkg
	}
	return "`" + pkg + "`"
}

// documentedTable cuts the table out of the text of docs/architecture.md.
func documentedTable(text string) string {
	var table []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		switch {
		case line == tableHeader, len(table) > 0 && strings.HasPrefix(line, "|"):
			table = append(table, line)
		case len(table) > 0:
			return strings.Join(table, "\n")
		}
	}
	return strings.Join(table, "\n")
}

// checkDocument compares the table of the documentation with the one that is checked.
func checkDocument(text string, table []row) []string {
	want, got := strings.Split(renderTable(table), "\n"), strings.Split(documentedTable(text), "\n")
	var found []string
	for _, line := range want {
		if !slices.Contains(got, line) {
			found = append(found, "docs/architecture.md lacks this line of the import table: "+line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			found = append(found, "docs/architecture.md has a line that is not in the import table: "+line)
		}
	}
	if len(found) == 0 && !slices.Equal(got, want) {
		found = append(found, "docs/architecture.md has the lines of the import table in another order, or one of them twice")
	}
	return found
}

func TestArchitecture(t *testing.T) {
	t.Parallel()
	sources, err := readSources(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range []struct {
		name  string
		found []string
	}{
		{"imports", checkImports(sources, importTable)},
		{"table", checkTable(importTable)},
		{"document", checkDocument(string(document), importTable)},
		{"outside", checkOutside(sources, outside)},
		{"sizes", checkSizes(sources)},
		{"names", checkNames(sources)},
		{"inits", checkInits(sources)},
	} {
		t.Run(check.name, func(t *testing.T) {
			t.Parallel()
			for _, violation := range check.found {
				t.Error(violation)
			}
		})
	}
}
