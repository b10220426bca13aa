package tool_test

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"toolsmith/tool"
	"toolsmith/tool/tooltest"
)

// Everything has a field of each kind.
type everything struct {
	Text    string             `json:"text" maxLength:"5"`
	Choice  string             `json:"choice" enum:"a,b" default:"a"`
	Truth   bool               `json:"truth,omitempty"`
	Int     int64              `json:"int"`
	Small   int8               `json:"small" maximum:"100"`
	Count   uint64             `json:"count,omitzero"`
	Share   float64            `json:"share"`
	Short   float32            `json:"short"`
	Number  json.Number        `json:"number"`
	Bytes   []byte             `json:"bytes"`
	Time    time.Time          `json:"time"`
	Pointer *string            `json:"pointer,omitempty"`
	List    []int              `json:"list" maxItems:"3"`
	Pair    [2]bool            `json:"pair"`
	Map     map[string]float64 `json:"map"`
	Any     any                `json:"any"`
	Raw     json.RawMessage    `json:"raw"`
	Place   place              `json:"place"`
	Places  []*place           `json:"places,omitempty"`
	stamped
}

func drawEverything(t *rapid.T) everything {
	// encoding/json writes no text that is no UTF-8.
	text := rapid.StringN(0, 6, -1)
	number := rapid.Custom(func(t *rapid.T) json.Number {
		return json.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number"))
	})
	aPlace := rapid.Custom(func(t *rapid.T) place {
		return place{Street: text.Draw(t, "street"), Zip: rapid.StringN(0, 11, -1).Draw(t, "zip")}
	})
	return everything{
		Text: text.Draw(t, "text"), Choice: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "choice"), Truth: rapid.Bool().Draw(t, "truth"),
		Int: rapid.Int64().Draw(t, "int"), Small: rapid.Int8().Draw(t, "small"), Count: rapid.Uint64().Draw(t, "count"),
		Share: rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).Draw(t, "share"), Short: rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32).Draw(t, "short"),
		Number: number.Draw(t, "number"), Bytes: rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"),
		Time:    time.Unix(rapid.Int64Range(0, 1e11).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).UTC(),
		Pointer: rapid.Ptr(text, true).Draw(t, "pointer"), List: rapid.SliceOfN(rapid.Int(), 0, 4).Draw(t, "list"),
		Pair: [2]bool{rapid.Bool().Draw(t, "one"), rapid.Bool().Draw(t, "other")}, Map: rapid.MapOf(text, rapid.Float64Range(-1e300, 1e300)).Draw(t, "map"),
		Any: rapid.SampledFrom([]any{nil, true, "x", json.Number("12345678901234567890.5"), []any{json.Number("1e2")}, map[string]any{"a": nil}}).Draw(t, "any"),
		Raw: json.RawMessage(strconv.Quote("raw")), Place: aPlace.Draw(t, "place"), Places: rapid.SliceOfN(rapid.Ptr(aPlace, true), 0, 2).Draw(t, "places"),
		stamped: stamped{ID: rapid.Int64().Draw(t, "id"), Title: text.Draw(t, "title")},
	}
}

// What is written from the type of the arguments, and fits their schema, is read as the
// same; and whatever a function returns fits the schema of its result.
func TestPropertyRoundTrip(t *testing.T) {
	t.Parallel()
	same := []cmp.Option{cmpopts.EquateEmpty(), cmp.AllowUnexported(everything{}, stamped{})}
	rapid.Check(t, func(rt *rapid.T) {
		given := drawEverything(rt)
		var got everything
		echo := tool.MustNew(spec("echo"), func(_ *tool.Context, in everything) (everything, error) {
			got = in
			return in, nil
		})
		result := tooltest.Run(t, echo, given)
		switch tool.Code(result.Err) {
		case tool.CodeArgumentsInvalid:
			if fits(given) {
				rt.Fatalf("what fits is refused: %v", result.Err)
			}
			return
		case "":
		default:
			rt.Fatal(result.Err)
		}
		if diff := cmp.Diff(given, got, same...); diff != "" {
			rt.Fatalf("read otherwise (-given +got):\n%s", diff)
		}
		var back everything
		if result.Value(&back); !cmp.Equal(given, back, same...) {
			rt.Fatalf("returned otherwise (-given +got):\n%s", cmp.Diff(given, back, same...))
		}
	})
}

// fits says of the schema of everything what a person would.
func fits(e everything) bool {
	fitting := len([]rune(e.Text)) <= 5 && e.Choice != "c" && e.Small <= 100 && len(e.List) <= 3
	for _, p := range append([]*place{&e.Place}, e.Places...) {
		n := 0
		if p != nil {
			n = len([]rune(p.Zip))
		}
		fitting = fitting && p != nil && (n == 0 || n >= 4 && n <= 10)
	}
	return fitting
}

// Nil in Go is never null where the schema of a result has none.
func TestPropertyResultFits(t *testing.T) {
	t.Parallel()
	type node struct {
		List  []string           `json:"list"`
		Map   map[string][]int   `json:"map"`
		Gone  *place             `json:"gone"`
		Bytes []byte             `json:"bytes"`
		Any   any                `json:"any"`
		Deep  []map[string]place `json:"deep"`
	}
	draw := func(t *rapid.T) node {
		ints := rapid.SampledFrom([][]int{nil, {}, {1}})
		return node{
			List: rapid.SampledFrom([][]string{nil, {}, {"null"}}).Draw(t, "list"),
			Map:  rapid.OneOf(rapid.Just(map[string][]int(nil)), rapid.MapOf(rapid.String(), ints)).Draw(t, "map"),
			Gone: rapid.SampledFrom([]*place{nil, {Street: "x"}}).Draw(t, "gone"), Bytes: rapid.SampledFrom([][]byte{nil, {1}}).Draw(t, "bytes"),
			Any:  rapid.SampledFrom([]any{nil, []any(nil), 1}).Draw(t, "any"),
			Deep: rapid.SampledFrom([][]map[string]place{nil, {nil}, {{"a": {}}}}).Draw(t, "deep"),
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		given := draw(rt)
		made := tool.MustNew(spec("t"), func(*tool.Context, struct{}) (map[string]*node, error) { return map[string]*node{"x": &given}, nil })
		result := tooltest.Run(t, made, nil)
		if result.Err != nil {
			rt.Fatal(result.Err)
		}
		var back map[string]*node
		result.Value(&back)
		if diff := cmp.Diff(&given, back["x"], cmpopts.EquateEmpty(), cmpopts.IgnoreFields(node{}, "Any")); diff != "" {
			rt.Fatalf("returned otherwise (-given +got):\n%s", diff)
		}
	})
}
