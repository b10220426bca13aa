package worker_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"toolsmith/internal/runner/flow"
	"toolsmith/internal/worker"
)

// TestCaseErrors name the place and what would be right.
func TestCaseErrors(t *testing.T) {
	t.Parallel()
	const good = `{"name": "one", "expect": {"status": "failed"}}`
	for text, want := range map[string]string{
		``:                                       "line 1, column 1: The text is empty.",
		"[\n {\"name\": \"one\",}]":              "line 2, column 17: There is a comma before this '}'.",
		`{}`:                                     "cases are a list; this is an object",
		"[\n  7]":                                `line 2, column 3: $[0]: a case has to be an object; this is a number`,
		"[" + good + ",\n {\"namee\": \"two\"}]": `line 2, column 2: $[1].namee: unknown field "namee" in a case.`,
		`[{"expect": {}}]`:                       `line 1, column 2: $[0]: a case has a "name", a text`,
		`[{"name": "", "expect": {}}]`:           `line 1, column 2: $[0]: a case has a "name", a text`,
		`[{"name": 7, "expect": {}}]`:            `line 1, column 2: $[0]: a case has a "name", a text`,
		`[{"name": "one"}]`:                      `line 1, column 2: $[0]: a case has "expect", such as {"status": "succeeded"}`,
		`[{"name": "one", "expect": []}]`:        `line 1, column 2: $[0].expect: "expect" has to be an object; this is a list`,
		`[{"name": "one", "expect": {"staus": "failed"}}]`:                             `line 1, column 2: $[0].expect.staus: unknown field "staus" in "expect".`,
		`[{"name": "one", "expect": {}}]`:                                              `line 1, column 2: $[0].expect: "status" has to be one of ["succeeded" "failed" "recovery_required" "cancelled"]`,
		`[{"name": "one", "expect": {"status": "done"}}]`:                              `line 1, column 2: $[0].expect: "status" has to be one of`,
		`[{"name": "one", "expect": {"status": 1}}]`:                                   `line 1, column 2: $[0].expect: "status" has to be one of`,
		`[{"name": "one", "expect": {"status": "failed", "error": null}}]`:             `line 1, column 2: $[0].expect.error: "error" has to be a code, a text`,
		`[{"name": "one", "script": {"llm": 1}, "expect": {"status": "failed"}}]`:      `line 1, column 2: script: $[0].script.llm has to be a list of answers; this is a number`,
		`[{"name": "one", "script": [], "expect": {"status": "failed"}}]`:              `line 1, column 2: script: $[0].script: a script has to be an object; this is a list`,
		"[" + good + ",\n  {\"name\": \"one\", \"expect\": {\"status\": \"failed\"}}]": `line 2, column 3: two cases have the name "one"`,
		`[{"name": "a", "name": "b"}]`:                                                 "line 1, column 16: This field is given twice.",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := worker.ParseCases([]byte(text))
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("the error is %v; want %q", err, want)
			}
		})
	}
}

