package local

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// NewIDs gives a source of ids for new records: ULIDs in upper case, 26 characters,
// each higher than the one before it, also within one millisecond and when the clock is
// set back. The source may be used from many goroutines.
func NewIDs(now func() time.Time) func() string {
	var mu sync.Mutex
	var last uint64
	entropy := ulid.Monotonic(rand.Reader, 0)
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		// A clock before 1970 would wrap around to a time that no id can hold.
		last = max(last, uint64(max(0, now().UnixMilli())))
		// This fails only beyond the year 10889, or when more ids are asked for in one
		// millisecond than any machine can make.
		return ulid.MustNew(last, entropy).String()
	}
}
