package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/consent"
)

// grantShown is what was allowed for longer.
type grantShown struct {
	ID         string              `json:"id" doc:"Its id."`
	Tool       string              `json:"tool" doc:"The tool."`
	Version    string              `json:"version" doc:"The exact version that it is for."`
	Run        string              `json:"run,omitempty" doc:"The run that it is for; all, if there is none."`
	Conditions []consent.Condition `json:"conditions,omitempty" doc:"What the arguments must meet."`
	ExpiresAt  *time.Time          `json:"expiresAt,omitempty" doc:"When it ends."`
	Who        string              `json:"who" doc:"Who gave it."`
	From       string              `json:"from" doc:"From where."`
	At         time.Time           `json:"at" doc:"When."`
	RevokedAt  *time.Time          `json:"revokedAt,omitempty" doc:"When it was taken back."`
}

func showGrant(g consent.Grant) grantShown {
	return grantShown{g.ID, g.Tool, g.Version, g.Run, g.Conditions, g.ExpiresAt, g.Who, g.From, g.At, g.RevokedAt}
}

type grantList struct {
	Grants []grantShown `json:"grants" doc:"The grants, the newest first."`
	Next   string       `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

type settingsShown struct {
	Powers  map[string]string `json:"powers" doc:"What counts for each power: allow, ask or deny."`
	Tools   map[string]string `json:"tools" doc:"Tools that are asked about or denied whatever their powers allow."`
	Hosts   map[string]string `json:"hosts" doc:"Hosts that may have an address in your own network."`
	Stopped bool              `json:"stopped" doc:"Whether everything is stopped."`
}

// Setting names what something is set for.
type Setting struct {
	Kind string `path:"kind" enum:"power,tool,host" doc:"What it is for."`
	Name string `path:"name" maxLength:"300" doc:"The power, tool or host."`
}

// personal refuses a program: what it is about is the person's own.
func personal(ctx context.Context) error {
	if whoOf(ctx).Person {
		return nil
	}
	return problem(http.StatusForbidden, consent.CodeForbidden, "Only the person may see and change this.")
}

// own makes a handler of the person alone.
func own[I, O any](a *API, do func(ctx context.Context, in *I) (O, error)) func(context.Context, *I) (*output[O], error) {
	return func(ctx context.Context, in *I) (*output[O], error) {
		if err := personal(ctx); err != nil {
			return nil, err
		}
		body, err := do(ctx, in)
		if err != nil {
			return nil, a.failed(ctx, err)
		}
		return &output[O]{body}, nil
	}
}

func (a *API) settings() {
	tags := []string{"settings"}
	huma.Register(a.huma, huma.Operation{
		OperationID: "listGrants", Method: http.MethodGet, Path: "/v1/grants", Summary: "What was allowed for longer", Tags: tags,
	}, own(a, func(ctx context.Context, in *struct {
		Page
		All bool `query:"all" doc:"Also those that do not hold any more."`
	}) (grantList, error) {
		list, err := a.o.Engine.Grants(ctx, in.All)
		if err != nil {
			return grantList{}, err //nolint:wrapcheck // own words it
		}
		part, next, err := cutPage(list, in.Page)
		out := grantList{Grants: make([]grantShown, len(part)), Next: next}
		for i, g := range part {
			out.Grants[i] = showGrant(g)
		}
		return out, err
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "revokeGrant", Method: http.MethodDelete, Path: "/v1/grants/{grant}", Summary: "Take a grant back", Tags: tags,
	}, own(a, func(ctx context.Context, in *struct {
		ID string `path:"grant" maxLength:"100" doc:"The id of the grant, or a beginning of it."`
	}) (grantShown, error) {
		g, err := a.o.Engine.Revoke(ctx, in.ID)
		return showGrant(g), err //nolint:wrapcheck // own words it
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "getSettings", Method: http.MethodGet, Path: "/v1/settings", Summary: "What is allowed, asked about or denied", Tags: tags,
	}, own(a, func(ctx context.Context, _ *struct{}) (settingsShown, error) { return a.set(ctx, nil) }))
	huma.Register(a.huma, huma.Operation{
		OperationID: "putSetting", Method: http.MethodPut, Path: "/v1/settings/{kind}/{name}", Summary: "Set what counts for a power, a tool or a host", Tags: tags,
	}, own(a, func(ctx context.Context, in *struct {
		Setting
		Body struct {
			Permission string `json:"permission" enum:"allow,ask,deny" doc:"What counts."`
		}
	}) (settingsShown, error) {
		return a.set(ctx, func() error {
			return a.o.Engine.SetPermission(ctx, in.Kind, in.Name, consent.Permission(in.Body.Permission)) //nolint:wrapcheck // own words it
		})
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "deleteSetting", Method: http.MethodDelete, Path: "/v1/settings/{kind}/{name}", Summary: "Take back what was set", Tags: tags,
	}, own(a, func(ctx context.Context, in *Setting) (settingsShown, error) {
		return a.set(ctx, func() error { return a.o.Engine.SetPermission(ctx, in.Kind, in.Name, "") }) //nolint:wrapcheck // own words it
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "stop", Method: http.MethodPost, Path: "/v1/stop", Summary: "Stop everything, until it is started again", Tags: tags,
	}, own(a, func(ctx context.Context, _ *struct{}) (settingsShown, error) {
		return a.set(ctx, func() error { _, _, err := a.o.Worker.Stop(ctx); return err }) //nolint:wrapcheck // own words it
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "start", Method: http.MethodPost, Path: "/v1/start", Summary: "Let things begin again", Tags: tags,
	}, own(a, func(ctx context.Context, _ *struct{}) (settingsShown, error) {
		return a.set(ctx, func() error { _, err := a.o.Engine.Start(ctx); return err }) //nolint:wrapcheck // own words it
	}))
}

// set changes the settings, and gives what they are then.
func (a *API) set(ctx context.Context, change func() error) (settingsShown, error) {
	if change != nil {
		if err := change(); err != nil {
			return settingsShown{}, err
		}
	}
	policy, err := a.o.Engine.Policy(ctx)
	if err != nil {
		return settingsShown{}, err //nolint:wrapcheck // own words it
	}
	out := settingsShown{Powers: map[string]string{}, Tools: map[string]string{}, Hosts: map[string]string{}, Stopped: policy.Stopped != nil}
	for _, power := range consent.Powers() {
		out.Powers[string(power)] = string(policy.OfPower(power))
	}
	for name, permission := range policy.Tools {
		out.Tools[name] = string(permission)
	}
	for name, permission := range policy.Hosts {
		out.Hosts[name] = string(permission)
	}
	return out, nil
}
