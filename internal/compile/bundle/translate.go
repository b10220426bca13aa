package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// The names under which a file may import what Toolsmith supplies; they are one module.
const (
	moduleName    = "toolsmith"
	moduleNameToo = "@taskyon/taskyon/api"
)

// exports is what the module has.
var exports = [...]string{
	"createTool", "createClientTool", "toolCall", "message", "structured", "returns", "failure", "previous",
	"createSubtasksResult", "isSubtasksResult", "ToolsmithError",
}

const (
	// sourceName stands for the name of the file while it is translated: the true one could hold
	// anything, and part of it gets into the script.
	sourceName = "source"
	// shimName is what the source map calls the module.
	shimName = "toolsmith:module"
	// lastComment follows each source. The translator follows the last comment of this kind to a
	// source map, in a file if it names one, and would show what the file holds: so the last one
	// is ours, and leads nowhere.
	lastComment = "//# sourceMappingURL=none:none"
	// maxScript is how large a script may be together with its map, in bytes.
	maxScript = 8 << 20
)

// translate is the work of the child.
func translate(file string, source []byte) answer {
	source = bytes.TrimPrefix(source, []byte(byteOrderMark))
	text := string(source) + "\n" + lastComment
	if strings.HasPrefix(text, "#!") {
		text = "//" + text[2:] // it would stay in front of the script
	}
	result := api.Build(options(file, text, imports))
	if len(result.Errors) > 0 {
		result.Errors = append(result.Errors, unlinked(file, text, result.Errors)...)
	}
	r := reader{source: source}
	a := answer{Protocol: protocol, Errors: r.problems(result.Errors), Warnings: r.problems(result.Warnings)}
	if len(a.Errors) > 0 {
		if isMarkup(file, text, result.Errors) {
			a.Errors[0].Message = noMarkup
		}
		return a
	}
	for _, out := range result.OutputFiles {
		if path.Ext(out.Path) == ".map" {
			a.Map = renamed(out.Contents, file)
		} else {
			a.Script = out.Contents
		}
	}
	if bytes.Contains(a.Script, []byte(requireStub)) {
		return answer{Protocol: protocol, Errors: []Problem{r.requires()}}
	}
	if len(a.Script)+len(a.Map) > maxScript {
		return answer{Protocol: protocol, Errors: []Problem{*tooMuch()}}
	}
	return a
}

// loader says which language a file is written in.
func loader(file string) api.Loader {
	switch strings.ToLower(path.Ext(file)) {
	case ".js", ".mjs":
		return api.LoaderJS
	}
	return api.LoaderTS
}

func options(file, text string, imports func(api.PluginBuild)) api.BuildOptions {
	return api.BuildOptions{
		Bundle: true,
		Stdin:  &api.StdinOptions{Contents: text, Sourcefile: sourceName, Loader: loader(file)},
		// An output needs a name; it is written nowhere.
		Outfile:     "script.js",
		TsconfigRaw: "{}", // so that none is looked for
		Plugins:     []api.Plugin{{Name: moduleName, Setup: imports}},

		Format: api.FormatIIFE,
		// What a module is anyhow, and a script only if it says so.
		Banner:   map[string]string{"js": `"use strict";`},
		Platform: api.PlatformNeutral,
		Target:   api.ES2023,
		Charset:  api.CharsetUTF8,
		// Whoever declares a tool does not use what createTool gives.
		TreeShaking:       api.TreeShakingFalse,
		IgnoreAnnotations: true,
		LegalComments:     api.LegalCommentsInline,
		Sourcemap:         api.SourceMapExternal,
		SourcesContent:    api.SourcesContentExclude,

		LogLevel: api.LogLevelSilent,
		LogOverride: map[string]api.LogLevel{
			"empty-import-meta":          api.LogLevelError,
			"import-is-undefined":        api.LogLevelError,
			"indirect-require":           api.LogLevelError,
			"unsupported-dynamic-import": api.LogLevelError,
			"unsupported-require-call":   api.LogLevelError,
		},
	}
}

