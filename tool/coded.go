package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
)

// Codes of what can go wrong with a tool written in Go.
const (
	// CodeFailed: the function returned an error without a code of its own.
	CodeFailed = "TOOL_FAILED"
	// CodePanicked: the function panicked.
	CodePanicked = "TOOL_PANICKED"
	// CodeArgumentsInvalid: the arguments do not fit.
	CodeArgumentsInvalid = "ARGUMENTS_INVALID"
	// CodeResultInvalid: what the function returned is no result.
	CodeResultInvalid = "RESULT_INVALID"
	// CodeContextUnavailable: the host did not supply what a method of the Context needs.
	CodeContextUnavailable = "CONTEXT_UNAVAILABLE"
)

// Tool is a function with its description and schemas. It never changes and may be shared;
// its function may be called by several goroutines at once.
type Tool struct {
	spec       Spec
	parameters *shape
	result     *shape // nil if nothing is said of it
	call       func(ctx *Context, arguments json.RawMessage) (any, error)
	written    struct{ parameters, result json.RawMessage }
}

// Subtasks is what a function returns when the order, the branches or the end of what
// follows is to be explicit. (*Context).Subtasks makes it.
type Subtasks struct{ chains []Chain }

// Output is what a call gave: a value or subtasks, never both.
type Output struct {
	// Value as JSON; nil with subtasks.
	Value json.RawMessage
	// Subtasks are chains that run in parallel; nil with a value, else not empty.
	Subtasks []Chain
}

// New makes a tool of a function. The JSON Schemas (draft 2020-12) of its arguments and its
// result come from In and Out; what is wrong with the spec, the types or their tags is told
// all at once in the error.
//
// In is a struct, or a map with texts as keys. Fields are called and left out as
// encoding/json does it, embedded structs included, and no other fields are accepted. A
// field is required unless it is a pointer, has omitempty or omitzero, or has a default.
// Tags say more of a field:
//
//	Text  string   `json:"text" jsonschema:"the text to summarize" minLength:"1" maxLength:"5000"`
//	Style string   `json:"style" enum:"short,long" default:"short"`
//	Max   int      `json:"max" default:"20" minimum:"1" maximum:"100"`
//	Tags  []string `json:"tags,omitempty" maxItems:"10" maxLength:"40"`
//
// jsonschema holds the description. A default is JSON, except that a text stands as it is.
// On a list, enum and the bounds of numbers and texts are about its items. Small integer
// types bring their own bounds. []byte is text in base64, time.Time is text in RFC 3339,
// and a type with MarshalText and UnmarshalText is text; any and json.RawMessage take any
// JSON, numbers in them being json.Number. A type that holds itself, or that reads or
// writes its own JSON, is an error.
//
// Out may be any type that has JSON. A nil slice or map is written as empty, and a nil
// pointer is left out of its object. Out can be Subtasks, or any to decide between a value
// and Subtasks call by call; neither has a schema. An error that is an *Error, or holds
// one, keeps its code, message and field. Any other becomes TOOL_FAILED with its text as
// the message, which people and models see: nothing secret belongs there.
func New[In, Out any](spec Spec, fn func(ctx *Context, in In) (Out, error)) (*Tool, error) {
	t := &Tool{}
	t.call = func(ctx *Context, arguments json.RawMessage) (any, error) {
		var in In
		if err := decode(arguments, t.parameters, &in); err != nil {
			return nil, err
		}
		out, err := fn(ctx, in)
		// By its address, so that methods on pointers count in what is written.
		return &out, err
	}
	if err := t.describe(spec, reflect.TypeFor[In](), reflect.TypeFor[Out](), fn == nil); err != nil {
		return nil, err
	}
	return t, nil
}

// MustNew is New for a tool that is written out in the program: it panics on an error.
func MustNew[In, Out any](spec Spec, fn func(ctx *Context, in In) (Out, error)) *Tool {
	t, err := New(spec, fn)
	if err != nil {
		panic(err)
	}
	return t
}

