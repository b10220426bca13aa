package flow_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/runner/flow"
)

// script reads a script that has to be right.
func script(t *testing.T, text string) *flow.Script {
	t.Helper()
	s, err := flow.ParseScript([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestScriptErrors name the place and what would be right.
func TestScriptErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                                      "line 1, column 1: The text is empty.",
		"{\n  \"llm\": [,]}":                    "line 2, column 11: This has to be a value",
		"{\"llm\": [],\n \"llm\": []}":          "line 2, column 2: This field is given twice.",
		`{"llm": [{"result": 1e400}]}`:          "line 1, column 21: ",
		`[]`:                                    "$: a script has to be an object; this is a list",
		`{"capabilitiess": {}}`:                 `$.capabilitiess: unknown field "capabilitiess" in a script.`,
		`{"capabilities": []}`:                  "$.capabilities has to be an object of lists of answers; this is a list",
		`{"capabilities": {"notes.list": {}}}`:  `$.capabilities["notes.list"] has to be a list of answers; this is an object`,
		`{"capabilities": {"notes.list": [1]}}`: `$.capabilities["notes.list"][0]: an answer has to be an object; this is a number`,
		`{"capabilities": {"a": [{"error": "no", "code": 1}]}}`:          `$.capabilities.a[0].code has to be the code of an "error", a text; this is a number`,
		`{"capabilities": {"a": [{"result": 1, "code": "NO"}]}}`:         `$.capabilities.a[0].code has to be the code of an "error", a text; this is a text`,
		`{"capabilities": {"a": [{"result": 1}, {"reslut": 1}]}}`:        `$.capabilities.a[1].reslut: unknown field "reslut" in an answer.`,
		`{"capabilities": {"a": [{"error": {"code": "X"}}]}}`:            "$.capabilities.a[0].error has to be a text; this is an object",
		`{"capabilities": {"a": [{"error": "x", "permanent": "true"}]}}`: "$.capabilities.a[0].permanent has to be true or false; this is a text",
		`{"llm": {"result": 1}}`:                                         "$.llm has to be a list of answers; this is an object",
		`{"llm": [{"error": null}]}`:                                     "$.llm[0].error has to be a text; this is null",
		`{"zzz": 1}`:                                                     `$.zzz: unknown field "zzz" in a script.`,
		`{"state": []}`:                                                  "$.state has to be an object; this is a list",
		`{"checkInputs": 0}`:                                             "$.checkInputs has to be true or false; this is a number",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			_, err := flow.ParseScript([]byte(text))
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("the error is %v; want %q", err, want)
			}
		})
	}
}

// TestScriptAnswers are used call by call for each capability; the last one repeats.
func TestScriptAnswers(t *testing.T) {
	t.Parallel()
	s := script(t, `{"capabilities": {
		"a": [{"result": 1}, {"void": true}, {"error": "Late."}, {"result": 2}],
		"b": [{"error": "No.", "permanent": true}], "c": [], "d": [{}]}}`)
	o := s.Options()
	var got []any
	for _, name := range strings.Fields("a b a c a a d e b") {
		answer, err := o.Host.Call(t.Context(), flow.Call{Capability: name})
		var failed *flow.CallError
		if errors.As(err, &failed) {
			got = append(got, failed.Message, failed.Permanent)
		} else {
			got = append(got, answer.Value)
		}
	}
	want := append([]any{}, decode(t, `[1, "No.", true, "Late.", false, null, 2, 2, null, null, "No.", true]`).([]any)...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestScriptOptions(t *testing.T) {
	t.Parallel()
	ask := question(shaped)
	for name, c := range map[string]struct{ script, nodes, state, code, want string }{
		"nothing scripted":   {`{}`, strings.Replace(callAny, "$.x", "$.y", 1) + reads(`{"$ref": "$.y"}`), "", "", `null`},
		"inputs are checked": {`{}`, strings.Replace(callAny, `any", "input": {}`, `list", "input": {"query": 7}`, 1) + returnNull, "", flow.CodeInputInvalid, ""},
		"or not":             {`{"checkInputs": false}`, strings.Replace(callAny, `any", "input": {}`, `list", "input": {"query": 7}`, 1) + returnNull, "", "", `null`},
		"but measured": {`{"checkInputs": false}`, strings.Replace(callAny, `any", "input": {}`, `list", "input": "`+strings.Repeat("x", 300)+`"`, 1) + returnNull, "",
			flow.CodeInputTooLarge, ""},
		"no model":                {`{}`, ask, "", flow.CodeModelUnavailable, ""},
		"a model without answers": {`{"llm": []}`, ask, "", flow.CodeLLMOutputInvalid, ""},
		"a model that errs once":  {`{"llm": [{"result": "x"}, {"result": {"n": 1}}]}`, ask, "", "", `{"n":1}`},
		"a model that fails":      {`{"llm": [{"error": "Asleep."}]}`, ask, "", flow.CodeModelUnavailable, ""},
		"a local model":           {`{"llm": [{"result": "x"}]}`, question(`, "requirements": {"privacy": "local-only", "minContext": 900000}`), "", "", `"x"`},
		"a state":                 {`{"state": {"n": 7}}`, reads(`{"$ref": "$.state"}`), counts, "", `{"n":7}`},
		"no state":                {`{}`, reads(`{"$ref": "$.state"}`), counts, "", `{}`},
		"the id of the run":       {`{}`, reads(`{"$ref": "$.runtime.executionId"}`), "", "", `"exec-0001"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := run(t, spec{nodes: c.nodes, state: c.state}, script(t, c.script).Options())

			if c.code == "" {
				wantOutput(t, r, c.want)
				return
			}
			wantStatus(t, r, flow.Failed, c.code)
			if name == "a model that fails" && r.Failure.Message != "The model did not answer: Asleep." {
				t.Errorf("says %q", r.Failure.Message)
			}
		})
	}
}

// TestAScriptedWaitPassesAtOnce, and the clock of the script moves on by it.
func TestAScriptedWaitPassesAtOnce(t *testing.T) {
	t.Parallel()
	o := script(t, `{"capabilities": {"lab.any": [{"error": "Late."}, {"error": "Late."}, {"result": "done"}]}}`).Options()
	before := o.Clock.Now()

	r := run(t, spec{nodes: retried(3, 5000)}, o)

	wantOutput(t, r, `"done"`)
	if moved := o.Clock.Now().Sub(before); moved != 10*time.Second {
		t.Errorf("the clock moved by %s; want 10s", moved)
	}
}

func TestDryClock(t *testing.T) {
	t.Parallel()
	c := flow.NewDryClock(dawn)
	if err := c.Sleep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := c.Now(); got != dawn.Add(time.Hour) {
		t.Errorf("an hour after %s it is %s", dawn, got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("Sleep gives %v for a context that is over", err)
	}
}
