package httpapi

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"

	"toolsmith/internal/card"
	"toolsmith/internal/check"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
)

// tryGiven says what to try.
type tryGiven struct {
	Text *string `json:"text,omitempty" doc:"The text of a file: a manifest, or TypeScript or JavaScript. In its place may stand the name of an installed tool."`
	FileName
	Tool   *string         `json:"tool,omitempty" maxLength:"200" doc:"The name of an installed tool, which need not be on; with a text, that of one of several tools that the file declares."`
	Input  json.RawMessage `json:"input,omitempty" doc:"The input, any JSON that the tool takes; an empty object by default."`
	Script json.RawMessage `json:"script,omitempty" doc:"Answers of capabilities and model: {\"capabilities\": {\"notes.list\": [{\"result\": …}, {\"error\": \"busy\"}]}, \"llm\": [{\"result\": …}], \"state\": {…}, \"checkInputs\": true}. They are used call by call, and the last one repeats; a capability that is not named answers null. For a tool in code they are by the names of the methods of its context: {\"capabilities\": {\"fetch\": [{\"result\": {\"status\": 200, \"headers\": {}, \"body\": \"…\"}}], \"getSecret\": [{\"result\": \"…\"}]}}."`
}

// eventShown is one line of a trace.
type eventShown struct {
	Step       string     `json:"step" doc:"The path of the step."`
	Kind       string     `json:"kind" doc:"The type of the step, or compensation."`
	OK         bool       `json:"ok" doc:"Whether it went well."`
	Attempt    int        `json:"attempt,omitempty" doc:"Which try of a capability it was, from 1."`
	Capability string     `json:"capability,omitempty" doc:"The capability that was called."`
	Error      *callError `json:"error,omitempty" doc:"Why it did not go well."`
	Note       string     `json:"note,omitempty" doc:"More of it, such as the branch that was taken."`
}

// createdShown is a record that a run made.
type createdShown struct {
	Capability string  `json:"capability" doc:"The capability that made it."`
	Kind       string  `json:"kind" doc:"What it is: note, task or memory."`
	Title      string  `json:"title" doc:"Its title."`
	ID         *string `json:"id,omitempty" doc:"Its id, where the capability gave one."`
	Undone     bool    `json:"undone,omitempty" doc:"Whether a compensation took it back."`
}

// calledShown is one try of a capability as it was made.
type calledShown struct {
	Step       string          `json:"step" doc:"The path of the step."`
	Capability string          `json:"capability" doc:"The capability."`
	Input      json.RawMessage `json:"input" doc:"What it was given: any JSON."`
	Attempt    int             `json:"attempt" doc:"Which try it was, from 1."`
}

// writeShown is something that would have been written.
type writeShown struct {
	Step       string          `json:"step" doc:"The path of the step."`
	Capability string          `json:"capability" doc:"The capability that would have written it."`
	Input      json.RawMessage `json:"input" doc:"What it was given: any JSON."`
	Result     json.RawMessage `json:"result" doc:"What it answered: any JSON."`
}

// cardLine is one line of a card.
type cardLine struct {
	Label string `json:"label" doc:"What it is."`
	Text  string `json:"text" doc:"The text, safe to show."`
}

// cardShown is what the tool says is to be shown of a run that succeeded.
type cardShown struct {
	Title   string     `json:"title" doc:"The title, safe to show."`
	Primary string     `json:"primary,omitempty" doc:"What matters most, safe to show."`
	Details []cardLine `json:"details" nullable:"false" doc:"What else there is."`
}

// tryShown is a dry run that is over.
type tryShown struct {
	Tool           string            `json:"tool" doc:"The name of the tool."`
	Status         string            `json:"status" enum:"succeeded,failed,recovery_required,cancelled,suspended" doc:"How it ended."`
	Output         json.RawMessage   `json:"output" doc:"What it gave, any JSON; null where it did not succeed."`
	Error          *callError        `json:"error,omitempty" doc:"Why it did not succeed."`
	Trace          []eventShown      `json:"trace" nullable:"false" doc:"Every step, in the order in which it was done."`
	TraceTruncated bool              `json:"traceTruncated,omitempty" doc:"Whether there were more steps than are shown."`
	Created        []createdShown    `json:"created" nullable:"false" doc:"The records that it would have made."`
	Calls          []calledShown     `json:"calls" nullable:"false" doc:"Every try of a capability."`
	Writes         []writeShown      `json:"writes" nullable:"false" doc:"What would have been written, in the order in which it would have been."`
	Subtasks       []json.RawMessage `json:"subtasks,omitempty" doc:"The chains of tasks that a tool in code returned and that would be done next, each a list of tasks; not there where it gave a plain value."`
	Logs           []string          `json:"logs,omitempty" doc:"What a tool in code wrote to its console, line by line."`
	Card           *cardShown        `json:"card,omitempty" doc:"What the tool says is to be shown of it."`
}

