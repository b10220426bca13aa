package manifest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// TestWhole reads a manifest that has every field: all of them arrive, with their places.
func TestWhole(t *testing.T) {
	t.Parallel()
	m, list := parse(whole)
	if m == nil || len(list) > 0 {
		t.Fatalf("the manifest has faults:\n%s", show(list))
	}
	text := func(n *value.Node) string { return whole[n.Offset:n.End] }
	steps := m.Flow.Steps
	got := map[string]any{
		"schema": m.Schema.Value(), "id": m.ID.Value(), "version": m.Version.Value(), "title": m.Title.Value(), "description": m.Description.Value(),
		"createdAt": m.CreatedAt.Value(), "parentVersion": m.ParentVersion.Value(),
		"mode": m.Network.Mode.Value(), "second domain": m.Network.Domains[1].Value(), "domains": text(m.Network.DomainsNode),
		"credential": m.Credentials[0].ID.Value(), "kind": m.Credentials[1].Kind.Value(), "purpose": m.Credentials[0].Purpose.Value(), "scope": m.Credentials[0].OutboundScope[0].Value(),
		"structured": m.ModelDefaults.StructuredOutput.Value, "context": m.ModelDefaults.MinContext.Value, "privacy": m.ModelDefaults.Privacy.Value(),
		"reasoning": m.ModelDefaults.Reasoning.Value(), "in": m.ModelDefaults.MaxInputTokens.Value, "out": m.ModelDefaults.MaxOutputTokens.Value,
		"fallback": m.ModelDefaults.FallbackAllowed.Value, "default": m.InputSchema.Get("properties").Get("text").Get("default").Text,
		"output": text(m.OutputSchema), "state version": m.State.SchemaVersion.Value, "state size": m.State.MaxBytes.Value, "state fields": text(m.State.Fields),
		"trigger": m.Triggers[0].Type.Value(), "enabled": m.Triggers[0].Enabled.Value, "no schedule": m.Triggers[0].Schedule == nil,
		"hour": m.Triggers[1].Schedule.Hour.Value, "minute": m.Triggers[1].Schedule.Minute.Ok(), "minutes": m.Triggers[2].Schedule.Minutes.Value,
		"card": m.UI.Title.Value(), "primary": m.UI.PrimaryRef.Value(), "detail": m.UI.DetailRefs[1].Value(),
		"entry": m.Flow.Entry.Value(), "transitions": m.Flow.MaxTransitions.Value(),
		"capability": steps[0].Capability.Value(), "input": text(steps[0].Input), "target": steps[0].Target.Value(), "attempts": steps[0].Retry.MaxAttempts.Value(),
		"backoff": steps[0].Retry.BackoffMs.Value(), "undo": steps[0].Compensation.Capability.Value(), "undo input": text(steps[0].Compensation.Input), "next": steps[0].Next.Value(),
		"op": steps[1].Op.Value(), "requirements": steps[1].Requirements.Structured(), "step schema": text(steps[1].OutputSchema),
		"source": text(steps[2].Source), "item": steps[2].ItemVar.Value(), "index": steps[2].IndexVar.Value(), "items": steps[2].MaxItems.Value(), "body": len(steps[2].Body),
		"inner": steps[2].Body[0].Type, "inner value": text(steps[2].Body[0].Value), "inner id": steps[2].Body[0].ID.Ok(), "inner backoff": steps[2].Body[1].Retry.BackoffMs.Ok(),
		"left": text(steps[3].Condition.Left), "compare": steps[3].Condition.Op.Value(), "right": text(steps[3].Condition.Right), "then": steps[3].Then.Value(), "else": steps[3].Else.Value(),
		"value": text(steps[4].Value), "returned": text(steps[5].Value), "code": steps[6].Code.Value(), "message": steps[6].Message.Value(),
	}
	want := map[string]any{
		"schema": "talos.local-tool.v1", "id": "whole-tool", "version": json.Number("3"), "title": "Whole", "description": "Has every field.",
		"createdAt": "2026-11-27T16:00:00.5+01:00", "parentVersion": json.Number("2"),
		"mode": "allowlist", "second domain": "cdn.good.example", "domains": `["api.good.example", "cdn.good.example"]`,
		"credential": "the-key", "kind": "oauth_or_api_profile", "purpose": "To read.", "scope": "api.good.example",
		"structured": false, "context": int64(4096), "privacy": "local-preferred",
		"reasoning": "medium", "in": int64(4000), "out": int64(500),
		"fallback": true, "default": "x",
		"output": `{"title": "Result", "description": "What comes of it."}`, "state version": int64(1), "state size": int64(262144), "state fields": `{"seen": {"type": "boolean"}}`,
		"trigger": "manual", "enabled": true, "no schedule": true,
		"hour": int64(23), "minute": true, "minutes": int64(90),
		"card": "Done", "primary": "$.output.seen", "detail": "output.0",
		"entry": "make", "transitions": json.Number("64"),
		"capability": "notes.create", "input": `{"title": {"$ref": "$.input.text"}}`, "target": "$.note", "attempts": json.Number("2"),
		"backoff": json.Number("250"), "undo": "notes.delete", "undo input": `{"id": {"$ref": "$.note.id"}}`, "next": "think",
		"op": "rank", "requirements": true, "step schema": `{"type": "array"}`,
		"source": `{"$ref": "$.ranked"}`, "item": "item", "index": "at", "items": json.Number("100"), "body": 3,
		"inner": manifest.StepSet, "inner value": "null", "inner id": false, "inner backoff": false,
		"left": "1", "compare": "gte", "right": `{"a": [1]}`, "then": "keep", "else": "stop",
		"value": `[true, 1.50, {"$ref": "$.last"}]`, "returned": `{"$ref": "$.kept"}`, "code": "STOPPED", "message": "Nothing was kept.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if m.Root.Get("flow") != m.Flow.Node || text(m.ID.Node) != `"whole-tool"` || m.Flow.NodesNode != m.Flow.Node.Get("nodes") {
		t.Error("places are lost")
	}
}

