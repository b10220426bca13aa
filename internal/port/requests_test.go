package port_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"toolsmith/internal/port"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

func TestContextMethods(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		editor := h.connect("editor")
		const context1 = `"context":["chain","secret","secret"]`
		editor.register("open", context1)
		r := request(t, "open", context1)
		r.Context = func(ctx context.Context, _ int, method string, arguments map[string]any) (any, error) {
			switch value.JSON(arguments["name"]) {
			case `"wait"`:
				<-ctx.Done()
				return nil, ctx.Err()
			case `"lost"`:
				return nil, tool.Errorf("SECRET_MISSING", "There is none.")
			case `"broken"`:
				return nil, errors.New("/private/path")
			case `"store"`:
				return nil, tool.Errorf("STORE_UNAVAILABLE", "/private/folder is full.")
			case `"large"`:
				return strings.Repeat("x", port.MaxMessage), nil
			}
			return method + " " + value.JSON(arguments), nil
		}
		c := h.call(h.ctx, r)
		editor.want(`"type":"call"`)
		for _, one := range []struct{ ask, want string }{
			{`"id":"x1","call":"c1","method":"secret","arguments":{"name":"key"}`, `{"id":"x1","type":"context","value":"secret {\"name\":\"key\"}"}`},
			{`"id":"x1","call":"c1","method":"chain"`, `"value":"chain {}"`}, // the id is free again
			{`"id":"x2","call":"c1","method":"caller"`, `"code":"CONTEXT_UNAVAILABLE"`},
			{`"id":"x3","call":"c9","method":"chain"`, `"code":"CONTEXT_UNAVAILABLE"`},
			{`"id":"x4","call":"c1","method":"secret","arguments":{"name":"lost"}`, `"code":"SECRET_MISSING"`},
			{`"id":"x5","call":"c1","method":"secret","arguments":{"name":"broken"}`, `"code":"TOOL_FAILED"`},
			{`"id":"x5","call":"c1","method":"secret","arguments":{"name":"store"}`, `"code":"TOOL_FAILED"`},
			{`"id":"x6","call":"c1","method":"secret","arguments":{"name":"large"}`, `"code":"RESULT_TOO_LARGE"`},
		} {
			editor.say(`{"type":"context",` + one.ask + `}`)
			if text := editor.want(one.want); strings.Contains(text, "/private") {
				t.Errorf("it tells what is for the log: %s", text)
			}
		}
		editor.say(`{"type":"context","id":"x7","call":"c1","method":"secret","arguments":{"name":"wait"}}`)
		editor.say(`{"type":"context","id":"x7","call":"c1","method":"chain"}`)
		if text := editor.want(`PORT_MESSAGE_INVALID`); strings.Contains(text, `"id"`) {
			t.Errorf("the first of two requests is said to have failed: %s", text)
		}
		editor.send(`{"type":"context","id":"x7","call":"c1"}`)
		if text := editor.want(`PORT_MESSAGE_INVALID`); strings.Contains(text, `"id"`) {
			t.Errorf("an open request is said to have failed: %s", text)
		}
		editor.say(`{"type":"result","call":"c1","value":1}`) // what it waits for is not wanted any more
		c.wantCode(t, "")
		editor.say(`{"type":"context","id":"x8","call":"c1","method":"chain"}`)
		editor.want(`"id":"x8"`, `CONTEXT_UNAVAILABLE`)

		r.Context = nil
		c = h.call(h.ctx, r)
		editor.want(`"type":"call"`)
		editor.say(`{"type":"context","id":"x9","call":"c2","method":"chain"}`)
		editor.want(`"id":"x9"`, `CONTEXT_UNAVAILABLE`)
		_ = editor.leave()
		c.wantCode(t, port.CodeClosed)
	})
}

