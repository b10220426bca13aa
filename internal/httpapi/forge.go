package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/check"
	"toolsmith/internal/engine"
	"toolsmith/internal/manifest"
	"toolsmith/internal/registry"
	"toolsmith/internal/worker"
	"toolsmith/tool"
)

// FileName says what the text of a file is.
type FileName struct {
	File string `json:"file,omitempty" maxLength:"255" pattern:"^$|\\.(talostool|json|ts|mts|js|mjs)$" doc:"The name of the file, whose ending says what the text is: TypeScript for .ts and .mts, JavaScript for .js and .mjs, and else a manifest, which it also is without a name."`
}

// fileText is the text of a file: a manifest, or the source of tools in code.
type fileText struct {
	Text string `json:"text" doc:"The text as it stands in the file: a manifest, or TypeScript or JavaScript."`
	FileName
}

type checkShown struct {
	OK          bool              `json:"ok" doc:"Whether it may be installed: there are no errors."`
	Diagnostics []diagnosticShown `json:"diagnostics" nullable:"false" doc:"Everything that there is to say, in the order of the text; of several tools, of one after the other."`
	Tool        *ToolFacts        `json:"tool,omitempty" doc:"What was worked out of the tool; not there where there are errors, or several tools."`
	Tools       []ToolFacts       `json:"tools" nullable:"false" doc:"What was worked out of each tool of the file; none where there are errors."`
}

// KeptShown is what became of one tool of a file.
type KeptShown struct {
	Tool      InstalledShown `json:"tool" doc:"The tool as it is now. A new version is off."`
	Installed bool           `json:"installed" doc:"Whether something was changed; false where this very text is the active version already."`
	Diff      *diffShown     `json:"diff,omitempty" doc:"What changed against the version that was active before; not there for a new tool."`
}

type installDone struct {
	KeptShown
	Diagnostics []diagnosticShown `json:"diagnostics" nullable:"false" doc:"The warnings of the check."`
	Others      []KeptShown       `json:"others" nullable:"false" doc:"The further tools of a file of code that declares several."`
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
		OperationID: "checkTool", Method: http.MethodPost, Path: "/v1/forge/check", Summary: "Find everything that is wrong with a tool", Tags: tags,
		Description: "Nothing is installed, and no tool runs. A file with errors is an answer like any other: 200 with ok false.",
	}, own(a, func(ctx context.Context, in *struct{ Body fileText }) (checkShown, error) {
		tools, diagnostics, err := a.o.Engine.Checked(ctx, in.Body.File, []byte(in.Body.Text))
		var invalid *engine.InvalidError
		if errors.As(err, &invalid) {
			return checkShown{Diagnostics: showDiagnostics(invalid.Diagnostics), Tools: []ToolFacts{}}, nil
		}
		out := checkShown{OK: true, Diagnostics: showDiagnostics(diagnostics), Tools: make([]ToolFacts, len(tools))}
		for i, c := range tools {
			out.Tools[i] = showFacts(c)
		}
		if len(tools) == 1 {
			out.Tool = &out.Tools[0]
		}
		return out, err
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "tryTool", Method: http.MethodPost, Path: "/v1/forge/try", Summary: "Run a tool dry: read real data, write nothing", Tags: tags,
		Description: "Reads see the real data, and what the run itself would have written; nothing is written, nothing is asked and nothing is sent. With a script the answers of capabilities and of the model come from there. A tool in code runs in its sandbox; what it asks its context for fails with the code DRY_RUN where the script does not answer it.",
	}, own(a, a.try))
	huma.Register(a.huma, huma.Operation{
		OperationID: "installTool", Method: http.MethodPost, Path: "/v1/forge/tools", Summary: "Keep a tool, or a new version of one", Tags: tags,
		Description: "It is off afterwards, until you turn it on. Of a file that declares several tools all are kept, or none. A file with errors gives MANIFEST_INVALID with all of them, and changes nothing. The very same text again changes nothing either.",
	}, own(a, func(ctx context.Context, in *struct{ Body fileText }) (installDone, error) {
		tools, warnings, err := a.o.Engine.Checked(ctx, in.Body.File, []byte(in.Body.Text))
		if err != nil {
			return installDone{}, refuseManifest(err)
		}
		all, err := a.o.Engine.Install(ctx, tools...)
		if err != nil {
			return installDone{}, err
		}
		out := installDone{KeptShown: a.showKept(all[0]), Diagnostics: showDiagnostics(warnings), Others: make([]KeptShown, len(all)-1)}
		for i, done := range all[1:] {
			out.Others[i] = a.showKept(done)
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

func (a *API) showKept(done registry.Installed) KeptShown {
	out := KeptShown{Tool: a.showInstalled(done.Entry), Installed: !done.Same}
	if before := done.Before; before != nil && !done.Same && before.Checked != nil {
		out.Diff = showDiff(registry.Compare(before.Checked, done.Entry.Checked))
	}
	return out
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

// meant finds the tool that a request is about, with the other tools of its file: one of a text
// that it brings, or an installed tool.
func (a *API) meant(ctx context.Context, given tryGiven) (job worker.Job, err error) {
	switch {
	case given.Text == nil && given.Tool == nil, given.Text != nil && given.Tool != nil && given.File == "":
		return worker.Job{}, invalidField("body", "Give either a manifest as text, or the name of an installed tool; of code, a text with the name of its file.")
	case given.Text == nil && given.File != "":
		return worker.Job{}, invalidField("body.file", "The name of a file goes with its text.")
	case given.Text != nil:
		return a.brought(ctx, given)
	}
	entry, err := a.o.Engine.Tool(ctx, *given.Tool)
	if err != nil {
		return worker.Job{}, err //nolint:wrapcheck // own words it
	}
	if entry.Checked == nil {
		return worker.Job{}, entry.Obstacle() //nolint:wrapcheck // likewise
	}
	return worker.Job{Tool: entry.Checked, Installed: true}, nil
}

// brought finds the tool of a text.
func (a *API) brought(ctx context.Context, given tryGiven) (job worker.Job, err error) {
	tools, _, err := a.o.Engine.Checked(ctx, given.File, []byte(*given.Text))
	if err != nil {
		return worker.Job{}, refuseManifest(err)
	}
	names := check.Names(tools)
	switch {
	case given.Tool == nil:
		job.Tool, job.Files = check.Pick(tools, "")
	case *given.Tool != "": // that would be the only one
		job.Tool, job.Files = check.Pick(tools, *given.Tool)
	}
	switch {
	case job.Tool != nil:
		return job, nil
	case given.Tool == nil:
		return worker.Job{}, invalidField("body.tool", "The file declares %d tools, so say which one is meant: %s.", len(tools), strings.Join(names, ", "))
	}
	return worker.Job{}, invalidField("body.tool", "The file declares no tool of this name. There is: %s.", strings.Join(names, ", "))
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
