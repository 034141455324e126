//go:build race

package indexes_test

// raceEnabled tells that the race detector is at work, with which everything
// takes several times as long.
const raceEnabled = true
