package port_test

import (
	"bytes"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/port"
	"toolsmith/internal/value"
)

// TestThePublishedSchema is the one that messages are held to.
func TestThePublishedSchema(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../../docs/port.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(document, port.Schema()) {
		t.Error("docs/port.schema.json is not internal/port/port.schema.json: copy it there")
	}
}

// messages has one of each type from each side, with all that it may say.
func messages() map[port.Side][]port.Message {
	declared := port.Declaration{
		Name: "open", Title: "Open", Description: "Opens.", LongDescription: "Opens a file.", Version: "2",
		Parameters: map[string]any{"type": "object"}, Result: map[string]any{"type": "string"}, RenderOptions: map[string]any{"as": "text"},
		Context: []string{"chain", "secret"}, Timeout: time.Second, ReadOnly: true, Idempotent: true,
	}
	arguments := map[string]any{"a": value.Int(1)}
	fault := port.Fault{Code: "NO", Message: "No.", Field: "$.a", Details: []any{"x"}}
	return map[port.Side][]port.Message{
		port.FromHost: {
			port.Hello{Protocol: 1, Name: "editor", Version: "1", Token: "t"}, port.Register{ID: "r", Tool: declared}, port.Unregister{ID: "u", Name: "open"},
			port.Progress{Call: "c", Done: 1.5, Total: 3, Note: "n"}, port.Result{Call: "c", Value: "v"}, port.Result{Call: "c"},
			port.Result{Call: "c", Subtasks: []any{[]any{map[string]any{}}}}, port.Failed{Call: "c", Fault: fault},
			port.Ask{ID: "x", Call: "c", Method: "chain", Arguments: arguments},
			port.Invoke{ID: "q", Tool: "dynamic:a.b", Arguments: arguments, Title: "T", Key: "k", TaskID: "t", Deadline: time.Minute},
			port.Cancel{ID: "q"}, port.Ping{ID: "p"},
		},
		port.FromServer: {
			port.Welcome{Server: "toolsmith", Version: "0.1"}, port.Registered{ID: "r", Name: "open"}, port.Unregistered{ID: "u"},
			port.Invoke{ID: "c", Tool: "open", Arguments: arguments, TaskID: "t", RunID: "r", Caller: "cli", Deadline: time.Minute},
			port.Cancel{Call: "c", Reason: "why"}, port.Given{ID: "x", Value: "v"}, port.Progress{ID: "q", Done: 1, Total: 2, Note: "n"},
			port.Result{ID: "q", Value: "v", RunID: "r"}, port.Failed{ID: "q", Fault: fault, RunID: "r"}, port.Failed{Fault: fault}, port.Pong{ID: "p"},
		},
	}
}

// TestMessagesComeBack: what is written is in the published schema, and is read as it was.
func TestMessagesComeBack(t *testing.T) {
	t.Parallel()
	for side, list := range messages() {
		for _, m := range list {
			text, err := port.Encode(m)
			if err != nil {
				t.Fatal(err)
			}
			if err := wantPublished(side, text); err != nil {
				t.Error(err)
			}
			back, err := port.Decode(side, text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if diff := cmp.Diff(m, back); diff != "" {
				t.Errorf("%s (-wrote +read):\n%s", text, diff)
			}
			other := port.FromHost
			if side == port.FromHost {
				other = port.FromServer
			}
			if other, err := port.Decode(other, text); err == nil && reflect.TypeOf(other) != reflect.TypeOf(m) {
				t.Errorf("the other side could send %s as a %T", text, other)
			}
		}
	}
}

func TestWhatIsIgnoredAndWhatIsNot(t *testing.T) {
	t.Parallel()
	m, err := port.Decode(port.FromHost, []byte(`{"type":"ping","id":"p","more":{"deep":[1]},"ID":"q"}`))
	if err != nil || m != (port.Ping{ID: "p"}) {
		t.Errorf("%v, %v", m, err)
	}
	m, err = port.Decode(port.FromHost, []byte(`{"type":"register","id":"r","tool":`+declared("a", `"timeout":1e3`)+`}`))
	if err != nil {
		t.Fatal(err)
	}
	if d := m.(port.Register).Tool; d.Timeout != time.Second || d.Version != "1" || d.Result != nil || d.Context != nil {
		t.Errorf("%+v", d)
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), -1} {
		text, err := port.Encode(port.Progress{Call: "c", Done: f, Total: 1e300})
		if err != nil || wantPublished(port.FromHost, text) != nil {
			t.Errorf("%v is written as %s, %v", f, text, err)
		}
	}
}

