//go:build race

package edge

// raceEnabled tells that the race detector is at work, with which everything
// takes several times as long.
const raceEnabled = true
