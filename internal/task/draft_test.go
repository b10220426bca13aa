package task_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// show writes drafts on one line each: which chain, role, type, data.
func show(list [][]task.Draft) string {
	var b strings.Builder
	for i, chain := range list {
		for _, d := range chain {
			b.WriteString(strings.Repeat("|", i) + string(d.Role) + " " + string(d.Type) + " " + value.JSON(d.Data))
			if d.Type == tool.TypeTool {
				b.WriteString(" → " + d.Call.Name + " " + value.JSON(d.Call.Arguments) + " " + string(d.Call.RunOn))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func places(faults task.Faults) string {
	var list []string
	for _, f := range faults {
		list = append(list, f.Place+": "+f.Message)
	}
	return strings.Join(list, "\n")
}

// goodChains are JSON texts of chains, with what they are read as.
var goodChains = map[string]string{
	// The three shapes.
	`{"role": "user", "content": {"type": "message", "data": "hi"}}`:                                        `user message "hi"`,
	`[{"role": "user", "content": {"type": "message", "data": ""}}, {"content": {"type": "return"}}]`:       "user message \"\"\ntool return null",
	`[[{"content": {"type": "structured", "data": [1.0]}}], [{"content": {"type": "return", "data": {}}}]]`: "tool structured [1.0]\n|tool return {}",
	// Roles.
	`{"role": null, "content": {"type": "structured"}}`:                                     `tool structured null`,
	`{"role": "", "content": {"type": "structured"}}`:                                       `tool structured null`,
	`{"role": "system", "content": {"type": "toolresult"}}`:                                 `system toolresult null`,
	`{"role": "assistant", "content": {"type": "structured"}}`:                              `assistant structured null`,
	`[{"role": "tool", "content": {"type": "structured"}}]`:                                 `tool structured null`,
	`{"content": {"type": "error", "data": {"code": "X", "message": "No.", "details": 1}}}`: `tool error {"code":"X","details":1,"message":"No."}`,
	// Calls.
	`{"content": {"type": "tool", "data": {"name": "a"}}}`:                                                       `tool tool {"arguments":{},"name":"a"} → a null `,
	`{"content": {"type": "functioncall", "data": {"name": "a", "arguments": null}}}`:                            `tool tool {"arguments":{},"name":"a"} → a null `,
	`{"content": {"type": "tool", "data": {"name": "a", "arguments": {"x": 1e2}, "runOn": "settled"}}}`:          `tool tool {"arguments":{"x":1e2},"name":"a","runOn":"settled"} → a {"x":1e2} settled`,
	`{"content": {"type": "tool", "data": {"name": "a", "arguments": {"$ref": "$previous"}}}}`:                   `tool tool {"arguments":{"$ref":"$previous"},"name":"a"} → a {"$ref":"$previous"} `,
	`{"content": {"type": "tool", "data": {"name": "a", "runOn": "success"}}}`:                                   `tool tool {"arguments":{},"name":"a"} → a null success`,
	`[[{"content": {"type": "return"}}], [{"content": {"type": "return"}}]]`:                                     "tool return null\n|tool return null",
	`[{"content": {"type": "error", "data": {"code": "X", "message": "No."}}}, {"content": {"type": "return"}}]`: "tool error {\"code\":\"X\",\"message\":\"No.\"}\ntool return null",
}

func TestReadDrafts(t *testing.T) {
	t.Parallel()
	for text, want := range goodChains {
		got, faults := task.ReadDrafts(decode(text))
		if len(faults) > 0 || show(got) != want+"\n" {
			t.Errorf("%s\nis read as\n%swant\n%s\n%s", text, show(got), want, places(faults))
		}
	}
}

const (
	isTask   = `a task is {"role", "content": {"type", "data"}}; this is `
	isCall   = `a call is {"name", "arguments"}; this is `
	inTask   = `only role and content`
	noType   = `there are message, tool, toolresult, structured, error and return`
	someTask = `{"content": {"type": "structured"}}`
	someEnd  = `{"content": {"type": "return"}}`
	noName   = "a call names its tool"
)

// call writes a task that is a call with some data.
func call(data string) string { return `{"content": {"type": "tool", "data": ` + data + `}}` }

// wrongChains are JSON texts of chains, with all that is wrong with them.
var wrongChains = map[string]string{
	// The shape.
	`null`:                                   "$: a chain is one task, a list of tasks, or a list of such lists; this is null",
	`"x"`:                                    "$: a chain is one task, a list of tasks, or a list of such lists; this is a text",
	`7`:                                      "$: a chain is one task, a list of tasks, or a list of such lists; this is a number",
	`[]`:                                     "$: there is no task",
	`[[]]`:                                   "[0]: a chain has at least one task",
	`[[` + someTask + `], [], []]`:           "[1]: a chain has at least one task\n[2]: a chain has at least one task",
	`[1, null]`:                              "[0]: " + isTask + "a number\n[1]: " + isTask + "null",
	`[[` + someTask + `, "x"]]`:              "[0][1]: " + isTask + "a text",
	`[[[]]]`:                                 "[0][0]: " + isTask + "a list",
	`[` + someTask + `, [` + someTask + `]]`: "[0]: beside lists of tasks there can only be lists of tasks; this is an object",
	`[[` + someTask + `], ` + someTask + `]`: "[1]: beside lists of tasks there can only be lists of tasks; this is an object",
	`[[], 1, true]`:                          "[1]: beside lists of tasks there can only be lists of tasks; this is a number\n[2]: beside lists of tasks there can only be lists of tasks; this is true or false",
	// The fields of a task.
	`{}`:                         `.content: a task has a content, {"type", "data"}; this is null`,
	`[{}]`:                       `[0].content: a task has a content, {"type", "data"}; this is null`,
	`[[{"content": []}]]`:        `[0][0].content: a task has a content, {"type", "data"}; this is a list`,
	`{"content": {}}`:            `.content.type: the type of a content is a text; this is null`,
	`[{"content": {"type": 1}}]`: `[0].content.type: the type of a content is a text; this is a number`,
	`{"role": 1, "content": {"type": "return"}}`:        `.role: a role is a text; this is a number`,
	`[{"role": "boss", "content": {"type": "return"}}]`: `[0].role: there is no role "boss"; there are user, assistant, system and tool`,
	`[[{"id": "x", "a b": 1, "content": {"type": "return", "ref": 1}}]]`: `[0][0]["a b"]: there is no field "a b" here, ` + inTask + "\n" +
		`[0][0].id: there is no field "id" here, ` + inTask + "\n" +
		`[0][0].content.ref: there is no field "ref" here, only type and data`,
	// The type.
	`{"content": {"type": "text"}}`:                   `.content.type: there is no type of content "text"; ` + noType,
	`[[` + someTask + `, {"content": {"type": ""}}]]`: `[0][1].content.type: there is no type of content ""; ` + noType,
	`[{"content": {"type": "Message"}}]`:              `[0].content.type: there is no type of content "Message"; ` + noType,
	// The data.
	`{"content": {"type": "message"}}`:                `.content.data: a message is a text; this is null`,
	`[{"content": {"type": "message", "data": {}}}]`:  `[0].content.data: a message is a text; this is an object`,
	`[{"content": {"type": "error", "data": "No."}}]`: `[0].content.data: an error is {"code", "message"}; this is a text`,
	`[{"content": {"type": "error", "data": {"code": 1}}}]`: "[0].content.data.code: an error has a code, a text\n" +
		"[0].content.data.message: an error has a message, a text",
	call(`"a"`): ".content.data: " + isCall + "a text",
	`[[` + someTask + `], [` + someTask + `, ` + someTask + `, ` + call(`{"name": "a", "arguments": [1]}`) + `]]`: "[1][2].content.data.arguments: arguments are an object; this is a list",
	`[` + call(`{}`) + `]`:              "[0].content.data.name: " + noName,
	`[` + call(`{"name": ""}`) + `]`:    "[0].content.data.name: " + noName,
	`[` + call(`{"name": ["a"]}`) + `]`: "[0].content.data.name: " + noName,
	`[` + call(`{"name": "a", "args": {}, "step": "s"}`) + `]`: `[0].content.data.args: a call has no field "args", only name, arguments and runOn` + "\n" +
		`[0].content.data.step: a call has no field "step", only name, arguments and runOn`,
	`[` + call(`{"name": "a", "runOn": "always"}`) + `]`: `[0].content.data.runOn: a call runs on "success" or "settled"; this is "always"`,
	`[` + call(`{"name": "a", "runOn": ""}`) + `]`:       `[0].content.data.runOn: a call runs on "success" or "settled"; this is ""`,
	`[` + call(`{"name": "a", "runOn": null}`) + `]`:     `[0].content.data.runOn: a call runs on "success" or "settled"; this is null`,
	// The order.
	`[` + someEnd + `, ` + someTask + `]`: `[1]: nothing can follow a "return" in its chain`,
	`[[` + someTask + `], [` + someTask + `, ` + someEnd + `, ` + someEnd + `, ` + someTask + `]]`: `[1][2]: nothing can follow a "return" in its chain`,
	`[[` + someEnd + `, ` + someTask + `], [` + someEnd + `, ` + someTask + `]]`: `[0][1]: nothing can follow a "return" in its chain` + "\n" +
		`[1][1]: nothing can follow a "return" in its chain`,
}

func TestReadDraftsThatAreWrong(t *testing.T) {
	t.Parallel()
	for text, want := range wrongChains {
		_, faults := task.ReadDrafts(decode(text))
		if got := places(faults); got != want {
			t.Errorf("%s\n%s", text, cmp.Diff(want, got))
		}
		for _, f := range faults {
			if f.Code != task.CodeResultInvalid {
				t.Errorf("%s: %v", text, f)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	one := task.Faults{{Code: "X", Place: "[0]", Message: "no"}}
	three := append(slices.Clone(one), task.Fault{Code: "Y", Place: "[1]", Message: "nor"}, task.Fault{Code: "X", Place: "[2]", Message: "neither"})
	for text, err := range map[string]error{"[0]: no": one, "[0]: no (and 2 more)": three} {
		if err.Error() != text {
			t.Errorf("%s, want %s", err, text)
		}
	}
	want := &task.Failure{Code: "X", Message: "[0]: no (and 2 more)", Details: decode(
		`{"faults": [{"code": "X", "place": "[0]", "message": "no"}, {"code": "Y", "place": "[1]", "message": "nor"}, {"code": "X", "place": "[2]", "message": "neither"}]}`)}
	if diff := cmp.Diff(want, three.Failure()); diff != "" {
		t.Error(diff)
	}
	if got := want.Error(); got != "X: [0]: no (and 2 more)" {
		t.Error(got)
	}
}

// TestDrafts reads chains as a tool written in Go returns them.
func TestDrafts(t *testing.T) {
	t.Parallel()
	type found struct {
		Title string  `json:"title"`
		Score float64 `json:"score"`
	}
	got, faults := task.Drafts([]tool.Chain{
		{
			tool.Message(tool.RoleUser, "<b>"),
			tool.Structured([]found{{"x", 1.5}, {"y", 1e21}}),
			tool.Structured(json.Number("1.0")),
			tool.Structured(nil),
			tool.Structured(json.RawMessage(`{"b": 1.00, "a": 9007199254740993}`)),
			tool.Call("lookup", map[string]any{"q": tool.Previous("0.title"), "n": 3}),
			tool.Call("bare", nil),
			tool.Reducer("merge", struct{}{}),
			tool.Return(true),
		},
		{
			{Content: tool.Content{Type: "functioncall", Data: map[string]any{"name": "lookup"}}},
			{Content: tool.Content{Type: tool.TypeError, Data: map[string]string{"code": "X", "message": "No."}}},
			{Content: tool.Content{Type: tool.TypeToolResult, Data: 7}},
		},
	})
	want := `user message "<b>"
tool structured [{"score":1.5,"title":"x"},{"score":1e+21,"title":"y"}]
tool structured 1.0
tool structured null
tool structured {"a":9007199254740993,"b":1.00}
tool tool {"arguments":{"n":3,"q":{"$ref":"$previous.0.title"}},"name":"lookup"} → lookup {"n":3,"q":{"$ref":"$previous.0.title"}} 
tool tool {"arguments":{},"name":"bare"} → bare null 
tool tool {"arguments":{},"name":"merge","runOn":"settled"} → merge {} settled
system return true
|tool tool {"arguments":{},"name":"lookup"} → lookup null 
|tool error {"code":"X","message":"No."}
|tool toolresult 7
`
	if diff := cmp.Diff(want, show(got)); diff != "" || len(faults) > 0 {
		t.Errorf("%s%s", diff, places(faults))
	}
	if all := tool.Previous(""); value.JSON(all) != `{"$ref":"$previous"}` {
		t.Error(value.JSON(all))
	}
}

func TestDraftsThatAreWrong(t *testing.T) {
	t.Parallel()
	end := tool.Return(nil)
	for want, given := range map[string][]tool.Chain{
		"$: there is no task":                                                                                                    nil,
		"[1]: a chain has at least one task":                                                                                     {{end}, {}},
		`[0][1]: nothing can follow a "return" in its chain`:                                                                     {{end, end}},
		"[0][0].content.data: it cannot be written as JSON: json: unsupported type: chan int":                                    {{tool.Structured(make(chan int))}},
		"[1][0].content.data: it cannot be written as JSON: json: unsupported value: NaN":                                        {{end, end}, {tool.Structured(math.NaN())}},
		"[0][0].content.data: it cannot be written as JSON: json: invalid number literal \"12x\"":                                {{tool.Structured(json.Number("12x"))}},
		"[0][1].content.data.arguments: arguments are an object; this is a number":                                               {{tool.Structured(1), tool.Call("a", 7)}},
		"[0][0].content.data.name: a call names its tool":                                                                        {{tool.Call("", nil)}},
		`[0][0].role: there is no role "boss"; there are user, assistant, system and tool`:                                       {{tool.Message("boss", "x")}},
		`[0][0].content.type: there is no type of content ""; there are message, tool, toolresult, structured, error and return`: {{{}}},
		"[0][0].content.data: a message is a text; this is null":                                                                 {{{Content: tool.Content{Type: tool.TypeMessage}}}},
		`[0][0].content.data.runOn: a call runs on "success" or "settled"; this is "never"`:                                      {{{Content: tool.Content{Type: tool.TypeTool, Data: tool.CallData{Name: "a", RunOn: "never"}}}}},
	} {
		_, faults := task.Drafts(given)
		got := places(faults)
		// How encoding/json words it is not ours.
		if got != want && !(strings.Contains(want, "invalid number") && strings.HasPrefix(got, "[0][0].content.data: it cannot be written as JSON")) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	_, faults := task.Drafts([]tool.Chain{{tool.Structured(json.RawMessage("1e999"))}, {tool.Structured(json.RawMessage(strings.Repeat("[", 80) + strings.Repeat("]", 80)))}})
	if len(faults) != 2 || faults[0].Place != "[0][0].content.data" || faults[1].Place != "[1][0].content.data" {
		t.Errorf("numbers and depths that nobody can hold: %s", places(faults))
	}
}

func TestCallsAndFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []task.Call{
		{Name: "a", Arguments: object{}},
		{Name: "a", Arguments: object{"x": array{}}, RunOn: tool.RunOnSettled, Step: "each[3].0"},
	} {
		got, err := task.ReadCall(task.CallOf(c).Data)
		if diff := cmp.Diff(c, got); diff != "" || err != nil {
			t.Errorf("%s %v", diff, err)
		}
	}
	for text, want := range map[string]string{
		`{}`: `a call is {"name", "arguments"}; this is an object`, `7`: `a call is {"name", "arguments"}; this is a number`, `{"name": 1}`: `a call is {"name", "arguments"}; this is an object`,
	} {
		if _, err := task.ReadCall(decode(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, f := range []*task.Failure{{Code: "X", Message: "No."}, {Code: "X", Message: "No.", Details: array{}}} {
		d := task.ErrorOf(f)
		if diff := cmp.Diff(f, task.ReadFailure(d.Data)); diff != "" || d.Type != tool.TypeError || d.Role != tool.RoleTool {
			t.Errorf("%s %v", diff, d)
		}
	}
	if f := task.ReadFailure("x"); *f != (task.Failure{}) {
		t.Errorf("%v", f)
	}
	if d := task.ValueOf(nil); d.Type != tool.TypeToolResult || d.Role != tool.RoleTool || d.Data != nil {
		t.Errorf("%v", d)
	}
}
