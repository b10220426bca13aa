// Package client runs tools that programs outside supply through ports.
package client

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"toolsmith/internal/port"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// Hub calls tools of ports; port.Hub is one.
type Hub interface {
	Call(ctx context.Context, r port.Request) (port.Answer, error)
}

// Surroundings are what a call gets of the run that it belongs to, as far as its tool was
// registered with the context for it. What is nil is not there for the tool.
type Surroundings struct {
	// TaskID and RunID of the call, and Caller who asked for the run.
	TaskID, RunID, Caller string
	// Chain gives what of the run the call may see.
	Chain func(task.Projection) ([]task.Entry, error)
	// Progress shows how far the call is: done of total, and a note.
	Progress func(done, total float64, note string)
	// Secret, SetSecret and AskSecret are about the secrets of the tool; see tool.Host.
	Secret    func(ctx context.Context, name string) (string, error)
	SetSecret func(ctx context.Context, name, value string) error
	AskSecret func(ctx context.Context, name string) error
	// Forms ask the person.
	Forms
}

// The context methods that a host can ask for. "progress" is a message of its own.
const (
	methodChain     = "chain"
	methodCaller    = "caller"
	methodSecret    = "secret"
	methodSetSecret = "setSecret"
	methodAsk       = "ask"
	methodPopup     = "popup"
)

// secretName is what a secret can be called, as in tool.Spec.
var secretName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Run runs a version of a tool of a port with arguments that fit its schema. The error is that
// of the context, or the one of AskSecret or Forms where the call is to be made anew; everything else
// that goes wrong is in the result.
func Run(ctx context.Context, hub Hub, c port.Client, arguments any, s Surroundings) (task.Result, error) {
	asked := &asking{Surroundings: s}
	during, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	asked.stop = stop
	answer, err := hub.Call(during, port.Request{
		Tool: c.Declaration.Name, Version: c.Version, Arguments: arguments, TaskID: s.TaskID, RunID: s.RunID, Caller: s.Caller,
		Context: asked.context, Progress: s.Progress,
	})
	if wants := asked.wants(); wants != nil {
		return task.Result{}, wants
	}
	if err != nil {
		return failed(ctx, c, err)
	}
	if answer.Subtasks == nil {
		return task.Result{Value: answer.Value}, nil
	}
	chains, faults := task.ReadDrafts(answer.Subtasks)
	if len(faults) > 0 {
		return task.Result{Failure: faults.Failure()}, nil
	}
	return task.Result{Chains: chains}, nil
}

// failed words the error of a call.
func failed(ctx context.Context, c port.Client, err error) (task.Result, error) {
	var fault *port.Fault
	var coded *tool.Error
	switch {
	case errors.As(err, &fault):
		message := fault.Message
		if fault.Field != "" {
			message = fault.Field + ": " + message
		}
		return task.Result{Failure: &task.Failure{Code: fault.Code, Message: message, Details: fault.Details}}, nil
	case errors.As(err, &coded):
		return task.Result{Failure: &task.Failure{Code: coded.Code, Message: coded.Message}}, nil
	case ctx.Err() != nil:
		return task.Result{}, ctx.Err()
	}
	return task.Result{}, fmt.Errorf("call %s of port %s: %w", c.Declaration.Name, c.Port, err)
}

// asking answers what a host asks for during a call.
type asking struct {
	Surroundings
	// stop ends the call, because it is to be made anew.
	stop context.CancelCauseFunc
	// one is held while something is asked: a call waits for one thing at a time.
	one sync.Mutex

	mu sync.Mutex
	// again is why it is.
	again error
}

func (a *asking) wants() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.again
}

func unavailable(method string) error {
	return tool.Errorf(tool.CodeContextUnavailable, "%s is not available here.", method)
}

// context answers one request.
func (a *asking) context(ctx context.Context, nth int, method string, arguments map[string]any) (any, error) {
	switch {
	case method == methodAsk && a.Ask != nil:
		return a.ask(ctx, nth, arguments)
	case method == methodPopup && a.Popup != nil:
		return a.popup(ctx, nth, arguments)
	case method == methodChain && a.Chain != nil:
		return a.chain(arguments)
	case method == methodCaller && a.Caller != "":
		return a.Caller, nil
	case method == methodSecret && a.Secret != nil:
		return a.secret(ctx, arguments)
	case method == methodSetSecret && a.SetSecret != nil:
		name, err := named(arguments)
		if err != nil {
			return nil, err
		}
		text, isText := arguments["value"].(string)
		if !isText {
			return nil, invalid("value", "has to be a text: the value of the secret.")
		}
		return nil, a.SetSecret(ctx, name, text)
	}
	return nil, unavailable(method)
}

func invalid(field, message string) error {
	return &tool.Error{Code: tool.CodeArgumentsInvalid, Field: "$." + field, Message: message}
}

// named reads the name of a secret. What is none is not repeated: it may be a value that stands
// in the wrong place.
func named(arguments map[string]any) (string, error) {
	name, _ := arguments["name"].(string)
	if !secretName.MatchString(name) {
		return "", invalid("name", `has to be the name of a secret: 1 to 64 letters, digits, ".", "_" and "-", beginning with a letter or digit.`)
	}
	return name, nil
}

// secret reads a secret. With askNew, a person is asked for one that is not there, and the
// call ends: it is made anew once the secret is there.
func (a *asking) secret(ctx context.Context, arguments map[string]any) (any, error) {
	name, err := named(arguments)
	if err != nil {
		return nil, err
	}
	text, err := a.Secret(ctx, name)
	askNew, _ := arguments["askNew"].(bool)
	if err == nil {
		return text, nil
	}
	if tool.Code(err) != tool.CodeSecretMissing || !askNew || a.AskSecret == nil {
		return nil, err
	}
	again := a.AskSecret(ctx, name)
	if !a.ends(again) {
		return nil, again // nobody is asked
	}
	return nil, tool.Errorf(tool.CodeSecretMissing, "A person is asked for the secret. The call ends here, and is made anew once it is there.")
}

// ends ends the call with an error that has no code; ok is false for any other.
func (a *asking) ends(err error) (ok bool) {
	var coded *tool.Error
	if err == nil || errors.As(err, &coded) {
		return false
	}
	a.mu.Lock()
	if a.again == nil {
		a.again = err
	}
	a.mu.Unlock()
	a.stop(err)
	return true
}

// chain gives what of the run the call may see.
func (a *asking) chain(arguments map[string]any) (any, error) {
	p, err := task.ReadProjection(arguments, port.MaxMessage, task.Projection{Tasks: mostTasks, Bytes: mostBytes})
	if err != nil {
		return nil, err //nolint:wrapcheck // it has its code
	}
	entries, err := a.Chain(p)
	if err != nil {
		return nil, err
	}
	return task.ShownAsJSON(entries), nil
}

// How much of a chain is given to a host that asks for no bounds, so that it fits into one
// message.
const (
	mostBytes = port.MaxMessage / 2
	mostTasks = 2000
)
