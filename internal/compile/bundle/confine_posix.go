//go:build linux || darwin

package bundle

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// apart keeps the child from the signals that a terminal sends to all programs in it: it ends
// when this process says so.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// confine gives up what a translation does not need. What the system does not know of it is
// left: each is a second wall behind another.
func confine(r request) {
	for resource, most := range map[int]uint64{
		unix.RLIMIT_CORE:   0,
		unix.RLIMIT_FSIZE:  0, // pipes are no files
		unix.RLIMIT_CPU:    uint64(r.Seconds),
		unix.RLIMIT_DATA:   dataLimit(r.Memory),
		unix.RLIMIT_NOFILE: 0, // neither files nor connections can be opened from now on
	} {
		_ = unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most})
	}
}

// computed is how long the process has computed, on all processors together.
func computed() time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// dataLimit is how much memory the process may have that can be written to, where it can be
// found out how much it has already: with one allocation it could take too much before anybody
// looks. What a race detector has set aside counts, so the limit comes on top of it.
func dataLimit(memory int64) uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return unix.RLIM_INFINITY
	}
	var pages [6]uint64 // the last one counts data and stacks
	if _, err := fmt.Sscan(string(text), &pages[0], &pages[1], &pages[2], &pages[3], &pages[4], &pages[5]); err != nil {
		return unix.RLIM_INFINITY
	}
	return pages[5]*uint64(os.Getpagesize()) + uint64(memory)
}
