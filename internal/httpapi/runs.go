package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// runShown is a run in a list.
type runShown struct {
	ID        string     `json:"id" doc:"Its id; a beginning of it that no other has will do."`
	Tool      string     `json:"tool" doc:"What it is called: the title of what it calls first, if nothing else."`
	Status    string     `json:"status" enum:"running,waiting,succeeded,failed,recovery_required,unknown,cancelled" doc:"What it has come to."`
	Caller    string     `json:"caller" doc:"Who asked for it."`
	Tasks     int        `json:"tasks" doc:"How many tasks it has."`
	StartedAt time.Time  `json:"startedAt" doc:"When it was made."`
	SettledAt *time.Time `json:"settledAt,omitempty" doc:"When it was over."`
	Error     *callError `json:"error,omitempty" doc:"Why it did not succeed."`
}

func showRun(r task.Run) runShown {
	out := runShown{ID: r.ID, Tool: r.Title, Status: string(r.Status), Caller: r.Caller, Tasks: r.Tasks, StartedAt: r.CreatedAt.UTC()}
	if r.SettledAt != nil {
		at := r.SettledAt.UTC()
		out.SettledAt = &at
	}
	if r.Failure != nil {
		out.Error = &callError{r.Failure.Code, r.Failure.Message}
	}
	return out
}

// TaskShown is a task of a run.
type TaskShown struct {
	ID      string          `json:"id" doc:"The hash of the task."`
	Prior   string          `json:"prior,omitempty" doc:"The task before it in its chain."`
	Parent  string          `json:"parent,omitempty" doc:"The call whose result made the chain."`
	Branch  int             `json:"branch" doc:"The chain among those of its parent."`
	Role    tool.Role       `json:"role" doc:"Who says it."`
	Type    string          `json:"type" doc:"The type of its content."`
	Data    json.RawMessage `json:"data" doc:"What it says."`
	Name    string          `json:"name,omitempty" doc:"The tool, where it is a call."`
	Step    string          `json:"step,omitempty" doc:"The step, where it is one of a flow."`
	State   string          `json:"state,omitempty" doc:"The state, where it is a call."`
	Why     string          `json:"why,omitempty" doc:"Why it waits."`
	Granted string          `json:"granted,omitempty" doc:"What allowed it: settings, a grant or an answer."`
	Created time.Time       `json:"createdAt" doc:"When it was added."`
}

type runList struct {
	Runs []runShown `json:"runs" doc:"The runs, the newest first."`
	Next string     `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

type taskList struct {
	Tasks []TaskShown `json:"tasks" doc:"The tasks, in the order in which they were added."`
	Next  string      `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

// run finds a run that whoever asks may see: the person sees all, a program what it has begun.
func (a *API) run(ctx context.Context, id string) (task.Run, error) {
	run, err := a.o.Engine.Run(ctx, id)
	if err != nil {
		return run, err //nolint:wrapcheck // failed words it
	}
	if who := whoOf(ctx); !who.Person && run.Caller != callerOf(who) {
		return run, problem(http.StatusNotFound, engine.CodeRunNotFound, "There is no run %q of yours.", id)
	}
	return run, nil
}

func (a *API) runs() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "listRuns", Method: http.MethodGet, Path: "/v1/runs", Summary: "The runs, the newest first", Tags: []string{"runs"},
	}, func(ctx context.Context, in *struct {
		Page
		Open bool `query:"open" doc:"Only those that are not over."`
	}) (*output[runList], error) {
		filter := task.Filter{Before: in.Cursor, Limit: in.Limit + 1, Unsettled: in.Open}
		if who := whoOf(ctx); !who.Person {
			filter.Caller = callerOf(who)
		}
		list, err := a.o.Engine.Runs(ctx, filter)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		out := &output[runList]{}
		if len(list) > in.Limit {
			list = list[:in.Limit]
			out.Body.Next = list[in.Limit-1].ID
		}
		out.Body.Runs = make([]runShown, len(list))
		for i, r := range list {
			out.Body.Runs[i] = showRun(r)
		}
		return out, nil
	})
	a.oneRun()
	a.beginRun()
	a.oneTask()
	a.takeUp()
}

// RunPath names a run.
type RunPath struct {
	ID string `path:"run" maxLength:"100" doc:"The id of the run, or a beginning of it."`
}

