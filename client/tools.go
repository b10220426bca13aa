package client

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"time"

	"toolsmith/internal/port"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// declare makes the declaration of a tool.
func declare(t *tool.Tool, callTime time.Duration) (d port.Declaration, err error) {
	spec := t.Spec()
	d = port.Declaration{
		Name: spec.Name, Title: spec.Title, Description: spec.Description, LongDescription: spec.LongDescription, Version: spec.Version,
		Timeout: callTime, ReadOnly: spec.ReadOnly, Idempotent: spec.Idempotent, Context: []string{methodAsk, methodCaller, methodChain, methodPopup, methodProgress},
	}
	if d.Title == d.Name {
		d.Title = ""
	}
	if len(spec.Secrets) > 0 {
		d.Context = append(d.Context, methodSecret, methodSetSecret)
	}
	if d.Parameters, err = decoded(t.Parameters()); err != nil {
		return d, err
	}
	if d.Result, err = decoded(t.Result()); err != nil {
		return d, err
	}
	if spec.RenderOptions == nil {
		return d, nil
	}
	text, err := json.Marshal(spec.RenderOptions)
	if err != nil {
		return d, fmt.Errorf("write the render options of %s: %w", spec.Name, err)
	}
	d.RenderOptions, err = decoded(text)
	return d, err
}

// The context methods that a tool in Go may use over a port.
const (
	methodAsk       = "ask"
	methodCaller    = "caller"
	methodChain     = "chain"
	methodPopup     = "popup"
	methodProgress  = "progress"
	methodSecret    = "secret"
	methodSetSecret = "setSecret"
)

// under is the key under which the context of a call has the task that it is.
type under struct{}

// invoke carries out a call of the server in the background.
func (s *session) invoke(m port.Invoke) {
	if m.Deadline <= 0 {
		m.Deadline = s.client.o.CallTime
	}
	ctx, cancel := context.WithTimeout(s.client.base, m.Deadline)
	s.mu.Lock()
	s.calls[m.ID] = cancel
	s.mu.Unlock()
	s.client.mu.Lock()
	t := s.client.tools[m.Tool]
	s.client.mu.Unlock()
	s.client.work.Go(func() {
		defer cancel()
		out := s.outcome(ctx, t, m)
		s.mu.Lock()
		delete(s.calls, m.ID)
		s.mu.Unlock()
		if err := s.send(out); err != nil && tool.Code(err) != port.CodeClosed {
			_ = s.send(failed(m.ID, &tool.Error{Code: codeResultLarge, Message: err.Error()})) // a lost connection has ended it too
		}
	})
}

// codeResultLarge is the code of a result that is larger than a message may be.
const codeResultLarge = "RESULT_TOO_LARGE"

// outcome runs a tool and says what it came to.
func (s *session) outcome(ctx context.Context, t *tool.Tool, m port.Invoke) port.Message {
	if t == nil {
		return failed(m.ID, tool.Errorf(port.CodeClosed, "The program supplies no tool %q.", m.Tool))
	}
	ctx = context.WithValue(ctx, under{}, m.TaskID)
	output, err := t.Invoke(tool.NewContext(ctx, s.host(t, m)), value.AppendJSON(nil, m.Arguments)) //nolint:contextcheck // it is in the tool's own context
	if err == nil && output.Subtasks != nil {
		var text []byte
		if text, err = json.Marshal(output.Subtasks); err == nil {
			var list any
			if list, err = decoded(text); err == nil {
				chains, _ := list.([]any)
				return port.Result{Call: m.ID, Subtasks: chains}
			}
		}
		err = tool.Errorf(tool.CodeResultInvalid, "The subtasks cannot be written as JSON: %s.", err)
	}
	if err != nil {
		return failed(m.ID, err)
	}
	v, err := decoded(output.Value)
	if err != nil {
		return failed(m.ID, tool.Errorf(tool.CodeResultInvalid, "The result is no JSON that can be sent: %s.", err))
	}
	return port.Result{Call: m.ID, Value: v}
}

// codeText is what a code looks like on a port.
var codeText = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)

