package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"toolsmith/internal/check"
	"toolsmith/internal/coded"
	"toolsmith/internal/consent"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/secret"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// sandboxes keeps the machine code of the sandbox for all tests: to make it takes long.
var sandboxes = sync.OnceValue(func() string {
	folder, err := os.MkdirTemp("", "toolsmith-sandbox")
	if err != nil {
		panic(err)
	}
	return folder
})

// newSandbox makes what runs the coded tools of a test: a bubble of time shares no channels with others.
func newSandbox(t testing.TB) *script.Runner {
	t.Helper()
	e := quickjs.New(quickjs.Options{CacheDir: sandboxes()})
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	return script.New(script.Options{Engine: e})
}

// inCode makes a coded tool. body is that of its function, with args and context, and declared stands
// behind the other fields of its declaration.
func inCode(t testing.TB, r *script.Runner, catalogue *tool.Catalogue, name, declared, body string) *check.Checked {
	t.Helper()
	text := fmt.Sprintf(`(() => {
  const { createTool, toolCall, message, returns, structured, previous } = globalThis.__toolsmith
  createTool({ name: %q, description: 'Made up.', parameters: { type: 'object', properties: { text: { type: 'string', default: 'tea' } }, additionalProperties: true }, %s
    async function(args, context) { %s } })
})()`, name, declared, body)
	loaded, err := r.Load(t.Context(), []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	result := check.Coded(coded.Tool{
		Name: name, File: name + ".ts", Source: []byte(text), Script: []byte(text), Declaration: loaded[0].Declaration,
	}, catalogue)
	if !result.OK() {
		t.Fatal(result.Diagnostics)
	}
	return result.Tool
}

// code installs a coded tool in a lab, and turns it on.
func (l *lab) code(t *testing.T, name, declared, body string) {
	t.Helper()
	install(t, l.Engine, inCode(t, l.sandbox(t), l.capabilities(), name, declared, body))
}

// sandbox is that of the lab, or another where it has none.
func (l *lab) sandbox(t *testing.T) *script.Runner {
	t.Helper()
	if l.Scripts == nil {
		return newSandbox(t)
	}
	return l.Scripts
}

func codedLab(t *testing.T, answer http.HandlerFunc) *lab {
	t.Helper()
	l := newLab(t, answer)
	l.Scripts = newSandbox(t)
	return l
}

// steps lists the steps of a run: "fetch[0] done {…} → …".
func (l *lab) steps(t *testing.T, id string) []string {
	t.Helper()
	view, err := l.Engine.View(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for seq := range view.Graph.Len() {
		one := view.Graph.Task(seq)
		if one.Step == "" {
			continue
		}
		data, err := view.Content(one.Content)
		if err != nil {
			t.Fatal(err)
		}
		call, err := task.ReadCall(data)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%s %s %s", one.Step, view.Graph.State(seq), value.JSON(call.Arguments)))
	}
	return list
}

func mirror(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/away":
		http.Redirect(w, r, "/a", http.StatusFound)
		return
	case "/bytes":
		_, _ = w.Write([]byte{255, 0, 1})
		return
	case "/flood":
		_, _ = w.Write(make([]byte, 3<<20))
		return
	case "/hang":
		<-r.Context().Done()
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"method": r.Method, "path": r.URL.Path, "body": string(body), "sent": r.Header.Get("X-Sent"), "key": r.Header.Get("Idempotency-Key"),
	})
}

