package local_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"toolsmith/internal/local"
	"toolsmith/internal/local/localtest"
	"toolsmith/tool"
)

// dawn is the time at which every test begins; each look at the clock is a second later.
var dawn = time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)

// desk is a book over a shelf in memory, with ids "01JD0…01", "01JD0…02" and so on.
type desk struct {
	*local.Book
	shelf *localtest.Shelf
}

func newDesk() desk {
	shelf := localtest.NewShelf()
	seconds, made := 0, 0
	now := func() time.Time {
		seconds++
		return dawn.Add(time.Duration(seconds-1) * time.Second)
	}
	newID := func() string {
		made++
		return id(made)
	}
	return desk{local.NewBook(shelf, now, newID), shelf}
}

// id is the id of the nth record that a desk makes.
func id(n int) string { return fmt.Sprintf("01JD%022d", n) }

func second(n int) time.Time { return dawn.Add(time.Duration(n) * time.Second) }

func ptr[T any](value T) *T { return &value }

// failer is the part of a test that the helpers here need.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// must gives a function that gives the value, or fails the test on an error.
func must[T any](value T, err error) func(failer) T {
	return func(t failer) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// wantCode checks the code and the field of an error.
func wantCode(t failer, err error, code, field string) *tool.Error {
	t.Helper()
	var coded *tool.Error
	if !errors.As(err, &coded) {
		t.Fatalf("error %v has no code; want %s at %s", err, code, field)
	}
	if coded.Code != code || coded.Field != field {
		t.Fatalf("error %v; want %s at %s", err, code, field)
	}
	return coded
}

// background is for what has no test at hand; no verb of a book waits for anything.
func background() context.Context { return context.Background() }
