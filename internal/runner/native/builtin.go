package native

import (
	"fmt"
	"time"

	"toolsmith/tool"
)

// Builtin makes the tools that every Toolsmith has, beside its capabilities. They show how
// something is done many times, or later, without a hidden loop: what they do stands in the
// graph. now tells the time.
func Builtin(now func() time.Time) ([]*tool.Tool, error) {
	each, err := tool.New(tool.Spec{
		Name:        "map",
		Title:       "Map",
		Description: "Calls a tool once for each item of a list, side by side, and gives the list of what they came to, in the order of the items (null for one that failed). With a reducer, that tool is called with the list, also when some calls failed.",
	}, mapItems)
	if err != nil {
		return nil, fmt.Errorf("make map: %w", err)
	}
	wait, err := tool.New(tool.Spec{
		Name:        "wait",
		Title:       "Wait",
		Description: "Waits for a number of seconds, or until a time, and gives the time at which it ended. It takes nothing while it waits, and goes on waiting when the program is started anew.",
	}, func(ctx *tool.Context, in waitInput) (waitOutput, error) { return waitFor(ctx, in, now()) })
	if err != nil {
		return nil, fmt.Errorf("make wait: %w", err)
	}
	list, err := tool.New(tool.Spec{
		Name: "list", Title: "List", Description: "Gives back the items that it is given, as a list.", ReadOnly: true,
	}, func(_ *tool.Context, in listInput) ([]any, error) { return in.Items, nil })
	if err != nil {
		return nil, fmt.Errorf("make list: %w", err)
	}
	return []*tool.Tool{each, wait, list}, nil
}

// mapInput are the arguments of map.
type mapInput struct {
	Tool      string         `json:"tool" jsonschema:"the tool to call for each item" minLength:"1"`
	Items     []any          `json:"items" jsonschema:"the items; a call for each" maxItems:"500"`
	As        string         `json:"as,omitempty" jsonschema:"the argument that an item becomes; without it an item has to be an object and is all arguments"`
	Arguments map[string]any `json:"arguments,omitempty" jsonschema:"further arguments, the same for each call"`
	Reducer   string         `json:"reducer,omitempty" jsonschema:"a tool that is called with {\"items\": the list of results}"`
}

// listInput are the arguments of list.
type listInput struct {
	Items []any `json:"items" jsonschema:"the items" maxItems:"500"`
}

// mapItems returns the calls as branches. With a reducer it returns a chain of itself
// without one, and the reducer.
func mapItems(ctx *tool.Context, in mapInput) (any, error) {
	if in.Reducer != "" {
		again := in
		again.Reducer = ""
		return ctx.Subtasks(tool.Chain{
			tool.Call("map", again),
			tool.Reducer(in.Reducer, map[string]any{"items": tool.Previous("")}),
		}), nil
	}
	if len(in.Items) == 0 {
		return []any{}, nil
	}
	branches := make([]tool.Chain, len(in.Items))
	for i, item := range in.Items {
		arguments := map[string]any{}
		for name, v := range in.Arguments {
			arguments[name] = v
		}
		if in.As != "" {
			arguments[in.As] = item
		} else {
			object, ok := item.(map[string]any)
			if !ok {
				return nil, tool.Errorf("ARGUMENTS_INVALID", "$.items[%d] is no object, so it cannot be all arguments of %q. Say in \"as\" which argument an item becomes.", i, in.Tool)
			}
			for name, v := range object {
				arguments[name] = v
			}
		}
		branches[i] = tool.Chain{tool.Call(in.Tool, arguments)}
	}
	if len(branches) == 1 { // what one branch came to is no list
		branches[0] = append(branches[0], tool.Call("list", map[string]any{"items": []any{tool.Previous("")}}))
	}
	return ctx.Subtasks(branches...), nil
}

// waitInput are the arguments of wait.
type waitInput struct {
	Seconds float64 `json:"seconds,omitempty" jsonschema:"how long to wait, in seconds, counted from the beginning of the call" minimum:"0" maximum:"31536000"`
	Until   string  `json:"until,omitempty" jsonschema:"until when to wait: a time with its zone, such as 2026-11-30T16:00:00Z"`
}

type waitOutput struct {
	EndedAt string `json:"endedAt" jsonschema:"when the wait ended, in UTC"`
}

// waitFor asks to be called again at the end of the wait. Seconds become a time that the
// call carries along, as a visible task.
func waitFor(ctx *tool.Context, in waitInput, now time.Time) (waitOutput, error) {
	began, ok := ctx.Began()
	if !ok {
		began = now
	}
	until := began.Add(time.Duration(in.Seconds * float64(time.Second)))
	if in.Until != "" {
		at, err := time.Parse(time.RFC3339, in.Until)
		if err != nil {
			return waitOutput{}, tool.Errorf("ARGUMENTS_INVALID", "$.until has to be a time with its zone, such as 2026-11-30T16:00:00Z; this is %q.", in.Until)
		}
		until = at
	}
	if now.Before(until) {
		return waitOutput{}, tool.Again(until)
	}
	return waitOutput{EndedAt: now.UTC().Format(time.RFC3339)}, nil
}
