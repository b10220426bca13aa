package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/engine"
	"toolsmith/internal/port"
	"toolsmith/internal/value"
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
	revision string
}

// current gives the document for whoever asks, and its revision: the hash of its canonical text.
func (a *API) current(ctx context.Context) (*made, string, error) {
	offer, err := a.o.Engine.Offer(ctx)
	if err != nil {
		return nil, "", err //nolint:wrapcheck // failed words it
	}
	who, key := whoOf(ctx), ""
	if !who.Person && who.Tools != nil {
		key = strings.Join(who.Tools, " ")
	}
	a.mu.Lock()
	last := a.made[key]
	a.mu.Unlock()
	if last != nil && last.offer == offer {
		return last, last.revision, nil
	}
	m, err := a.make(offer, who)
	if err != nil {
		return nil, "", err
	}
	a.mu.Lock()
	changed := last != nil && last.revision != m.revision
	if len(a.made) > mostMade {
		clear(a.made)
	}
	a.made[key] = m
	a.mu.Unlock()
	if changed {
		a.events.tell("", Event{Type: "tools", Revision: m.revision})
	}
	return m, m.revision, nil
}

// mostMade is for how many lists of tools a document is kept.
const mostMade = 64

func (a *API) make(offer *engine.Offer, who Who) (*made, error) {
	text, err := json.Marshal(a.huma.OpenAPI())
	if err != nil {
		return nil, fmt.Errorf("describe the server: %w", err)
	}
	v, err := value.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("describe the server: %w", err)
	}
	document, _ := v.(map[string]any)
	components, _ := document["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	schemas["ErrorModel"] = map[string]any{"$ref": a.problem.Ref}
	paths, _ := document["paths"].(map[string]any)
	for _, c := range offer.Tools {
		if who.MayCall(c.Name) {
			paths["/v1/tools/"+url.PathEscape(c.Name)+"/call"] = map[string]any{"post": operationOf(c, schemas)}
		}
	}
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
	canonical := value.AppendJSON(nil, document)
	sum := sha256.Sum256(canonical)
	return &made{offer: offer, document: document, text: canonical, revision: hex.EncodeToString(sum[:])}, nil
}

// operationOf describes a tool as an operation of its own.
func operationOf(c *engine.Callable, schemas map[string]any) map[string]any {
	parameters, result := c.Schemas()
	came := map[string]any{"allOf": []any{
		map[string]any{"$ref": "#/components/schemas/CallAnswer"},
		map[string]any{"type": "object", "properties": map[string]any{"value": schemaOf(schemas, wireName(c.Name)+"-result", result)}},
	}}
	answer := func(description string, schema any) map[string]any {
		return map[string]any{"description": description, "content": map[string]any{"application/json": map[string]any{"schema": schema}}}
	}
	return map[string]any{
		"operationId": "call_" + wireName(c.Name), "summary": c.Title, "description": c.Description(), "tags": []any{"tools"},
		"x-tool": c.Name, "x-version": c.Version, "x-risk": c.Marks().Risk.String(),
		"parameters": []any{
			map[string]any{"name": "wait", "in": "query", "description": "For how many seconds to wait for the end.", "schema": map[string]any{
				"type": "integer", "minimum": value.Int(0), "maximum": value.Int(300), "default": value.Int(30),
			}},
			map[string]any{"name": "Idempotency-Key", "in": "header", "description": "A second call with the same key attaches to the first.", "schema": map[string]any{
				"type": "string", "maxLength": value.Int(200),
			}},
		},
		"requestBody": map[string]any{"required": true, "content": map[string]any{"application/json": map[string]any{"schema": schemaOf(schemas, wireName(c.Name)+"-parameters", parameters)}}},
		"responses": map[string]any{
			"200": answer("The call is over, whatever it came to.", came),
			"202": answer("The call goes on.", came), // so that what it comes to has one type
			"default": map[string]any{"description": "Error", "content": map[string]any{
				"application/problem+json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Problem"}},
			}},
		},
	}
}

// schemaOf is a schema that stands by itself, as a part of the document: its definitions become
// components of the document under names of their own, and what refers to them does so there.
func schemaOf(schemas map[string]any, name string, text json.RawMessage) any {
	v, err := value.Decode(text)
	if err != nil {
		return map[string]any{}
	}
	schema, ok := v.(map[string]any)
	if !ok {
		return v
	}
	delete(schema, "$schema")
	definitions, _ := schema["$defs"].(map[string]any)
	delete(schema, "$defs")
	prefix := "#/components/schemas/" + name
	for one, definition := range definitions {
		refer(definition, prefix)
		schemas[name+"-"+wireName(one)] = definition
	}
	if refer(schema, prefix) { // it means itself
		schemas[name] = schema
		return map[string]any{"$ref": prefix}
	}
	return schema
}

// refer has what refers to parts of a schema refer to the components that they became, and
// reports whether the schema as a whole is referred to.
func refer(v any, prefix string) (whole bool) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			whole = refer(one, prefix) || whole
		}
	case map[string]any:
		for name, one := range v {
			text, isText := one.(string)
			switch definition, ok := strings.CutPrefix(text, "#/$defs/"); {
			case name != "$ref" || !isText:
				whole = refer(one, prefix) || whole
			case ok:
				v[name] = prefix + "-" + wireName(definition)
			case text == "#":
				v[name], whole = prefix, true
			}
		}
	}
	return whole
}

// wireName is a name with nothing but letters, digits, "_" and "-".
func wireName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

func (a *API) serveDocument(w http.ResponseWriter, r *http.Request, asYAML bool) {
	m, revision, err := a.current(r.Context())
	if err != nil {
		a.failed(r.Context(), err).write(w)
		return
	}
	tag := `"` + revision + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "no-cache")
	if slices.Contains(strings.Split(strings.ReplaceAll(r.Header.Get("If-None-Match"), " ", ""), ","), tag) {
		w.WriteHeader(http.StatusNotModified)
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
