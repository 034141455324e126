package depot

import "time"

// RestartAtOnce lets Pull start again without a delay.
func RestartAtOnce() { restartDelay = time.Microsecond }
