package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/tool"
)

func TestTasksRoundTrip(t *testing.T) {
	t.Parallel()
	big := json.Number("9007199254740993")
	chains := []tool.Chain{
		{
			tool.Message(tool.RoleUser, "hello"),
			tool.Call("a", map[string]any{"n": big, "list": []any{nil, true, "x"}}),
			tool.Reducer("b", map[string]any{"from": tool.Previous("items.0")}),
			tool.Call("c", nil),
			tool.Return(json.Number("1.50")),
		},
		{tool.Structured(map[string]any{"n": big}), tool.Structured(nil), {Role: tool.RoleTool, Content: tool.Content{Type: tool.TypeError, Data: map[string]any{"code": "X", "message": "y"}}}},
		{},
		nil,
	}
	text, err := json.Marshal(chains)
	if err != nil {
		t.Fatal(err)
	}
	var back []tool.Chain
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(chains, back); diff != "" {
		t.Errorf("reads back otherwise (-was +is):\n%s", diff)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(text) {
		t.Errorf("written again as %s, error %v, was %s", again, err, text)
	}
}

func TestTasksRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want tool.Task
	}{
		{`{}`, tool.Task{}},
		{
			` { "content" : { "data" : {"name":"a"} , "type" : "functioncall" } } `,
			tool.Task{Content: tool.Content{Type: tool.TypeTool, Data: tool.CallData{Name: "a"}}},
		},
		{
			`{"role":"tool","content":{"type":"tool","data":{"name":"a","arguments":{},"runOn":"settled"}}}`,
			tool.Task{Role: tool.RoleTool, Content: tool.Content{Type: tool.TypeTool, Data: tool.CallData{Name: "a", Arguments: map[string]any{}, RunOn: tool.RunOnSettled}}},
		},
		// What a CallData cannot say stays as it is, for the host to complain about.
		{`{"content":{"type":"tool","data":{"name":"a","runon":"settled"}}}`, tool.Task{Content: tool.Content{Type: tool.TypeTool, Data: map[string]any{"name": "a", "runon": "settled"}}}},
		{`{"content":{"type":"tool","data":{"name":7}}}`, tool.Task{Content: tool.Content{Type: tool.TypeTool, Data: map[string]any{"name": json.Number("7")}}}},
		{`{"content":{"type":"tool","data":{"arguments":{}}}}`, tool.Task{Content: tool.Content{Type: tool.TypeTool, Data: map[string]any{"arguments": map[string]any{}}}}},
		{`{"content":{"type":"tool","data":"a"}}`, tool.Task{Content: tool.Content{Type: tool.TypeTool, Data: "a"}}},
		{`{"content":{"type":"strange","data":1e2}}`, tool.Task{Content: tool.Content{Type: "strange", Data: json.Number("1e2")}}},
	}
	for _, test := range tests {
		var got tool.Task
		if err := json.Unmarshal([]byte(test.text), &got); err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestTasksRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{`{}`, "a chain is a list of tasks"},
		{`[null]`, "[0]: a task is an object with role and content"},
		{`[{},"x"]`, "[1]: a task is an object with role and content"},
		{`[{"Role":"user"}]`, `[0]: a task is an object with role and content; it has no "Role"`},
		{`[{"role":"user","role":"user"}]`, `[0]: a task is an object with role and content; "role" is given twice`},
		{`[{"role":1}]`, "[0]: role: it is a text"},
		{`[{"content":[]}]`, "[0]: content: a content is an object with type and data"},
		{`[{"content":{"type":1}}]`, "[0]: content: type: it is a text"},
		{`[{"content":{"type":"message","text":"x"}}]`, `it has no "text"`},
		{`[{"content":{"type":"structured","data":{"a":{"b":1,"b":2}}}}]`, "[0]: content: data: $.a.b: is given twice."},
	}
	for _, test := range tests {
		chain := tool.Chain{tool.Return(1)}
		err := json.Unmarshal([]byte(test.text), &chain)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.text, err, test.want)
		}
		if len(chain) != 1 || chain[0].Content.Type != tool.TypeReturn {
			t.Errorf("%s: the chain was changed to %v", test.text, chain)
		}
	}
	var call tool.CallData
	if err := json.Unmarshal([]byte(`{"name":"a","arguments":{"n":1.0}}`), &call); err != nil || !cmp.Equal(call.Arguments, any(map[string]any{"n": json.Number("1.0")})) {
		t.Errorf("read as %v, error %v", call, err)
	}
	for _, text := range []string{`null`, `{}`, `{"name":""}`, `{"name":"a","x":1}`, `{"name":"a","name":"b"}`, `"a"`} {
		call = tool.CallData{Name: "kept"}
		if err := json.Unmarshal([]byte(text), &call); err == nil || call.Name != "kept" {
			t.Errorf("%s is read as %v, error %v", text, call, err)
		}
	}
	// Called directly, with what is no JSON.
	for _, text := range []string{``, `{`, `{"role"`, `{"role":`, `{"role":1,`, `{"content":{"data":x}}`} {
		if err := new(tool.Task).UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
