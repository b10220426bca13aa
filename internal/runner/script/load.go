package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Declared is what a file says of one tool.
type Declared struct {
	// Name as declared; "" where it is no text.
	Name string
	// Declaration is what createTool was given without the function, as canonical JSON.
	Declaration json.RawMessage
	// HasFunction says whether there was a function.
	HasFunction bool
}

// mostDeclared is how long the declarations of a file may be together, in bytes.
const mostDeclared = 4 << 20

// Load runs the top level of a script and gives what it declares, in the order of createTool. It runs
// once, whenever and however often the tools are called: so its clock stands at the epoch, Math.random
// draws the same numbers each time, and nothing of the context is there. Errors are those of Run;
// SCRIPT_LOAD_FAILED says where the script failed, and DECLARATION_INVALID what createTool cannot take.
func (r *Runner) Load(ctx context.Context, script, sourceMap []byte) ([]Declared, error) {
	places := &places{sourceMap: sourceMap}
	image, err := r.image(ctx, script)
	if err != nil {
		return nil, loadFailure(ctx, err, places)
	}
	sandbox, err := r.engine.Open(ctx, image, &loading{}, quickjs.Budget{CPU: r.limits.CPU})
	if err != nil {
		return nil, loadFailure(ctx, err, places)
	}
	defer sandbox.Close() //nolint:contextcheck // giving memory back takes no time
	text, err := sandbox.Call(ctx, "declared")
	if err != nil {
		return nil, loadFailure(ctx, err, places)
	}
	if len(text) > mostDeclared {
		return nil, tool.Errorf(CodeDeclarationInvalid, "The file declares %d bytes, and at most %d are allowed.", len(text), mostDeclared)
	}
	declared, err := readDeclared(text)
	if err != nil {
		return nil, tool.Errorf(CodeBroken, "What the file declares cannot be read: %w", err)
	}
	return declared, nil
}

// readDeclared reads the list that the guest writes. A script may have tampered with what it holds.
func readDeclared(text string) ([]Declared, error) {
	v, err := value.Decode([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("decode the declarations: %w", err)
	}
	list, _ := v.([]any)
	declared := make([]Declared, 0, len(list))
	for _, one := range list {
		object, ok := one.(map[string]any)
		if !ok {
			return nil, errors.New("A declaration is no object.")
		}
		name, _ := object["name"].(string)
		has, _ := object["hasFunction"].(bool)
		declared = append(declared, Declared{Name: name, Declaration: value.AppendCanonical(nil, object["declaration"]), HasFunction: has})
	}
	return declared, nil
}

// loading is the host of a script while its top level runs: nothing is there but addresses.
type loading struct {
	// refused is what createTool refused last: an exception does not carry its code.
	refused *tool.Error
}

// Call answers the guest.
func (l *loading) Call(name string, arguments []string) (string, error) {
	switch name {
	case "url":
		return address(arguments), nil
	case "refused":
		if len(arguments) == 3 {
			l.refused = &tool.Error{Code: CodeDeclarationInvalid, Field: arguments[2], Message: arguments[1]}
		}
	}
	return "", nil
}

// refusal is an exception of createTool, with what it refused.
type refusal struct {
	*quickjs.Exception
	why *tool.Error
}

// failure gives an exception its code back, where createTool threw it.
func (l *loading) failure(err error) error {
	var thrown *quickjs.Exception
	if l.refused != nil && errors.As(err, &thrown) && thrown.Message == l.refused.Message {
		return &refusal{Exception: thrown, why: l.refused}
	}
	return err
}

// loadFailure words why a script could not be loaded.
func loadFailure(ctx context.Context, err error, places *places) error {
	var refused *refusal
	var thrown *quickjs.Exception
	switch {
	case errors.As(err, &refused):
		message := withoutField(refused.why.Message, refused.why.Field)
		return &tool.Error{Code: refused.why.Code, Field: refused.why.Field, Message: message + places.of(refused.Stack)}
	case errors.As(err, &thrown):
		return &tool.Error{Code: CodeLoadFailed, Message: titled(thrown.Name, thrown.Message) + places.of(thrown.Stack), Cause: thrown}
	}
	return ended(ctx, err)
}
