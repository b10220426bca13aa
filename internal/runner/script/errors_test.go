package script_test

import (
	_ "embed"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/coded"
	"toolsmith/internal/runner/script"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// The script and the map of testdata/digest/digest.ts, as esbuild makes them.
var (
	//go:embed testdata/digest/digest.js
	digestScript []byte
	//go:embed testdata/digest/digest.js.map
	digestMap []byte
)

// TestPlaces: an error says where in the file it was thrown.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		how  string
		want *tool.Error
	}{
		{"other", &tool.Error{Code: "TOOL_FAILED", Message: "TypeError: cannot read property 'inner' of undefined\n    at digest (digest.ts:30:19)\n    at read (digest.ts:23:23)\n    at function (digest.ts:39:28)"}},
		{"cause", &tool.Error{Code: "TOOL_FAILED", Message: "RangeError: Too far.\nCaused by: Beneath.\nCaused by: the root\n    at read (digest.ts:20:19)\n    at function (digest.ts:39:28)"}},
		{"coded", &tool.Error{Code: "DIGEST_EMPTY", Field: "$.how", Message: "There is nothing to digest.", Cause: &script.Thrown{Details: map[string]any{"left": value.Int(0)}}}},
	} {
		_, err := callWith(t, script.Call{
			Tool:      coded.Tool{Name: "digest", Script: digestScript, SourceMap: digestMap, Declaration: []byte("{}")},
			Arguments: map[string]any{"how": one.how},
		})
		if diff := cmp.Diff(one.want, codedError(t, err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", one.how, diff)
		}
	}
}

// TestThrown is about everything that a tool may throw.
func TestThrown(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ body, code, message string }{
		{`throw new Error('bad')`, "TOOL_FAILED", "bad\n    at function (tool.js:5:11)"},
		{`throw 'text'`, "TOOL_FAILED", "text"},
		{`throw undefined`, "TOOL_FAILED", "undefined was thrown."},
		{`throw null`, "TOOL_FAILED", "null was thrown."},
		{`throw 5n`, "TOOL_FAILED", "5n was thrown."},
		{`throw { a: 1 }`, "TOOL_FAILED", "{ a: 1 } was thrown."},
		{`throw { code: 'MINE_1', message: 'Well.' }`, "MINE_1", "Well."},
		{`throw Object.assign(new Error('x'), { code: 'lower' })`, "TOOL_FAILED", "x\n    at function (tool.js:5:25)"},
		{`throw Object.assign(new Error('x'), { code: 'A'.repeat(65) })`, "TOOL_FAILED", "x\n    at function (tool.js:5:25)"},
		{`throw Object.assign(new Error('x'), { code: 'A'.repeat(64), stack: '' })`, strings.Repeat("A", 64), "x"},
		{`throw new ToolsmithError('OWN', 'It is so.', { cause: new Error('deep') })`, "OWN", "It is so.\nCaused by: deep"},
		{`throw new ToolsmithError('own', 'It is so.')`, "TOOL_FAILED", "It is so."},
		{`throw new DOMException('gone', 'AbortError')`, "TOOL_FAILED", "AbortError: gone\n    at function (tool.js:5:11)"},
		{`class Mine extends Error { name = 'Mine' } const e = new Mine(''); e.stack = ''; throw e`, "TOOL_FAILED", "Mine"},
		{`const e = new Error(''); e.stack = ''; throw e`, "TOOL_FAILED", "Error"},
		{`const e = new Error('x'.repeat(1e6)); e.stack = ''; throw e`, "TOOL_FAILED", strings.Repeat("x", 4000) + "…"},
		{`const e = new Error('a\ud800b'); e.stack = ''; throw e`, "TOOL_FAILED", "a�b"},
		{`const e = new Error('x'); Object.defineProperty(e, 'message', { get() { throw 1 } }); e.stack = ''; throw e`, "TOOL_FAILED", "Error"},
		{`throw new Proxy({}, { get() { throw new Error('trap') }, has() { throw 1 }, getPrototypeOf() { throw 1 }, ownKeys() { throw 1 } })`, "TOOL_FAILED", "Something was thrown that cannot be shown."},
		{`const e = new Error('x'); e.stack = ''; e.cause = e; throw e`, "TOOL_FAILED", "x" + strings.Repeat("\nCaused by: x", 4)},
		{`throw Promise.reject(new Error('x'))`, "TOOL_FAILED", "Promise {} was thrown."},
		{`Error.prepareStackTrace = () => 'stolen'; throw new Error('x')`, "TOOL_FAILED", "x"},
		{`return new Promise((_, reject) => reject(undefined))`, "TOOL_FAILED", "undefined was thrown."},
	} {
		_, err := call(t, one.body)
		if coded := codedError(t, err); coded.Code != one.code || coded.Message != one.message {
			t.Errorf("%s\ngave %s with %q\nwant %s with %q", one.body, coded.Code, coded.Message, one.code, one.message)
		}
	}
}

