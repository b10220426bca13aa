package worker_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a test leaves a goroutine behind.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(sandboxes())
		os.Exit(code)
	}))
}
