package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"toolsmith/internal/visible"
)

// stream is standard output or standard error. Whatever a command writes there, text that
// somebody else wrote can be in it, so everything hidden in it is made visible on its way;
// that no command can forget. Each write has to be whole texts.
type stream struct {
	raw io.Writer
	// own are the control sequences that the command writes itself.
	own []string
	// err is the first error of writing, so that a full disk does not pass for success.
	err error
}

func (s *stream) Write(b []byte) (int, error) {
	if err := s.exact([]byte(visible.Screen(string(b), s.own...))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// exact writes bytes as they are: data that somebody asked for, or a move of the cursor.
func (s *stream) exact(b []byte) error {
	_, err := s.raw.Write(b)
	if err != nil && s.err == nil {
		s.err = err
	}
	return err
}

// terminal is a stream of another process that knows whether it is a terminal.
type terminal interface {
	IsTerminal() bool
}

func isTerminal(where any) bool {
	if s, ok := where.(*stream); ok {
		where = s.raw
	}
	if t, ok := where.(terminal); ok {
		return t.IsTerminal()
	}
	f, ok := where.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// columns is how many columns of a terminal may be written: as many as it has, at most those
// of the screen. What is no terminal has the whole screen.
func columns(where any) int {
	if wide := wideOf(where); wide > 0 {
		return min(wide, screen)
	}
	return screen
}

// wideOf is how many columns a terminal has; 0 where that is not known.
func wideOf(where any) int {
	if s, ok := where.(*stream); ok {
		where = s.raw
	}
	switch where := where.(type) {
	case interface{ Columns() int }:
		return where.Columns()
	case *os.File:
		if wide, _, err := term.GetSize(int(where.Fd())); err == nil {
			return wide
		}
	}
	return 0
}
