package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"toolsmith/internal/engine"
	"toolsmith/internal/port"
	"toolsmith/internal/value"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// Options are what the surface needs.
type Options struct {
	// Engine and Worker do what is asked for; required.
	Engine *engine.Engine
	Worker *worker.Worker
	// Guard lets in; required.
	Guard *Guard
	// Secrets keeps secrets; nil where there are none.
	Secrets Secrets
	// Ports holds the ports of programs that supply tools; nil for a server without them.
	Ports *port.Hub
	// Version of this program.
	Version string
	// Proxied: something before the server speaks TLS, so that others reach it over https.
	Proxied bool
	// Look is how often it is looked whether another process has changed what can be called,
	// while somebody listens; 0 is every second.
	Look time.Duration
	// Now tells the time; nil is the real one.
	Now func() time.Time
	// NewID makes ids of log lines; required.
	NewID func() string
	// Log takes the private causes of failures; nil drops them.
	Log *slog.Logger
}

// API is the surface.
type API struct {
	o      Options
	huma   huma.API
	mux    *http.ServeMux
	events *events
	// problem and event are the schemas of errors and events.
	problem, event *huma.Schema
	// services is the text of the part of the document that never changes.
	services func() ([]byte, error)

	// ended is closed when the surface is.
	ended chan struct{}
	close func()
	// unwatch ends being told of what happens in runs.
	unwatch func()

	mu   sync.Mutex
	made map[string]*made
	// entered are those who speak through ports, by how their runs are marked.
	entered map[string]Who
	logins  *logins
	// heard are those who listen, by how the events know them.
	heard map[string]*heard
	// watching begins with the first of them.
	watching sync.Once
}

// New makes the surface. Events begin to be gathered at once.
func New(o Options) *API {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Look == 0 {
		o.Look = usualLook
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &API{o: o, mux: http.NewServeMux(), events: newEvents(), made: map[string]*made{}, entered: map[string]Who{}, heard: map[string]*heard{}}
	a.ended = make(chan struct{})
	a.close = sync.OnceFunc(func() { close(a.ended) })
	a.unwatch = o.Worker.Watch(a.events.happened)
	o.Guard.Open = append(o.Guard.Open, "/healthz", "/readyz")
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Toolsmith", Version: o.Version,
				Description: "What this server can do right now. Every tool that can be called has an operation of its own. Errors are problems (RFC 9457) with a code.",
			},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry(schemasAt, huma.DefaultSchemaNamer),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token": {Type: "http", Scheme: "bearer", Description: "A token of a program (toolsmith tokens), or that of the person."},
				},
			},
			Security: []map[string][]string{{"token": {}}},
		},
		Formats: map[string]huma.Format{
			"application/json": {Marshal: writeJSON, Unmarshal: json.Unmarshal},
			"json":             {Marshal: writeJSON, Unmarshal: json.Unmarshal},
		},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
		Transformers:                 []huma.Transformer{a.problems},
	}
	a.huma = strict{humago.New(a.mux, config)}
	a.peer()
	a.tools()
	a.runs()
	a.consents()
	a.settings()
	a.login()
	a.forge()
	a.data()
	a.search()
	a.secrets()
	a.tokens()
	a.audited()
	a.document()
	a.pages()
	a.mux.HandleFunc("GET /v1/events", a.stream)
	if o.Ports != nil {
		o.Guard.Open = append(o.Guard.Open, port.Path)
		a.mux.HandleFunc("GET "+port.Path, a.ports)
	}
	a.mux.HandleFunc("/", a.nowhere)
	return a
}

// Close ends the streams of events and the ports, which would never end by themselves.
func (a *API) Close() {
	a.close()
	a.unwatch()
	a.events.end()
}

// Handler answers requests, behind the guard.
func (a *API) Handler() http.Handler {
	return a.o.Guard.Around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := whoOf(r.Context())
		ctx := engine.ActAs(r.Context(), engine.Actor{Who: who.Name, From: "http", Agent: !who.Person})
		a.mux.ServeHTTP(w, r.WithContext(ctx))
	}))
}

// writeJSON writes values with numbers as they are.
func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// problems makes of what huma says of a request a problem with a code and a field.
func (a *API) problems(_ huma.Context, _ string, v any) (any, error) {
	model, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	p := problem(model.Status, codeOfStatus(model.Status), "%s", model.Detail)
	for _, one := range model.Errors {
		p.Errors = append(p.Errors, Fault{Field: one.Location, Message: one.Message})
	}
	if len(p.Errors) > 0 {
		p.Field = p.Errors[0].Field
		p.Detail = p.Errors[0].Field + ": " + p.Errors[0].Message
	}
	return p, nil
}

func codeOfStatus(status int) string {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return CodeTooLarge
	case http.StatusUnsupportedMediaType:
		return CodeMediaType
	case http.StatusInternalServerError:
		return "FAILED"
	default:
		return "INVALID"
	}
}

// failed makes the problem of an error of the engine or the worker. What has no code is for the
// log alone.
func (a *API) failed(ctx context.Context, err error) *Problem {
	var known *Problem
	if errors.As(err, &known) {
		return known
	}
	var coded *tool.Error
	if errors.As(err, &coded) {
		p := problem(statusOf(coded.Code), coded.Code, "%s", coded.Message)
		p.Field = coded.Field
		return p
	}
	var invalid *engine.InvalidError
	if errors.As(err, &invalid) {
		p := problem(http.StatusUnprocessableEntity, "MANIFEST_INVALID", "The manifest has problems.")
		for _, d := range invalid.Diagnostics {
			p.Errors = append(p.Errors, Fault{Field: d.Path, Message: d.Message, Code: d.Code})
		}
		return p
	}
	id := a.o.NewID()
	a.o.Log.ErrorContext(ctx, "a request failed", "id", id, "cause", err)
	return problem(http.StatusInternalServerError, "FAILED", "Something went wrong here; the log has it under %s.", id)
}

// Page is where a list goes on.
type Page struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"How many at most."`
	Cursor string `query:"cursor" maxLength:"200" doc:"Where the list goes on: \"next\" of the page before."`
}

// Number of the page's cursor, for lists that count.
func (p Page) offset() (int, error) {
	if p.Cursor == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(p.Cursor)
	if err != nil || n < 0 {
		return 0, problem(http.StatusUnprocessableEntity, "INVALID", "The cursor is none: use \"next\" of the page before.")
	}
	return n, nil
}

// cutPage gives the part of a list that a page shows, and where it goes on; "" for nowhere.
func cutPage[T any](list []T, p Page) (part []T, next string, err error) {
	from, err := p.offset()
	if err != nil {
		return nil, "", err
	}
	list = list[min(from, len(list)):]
	if len(list) > p.Limit {
		return list[:p.Limit], strconv.Itoa(from + p.Limit), nil
	}
	return list, "", nil
}

// raw is a JSON value as it is.
func raw(v any) json.RawMessage { return value.AppendJSON(nil, v) }
