package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/engine"
	"toolsmith/internal/port"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
)

// documentPath is where the server describes itself.
const documentPath = "/resources/peers/local/api"

// document adds the OpenAPI document. It is made of what can be called at the moment, so that
// it stands beside huma's own, which is about what never changes: all of that has been added.
func (a *API) document() {
	// Problems are what errors are, and events what the stream has.
	schemas := a.huma.OpenAPI().Components.Schemas
	a.problem = schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")
	a.event = schemas.Schema(reflect.TypeFor[Event](), true, "Event")
	for _, schema := range schemas.Map() {
		wholeLists(schema)
	}
	a.services = sync.OnceValues(a.describe)
	a.mux.HandleFunc("GET "+documentPath, func(w http.ResponseWriter, r *http.Request) { a.serveDocument(w, r, false) })
	a.mux.HandleFunc("GET "+documentPath+".yaml", func(w http.ResponseWriter, r *http.Request) { a.serveDocument(w, r, true) })
}

// wholeLists has lists be lists, which an answer here always has: huma takes each for one that may be
// null, because Go has lists that are nil.
func wholeLists(schema *huma.Schema) {
	if schema == nil {
		return
	}
	if schema.Type == huma.TypeArray {
		schema.Nullable = false
	}
	wholeLists(schema.Items)
	for _, one := range schema.Properties {
		wholeLists(one)
	}
}

// made is a document as it was at a moment.
type made struct {
	offer    *engine.Offer
	document map[string]any
	text     []byte
	revision string // the hash of its canonical text
}

// current gives the document for whoever asks.
func (a *API) current(ctx context.Context) (*made, error) {
	offer, err := a.o.Engine.Offer(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // failed words it
	}
	return a.documentOf(offer, whoOf(ctx))
}

// documentOf gives the document of what can be called, as somebody sees it.
func (a *API) documentOf(offer *engine.Offer, who Who) (*made, error) {
	key := ""
	if !who.Person && who.Tools != nil {
		key = "only " + strings.Join(who.Tools, " ")
	}
	a.mu.Lock()
	last := a.made[key]
	a.mu.Unlock()
	if last != nil && last.offer == offer {
		return last, nil
	}
	m, err := a.make(offer, who)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.made) > mostMade {
		clear(a.made)
	}
	a.made[key] = m
	return m, nil
}

// mostMade is for how many lists of tools a document is kept.
const mostMade = 64

// describe writes what never changes in the document.
func (a *API) describe() ([]byte, error) {
	text, err := json.Marshal(a.huma.OpenAPI())
	if err != nil {
		return nil, fmt.Errorf("describe the server: %w", err)
	}
	// Errors are problems, and huma's own type for them is nowhere.
	return bytes.ReplaceAll(text, []byte(`"`+schemasAt+`ErrorModel"`), []byte(`"`+a.problem.Ref+`"`)), nil
}

func (a *API) make(offer *engine.Offer, who Who) (*made, error) {
	text, err := a.services()
	if err != nil {
		return nil, err
	}
	v, err := value.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("describe the server: %w", err)
	}
	document, _ := v.(map[string]any)
	components, _ := document["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	delete(schemas, "ErrorModel")
	delete(schemas, "ErrorDetail")
	addTools(document, slices.DeleteFunc(slices.Clone(offer.Tools), func(c *engine.Callable) bool { return !who.MayCall(c.Name) }))
	addProblems(document)
	streams := []any{map[string]any{
		"path": "/v1/events", "transport": "text/event-stream", "resume": "Last-Event-ID",
		"summary": "What changes, as it does", "message": map[string]any{"$ref": a.event.Ref},
	}}
	if a.o.Ports != nil {
		messages := schemaOf(schemas, "PortMessage", port.Schema())
		streams = append(streams, map[string]any{
			"path": port.Path, "transport": "websocket", "subprotocol": port.Subprotocol, "summary": "A port, by which a program supplies tools", "message": messages,
		})
	}
	document["x-streams"] = streams
	return madeOf(offer, document), nil
}

func madeOf(offer *engine.Offer, document map[string]any) *made {
	canonical := value.AppendJSON(nil, document)
	sum := sha256.Sum256(canonical)
	return &made{offer: offer, document: document, text: canonical, revision: hex.EncodeToString(sum[:])}
}

// serveDocument gives the document, or a view of it, to whoever asks.
func (a *API) serveDocument(w http.ResponseWriter, r *http.Request, asYAML bool) {
	m, err := a.current(r.Context())
	if err == nil {
		m, err = a.viewed(m, r)
	}
	if err != nil {
		a.failed(r.Context(), err).write(w)
		return
	}
	if unchanged(w, r, m.revision) {
		return
	}
	if !asYAML {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(m.text) // whoever asked has gone where it fails
		return
	}
	text, err := yamlOf(m.document)
	if err != nil {
		a.failed(r.Context(), err).write(w)
		return
	}
	w.Header().Set("Content-Type", "application/openapi+yaml")
	_, _ = w.Write(text)
}

// viewed is the document as the query of a request wants it.
func (a *API) viewed(m *made, r *http.Request) (*made, error) {
	for name := range r.URL.Query() {
		if name != "profile" {
			return nil, faultOf("query."+visible.Cut(name, mostRepeated), "unknown query parameter")
		}
	}
	switch profile := r.URL.Query().Get("profile"); {
	case !r.URL.Query().Has("profile"):
		return m, nil
	case profile == profileActions:
		return a.actions(m, whoOf(r.Context()), a.addressOf(r))
	default:
		return nil, faultOf("query.profile", fmt.Sprintf("there is no profile %q; there is %q, or none for the whole document", visible.Cut(profile, mostRepeated), profileActions))
	}
}

// faultOf is the problem of one thing of a request that is wrong.
func faultOf(field, message string) *Problem {
	p := problem(http.StatusUnprocessableEntity, "INVALID", "%s: %s", field, message)
	p.Field = visible.Line(field)
	return p
}

// addressOf is the address of this server as whoever asks reaches it. Behind a proxy that is the
// name that the server was given, over https.
func (a *API) addressOf(r *http.Request) string {
	host := r.Host
	if a.o.Proxied {
		name := host
		if h, _, err := net.SplitHostPort(host); err == nil {
			name = h
		}
		if known := a.o.Guard.Hosts; len(known) > 0 && !slices.Contains(known, strings.ToLower(name)) {
			host = known[0]
		}
	}
	at := url.URL{Scheme: "http", Host: host}
	if a.o.Proxied || r.TLS != nil {
		at.Scheme = "https"
	}
	return at.String()
}

// unchanged sets the headers of what has a revision, and answers where whoever asks has it.
func unchanged(w http.ResponseWriter, r *http.Request, revision string) bool {
	tag := `"` + revision + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "no-cache")
	if !slices.Contains(strings.Split(strings.ReplaceAll(r.Header.Get("If-None-Match"), " ", ""), ","), tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}
