//go:build race

package main

// raceEnabled tells that the race detector is at work, with which everything
// takes several times as long.
const raceEnabled = true
