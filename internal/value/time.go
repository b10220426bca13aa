package value

import "time"

// Time writes a time as RFC 3339 in UTC, always to the millisecond: so all are of one
// length, and sort as texts do.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
