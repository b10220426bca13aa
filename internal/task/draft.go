package task

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Draft is a task that has no place yet, its data a JSON value.
type Draft struct {
	Role tool.Role
	Type tool.ContentType
	Data any
	// Call is what Data says where the draft is a call.
	Call Call
}

// CallOf makes the draft of a call.
func CallOf(c Call) Draft {
	return Draft{Role: tool.RoleTool, Type: tool.TypeTool, Data: c.data(), Call: c}
}

// ValueOf makes the draft of a plain result.
func ValueOf(v any) Draft {
	return Draft{Role: tool.RoleTool, Type: tool.TypeToolResult, Data: v}
}

// ErrorOf makes the draft of a visible failure.
func ErrorOf(f *Failure) Draft {
	return Draft{Role: tool.RoleTool, Type: tool.TypeError, Data: f.data()}
}

// Fault is one thing that is wrong with chains, and where: "[1][2].content.data.arguments".
type Fault struct {
	Code  string
	Place string
	// Message says what is wrong and what would be right.
	Message string
}

// Faults are everything that is wrong with chains; at least one.
type Faults []Fault

// Error gives the first, and how many more there are.
func (f Faults) Error() string {
	text := f[0].Place + ": " + f[0].Message
	if more := len(f) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// Failure makes one failure of all faults: the first one's code, and every one in its details.
func (f Faults) Failure() *Failure {
	list := make([]any, len(f))
	for i, one := range f {
		list[i] = map[string]any{"code": one.Code, "place": one.Place, "message": one.Message}
	}
	return &Failure{Code: f[0].Code, Message: f.Error(), Details: map[string]any{"faults": list}}
}

// Drafts reads chains as a Go tool gives them.
func Drafts(chains []tool.Chain) ([][]Draft, Faults) {
	r := reader{}
	out := make([][]Draft, 0, len(chains))
	for i, chain := range chains {
		place := fmt.Sprintf("[%d]", i)
		drafts := make([]Draft, 0, len(chain))
		for j, one := range chain {
			at := place + "[" + strconv.Itoa(j) + "]"
			data, err := encode(one.Content.Data)
			if err != nil {
				r.fault(at+".content.data", "%s", err)
				continue
			}
			drafts = append(drafts, r.draft(at, string(one.Role), string(one.Content.Type), data))
		}
		out = append(out, drafts)
	}
	if len(r.faults) == 0 {
		r.order(out, func(i, j int) string { return fmt.Sprintf("[%d][%d]", i, j) })
	}
	return out, r.faults
}

// ReadDrafts reads chains from a JSON value: one task, one list (a chain), or a list of
// lists (parallel branches). Places count accordingly.
func ReadDrafts(v any) ([][]Draft, Faults) {
	r := reader{}
	var out [][]Draft
	place := func(i, j int) string { return fmt.Sprintf("[%d][%d]", i, j) }
	switch v := v.(type) {
	case map[string]any:
		out = [][]Draft{{r.object("", v)}}
		place = func(int, int) string { return "" }
	case []any:
		if len(v) > 0 && !slices.ContainsFunc(v, isList) {
			out = [][]Draft{r.list("", v)}
			place = func(_, j int) string { return fmt.Sprintf("[%d]", j) }
			break
		}
		for i, chain := range v {
			at := fmt.Sprintf("[%d]", i)
			list, ok := chain.([]any)
			if !ok {
				r.fault(at, "beside lists of tasks there can only be lists of tasks; this is %s", value.KindOf(chain))
				continue
			}
			out = append(out, r.list(at, list))
		}
	default:
		r.fault("", "a chain is one task, a list of tasks, or a list of such lists; this is %s", value.KindOf(v))
	}
	if len(r.faults) == 0 {
		r.order(out, place)
	}
	return out, r.faults
}

// listed writes words for people: a, b and c.
func listed(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

// reader reads drafts, and goes on after a fault.
type reader struct{ faults Faults }

func (r *reader) fault(place, format string, args ...any) {
	if place == "" {
		place = "$"
	}
	r.faults = append(r.faults, Fault{Code: CodeResultInvalid, Place: place, Message: fmt.Sprintf(format, args...)})
}

func (r *reader) list(place string, list []any) []Draft {
	out := make([]Draft, 0, len(list))
	for i, item := range list {
		at := place + "[" + strconv.Itoa(i) + "]"
		object, ok := item.(map[string]any)
		if !ok {
			r.fault(at, "a task is {\"role\", \"content\": {\"type\", \"data\"}}; this is %s", value.KindOf(item))
			continue
		}
		out = append(out, r.object(at, object))
	}
	return out
}

func (r *reader) object(place string, object map[string]any) Draft {
	content, ok := object["content"].(map[string]any)
	if !ok {
		r.fault(place+".content", "a task has a content, {\"type\", \"data\"}; this is %s", value.KindOf(object["content"]))
		return Draft{}
	}
	for _, known := range []struct {
		place string
		of    map[string]any
		names []string
	}{{place, object, []string{"role", "content"}}, {place + ".content", content, []string{"type", "data"}}} {
		for _, name := range value.SortedNames(known.of) {
			if !slices.Contains(known.names, name) {
				r.fault(value.MemberPath(known.place, name), "there is no field %s here, only %s", value.JSON(name), listed(known.names))
			}
		}
	}
	role, hasRole := object["role"].(string)
	if object["role"] != nil && !hasRole {
		r.fault(place+".role", "a role is a text; this is %s", value.KindOf(object["role"]))
	}
	kind, isText := content["type"].(string)
	if !isText {
		r.fault(place+".content.type", "the type of a content is a text; this is %s", value.KindOf(content["type"]))
		return Draft{}
	}
	return r.draft(place, role, kind, content["data"])
}

var (
	roles = []string{string(tool.RoleUser), string(tool.RoleAssistant), string(tool.RoleSystem), string(tool.RoleTool)}
	kinds = []string{
		string(tool.TypeMessage), string(tool.TypeTool), string(tool.TypeToolResult),
		string(tool.TypeStructured), string(tool.TypeError), string(tool.TypeReturn),
	}
)

// draft reads one task. A role that is not given is that of a tool.
func (r *reader) draft(place, role, kind string, data any) Draft {
	if role == "" {
		role = string(tool.RoleTool)
	}
	if !slices.Contains(roles, role) {
		r.fault(place+".role", "there is no role %s; there are %s", value.JSON(role), listed(roles))
	}
	if kind == "functioncall" {
		kind = string(tool.TypeTool)
	}
	d := Draft{Role: tool.Role(role), Type: tool.ContentType(kind), Data: data}
	at := place + ".content.data"
	switch d.Type {
	case tool.TypeMessage:
		if _, ok := data.(string); !ok {
			r.fault(at, "a message is a text; this is %s", value.KindOf(data))
		}
	case tool.TypeTool:
		d.Call = r.call(at, data)
		d.Data = d.Call.data()
	case tool.TypeError:
		d.Data = r.failure(at, data)
	case tool.TypeToolResult, tool.TypeStructured, tool.TypeReturn:
	default:
		r.fault(place+".content.type", "there is no type of content %s; there are %s", value.JSON(kind), listed(kinds))
	}
	return d
}

func (r *reader) call(place string, data any) Call {
	object, ok := data.(map[string]any)
	if !ok {
		r.fault(place, "a call is {\"name\", \"arguments\"}; this is %s", value.KindOf(data))
		return Call{}
	}
	var c Call
	for _, name := range value.SortedNames(object) {
		switch v := object[name]; name {
		case "name":
			c.Name, _ = v.(string)
		case "arguments":
			if _, isObject := v.(map[string]any); !isObject && v != nil {
				r.fault(place+".arguments", "arguments are an object; this is %s", value.KindOf(v))
			}
			c.Arguments = v
		case "runOn":
			text, _ := v.(string)
			if c.RunOn = tool.RunOn(text); c.RunOn != tool.RunOnSuccess && c.RunOn != tool.RunOnSettled {
				r.fault(place+".runOn", "a call runs on %q or %q; this is %s", tool.RunOnSuccess, tool.RunOnSettled, value.JSON(v))
			}
		default:
			r.fault(value.MemberPath(place, name), "a call has no field %s, only name, arguments and runOn", value.JSON(name))
		}
	}
	if c.Name == "" {
		r.fault(place+".name", "a call names its tool")
	}
	return c
}

func (r *reader) failure(place string, data any) any {
	object, ok := data.(map[string]any)
	if !ok {
		r.fault(place, "an error is {\"code\", \"message\"}; this is %s", value.KindOf(data))
		return data
	}
	for _, name := range []string{"code", "message"} {
		if text, _ := object[name].(string); text == "" {
			r.fault(place+"."+name, "an error has a %s, a text", name)
		}
	}
	return data
}

// order holds chains to what may follow what.
func (r *reader) order(chains [][]Draft, place func(i, j int) string) {
	if len(chains) == 0 {
		r.fault("", "there is no task")
	}
	for i, chain := range chains {
		if len(chain) == 0 {
			r.fault(fmt.Sprintf("[%d]", i), "a chain has at least one task")
		}
		for j, d := range chain {
			if d.Type == tool.TypeReturn && j < len(chain)-1 {
				r.fault(place(i, j+1), "nothing can follow a \"return\" in its chain")
				break
			}
		}
	}
}

// UsesPrevious reports whether arguments stand for something of the task before.
func UsesPrevious(arguments any) bool {
	switch v := arguments.(type) {
	case []any:
		return slices.ContainsFunc(v, UsesPrevious)
	case map[string]any:
		if _, ok := previousPath(v); ok {
			return true
		}
		for _, item := range v {
			if UsesPrevious(item) {
				return true
			}
		}
	}
	return false
}

// previousPath gives the text behind "$previous" in {"$ref": "$previous.a.b"}.
func previousPath(object map[string]any) (string, bool) {
	ref, ok := object["$ref"].(string)
	if !ok || len(object) != 1 {
		return "", false
	}
	const root = "$previous"
	switch {
	case ref == root:
		return "", true
	case len(ref) > len(root) && ref[:len(root)+1] == root+".":
		return ref[len(root)+1:], true
	}
	return "", false
}

// Fill puts what the task before came to in the places of arguments that stand for it. has
// is false where it came to nothing. What is put in is not looked at again.
func Fill(arguments, previous any, has bool) (any, *Failure) {
	return fill(arguments, func(text string) (any, *Failure) { return pick(text, previous, has) })
}

// FillNull puts null in the places of arguments that stand for what the task before came to:
// for a reducer, which is called also where that failed.
func FillNull(arguments any) any {
	filled, _ := fill(arguments, func(string) (any, *Failure) { return nil, nil })
	return filled
}

func fill(arguments any, stand func(text string) (any, *Failure)) (any, *Failure) {
	switch v := arguments.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			filled, failure := fill(item, stand)
			if failure != nil {
				return nil, failure
			}
			out[i] = filled
		}
		return out, nil
	case map[string]any:
		if text, ok := previousPath(v); ok {
			return stand(text)
		}
		out := make(map[string]any, len(v))
		for _, name := range value.SortedNames(v) { // the first failure is the same each time
			filled, failure := fill(v[name], stand)
			if failure != nil {
				return nil, failure
			}
			out[name] = filled
		}
		return out, nil
	}
	return arguments, nil
}

func pick(text string, previous any, has bool) (any, *Failure) {
	path, err := value.ParsePath(text)
	if err != nil {
		return nil, &Failure{Code: CodePreviousMissing, Message: fmt.Sprintf("%s is no path: %s.", value.JSON("$previous."+text), err)}
	}
	if !has {
		return nil, &Failure{Code: CodePreviousMissing, Message: "The task before this call came to no value, so \"$previous\" stands for nothing."}
	}
	found, ok := value.Get(previous, path)
	if !ok {
		return nil, &Failure{Code: CodePreviousMissing, Message: fmt.Sprintf(
			"What the task before this call came to has no %s.", value.JSON(text))}
	}
	return found, nil
}