// imports is the plugin that answers whatever a file imports, so that nothing is looked for on
// a disk.
func imports(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		known := a.Path == moduleName || a.Path == moduleNameToo
		if known && a.Kind == api.ResolveJSImportStatement && len(a.With) == 0 {
			return api.OnResolveResult{Path: "module", Namespace: moduleName}, nil
		}
		return api.OnResolveResult{Errors: []api.Message{{Text: refusal(a, known)}}}, nil
	})
	supply(build)
}

// supply is the part of the plugin that answers with the module.
func supply(build api.PluginBuild) {
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: moduleName}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
		text := "export const { " + strings.Join(exports[:], ", ") + " } = globalThis.__toolsmith"
		return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
	})
}

// unlinked gives the errors about names of the module that are only looked at when nothing is
// wrong with the imports themselves, which is what all the errors given have to be about: for
// once, everything can be imported and has every name.
func unlinked(file, text string, errors []api.Message) []api.Message {
	for _, m := range errors {
		if said(m).Code != CodeImport {
			return nil
		}
	}
	o := options(file, text, func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			if a.Path == moduleName || a.Path == moduleNameToo {
				return api.OnResolveResult{Path: "module", Namespace: moduleName}, nil
			}
			return api.OnResolveResult{Path: "any", Namespace: "any"}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "any"}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			text := "module.exports = {}"
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
		})
		supply(build)
	})
	o.LogOverride = map[string]api.LogLevel{"import-is-undefined": api.LogLevelError}
	var found []api.Message
	for _, m := range api.Build(o).Errors {
		if said(m).Code == CodeImport && !strings.HasPrefix(m.Text, "Could not resolve ") {
			found = append(found, m)
		}
	}
	return found
}

const howToImport = `import { createTool } from "toolsmith"`

// refusal says why something is not imported.
func refusal(a api.OnResolveArgs, known bool) string {
	name := cut(a.Path, 200)
	switch a.Kind {
	default:
	case api.ResolveJSRequireCall:
		return fmt.Sprintf("require(%q) cannot be used. A tool imports at its top, and only from Toolsmith: %s.", name, howToImport)
	case api.ResolveJSRequireResolve:
		return fmt.Sprintf("require.resolve(%q) cannot be used: a tool has no files beside it.", name)
	case api.ResolveJSDynamicImport:
		return fmt.Sprintf("import(%q) cannot be used. A tool imports at its top, and only from Toolsmith: %s.", name, howToImport)
	}
	if known {
		return fmt.Sprintf("%q is imported without attributes: %s.", name, howToImport)
	}
	return fmt.Sprintf("%q cannot be imported. A tool is one file, and imports only from %q (or %q); put into the file what it needs.", name, moduleName, moduleNameToo)
}

const noMarkup = "This looks like JSX, which a tool cannot hold: it has no page to show it on."

// isMarkup reports whether a text with an error would have none with JSX.
func isMarkup(file, text string, errors []api.Message) bool {
	if len(errors) != 1 || errors[0].PluginName != "" || !strings.Contains(text, "</") && !strings.Contains(text, "/>") {
		return false
	}
	with := map[api.Loader]api.Loader{api.LoaderTS: api.LoaderTSX, api.LoaderJS: api.LoaderJSX}[loader(file)]
	return len(api.Transform(text, api.TransformOptions{Loader: with, JSX: api.JSXPreserve, TsconfigRaw: "{}", LogLevel: api.LogLevelSilent}).Errors) == 0
}

// sourceMap is a source map without the texts of its sources.
type sourceMap struct {
	Version  int      `json:"version"`
	Sources  []string `json:"sources"`
	Names    []string `json:"names"`
	Mappings string   `json:"mappings"`
}

// renamed gives the source map with the name of the file in it; none if it cannot be read,
// since without it a script runs as well.
func renamed(text []byte, file string) []byte {
	var m sourceMap
	if err := json.Unmarshal(text, &m); err != nil {
		return nil
	}
	for i, source := range m.Sources {
		if source == sourceName {
			m.Sources[i] = file
		}
	}
	out, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return out
}
