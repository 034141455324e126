package edge

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time that this thread has used.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		return 0 // Linux always has this clock
	}
	return time.Duration(now.Nano())
}
