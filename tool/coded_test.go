package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolsmith/tool"
)

func TestSpec(t *testing.T) {
	t.Parallel()
	do := func(*tool.Context, struct{}) (any, error) { return nil, nil }
	tests := []struct{ given, want tool.Spec }{
		{
			tool.Spec{Name: "a", Description: "A."},
			tool.Spec{Name: "a", Title: "a", Description: "A.", Version: "1", Powers: []tool.Power{}, Risk: tool.R1, ReadOnly: true},
		},
		{
			tool.Spec{Name: "a", Description: "A.", Powers: []tool.Power{tool.Write, tool.Read, tool.Write}},
			tool.Spec{Name: "a", Title: "a", Description: "A.", Version: "1", Powers: []tool.Power{tool.Read, tool.Write}, Risk: tool.R2},
		},
		{
			tool.Spec{Name: "a", Description: "A.", Hosts: []string{"b.example", "a.example", "b.example"}, Secrets: []string{"y", "x", "y"}},
			tool.Spec{
				Name: "a", Title: "a", Description: "A.", Version: "1", Powers: []tool.Power{tool.Outbound}, Risk: tool.R4,
				Hosts: []string{"a.example", "b.example"}, Secrets: []string{"x", "y"},
			},
		},
		{
			tool.Spec{Name: "a", Description: "A.", Powers: []tool.Power{tool.Outbound}, ReadOnly: true},
			tool.Spec{Name: "a", Title: "a", Description: "A.", Version: "1", Powers: []tool.Power{tool.Outbound}, Risk: tool.R4, ReadOnly: true},
		},
		{
			tool.Spec{
				Name: "a", Title: "T", Description: "A.", LongDescription: "L", Version: "2.0-b", Calls: []string{"c", "b", "c"}, Idempotent: true,
				Powers: []tool.Power{tool.Read, tool.Outbound}, Risk: tool.R2, RenderOptions: map[string]any{"rows": 3, "of": []string{"x"}},
			},
			tool.Spec{
				Name: "a", Title: "T", Description: "A.", LongDescription: "L", Version: "2.0-b", Calls: []string{"b", "c"}, Idempotent: true,
				Powers: []tool.Power{tool.Outbound, tool.Read}, Risk: tool.R2, RenderOptions: map[string]any{"rows": json.Number("3"), "of": []any{"x"}},
			},
		},
	}
	for i, test := range tests {
		made, err := tool.New(test.given, do)
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		if made.Name() != "a" {
			t.Errorf("%d: the name is %q", i, made.Name())
		}
		// Whoever changes what was given or what is returned changes nothing in the tool.
		if test.given.RenderOptions != nil {
			test.given.RenderOptions["rows"] = 4
		}
		got := made.Spec()
		if len(got.Powers) > 0 {
			got.Powers[0] = "changed"
		}
		if len(got.Calls) > 0 {
			got.Calls[0] = "changed"
			got.RenderOptions["of"].([]any)[0] = "changed"
		}
		if diff := cmp.Diff(test.want, made.Spec()); diff != "" {
			t.Errorf("%d (-want +got):\n%s", i, diff)
		}
	}
}

