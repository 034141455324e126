package mirror

import "time"

// RestartAtOnce lets Pull restart, and requests be repeated, without waiting.
func RestartAtOnce() { restartDelay, firstDelay = time.Millisecond, time.Millisecond }
