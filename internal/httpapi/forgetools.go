package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/rogpeppe/go-internal/diff"

	"toolsmith/internal/check"
	"toolsmith/internal/registry"
)

// ToolPath names an installed tool.
type ToolPath struct {
	Name string `path:"tool" maxLength:"200" doc:"The name of the tool, with the prefix \"dynamic:\" of a manifest or without it."`
}

type installedList struct {
	Tools []InstalledShown `json:"tools" nullable:"false" doc:"The installed tools, by id."`
	Next  string           `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

type turnedShown struct {
	Tool    InstalledShown `json:"tool" doc:"The tool as it is now."`
	Changed bool           `json:"changed" doc:"Whether it was otherwise before."`
}

type rolledBack struct {
	Tool InstalledShown `json:"tool" doc:"The tool as it is now, which is off."`
	From int64          `json:"from" doc:"The version that was active before."`
}

type removedTool struct {
	ID      string `json:"id" doc:"The id of the tool."`
	Name    string `json:"name" doc:"The name under which it was called."`
	Version int64  `json:"version" doc:"The version that was active."`
}

type removedShown struct {
	Removed removedTool `json:"removed" doc:"What was taken away. Its text can still be exported, until a tool with its id is installed."`
}

type exportShown struct {
	ID         string `json:"id" doc:"The id of the tool."`
	Kind       string `json:"kind" enum:"manifest,code" doc:"What the text is: a manifest, or TypeScript or JavaScript."`
	SourceFile string `json:"sourceFile,omitempty" doc:"The name of the file of a tool in code."`
	Version    int64  `json:"version" doc:"The version."`
	Digest     string `json:"digest" doc:"The digest of the version, in lower-case hex; of a manifest the SHA-256 of the text."`
	Text       string `json:"text" doc:"The text, as it was installed; of a tool in code its source, with the other tools of its file."`
}

// versionShown is a kept version of a tool.
type versionShown struct {
	Version     int64     `json:"version" doc:"The version."`
	InstalledAt time.Time `json:"installedAt" doc:"When it was installed."`
	InstalledBy string    `json:"installedBy" doc:"By whom."`
	Digest      string    `json:"digest" doc:"Its digest in lower-case hex; of a manifest the SHA-256 of its text."`
	Active      bool      `json:"active" doc:"Whether it is the one that counts."`
	Enabled     bool      `json:"enabled" doc:"Whether it is the one that counts, and on."`
}

type versionList struct {
	Tool     string         `json:"tool" doc:"The name of the tool."`
	Versions []versionShown `json:"versions" nullable:"false" doc:"The kept versions, the highest first."`
	Next     string         `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

type compared struct {
	Tool  string     `json:"tool" doc:"The name of the tool."`
	From  int64      `json:"from" doc:"The earlier version."`
	To    int64      `json:"to" doc:"The later version."`
	Facts *diffShown `json:"facts,omitempty" doc:"What is different; not there where one of the two no longer passes the check."`
	Text  string     `json:"text" doc:"The texts side by side, as a unified diff; empty where they are the same."`
}

// installed adds what can be done with the installed tools.
func (a *API) installed(tags []string) {
	const one = "/v1/forge/tools/{tool}"
	huma.Register(a.huma, huma.Operation{
		OperationID: "listInstalled", Method: http.MethodGet, Path: "/v1/forge/tools", Summary: "The installed tools, those that are off too", Tags: tags,
	}, own(a, func(ctx context.Context, in *Page) (installedList, error) {
		list, err := a.o.Engine.Tools(ctx)
		if err != nil {
			return installedList{}, err //nolint:wrapcheck // own words it
		}
		part, next, err := cutPage(list, *in)
		out := installedList{Tools: make([]InstalledShown, len(part)), Next: next}
		for i, e := range part {
			out.Tools[i] = a.showInstalled(e)
		}
		return out, err
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "getInstalled", Method: http.MethodGet, Path: one, Summary: "One installed tool with all about it", Tags: tags,
	}, own(a, func(ctx context.Context, in *ToolPath) (installedTool, error) {
		entry, versions, err := a.o.Engine.Versions(ctx, in.Name)
		if err != nil {
			return installedTool{}, err //nolint:wrapcheck // own words it
		}
		return a.showWhole(entry, versions), nil
	}))
	a.turn("enableTool", one+"/enable", "Turn a tool on", a.o.Engine.Enable, tags)
	a.turn("disableTool", one+"/disable", "Turn a tool off", a.o.Engine.Disable, tags)
	huma.Register(a.huma, huma.Operation{
		OperationID: "rollbackTool", Method: http.MethodPost, Path: one + "/rollback", Summary: "Go back to an earlier version of a tool", Tags: tags,
		Description: "The tool is off afterwards. No version is lost.",
	}, own(a, func(ctx context.Context, in *struct {
		ToolPath
		Body *struct {
			To int64 `json:"to,omitempty" minimum:"1" doc:"The version to go to, which may also be a later one; the one before by default."`
		}
	}) (rolledBack, error) {
		to := int64(0)
		if in.Body != nil {
			to = in.Body.To
		}
		entry, from, err := a.o.Engine.Rollback(ctx, in.Name, to)
		if err != nil {
			return rolledBack{}, err //nolint:wrapcheck // own words it
		}
		return rolledBack{a.showInstalled(entry), from}, nil
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "removeTool", Method: http.MethodDelete, Path: one, Summary: "Take a tool away", Tags: tags,
		Description: "With it goes what it remembers between runs, and its secrets. Its audit stays.",
	}, own(a, func(ctx context.Context, in *ToolPath) (removedShown, error) {
		removed, err := a.o.Engine.Remove(ctx, in.Name)
		return removedShown{Removed: removedTool{removed.ID, check.ToolName(removed.ID), removed.Active}}, err //nolint:wrapcheck // own words it
	}))
	a.versions(one, tags)
}

// turn adds an operation that turns a tool on or off.
func (a *API) turn(id, path, summary string, do func(ctx context.Context, name string) (registry.Entry, bool, error), tags []string) {
	huma.Register(a.huma, huma.Operation{
		OperationID: id, Method: http.MethodPost, Path: path, Summary: summary, Tags: tags,
	}, own(a, func(ctx context.Context, in *ToolPath) (turnedShown, error) {
		entry, changed, err := do(ctx, in.Name)
		if err != nil {
			return turnedShown{}, err
		}
		return turnedShown{a.showInstalled(entry), changed}, nil
	}))
}

// versions adds what is kept of the versions of a tool.
func (a *API) versions(one string, tags []string) {
	huma.Register(a.huma, huma.Operation{
		OperationID: "exportTool", Method: http.MethodGet, Path: one + "/export", Summary: "The text of a tool, as it was installed", Tags: tags,
	}, own(a, func(ctx context.Context, in *struct {
		ToolPath
		Version int64 `query:"version" minimum:"1" doc:"The version; the active one by default."`
	}) (exportShown, error) {
		v, err := a.o.Engine.Export(ctx, in.Name, in.Version)
		return exportShown{v.ToolID, kindOf(v.ToolID), v.File(), v.Version, v.Digest, string(v.Source())}, err //nolint:wrapcheck // own words it
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "listVersions", Method: http.MethodGet, Path: one + "/versions", Summary: "The kept versions of a tool", Tags: tags,
	}, own(a, func(ctx context.Context, in *struct {
		ToolPath
		Page
	}) (versionList, error) {
		entry, list, err := a.o.Engine.Versions(ctx, in.Name)
		if err != nil {
			return versionList{}, err //nolint:wrapcheck // own words it
		}
		part, next, err := cutPage(list, in.Page)
		out := versionList{Tool: entry.Name(), Versions: make([]versionShown, len(part)), Next: next}
		for i, v := range part {
			active := v.Version == entry.Tool.Active
			out.Versions[i] = versionShown{v.Version, v.InstalledAt.UTC(), v.InstalledBy, v.Digest, active, active && entry.Tool.Enabled}
		}
		return out, err
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "diffTool", Method: http.MethodGet, Path: one + "/diff", Summary: "Compare two kept versions of a tool", Tags: tags,
		Description: "First what the tool may do, then its steps, then the text.",
	}, own(a, func(ctx context.Context, in *struct {
		ToolPath
		From int64 `query:"from" minimum:"1" doc:"The earlier version; the one before the later one by default."`
		To   int64 `query:"to" minimum:"1" doc:"The later version; the active one by default."`
	}) (compared, error) {
		d, err := a.o.Engine.Diff(ctx, in.Name, in.From, in.To)
		if err != nil {
			return compared{}, err //nolint:wrapcheck // own words it
		}
		out := compared{Tool: check.ToolName(d.To.ToolID), From: d.From.Version, To: d.To.Version}
		if d.Facts != nil {
			out.Facts = showDiff(*d.Facts)
		}
		out.Text = string(diff.Diff(fmt.Sprintf("version %d", out.From), d.From.Source(), fmt.Sprintf("version %d", out.To), d.To.Source()))
		return out, nil
	}))
}