func TestCallsByAHost(t *testing.T) {
	t.Parallel()
	var ends atomic.Value
	serve := func(ctx context.Context, r port.CallRequest) (port.CallResult, error) {
		out := port.CallResult{RunID: "run1"}
		switch r.Tool {
		case "echo":
			r.Progress(1, 2, "half")
			out.Value = []any{r.Port, r.Caller, r.Arguments, r.Title, r.Key, r.TaskID}
			return out, nil
		case "fail":
			return out, tool.Errorf("CONSENT_DENIED", "No.")
		case "large":
			out.Value = strings.Repeat("x", port.MaxMessage)
			return out, nil
		}
		<-ctx.Done()
		ends.Store(context.Cause(ctx))
		return out, ctx.Err()
	}
	inHouse(t, port.Options{Call: serve}, func(t *testing.T, h *house) {
		editor := h.supply("editor", "open")
		editor.say(`{"type":"call","id":"q1","tool":"echo","arguments":{"a":1},"title":"T","key":"k"}`)
		editor.want(`{"done":1,"id":"q1","note":"half","total":2,"type":"progress"}`)
		editor.want(`{"id":"q1","runId":"run1","type":"result","value":["editor","ada",{"a":1},"T","k",""]}`)
		editor.say(`{"type":"call","id":"q1","tool":"fail"}`)
		editor.want(`"type":"error"`, `"id":"q1"`, `"code":"CONSENT_DENIED"`, `"runId":"run1"`)
		editor.say(`{"type":"call","id":"q2","tool":"large"}`)
		editor.want(`"id":"q2"`, `RESULT_TOO_LARGE`, `"runId":"run1"`)
		editor.say(`{"type":"call","id":"q3","tool":"echo","taskId":"t1"}`)
		editor.want(`"id":"q3"`, `PORT_MESSAGE_INVALID`, `$.taskId`)
		h.call(h.ctx, request(t, "open"))
		editor.want(`"type":"call"`)
		editor.say(`{"type":"call","id":"q3","tool":"echo","taskId":"t1"}`)
		editor.want(`"type":"progress"`)
		editor.want(`"t1"]`)

		for text, want := range map[string]struct {
			code  string
			cause error
		}{
			`{"type":"cancel","id":"q4"}`: {"ABORTED", port.ErrCancelled},
			``:                            {port.CodeTime, port.ErrDeadline},
		} {
			editor.say(`{"type":"call","id":"q4","tool":"wait","deadline":5000}`)
			editor.say(`{"type":"cancel","id":"q5"}`) // nobody knows that one
			if text != "" {
				editor.say(text)
			} else {
				<-time.After(5 * time.Second)
			}
			editor.want(`"type":"error"`, `"id":"q4"`, `"code":"`+want.code+`"`)
			if got := ends.Load(); got != want.cause {
				t.Errorf("it ended for %v; want %v", got, want.cause)
			}
		}
		editor.say(`{"type":"call","id":"q6","tool":"wait"}`)
		editor.send(`{"type":"call","id":"q6","tool":"echo"}`)
		editor.want(`PORT_MESSAGE_INVALID`, `$.id`)
		for i := range port.MaxRequests {
			editor.say(fmt.Sprintf(`{"type":"call","id":"w%d","tool":"wait"}`, i))
		}
		editor.want(`PORT_LIMIT_EXCEEDED`, fmt.Sprintf(`"id":"w%d"`, port.MaxRequests-1))
		_ = editor.leave()
		if got := ends.Load(); got != port.ErrDropped {
			t.Errorf("it ended for %v", got)
		}
	})
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		editor := h.connect("editor")
		editor.say(`{"type":"call","id":"q1","tool":"echo"}`)
		editor.want(`"id":"q1"`, `CONTEXT_UNAVAILABLE`)
		_ = editor.leave()
	})
}

// TestBackPressure: while 256 messages wait to be handled, nothing more is read.
func TestBackPressure(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		editor := h.connect("editor")
		begin := make(chan struct{})
		h.shelf.during = func(context.Context) { <-begin }
		editor.say(`{"type":"register","id":"r","tool":` + declared("open") + `}`) // being handled
		taken := 0
		for range port.MaxWaiting + 10 {
			select {
			case editor.pipe.in <- []byte(`{"type":"ping","id":"p"}`):
				taken++
			default:
			}
			synctest.Wait()
		}
		if taken != port.MaxWaiting+1 { // one has been read and has no place
			t.Errorf("%d messages were read", taken)
		}
		close(begin)
		editor.want(`"registered"`)
		for range taken {
			editor.want(`"pong"`)
		}
		_ = editor.leave()
	})
}

