package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

type (
	object = map[string]any
	array  = []any
)

// drawTool draws a manifest without fault: a flow of up to nine steps that lead onwards
// only, with some of the other fields.
func drawTool(t *rapid.T) object {
	n := rapid.IntRange(0, 8).Draw(t, "steps")
	steps := array{}
	for i := range n {
		onward := func(label string) string { return stepID(rapid.IntRange(i+1, n).Draw(t, label), n) }
		steps = append(steps, drawStep(t, i, onward))
	}
	steps = append(steps, object{"id": "done", "type": "return", "value": object{"$ref": "$"}})
	doc := object{
		"schema": "talos.local-tool.v1", "id": "drawn-tool", "version": value.Int(3), "title": "Drawn", "description": "Was drawn.",
		"createdAt": "2026-11-27T16:00:00+01:00", "parentVersion": nil, "execution": "declarative-flow", "installScope": "device",
		"network":                object{"mode": "allowlist", "domains": array{"api.good.example", "cdn.good.example"}},
		"credentialRequirements": array{},
		"flow":                   object{"entry": stepID(0, n), "maxTransitions": value.Int(64), "nodes": steps},
	}
	maybe := func(name string, v any) {
		if rapid.Bool().Draw(t, name) {
			doc[name] = v
		}
	}
	maybe("credentialRequirements", array{object{"id": "the-key", "kind": "api_profile", "purpose": "To read.", "outboundScope": array{"api.good.example"}}})
	maybe("modelDefaults", object{"privacy": "remote-allowed", "fallback": object{"allowed": true}, "minContext": value.Int(10)})
	maybe("inputSchema", object{"type": "object", "properties": object{"q": object{"type": "string", "default": "x"}}, "required": array{"q"}})
	maybe("outputSchema", object{"type": "object", "properties": object{"l": object{"type": "array", "items": object{"enum": array{"a", nil}}}}})
	maybe("state", object{"schemaVersion": value.Int(1), "maxBytes": value.Int(100), "fields": object{"x": object{"type": "integer"}}})
	maybe("triggers", array{
		object{"id": "day", "type": "schedule", "enabled": true, "schedule": object{"kind": "daily", "hour": value.Int(7), "minute": value.Int(5)}},
		object{"id": "often", "type": "schedule", "enabled": false, "schedule": object{"kind": "interval", "minutes": value.Int(5)}},
	})
	maybe("ui", object{"kind": "summary", "title": "Done", "primaryRef": "$.output", "detailRefs": array{"$.input.q"}})
	return doc
}

func stepID(i, n int) string {
	if i == n {
		return "done"
	}
	return fmt.Sprintf("n%02d", i)
}

func drawStep(t *rapid.T, i int, onward func(label string) string) object {
	var step object
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return object{
			"id": stepID(i, -1), "type": "if", "then": onward("then"), "else": onward("else"),
			"condition": object{"left": object{"$ref": "$.input.q"}, "op": rapid.SampledFrom(manifest.Operators()).Draw(t, "op"), "right": "x"},
		}
	case 1:
		return object{
			"id": stepID(i, -1), "type": "fail", "code": "DRAWN", "message": "It was drawn.",
		}
	case 2:
		body := array{}
		for range rapid.IntRange(0, 3).Draw(t, "body") {
			body = append(body, drawInner(t))
		}
		step = object{
			"type": "foreach", "source": object{"$ref": "$.input.q"}, "itemVar": "item", "indexVar": "at", "maxItems": value.Int(100), "body": body,
		}
	default:
		step = drawInner(t)
	}
	step["id"], step["next"] = stepID(i, -1), onward("next")
	return step
}

// drawInner draws a step that may stand in a loop's body.
func drawInner(t *rapid.T) object {
	target := rapid.SampledFrom([]string{"$.a", "b.c", "state.x", "$.d-e.f_g"}).Draw(t, "target")
	switch rapid.IntRange(0, 3).Draw(t, "inner") {
	case 0:
		return object{"type": "set", "target": target, "value": array{object{"$ref": "$.input"}, nil, "…", value.Int(7)}}
	case 1:
		return object{
			"type": "llm", "op": "rank", "input": object{"text": object{"$ref": "$.input.q"}}, "target": target,
			"requirements": object{"structuredOutput": true, "privacy": rapid.SampledFrom([]string{"local-only", "local-preferred"}).Draw(t, "privacy")},
			"outputSchema": object{"type": "string"},
		}
	}
	c := rapid.SampledFrom(allCapabilities.All()).Draw(t, "capability")
	step := object{"type": "capability", "capability": c.Name, "input": object{"$ref": "$.input"}, "target": target}
	if c.Undo != "" && !c.Irreversible && rapid.Bool().Draw(t, "undone") {
		step["compensation"] = object{"capability": c.Undo, "input": object{"$ref": "$.b"}}
	}
	if rapid.Bool().Draw(t, "retried") {
		step["retry"] = object{"maxAttempts": value.Int(2), "backoffMs": value.Int(100)}
	}
	return step
}

