package flow_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// TestTheTraceIsCut has a run of more events than a trace keeps. All are observed, the
// run goes on, and what it did after the cut is still taken back.
func TestTheTraceIsCut(t *testing.T) {
	t.Parallel()
	items := "[" + strings.Repeat("0,", 99) + "0]"
	body := strings.Repeat(`{"type": "set", "target": "$.x", "value": 1}, `, 15) + `{"type": "set", "target": "$.x", "value": 2}`
	loop := func(id, next string) string {
		return fmt.Sprintf(`{"id": %q, "type": "foreach", "source": %s, "itemVar": "$.i", "maxItems": 100, "body": [%s], "next": %q}, `, id, items, body, next)
	}
	for name, c := range map[string]struct {
		nodes            string
		events           int
		truncated        bool
		status           flow.Status
		undone           int
		lastKept, lastOf string
	}{
		"below": {loop("one", "two") + loop("two", "end") + returnNull, 3203, false, flow.Succeeded, 0, "end", "end"},
		"above": {makeStep("mk1", "one") + loop("one", "two") + loop("two", "tri") + loop("tri", "stop") + stop, 4806, true, flow.Failed, 1, "tri[55].12", "mk1!undo"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, last := 0, ""
			observe := func(e flow.Event) { events, last = events+1, e.Step }

			r := run(t, spec{nodes: c.nodes}, flow.Options{Host: &host{}, Observe: observe})

			if r.Status != c.status || r.TraceTruncated != c.truncated || events != c.events || last != c.lastOf {
				t.Errorf("%s, truncated %v, %d events, the last of %s", r.Status, r.TraceTruncated, events, last)
			}
			if len(r.Trace) != min(c.events, flow.MaxTrace) || r.Trace[len(r.Trace)-1].Step != c.lastKept {
				t.Errorf("kept %d events, the last of %s", len(r.Trace), r.Trace[len(r.Trace)-1].Step)
			}
			undone := 0
			for _, made := range r.Created {
				if made.Undone {
					undone++
				}
			}
			if undone != c.undone {
				t.Errorf("%d taken back; want %d", undone, c.undone)
			}
			if _, told := r.Value()["traceTruncated"]; told != c.truncated {
				t.Errorf("the value of the result says truncated: %v", told)
			}
		})
	}
}

