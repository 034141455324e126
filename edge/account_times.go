package edge

import (
	"time"
)

// second is a time as answers tell it.
func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// perhaps is a time as answers tell it, null for the zero one.
func perhaps(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = second(t)
	return &t
}
