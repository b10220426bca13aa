package consent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"toolsmith/internal/value"
	"toolsmith/tool"
)

// Grant is a person's yes to further calls of one tool in one exact version.
type Grant struct {
	ID string
	// Tool by its name, and the version: the yes ends with it.
	Tool, Version string
	// Approved is the digest of the call that was shown when the yes was given.
	Approved string
	// Run that it holds for; "" for all.
	Run string
	// Conditions that the arguments must meet, all of them.
	Conditions []Condition
	// ExpiresAt is from when on it does not hold any more; nil for never.
	ExpiresAt *time.Time
	// Who gave it, from where and when.
	Who, From string
	At        time.Time
	// RevokedAt is when it was taken back; nil for not.
	RevokedAt *time.Time
}

// Operator of a condition.
type Operator string

// The operators.
const (
	Equals Operator = "equals" // is the value
	Prefix Operator = "prefix" // is a text that begins with it
	OneOf  Operator = "one-of" // is in the list
	AtMost Operator = "at-most"
)

// Condition fixes one argument; the others may vary.
type Condition struct {
	// Path to the argument, such as "to" or "$.item.price".
	Path     string   `json:"path"`
	Operator Operator `json:"operator"`
	Value    any      `json:"value"`
}

// Codes of grants.
const (
	// CodeConditionInvalid: a condition of a grant can never hold, or is none.
	CodeConditionInvalid = "GRANT_CONDITION_INVALID"
)

// Check says what is wrong with a condition; nil for nothing.
func (c Condition) Check() error {
	wrong := func(format string, args ...any) error {
		return &tool.Error{Code: CodeConditionInvalid, Field: c.Path, Message: fmt.Sprintf(format, args...)}
	}
	path, err := value.ParsePath(c.Path)
	switch {
	case err != nil:
		return wrong("%q is no path to an argument: %s.", c.Path, err)
	case len(path) == 0:
		return wrong("A condition names an argument, such as \"to\".")
	}
	switch c.Operator {
	case Equals:
	case Prefix:
		if text, ok := c.Value.(string); !ok || text == "" {
			return wrong("A beginning (%s) is a text that is not empty.", Prefix)
		}
	case OneOf:
		if list, ok := c.Value.([]any); !ok || len(list) == 0 {
			return wrong("%s takes a list that is not empty.", OneOf)
		}
	case AtMost:
		n, _ := c.Value.(json.Number)
		if v, err := value.Decode([]byte(n)); err != nil || v != c.Value {
			return wrong("%s takes a number.", AtMost)
		}
	default:
		return wrong("There is no condition %q: it is %s, %s, %s or %s.", c.Operator, Equals, Prefix, OneOf, AtMost)
	}
	return nil
}

// Holds reports whether arguments meet the condition. One that is wrong never holds.
func (c Condition) Holds(arguments any) bool {
	if c.Check() != nil {
		return false
	}
	path, _ := value.ParsePath(c.Path)
	got, ok := value.Get(arguments, path)
	if !ok {
		return false
	}
	switch c.Operator {
	case Prefix:
		text, isText := got.(string)
		begin, _ := c.Value.(string)
		return isText && strings.HasPrefix(text, begin)
	case OneOf:
		list, _ := c.Value.([]any)
		return slices.ContainsFunc(list, func(one any) bool { return value.Equal(one, got) })
	case AtMost:
		_, isNumber := got.(json.Number)
		return isNumber && !value.Greater(got, c.Value)
	default:
		return value.Equal(c.Value, got)
	}
}

// String writes a condition for people: "to equals \"ada\"".
func (c Condition) String() string {
	return fmt.Sprintf("%s %s %s", c.Path, c.Operator, value.JSON(c.Value))
}

// Covers reports whether the grant allows a call.
func (g Grant) Covers(call Call) bool {
	return g.Valid(call.At) && g.Tool == call.Tool && g.Version != "" && g.Version == call.Version &&
		(g.Run == "" || g.Run == call.Run) &&
		!slices.ContainsFunc(g.Conditions, func(c Condition) bool { return !c.Holds(call.Arguments) })
}

// Valid reports whether the grant holds at a time: it was not taken back and is not over.
func (g Grant) Valid(at time.Time) bool {
	return g.RevokedAt == nil && (g.ExpiresAt == nil || at.Before(*g.ExpiresAt))
}
