package quickjs

import (
	"context"
	"errors"
	"fmt"
)

// What ends a sandbox, besides an exception.
var (
	// ErrStopped says that the context ended; what errors.Is finds in it too is the error of the context.
	ErrStopped = errors.New("stopped")
	// ErrCPU says that the time for computing is used up.
	ErrCPU = errors.New("the time for computing is used up")
	// ErrMemory says that the memory is used up. Nothing in the guest can catch that.
	ErrMemory = errors.New("the memory is used up")
	// ErrBroken says that the sandbox did what it may not, or that it was used after it ended.
	ErrBroken = errors.New("the sandbox broke")
	// errClosed says that the engine was closed.
	errClosed = fmt.Errorf("%w: the engine is closed", ErrStopped)
)

// stopped gives ErrStopped with the error of a context that ended.
func stopped(ctx context.Context) error { return fmt.Errorf("%w: %w", ErrStopped, ctx.Err()) }

// Exception is a JavaScript exception that nothing in the sandbox caught.
type Exception struct {
	// Name, Message and Stack are those of an Error; for any other value Message is its text. Each
	// is cut after 64 KiB.
	Name, Message, Stack string
}

func (e *Exception) Error() string {
	switch {
	case e.Name == "":
		return e.Message
	case e.Message == "":
		return e.Name
	}
	return e.Name + ": " + e.Message
}
