package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/engine"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// output is an answer with a body.
type output[T any] struct{ Body T }

type health struct {
	OK bool `json:"ok" doc:"It answers."`
}

type peer struct {
	Name     string `json:"name" doc:"Always toolsmith."`
	Version  string `json:"version" doc:"The version of the server."`
	You      string `json:"you" doc:"Who asks: the person, or the name of the token."`
	Person   bool   `json:"person" doc:"Whether you may decide what may run."`
	Document string `json:"document" doc:"Where the OpenAPI document is."`
	Revision string `json:"revision" doc:"The revision of the document now."`
}

type toolList struct {
	Tools []toolShown `json:"tools" doc:"The tools, by name."`
	Next  string      `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

// peer adds what tells about the server itself.
func (a *API) peer() {
	for path, summary := range map[string]string{"/healthz": "Whether the server answers", "/readyz": "Whether the server can do work"} {
		ready := path == "/readyz"
		huma.Register(a.huma, huma.Operation{
			OperationID: map[bool]string{false: "health", true: "ready"}[ready], Method: http.MethodGet, Path: path, Summary: summary, Tags: []string{"peer"},
			Security: []map[string][]string{{}},
		}, func(ctx context.Context, _ *struct{}) (*output[health], error) {
			if ready {
				if _, err := a.o.Engine.Policy(ctx); err != nil { // it reads the store
					return nil, problem(http.StatusServiceUnavailable, "STORE_UNAVAILABLE", "The store cannot be read now.")
				}
			}
			out := &output[health]{}
			out.Body.OK = true
			return out, nil
		})
	}
	huma.Register(a.huma, huma.Operation{
		OperationID: "peer", Method: http.MethodGet, Path: "/v1/peer", Summary: "What this server is, and who asks", Tags: []string{"peer"},
	}, func(ctx context.Context, _ *struct{}) (*output[peer], error) {
		m, err := a.current(ctx)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		who, out := whoOf(ctx), &output[peer]{}
		out.Body.Name, out.Body.Version, out.Body.You, out.Body.Person = "toolsmith", a.o.Version, who.Name, who.Person
		out.Body.Document, out.Body.Revision = documentPath, m.revision
		return out, nil
	})
}

// toolShown is a tool that can be called.
type toolShown struct {
	Name        string          `json:"name" doc:"The name under which it is called."`
	Title       string          `json:"title" doc:"Its title for people."`
	Description string          `json:"description" doc:"What its author says of it."`
	Kind        string          `json:"kind" enum:"flow,native,capability,client" doc:"What it is: a forged tool, one in Go, a capability, or one of another program."`
	Version     string          `json:"version" doc:"A hash over all that it is; a remembered yes is for one version."`
	Marks       tool.Marks      `json:"marks" doc:"What it may do, worked out from what it can reach."`
	Hosts       []string        `json:"hosts" doc:"The hosts that it may reach."`
	Secrets     []string        `json:"secrets" doc:"The names of the secrets that it may use."`
	Parameters  json.RawMessage `json:"parameters" doc:"The JSON Schema of its arguments."`
	Result      json.RawMessage `json:"result,omitempty" doc:"The JSON Schema of what it gives, where it says so."`
}

func show(c *engine.Callable) toolShown {
	parameters, result := c.Schemas()
	return toolShown{
		Name: c.Name, Title: c.Title, Description: c.Description(), Kind: string(c.Kind), Version: c.Version, Marks: c.Marks(),
		Hosts: append([]string{}, c.Hosts(nil)...), Secrets: append([]string{}, c.Secrets()...), Parameters: parameters, Result: result,
	}
}

// callable lists what whoever asks may call, by name.
func (a *API) callable(ctx context.Context) ([]*engine.Callable, error) {
	offer, err := a.o.Engine.Offer(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // failed words it
	}
	who := whoOf(ctx)
	return slices.DeleteFunc(slices.Clone(offer.Tools), func(c *engine.Callable) bool { return !who.MayCall(c.Name) }), nil
}

// callAnswer is what a call came to, or where it stands.
type callAnswer struct {
	Run     string          `json:"run" doc:"The run that the call is; look at it under /v1/runs."`
	Status  string          `json:"status" enum:"running,waiting,succeeded,failed,recovery_required,unknown,cancelled" doc:"What the run has come to. Waiting: a person is asked."`
	Settled bool            `json:"settled" doc:"Whether it is over."`
	Value   json.RawMessage `json:"value,omitempty" doc:"What it came to, where it succeeded."`
	Error   *callError      `json:"error,omitempty" doc:"Why it did not succeed."`
}

type callError struct {
	Code    string `json:"code" doc:"The code."`
	Message string `json:"message" doc:"What is wrong, and what to do."`
}

type callInput struct {
	Name string  `path:"tool" maxLength:"200" doc:"The name of the tool."`
	Wait Seconds `query:"wait" doc:"For how many seconds to wait for the end. What is not over by then goes on: ask for it under /v1/runs. Default: 30."`
	Key  string  `header:"Idempotency-Key" maxLength:"200" doc:"A second call with the same key, of the same tool with the same arguments, attaches to the first."`
	Body json.RawMessage
}

// Seconds is a number of seconds that may be left out.
type Seconds struct {
	Value int
	set   bool
}

// usualWait is for how long the end of a call is waited for, if nothing is said.
const usualWait = 30 * time.Second

// Schema describes it.
func (Seconds) Schema(huma.Registry) *huma.Schema {
	least, most := 0.0, 300.0
	return &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most}
}

// Receiver is where the number goes.
func (s *Seconds) Receiver() reflect.Value { return reflect.ValueOf(s).Elem().Field(0) }

// OnParamSet notes that it was given: 0 is not the same as nothing.
func (s *Seconds) OnParamSet(set bool, _ any) { s.set = set }

func (s Seconds) or(usual time.Duration) time.Duration {
	if s.set {
		return time.Duration(s.Value) * time.Second
	}
	return usual
}

type callOutput struct {
	Status int
	Body   callAnswer
}

func (a *API) tools() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "listTools", Method: http.MethodGet, Path: "/v1/tools", Summary: "The tools that can be called now", Tags: []string{"tools"},
	}, func(ctx context.Context, in *Page) (*output[toolList], error) {
		list, err := a.callable(ctx)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		part, next, err := cutPage(list, *in)
		if err != nil {
			return nil, err
		}
		out := &output[toolList]{}
		out.Body.Tools, out.Body.Next = make([]toolShown, len(part)), next
		for i, c := range part {
			out.Body.Tools[i] = show(c)
		}
		return out, nil
	})
	huma.Register(a.huma, huma.Operation{
		OperationID: "getTool", Method: http.MethodGet, Path: "/v1/tools/{tool}", Summary: "One tool", Tags: []string{"tools"},
	}, func(ctx context.Context, in *struct {
		Name string `path:"tool" maxLength:"200" doc:"The name of the tool."`
	}) (*output[toolShown], error) {
		c, err := a.mayCall(ctx, in.Name)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		return &output[toolShown]{show(c)}, nil
	})
	huma.Register(a.huma, huma.Operation{
		OperationID: "callTool", Method: http.MethodPost, Path: "/v1/tools/{tool}/call", Summary: "Call a tool", Tags: []string{"tools"},
		Description:      "The body is the arguments, as a JSON object. 200 is a call that is over, whatever it came to; 202 one that goes on.",
		SkipValidateBody: true, MaxBodyBytes: MaxBody, Responses: goesOn(),
	}, a.call)
}

// mayCall finds a tool that whoever asks may call. One that they may not is not there for them.
func (a *API) mayCall(ctx context.Context, name string) (*engine.Callable, error) {
	if !whoOf(ctx).MayCall(name) {
		return nil, a.o.Engine.Unknown(name, whoOf(ctx).list()) //nolint:wrapcheck // failed words it
	}
	return a.o.Engine.Callable(ctx, name) //nolint:wrapcheck // failed words it
}

// call calls a tool and waits for its end, for a while.
func (a *API) call(ctx context.Context, in *callInput) (*callOutput, error) {
	found, err := a.mayCall(ctx, in.Name)
	if err != nil {
		return nil, a.failed(ctx, err)
	}
	arguments, err := value.Decode(in.Body)
	if err != nil {
		return nil, problem(http.StatusUnprocessableEntity, "INVALID", "The body is no JSON: %s", err)
	}
	if _, ok := arguments.(map[string]any); !ok {
		return nil, problem(http.StatusUnprocessableEntity, task.CodeArgumentsInvalid, "The body has to be an object with the arguments; this is %s.", value.KindOf(arguments))
	}
	run, err := a.o.Worker.Begin(ctx, engine.Request{
		Chains: [][]task.Draft{{task.CallOf(task.Call{Name: found.Name, Arguments: arguments})}},
		Caller: callerOf(whoOf(ctx)), Key: in.Key, Limits: whoOf(ctx).limits(),
	}, nil)
	if err != nil {
		return nil, a.failed(ctx, err)
	}
	return a.answer(ctx, run.ID, in.Wait.or(usualWait))
}

// answer waits for the end of a run, for a while.
func (a *API) answer(ctx context.Context, id string, wait time.Duration) (*callOutput, error) {
	if wait == 0 {
		wait = time.Nanosecond
	}
	waited, err := a.o.Worker.Wait(ctx, id, worker.WaitOptions{Timeout: wait})
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, a.failed(ctx, err)
	}
	out := &callOutput{Status: http.StatusOK, Body: callAnswer{Run: id, Status: string(waited.Run.Status), Settled: waited.Run.Status.Settled()}}
	if !out.Body.Settled {
		out.Status = http.StatusAccepted
		return out, nil
	}
	if f := waited.Run.Failure; f != nil {
		out.Body.Error = &callError{f.Code, f.Message}
	}
	if waited.HasValue {
		out.Body.Value = raw(waited.Value)
	}
	return out, nil
}