// TestOptionalFields: what may be left out may be left out, and is then not there.
func TestOptionalFields(t *testing.T) {
	t.Parallel()
	m, list := parse(`{"schema": "talos.local-tool.v1", "id": "abc", "version": 1, "title": "T", "description": "D",
"createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
"network": {"mode": "forbidden", "domains": []}, "credentialRequirements": [],
"flow": {"entry": "end", "maxTransitions": 1, "nodes": [{"id": "end", "type": "return", "value": 1}]}}`)
	if len(list) > 0 {
		t.Fatal(show(list))
	}
	if m.ParentVersion.Ok() || m.ModelDefaults != nil || m.InputSchema != nil || m.OutputSchema != nil || m.State != nil || m.Triggers != nil || m.UI != nil {
		t.Errorf("something is there: %+v", m)
	}
	if m.ModelDefaults.Structured() {
		t.Error("no requirements ask for structured output")
	}
}

// TestWrongManifestsStillGive: what is right of a manifest is there, whatever is wrong
// beside it, so that later checks can go on.
func TestWrongManifestsStillGive(t *testing.T) {
	t.Parallel()
	m, list := parse(`{"id": 7, "title": "T", "network": {"mode": "allowlist", "domains": ["a.b", 7, "c.d"]}, "credentialRequirements": [1, {"id": "abc"}],
"triggers": ["x", {"id": "day", "schedule": {"kind": "daily", "hour": "7"}}], "state": {"fields": {"a": {}, "b": 1}, "maxBytes": 1.5},
"ui": {"title": "U", "primaryRef": "$.a b", "detailRefs": ["$.x", "..$", "$.y"]}, "inputSchema": [],
"flow": {"entry": "one", "maxTransitions": "8", "nodes": [
 {"id": "one", "type": "set", "next": "two", "extra": 1},
 {"id": "two", "type": "unknown"},
 {"id": "six", "type": "foreach", "body": [{"type": "if"}, 5, {"type": "set", "target": "a", "value": 1}]},
 7]}}`)
	if m == nil {
		t.Fatal("there is no manifest")
	}
	if !manifest.HasErrors(list) {
		t.Error("there are no errors")
	}
	steps := m.Flow.Steps
	got := map[string]any{
		"id": m.ID.Ok(), "title": m.Title.Value(), "domains": []string{m.Network.Domains[0].Value(), m.Network.Domains[1].Value()},
		"credentials": len(m.Credentials), "credential": m.Credentials[0].ID.Value(), "triggers": len(m.Triggers), "trigger": m.Triggers[0].ID.Value(),
		"hour": m.Triggers[0].Schedule.Hour.Ok(), "fields": m.State.Fields != nil, "bytes": m.State.MaxBytes.Ok(),
		"card": m.UI.Title.Value(), "primary": m.UI.PrimaryRef.Ok(), "details": len(m.UI.DetailRefs), "input": m.InputSchema,
		"entry": m.Flow.Entry.Value(), "transitions": m.Flow.MaxTransitions.Ok(), "steps": len(steps),
		"first": steps[0].ID.Value(), "first type": steps[0].Type, "first next": steps[0].Next.Value(), "first value": steps[0].Value,
		"second": steps[1].ID.Value(), "second type": steps[1].Type, "body": len(steps[2].Body),
		"body types": []manifest.StepType{steps[2].Body[0].Type, steps[2].Body[1].Type, steps[2].Body[2].Type}, "last": steps[3].ID.Ok(),
	}
	want := map[string]any{
		"id": false, "title": "T", "domains": []string{"a.b", "c.d"},
		"credentials": 1, "credential": "abc", "triggers": 1, "trigger": "day",
		"hour": false, "fields": true, "bytes": false,
		"card": "U", "primary": false, "details": 2, "input": (*value.Node)(nil),
		"entry": "one", "transitions": false, "steps": 4,
		"first": "one", "first type": manifest.StepSet, "first next": "two", "first value": (*value.Node)(nil),
		"second": "two", "second type": manifest.StepType(""), "body": 3,
		"body types": []manifest.StepType{"", "", manifest.StepSet}, "last": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestUnreadable: of a text that is no JSON object there is nothing to go on with.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                              "1:1 error FORGE_MANIFEST_STRUCTURE $ The text is empty.",
		"  \n ":                         "2:2 error FORGE_MANIFEST_STRUCTURE $ The text is empty.",
		`{`:                             "1:2 error FORGE_MANIFEST_STRUCTURE $ The text ends too early",
		`null`:                          "1:1 error FORGE_MANIFEST_STRUCTURE $ A manifest is one JSON object, { … }; this is null.",
		`[]`:                            "1:1 error FORGE_MANIFEST_STRUCTURE $ A manifest is one JSON object, { … }; this is a list.",
		` "text"`:                       "1:2 error FORGE_MANIFEST_STRUCTURE $ A manifest is one JSON object, { … }; this is a text.",
		`7`:                             "1:1 error FORGE_MANIFEST_STRUCTURE $ A manifest is one JSON object, { … }; this is a number.",
		`true`:                          "1:1 error FORGE_MANIFEST_STRUCTURE $ A manifest is one JSON object, { … }; this is true or false.",
		whole + `}`:                     "69:1 error FORGE_MANIFEST_STRUCTURE $ Something follows the end",
		whole + whole:                   "69:1 error FORGE_MANIFEST_STRUCTURE $ Something follows the end",
		"\ufeff" + whole:                "1:1 error FORGE_MANIFEST_STRUCTURE $ The text begins with a byte order mark.",
		`{"version": NaN}`:              "1:13 error FORGE_MANIFEST_STRUCTURE $ JSON has no NaN and no Infinity.",
		`{"version": -Infinity}`:        "1:13 error FORGE_MANIFEST_STRUCTURE $ JSON has no NaN and no Infinity.",
		"{\"title\": \"ä\", \"a\": x}":  "1:21 error FORGE_MANIFEST_STRUCTURE $ This has to be a value",
		strings.Repeat("[", 10_000):     "1:65 error FORGE_MANIFEST_STRUCTURE $ Lists and objects are nested deeper than 64.",
		strings.Repeat(`{"a":`, 10_000): "1:321 error FORGE_MANIFEST_STRUCTURE $ Lists and objects are nested deeper than 64.",
		strings.Repeat(" ", 65_537):     "1:1 error FORGE_MANIFEST_TOO_LARGE $ A manifest has at most 65536 bytes (64 KiB); this has more.",
		strings.Repeat(" ", 65_538):     "1:1 error FORGE_MANIFEST_TOO_LARGE $ A manifest has at most 65536 bytes (64 KiB); this has 65538.",
		strings.Repeat("[", 1_000_000):  "1:1 error FORGE_MANIFEST_TOO_LARGE $ A manifest has at most 65536 bytes (64 KiB); this has 1000000.",
	} {
		m, list := parse(text)
		if m != nil || len(list) != 1 || !strings.HasPrefix(show(list), want) {
			t.Errorf("%.40q: a manifest: %v, got %swant %s", text, m != nil, show(list), want)
		}
	}
	if m, list := parse(whole + strings.Repeat("\n", manifest.MaxSize-len(whole))); m == nil || len(list) > 0 {
		t.Errorf("64 KiB are refused: %s", show(list))
	}
}

