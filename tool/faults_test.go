package tool_test

import (
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"
	"time"

	"toolsmith/tool"
)

type tree struct {
	Name string `json:"name"`
	Kids []tree `json:"kids,omitempty"`
}

type ring []ring

type mutual struct {
	Other *mutual2 `json:"other"`
}

type mutual2 struct {
	Map map[string]mutual `json:"map"`
}

// halfText is text in one direction only.
type halfText struct{}

func (halfText) MarshalText() ([]byte, error) { return nil, nil }

type hidden struct {
	X string `json:"x"`
}

type wide1 struct{ A, B, C, D, E, F, G, H, I, J wide2 }
type wide2 struct{ A, B, C, D, E, F, G, H, I, J wide3 }
type wide3 struct{ A, B, C, D, E, F, G, H, I, J wide4 }
type wide4 struct{ A, B, C, D, E, F, G, H, I, J int }

// twice has one name in two of its embedded structs.
type twice struct {
	one
	other
}

type one struct{ Street string }

type other struct{ Street string }

// What is wrong with a type is said with the field at fault.
func TestTypeFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		make func() (*tool.Tool, error)
		want string
	}{
		{"holds itself", take[tree], "arguments: field Kids[]: tool_test.tree holds itself"},
		{"result that holds itself", give[tree], "result: field Kids[]: tool_test.tree holds itself"},
		{"list of itself", give[ring], "result: field []: tool_test.ring holds itself"},
		{"two that hold each other", take[mutual], "field Other.Map{}: tool_test.mutual holds itself"},
		{"no object", take[string], "arguments: they are an object, so their type is a struct or a map with texts as keys; string is neither"},
		{"list", take[[]int], "[]int is neither"},
		{"any", take[any], "is neither"},
		{"raw", take[json.RawMessage], "json.RawMessage is neither"},
		{"pointer", take[*place], "*tool_test.place is neither"},
		{"time", take[time.Time], "time.Time is neither"},
		{"own JSON", take[struct{ N big.Int }], "field N: big.Int reads or writes its own JSON"},
		{"own JSON by embedding", take[struct{ time.Time }], "struct { time.Time } reads or writes its own JSON"},
		{"half a text", take[struct{ X halfText }], "field X: tool_test.halfText is text in one direction only"},
		{"duration", take[struct{ Wait time.Duration }], "field Wait: a time.Duration is a bare number"},
		{"channel", take[struct{ C chan int }], "field C: chan int has no JSON"},
		{"function", give[func()], "result: func() has no JSON"},
		{"complex", give[struct{ X []complex128 }], "field X[]: complex128 has no JSON"},
		{"uintptr", give[uintptr], "uintptr has no JSON"},
		{"interface", take[struct{ R io.Reader }], "field R: JSON cannot tell which type stands behind io.Reader"},
		{"numbers as keys", take[map[int]string], "arguments: the keys of map[int]string are no plain texts"},
		{"keys with methods", take[struct{ M map[tool.Risk]int }], "field M: the keys of map[tool.Risk]int are no plain texts"},
		{"chain as a result", give[tool.Chain], "result: tool.Chain is no value: return Subtasks"},
		{"chains as a result", give[[]tool.Chain], "[]tool.Chain is no value"},
		{"subtasks by pointer", give[*tool.Subtasks], "tool.Subtasks is no value"},
		{"subtasks in a result", give[struct{ S tool.Subtasks }], "field S: tool.Subtasks is no value"},
		{"too much", take[wide1], "the schema would have more than 5000 parts"},
		{"embedded pointer that is not exported", take[struct{ *hidden }], "field hidden: encoding/json cannot fill an embedded pointer"},
		{"the same under a name", take[struct {
			*hidden `json:"h"`
		}], "field hidden: encoding/json cannot fill an embedded pointer"},
		{"tags of an embedded struct", take[struct {
			hidden `jsonschema:"all of it"`
		}], "field hidden: the fields of an embedded struct become fields"},
		{"one name twice", take[twice], `field other.Street: the name "Street" is that of one.Street too`},
		{"names in other letters", take[struct{ Text, TEXT string }], `field TEXT: the names "Text" and "TEXT" differ only in case`},
		{"names that models refuse", take[struct {
			A string `json:"größe"`
			B string `json:"@b"`
		}], `field B: the name "@b" is none that models accept`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := test.make()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), `tool "t": `) {
				t.Errorf("error %q does not name the tool", err)
			}
		})
	}
}

func TestTagFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		make func() (*tool.Tool, error)
		want string
	}{
		{take[struct {
			A int64 `json:"a,string"`
		}], `field A: the option "string" of its json tag`},
		{take[struct {
			A string `minlength:"1"`
		}], `field A: its tag minlength is written minLength`},
		{take[struct {
			A string `description:"x"`
		}], `field A: there is no tag description here`},
		{take[struct {
			A string `pattern:"^x$"`
		}], `field A: there is no tag pattern here`},
		{take[struct {
			A string `jsonschema:"required,description=x"`
		}], `field A: its tag jsonschema holds the description and nothing else: "required,description="`},
		{take[struct {
			A string `jsonschema:" "`
		}], `field A: its tag jsonschema is empty`},
		{take[struct {
			A string `enum:"a,,b"`
		}], `field A: enum "a,,b": one of the choices is empty`},
		{take[struct {
			A string `enum:"a, a"`
		}], `field A: enum "a, a": a is there twice`},
		{take[struct {
			A int `enum:"1,1.0"`
		}], `field A: enum "1,1.0": 1.0 is there twice`},
		{take[struct {
			A int `enum:"1,x"`
		}], `field A: enum "1,x": "x" is no number`},
		{take[struct {
			A int `enum:"1,1.5"`
		}], `field A: enum "1,1.5": 1.5 is no whole number`},
		{take[struct {
			A bool `enum:"true"`
		}], `field A: enum "true": only texts and numbers are chosen from a list`},
		{take[struct {
			A string `enum:"ab,abc" maxLength:"2"`
		}], `field A: enum "ab,abc": "abc" is longer than maxLength, 2`},
		{take[struct {
			A int `minimum:"one"`
		}], `field A: minimum "one": it is no number`},
		{take[struct {
			A float64 `maximum:"1e999999999"`
		}], `field A: maximum "1e999999999": it is no number`},
		{take[struct {
			A float64 `maximum:"1e99999"`
		}], `it is no number`},
		{take[struct {
			A int `minimum:"1.5"`
		}], `field A: minimum "1.5": it is no whole number`},
		{take[struct {
			A string `minimum:"1"`
		}], `field A: minimum "1": only numbers have it`},
		{take[struct {
			A uint8 `maximum:"300"`
		}], `field A: maximum "300": it is beyond what uint8 holds`},
		{take[struct {
			A uint `minimum:"-1"`
		}], `field A: minimum "-1": it is beyond what uint holds`},
		{take[struct {
			A int `minimum:"5" maximum:"4"`
		}], `field A: minimum "5": it is above the maximum, 4`},
		{take[struct {
			A string `minLength:"5" maxLength:"4"`
		}], `field A: minLength "5": it is above the maxLength, 4`},
		{take[struct {
			A []int `minItems:"5" maxItems:"4"`
		}], `field A: minItems "5": it is above the maxItems, 4`},
		{take[struct {
			A string `minLength:"-1"`
		}], `field A: minLength "-1": it is no whole number from 0 on`},
		{take[struct {
			A string `maxLength:"07"`
		}], `it is no whole number from 0 on`},
		{take[struct {
			A int `maxLength:"7"`
		}], `field A: maxLength "7": only texts have it`},
		{take[struct {
			A []byte `maxLength:"7"`
		}], `only texts have it`},
		{take[struct {
			A string `minItems:"1"`
		}], `field A: minItems "1": only lists of any length have it`},
		{take[struct {
			A [2]int `maxItems:"1"`
		}], `only lists of any length have it`},
		{take[struct {
			A int `default:"five"`
		}], `field A: default "five": it is no JSON, as it is for all but texts`},
		{take[struct {
			A int `default:"5 6"`
		}], `it is no JSON`},
		{take[struct {
			A int `default:"5.5"`
		}], `field A: default "5.5": 5.5 is no whole number`},
		{take[struct {
			A int `default:"0" minimum:"1"`
		}], `field A: default "0": 0 is below the minimum, 1`},
		{take[struct {
			A int `default:"9" maximum:"8"`
		}], `9 is above the maximum, 8`},
		{take[struct {
			A int8 `default:"128"`
		}], `128 is above the maximum, 127`},
		{take[struct {
			A int64 `default:"9223372036854775808"`
		}], `field A: default "9223372036854775808": is beyond the numbers that can be taken here.`},
		{take[struct {
			A string `default:"c" enum:"a,b"`
		}], `field A: default "c": "c" is none of the choices`},
		{take[struct {
			A float64 `default:"3" enum:"1,2"`
		}], `3 is none of the choices`},
		{take[struct {
			A string `default:"" minLength:"1"`
		}], `"" is shorter than minLength, 1`},
		{take[struct {
			A bool `default:"yes"`
		}], `it is no JSON`},
		{take[struct {
			A bool `default:"1"`
		}], `1 is not true or false`},
		{take[struct {
			A int `default:"null"`
		}], `null is no number`},
		{take[struct {
			A []string `default:"a"`
		}], `it is no JSON`},
		{take[struct {
			A []string `default:"{}"`
		}], `{} is no list`},
		{take[struct {
			A []string `default:"[1]"`
		}], `item 0: 1 is no text`},
		{take[struct {
			A []string `default:"[]" minItems:"1"`
		}], `it has fewer items than minItems, 1`},
		{take[struct {
			A []string `default:"[\"a\",\"b\"]" maxItems:"1"`
		}], `it has more items than maxItems, 1`},
		{take[struct {
			A place `default:"{}"`
		}], `field A: default "{}": it lacks street`},
		{take[struct {
			A place `default:"[]"`
		}], `[] is no object`},
		{take[struct {
			A place `default:"{\"street\":\"x\",\"Zip\":\"1\"}"`
		}], `there is no field "Zip"`},
		{take[struct {
			A map[string]int `default:"{\"a\":\"b\"}"`
		}], `a: "b" is no number`},
		{take[struct {
			A map[string]int `default:"{\"a\":1,\"a\":2}"`
		}], `$.a: is given twice.`},
		{take[struct {
			A time.Time `default:"yesterday"`
		}], `field A: default "yesterday": cannot be read: parsing time`},
		{take[struct {
			A []byte `default:"%"`
		}], `field A: default "%"`},
		{take[struct {
			A tool.Risk `default:"R9"`
		}], `"R9" is no risk`},
		{take[struct {
			A []struct {
				B map[string]struct {
					C int `minimum:"x"`
				}
			}
		}], `field A[].B{}.C: minimum "x": it is no number`},
		{give[struct {
			A int `minimum:"x"`
		}], `result: field A: minimum "x": it is no number`},
	}
	for _, test := range tests {
		_, err := test.make()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestSpecFaults(t *testing.T) {
	t.Parallel()
	good := tool.Spec{Name: "a.b_c-D1", Description: "Does something."}
	tests := []struct {
		name   string
		change func(*tool.Spec)
		want   string // "" for none
	}{
		{"good", func(*tool.Spec) {}, ""},
		{"64 letters", func(s *tool.Spec) { s.Name = strings.Repeat("x", 64) }, ""},
		{"65 letters", func(s *tool.Spec) { s.Name = strings.Repeat("x", 65) }, "name: it is 1 to 64 letters"},
		{"no name", func(s *tool.Spec) { s.Name = "" }, "name: it is"},
		{"begins with a dot", func(s *tool.Spec) { s.Name = ".x" }, "name: it is"},
		{"a name of a forged tool", func(s *tool.Spec) { s.Name = "dynamic:x" }, "name: it is"},
		{"a name in two lines", func(s *tool.Spec) { s.Name = "x\n" }, "name: it is"},
		{"no description", func(s *tool.Spec) { s.Description = " \n" }, "description: it says what can be seen"},
		{"1,000 characters", func(s *tool.Spec) { s.Description = strings.Repeat("ä", 1000) }, ""},
		{"1,001 characters", func(s *tool.Spec) { s.Description = strings.Repeat("ä", 1001) }, "description: it has 1001 characters, and at most 1000"},
		{"no UTF-8", func(s *tool.Spec) { s.Title = "\xff" }, "title: it is no valid UTF-8"},
		{"long title", func(s *tool.Spec) { s.Title = strings.Repeat("x", 121) }, "title: it has 121 characters"},
		{"very long description", func(s *tool.Spec) { s.LongDescription = strings.Repeat("x", 20_001) }, "long description: it has 20001"},
		{"version", func(s *tool.Spec) { s.Version = "1 2" }, `version "1 2": it is`},
		{"calls", func(s *tool.Spec) { s.Calls = []string{"dynamic:a.b", "mcp:server/tool", "a b"} }, `calls: "a b" is no name`},
		{"an empty call", func(s *tool.Spec) { s.Calls = []string{""} }, `calls: "" is no name`},
		{"secrets", func(s *tool.Spec) { s.Secrets = []string{"key", "a b"} }, `secrets: "a b" is not 1 to 64 letters`},
		{"options", func(s *tool.Spec) { s.RenderOptions = map[string]any{"f": func() {}} }, "render options: they cannot be written as JSON"},
		{"power", func(s *tool.Spec) { s.Powers = []tool.Power{"fly"} }, `powers: "fly" is none of outbound, read and write`},
		{"risk", func(s *tool.Spec) { s.Risk = 5 }, "risk: it is R1 to R4, not 5"},
		{"negative risk", func(s *tool.Spec) { s.Risk = -1 }, "risk: it is R1 to R4, not -1"},
		{"read only and writes", func(s *tool.Spec) { s.ReadOnly, s.Powers = true, []tool.Power{tool.Write} }, "read only: a tool with the power write is not"},
	}
	for _, test := range tests {
		s := good
		test.change(&s)
		_, err := tool.New(s, func(*tool.Context, struct{}) (any, error) { return nil, nil })
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

// All faults are told at once.
func TestFaultsTogether(t *testing.T) {
	t.Parallel()
	type in struct {
		A int    `minimum:"x" default:"y"`
		B string `jsonchema:"ignored: it is somebody else's" maxitems:"3"`
		C func()
	}
	_, err := tool.New[in, chan int](tool.Spec{Name: "?"}, nil)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`tool "?": `, "name: ", "description: ", "it has no function",
		"arguments: field A: minimum", "arguments: field B: its tag maxitems", "arguments: field C: func() has no JSON", "result: chan int has no JSON",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in:\n%v", want, err)
		}
	}
	defer func() {
		panicked, _ := recover().(error)
		if panicked == nil || panicked.Error() != err.Error() {
			t.Errorf("MustNew panics with %v", panicked)
		}
		if errors.Unwrap(panicked) == nil {
			t.Error("the faults cannot be unwrapped")
		}
	}()
	tool.MustNew[in, chan int](tool.Spec{Name: "?"}, nil)
}
