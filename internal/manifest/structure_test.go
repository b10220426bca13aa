package manifest_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolsmith/internal/manifest"
	"toolsmith/internal/value"
)

// anything is the kind of a field that may hold any value.
const anything = "any"

// structure lists every field of the whole manifest: what kinds of values it may hold,
// and after a "!" that it must be there.
var structure = map[string]string{
	"schema": "text!", "id": "text!", "version": "number!", "title": "text!", "description": "text!", "createdAt": "text!",
	"parentVersion": "number null!", "execution": "text!", "installScope": "text!",
	"network": "object!", "network.mode": "text!", "network.domains": "list!", "network.domains[0]": "text",
	"credentialRequirements": "list!", "credentialRequirements[0]": "object", "credentialRequirements[0].id": "text!",
	"credentialRequirements[0].kind": "text!", "credentialRequirements[0].purpose": "text!",
	"credentialRequirements[0].outboundScope": "list!", "credentialRequirements[0].outboundScope[0]": "text",
	"modelDefaults": "object", "modelDefaults.structuredOutput": "bool", "modelDefaults.minContext": "number", "modelDefaults.privacy": "text",
	"modelDefaults.reasoning": "text", "modelDefaults.maxInputTokens": "number", "modelDefaults.maxOutputTokens": "number",
	"modelDefaults.fallback": "object", "modelDefaults.fallback.allowed": "bool!",
	"inputSchema": "object", "inputSchema.type": "text", "inputSchema.properties": "object", "inputSchema.properties.text": "object",
	"inputSchema.properties.text.type": "text", "inputSchema.properties.text.title": "text", "inputSchema.properties.text.description": "text",
	"inputSchema.properties.text.default": anything, "inputSchema.properties.text.examples": "list", "inputSchema.properties.text.enum": "list",
	"inputSchema.properties.text.minLength": "number", "inputSchema.properties.text.maxLength": "number",
	"inputSchema.properties.list": "object", "inputSchema.properties.list.type": "text", "inputSchema.properties.list.items": "object",
	"inputSchema.properties.list.items.type": "text", "inputSchema.properties.list.items.minimum": "number", "inputSchema.properties.list.items.maximum": "number",
	"inputSchema.required": "list", "inputSchema.required[0]": "text", "inputSchema.additionalProperties": "bool",
	"outputSchema": "object", "outputSchema.title": "text", "outputSchema.description": "text",
	"state": "object", "state.schemaVersion": "number!", "state.maxBytes": "number!", "state.fields": "object!", "state.fields.seen": "object", "state.fields.seen.type": "text",
	"triggers": "list", "triggers[0]": "object", "triggers[0].id": "text!", "triggers[0].type": "text!", "triggers[0].enabled": "bool!",
	"triggers[1].schedule": "object", "triggers[1].schedule.kind": "text!", "triggers[1].schedule.hour": "number!", "triggers[1].schedule.minute": "number!",
	"triggers[2].schedule": "object", "triggers[2].schedule.kind": "text!", "triggers[2].schedule.minutes": "number!",
	"ui": "object", "ui.kind": "text!", "ui.title": "text!", "ui.primaryRef": "text", "ui.detailRefs": "list", "ui.detailRefs[0]": "text",
	"flow": "object!", "flow.entry": "text!", "flow.maxTransitions": "number!", "flow.nodes": "list!", "flow.nodes[0]": "object",
	"flow.nodes[0].id": "text!", "flow.nodes[0].type": "text!", "flow.nodes[0].capability": "text!", "flow.nodes[0].input": anything + "!", "flow.nodes[0].target": "text",
	"flow.nodes[0].retry": "object", "flow.nodes[0].retry.maxAttempts": "number!", "flow.nodes[0].retry.backoffMs": "number",
	"flow.nodes[0].compensation": "object", "flow.nodes[0].compensation.capability": "text!", "flow.nodes[0].compensation.input": anything + "!", "flow.nodes[0].next": "text!",
	"flow.nodes[1].id": "text!", "flow.nodes[1].type": "text!", "flow.nodes[1].op": "text!", "flow.nodes[1].input": anything + "!", "flow.nodes[1].target": "text!",
	"flow.nodes[1].requirements": "object", "flow.nodes[1].requirements.structuredOutput": "bool", "flow.nodes[1].requirements.reasoning": "text",
	"flow.nodes[1].outputSchema": "object", "flow.nodes[1].outputSchema.type": "text", "flow.nodes[1].next": "text!",
	"flow.nodes[2].id": "text!", "flow.nodes[2].type": "text!", "flow.nodes[2].source": anything + "!", "flow.nodes[2].itemVar": "text!", "flow.nodes[2].indexVar": "text",
	"flow.nodes[2].maxItems": "number!", "flow.nodes[2].body": "list!", "flow.nodes[2].next": "text!",
	"flow.nodes[2].body[0]": "object", "flow.nodes[2].body[0].type": "text!", "flow.nodes[2].body[0].target": "text!", "flow.nodes[2].body[0].value": anything + "!",
	"flow.nodes[2].body[1].type": "text!", "flow.nodes[2].body[1].capability": "text!", "flow.nodes[2].body[1].input": anything + "!", "flow.nodes[2].body[1].target": "text",
	"flow.nodes[2].body[1].retry": "object", "flow.nodes[2].body[1].retry.maxAttempts": "number!",
	"flow.nodes[2].body[2].type": "text!", "flow.nodes[2].body[2].op": "text!", "flow.nodes[2].body[2].input": anything + "!", "flow.nodes[2].body[2].target": "text!",
	"flow.nodes[3].id": "text!", "flow.nodes[3].type": "text!", "flow.nodes[3].condition": "object!", "flow.nodes[3].condition.left": anything + "!",
	"flow.nodes[3].condition.op": "text!", "flow.nodes[3].condition.right": anything, "flow.nodes[3].then": "text!", "flow.nodes[3].else": "text!",
	"flow.nodes[4].id": "text!", "flow.nodes[4].type": "text!", "flow.nodes[4].target": "text!", "flow.nodes[4].value": anything + "!", "flow.nodes[4].next": "text!",
	"flow.nodes[5].id": "text!", "flow.nodes[5].type": "text!", "flow.nodes[5].value": anything + "!",
	"flow.nodes[6].id": "text!", "flow.nodes[6].type": "text!", "flow.nodes[6].code": "text!", "flow.nodes[6].message": "text!",
}