// TestDoubledHidesNothing: a field that is given twice does not stand for one that is
// missing.
func TestDoubledHidesNothing(t *testing.T) {
	t.Parallel()
	for old, c := range map[string]struct{ double, missing string }{
		`"title": "Whole"`:                      {`"id": "again"`, "$.title"},
		`"domains": ["api.good.example", "cdn.`: {`"mode": "forbidden", "x": ["cdn.`, "$.network.domains"},
		`"entry": "make"`:                       {`"nodes": []`, "$.flow.entry"},
		`"value": {"$ref": "$.kept"}`:           {`"id": "again"`, "$.flow.nodes[5].value"},
		`"code": "STOPPED"`:                     {`"type": "fail"`, "$.flow.nodes[6].code"},
	} {
		_, list := parse(strings.Replace(whole, old, c.double, 1))
		all := show(list)
		if !strings.Contains(all, "is given twice") || !strings.Contains(all, " "+c.missing+" Required field") {
			t.Errorf("%s for %s:\n%s", c.double, c.missing, all)
		}
	}
}

// TestPassableProblems: problems of a text that can be read on are reported beside the
// others, at their fields.
func TestPassableProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, want string }{
		{`"title": "Whole"`, "\"title\": \"Wh\xffle\"", "5:12 error FORGE_MANIFEST_STRUCTURE $.title This text holds bytes that are not UTF-8."},
		{`"title": "Whole"`, "\"title\": \"Wh\xed\xa0\x80le\"", "5:12 error FORGE_MANIFEST_STRUCTURE $.title This text holds bytes that are not UTF-8."},
		{`"title": "Whole"`, "\"title\": \"a\", \"title\": \"b\"", `5:17 error FORGE_MANIFEST_STRUCTURE $.title This field is given twice.`},
		{`"hour": 23`, `"hour": 23, "hour": 24`, `36:104 error FORGE_MANIFEST_STRUCTURE $.triggers[1].schedule.hour This field is given twice.`},
		{`"hour": 23`, `"hour": 23, "\u0068our": 24`, `36:104 error FORGE_MANIFEST_STRUCTURE $.triggers[1].schedule.hour This field is given twice.`},
		{`1.50`, `1e400`, "63:73 error FORGE_MANIFEST_STRUCTURE $.flow.nodes[4].value[1] This number is outside"},
		{`{"a": [1]}`, `{"a": {"b": {"c": {"d": {"e": 1, "e": 2}}}}}`, `62:116 error FORGE_MANIFEST_STRUCTURE $.flow.nodes[3].condition.right.a.b.c.d.e This field is given twice.`},
		{`"ui": {`, `"Id": 1, "ui": {`, `39:3 error FORGE_MANIFEST_STRUCTURE $.Id Unknown field "Id" in the manifest.`},
		{`"ui": {`, `"\u212aind": 1, "ui": {`, "39:3 error FORGE_MANIFEST_STRUCTURE $[\"\u212aind\"] Unknown field \"\u212aind\" in the manifest."},
		{`"ui": {`, `"\u017fchema": 1, "ui": {`, `39:3 error FORGE_MANIFEST_STRUCTURE $["ſchema"] Unknown field "ſchema" in the manifest.`},
		{`"ui": {`, `"id\u0000x": 1, "ui": {`, `39:3 error FORGE_MANIFEST_STRUCTURE $["id\u0000x"] Unknown field "id\u0000x" in the manifest.`},
		{`"ui": {`, `"__proto__": {}, "ui": {`, `39:3 error FORGE_MANIFEST_STRUCTURE $.__proto__ Unknown field "__proto__" in the manifest.`},
	} {
		m, list := parse(strings.Replace(whole, c.old, c.new, 1))
		if m == nil || len(list) != 1 || !strings.HasPrefix(show(list), c.want) {
			t.Errorf("%s: got %s want %s", c.new, show(list), c.want)
		}
	}
}