// write gives the text of a document, on one line or on many.
func write(t *rapid.T, doc any) []byte {
	if rapid.Bool().Draw(t, "indented") {
		return []byte(value.IndentedJSON(doc))
	}
	return []byte(value.JSON(doc))
}

// runSoundly checks a text and holds what is said of it to what is promised of every list.
func runSoundly(t *rapid.T, text []byte) check.Result {
	r := check.Run(text, allCapabilities)
	if diff := cmp.Diff(r.Diagnostics, check.Run(text, allCapabilities).Diagnostics); diff != "" {
		t.Errorf("a second check says something else:\n%s", diff)
	}
	for _, d := range r.Diagnostics {
		if problem := misplaced(text, d); problem != "" {
			t.Error(problem)
		}
	}
	if problem := disorder(r.Diagnostics) + unreadable(r.Diagnostics); problem != "" {
		t.Error(problem)
	}
	if r.OK() == manifest.HasErrors(r.Diagnostics) {
		t.Errorf("ok is %v, beside:\n%s", r.OK(), show(r.Diagnostics))
	}
	return r
}

func TestDrawnToolsAreAccepted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := runSoundly(t, write(t, drawTool(t)))
		if !r.OK() {
			t.Errorf("refused:\n%s", show(r.Diagnostics))
		}
	})
}

// spot is a member of an object of a document.
type spot struct {
	in         object
	name, path string
}

// requiredSpots lists the fields of a document that must be there, by the reference of
// the format.
func requiredSpots(doc object) []spot {
	var list []spot
	need := func(in any, path string, names ...string) {
		for _, name := range names {
			list = append(list, spot{in.(object), name, path + "." + name})
		}
	}
	each := func(in any, name, path string, f func(item object, path string)) {
		items, _ := in.(object)[name].(array)
		for i, item := range items {
			f(item.(object), fmt.Sprintf("%s.%s[%d]", path, name, i))
		}
	}
	need(doc, "$", "schema", "id", "version", "title", "description", "createdAt", "parentVersion", "execution", "installScope",
		"network", "credentialRequirements", "flow")
	need(doc["network"], "$.network", "mode", "domains")
	need(doc["flow"], "$.flow", "entry", "maxTransitions", "nodes")
	each(doc, "credentialRequirements", "$", func(c object, path string) { need(c, path, "id", "kind", "purpose", "outboundScope") })
	if state, ok := doc["state"]; ok {
		need(state, "$.state", "schemaVersion", "maxBytes", "fields")
	}
	if ui, ok := doc["ui"]; ok {
		need(ui, "$.ui", "kind", "title")
	}
	if defaults, ok := doc["modelDefaults"].(object); ok {
		need(defaults["fallback"], "$.modelDefaults.fallback", "allowed")
	}
	each(doc, "triggers", "$", func(trigger object, path string) {
		need(trigger, path, "id", "type", "enabled")
		if schedule := trigger["schedule"].(object); schedule["kind"] == "daily" {
			need(schedule, path+".schedule", "kind", "hour", "minute")
		} else {
			need(schedule, path+".schedule", "minutes")
		}
	})
	var step func(s object, path string)
	step = func(s object, path string) {
		need(s, path, "type")
		need(s, path, map[string][]string{
			"set": {"target", "value"}, "capability": {"capability", "input"}, "llm": {"op", "input", "target"},
			"if": {"condition", "then", "else"}, "foreach": {"source", "itemVar", "maxItems", "body"},
			"return": {"value"}, "fail": {"code", "message"},
		}[s["type"].(string)]...)
		for name, names := range map[string][]string{
			"retry": {"maxAttempts"}, "compensation": {"capability", "input"}, "condition": {"left", "op"},
		} {
			if inside, ok := s[name]; ok {
				need(inside, path+"."+name, names...)
			}
		}
		if _, node := s["id"]; node {
			need(s, path, "id")
		}
		if _, next := s["next"]; next {
			need(s, path, "next")
		}
		each(s, "body", path, step)
	}
	each(doc["flow"], "nodes", "$.flow", step)
	return list
}

// TestRequiredFields: whatever required field is taken out of a good manifest, it is
// named, and the manifest is refused.
func TestRequiredFields(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := drawTool(t)
		all := requiredSpots(doc)
		slices.SortFunc(all, func(a, b spot) int { return strings.Compare(a.path, b.path) })
		s := rapid.SampledFrom(all).Draw(t, "field")
		if _, there := s.in[s.name]; !there {
			t.Fatalf("%s is not there", s.path)
		}
		delete(s.in, s.name)
		r := runSoundly(t, write(t, doc))
		if r.OK() || !slices.Contains(brief(r.Diagnostics), "FORGE_MANIFEST_STRUCTURE "+s.path) {
			t.Errorf("%s is not missed:\n%s", s.path, show(r.Diagnostics))
		}
	})
}

