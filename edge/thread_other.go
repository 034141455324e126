//go:build !linux

package edge

import "time"

// threadTime returns a time that advances at least as fast as the processor time of this thread.
func threadTime() time.Duration { return time.Since(started) }

var started = time.Now()
