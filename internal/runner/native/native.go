// Package native runs tools that are written in Go and are part of the program.
package native

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Surroundings are what a call gets of the run that it belongs to. What is nil is not there
// for the tool.
type Surroundings struct {
	// ToolID is the name under which the tool was called, and Caller who asked for the run.
	ToolID, Caller string
	// Began is when the call was first begun.
	Began time.Time
	// Chain gives what of the run the call may see.
	Chain func(task.Projection) ([]task.Entry, error)
	// Progress shows how far the call is: done of total, and a note.
	Progress func(done, total float64, note string)
	// HTTPClient reaches the hosts that the tool has declared.
	HTTPClient *http.Client
	// Secret, SetSecret and AskSecret are about the secrets that the tool has declared; see
	// tool.Host.
	Secret    func(ctx context.Context, name string) (string, error)
	SetSecret func(ctx context.Context, name, value string) error
	AskSecret func(ctx context.Context, name string) error
	// Forms ask the person.
	Forms
}

// Forms ask the person for what a tool asks for. key names what it is within the call, the same
// each time that the call is made: "ask[0]" is the first, whatever it is. An error without a code is
// why the call ends, to be made anew.
type Forms struct {
	Ask   func(ctx context.Context, key string, form tool.Form) (any, error)
	Popup func(ctx context.Context, key, address string) error
}

// Run runs a tool with arguments that fit its schema. again is when it wants to be called
// anew instead of giving a result; nil for never.
func Run(ctx context.Context, t *tool.Tool, arguments any, s Surroundings) (result task.Result, again *time.Time, err error) {
	asks := &asking{Forms: s.Forms}
	output, err := t.Invoke(tool.NewContext(ctx, s.host(asks)), value.AppendJSON(nil, arguments))
	if ends := asks.why(); ends != nil { // whatever it made of that
		return task.Result{}, nil, ends
	}
	if err != nil {
		if at, ok := tool.IsAgain(err); ok {
			return task.Result{}, &at, nil
		}
		return task.Result{}, nil, err //nolint:wrapcheck // it is the tool's own, coded error
	}
	if output.Subtasks != nil {
		chains, faults := task.Drafts(output.Subtasks)
		if len(faults) > 0 {
			return task.Result{Failure: faults.Failure()}, nil, nil
		}
		return task.Result{Chains: chains}, nil, nil
	}
	v, err := value.Decode(output.Value)
	if err != nil {
		return task.Result{}, nil, &tool.Error{Code: tool.CodeResultInvalid, Message: fmt.Sprintf("The result is no JSON: %s.", err)}
	}
	return task.Result{Value: v}, nil, nil
}

func (s Surroundings) host(asks *asking) tool.Host {
	host := tool.Host{ToolID: s.ToolID, Caller: s.Caller, Began: s.Began, HTTPClient: s.HTTPClient, Secret: s.Secret, SetSecret: s.SetSecret, AskSecret: s.AskSecret}
	if s.Chain != nil {
		host.Chain = func(_ context.Context, want tool.ChainRequest) ([]tool.Entry, error) {
			entries, err := s.Chain(task.Projection{Flattened: want.Flattened, Tasks: want.MaxTasks, Bytes: want.MaxBytes})
			if err != nil {
				return nil, err
			}
			list := make([]tool.Entry, len(entries))
			for i, e := range entries {
				list[i] = e.Shown()
			}
			return list, nil
		}
	}
	if s.Progress != nil {
		host.Progress = func(_ context.Context, done, total float64, note string) error {
			s.Progress(done, total, note)
			return nil
		}
	}
	if s.Ask != nil {
		host.Ask = asks.ask
	}
	if s.Popup != nil {
		host.Popup = asks.popup
	}
	return host
}

// asking counts what a call asks the person for.
type asking struct {
	Forms
	// one is held while something is asked: a call waits for one thing at a time.
	one sync.Mutex

	mu    sync.Mutex
	count int
	// ends is why the call is to end; nil for nothing.
	ends error
}

func (a *asking) key() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	return fmt.Sprintf("ask[%d]", a.count-1)
}

func (a *asking) why() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ends
}

// seen notes an error that ends the call.
func (a *asking) seen(err error) {
	var coded *tool.Error
	if err == nil || errors.As(err, &coded) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ends == nil {
		a.ends = err
	}
}

func (a *asking) ask(ctx context.Context, form tool.Form) (any, error) {
	key := a.key()
	a.one.Lock()
	defer a.one.Unlock()
	if ends := a.why(); ends != nil {
		return nil, ends
	}
	answer, err := a.Ask(ctx, key, form)
	a.seen(err)
	return answer, err
}

func (a *asking) popup(ctx context.Context, address string) error {
	key := a.key()
	a.one.Lock()
	defer a.one.Unlock()
	if ends := a.why(); ends != nil {
		return ends
	}
	err := a.Popup(ctx, key, address)
	a.seen(err)
	return err
}
