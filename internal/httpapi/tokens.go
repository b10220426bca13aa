package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// tokenShown is a program that may ask.
type tokenShown struct {
	Name    string    `json:"name" doc:"Its name."`
	AddedAt time.Time `json:"addedAt" doc:"When it was added."`
	AddedBy string    `json:"addedBy" doc:"By whom."`
	Tools   []string  `json:"tools,omitempty" nullable:"false" doc:"The tools that it may call; not there where it may call all."`
}

type tokenList struct {
	Tokens []tokenShown `json:"tokens" nullable:"false" doc:"The programs, by name."`
	Next   string       `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

type tokenNew struct {
	Name  string   `json:"name" maxLength:"100" doc:"What the program is to be called: 1 to 64 letters, digits, \".\", \"_\" and \"-\"."`
	Tools []string `json:"tools,omitempty" nullable:"false" minItems:"1" maxItems:"1000" doc:"The tools that it may call, each of which has to be there; all if nothing is said."`
}

type tokenMade struct {
	Name  string `json:"name" doc:"The name of the program."`
	Token string `json:"token" doc:"Its token. It is given this once, and only a hash of it is kept."`
}

type tokenRemoved struct {
	Removed string `json:"removed" doc:"The name of the program that is let in no more."`
}

// tokens adds what lets programs in.
func (a *API) tokens() {
	tags := []string{"tokens"}
	huma.Register(a.huma, huma.Operation{
		OperationID: "listTokens", Method: http.MethodGet, Path: "/v1/tokens", Summary: "The programs that may ask", Tags: tags,
	}, own(a, func(ctx context.Context, in *Page) (tokenList, error) {
		list, err := a.o.Engine.Tokens(ctx)
		if err != nil {
			return tokenList{}, err //nolint:wrapcheck // own words it
		}
		part, next, err := cutPage(list, *in)
		out := tokenList{Tokens: make([]tokenShown, len(part)), Next: next}
		for i, t := range part {
			out.Tokens[i] = tokenShown{t.Name, t.AddedAt.UTC(), t.AddedBy, t.Tools}
		}
		return out, err
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "addToken", Method: http.MethodPost, Path: "/v1/tokens", Summary: "Let a program in", Tags: tags,
		Description: "It may call tools, and see what it has begun itself. It may decide nothing.",
	}, own(a, func(ctx context.Context, in *struct{ Body tokenNew }) (tokenMade, error) {
		for i, name := range in.Body.Tools {
			if _, err := a.o.Engine.Callable(ctx, name); err != nil {
				p := a.failed(ctx, err)
				if p.Status < http.StatusInternalServerError {
					p.Status, p.Title, p.Field = http.StatusUnprocessableEntity, http.StatusText(http.StatusUnprocessableEntity), fmt.Sprintf("body.tools[%d]", i)
				}
				return tokenMade{}, p
			}
		}
		token, err := a.o.Engine.AddToken(ctx, in.Body.Name, in.Body.Tools)
		return tokenMade{in.Body.Name, token}, err //nolint:wrapcheck // own words it
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "removeToken", Method: http.MethodDelete, Path: "/v1/tokens/{name}", Summary: "Let a program in no more", Tags: tags,
		Description: "It counts at once, and the ports and events that the program has open end within a second.",
	}, own(a, func(ctx context.Context, in *struct {
		Name string `path:"name" maxLength:"100" doc:"The name of the program."`
	}) (tokenRemoved, error) {
		return tokenRemoved{in.Name}, a.o.Engine.RemoveToken(ctx, in.Name) //nolint:wrapcheck // own words it
	}))
}
