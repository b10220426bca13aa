package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolsmith/internal/check"
	"toolsmith/internal/compile"
	"toolsmith/internal/compile/bundle"
	"toolsmith/internal/engine"
	"toolsmith/internal/manifest"
	"toolsmith/internal/registry"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/store/sqlite"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// newScripts makes what runs tools in code. It lasts as long as the process.
func (a *app) newScripts() *script.Runner {
	return script.New(script.Options{Engine: quickjs.New(quickjs.Options{CacheDir: a.cacheFolder()}), Trace: a.scriptTrace()})
}

// cacheFolder is where the machine code of the sandbox is kept between processes: in the data folder,
// or where TOOLSMITH_CACHE says; "" for nowhere.
func (a *app) cacheFolder() string {
	if path := os.Getenv("TOOLSMITH_CACHE"); path != "" {
		return sqlite.PrivateFolder(path)
	}
	return sqlite.CacheFolder(a.folder())
}

// scriptTrace writes what tools in code ask of their context into the log, where
// TOOLSMITH_SCRIPT_TRACE is 1; nil for nobody.
func (a *app) scriptTrace() func(line string) {
	if os.Getenv("TOOLSMITH_SCRIPT_TRACE") != "1" {
		return nil
	}
	log := a.log()
	return func(line string) { log.Info("script", "did", line) }
}

// ownProgram is the path by which this program starts itself. On Linux it leads to what runs, also
// when the file was replaced meanwhile.
func ownProgram() string {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running
	}
	if program, err := os.Executable(); err == nil {
		return program
	}
	return os.Args[0]
}

// newSources makes what checks files. This program is also the one that translates code.
func (a *app) newSources() *compile.Checker {
	return compile.NewChecker(compile.New(compile.Options{
		Bundle: bundle.New(bundle.Options{Command: []string{ownProgram(), bundle.ChildArgument}}),
		Load: func(ctx context.Context, text, sourceMap []byte) ([]script.Declared, error) {
			return a.scripts().Load(ctx, text, sourceMap)
		},
	}), a.catalogue)
}

// fileFlags say how the file of a command is to be read, and which of its tools is meant.
type fileFlags struct {
	// language of a text whose name does not say it: "ts" or "js"; "" where the name does.
	language string
	// tool is the name of one of several that a file declares; "" for the only one.
	tool string
}

// languageFlag adds the flag that says the language of a text.
func (g *fileFlags) languageFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&g.language, "language", "", "the `LANGUAGE` of the file, ts or js, whatever its name says; for standard input")
	_ = cmd.RegisterFlagCompletionFunc("language", cobra.FixedCompletions([]string{"ts", "js"}, cobra.ShellCompDirectiveNoFileComp)) // there is the flag
}

// toolFlag adds the flag that says which tool of a file is meant.
func (g *fileFlags) toolFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&g.tool, "tool", "", "the `NAME` of the tool, where the file declares several")
}

// fileName is the name of a file for those who check it: its ending says what it is, and "" is a
// manifest.
func (g fileFlags) fileName(path string) (string, error) {
	name := filepath.Base(path)
	if path == "-" {
		name = ""
	}
	switch g.language {
	case "ts", "js":
		if name == "" {
			return "stdin." + g.language, nil
		}
		return strings.TrimSuffix(name, filepath.Ext(name)) + "." + g.language, nil
	case "":
	default:
		return "", usage("--language is ts or js; this is %q", g.language)
	}
	if otherCode(name) {
		return "", usage("%s: a tool is written in a .ts, .mts, .js or .mjs file, which holds all of it", visible.Line(path))
	}
	return name, nil
}

// otherCode reports whether a name is that of code of a kind that no tool is written in.
func otherCode(name string) bool {
	lower := strings.ToLower(name)
	return slices.Contains([]string{".tsx", ".jsx", ".cts", ".cjs"}, filepath.Ext(lower)) || !compile.IsSource(name) && filepath.Ext(lower) == ".ts"
}