// TestCodedTools have what their declarations ask for, and what they do is kept as steps.
func TestCodedTools(t *testing.T) {
	t.Parallel()
	l := codedLab(t, mirror)
	network := fmt.Sprintf("network: [%q], ", l.listed)
	for name, c := range map[string]struct {
		declared, body string
		want           string // the value, as JSON
		code           string // of the failure
		steps          []string
	}{
		"value":    {"", `return { text: args.text, id: context.toolId }`, `{"id":"value","text":"tea"}`, "", nil},
		"nothing":  {"", ``, `null`, "", nil},
		"chain":    {"", `return (await context.getExecutionTaskChain()).length`, `1`, "", []string{`getExecutionTaskChain[0] done {"flattened":false}`}},
		"caller":   {"", `return await context.getCallingToolId()`, `"test"`, "", []string{`getCallingToolId[0] done {}`}},
		"progress": {"", `context.progress(1, 2, 'half'); return 1`, `1`, "", nil},
		"console":  {"", `console.log('hello', { a: 1 }); return 1`, `1`, "", []string{`console[0] done {}`}},
		"get": {network, fmt.Sprintf(`const r = await context.fetch('%s/a', { headers: { 'X-Sent': 'b' } }); const v = await r.json(); return [r.status, v.method, v.path, v.sent, v.key]`, l.listed),
			`[200,"GET","/a","b",""]`, "", []string{fmt.Sprintf(`fetch[0] done {"headers":[["x-sent","b"]],"method":"GET","redirect":"follow","url":"%s/a"}`, l.listed)}},
		"post": {network, fmt.Sprintf(`const r = await fetch('%s/a', { method: 'POST', body: JSON.stringify({ a: 1 }) }); const v = await r.json(); return [v.method, v.body, v.key !== '']`, l.listed),
			`["POST","{\"a\":1}",true]`, "", []string{fmt.Sprintf(`fetch[0] done {"body":"{\"a\":1}","headers":[["content-type","text/plain;charset=UTF-8"]],"method":"POST","redirect":"follow","url":"%s/a"}`, l.listed)}},
		"many": {network, fmt.Sprintf(`const list = await Promise.all([1, 2, 3].map((n) => fetch('%s/' + n).then((r) => r.json()))); return list.map((v) => v.path)`, l.listed),
			`["/1","/2","/3"]`, "", []string{"", "", ""}},
		"large":     {network, fmt.Sprintf(`const r = await fetch('%s/a', { method: 'PUT', body: 'x'.repeat(500_000) }); return (await r.json()).body.length`, l.listed), `500000`, "", []string{""}},
		"large-get": {network, fmt.Sprintf(`const r = await fetch('%s/' + 'y'.repeat(1000)); return (await r.json()).path.length`, l.listed), `1001`, "", []string{""}},
		"redirect": {network, fmt.Sprintf(`const r = await fetch('%[1]s/away', { redirect: 'manual' }); const s = await fetch('%[1]s/away'); let t; try { await fetch('%[1]s/away', { redirect: 'error' }) } catch (e) { t = e.code } return [r.status, r.headers.get('location'), s.status, s.redirected, s.url.endsWith('/a'), t]`, l.listed),
			`[302,"/a",200,true,true,"OUTBOUND_REDIRECT_REFUSED"]`, "", []string{"", "", ""}},
		"bytes":        {network, fmt.Sprintf(`const r = await fetch('%s/bytes'); const b = new Uint8Array(await r.arrayBuffer()); return [...b]`, l.listed), `[255,0,1]`, "", []string{""}},
		"too-much":     {network, fmt.Sprintf(`await fetch('%s/flood')`, l.listed), "", "OUTBOUND_RESPONSE_TOO_LARGE", []string{""}},
		"abort":        {network, fmt.Sprintf(`const c = new AbortController(); const p = fetch('%s/hang', { signal: c.signal }); setTimeout(() => c.abort(), 5); try { await p } catch (e) { return e.name }`, l.listed), `"AbortError"`, "", []string{""}},
		"another-host": {network, `await fetch('https://evil.example/')`, "", "OUTBOUND_HOST_REFUSED", nil},
		"no-network":   {"", `await fetch('https://evil.example/')`, "", "CONTEXT_UNAVAILABLE", nil},
		"caught":       {"", `try { await fetch('https://evil.example/') } catch (e) { return e.code }`, `"CONTEXT_UNAVAILABLE"`, "", nil},
		"cookie":       {network, fmt.Sprintf(`await fetch('%s/', { headers: { cookie: 'a=b' } })`, l.listed), "", "OUTBOUND_REQUEST_INVALID", []string{""}},
		"throws":       {"", `throw Object.assign(new Error('no tea'), { code: 'NO_TEA' })`, "", "NO_TEA", nil},
		"fits-not":     {`result: { type: 'string' }, `, `return 3`, "", "RESULT_INVALID", nil},
		"spins":        {"", `return (() => { let a = []; for (;;) a.push(new Array(1e5).fill(1)) })()`, "", "SCRIPT_MEMORY", nil},
		"stuck":        {"", `await new Promise(() => {})`, "", "SCRIPT_STUCK", nil},
		"undeclared":   {"", `return context.createSubtasksResult([[toolCall('list', { items: [1] })]])`, "", "CALL_NOT_DECLARED", nil},
		"no-task":      {"", `return context.createSubtasksResult([])`, "", "RESULT_INVALID", nil},
		"subtasks": {"", `const chain = await context.getExecutionTaskChain(); return context.createSubtasksResult([[message(args.text + ' (' + chain.length + ')'), returns('complete')]])`,
			`"tea (1)"`, "", []string{`getExecutionTaskChain[0] done {"flattened":false}`}},
		"calls": {`calls: ['notes.list'], `, `return context.createSubtasksResult([[toolCall('notes.list', {})]])`, `[]`, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l.code(t, name, c.declared, c.body)
			run, got := l.call(t, tool.Chain{tool.Call(name, map[string]any{})})
			code := ""
			if run.Failure != nil {
				code = run.Failure.Code
			}
			if code != c.code || c.code == "" && value.JSON(got) != c.want {
				t.Errorf("it came to %s, %v; want %s %s", value.JSON(got), run.Failure, c.want, c.code)
			}
			steps := l.steps(t, run.ID)
			if len(steps) != len(c.steps) {
				t.Fatalf("the steps are %q; want %q", steps, c.steps)
			}
			for i, want := range c.steps {
				if want != "" && steps[i] != want {
					t.Errorf("step %d is %s; want %s", i, steps[i], want)
				}
			}
		})
	}
}

