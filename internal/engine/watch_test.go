package engine_test

import "testing"

// TestWatch tells of every verb that changes what can be called, and of none that fails.
func TestWatch(t *testing.T) {
	t.Parallel()
	h, ctx := newHouse(t), t.Context()
	for _, verb := range []struct {
		name string
		do   func() error
		want bool
	}{
		{"install", func() error { _, err := installed(ctx, h, []byte(text("made-up", 1, call("lab.list")))); return err }, true},
		{"enable", func() error { _, _, err := h.Enable(ctx, "made-up"); return err }, true},
		{"disable", func() error { _, _, err := h.Disable(ctx, "made-up"); return err }, true},
		{"install another version", func() error { _, err := installed(ctx, h, []byte(text("made-up", 2, call("lab.list")))); return err }, true},
		{"rollback", func() error { _, _, err := h.Rollback(ctx, "made-up", 0); return err }, true},
		{"look", func() error { _, err := h.Tools(ctx); return err }, false},
		{"remove", func() error { _, err := h.Remove(ctx, "made-up"); return err }, true},
	} {
		changed := h.Watch()
		if err := verb.do(); err != nil {
			t.Fatalf("%s: %v", verb.name, err)
		}
		if got := closed(changed); got != verb.want {
			t.Errorf("%s is told: %v", verb.name, got)
		}
	}
	changed := h.Watch()
	if _, _, err := h.Enable(ctx, "nobody"); err == nil || closed(changed) {
		t.Errorf("what fails is told, %v", err)
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
