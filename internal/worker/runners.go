package worker

import (
	"context"
	"errors"
	"fmt"

	"toolsmith/internal/capability"
	"toolsmith/internal/engine"
	"toolsmith/internal/port"
	"toolsmith/internal/runner/client"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/runner/native"
	"toolsmith/internal/schema"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// runNative runs a tool that is written in Go.
func (c *call) runNative(ctx context.Context, found *engine.Callable) outcome {
	around := native.Surroundings{ToolID: found.Name, Caller: c.run.Caller, Began: c.began, Chain: c.chain, Progress: c.progress, Forms: c.forms(found)}
	if len(found.Hosts(nil)) > 0 {
		reach, err := c.reach(ctx, found)
		if err != nil {
			return failed(c.worker.storeFailure(err))
		}
		around.HTTPClient = c.worker.capabilities.HTTPClient(reach)
	}
	if len(found.Secrets()) > 0 && c.secrets != nil {
		around.Secret, around.SetSecret, around.AskSecret = c.secret(found), c.setSecret(found), c.askSecret(found)
	}
	result, again, err := native.Run(ctx, found.Native, c.arguments, around)
	if again != nil {
		return outcome{wakeAt: again}
	}
	return fitting(found, result, err)
}

// runClient has the host of a port run a tool.
func (c *call) runClient(ctx context.Context, found *engine.Callable) outcome {
	if c.worker.Ports == nil {
		return failed(&task.Failure{Code: port.CodeClosed, Message: fmt.Sprintf("The program that supplies the tool %q cannot connect to this one.", found.Name)})
	}
	around := client.Surroundings{TaskID: c.task.ID.String(), RunID: c.id, Caller: c.run.Caller, Chain: c.chain, Progress: c.progress, Forms: c.clientForms(found)}
	if c.secrets != nil {
		around.Secret, around.SetSecret, around.AskSecret = c.secret(found), c.setSecret(found), c.askSecret(found)
	}
	result, err := client.Run(ctx, c.worker.Ports, found.Client.Client, c.arguments, around)
	return fitting(found, result, err)
}

// chain gives what of the run a tool may see.
func (c *call) chain(p task.Projection) ([]task.Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.graph.Project(c.seq, p, c.read)
}

// progress shows how far a tool is.
func (c *call) progress(done, total float64, note string) {
	note = c.scrubber().Text(note)
	c.tell(Event{RunID: c.id, Task: &c.task, State: task.Running, Progress: &Progress{done, total, note}, Status: task.RunRunning})
}

// fitting makes an outcome of what a tool gave, held against the schema of its result.
func fitting(found *engine.Callable, result task.Result, err error) outcome {
	var known *task.Failure
	switch question := waits(err); {
	case question != nil:
		return outcome{question: question}
	case errors.As(err, &known):
		return failed(known)
	case err != nil:
		return failed(&task.Failure{Code: codeOf(err), Message: messageOf(err)})
	case result.Failure != nil || result.Chains != nil:
		return outcome{Result: result}
	}
	if violations := found.Result.Validate(result.Value); len(violations) > 0 {
		return failed(&task.Failure{Code: task.CodeResultInvalid, Message: "The result does not fit its schema. " + schema.Join(violations), Details: listed(violations)})
	}
	return outcome{Result: result}
}

// runCapability runs a capability that is called as a tool of its own.
func (c *call) runCapability(ctx context.Context, found *engine.Callable) outcome {
	do := func(ctx context.Context, tx store.Tx) (any, error) {
		answer, err := c.worker.capabilities.Call(ctx, c.worker.book(tx), capability.Call{Name: found.Name, Input: c.arguments})
		return answer.Value, err
	}
	if found.Capability.Power == tool.Outbound {
		return c.sendOnce(ctx, found)
	}
	if found.Capability.Power != tool.Read {
		return outcome{effect: func(tx store.Tx) (any, error) { return do(c.keep, tx) }}
	}
	var v any
	err := c.worker.Store.Read(ctx, func(tx store.Tx) (err error) {
		v, err = do(ctx, tx)
		return err
	})
	if err != nil {
		return failed(c.effectFailure(err))
	}
	return outcome{Result: task.Result{Value: v}}
}

// effectFailure words the error of a capability.
func (c *call) effectFailure(err error) *task.Failure {
	var known *task.Failure
	if errors.As(err, &known) {
		return known
	}
	said := c.worker.callError(flow.Call{Step: c.task.Name, Capability: c.task.Name}, err)
	if said.Code == "" {
		said.Code = flow.CodeCapabilityFailed
	}
	return &task.Failure{Code: said.Code, Message: said.Message}
}
