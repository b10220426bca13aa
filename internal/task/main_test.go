package task_test

import (
	"flag"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestMain lets every run draw the same values; -rapid.seed=0 draws others each time. The
// generators are shared by tests that run at once, and write down what they are called when
// they are first asked: that is done here.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
	for _, shared := range []fmt.Stringer{anyValue, anyData, anyTask, anyChains} {
		_ = shared.String()
	}
	m.Run()
}

type (
	object = map[string]any
	array  = []any
)

// anyValue draws JSON values as the reader of JSON makes them.
var anyValue = rapid.Deferred(func() *rapid.Generator[any] { return valueOf(3) })

func valueOf(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.SampledFrom([]any{nil, true, false, "", "x", "$previous", "\ufffd", number("0"), number("1"), number("1.0"), number("1e0")}),
		rapid.String().AsAny(),
		rapid.Custom(func(t *rapid.T) any { return number(fmt.Sprint(rapid.Int64().Draw(t, "n"))) }),
	}
	if depth > 0 {
		name := rapid.SampledFrom([]string{"a", "b", "0", "length", "$ref", "name", "arguments", "code", "message", "é"})
		kinds = append(kinds,
			rapid.SliceOfN(valueOf(depth-1), 0, 3).AsAny(),
			rapid.MapOfN(name, valueOf(depth-1), 0, 3).AsAny(),
			rapid.Just(any(object{"$ref": "$previous.a"})),
		)
	}
	return rapid.OneOf(kinds...)
}