func (a *API) oneRun() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "getRun", Method: http.MethodGet, Path: "/v1/runs/{run}", Summary: "One run", Tags: []string{"runs"},
	}, func(ctx context.Context, in *RunPath) (*output[runShown], error) {
		run, err := a.run(ctx, in.ID)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		return &output[runShown]{showRun(run)}, nil
	})
	huma.Register(a.huma, huma.Operation{
		OperationID: "listTasks", Method: http.MethodGet, Path: "/v1/runs/{run}/tasks", Summary: "The tasks of a run", Tags: []string{"runs"},
	}, func(ctx context.Context, in *struct {
		RunPath
		Page
	}) (*output[taskList], error) {
		if _, err := a.run(ctx, in.ID); err != nil {
			return nil, a.failed(ctx, err)
		}
		view, err := a.o.Engine.View(ctx, in.ID)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		list := make([]int, view.Graph.Len())
		for i := range list {
			list[i] = i
		}
		part, next, err := cutPage(list, in.Page)
		if err != nil {
			return nil, err
		}
		out := &output[taskList]{}
		out.Body.Tasks, out.Body.Next = make([]TaskShown, len(part)), next
		for i, seq := range part {
			if out.Body.Tasks[i], err = showTask(view, seq); err != nil {
				return nil, a.failed(ctx, err)
			}
		}
		return out, nil
	})
	huma.Register(a.huma, huma.Operation{
		OperationID: "cancelRun", Method: http.MethodPost, Path: "/v1/runs/{run}/cancel", Summary: "Stop a run", Tags: []string{"runs"},
		Description: "What has not begun does not begin any more, and what is running is told to stop. It does not wait for the end.",
	}, func(ctx context.Context, in *RunPath) (*output[runShown], error) {
		if _, err := a.run(ctx, in.ID); err != nil {
			return nil, a.failed(ctx, err)
		}
		run, err := a.o.Worker.Cancel(ctx, in.ID)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		return &output[runShown]{showRun(run)}, nil
	})
	huma.Register(a.huma, huma.Operation{
		OperationID: "waitRun", Method: http.MethodGet, Path: "/v1/runs/{run}/result", Summary: "Wait for what a run comes to", Tags: []string{"runs"},
		Description: "200 is a run that is over, whatever it came to; 202 one that goes on.", Responses: goesOn(),
	}, func(ctx context.Context, in *struct {
		RunPath
		Wait Seconds `query:"wait" doc:"For how many seconds to wait. Default: 30."`
	}) (*callOutput, error) {
		run, err := a.run(ctx, in.ID)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		return a.answer(ctx, run.ID, in.Wait.or(usualWait))
	})
}

func showTask(view *engine.View, seq int) (TaskShown, error) {
	t := view.Graph.Task(seq)
	data, err := view.Content(t.Content)
	if err != nil {
		return TaskShown{}, err //nolint:wrapcheck // failed words it
	}
	out := TaskShown{
		ID: t.ID.String(), Prior: t.Prior.String(), Parent: t.Parent.String(), Branch: t.Branch, Role: t.Role, Type: string(t.Type),
		Data: raw(data), Name: t.Name, Step: t.Step, Created: time.UnixMilli(t.CreatedAt).UTC(),
	}
	if e, ok := view.Executions[seq]; ok {
		out.State, out.Why, out.Granted = string(e.State), e.Why, e.Granted
	}
	return out, nil
}

// goesOn describes the answer about what is not over, and errors, which huma adds only where
// nothing else is described.
func goesOn() map[string]*huma.Response {
	described := func(text, kind, schema string) *huma.Response {
		return &huma.Response{Description: text, Content: map[string]*huma.MediaType{kind: {Schema: &huma.Schema{Ref: schemasAt + schema}}}}
	}
	return map[string]*huma.Response{
		"202":     described("It goes on.", "application/json", "CallAnswer"),
		"default": described("Error", "application/problem+json", "Problem"),
	}
}

func (a *API) beginRun() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "beginRun", Method: http.MethodPost, Path: "/v1/runs", Summary: "Run chains of tasks side by side", Tags: []string{"runs"},
		Description:  "The body is one task, a list of tasks (a chain, one after the other), or a list of lists (branches). A task is {\"role\", \"content\": {\"type\", \"data\"}}.",
		MaxBodyBytes: MaxBody, SkipValidateBody: true, Responses: goesOn(),
	}, func(ctx context.Context, in *struct {
		Title string  `query:"title" maxLength:"200" doc:"What the run is called in lists."`
		Entry string  `query:"entry" maxLength:"200" doc:"The tool that sees plain results and errors."`
		Wait  Seconds `query:"wait" doc:"For how many seconds to wait for the end. Default: 0."`
		Key   string  `header:"Idempotency-Key" maxLength:"200" doc:"A second run with the same key and the same tasks attaches to the first."`
		Body  json.RawMessage
	}) (*callOutput, error) {
		v, err := value.Decode(in.Body)
		if err != nil {
			return nil, problem(http.StatusUnprocessableEntity, "INVALID", "The body is no JSON: %s", err)
		}
		chains, faults := task.ReadDrafts(v)
		if len(faults) > 0 {
			return nil, faulty(faults)
		}
		run, err := a.o.Worker.Begin(ctx, engine.Request{
			Chains: chains, Title: in.Title, Entry: in.Entry, Key: in.Key, Caller: callerOf(whoOf(ctx)), Limits: whoOf(ctx).limits(),
		}, nil)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		return a.answer(ctx, run.ID, in.Wait.or(0))
	})
}

// faulty is the problem of tasks that are at fault.
func faulty(faults task.Faults) *Problem {
	p := problem(http.StatusUnprocessableEntity, faults[0].Code, "%s: %s", faults[0].Place, faults[0].Message)
	p.Field = faults[0].Place
	for _, f := range faults {
		p.Errors = append(p.Errors, Fault{Field: f.Place, Message: f.Message, Code: f.Code})
	}
	return p
}
