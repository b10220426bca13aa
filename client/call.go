package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"toolsmith/internal/port"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// CallOptions say how a call is made. The zero value is Call.
type CallOptions struct {
	// Title is the display name of the run. Default: the name of the tool.
	Title string
	// Key is an idempotency key: a second call with it attaches to the run of the first one.
	// Default: none.
	Key string
	// Progress is told how far the call has come; it must not block. Default: nobody is.
	Progress func(done, total float64, note string)
}

// Result is what a call came to.
type Result struct {
	// Value as JSON.
	Value json.RawMessage
	// RunID names the run on the server; "" for none.
	RunID string
}

// Decode reads the value into a variable.
func (r *Result) Decode(into any) error {
	if err := json.Unmarshal(r.Value, into); err != nil {
		return fmt.Errorf("decode the value of run %s: %w", r.RunID, err)
	}
	return nil
}

// Call calls a tool of the server, as a run with consent like any other, and waits for the end.
// arguments are anything that encoding/json can write as an object; nil is {}. A call with the
// context of a tool function belongs to the call of that function. When ctx ends, the server is
// told to cancel the run. While there is no connection it waits for one.
//
// The error is a *tool.Error with the code of what went wrong; PORT_CLOSED says that the
// connection was lost meanwhile, so that the run may go on: a Key lets another call attach to
// it. Where a run was made, the result is there with its RunID also beside an error.
func (c *Client) Call(ctx context.Context, name string, arguments any) (*Result, error) {
	return c.CallWith(ctx, name, arguments, CallOptions{})
}

// CallWith is Call with options.
func (c *Client) CallWith(ctx context.Context, name string, arguments any, o CallOptions) (*Result, error) {
	object, err := objectOf(arguments)
	if err != nil {
		return nil, err
	}
	taskID, _ := ctx.Value(under{}).(string)
	var got reply
	err = c.overAny(ctx, errUnsent, func(s *session) error {
		got, err = s.request(ctx, o.Progress, func(id string) port.Message {
			return port.Invoke{ID: id, Tool: name, Arguments: object, Title: o.Title, Key: o.Key, TaskID: taskID}
		})
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err() // which of the two came first does not matter
		}
		if got.runID == "" {
			return nil, err
		}
		return &Result{RunID: got.runID}, err
	}
	result, _ := got.message.(port.Result)
	return &Result{Value: value.AppendJSON(nil, result.Value), RunID: result.RunID}, nil
}

// objectOf writes arguments as an object.
func objectOf(arguments any) (any, error) {
	if arguments == nil {
		return nil, nil
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return nil, tool.Errorf(tool.CodeArgumentsInvalid, "The arguments cannot be written as JSON: %w", err)
	}
	v, err := decoded(text)
	if err != nil {
		return nil, tool.Errorf(tool.CodeArgumentsInvalid, "The arguments cannot be sent: %w", err)
	}
	if _, ok := v.(map[string]any); !ok && v != nil {
		return nil, tool.Errorf(tool.CodeArgumentsInvalid, "The arguments have to be an object; this is %s.", value.KindOf(v))
	}
	return v, nil
}

func asCoded(err error) *tool.Error {
	var coded *tool.Error
	if errors.As(err, &coded) {
		return coded
	}
	return nil
}
