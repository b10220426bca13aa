package port_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"toolsmith/internal/port"
	"toolsmith/internal/value"
)

// world is a hub, the port that is open, and every call that was made of it.
type world struct {
	*house
	now   *host // nil while there is none
	calls []*tracked
	names []string
}

// tracked is a call with what its host has been told of it.
type tracked struct {
	*called
	cancel context.CancelFunc
	// sent are the ids under which it was sent; more than one is a defect.
	sent []string
	on   *host
	key  string
}

// read takes what the server has sent.
func (w *world) read(t *rapid.T) {
	for w.now != nil {
		text := w.now.next()
		if text == "" {
			return
		}
		m, err := port.Decode(port.FromServer, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := m.(port.Invoke); ok {
			key := value.JSON(m.Arguments)
			for _, c := range w.calls {
				if c.key == key {
					c.sent, c.on = append(c.sent, m.ID), w.now
				}
			}
		}
	}
}

// TestEachCallHasOneOutcome: whatever hosts and callers do, and in whatever order, each call
// ends with exactly one outcome, was sent at most once, and none hangs.
func TestEachCallHasOneOutcome(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		rapid.Check(struct{ testing.TB }{t}, func(rt *rapid.T) {
			w := &world{house: h, names: []string{"a", "a", "a", "b"}}
			rt.Repeat(map[string]func(*rapid.T){
				"": func(rt *rapid.T) { synctest.Wait(); w.read(rt) },
				"connect": func(rt *rapid.T) {
					if w.now == nil {
						w.now = w.connect("editor")
						w.now.register("a", `"version":"1"`, `"timeout":3000`)
					}
				},
				"register": func(rt *rapid.T) {
					if w.now != nil {
						version := rapid.SampledFrom([]string{"1", "1", "1", "2"}).Draw(rt, "version")
						w.now.send(`{"type":"register","id":"r","tool":` + declared(rapid.SampledFrom(w.names).Draw(rt, "name"), `"version":"`+version+`"`, `"timeout":3000`) + `}`)
					}
				},
				"unregister": func(rt *rapid.T) {
					if w.now != nil {
						w.now.send(`{"type":"unregister","id":"u","name":"` + rapid.SampledFrom(w.names).Draw(rt, "name") + `"}`)
					}
				},
				"call": func(rt *rapid.T) {
					name := rapid.SampledFrom(w.names).Draw(rt, "name")
					version := rapid.SampledFrom([]string{"1", "1", "1", "2"}).Draw(rt, "version")
					r := request(t, name, `"version":"`+version+`"`, `"timeout":3000`)
					r.Arguments = map[string]any{"n": value.Int(len(w.calls))}
					ctx, cancel := context.WithCancel(h.ctx)
					w.calls = append(w.calls, &tracked{called: h.call(ctx, r), cancel: cancel, key: value.JSON(r.Arguments)})
				},
				"answer": func(rt *rapid.T) {
					var open []*tracked
					for _, c := range w.calls {
						if len(c.sent) > 0 && c.on == w.now {
							open = append(open, c)
						}
					}
					if len(open) == 0 {
						return
					}
					c := rapid.SampledFrom(open).Draw(rt, "call")
					w.now.send(fmt.Sprintf(rapid.SampledFrom([]string{
						`{"type":"result","call":"%s","value":1}`, `{"type":"error","call":"%s","error":{"code":"NO","message":"No."}}`, `{"type":"result","call":"%s"}`,
						`{"type":"context","id":"x","call":"%s","method":"chain"}`, `{"type":"progress","call":"%s","done":1,"total":2}`,
					}).Draw(rt, "text"), c.sent[0]))
				},
				"cancel": func(rt *rapid.T) {
					if len(w.calls) > 0 {
						rapid.SampledFrom(w.calls).Draw(rt, "call").cancel()
					}
				},
				"drop": func(rt *rapid.T) {
					if w.now != nil {
						w.now.pipe.left = rapid.SampledFrom([]error{io.ErrUnexpectedEOF, &port.CloseError{Code: port.CloseNormal}}).Draw(rt, "why")
						close(w.now.pipe.in)
						<-w.now.served
						w.now = nil
					}
				},
				"time": func(rt *rapid.T) {
					<-time.After(time.Duration(rapid.IntRange(1, 4000).Draw(rt, "ms")) * time.Millisecond)
				},
			})
			w.settle(rt)
		})
	})
}

// settle ends everything and looks at what became of each call.
func (w *world) settle(t *rapid.T) {
	<-time.After(time.Minute) // beyond every timeout
	synctest.Wait()
	w.read(t)
	for i, c := range w.calls {
		select {
		case <-c.done:
		default:
			t.Fatalf("call %d hangs", i)
		}
		if c.err == nil && len(c.sent) == 0 {
			t.Fatalf("call %d came to %v and was never sent", i, c.answer)
		}
		if len(c.sent) > 1 {
			t.Fatalf("call %d was sent as %s", i, strings.Join(c.sent, " and "))
		}
		c.cancel()
	}
	if w.now != nil {
		if got := w.hub.Ports(); len(got) != 1 || got[0].Calls != 0 {
			t.Fatalf("ports %+v", got)
		}
		_ = w.now.leave()
	}
	<-time.After(time.Minute) // beyond the grace
}
