package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/runner/script"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// everything is the declaration of a tool that may use all of its context.
const everything = `{"network":["api.example.com","http://plain.example.com:8080"],"secrets":["key","other"]}`

// book writes down what a host was asked, and answers from a table.
type book struct {
	mu      sync.Mutex
	asked   []string
	answers map[string]any // by method; an error fails it
}

func (b *book) Do(_ context.Context, seq int, method string, arguments map[string]any) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, fmt.Sprintf("%d %s %s", seq, method, value.JSON(arguments)))
	answer := b.answers[method]
	if err, failed := answer.(error); failed {
		return nil, err
	}
	return answer, nil
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestTheExampleOfTheReference runs the first example of the reference, whose description alone is in
// other words, as its bundler leaves it.
func TestTheExampleOfTheReference(t *testing.T) {
	t.Parallel()
	text := file(`
const summarize = createTool({
  name: 'summarize',
  description: 'Gives a short form of a text.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
  async function({ text }, context) {
    const chain = await context.getExecutionTaskChain()
    if (context.stopSignal.aborted) throw new Error('Cancelled')
    return context.createSubtasksResult([
      [
        { role: 'assistant', content: { type: 'message', data: ` + "`${text} (${chain.length})`" + ` } },
        { role: 'system', content: { type: 'return', data: 'complete' } },
      ],
    ])
  },
})`)
	declared, err := house().Load(within(t), []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"description":"Gives a short form of a text.","name":"summarize","parameters":{"additionalProperties":false,"properties":{"text":{"type":"string"}},"required":["text"],"type":"object"}}`
	if len(declared) != 1 || declared[0].Name != "summarize" || string(declared[0].Declaration) != want || !declared[0].HasFunction {
		t.Fatalf("it declares %+v", declared)
	}
	b := &book{answers: map[string]any{"getExecutionTaskChain": decoded(t, `[{"id":"a","role":"user","type":"message","data":"hi","branch":0,"depth":0}]`)}}
	tool1 := made(text, string(declared[0].Declaration))
	tool1.Name = "summarize"
	got, err := house().Run(within(t), script.Call{Tool: tool1, Arguments: map[string]any{"text": "long"}, Host: b})
	if err != nil {
		t.Fatal(err)
	}
	chains, faults := task.ReadDrafts(got.Subtasks)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if diff := cmp.Diff([][]task.Draft{{
		{Role: tool.RoleAssistant, Type: tool.TypeMessage, Data: "long (1)"}, {Role: tool.RoleSystem, Type: tool.TypeReturn, Data: "complete"},
	}}, chains); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestContextMethods(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		body    string
		answers string // JSON object
		asked   []string
		want    string
	}{
		"the chain": {
			body:    `const c = await context.getExecutionTaskChain({ projection: 'flattened', maxTasks: 3 }); return c`,
			answers: `{"getExecutionTaskChain":[{"id":"a","role":"tool","type":"tool","data":{"name":"x","arguments":{}},"name":"x","branch":1,"depth":2}]}`,
			asked:   []string{`0 getExecutionTaskChain {"flattened":true,"maxTasks":3}`},
			want:    `[{"branch":1,"content":{"data":{"arguments":{},"name":"x"},"type":"tool"},"depth":2,"id":"a","name":"x","role":"tool"}]`,
		},
		"the chain, as it usually is": {
			body: `return (await context.getExecutionTaskChain()).length`, answers: `{"getExecutionTaskChain":[]}`,
			asked: []string{`0 getExecutionTaskChain {"flattened":false}`}, want: `0`,
		},
		"secrets": {
			body:    `const a = await context.getSecret('key'); await context.getSecret('other', true, false); const none = await context.setSecret('key', 'value'); return [a, none === undefined]`,
			answers: `{"getSecret":"s3cret"}`,
			asked: []string{
				`0 getSecret {"askNew":false,"name":"key","saveNew":true}`, `1 getSecret {"askNew":true,"name":"other","saveNew":false}`,
				`2 setSecret {"name":"key","value":"value"}`,
			},
			want: `["s3cret",true]`,
		},
		"the caller": {body: `return await context.getCallingToolId()`, answers: `{"getCallingToolId":"cli"}`, asked: []string{`0 getCallingToolId {}`}, want: `"cli"`},
		"progress, in both forms": {
			body:  `await context.progress(1, 4, 'a quarter'); await context.progress({ done: 2, total: 4 }); context.progress(3, 4); context.progress(4, 4, 'the end')`,
			asked: []string{`0 progress {"done":1,"note":"a quarter","total":4}`, `1 progress {"done":2,"note":"","total":4}`, `2 progress {"done":4,"note":"the end","total":4}`},
			want:  `null`,
		},
		"progress before something else": {
			body:  `context.progress(1, 2); await context.popup('https://a.b')`,
			asked: []string{`0 progress {"done":1,"note":"","total":2}`, `1 popup {"url":"https://a.b"}`}, want: `null`,
		},
		"progress in a loop": {
			body: `for (let i = 0; i < 10000; i++) context.progress(i, 10000)`, asked: []string{`0 progress {"done":9999,"note":"","total":10000}`}, want: `null`,
		},
		"a question": {
			body:    `return [await context.interaction({ title: 'Sure?' }), await context.interaction({ title: 'Who?', text: 'A name.', schema: { type: 'string' } })]`,
			answers: `{"interaction":true}`,
			asked:   []string{`0 interaction {"text":"","title":"Sure?"}`, `1 interaction {"schema":{"type":"string"},"text":"A name.","title":"Who?"}`},
			want:    `[true,true]`,
		},
		"a page": {body: `await context.popup(new URL('https://a.b/c')); await context.popup('https://d.e')`, asked: []string{`0 popup {"url":"https://a.b/c"}`, `1 popup {"url":"https://d.e"}`}, want: `null`},
		"the network": {
			body: `const r = await context.fetch('https://api.example.com/x?y=1#h', { method: 'post', body: { a: 1 }, headers: { 'X-Key': 'k' } });
				return [r.status, r.ok, r.statusText, r.url, r.redirected, r.headers.get('content-type'), await r.json(), r.type]`,
			answers: `{"fetch":{"status":200,"statusText":"OK","url":"https://api.example.com/x?y=1","redirected":false,"headers":[["Content-Type","application/json"]],"body":"{\"b\":2}","encoding":"utf8"}}`,
			asked:   []string{`0 fetch {"body":"{\"a\":1}","headers":[["content-type","application/json"],["x-key","k"]],"method":"POST","redirect":"follow","url":"https://api.example.com/x?y=1#h"}`},
			want:    `[200,true,"OK","https://api.example.com/x?y=1",false,"application/json",{"b":2},"basic"]`,
		},
		"bytes over the network": {
			body: `const r = await fetch(new Request('http://plain.example.com:8080', { method: 'PUT', body: new Uint8Array([255, 0, 1]), redirect: 'error' }));
				return [r.ok, [...await r.bytes()], [...r.headers]]`,
			answers: `{"fetch":{"status":404,"statusText":"Not Found","url":"u","redirected":true,"headers":[],"body":"/wA=","encoding":"base64"}}`,
			asked:   []string{`0 fetch {"body":"/wAB","bodyEncoding":"base64","headers":[],"method":"PUT","redirect":"error","url":"http://plain.example.com:8080/"}`},
			want:    `[false,[255,0],[]]`,
		},
		"an answer without a body": {
			body:    `const r = await fetch('https://api.example.com'); return [r.status, await r.text()]`,
			answers: `{"fetch":{"status":204,"statusText":"","url":"u","redirected":false,"headers":[],"body":"","encoding":"utf8"}}`,
			asked:   []string{`0 fetch {"headers":[],"method":"GET","redirect":"follow","url":"https://api.example.com/"}`}, want: `[204,""]`,
		},
		"what is just there": {
			body: `return [context.toolId, context.taskId, context.runId, Object.isFrozen(context), context.stopSignal instanceof AbortSignal, context.stopSignal.aborted, context.stopSignal.reason === undefined, Object.keys(context).sort()]`,
			want: `["code:t","t1","r1",true,true,false,true,["createSubtasksResult","fetch","getCallingToolId","getExecutionTaskChain","getSecret","interaction","popup","progress","runId","setSecret","stopSignal","taskId","toolId"]]`,
		},
		"many at once": {
			body: `return (await Promise.all(Array.from({ length: 200 }, () => context.getCallingToolId()))).length`, answers: `{"getCallingToolId":"x"}`, want: `200`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &book{answers: map[string]any{}}
			if one.answers != "" {
				b.answers = decoded(t, one.answers).(map[string]any)
			}
			got, err := callWith(t, script.Call{Tool: made(body(one.body), everything), ToolID: "code:t", TaskID: "t1", RunID: "r1", Host: b})
			if err != nil {
				t.Fatal(err)
			}
			if json := value.JSON(got.Value); json != one.want {
				t.Errorf("it gave %s; want %s", json, one.want)
			}
			if name == "many at once" {
				return
			}
			slices.Sort(b.asked) // what is asked side by side arrives in any order
			if diff := cmp.Diff(one.asked, b.asked); diff != "" {
				t.Errorf("it asked (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatIsRefused is about what a tool may not do: it fails before the host is asked.
func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ body, declaration, code, says string }{
		{`await context.getSecret('hidden-value')`, everything, "SECRET_NOT_DECLARED", `"secrets"`},
		{`await context.setSecret('mine', 'hidden-value')`, `{}`, "SECRET_NOT_DECLARED", `"t"`},
		{`await context.getSecret(5)`, everything, "ARGUMENTS_INVALID", "name"},
		{`await context.setSecret('key', 5)`, everything, "ARGUMENTS_INVALID", "value"},
		{`await context.fetch('https://api.example.com')`, `{}`, "CONTEXT_UNAVAILABLE", `"network"`},
		{`await fetch('https://api.example.com')`, `{}`, "CONTEXT_UNAVAILABLE", `"network"`},
		{`await fetch('https://other.example.com/hidden-value')`, everything, "OUTBOUND_HOST_REFUSED", "other.example.com"},
		{`await fetch('https://api.example.com.evil.com')`, everything, "OUTBOUND_HOST_REFUSED", ""},
		{`await fetch('https://api.example.com:8443')`, everything, "OUTBOUND_HOST_REFUSED", "api.example.com:8443"},
		{`await fetch('http://api.example.com')`, everything, "OUTBOUND_HOST_REFUSED", "http://"},
		{`await fetch('https://plain.example.com:8080')`, everything, "OUTBOUND_HOST_REFUSED", ""},
		{`await fetch('https://127.0.0.1')`, everything, "OUTBOUND_URL_INVALID", "number"},
		{`await fetch('https://0x7f.1')`, everything, "OUTBOUND_URL_INVALID", ""},
		{`await fetch('https://[::1]/')`, everything, "OUTBOUND_URL_INVALID", ""},
		{`await fetch('file:///etc/passwd')`, everything, "OUTBOUND_URL_INVALID", ""},
		{`await fetch('data:text/plain,x')`, everything, "OUTBOUND_URL_INVALID", ""},
		{`await fetch('https://api.example.com@evil.com/')`, everything, "TOOL_FAILED", "name or a password"},
		{`await context.getExecutionTaskChain({ projection: 'x' })`, `{}`, "ARGUMENTS_INVALID", "lineage"},
		{`await context.getExecutionTaskChain({ maxTasks: -1 })`, `{}`, "ARGUMENTS_INVALID", "maxTasks"},
		{`await context.interaction('x')`, `{}`, "ARGUMENTS_INVALID", "title"},
		{`await context.interaction({ title: 'x', text: 5 })`, `{}`, "ARGUMENTS_INVALID", "text"},
		{`await context.interaction({ title: 'x', schema: { a: 1n } })`, `{}`, "ARGUMENTS_INVALID", "bigint"},
		{`await context.progress(NaN, 1)`, `{}`, "ARGUMENTS_INVALID", "numbers"},
		{`await context.popup('x'.repeat(2e6))`, `{}`, "ARGUMENTS_TOO_LARGE", "popup"},
		{`createTool({ name: 'x' })`, `{}`, "DECLARATION_INVALID", "top level"},
		{`context.toolId = 'x'`, `{}`, "TOOL_FAILED", "TypeError"},
	} {
		_, err := callWith(t, script.Call{Tool: made(body("'use strict'\n"+one.body), one.declaration)})
		coded := codedError(t, err)
		if coded.Code != one.code || !strings.Contains(coded.Message, one.says) {
			t.Errorf("%s: %v; want %s with %q", one.body, err, one.code, one.says)
		}
		if strings.Contains(err.Error(), "hidden-value") {
			t.Errorf("%s: the error shows it: %v", one.body, err)
		}
	}
}

// TestErrorsOfTheHost reach the tool with their code, and may be caught.
func TestErrorsOfTheHost(t *testing.T) {
	t.Parallel()
	missing := &tool.Error{Code: "SECRET_MISSING", Message: "There is no secret.", Field: "$.name"}
	b := &book{answers: map[string]any{"getSecret": missing}}
	got, err := callWith(t, script.Call{
		Tool: made(body(`try { await context.getSecret('key') } catch (e) { return [e.name, e.code, e.message, e.field, e instanceof ToolsmithError, e instanceof Error] }`), everything), Host: b,
	})
	if want := `["ToolsmithError","SECRET_MISSING","There is no secret.","$.name",true,true]`; err != nil || value.JSON(got.Value) != want {
		t.Errorf("it gave %v, %v", got.Value, err)
	}
	_, err = callWith(t, script.Call{Tool: made(body(`await context.getSecret('key')`), everything), Host: b})
	if diff := cmp.Diff(missing, codedError(t, err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEndsThatTheHostMakes is about errors of the host that are not for the tool.
func TestEndsThatTheHostMakes(t *testing.T) {
	t.Parallel()
	asked := errors.New("a person is asked")
	broken := errors.New("the store is broken")
	for _, one := range []struct{ fails, is error }{
		{&script.Suspend{Err: asked}, asked},
		{fmt.Errorf("wrapped: %w", &script.Suspend{Err: asked}), asked},
		{broken, broken},
	} {
		b := &book{answers: map[string]any{"interaction": one.fails}}
		_, err := callWith(t, script.Call{Tool: made(body(`try { await context.interaction({ title: 'x' }) } catch { return 1 } finally { console.log('no') }`), ""), Host: b})
		if !errors.Is(err, one.is) {
			t.Errorf("the error is %v; want %v", err, one.is)
		}
		var coded *tool.Error
		if errors.As(err, &coded) {
			t.Errorf("it became %v", coded)
		}
	}
}

// TestAParkedCallLetsTheRestEnd: what is under way when a call is parked is known afterwards.
func TestAParkedCallLetsTheRestEnd(t *testing.T) {
	t.Parallel()
	parked, sent := make(chan struct{}), false
	asked := errors.New("a person is asked")
	h := host(func(ctx context.Context, _ int, method string, _ map[string]any) (any, error) {
		if method == "interaction" {
			defer close(parked)
			return nil, &script.Suspend{Err: asked}
		}
		<-parked
		if ctx.Err() == nil {
			sent = true
		}
		return nil, ctx.Err()
	})
	_, err := callWith(t, script.Call{Tool: made(body(`setTimeout(() => 0, 1e9); await Promise.all([context.popup('https://a.b'), context.interaction({ title: 'x' })])`), ""), Host: h})
	if !errors.Is(err, asked) || !sent {
		t.Errorf("the error is %v; it was sent: %v", err, sent)
	}
}

// TestWhatAToolDoesNotWaitFor is stopped when it returns, but for what is kept and shown.
func TestWhatAToolDoesNotWaitFor(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	came := map[string]error{}
	h := host(func(ctx context.Context, _ int, method string, _ map[string]any) (any, error) {
		if method == "popup" {
			<-ctx.Done()
		}
		mu.Lock()
		defer mu.Unlock()
		came[method] = ctx.Err()
		return nil, ctx.Err()
	})
	got, err := callWith(t, script.Call{Tool: made(body(`void context.popup('https://a.b'); void context.setSecret('key', 'value'); context.progress(1, 2); return 'done'`), everything), Host: h})
	if err != nil || got.Value != "done" {
		t.Fatalf("it gave %v, %v", got.Value, err)
	}
	want := map[string]error{"popup": context.Canceled, "setSecret": nil, "progress": nil}
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(came)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOneFetchIsStopped by its signal, and the call goes on.
func TestOneFetchIsStopped(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan error, 1)
	h := host(func(ctx context.Context, _ int, method string, _ map[string]any) (any, error) {
		if method != "fetch" {
			<-begun // answered only once the other is on its way
			return "x", nil
		}
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	got, err := callWith(t, script.Call{Tool: made(body(`
		const c = new AbortController()
		const p = fetch('https://api.example.com', { signal: c.signal }).catch((e) => e)
		await context.getCallingToolId()
		c.abort(new Error('mine'))
		return [(await p).message, await fetch('https://api.example.com', { signal: c.signal }).catch((e) => e.message)]`), everything), Host: h})
	if err != nil || value.JSON(got.Value) != `["mine","mine"]` {
		t.Fatalf("it gave %v, %v", value.JSON(got.Value), err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the request ended with %v", err)
	}
}

// TestPlacesOfRequests: only so many are carried out at once, and they begin in their order.
func TestPlacesOfRequests(t *testing.T) {
	t.Parallel()
	runner := script.New(script.Options{Engine: engine(), Limits: script.Limits{InFlight: 3, HostCalls: 20, CPU: patience}})
	var mu sync.Mutex
	now, most := 0, 0
	full := make(chan struct{})
	h := host(func(ctx context.Context, seq int, _ string, _ map[string]any) (any, error) {
		mu.Lock()
		now++
		most = max(most, now)
		if now == 3 && seq <= 2 {
			close(full)
		}
		mu.Unlock()
		<-full
		mu.Lock()
		defer mu.Unlock()
		now--
		return json.Number(fmt.Sprint(seq)), nil
	})
	got, err := runner.Run(within(t), script.Call{Tool: made(body(`return await Promise.all(Array.from({ length: 20 }, () => context.getCallingToolId()))`), ""), Host: h})
	if err != nil || most != 3 || value.JSON(got.Value) != "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]" {
		t.Errorf("it gave %s, %v with %d at once", value.JSON(got.Value), err, most)
	}
}

// TestThousandsOfRequests, one after the other and side by side.
func TestThousandsOfRequests(t *testing.T) {
	t.Parallel()
	runner := script.New(script.Options{Engine: engine(), Limits: script.Limits{HostCalls: 5000, CPU: patience}})
	got, err := runner.Run(within(t), script.Call{Tool: made(body(`
		let n = 0
		for (let i = 0; i < 1000; i++) n += (await context.getCallingToolId()).length
		for (const id of await Promise.all(Array.from({ length: 3000 }, () => context.getCallingToolId()))) n += id.length
		await Promise.all(Array.from({ length: 900 }, (_, i) => new Promise((r) => setTimeout(r, i % 3))))
		return n`), ""), Host: &quick{answer: "cli"}})
	if err != nil || value.JSON(got.Value) != "12000" {
		t.Errorf("it gave %v, %v", got.Value, err)
	}
}

// TestTheClock stands still while a tool computes, and moves with each settlement.
func TestTheClock(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	at := time.UnixMilli(1000)
	now := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
	b := &book{answers: map[string]any{}}
	got, err := callWith(t, script.Call{Tool: made(body(`
		const seen = [Date.now()]
		for (let i = 0; i < 1e5; i++);
		seen.push(Date.now(), new Date().getTime())
		await null
		seen.push(Date.now())
		await context.popup('https://a.b')
		seen.push(Date.now())
		await new Promise((r) => setTimeout(r, 1))
		seen.push(Date.now(), new Date(0).getTimezoneOffset())
		return seen`), ""), Host: b, Now: now})
	if want := "[2000,2000,2000,2000,3000,4000,0]"; err != nil || value.JSON(got.Value) != want {
		t.Errorf("it saw %s, %v; want %s", value.JSON(got.Value), err, want)
	}
}

// TestRandom: equal seeds give equal numbers, and others others.
func TestRandom(t *testing.T) {
	t.Parallel()
	draw := func(seed string) string {
		got, err := callWith(t, script.Call{Tool: made(body(`return Array.from({ length: 5 }, Math.random)`), ""), Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return value.JSON(got.Value)
	}
	if one, again, other := draw("a"), draw("a"), draw("b"); one != again || one == other {
		t.Errorf("they are %s, %s and %s", one, again, other)
	}
	returns(t, `const n = Array.from({ length: 1000 }, Math.random); const mean = n.reduce((a, b) => a + b) / 1000; return [n.every((x) => x >= 0 && x < 1), mean > 0.45 && mean < 0.55, new Set(n).size, Math.random.length, Math.random.name]`, `[true,true,1000,0,"random"]`)
}

// TestTrace gives a line for each method, without the values of secrets.
func TestTrace(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var lines []string
	runner := script.New(script.Options{Engine: engine(), Trace: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line[:strings.LastIndex(line, ", ")])
	}})
	b := &book{answers: map[string]any{"getSecret": "s3cret-value", "popup": tool.Errorf("NO", "No\nwindow.")}}
	_, err := runner.Run(within(t), script.Call{ToolID: "code:t", Host: b, Tool: made(body(`await context.getSecret('key'); await context.setSecret('key', 's3cret-value'); await context.popup('https://a.b').catch(() => 0)`), everything)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`code:t #0 getSecret {"askNew":false,"name":"key","saveNew":true}: 14 bytes`, `code:t #1 setSecret {"name":"key"}: 4 bytes`,
		`code:t #2 popup {"url":"https://a.b"}: {"code":"NO","message":"No\nwindow."}`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
