//go:build !linux && !darwin

package bundle

import (
	"os/exec"
	"time"
)

// apart does nothing: elsewhere the child is only ended by this process.
func apart(*exec.Cmd) {}

// computed is not known.
func computed() time.Duration { return 0 }

// confine does nothing: elsewhere the bounds are what the child itself watches, and what its
// parent allows.
func confine(request) {}
