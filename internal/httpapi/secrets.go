package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/engine"
	"toolsmith/internal/registry"
	"toolsmith/internal/secret"
	"toolsmith/tool"
)

// Secrets keeps secrets. No value comes back out of it here.
type Secrets interface {
	ListAll(ctx context.Context) ([]secret.Info, error)
	Set(ctx context.Context, namespace, name, value string, a secret.Attributes) (notes []string, err error)
	Delete(ctx context.Context, namespace, name string) error
}

type secretShown struct {
	Tool      string     `json:"tool" doc:"The tool that it belongs to, as the paths for it name it."`
	Namespace string     `json:"namespace" doc:"Whose it is: the tool, and since when it is installed."`
	Name      string     `json:"name" doc:"Its name. Values are never given."`
	Header    string     `json:"header,omitempty" doc:"The header that it is attached as."`
	Prefix    string     `json:"prefix,omitempty" doc:"What stands before it in the header."`
	SetAt     time.Time  `json:"setAt" doc:"When it was set."`
	SetBy     string     `json:"setBy" doc:"By whom."`
	Readable  bool       `json:"readable" doc:"Whether it can be opened here."`
	Problem   *callError `json:"problem,omitempty" doc:"Why it cannot be opened."`
}

type secretList struct {
	Secrets []secretShown `json:"secrets" nullable:"false" doc:"The secrets, by whose they are and their names."`
	Next    string        `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

// secretGiven is a secret that is to be kept.
type secretGiven struct {
	Value  string  `json:"value" doc:"The value. It is never given back. Line breaks around it are left out."`
	Header *string `json:"header,omitempty" doc:"The header of a request that it is attached to; Authorization by default, and none where it is empty."`
	Prefix *string `json:"prefix,omitempty" doc:"What stands before it in the header; \"Bearer \" by default, and nothing with another header."`
}

func (g secretGiven) attributes() secret.Attributes {
	out := secret.Bearer()
	if g.Header != nil && *g.Header != out.Header {
		out = secret.Attributes{Header: *g.Header}
	}
	if g.Prefix != nil {
		out.Prefix = *g.Prefix
	}
	return out
}

type secretKept struct {
	Tool   string   `json:"tool" doc:"The tool that it belongs to."`
	Name   string   `json:"name" doc:"Its name."`
	Header string   `json:"header" doc:"The header that it is attached as; empty for none."`
	Prefix string   `json:"prefix" doc:"What stands before it in the header."`
	Notes  []string `json:"notes" nullable:"false" doc:"What is worth knowing of it."`
}

type secretForgotten struct {
	Tool    string `json:"tool" doc:"The tool that it belonged to."`
	Deleted string `json:"deleted" doc:"Its name."`
}

// SecretPath names a secret of a tool.
type SecretPath struct {
	Tool string `path:"tool" maxLength:"300" doc:"The tool: an installed one, go:NAME for one of a program in Go, or port:PORT/NAME for one of a port."`
	Name string `path:"name" maxLength:"100" doc:"The name of the secret. That of a credential is its id."`
}

// secrets adds what is kept for tools to get in elsewhere.
func (a *API) secrets() {
	tags := []string{"secrets"}
	huma.Register(a.huma, huma.Operation{
		OperationID: "listSecrets", Method: http.MethodGet, Path: "/v1/secrets", Summary: "The names of the secrets", Tags: tags,
	}, own(a, func(ctx context.Context, in *Page) (secretList, error) {
		if a.o.Secrets == nil {
			return secretList{Secrets: []secretShown{}}, nil
		}
		list, err := a.o.Secrets.ListAll(ctx)
		if err != nil {
			return secretList{}, err //nolint:wrapcheck // own words it
		}
		part, next, err := cutPage(list, *in)
		out := secretList{Secrets: make([]secretShown, len(part)), Next: next}
		for i, s := range part {
			out.Secrets[i] = showSecret(s)
		}
		return out, err
	}))
	if a.o.Secrets == nil {
		return
	}
	const path = "/v1/secrets/{tool}/{name}"
	huma.Register(a.huma, huma.Operation{
		OperationID: "setSecret", Method: http.MethodPut, Path: path, Summary: "Keep a secret of a tool, in place of an earlier one", Tags: tags,
		Description: "A run that waits for it goes on.",
	}, own(a, a.setSecret))
	huma.Register(a.huma, huma.Operation{
		OperationID: "deleteSecret", Method: http.MethodDelete, Path: path, Summary: "Forget a secret of a tool", Tags: tags,
		Description: "Also one that cannot be opened any more.",
	}, own(a, func(ctx context.Context, in *SecretPath) (secretForgotten, error) {
		namespace, err := a.o.Engine.Namespace(ctx, in.Tool)
		if err != nil {
			return secretForgotten{}, err //nolint:wrapcheck // own words it
		}
		err = a.o.Secrets.Delete(ctx, namespace, in.Name)
		return secretForgotten{engine.SecretOwner(namespace), in.Name}, err
	}))
}

func showSecret(s secret.Info) secretShown {
	out := secretShown{
		Tool: engine.SecretOwner(s.Namespace), Namespace: s.Namespace, Name: s.Name, Header: s.Header, Prefix: s.Prefix,
		SetAt: s.SetAt.UTC(), SetBy: s.SetBy, Readable: s.Unreadable == nil,
	}
	if s.Unreadable != nil {
		out.Problem = errorShown(s.Unreadable)
	}
	return out
}

func (a *API) setSecret(ctx context.Context, in *struct {
	SecretPath
	Body secretGiven
}) (secretKept, error) {
	namespace, err := a.o.Engine.Namespace(ctx, in.Tool)
	if err != nil {
		return secretKept{}, err //nolint:wrapcheck // own words it
	}
	attributes := in.Body.attributes()
	out := secretKept{Tool: engine.SecretOwner(namespace), Name: in.Name, Header: attributes.Header, Prefix: attributes.Prefix}
	notes, err := a.o.Secrets.Set(ctx, namespace, in.Name, in.Body.Value, attributes)
	if err != nil {
		return out, err //nolint:wrapcheck // own words it
	}
	out.Notes = append([]string{}, notes...)
	if err := a.o.Worker.SecretGiven(ctx, out.Tool, in.Name); err != nil {
		return out, err //nolint:wrapcheck // own words it
	}
	// A tool of a program that is written in Go is not known here.
	entry, err := a.o.Engine.Tool(ctx, in.Tool)
	if err != nil && tool.Code(err) != registry.CodeNotFound {
		return out, err //nolint:wrapcheck // own words it
	}
	if note := engine.Undeclared(entry, in.Name); note != "" {
		out.Notes = append(out.Notes, note)
	}
	return out, nil
}
