package tool

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// Context is what a call may use of its host. It is a context.Context too, which ends when
// the call is cancelled: a function passes it on and returns soon after. Whatever the host
// did not supply fails with the code CONTEXT_UNAVAILABLE and never quietly does nothing.
// Its methods may be called by several goroutines at once, until the function has returned.
type Context struct {
	context.Context
	host Host
}

// Host is what a host supplies for one call. What is left out is not available to it. The
// functions get the context of the call and may be called by several goroutines at once.
type Host struct {
	// ToolID under which the tool runs. Default: its name.
	ToolID string
	// Caller is the tool, client or person that called; "" for not supplied.
	Caller string
	// Began is when the call was first made; the zero time for not supplied.
	Began time.Time
	// HTTPClient reaches what the tool is allowed to reach, and nothing else.
	HTTPClient *http.Client
	// Chain gives the chain as this call may see it, earliest first.
	Chain func(ctx context.Context, want ChainRequest) ([]Entry, error)
	// Secret reads from the namespace of the tool.
	Secret func(ctx context.Context, name string) (string, error)
	// AskSecret asks the person for a secret that is not there. It gives the error that the
	// function is to return, so that it is called anew once the secret is there.
	AskSecret func(ctx context.Context, name string) error
	// SetSecret writes to the namespace of the tool.
	SetSecret func(ctx context.Context, name, value string) error
	// Progress shows how far the call has come.
	Progress func(ctx context.Context, done, total float64, note string) error
	// Ask puts a form before the person and gives the answer as a JSON value, with numbers as
	// json.Number; or it gives the error that the function is to return, so that it is called
	// anew once the answer is there.
	Ask func(ctx context.Context, form Form) (any, error)
	// Popup shows the person the address of a page to open; otherwise it is like Ask.
	Popup func(ctx context.Context, url string) error
}

// NewContext makes the context of one call. Authors get theirs from the host; in tests,
// package tooltest makes it.
func NewContext(ctx context.Context, host Host) *Context { return &Context{Context: ctx, host: host} }

// forTool is the context that the function of a tool sees.
func (c *Context) forTool(name string) *Context {
	if c == nil {
		return NewContext(context.Background(), Host{ToolID: name})
	}
	if c.host.ToolID != "" {
		return c
	}
	named := *c
	named.host.ToolID = name
	return &named
}

// unavailable is the error of a method for which the host supplied nothing.
func unavailable(method, why string) error {
	return Errorf(CodeContextUnavailable, "%s is not available here: %s", method, why)
}

// Entry is one task of a chain as a tool sees it.
type Entry struct {
	// ID of the task.
	ID   string      `json:"id"`
	Role Role        `json:"role"`
	Type ContentType `json:"type"`
	// Data is JSON: a text for a message, {"name", "arguments"} for a call, {"code",
	// "message"} for an error, and so on as ContentType says.
	Data json.RawMessage `json:"data"`
	// Name of the tool, for a call; "" otherwise.
	Name string `json:"name,omitempty"`
	// Branch counts the chains beside each other, from 0.
	Branch int `json:"branch"`
	// Depth is how many calls are above it; 0 for the chains of the caller.
	Depth int `json:"depth"`
}

// Text is the text of a message; for anything else its data as JSON.
func (e Entry) Text() string {
	var text string
	if e.Type == TypeMessage && json.Unmarshal(e.Data, &text) == nil {
		return text
	}
	return string(e.Data)
}

// Decode reads the data into a Go value, as encoding/json does, except that numbers which
// go into an any are json.Number.
func (e Entry) Decode(into any) error { return decodeLoose(e.Data, into) }

// ChainRequest is which part of a run a call wants to see. The zero value is the default.
type ChainRequest struct {
	// Flattened: the whole run in the order of execution, not the lineage of the task.
	Flattened bool
	// MaxTasks and MaxBytes bound what is given; 0 for the host's own bounds. What is
	// farthest from the task is left out first.
	MaxTasks, MaxBytes int
}

// ChainOption changes which part of a run Chain gives.
type ChainOption func(*ChainRequest)

// Flattened asks for the whole run in the order of execution, in place of the lineage: from
// the root down to this task, with what settled branches came to.
func Flattened() ChainOption { return func(r *ChainRequest) { r.Flattened = true } }

// MaxTasks bounds how many entries are given; what is farthest from the task is left out.
// 0 is the host's own bound.
func MaxTasks(n int) ChainOption { return func(r *ChainRequest) { r.MaxTasks = max(0, n) } }

// MaxBytes bounds the data of all entries together, in bytes of JSON; what is farthest from
// the task is left out. 0 is the host's own bound.
func MaxBytes(n int) ChainOption { return func(r *ChainRequest) { r.MaxBytes = max(0, n) } }

