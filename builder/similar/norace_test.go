//go:build !race

package similar

const raceEnabled = false
