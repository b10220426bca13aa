package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// whole is a manifest that has every field of the format, some of them twice where they
// may be written in two ways.
const whole = `{
  "schema": "talos.local-tool.v1",
  "id": "whole-tool",
  "version": 3,
  "title": "Whole",
  "description": "Has every field.",
  "createdAt": "2026-11-27T16:00:00.5+01:00",
  "parentVersion": 2,
  "execution": "declarative-flow",
  "installScope": "device",
  "network": {"mode": "allowlist", "domains": ["api.good.example", "cdn.good.example"]},
  "credentialRequirements": [
    {"id": "the-key", "kind": "api_profile", "purpose": "To read.", "outboundScope": ["api.good.example"]},
    {"id": "the-login", "kind": "oauth_or_api_profile", "purpose": "", "outboundScope": []}
  ],
  "modelDefaults": {
    "structuredOutput": false, "minContext": 4096, "privacy": "local-preferred", "reasoning": "medium",
    "maxInputTokens": 4000, "maxOutputTokens": 500, "fallback": {"allowed": true}
  },
  "inputSchema": {
    "type": "object",
    "properties": {
      "text": {
        "type": "string", "title": "Text", "description": "Any.", "default": "x", "examples": ["a", 1],
        "enum": ["x", null], "minLength": 1, "maxLength": 5
      },
      "list": {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1e3}}
    },
    "required": ["text"],
    "additionalProperties": false
  },
  "outputSchema": {"title": "Result", "description": "What comes of it."},
  "state": {"schemaVersion": 1, "maxBytes": 262144, "fields": {"seen": {"type": "boolean"}}},
  "triggers": [
    {"id": "by-hand", "type": "manual", "enabled": true},
    {"id": "each-day", "type": "schedule", "enabled": false, "schedule": {"kind": "daily", "hour": 23, "minute": 0}},
    {"id": "often", "type": "schedule", "enabled": true, "schedule": {"kind": "interval", "minutes": 90}}
  ],
  "ui": {"kind": "summary", "title": "Done", "primaryRef": "$.output.seen", "detailRefs": ["$.state", "output.0"]},
  "flow": {
    "entry": "make",
    "maxTransitions": 64,
    "nodes": [
      {
        "id": "make", "type": "capability", "capability": "notes.create", "input": {"title": {"$ref": "$.input.text"}},
        "target": "$.note", "retry": {"maxAttempts": 2, "backoffMs": 250},
        "compensation": {"capability": "notes.delete", "input": {"id": {"$ref": "$.note.id"}}}, "next": "think"
      },
      {
        "id": "think", "type": "llm", "op": "rank", "input": ["a"], "target": "ranked",
        "requirements": {"structuredOutput": true, "reasoning": "off"}, "outputSchema": {"type": "array"}, "next": "each"
      },
      {
        "id": "each", "type": "foreach", "source": {"$ref": "$.ranked"}, "itemVar": "item", "indexVar": "at", "maxItems": 100,
        "body": [
          {"type": "set", "target": "$.last", "value": null},
          {"type": "capability", "capability": "notes.list", "input": {}, "target": "", "retry": {"maxAttempts": 1}},
          {"type": "llm", "op": "classify", "input": "x", "target": "$.kind"}
        ],
        "next": "test"
      },
      {"id": "test", "type": "if", "condition": {"left": 1, "op": "gte", "right": {"a": [1]}}, "then": "keep", "else": "stop"},
      {"id": "keep", "type": "set", "target": "$.kept", "value": [true, 1.50, {"$ref": "$.last"}], "next": "done"},
      {"id": "done", "type": "return", "value": {"$ref": "$.kept"}},
      {"id": "stop", "type": "fail", "code": "STOPPED", "message": "Nothing was kept."}
    ]
  }
}
`

// show writes diagnostics one a line: place, level, code, path and message.
func show(list []manifest.Diagnostic) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%d:%d %s %s %s %s\n", d.Line, d.Column, d.Level, d.Code, d.Path, d.Message)
	}
	return b.String()
}

// parse reads a text and gives what is said of it.
func parse(text string) (*manifest.Manifest, []manifest.Diagnostic) {
	m, found := manifest.Parse([]byte(text))
	return m, found.Sorted()
}

// wholeValue gives the whole manifest as a value that may be changed.
func wholeValue(t testing.TB) map[string]any {
	t.Helper()
	v, err := value.Decode([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}
