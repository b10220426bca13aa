package port_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/port"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// request calls a tool of a port called "editor".
func request(t *testing.T, name string, more ...string) port.Request {
	t.Helper()
	return port.Request{Tool: name, Version: digest(t, "editor", name, more...), Arguments: map[string]any{"a": "b"}, TaskID: "t1", RunID: "r1", Caller: "cli"}
}

func TestACall(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{Version: "0.9"}, func(t *testing.T, h *house) {
		editor := h.supply("editor", "open")
		r := request(t, "open")
		var shown []string
		r.Progress = func(done, total float64, note string) {
			shown = append(shown, fmt.Sprint(done, " ", total, " ", note))
		}
		c := h.call(h.ctx, r)
		editor.want(`"type":"call"`, `"id":"c1"`, `"tool":"open"`, `"arguments":{"a":"b"}`, `"deadline":30000`, `"taskId":"t1"`, `"runId":"r1"`, `"caller":"cli"`)
		editor.say(`{"type":"progress","call":"c1","done":3,"total":10.5,"note":"half"}`)
		editor.say(`{"type":"progress","call":"c9","done":3,"total":10}`) // none of ours
		if got := h.hub.Ports(); len(got) != 1 || got[0].Calls != 1 {
			t.Errorf("ports %+v", got)
		}
		editor.say(`{"type":"result","call":"c1","value":{"n":1.50}}`)
		c.wantCode(t, "")
		if got := value.JSON(c.answer.Value); got != `{"n":1.50}` {
			t.Errorf("the answer is %s", got)
		}
		editor.say(`{"type":"result","call":"c1","value":2}`) // a second time
		editor.say(`{"type":"error","call":"c7","error":{"code":"NO","message":"No."}}`)
		editor.say(`{"type":"progress","call":"c1","done":4,"total":10}`)
		want := []port.Port{{Name: "editor", Version: "1.4.0", Caller: "ada", Tools: []string{"open"}, Ignored: 2}}
		if diff := cmp.Diff(want, h.hub.Ports()); diff != "" {
			t.Errorf("ports (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"3 10.5 half"}, shown); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
		if err := editor.leave(); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatACallComesTo(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		says []string
		code string
		then func(t *testing.T, c *called)
	}{
		"subtasks": {says: []string{`{"type":"result","call":"c1","subtasks":[[{"role":"user","content":{"type":"message","data":"hi"}}]]}`}, then: func(t *testing.T, c *called) {
			if len(c.answer.Subtasks) != 1 {
				t.Errorf("subtasks %v", c.answer.Subtasks)
			}
		}},
		"an error of its own": {
			says: []string{`{"type":"error","call":"c1","error":{"code":"NO_FILE","message":"There is no such file.","field":"$.path","details":{"n":1}}}`},
			code: "NO_FILE", then: func(t *testing.T, c *called) {
				var fault *port.Fault
				if !errors.As(c.err, &fault) || fault.Field != "$.path" || value.JSON(fault.Details) != `{"n":1}` || !strings.Contains(c.err.Error(), "no such file") {
					t.Errorf("the error is %#v", c.err)
				}
			},
		},
		"both":         {says: []string{`{"type":"result","call":"c1","value":1,"subtasks":[[]]}`}, code: "RESULT_INVALID"},
		"neither":      {says: []string{`{"type":"result","call":"c1"}`}, code: "RESULT_INVALID"},
		"a bad error":  {says: []string{`{"type":"error","call":"c1","error":{"code":"no","message":""}}`}, code: "RESULT_INVALID"},
		"nested":       {says: []string{`{"type":"result","call":"c1","value":` + strings.Repeat("[", 90) + strings.Repeat("]", 90) + `}`}, code: "RESULT_INVALID"},
		"the last one": {says: []string{`{"type":"result","call":"c2","value":1}`, `{"type":"ping","id":"p"}`, `{"type":"result","call":"c1","value":null}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inHouse(t, port.Options{}, func(t *testing.T, h *house) {
				editor := h.supply("editor", "open")
				c := h.call(h.ctx, request(t, "open"))
				for _, text := range one.says {
					editor.send(text)
				}
				c.wantCode(t, one.code)
				if one.then != nil {
					one.then(t, c)
				}
				_ = editor.leave()
			})
		})
	}
}

func TestACallThatTakesTooLong(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		editor := h.connect("editor")
		editor.register("slow", `"timeout":5000`)
		began := time.Now()
		c := h.call(h.ctx, request(t, "slow", `"timeout":5000`))
		editor.want(`"type":"call"`, `"deadline":5000`)
		c.wantCode(t, port.CodeTime)
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("it took %s", took)
		}
		editor.want(`"type":"cancel"`, `"call":"c1"`, `"reason":"its time is over"`)

		ctx, cancel := context.WithTimeout(h.ctx, time.Second) // that of the call counts, if it is shorter
		defer cancel()
		c = h.call(ctx, request(t, "slow", `"timeout":5000`))
		editor.want(`"id":"c2"`, `"deadline":1000`)
		<-c.done
		wantErr(t, c.err, context.DeadlineExceeded)
		editor.want(`"type":"cancel"`, `"call":"c2"`)
		_ = editor.leave()
	})
}

func TestMoreCallsThanAPortTakesWait(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		editor := h.supply("editor", "open")
		var all []*called
		for range port.MaxCalls + 2 {
			all = append(all, h.call(h.ctx, request(t, "open")))
		}
		for range port.MaxCalls {
			editor.want(`"type":"call"`)
		}
		if text := editor.next(); text != "" {
			t.Errorf("one call too many: %s", text)
		}
		ctx, cancel := context.WithCancel(h.ctx)
		given := h.call(ctx, request(t, "open"))
		cancel()
		<-given.done
		wantErr(t, given.err, context.Canceled)
		editor.say(`{"type":"result","call":"c1","value":1}`)
		editor.want(`"type":"call"`, `"id":"c65"`)
		_ = editor.leave() // the last of them was never sent, and its port does not come back
		for i, c := range all {
			want := port.CodeClosed
			if i == 0 {
				want = ""
			}
			c.wantCode(t, want)
		}
	})
}

func TestAPortThatIsDropped(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		h.call(h.ctx, request(t, "open")).wantCode(t, port.CodeClosed) // it was never there
		editor := h.supply("editor", "open", "close")
		under := h.call(h.ctx, request(t, "open"))
		editor.pipe.left = io.ErrUnexpectedEOF
		close(editor.pipe.in)
		if err := <-editor.served; !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("it ended with %v", err)
		}
		under.wantCode(t, port.CodeClosed)

		within := h.call(h.ctx, request(t, "open")) // waits for the port
		ctx, cancel := context.WithCancel(h.ctx)
		stopped := h.call(ctx, request(t, "open"))
		cancel()
		<-stopped.done
		wantErr(t, stopped.err, context.Canceled)
		changed := h.call(h.ctx, request(t, "close"))
		again := h.connect("editor")
		again.register("open")
		again.want(`"type":"call"`, `"tool":"open"`)
		again.say(`{"type":"result","call":"c1","value":1}`)
		within.wantCode(t, "")
		again.register("close", `"version":"2"`)
		changed.wantCode(t, port.CodeClosed) // it is another tool now, to which nobody has said yes

		began := time.Now()
		_ = again.leave()
		late := h.call(h.ctx, request(t, "open"))
		late.wantCode(t, port.CodeClosed)
		if took := time.Since(began); took != port.DefaultGrace {
			t.Errorf("the call waited %s", took)
		}
		h.call(h.ctx, request(t, "open")).wantCode(t, port.CodeClosed) // at once
		if took := time.Since(began); took != port.DefaultGrace {
			t.Errorf("a call after the grace waited, in all %s", took)
		}
	})
}

func TestWithoutGrace(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{Grace: -1}, func(t *testing.T, h *house) {
		editor := h.supply("editor", "open")
		_ = editor.leave()
		began := time.Now()
		h.call(h.ctx, request(t, "open")).wantCode(t, port.CodeClosed)
		if took := time.Since(began); took != 0 {
			t.Errorf("the call waited %s", took)
		}
	})
}

func TestRegistering(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		h.shelf.refuse["taken"] = true
		editor := h.supply("editor", "open")
		under := h.call(h.ctx, request(t, "open"))
		editor.want(`"type":"call"`)
		editor.register("open", `"title":"Open"`) // replaced; what is under way goes on
		h.call(h.ctx, request(t, "open")).wantCode(t, port.CodeClosed)
		editor.say(`{"type":"result","call":"c1","value":1}`)
		under.wantCode(t, "")
		editor.say(`{"type":"register","id":"r2","tool":` + declared("taken") + `}`)
		editor.want(`"type":"error"`, `"id":"r2"`, `TOOL_EXISTS`)
		other := h.connect("editor")
		other.say(`{"type":"register","id":"r1","tool":` + declared("open") + `}`)
		other.want(`"type":"error"`, `"id":"r1"`, `TOOL_EXISTS`)
		other.say(`{"type":"unregister","id":"u1","name":"open"}`)
		other.want(`"type":"error"`, `"id":"u1"`, `PORT_MESSAGE_INVALID`)
		h.shelf.refuse["open"] = true // replacing it fails: the one before stays
		editor.say(`{"type":"register","id":"r3","tool":` + declared("open") + `}`)
		editor.want(`"id":"r3"`, `TOOL_EXISTS`)
		titled := h.call(h.ctx, request(t, "open", `"title":"Open"`))
		editor.want(`"id":"c2"`)
		editor.say(`{"type":"result","call":"c2","value":1}`)
		titled.wantCode(t, "")
		editor.say(`{"type":"unregister","id":"u2","name":"open"}`)
		editor.want(`"type":"unregistered"`, `"id":"u2"`)
		began := time.Now()
		h.call(h.ctx, request(t, "open", `"title":"Open"`)).wantCode(t, port.CodeClosed)
		if time.Since(began) != 0 {
			t.Error("a call of what was taken away waited")
		}
		_ = editor.leave()
		_ = other.leave()
	})
}

func TestDeclarationsThatAreRefused(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		editor := h.connect("editor")
		big := `{"type":"object","description":"` + strings.Repeat("x", port.MaxSchema) + `"}`
		for text, want := range map[string]string{
			`{"name":"a b","description":"x","parameters":{"type":"object"}}`:                                 `$.tool.name`,
			`{"name":"a","parameters":{"type":"object"}}`:                                                     `$.tool.description`,
			`{"name":"a","description":"x","parameters":{"type":"array"}}`:                                    `$.tool.parameters`,
			`{"name":"a","description":"x","parameters":{"type":"object","properties":3}}`:                    `TOOL_INVALID`,
			`{"name":"a","description":"x","parameters":{"type":"object"},"result":{"type":"?"}}`:             `$.tool.result`,
			`{"name":"a","description":"x","parameters":{"type":"object","$ref":"http://x/y"}}`:               `TOOL_INVALID`,
			`{"name":"a","description":"x` + "\u202e" + `","parameters":{"type":"object"}}`:                   `U+202E`,
			`{"name":"a","description":"x","parameters":` + big + `}`:                                         `PORT_LIMIT_EXCEEDED`,
			`{"name":"a","description":"x","parameters":{"type":"object"},"renderOptions":{"x":` + big + `}}`: `$.tool.renderOptions`,
			`{"name":"a","description":"x","parameters":{"type":"object"},"timeout":600001}`:                  `$.tool.timeout`,
			`{"name":"a","description":"x","parameters":{"type":"object"},"context":["no way"]}`:              `$.tool.context[0]`,
		} {
			editor.send(`{"type":"register","id":"r","tool":` + text + `}`)
			editor.want(`"type":"error"`, `"id":"r"`, want)
		}
		for i := range port.MaxTools {
			editor.register(fmt.Sprint("tool", i))
		}
		editor.send(`{"type":"register","id":"r","tool":` + declared("more") + `}`)
		editor.want(`"type":"error"`, `PORT_LIMIT_EXCEEDED`)
		editor.register("tool0", `"readOnly":true`)
		_ = editor.leave()
	})
}

func TestHowAPortBegins(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		for text, want := range map[string]struct {
			code   int
			reason string
		}{
			`{"type":"ping","id":"p"}`:                 {port.ClosePolicy, "hello first"},
			`{"type":"hello","protocol":1}`:            {port.ClosePolicy, "hello first"},
			`{"type":"hello","protocol":2,"name":"x"}`: {port.ClosePolicy, "another protocol"},
			`{"type":"hello","protocol":1,"name":"x"`:  {port.CloseInvalid, "no JSON object"},
			`[]`:       {port.CloseInvalid, "no JSON object"},
			"\xff\xfe": {port.CloseInvalid, "no JSON object"},
			`"` + strings.Repeat("x", port.MaxMessage) + `"`: {port.CloseLarge, "too large"},
		} {
			one := h.dial(port.Peer{})
			one.send(text)
			if want.code != port.CloseLarge {
				one.want(`"type":"error"`)
			}
			if err := one.wantClosed(want.code, want.reason); err == nil {
				t.Errorf("%.50s: no error says why", text)
			}
		}
		silent := h.dial(port.Peer{})
		_ = silent.wantClosed(port.ClosePolicy, "no hello")

		check := func(_ context.Context, token string) (string, error) {
			switch token {
			case "good":
				return "bob", nil
			case "later":
				return "", busy()
			}
			return "", tool.Errorf("HTTP_TOKEN_REFUSED", "The token lets nobody in.")
		}
		for token, want := range map[string]struct {
			says   string
			code   int
			reason string
		}{
			"bad":   {`HTTP_TOKEN_REFUSED`, port.ClosePolicy, "token refused"},
			"":      {`HTTP_TOKEN_REFUSED`, port.ClosePolicy, "token refused"},
			"later": {`PORT_REFUSED`, port.CloseLater, "cannot be looked up"},
		} {
			stranger := h.dial(port.Peer{Token: check})
			stranger.say(`{"type":"hello","protocol":1,"name":"x","token":"` + token + `"}`)
			if text := stranger.want(`"type":"error"`, want.says); strings.Contains(text, "toolsmith.db") {
				t.Errorf("it is told %s", text)
			}
			if err := stranger.wantClosed(want.code, want.reason); err == nil {
				t.Errorf("%q: no error says why", token)
			}
		}
		bob := h.dial(port.Peer{Token: check})
		bob.say(`{"type":"hello","protocol":1,"name":"x","token":"good"}`)
		bob.want(`"limits":{"calls":64,"messageBytes":1048576,"tools":200}`)
		if got := h.hub.Ports(); len(got) != 1 || got[0].Caller != "bob" {
			t.Errorf("ports %+v", got)
		}
		bob.send(`{"type":"hello","protocol":1,"name":"y"}`)
		bob.want(`PORT_MESSAGE_INVALID`)
		bob.say(`{"type":"ping","id":"p1"}`)
		bob.want(`{"id":"p1","type":"pong"}`)
		bob.send(`{"type":"dance","id":"d"}`)
		bob.want(`"id":"d"`, `PORT_MESSAGE_INVALID`, `$.type`)
		bob.send(`{"type":"ping","id":"` + strings.Repeat("x", 65) + `"}`)
		if text := bob.want(`PORT_MESSAGE_INVALID`); strings.Contains(text, "xxx") {
			t.Errorf("it answers to a bad id: %s", text)
		}
		_ = bob.leave()
	})
}

// door says whether a host may go on.
type door struct {
	mu  sync.Mutex
	err error
}

func (d *door) becomes(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

func (d *door) still(context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// busy is what keeps a token from being looked up.
func busy() error {
	return fmt.Errorf("find the token: %w", tool.Errorf("STORE_BUSY", "/home/ada/toolsmith.db is busy."))
}

// TestATokenThatIsRemoved ends the port of its host, within a second or at what it asks for.
func TestATokenThatIsRemoved(t *testing.T) {
	t.Parallel()
	gone := tool.Errorf("HTTP_TOKEN_REFUSED", "The token lets nobody in.")
	for name, says := range map[string]string{
		"it says nothing":    "",
		"it calls a tool":    `{"type":"call","id":"q","tool":"notes.list","arguments":{}}`,
		"it asks about runs": `{"type":"context","id":"x","call":"c1","method":"chain"}`,
		"it supplies a tool": `{"type":"register","id":"s","tool":` + declared("more") + `}`,
	} {
		answered := 0
		o := port.Options{Grace: -1, Call: func(context.Context, port.CallRequest) (port.CallResult, error) {
			answered++
			return port.CallResult{Value: "called"}, nil
		}}
		inHouse(t, o, func(t *testing.T, h *house) {
			var d door
			one := h.dial(port.Peer{Caller: "editor", Still: d.still})
			one.say(`{"type":"hello","protocol":1,"name":"editor"}`)
			one.want(`"type":"hello"`)
			one.register("open", `"context":["chain"]`)
			r := request(t, "open", `"context":["chain"]`)
			r.Context = func(context.Context, int, string, map[string]any) (any, error) {
				answered++
				return "chain", nil
			}
			c := h.call(t.Context(), r)
			one.want(`"type":"call"`, `"id":"c1"`)
			<-time.After(10 * time.Second)
			one.say(`{"type":"ping","id":"p"}`)
			one.want(`pong`) // until it is removed, it stays
			d.becomes(gone)
			if says == "" {
				<-time.After(time.Second)
			} else {
				one.say(says)
			}
			one.want(`"type":"error"`, "HTTP_TOKEN_REFUSED")
			wantErr(t, one.wantClosed(port.ClosePolicy, "token refused"), gone)
			c.wantCode(t, port.CodeClosed)
			if left := h.shelf.names(); answered != 0 || len(left) > 0 {
				t.Errorf("%s: it was answered %d times, and has %q", name, answered, left)
			}
		})
	}
}

// TestATokenThatCannotBeLookedUp lets the port stay, and keeps it from anything meanwhile.
func TestATokenThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		var d door
		one := h.dial(port.Peer{Caller: "editor", Still: d.still})
		one.say(`{"type":"hello","protocol":1,"name":"editor"}`)
		one.want(`"type":"hello"`)
		d.becomes(busy())
		one.say(`{"type":"register","id":"r","tool":` + declared("open") + `}`)
		if text := one.want(`"type":"error"`, `"id":"r"`, `TOOL_FAILED`); strings.Contains(text, "toolsmith.db") {
			t.Errorf("it is told %s", text)
		}
		<-time.After(time.Minute)
		d.becomes(nil)
		one.register("open")
		_ = one.leave()
	})
}

func TestTheMostPorts(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		var all []*host
		for range port.MaxPorts {
			all = append(all, h.connect("x"))
		}
		one := h.dial(port.Peer{})
		if err := one.wantClosed(port.CloseLater, "too many"); tool.Code(err) != port.CodeLimit {
			t.Errorf("the error is %v", err)
		}
		_ = all[0].leave()
		_ = h.connect("x").leave()
		for _, one := range all[1:] {
			_ = one.leave()
		}
	})
}

func TestTheServerEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shelf := newShelf()
		hub := port.NewHub(port.Options{Tools: shelf})
		ctx, cancel := context.WithCancel(t.Context())
		h := &house{t: t, hub: hub, shelf: shelf, ctx: ctx}
		one := h.supply("editor", "open")
		c := h.call(t.Context(), request(t, "open"))
		cancel()
		if err := one.wantClosed(port.CloseAway, "the server ends"); err != nil {
			t.Error(err)
		}
		c.wantCode(t, port.CodeClosed)
		if left := shelf.names(); len(left) > 0 {
			t.Errorf("left open: %q", left)
		}
	})
}