// What Invoke cannot decode is refused, at its place.
func TestInvokeRefuses(t *testing.T) {
	t.Parallel()
	type row struct {
		Text string    `json:"text"`
		Size int8      `json:"size"`
		At   time.Time `json:"at"`
	}
	type in struct {
		Rows  []row          `json:"rows"`
		Odd   map[string]row `json:"odd"`
		Any   any            `json:"any"`
		Max   int            `json:"max"`
		Share float64        `json:"share"`
		Exact json.Number    `json:"exact"`
		Count uint16         `json:"count"`
		Bytes []byte         `json:"bytes"`
		stamped
	}
	made := tool.MustNew(spec("t"), func(*tool.Context, in) (string, error) { return "called", nil })
	tests := []struct{ arguments, field, message string }{
		{`{`, "", "This is no JSON: unexpected end of JSON input."},
		{`{} {}`, "", "This is no JSON: invalid character '{' after top-level value."},
		{strings.Repeat("[", 20_000), "", "This is no JSON: "},
		{`null`, "$", "has to be an object; this is null."},
		{`[]`, "$", "has to be an object; this is a list."},
		{`{"max":1,"Max":2}`, "$.Max", "is no field that is known here."},
		{`{"MAX":1}`, "$.MAX", "is no field that is known here."},
		{`{"max":1,"max":1}`, "$.max", "is given twice."},
		{`{"max":"1"}`, "$.max", "has to be a whole number; this is a text."},
		{`{"max":1.5}`, "$.max", "has to be a whole number."},
		{`{"max":1e400}`, "$.max", "is beyond the numbers that can be taken here."},
		{`{"max":1e999999999999999999999}`, "$.max", "is larger or has more digits than can be taken here."},
		{`{"max":null}`, "$.max", "has to be a whole number; this is null."},
		{`{"max":` + strings.Repeat("9", 300) + `}`, "$.max", "is beyond the numbers that can be taken here."},
		{`{"share":1e400}`, "$.share", "is beyond the numbers that can be taken here."},
		{`{"share":true}`, "$.share", "has to be a number; this is true or false."},
		{`{"exact":"1"}`, "$.exact", "has to be a number; this is a text."},
		{`{"rows":{}}`, "$.rows", "has to be a list; this is an object."},
		{`{"rows":[{"text":"a"},{"txt":"b"}]}`, "$.rows[1].txt", "is no field that is known here."},
		{`{"rows":[{"text":"a"},{"text":7}]}`, "$.rows[1].text", "has to be a text; this is a number."},
		{`{"rows":[null]}`, "$.rows[0]", "has to be an object; this is null."},
		{`{"rows":[{"size":300}]}`, "$.rows[0].size", "is beyond the numbers that can be taken here."},
		{`{"rows":[{"at":"now"}]}`, "$", `cannot be read: parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006".`},
		{`{"odd":{"a b":{"text":"a","text":"b"}}}`, `$.odd["a b"].text`, "is given twice."},
		{`{"odd":[]}`, "$.odd", "has to be an object; this is a list."},
		{`{"any":{"x":[{"y":1,"y":2}]}}`, "$.any.x[0].y", "is given twice."},
		{`{"bytes":"%"}`, "$", "cannot be read: illegal base64 data at input byte 0."},
		{`{"id":"x"}`, "$.id", "has to be a whole number; this is a text."},
		{`{"id":9223372036854775808}`, "$.id", "is beyond the numbers that can be taken here."},
		{`{"count":-1}`, "$.count", "is beyond the numbers that can be taken here."},
		{`{"stamped":{}}`, "$.stamped", "is no field that is known here."},
	}
	for _, test := range tests {
		output, err := made.Invoke(nil, json.RawMessage(test.arguments))
		var e *tool.Error
		if !errors.As(err, &e) || e.Code != tool.CodeArgumentsInvalid || e.Field != test.field || !strings.HasPrefix(e.Message, test.message) {
			t.Errorf("%.80s: %s, error %v", test.arguments, output.Value, err)
		}
	}
	for _, good := range []string{``, `{}`, ` { "max" : 2.0e1 } `, `{"any":null}`, `{"odd":{},"rows":[],"id":1e0}`} {
		output, err := made.Invoke(nil, json.RawMessage(good))
		if err != nil || string(output.Value) != `"called"` {
			t.Errorf("%s: %s, error %v", good, output.Value, err)
		}
	}
}