// otherKinds are a value of each kind.
var otherKinds = map[string]string{
	"null": `null`, "bool": `true`, "number": `7`, "text": `"seven"`, "list": `["seven"]`, "object": `{"seven": 7}`,
}

// change puts another value at a path of a document; it takes out what is there where
// there is no value.
func change(t *testing.T, doc any, path string, v any, present bool) {
	t.Helper()
	path = strings.ReplaceAll(strings.ReplaceAll(path, "[", "."), "]", "")
	segments := strings.Split(path, ".")
	for i, segment := range segments {
		last := i == len(segments)-1
		switch at := doc.(type) {
		case map[string]any:
			switch {
			case !last:
				doc = at[segment]
			case present:
				at[segment] = v
			default:
				delete(at, segment)
			}
		case []any:
			at = at[:len(at):len(at)]
			n, err := strconv.Atoi(segment)
			if err != nil {
				t.Fatal(path, err)
			}
			if last {
				at[n] = v
			} else {
				doc = at[n]
			}
		default:
			t.Fatalf("%s leads nowhere", path)
		}
	}
}

// changed gives the whole manifest with one change.
func changed(t *testing.T, path string, v any, present bool) string {
	t.Helper()
	doc := wholeValue(t)
	change(t, doc, path, v, present)
	return value.JSON(doc)
}

func errorsAt(list []manifest.Diagnostic, path string) int {
	n := 0
	for _, d := range list {
		if d.Path == "$."+path && d.Code == manifest.CodeStructure && d.Level == manifest.LevelError {
			n++
		}
	}
	return n
}

