package port

import (
	_ "embed" // the published schema
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"toolsmith/internal/schema"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

//go:embed port.schema.json
var publishedSchema []byte

// Schema is the published JSON Schema of all messages (docs/port.schema.json).
func Schema() []byte { return []byte(string(publishedSchema)) }

// Side is who sends a message.
type Side string

// The sides of a port.
const (
	FromHost   Side = "host"
	FromServer Side = "server"
)

// schemas has the schema of each message under its side and type: "host-hello".
var schemas = sync.OnceValue(compileSchemas)

func compileSchemas() map[string]*schema.Schema {
	compiled := map[string]*schema.Schema{}
	document, _ := value.Decode(publishedSchema) // a test has seen that it is JSON
	whole, _ := document.(map[string]any)
	parts, _ := whole["$defs"].(map[string]any)
	for name := range parts {
		if !strings.Contains(name, "-") {
			continue
		}
		one, err := schema.Compile(map[string]any{"$defs": parts, "$ref": "#/$defs/" + name})
		if err != nil {
			continue // a test has seen that there are none
		}
		compiled[name] = one
	}
	return compiled
}

// InvalidError is the error for a message that cannot be understood.
type InvalidError struct {
	// Fatal: it is no JSON object at all, so that nothing more can be expected of its sender.
	Fatal bool
	// Type, ID and Call of the message, as far as they can be read.
	Type, ID, Call string
	// Fault says what is wrong.
	Fault *tool.Error
}

// Error says what is wrong.
func (e *InvalidError) Error() string { return e.Fault.Error() }

// Unwrap gives the coded error.
func (e *InvalidError) Unwrap() error { return e.Fault }

// Decode reads a message that one side has sent. The error is an *InvalidError.
func Decode(from Side, text []byte) (Message, error) {
	v, err := value.Decode(text)
	if err != nil {
		return nil, unreadable(text, err)
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, &InvalidError{Fatal: true, Fault: tool.Errorf(CodeMessage, "A message is a JSON object; this is %s.", value.KindOf(v))}
	}
	object := wire(fields)
	kind := object.get("type")
	invalid := &InvalidError{Type: kind, ID: object.identity("id"), Call: object.identity("call")}
	known, ok := schemas()[string(from)+"-"+kind]
	if !ok {
		invalid.Fault = &tool.Error{Code: CodeMessage, Field: "$.type", Message: fmt.Sprintf("There is no message of this type from a %s. docs/ports.md lists them.", from)}
		return nil, invalid
	}
	if violations := known.Validate(v); len(violations) > 0 {
		const most = 5
		invalid.Fault = &tool.Error{Code: CodeMessage, Field: violations[0].Path, Message: fmt.Sprintf(
			"The message %q does not fit. %s", kind, schema.Join(violations[:min(most, len(violations))]))}
		return nil, invalid
	}
	return read(from, kind, object), nil
}

// identity reads an id that can be answered to.
func (o wire) identity(name string) string {
	const most = 64
	id := o.get(name)
	if len(id) > most*4 || len([]rune(id)) > most {
		return ""
	}
	return id
}

// unreadable tells a text that is no JSON object from one that only goes beyond what is read
// here, such as one that is nested too deep: its sender means well, and its call is told.
func unreadable(text []byte, err error) error {
	var some struct{ Type, ID, Call json.RawMessage }
	invalid := &InvalidError{Fault: tool.Errorf(CodeMessage, "The message cannot be read: %s", err)}
	if json.Unmarshal(text, &some) != nil {
		invalid.Fatal = true
		return invalid
	}
	for _, one := range []struct {
		raw  json.RawMessage
		into *string
	}{{some.Type, &invalid.Type}, {some.ID, &invalid.ID}, {some.Call, &invalid.Call}} {
		_ = json.Unmarshal(one.raw, one.into) // what is no text names nothing
		*one.into = wire{"id": *one.into}.identity("id")
	}
	return invalid
}

// read makes a message of an object that fits its schema.
func read(from Side, kind string, o wire) Message {
	switch kind {
	case "hello":
		if from == FromServer {
			return Welcome{Server: o.get("server"), Version: o.get("version")}
		}
		n, _ := o["protocol"].(json.Number)
		protocol, _ := value.Integer(n)
		return Hello{Protocol: protocol, Name: o.get("name"), Version: o.get("version"), Token: o.get("token")}
	case "register":
		declared, _ := o["tool"].(map[string]any)
		return Register{ID: o.get("id"), Tool: readDeclaration(declared)}
	case "registered":
		return Registered{ID: o.get("id"), Name: o.get("name")}
	case "unregister":
		return Unregister{ID: o.get("id"), Name: o.get("name")}
	case "unregistered":
		return Unregistered{ID: o.get("id")}
	case "call":
		arguments, _ := o["arguments"].(map[string]any)
		if arguments == nil {
			arguments = map[string]any{}
		}
		return Invoke{
			ID: o.get("id"), Tool: o.get("tool"), Arguments: arguments, Title: o.get("title"), Key: o.get("key"),
			TaskID: o.get("taskId"), RunID: o.get("runId"), Caller: o.get("caller"), Deadline: o.time("deadline"),
		}
	case "progress":
		return Progress{Call: o.get("call"), ID: o.get("id"), Done: o.number("done"), Total: o.number("total"), Note: o.get("note")}
	case "result":
		subtasks, _ := o["subtasks"].([]any)
		return Result{Call: o.get("call"), ID: o.get("id"), Value: o["value"], Subtasks: subtasks, RunID: o.get("runId")}
	case "error":
		fault, _ := o["error"].(map[string]any)
		return Failed{Call: o.get("call"), ID: o.get("id"), RunID: o.get("runId"), Fault: readFault(fault)}
	case "context":
		if from == FromServer {
			return Given{ID: o.get("id"), Value: o["value"]}
		}
		arguments, _ := o["arguments"].(map[string]any)
		return Ask{ID: o.get("id"), Call: o.get("call"), Method: o.get("method"), Arguments: arguments}
	case "cancel":
		return Cancel{Call: o.get("call"), ID: o.get("id"), Reason: o.get("reason")}
	case "ping":
		return Ping{ID: o.get("id")}
	default:
		return Pong{ID: o.get("id")}
	}
}

func readFault(o wire) Fault {
	return Fault{Code: o.get("code"), Message: o.get("message"), Field: o.get("field"), Details: o["details"]}
}
