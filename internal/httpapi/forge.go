package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/manifest"
	"toolsmith/internal/registry"
	"toolsmith/tool"
)

// manifestText is a manifest, as it stands in a .talostool file.
type manifestText struct {
	Text string `json:"text" doc:"The manifest as text, as it stands in a .talostool file."`
}

type checkShown struct {
	OK          bool              `json:"ok" doc:"Whether it may be installed: there are no errors."`
	Diagnostics []diagnosticShown `json:"diagnostics" nullable:"false" doc:"Everything that there is to say, in the order of the text."`
	Tool        *ToolFacts        `json:"tool,omitempty" doc:"What was worked out of the tool; not there where there are errors."`
}

type installDone struct {
	Tool        InstalledShown    `json:"tool" doc:"The tool as it is now. A new version is off."`
	Installed   bool              `json:"installed" doc:"Whether something was changed; false where this very text is the active version already."`
	Diagnostics []diagnosticShown `json:"diagnostics" nullable:"false" doc:"The warnings of the check."`
	Diff        *diffShown        `json:"diff,omitempty" doc:"What changed against the version that was active before; not there for a new tool."`
}

// capabilityShown is something that a step of a tool can call.
type capabilityShown struct {
	Name          string          `json:"name" doc:"The name, as a manifest writes it."`
	Summary       string          `json:"summary" doc:"What it does, in a sentence."`
	Power         string          `json:"power" enum:"outbound,read,write" doc:"The power that it needs."`
	Risk          string          `json:"risk" enum:"R1,R2,R3,R4" doc:"The risk of calling it."`
	MaxInputBytes int             `json:"maxInputBytes" doc:"How large its input may be, in bytes of compact JSON."`
	Private       bool            `json:"private" doc:"Whether what it gives is your own data."`
	Untrusted     bool            `json:"untrusted" doc:"Whether what it gives may have been written by others."`
	Undo          string          `json:"undo,omitempty" doc:"The capability that takes back what it did, where there is one."`
	Input         json.RawMessage `json:"input,omitempty" doc:"The JSON Schema of its input."`
	Result        json.RawMessage `json:"result,omitempty" doc:"The JSON Schema of what it gives."`
}

type capabilityList struct {
	Capabilities []capabilityShown `json:"capabilities" nullable:"false" doc:"The capabilities, by name."`
	Next         string            `json:"next,omitempty" doc:"The cursor of the next page; there is none after the last."`
}

// forge adds what makes and keeps tools. All of it is for the person.
func (a *API) forge() {
	tags := []string{"forge"}
	huma.Register(a.huma, huma.Operation{
		OperationID: "checkTool", Method: http.MethodPost, Path: "/v1/forge/check", Summary: "Find everything that is wrong with a manifest", Tags: tags,
		Description: "Nothing is installed and nothing runs. A manifest with errors is an answer like any other: 200 with ok false.",
	}, own(a, func(ctx context.Context, in *struct{ Body manifestText }) (checkShown, error) {
		results, err := a.o.Engine.Check(ctx, "", []byte(in.Body.Text))
		if err != nil {
			return checkShown{}, err
		}
		result := results[0]
		out := checkShown{OK: result.OK(), Diagnostics: showDiagnostics(result.Diagnostics)}
		if result.OK() {
			facts := showFacts(result.Tool)
			out.Tool = &facts
		}
		return out, nil
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "tryTool", Method: http.MethodPost, Path: "/v1/forge/try", Summary: "Run a tool dry: read real data, write nothing", Tags: tags,
		Description: "Reads see the real data, and what the run itself would have written; nothing is written, nothing is asked and nothing is sent. With a script the answers of capabilities and of the model come from there.",
	}, own(a, a.try))
	huma.Register(a.huma, huma.Operation{
		OperationID: "installTool", Method: http.MethodPost, Path: "/v1/forge/tools", Summary: "Keep a tool, or a new version of one", Tags: tags,
		Description: "It is off afterwards, until you turn it on. A manifest with errors gives MANIFEST_INVALID with all of them, and changes nothing. The very same text again changes nothing either.",
	}, own(a, func(ctx context.Context, in *struct{ Body manifestText }) (installDone, error) {
		tools, warnings, err := a.o.Engine.Checked(ctx, "", []byte(in.Body.Text))
		if err != nil {
			return installDone{}, refuseManifest(err)
		}
		all, err := a.o.Engine.Install(ctx, tools...)
		if err != nil {
			return installDone{}, err
		}
		done := all[0]
		out := installDone{Tool: a.showInstalled(done.Entry), Installed: !done.Same, Diagnostics: showDiagnostics(warnings)}
		if before := done.Before; before != nil && !done.Same && before.Checked != nil {
			out.Diff = showDiff(registry.Compare(before.Checked, done.Entry.Checked))
		}
		return out, nil
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "listCapabilities", Method: http.MethodGet, Path: "/v1/forge/capabilities", Summary: "What a step of a tool can call", Tags: tags,
	}, own(a, func(_ context.Context, in *Page) (capabilityList, error) {
		part, next, err := cutPage(a.o.Engine.Capabilities(), *in)
		out := capabilityList{Capabilities: make([]capabilityShown, len(part)), Next: next}
		for i, c := range part {
			out.Capabilities[i] = capabilityShown{
				c.Name, c.Summary, string(c.Power), c.Risk.String(), c.MaxInput, c.Private, c.Untrusted, c.Undo, c.Input, c.Result,
			}
		}
		return out, err
	}))
	a.installed(tags)
}

// refuseManifest words the error of a manifest that cannot be used: all its errors, each at its
// place. Warnings are no reason.
func refuseManifest(err error) error {
	var invalid *engine.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	p := problem(http.StatusUnprocessableEntity, "MANIFEST_INVALID", "%s", invalid.Error())
	for _, d := range manifest.Errors(invalid.Diagnostics) {
		p.Errors = append(p.Errors, Fault{Field: d.Path, Message: d.Message, Code: d.Code, Line: d.Line, Column: d.Column})
	}
	if len(p.Errors) > 0 {
		p.Field = p.Errors[0].Field
	}
	return p
}

// meant finds the tool that a request is about: a manifest that it brings, or an installed tool.
func (a *API) meant(ctx context.Context, text, name *string) (c *check.Checked, installed bool, err error) {
	switch {
	case (text == nil) == (name == nil):
		return nil, false, invalidField("body", "Give either a manifest as text, or the name of an installed tool.")
	case text != nil:
		tools, _, err := a.o.Engine.Checked(ctx, "", []byte(*text))
		if err != nil {
			return nil, false, refuseManifest(err)
		}
		return tools[0], false, nil
	}
	entry, err := a.o.Engine.Tool(ctx, *name)
	if err != nil {
		return nil, false, err //nolint:wrapcheck // own words it
	}
	if entry.Checked == nil {
		return nil, false, entry.Obstacle() //nolint:wrapcheck // likewise
	}
	return entry.Checked, true, nil
}

// invalidField is the problem of a part of a request that is at fault.
func invalidField(field, format string, args ...any) *Problem {
	p := problem(http.StatusUnprocessableEntity, "INVALID", format, args...)
	p.Field = field
	return p
}

// messageOf is the text of an error without its code.
func messageOf(err error) string {
	var coded *tool.Error
	if errors.As(err, &coded) {
		return coded.Message
	}
	return err.Error()
}
