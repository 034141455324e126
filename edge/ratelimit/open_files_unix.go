//go:build unix

package ratelimit

import (
	"math"
	"syscall"
)

func openFileLimit() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 1024
	}
	return int(min(uint64(l.Cur), math.MaxInt32)) //nolint:unconvert // the type differs between systems
}
