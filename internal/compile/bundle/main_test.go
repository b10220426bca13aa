package bundle_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"toolsmith/internal/compile/bundle"
)

// TestMain lets this program be the child, too: a good one, and bad ones.
func TestMain(m *testing.M) {
	if len(os.Args) != 2 {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case bundle.ChildArgument:
		os.Exit(bundle.Main(os.Stdin, os.Stdout))
	case "bad-silent":
		os.Exit(0)
	case "bad-exit":
		os.Exit(9)
	case "bad-rubbish":
		fmt.Fprint(os.Stdout, "hello")
		os.Exit(0)
	case "bad-other":
		fmt.Fprint(os.Stdout, `{"script":"MQ=="}`)
		os.Exit(0)
	case "bad-flood":
		line := strings.Repeat("x", 1<<16)
		for {
			if _, err := os.Stdout.WriteString(line); err != nil {
				os.Exit(1)
			}
		}
	case "bad-noise":
		fmt.Fprint(os.Stderr, strings.Repeat("noise\n", 1<<20))
		os.Exit(2)
	case "bad-memory":
		fmt.Fprint(os.Stderr, "fatal error: runtime: cannot allocate memory")
		os.Exit(2)
	case "bad-hang":
		_, _ = bufio.NewReader(os.Stdin).ReadString(0)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// patient is how long tests wait for what ends at once on a machine that is not busy.
const patient = 2 * time.Minute

// child is the command of a child. It has no environment, and under the race detector a
// program waits for a second when it ends unless its environment says otherwise.
func child(t testing.TB, argument string) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if env, err := exec.LookPath("env"); err == nil {
		return []string{env, "GORACE=atexit_sleep_ms=0", program, argument}
	}
	return []string{program, argument}
}

// newBundler gives one whose time is not what is tested.
func newBundler(t testing.TB) *bundle.Bundler {
	t.Helper()
	return bundle.New(bundle.Options{Command: child(t, bundle.ChildArgument), Timeout: patient})
}
