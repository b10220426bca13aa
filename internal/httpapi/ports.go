package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/coder/websocket"

	"toolsmith/internal/engine"
	"toolsmith/internal/port"
	carried "toolsmith/internal/port/websocket"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// ports takes up the ports of programs that supply tools. A program that cannot set headers, as
// one in a browser, shows its token in the first message.
func (a *API) ports(w http.ResponseWriter, r *http.Request) {
	who, err := a.o.Guard.who(r)
	if err != nil {
		a.failed(r.Context(), err).write(w)
		return
	}
	if who.Name == "" && r.Header.Get("Authorization") != "" {
		problem(http.StatusUnauthorized, CodeTokenRefused, "The token lets nobody in.").write(w)
		return
	}
	peer := port.Peer{Caller: a.enter(who)}
	if who.Name == "" {
		peer = port.Peer{Token: func(ctx context.Context, token string) (string, error) {
			who, err := a.o.Guard.Admit(ctx, token)
			if err != nil {
				return "", err
			}
			if who.Name == "" {
				return "", tool.Errorf(CodeTokenRefused, "This needs a token.")
			}
			return a.enter(who), nil
		}}
	}
	// Where it comes from has been judged by the guard.
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{port.Subprotocol}, InsecureSkipVerify: true})
	if err != nil {
		return // it has been answered
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		select {
		case <-a.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := carried.Serve(ctx, a.o.Ports, ws, peer, carried.Options{}); err != nil {
		a.o.Log.DebugContext(r.Context(), "a port has ended", "cause", err)
	}
}

// enter notes who speaks through a port, and gives how their runs are marked.
func (a *API) enter(who Who) string {
	if who.Name == "" {
		return ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.entered[callerOf(who)] = who
	return callerOf(who)
}

// CallOfPort carries out the call of a program that supplies tools, as a run.
func (a *API) CallOfPort(ctx context.Context, r port.CallRequest) (port.CallResult, error) {
	a.mu.Lock()
	who := a.entered[r.Caller]
	a.mu.Unlock()
	if !who.MayCall(r.Tool) || who.Name == "" {
		return port.CallResult{}, tool.Errorf(codeToolNotAllowed, "Your token may not call %q.", r.Tool)
	}
	keep := engine.ActAs(context.WithoutCancel(ctx), engine.Actor{Who: who.Name, From: "port", Agent: !who.Person})
	run, err := a.o.Worker.Begin(keep, engine.Request{
		Chains: [][]task.Draft{{task.CallOf(task.Call{Name: r.Tool, Arguments: r.Arguments})}}, Title: r.Title, Key: r.Key, Caller: r.Caller,
	}, func(e worker.Event) {
		if e.Progress != nil {
			r.Progress(e.Progress.Done, e.Progress.Total, e.Progress.Note)
		}
	})
	if err != nil {
		return port.CallResult{}, err //nolint:wrapcheck // it has its code
	}
	out := port.CallResult{RunID: run.ID}
	waited, err := a.o.Worker.Wait(ctx, run.ID, worker.WaitOptions{})
	if err != nil {
		if errors.Is(context.Cause(ctx), port.ErrCancelled) {
			if _, err := a.o.Worker.Cancel(keep, run.ID); err != nil && tool.Code(err) != engine.CodeRunSettled {
				return out, fmt.Errorf("cancel run %s: %w", run.ID, err)
			}
		}
		return out, err //nolint:wrapcheck // it has its code, or is the end of the call
	}
	if f := waited.Run.Failure; f != nil {
		return out, &tool.Error{Code: f.Code, Message: f.Message}
	}
	out.Value = waited.Value
	return out, nil
}
