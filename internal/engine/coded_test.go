package engine_test

import (
	"context"
	"strings"
	"testing"

	"toolsmith/internal/check"
	"toolsmith/internal/coded"
	"toolsmith/internal/engine"
	"toolsmith/internal/registry"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// inCode makes a coded tool; more stands behind the other fields of its declaration.
func inCode(name, source, more string) *check.Checked {
	return check.Coded(coded.Tool{
		Name: name, File: name + ".ts", Source: []byte(source), Script: []byte("0"),
		Declaration: []byte(`{"name": "` + name + `", "description": "Made up.", "parameters": {"type": "object", "properties": {"n": {"type": "integer", "default": 3}}}` + more + `}`),
	}, lab).Tool
}

// TestACodedTool is found by its own name, as it was when the run began.
func TestACodedTool(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	_, err := h.Call(ctx, engine.Request{Chains: chains(t, calls("digest")), Owner: "me"})
	wantCode(t, err, task.CodeToolUnknown)
	if _, err := h.Install(ctx, inCode("digest", "one", `, "secrets": ["key"], "calls": ["lab.list"], "result": {"type": "string"}`)); err != nil {
		t.Fatal(err)
	}
	_, err = h.Call(ctx, engine.Request{Chains: chains(t, calls("digest")), Owner: "me"})
	wantCode(t, err, registry.CodeOff, "toolsmith enable digest")
	if _, _, err := h.Enable(ctx, "digest"); err != nil {
		t.Fatal(err)
	}
	run := h.begin(t, engine.Request{Chains: chains(t, calls("digest")), Owner: "me"}).Run
	if _, err := h.Install(ctx, inCode("digest", "two", "")); err != nil {
		t.Fatal(err)
	}
	call, err := h.Find(ctx, run, "digest")
	if err != nil {
		t.Fatal(err)
	}
	one, _ := call.Checked.Coded()
	if string(one.Source) != "one" || call.Kind != engine.KindScript || call.Namespace != "code:digest#1" || call.Release() != 1 || call.Source() != "installed" || call.Result == nil {
		t.Errorf("found %+v", call)
	}
	if got, _ := call.Effective(map[string]any{}).(map[string]any); got["n"] == nil {
		t.Errorf("the arguments with defaults are %v", got)
	}
	if parameters, result := call.Schemas(); !strings.Contains(string(parameters), `"default":3`) || string(result) != `{"type":"string"}` {
		t.Errorf("the schemas are %s and %s", parameters, result)
	}
	for name, may := range map[string]bool{"lab.list": true, "digest": true, "lab.make": false} {
		if call.MayCall(name) != may {
			t.Errorf("it may call %s: %v", name, !may)
		}
		faults, err := h.Prepare(ctx, run, [][]task.Draft{{task.CallOf(task.Call{Name: name, Arguments: map[string]any{}})}}, call)
		if err != nil || (len(faults) == 0) != may {
			t.Errorf("a call of %s: %v, %v", name, faults, err)
		}
		if !may && (faults[0].Code != engine.CodeCallUndeclared || faults[0].Place != "[0][0].content.data.name") {
			t.Errorf("a call of %s is refused with %+v", name, faults[0])
		}
	}
	if _, err := h.Remove(ctx, "digest"); tool.Code(err) != engine.CodeToolInUse {
		t.Errorf("a tool that a run needs can be removed: %v", err)
	}
}

// TestACodedToolFromAFile goes with its run, and takes no name of what is there.
func TestACodedToolFromAFile(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	run := h.begin(t, engine.Request{Chains: chains(t, calls("digest")), Files: []*check.Checked{inCode("digest", "one", "")}, Owner: "me"}).Run
	call, err := h.Find(ctx, run, "digest")
	if err != nil || call.Source() != "from file" || call.Namespace != "" || call.Memory != "file:code:digest" {
		t.Errorf("found %+v, %v", call, err)
	}
	_, err = h.Call(ctx, engine.Request{Chains: chains(t, calls("lab.list")), Files: []*check.Checked{inCode("lab.list", "one", "")}, Owner: "me"})
	wantCode(t, err, registry.CodeNameTaken)
}

// TestTheVerbsOfACodedTool take its name alone.
func TestTheVerbsOfACodedTool(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	for _, source := range []string{"one", "two"} {
		if _, err := h.Install(ctx, inCode("digest", source, "")); err != nil {
			t.Fatal(err)
		}
	}
	for name, do := range map[string]func(context.Context) error{
		"tool":     func(ctx context.Context) error { _, err := h.Tool(ctx, "digest"); return err },
		"versions": func(ctx context.Context) error { _, _, err := h.Versions(ctx, "digest"); return err },
		"disable":  func(ctx context.Context) error { _, _, err := h.Disable(ctx, "digest"); return err },
		"diff": func(ctx context.Context) error {
			d, err := h.Diff(ctx, "digest", 0, 0)
			if err == nil && (d.Facts == nil || len(d.Facts.Fields) != 1) {
				t.Errorf("the difference is %+v", d.Facts)
			}
			return err
		},
		"audit": func(ctx context.Context) error {
			lines, err := h.Audit(ctx, "digest", 0)
			if len(lines) < 2 {
				t.Errorf("the audit has %d lines", len(lines))
			}
			return err
		},
	} {
		if err := do(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, from, err := h.Rollback(ctx, "digest", 0); err != nil || from != 2 {
		t.Errorf("rolled back from %d, %v", from, err)
	}
	if _, err := h.Remove(ctx, "digest"); err != nil {
		t.Error(err)
	}
	version, err := h.Export(ctx, "digest", 2)
	if err != nil || string(version.Source()) != "two" {
		t.Errorf("exported %q, %v", version.Source(), err)
	}
}