// TestACodedToolInAChain gives its value to the next, whatever it did to get it.
func TestACodedToolInAChain(t *testing.T) {
	t.Parallel()
	l := codedLab(t, mirror)
	l.code(t, "first", "", `const n = (await context.getExecutionTaskChain()).length; console.log(n); return context.createSubtasksResult([[message('one ' + n), returns('done')]])`)
	l.code(t, "second", "", `return args.text + ', two'`)
	run, got := l.call(t, tool.Chain{tool.Call("first", nil), tool.Call("second", map[string]any{"text": tool.Previous("")})})
	if run.Status != task.RunSucceeded || got != "one 1, two" {
		t.Errorf("the run is %s and came to %v, %v", run.Status, got, run.Failure)
	}
}

// TestSecretsOfCodedTools stand nowhere but in the sandbox, and in what it sends.
func TestSecretsOfCodedTools(t *testing.T) {
	t.Parallel()
	for name, echo := range echoes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := codedLab(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, echo(r.Header.Get("X-Key"))) })
			l.code(t, "ask", fmt.Sprintf("network: [%q], secrets: ['key', 'new'], ", l.listed), fmt.Sprintf(
				`const key = await context.getSecret('key'); console.log('the key', key); context.progress(1, 2, key)
				await context.setSecret('new', 'an0ther-s3cret')
				const r = await fetch('%s/x', { method: 'POST', headers: { 'X-Key': key }, body: key }); const text = await r.text()
				if (args.text === 'throw') throw new Error(key + text)
				return { text, key, list: [key] }`, l.listed))
			namespace, err := l.Engine.Namespace(t.Context(), "ask")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.vault.Set(t.Context(), namespace, "key", canary, secret.Attributes{}); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"tea", "throw"} {
				run, _ := l.call(t, tool.Chain{tool.Call("ask", map[string]any{"text": text})})
				if (run.Status == task.RunSucceeded) != (text == "tea") {
					t.Errorf("%s: the run is %s, %v", text, run.Status, run.Failure)
				}
			}
			l.mu.Lock()
			if len(l.seen) != 2 || l.seen[0].Header.Get("X-Key") != canary {
				t.Errorf("the host was not sent the secret: %d requests", len(l.seen))
			}
			l.mu.Unlock()
			l.wantHidden(t)
		})
	}
}