// TestUnknownFields: a field that is added to an object of the format is named.
func TestUnknownFields(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := drawTool(t)
		all := requiredSpots(doc)
		slices.SortFunc(all, func(a, b spot) int { return strings.Compare(a.path, b.path) })
		s := rapid.SampledFrom(all).Draw(t, "beside")
		name := rapid.SampledFrom([]string{s.name + "s", s.name + "_", "x-" + s.name, "comment", "__proto__", "constructor", "", "toString"}).Draw(t, "name")
		s.in[name] = rapid.SampledFrom([]any{nil, true, "x", array{}, object{}}).Draw(t, "value")
		path := value.MemberPath(s.path[:len(s.path)-len(s.name)-1], name)
		r := runSoundly(t, write(t, doc))
		if r.OK() || !slices.Contains(brief(r.Diagnostics), "FORGE_MANIFEST_STRUCTURE "+path) {
			t.Errorf("%s is not named:\n%s", path, show(r.Diagnostics))
		}
	})
}

// TestMutations: whatever is done to the structure of a good manifest, the check ends and
// keeps its promises.
func TestMutations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var doc any = drawTool(t)
		for range rapid.IntRange(1, 5).Draw(t, "mutations") {
			doc = mutate(t, doc)
		}
		runSoundly(t, write(t, doc))
	})
}

// mutate gives a document in which one value was dropped, replaced, renamed or doubled.
func mutate(t *rapid.T, v any) any {
	switch v := v.(type) {
	case object:
		names := value.SortedNames(v)
		if len(names) == 0 {
			break
		}
		name := rapid.SampledFrom(names).Draw(t, "name")
		switch rapid.IntRange(0, 5).Draw(t, "change") {
		case 0:
			delete(v, name)
		case 1:
			v[name] = drawOther(t)
		case 2:
			v[name+"x"] = v[name]
		case 3:
			v[rapid.SampledFrom([]string{"type", "id", "next", "password", "$ref", "\u202e", "a b"}).Draw(t, "as")] = v[name]
		default:
			v[name] = mutate(t, v[name])
		}
		return v
	case array:
		if len(v) == 0 {
			break
		}
		i := rapid.IntRange(0, len(v)-1).Draw(t, "item")
		switch rapid.IntRange(0, 4).Draw(t, "change") {
		case 0:
			return slices.Delete(slices.Clone(v), i, i+1)
		case 1:
			return append(slices.Clone(v), v[i])
		default:
			v = slices.Clone(v)
			v[i] = mutate(t, v[i])
			return v
		}
	}
	return drawOther(t)
}

// drawOther draws a value to put in the place of another one.
func drawOther(t *rapid.T) any {
	texts := []string{
		`null`, `true`, `"x"`, `""`, `1`, `-1`, `1.5`, `[]`, `{}`, `[null]`, `{"a": "b"}`, `{"$ref": "$.a"}`, `{"$ref": "a..b[0]"}`, `"$.input.a"`, `"\u202e"`,
		`{"type": "object"}`, `[{"id": "n00", "type": "return", "value": 1}]`,
	}
	v, err := value.Decode([]byte(rapid.SampledFrom(texts).Draw(t, "other")))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestMarksGrow: a step that is put on the way to another one takes nothing from what the
// tool is marked with.
func TestMarksGrow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		doc := drawTool(t)
		before := check.Run([]byte(value.JSON(doc)), allCapabilities)
		// The new step comes first, so that it is reached.
		steps := doc["flow"].(object)
		first := steps["entry"].(string)
		added := drawStep(t, 99, func(string) string { return first })
		if added["type"] == "fail" {
			added = object{"id": "n99", "type": "set", "target": "$.a", "value": nil, "next": first}
		}
		steps["nodes"] = append(array{added}, steps["nodes"].(array)...)
		steps["entry"] = added["id"]
		after := check.Run([]byte(value.JSON(doc)), allCapabilities)
		if !before.OK() || !after.OK() {
			t.Fatalf("refused:\n%s%s", show(before.Diagnostics), show(after.Diagnostics))
		}
		if shrunk := shrinks(before.Tool.Marks(), after.Tool.Marks()); shrunk != "" {
			t.Errorf("%s by %v:\n%s", shrunk, added, cmp.Diff(before.Tool.Marks(), after.Tool.Marks()))
		}
	})
}

// shrinks says which mark is less after than it was before.
func shrinks(before, after tool.Marks) string {
	order := []tool.Reversibility{tool.ReadOnly, tool.Compensable, tool.Irreversible}
	switch {
	case !includes(after.Powers, before.Powers):
		return "powers shrink"
	case !includes(after.Capabilities, before.Capabilities):
		return "capabilities shrink"
	case !includes(after.ModelPrivacy, before.ModelPrivacy):
		return "what models see shrinks"
	case after.Risk < before.Risk:
		return "risk shrinks"
	case slices.Index(order, after.Reversibility) < slices.Index(order, before.Reversibility):
		return "reversibility grows"
	case before.ReadsPrivate && !after.ReadsPrivate, before.ReadsUntrusted && !after.ReadsUntrusted, before.CanTransmit && !after.CanTransmit:
		return "a flag is lost"
	}
	return ""
}

func includes[T comparable](all, some []T) bool {
	return !slices.ContainsFunc(some, func(one T) bool { return !slices.Contains(all, one) })
}
