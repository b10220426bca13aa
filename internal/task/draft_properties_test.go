package task_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// anyData draws the data of a content: often right for some type, at times for none.
var anyData = rapid.OneOf(
	anyValue,
	rapid.SampledFrom([]any{
		"hi", object{"code": "X", "message": "No."}, object{"name": "a"}, object{"name": "a", "arguments": object{"x": number("1.0")}, "runOn": "settled"},
		object{"name": "a", "runOn": "never"}, object{"name": "", "arguments": array{}}, object{"name": "a", "else": nil}, object{"code": "X"},
	}),
)

var anyTask = rapid.Custom(func(t *rapid.T) tool.Task {
	return tool.Task{
		Role: rapid.SampledFrom([]tool.Role{"", "", tool.RoleUser, tool.RoleAssistant, tool.RoleSystem, tool.RoleTool, "boss"}).Draw(t, "role"),
		Content: tool.Content{
			Type: rapid.SampledFrom([]tool.ContentType{
				tool.TypeMessage, tool.TypeTool, "functioncall", tool.TypeToolResult, tool.TypeStructured, tool.TypeError, tool.TypeReturn, "text",
			}).Draw(t, "type"),
			Data: anyData.Draw(t, "data"),
		},
	}
})

// goodTask is one that can stand anywhere in a chain.
func goodTask(one tool.Task) bool {
	_, faults := task.Drafts([]tool.Chain{{one}})
	return len(faults) == 0 && one.Content.Type != tool.TypeReturn
}

// anyChains draws chains of which most are right.
var anyChains = rapid.Custom(func(t *rapid.T) []tool.Chain {
	one := anyTask
	if rapid.IntRange(0, 3).Draw(t, "right") > 0 {
		one = anyTask.Filter(goodTask)
	}
	list := make([]tool.Chain, rapid.IntRange(0, 3).Draw(t, "chains"))
	for i := range list {
		list[i] = append(tool.Chain{}, rapid.SliceOfN(one, 0, 4).Draw(t, "chain")...)
	}
	return list
})

// TestBothReadersAgree: chains that a Go tool gives and the same ones as JSON are read the
// same, with the same faults.
func TestBothReadersAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		given := anyChains.Draw(t, "chains")
		text, err := json.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		fromGo, goFaults := task.Drafts(given)
		fromJSON, jsonFaults := task.ReadDrafts(decode(string(text)))
		if diff := cmp.Diff(goFaults, jsonFaults); diff != "" {
			t.Fatalf("the faults of %s differ:\n%s", text, diff)
		}
		if diff := cmp.Diff(fromGo, fromJSON); diff != "" && len(goFaults) == 0 {
			t.Fatalf("%s is read differently:\n%s", text, diff)
		}
		holdDrafts(t, fromJSON, jsonFaults)
	})
}

// write gives drafts as JSON again: a list of lists.
func write(list [][]task.Draft) any {
	out := make(array, len(list))
	for i, chain := range list {
		tasks := make(array, len(chain))
		for j, d := range chain {
			tasks[j] = object{"role": string(d.Role), "content": object{"type": string(d.Type), "data": d.Data}}
		}
		out[i] = tasks
	}
	return out
}

// holdDrafts checks what is true of whatever has been read.
func holdDrafts(t rapid.TB, list [][]task.Draft, faults task.Faults) {
	for _, f := range faults {
		if f.Code != task.CodeResultInvalid || f.Message == "" || f.Place != "$" && !strings.HasPrefix(f.Place, "[") && !strings.HasPrefix(f.Place, ".") {
			t.Fatalf("a fault says nothing: %+v", f)
		}
	}
	if len(faults) > 0 {
		if f := faults.Failure(); f.Code != task.CodeResultInvalid || !strings.HasPrefix(f.Message, faults[0].Place+": ") {
			t.Fatalf("%v", f)
		}
		return
	}
	if len(list) == 0 {
		t.Fatalf("no chain, and no fault")
	}
	for _, chain := range list {
		if len(chain) == 0 {
			t.Fatalf("an empty chain, and no fault")
		}
	}
	again, faults := task.ReadDrafts(write(list))
	if diff := cmp.Diff(value.JSON(write(list)), value.JSON(write(again))); diff != "" || len(faults) > 0 {
		t.Fatalf("written and read again:\n%s%s", diff, places(faults))
	}
	p := begin(t, "", list)
	for seq, d := range flat(list) {
		v, err := p.read(p.g.Task(seq).Content)
		if err != nil || !value.Equal(v, d.Data) {
			t.Fatalf("%s is kept as %s, %v", value.JSON(d.Data), value.JSON(v), err)
		}
		if p.g.Task(seq).Calls() {
			if c, err := task.ReadCall(v); err != nil || c.Name != d.Call.Name || (c.RunOn == tool.RunOnSettled) != (d.Call.RunOn == tool.RunOnSettled) {
				t.Fatalf("%v is kept as %v, %v", d.Call, c, err)
			}
		}
	}
}

func flat(list [][]task.Draft) (all []task.Draft) {
	for _, chain := range list {
		all = append(all, chain...)
	}
	return all
}