func TestDigests(t *testing.T) {
	t.Parallel()
	digests := map[string]string{}
	for _, one := range [][]string{
		{"editor", "open"}, {"page", "open"}, {"editor", "close"}, {"editor", "open", `"title":"Open"`}, {"editor", "open", `"context":["chain"]`},
		{"editor", "open", `"result":true`}, {"editor", "open", `"timeout":1000`}, {"editor", "open", `"readOnly":true`}, {"editor", "open", `"version":"2"`},
		{"editor", "open", `"longDescription":"x"`}, {"editor", "open", `"renderOptions":{}`}, {"editor", "open", `"idempotent":true`},
	} {
		got := digest(t, one[0], one[1], one[2:]...)
		if other, twice := digests[got]; twice {
			t.Errorf("%q and %s are one version", one, other)
		}
		digests[got] = strings.Join(one, " ")
	}
	if digest(t, "editor", "open") != digest(t, "editor", "open", `"timeout":30000`, `"version":"1"`, `"readOnly":false`, `"context":[]`) {
		t.Error("what goes without saying makes another version")
	}
	if digest(t, "editor", "open", `"context":["b","a"]`) != digest(t, "editor", "open", `"context":["a","b","a"]`) {
		t.Error("the order of the context makes another version")
	}
}

// FuzzDecode: whatever comes, nothing breaks, and what is understood can be written and read
// again.
func FuzzDecode(f *testing.F) {
	for side, list := range messages() {
		for _, m := range list {
			text, err := port.Encode(m)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(side == port.FromHost, string(text))
		}
	}
	f.Add(true, `{"type":"result","call":"c","value":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`}`)
	f.Add(true, `{"type":"ping","id":"\ud800"}`)
	f.Fuzz(func(t *testing.T, fromHost bool, text string) {
		side := port.FromServer
		if fromHost {
			side = port.FromHost
		}
		m, err := port.Decode(side, []byte(text))
		if err != nil {
			return
		}
		if err := wantPublished(side, []byte(text)); err != nil {
			t.Error(err)
		}
		written, err := port.Encode(m)
		if err != nil {
			return // it has grown by what went without saying, such as a timeout
		}
		again, err := port.Decode(side, written)
		if err != nil {
			t.Fatalf("%s was read, and written as %s, which is not: %v", text, written, err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Errorf("%s (-first +second):\n%s", text, diff)
		}
	})
}

// TestAnyValueComesThrough, whatever is in it.
func TestAnyValueComesThrough(t *testing.T) {
	t.Parallel()
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.Int64(), func(n int64) any { return value.Int64(n) }),
	)
	list := rapid.Map(rapid.SliceOfN(leaf, 0, 5), func(items []any) any { return items })
	object := rapid.Map(rapid.MapOfN(rapid.String(), rapid.OneOf(leaf, list), 0, 5), func(m map[string]any) any { return m })
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(leaf, list, object).Draw(t, "value")
		text, err := port.Encode(port.Result{Call: "c", Value: v})
		if err != nil {
			t.Fatal(err)
		}
		m, err := port.Decode(port.FromHost, text)
		if err != nil {
			t.Fatal(err)
		}
		if !value.Equal(v, m.(port.Result).Value) {
			t.Fatalf("%s came through as %s", value.JSON(v), value.JSON(m.(port.Result).Value))
		}
	})
}
