//go:build unix

package builder

import (
	"runtime"
	"syscall"
)

// peakMemory returns the peak memory of this process in bytes, or 0 if it is unknown.
func peakMemory() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return u.Maxrss // bytes on macOS, kibibytes elsewhere
	}
	return u.Maxrss * 1024
}
