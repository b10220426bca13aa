package value_test

import (
	"flag"
	"fmt"
	"testing"
)

// TestMain lets every run draw the same values; -rapid.seed=0 draws others each time. The
// generators are shared by tests that run at once, and write down what they are called when
// they are first asked: that is done here.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
	for _, shared := range []fmt.Stringer{numbers, plainNumbers, texts, names, anyValue, paths} {
		_ = shared.String()
	}
	m.Run()
}
