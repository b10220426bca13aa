package script

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-sourcemap/sourcemap"

	"toolsmith/internal/runner/script/quickjs"
	"toolsmith/internal/task"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// The codes of what ends a call or a loading, beside those of the tool itself.
const (
	// CodeCPUTime: the time for computing is used up.
	CodeCPUTime = "SCRIPT_CPU_TIME"
	// CodeMemory: the memory is used up.
	CodeMemory = "SCRIPT_MEMORY"
	// CodeHostCalls: the tool asked more of its context than it may.
	CodeHostCalls = "SCRIPT_HOST_CALLS"
	// CodeStuck: the tool waits for something that never comes.
	CodeStuck = "SCRIPT_STUCK"
	// CodeBroken: the sandbox broke, or what is kept of the tool is not what was loaded.
	CodeBroken = "SCRIPT_BROKEN"
	// CodeLoadFailed: the top level of the file threw.
	CodeLoadFailed = "SCRIPT_LOAD_FAILED"
	// CodeDeclarationInvalid: createTool was called with something that it cannot take.
	CodeDeclarationInvalid = "DECLARATION_INVALID"

	codeSecretNotDeclared = "SECRET_NOT_DECLARED"
	codeURLInvalid        = "OUTBOUND_URL_INVALID"
	codeHostRefused       = "OUTBOUND_HOST_REFUSED"
)

// Suspend is the error of a Host by which a call is parked: Run gives Err as it is.
type Suspend struct{ Err error }

func (s *Suspend) Error() string { return "the call is parked: " + s.Err.Error() }

// Unwrap gives Err.
func (s *Suspend) Unwrap() error { return s.Err }

// Thrown is the cause of an error that a tool threw: more about it, for programs.
type Thrown struct {
	// Details are those of the error, a decoded JSON value; nil without.
	Details any
}

func (t *Thrown) Error() string { return "the tool threw it" }

// mostDetails is how long the details of an error may be, in bytes.
const mostDetails = 16 << 10

// ended words an error of the engine that is no exception.
func ended(ctx context.Context, err error) error {
	var coded *tool.Error
	switch {
	case errors.As(err, &coded):
		return coded
	case errors.Is(err, quickjs.ErrCPU):
		return &tool.Error{Code: CodeCPUTime, Message: "The tool computed for longer than it may. Have it do less in one call, or return subtasks that go on.", Cause: err}
	case errors.Is(err, quickjs.ErrMemory):
		return outOfMemory(err)
	case errors.Is(err, quickjs.ErrBroken):
		return &tool.Error{Code: CodeBroken, Message: "The sandbox of the tool broke, and the call with it. Nothing outside of it was touched.", Cause: err}
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return fmt.Errorf("run a coded tool: %w", err)
}

func outOfMemory(err error) error {
	return &tool.Error{Code: CodeMemory, Message: "The tool used more memory than it may. Have it hold less at once.", Cause: err}
}

// codeShape is what a code looks like.
var codeShape = regexp.MustCompile(`^[A-Z0-9_]{1,64}$`)

// thrownError makes an error of the JSON that the guest writes of what was thrown.
func thrownError(text string, places *places) error {
	v, err := value.Decode([]byte(text))
	object, ok := v.(map[string]any)
	if err != nil || !ok {
		return &tool.Error{Code: task.CodeToolFailed, Message: "The tool failed with an error that cannot be read."}
	}
	word := func(name string) string {
		text, _ := object[name].(string)
		return text
	}
	name, message, stack := word("name"), word("message"), word("stack")
	if name == "InternalError" && message == "out of memory" {
		return outOfMemory(nil)
	}
	e := &tool.Error{Code: task.CodeToolFailed, Field: word("field")}
	if code := word("code"); codeShape.MatchString(code) {
		e.Code = code
	}
	if worded, _ := object["worded"].(bool); worded {
		e.Message = withoutField(message, e.Field) + causes(object)
	} else {
		e.Message = titled(name, message) + causes(object) + places.of(stack)
	}
	if e.Message = clip(e.Message, mostMessage); e.Message == "" {
		e.Message = "The tool failed and said nothing."
	}
	if details, has := object["details"]; has && details != nil && value.Size(details) <= mostDetails {
		e.Cause = &Thrown{Details: details}
	}
	return e
}

// mostMessage is how long a message may be, in bytes.
const mostMessage = 8 << 10

func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// titled puts the name of an error before its message, where the name says something.
func titled(name, message string) string {
	switch {
	case name == "" || name == "Error" && message != "":
		return message
	case message == "":
		return name
	}
	return name + ": " + message
}

// withoutField takes the field off a message that begins with it, for whoever shows an error shows it.
func withoutField(message, field string) string {
	if field == "" {
		return message
	}
	return strings.TrimPrefix(message, field+": ")
}

func causes(object map[string]any) string {
	list, _ := object["causes"].([]any)
	var b strings.Builder
	for _, one := range list {
		cause, _ := one.(map[string]any)
		name, _ := cause["name"].(string)
		message, _ := cause["message"].(string)
		if text := titled(name, message); text != "" {
			b.WriteString("\nCaused by: " + clip(text, 1000))
		}
	}
	return b.String()
}

// places leads from places in a script back to the file it was made of.
type places struct {
	sourceMap []byte
	read      bool
	consumer  *sourcemap.Consumer
}

// mostFrames is how many lines of a stack are shown.
const mostFrames = 3

// frameShape matches one line of a stack: "    at name (tool.js:1:2)", or without a name.
var frameShape = regexp.MustCompile(`^\s*at (?:(.*) \()?` + regexp.QuoteMeta(scriptName) + `:(\d+)(?::(\d+))?\)?$`)

// of gives the first lines of a stack that are in the file, each on a line of its own.
func (p *places) of(stack string) string {
	var b strings.Builder
	count := 0
	for line := range strings.SplitSeq(stack, "\n") {
		match := frameShape.FindStringSubmatch(line)
		if match == nil {
			continue
		}
		row, err := strconv.Atoi(match[2])
		column, _ := strconv.Atoi(match[3]) // 0 where there is none
		if err != nil {
			continue
		}
		place := p.place(row, column)
		if name := match[1]; name == "" || strings.HasPrefix(name, "<") {
			fmt.Fprintf(&b, "\n    at %s", place)
		} else {
			fmt.Fprintf(&b, "\n    at %s (%s)", clip(name, 100), place)
		}
		if count++; count == mostFrames {
			break
		}
	}
	return b.String()
}

// place writes a line and a column of the script, both from 1, as a place of the file.
func (p *places) place(line, column int) string {
	if !p.read {
		p.read = true
		p.consumer = readMap(p.sourceMap)
	}
	if place := lookUp(p.consumer, line, column); place != "" {
		return place
	}
	return fmt.Sprintf("%s:%d:%d", scriptName, line, column)
}

// lookUp gives a place of the file, "" for none.
func lookUp(consumer *sourcemap.Consumer, line, column int) (place string) {
	if consumer == nil {
		return ""
	}
	// The library panics where a map has places in files that it does not list. An error without its
	// place is still an error.
	defer func() {
		if recover() != nil {
			place = ""
		}
	}()
	source, _, l, c, ok := consumer.Source(line, max(0, column-1))
	if !ok || source == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", path.Base(source), l, c+1)
}

// readMap reads a source map; nil where it is none.
func readMap(text []byte) (consumer *sourcemap.Consumer) {
	if len(text) == 0 {
		return nil
	}
	defer func() {
		if recover() != nil {
			consumer = nil
		}
	}()
	consumer, err := sourcemap.Parse("", text)
	if err != nil {
		return nil
	}
	return consumer
}