// readFile reads a manifest or the source of tools from a file, or from standard input for "-",
// and gives its name for those who check it. What is longer than allowed is cut behind that, so
// that the check can tell.
func (a *app) readFile(path string, g fileFlags) (name string, text []byte, err error) {
	if name, err = g.fileName(path); err != nil {
		return "", nil, err
	}
	most := int64(64 << 10) // of a manifest
	if compile.IsSource(name) {
		most = bundle.MaxSource
	}
	text, err = a.readBounded(path, most+1, true)
	return name, text, err
}

// sourceFile is what a file declares.
type sourceFile struct {
	// tools are in the order of the file; none where something is wrong.
	tools       []*check.Checked
	diagnostics []manifest.Diagnostic
}

// openFile reads and checks a file.
func (a *app) openFile(ctx context.Context, path string, g fileFlags) (sourceFile, error) {
	name, text, err := a.readFile(path, g)
	if err != nil {
		return sourceFile{}, err
	}
	results, err := a.sources().Check(ctx, name, text)
	if err != nil {
		return sourceFile{}, err
	}
	var o sourceFile
	if len(results[0].Diagnostics) > 0 && !compile.IsSource(name) && looksLikeCode(text) {
		first := &results[0].Diagnostics[0] // such a text is no manifest
		first.Message += " If it is code, say so with: --language ts"
	}
	for _, result := range results {
		o.tools = append(o.tools, result.Tool)
		o.diagnostics = append(o.diagnostics, result.Diagnostics...)
	}
	if slices.Contains(o.tools, nil) {
		o.tools = nil
	}
	return o, nil
}

// looksLikeCode reports whether a text may be code, and is no JSON for sure.
func looksLikeCode(text []byte) bool {
	return bytes.Contains(text, []byte("createTool")) && !json.Valid(text) && !bytes.HasPrefix(bytes.TrimSpace(text), []byte{'{'})
}

// subject is the tool that a command is about to run.
type subject struct {
	tool *check.Checked
	// others are the other tools of its file.
	others []*check.Checked
	// installed tells a tool of the registry from one that is run from its file.
	installed bool
	source    string
}

