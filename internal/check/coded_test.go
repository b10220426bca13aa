package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
	"toolsmith/internal/coded"
	"toolsmith/internal/manifest"
	"toolsmith/tool"
)

// declared is a coded tool that declares what is given, at line 4 of its source.
func declared(declaration string) coded.Tool {
	return coded.Tool{
		Name: "digest", File: "digest.ts", Line: 4, Column: 9, Source: []byte("createTool({})"), Declaration: []byte(declaration), Script: []byte("0"),
	}
}

// plain is what has to be declared, with more behind it.
func plain(more string) coded.Tool {
	return declared(`{"name": "digest", "description": "Sums up a text.", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}` + more + `}`)
}

func TestCodedFacts(t *testing.T) {
	t.Parallel()
	text := plain(`, "title": "Digest", "result": {"type": "string"}, "network": ["API.Good.example", "http://nas.example:8080"], "secrets": ["key"],
		"calls": ["list", "digest", "disk.wipe", "shop.order"], "renderOptions": {"wide": true}`)
	result := check.Coded(text, allCapabilities)
	if !result.OK() || len(result.Diagnostics) != 0 {
		t.Fatal(result.Diagnostics)
	}
	kept := check.Kept(result.Tool.Text(), allCapabilities)
	if !kept.OK() {
		t.Fatal(kept.Diagnostics)
	}
	for _, c := range []*check.Checked{result.Tool, kept.Tool} {
		got := []any{
			c.ID(), c.Name(), c.Title(), c.Description(), c.Version(), c.Numbered(3).Version(), c.Version(), c.Hosts(), c.Credentials(), c.Scope("key"), c.Calls(), c.Manifest() == nil,
			c.Output(), c.RenderOptions(), c.Digest() == text.Digest(),
		}
		want := []any{
			"code:digest", "digest", "Digest", "Sums up a text.", int64(0), int64(3), int64(0), []string{"api.good.example", "http://nas.example:8080"}, []string{"key"},
			[]string(nil), []string{"disk.wipe", "list", "shop.order"}, true, map[string]any{"type": "string"}, map[string]any{"wide": true}, true,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the facts differ (-want +got):\n%s", diff)
		}
		if one, ok := c.Coded(); !ok || one.File != "digest.ts" {
			t.Errorf("Coded gives %v, %v", one, ok)
		}
	}
}

