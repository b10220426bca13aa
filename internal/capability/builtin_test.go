package capability_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/tool"
)

// The first eight rows are those of the reference.
const catalogue = `
tasks.list      read  R1  1024 undo:               private           idempotent
tasks.create    write R2 16384 undo:tasks.delete   private                      creates
tasks.setStatus write R2  1024 undo:tasks.restore  private
notes.list      read  R1  1024 undo:               private untrusted idempotent
notes.create    write R2 32768 undo:notes.delete   private                      creates
notes.update    write R2 32768 undo:notes.restore  private untrusted
memory.search   read  R2  1024 undo:               private untrusted idempotent
memory.create   write R3 32768 undo:memory.archive private                      creates
tasks.delete    write R2  1024 undo:tasks.restore  private           idempotent
tasks.restore   write R2  1024 undo:               private
notes.delete    write R2  1024 undo:notes.restore  private untrusted idempotent
notes.restore   write R2  1024 undo:               private untrusted
memory.archive  write R3  1024 undo:               private untrusted idempotent
http.get        outbound R4 32768 undo: untrusted idempotent network
http.post       outbound R4 262144 undo: untrusted irreversible network
`

func TestTheCatalogueIsWhatWasPromised(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, line := range strings.Split(strings.TrimSpace(catalogue), "\n") {
		want = append(want, strings.Join(strings.Fields(line), " "))
	}
	for _, c := range capability.Builtin().All() {
		line := fmt.Sprint(c.Name, " ", c.Power, " ", c.Risk, " ", c.MaxInput, " undo:", c.Undo)
		for _, mark := range []struct {
			name string
			set  bool
		}{
			{"private", c.Private}, {"untrusted", c.Untrusted}, {"idempotent", c.Idempotent}, {"creates", c.Creates},
			{"irreversible", c.Irreversible}, {"network", c.NeedsNetwork() || len(c.Hosts) > 0 || c.URLField != ""},
		} {
			if mark.set {
				line += " " + mark.name
			}
		}
		got = append(got, line)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("catalogue (-want +got):\n%s", diff)
	}
}

func TestEveryCapabilityIsDescribedInFull(t *testing.T) {
	t.Parallel()
	host := capability.NewHost()
	for _, c := range host.Catalogue().All() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			group, _, _ := strings.Cut(c.Name, ".")
			kind := map[string]string{"tasks": "task", "notes": "note", "memory": "memory", "http": ""}[group]
			if c.Kind != kind || c.Summary == "" {
				t.Errorf("kind %q, summary %q", c.Kind, c.Summary)
			}
			if undo, ok := host.Catalogue().Get(c.Undo); c.Undo != "" && (!ok || undo.Kind != c.Kind || undo.Power != tool.Write) {
				t.Errorf("%s does not undo it", c.Undo)
			}
			for name, text := range map[string]json.RawMessage{"input": c.Input, "result": c.Result} {
				compile(t, text)
				checkSchema(t, name, parse(t, string(text)).(map[string]any))
			}
		})
	}
}

// checkSchema checks what all clients accept: one type at most, closed objects (but for those
// whose names are anybody's), and a description of everything.
func checkSchema(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	if text, _ := schema["description"].(string); text == "" {
		t.Errorf("%s has no description", path)
	}
	kind, hasType := schema["type"].(string)
	if _, given := schema["type"]; given != hasType {
		t.Errorf("%s has more than one type", path)
	}
	if !hasType && !strings.HasSuffix(path, ".content") && !strings.HasSuffix(path, ".json") {
		t.Errorf("%s has no type", path)
	}
	properties, _ := schema["properties"].(map[string]any)
	open := strings.HasSuffix(path, ".headers") || strings.HasSuffix(path, ".query")
	if kind == "object" && !open && (schema["additionalProperties"] != false || len(properties) == 0) {
		t.Errorf("%s is not closed", path)
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if properties[name.(string)] == nil {
			t.Errorf("%s needs a field %s that it does not have", path, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		checkSchema(t, path+"."+name, properties[name].(map[string]any))
	}
	if items, ok := schema["items"].(map[string]any); ok {
		checkSchema(t, path+"[]", items)
	}
}