// Go's nil is no null in a result.
func TestInvokeWritesResults(t *testing.T) {
	t.Parallel()
	type inner struct {
		List []string       `json:"list"`
		Map  map[string]int `json:"map"`
	}
	type out struct {
		inner
		Bytes  []byte             `json:"bytes"`
		Any    any                `json:"any"`
		AnyOpt any                `json:"anyOpt,omitempty"`
		Gone   *inner             `json:"gone"`
		Lists  [][]int            `json:"lists"`
		Maps   map[string][]inner `json:"maps"`
		Raw    json.RawMessage    `json:"raw"`
		Text   string             `json:"text"`
		Three  [2]*int            `json:"three"`
		Big    json.Number        `json:"big"`
	}
	tests := []struct {
		name   string
		invoke func() (tool.Output, error)
		want   string
	}{
		{
			"zero", returns(out{}),
			`{"any":null,"big":0,"bytes":"","list":[],"lists":[],"map":{},"maps":{},"raw":null,"text":"","three":[null,null]}`,
		},
		{
			"deep", returns(out{
				Gone: &inner{}, Lists: [][]int{nil, {1}}, Maps: map[string][]inner{"a": nil, "b": {{}}}, Big: "9007199254740993.10",
				Text: "null", Any: map[string]any{"x": nil},
			}),
			`{"any":{"x":null},"big":9007199254740993.10,"bytes":"","gone":{"list":[],"map":{}},"list":[],"lists":[[],[1]],"map":{},` +
				`"maps":{"a":[],"b":[{"list":[],"map":{}}]},"raw":null,"text":"null","three":[null,null]}`,
		},
		{"in the order of the struct, without escapes", returns(struct {
			B string `json:"b"`
			A string `json:"a"`
		}{"<&>", "ä"}), `{"b":"<&>","a":"ä"}`},
		{"no list", returns([]string(nil)), `[]`},
		{"no map", returns(map[string]bool(nil)), `{}`},
		{"no struct", returns((*inner)(nil)), `null`},
		{"nothing", returns[any](nil), `null`},
		{"any keeps its null", returns[any](out{}.List), `null`},
		{"any", returns[any](map[string]any{"x": 1}), `{"x":1}`},
		{"raw", returns(json.RawMessage(`{"a": 1.0}`)), `{"a":1.0}`},
		{"by a method of the pointer", returns(pointed{"x"}), `"<x>"`},
		{"names made alike", returns(map[string]*int{"\xff": nil, "\xfe": nil}), `{"` + "\ufffd" + `":null}`},
	}
	for _, test := range tests {
		output, err := test.invoke()
		if err != nil || string(output.Value) != test.want || output.Subtasks != nil {
			t.Errorf("%s: %s, %v, error %v, want %s", test.name, output.Value, output.Subtasks, err, test.want)
		}
	}
}

// pointed has its text by a method of the pointer.
type pointed struct{ text string }

func (p *pointed) MarshalText() ([]byte, error) { return []byte("<" + p.text + ">"), nil }
func (p *pointed) UnmarshalText([]byte) error   { return nil }

func returns[Out any](out Out) func() (tool.Output, error) { return fails(out, nil) }

func fails[Out any](out Out, err error) func() (tool.Output, error) {
	return func() (tool.Output, error) {
		made, newErr := tool.New(spec("t"), func(*tool.Context, struct{}) (Out, error) { return out, err })
		if newErr != nil {
			return tool.Output{}, newErr
		}
		return made.Invoke(tool.NewContext(context.Background(), tool.Host{}), nil)
	}
}

