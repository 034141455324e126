package mirror

import "time"

// RestartAtOnce lets Pull restart without waiting.
func RestartAtOnce() { restartDelay = time.Millisecond }
