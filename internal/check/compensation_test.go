package check_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/check"
	"toolsmith/internal/manifest"
	"toolsmith/tool"
)

// TestTrueCompensations: each write that has an inverse may name it, and nothing else.
func TestTrueCompensations(t *testing.T) {
	t.Parallel()
	writes := 0
	for _, write := range allCapabilities.All() {
		if write.Power == tool.Read {
			continue
		}
		writes++
		for _, other := range allCapabilities.All() {
			steps := []string{
				calls("make", write.Name, ref("input"), fmt.Sprintf(`"compensation": {"capability": %q, "input": %s}`, other.Name, ref("input")), "done"),
				returns(`"ok"`),
			}
			got := faults(draft{network: anyHost, steps: steps}.text(), allCapabilities)
			want := []string{}
			switch {
			case write.Irreversible:
				want = []string{check.CodeInvalidCompensation + " $.flow.nodes[0].compensation"}
			case write.Undo != other.Name:
				want = []string{check.CodeCompensationMismatch + " $.flow.nodes[0].compensation.capability"}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s undone by %s (-want +got):\n%s", write.Name, other.Name, diff)
			}
		}
	}
	if writes < 10 {
		t.Errorf("only %d capabilities write", writes)
	}
}

func TestCompensations(t *testing.T) {
	t.Parallel()
	compensated := func(name, more string) string {
		return calls("make", name, `{"title": "a", "content": "b"}`, `"target": "$.made", "compensation": `+more, "done")
	}
	const at = "$.flow.nodes[0].compensation"
	for _, c := range []struct {
		name string
		step string
		want []string
	}{
		{"true", compensated("notes.create", `{"capability": "notes.delete", "input": {"id": {"$ref": "$.made.id"}}}`), []string{}},
		{
			"irreversible, with something that exists", compensated("mail.send", `{"capability": "web.get", "input": {}}`),
			[]string{"error FORGE_INVALID_COMPENSATION " + at},
		},
		{
			"irreversible, whatever its own catalogue says of an inverse", compensated("disk.wipe", `{"capability": "disk.restore", "input": {}}`),
			[]string{"error FORGE_INVALID_COMPENSATION " + at},
		},
		{
			"irreversible, with something unknown", compensated("mail.send", `{"capability": "mail.unsend", "input": {}}`),
			[]string{"error FORGE_INVALID_COMPENSATION " + at, "error FORGE_COMPENSATION_UNKNOWN " + at + ".capability"},
		},
		{
			"unknown", compensated("notes.create", `{"capability": "notes.remove", "input": {}}`),
			[]string{"error FORGE_COMPENSATION_UNKNOWN " + at + ".capability"},
		},
		{
			"of an unknown capability", compensated("notes.make", `{"capability": "notes.delete", "input": {}}`),
			[]string{"error FORGE_CAPABILITY_UNKNOWN $.flow.nodes[0].capability"},
		},
		{
			"both unknown", compensated("notes.make", `{"capability": "notes.unmake", "input": {}}`),
			[]string{"error FORGE_CAPABILITY_UNKNOWN $.flow.nodes[0].capability", "error FORGE_COMPENSATION_UNKNOWN " + at + ".capability"},
		},
		{
			"itself", compensated("notes.create", `{"capability": "notes.create", "input": {}}`),
			[]string{"error FORGE_COMPENSATION_MISMATCH " + at + ".capability"},
		},
		{
			"of a step that only reads", calls("make", "notes.list", `{}`, `"compensation": {"capability": "notes.delete", "input": {}}`, "done"),
			[]string{"error FORGE_COMPENSATION_MISMATCH " + at + ".capability"},
		},
		{
			"of a write that nothing undoes", compensated("weather.note", `{"capability": "notes.delete", "input": {}}`),
			[]string{"error FORGE_COMPENSATION_MISMATCH " + at + ".capability"},
		},
		{
			"without its capability", compensated("notes.create", `{"input": {}}`),
			[]string{"error FORGE_MANIFEST_STRUCTURE " + at + ".capability"},
		},
		{
			"of another kind", compensated("notes.create", `"notes.delete"`),
			[]string{"error FORGE_MANIFEST_STRUCTURE " + at},
		},
		{
			"true, with an input that will be refused", compensated("notes.create", `{"capability": "notes.delete", "input": {"nid": 1}}`),
			[]string{"warning FORGE_CAPABILITY_INPUT " + at + ".input", "warning FORGE_CAPABILITY_INPUT " + at + ".input.nid"},
		},
		{
			"true, with an unsafe reference", compensated("notes.create", `{"capability": "notes.delete", "input": {"id": {"$ref": "$.made..__proto__"}}}`),
			[]string{"error FORGE_REF_UNSAFE " + at + ".input.id.$ref"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := []string{}
			for _, d := range check.Run(draft{network: anyHost, steps: []string{c.step, returns(`"ok"`)}}.text(), allCapabilities).Diagnostics {
				got = append(got, fmt.Sprintf("%s %s %s", d.Level, d.Code, d.Path))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestCompensationInBody: a step of a loop's body is held to the same rules.
func TestCompensationInBody(t *testing.T) {
	t.Parallel()
	step := inner(calls("make", "notes.create", `{"title": "a", "content": "b"}`, `"compensation": {"capability": "tasks.delete", "input": {"id": "x"}}`, "done"))
	list := check.Run(flow(repeats("loop", ref("input.list"), "item", "done", step), returns(`"ok"`)), builtin).Diagnostics
	want := []manifest.Diagnostic{{
		Level: manifest.LevelError, Code: check.CodeCompensationMismatch, Path: "$.flow.nodes[0].body[0].compensation.capability",
		Message: `"tasks.delete" does not undo "notes.create". "notes.delete" does.`,
	}}
	if len(list) == 1 {
		want[0].Line, want[0].Column, want[0].Offset = list[0].Line, list[0].Column, list[0].Offset
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
