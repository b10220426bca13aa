package script_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"toolsmith/internal/runner/script"
	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	declared, err := house().Load(within(t), []byte(file(`
		const b = createTool({ name: 'b', z: [1, { y: null }], a: undefined, function: async () => 1 })
		class Spec { name = 'c'; function() {} }
		createTool(new Spec())
		createTool({ name: 5 })
		const spec = { name: 'd', function() {} }
		createTool(spec)
		spec.name = 'changed'
		console.log('not seen', new URL('https://a.b').href, Date.now(), Math.random())
		Promise.resolve().then(() => createTool({ name: 'soon', function() {} }))
	`)), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(declared))
	for i, one := range declared {
		got[i] = fmt.Sprintf("%s %v %s", one.Name, one.HasFunction, one.Declaration)
	}
	want := []string{`b true {"name":"b","z":[1,{"y":null}]}`, `c true {"name":"c"}`, ` false {"name":5}`, `d true {"name":"d"}`, `soon true {"name":"soon"}`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("it declares\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	none, err := house().Load(within(t), nil, nil)
	if err != nil || len(none) != 0 {
		t.Errorf("an empty script declares %v, %v", none, err)
	}
}

func TestLoadFailures(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ text, code, message string }{
		{"throw new TypeError('bad')", "SCRIPT_LOAD_FAILED", "TypeError: bad\n    at tool.js:1:11"},
		{"throw 'bad'", "SCRIPT_LOAD_FAILED", "bad"},
		{"let x = ;", "SCRIPT_LOAD_FAILED", "SyntaxError: unexpected token in expression: ';'\n    at tool.js:1:9"},
		{"\n\n  missing()", "SCRIPT_LOAD_FAILED", "ReferenceError: missing is not defined\n    at tool.js:3:3"},
		{"import 'fs'", "SCRIPT_LOAD_FAILED", ""},
		{"while (true);", "SCRIPT_CPU_TIME", ""},
		{"for (const list = [];;) list.push(new Uint8Array(1e6))", "SCRIPT_MEMORY", ""},
		{"(function f() { f() })()", "SCRIPT_LOAD_FAILED", ""},
		{file("setTimeout(() => 0, 1)"), "SCRIPT_LOAD_FAILED", "ToolsmithError: A timer is not available here: a tool is being loaded. Use it in the function of the tool.\n    at tool.js:3:"},
		{file("createTool(5)"), "DECLARATION_INVALID", "createTool takes an object: {name, description, parameters, function}.\n    at tool.js:3:"},
		{file("createTool({ name: 'x', parameters: { a: [1n] } })"), "DECLARATION_INVALID", "it is a bigint, which JSON cannot hold.\n    at tool.js:3:"},
		{file("createTool({ get name() { throw new Error('getter') } })"), "SCRIPT_LOAD_FAILED", ""},
		{file("for (let i = 0; i < 5; i++) createTool({ name: 'x', text: 'x'.repeat(1e6) })"), "DECLARATION_INVALID", "The file declares 5"},
		{file("createClientTool({})"), "DECLARATION_INVALID", "A client tool is supplied by a program outside, which connects to Toolsmith. In a file of coded tools, use createTool.\n    at tool.js:3:"},
		{file("for (;;) createTool({ name: 'x' })"), "DECLARATION_INVALID", "The file declares more than 1000 tools.\n    at tool.js:3:"},
		{file("try { createTool(5) } catch {} throw new Error('other')"), "SCRIPT_LOAD_FAILED", "other\n    at tool.js:3:"},
	} {
		runner := house()
		if one.code == "SCRIPT_CPU_TIME" {
			runner = small()
		}
		_, err := runner.Load(within(t), []byte(one.text), nil)
		coded := codedError(t, err)
		if coded.Code != one.code || !strings.HasPrefix(coded.Message, one.message) {
			t.Errorf("%s\nfailed with %s and %q\nwant %s and %q", one.text, coded.Code, coded.Message, one.code, one.message)
		}
	}
	_, err := house().Load(within(t), []byte(file("createTool({ name: 'x', parameters: { a: [1n] } })")), nil)
	if coded := codedError(t, err); coded.Field != "$.parameters.a[0]" {
		t.Errorf("the field is %q", coded.Field)
	}
}