// TestCodedMarks come from what is asked for, and from nothing else.
func TestCodedMarks(t *testing.T) {
	t.Parallel()
	none := []string{}
	for name, c := range map[string]struct {
		more string
		want tool.Marks
	}{
		"nothing": {``, tool.Marks{Powers: []tool.Power{}, Risk: tool.R1, Reversibility: tool.ReadOnly, Capabilities: none, ModelPrivacy: none}},
		"a host": {`, "network": ["api.good.example"]`, tool.Marks{
			Powers: []tool.Power{tool.Outbound}, Risk: tool.R4, Reversibility: tool.Irreversible, Capabilities: none, ModelPrivacy: none, ReadsUntrusted: true, CanTransmit: true,
		}},
		"a secret": {`, "secrets": ["key"]`, tool.Marks{
			Powers: []tool.Power{tool.Read}, Risk: tool.R1, Reversibility: tool.ReadOnly, Capabilities: none, ModelPrivacy: none,
		}},
		"a tool": {`, "calls": ["other"]`, tool.Marks{
			Powers: []tool.Power{}, Risk: tool.R1, Reversibility: tool.ReadOnly, Capabilities: []string{"other"}, ModelPrivacy: none,
		}},
		"a write that can be undone": {`, "calls": ["shelf.put"]`, tool.Marks{
			Powers: []tool.Power{tool.Write}, Risk: tool.R2, Reversibility: tool.Compensable, Capabilities: []string{"shelf.put"}, ModelPrivacy: none,
		}},
		"a write that cannot": {`, "calls": ["shelf.put", "weather.note"]`, tool.Marks{
			Powers: []tool.Power{tool.Write}, Risk: tool.R2, Reversibility: tool.Irreversible, Capabilities: []string{"shelf.put", "weather.note"}, ModelPrivacy: none,
		}},
		"what leaves the machine": {`, "calls": ["web.get"]`, tool.Marks{
			Powers: []tool.Power{tool.Outbound}, Risk: tool.R4, Reversibility: tool.ReadOnly, Capabilities: []string{"web.get"}, ModelPrivacy: none, ReadsUntrusted: true, CanTransmit: true,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := check.Coded(plain(c.more), allCapabilities)
			if !result.OK() {
				t.Fatal(result.Diagnostics)
			}
			if diff := cmp.Diff(c.want, result.Tool.Marks()); diff != "" {
				t.Errorf("the marks differ (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCodedFaults names each field at fault; all stand where the tool is declared.
func TestCodedFaults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1001)
	for name, c := range map[string]struct {
		tool coded.Tool
		want []string // level code path: part of the message
	}{
		"nothing": {declared(`{}`), []string{
			"error DECLARATION_INVALID $.description: is missing", "error DECLARATION_INVALID $.name: is missing", "error DECLARATION_INVALID $.parameters: is missing",
		}},
		"no object":          {declared(`[]`), []string{"error DECLARATION_INVALID $: no JSON object"}},
		"no JSON":            {declared(`{`), []string{"error DECLARATION_INVALID $: no JSON object"}},
		"twice":              {plain(`, "name": "digest"`), []string{"error DECLARATION_INVALID $: no JSON object"}},
		"too large":          {plain(`, "renderOptions": {"x": "` + strings.Repeat("x", 256<<10) + `"}`), []string{"error DECLARATION_INVALID $: at most 262144"}},
		"an unknown field":   {plain(`, "networks": ["x"]`), []string{`error DECLARATION_INVALID $.networks: Did you mean "network"?`}},
		"__proto__":          {plain(`, "__proto__": {}`), []string{"error DECLARATION_INVALID $.__proto__: no field"}},
		"a function's wrong": {plain(`, "function": null`), []string{"error DECLARATION_INVALID $.function: no field"}},
		"kinds": {declared(`{"name": 1, "description": [], "parameters": "x", "title": {}, "network": "x", "secrets": {}, "calls": [1], "version": 2, "renderOptions": []}`), []string{
			"error DECLARATION_INVALID $.name: a text", "error DECLARATION_INVALID $.description: a text", "error DECLARATION_INVALID $.parameters: a JSON Schema", "error DECLARATION_INVALID $.title: a text",
			"error DECLARATION_INVALID $.network: a list of texts", "error DECLARATION_INVALID $.secrets: a list of texts", "error DECLARATION_INVALID $.calls[0]: a list of texts",
			"error DECLARATION_INVALID $.version: a text", "error DECLARATION_INVALID $.renderOptions: an object",
		}},
		"a name with a flag": {declared(`{"name": "-x", "description": "d", "parameters": {"type": "object"}}`), []string{"error DECLARATION_INVALID $.name: 1 to 64"}},
		"a foreign letter":   {declared(`{"name": "pаypal", "description": "d", "parameters": {"type": "object"}}`), []string{"error DECLARATION_INVALID $.name: Cyrillic"}},
		"a device":           {declared(`{"name": "CON", "description": "d", "parameters": {"type": "object"}}`), []string{"error DECLARATION_INVALID $.name: device"}},
		"65 characters":      {declared(`{"name": "` + strings.Repeat("a", 65) + `", "description": "d", "parameters": {"type": "object"}}`), []string{"error DECLARATION_INVALID $.name: 1 to 64"}},
		"texts":              {plain(`, "title": "a\u202Eb", "longDescription": " "`), []string{"error FORGE_TITLE $.title: U+202E", "error FORGE_DESCRIPTION $.longDescription: is empty"}},
		"a long description": {declared(`{"name": "x", "description": "` + long + `", "parameters": {"type": "object"}}`), []string{"error FORGE_DESCRIPTION $.description: at most 1000"}},
		"a version":          {plain(`, "version": "1 2"`), []string{"error DECLARATION_INVALID $.version: 1 to 64"}},
		"a wildcard": {plain(`, "network": ["*.good.example", "10.0.0.1", "api.good.example", "api.good.example"]`), []string{
			"error FORGE_DOMAIN_INVALID $.network[0]: exact DNS name", "error FORGE_DOMAIN_INVALID $.network[1]: exact DNS name", "error DECLARATION_INVALID $.network[3]: there twice",
		}},
		"a secret's name": {plain(`, "secrets": ["a b"]`), []string{"error DECLARATION_INVALID $.secrets[0]: 1 to 64"}},
		"names of calls": {plain(`, "calls": ["", "a b", "shelf.putt"]`), []string{
			"error DECLARATION_INVALID $.calls[0]: no name", "error DECLARATION_INVALID $.calls[1]: no name", `warning FORGE_CAPABILITY_UNKNOWN $.calls[2]: Did you mean "shelf.put"?`,
		}},
		"no object as parameters": {declared(`{"name": "x", "description": "d", "parameters": {"type": "array"}}`), []string{`error DECLARATION_INVALID $.parameters: type: "object"`}},
		"no type":                 {declared(`{"name": "x", "description": "d", "parameters": {}}`), []string{`error DECLARATION_INVALID $.parameters: type: "object"`}},
		"another document":        {declared(`{"name": "x", "description": "d", "parameters": {"type": "object", "$ref": "http://169.254.169.254/x"}}`), []string{"error DECLARATION_INVALID $.parameters: no JSON Schema that can be used"}},
		"look-ahead":              {plain(`, "result": {"type": "string", "pattern": "(?=x)"}`), []string{"error DECLARATION_INVALID $.result: no JSON Schema that can be used"}},
		"a large schema":          {plain(`, "result": {"type": "string", "description": "` + strings.Repeat("x", 64<<10) + `"}`), []string{"error DECLARATION_INVALID $.result: at most 65536"}},
		"a contradiction": {plain(`, "result": {"type": "string", "minLength": 3, "maxLength": 1, "default": 1}`), []string{
			"warning FORGE_SCHEMA_CONTRADICTION $.result.minLength: no value fits", "warning FORGE_SCHEMA_CONTRADICTION $.result.default: its own schema",
		}},
		"a key":            {plain(`, "renderOptions": {"x": "sk-abcdefghijklmnop1234567890"}`), []string{"error FORGE_SECRET_FOUND $.renderOptions.x: API key"}},
		"a value named so": {plain(`, "renderOptions": {"password": "hunter2"}`), []string{"error FORGE_SECRET_FOUND $.renderOptions.password: named like a secret"}},
		"an argument":      {plain(`, "result": {"type": "object", "properties": {"password": {"type": "string"}}}`), []string{"warning FORGE_SECRET_FOUND $.result.properties.password: read them with getSecret"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := check.Coded(c.tool, allCapabilities)
			got := result.Diagnostics
			if len(got) != len(c.want) {
				t.Fatalf("there are %d diagnostics, want %d: %v", len(got), len(c.want), got)
			}
			for i, d := range got {
				start, part, _ := strings.Cut(c.want[i], ": ")
				if said := fmt.Sprintf("%s %s %s", d.Level, d.Code, d.Path); said != start || !strings.Contains(d.Message, part) {
					t.Errorf("diagnostic %d is %s: %s; want %s", i, said, d.Message, c.want[i])
				}
				if (d.Line != 4 || d.Column != 9) && d.Line != 1 {
					t.Errorf("diagnostic %d stands at %d:%d", i, d.Line, d.Column)
				}
				if strings.Contains(d.Message, "hunter2") || strings.Contains(d.Message, "abcdefghijklmnop") {
					t.Errorf("diagnostic %d shows the secret: %s", i, d.Message)
				}
			}
			if result.OK() != !manifest.HasErrors(got) {
				t.Errorf("OK is %v with %v", result.OK(), got)
			}
		})
	}
}

func TestKeptTextsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	whole := plain("").Text()
	result := check.Kept(whole[:len(whole)-1], allCapabilities)
	if result.OK() || len(result.Diagnostics) != 1 || result.Diagnostics[0].Code != check.CodeDeclaration {
		t.Errorf("a kept text that is cut off gives %v", result.Diagnostics)
	}
	if result := check.Run(whole, allCapabilities); result.OK() {
		t.Error("a coded tool was taken for a manifest")
	}
}

func TestSecretsInASource(t *testing.T) {
	t.Parallel()
	source := "const a = 1\nconst key = 'sk-abcdefghijklmnop1234567890'\n// needs bearer authentication\nconst k2 = \"ghp_abcdefghijklmnopqrstuvwxyz0123456789\"\n"
	var got []string
	for _, d := range check.Source([]byte(source)) {
		got = append(got, fmt.Sprintf("%d:%d %s", d.Line, d.Column, d.Code))
		if strings.Contains(d.Message, "abcdef") {
			t.Errorf("the message shows the secret: %s", d.Message)
		}
	}
	if want := []string{"2:13 FORGE_SECRET_FOUND", "4:12 FORGE_SECRET_FOUND"}; !slices.Equal(got, want) {
		t.Errorf("found %q; want %q", got, want)
	}
	if clean := check.Source([]byte("export const x = 1\n")); len(clean) != 0 {
		t.Errorf("found %v in a clean source", clean)
	}
}

func FuzzCoded(f *testing.F) {
	f.Add([]byte(plain(`, "calls": ["x"]`).Declaration))
	f.Add([]byte(`{"name": 1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		result := check.Coded(declared(string(text)), allCapabilities)
		if result.OK() {
			if again := check.Kept(result.Tool.Text(), allCapabilities); !again.OK() {
				t.Errorf("%s is accepted, and not any more once it is kept: %v", text, again.Diagnostics)
			}
		}
	})
}
