package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"toolsmith/tool"
)

// A tool keeps its name, description, parameters and function together.
func Example() {
	type input struct {
		Text string `json:"text" jsonschema:"the text to summarize"`
	}
	summarize := tool.MustNew(tool.Spec{
		Name:        "summarize",
		Description: "Summarize the supplied text.",
	}, func(ctx *tool.Context, in input) (tool.Subtasks, error) {
		chain, err := ctx.Chain()
		if err != nil {
			return tool.Subtasks{}, err
		}
		if err := ctx.Err(); err != nil {
			return tool.Subtasks{}, err
		}
		return ctx.Subtasks(tool.Chain{
			tool.Message(tool.RoleAssistant, fmt.Sprintf("%s (%d)", in.Text, len(chain))),
			tool.Return("complete"),
		}), nil
	})

	fmt.Println(string(summarize.Parameters()))

	// The runtime does this; in a test, package tooltest does.
	ctx := tool.NewContext(context.Background(), tool.Host{
		Chain: func(context.Context, tool.ChainRequest) ([]tool.Entry, error) {
			return []tool.Entry{{Role: tool.RoleUser, Type: tool.TypeMessage, Data: json.RawMessage(`"Summarize, please."`)}}, nil
		},
	})
	output, err := summarize.Invoke(ctx, json.RawMessage(`{"text":"Tea is grown on hills."}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, task := range output.Subtasks[0] {
		fmt.Println(task.Role, task.Content.Type, task.Content.Data)
	}
	// Output:
	// {"type":"object","properties":{"text":{"type":"string","description":"the text to summarize"}},"required":["text"],"additionalProperties":false}
	// assistant message Tea is grown on hills. (1)
	// system return complete
}

// A plain value is for the entry node of the run to interpret.
func ExampleNew() {
	type input struct {
		Text string `json:"text" jsonschema:"the text to cut" minLength:"1"`
		Max  int    `json:"max" jsonschema:"how many words to keep" default:"20" minimum:"1" maximum:"100"`
	}
	type output struct {
		Words []string `json:"words"`
		Left  int      `json:"left" jsonschema:"how many words were cut off"`
	}
	cut, err := tool.New(tool.Spec{Name: "cut", Description: "Keep the first words of a text."},
		func(_ *tool.Context, in input) (output, error) {
			words := strings.Fields(in.Text)
			n := min(in.Max, len(words))
			return output{Words: words[:n], Left: len(words) - n}, nil
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := cut.Invoke(nil, json.RawMessage(`{"text":"one two three","max":2}`))
	fmt.Println(string(result.Value), err)
	// Output:
	// {"words":["one","two"],"left":1} <nil>
}

// Several chains run in parallel, each strictly in its order. A reducer runs whatever became
// of the tasks before it, and takes what the one before it came to.
func ExampleContext_Subtasks() {
	type input struct {
		Topic string `json:"topic"`
	}
	research := tool.MustNew(tool.Spec{
		Name:        "research",
		Description: "Look a topic up in two places and note what was found.",
		Calls:       []string{"lookup", "note", "search"},
	}, func(ctx *tool.Context, in input) (tool.Subtasks, error) {
		return ctx.Subtasks(
			tool.Chain{
				tool.Message(tool.RoleAssistant, "Looking up "+in.Topic),
				tool.Call("lookup", in),
				tool.Reducer("note", map[string]any{"text": tool.Previous("summary")}),
			},
			tool.Chain{
				tool.Call("search", map[string]any{"query": in.Topic, "limit": 3}),
				tool.Reducer("note", map[string]any{"text": tool.Previous("items.0.title")}),
			},
		), nil
	})

	output, err := research.Invoke(nil, json.RawMessage(`{"topic":"tea"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, chain := range output.Subtasks {
		text, _ := json.Marshal(chain)
		fmt.Println(string(text))
	}
	// Output:
	// [{"role":"assistant","content":{"type":"message","data":"Looking up tea"}},{"role":"tool","content":{"type":"tool","data":{"name":"lookup","arguments":{"topic":"tea"}}}},{"role":"tool","content":{"type":"tool","data":{"name":"note","arguments":{"text":{"$ref":"$previous.summary"}},"runOn":"settled"}}}]
	// [{"role":"tool","content":{"type":"tool","data":{"name":"search","arguments":{"limit":3,"query":"tea"}}}},{"role":"tool","content":{"type":"tool","data":{"name":"note","arguments":{"text":{"$ref":"$previous.items.0.title"}},"runOn":"settled"}}}]
}