func TestDetails(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		body string
		want any
	}{
		{`throw new ToolsmithError('A', 'b', { details: [1] })`, []any{value.Int(1)}},
		{`throw Object.assign(new Error('b'), { details: { x: null } })`, map[string]any{"x": nil}},
		{`throw new ToolsmithError('A', 'b', { details: 1n })`, nil},
		{`throw new ToolsmithError('A', 'b', { details: 'x'.repeat(1e5) })`, nil},
		{`const d = {}; d.d = d; throw new ToolsmithError('A', 'b', { details: d })`, nil},
		{`throw new ToolsmithError('A', 'b', { details: { toJSON() { throw 1 } } })`, nil},
	} {
		_, err := call(t, one.body)
		var thrown *script.Thrown
		if errors.As(err, &thrown) != (one.want != nil) {
			t.Errorf("%s gave %v", one.body, thrown)
			continue
		}
		if one.want != nil {
			if diff := cmp.Diff(one.want, thrown.Details); diff != "" {
				t.Errorf("%s (-want +got):\n%s", one.body, diff)
			}
		}
	}
	if text := (&script.Thrown{}).Error(); text == "" {
		t.Error("a cause says nothing")
	}
}

// TestResults is about what a tool may return.
func TestResults(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ body, want string }{
		{``, `null`}, {`return undefined`, `null`}, {`return null`, `null`}, {`return { a: undefined, b: 1 }`, `{"b":1}`},
		{`return new Date(0)`, `"1970-01-01T00:00:00.000Z"`}, {`return { toJSON() { return { x: 1 } } }`, `{"x":1}`},
		{`return { then(done) { done(5) } }`, `5`}, {`return Promise.resolve(Promise.resolve(6))`, `6`},
		{`return JSON.parse('{"__proto__":{"a":1}}')`, `{"__proto__":{"a":1}}`},
		{`let n = 0; return { get a() { return ++n }, get b() { return ++n } }`, `{"a":1,"b":2}`},
		{`return new Proxy({ a: 1 }, {})`, `{"a":1}`}, {`return new Proxy([1, 2], {})`, `[1,2]`},
		{`return [new Boolean(true), new Number(1), new String('s')]`, `[true,1,"s"]`},
		{`return [-0, 1e21, 0.1, 9007199254740991]`, `[0,1e+21,0.1,9007199254740991]`},
		{`return Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true }, hidden: { value: 3 } })`, `{"own":2}`},
		{`return { [Symbol('s')]: 1, a: { b: 'é\u2028' } }`, "{\"a\":{\"b\":\"é\u2028\"}}"},
		{`return '\u0000'`, "\"\\u0000\""},
	} {
		returns(t, one.body, one.want)
	}
}

