package web

import (
	"time"
)

// Second is a time as answers tell it.
func Second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// TimeOrNull is a time as answers tell it, null for the zero one.
func TimeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = Second(t)
	return &t
}