// TestKinds: a value of a wrong kind is reported at its field, and one of a right kind
// is not called wrong for its kind.
func TestKinds(t *testing.T) {
	t.Parallel()
	for path, what := range structure {
		kinds := strings.Fields(strings.TrimSuffix(what, "!"))
		for kind, text := range otherKinds {
			v, err := value.Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			_, list := parse(changed(t, path, v, true))
			ok := kinds[0] == anything || slices.Contains(kinds, kind)
			switch at := errorsAt(list, path); {
			case !ok && at != 1:
				t.Errorf("%s as %s is reported %d times:\n%s", path, kind, at, show(list))
			case kinds[0] == anything && len(list) > 0:
				t.Errorf("%s as %s:\n%s", path, kind, show(list))
			case ok && strings.Contains(show(list), "$."+path+" "+"has to be a"):
				t.Errorf("%s as %s:\n%s", path, kind, show(list))
			}
		}
	}
}

// TestMissing: each required field is missed where it is not there, and each other one
// is not.
func TestMissing(t *testing.T) {
	t.Parallel()
	for path, what := range structure {
		if strings.HasSuffix(path, "]") {
			continue // an item of a list is not missed
		}
		_, list := parse(changed(t, path, nil, false))
		want := 0
		if strings.HasSuffix(what, "!") {
			want = 1
		}
		if at := errorsAt(list, path); at != want {
			t.Errorf("%s missing is reported %d times, want %d:\n%s", path, at, want, show(list))
		}
		if want == 1 && !strings.Contains(show(list), "is missing in") {
			t.Errorf("%s: %s", path, show(list))
		}
		if want == 0 && len(list) > 0 {
			t.Errorf("%s may be missing:\n%s", path, show(list))
		}
	}
}

// TestUnknown: a field that an object does not have is named, with the one that was
// probably meant.
func TestUnknown(t *testing.T) {
	t.Parallel()
	inAny := func(path string) bool {
		return slices.ContainsFunc([]string{".input.", ".value.", ".left.", ".right.", ".default.", ".source.", ".properties.", ".fields."}, func(part string) bool {
			return strings.Contains(path, part) && !strings.HasSuffix(path, "maxLength") && !strings.HasSuffix(path, "type")
		})
	}
	for path := range structure {
		isStepType := strings.HasPrefix(path, "flow.nodes[") && strings.HasSuffix(path, "].type")
		if strings.HasSuffix(path, "]") || inAny(path) || isStepType {
			continue // without its type it is not known what a step may have
		}
		// The field itself, misspelt: missed and found again.
		dot := strings.LastIndex(path, ".") + 1
		name := path[dot:]
		misspelt := name[:len(name)-2] + name[len(name)-1:] + name[len(name)-2:len(name)-1]
		if misspelt == name {
			misspelt = name + "s"
		}
		doc := wholeValue(t)
		change(t, doc, path, nil, false)
		change(t, doc, path[:dot]+misspelt, "x", true)
		_, list := parse(value.JSON(doc))
		if at := errorsAt(list, path[:dot]+misspelt); at != 1 {
			t.Errorf("%s%s is reported %d times:\n%s", path[:dot], misspelt, at, show(list))
		}
		if !strings.Contains(show(list), fmt.Sprintf("Did you mean %q?", name)) {
			t.Errorf("%s%s: %q is not suggested:\n%s", path[:dot], misspelt, name, show(list))
		}
	}
}

// TestStructureIsWhole makes sure that the table above knows every field of the manifest
// that it stands for.
func TestStructureIsWhole(t *testing.T) {
	t.Parallel()
	var visit func(v any, path string)
	visit = func(v any, path string) {
		what, known := structure[path]
		if path != "" && !known && !strings.HasSuffix(path, "]") {
			first := strings.NewReplacer("[1]", "[0]", "[2]", "[0]", "[3]", "[0]").Replace(path)
			if what, known = structure[first]; !known {
				t.Errorf("%s is in no table", path)
			}
		}
		if strings.TrimSuffix(what, "!") == anything || strings.HasSuffix(path, ".enum") || strings.HasSuffix(path, ".examples") {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			for name, kid := range v {
				visit(kid, strings.TrimPrefix(path+"."+name, "."))
			}
		case []any:
			for i, kid := range v {
				visit(kid, fmt.Sprintf("%s[%d]", path, i))
			}
		}
	}
	visit(wholeValue(t), "")
}
