package httpapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// all is what a listener is sent until there is nothing more: the numbers and the events.
func (e *events) all(t *testing.T, l *listener) (out []Event) {
	t.Helper()
	for {
		text, ok := e.next(l)
		if !ok {
			t.Fatal("the listener is dropped")
		}
		if len(text) == 0 {
			return out
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n\n"), "\n\n")
		if len(lines) > mostAtOnce {
			t.Fatalf("%d are sent at once", len(lines))
		}
		for _, one := range lines {
			id, data, ok := strings.Cut(one, "\ndata: ")
			var event Event
			if err := json.Unmarshal([]byte(data), &event); err != nil || !ok || !strings.HasPrefix(id, "id: "+e.epoch+"-") {
				t.Fatalf("it is sent %q, %v", one, err)
			}
			event.Note = strings.TrimPrefix(id, "id: "+e.epoch+"-")
			out = append(out, event)
		}
	}
}

// now has what was told seen at once.
func (e *events) now() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gather()
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
		e.now()
		if got := e.all(t, quick); len(got) != 1 || got[0].Note != fmt.Sprint(i+1) || got[0].Run != fmt.Sprint(i) {
			t.Fatalf("the quick one is told %v after %d", got, i)
		}
	}
	if got := e.all(t, other); len(got) != 0 {
		t.Errorf("another program is told %d events of a run that is not its own", len(got))
	}
	got := e.all(t, slow)
	if len(got) != many || got[many-1].Note != fmt.Sprint(many) || got[7].Run != "7" {
		t.Errorf("the slow one is told %d events, want %d", len(got), many)
	}
	back, lost := e.listen("", fmt.Sprintf("%s-%d", e.epoch, many-3))
	if missed := e.all(t, back); lost || len(missed) != 3 || missed[0].Note != fmt.Sprint(many-2) {
		t.Errorf("it has missed %d, lost %v", len(missed), lost)
	}
	e.tellOne("http:other", Event{Type: "tools"})
	e.tellOne("", Event{Type: "tools", Revision: "r"})
	e.now()
	if got := e.all(t, other); len(got) != 1 || got[0].Revision != "" {
		t.Errorf("alone, a program is told %+v", got)
	}
	if got := e.all(t, back); len(got) != 1 || got[0].Revision != "r" {
		t.Errorf("alone, the person is told %+v", got)
	}
	for range 3 * mostKept {
		e.tell("", Event{Type: "run"})
	}
	e.now()
	if _, ok := e.next(slow); ok {
		t.Error("one that is too slow is not dropped")
	}
	for _, after := range []string{e.epoch + "-0", "another-5", e.epoch + "-99999999", e.epoch + "-x", "x"} {
		l, lost := e.listen("", after)
		if missed := e.all(t, l); !lost || missed != nil {
			t.Errorf("after %s: %d missed, lost %v", after, len(missed), lost)
		}
		e.leave(l)
	}
	if len(e.kept) > 2*mostKept || len(e.fresh) != 0 {
		t.Errorf("%d events are kept, %d are fresh", len(e.kept), len(e.fresh))
	}
	for _, l := range []*listener{slow, quick, other, back} {
		e.leave(l)
	}
	if len(e.listeners) != 0 || e.many != 0 || e.batch.text != nil {
		t.Errorf("%d listen although they have left", len(e.listeners))
	}
	for range 5 * mostKept { // nobody listens
		e.tell("", Event{Type: "run"})
	}
	if len(e.fresh) > 2*mostKept || e.due {
		t.Errorf("%d events are fresh, a round is due: %v", len(e.fresh), e.due)
	}
}

// TestARound begins a moment after something has happened, once for all that happens by then. It
// goes from one to the next and waits for each, but not for long, and not for one that is still at
// it; and the end is told to all.
func TestARound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := newEvents()
		e.tell("", Event{Type: "run"}) // nobody listens
		stuck, _ := e.listen("", "")   // it never looks
		quick, _ := e.listen("", "")
		if got := e.all(t, quick); len(got) != 0 {
			t.Fatalf("it is told %d of what was before", len(got))
		}
		began := time.Now()
		looked := func() time.Duration {
			<-quick.look
			took := time.Since(began)
			if got := e.all(t, quick); len(got) != 3 {
				t.Errorf("it is told %d", len(got))
			}
			return took
		}
		three := func() {
			for range 3 {
				e.tell("", Event{Type: "run"})
			}
		}
		three()
		if took := looked(); took != shortPause+2*pauseEach {
			t.Errorf("it looks after %s", took)
		}
		synctest.Wait()

		// Now both have looked, and one does not come to an end: it is waited for once.
		if _, ok := e.next(stuck); !ok {
			t.Fatal("it is dropped")
		}
		e.all(t, stuck)
		for _, most := range []time.Duration{turnTime, 0} {
			began = time.Now()
			three()
			if took := looked(); took < shortPause+2*pauseEach || took > shortPause+2*pauseEach+most {
				t.Errorf("it looks after %s", took)
			}
			<-time.After(2 * turnTime)
		}
		if _, ok := e.next(stuck); !ok {
			t.Error("it is dropped")
		}
		e.end()
		<-quick.look
		if _, ok := e.next(quick); ok {
			t.Error("it is not dropped at the end")
		}
		e.leave(stuck)
		e.leave(quick)
	})
}
