package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"toolsmith/internal/capability"
	"toolsmith/internal/engine"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/scrub"
	"toolsmith/internal/secret"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// reach is what a call may reach outside this machine, with the credentials of its tool.
func (c *call) reach(ctx context.Context, found *engine.Callable) (*capability.Reach, error) {
	private, err := c.worker.Engine.PrivateHosts(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	reach := &capability.Reach{Hosts: found.Hosts(c.arguments), AllowPrivate: private}
	if found.Kind != engine.KindFlow || c.secrets == nil {
		return reach, nil
	}
	kept, err := c.worker.Vault.List(ctx, found.Namespace)
	if err != nil {
		return nil, fmt.Errorf("look for the credentials of %s: %w", found.Name, err)
	}
	for _, one := range kept {
		scope := found.Checked.Scope(one.Name)
		if len(scope) == 0 || one.Header == "" {
			continue
		}
		reach.Credentials = append(reach.Credentials, capability.Credential{
			ID: one.Name, Hosts: scope, Header: one.Header, Prefix: one.Prefix,
			Value: func(ctx context.Context) (string, error) {
				opened, err := c.secrets.Get(ctx, found.Namespace, one.Name)
				return opened.Value, err
			},
		})
	}
	return reach, nil
}

// scrubber takes out of texts what secrets the run has used; nil where there is nothing to
// take out.
func (a *active) scrubber() *scrub.Scrubber {
	if a.secrets == nil {
		return nil
	}
	return a.secrets.Scrubber()
}

// scrubbed takes the secrets that the run has used out of what a call came to.
func (c *call) scrubbed(out outcome) outcome {
	s := c.scrubber()
	if s == nil {
		return out
	}
	out.Value, out.unknown = s.Value(out.Value), s.Text(out.unknown)
	if f := out.Failure; f != nil {
		out.Failure = &task.Failure{Code: s.Text(f.Code), Message: s.Text(f.Message), Details: s.Value(f.Details)}
	}
	if out.Chains == nil {
		return out
	}
	out.Chains = slices.Clone(out.Chains)
	for i, chain := range out.Chains {
		out.Chains[i] = slices.Clone(chain)
		for j, draft := range chain {
			draft.Data = s.Value(draft.Data)
			draft.Call.Name, draft.Call.Arguments = s.Text(draft.Call.Name), s.Value(draft.Call.Arguments)
			out.Chains[i][j] = draft
		}
	}
	return out
}

// codeSecretUndeclared: the tool uses a secret that it has not declared.
const codeSecretUndeclared = "SECRET_NOT_DECLARED"

// declared refuses a secret that the tool has not declared. What it asks for is not repeated:
// it may be a value that stands in the wrong place. The tool of a port names none: it has a
// namespace of its own, and its host says whether it uses secrets at all.
func declared(found *engine.Callable, name string) error {
	if found.Kind == engine.KindClient || slices.Contains(found.Secrets(), name) {
		return nil
	}
	return tool.Errorf(codeSecretUndeclared, "The tool %q uses a secret that its Spec does not declare. Add its name to Spec.Secrets.", found.Name)
}

// secret reads a secret for a tool.
func (c *call) secret(found *engine.Callable) func(ctx context.Context, name string) (string, error) {
	return func(ctx context.Context, name string) (string, error) {
		if err := declared(found, name); err != nil {
			return "", err
		}
		opened, err := c.secrets.Get(ctx, found.Namespace, name)
		return opened.Value, err //nolint:wrapcheck // it has its code, and no value in it
	}
}

// setSecret keeps a secret for a tool.
func (c *call) setSecret(found *engine.Callable) func(ctx context.Context, name, value string) error {
	return func(ctx context.Context, name, value string) error {
		if err := declared(found, name); err != nil {
			return err
		}
		_, err := c.secrets.Set(ctx, found.Namespace, name, value, secret.Attributes{})
		return err //nolint:wrapcheck // it has its code, and no value in it
	}
}

// askSecret asks a person for a secret that a tool lacks, unless they have said no to the call before.
func (c *call) askSecret(found *engine.Callable) func(ctx context.Context, name string) error {
	return func(ctx context.Context, name string) error {
		c.mu.Lock()
		by := c.calledBy()
		c.mu.Unlock()
		q, err := c.worker.Engine.AskSecret(ctx, engine.Asking{Run: c.run, Seq: c.seq, Call: found, Arguments: c.arguments, By: by}, name)
		switch {
		case tool.Code(err) == secret.CodeMissing:
			return err //nolint:wrapcheck // it has its code
		case err != nil:
			return c.worker.storeFailure(err)
		}
		return &asked{q}
	}
}

// sendStep is the step under a call of a capability that reaches outside and must not happen
// twice.
const sendStep = "send"

// sendOnce carries out a capability that reaches outside and is called as a tool of its own.
// That it was begun is kept first, as a step below the call, where another time would not be
// the same.
func (c *call) sendOnce(ctx context.Context, found *engine.Callable) outcome {
	j, err := c.newJournal(found)
	if err != nil {
		return failed(c.worker.storeFailure(err))
	}
	asked := flow.Call{Step: sendStep, Capability: found.Name, Input: c.arguments, Attempt: 1, Key: c.executionID() + "/" + sendStep}
	if found.Capability.Idempotent {
		asked.Step = c.task.Name
		answer, err := j.deliver(ctx, asked)
		if err != nil {
			return failed(said(err))
		}
		return outcome{Result: task.Result{Value: answer.Value}}
	}
	record, ok := j.Recorded(sendStep)
	if !ok {
		record = flow.Record{Name: found.Name, Input: c.arguments, Attempts: 1}
		answer, err := j.send(ctx, asked, found.Capability)
		var suspended *flow.SuspendError
		if errors.As(err, &suspended) {
			return outcome{unknown: suspended.Message, abandoned: j.unended()}
		}
		if record.Result = answer.Value; err != nil {
			failure := said(err)
			record.Failure = &flow.Failure{Code: failure.Code, Message: failure.Message}
		}
		if err := j.Record(sendStep, record); err != nil {
			return failed(c.worker.storeFailure(err))
		}
	}
	if record.Failure != nil {
		return failed(&task.Failure{Code: record.Failure.Code, Message: record.Failure.Message})
	}
	return outcome{Result: task.Result{Value: record.Result}}
}

// said is the failure of a call that could not be carried out.
func said(err error) *task.Failure {
	out := &task.Failure{Code: flow.CodeCapabilityFailed, Message: err.Error()}
	var known *flow.CallError
	if errors.As(err, &known) {
		out.Message = known.Message
		if known.Code != "" {
			out.Code = known.Code
		}
	}
	return out
}
