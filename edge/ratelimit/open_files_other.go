//go:build !unix

package ratelimit

import "math"

func openFileLimit() int { return math.MaxInt32 }