// codeScript: a script for a dry run cannot be read.
const codeScript = "SCRIPT_INVALID"

// try runs a tool dry.
func (a *API) try(ctx context.Context, in *struct{ Body tryGiven }) (tryShown, error) {
	job, err := a.meant(ctx, in.Body)
	if err != nil {
		return tryShown{}, err
	}
	job.Input = map[string]any{}
	if len(in.Body.Input) > 0 {
		if job.Input, err = value.Decode(in.Body.Input); err != nil {
			return tryShown{}, invalidField("body.input", "The input cannot be read: %s", err)
		}
	}
	var script *flow.Script
	if len(in.Body.Script) > 0 {
		if script, err = flow.ParseScript(in.Body.Script); err != nil {
			p := problem(http.StatusUnprocessableEntity, codeScript, "The script cannot be read: %s.", err)
			p.Field = "body.script"
			return tryShown{}, p
		}
	}
	dry, err := a.o.Worker.Try(ctx, job, script)
	if err != nil {
		return tryShown{}, err //nolint:wrapcheck // own words it
	}
	return showTry(job.Tool, dry), nil
}

func showTry(c *check.Checked, dry worker.Dry) tryShown {
	out := tryShown{
		Tool: c.Name(), Status: string(dry.Status), Output: raw(dry.Output), Error: failureShown(dry.Failure), TraceTruncated: dry.TraceTruncated,
		Trace: make([]eventShown, len(dry.Trace)), Created: make([]createdShown, len(dry.Created)),
		Calls: make([]calledShown, len(dry.Calls)), Writes: make([]writeShown, len(dry.Writes)), Card: cardOf(c, dry.Result), Logs: dry.Logs,
	}
	for _, chain := range dry.Subtasks {
		out.Subtasks = append(out.Subtasks, raw(chain))
	}
	for i, e := range dry.Trace {
		out.Trace[i] = eventShown{e.Step, e.Kind, e.OK, e.Attempt, e.Capability, failureShown(e.Failure), e.Note}
	}
	for i, made := range dry.Created {
		out.Created[i] = createdShown{Capability: made.Capability, Kind: made.Kind, Title: made.Title, Undone: made.Undone}
		if made.HasID {
			out.Created[i].ID = &made.ID
		}
	}
	for i, called := range dry.Calls {
		out.Calls[i] = calledShown{called.Step, called.Capability, raw(called.Input), called.Attempt}
	}
	for i, w := range dry.Writes {
		out.Writes[i] = writeShown{w.Step, w.Capability, raw(w.Input), raw(w.Result)}
	}
	return out
}

func failureShown(f *flow.Failure) *callError {
	if f == nil {
		return nil
	}
	return &callError{f.Code, f.Message}
}

// cardOf is the card that a tool's "ui" describes; nil where there is none to show.
func cardOf(c *check.Checked, r flow.Result) *cardShown {
	m := c.Manifest()
	if m == nil || m.UI == nil || r.Status != flow.Succeeded {
		return nil
	}
	ui := m.UI
	details := make([]string, len(ui.DetailRefs))
	for i, ref := range ui.DetailRefs {
		details[i] = ref.Value()
	}
	roots := map[string]any{}
	maps.Copy(roots, r.Variables)
	roots["output"] = r.Output
	made := card.For(ui.Title.Value(), ui.PrimaryRef.Value(), details, roots)
	out := &cardShown{Title: made.Title, Primary: made.Primary, Details: make([]cardLine, len(made.Details))}
	for i, line := range made.Details {
		out.Details[i] = cardLine(line)
	}
	return out
}
