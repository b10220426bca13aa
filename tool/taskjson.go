package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// UnmarshalJSON reads a chain: a list of tasks. An error names the position.
func (c *Chain) UnmarshalJSON(text []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("a chain is a list of tasks: %w", err)
	}
	if list == nil { // null
		*c = nil
		return nil
	}
	chain := make(Chain, len(list))
	for i, one := range list {
		if err := chain[i].UnmarshalJSON(one); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	*c = chain
	return nil
}

// UnmarshalJSON reads a task. Names other than "role" and "content" are errors.
func (t *Task) UnmarshalJSON(text []byte) error {
	members, err := readMembers(text, "task", "role", "content")
	if err != nil {
		return err
	}
	var task Task
	if role, ok := members["role"]; ok {
		if err := json.Unmarshal(role, &task.Role); err != nil {
			return fmt.Errorf("role: it is a text: %w", err)
		}
	}
	if content, ok := members["content"]; ok {
		if err := task.Content.UnmarshalJSON(content); err != nil {
			return fmt.Errorf("content: %w", err)
		}
	}
	*t = task
	return nil
}

// UnmarshalJSON reads a content. Data becomes a CallData for a TypeTool that is well
// formed, and else nil, bool, string, json.Number, []any or map[string]any.
func (c *Content) UnmarshalJSON(text []byte) error {
	members, err := readMembers(text, "content", "type", "data")
	if err != nil {
		return err
	}
	var content Content
	if kind, ok := members["type"]; ok {
		if err := json.Unmarshal(kind, &content.Type); err != nil {
			return fmt.Errorf("type: it is a text: %w", err)
		}
	}
	if content.Type == "functioncall" {
		content.Type = TypeTool
	}
	if data, ok := members["data"]; ok {
		if content.Data, err = readValue(data); err != nil {
			return fmt.Errorf("data: %w", err)
		}
	}
	if content.Type == TypeTool {
		content.Data = asCall(content.Data)
	}
	*c = content
	return nil
}

// UnmarshalJSON reads the data of a call, with numbers in the arguments as json.Number.
func (d *CallData) UnmarshalJSON(text []byte) error {
	v, err := readValue(text)
	if err != nil {
		return err
	}
	call, ok := asCall(v).(CallData)
	if !ok {
		return fmt.Errorf("a call is {\"name\", \"arguments\", \"runOn\"?}; this is %s", text)
	}
	*d = call
	return nil
}

// asCall makes a CallData of a value that says just what a CallData can say. Any other is
// left as it is, for the host to say what is wrong with it, and where.
func asCall(v any) any {
	object, _ := v.(map[string]any)
	var call CallData
	for name, item := range object {
		var ok bool
		switch name {
		case "name":
			call.Name, ok = item.(string)
		case "arguments":
			call.Arguments, ok = item, true
		case "runOn":
			var text string
			text, ok = item.(string)
			call.RunOn = RunOn(text)
		}
		if !ok {
			return v
		}
	}
	if call.Name == "" {
		return v
	}
	return call
}

// readMembers reads an object that has no other members than these, and none twice.
func readMembers(text []byte, what string, names ...string) (map[string]json.RawMessage, error) {
	fault := func() error {
		return fmt.Errorf("a %s is an object with %s", what, strings.Join(names, " and "))
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, fault()
	}
	members := map[string]json.RawMessage{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", fault(), err)
		}
		name, _ := token.(string)
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("%w; it has no %q", fault(), name)
		}
		if _, twice := members[name]; twice {
			return nil, fmt.Errorf("%w; %q is given twice", fault(), name)
		}
		var member json.RawMessage
		if err := decoder.Decode(&member); err != nil {
			return nil, fmt.Errorf("%w: %w", fault(), err)
		}
		members[name] = member
	}
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("%w: %w", fault(), err)
	}
	return members, nil
}
