//go:build !linux

package web

import "time"

// ThreadTime returns a time that advances at least as fast as the processor time of this thread.
func ThreadTime() time.Duration { return time.Since(started) }

var started = time.Now()
