package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/tool"
)

// TaskPath names a task of a run.
type TaskPath struct {
	RunPath
	Task string `path:"task" maxLength:"500" doc:"The id of the task, a beginning of it, of 4 characters or more, that no other has, or the path of a step."`
}

// taskWhole is a task with all about it.
type taskWhole struct {
	TaskShown
	Depth      int             `json:"depth" doc:"How many calls are above it."`
	Attempts   int             `json:"attempts,omitempty" doc:"How often it was tried, where it is a call."`
	Arguments  json.RawMessage `json:"arguments,omitempty" doc:"What it was called with, where it is a call: any JSON. Until it begins they are as they were proposed."`
	Result     json.RawMessage `json:"result,omitempty" doc:"What it came to, where it came to something: any JSON."`
	Error      *callError      `json:"error,omitempty" doc:"Why it failed, where it did."`
	StartedAt  *time.Time      `json:"startedAt,omitempty" doc:"When it was begun, where it is a call."`
	FinishedAt *time.Time      `json:"finishedAt,omitempty" doc:"When it was over."`
	WakeAt     *time.Time      `json:"wakeAt,omitempty" doc:"Until when it waits."`
}

type chainShown struct {
	Tasks []TaskShown `json:"tasks" nullable:"false" doc:"The tasks of the chain, one after the other."`
	Next  string      `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

type chainList struct {
	Chains [][]TaskShown `json:"chains" nullable:"false" doc:"The chains side by side, each with its tasks one after the other."`
	Next   string        `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

// oneTask adds what is known of one task of a run.
func (a *API) oneTask() {
	const path = "/v1/runs/{run}/tasks/{task}"
	tags := []string{"runs"}
	huma.Register(a.huma, huma.Operation{
		OperationID: "getTask", Method: http.MethodGet, Path: path, Summary: "One task of a run, with all about it", Tags: tags,
	}, func(ctx context.Context, in *TaskPath) (*output[taskWhole], error) {
		view, seq, err := a.task(ctx, in)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		whole, err := showWholeTask(view, seq)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		return &output[taskWhole]{whole}, nil
	})
	huma.Register(a.huma, huma.Operation{
		OperationID: "getChain", Method: http.MethodGet, Path: path + "/chain", Summary: "The chain that a task stands in", Tags: tags,
	}, func(ctx context.Context, in *struct {
		TaskPath
		Page
	}) (*output[chainShown], error) {
		view, seq, err := a.task(ctx, &in.TaskPath)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		chain, _ := view.Graph.ChainOf(seq)
		part, next, err := cutPage(chain, in.Page)
		if err != nil {
			return nil, err
		}
		tasks, err := showTasks(view, part)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		return &output[chainShown]{chainShown{tasks, next}}, nil
	})
	huma.Register(a.huma, huma.Operation{
		OperationID: "listChildren", Method: http.MethodGet, Path: path + "/children", Summary: "The chains that came of a call", Tags: tags,
		Description: "Of a flow the first of them are its steps.",
	}, func(ctx context.Context, in *struct {
		TaskPath
		Page
	}) (*output[chainList], error) {
		view, seq, err := a.task(ctx, &in.TaskPath)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		part, next, err := cutPage(view.Graph.Families(seq), in.Page)
		if err != nil {
			return nil, err
		}
		out := &output[chainList]{chainList{make([][]TaskShown, len(part)), next}}
		for i, chain := range part {
			if out.Body.Chains[i], err = showTasks(view, chain); err != nil {
				return nil, a.failed(ctx, err)
			}
		}
		return out, nil
	})
}

// task finds a task of a run that whoever asks may see.
func (a *API) task(ctx context.Context, in *TaskPath) (*engine.View, int, error) {
	run, err := a.run(ctx, in.ID)
	if err != nil {
		return nil, 0, err
	}
	view, err := a.o.Engine.View(ctx, run.ID)
	if err != nil {
		return nil, 0, err //nolint:wrapcheck // failed words it
	}
	seq, err := view.Find(in.Task)
	return view, seq, err //nolint:wrapcheck // likewise
}

func showTasks(view *engine.View, list []int) ([]TaskShown, error) {
	out := make([]TaskShown, len(list))
	for i, seq := range list {
		var err error
		if out[i], err = showTask(view, seq); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func showWholeTask(view *engine.View, seq int) (out taskWhole, err error) {
	if out.TaskShown, err = showTask(view, seq); err != nil {
		return out, err
	}
	t := view.Graph.Task(seq)
	out.Depth = t.Depth
	data, err := view.Content(t.Content)
	if err != nil {
		return out, err //nolint:wrapcheck // failed words it
	}
	if t.Type == tool.TypeError {
		out.Error = showFailure(data)
	}
	if !t.Calls() {
		return out, nil
	}
	call, err := task.ReadCall(data)
	if err != nil {
		return out, err //nolint:wrapcheck // failed words it
	}
	e := view.Executions[seq]
	arguments := call.Arguments
	if !e.Arguments.None() {
		if arguments, err = view.Content(e.Arguments); err != nil {
			return out, err //nolint:wrapcheck // failed words it
		}
	}
	out.Attempts, out.Arguments = e.Attempts, raw(arguments)
	out.StartedAt, out.FinishedAt, out.WakeAt = inUTC(e.StartedAt), inUTC(e.FinishedAt), inUTC(e.WakeAt)
	came, has, err := view.Graph.Value(seq, view.Content)
	if err != nil {
		return out, err //nolint:wrapcheck // failed words it
	}
	if has {
		out.Result = raw(came)
	}
	out.Error, err = failureOf(view, seq)
	return out, err
}

// failureOf is why a call failed: the error that stands under it. nil where it did not fail.
func failureOf(view *engine.View, seq int) (*callError, error) {
	if view.Graph.State(seq) != task.Failed {
		return nil, nil
	}
	for _, chain := range view.Graph.Families(seq) {
		first := view.Graph.Task(chain[0])
		if first.Type != tool.TypeError {
			continue // such as the steps that came before it
		}
		data, err := view.Content(first.Content)
		if err != nil {
			return nil, err //nolint:wrapcheck // failed words it
		}
		return showFailure(data), nil
	}
	return nil, nil
}

func showFailure(data any) *callError {
	f := task.ReadFailure(data)
	return &callError{f.Code, f.Message}
}

func inUTC(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	there := at.UTC()
	return &there
}
