//go:build !unix

package builder

// peakMemory returns 0 because the peak memory of this process is unknown on this system.
func peakMemory() int64 { return 0 }
