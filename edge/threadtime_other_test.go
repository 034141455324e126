//go:build !linux

package edge

import "time"

// threadTime returns the elapsed time on systems that do not provide thread times.
func threadTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