// failed words the error of a tool.
func failed(id string, err error) port.Message {
	fault := port.Fault{Code: tool.Code(err), Message: messageOf(err)}
	if at, again := tool.IsAgain(err); again {
		fault = port.Fault{Code: tool.CodeContextUnavailable, Message: fmt.Sprintf(
			"The tool asks to be called again at %s, which is not possible over a port.", at.UTC().Format(time.RFC3339))}
	}
	if !codeText.MatchString(fault.Code) {
		fault.Code = tool.CodeFailed
	}
	return port.Failed{Call: id, Fault: fault}
}

// mostMessage is how long the message of an error may be, in bytes.
const mostMessage = 9000

func messageOf(err error) string {
	text := err.Error()
	if coded := asCoded(err); coded != nil {
		text = coded.Message
		if coded.Field != "" {
			text = coded.Field + ": " + text
		}
	}
	return text[:min(len(text), mostMessage)]
}

// host answers the context methods of a tool over the connection.
func (s *session) host(t *tool.Tool, m port.Invoke) tool.Host {
	ask := func(ctx context.Context, method string, arguments map[string]any) (any, error) {
		got, err := s.request(ctx, nil, func(id string) port.Message {
			return port.Ask{ID: id, Call: m.ID, Method: method, Arguments: arguments}
		})
		given, _ := got.message.(port.Given)
		return given.Value, err
	}
	host := tool.Host{
		ToolID: t.Name(), Caller: m.Caller,
		Chain: func(ctx context.Context, want tool.ChainRequest) ([]tool.Entry, error) {
			v, err := ask(ctx, methodChain, map[string]any{"flattened": want.Flattened, "maxTasks": value.Int(want.MaxTasks), "maxBytes": value.Int(want.MaxBytes)})
			if err != nil {
				return nil, err
			}
			var list []tool.Entry
			if err := json.Unmarshal(value.AppendJSON(nil, v), &list); err != nil {
				return nil, fmt.Errorf("read the chain: %w", err)
			}
			return list, nil
		},
		Progress: func(_ context.Context, done, total float64, note string) error {
			const most = 2000
			return s.send(port.Progress{Call: m.ID, Done: done, Total: total, Note: note[:min(len(note), most)]})
		},
	}
	host.Ask = func(ctx context.Context, form tool.Form) (any, error) {
		if err := form.Check(); err != nil {
			return nil, err //nolint:wrapcheck // it has its code
		}
		arguments := map[string]any{"title": form.Title, "text": form.Text}
		if form.Schema != nil {
			fields, err := decoded(form.Schema)
			if err != nil {
				return nil, &tool.Error{Code: tool.CodeInteractionInvalid, Field: "$.schema", Message: fmt.Sprintf("cannot be sent: %s.", err)}
			}
			arguments["schema"] = fields
		}
		return ask(ctx, methodAsk, arguments)
	}
	host.Popup = func(ctx context.Context, url string) error {
		_, err := ask(ctx, methodPopup, map[string]any{"url": url})
		return err
	}
	secrets := t.Spec().Secrets
	if len(secrets) == 0 {
		return host
	}
	about := func(ctx context.Context, method, name string, more map[string]any) (any, error) {
		if !slices.Contains(secrets, name) { // not repeated: it may be a value in the wrong place
			return nil, tool.Errorf("SECRET_NOT_DECLARED", "The tool %q uses a secret that its Spec does not declare. Add its name to Spec.Secrets.", t.Name())
		}
		more["name"] = name
		return ask(ctx, method, more)
	}
	host.Secret = func(ctx context.Context, name string) (string, error) {
		v, err := about(ctx, methodSecret, name, map[string]any{})
		text, _ := v.(string)
		return text, err
	}
	host.AskSecret = func(ctx context.Context, name string) error {
		_, err := about(ctx, methodSecret, name, map[string]any{"askNew": true})
		return err
	}
	host.SetSecret = func(ctx context.Context, name, text string) error {
		_, err := about(ctx, methodSetSecret, name, map[string]any{"value": text})
		return err
	}
	return host
}