// TestACodedToolAsksForASecret of the person, and is made anew once it is there.
func TestACodedToolAsksForASecret(t *testing.T) {
	t.Parallel()
	l := codedLab(t, mirror)
	l.code(t, "ask", "secrets: ['key'], ", `return (await context.getSecret('key', true)).length`)
	go func() {
		q := <-l.wanted
		namespace, err := l.Engine.Namespace(context.Background(), q.Tool)
		if err == nil {
			_, err = l.vault.Set(context.Background(), namespace, q.Secret, canary, secret.Attributes{})
		}
		if err == nil {
			err = l.SecretGiven(context.Background(), q.Tool, q.Secret)
		}
		if err != nil || q.GiveSecret() != "toolsmith secrets set ask key" {
			t.Errorf("give %s: %v", q.GiveSecret(), err)
		}
	}()
	run, got := l.call(t, tool.Chain{tool.Call("ask", nil)})
	if run.Status != task.RunSucceeded || value.JSON(got) != fmt.Sprint(len(canary)) {
		t.Errorf("the run is %s and came to %v, %v", run.Status, got, run.Failure)
	}
	l.code(t, "other", "secrets: ['key'], ", `return await context.getSecret('key')`)
	if run, _ := l.call(t, tool.Chain{tool.Call("other", nil)}); run.Failure == nil || run.Failure.Code != "SECRET_MISSING" {
		t.Errorf("another tool has the secret: %+v", run.Failure)
	}
}

// TestACodedToolFromItsFile has no secrets.
func TestACodedToolFromItsFile(t *testing.T) {
	t.Parallel()
	l := codedLab(t, mirror)
	c := inCode(t, l.Scripts, l.capabilities(), "ask", "secrets: ['key'], calls: ['next'], ", `if (args.text === 'tea') return context.createSubtasksResult(toolCall('next', {})); return await context.getSecret('key')`)
	next := inCode(t, l.Scripts, l.capabilities(), "next", "", `return 'next'`)
	job := worker.Job{Tool: c, Input: map[string]any{}, Files: []*check.Checked{next}, Caller: "test"}
	l.allow(t, "read")
	if out := runWith(t, l.Worker, job); out.Status != flow.Succeeded || out.Output != "next" {
		t.Errorf("it came to %+v", out.Result)
	}
	job.Input = map[string]any{"text": "x"}
	if out := runWith(t, l.Worker, job); out.Failure == nil || out.Failure.Code != tool.CodeContextUnavailable || !strings.Contains(out.Failure.Message, "Install it") {
		t.Errorf("it came to %+v", out.Failure)
	}
}

func (l *lab) allow(t *testing.T, power tool.Power) {
	t.Helper()
	if err := l.Engine.SetPermission(t.Context(), consent.KindPower, string(power), consent.Allow); err != nil {
		t.Fatal(err)
	}
}

// TestWithoutASandbox a coded tool fails with a code.
func TestWithoutASandbox(t *testing.T) {
	t.Parallel()
	l := newLab(t, mirror)
	l.code(t, "plain", "", `return 1`)
	if run, _ := l.call(t, tool.Chain{tool.Call("plain", nil)}); run.Failure == nil || run.Failure.Code != "SCRIPT_UNAVAILABLE" {
		t.Errorf("the run is %s, %v", run.Status, run.Failure)
	}
	c := inCode(t, newSandbox(t), l.capabilities(), "plain", "", `return 1`)
	if _, err := l.Try(t.Context(), worker.Job{Tool: c, Input: map[string]any{}}, nil); tool.Code(err) != "SCRIPT_UNAVAILABLE" {
		t.Errorf("a dry run gives %v", err)
	}
}
