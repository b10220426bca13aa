package httpapi

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestASlowListener is dropped, and comes back for what it has missed, while others are told
// everything.
func TestASlowListener(t *testing.T) {
	t.Parallel()
	e := newEvents()
	slow, _, _ := e.listen("", "")
	quick, _, _ := e.listen("", "")
	const many = mostBehind + 10
	for i := range many {
		e.tell("http:editor", Event{Type: "run", Run: fmt.Sprint(i)})
		if got := <-quick.ahead; got.number != int64(i+1) {
			t.Fatalf("the quick one is told %d after %d", got.number, i)
		}
	}
	var last told
	for got := range slow.ahead { // it is closed
		last = got
	}
	if last.number != mostBehind {
		t.Errorf("the slow one was told up to %d, want %d", last.number, mostBehind)
	}
	_, missed, lost := e.listen("", fmt.Sprintf("%s-%d", e.epoch, last.number))
	if lost || len(missed) != many-mostBehind || missed[0].number != last.number+1 {
		t.Errorf("it has missed %d, lost %v", len(missed), lost)
	}
	_, missed, lost = e.listen("http:other", e.epoch+"-0")
	if lost || len(missed) != 0 {
		t.Errorf("another program is told %d events of a run that is not its own, lost %v", len(missed), lost)
	}
	for range 3 * mostKept {
		e.tell("", Event{Type: "run"})
	}
	for _, after := range []string{e.epoch + "-0", "another-5", e.epoch + "-99999999", e.epoch + "-x", "x"} {
		if _, missed, lost := e.listen("", after); !lost || missed != nil {
			t.Errorf("after %s: %d missed, lost %v", after, len(missed), lost)
		}
	}
	if len(e.kept) > 2*mostKept {
		t.Errorf("%d events are kept", len(e.kept))
	}
	e.leave(quick)
	if e.listeners[quick] {
		t.Error("it listens although it has left")
	}
	var event Event
	if err := json.Unmarshal(last.text, &event); err != nil || event.Type != "run" {
		t.Errorf("%+v, %v", event, err)
	}
}
