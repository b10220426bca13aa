package port

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"toolsmith/internal/schema"
	"toolsmith/internal/value"
	"toolsmith/internal/visible"
	"toolsmith/tool"
)

// Declaration is what a tool of a host says of itself.
type Declaration struct {
	Name, Title, Description, LongDescription, Version string
	// Parameters is the JSON Schema of the arguments, and Result that of what it returns; nil
	// where nothing is said of it. RenderOptions is nil for none. All are JSON values.
	Parameters, Result, RenderOptions any
	// Context names the context methods that its host has for it, sorted.
	Context []string
	// Timeout of one call.
	Timeout time.Duration
	// ReadOnly and Idempotent are hints: they are shown and never trusted.
	ReadOnly, Idempotent bool
}

func (d Declaration) wire() map[string]any {
	o := wire{"name": d.Name, "description": d.Description, "parameters": d.Parameters}
	o.text("title", d.Title)
	o.text("longDescription", d.LongDescription)
	o.text("version", d.Version)
	if d.Result != nil {
		o["result"] = d.Result
	}
	if d.RenderOptions != nil {
		o["renderOptions"] = d.RenderOptions
	}
	if len(d.Context) > 0 {
		list := make([]any, len(d.Context))
		for i, name := range d.Context {
			list[i] = name
		}
		o["context"] = list
	}
	if d.Timeout > 0 {
		o["timeout"] = milliseconds(d.Timeout)
	}
	if d.ReadOnly {
		o["readOnly"] = true
	}
	if d.Idempotent {
		o["idempotent"] = true
	}
	return o
}

// readDeclaration reads an object that fits the schema.
func readDeclaration(object wire) Declaration {
	d := Declaration{
		Name: object.get("name"), Title: object.get("title"), Description: object.get("description"),
		LongDescription: object.get("longDescription"), Version: object.get("version"),
		Parameters: object["parameters"], Result: object["result"], RenderOptions: object["renderOptions"],
		Timeout: object.time("timeout"),
	}
	list, _ := object["context"].([]any)
	for _, item := range list {
		name, _ := item.(string)
		d.Context = append(d.Context, name)
	}
	slices.Sort(d.Context)
	d.Context = slices.Compact(d.Context)
	d.ReadOnly, _ = object["readOnly"].(bool)
	d.Idempotent, _ = object["idempotent"].(bool)
	if d.Timeout == 0 {
		d.Timeout = DefaultTimeout
	}
	if d.Version == "" {
		d.Version = "1"
	}
	return d
}

// check refuses a declaration that could not be used, or that would read otherwise than it is
// written.
func (d Declaration) check() error {
	fault := func(field, format string, args ...any) error {
		return &tool.Error{Code: codeToolInvalid, Field: "$.tool." + field, Message: fmt.Sprintf(format, args...)}
	}
	for _, one := range []struct{ field, text string }{{"title", d.Title}, {"description", d.Description}, {"longDescription", d.LongDescription}} {
		if r, at, unseen := visible.Unseen(one.text); unseen {
			return fault(one.field, "has a character that is not seen (U+%04X, character %d). Leave it out.", r, at+1)
		}
	}
	for _, one := range []struct {
		field string
		v     any
	}{{"parameters", d.Parameters}, {"result", d.Result}, {"renderOptions", d.RenderOptions}} {
		if size := value.Size(one.v); size > MaxSchema {
			return &tool.Error{Code: CodeLimit, Field: "$.tool." + one.field, Message: fmt.Sprintf(
				"has %d bytes; at most %d are allowed.", size, MaxSchema)}
		}
		if one.field == "renderOptions" {
			continue
		}
		if _, err := schema.Compile(one.v); err != nil {
			return fault(one.field, "is no JSON Schema that can be used: %s.", err)
		}
	}
	return nil
}

// Digest is a hash over all that the tool is, supplied by a port of a name. A yes to a tool
// holds for no other.
func (d Declaration) Digest(portName string) string {
	sum := sha256.Sum256(value.AppendCanonical(nil, []any{"client", portName, d.wire()}))
	return hex.EncodeToString(sum[:])
}