// Chain gives what happened in the run before this call, earliest first. Not available to a
// call that is not part of a run.
func (c *Context) Chain(opts ...ChainOption) ([]Entry, error) {
	if c.host.Chain == nil {
		return nil, unavailable("Chain", "the call is not part of a run.")
	}
	var want ChainRequest
	for _, o := range opts {
		o(&want)
	}
	return c.host.Chain(c, want)
}

// Subtasks makes what a function returns to let chains run: each strictly in its order, and
// all of them in parallel. There is at least one chain, and in each at least one task; the
// host refuses the result otherwise, naming the position.
func (c *Context) Subtasks(chains ...Chain) Subtasks {
	return Subtasks{chains: slices.Clone(chains)}
}

// SecretOption says what is to be done about a secret that is not there.
type SecretOption func(*secretRequest)

type secretRequest struct{ ask bool }

// AskNew has the person asked for a secret that is not there. The call waits for it, visibly
// and across restarts: the function has to return the error that it gets, and is called anew
// with the same arguments once the secret is there. So it belongs before everything that has
// an effect. Where the person gives none, the code is SECRET_MISSING.
func AskNew() SecretOption { return func(r *secretRequest) { r.ask = true } }

// Secret reads a secret of this tool that it declares in Spec.Secrets. It never belongs into a
// result, an error or a note. The error has the code SECRET_MISSING where it is not there, and
// SECRET_NOT_DECLARED.
func (c *Context) Secret(name string, options ...SecretOption) (string, error) {
	if c.host.Secret == nil {
		return "", unavailable("Secret", "this host keeps no secrets for the tool.")
	}
	var want secretRequest
	for _, o := range options {
		o(&want)
	}
	value, err := c.host.Secret(c, name)
	if want.ask && Code(err) == CodeSecretMissing && c.host.AskSecret != nil {
		return "", c.host.AskSecret(c, name)
	}
	return value, err
}

// CodeSecretMissing is the code of a secret that is not there.
const CodeSecretMissing = "SECRET_MISSING"

// SetSecret keeps a secret for this tool, in place of an earlier one of that name.
func (c *Context) SetSecret(name, value string) error {
	if c.host.SetSecret == nil {
		return unavailable("SetSecret", "this host keeps no secrets for the tool.")
	}
	return c.host.SetSecret(c, name, value)
}

// Caller names the tool, client or person that called.
func (c *Context) Caller() (string, error) {
	if c.host.Caller == "" {
		return "", unavailable("Caller", "this host does not say who called.")
	}
	return c.host.Caller, nil
}

// ToolID under which the tool runs; its name, unless the host gave another.
func (c *Context) ToolID() string { return c.host.ToolID }

// Began is when the call was first made: a call that asked to be made Again keeps its time.
// ok is false where the host does not say it, as for a call that is not part of a run.
func (c *Context) Began() (at time.Time, ok bool) {
	return c.host.Began, !c.host.Began.IsZero()
}

// HTTPClient gives a client that reaches what the tool is allowed to reach. Requests are
// made with the Context, so that they end with the call. The client is the caller's own to
// change.
func (c *Context) HTTPClient() (*http.Client, error) {
	if c.host.HTTPClient == nil {
		return nil, unavailable("HTTPClient", "the tool may not use the network.")
	}
	client := *c.host.HTTPClient
	return &client, nil
}

// Progress shows the person how far the call has come: done of total, in any unit, with a
// short note or "". A total of 0 says that it is not known.
func (c *Context) Progress(done, total float64, note string) error {
	if c.host.Progress == nil {
		return unavailable("Progress", "nobody is watching this call.")
	}
	return c.host.Progress(c, done, total, note)
}

// Ask puts a form before the person and gives the answer: a JSON value that fits the schema, with
// numbers as json.Number; true or false without one. The call waits for it, visibly and across
// restarts: the function has to return the error that it gets, and is called anew with the same
// arguments once there is an answer. So it belongs before everything that has an effect, and it
// asks the same, in the same order, each time: a form that differs is asked anew. Forms are asked
// one after the other, never from several goroutines at once. A person who does not answer is an
// error with the code INTERACTION_REFUSED, which has the reason that they gave, or
// INTERACTION_TIMEOUT. A form is no place to ask for a secret: see AskNew.
func (c *Context) Ask(form Form) (any, error) {
	if c.host.Ask == nil {
		return nil, unavailable("Ask", "there is nobody who could answer.")
	}
	return c.host.Ask(c, form)
}

// Popup shows the person the address of a page, http or https and at most 2,000 characters, and
// goes on once they say that they have done there what is to be done. Nothing is opened by itself.
// Otherwise it is like Ask.
func (c *Context) Popup(url string) error {
	if c.host.Popup == nil {
		return unavailable("Popup", "there is no screen on which a page could be shown.")
	}
	return c.host.Popup(c, url)
}
