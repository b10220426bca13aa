package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"toolsmith/internal/engine"
	"toolsmith/internal/port"
	carried "toolsmith/internal/port/websocket"
	"toolsmith/internal/task"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// guest is a program at a port, with what it has shown to be let in.
type guest struct {
	api *API

	mu     sync.Mutex
	shown  shown
	caller string
}

// enter lets a program in by its token, and gives how its runs are marked.
func (g *guest) enter(ctx context.Context, s shown) (caller string, err error) {
	who, err := g.api.o.Guard.admit(ctx, s)
	if err != nil {
		return "", err
	}
	if who.Name == "" {
		return "", errToken()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shown, g.caller = s, g.api.enter(who)
	return g.caller, nil
}

// still looks whether the token that was shown still lets it in: it may have been removed, and its
// name given to another.
func (g *guest) still(ctx context.Context) error {
	g.mu.Lock()
	s, caller := g.shown, g.caller
	g.mu.Unlock()
	who, err := g.api.o.Guard.admit(ctx, s)
	switch {
	case err != nil:
		return err
	case who.Name == "" || callerOf(who) != caller:
		return errToken()
	}
	g.api.enter(who)
	return nil
}

// errToken is the error of a token that lets nobody in.
func errToken() error {
	return &tool.Error{Code: CodeTokenRefused, Message: "The token lets nobody in: there is none, it is not known here, or it was removed. " + whereTokens}
}

// ports takes up the ports of programs that supply tools. A program that cannot set headers, as
// one in a browser, shows its token in the first message. The answer to that is also where every
// program hears that its token is refused: what a WebSocket that is not opened answers is shown to
// no page, and to few programs.
func (a *API) ports(w http.ResponseWriter, r *http.Request) {
	g := &guest{api: a}
	caller, refused := g.enter(r.Context(), shownBy(r))
	headed, opens := r.Header.Get("Authorization") != "", strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
	if refused != nil && (tool.Code(refused) != CodeTokenRefused || headed && !opens) {
		a.failed(r.Context(), refused).write(w)
		return
	}
	peer := port.Peer{Caller: caller, Still: g.still}
	if refused != nil {
		peer.Token = func(ctx context.Context, token string) (string, error) {
			if headed {
				return "", refused // it has shown one
			}
			return g.enter(ctx, shown{token: token})
		}
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
	if who.Name == "" || !who.MayCall(r.Tool) {
		return port.CallResult{}, a.o.Engine.Unknown(r.Tool, who.list()) //nolint:wrapcheck // it has its code
	}
	keep := engine.ActAs(context.WithoutCancel(ctx), engine.Actor{Who: who.Name, From: "port", Agent: !who.Person})
	run, err := a.o.Worker.Begin(keep, engine.Request{
		Chains: [][]task.Draft{{task.CallOf(task.Call{Name: r.Tool, Arguments: r.Arguments})}}, Title: r.Title, Key: r.Key, Caller: r.Caller, Limits: who.limits(),
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
