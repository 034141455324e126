//go:build !unix

package ratelimit

import "math"

// openFileLimit returns a number that is never reached: there is no such limit on this system.
func openFileLimit() int { return math.MaxInt32 }
