package web

import (
	"time"

	"golang.org/x/sys/unix"
)

// ThreadTime returns the processor time that this thread has used.
func ThreadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		return 0 // Linux always has this clock
	}
	return time.Duration(now.Nano())
}
