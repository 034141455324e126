//go:build !linux

package edge

import "time"

// threadTime is the time that has passed, where that of a thread is not known.
func threadTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
