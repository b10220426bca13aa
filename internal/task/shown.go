package task

import (
	"encoding/json"
	"fmt"

	"toolsmith/internal/value"
	"toolsmith/tool"
)

// ReadProjection reads which part of a run a tool wants to see, as it says so in JSON: {"flattened",
// "maxTasks", "maxBytes"}. most is the largest number that may be given, and standard are the bounds
// where none are. The error names the field.
func ReadProjection(arguments map[string]any, most int, standard Projection) (Projection, error) {
	p := standard
	p.Flattened, _ = arguments["flattened"].(bool)
	for name, into := range map[string]*int{"maxTasks": &p.Tasks, "maxBytes": &p.Bytes} {
		if arguments[name] == nil {
			continue
		}
		number, _ := arguments[name].(json.Number)
		n, whole := value.Integer(number)
		if number == "" || !whole || n < 0 || n > int64(most) {
			return p, &tool.Error{Code: tool.CodeArgumentsInvalid, Field: "$." + name, Message: fmt.Sprintf("has to be a whole number from 0 to %d.", most)}
		}
		if n > 0 {
			*into = int(n)
		}
	}
	return p, nil
}

// ShownAsJSON gives entries as a tool sees them that is not written in Go.
func ShownAsJSON(entries []Entry) []any {
	list := make([]any, len(entries))
	for i, e := range entries {
		shown := e.Shown()
		one := map[string]any{
			"id": shown.ID, "role": string(shown.Role), "type": string(shown.Type), "data": e.Data,
			"branch": value.Int(shown.Branch), "depth": value.Int(shown.Depth),
		}
		if shown.Name != "" {
			one["name"] = shown.Name
		}
		list[i] = one
	}
	return list
}