func TestInvokeGivesSubtasks(t *testing.T) {
	t.Parallel()
	chains := []tool.Chain{{tool.Call("a", nil)}, {tool.Call("b", 1), tool.Return(nil)}}
	var ctx *tool.Context
	for name, invoke := range map[string]func() (tool.Output, error){
		"subtasks": returns(ctx.Subtasks(chains...)),
		"any":      returns[any](ctx.Subtasks(chains...)),
	} {
		output, err := invoke()
		if diff := cmp.Diff(tool.Output{Subtasks: chains}, output); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
	subtasks := ctx.Subtasks(chains...)
	kept := returns(subtasks)
	first := chains[0]
	chains[0] = nil
	if output, err := kept(); err != nil || len(output.Subtasks[0]) != 1 {
		t.Errorf("the chains changed with the list of the caller: %v, %v", output.Subtasks, err)
	}
	chains[0] = first
	const none, asValue = "The tool returned subtasks, and among them is no task.", "The tool returned tasks as a value; it is (*Context).Subtasks that lets them run."
	for name, test := range map[string]struct {
		invoke func() (tool.Output, error)
		want   string
	}{
		"none":         {returns(ctx.Subtasks()), none},
		"zero":         {returns(tool.Subtasks{}), none},
		"zero as any":  {returns[any](tool.Subtasks{}), none},
		"nil pointer":  {returns[any]((*tool.Subtasks)(nil)), none},
		"chain as any": {returns[any](chains[0]), asValue},
		"list as any":  {returns[any](chains), asValue},
		"task as any":  {returns[any](chains[0][0]), asValue},
	} {
		output, err := test.invoke()
		if want := tool.CodeResultInvalid + ": " + test.want; err == nil || err.Error() != want || output.Value != nil {
			t.Errorf("%s: %v, error %v, want %s", name, output, err, want)
		}
	}
}

// nothing is an *Error that is nil in an error that is not.
func nothing() error {
	var e *tool.Error
	return e
}

func TestInvokeGivesErrors(t *testing.T) {
	t.Parallel()
	gone := fmt.Errorf("no shelf: %w", fs.ErrNotExist)
	own := &tool.Error{Code: "SHELF_FULL", Message: "The shelf is full.", Field: "$.shelf", Cause: gone}
	tests := []struct {
		name  string
		err   error
		want  tool.Error
		cause error
	}{
		{"plain", gone, tool.Error{Code: "TOOL_FAILED", Message: "no shelf: file does not exist"}, gone},
		{"coded", own, tool.Error{Code: "SHELF_FULL", Message: "The shelf is full.", Field: "$.shelf"}, gone},
		{"wrapped", fmt.Errorf("while sorting: %w", own), tool.Error{Code: "SHELF_FULL", Message: "The shelf is full.", Field: "$.shelf"}, own},
		{"without a code", &tool.Error{Message: "No."}, tool.Error{Code: "TOOL_FAILED", Message: "No."}, nil},
		{"without a message", &tool.Error{Code: "X"}, tool.Error{Code: "X", Message: "The tool failed without saying why."}, nil},
		{"nil in an error", nothing(), tool.Error{Code: "TOOL_FAILED", Message: "The tool failed without saying why."}, nil},
		{"cancelled", context.Canceled, tool.Error{Code: "TOOL_FAILED", Message: "context canceled"}, context.Canceled},
		{"put together", tool.Errorf("SHELF_GONE", "shelf %d: %w", 3, gone), tool.Error{Code: "SHELF_GONE", Message: "shelf 3: no shelf: file does not exist"}, fs.ErrNotExist},
	}
	for _, test := range tests {
		output, err := fails("value", test.err)()
		var e *tool.Error
		if !errors.As(err, &e) || output.Value != nil {
			t.Errorf("%s: %s, error %v", test.name, output.Value, err)
			continue
		}
		if test.cause != nil && !errors.Is(err, test.cause) || test.cause == nil && e.Cause != nil {
			t.Errorf("%s: the cause is %v", test.name, e.Cause)
		}
		got := *e
		if got.Cause = nil; got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	if own.Cause != gone {
		t.Error("the error of the tool was changed")
	}
	for name, invoke := range map[string]func() (tool.Output, error){
		"not a number": returns(math.NaN()),
		"channel":      returns[any](make(chan int)),
		"no JSON":      returns(json.RawMessage("{")),
	} {
		if _, err := invoke(); tool.Code(err) != tool.CodeResultInvalid || !strings.Contains(err.Error(), "cannot be written as JSON") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// fragile panics when it is read or written.
type fragile struct{}

func (fragile) MarshalText() ([]byte, error) { panic("written") }
func (*fragile) UnmarshalText([]byte) error  { panic("read") }

func TestInvokeSurvivesPanics(t *testing.T) {
	t.Parallel()
	inFunction := tool.MustNew(spec("t"), func(*tool.Context, struct{}) ([]int, error) {
		var list []int
		return list[:len(list)+1], nil
	})
	inResult := tool.MustNew(spec("t"), func(*tool.Context, struct{}) (fragile, error) { return fragile{}, nil })
	inArguments := tool.MustNew(spec("t"), func(*tool.Context, map[string]fragile) (any, error) { return nil, nil })
	for want, made := range map[string]*tool.Tool{"slice bounds out of range": inFunction, "written": inResult, "read": inArguments} {
		arguments := `{}`
		if made == inArguments {
			arguments = `{"x":"y"}`
		}
		output, err := made.Invoke(nil, json.RawMessage(arguments))
		var e *tool.Error
		if !errors.As(err, &e) || e.Code != tool.CodePanicked || e.Message != `The tool "t" has a fault and broke off; the log has the details.` {
			t.Errorf("%s: %s, error %v", want, output.Value, err)
			continue
		}
		if cause := e.Cause.Error(); !strings.Contains(cause, want) || !strings.Contains(cause, "coded_test.go") {
			t.Errorf("%s: the cause has no stack: %s", want, cause)
		}
	}
}
