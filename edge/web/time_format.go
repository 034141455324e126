package web

import (
	"time"
)

// TruncateToSecond is a time as answers tell it.
func TruncateToSecond(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// NullableTime is a time as answers tell it, null for the zero one.
func NullableTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = TruncateToSecond(t)
	return &t
}
