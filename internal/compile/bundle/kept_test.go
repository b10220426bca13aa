package bundle

import (
	"fmt"
	"testing"
)

// What is kept is bounded by its size, too, and counted right.
func TestKeptVolume(t *testing.T) {
	t.Parallel()
	b := New(Options{})
	large := answer{Script: make([]byte, maxCached/5), Errors: []Problem{{Message: "m", Text: "t"}}}
	names := make([]key, 10)
	for i := range names {
		names[i] = keyOf(fmt.Sprint(i), nil)
		b.keep(names[i], large)
		b.keep(names[i], large) // twice is once
	}
	for i, name := range names {
		if _, ok := b.recall(name); ok != (i >= 6) {
			t.Errorf("answer %d is kept: %t", i, ok)
		}
	}
	if want := 4 * large.size(); b.volume != want {
		t.Errorf("%d bytes are counted, want %d", b.volume, want)
	}
	// What would push out much else is not kept.
	huge := answer{Script: make([]byte, maxCached/4)}
	b.keep(keyOf("huge", nil), huge)
	if _, ok := b.recall(keyOf("huge", nil)); ok || b.volume != 4*large.size() {
		t.Errorf("a huge answer is kept: %t; %d bytes are counted", ok, b.volume)
	}
}

func TestKeysDiffer(t *testing.T) {
	t.Parallel()
	if keyOf("a", []byte("b")) == keyOf("ab", nil) || keyOf("1:a", nil) == keyOf("1", []byte(":a")) {
		t.Error("two files have one key")
	}
}
