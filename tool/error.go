package tool

import (
	"errors"
	"fmt"
)

// Error is a failure with a code that programs can rely on and a message for people.
// Codes are documented in docs/codes.md and never reused for something else.
type Error struct {
	// Code such as "TOOL_OFF".
	Code string
	// Message says what is wrong, where, and what to do.
	Message string
	// Field is the path of the value at fault ("$.input.title"); empty where there is none.
	Field string
	// Cause is for logs, never for people or models; may be nil.
	Cause error
}

// Errorf makes an Error with a code and a message that is put together as by fmt.Errorf; of
// an error behind %w, the text becomes part of the message and the error the Cause.
func Errorf(code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: wrapped.Error(), Cause: errors.Unwrap(wrapped)}
}

// Error gives "CODE: message".
func (e *Error) Error() string {
	if e.Field != "" {
		return e.Code + ": " + e.Field + ": " + e.Message
	}
	return e.Code + ": " + e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is matches another *Error with the same code, so that errors.Is(err,
// &Error{Code: "TOOL_OFF"}) asks for a code.
func (e *Error) Is(target error) bool {
	var other *Error
	return errors.As(target, &other) && other.Code == e.Code
}

// Code finds the code of an error, or "" if it has none.
func Code(err error) string {
	var coded *Error
	if errors.As(err, &coded) {
		return coded.Code
	}
	return ""
}
