package web

import (
	"time"
)

// TruncateToSecond returns a time as used in responses.
func TruncateToSecond(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// NullableTime returns a time as used in responses, null for the zero time.
func NullableTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = TruncateToSecond(t)
	return &t
}
