package consent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"toolsmith/internal/consent"
	"toolsmith/internal/value"
	"toolsmith/tool"
)

// decoded reads JSON as the arguments of a call are read.
func decoded(t testing.TB, text string) any {
	t.Helper()
	v, err := value.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestConditions(t *testing.T) {
	t.Parallel()
	const order = `{"to": "ada@example.org", "item": {"price": 12.50, "tags": ["a", "b"]}, "n": 1, "none": null, "big": 9007199254740993, "yes": true}`
	for _, c := range []struct {
		path     string
		operator consent.Operator
		value    string
		holds    bool
	}{
		{"to", consent.Equals, `"ada@example.org"`, true},
		{"$.to", consent.Equals, `"ada@example.org"`, true},
		{"to", consent.Equals, `"Ada@example.org"`, false},
		{"item.price", consent.Equals, `12.5`, true},
		{"$.item.price", consent.Equals, `1250e-2`, true},
		{"item.price", consent.Equals, `"12.50"`, false},
		{"item.tags.1", consent.Equals, `"b"`, true},
		{"item.tags", consent.Equals, `["a", "b"]`, true},
		{"item.tags", consent.Equals, `["b", "a"]`, false},
		{"item", consent.Equals, `{"tags": ["a", "b"], "price": 12.5}`, true},
		{"n", consent.Equals, `1.0`, true},
		{"n", consent.Equals, `true`, false},
		{"yes", consent.Equals, `true`, true},
		{"none", consent.Equals, `null`, true},
		{"missing", consent.Equals, `null`, false},
		{"item.missing", consent.Equals, `null`, false},
		{"to.missing", consent.Equals, `"ada@example.org"`, false},
		{"big", consent.Equals, `9007199254740992`, false},
		{"to", consent.Prefix, `"ada@"`, true},
		{"to", consent.Prefix, `"ada@example.org."`, false},
		{"to", consent.Prefix, `"da"`, false},
		{"n", consent.Prefix, `"1"`, false},
		{"missing", consent.Prefix, `"a"`, false},
		{"to", consent.OneOf, `["bob@example.org", "ada@example.org"]`, true},
		{"to", consent.OneOf, `["bob@example.org"]`, false},
		{"n", consent.OneOf, `[2, 1.0]`, true},
		{"missing", consent.OneOf, `[null]`, false},
		{"none", consent.OneOf, `[null]`, true},
		{"n", consent.AtMost, `1`, true},
		{"n", consent.AtMost, `0.99999999999999999999`, false},
		{"item.price", consent.AtMost, `12.5`, true},
		{"item.price", consent.AtMost, `12.49999999999999999`, false},
		{"big", consent.AtMost, `9007199254740993`, true},
		{"big", consent.AtMost, `9007199254740992`, false},
		{"big", consent.AtMost, `1e300`, true},
		{"n", consent.AtMost, `-1e300`, false},
		{"to", consent.AtMost, `5`, false},
		{"none", consent.AtMost, `5`, false},
		{"missing", consent.AtMost, `5`, false},
	} {
		one := consent.Condition{Path: c.path, Operator: c.operator, Value: decoded(t, c.value)}
		if err := one.Check(); err != nil {
			t.Errorf("%s is wrong: %v", one, err)
		}
		if got := one.Holds(decoded(t, order)); got != c.holds {
			t.Errorf("%s holds: %v", one, got)
		}
	}
	for _, arguments := range []any{nil, "ada", []any{"ada"}, number("1")} {
		if (consent.Condition{Path: "to", Operator: consent.Equals, Value: "ada"}).Holds(arguments) {
			t.Errorf("it holds for %v", arguments)
		}
	}
	if got, want := (consent.Condition{Path: "item.price", Operator: consent.AtMost, Value: number("12.50")}).String(), "item.price at-most 12.50"; got != want {
		t.Errorf("it is written %q; want %q", got, want)
	}
}

// TestConditionsThatAreNone are told of, and hold for nothing.
func TestConditionsThatAreNone(t *testing.T) {
	t.Parallel()
	for says, c := range map[string]consent.Condition{
		"is no path to an argument":                  {Path: "a b", Operator: consent.Equals, Value: "x"},
		"A condition names an argument":              {Path: "", Operator: consent.Equals, Value: "x"},
		`such as "to"`:                               {Path: "$", Operator: consent.Equals, Value: "x"},
		"is a text that is not empty":                {Path: "to", Operator: consent.Prefix, Value: ""},
		"A beginning (prefix)":                       {Path: "to", Operator: consent.Prefix, Value: number("1")},
		"one-of takes a list that is not empty":      {Path: "to", Operator: consent.OneOf, Value: []any{}},
		"one-of takes a list":                        {Path: "to", Operator: consent.OneOf, Value: "x"},
		"at-most takes a number":                     {Path: "to", Operator: consent.AtMost, Value: "5"},
		"at-most takes a number.":                    {Path: "to", Operator: consent.AtMost, Value: number("five")},
		"takes a number.":                            {Path: "to", Operator: consent.AtMost, Value: number("true")},
		"most takes a number.":                       {Path: "to", Operator: consent.AtMost},
		`There is no condition ""`:                   {Path: "to", Value: "x"},
		"it is equals, prefix, one-of or at-most":    {Path: "to", Operator: "matches", Value: "x"},
		`the name "__proto__" is not allowed`:        {Path: "to.__proto__", Operator: consent.Equals, Value: "x"},
		"a segment of a path has at most":            {Path: strings.Repeat("x", 1000), Operator: consent.Equals, Value: "x"},
		`"$.to[0]" is no path to an argument: a seg`: {Path: "$.to[0]", Operator: consent.Equals, Value: "x"},
	} {
		err := c.Check()
		if tool.Code(err) != consent.CodeConditionInvalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; it should say %q", c, err, says)
		}
		if c.Holds(map[string]any{"to": "x"}) || c.Holds(map[string]any{"to": number("1")}) {
			t.Errorf("%s holds", c)
		}
	}
}

// FuzzConditions has any condition meet any arguments: nothing panics, what is wrong never
// holds, and what has been kept is what was given.
func FuzzConditions(f *testing.F) {
	f.Add("to", "equals", `"ada"`, `{"to": "ada"}`)
	f.Add("$.item.price", "at-most", `1e300`, `{"item": {"price": -0.0}}`)
	f.Add("a.0.length", "one-of", `[null, [], {}]`, `{"a": [[1]]}`)
	f.Add("to", "prefix", `"\ud83d"`, `{"to": "\ud83d"}`)
	f.Add("", "prefix", `""`, `[]`)
	f.Fuzz(func(t *testing.T, path, operator, given, arguments string) {
		v, err := value.Decode([]byte(given))
		if err != nil {
			t.Skip()
		}
		a, err := value.Decode([]byte(arguments))
		if err != nil {
			t.Skip()
		}
		c := consent.Condition{Path: path, Operator: consent.Operator(operator), Value: v}
		wrong, holds := c.Check(), c.Holds(a)
		if wrong != nil && (holds || tool.Code(wrong) != consent.CodeConditionInvalid) {
			t.Errorf("%s holds: %v, and is wrong: %v", c, holds, wrong)
		}
		if wrong != nil {
			return // it is never kept
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var back consent.Condition
		if err := json.Unmarshal(text, &back); err != nil || c.String() != back.String() || back.Holds(a) != holds {
			t.Errorf("%s comes back as %s, %v", c, back, err)
		}
	})
}