// TestWhatCountsAsCreated: the answer of a capability that creates, where it is a record
// with a title.
func TestWhatCountsAsCreated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		capability, answer string
		want               []flow.Created
	}{
		"a record":               {"lab.make", `{"id": "7", "title": "Seven"}`, []flow.Created{{Capability: "lab.make", Kind: "item", ID: "7", HasID: true, Title: "Seven"}}},
		"without an id":          {"lab.make", `{"title": "Seven"}`, []flow.Created{{Capability: "lab.make", Kind: "item", Title: "Seven"}}},
		"with an empty id":       {"lab.make", `{"id": "", "title": ""}`, []flow.Created{{Capability: "lab.make", Kind: "item", HasID: true}}},
		"with a number as id":    {"lab.make", `{"id": 7, "title": "Seven"}`, []flow.Created{{Capability: "lab.make", Kind: "item", Title: "Seven"}}},
		"without a title":        {"lab.make", `{"id": "7"}`, nil},
		"with a number as title": {"lab.make", `{"id": "7", "title": 7}`, nil},
		"no object":              {"lab.make", `[{"id": "7", "title": "Seven"}]`, nil},
		"nothing":                {"lab.make", `null`, nil},
		"of a change":            {"lab.change", `{"id": "7", "title": "Seven"}`, nil},
		"of a read":              {"lab.any", `{"id": "7", "title": "Seven"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := fmt.Sprintf(`{"id": "call", "type": "capability", "capability": %q, "input": {"title": "x"}, "target": "$.x", "next": "end"}, `, c.capability) + returnNull

			r := run(t, spec{nodes: nodes}, flow.Options{Host: gives(decode(t, c.answer))})

			if diff := cmp.Diff(c.want, r.Created); diff != "" {
				t.Errorf("created (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCreatedIsListedWhateverHappens has each way in which a run ends.
func TestCreatedIsListedWhateverHappens(t *testing.T) {
	t.Parallel()
	plain := `{"id": "make", "type": "capability", "capability": "lab.make", "input": {"title": "x"}, "next": %q}, `
	for status, c := range map[flow.Status]struct {
		nodes  string
		cancel bool
	}{
		flow.Succeeded: {fmt.Sprintf(plain, "end") + returnNull, false},
		flow.Failed:    {fmt.Sprintf(plain, "stop") + stop, false},
		flow.Cancelled: {fmt.Sprintf(plain, "end") + returnNull, true},
		flow.RecoveryRequired: {fmt.Sprintf(plain, "send") +
			`{"id": "send", "type": "capability", "capability": "lab.send", "input": {}, "next": "stop"}, ` + stop, false},
	} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			observe := func(flow.Event) {
				if c.cancel {
					cancel()
				}
			}

			r := program(t, spec{nodes: c.nodes}).Run(ctx, map[string]any{}, flow.Options{Host: &host{}, Observe: observe})

			want := []flow.Created{{Capability: "lab.make", Kind: "item", ID: "id-make", HasID: true, Title: "Made by make"}}
			if diff := cmp.Diff(want, r.Created); diff != "" || r.Status != status {
				t.Errorf("%s; created (-want +got):\n%s", r.Status, diff)
			}
		})
	}
}

// TestTheValueOfAResult is what programs read.
func TestTheValueOfAResult(t *testing.T) {
	t.Parallel()
	h := &host{answer: func(_ context.Context, c flow.Call) (flow.Answer, error) {
		switch {
		case c.Step == "list":
			return flow.Answer{Value: []any{"a", "b"}, Note: "cut: 2 of 9"}, nil
		case c.Step == "one" && c.Attempt == 1:
			return flow.Answer{}, &flow.CallError{Message: "Later."}
		}
		return madeRecord(c), nil
	}}
	nodes := `{"id": "list", "type": "capability", "capability": "lab.list", "input": {}, "target": "$.x", "next": "ask"},
		{"id": "ask", "type": "if", "condition": {"left": {"$ref": "$.x"}, "op": "exists"}, "then": "one", "else": "stop"}, ` +
		strings.Replace(makeStep("one", "stop"), `"next"`, `"retry": {"maxAttempts": 2}, "next"`, 1) + stop

	r := run(t, spec{nodes: nodes}, flow.Options{Host: h, Clock: &clock{}})

	want := `{"calls":[` +
		`{"attempt":1,"capability":"lab.list","input":{},"step":"list"},` +
		`{"attempt":1,"capability":"lab.make","input":{"title":"one"},"step":"one"},` +
		`{"attempt":2,"capability":"lab.make","input":{"title":"one"},"step":"one"},` +
		`{"attempt":1,"capability":"lab.unmake","input":{"id":"id-one"},"step":"one!undo"}],` +
		`"created":[{"capability":"lab.make","id":"id-one","kind":"item","title":"Made by one","undone":true}],` +
		`"error":{"code":"STOP","message":"On purpose."},"output":null,"status":"failed","trace":[` +
		`{"attempt":1,"capability":"lab.list","kind":"capability","note":"cut: 2 of 9","ok":true,"step":"list"},` +
		`{"kind":"if","note":"then","ok":true,"step":"ask"},` +
		`{"attempt":1,"capability":"lab.make","error":{"code":"FORGE_CAPABILITY_FAILED","message":"\"lab.make\" failed: Later."},"kind":"capability","ok":false,"step":"one"},` +
		`{"attempt":2,"capability":"lab.make","kind":"capability","ok":true,"step":"one"},` +
		`{"error":{"code":"STOP","message":"On purpose."},"kind":"fail","ok":false,"step":"stop"},` +
		`{"attempt":1,"capability":"lab.unmake","kind":"compensation","ok":true,"step":"one!undo"}]}`
	if diff := cmp.Diff(want, value.JSON(r.Value())); diff != "" {
		t.Errorf("value (-want +got):\n%s", diff)
	}
	if list, record := r.Trace[0], r.Trace[3]; list.Count != 2 || record.Count != -1 || record.Title != "Made by one" {
		t.Errorf("the trace counts %d items and has the title %q", list.Count, record.Title)
	}
	if r.Failure.Error() != "STOP: On purpose." {
		t.Errorf("the failure reads %q", r.Failure.Error())
	}
}

// TestTheValueOfAnEmptyResult has every field that programs look for.
func TestTheValueOfAnEmptyResult(t *testing.T) {
	t.Parallel()
	r := run(t, spec{nodes: reads(`{"n": 1.0}`)}, flow.Options{})
	want := `{"calls":[],"created":[],"error":null,"output":{"n":1.0},"status":"succeeded","trace":[{"kind":"return","ok":true,"step":"end"}]}`
	if got := value.JSON(r.Value()); got != want {
		t.Errorf("the value is %s; want %s", got, want)
	}
	without := flow.Result{Created: []flow.Created{{Capability: "c", Kind: "k", Title: "t"}}, TraceTruncated: true}
	want = `{"calls":[],"created":[{"capability":"c","kind":"k","title":"t"}],"error":null,"output":null,"status":"","trace":[],"traceTruncated":true}`
	if got := value.JSON(without.Value()); got != want {
		t.Errorf("the value is %s; want %s", got, want)
	}
}

// TestErrorsOfAHost are never shown unless they are written for people.
func TestErrorsOfAHost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"unknown":           {errStore, `"lab.any" failed.`},
		"for people":        {&flow.CallError{Message: "The lab is shut.", Cause: errStore}, `"lab.any" failed: The lab is shut.`},
		"wrapped":           {fmt.Errorf("%w: %w", errStore, &flow.CallError{Message: "The lab is shut."}), `"lab.any" failed: The lab is shut.`},
		"without a message": {&flow.CallError{Cause: errStore}, `"lab.any" failed.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := run(t, spec{nodes: callAny + returnNull}, flow.Options{Host: &host{answer: failing(c.err, "call")}})

			wantStatus(t, r, flow.Failed, flow.CodeCapabilityFailed)
			if r.Failure.Message != c.says {
				t.Errorf("says %q; want %q", r.Failure.Message, c.says)
			}
			if strings.Contains(fmt.Sprintf("%+v %s", r, value.JSON(r.Value())), "disk I/O") {
				t.Error("the text of the store is in the result")
			}
		})
	}
	known := &flow.CallError{Message: "The lab is shut.", Cause: errStore}
	if known.Error() != "The lab is shut." || known.Unwrap() != errStore {
		t.Errorf("a call error reads %q and unwraps to %v", known.Error(), known.Unwrap())
	}
}
