package consent

import (
	"encoding/json"

	"toolsmith/internal/value"
)

// exact is a value that comes back from its JSON as it was: numbers keep their text, and half
// of a character that is written as two stays half of it. What is approved is told apart by
// it, so that nothing may be lost.
type exact struct{ value any }

func (e exact) MarshalJSON() ([]byte, error) { return value.AppendJSON(nil, e.value), nil }

func (e *exact) UnmarshalJSON(data []byte) (err error) {
	e.value, err = value.Decode(data)
	return err
}

func exactly(list []any) []exact {
	out := make([]exact, len(list))
	for i, one := range list {
		out[i].value = one
	}
	return out
}

// MarshalJSON writes a question with its samples as they are.
func (q Question) MarshalJSON() ([]byte, error) {
	type plain Question
	return json.Marshal(struct {
		plain
		Samples []exact `json:"samples"`
	}{plain(q), exactly(q.Samples)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (q *Question) UnmarshalJSON(data []byte) error {
	type plain Question
	in := struct {
		*plain
		Samples []exact `json:"samples"`
	}{plain: (*plain)(q)}
	err := json.Unmarshal(data, &in)
	q.Samples = make([]any, len(in.Samples))
	for i, one := range in.Samples {
		q.Samples[i] = one.value
	}
	return err
}

// MarshalJSON writes an answer with its arguments as they are.
func (a Answer) MarshalJSON() ([]byte, error) {
	type plain Answer
	out := struct {
		plain
		Arguments *exact `json:"arguments,omitempty"`
		Value     *exact `json:"value,omitempty"`
	}{plain: plain(a)}
	if a.HasValue {
		out.Value = &exact{a.Value}
	}
	if a.Arguments != nil {
		out.Arguments = &exact{a.Arguments}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (a *Answer) UnmarshalJSON(data []byte) error {
	type plain Answer
	in := struct {
		*plain
		Arguments exact `json:"arguments"`
		Value     exact `json:"value"`
	}{plain: (*plain)(a)}
	err := json.Unmarshal(data, &in)
	a.Arguments, a.Value = in.Arguments.value, in.Value.value
	return err
}

// MarshalJSON writes a condition with its value as it is.
func (c Condition) MarshalJSON() ([]byte, error) {
	type plain Condition
	return json.Marshal(struct {
		plain
		Value exact `json:"value"`
	}{plain(c), exact{c.Value}})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Condition) UnmarshalJSON(data []byte) error {
	type plain Condition
	in := struct {
		*plain
		Value exact `json:"value"`
	}{plain: (*plain)(c)}
	err := json.Unmarshal(data, &in)
	c.Value = in.Value.value
	return err
}