// TestASlowHost is dropped once it has not read for a while what fills its queue, and does not
// keep others waiting.
func TestASlowHost(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		editor := h.supply("editor", "open")
		editor.pipe.out <- nil // the pipe has room for so many messages
		for len(editor.pipe.out) < cap(editor.pipe.out) {
			editor.pipe.out <- nil
		}
		r := request(t, "open")
		r.Arguments = map[string]any{"text": strings.Repeat("x", 300<<10)}
		began := time.Now()
		var all []*called
		for range 6 {
			all = append(all, h.call(h.ctx, r))
		}
		all[5].wantCode(t, port.CodeClosed)
		for _, c := range all {
			c.wantCode(t, port.CodeClosed)
		}
		if took := time.Since(began); took < 10*time.Second || took > 13*time.Second { // it waited for the port to come back
			t.Errorf("it took %s", took)
		}
		_ = editor.wantClosed(port.ClosePolicy, "too slow")
	})
}

func TestArgumentsThatNobodyCouldRead(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		editor := h.supply("editor", "open")
		var deep any
		for range value.MaxDepth {
			deep = []any{deep}
		}
		for _, arguments := range []any{strings.Repeat("x", port.MaxMessage), deep} {
			r := request(t, "open")
			r.Arguments = map[string]any{"v": arguments}
			h.call(h.ctx, r).wantCode(t, "ARGUMENTS_TOO_LARGE")
		}
		_ = editor.leave()
	})
}

// TestADropDuringARegistration leaves nothing registered.
func TestADropDuringARegistration(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		editor := h.connect("editor")
		begin := make(chan struct{})
		h.shelf.during = func(context.Context) { <-begin }
		editor.say(`{"type":"register","id":"r","tool":` + declared("open") + `}`)
		editor.pipe.left = &port.CloseError{Code: port.CloseAway}
		close(editor.pipe.in)
		synctest.Wait()
		early := h.call(h.ctx, request(t, "open")) // waits until it is tidied away, and the grace
		again := h.connect("editor")
		again.say(`{"type":"register","id":"r","tool":` + declared("open") + `}`) // waits as well
		close(begin)
		<-editor.served
		again.want(`"registered"`)
		again.want(`"type":"call"`)
		again.say(`{"type":"result","call":"c1","value":1}`)
		early.wantCode(t, "")
		_ = again.leave()
	})
}

// TestRequestsAreCounted in the order in which the host sent them, each method by itself, also where
// they are answered side by side.
func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	inHouse(t, port.Options{}, func(t *testing.T, h *house) {
		editor := h.connect("editor")
		const context1 = `"context":["ask","popup"]`
		editor.register("open", context1)
		r := request(t, "open", context1)
		open := make(chan struct{})
		r.Context = func(_ context.Context, nth int, method string, arguments map[string]any) (any, error) {
			<-open
			return fmt.Sprint(method, nth, " ", arguments["title"]), nil
		}
		for _, call := range []string{"c1", "c2"} { // each call from the beginning
			c := h.call(h.ctx, r)
			editor.want(`"type":"call"`)
			for i, title := range []string{"a", "b", "c"} {
				editor.say(fmt.Sprintf(`{"type":"context","id":"a%d","call":%q,"method":"ask","arguments":{"title":%q}}`, i, call, title))
			}
			editor.say(fmt.Sprintf(`{"type":"context","id":"p","call":%q,"method":"popup","arguments":{"title":"d"}}`, call))
			if call == "c1" {
				close(open)
			}
			var seen []string
			for range 4 {
				seen = append(seen, editor.want(`"type":"context"`))
			}
			all := strings.Join(seen, "\n")
			for _, want := range []string{`"id":"a0","type":"context","value":"ask0 a"`, `"value":"ask1 b"`, `"value":"ask2 c"`, `"id":"p","type":"context","value":"popup0 d"`} {
				if !strings.Contains(all, want) {
					t.Errorf("%s is not among\n%s", want, all)
				}
			}
			editor.say(fmt.Sprintf(`{"type":"result","call":%q,"value":1}`, call))
			c.wantCode(t, "")
		}
	})
}
