// Package native runs tools that are written in Go and are part of the program.
package native

import (
	"context"
	"fmt"
	"net/http"
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
}

// Run runs a tool with arguments that fit its schema. again is when it wants to be called
// anew instead of giving a result; nil for never.
func Run(ctx context.Context, t *tool.Tool, arguments any, s Surroundings) (result task.Result, again *time.Time, err error) {
	output, err := t.Invoke(tool.NewContext(ctx, s.host()), value.AppendJSON(nil, arguments))
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

func (s Surroundings) host() tool.Host {
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
	return host
}
