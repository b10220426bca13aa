package check_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// builtin holds the capabilities that every host has.
var builtin = capability.Builtin()

// allCapabilities adds what no built-in capability is: some that leave the machine, and some
// whose work cannot be taken back.
var allCapabilities = tool.NewCatalogue(slices.Concat(builtin.All(), []tool.Capability{
	{
		Name: "web.get", Power: tool.Outbound, Risk: tool.R4, Untrusted: true, Idempotent: true, URLField: "url",
		Input: json.RawMessage(`{"type": "object", "properties": {"url": {"type": "string"}}}`),
	},
	{Name: "web.post", Power: tool.Outbound, Risk: tool.R4, Untrusted: true, URLField: "url"},
	{
		Name: "weather.read", Power: tool.Outbound, Risk: tool.R2, Idempotent: true,
		Hosts: []string{"api.good.example", "cdn.good.example"},
	},
	{Name: "weather.note", Power: tool.Write, Risk: tool.R2},
	{Name: "mail.send", Power: tool.Outbound, Risk: tool.R4, Irreversible: true, Hosts: []string{"api.good.example"}},
	{Name: "disk.wipe", Power: tool.Write, Risk: tool.R4, Irreversible: true, Undo: "disk.restore"},
	{Name: "disk.restore", Power: tool.Write, Risk: tool.R4},
	{Name: "shelf.put", Power: tool.Write, Risk: tool.R2, Undo: "shelf.clear"},
	{Name: "shelf.clear", Power: tool.Write, Risk: tool.R4, Private: true, Untrusted: true},
	{Name: "shop.order", Power: tool.Outbound, Risk: tool.R4, Hosts: []string{"API.Good.example."}, Undo: "shop.cancel"},
	{Name: "shop.cancel", Power: tool.Outbound, Risk: tool.R4, Hosts: []string{"api.good.example"}},
})...)

// Texts of networks.
const (
	forbidden = `{"mode": "forbidden", "domains": []}`
	// listed allows one host.
	listed = `{"mode": "allowlist", "domains": ["api.good.example"]}`
)

// draft is a manifest in the making. What is left empty is what a small tool without
// fault has.
type draft struct {
	title, description string // as JSON texts, with their quotes
	network            string
	// more is further fields of the manifest, such as `"state": {…}`.
	more string
	// entry is the id of the first step; that of steps[0] where it is empty.
	entry string
	// steps of the flow, each on a line of its own; one that returns where there is none.
	steps []string
}

func (d draft) text() []byte {
	or := func(s, otherwise string) string {
		if s == "" {
			return otherwise
		}
		return s
	}
	if d.more != "" {
		d.more = ", " + d.more
	}
	if len(d.steps) == 0 {
		d.steps = []string{returns(`"ok"`)}
	}
	if d.entry == "" {
		_, rest, _ := strings.Cut(d.steps[0], `"id":`)
		d.entry = strings.Split(rest, `"`)[1]
	}
	return fmt.Appendf(nil, `{"schema": "talos.local-tool.v1", "id": "note-keeper", "version": 2, "createdAt": "2026-11-27T16:00:00Z",
"title": %s, "description": %s,
"parentVersion": 1, "execution": "declarative-flow", "installScope": "device", "credentialRequirements": [],
"network": %s%s,
"flow": {"entry": %q, "maxTransitions": 64, "nodes": [
%s
]}}`, or(d.title, `"Note keeper"`), or(d.description, `"Finds the notes of today."`), or(d.network, forbidden), d.more, d.entry, strings.Join(d.steps, ",\n"))
}

// flow is the text of a manifest with these steps.
func flow(steps ...string) []byte { return draft{steps: steps}.text() }

// Steps. Each is named, and leads to the step that next names.

func returns(value string) string {
	return fmt.Sprintf(`{"id": "done", "type": "return", "value": %s}`, value)
}

func sets(id, target, value, next string) string {
	return fmt.Sprintf(`{"id": %q, "type": "set", "target": %q, "value": %s, "next": %q}`, id, target, value, next)
}

// calls calls a capability; more is further fields, such as `"target": "$.found"`.
func calls(id, name, input, more, next string) string {
	if more != "" {
		more += ", "
	}
	return fmt.Sprintf(`{"id": %q, "type": "capability", "capability": %q, "input": %s, %s"next": %q}`, id, name, input, more, next)
}

// tests goes to one of two steps.
func tests(id, left, then, otherwise string) string {
	return fmt.Sprintf(`{"id": %q, "type": "if", "condition": {"left": %s, "op": "truthy"}, "then": %q, "else": %q}`, id, left, then, otherwise)
}

// repeats repeats steps without id and next.
func repeats(id, source, item, next string, body ...string) string {
	return fmt.Sprintf(`{"id": %q, "type": "foreach", "source": %s, "itemVar": %q, "maxItems": 10, "next": %q, "body": [%s]}`,
		id, source, item, next, strings.Join(body, ", "))
}

// inner makes a step of a loop's body of one of the flow.
func inner(step string) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(step), &fields); err != nil {
		panic(err)
	}
	delete(fields, "id")
	delete(fields, "next")
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// ref is a reference as a manifest writes it.
func ref(path string) string { return fmt.Sprintf(`{"$ref": %q}`, path) }

// show writes diagnostics as golden files hold them: in order, two lines each.
func show(list []manifest.Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%d:%d %s %s %s\n    %s\n", d.Line, d.Column, d.Level, d.Code, d.Path, d.Message)
	}
	return b.String()
}

// brief writes diagnostics as "code path", with "warning" before it where it is one.
func brief(list []manifest.Diagnostic) []string {
	texts := []string{}
	for _, d := range list {
		text := d.Code + " " + d.Path
		if d.Level != manifest.LevelError {
			text = string(d.Level) + " " + text
		}
		texts = append(texts, text)
	}
	return texts
}

// faults gives the errors among what a check says of a text, as brief does.
func faults(text []byte, catalogue *tool.Catalogue) []string {
	list := check.Run(text, catalogue).Diagnostics
	return brief(slices.DeleteFunc(list, func(d manifest.Diagnostic) bool { return d.Level != manifest.LevelError }))
}

// quote writes a text as JSON.
func quote(s string) string { return value.JSON(s) }
