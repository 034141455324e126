package depot

import "time"

// RestartAtOnce makes Pull restart without a delay.
func RestartAtOnce() { restartDelay = time.Microsecond }

// OpenLog and SumOf are for tests that forge what is published.
var (
	OpenLog = openLog
	SumOf   = sumOf
)
