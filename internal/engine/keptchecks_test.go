package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"toolsmith/internal/engine"
)

// TestTextsAreCheckedOnce as long as few of them are in use, and are the same tools whenever they are
// looked up.
func TestTextsAreCheckedOnce(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.installed(t, text("made-up", 1, call("lab.list")))
	if _, err := h.Install(ctx, inCode("digest", "one", "")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"made-up", "digest"} {
		if _, _, err := h.Enable(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	run := h.begin(t, engine.Request{Chains: chains(t, calls("digest", "dynamic:made-up")), Owner: "me"}).Run
	for _, name := range []string{"dynamic:made-up", "digest"} {
		first, err := h.Find(ctx, run, name)
		if err != nil {
			t.Fatal(err)
		}
		again, err := h.Find(ctx, run, name)
		if err != nil {
			t.Fatal(err)
		}
		if first.Parameters != again.Parameters {
			t.Errorf("the schema of %s was prepared twice", name)
		}
	}
}

// TestManyTextsInUse are still what they are, though not all of them are remembered.
func TestManyTextsInUse(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	h.most = 400
	h.Engine = h.as("ada", lab)
	const many = 260
	for i := range many {
		name, source := fmt.Sprintf("tool-%dx", i), strings.Repeat("x", 66<<10)
		if _, err := h.Install(ctx, inCode(name, source, "")); err != nil {
			t.Fatal(err)
		}
	}
	list, err := h.Tools(ctx)
	if err != nil || len(list) != many {
		t.Fatalf("%d tools, %v", len(list), err)
	}
	for _, entry := range list {
		if entry.Checked == nil || entry.Checked.ID() != entry.Tool.ID || entry.Checked.Version() != 1 {
			t.Errorf("%s is %v", entry.Tool.ID, entry.Checked)
		}
	}
}
