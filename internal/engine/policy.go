package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"toolsmith/internal/consent"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// Codes of the stop.
const (
	// CodeStopped: everything is stopped, so nothing begins.
	CodeStopped = "STOPPED"
	// CodeGrantNotFound: there is no such grant, or it was taken back.
	CodeGrantNotFound = "GRANT_NOT_FOUND"
	// CodePermissionInvalid: a permission, or what it is for, is none.
	CodePermissionInvalid = "PERMISSION_INVALID"
)

// Policy gives what is set.
func (e *Engine) Policy(ctx context.Context) (policy consent.Policy, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		policy, err = tx.Consent().Policy(ctx)
		return err
	})
	return policy, err
}

// PrivateHosts says which hosts may have an address that the network outside cannot reach.
func (e *Engine) PrivateHosts(ctx context.Context) (may func(host string) bool, err error) {
	err = e.o.Store.Read(ctx, func(tx store.Tx) error {
		policy, _, err := e.committedRules(ctx, tx, "")
		may = policy.PrivateHost
		return err
	})
	return may, err
}

// SetPermission sets what counts for a power, a tool or a host; "" takes it back to what it is
// by default.
func (e *Engine) SetPermission(ctx context.Context, kind, name string, permission consent.Permission) error {
	if err := e.mayDecide(ctx); err != nil {
		return err
	}
	if err := checkSetting(kind, name, permission); err != nil {
		return err
	}
	return e.o.Store.Write(ctx, func(tx store.Tx) error {
		if err := tx.Consent().SetPermission(ctx, kind, name, permission); err != nil {
			return err
		}
		action, detail := registry.ActionSet, fmt.Sprintf("%s %s: %s", kind, name, permission)
		if permission == "" {
			action, detail = registry.ActionUnset, fmt.Sprintf("%s %s", kind, name)
		}
		return e.registry(ctx, tx).Note(ctx, action, "", 0, visible.Line(detail))
	})
}

// checkSetting says what is wrong with a permission that is to be set; nil for nothing.
func checkSetting(kind, name string, permission consent.Permission) error {
	wrong := func(format string, args ...any) error {
		return &tool.Error{Code: CodePermissionInvalid, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case permission != "" && !permission.Known():
		return wrong("%q is no permission: it is allow, ask or deny.", permission)
	case kind != consent.KindPower && kind != consent.KindTool && kind != consent.KindHost || name == "":
		return wrong("There is nothing to set for %q of the kind %q: a permission is for a power, a tool or a host.", name, kind)
	case kind == consent.KindPower && !slices.Contains(consent.Powers(), tool.Power(name)):
		return wrong("%q is no power: it is read, write or outbound.", name)
	case kind == consent.KindTool && permission == consent.Allow:
		return wrong("A tool is allowed by answering its question with --for always, which holds for its exact version; a setting can only make it stricter: ask or deny.")
	case kind == consent.KindHost && permission != consent.Allow && permission != "":
		return wrong("A host may have an address in your own network, or not: set it to allow, or unset it.")
	}
	return nil
}

// Stop stops everything: nothing begins any more, and what is not over is to end. It gives the
// runs that have to be told through their workers; already is true where it was stopped.
func (e *Engine) Stop(ctx context.Context) (runs []task.Run, already bool, err error) {
	err = e.o.Store.Write(ctx, func(tx store.Tx) error {
		policy, err := tx.Consent().Policy(ctx)
		if err != nil {
			return err
		}
		now := e.o.Now()
		if already = policy.Stopped != nil; !already {
			if err := tx.Consent().SetStopped(ctx, &consent.Stop{Who: e.actor(ctx).Who, At: now}); err != nil {
				return err
			}
		}
		if runs, err = tx.Graph().ListRuns(ctx, task.Filter{Unsettled: true}); err != nil {
			return err
		}
		for _, run := range runs {
			if err := tx.Graph().AskCancel(ctx, run.ID, now); err != nil {
				return err
			}
		}
		if err := tx.Consent().CloseQuestions(ctx, ""); err != nil {
			return err
		}
		return e.registry(ctx, tx).Note(ctx, registry.ActionStop, "", 0, toldToEnd(len(runs)))
	})
	return runs, already, err
}

func toldToEnd(n int) string {
	if n == 1 {
		return "1 run is told to end"
	}
	return fmt.Sprintf("%d runs are told to end", n)
}

// Start lets things begin again; already is true where nothing was stopped.
func (e *Engine) Start(ctx context.Context) (already bool, err error) {
	if err := e.mayDecide(ctx); err != nil {
		return false, err
	}
	err = e.o.Store.Write(ctx, func(tx store.Tx) error {
		policy, err := tx.Consent().Policy(ctx)
		if err != nil {
			return err
		}
		if already = policy.Stopped == nil; already {
			return nil
		}
		if err := tx.Consent().SetStopped(ctx, nil); err != nil {
			return err
		}
		return e.registry(ctx, tx).Note(ctx, registry.ActionStart, "", 0, "stopped since "+value.Time(policy.Stopped.At))
	})
	return already, err
}

// running refuses what would begin while everything is stopped.
func (e *Engine) running(ctx context.Context, tx store.Tx) error {
	policy, _, err := e.rules(ctx, tx, "")
	if err != nil || policy.Stopped == nil {
		return err
	}
	return &tool.Error{Code: CodeStopped, Message: fmt.Sprintf(
		"%s stopped everything at %s, so nothing begins. Let it go on with: toolsmith start", policy.Stopped.Who, value.Time(policy.Stopped.At))}
}

// Running refuses while everything is stopped.
func (e *Engine) Running(ctx context.Context) error {
	return e.o.Store.Read(ctx, func(tx store.Tx) error { return e.running(ctx, tx) })
}

// Wait is how long an answer is waited for.
func (e *Engine) Wait() time.Duration { return e.o.Wait }
