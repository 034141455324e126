package webhook

import (
	"context"
	"time"
)

// AskedEvery is how often a busy worker looks for requested deliveries and changes to the
// webhook.
const AskedEvery = requestedPollInterval

// Check runs one check of a RetirementChecker.
func (c *RetirementChecker) Check(ctx context.Context, now time.Time) error { return c.check(ctx, now) }
