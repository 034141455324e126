package web

import (
	"time"
)

// TruncateToSecond returns a time in the form used in responses: in UTC, without fractional
// seconds.
func TruncateToSecond(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// NullableTime is like TruncateToSecond, but returns nil for the zero time.
func NullableTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = TruncateToSecond(t)
	return &t
}
