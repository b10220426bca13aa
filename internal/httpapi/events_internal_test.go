package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// all is what a listener is sent until there is nothing more.
func (e *events) all(t *testing.T, l *listener) (out []told) {
	t.Helper()
	for {
		list, _, ok := e.next(l)
		if !ok {
			t.Fatal("the listener is dropped")
		}
		if len(list) == 0 {
			return out
		}
		if len(list) > mostAtOnce {
			t.Fatalf("%d are sent at once", len(list))
		}
		out = append(out, list...)
	}
}

// TestListeners read at their own pace, come back for what they have missed, and are dropped where
// that is not kept any more.
func TestListeners(t *testing.T) {
	t.Parallel()
	e := newEvents()
	slow, _ := e.listen("", "")
	quick, _ := e.listen("", "")
	other, _ := e.listen("http:other", "")
	const many = mostKept - 10
	for i := range many {
		e.tell("http:editor", Event{Type: "run", Run: fmt.Sprint(i)})
		if got := e.all(t, quick); len(got) != 1 || got[0].number != int64(i+1) {
			t.Fatalf("the quick one is told %v after %d", got, i)
		}
	}
	if got := e.all(t, other); len(got) != 0 {
		t.Errorf("another program is told %d events of a run that is not its own", len(got))
	}
	got := e.all(t, slow)
	if len(got) != many || got[many-1].number != many {
		t.Errorf("the slow one is told %d events, want %d", len(got), many)
	}
	var event Event
	if err := json.Unmarshal(got[7].text, &event); err != nil || event.Type != "run" || event.Run != "7" {
		t.Errorf("%+v, %v", event, err)
	}
	if text := string(e.lines(got[:2])); text != fmt.Sprintf("id: %[1]s-1\ndata: %[2]s\n\nid: %[1]s-2\ndata: %[3]s\n\n", e.epoch, got[0].text, got[1].text) {
		t.Errorf("they are sent as %s", text)
	}
	back, lost := e.listen("", fmt.Sprintf("%s-%d", e.epoch, many-3))
	if missed := e.all(t, back); lost || len(missed) != 3 || missed[0].number != many-2 {
		t.Errorf("it has missed %d, lost %v", len(missed), lost)
	}
	for range 3 * mostKept {
		e.tell("", Event{Type: "run"})
	}
	if _, _, ok := e.next(slow); ok {
		t.Error("one that is too slow is not dropped")
	}
	for _, after := range []string{e.epoch + "-0", "another-5", e.epoch + "-99999999", e.epoch + "-x", "x"} {
		l, lost := e.listen("", after)
		if missed := e.all(t, l); !lost || missed != nil {
			t.Errorf("after %s: %d missed, lost %v", after, len(missed), lost)
		}
		e.leave(l)
	}
	if len(e.kept) > 2*mostKept {
		t.Errorf("%d events are kept", len(e.kept))
	}
	for _, l := range []*listener{slow, quick, other, back} {
		e.leave(l)
	}
	if len(e.listeners) != 0 {
		t.Errorf("%d listen although they have left", len(e.listeners))
	}
}

// TestListenersAreWoken a moment after something has happened, once for all that happens by then,
// and at the end.
func TestListenersAreWoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEvents()
		e.tell("", Event{Type: "run"}) // nobody listens
		l, _ := e.listen("", "")
		list, more, ok := e.next(l)
		if len(list) != 0 || !ok {
			t.Fatalf("it is told %d of what was before, %v", len(list), ok)
		}
		for range 3 {
			e.tell("", Event{Type: "run"})
		}
		began := time.Now()
		<-more
		if took := time.Since(began); took != shortPause+pauseEach {
			t.Errorf("it is woken after %s", took)
		}
		list, more, _ = e.next(l)
		if len(list) != 3 {
			t.Errorf("it is told %d", len(list))
		}
		e.end()
		<-more
		if _, _, ok := e.next(l); ok {
			t.Error("it is not dropped at the end")
		}
	})
}

// TestTurns are taken one after the other, and are not held up by one that is slow.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEvents()
		for range mostTurns {
			if _, ok := e.turn(t.Context()); !ok { // and it takes for ever
				t.Fatal("there is no turn")
			}
		}
		began := time.Now()
		done, ok := e.turn(t.Context())
		if took := time.Since(began); !ok || took != turnTime {
			t.Errorf("the next one waits %s, %v", took, ok)
		}
		done()
		done, _ = e.turn(t.Context())
		done()
		<-time.After(2 * turnTime) // what has ended does not end again
		if len(e.turns) != 0 {
			t.Errorf("%d turns are taken", len(e.turns))
		}
		for range mostTurns {
			e.turns <- struct{}{}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, ok := e.turn(ctx); ok {
			t.Error("one that has gone has a turn")
		}
	})
}
