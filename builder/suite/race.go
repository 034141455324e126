//go:build race

package suite

// Race reports whether the race detector is compiled in.
const Race = true
