// Package compile makes coded tools of the source of a file: it has the file bundled into one
// script, and the script loaded in the sandbox to see which tools it declares. Whatever the
// author can mend comes out as diagnostics with places in the source. Whether what a tool
// declares is allowed is not asked here: that is the check, which comes next.
package compile

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolsmith/internal/coded"
	"toolsmith/internal/compile/bundle"
	"toolsmith/internal/manifest"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// The codes of diagnostics, beside those of packages bundle and script.
const (
	CodeNoTool  = "SCRIPT_NO_TOOL"
	CodeTooMany = "SCRIPT_TOO_MANY"
)

// MaxTools is how many tools one file may declare.
const MaxTools = 32

// maxMessage is how much is shown of what a script says when it fails, in bytes.
const maxMessage = 4 << 10

// Options are what a Compiler works with. All have to be given.
type Options struct {
	Bundle *bundle.Bundler
	// Load runs the top level of a script and gives what it declares; Load of a script.Runner
	// does.
	Load func(ctx context.Context, script, sourceMap []byte) ([]script.Declared, error)
}

// Compiler makes tools of files. It may be used from many goroutines, and keeps nothing.
type Compiler struct {
	options Options
}

// New makes a Compiler.
func New(o Options) *Compiler { return &Compiler{options: o} }

// IsSource reports whether a file, by its name, is one that tools can be made of: TypeScript or
// JavaScript, but no declarations of types and nothing with JSX.
func IsSource(file string) bool {
	name := strings.ToLower(filepath.Base(file))
	switch filepath.Ext(name) {
	case ".ts", ".mts":
		stem := strings.TrimSuffix(name, filepath.Ext(name))
		return !strings.HasSuffix(stem, ".d")
	case ".js", ".mjs":
		return true
	}
	return false
}

// Compile makes the tools of a file, in the order in which they are declared; there are none if
// a diagnostic is an error. Diagnostics are complete, those of the text in its order, those of
// the tools in theirs. Of a place in the source, Path is "$", and of one in a declaration the path
// there. The error is none of the author's: the context has ended, or something of ours failed.
func (c *Compiler) Compile(ctx context.Context, file string, source []byte) ([]coded.Tool, []manifest.Diagnostic, error) {
	file = filepath.Base(file)
	source = slices.Clone(source)
	out, problems, err := c.options.Bundle.Bundle(ctx, file, source)
	if err != nil {
		return nil, nil, fmt.Errorf("compile: %w", err)
	}
	found := ofProblems(problems, out.Warnings)
	if len(problems) > 0 {
		return nil, found, nil
	}
	declared, err := c.options.Load(ctx, out.Script, out.Map)
	if err != nil {
		d, ok := ofFailure(ctx, err, text{file, source})
		if !ok {
			return nil, nil, fmt.Errorf("load %q: %w", file, err)
		}
		return nil, append(found, d), nil
	}
	tools, wrong := assemble(declared, text{file, source})
	if len(wrong) > 0 {
		return nil, append(found, wrong...), nil
	}
	for i := range tools {
		tools[i].Script, tools[i].SourceMap = out.Script, out.Map
	}
	return tools, found, nil
}

// ofProblems puts what the bundler found in the order of the text.
func ofProblems(problems, warnings []bundle.Problem) []manifest.Diagnostic {
	var found []manifest.Diagnostic
	add := func(level manifest.Level, list []bundle.Problem) {
		for _, p := range list {
			// What has no place is about the file, and is shown at its beginning; it is last.
			found = append(found, manifest.Diagnostic{Level: level, Code: p.Code, Path: "$", Message: p.Message, Line: p.Line, Column: p.Column})
		}
	}
	add(manifest.LevelError, problems)
	add(manifest.LevelWarning, warnings)
	slices.SortStableFunc(found, byPlace)
	for i := range found {
		found[i].Line, found[i].Column = max(1, found[i].Line), max(1, found[i].Column)
	}
	return found
}

// ofFailure makes a diagnostic of why a script could not be loaded, if it is one of the author's.
func ofFailure(ctx context.Context, err error, t text) (manifest.Diagnostic, bool) {
	var failed *tool.Error
	if ctx.Err() != nil || !errors.As(err, &failed) {
		return manifest.Diagnostic{}, false
	}
	message, line, column := t.placed(cut(failed.Message, maxMessage))
	if failed.Code == script.CodeLoadFailed {
		message = "The file failed while it was loaded: " + message
	}
	d := manifest.Diagnostic{Level: manifest.LevelError, Code: failed.Code, Path: "$", Message: message, Line: line, Column: column}
	if strings.HasPrefix(failed.Field, "$") {
		d.Path = failed.Field
	}
	return d, true
}

// assemble makes the tools of what a file declares, as far as nothing is wrong with them.
func assemble(declared []script.Declared, t text) ([]coded.Tool, []manifest.Diagnostic) {
	var wrong []manifest.Diagnostic
	at := func(code, path string, line, column int, format string, args ...any) {
		wrong = append(wrong, manifest.Diagnostic{Level: manifest.LevelError, Code: code, Path: path, Message: fmt.Sprintf(format, args...), Line: line, Column: column})
	}
	switch {
	case len(declared) == 0:
		at(CodeNoTool, "$", 1, 1, `The file declares no tool. A tool is declared so: import { createTool } from "toolsmith", and then createTool({ name, description, parameters, async function(arguments, context) { … } }).`)
		return nil, wrong
	case len(declared) > MaxTools:
		line, column := t.placeOf(declared, MaxTools)
		at(CodeTooMany, "$", line, column, "The file declares %d tools, and a file may declare %d. Put the others into another file.", len(declared), MaxTools)
		return nil, wrong
	}
	tools := make([]coded.Tool, 0, len(declared))
	first := map[string]int{}
	for i, d := range declared {
		line, column := t.placeOf(declared, i)
		before, again := first[d.Name]
		name := cut(d.Name, maxName)
		switch {
		case d.Name == "":
			at(script.CodeDeclarationInvalid, "$.name", line, column, "Tool %d of the file has no name that is a text.", i+1)
		case again:
			at(script.CodeDeclarationInvalid, "$.name", line, column, "Tools %d and %d of the file are both called %q. Give each a name of its own.", before+1, i+1, name)
		default:
			first[d.Name] = i
		}
		if !d.HasFunction {
			at(script.CodeDeclarationInvalid, "$.function", line, column, "Tool %d of the file, %q, has no function. Add: async function(arguments, context) { … }.", i+1, name)
		}
		declaration, err := canonical(d.Declaration)
		if err != nil {
			at(script.CodeDeclarationInvalid, "$", line, column, "What tool %d of the file, %q, declares cannot be kept as JSON: %v", i+1, name, err)
		}
		tools = append(tools, coded.Tool{Name: d.Name, File: t.file, Line: line, Column: column, Source: t.source, Declaration: declaration})
	}
	return tools, wrong
}

// canonical gives a declaration as it is kept.
func canonical(declaration []byte) ([]byte, error) {
	v, err := value.Decode(declaration)
	if err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	if _, ok := v.(map[string]any); !ok {
		return nil, errors.New("It is no object.")
	}
	return value.AppendCanonical(nil, v), nil
}
