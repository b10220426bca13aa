package port

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Message is one message of the protocol. Those that go both ways name a call of the server
// in Call and a request of the host in ID.
type Message interface{ wire() map[string]any }

// The messages.
type (
	// Hello is the first message of a host.
	Hello struct {
		Protocol             int64
		Name, Version, Token string
	}
	// Welcome is the hello of the server.
	Welcome struct{ Server, Version string }
	// Register supplies a tool.
	Register struct {
		ID   string
		Tool Declaration
	}
	// Registered says that a tool is supplied.
	Registered struct{ ID, Name string }
	// Unregister takes a tool away.
	Unregister struct{ ID, Name string }
	// Unregistered says that a tool was taken away.
	Unregistered struct{ ID string }
	// Invoke is a call that either side makes. TaskID, RunID and Caller come from the server;
	// Title, Key and TaskID from a host.
	Invoke struct {
		ID, Tool string
		// Arguments are an object; nil is {}.
		Arguments                         any
		Title, Key, TaskID, RunID, Caller string
		// Deadline from now; 0 for none.
		Deadline time.Duration
	}
	// Progress says how far a call has come.
	Progress struct {
		Call, ID    string
		Done, Total float64
		Note        string
	}
	// Result is what a call came to: a value, or subtasks of a call that the server made.
	Result struct {
		Call, ID string
		Value    any
		Subtasks []any // nil for a value
		RunID    string
	}
	// Failed says that a call, or what was asked for otherwise, has failed; without either id
	// a message could not be understood.
	Failed struct {
		Call, ID string
		Fault    Fault
		RunID    string
	}
	// Ask asks the server for a context method during a call.
	Ask struct {
		ID, Call, Method string
		// Arguments are an object; nil is {}.
		Arguments map[string]any
	}
	// Given is what a context method gave.
	Given struct {
		ID    string
		Value any
	}
	// Cancel says that a call is not wanted any more.
	Cancel struct{ Call, ID, Reason string }
	// Ping is answered with Pong.
	Ping struct{ ID string }
	// Pong answers Ping.
	Pong struct{ ID string }
)

// Fault is a failure as it is written.
type Fault struct {
	Code, Message string
	// Field is the path of the value at fault; "" for none. Details are any JSON; nil for none.
	Field   string
	Details any
}

// Error gives "CODE: message".
func (f *Fault) Error() string { return f.Code + ": " + f.Message }

// As lets a fault be found as the coded error that it is.
func (f *Fault) As(target any) bool {
	coded, ok := target.(**tool.Error)
	if ok {
		*coded = &tool.Error{Code: f.Code, Message: f.Message, Field: f.Field}
	}
	return ok
}

// wire is an object that is being written or read.
type wire map[string]any

func (o wire) text(name, text string) {
	if text != "" {
		o[name] = text
	}
}

// get reads a text; "" where there is none.
func (o wire) get(name string) string {
	text, _ := o[name].(string)
	return text
}

