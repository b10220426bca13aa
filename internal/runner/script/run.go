package script

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"toolsmith/internal/coded"
	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Host is what a call gets of the run it belongs to.
type Host interface {
	// Do carries out one method of the context: "getExecutionTaskChain", "getSecret", "setSecret",
	// "getCallingToolId", "progress", "interaction", "popup" or "fetch". seq counts the methods of one
	// execution from 0, in the order in which the tool called them. They are carried out side by side,
	// save "progress", which follow each other. arguments are as value.Decode gives them, and so must
	// be what it returns.
	//
	// A *tool.Error fails the promise in the tool; a *Suspend ends the call, after what else is under
	// way has come to its end; any other error ends the call too. When ctx ends, Do returns soon: the
	// call waits for it.
	Do(ctx context.Context, seq int, method string, arguments map[string]any) (any, error)
}

// Call is one call of a tool.
type Call struct {
	// Tool is what is called, as it was loaded.
	Tool coded.Tool
	// Arguments fit the schema of the tool; a decoded JSON value.
	Arguments any
	// ToolID is the identity of the tool, and TaskID and RunID what the call is part of; "" for nothing.
	ToolID, TaskID, RunID string
	// Host carries out what the tool asks of its context. Without one there is none of it.
	Host Host
	// Seed is that of Math.random: equal seeds give equal numbers.
	Seed string
	// Now is the clock: it is read when the call begins and whenever a method or a timer settles, and
	// in between time stands still for the tool. Nil is that of the system.
	Now func() time.Time
	// Log gets the lines of the console as they are written; nil for nobody. It is not called after Run.
	Log func(level, line string)
}

// LogLine is one line that a tool wrote to its console.
type LogLine struct {
	// Level is "log", "info", "debug", "warn" or "error".
	Level string
	Line  string
}

// Result is what a call came to.
type Result struct {
	// Value is what the tool returned, where Subtasks is nil.
	Value any
	// Subtasks are tasks as task.ReadDrafts takes them.
	Subtasks any
	// Log is what the tool wrote to its console, also of a call that failed.
	Log []LogLine
	// CPU is how long the tool computed.
	CPU time.Duration
}

// Run calls a tool and waits for what it comes to. The error is a *tool.Error: with the code of the
// error that the tool threw where it has one, else TOOL_FAILED, or with one of this package; its cause
// may be a *Thrown. It is that of ctx where the call was stopped, the one in a *Suspend, or
// another one of the host.
func (r *Runner) Run(ctx context.Context, c Call) (Result, error) {
	places := &places{sourceMap: c.Tool.SourceMap}
	allowed, err := readDeclaration(c.Tool)
	if err != nil {
		return Result{}, err
	}
	image, err := r.image(ctx, c.Tool.Script)
	if err != nil {
		return Result{}, loadFailure(ctx, err, places)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	x := newExecution(ctx, r, c, allowed)
	defer x.stopSandbox()
	sandbox, err := r.engine.Open(ctx, image, door{x}, quickjs.Budget{CPU: r.limits.CPU, Now: func() time.Time { return x.shown }})
	if err != nil {
		return Result{}, ended(ctx, err)
	}
	x.sandbox = sandbox
	err = x.run()
	x.finish(err)
	sandbox.Close() //nolint:contextcheck // giving memory back takes no time
	result := Result{Log: x.log, CPU: sandbox.Used()}
	if err != nil {
		var thrown *quickjs.Exception
		if errors.As(err, &thrown) {
			return result, &tool.Error{Code: task.CodeToolFailed, Message: titled(thrown.Name, thrown.Message) + places.of(thrown.Stack), Cause: thrown}
		}
		return result, err
	}
	return x.ending.result(result, r.limits.Output, places)
}

// ending is how the tool ended, as the guest wrote it.
type ending struct{ kind, text string }

// result reads what the guest wrote. Nothing in it is trusted.
func (e *ending) result(result Result, most int, places *places) (Result, error) {
	if e.kind == "error" {
		return result, thrownError(e.text, places)
	}
	if len(e.text) > most {
		return result, tool.Errorf(task.CodeResultLarge, "The result has %d bytes, and at most %d are allowed. Return less, or a reference to where it is.", len(e.text), most)
	}
	v, err := value.Decode([]byte(e.text))
	if err != nil {
		return result, tool.Errorf(task.CodeResultInvalid, "The result is no JSON that can be kept: %w", err)
	}
	switch e.kind {
	case "value":
		result.Value = v
	case "subtasks":
		if result.Subtasks = v; v == nil {
			return result, tool.Errorf(task.CodeResultInvalid, "The subtasks are none.")
		}
	default:
		return result, tool.Errorf(CodeBroken, "The tool ended in a way that there is not.")
	}
	return result, nil
}

// about writes what the guest is told of the call.
func (c Call) about() string {
	sum := sha256.Sum256([]byte(c.Seed))
	seed := make([]any, 4)
	for i := range seed {
		seed[i] = value.Int64(int64(binary.BigEndian.Uint32(sum[4*i:])))
	}
	about := map[string]any{"toolId": c.ToolID, "seed": seed}
	if c.TaskID != "" {
		about["taskId"] = c.TaskID
	}
	if c.RunID != "" {
		about["runId"] = c.RunID
	}
	return value.JSON(about)
}

// run is the loop of one call: whatever happens in the sandbox happens on this goroutine.
func (x *execution) run() error {
	missing, err := x.call("start", x.Tool.Name, value.JSON(x.Arguments), x.about())
	if err == nil && missing != "" {
		return tool.Errorf(CodeBroken, "The script of %q does not declare it with a function.", x.Tool.Name)
	}
	for {
		switch {
		case x.ending != nil && !x.stopping:
			return nil // whatever ran on after it
		case x.stopping && (err != nil || x.ending != nil):
			return x.ctx.Err()
		case err != nil:
			return err
		case len(x.refused) > 0:
			var s settlement
			s, x.refused = x.refused[0], x.refused[1:]
			err = x.settle(s)
			continue
		case len(x.live) == 0:
			return x.stuck()
		}
		told := x.ctx.Done()
		if x.stopping {
			told = nil
		}
		select {
		case s := <-x.settled:
			if x.isStopped() {
				err = x.stop() // before it goes on
			}
			if err == nil {
				err = x.take(s)
			}
		case <-told:
			err = x.stop()
		case <-x.bounds.Done():
			return x.ctx.Err()
		}
	}
}

// stop tells the tool, once, that it is to stop.
func (x *execution) stop() error {
	if x.stopping {
		return nil
	}
	x.stopping = true
	_, err := x.call("stop", x.whyStopped())
	return err
}

func (x *execution) stuck() error {
	if x.stopping {
		return x.ctx.Err()
	}
	return &tool.Error{Code: CodeStuck, Message: "The tool waits for something that never comes: it awaits a promise, and nothing is under way that could settle it. Look for a promise that is never resolved."}
}

// call calls an entry of the guest. The clock moves on with each.
func (x *execution) call(entry string, arguments ...string) (string, error) {
	if now := x.Now(); now.After(x.shown) {
		x.shown = now
	}
	text, err := x.sandbox.Call(x.bounds, entry, arguments...)
	var thrown *quickjs.Exception
	switch {
	case err == nil, x.ending != nil:
		return text, nil
	case errors.As(err, &thrown):
		return "", fmt.Errorf("call %s of the guest: %w", entry, thrown)
	}
	return "", ended(x.ctx, err)
}
