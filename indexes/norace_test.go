//go:build !race

package indexes_test

const raceEnabled = false
