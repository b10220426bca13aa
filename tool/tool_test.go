package tool_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolsmith/tool"
)

func TestRiskText(t *testing.T) {
	t.Parallel()
	for risk, want := range map[tool.Risk]string{tool.R1: "R1", tool.R2: "R2", tool.R3: "R3", tool.R4: "R4"} {
		text, err := risk.MarshalText()
		if err != nil || string(text) != want || risk.String() != want {
			t.Errorf("risk %d is written as %s, %s, %v", risk, text, risk, err)
		}
		var back tool.Risk
		if err := back.UnmarshalText(text); err != nil || back != risk {
			t.Errorf("%s is read as %v, %v", text, back, err)
		}
	}
	for _, unknown := range []tool.Risk{0, -1, 5, 127} {
		if got := unknown.String(); got != "R?" {
			t.Errorf("risk %d is written as %s", unknown, got)
		}
	}
	for _, text := range []string{"", "R0", "R5", "R?", "r1", "R10", " R1", "1", "R1\n"} {
		risk := tool.R3
		want := fmt.Sprintf("%q is no risk: R1, R2, R3 or R4", text)
		if err := risk.UnmarshalText([]byte(text)); err == nil || err.Error() != want || risk != tool.R3 {
			t.Errorf("%q is read as %v, error %v", text, risk, err)
		}
	}
	if tool.Risk(0) >= tool.R1 || tool.R1 >= tool.R2 || tool.R2 >= tool.R3 || tool.R3 >= tool.R4 {
		t.Error("risks are not in order")
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	marks := tool.Marks{
		Powers: []tool.Power{tool.Outbound, tool.Read}, Risk: tool.R4, Reversibility: tool.Irreversible,
		Capabilities: []string{"http.get", "notes.list"}, ReadsPrivate: true, ReadsUntrusted: true, CanTransmit: true,
		ModelPrivacy: []string{"local-only"},
	}
	const want = `{"powers":["outbound","read"],"risk":"R4","reversibility":"irreversible","capabilities":["http.get","notes.list"],` +
		`"readsPrivate":true,"readsUntrusted":true,"canTransmit":true,"modelPrivacy":["local-only"]}`
	text, err := json.Marshal(marks)
	if err != nil || string(text) != want {
		t.Errorf("written as %s, %v, want %s", text, err, want)
	}
	var back tool.Marks
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(marks, back); diff != "" {
		t.Errorf("reads back otherwise (-was +is):\n%s", diff)
	}
	if !marks.Has(tool.Read) || !marks.Has(tool.Outbound) || marks.Has(tool.Write) || (tool.Marks{}).Has(tool.Read) {
		t.Errorf("powers are %v, and Has sees others", marks.Powers)
	}
	if got := marks.PowerNames(); got != "outbound, read" {
		t.Errorf("names of powers: %q", got)
	}
	if got := (tool.Marks{}).PowerNames(); got != "none" {
		t.Errorf("names of no powers: %q", got)
	}
	if !marks.UsesModel() || (tool.Marks{}).UsesModel() {
		t.Error("UsesModel does not follow ModelPrivacy")
	}
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	given := []tool.Capability{
		{Name: "notes.list", Power: tool.Read, Summary: "first"},
		{Name: "Notes.list", Power: tool.Read},
		{Name: "http.get", Power: tool.Outbound, Input: json.RawMessage(`{"properties":{"url":{}},"required":["url"]}`)},
		{Name: "notes.create", Power: tool.Write, Input: json.RawMessage(`{"properties":{"old":{}}}`)},
		{Name: "notes.list", Power: tool.Read, Summary: "second"},
		{Name: "notes.create", Power: tool.Write, Input: json.RawMessage(`{"properties":{"new":{}}}`)},
	}
	c := tool.NewCatalogue(given...)
	names := []string{"Notes.list", "http.get", "notes.create", "notes.list"}
	if diff := cmp.Diff(names, c.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for i, one := range c.All() {
		if one.Name != names[i] {
			t.Errorf("capability %d is %s, want %s", i, one.Name, names[i])
		}
		got, ok := c.Get(one.Name)
		if diff := cmp.Diff(one, got); !ok || diff != "" {
			t.Errorf("Get of %s: %v (-want +got):\n%s", one.Name, ok, diff)
		}
		if got.NeedsNetwork() != (one.Name == "http.get") {
			t.Errorf("%s needs the network: %v", one.Name, got.NeedsNetwork())
		}
	}
	if got, _ := c.Get("notes.list"); got.Summary != "second" {
		t.Errorf("of two with one name the %s is kept", got.Summary)
	}
	if got := c.InputFields("notes.create").Names; !cmp.Equal(got, []string{"new"}) {
		t.Errorf("fields of notes.create: %v", got)
	}
	if got := c.InputFields("http.get").Required; !cmp.Equal(got, []string{"url"}) {
		t.Errorf("required fields of http.get: %v", got)
	}
	for _, unknown := range []string{"", "notes", "NOTES.LIST", "notes.list "} {
		if got, ok := c.Get(unknown); ok || got.Name != "" {
			t.Errorf("Get of %q is %v", unknown, got)
		}
	}
	// What the caller does with its own list afterwards is its own affair.
	given[0].Name = "changed"
	if diff := cmp.Diff(names, c.Names()); diff != "" {
		t.Errorf("names after a change outside (-want +got):\n%s", diff)
	}
	empty := tool.NewCatalogue()
	if len(empty.Names()) != 0 || len(empty.All()) != 0 {
		t.Errorf("the empty catalogue has %v", empty.Names())
	}
}

func TestInputFields(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, schema string
		want         tool.InputFields
	}{
		{"no schema", ``, tool.InputFields{}},
		{"no JSON", `{`, tool.InputFields{}},
		{"no object", `true`, tool.InputFields{}},
		{"null", `null`, tool.InputFields{}},
		{"properties that are none", `{"properties":[1],"required":["a"]}`, tool.InputFields{}},
		{"names that are no texts", `{"properties":{"a":{}},"required":[1]}`, tool.InputFields{}},
		{"empty", `{}`, tool.InputFields{}},
		{
			"names sorted, required as they stand", `{"type":"object","properties":{"b":{},"a":true,"c":{}},"required":["c","a"],"additionalProperties":false}`,
			tool.InputFields{Names: []string{"a", "b", "c"}, Required: []string{"c", "a"}, Closed: true},
		},
		{"open", `{"properties":{"a":{}},"additionalProperties":true}`, tool.InputFields{Names: []string{"a"}}},
		{"open to some", `{"properties":{"a":{}},"additionalProperties":{"type":"string"}}`, tool.InputFields{Names: []string{"a"}}},
		{"names like those of JavaScript", `{"properties":{"__proto__":{},"constructor":{}}}`, tool.InputFields{Names: []string{"__proto__", "constructor"}}},
		{"keywords in other letters", `{"Properties":{"a":{}},"REQUIRED":["a"],"additionalproperties":false}`, tool.InputFields{}},
	}
	for _, test := range tests {
		c := tool.NewCatalogue(tool.Capability{Name: "x", Input: json.RawMessage(test.schema)})
		if diff := cmp.Diff(test.want, c.InputFields("x")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		if diff := cmp.Diff(tool.InputFields{}, c.InputFields("y")); diff != "" {
			t.Errorf("%s: fields of an unknown name (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	cause := fs.ErrNotExist
	off := &tool.Error{Code: "TOOL_OFF", Message: "This tool is off.", Cause: cause}
	field := &tool.Error{Code: "INPUT", Message: "is required.", Field: "$.input.title"}
	if got, want := off.Error(), "TOOL_OFF: This tool is off."; got != want {
		t.Errorf("text is %q, want %q", got, want)
	}
	if got, want := field.Error(), "INPUT: $.input.title: is required."; got != want {
		t.Errorf("text is %q, want %q", got, want)
	}

	wrapped := fmt.Errorf("call: %w", off)
	joined := errors.Join(errors.New("plain"), wrapped)
	for name, err := range map[string]error{"itself": off, "wrapped": wrapped, "joined": joined} {
		if !errors.Is(err, &tool.Error{Code: "TOOL_OFF"}) || !errors.Is(err, off) {
			t.Errorf("%s: the code is not found", name)
		}
		if !errors.Is(err, cause) {
			t.Errorf("%s: the cause is not found", name)
		}
		if errors.Is(err, &tool.Error{Code: "INPUT"}) || errors.Is(err, &tool.Error{}) || errors.Is(err, field) || errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: it is another error too", name)
		}
		var coded *tool.Error
		if !errors.As(err, &coded) || coded != off {
			t.Errorf("%s: As gives %v", name, coded)
		}
		if got := tool.Code(err); got != "TOOL_OFF" {
			t.Errorf("%s: the code is %q", name, got)
		}
	}
	for name, err := range map[string]error{"none": nil, "plain": errors.New("TOOL_OFF: plain"), "a cause of another kind": fs.ErrNotExist} {
		if got := tool.Code(err); got != "" {
			t.Errorf("%s: the code is %q", name, got)
		}
		if errors.Is(err, off) {
			t.Errorf("%s: it is TOOL_OFF", name)
		}
	}
	// The code of the error outside counts, and the one inside can still be asked for.
	outer := &tool.Error{Code: "RUN_FAILED", Message: "The run failed.", Cause: wrapped}
	if got := tool.Code(outer); got != "RUN_FAILED" {
		t.Errorf("the code is %q", got)
	}
	if !errors.Is(outer, off) {
		t.Error("the error inside is not found")
	}
	if errors.Unwrap(field) != nil {
		t.Errorf("an error without cause unwraps to %v", errors.Unwrap(field))
	}
}
