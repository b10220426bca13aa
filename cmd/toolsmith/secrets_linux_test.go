package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal makes a terminal: what is written to keyboard is typed, and what is read from
// it is shown on the screen.
func openTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal can be made here: %v", err)
	}
	t.Cleanup(func() { keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return keyboard, terminal
}

// shows reports whether a terminal shows what is typed.
func shows(t *testing.T, terminal *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// TestAValueIsNotShown while it is typed, and the terminal shows what is typed afterwards,
// also when nothing was typed until the person had enough.
func TestAValueIsNotShown(t *testing.T) {
	t.Parallel()
	for name, enough := range map[string]bool{"typed": false, "not typed": true} {
		keyboard, terminal := openTerminal(t)
		ctx, stop := context.WithCancel(t.Context())
		type answer struct {
			text string
			err  error
		}
		read := make(chan answer, 1)
		go func() {
			text, err := unseen(ctx, terminal)
			read <- answer{text, err}
		}()
		for shows(t, terminal) {
			runtime.Gosched()
		}
		var exit *codedExit
		if enough {
			stop()
			if got := <-read; got.text != "" || !errors.As(got.err, &exit) || exit.exit != exitDenied {
				t.Errorf("%s: read is %q, %v", name, got.text, got.err)
			}
		} else {
			press(t, keyboard, "canary-1234567890\n")
			if got := <-read; got.text != "canary-1234567890" || got.err != nil {
				t.Errorf("%s: read is %q, %v", name, got.text, got.err)
			}
		}
		stop()
		if !shows(t, terminal) {
			t.Errorf("%s: the terminal shows no longer what is typed", name)
		}
		press(t, keyboard, "after\n")
		var screen []byte
		for buffer := make([]byte, 256); !bytes.Contains(screen, []byte("after")); {
			n, err := keyboard.Read(buffer)
			if err != nil {
				t.Fatal(err)
			}
			screen = append(screen, buffer[:n]...)
		}
		if bytes.Contains(screen, []byte("canary")) {
			t.Errorf("%s: the screen shows %q", name, screen)
		}
	}
}

func press(t *testing.T, keyboard *os.File, text string) {
	t.Helper()
	if _, err := keyboard.WriteString(text); err != nil {
		t.Fatal(err)
	}
}
