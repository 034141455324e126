package builder

import (
	"runtime"
	"syscall"
)

// peakMemory is the most memory that this process has held, in bytes, 0 where
// the system does not tell.
func peakMemory() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return u.Maxrss // bytes there, kibibytes elsewhere
	}
	return u.Maxrss * 1024
}
