package task

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"

	"toolsmith/internal/value"
	"toolsmith/tool"
)

// ID names a task or a content: a SHA-256, written in base64url without padding. The zero
// value stands for none.
type ID [sha256.Size]byte

// String writes an id; "" for none.
func (id ID) String() string {
	if id.None() {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// None reports whether there is no id.
func (id ID) None() bool { return id == ID{} }

// ParseID reads what String writes.
func ParseID(text string) (ID, error) {
	var id ID
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	// The decoder passes over line breaks: the length is what leaves an id only one spelling.
	if err != nil || len(raw) != len(id) || len(text) != base64.RawURLEncoding.EncodedLen(len(id)) {
		return ID{}, fmt.Errorf("%q is no id of a task: 43 letters, digits, \"-\" and \"_\"", text)
	}
	copy(id[:], raw)
	return id, nil
}

// Task is one node of the graph. It is written once and never changed.
type Task struct {
	ID ID
	// Content by its hash.
	Content ID
	// Prior is the task before it in its chain; none for the first.
	Prior ID
	// Parent is the call whose result created its chain; none for the chains of the caller.
	Parent ID
	// CreatedAt in milliseconds since 1970.
	CreatedAt int64
	Role      tool.Role
	Type      tool.ContentType

	// Seq counts the tasks of a run from 0, in the order in which they were added.
	Seq int
	// Branch is which of the chains under its parent (or of the caller) it stands in, from 0.
	Branch int
	// Depth is how many calls are above it.
	Depth int
	// Name and RunOn of a call; "" otherwise.
	Name  string
	RunOn tool.RunOn
	// Step of a flow that the call is, such as "collect" or "each[3].0"; "" otherwise.
	Step string
}

// Calls reports whether the task executes.
func (t *Task) Calls() bool { return t.Type == tool.TypeTool }

// identify gives the task its id: the hash of the canonical JSON of its fields.
func (t *Task) identify() {
	// Written out, since it is done for every task: the names are in their canonical order, and
	// nothing in the values has to be escaped.
	const usual = 256
	b := make([]byte, 0, usual)
	b = appendID(append(b, `{"content":`...), t.Content)
	b = strconv.AppendInt(append(b, `,"createdAt":`...), t.CreatedAt, 10)
	b = appendID(append(b, `,"parentID":`...), t.Parent)
	b = appendID(append(b, `,"priorID":`...), t.Prior)
	b = append(append(append(b, `,"role":"`...), t.Role...), `"}`...)
	t.ID = sha256.Sum256(b)
}

// appendID appends an id as JSON: null for none.
func appendID(b []byte, id ID) []byte {
	if id.None() {
		return append(b, "null"...)
	}
	b = append(b, '"')
	b = base64.RawURLEncoding.AppendEncode(b, id[:])
	return append(b, '"')
}

// Content is what tasks hold: stored once, however many tasks hold it.
type Content struct {
	ID   ID
	Type tool.ContentType
	// JSON is the canonical text of the data.
	JSON []byte
}

// NewContent makes the content of a type with a JSON value as its data.
func NewContent(kind tool.ContentType, data any) Content {
	const begin = `{"data":`
	b := value.AppendCanonical([]byte(begin), data)
	json := b[len(begin):len(b):len(b)]
	b = append(append(append(b, `,"type":"`...), kind...), `"}`...)
	return Content{ID: sha256.Sum256(b), Type: kind, JSON: json}
}

// Value gives the data as a JSON value.
func (c Content) Value() (any, error) {
	v, err := value.Decode(c.JSON)
	if err != nil {
		return nil, fmt.Errorf("content %s: %w", c.ID, err)
	}
	return v, nil
}

// Call is the data of a tool content.
type Call struct {
	Name      string
	Arguments any
	RunOn     tool.RunOn
	// Step of a flow that it is; "" for a call of a chain.
	Step string
}

// data writes a call as the data of its content; what says nothing is left out.
func (c Call) data() map[string]any {
	arguments := c.Arguments
	if arguments == nil {
		arguments = map[string]any{}
	}
	data := map[string]any{"name": c.Name, "arguments": arguments}
	if c.RunOn == tool.RunOnSettled {
		data["runOn"] = string(c.RunOn)
	}
	if c.Step != "" {
		data["step"] = c.Step
	}
	return data
}

// ReadCall reads the data of a tool content.
func ReadCall(data any) (Call, error) {
	object, _ := data.(map[string]any)
	name, ok := object["name"].(string)
	if !ok {
		return Call{}, fmt.Errorf("a call is {\"name\", \"arguments\"}; this is %s", value.KindOf(data))
	}
	runOn, _ := object["runOn"].(string)
	step, _ := object["step"].(string)
	return Call{Name: name, Arguments: object["arguments"], RunOn: tool.RunOn(runOn), Step: step}, nil
}

// Failure is why a call did not succeed.
type Failure struct {
	Code    string
	Message string
	// Details are any JSON; nil for none.
	Details any
}

// Error gives "CODE: message".
func (f *Failure) Error() string { return f.Code + ": " + f.Message }

func (f *Failure) data() map[string]any {
	data := map[string]any{"code": f.Code, "message": f.Message}
	if f.Details != nil {
		data["details"] = f.Details
	}
	return data
}

// ReadFailure reads the data of an error content.
func ReadFailure(data any) *Failure {
	object, _ := data.(map[string]any)
	code, _ := object["code"].(string)
	message, _ := object["message"].(string)
	return &Failure{Code: code, Message: message, Details: object["details"]}
}

// encode makes a JSON value of what a Go program gave as data.
func encode(data any) (any, error) {
	switch data.(type) {
	case nil, bool, string:
		return data, nil
	}
	text, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("it cannot be written as JSON: %w", err)
	}
	return value.Decode(text)
}
