package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/worker"
)

// resumeGiven says what is true of a step of which nobody knows whether it happened.
type resumeGiven struct {
	Answer string `json:"answer,omitempty" enum:"done,not-done,compensate" doc:"What is true of an unknown step: it happened, it did not, or what can be is to be taken back."`
	Step   string `json:"step,omitempty" maxLength:"500" doc:"The unknown step, where there are several."`
}

// againGiven says what to run again.
type againGiven struct {
	From string `json:"from,omitempty" maxLength:"500" doc:"The task or step from which on it is run again: an id, a beginning of it, or the path of a step. All of it by default."`
	Plan bool   `json:"plan,omitempty" doc:"Only says what would be done, and begins nothing."`
}

// effectShown is a change that is going to be made again.
type effectShown struct {
	Name      string          `json:"name" doc:"The tool or capability that made it."`
	Step      string          `json:"step,omitempty" doc:"The step of a flow that it was."`
	Arguments json.RawMessage `json:"arguments" doc:"What it was called with: any JSON."`
}

type againShown struct {
	Reused  int           `json:"reused" doc:"How many recorded steps are used, and not made again."`
	Effects []effectShown `json:"effects" nullable:"false" doc:"The changes that the first run made in this part, and that are made again, as far as the new run goes the same way."`
	Run     *runShown     `json:"run,omitempty" doc:"The new run; not there where only the plan was asked for."`
}

// takeUp adds what a person does with runs that are over or were left.
func (a *API) takeUp() {
	tags := []string{"runs"}
	huma.Register(a.huma, huma.Operation{
		OperationID: "resumeRun", Method: http.MethodPost, Path: "/v1/runs/{run}/resume", Summary: "Take up a run that was left before its end", Tags: tags,
		Description: "It goes on where it was. A run that waits since nobody knows whether a step happened goes on with an answer. It does not wait for the end. For the person alone.",
	}, own(a, func(ctx context.Context, in *struct {
		RunPath
		Body *resumeGiven
	}) (runShown, error) {
		run, err := a.run(ctx, in.ID)
		if err != nil {
			return runShown{}, err
		}
		if in.Body != nil && in.Body.Answer != "" {
			if err := a.o.Worker.Answer(ctx, run.ID, in.Body.Step, worker.Answer(in.Body.Answer)); err != nil {
				return runShown{}, err //nolint:wrapcheck // own words it
			}
		} else if in.Body != nil && in.Body.Step != "" {
			return runShown{}, invalidField("body.answer", "A step is named for an answer about it; give one.")
		}
		run, err = a.o.Worker.Resume(ctx, run.ID, nil)
		return showRun(run), err //nolint:wrapcheck // own words it
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "runAgain", Method: http.MethodPost, Path: "/v1/runs/{run}/again", Summary: "Run a settled run once more, from a task or step on", Tags: tags,
		Description: "It becomes a new run. Ask for the plan first: it names the changes that are made again. Its calls are asked about like any other. It does not wait for the end. For the person alone.",
	}, own(a, func(ctx context.Context, in *struct {
		RunPath
		Body *againGiven
	}) (againShown, error) {
		var given againGiven
		if in.Body != nil {
			given = *in.Body
		}
		plan, err := a.o.Engine.Again(ctx, in.ID, given.From)
		if err != nil {
			return againShown{}, refuseManifest(err)
		}
		out := againShown{Reused: plan.Reused, Effects: make([]effectShown, len(plan.Effects))}
		for i, e := range plan.Effects {
			out.Effects[i] = effectShown{e.Name, e.Step, raw(e.Arguments)}
		}
		if given.Plan {
			return out, nil
		}
		plan.Request.Caller = callerOf(whoOf(ctx))
		run, err := a.o.Worker.Begin(ctx, plan.Request, nil)
		if err != nil {
			return out, err //nolint:wrapcheck // own words it
		}
		shown := showRun(run)
		out.Run = &shown
		return out, nil
	}))
}