func TestParseCases(t *testing.T) {
	t.Parallel()
	cases, err := worker.ParseCases([]byte(`[
		{"name": "short", "expect": {"status": "cancelled"}},
		{"name": "long", "input": [1.0], "script": {}, "expect": {"status": "failed", "output": null, "error": "X"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []worker.Case{
		{Name: "short", Input: map[string]any{}, Status: "cancelled"},
		{Name: "long", Input: []any{json.Number("1.0")}, Status: "failed", HasOutput: true, Error: "X", HasError: true},
	}
	if diff := cmp.Diff(want, cases, cmpopts.IgnoreUnexported(worker.Case{})); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
	if none, err := worker.ParseCases([]byte(`[]`)); err != nil || len(none) != 0 {
		t.Errorf("no cases: %v, %v", none, err)
	}
}

// TestRunCases has one case for each way in which a result may differ.
func TestRunCases(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := checked(t, `{"id": "list", "type": "capability", "capability": "notes.list", "input": {}, "target": "$.notes", "next": "any"},
		{"id": "any", "type": "if", "condition": {"left": {"$ref": "$.notes.0"}, "op": "exists"}, "then": "end", "else": "none"},
		{"id": "end", "type": "return", "value": {"n": {"$ref": "$.notes.length"}}},
		{"id": "none", "type": "fail", "code": "NO_NOTE", "message": "No note."}`)
	const one = `"script": {"capabilities": {"notes.list": [{"result": ["a"]}]}}`
	cases, err := worker.ParseCases([]byte(`[
		{"name": "as expected", ` + one + `, "expect": {"status": "succeeded", "output": {"n": 1.0}}},
		{"name": "output left open", ` + one + `, "expect": {"status": "succeeded"}},
		{"name": "failure as expected", "expect": {"status": "failed", "error": "NO_NOTE"}},
		{"name": "failure left open", "expect": {"status": "failed", "output": null}},
		{"name": "another status", "expect": {"status": "succeeded"}},
		{"name": "another status without an error", ` + one + `, "expect": {"status": "failed"}},
		{"name": "another output", ` + one + `, "expect": {"status": "succeeded", "output": {"n": 2}}},
		{"name": "another error", "expect": {"status": "failed", "error": "NO_TASK"}},
		{"name": "no error", ` + one + `, "expect": {"status": "succeeded", "error": "NO_NOTE"}},
		{"name": "an input that is refused", "input": "` + strings.Repeat("x", flow.MaxInput) + `", "expect": {"status": "failed", "error": "FORGE_INPUT_TOO_LARGE"}}]`))
	if err != nil {
		t.Fatal(err)
	}

	got, err := d.RunCases(t.Context(), c, cases)

	want := []worker.CaseResult{
		{Name: "as expected", OK: true}, {Name: "output left open", OK: true},
		{Name: "failure as expected", OK: true}, {Name: "failure left open", OK: true},
		{Name: "another status", Message: `the status is "failed" and not "succeeded": NO_NOTE: No note.`},
		{Name: "another status without an error", Message: `the status is "succeeded" and not "failed"`},
		{Name: "another output", Message: `the output is {"n":1} and not {"n":2}`},
		{Name: "another error", Message: `the error is "NO_NOTE" and not "NO_TASK"`},
		{Name: "no error", Message: `there is no error, and there should be "NO_NOTE"`},
		{Name: "an input that is refused", OK: true},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; results (-want +got):\n%s", err, diff)
	}
	// Run once more: each case begins with its own script anew.
	again, err := d.RunCases(t.Context(), c, cases)
	if diff := cmp.Diff(want, again); diff != "" || err != nil {
		t.Errorf("%v; results of the second time (-want +got):\n%s", err, diff)
	}
}

// TestCasesDoNotSeeEachOther: a case without a script writes for itself alone.
func TestCasesDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	nodes, state := remembers(1)
	cases, err := worker.ParseCases([]byte(`[
		{"name": "one", "expect": {"status": "succeeded", "output": ["run"]}},
		{"name": "two", "expect": {"status": "succeeded", "output": ["run"]}},
		{"name": "with a state", "script": {"state": {"runs": []}}, "expect": {"status": "succeeded", "output": ["run", []]}}]`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.RunCases(t.Context(), checked(t, nodes, state), cases)
	want := []worker.CaseResult{{Name: "one", OK: true}, {Name: "two", OK: true}, {Name: "with a state", OK: true}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; results (-want +got):\n%s", err, diff)
	}
	if left := d.records(t); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

// TestCasesOnABrokenStore give no results.
func TestCasesOnABrokenStore(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	w := worker.New(worker.Options{Store: noTrial{d.store}, NewID: d.clock.newID})
	if got, err := w.RunCases(t.Context(), checked(t, end), []worker.Case{{Name: "one"}}); err == nil || !strings.HasPrefix(err.Error(), `case "one": `) || got != nil {
		t.Errorf("results %v, error %v", got, err)
	}
}
