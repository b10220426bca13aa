package value_test

import (
	"flag"
	"testing"
)

// TestMain lets every run draw the same values; -rapid.seed=0 draws others each time.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
	m.Run()
}
