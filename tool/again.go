package tool

import (
	"errors"
	"fmt"
	"time"
)

// againError asks for another call at a time.
type againError struct{ at time.Time }

func (e *againError) Error() string {
	return fmt.Sprintf("call again at %s", e.at.UTC().Format(time.RFC3339))
}

// Again is the error by which a tool asks to be called anew, with the same arguments, at a
// time, instead of giving a result. Until then the call waits, visibly, also over a restart
// of the program.
func Again(at time.Time) error { return &againError{at} }

// IsAgain reports whether an error asks for another call, and when.
func IsAgain(err error) (at time.Time, ok bool) {
	var again *againError
	if !errors.As(err, &again) {
		return time.Time{}, false
	}
	return again.at, true
}
