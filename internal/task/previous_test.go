package task_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

func TestFill(t *testing.T) {
	t.Parallel()
	const before = `{"items": [{"title": "first"}, {"title": null}], "n": 1.0, "0": "zero", "sly": {"$ref": "$previous"}}`
	for arguments, want := range map[string]string{
		// What stands for something.
		`{"$ref": "$previous"}`:                                               before,
		`{"$ref": "$previous."}`:                                              before,
		`{"x": {"$ref": "$previous.n"}}`:                                      `{"x": 1.0}`,
		`{"x": {"$ref": "$previous.items.0.title"}}`:                          `{"x": "first"}`,
		`{"x": {"$ref": "$previous.items.1.title"}}`:                          `{"x": null}`,
		`{"x": {"$ref": "$previous.items.length"}}`:                           `{"x": 2}`,
		`{"x": {"$ref": "$previous.0"}}`:                                      `{"x": "zero"}`,
		`[[{"$ref": "$previous.n"}], {"a": [{"$ref": "$previous.items.0"}]}]`: `[[1.0], {"a": [{"title": "first"}]}]`,
		// What was put in is not looked at again.
		`{"x": {"$ref": "$previous.sly"}}`: `{"x": {"$ref": "$previous"}}`,
		// What only looks like it is data.
		`{}`: `{}`, `[]`: `[]`, `null`: `null`, `"$previous"`: `"$previous"`, `7`: `7`,
		`{"$ref": "$previous.n", "x": 1}`:   `{"$ref": "$previous.n", "x": 1}`,
		`{"$ref": "$previously"}`:           `{"$ref": "$previously"}`,
		`{"$ref": "$previou"}`:              `{"$ref": "$previou"}`,
		`{"$ref": "$"}`:                     `{"$ref": "$"}`,
		`{"$ref": "$.input.n"}`:             `{"$ref": "$.input.n"}`,
		`{"$ref": "previous.n"}`:            `{"$ref": "previous.n"}`,
		`{"$ref": "#/$defs/a"}`:             `{"$ref": "#/$defs/a"}`,
		`{"$ref": ["$previous"]}`:           `{"$ref": ["$previous"]}`,
		`{"$ref": {"$ref": "$previous.n"}}`: `{"$ref": 1.0}`,
	} {
		given := decode(arguments)
		got, failure := task.Fill(given, decode(before), true)
		if failure != nil || value.JSON(got) != value.JSON(decode(want)) {
			t.Errorf("%s becomes %s, %v, want %s", arguments, value.JSON(got), failure, want)
		}
		if value.JSON(given) != value.JSON(decode(arguments)) {
			t.Errorf("%s was changed in place", arguments)
		}
		if uses := value.JSON(got) != value.JSON(given); task.UsesPrevious(given) != uses {
			t.Errorf("%s: UsesPrevious is %v", arguments, !uses)
		}
	}
}

func TestFillWithWhatIsNotThere(t *testing.T) {
	t.Parallel()
	before := decode(`{"items": ["x"], "text": "abc"}`)
	for arguments, want := range map[string]string{
		`{"$ref": "$previous.title"}`:          `What the task before this call came to has no "title".`,
		`{"x": {"$ref": "$previous.items.1"}}`: `What the task before this call came to has no "items.1".`,
		`[{"$ref": "$previous.items.01"}]`:     `What the task before this call came to has no "items.01".`,
		`[{"$ref": "$previous.items.-1"}]`:     `What the task before this call came to has no "items.-1".`,
		`[{"$ref": "$previous.text.length"}]`:  `What the task before this call came to has no "text.length".`,
		`{"$ref": "$previous.a b"}`:            `"$previous.a b" is no path: `,
		`{"$ref": "$previous.__proto__"}`:      `"$previous.__proto__" is no path: `,
		`{"$ref": "$previous.items[0]"}`:       `"$previous.items[0]" is no path: `,
		`{"b": {"$ref": "$previous.b"}, "a": {"$ref": "$previous.a"}, "c": {"$ref": "$previous.c"}}`: `What the task before this call came to has no "a".`,
	} {
		for range 20 { // which of several it is does not change
			got, failure := task.Fill(decode(arguments), before, true)
			if failure == nil || failure.Code != task.CodePreviousMissing || !strings.HasPrefix(failure.Message, want) || got != nil {
				t.Fatalf("%s: %v, %v", arguments, got, failure)
			}
		}
	}
	if _, failure := task.Fill(decode(`{"x": [{"$ref": "$previous"}]}`), nil, false); failure == nil || failure.Code != task.CodePreviousMissing {
		t.Errorf("nothing came before: %v", failure)
	}
	if got, failure := task.Fill(decode(`{"x": [1]}`), nil, false); failure != nil || value.JSON(got) != `{"x":[1]}` {
		t.Errorf("what stands for nothing needs nothing before it: %v, %v", got, failure)
	}
	if got, failure := task.Fill(decode(`{"$ref": "$previous"}`), nil, true); failure != nil || got != nil {
		t.Errorf("null came before: %v, %v", got, failure)
	}
}

func TestFillLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		arguments, before := anyValue.Draw(t, "arguments"), anyValue.Draw(t, "before")
		given := value.JSON(arguments)
		got, failure := task.Fill(arguments, before, true)
		_, again := task.Fill(arguments, before, true)
		if (failure == nil) != (again == nil) || failure != nil && *failure != *again {
			t.Fatalf("%v, and then %v", failure, again)
		}
		if value.JSON(arguments) != given {
			t.Fatalf("%s was changed in place", given)
		}
		if _, without := task.Fill(arguments, nil, false); (without != nil) != task.UsesPrevious(arguments) {
			t.Fatalf("%s: UsesPrevious is %v, and without a value: %v", given, task.UsesPrevious(arguments), without)
		}
		if failure == nil && !task.UsesPrevious(arguments) && !value.Equal(got, arguments) {
			t.Fatalf("%s became %s", given, value.JSON(got))
		}
		if whole, failure := task.Fill(object{"x": object{"$ref": "$previous"}}, arguments, true); failure != nil || value.JSON(whole.(object)["x"]) != given {
			t.Fatalf("%s was put in as %s, %v", given, value.JSON(whole), failure)
		}
	})
}

// TestCame is what "$previous" stands for in the arguments of the call x.
func TestCame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, entry, chains string
		results             map[string]string
		want                string
	}{
		{"nothing is before it", "", "x", nil, "-"},
		{"a message", "", "m:hi x", nil, `"hi"`},
		{"structured data", "", "s:data x", nil, `"data"`},
		{"a plain result", "", "v:result x", nil, `"result"`},
		{"the last of several", "", "m:a s:b v:c x", nil, `"c"`},
		{"an error has no value, what is before it has", "", "m:hi e:X x", nil, `"hi"`},
		{"only an error", "", "e:X x", nil, "-"},
		{"a call", "", "a x", map[string]string{"a": "=one"}, `"one"`},
		{"a call, and a message after it", "", "a m:hi x", nil, `"hi"`},
		{"the value just before a return", "", "a x", map[string]string{"a": "m:said ret"}, `"said"`},
		{"a return alone hides what was before the call", "", "m:hi a x", map[string]string{"a": "ret"}, "-"},
		{"branches give a list in their order", "", "a x", map[string]string{"a": "p | q | m:r"}, `["p","q","r"]`},
		{"a branch without a value gives null", "", "a x", map[string]string{"a": "p | ret"}, `["p",null]`},
		{"calls below calls", "", "a x", map[string]string{"a": "p", "p": "q m:no q ret", "q#2": "=deep"}, `"deep"`},
		{"the entry node's word, not the plain result", "entry", "a x",
			map[string]string{"a": "=raw", "entry": "m:cooked ret", "entry#2": "m:end ret"}, `"cooked"`},
		{"an entry node without a word", "entry", "a x", map[string]string{"a": "=raw", "entry": "ret", "entry#2": "ret"}, "-"},
		{"a failure that was recovered", "entry", "a x",
			map[string]string{"a": "!X", "entry": "m:instead ret", "entry#2": "m:end ret"}, `"instead"`},
		{"a failure, for a reducer", "", "m:hi a x~", map[string]string{"a": "!X"}, "-"},
		{"a task that was skipped, for a reducer", "", "a b x~", map[string]string{"a": "!X"}, "-"},
		{"a reducer that made it good", "", "a b~ x", map[string]string{"a": "!X", "b": "=mended"}, `"mended"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := begin(t, c.entry, chains(c.chains))
			p.waves(c.results)
			if got := came(p.g.Came(p.seq("x"), p.read)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if got := came(p.load().g.Came(p.seq("x"), p.read)); got != c.want {
				t.Errorf("%s after it was kept, want %s", got, c.want)
			}
		})
	}
}

func TestValuesOfWhatIsNotSettled(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a b | m:x"))
	check := func(when, a, all string) {
		t.Helper()
		if got := came(p.g.Value(p.seq("a"), p.read)); got != a {
			t.Errorf("%s a came to %s, want %s", when, got, a)
		}
		if got := p.result(); got != all {
			t.Errorf("%s the run came to %s, want %s", when, got, all)
		}
	}
	check("at first", "-", `[null,"x"]`)
	p.end(p.seq("a"), result("p"))
	check("before its branch is settled", "-", `[null,"x"]`)
	p.end(p.seq("p"), result("=1"))
	check("then", `"1"`, `[null,"x"]`)
	p.end(p.seq("b"), result("!X"))
	check("in the end", `"1"`, `[null,"x"]`)
	if got := came(p.g.Value(p.seq("b"), p.read)); got != "-" {
		t.Errorf("a call that failed came to %s", got)
	}
	p = begin(t, "", chains("a m:early"))
	p.move(0, task.Running)
	if got := p.result(); got != "-" {
		t.Errorf("a chain under way came to %s", got)
	}
	if got := came(task.NewGraph().Result(p.read)); got != "-" {
		t.Errorf("a run without tasks came to %s", got)
	}
}

func TestContentsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := begin(t, "", chains("a b | c"))
	p.waves(map[string]string{"a": "m:x | m:y"})
	broken := errors.New("broken")
	read := func(task.ID) (any, error) { return nil, broken }
	if _, has, err := p.g.Result(read); has || !errors.Is(err, broken) {
		t.Errorf("the result: %v, %v", has, err)
	}
	if _, has, err := p.g.Value(p.seq("a"), read); has || !errors.Is(err, broken) {
		t.Errorf("the value: %v, %v", has, err)
	}
	if _, has, err := p.g.Came(p.seq("b"), read); has || !errors.Is(err, broken) {
		t.Errorf("what came before: %v, %v", has, err)
	}
	for _, flattened := range []bool{false, true} {
		if list, err := p.g.Project(p.seq("b"), task.Projection{Flattened: flattened}, read); list != nil || !errors.Is(err, broken) {
			t.Errorf("a projection: %v, %v", list, err)
		}
	}
}

func TestPreviousInASmallRun(t *testing.T) {
	t.Parallel()
	p := begin(t, "", [][]task.Draft{{
		task.CallOf(task.Call{Name: "find"}),
		task.CallOf(task.Call{Name: "show", Arguments: object{"title": tool.Previous("items.0.title"), "of": tool.Previous("items.length")}}),
	}})
	p.g.Ready()
	p.end(0, task.Result{Value: decode(`{"items": [{"title": {"$ref": "$previous"}}]}`)})
	before, has, err := p.g.Came(1, p.read)
	if err != nil || len(p.g.Ready()) != 1 {
		t.Fatal(err)
	}
	data, err := p.read(p.g.Task(1).Content)
	if err != nil {
		t.Fatal(err)
	}
	c, err := task.ReadCall(data)
	if err != nil {
		t.Fatal(err)
	}
	got, failure := task.Fill(c.Arguments, before, has)
	if failure != nil || value.JSON(got) != `{"of":1,"title":{"$ref":"$previous"}}` {
		t.Errorf("%s, %v", value.JSON(got), failure)
	}
}
