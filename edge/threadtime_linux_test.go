package edge

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime returns the processor time of this thread (clock_gettime(2),
// CLOCK_THREAD_CPUTIME_ID).
func threadTime() time.Duration {
	var ts syscall.Timespec
	if _, _, err := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 3, uintptr(unsafe.Pointer(&ts)), 0); err != 0 {
		panic(err)
	}
	return time.Duration(ts.Nano())
}
