package flow_test

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/internal/capability"
	"toolsmith/internal/check"
	"toolsmith/internal/conformance"
	"toolsmith/internal/runner/flow"
	"toolsmith/internal/value"
)

// conformanceCases is how many cases the file holds. A case that is lost, or added
// without being run, fails the test.
const conformanceCases = 460

// corrections are cases of try.jsonl whose line is damaged or contradicts the reference;
// see testdata/conformance-corrections/README.md.
type corrections struct {
	Inputs  map[string]any
	Expects map[string]any
}

func readCorrections(t *testing.T) corrections {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/conformance-corrections/try.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := value.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	object := v.(map[string]any)
	return corrections{Inputs: object["inputs"].(map[string]any), Expects: object["expects"].(map[string]any)}
}

// TestConformance runs every case of testdata/conformance/try.jsonl.
func TestConformance(t *testing.T) {
	t.Parallel()
	fixed := readCorrections(t)
	file, err := os.ReadFile("../../../testdata/conformance/try.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	conformance.Each(t, file, conformanceCases, func(t *testing.T, c conformance.Case) { runCase(t, c, fixed) })
}

func runCase(t *testing.T, c conformance.Case, fixed corrections) {
	root := c.Root
	checked := check.Run(c.Text("manifest"), capability.Builtin())
	if !checked.OK() {
		t.Fatalf("the manifest does not pass the check: %v", checked.Diagnostics)
	}
	program, err := flow.Compile(checked.Tool)
	if err != nil {
		t.Fatal(err)
	}
	script, err := flow.ScriptOf(root.Get("script"))
	if err != nil {
		t.Fatal(err)
	}
	name := root.Get("name").Text
	input := root.Get("input").Value()
	if better, ok := fixed.Inputs[name]; ok {
		requireDamaged(t, root, input)
		input = better
	}
	expect := root.Get("expect").Value().(map[string]any)
	if better, ok := fixed.Expects[name]; ok {
		expect = better.(map[string]any)
	}
	result := program.Run(context.Background(), input, script.Options())
	compare(t, expect, result)
	if t.Failed() {
		t.Logf("%s", value.JSON(result.Value()))
	}
}

// requireDamaged makes sure that an input is replaced only where the line's own is not
// the case's: it was cut from the manifest, whose first "input" it repeats.
func requireDamaged(t *testing.T, root *value.Node, input any) {
	t.Helper()
	first := firstInput(root.Get("manifest"))
	if first == nil || !value.Equal(first.Value(), input) {
		t.Fatal("this case has an input of its own and must not be corrected")
	}
}

func firstInput(n *value.Node) *value.Node {
	for kid := range n.Kids() {
		if kid.Name == "input" {
			return kid
		}
		if found := firstInput(kid); found != nil {
			return found
		}
	}
	return nil
}

func compare(t *testing.T, expect map[string]any, result flow.Result) {
	t.Helper()
	if got := string(result.Status); got != expect["status"] {
		t.Errorf("status is %s, want %s", got, expect["status"])
	}
	// A case that succeeds and names an error all the same leaves the error open.
	if want, ok := expect["error"]; ok && expect["status"] != "succeeded" {
		if result.Failure == nil || result.Failure.Code != want {
			t.Errorf("error is %v, want %s", result.Failure, want)
		}
	}
	if want, ok := expect["output"]; ok && !sameJSON(want, result.Output) {
		t.Errorf("output is %s, want %s", value.JSON(result.Output), value.JSON(want))
	}
	if want, ok := expect["callCount"]; ok && value.Int(len(result.Calls)) != want {
		t.Errorf("%d calls, want %s", len(result.Calls), want)
	}
	if want, ok := expect["created"]; ok && value.Int(len(result.Created)) != want {
		t.Errorf("%d created, want %s", len(result.Created), want)
	}
	if want, ok := expect["calls"]; ok {
		compareCalls(t, want.([]any), result.Calls)
	}
}

func compareCalls(t *testing.T, want []any, got []flow.CallRecord) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d calls, want %d", len(got), len(want))
		return
	}
	for i := range want {
		call := want[i].(map[string]any)
		if diff := cmp.Diff(call["capability"], any(got[i].Capability)); diff != "" {
			t.Errorf("call %d (-want +got):\n%s", i, diff)
		}
		if !sameJSON(call["input"], got[i].Input) {
			t.Errorf("input of call %d is %s, want %s", i, value.JSON(got[i].Input), value.JSON(call["input"]))
		}
	}
}

// sameJSON compares as the cases were written: by a program that holds numbers as 64-bit
// floats, so that 9007199254740993 and 9007199254740992 are one value to it.
func sameJSON(a, b any) bool { return value.Equal(asFloats(a), asFloats(b)) }

func asFloats(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return v
		}
		return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = asFloats(item)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, item := range v {
			object[name] = asFloats(item)
		}
		return object
	}
	return v
}