// subject finds the tool that an argument means. pin asks for a tool that may run now.
func (a *app) subject(ctx context.Context, arg string, g fileFlags, pin bool) (subject, error) {
	file := looksLikeFile(arg) || g != fileFlags{}
	if file {
		if _, err := os.Stat(a.at(arg)); err == nil || arg == "-" || g != (fileFlags{}) || strings.ContainsAny(arg, `/\`) {
			return a.fromFile(ctx, arg, g)
		}
	}
	e, err := a.reading(ctx)
	if err != nil {
		return subject{}, err
	}
	s, err := installed(ctx, e, arg, pin)
	if errors.Is(err, &tool.Error{Code: registry.CodeNotFound}) && !strings.HasPrefix(arg, check.NamePrefix) {
		if _, statErr := os.Stat(a.at(arg)); statErr == nil || file {
			return a.fromFile(ctx, arg, g)
		}
	}
	return s, err
}

func (a *app) fromFile(ctx context.Context, path string, g fileFlags) (subject, error) {
	o, err := a.openFile(ctx, path, g)
	switch {
	case err != nil:
		return subject{}, err
	case o.tools == nil:
		return subject{}, &engine.InvalidError{Diagnostics: o.diagnostics}
	}
	s, names := subject{source: "from file"}, check.Names(o.tools)
	s.tool, s.others = check.Pick(o.tools, g.tool)
	switch {
	case s.tool != nil:
		return s, nil
	case g.tool == "":
		return subject{}, usage("%s declares %d tools: %s. Say which one with: --tool NAME", streamName(path), len(names), strings.Join(names, ", "))
	}
	return subject{}, usage("%s declares no tool %q. There is: %s", streamName(path), visible.Cut(g.tool, 100), strings.Join(names, ", "))
}

func installed(ctx context.Context, e *engine.Engine, name string, pin bool) (subject, error) {
	if pin {
		c, err := e.Pin(ctx, name)
		return subject{tool: c, installed: true, source: "installed, on"}, err
	}
	entry, err := e.Tool(ctx, name)
	if err != nil {
		return subject{}, err
	}
	if entry.Checked == nil {
		return subject{}, entry.Obstacle()
	}
	return subject{tool: entry.Checked, installed: true, source: sourceOf(entry)}, nil
}

// fileEndings are those of files that declare tools.
func fileEndings() []string { return []string{"talostool", "ts", "js", "mts", "mjs"} }

func completeFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return fileEndings(), cobra.ShellCompDirectiveFilterFileExt
}

// completeFilesAndTools completes the names of installed tools where some begin with what was
// typed, with the files beside them that do too; else those of files.
func (a *app) completeFilesAndTools(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if word == "" || strings.ContainsAny(word, `/\`) {
		return completeFiles(cmd, args, word)
	}
	tools, directive := a.completeTools(cmd, args, word)
	if directive == cobra.ShellCompDirectiveError {
		return completeFiles(cmd, args, word)
	}
	tools = slices.DeleteFunc(tools, func(name string) bool { return !strings.HasPrefix(name, word) })
	if len(tools) == 0 {
		return completeFiles(cmd, args, word)
	}
	inside, err := os.ReadDir(a.at("."))
	if err != nil {
		return tools, directive
	}
	for _, entry := range inside {
		name := entry.Name()
		if strings.HasPrefix(name, word) && slices.Contains(fileEndings(), strings.TrimPrefix(filepath.Ext(name), ".")) {
			tools = append(tools, name)
		}
	}
	return tools, directive
}

// looksLikeFile reports whether an argument that may be a file or a tool is a file: it
// has a separator or the ending of a file that declares tools, or is "-".
func looksLikeFile(arg string) bool {
	return arg == "-" || strings.ContainsAny(arg, `/\`) || strings.HasSuffix(arg, ".talostool") || strings.HasSuffix(arg, ".json") ||
		compile.IsSource(arg) || otherCode(arg)
}

// at is where a file is that somebody has named.
func (a *app) at(path string) string {
	if a.workdir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.workdir, path)
}

// readBounded reads at most limit bytes of a file, or of standard input for "-". With cut,
// what is longer is given cut; else it is an error.
func (a *app) readBounded(path string, limit int64, cut bool) ([]byte, error) {
	in := a.in
	if path != "-" {
		f, err := os.Open(a.at(path))
		if err != nil {
			return nil, fileError(path, err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, &codedExit{&tool.Error{Code: "FILE_UNREADABLE", Message: fmt.Sprintf("%s is a folder. Name a file in it.", visible.Line(path))}, exitUsage}
		}
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fileError(path, err)
	}
	if int64(len(text)) > limit {
		if !cut {
			return nil, &codedExit{&tool.Error{Code: "FILE_TOO_LARGE", Message: fmt.Sprintf("%s has more than %d bytes.", streamName(path), limit)}, exitUsage}
		}
		text = text[:limit]
	}
	return text, nil
}

// streamName names a file for people, standard input for "-".
func streamName(path string) string {
	if path == "-" {
		return "Standard input"
	}
	return visible.Line(path)
}

func fileError(path string, err error) error {
	reason := "it cannot be read"
	code := exitUsage
	switch {
	case errors.Is(err, os.ErrNotExist):
		reason, code = "there is no such file", exitNotFound
	case errors.Is(err, os.ErrPermission):
		reason = "you may not read it"
	}
	return &codedExit{&tool.Error{Code: "FILE_UNREADABLE", Message: fmt.Sprintf("%s: %s.", streamName(path), reason), Cause: err}, code}
}