func (t *Tool) describe(spec Spec, in, out reflect.Type, withoutFunction bool) error {
	completed, problems := spec.complete()
	if withoutFunction {
		problems = append(problems, errors.New("it has no function"))
	}
	parameters, wrongIn := argumentsShape(in)
	result, wrongOut := resultShape(out)
	problems = append(append(problems, wrongIn...), wrongOut...)
	if len(problems) > 0 {
		return fmt.Errorf("tool %q: %w", spec.Name, errors.Join(problems...))
	}
	t.spec, t.parameters, t.result = completed, parameters, result
	t.written.parameters, t.written.result = parameters.schema(), result.schema()
	return nil
}

// Name under which the tool is called.
func (t *Tool) Name() string { return t.spec.Name }

// Spec gives what the tool says of itself, with all that was not given filled in. Powers
// and Calls are sorted. The caller may change it.
func (t *Tool) Spec() Spec { return t.spec.clone() }

// Parameters is the JSON Schema of the arguments; its type is "object". The caller may
// change it.
func (t *Tool) Parameters() json.RawMessage { return bytes.Clone(t.written.parameters) }

// Result is the JSON Schema of what the tool returns, which need not be an object; nil
// where nothing is known of it. The caller may change it.
func (t *Tool) Result() json.RawMessage { return bytes.Clone(t.written.result) }

// Invoke calls the function. It does not ask for consent, and it does not validate: the
// host has filled in defaults and held the arguments against Parameters before, and holds
// the value against Result afterwards. It only refuses with ARGUMENTS_INVALID what it
// cannot decode, and names that are unknown or given twice. No arguments are {}.
//
// The error is always an *Error, also around Again, for which the host asks with IsAgain
// first. Its Cause, which is for logs, holds the error that the
// function returned or, with TOOL_PANICKED, the panic and its stack.
func (t *Tool) Invoke(ctx *Context, arguments json.RawMessage) (output Output, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			output, err = Output{}, &Error{
				Code:    CodePanicked,
				Message: fmt.Sprintf("The tool %q has a fault and broke off; the log has the details.", t.spec.Name),
				Cause:   fmt.Errorf("panic: %v\n\n%s", panicked, debug.Stack()),
			}
		}
	}()
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	result, err := t.call(ctx.forTool(t.spec.Name), arguments)
	if err != nil {
		return Output{}, coded(err)
	}
	if whole, ok := result.(*any); ok { // Out is any
		result = *whole
	}
	switch result := result.(type) {
	case Subtasks:
		return result.output()
	case *Subtasks:
		return result.output()
	case Task, Chain, []Chain:
		return Output{}, &Error{Code: CodeResultInvalid, Message: "The tool returned tasks as a value; it is (*Context).Subtasks that lets them run."}
	}
	value, err := encode(result, t.result)
	if err != nil {
		return Output{}, err
	}
	return Output{Value: value}, nil
}

func (s *Subtasks) output() (Output, error) {
	if s == nil || len(s.chains) == 0 {
		return Output{}, &Error{Code: CodeResultInvalid, Message: "The tool returned subtasks, and among them is no task."}
	}
	return Output{Subtasks: s.chains}, nil
}

// coded makes an *Error of what a function returned.
func coded(err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		return &Error{Code: CodeFailed, Message: err.Error(), Cause: err}
	}
	if e == nil { // a nil *Error in an error that is not nil
		return &Error{Code: CodeFailed, Message: "The tool failed without saying why."}
	}
	kept := *e
	if kept.Code == "" {
		kept.Code = CodeFailed
	}
	if kept.Message == "" {
		kept.Message = "The tool failed without saying why."
	}
	if error(e) != err { //nolint:errorlint // whether something is around it is the question
		kept.Cause = err // what is around it goes to the log
	}
	return &kept
}
