package webhook

import (
	"context"
	"time"
)

// Check announces the served build and checks for retirements, once.
func (a *Announcer) Check(ctx context.Context, now time.Time) error { return a.check(ctx, now) }

// Forget makes the next check look for retirements.
func (a *Announcer) Forget() { a.checked = time.Time{} }
