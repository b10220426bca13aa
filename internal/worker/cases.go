package worker

import (
	"context"
	"fmt"
	"slices"

	"toolsmith/internal/check"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// Case is one test of a tool, as it stands in NAME.cases.json beside NAME.talostool.
type Case struct {
	Name  string
	Input any
	// script of the case; nil runs it on an empty store.
	script *value.Node
	// Status, Output and Error that are expected. Output and Error are only compared where
	// they are given.
	Status    string
	Output    any
	HasOutput bool
	Error     string
	HasError  bool
	// Subtasks are the chains that a coded tool is to return, where HasSubtasks.
	Subtasks    any
	HasSubtasks bool
	// Tool is the one that the case is for, where a file declares several; "" for the only one.
	Tool string
}

// CaseResult is how a case went.
type CaseResult struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Message says what was different; "" where nothing was.
	Message string `json:"message,omitempty"`
}

// ParseCases reads [{"name", "input", "script"?, "expect": {"status", "output"?,
// "error"?, "subtasks"?}, "tool"?}]. The error names the place.
func ParseCases(text []byte) ([]Case, error) {
	root, err := value.ParseStrict(text)
	if err != nil {
		return nil, err
	}
	if root.Kind != value.Array {
		return nil, fmt.Errorf("cases are a list; this is %s", root.Kind)
	}
	cases := make([]Case, 0, root.Len())
	for kid := range root.Kids() {
		c, err := parseCase(kid)
		if err == nil && slices.ContainsFunc(cases, func(other Case) bool { return other.Name == c.Name }) {
			err = fmt.Errorf("two cases have the name %q", c.Name)
		}
		if err != nil {
			line, column := value.Position(text, int(kid.Offset))
			return nil, fmt.Errorf("line %d, column %d: %w", line, column, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func parseCase(n *value.Node) (Case, error) {
	c := Case{Input: map[string]any{}}
	if err := flow.OnlyFields(n, "a case", "name", "tool", "input", "script", "expect"); err != nil {
		return c, err
	}
	name, expect := n.Get("name"), n.Get("expect")
	if name == nil || name.Kind != value.String || name.Text == "" {
		return c, fmt.Errorf("%s: a case has a \"name\", a text", n.Path())
	}
	c.Name = name.Text
	if n := n.Get("tool"); n != nil {
		if n.Kind != value.String {
			return c, fmt.Errorf("%s: \"tool\" has to be the name of a tool, a text", n.Path())
		}
		c.Tool = n.Text
	}
	if input := n.Get("input"); input != nil {
		c.Input = input.Value()
	}
	if c.script = n.Get("script"); c.script != nil {
		if _, err := flow.ScriptOf(c.script); err != nil {
			return c, fmt.Errorf("script: %w", err)
		}
	}
	if expect == nil {
		return c, fmt.Errorf("%s: a case has \"expect\", such as {\"status\": \"succeeded\"}", n.Path())
	}
	return c, c.expect(expect)
}

func (c *Case) expect(n *value.Node) error {
	if err := flow.OnlyFields(n, "\"expect\"", "status", "output", "error", "subtasks"); err != nil {
		return err
	}
	known := []string{string(flow.Succeeded), string(flow.Failed), string(flow.RecoveryRequired), string(flow.Cancelled)}
	status := n.Get("status")
	if status == nil || status.Kind != value.String || !slices.Contains(known, status.Text) {
		return fmt.Errorf("%s: \"status\" has to be one of %q", n.Path(), known)
	}
	c.Status = status.Text
	if output := n.Get("output"); output != nil {
		c.Output, c.HasOutput = output.Value(), true
	}
	if subtasks := n.Get("subtasks"); subtasks != nil {
		c.Subtasks, c.HasSubtasks = subtasks.Value(), true
	}
	if code := n.Get("error"); code != nil {
		if code.Kind != value.String {
			return fmt.Errorf("%s: \"error\" has to be a code, a text", code.Path())
		}
		c.Error, c.HasError = code.Text, true
	}
	return nil
}

// RunCases runs the cases of a tool dry, each by itself: with its script, or on the
// worker's store, which should be an empty one.
func (w *Worker) RunCases(ctx context.Context, c *check.Checked, cases []Case) ([]CaseResult, error) {
	results := make([]CaseResult, 0, len(cases))
	for _, one := range cases {
		var script *flow.Script
		if one.script != nil {
			var err error
			if script, err = flow.ScriptOf(one.script); err != nil {
				return nil, fmt.Errorf("case %q: %w", one.Name, err)
			}
		}
		out, err := w.Try(ctx, Job{Tool: c, Input: one.Input}, script)
		if err != nil {
			return nil, fmt.Errorf("case %q: %w", one.Name, err)
		}
		message := one.compare(out)
		results = append(results, CaseResult{Name: one.Name, OK: message == "", Message: message})
	}
	return results, nil
}

// compare says what is different from what a case expects, "" if nothing is.
func (c Case) compare(r Dry) string {
	if string(r.Status) != c.Status {
		if r.Failure != nil {
			return fmt.Sprintf("the status is %q and not %q: %s", r.Status, c.Status, r.Failure)
		}
		return fmt.Sprintf("the status is %q and not %q", r.Status, c.Status)
	}
	if c.HasError && (r.Failure == nil || r.Failure.Code != c.Error) {
		if r.Failure == nil {
			return fmt.Sprintf("there is no error, and there should be %q", c.Error)
		}
		return fmt.Sprintf("the error is %q and not %q", r.Failure.Code, c.Error)
	}
	if c.HasOutput && !value.Equal(r.Output, c.Output) {
		return fmt.Sprintf("the output is %s and not %s", value.JSON(r.Output), value.JSON(c.Output))
	}
	if c.HasSubtasks && !value.Equal(any(r.Subtasks), c.Subtasks) {
		return fmt.Sprintf("the subtasks are %s and not %s", value.JSON(any(r.Subtasks)), value.JSON(c.Subtasks))
	}
	return ""
}