// TestLoadPlaces maps the place of what fails at the top level.
func TestLoadPlaces(t *testing.T) {
	t.Parallel()
	// The map says: line 1 from column 0 is line 7, column 4 of a/b.ts.
	sourceMap := `{"version":3,"sources":["a/b.ts"],"names":[],"mappings":"AAMI"}`
	for _, one := range []struct{ sourceMap, want string }{
		{sourceMap, "bad\n    at b.ts:7:5"}, {"", "bad\n    at tool.js:1:11"}, {"{", "bad\n    at tool.js:1:11"},
		{`{"version":3,"sources":[],"names":[],"mappings":"AAMI"}`, "bad\n    at tool.js:1:11"}, {`{"version":3,"mappings":"!!"}`, "bad\n    at tool.js:1:11"},
	} {
		_, err := house().Load(within(t), []byte(`throw new Error('bad')`), []byte(one.sourceMap))
		if coded := codedError(t, err); coded.Message != one.want {
			t.Errorf("with %s the message is %q; want %q", one.sourceMap, coded.Message, one.want)
		}
	}
}

// TestManyAtOnce: calls of tools that were not loaded yet share the loading.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	runner := script.New(script.Options{Engine: engine()})
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			text := body(fmt.Sprintf(`await null; return [args, %d]`, i%4))
			got, err := runner.Run(within(t), script.Call{Tool: made(text, ""), Arguments: value.Int(i), Host: host(nobody)})
			if want := fmt.Sprintf("[%d,%d]", i, i%4); err != nil || value.JSON(got.Value) != want {
				t.Errorf("it gave %s, %v; want %s", value.JSON(got.Value), err, want)
			}
		})
	}
	group.Wait()
}

// TestManyTools: more tools than are kept still run.
func TestManyTools(t *testing.T) {
	t.Parallel()
	runner := script.New(script.Options{Engine: engine()})
	for n := range 264 {
		i := n % 260
		got, err := runner.Run(within(t), script.Call{Tool: made(body(fmt.Sprintf(`return %d`, i)), ""), Host: host(nobody)})
		if err != nil || value.JSON(got.Value) != fmt.Sprint(i) {
			t.Fatalf("tool %d gave %v, %v", i, got.Value, err)
		}
	}
}

// TestAnotherWaiterGoesOn where the context of whoever loads a tool ends.
func TestAnotherWaiterGoesOn(t *testing.T) {
	t.Parallel()
	runner := script.New(script.Options{Engine: engine(), Limits: script.Limits{CPU: time.Second}})
	// It loads for as long as it may.
	slow := []byte("for (;;);")
	ctx, cancel := context.WithCancel(within(t))
	first := make(chan error, 1)
	go func() {
		_, err := runner.Load(ctx, slow, nil)
		first <- err
	}()
	second := make(chan error, 1)
	go func() {
		_, err := runner.Load(within(t), slow, nil)
		second <- err
	}()
	cancel()
	<-first
	if err := <-second; tool.Code(err) != "SCRIPT_CPU_TIME" {
		t.Errorf("the error is %v", err)
	}
}

// TestAClosedEngine gives an error, and nothing that hangs.
func TestAClosedEngine(t *testing.T) {
	t.Parallel()
	e := quickjs.New(quickjs.Options{})
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	runner := script.New(script.Options{Engine: e})
	if _, err := runner.Run(within(t), script.Call{Tool: made(body(`return 1`), ""), Host: host(nobody)}); err == nil {
		t.Error("a closed engine runs")
	}
}

// TestAttacks runs the hostile functions of the sandbox as tools: each ends, with a value or a code, and
// what is called next is right.
func TestAttacks(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/attacks/*")
	if err != nil || len(files) < 43 {
		t.Fatalf("there are %d attacks, %v", len(files), err)
	}
	runner := script.New(script.Options{Engine: engine(), Limits: script.Limits{CPU: 60 * time.Millisecond}})
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, err = runner.Run(within(t), script.Call{Tool: made(file("createTool({ name: 't', function: (args, context) => {\n"+string(text)+"\n} })"), ""), Host: host(nobody)})
			if err != nil {
				codedError(t, err)
			}
			returns(t, `return 6 * 7`, `42`)
		})
	}
}
