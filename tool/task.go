package tool

// Role says who speaks in a task.
type Role string

// The roles of a task.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleSystem    Role = "system"
	RoleTool      Role = "tool"
)

// ContentType says what the content of a task is. Only a TypeTool task executes.
type ContentType string

// The types of content.
const (
	// TypeMessage is text: conversation or instructions.
	TypeMessage ContentType = "message"
	// TypeTool is an explicit call of a tool: {"name", "arguments"}. "functioncall" is read
	// as another spelling of it.
	TypeTool ContentType = "tool"
	// TypeToolResult is a plain value that a tool returned: any JSON.
	TypeToolResult ContentType = "toolresult"
	// TypeStructured is typed data for another task: any JSON.
	TypeStructured ContentType = "structured"
	// TypeError is a visible failure: {"code", "message", "details"?}.
	TypeError ContentType = "error"
	// TypeReturn ends its chain: any JSON. It is a control signal, not the data channel.
	TypeReturn ContentType = "return"
)

// RunOn says after what a call in a chain still runs.
type RunOn string

// The conditions of a call.
const (
	// RunOnSuccess, the default: it is skipped once a task before it in its chain has failed.
	RunOnSuccess RunOn = "success"
	// RunOnSettled: it runs whatever became of the tasks before it, as a reducer does that
	// wants to see errors.
	RunOnSettled RunOn = "settled"
)

// Content is what a task holds. In Go, Data is anything that encoding/json can write; it is
// kept as the JSON that it writes.
type Content struct {
	Type ContentType `json:"type"`
	Data any         `json:"data"`
}

// Task is one link of a chain as a tool or a caller writes it, before it has its place in a
// run.
type Task struct {
	Role    Role    `json:"role"`
	Content Content `json:"content"`
}

// Chain is tasks that run strictly one after the other.
type Chain []Task

// CallData is the data of a TypeTool content.
type CallData struct {
	// Name of the tool.
	Name string `json:"name"`
	// Arguments for it; nil stands for {}. In them, {"$ref": "$previous.a.b"} stands for a
	// part of what the task before this one in its chain came to.
	Arguments any `json:"arguments"`
	// RunOn; "" is RunOnSuccess.
	RunOn RunOn `json:"runOn,omitempty"`
}

// Message makes a task that is text.
func Message(role Role, text string) Task {
	return Task{Role: role, Content: Content{Type: TypeMessage, Data: text}}
}

// Call makes a task that calls a tool.
func Call(name string, arguments any) Task {
	return Task{Role: RoleTool, Content: Content{Type: TypeTool, Data: CallData{Name: name, Arguments: arguments}}}
}

// Reducer makes a task that calls a tool whatever became of the tasks before it in its
// chain, errors included.
func Reducer(name string, arguments any) Task {
	return Task{Role: RoleTool, Content: Content{Type: TypeTool, Data: CallData{Name: name, Arguments: arguments, RunOn: RunOnSettled}}}
}

// Structured makes a task that is typed data for another task.
func Structured(data any) Task {
	return Task{Role: RoleTool, Content: Content{Type: TypeStructured, Data: data}}
}

// Return makes the task that ends a chain. What should be seen as its value is the task
// before it.
func Return(data any) Task {
	return Task{Role: RoleSystem, Content: Content{Type: TypeReturn, Data: data}}
}

// Previous is an argument that stands for what the task before the call in its chain came
// to, or, with a path such as "items.0.title", for a part of that.
func Previous(path string) any {
	ref := "$previous"
	if path != "" {
		ref += "." + path
	}
	return map[string]any{"$ref": ref}
}