// TestResultsThatAreNone name the place.
func TestResultsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ body, field, says string }{
		{`return 5n`, "$", "bigint"}, {`return { a: [1, 5n] }`, "$.a[1]", "bigint"}, {`return () => 1`, "$", "function"},
		{`return { a: { 'b c': Symbol('s') } }`, `$.a["b c"]`, "symbol"}, {`return [undefined]`, "$[0]", "undefined"}, {`return [, 1]`, "$[0]", "undefined"},
		{`return { a: NaN }`, "$.a", "NaN"}, {`return [Infinity]`, "$[0]", "Infinity"}, {`const a = { b: [] }; a.b.push(a); return a`, "$.b[0]", "contains itself"},
		{`return { m: new Map() }`, "$.m", "Map"}, {`return [new Set()]`, "$[0]", "Set"}, {`return { u: new Uint8Array(1) }`, "$.u", "Uint8Array"},
		{`return { p: Promise.resolve(1) }`, "$.p", "Promise"}, {`return { a: '\ud800' }`, "$.a", "half a character"}, {`return { '\udc00': 1 }`, "$", "half a character"},
		{`return { a: [createSubtasksResult(message('x'))] }`, "$.a[0]", "createSubtasksResult"},
		{`return { a: { b: createSubtasksResult(message('x')) } }`, "$.a.b", "createSubtasksResult"},
		{`let a = 1; for (let i = 0; i < 70; i++) a = [a]; return a`, "", ""},
		{`let a = 1; for (let i = 0; i < 1e5; i++) a = [a]; return a`, "", ""},
		{`return new Proxy({ a: 1 }, { ownKeys() { throw new TypeError('trap') } })`, "", "trap"},
		{`return { get a() { throw new Error('getter') } }`, "", "getter"},
		{`return { toJSON() { throw new Error('toJSON') } }`, "", "toJSON"},
		{`let n = 0; return { get a() { return n++ ? 1 : 1n } }`, "", ""},
		{`return new Proxy([], { get: (t, k) => k === 'length' ? 4e9 : 1n })`, "", ""},
		{`return createSubtasksResult([])`, "[0]", "at least one task"},
		{`return createSubtasksResult([[{ role: 'x', content: { type: 'message', data: 1 } }]])`, "[0][0].role", "assistant"},
		{`return createSubtasksResult([[returns(1), message('x')]])`, "[0][1]", "return"},
		{`return createSubtasksResult(structured(5n))`, "[0][0].content.data", "bigint"},
		{`return createSubtasksResult(structured({ x: createSubtasksResult(message('x')) }))`, "", "createSubtasksResult"},
		{`return { [Symbol.for('toolsmith.subtasks')]: true }`, "", ""},
	} {
		got, err := call(t, one.body)
		if err == nil {
			t.Errorf("%s gave %v, %v", one.body, got.Value, got.Subtasks)
			continue
		}
		coded := codedError(t, err)
		if one.field != "" && (coded.Code != "RESULT_INVALID" || coded.Field != one.field) || !strings.Contains(coded.Message, one.says) {
			t.Errorf("%s\ngave %#v; want %q at %q", one.body, coded, one.says, one.field)
		}
	}
}

func TestSubtasks(t *testing.T) {
	t.Parallel()
	got, err := call(t, `return createSubtasksResult([[toolCall('a', { x: previous('y') }), toolCall({ name: 'b', runOn: 'settled' })], [failure('C', 'd', { e: 1 }), returns()]])`)
	want := `[[{"content":{"data":{"arguments":{"x":{"$ref":"$previous.y"}},"name":"a"},"type":"tool"},"role":"tool"},{"content":{"data":{"arguments":{},"name":"b","runOn":"settled"},"type":"tool"},"role":"tool"}],` +
		`[{"content":{"data":{"code":"C","details":{"e":1},"message":"d"},"type":"error"},"role":"tool"},{"content":{"data":null,"type":"return"},"role":"system"}]]`
	if err != nil || got.Value != nil || value.JSON(got.Subtasks) != want {
		t.Errorf("it gave %s, %v", value.JSON(got.Subtasks), err)
	}
	returns(t, `return [isSubtasksResult(createSubtasksResult(message('x'))), isSubtasksResult({})]`, `[true,false]`)
}

// TestHowAFunctionIsCalled: this is the spec, and a function need not be asynchronous.
func TestHowAFunctionIsCalled(t *testing.T) {
	t.Parallel()
	tool1 := made(file(`const t = createTool({ name: 't', extra: 7, function(args, context) { return [this.extra, this.name, args, typeof context, t.kind, t.name, Object.isFrozen(t)] } })`), "")
	got, err := callWith(t, script.Call{Tool: tool1, Arguments: map[string]any{"a": []any{nil}}})
	if want := `[7,"t",{"a":[null]},"object","tool","t",true]`; err != nil || value.JSON(got.Value) != want {
		t.Errorf("it gave %s, %v", value.JSON(got.Value), err)
	}
	for _, one := range []string{`createTool({ name: 'other', function() {} })`, `createTool({ name: 't' })`, ``} {
		_, err := callWith(t, script.Call{Tool: made(file(one), "")})
		if coded := codedError(t, err); coded.Code != "SCRIPT_BROKEN" {
			t.Errorf("%s: %v", one, err)
		}
	}
	without := script.Call{Tool: made(body(`await context.popup('https://a.b')`), "")}
	_, err = house().Run(within(t), without)
	if coded := codedError(t, err); coded.Code != "CONTEXT_UNAVAILABLE" {
		t.Errorf("without a host: %v", err)
	}
	for _, declaration := range []string{``, `5`, `{"network":5}`, `{"network":["*"]}`, `{"secrets":[5]}`} {
		broken := made(body(`return 1`), "")
		broken.Declaration = []byte(declaration)
		_, err := callWith(t, script.Call{Tool: broken})
		if coded := codedError(t, err); coded.Code != "SCRIPT_BROKEN" {
			t.Errorf("%s: %v", declaration, err)
		}
	}
}