// time reads milliseconds; 0 where there are none.
func (o wire) time(name string) time.Duration {
	n, _ := o[name].(json.Number)
	ms, _ := value.Integer(n)
	return time.Duration(min(ms, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
}

func (o wire) number(name string) float64 {
	n, _ := o[name].(json.Number)
	f, _ := n.Float64()
	return f
}

func milliseconds(d time.Duration) json.Number { return value.Int64(d.Milliseconds()) }

// number writes a number of which JSON may have no text.
func number(f float64) json.Number {
	if math.IsNaN(f) || math.IsInf(f, 0) || f < 0 {
		f = 0
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
}

func (m Hello) wire() map[string]any {
	o := wire{"type": "hello", "protocol": value.Int64(m.Protocol), "name": m.Name}
	o.text("version", m.Version)
	o.text("token", m.Token)
	return o
}

func (m Welcome) wire() map[string]any {
	return wire{"type": "hello", "protocol": value.Int(Protocol), "server": m.Server, "version": m.Version, "limits": map[string]any{
		"messageBytes": value.Int(MaxMessage), "tools": value.Int(MaxTools), "calls": value.Int(MaxCalls),
	}}
}

func (m Register) wire() map[string]any {
	return wire{"type": "register", "id": m.ID, "tool": m.Tool.wire()}
}

func (m Registered) wire() map[string]any {
	return wire{"type": "registered", "id": m.ID, "name": m.Name}
}

func (m Unregister) wire() map[string]any {
	return wire{"type": "unregister", "id": m.ID, "name": m.Name}
}

func (m Unregistered) wire() map[string]any { return wire{"type": "unregistered", "id": m.ID} }

func (m Invoke) wire() map[string]any {
	o := wire{"type": "call", "id": m.ID, "tool": m.Tool, "arguments": m.Arguments}
	if m.Arguments == nil {
		o["arguments"] = map[string]any{}
	}
	o.text("title", m.Title)
	o.text("key", m.Key)
	o.text("taskId", m.TaskID)
	o.text("runId", m.RunID)
	o.text("caller", m.Caller)
	if m.Deadline > 0 {
		o["deadline"] = milliseconds(m.Deadline)
	}
	return o
}

func (m Progress) wire() map[string]any {
	o := wire{"type": "progress", "done": number(m.Done), "total": number(m.Total)}
	o.text("call", m.Call)
	o.text("id", m.ID)
	o.text("note", m.Note)
	return o
}

func (m Result) wire() map[string]any {
	o := wire{"type": "result"}
	if m.Subtasks != nil {
		o["subtasks"] = m.Subtasks
	} else {
		o["value"] = m.Value
	}
	o.text("call", m.Call)
	o.text("id", m.ID)
	o.text("runId", m.RunID)
	return o
}

func (m Failed) wire() map[string]any {
	fault := wire{"code": m.Fault.Code, "message": m.Fault.Message}
	fault.text("field", m.Fault.Field)
	if m.Fault.Details != nil {
		fault["details"] = m.Fault.Details
	}
	o := wire{"type": "error", "error": map[string]any(fault)}
	o.text("call", m.Call)
	o.text("id", m.ID)
	o.text("runId", m.RunID)
	return o
}

func (m Ask) wire() map[string]any {
	o := wire{"type": "context", "id": m.ID, "call": m.Call, "method": m.Method}
	if m.Arguments != nil {
		o["arguments"] = m.Arguments
	}
	return o
}

func (m Given) wire() map[string]any {
	return wire{"type": "context", "id": m.ID, "value": m.Value}
}

func (m Cancel) wire() map[string]any {
	o := wire{"type": "cancel"}
	o.text("call", m.Call)
	o.text("id", m.ID)
	o.text("reason", m.Reason)
	return o
}

func (m Ping) wire() map[string]any { return wire{"type": "ping", "id": m.ID} }
func (m Pong) wire() map[string]any { return wire{"type": "pong", "id": m.ID} }

// errTooLarge is for a message that nobody would read.
type errTooLarge string

func (e errTooLarge) Error() string { return string(e) }

// Encode writes a message. The error is for one that is too large or nested too deep for the
// other side to read.
func Encode(m Message) ([]byte, error) {
	object := m.wire()
	if !within(object, value.MaxDepth) {
		return nil, errTooLarge(fmt.Sprintf("The message is nested deeper than %d.", value.MaxDepth))
	}
	text := value.AppendJSON(nil, object)
	if len(text) > MaxMessage {
		return nil, errTooLarge(fmt.Sprintf("The message has %d bytes; at most %d are allowed.", len(text), MaxMessage))
	}
	return text, nil
}

// within reports whether a value is nested no deeper than depth.
func within(v any, depth int) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if !within(item, depth-1) {
				return false
			}
		}
		return depth > 0
	case map[string]any:
		for _, item := range v {
			if !within(item, depth-1) {
				return false
			}
		}
		return depth > 0
	}
	return true
}
